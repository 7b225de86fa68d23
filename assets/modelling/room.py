"""The furnished room of the 1999 paper's Figure 8, as we imagine it: front, right wall and ceiling open.

The floor is at y = 0, x -2.5..2.5, z -2..2; the walls stand at the back and on the left. Wicker, rack, chair
backs and grille have openings of 4 to 6 cm, less than the diameter of the particles of the scene.
"""

import math
import random

from . import furniture
from .model import Model
from .shapes import ball, beam, box, channel, lathe, pierced, ring, soft_box, tube

X, Z, TALL = 2.5, 2.0, 2.6


def build():
    model = Model("room", "A furnished room with front and ceiling open, for blobs")
    _floor(model)
    _walls(model)
    _window(model)
    _door(model)
    _rug(model)
    furniture.table(model, 0.15, 0.35)
    for x, z, turn in ((-0.75, 0.35, 90), (1.05, 0.3, -84), (0.15, 1.15, 183), (0.05, -0.45, 6)):
        furniture.chair(model, x, z, turn)
    furniture.on_table(model, 0.15, 0.35)
    furniture.sofa(model, 0.55, -1.45)
    furniture.bookshelf(model, -2.28, 0.95)
    furniture.lamp(model, 2.05, -1.5)
    furniture.plant(model, -2.05, -1.55)
    furniture.basket(model, 1.75, 1.15)
    furniture.rack(model, 2.05, -0.25)
    _pictures(model)
    return model


def _floor(model):
    model.add("floor", "wood_dark", box(-X - 0.12, -0.15, -Z - 0.12, X, -0.02, Z))
    draw = random.Random(101)
    for k in range(20):
        z, x = -Z + 0.2 * k, -X
        while x < X - 1e-6:
            long = min(1.2 + 1.4 * draw.random(), X - x)
            if X - x - long < 0.5:
                long = X - x
            y = 0.002 * draw.random()
            model.add("boards", draw.choice(("wood", "wood", "wood_light")), box(x + 0.002, -0.03, z + 0.003, x + long - 0.002, y, z + 0.197))
            x += long
    for part, y0, y1, deep in (("skirting", 0.0, 0.13, 0.03), ("skirting", 0.13, 0.15, 0.018), ("rail", 0.9, 0.95, 0.035), ("cornice", TALL - 0.1, TALL, 0.06)):
        gap = part == "cornice"
        model.add(part, "frame", box(-X, y0, -Z, X, y1, -Z + deep))
        if gap:
            model.add(part, "frame", box(-X, y0, -Z, -X + deep, y1, Z))
        else:
            model.add(part, "frame", box(-X, y0, -Z, -X + deep, y1, -1.22), box(-X, y0, -0.18, -X + deep, y1, Z))


def _walls(model):
    back = pierced([-X - 0.12, -0.05, 1.15, X], [-0.02, 1.0, 2.2, TALL], [(1, 1)], -Z - 0.12, -Z)
    model.add("walls", "wallpaper", back)
    left = pierced([-Z, 0.3, 1.1, Z], [0.0, 2.05, TALL], [(1, 0)], -0.12, 0.0)
    model.add("walls", "wallpaper", left.turned("y", 90).moved(x=-X).mapped(lambda a, b, c: (a, b, c)))
    panels = [(-2.3 + 0.6 * k) for k in range(8)]
    for x in panels:
        if not -2.5 < x < 2.1:
            continue
        for y0, y1, x0, x1 in ((0.22, 0.25, x, x + 0.48), (0.8, 0.83, x, x + 0.48), (0.25, 0.8, x, x + 0.03), (0.25, 0.8, x + 0.45, x + 0.48)):
            model.add("panels", "frame", box(x0, y0, -Z, x1, y1, -Z + 0.015))


def _window(model):
    l, r, b, t = -0.05, 1.15, 1.0, 2.2
    z = -Z
    frame = [box(l, b, z - 0.1, l + 0.06, t, z - 0.04), box(r - 0.06, b, z - 0.1, r, t, z - 0.04), box(l + 0.06, b, z - 0.1, r - 0.06, b + 0.06, z - 0.04),
             box(l + 0.06, t - 0.06, z - 0.1, r - 0.06, t, z - 0.04), box(0.525, b + 0.06, z - 0.1, 0.575, t - 0.06, z - 0.04)]
    frame += [box(l + 0.06, y, z - 0.09, 0.525, y + 0.03, z - 0.05) for y in (1.37, 1.75)] + [box(0.575, y, z - 0.09, r - 0.06, y + 0.03, z - 0.05) for y in (1.37, 1.75)]
    model.add("window", "frame", *frame, soft_box(l - 0.1, b - 0.05, z - 0.05, r + 0.1, b, z + 0.16, 0.012),
              box(l - 0.08, b, z, l, t + 0.08, z + 0.03), box(r, b, z, r + 0.08, t + 0.08, z + 0.03), box(l, t, z, r, t + 0.08, z + 0.03))
    model.add("window", "glass", box(l + 0.05, b + 0.05, z - 0.076, r - 0.05, t - 0.05, z - 0.064))
    model.add("curtains", "brass", tube([(l - 0.45, 2.36, z + 0.1), (r + 0.45, 2.36, z + 0.1)], 0.016, 10),
              *(ball(0.032, 0.032, 0.032, 6, 10).moved(x, 2.36, z + 0.1) for x in (l - 0.46, r + 0.46)))
    for x0, x1 in ((l - 0.42, l + 0.03), (r - 0.03, r + 0.42)):
        n = 24
        wave = [(x0 + (x1 - x0) * k / n, 0.035 * math.sin(2 * math.pi * 4.5 * k / n)) for k in range(n + 1)]
        pairs = [((x, z + 0.1 + d), (x, z + 0.122 + d)) for x, d in wave]
        cloth = channel(pairs, 0.72, 2.345).mapped(lambda a, b, c, m=(x0 + x1) / 2: (m + (b - m) * (1 + 0.12 * (2.34 - a)), a, c))
        model.add("curtains", "cloth_red", cloth)
        model.add("curtains", "brass", *(ring(0.024, 0.005, 5, 10).turned("z", 90).moved(x0 + (x1 - x0) * (k + 0.5) / 6, 2.358, z + 0.1) for k in range(6)))


def _door(model):
    """A panelled door, half open, in the left wall between z = -1.1 and -0.3."""
    x = -X
    model.add("door", "frame", box(x - 0.13, 0, -1.2, x + 0.025, 2.04, -1.09), box(x - 0.13, 0, -0.31, x + 0.025, 2.04, -0.2), box(x - 0.13, 2.04, -1.2, x + 0.025, 2.15, -0.2))
    leaf = [box(0.0, 0.01, -0.022, 0.11, 2.03, 0.022), box(0.68, 0.01, -0.022, 0.79, 2.03, 0.022)]
    leaf += [box(0.11, y0, -0.022, 0.68, y1, 0.022) for y0, y1 in ((0.01, 0.2), (0.92, 1.06), (1.9, 2.03))]
    leaf += [box(0.1, 0.19, -0.01, 0.69, 0.93, 0.01), box(0.1, 1.05, -0.01, 0.69, 1.91, 0.01)]
    leaf += [soft_box(0.19, y0, -0.02, 0.6, y1, 0.02, 0.012) for y0, y1 in ((0.28, 0.84), (1.14, 1.82))]
    place = lambda s: s.turned("y", 38).moved(x + 0.02, 0, -1.1)
    model.add("door", "door", *(place(s) for s in leaf))
    for d in (-1, 1):
        knob = lathe([(0.0, 0.0), (0.028, 0.0), (0.012, 0.012), (0.012, 0.035), (0.03, 0.05), (0.033, 0.065), (0.022, 0.082), (0.0, 0.086)], 12)
        model.add("door", "brass", place(knob.turned("x", 90 * d).moved(0.735, 0.99, 0.02 * d)))


def _rug(model):
    model.add("rug", "rug_border", soft_box(-1.35, 0.0, -0.75, 1.65, 0.014, 1.55, 0.006))
    model.add("rug", "rug_field", soft_box(-1.2, 0.006, -0.6, 1.5, 0.018, 1.4, 0.005))
    for k in range(7):
        diamond = lathe([(0.0, 0.0), (0.17, 0.0), (0.16, 0.005), (0.0, 0.005)], 4)
        model.add("rug", "rug_border", diamond.moved(-0.96 + 0.37 * k, 0.016, 0.4))
    draw = random.Random(111)
    for x, d in ((-1.35, -1), (1.65, 1)):
        for k in range(46):
            z = -0.73 + 0.05 * k
            model.add("rug", "cloth_cream", tube([(x - 0.01 * d, 0.009, z), (x + 0.1 * d, 0.007, z + 0.02 * (draw.random() - 0.5))], 0.007, 5))


def _pictures(model):
    for k, (x, y, w, h, m) in enumerate(((-1.6, 1.62, 0.62, 0.46, "cloth_blue"), (-0.83, 1.75, 0.3, 0.38, "coat_green"), (-0.83, 1.3, 0.3, 0.24, "book_red"))):
        place = lambda s, x=x, y=y, k=k: s.turned("x", 4).turned("z", (2, -1, 1)[k]).moved(x, y, -Z + 0.03)
        b = 0.045
        model.add("pictures", "wood_dark" if k else "brass", *(place(soft_box(*q, 0.012)) for q in (
            (-w / 2, h / 2 - b, -0.02, w / 2, h / 2, 0.025), (-w / 2, -h / 2, -0.02, w / 2, -h / 2 + b, 0.025),
            (-w / 2, -h / 2 + b - 0.006, -0.02, -w / 2 + b, h / 2 - b + 0.006, 0.024), (w / 2 - b, -h / 2 + b - 0.006, -0.02, w / 2, h / 2 - b + 0.006, 0.024))))
        model.add("pictures", m, place(box(-w / 2 + 0.02, -h / 2 + 0.02, -0.018, w / 2 - 0.02, h / 2 - 0.02, 0.0)))
    clock = lambda s: s.turned("z", -90).moved(-X, 2.32, -0.7)
    model.add("clock", "wood", clock(lathe([(0.0, 0.0), (0.17, 0.0), (0.175, 0.03), (0.15, 0.05), (0.14, 0.035), (0.0, 0.035)], 28)))
    model.add("clock", "porcelain", clock(lathe([(0.0, 0.03), (0.135, 0.03), (0.135, 0.038), (0.0, 0.038)], 28)))
    model.add("clock", "iron", clock(beam((0, 0.045, 0), (0.0, 0.045, 0.1), 0.012, 0.006)), clock(beam((0, 0.045, 0), (0.07, 0.045, -0.02), 0.014, 0.006)))
    shelf_y, sx = 1.45, 1.9
    model.add("shelf", "wood", soft_box(1.55, shelf_y, -Z, 2.3, shelf_y + 0.04, -Z + 0.24, 0.01),
              *(box(x - 0.02, shelf_y - 0.16, -Z, x + 0.02, shelf_y, -Z + 0.03) for x in (1.68, 2.17)), *(beam((x, shelf_y - 0.14, -Z + 0.02), (x, shelf_y - 0.005, -Z + 0.19), 0.03, 0.03, (0, 1, -1)) for x in (1.68, 2.17)))
    jar = [(0.0, 0.0), (0.05, 0.0), (0.065, 0.03), (0.065, 0.1), (0.045, 0.13), (0.05, 0.145), (0.04, 0.145), (0.035, 0.13), (0.055, 0.1), (0.055, 0.03), (0.0, 0.012)]
    for k, m in enumerate(("porcelain", "terracotta", "cloth_blue", "brass")):
        model.add("shelf", m, lathe(jar, 18).scaled(0.9 + 0.1 * (k % 2), 0.9 + 0.5 * (k % 3) / 2, 0.9 + 0.1 * (k % 2)).moved(sx - 0.25 + 0.17 * k, shelf_y + 0.04, -Z + 0.12))
