"""What falls: a crate, angular pieces that lock into each other, a jelly, and the stairs and floors that they fall on.

Each of the first three is closed and free of overlaps, so that it has an inside to fill.
"""

import math

from .model import Model
from .shapes import box, lathe, soft_box
from .solid import Solid

EDGE = 0.8  # of a crate [m]


def build_crate():
    """A crate around the origin: a frame with panels set back, and a board across each of them."""
    model = Model("crate", "A wooden crate, 0.8 m along each edge")
    model.add("frame", "wood_light", _framed(EDGE / 2, 0.1, 0.045))
    inner, board = EDGE / 2 - 0.1, 0.055
    for axis in range(3):
        for side in (-1, 1):
            near, far = EDGE / 2 - 0.044, EDGE / 2 - 0.012
            a, b = (near, far) if side > 0 else (-far, -near)
            length = inner * math.sqrt(2) - board - 0.012
            plank = box(-length, -board, a, length, board, b).turned("z", 45 * side)
            if axis == 0:
                plank = plank.turned("y", 90)
            elif axis == 1:
                plank = plank.turned("x", -90)
            model.add("boards", "wood", plank)
    return model


def _framed(half, margin, depth):
    """A cube whose faces are set back within a margin: one closed surface."""
    inner = half - margin
    points, numbers, faces = [], {}, []

    def number(p):
        key = tuple(round(c, 9) for c in p)
        if key not in numbers:
            numbers[key] = len(points)
            points.append(p)
        return numbers[key]

    for axis in range(3):
        for side in (-1, 1):
            def at(u, v, w):
                p = [0.0, 0.0, 0.0]
                p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = side * w, side * u, v
                return number(tuple(p))

            corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
            outer = [at(half * u, half * v, half) for u, v in corners]
            rim = [at(inner * u, inner * v, half) for u, v in corners]
            panel = [at(inner * u, inner * v, half - depth) for u, v in corners]
            for k in range(4):
                n = (k + 1) % 4
                faces += [(outer[k], outer[n], rim[n], rim[k]), (rim[k], rim[n], panel[n], panel[k])]
            faces.append(tuple(panel))
    return Solid(points, faces)


def build_stairs():
    model = Model("stairs", "Seven stone steps down to a yard")
    for i in range(-9, 6):
        for j in range(-3, 4):
            if i >= -1 or abs(j + 0.5) > 2:
                model.add("yard", "flagstone", soft_box(i + 0.002, -0.15, j + 0.002, i + 0.998, 0.0, j + 0.998, 0.008))
    for k in range(7):
        x, y = -1.3 - 0.55 * k, 0.3 * (k + 1)
        model.add("steps", "stone_light" if k % 2 else "stone", soft_box(x - 0.56, y - 0.3, -1.9, x + 0.02, y, 1.9, 0.03))
        model.add("cheeks", "stone", soft_box(x - 0.55, -0.1, 1.9, x, y + 0.12, 2.1, 0.02))
    model.add("landing", "stone", soft_box(-8.2, 1.8, -1.9, -5.17, 2.1, 1.9, 0.03))
    model.add("base", "brick", soft_box(-8.2, -0.1, -1.88, -5.2, 1.79, 1.88, 0.03))
    model.add("wall", "brick", soft_box(-8.2, -0.1, -2.13, -1.25, 2.9, -1.9, 0.03))
    return model


PIECES = {  # cells of 0.4 m
    "piece_l": [(0, 0), (1, 0), (2, 0), (2, 1)],
    "piece_u": [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)],
    "piece_t": [(0, 0), (1, 0), (2, 0), (1, 1)],
    "piece_s": [(0, 0), (1, 0), (1, 1), (2, 1)],
}
COLOURS = {"piece_l": "paint_red", "piece_u": "paint_blue", "piece_t": "paint_yellow", "piece_s": "paint_green"}


def build_piece(name):
    """A piece of square cells, as deep as one of them; concave, so that others catch in it."""
    cells, cell = set(PIECES[name]), 0.4
    points, numbers, faces = [], {}, []

    def number(x, y, z):
        if (x, y, z) not in numbers:
            numbers[x, y, z] = len(points)
            points.append((x * cell, y * cell, (z - 0.5) * cell))
        return numbers[x, y, z]

    for x, y in sorted(cells):
        a, b, c, d = (x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)
        faces.append(tuple(number(*p, 1) for p in (a, b, c, d)))
        faces.append(tuple(number(*p, 0) for p in (d, c, b, a)))
        for (dx, dy), (p, q) in (((0, -1), (a, b)), ((1, 0), (b, c)), ((0, 1), (c, d)), ((-1, 0), (d, a))):
            if (x + dx, y + dy) not in cells:
                faces.append((number(*p, 0), number(*q, 0), number(*q, 1), number(*p, 1)))
    model = Model(name, f"A piece of {len(cells)} cells of 0.4 m")
    model.add("piece", COLOURS[name], Solid(points, faces))
    return model


def build_tray():
    model = Model("tray", "A tray with a rim, on a table")
    model.add("table", "wood_dark", soft_box(-4.0, -0.2, -3.2, 4.0, 0.0, 3.2, 0.03))
    for x in (-1.7, 1.55):
        model.add("rim", "wood_light", soft_box(x, 0.0, -1.4, x + 0.15, 0.7, 1.4, 0.02))
    for z in (-1.55, 1.4):
        model.add("rim", "wood_light", soft_box(-1.7, 0.0, z, 1.7, 0.7, z + 0.15, 0.02))
    return model


def build_jelly():
    """A fluted jelly, as it comes out of its mould."""
    model = Model("jelly", "A fluted jelly, 0.7 m high")
    profile = [(0.0, 0.0), (0.3, 0.0), (0.52, 0.0), (0.55, 0.06), (0.53, 0.16), (0.5, 0.28), (0.46, 0.4), (0.42, 0.5), (0.37, 0.6), (0.3, 0.67), (0.2, 0.7), (0.1, 0.7), (0.0, 0.7)]
    flutes = lambda angle, height: 1 + 0.06 * math.cos(12 * angle)  # noqa: E731
    model.add("jelly", "paint_red", lathe(profile, 96, flutes))
    return model
