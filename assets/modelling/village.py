"""A village round a green, for deep snow: five houses, a chapel, a well, a market stall, walls, fences, trees.

Fronts look along +z. Roofs with a pitch of 30 to 37 degrees keep snow, the spire sheds it; the stall, the shed
and the eaves keep the ground below them dry.
"""

import math
import random

from . import garden
from .model import Model
from .shapes import ball, beam, box, ground, lathe, loft, prism, ring, soft_box, tube

X, Z = 13.0, 10.0  # half sizes of the ground [m]


def build():
    model = Model("village", "A village round a green, for deep snow")
    model.add("ground", "grass", ground(-X, X, -Z, Z, 56, 42, height, -0.7))
    _house(model, (-7.0, 2.2, 24), 5.2, 4.0, 2.5, 34, ("plaster_ochre", "roof", "shutter"), 601, porch=True)
    _house(model, (6.9, 1.4, -20), 5.6, 4.2, 2.6, 36, ("plaster_white", "roof_dark", "door"), 602, shed=True)
    _house(model, (-8.4, -4.6, 12), 4.6, 3.8, 2.4, 33, ("plaster_rose", "slate", "timber"), 603)
    _house(model, (3.4, -5.6, -6), 4.8, 3.8, 2.5, 37, ("plaster", "roof_light", "cloth_blue"), 604)
    _house(model, (9.6, -5.8, -14), 4.2, 3.6, 2.3, 35, ("plaster_ochre", "roof", "coat_green"), 605)
    _chapel(model, -2.6, -6.4)
    _well(model, 0.6, 1.5)
    _stall(model, -1.5, 5.3)
    _lane(model)
    _fences(model)
    for x, z, tall, tiers, seed in ((-11.4, 5.8, 4.2, 11, 611), (-11.9, -0.6, 3.4, 9, 612), (11.3, 5.4, 3.9, 10, 613), (11.9, -2.3, 4.6, 12, 614), (-5.6, -8.6, 5.0, 12, 615), (6.3, -8.8, 4.4, 11, 616), (-12.0, -7.6, 4.6, 11, 617), (0.8, -9.0, 3.8, 10, 618)):
        garden.conifer(model, x, height(x, z), z, tall, tiers, seed)
    _bare_tree(model, 3.1, 4.3)
    for x, z, size, seed in ((-4.6, 4.6, 0.4, 621), (9.9, 4.2, 0.45, 622), (4.4, 3.4, 0.33, 623), (-5.0, -2.2, 0.4, 624)):
        garden.bush(model, x, height(x, z), z, size, seed)
    for x, z in ((-2.9, 2.6), (2.4, -1.6)):
        garden.lantern(model, x, height(x, z), z)
    _bench(model, 2.0, 2.6, -35)
    _sledge(model, -3.6, 6.6, 50)
    return model


def lane(z):
    """Middle of the lane that comes in at the front and leaves between the chapel and the houses."""
    return 0.9 * math.sin(0.33 * z + 0.4) + 0.2


def height(x, z):
    """Height of the ground [m]: rolling, sunk along the lane, let down in the outermost metre."""
    y = 0.16 * math.sin(0.45 * x + 0.6) * math.cos(0.4 * z - 0.2) + 0.06 * math.sin(1.1 * x + 0.8 * z) + 0.012 * max(0.0, -z)
    off = abs(x - lane(z)) - 0.9
    sink = 0.22 * min(1.0, max(0.0, 1.0 - off / 0.5))
    out = min(1.0, max(abs(x) - X + 1.0, abs(z) - Z + 1.0, 0.0))
    share = out * out * (3 - 2 * out)
    return (y - sink) * (1 - share) - 0.68 * share


def _placed(x, z, turn):
    y = height(x, z)
    return lambda s: s.turned("y", turn).moved(x, y, z)


def _house(model, at, wide, deep, eave, pitch, colours, seed, porch=False, shed=False):
    """A house with its ridge along x: `wide` x `deep` metres, walls `eave` high; `colours` are wall, roof, trim."""
    place, draw = _placed(*at), random.Random(seed)
    wall, roof, trim = colours
    name = f"house_{seed - 600}"
    rise = math.tan(math.radians(pitch)) * deep / 2
    gable = [(-deep / 2, -0.3), (deep / 2, -0.3), (deep / 2, eave), (0.0, eave + rise), (-deep / 2, eave)]
    model.add(name, wall, place(prism(gable, -wide / 2, wide / 2).turned("y", 90)))
    model.add(name, "stone", place(soft_box(-wide / 2 - 0.06, -0.3, -deep / 2 - 0.06, wide / 2 + 0.06, 0.32, deep / 2 + 0.06, 0.04)))
    for x in (-1, 1):
        for z in (-1, 1):
            model.add(name, "timber", place(box(x * wide / 2 - 0.08, 0.3, z * deep / 2 - 0.08, x * wide / 2 + 0.08, eave, z * deep / 2 + 0.08)))
    for z in (-1, 1):
        model.add(name, "timber", place(box(-wide / 2, eave - 0.2, z * deep / 2 - 0.06, wide / 2, eave - 0.04, z * deep / 2 + 0.06)))
    front = lambda s: place(s.moved(z=deep / 2))
    back = lambda s: place(s.turned("y", 180).moved(z=-deep / 2))
    for x in (-0.32, 0.32):
        _window(model, name, trim, lambda s, x=x: front(s.moved(x * wide, 1.5)))
        _window(model, name, trim, lambda s, x=x: back(s.moved(x * wide, 1.5)))
    for d in (-1, 1):
        side = lambda s, d=d: place(s.turned("y", 90 * d).moved(x=d * wide / 2))
        _window(model, name, trim, lambda s, side=side: side(s.moved(0.0, 1.5)))
        _window(model, name, trim, lambda s, side=side: side(s.scaled(0.62, 0.62, 1.0).moved(0.0, eave + 0.3 * rise)), shutters=False)
    _door(model, name, trim, front)
    _roof(model, name, roof, place, draw, wide + 0.8, deep / 2 / math.cos(math.radians(pitch)) + 0.5, pitch, eave + rise + 0.1)
    _chimney(model, name, place, -0.27 * wide if seed % 2 else 0.3 * wide, eave + rise, draw)
    if porch:
        for x in (-0.85, 0.85):
            model.add(name, "wood", front(box(x - 0.06, -0.2, 0.95, x + 0.06, 2.1, 1.07)))
        model.add(name, "wood_dark", front(beam((0, 2.02, -0.1), (0, 1.98, 1.3), 2.2, 0.08).turned("x", 11, (0, 2.1, 0))))
    if shed:
        _shed(model, name, lambda s: place(s.moved(x=wide / 2)), deep)


def _window(model, name, trim, place, shutters=True):
    """A window round the origin, in the plane z = 0."""
    add = lambda material, *solids: model.add(name, material, *(place(s) for s in solids))
    add("glass", box(-0.4, -0.45, -0.05, 0.4, 0.45, 0.02))
    add("frame", box(-0.47, -0.5, -0.05, -0.39, 0.52, 0.06), box(0.39, -0.5, -0.05, 0.47, 0.52, 0.06), box(-0.39, 0.44, -0.05, 0.39, 0.52, 0.06), box(-0.39, -0.5, -0.05, 0.39, -0.43, 0.06),
        box(-0.02, -0.43, -0.04, 0.02, 0.44, 0.045), box(-0.39, 0.1, -0.04, 0.39, 0.14, 0.04))
    add("stone_light", soft_box(-0.55, -0.6, -0.05, 0.55, -0.5, 0.16, 0.015))
    if shutters:
        for d in (-1, 1):
            add(trim, box(d * 0.7 - 0.2, -0.5, 0.02, d * 0.7 + 0.2, 0.52, 0.06), *(box(d * 0.7 - 0.15, y, 0.055, d * 0.7 + 0.15, y + 0.36, 0.08) for y in (-0.43, 0.07)))


def _door(model, name, trim, front):
    model.add(name, trim, *(front(box(-0.45 + 0.225 * k, 0.25, -0.05, -0.45 + 0.225 * k + 0.215, 2.0, 0.04)) for k in range(4)))
    model.add(name, "timber", front(box(-0.57, 0.25, -0.05, -0.45, 2.14, 0.09)), front(box(0.45, 0.25, -0.05, 0.57, 2.14, 0.09)), front(box(-0.45, 2.0, -0.05, 0.45, 2.14, 0.09)))
    model.add(name, "iron", front(ball(0.035, 0.035, 0.03, 5, 8).moved(0.34, 1.1, 0.07)))
    for k in range(2):
        model.add(name, "flagstone", front(soft_box(-0.75 - 0.12 * k, -0.2, -0.02, 0.75 + 0.12 * k, 0.26 - 0.14 * k, 0.4 + 0.32 * k, 0.03)))


def _roof(model, name, roof, place, draw, wide, run, pitch, ridge, courses=9):
    """Two slopes in courses of long tiles, each lapping over the one below, on rafters that show at the eaves."""
    slope = math.radians(pitch)
    for d in (-1, 1):
        lay = lambda s, d=d: place(s.mapped(lambda a, b, c: (
            a * d, ridge - (run - c) * math.sin(slope) + b * math.cos(slope), d * ((run - c) * math.cos(slope) + b * math.sin(slope)))))
        model.add(name + "_roof", "wood_dark", lay(box(-wide / 2 + 0.03, -0.06, 0.02, wide / 2 - 0.03, 0.0, run)))
        model.add(name + "_roof", "timber", *(lay(box(x - 0.05, -0.17, 0.0, x + 0.05, -0.05, 0.6)) for x in (wide * (k / 8 - 0.5) * 0.97 for k in range(9))))
        model.add(name + "_roof", "frame", *(lay(box(x - 0.03, -0.2, -0.03, x + 0.03, 0.01, run + 0.04)) for x in (-wide / 2, wide / 2)))
        pitch_c = (run + 0.06) / courses
        for k in range(courses):
            a, c0 = -wide / 2, -0.06 + k * pitch_c
            top = min(c0 + 1.5 * pitch_c, run + 0.005)
            while a < wide / 2 - 1e-6:
                w = 0.8 + 0.7 * draw.random()
                w = wide / 2 - a if wide / 2 - a - w < 0.5 else w
                lift, drop = 0.008 * draw.random(), 0.02 * draw.random()
                lower = [(p, q, c0 - drop) for p, q in ((a + 0.004, 0.012), (a + w - 0.004, 0.012), (a + w - 0.004, 0.062 + lift), (a + 0.004, 0.062 + lift))]
                upper = [(p, q, top) for p, q in ((a + 0.004, 0.002), (a + w - 0.004, 0.002), (a + w - 0.004, 0.022 + lift), (a + 0.004, 0.022 + lift))]
                model.add(name + "_roof", roof, lay(loft([lower, upper])))
                a += w
    half, drop = 0.2, math.tan(slope)
    cap = [(half * c, 0.13 - abs(half * c) * drop) for c in (-1, -0.5, 0, 0.5, 1)] + [(half * c, 0.06 - abs(half * c) * drop) for c in (1, 0, -1)]
    model.add(name + "_roof", roof, place(loft([[(x, ridge + y - 0.02, z) for z, y in cap] for x in (-wide / 2, wide / 2)])))


def _chimney(model, name, place, x, ridge, draw):
    top = ridge + 0.95
    for k in range(9):
        y = ridge - 0.75 + 0.19 * k
        half = 0.29 + 0.008 * draw.random()
        model.add(name, "brick" if k % 2 else "brick_dark", place(soft_box(x - half, y, -half - 0.06, x + half, y + 0.188, half + 0.06, 0.012)))
    model.add(name, "stone", place(soft_box(x - 0.38, top, -0.44, x + 0.38, top + 0.1, 0.44, 0.025)))
    pot = [(0.0, 0), (0.12, 0), (0.1, 0.06), (0.09, 0.3), (0.115, 0.33), (0.115, 0.38), (0.07, 0.38), (0.07, 0.12), (0.0, 0.12)]
    model.add(name, "terracotta", *(place(lathe(pot, 12).moved(x, top + 0.09, z)) for z in (-0.2, 0.2)))


def _shed(model, name, place, deep):
    """A lean-to on posts with stacked logs below: its ground stays dry."""
    for z in (-0.45 * deep, 0.0, 0.45 * deep):
        model.add(name, "wood", place(box(1.52, -0.4, z - 0.07, 1.66, 1.72, z + 0.07)))
    model.add(name, "wood", place(beam((1.59, 1.75, -0.5 * deep), (1.59, 1.75, 0.5 * deep), 0.12, 0.12)))
    for k in range(7):
        z = -0.54 * deep + 1.08 * deep * k / 7
        model.add(name, "wood_grey", place(loft([[(-0.05, 2.42, p), (-0.05, 2.48, p), (1.95, 1.83, p), (1.95, 1.77, p)] for p in (z + 0.006, z + 1.08 * deep / 7 - 0.006)])))
    draw = random.Random(631)
    for row in range(5):
        for k in range(8 - row % 2):
            r = 0.11 + 0.015 * draw.random()
            log = lathe([(0.0, -0.5), (r, -0.5), (r, 0.5), (0.0, 0.5)], 8).turned("z", 90).moved(0.65, 0.08 + 0.2 * row, -0.4 * deep + 0.26 * k + 0.13 * (row % 2))
            model.add(name, "wood_light" if draw.random() < 0.2 else "bark", place(log))


def _chapel(model, x, z):
    """A nave and a tower with a spire steep enough to stay bare."""
    place = _placed(x, z, 0)
    wide, deep, eave, pitch = 5.4, 3.6, 3.1, 37
    rise = math.tan(math.radians(pitch)) * deep / 2
    gable = [(-deep / 2, -0.3), (deep / 2, -0.3), (deep / 2, eave), (0.0, eave + rise), (-deep / 2, eave)]
    model.add("chapel", "plaster_white", place(prism(gable, -wide / 2, wide / 2).turned("y", 90)))
    model.add("chapel", "stone", place(soft_box(-wide / 2 - 0.08, -0.3, -deep / 2 - 0.08, wide / 2 + 0.08, 0.4, deep / 2 + 0.08, 0.05)))
    for px in (-1.7, -0.55, 0.6, 1.75):
        arch = [(0.28 * math.cos(a), 1.9 + 0.28 * math.sin(a)) for a in (math.pi * k / 6 for k in range(7))]
        for grow, material, z0, z1 in ((1.0, "glass", -0.05, 0.03), (1.3, "stone_light", -0.05, 0.015)):
            outline = [(px + p * grow, 1.5 + (q - 1.5) * (1 + 0.5 * (grow - 1))) for p, q in [(-0.28, 0.95), (0.28, 0.95)] + arch]
            model.add("chapel", material, place(prism(outline, deep / 2 + z0, deep / 2 + z1)))
        model.add("chapel", "stone_light", place(soft_box(px - 0.4, 0.78, deep / 2 - 0.05, px + 0.4, 0.88, deep / 2 + 0.14, 0.02)))
    for px in (-1.12, 0.03, 1.18):
        model.add("chapel", "stone", place(loft([[(px - 0.13, y, deep / 2 - 0.1), (px + 0.13, y, deep / 2 - 0.1), (px + 0.13, y, deep / 2 + out), (px - 0.13, y, deep / 2 + out)] for y, out in ((-0.2, 0.42), (1.6, 0.36), (2.5, 0.05))])))
    _roof(model, "chapel", "slate", place, random.Random(641), wide + 0.5, deep / 2 / math.cos(math.radians(pitch)) + 0.35, pitch, eave + rise + 0.1, 10)
    tower = lambda s: place(s.moved(x=-wide / 2 - 0.9))
    model.add("tower", "plaster_white", tower(box(-1.05, -0.4, -1.05, 1.05, 5.6, 1.05)))
    for y in (0.0, 2.9, 5.5):
        model.add("tower", "stone_light", tower(soft_box(-1.16, y - 0.1, -1.16, 1.16, y + 0.14, 1.16, 0.04)))
    for turn in (0, 90, 180, 270):
        face = lambda s, turn=turn: tower(s.turned("y", turn))
        model.add("tower", "timber", face(prism([(-0.3, 4.0), (0.3, 4.0), (0.3, 4.8), (0.15, 5.02), (-0.15, 5.02), (-0.3, 4.8)], 1.0, 1.07)))
        model.add("tower", "wood_grey", *(face(beam((-0.26, 4.1 + 0.14 * k, 1.07), (0.26, 4.1 + 0.14 * k, 1.07), 0.06, 0.02, (0, 1, 0.8))) for k in range(5)))
    model.add("tower", "porcelain", tower(lathe([(0.0, 0.0), (0.42, 0.0), (0.42, 0.05), (0.0, 0.05)], 24).turned("x", 90).moved(0, 3.45, 1.04)))
    model.add("tower", "iron", tower(box(-0.015, 3.43, 1.09, 0.015, 3.78, 1.11)), tower(box(-0.015, 3.43, 1.09, 0.24, 3.46, 1.11)))
    model.add("spire", "slate_dark", tower(loft([[(-r, y, -r), (r, y, -r), (r, y, r), (-r, y, r)] for r, y in ((1.3, 5.6), (1.3, 5.66), (0.95, 6.1), (0.5, 7.4))] + [[(0.0, 9.1, 0.0)]])))
    model.add("spire", "brass", tower(ball(0.1, 0.1, 0.1, 8, 12).moved(0, 9.12, 0)), tower(box(-0.02, 9.15, -0.02, 0.02, 9.75, 0.02)), tower(box(-0.19, 9.46, -0.02, 0.19, 9.5, 0.02)))
    model.add("chapel", "door", tower(box(-0.5, -0.1, 1.0, 0.5, 1.7, 1.1)))
    model.add("chapel", "stone_light", tower(soft_box(-0.68, -0.2, 1.0, -0.5, 1.8, 1.18, 0.02)), tower(soft_box(0.5, -0.2, 1.0, 0.68, 1.8, 1.18, 0.02)), tower(soft_box(-0.76, 1.8, 0.9, 0.76, 1.98, 1.26, 0.03)))


def _well(model, x, z):
    """A well on the green: a ring of stones, a windlass, a roof on two posts."""
    place, draw = _placed(x, z, 15), random.Random(651)
    for row in range(4):
        for k in range(12):
            a = 2 * math.pi * (k + 0.5 * (row % 2)) / 12
            stone = soft_box(-0.2, 0.0, -0.13, 0.2, 0.215, 0.13, 0.045).rough(0.008, draw.randrange(1 << 30))
            model.add("well", draw.choice(("stone", "stone_dark", "stone_light")), place(stone.turned("y", 90 - math.degrees(a)).moved(0.78 * math.cos(a), -0.15 + 0.22 * row, 0.78 * math.sin(a))))
    for d in (-1, 1):
        model.add("well", "wood", place(box(d * 0.8 - 0.07, 0.6, -0.08, d * 0.8 + 0.07, 2.15, 0.08)))
    model.add("well", "wood_dark", place(tube([(-0.95, 1.3, 0), (0.95, 1.3, 0)], 0.07, 10)))
    model.add("well", "iron", place(tube([(0.95, 1.3, 0), (1.05, 1.3, 0), (1.05, 1.02, 0.06), (1.22, 1.02, 0.06)], 0.02, 6)), place(tube([(0, 1.3, 0.07), (0, 0.95, 0.07)], 0.012, 5)))
    model.add("well", "wood", place(lathe([(0.0, 0.0), (0.12, 0.0), (0.15, 0.26), (0.13, 0.26), (0.105, 0.03), (0.0, 0.03)], 14).moved(0, 0.68, 0.07)))
    _roof(model, "well", "wood_grey", place, draw, 2.1, 0.98, 36, 2.62, 4)


def _stall(model, x, z):
    """A market stall: a roof on posts over a table with crates; no flake falls straight on it."""
    place = _placed(x, z, 28)
    for px in (-1.1, 1.1):
        for pz, top in ((-0.7, 2.25), (0.7, 1.95)):
            model.add("stall", "wood", place(box(px - 0.05, -0.4, pz - 0.05, px + 0.05, top, pz + 0.05)))
    for k in range(8):
        px = -1.4 + 0.35 * k
        model.add("stall", "cloth_red" if k % 2 else "cloth_cream", place(loft([[(p, 2.3, -0.95), (p, 2.34, -0.95), (p, 1.91, 1.1), (p, 1.87, 1.1)] for p in (px, px + 0.35)])))
    model.add("stall", "wood", place(soft_box(-1.05, 0.78, -0.35, 1.05, 0.84, 0.45, 0.01)))
    for px in (-0.95, 0.95):
        model.add("stall", "wood", place(box(px - 0.04, -0.3, -0.3, px + 0.04, 0.78, 0.4)))
    draw = random.Random(661)
    for k in range(3):
        px = -0.65 + 0.65 * k
        model.add("stall", "wood_light", place(box(px - 0.26, 0.84, -0.2, px + 0.26, 0.96, 0.3)))
        model.add("stall", ("cap_red", "cushion", "foliage_light")[k], *(place(ball(0.055, 0.055, 0.055, 5, 8).moved(px - 0.19 + 0.095 * (i % 5), 0.99 + 0.01 * draw.random(), -0.12 + 0.11 * (i // 5))) for i in range(20)))


def _lane(model):
    """Low walls of field stones along the lane, with gaps at the green."""
    draw = random.Random(671)
    for d in (-1, 1):
        z = 9.0
        while z > -3.4:
            step = 0.42 + 0.1 * draw.random()
            x = lane(z) + d * 1.55
            if not -1.0 < z < 4.2 and not (d < 0 and 4.2 < z < 6.6):
                turn = math.degrees(math.atan2(lane(z - 0.5) - lane(z), -0.5))
                for row in range(3):
                    stone = soft_box(-0.17, -0.1 + 0.19 * row, -step / 2 - 0.03, 0.17, 0.095 + 0.19 * row, step / 2 + 0.03, 0.045).rough(0.012, draw.randrange(1 << 30))
                    model.add("lane_wall", draw.choice(("stone", "stone_dark", "flagstone")), stone.turned("y", turn).moved(x + 0.03 * draw.random(), height(x, z), z - 0.1 * row % 0.2))
            z -= step


def _fences(model):
    for x0, z0, x1, z1 in ((-10.6, 6.2, -7.9, 7.0), (-7.9, 7.0, -5.2, 7.4), (5.0, 6.3, 7.7, 5.9), (7.7, 5.9, 10.3, 5.2), (-11.0, -1.6, -8.4, -0.9), (-8.4, -0.9, -5.9, -1.3), (6.9, -2.2, 9.4, -2.6)):
        garden.fence(model, random.Random(int(100 * x0)), height, x0, z0, x1, z1)
        garden.post(model, height, x1, z1)


def _bare_tree(model, x, z):
    """A leafless tree whose boughs carry ridges of snow."""
    draw = random.Random(681)
    y = height(x, z)

    def bough(start, along, length, radius, depth):
        bend = [0.25 * (draw.random() - 0.5) for _ in range(2)]
        path, radii = [], []
        for k in range(4):
            s = k / 3
            path.append((start[0] + length * s * (along[0] + bend[0] * s), start[1] + length * s * along[1] + 0.08 * length * s * s, start[2] + length * s * (along[2] + bend[1] * s)))
            radii.append(radius * (1 - 0.55 * s))
        model.add("tree", "bark", tube(path, radii, 7 if depth < 2 else 5))
        if depth == 4:
            return
        for k in range(3 if depth < 2 else 2):
            a, up = 2 * math.pi * (k / 3 + draw.random() * 0.4 + 0.37 * depth), 0.35 + 0.45 * draw.random()
            tip = path[-1] if k < 2 else path[2]
            out = [0.55 * along[0] + 0.75 * math.cos(a), up, 0.55 * along[2] + 0.75 * math.sin(a)]
            size = math.sqrt(sum(c * c for c in out))
            bough(tip, [c / size for c in out], length * 0.66, radii[-1] * 0.95, depth + 1)

    bough((x, y - 0.2, z), (0.05, 1.0, -0.03), 1.7, 0.17, 0)


def _bench(model, x, z, turn):
    place = _placed(x, z, turn)
    model.add("bench", "wood", *(place(soft_box(-0.7, 0.42, -0.2 + 0.14 * k, 0.7, 0.47, -0.2 + 0.14 * k + 0.115, 0.01)) for k in range(3)), *(place(soft_box(-0.7, 0.6 + 0.16 * k, -0.28, 0.7, 0.71 + 0.16 * k, -0.24, 0.01)) for k in range(2)))
    for d in (-0.5, 0.5):
        model.add("bench", "iron", place(box(d - 0.03, -0.2, -0.24, d + 0.03, 0.88, -0.19)), place(box(d - 0.03, -0.2, 0.14, d + 0.03, 0.42, 0.19)), place(box(d - 0.03, 0.36, -0.2, d + 0.03, 0.42, 0.16)))


def _sledge(model, x, z, turn):
    place = _placed(x, z, turn)
    for d in (-0.24, 0.24):
        model.add("sledge", "cap_red", place(tube([(-0.6, 0.03, d), (0.45, 0.03, d), (0.66, 0.1, d), (0.72, 0.24, d), (0.64, 0.33, d)], 0.022, 7)))
        model.add("sledge", "wood", *(place(box(px - 0.025, 0.02, d - 0.02, px + 0.025, 0.27, d + 0.02)) for px in (-0.4, 0.1, 0.45)))
    model.add("sledge", "wood_light", *(place(box(-0.55, 0.27, -0.27 + 0.115 * k, 0.6, 0.3, -0.27 + 0.115 * k + 0.085)) for k in range(5)))
