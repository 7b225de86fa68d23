"""What moves: a cart and its wheel on rolling ground, the rotor of a fan on its post, a sheet that waves from a pole."""

import math

from .garden import wheel_parts
from .model import Model
from .shapes import ball, beam, box, ground, lathe, loft, soft_box, tube
from .solid import Solid

WHEEL = 0.38  # radius of a wheel [m]
AXLES, TRACK = 0.62, 0.56  # wheels from the middle along x and z [m]
SHAPES = 20  # shapes of the sheet in one wave


def build_ground():
    model = Model("drive_ground", "Rolling ground to drive over")
    model.add("ground", "grass", ground(-8.0, 8.0, -6.0, 6.0, 64, 48, height, -1.5))
    for k in range(12):
        x, z = -7.0 + 1.25 * k, -4.9 + 0.35 * math.sin(2.1 * k)
        y = height(x, z)
        model.add("posts", "wood_grey", beam((x, y - 0.2, z), (x + 0.02 * math.sin(k), y + 0.95, z), 0.12, 0.12, (1.0, 0.0, 0.0)))
        if k < 11:
            x2, z2 = -7.0 + 1.25 * (k + 1), -4.9 + 0.35 * math.sin(2.1 * (k + 1))
            for h in (0.45, 0.8):
                model.add("rails", "wood_grey", beam((x, y + h, z + 0.08), (x2, height(x2, z2) + h, z2 + 0.08), 0.05, 0.1))
    return model


def height(x, z):
    """Height of the ground [m]: long waves with a bank on the outside of the bend."""
    return 0.16 * math.sin(0.55 * x + 0.3) * math.cos(0.45 * z) + 0.05 * math.sin(1.3 * x - 0.9 * z) + 0.02 * math.sin(2.9 * z + 1.7 * x)


def build_cart():
    """A flat cart that drives along x. Height 0 is where its wheels touch the ground."""
    model = Model("drive_cart", "A flat cart without its wheels, for drives along x")
    for k in range(6):
        z = -0.42 + 0.14 * k
        model.add("bed", "wood", soft_box(-1.0, 0.56, z + 0.003, 1.0, 0.61, z + 0.137, 0.01))
    for x in (-1.0, 0.97):
        model.add("boards", "wood_dark", soft_box(x, 0.58, -0.42, x + 0.03, 0.76, 0.42, 0.008))
    for z in (-0.45, 0.42):
        model.add("boards", "wood_light", soft_box(-1.0, 0.58, z, 1.0, 0.68, z + 0.03, 0.008))
    for x in (-AXLES, AXLES):
        model.add("axles", "iron", beam((x, WHEEL, -TRACK + 0.1), (x, WHEEL, TRACK - 0.1), 0.06, 0.06))
        model.add("bolsters", "wood_dark", box(x - 0.06, WHEEL + 0.02, -0.3, x + 0.06, 0.565, 0.3))
    model.add("pole", "wood_dark", tube([(0.9, 0.42, 0.0), (1.5, 0.5, 0.0), (2.1, 0.75, 0.0)], [0.04, 0.035, 0.03], 8))
    model.add("beam", "wood_dark", beam((-0.85, 0.46, 0.0), (0.95, 0.46, 0.0), 0.09, 0.09))
    return model


def build_wheel():
    """A wheel about the z axis, its middle at the origin."""
    model = Model("drive_wheel", "A cart wheel about the z axis")
    for solid, material in wheel_parts():
        model.add("wheel", material, solid.turned("x", 90))
    return model


def build_rotor():
    """Four blades about the y axis, pitched so that they press downward when they turn to the left."""
    model = Model("fan_rotor", "The rotor of a fan about the y axis")
    model.add("hub", "steel", lathe([(0.0, -0.07), (0.12, -0.07), (0.15, -0.02), (0.15, 0.03), (0.1, 0.08), (0.0, 0.09)], 28))
    for k in range(4):
        blade = loft([_section(r) for r in (0.1, 0.3, 0.55, 0.8, 1.05, 1.15)])
        model.add("blades", "cloth_red", blade.turned("y", 90 * k))
    return model


def _section(r):
    """A thin section of a blade at a distance from the axis: wide in the middle, less pitched outside."""
    wide = 0.12 + 0.17 * math.sin(math.pi * min(r / 1.25, 1.0)) - 0.06 * max(0.0, r - 1.05) / 0.1
    pitch = math.radians(26 - 12 * r)
    corners = [(-wide, -0.008), (wide, -0.008), (wide, 0.008), (-wide, 0.008)]
    return [(r, a * math.sin(pitch) + b * math.cos(pitch), a * math.cos(pitch) - b * math.sin(pitch)) for a, b in corners]


def build_stand():
    model = Model("fan_stand", "A post for a fan, on paving")
    for i in range(-3, 3):
        for j in range(-3, 3):
            model.add("paving", "flagstone" if (i + j) % 2 else "stone_light", soft_box(i * 0.9 + 0.01, -0.12, j * 0.9 + 0.01, i * 0.9 + 0.89, 0.004 * ((3 * i + 5 * j) % 3), j * 0.9 + 0.89, 0.02))
    model.add("post", "iron", lathe([(0.0, 0.0), (0.28, 0.0), (0.28, 0.05), (0.1, 0.12), (0.055, 0.25), (0.05, 1.2), (0.07, 1.28), (0.0, 1.28)], 28))
    return model


def build_pole():
    model = Model("flag_pole", "A pole for a sheet, on cobbles")
    model.add("ground", "earth", ground(-2.4, 2.8, -2.0, 2.0, 40, 30, lambda x, z: 0.02 * math.sin(3 * x + z) * math.cos(2.5 * z - x), -0.4))
    model.add("pole", "wood_grey", lathe([(0.0, -0.2), (0.06, -0.2), (0.05, 1.2), (0.042, 2.5), (0.0, 2.5)], 20).moved(-0.95, 0.0, 0.0))
    model.add("knob", "brass", ball(0.075, 0.075, 0.075, 12, 20).moved(-0.95, 2.55, 0.0))
    return model


def build_sheet(number):
    """The sheet at one moment of its wave: a slab of 12 mm between two layers of points."""
    wide, high, nx, ny = 1.7, 1.1, 26, 14
    turn = 2 * math.pi * number / SHAPES

    def place(i, j):
        u, v = i / nx, j / ny
        swing = 0.24 * u ** 0.8
        wave = swing * math.sin(6.2 * u - turn + 0.8 * v) + 0.05 * u * math.sin(11.0 * u - 2 * turn + 3.0 * v)
        return (-0.9 + wide * u * (1 - 0.05 * math.sin(turn - 3 * u) * u), 1.3 + high * v - 0.12 * u * u + 0.04 * u * math.sin(turn - 4 * u), wave)

    rings = [[place(i, j) for i in range(nx + 1)] for j in range(ny + 1)]
    points = [(x, y, z + d) for d in (-0.006, 0.006) for row in rings for x, y, z in row]
    row, layer = nx + 1, (nx + 1) * (ny + 1)
    faces = []
    for j in range(ny):
        for i in range(nx):
            a = j * row + i
            faces += [(layer + a, layer + a + 1, layer + a + row + 1), (layer + a, layer + a + row + 1, layer + a + row)]
            faces += [(a, a + row + 1, a + 1), (a, a + row, a + row + 1)]
    rim = list(range(nx)) + [j * row + nx for j in range(ny)] + [ny * row + i for i in range(nx, 0, -1)] + [j * row for j in range(ny, 0, -1)]
    for k, a in enumerate(rim):
        b = rim[(k + 1) % len(rim)]
        faces += [(a, b, layer + b), (a, layer + b, layer + a)]
    model = Model(f"flag/flag_{number:02}", f"A waving sheet, shape {number + 1} of {SHAPES}", library="flag")
    model.add("sheet", "cloth_cream", Solid(points, faces))
    return model
