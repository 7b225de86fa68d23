"""A farmyard with a hay cart before a barn, for mud: ruts, a puddle's hollow, a trough, a spare wheel.

The barn's boards stand at z = -1.9; the cart stands at x 0.1, z 0.6; mud comes from +z.
"""

import math
import random

from . import garden
from .model import Model
from .shapes import ball, beam, box, ground, lathe, loft, ring, soft_box, tube

BARN = -1.9  # face of the barn's boards [m]


def build():
    model = Model("yard", "A cart in a farmyard, for mud")
    model.add("ground", "earth", ground(-4.6, 4.6, -2.6, 3.8, 72, 54, height, -0.5))
    _barn(model)
    garden.cart(model, lambda s: s.scaled(1.75, 1.75, 1.75).turned("y", 16).moved(0.0, height(0.1, 0.6) - 0.02, 0.5))
    _hay(model)
    _trough(model, -2.75, 0.2)
    _spare_wheel(model, 2.55)
    garden.barrel(model, -1.75, height(-1.75, -1.3), -1.3)
    _buckets(model)
    _fork(model)
    _stones(model)
    return model


def height(x, z):
    """Height of the yard [m]: trodden, with two ruts that bend past the cart and a hollow before it."""
    y = 0.02 * math.sin(2.3 * x + 1.1 * z) + 0.014 * math.sin(4.1 * z - 2.7 * x + 0.5) + 0.01 * math.sin(7.3 * x + 5.9 * z)
    middle = 0.25 * math.sin(0.8 * z) + 0.3 * z
    for rut in (-0.72, 0.72):
        off = (x - 0.1 - middle - rut) / 0.16
        y += -0.05 / (1 + off * off) + 0.03 / (1 + (abs(off) - 2.0) ** 2 * 2.5)
    hollow = ((x + 1.5) / 0.75) ** 2 + ((z - 1.9) / 0.5) ** 2
    return y - 0.06 / (1 + hollow * hollow)


def _barn(model):
    """Upright boards with battens on a stone foot, a double door, a dripping eave."""
    draw = random.Random(501)
    model.add("barn", "wood_dark", box(-4.4, -0.3, BARN - 0.3, 4.4, 2.75, BARN - 0.02))
    x = -4.4
    while x < 4.39:
        w = min(0.2 + 0.05 * draw.random(), 4.4 - x)
        if not -0.05 < x < 2.0:
            model.add("barn", draw.choice(("wood_grey", "wood_grey", "wood")), box(x + 0.004, 0.4, BARN - 0.03, x + w - 0.004, 2.7, BARN + 0.008 * draw.random()))
            model.add("barn", "wood_grey", box(x - 0.025, 0.4, BARN - 0.02, x + 0.025, 2.7, BARN + 0.03))
        x += w
    for row in range(2):
        x = -4.4
        while x < 4.35:
            w = min(0.4 + 0.25 * draw.random(), 4.4 - x)
            if (x + w < 0.1 or x > 2.1) and w > 0.1:
                stone = soft_box(x + 0.008, -0.15 + 0.28 * row, BARN - 0.2, x + w - 0.008, 0.12 + 0.28 * row, BARN + 0.05 + 0.03 * draw.random(), 0.04)
                model.add("barn", draw.choice(("stone", "stone_dark", "flagstone")), stone.rough(0.008, draw.randrange(1 << 30)))
            x += w
    for side in (0, 1):
        x0 = 0.12 + 0.98 * side
        model.add("door", "door", *(box(x0 + 0.136 * k, 0.08, BARN - 0.03, x0 + 0.136 * k + 0.128, 2.2, BARN + 0.015) for k in range(7)))
        model.add("door", "timber", *(box(x0 + 0.02, y, BARN + 0.01, x0 + 0.93, y + 0.13, BARN + 0.05) for y in (0.25, 1.1, 1.95)))
        a, b = ((x0 + 0.08, 0.38), (x0 + 0.87, 1.12)) if side else ((x0 + 0.87, 0.38), (x0 + 0.08, 1.12))
        model.add("door", "timber", beam((a[0], a[1], BARN + 0.03), (b[0], b[1], BARN + 0.03), 0.04, 0.11, (0, 1, 0)))
        model.add("door", "iron", *(box(x0 + (0.5 if side else 0.0), y, BARN + 0.05, x0 + (0.95 if side else 0.45), y + 0.05, BARN + 0.065) for y in (0.29, 1.99)))
    model.add("door", "timber", box(-0.06, 0.0, BARN - 0.1, 0.1, 2.4, BARN + 0.07), box(2.08, 0.0, BARN - 0.1, 2.24, 2.4, BARN + 0.07), box(-0.06, 2.24, BARN - 0.1, 2.24, 2.42, BARN + 0.09))
    model.add("door", "iron", ring(0.06, 0.011, 8, 18).turned("x", 90).moved(1.19, 1.02, BARN + 0.05))
    model.add("barn", "glass", box(-2.55, 1.3, BARN - 0.03, -1.65, 1.95, BARN + 0.035))
    model.add("barn", "frame", *(box(-2.62, y, BARN - 0.03, -1.58, y + 0.08, BARN + 0.07) for y in (1.24, 1.93)), *(box(px, 1.3, BARN - 0.03, px + 0.07, 1.95, BARN + 0.065) for px in (-2.62, -2.14, -1.65)))
    slope = [(-4.6 + 0.31 * k, -4.6 + 0.31 * (k + 1)) for k in range(30)]
    for row, (z, y) in enumerate(((BARN + 0.62, 2.42), (BARN + 0.3, 2.6), (BARN - 0.02, 2.78))):
        model.add("eave", "roof_dark" if row % 2 else "roof", *(loft([[(a + 0.006, y + dy, z + dz) for dz, dy in ((0.0, 0.0), (0.0, 0.045), (-0.46, 0.29), (-0.46, 0.25))],
                  [(b - 0.006, y + dy, z + dz) for dz, dy in ((0.0, 0.0), (0.0, 0.045), (-0.46, 0.29), (-0.46, 0.25))]]) for a, b in slope))
    model.add("eave", "timber", *(beam((-4.3 + 0.86 * k, 2.38, BARN + 0.56), (-4.3 + 0.86 * k, 2.72, BARN - 0.05), 0.07, 0.1) for k in range(11)))


def _hay(model):
    """A heap of hay in the cart, and what fell from it."""
    draw = random.Random(511)
    for k in range(11):
        a, r = 2.4 * k, 0.62 * (k / 11) ** 0.5
        s = 0.24 + 0.07 * draw.random()
        p = 6 * draw.random()
        lump = ball(1.3 * s, 0.8 * s, s, 7, 14, lambda w, row, p=p: 1 + 0.1 * math.sin(5 * w + 2 * row + p)).rough(0.012, 512 + k)
        model.add("hay", "hay", lump.turned("y", 16).moved(r * 1.25 * math.cos(a), 1.12 + 0.18 * (1 - k / 11), 0.5 + 0.45 * r * math.sin(a)))


def _trough(model, x, z):
    """A stone trough, hollow."""
    y = height(x, z)
    rings = []
    for h, long, wide in ((0.0, 0.72, 0.3), (0.42, 0.76, 0.34), (0.45, 0.74, 0.32), (0.45, 0.65, 0.23), (0.42, 0.63, 0.21), (0.16, 0.58, 0.17)):
        rings.append([(sx * (long - cx), h, sz * (wide - cz)) for sx, sz, cx, cz in ((1, 1, 0.05, 0), (1, 1, 0, 0.05), (1, -1, 0, 0.05), (1, -1, 0.05, 0), (-1, -1, 0.05, 0), (-1, -1, 0, 0.05), (-1, 1, 0, 0.05), (-1, 1, 0.05, 0))])
    model.add("trough", "stone_light", loft(rings).turned("y", 35).moved(x, y - 0.04, z))
    for d in (-1, 1):
        model.add("trough", "stone_dark", soft_box(-0.16, -0.12, -0.36, 0.16, 0.02, 0.36, 0.03).moved(0.46 * d).turned("y", 35).moved(x, y, z))


def _spare_wheel(model, x):
    """A cart wheel that leans on the barn."""
    lean = lambda s: s.scaled(1.75, 1.75, 1.75).turned("x", 78).moved(x + 0.75, 0.6, BARN + 0.32)
    for solid, material in garden.wheel_parts():
        model.add("spare_wheel", material, lean(solid))


def _buckets(model):
    pail = [(0.0, 0.02), (0.13, 0.02), (0.135, 0.0), (0.14, 0.0), (0.145, 0.1), (0.152, 0.11), (0.158, 0.11), (0.185, 0.3), (0.193, 0.305), (0.19, 0.315), (0.177, 0.31), (0.148, 0.12), (0.13, 0.035), (0.0, 0.035)]
    for x, z, turn, tilt in ((1.75, 1.75, 20, 0), (-0.95, 2.35, 70, 96)):
        place = lambda s: s.turned("z", tilt, (0.17, 0.0, 0.0)).turned("y", turn).moved(x, height(x, z) + 0.01, z)
        model.add("buckets", "steel", place(lathe(pail, 26)))
        handle = [(0.19 * math.cos(a), 0.29 + 0.15 * math.sin(a), 0.08 * math.sin(a)) for a in (math.pi * k / 12 for k in range(13))]
        model.add("buckets", "iron", place(tube(handle, 0.008, 7)))


def _fork(model):
    """A hay fork against the barn."""
    place = lambda s: s.turned("x", -11).moved(-0.55, height(-0.55, -1.5), -1.52)
    model.add("fork", "wood_light", place(tube([(0, 0.42, 0), (0.01, 1.0, 0.0), (0, 1.75, 0)], 0.02, 8)))
    model.add("fork", "iron", *(place(tube([(0.09 * k, 0.0, 0.03), (0.085 * k, 0.2, 0.0), (0.06 * k, 0.4, 0.0)], [0.006, 0.011, 0.012], 6)) for k in (-1, 0, 1)), place(tube([(-0.07, 0.4, 0.0), (0.07, 0.4, 0.0)], 0.014, 6)))


def _stones(model):
    draw = random.Random(521)
    for k in range(46):
        x, z = -4.2 + 8.4 * draw.random(), -1.5 + 5.0 * draw.random()
        r = 0.02 + 0.05 * draw.random() ** 2
        model.add("stones", draw.choice(("stone", "stone_light", "stone_dark")), ball(r, 0.65 * r, 0.8 * r, 5, 8).rough(0.08 * r, k).turned("y", 360 * draw.random()).moved(x, height(x, z) + 0.2 * r, z))
