"""The grid of the 1999 paper's Figure 9, as we imagine it: a woven wire grid over a tiled tray.

Wires go over and under each other; the whole cloth sags by 3 cm. The frame stands on four turned feet.
"""

import math
import random

from .model import Model
from .shapes import ball, box, lathe, loft, tube

WIDE, DEEP = 2.0, 1.5  # cloth between the middles of the frame's bars [m]
ACROSS, ALONG = 22, 16  # wires that run along z, along x
WIRE = 0.013  # radius of a wire [m]
HEIGHT = 0.62  # middle of the frame's bars over the floor [m]


def build():
    model = Model("grid", "A woven wire grid in a frame over a tiled tray, for slime")
    _wires(model)
    _frame(model)
    _tray(model)
    _bowl(model)
    return model


def _sag(x, z):
    return -0.03 * math.cos(math.pi * x / WIDE) * math.cos(math.pi * z / DEEP)


def _wires(model):
    xs = [WIDE * ((i + 0.5) / ACROSS - 0.5) for i in range(ACROSS)]
    zs = [DEEP * ((j + 0.5) / ALONG - 0.5) for j in range(ALONG)]
    lift = 0.9 * WIRE  # crossing wires just bite into each other, as pressed cloth does
    for j, z in enumerate(zs):
        stops = _stops(xs, WIDE / 2)
        path = [(x, HEIGHT + _sag(x, z) + (lift * (-1) ** (k + j) if k is not None else 0.0), z) for x, k in stops]
        model.add("wires_along", "steel", tube(path, WIRE, 12))
    for i, x in enumerate(xs):
        stops = _stops(zs, DEEP / 2)
        path = [(x, HEIGHT + _sag(x, z) - (lift * (-1) ** (k + i) if k is not None else 0.0), z) for z, k in stops]
        model.add("wires_across", "steel", tube(path, WIRE, 12))


def _stops(crossings, end):
    """Places along a wire, each with the number of its crossing: between two crossings there is a level one."""
    stops = [(-end, None)]
    for k, c in enumerate(crossings):
        if k:
            stops.append(((c + crossings[k - 1]) / 2, None))
        stops.append((c, k))
    return stops + [(end, None)]


def _frame(model):
    x, z = WIDE / 2, DEEP / 2
    for d in (-1, 1):
        model.add("frame", "wood_dark", _rail((-x, d * z), (x, d * z)), _rail((d * x, -z), (d * x, z)))
    turned = [(0.0, 0.0), (0.05, 0.0), (0.058, 0.02), (0.05, 0.045), (0.026, 0.07), (0.024, 0.12), (0.034, 0.2), (0.05, 0.27), (0.052, 0.31),
              (0.04, 0.36), (0.026, 0.39), (0.044, 0.41), (0.044, 0.43), (0.03, 0.45), (0.03, 0.47), (0.062, 0.5), (0.062, 0.69), (0.05, 0.71),
              (0.026, 0.725), (0.038, 0.75), (0.045, 0.775), (0.034, 0.805), (0.0, 0.82)]
    for sx in (-1, 1):
        for sz in (-1, 1):
            model.add("feet", "wood_dark", lathe(turned, 18).moved(sx * x, 0.02, sz * z))
            for axis in (0, 1):
                a = (sx * (x - 0.3), HEIGHT - 0.03, sz * z) if axis == 0 else (sx * x, HEIGHT - 0.03, sz * (z - 0.3))
                model.add("frame", "wood", tube([a, tuple((p + q) / 2 for p, q in zip(a, (sx * x, 0.36, sz * z)))[:1] + (0.44,) + ((a[2] + sz * z) / 2,), (sx * x, 0.3, sz * z)], [0.018, 0.022, 0.018], 8))
    for d in (-1, 1):
        rivets = [(WIDE * ((i + 0.5) / ACROSS - 0.5), d * (z + 0.0)) for i in range(ACROSS)]
        model.add("rivets", "brass", *(ball(0.014, 0.008, 0.014, 4, 8).moved(px, HEIGHT + 0.05, pz) for px, pz in rivets))


def _rail(a, b):
    """A moulded bar: an eight-sided section, wider than high."""
    section = [(-0.055, -0.03), (-0.035, -0.05), (0.035, -0.05), (0.055, -0.03), (0.055, 0.03), (0.035, 0.05), (-0.035, 0.05), (-0.055, 0.03)]
    along_x = a[1] == b[1]
    rings = []
    for px, pz in (a, b):
        rings.append([(px, HEIGHT + v, pz + u) if along_x else (px + u, HEIGHT + v, pz) for u, v in section])
    return loft(rings)


def _tray(model):
    """A slab of tiles with rounded edges in a chequer, a gutter's width apart, inside a low rim."""
    x, z = 1.25, 1.0
    model.add("floor", "mortar", box(-x, -0.06, -z, x, -0.012, z))
    nx, nz = 10, 8
    draw = random.Random(91)
    for i in range(nx):
        for j in range(nz):
            a, b, c, d = (-x + 2 * x * i / nx, -x + 2 * x * (i + 1) / nx, -z + 2 * z * j / nz, -z + 2 * z * (j + 1) / nz)
            tilt = 0.003 * draw.random()
            rings = [[(a + g, y, c + g), (b - g, y, c + g), (b - g, y, d - g), (a + g, y, d - g)] for g, y in ((0.004, -0.03), (0.004, -0.004 + tilt), (0.009, tilt))]
            model.add("tiles", "tile_dark" if (i + j) % 2 else "tile", loft(rings))
    profile = [(0.0, -0.06), (0.09, -0.06), (0.09, 0.05), (0.075, 0.07), (0.02, 0.07), (0.0, 0.055)]
    corners = [(-x, -z), (x, -z), (x, z), (-x, z)]
    rings = []
    for px, pz in corners:
        sx, sz = (1 if px > 0 else -1), (1 if pz > 0 else -1)
        rings.append([(px + sx * out, y, pz + sz * out) for out, y in profile])
    model.add("rim", "stone", loft(rings, loop=True))


def _bowl(model):
    """A bowl that catches a little of what falls through, and three balls that do not."""
    profile = [(0.0, 0.0), (0.09, 0.0), (0.1, 0.015), (0.085, 0.03), (0.15, 0.07), (0.19, 0.13), (0.2, 0.19), (0.205, 0.2), (0.19, 0.2),
               (0.175, 0.135), (0.135, 0.08), (0.0, 0.05)]
    model.add("bowl", "porcelain", lathe(profile, 32).moved(0.25, 0.004, 0.15))
    for x, z, r, m in ((-0.5, 0.3, 0.11, "cap_red"), (-0.28, 0.45, 0.07, "brass"), (-0.62, -0.25, 0.09, "cloth_blue")):
        model.add("balls", m, ball(r, r, r, 12, 20).moved(x, r + 0.004, z))
