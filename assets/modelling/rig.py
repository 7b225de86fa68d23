"""A bench for lumps of 2 cm radius: seven hoppers side by side, the gaps in their floors 0.5 to 5 lumps wide.

Gaps run along z in the middle of each floor. Walls between the hoppers, panes front and back; below each gap a
chute of walls down to a tray of its own, so that what fell through can be seen and counted.
"""

from .model import Model
from .shapes import ball, beam, box, loft, soft_box

LUMP = 0.04  # diameter of a lump [m]
GAPS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)  # widths of the gaps, in lumps
WIDE, DEEP = 0.6, 0.5  # inside of a hopper along x and z [m]
FLOOR, TOP, TRAY = 1.0, 1.75, 0.12  # heights of the gaps' lower edges, the walls' tops and the trays' floors [m]
WALL = 0.03  # thickness of the walls [m]


def build():
    model = Model("rig", "Hoppers over gaps of rising width, for lumps")
    pitch, n = WIDE + WALL, len(GAPS)
    left = -0.5 * pitch * n
    model.add("ground", "tile", box(left - 1.4, -0.1, -1.3, -left + 1.4, 0.0, 1.6))
    for k in range(n + 1):
        x = left + pitch * k
        model.add("walls", "wood", box(x - WALL / 2, 0.06, -DEEP / 2, x + WALL / 2, TOP, DEEP / 2))
        model.add("walls", "wood_dark", soft_box(x - 0.035, 0.0, -DEEP / 2 - 0.07, x + 0.035, TOP + 0.02, -DEEP / 2, 0.008))
    for k, gap in enumerate(GAPS):
        _hopper(model, left + pitch * (k + 0.5), gap * LUMP, k)
    right = -left
    model.add("back", "wood_grey", *(box(left - 0.02, y, -DEEP / 2 - 0.03, right + 0.02, y + 0.196, -DEEP / 2) for y in (0.06 + 0.2 * i for i in range(9))))
    model.add("panes", "pane", box(left - WALL / 2, FLOOR - 0.06, DEEP / 2, right + WALL / 2, TOP, DEEP / 2 + 0.008))
    model.add("panes", "pane", box(left - WALL / 2, 0.06, DEEP / 2, right + WALL / 2, 0.42, DEEP / 2 + 0.008))
    for y in (FLOOR - 0.1, 0.42, 0.06):
        model.add("frame", "wood_dark", soft_box(left - 0.05, y - 0.03, DEEP / 2 - 0.004, right + 0.05, y + 0.015, DEEP / 2 + 0.03, 0.006))
    for x in (left, right):
        for z in (-DEEP / 2, DEEP / 2):
            model.add("feet", "wood_dark", soft_box(x - 0.06, 0.0, z - 0.06, x + 0.06, 0.1, z + 0.06, 0.012))
    _signs(model, left, pitch)
    return model


def _hopper(model, x, gap, k):
    """Two boards that slope gently to the gap, a tray below, and a rib along each lip that keeps it sharp."""
    rise = 0.07
    for d in (-1, 1):
        board = [(d * gap / 2, FLOOR), (d * WIDE / 2, FLOOR + rise), (d * WIDE / 2, FLOOR + rise - 0.03), (d * gap / 2, FLOOR - 0.03)]
        model.add("floors", "steel" if k % 2 else "tile_dark", loft([[(x + a, y, z) for a, y in board] for z in (-DEEP / 2, DEEP / 2)]))
    model.add("trays", "wood_light", box(x - WIDE / 2, TRAY - 0.05, -DEEP / 2, x + WIDE / 2, TRAY, DEEP / 2))


def _signs(model, left, pitch):
    """Under each hopper's lip a row of lumps as wide as its gap, for scale: half a lump is a small one."""
    for k, gap in enumerate(GAPS):
        x = left + pitch * (k + 0.5)
        model.add("signs", "frame", soft_box(x - 0.15, FLOOR - 0.24, DEEP / 2 + 0.0, x + 0.15, FLOOR - 0.14, DEEP / 2 + 0.02, 0.008))
        whole, rest = int(gap), gap - int(gap)
        sizes = [1.0] * whole + ([rest] if rest else [])
        at = x - gap * LUMP / 2
        for size in sizes:
            r = size * LUMP / 2
            model.add("signs", "cap_red", ball(r, r, 0.01, 8, 16).moved(at + r, FLOOR - 0.19, DEEP / 2 + 0.021))
            at += 2 * r
    model.add("rail", "brass", beam((left, TOP + 0.03, -DEEP / 2 - 0.035), (-left, TOP + 0.03, -DEEP / 2 - 0.035), 0.03, 0.02))
