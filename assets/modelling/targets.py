"""Bodies for particles to flow round: a ball, a shaft, a block of buildings, and the ground they stand on.

Every body is one closed solid or several that do not touch each other, so that it has an inside.
"""

from .model import Model
from .shapes import ball, box, lathe

HOUSES = (  # x, z, width, depth, height [m]
    (-3.2, -2.4, 1.9, 1.7, 2.3),
    (-0.4, -3.4, 1.6, 1.3, 1.5),
    (2.8, -2.6, 1.8, 2.0, 3.0),
    (-3.4, 1.3, 1.5, 2.1, 1.4),
    (3.2, 1.4, 1.7, 1.7, 1.8),
)


def build_ball():
    model = Model("ball", "A ball of half a metre")
    model.add("ball", "plaster", ball(0.5, 0.5, 0.5, 48, 96))
    return model


def build_shaft():
    model = Model("shaft", "An upright shaft of half a metre")
    model.add("shaft", "plaster", lathe([(0.0, -1.5), (0.5, -1.5), (0.5, -0.75), (0.5, 0.0), (0.5, 0.75), (0.5, 1.5), (0.0, 1.5)], 96))
    return model


def build_blocks():
    model = Model("blocks", "Five plain buildings round a square")
    for x, z, wide, deep, high in HOUSES:
        model.add("buildings", "plaster", box(x - wide / 2, -0.2, z - deep / 2, x + wide / 2, high, z + deep / 2))
    return model


def build_stage():
    model = Model("stage", "Flat ground of 12 m by 12 m, its top at height 0")
    model.add("ground", "tile", box(-6.0, -0.5, -6.0, 6.0, 0.0, 6.0))
    return model
