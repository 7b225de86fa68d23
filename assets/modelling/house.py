"""The cottage of the 1999 paper's Figure 10, as we imagine it: walls, roof, chimney, windows, door.

The front looks along +z. The walls stand on x -2.5..2.5, z -3..1; the ridge runs along x at 4.3 m.
"""

import math
import random

from . import garden
from .model import Model
from .shapes import ball, beam, box, channel, lathe, loft, pierced, prism, soft_box, tube

X, Z0, Z1 = 2.5, -3.0, 1.0  # half length, back and front of the walls [m]
MIDDLE = (Z0 + Z1) / 2
EAVE, RIDGE = 2.35, 4.3  # heights of the wall plate and of the ridge [m]
SLOPE = math.atan2(RIDGE - EAVE, (Z1 - Z0) / 2)


def build():
    model = Model("house", "A cottage in its garden, for snow")
    garden.add_ground(model)
    _walls(model)
    _timbers(model)
    for x in (-1.45, 1.45):
        _window(model, x, 1.42, 0.95, 1.0, lambda s: s.moved(z=Z1))
    for side in (-1, 1):
        _window(model, 0.0, 1.42, 0.9, 1.0, lambda s, d=side: s.turned("y", 90 * d).moved(x=d * X, z=MIDDLE), depth=-0.012)
        _window(model, 0.0, 3.15, 0.5, 0.55, lambda s, d=side: s.turned("y", 90 * d).moved(x=d * X, z=MIDDLE), False, -0.012)
    for x in (-1.2, 1.2):
        _window(model, x, 1.42, 0.9, 1.0, lambda s: s.turned("y", 180).moved(z=Z0), depth=-0.012)
    _door(model)
    _porch(model)
    _roof(model)
    _gutters(model)
    _chimney(model)
    garden.add_all(model)
    return model


def _walls(model):
    front = [-X, -1.925, -0.975, -0.5, 0.5, 0.975, 1.925, X]
    model.add("walls", "plaster", pierced(front, [0.35, 0.92, 1.92, 2.2, 2.42], [(1, 1), (3, 0), (3, 1), (5, 1)], Z1 - 0.2, Z1))
    model.add("walls", "plaster", box(-X, 0.35, Z0, X, EAVE + 0.1, Z0 + 0.2))
    gable = [(Z0, 0.35), (Z1, 0.35), (Z1, EAVE), (MIDDLE, RIDGE), (Z0, EAVE)]
    for x in (-X, X - 0.2):
        model.add("walls", "plaster", prism([(-z, y) for z, y in gable], x, x + 0.2).turned("y", 90))
    draw = random.Random(11)
    for x0, z0, x1, z1 in ((-X, Z1, X, Z1), (X, Z1, X, Z0), (X, Z0, -X, Z0), (-X, Z0, -X, Z1)):
        _plinth(model, draw, x0, z0, x1, z1)


def _plinth(model, draw, x0, z0, x1, z1):
    """Two courses of field stones along one wall."""
    length = math.hypot(x1 - x0, z1 - z0)
    along = ((x1 - x0) / length, (z1 - z0) / length)
    out = (-along[1], along[0]) if x0 * -along[1] + (z0 - MIDDLE) * along[0] > 0 else (along[1], -along[0])
    for y0, y1 in ((-0.12, 0.15), (0.13, 0.36)):
        s = -0.08
        while s < length + 0.04:
            w = 0.42 + 0.3 * draw.random()
            w = min(w, length + 0.08 - s) if length + 0.08 - s - w > 0.15 else length + 0.08 - s
            stone = soft_box(s + 0.012, y0, -0.12, s + w - 0.012, y1 - 0.01, 0.07 + 0.03 * draw.random(), 0.045)
            stone = stone.rough(0.008, draw.randrange(1 << 30))
            model.add("plinth", draw.choice(("stone", "stone", "stone_dark", "stone_light")),
                      stone.mapped(lambda a, b, c: (x0 + a * along[0] + c * out[0], b, z0 + a * along[1] + c * out[1])))
            s += w


def _timbers(model):
    """The half-timbered frame, standing 3.5 cm out of the plaster."""
    bars = []
    for y in (0.44, EAVE - 0.02):
        bars.append(beam((-X - 0.03, y, Z1), (X + 0.03, y, Z1), 0.09, 0.16))
    for x in (-X + 0.06, -2.02, -0.88, -0.58, 0.58, 0.88, 2.02, X - 0.06):
        bars.append(box(x - 0.06, 0.4, Z1 - 0.05, x + 0.06, EAVE, Z1 + 0.035))
    for x, d in ((-2.02, -1), (2.02, 1)):
        bars.append(beam((x + 0.05 * d, 0.5, Z1 - 0.01), (x + 0.42 * d, 1.5, Z1 - 0.01), 0.07, 0.1, (0, 0, 1)).moved(z=0.01))
    bars += [beam((-X - 0.03, y, Z0), (X + 0.03, y, Z0), 0.09, 0.16) for y in (0.44, EAVE - 0.02)]
    bars += [box(x - 0.06, 0.4, Z0 - 0.035, x + 0.06, EAVE, Z0 + 0.05) for x in (-X + 0.06, -0.5, 0.5, X - 0.06)]
    bars += [beam((0.44, 0.52, Z0), (-0.44, 2.24, Z0), 0.1, 0.06, (0, 0, 1))]
    for x in (-X, X):
        for z in (Z1 - 0.06, MIDDLE + 0.62, MIDDLE - 0.62, Z0 + 0.06):
            bars.append(box(x - 0.035, 0.4, z - 0.06, x + 0.035, EAVE, z + 0.06))
        for y in (0.44, EAVE - 0.02):
            bars.append(box(x - 0.04, y - 0.08, Z0 - 0.02, x + 0.04, y + 0.08, Z1 + 0.02))
        bars.append(box(x - 0.036, 2.72, MIDDLE - 1.45, x + 0.036, 2.84, MIDDLE + 1.45))
        for d in (-1, 1):
            bars.append(beam((x, 0.5, MIDDLE + 1.85 * d), (x, 1.9, MIDDLE + 0.75 * d), 0.07, 0.1, (1, 0, 0)))
            bars.append(box(x - 0.034, 2.42, MIDDLE + 0.42 * d - 0.05, x + 0.034, 3.6, MIDDLE + 0.42 * d + 0.05))
    model.add("timbers", "timber", *bars)


def _window(model, x, y, w, h, place, shutters=True, depth=-0.11):
    """A window round (x, y) in the plane z = 0, then put in its wall by `place`; the pane lies at `depth`."""
    l, r, b, t = x - w / 2, x + w / 2, y - h / 2, y + h / 2
    add = lambda material, *solids: model.add("windows", material, *(place(s) for s in solids))
    add("glass", box(l + 0.02, b + 0.02, depth, r - 0.02, t - 0.02, depth + 0.02))
    add("frame", box(l - 0.05, b - 0.03, -0.14, l + 0.05, t + 0.05, 0.05), box(r - 0.05, b - 0.03, -0.14, r + 0.05, t + 0.05, 0.05),
        box(l + 0.05, t - 0.05, -0.14, r - 0.05, t + 0.05, 0.05), box(l + 0.05, b - 0.03, -0.14, r - 0.05, b + 0.05, 0.05))
    across = (0.0,) if not shutters else (-h / 6, h / 6)
    add("frame", box(x - 0.02, b + 0.05, depth - 0.01, x + 0.02, t - 0.05, depth + 0.045),
        *(box(l + 0.05, y + d - 0.02, depth - 0.01, r - 0.05, y + d + 0.02, depth + 0.04) for d in across))
    add("stone_light", soft_box(l - 0.14, b - 0.1, -0.1, r + 0.14, b - 0.03, 0.16, 0.015))
    add("timber", prism([(l - 0.12, t + 0.05), (r + 0.12, t + 0.05), (r + 0.08, t + 0.17), (l - 0.08, t + 0.17)], -0.04, 0.08))
    if not shutters:
        return
    for d in (-1, 1):
        c = x + d * (w / 2 + 0.06 + 0.215)
        leaf = [box(c - 0.2, b - 0.02, 0.045, c - 0.14, t + 0.02, 0.09), box(c + 0.14, b - 0.02, 0.045, c + 0.2, t + 0.02, 0.09)]
        leaf += [box(c - 0.14, k, 0.045, c + 0.14, k + 0.07, 0.09) for k in (b - 0.02, y - 0.035, t - 0.05)]
        rows = [b + 0.09 + 0.072 * k for k in range(5)] + [y + 0.075 + 0.072 * k for k in range(5)]
        leaf += [beam((c - 0.14, k, 0.06), (c + 0.14, k, 0.06), 0.05, 0.02, (0, 1, 0.9)) for k in rows]
        add("shutter", *leaf)
        hinge = x + d * (w / 2 + 0.07)
        add("iron", *(box(hinge - 0.02, k, 0.045, hinge + 0.02, k + 0.05, 0.1) for k in (b + 0.1, t - 0.15)))
    box_front = [soft_box(l - 0.02, b - 0.06, 0.16, r + 0.02, b + 0.1, 0.33, 0.012)]
    add("wood", *box_front)
    draw = random.Random(int(1000 * (x + 3)))
    for k in range(7):
        s = 0.07 + 0.03 * draw.random()
        add("foliage" if k % 2 else "foliage_light",
            ball(s, s, s, 4, 7).turned("y", 40 * k).moved(l + w * (k + 0.5) / 7, b + 0.12 + 0.04 * draw.random(), 0.24 + 0.03 * draw.random()))


def _door(model):
    planks = [soft_box(-0.43 + 0.1435 * k, 0.36, Z1 - 0.12, -0.43 + 0.1435 * (k + 1) - 0.006, 2.12, Z1 - 0.07, 0.008) for k in range(6)]
    model.add("door", "door", *planks, box(-0.43, 0.36, Z1 - 0.16, 0.43, 2.12, Z1 - 0.11))
    model.add("door", "timber", box(-0.56, 0.36, Z1 - 0.2, -0.44, 2.26, Z1 + 0.06), box(0.44, 0.36, Z1 - 0.2, 0.56, 2.26, Z1 + 0.06),
              box(-0.44, 2.13, Z1 - 0.2, 0.44, 2.26, Z1 + 0.06))
    model.add("door", "iron", *(box(-0.42, y, Z1 - 0.075, 0.2, y + 0.05, Z1 - 0.055) for y in (0.62, 1.78)),
              ball(0.035, 0.035, 0.03, 5, 8).moved(0.33, 1.2, Z1 - 0.03), box(0.3, 1.1, Z1 - 0.075, 0.36, 1.3, Z1 - 0.055))
    for k in range(3):
        y = 0.34 - 0.13 * k
        step = soft_box(-0.8 - 0.1 * k, y - 0.2, Z1 + 0.02, 0.8 + 0.1 * k, y, Z1 + 0.42 + 0.3 * k, 0.025).rough(0.006, 70 + k)
        model.add("steps", "flagstone", step)


def _porch(model):
    """A small gabled roof on two posts over the door."""
    z0, z1, eave, ridge, half = Z1 - 0.02, Z1 + 1.0, 2.3, 2.86, 0.82
    for d in (-1, 1):
        post = lathe([(0.0, 0), (0.075, 0), (0.075, 0.25), (0.05, 0.3), (0.058, 0.9), (0.048, 1.7), (0.075, 1.76), (0.075, 1.95), (0.0, 1.95)], 10)
        model.add("porch", "wood", post.moved(0.66 * d, 0.33, Z1 + 0.85), beam((0.66 * d, 2.3, z0), (0.66 * d, 2.3, z1), 0.1, 0.12),
                  beam((0.66 * d, 1.85, Z1 + 0.85), (0.3 * d, 2.28, Z1 + 0.85), 0.06, 0.07, (0, 0, 1)))
        model.add("porch", "stone", soft_box(-0.11, -0.1, -0.11, 0.11, 0.36, 0.11, 0.02).moved(0.66 * d, 0, Z1 + 0.85))
        slope = math.atan2(ridge - eave, half)
        draw = random.Random(300 + d)
        run = math.hypot(half, ridge - eave) + 0.06
        place = lambda s, d=d, slope=slope: s.mapped(lambda a, b, c: (
            d * ((run - c) * math.cos(slope) + b * math.sin(slope)), ridge - (run - c) * math.sin(slope) + b * math.cos(slope), z0 + a))
        model.add("porch_roof", "wood", place(box(0, -0.03, 0.0, z1 - z0 + 0.06, 0.012, run)))
        _shingles(model, "porch_roof", draw, place, z1 - z0 + 0.1, run, 5, 0.2, -0.05)
    model.add("porch", "wood", beam((-0.72, 2.3, Z1 + 0.85), (0.72, 2.3, Z1 + 0.85), 0.09, 0.11),
              prism([(-0.6, 2.35), (0.6, 2.35), (0.0, 2.76)], Z1 + 0.82, Z1 + 0.88))
    caps = [c.turned("y", 90).moved(0, ridge + 0.01, z0 + 0.13 + 0.245 * k) for k, c in enumerate(_ridge_caps(4, 0.25, 0.1))]
    model.add("porch_roof", "roof_dark", *caps)


def _roof(model):
    over_x, over = 0.38, 0.5  # overhang at the gables, along the slope at the eaves [m]
    run = (Z1 - Z0) / 2 / math.cos(SLOPE) + over
    for d in (-1, 1):
        # Slope coordinates: a along the ridge, b out of the slope, c up the slope from the eave.
        place = lambda s, d=d: s.mapped(lambda a, b, c: (
            a * d, RIDGE + 0.12 - (run - c) * math.sin(SLOPE) + b * math.cos(SLOPE),
            MIDDLE + d * ((run - c) * math.cos(SLOPE) + b * math.sin(SLOPE))))
        model.add("roof_deck", "wood_dark", place(box(-X - over_x + 0.04, -0.05, 0.02, X + over_x - 0.04, 0.0, run)))
        rafters = [place(box(x - 0.04, -0.17, 0.0, x + 0.04, -0.05, 0.75)) for x in [-2.7 + 0.45 * k for k in range(13)]]
        model.add("rafters", "timber", *rafters)
        model.add("bargeboards", "frame", *(place(box(x - 0.025, -0.2, -0.03, x + 0.025, 0.003, run + 0.03)) for x in (-X - over_x, X + over_x)))
        draw = random.Random(500 + d)
        wide = 2 * (X + over_x) + 0.08
        moved = lambda s, place=place: place(s.moved(x=-wide / 2))
        _shingles(model, "roof", draw, moved, wide, run, 12, 0.3, -0.07)
    n = 19
    model.add("ridge", "roof_dark", *(c.moved(-X - over_x + 0.16 + 0.304 * k, RIDGE + 0.235, MIDDLE) for k, c in enumerate(_ridge_caps(n, 0.32, 0.2))))


def _shingles(model, name, draw, place, wide, run, courses, width, start):
    """Courses of shingles with thick butts, each lapping half over the course below."""
    pitch = (run - start) / courses
    for k in range(courses):
        c0, a = start + k * pitch, 0.0
        first = True
        while a < wide - 1e-6:
            w = width * (0.85 + 0.3 * draw.random()) * (0.5 if first and k % 2 else 1.0)
            first = False
            if wide - a - w < 0.4 * width:
                w = wide - a
            lift, drop = 0.006 * draw.random(), 0.02 * draw.random()
            top = min(c0 + 1.6 * pitch, run + 0.005)
            butt, back = c0 - drop, 0.012 + lift
            h = 0.045 + 0.014 * draw.random()
            g = 0.004
            lower = [(a + g, back + 0.012, butt), (a + w - g, back + 0.012, butt), (a + w - g, back + 0.012 + h, butt), (a + g, back + 0.012 + h, butt)]
            upper = [(a + g, 0.002, top), (a + w - g, 0.002, top), (a + w - g, 0.022 + lift, top), (a + g, 0.022 + lift, top)]
            shade = draw.random()
            model.add(name, "roof_dark" if shade < 0.27 else "roof_light" if shade > 0.8 else "roof", place(loft([lower, upper])))
            a += w


def _ridge_caps(count, length, half):
    """Ridge tiles along x, each a little higher at the end that laps over its neighbour: the roof's slope, rounded at the top."""
    caps = []
    for _ in range(count):
        rings = []
        for x, lift in ((-length / 2, 0.0), (length / 2, 0.022)):
            across = [half * math.cos(math.pi * k / 8) for k in range(9)]
            rings.append([(x, lift - math.hypot(z * math.tan(SLOPE), 0.045), z) for z in across])
        caps.append(loft(rings))
    return caps


def _gutters(model):
    drop = RIDGE + 0.12 - ((Z1 - Z0) / 2 + 0.5 * math.cos(SLOPE)) * math.tan(SLOPE)
    for d in (-1, 1):
        z, y = MIDDLE + d * ((Z1 - Z0) / 2 + 0.5 * math.cos(SLOPE) + 0.075), drop - 0.06
        arc = [math.pi * (1 + k / 8) for k in range(9)]
        pairs = [((y + 0.075 * math.sin(w), z + 0.075 * math.cos(w)), (y + 0.06 * math.sin(w), z + 0.06 * math.cos(w))) for w in arc]
        model.add("gutters", "steel", channel(pairs, -X - 0.36, X + 0.36))
        model.add("gutters", "steel", *(channel(pairs, s * (X + 0.36) - 0.01, s * (X + 0.36) + 0.01).mapped(
            lambda a, b, c, y=y, z=z: (a, y + (b - y) * 1.1, z + (c - z) * 1.1)) for s in (-1, 1)))
    z = MIDDLE + (Z1 - Z0) / 2 + 0.5 * math.cos(SLOPE) + 0.075
    pipe = [(X + 0.22, drop - 0.1, z), (X + 0.22, drop - 0.22, z - 0.03), (X + 0.12, drop - 0.5, Z1 + 0.16), (X + 0.1, drop - 0.62, Z1 + 0.12),
            (X + 0.1, 0.4, Z1 + 0.12), (X + 0.1, 0.22, Z1 + 0.15), (X + 0.16, 0.12, Z1 + 0.3)]
    model.add("downpipe", "steel", tube(pipe, 0.042, 10))


def _chimney(model):
    x0, x1, z0, z1 = -1.5, -0.78, MIDDLE - 0.28, MIDDLE + 0.28
    model.add("chimney", "mortar", box(x0 + 0.012, 3.5, z0 + 0.012, x1 - 0.012, 5.12, z1 - 0.012))
    draw = random.Random(77)
    for k in range(12):
        y0 = 3.96 + 0.0975 * k
        shift = 0.5 if k % 2 else 0.0
        for axis, a0, a1, face0, face1 in (("x", x0, x1, z0, z1), ("z", z0, z1, x0, x1)):
            n = max(2, round((a1 - a0) / 0.24))
            cuts = [a0] + [a0 + (a1 - a0) * (i + shift) / n for i in range(1 if shift == 0 else 0, n)] + [a1]
            for p, q in zip(cuts, cuts[1:]):
                for face, s in ((face0, -1), (face1, 1)):
                    out = 0.008 + 0.006 * draw.random()
                    lo, hi = (face - out, face + 0.04) if s < 0 else (face - 0.04, face + out)
                    g = 0.005
                    b = (p + g, y0, lo, q - g, y0 + 0.086, hi) if axis == "x" else (lo, y0, p + g, hi, y0 + 0.086, q - g)
                    model.add("chimney", draw.choice(("brick", "brick", "brick_dark")), box(*b))
    for k, (grow, y0, y1) in enumerate(((0.05, 5.12, 5.2), (0.1, 5.2, 5.29), (0.06, 5.29, 5.34))):
        model.add("chimney", "stone", soft_box(x0 - grow, y0, z0 - grow, x1 + grow, y1, z1 + grow, 0.02).rough(0.003, 80 + k))
    for x in (x0 + 0.2, x1 - 0.2):
        pot = lathe([(0.0, 0), (0.12, 0), (0.105, 0.06), (0.09, 0.32), (0.115, 0.35), (0.115, 0.4), (0.07, 0.4), (0.07, 0.1), (0.0, 0.1)], 14)
        model.add("chimney", "terracotta", pot.moved(x, 5.33, MIDDLE))
    lead = [box(x0 - 0.05, 3.7, z1 + 0.0, x1 + 0.05, 3.95, z1 + 0.05)]
    model.add("chimney", "steel", *lead)
