"""The garden round the cottage: ground, path, fence, conifers, cart, barrel, logs, bench, lantern."""

import math
import random

from .shapes import ball, beam, box, ground, lathe, loft, prism, ring, soft_box, tube


def height(x, z):
    """Height of the lawn [m]: rolling, but level round the house and along the path."""
    roll = 0.13 * math.sin(0.55 * x + 0.8) * math.cos(0.5 * z - 0.3) + 0.06 * math.sin(1.3 * x + 0.9 * z) + 0.03 * math.sin(2.1 * z - 1.7 * x)
    away = max(abs(x) - 2.6, abs(z + 1.0) - 2.3, 0.0)
    path = max(abs(x) - 0.8, 0.0) if z > 0 else away
    return roll * min(1.0, away / 1.2) * min(1.0, 0.25 + path / 1.2)


def add_ground(model):
    model.add("ground", "grass", ground(-8.0, 8.0, -7.0, 7.0, 44, 38, lambda x, z: _bank(x, z, height(x, z)), -0.5))
    draw = random.Random(21)
    for k in range(9):
        for x in (-0.38, 0.36):
            z, w, d = 2.15 + 0.44 * k + 0.06 * draw.random(), 0.3 + 0.05 * draw.random(), 0.185 + 0.02 * draw.random()
            outline = []
            for i in range(7):
                a = 2 * math.pi * (i + 0.25 * draw.random()) / 7
                outline.append((w * math.cos(a), d * 1.05 * math.sin(a)))
            y = height(x, z)
            stone = loft([[(p * s, h, q * s) for p, q in outline] for s, h in ((1.0, y - 0.1), (1.0, y + 0.03), (0.9, y + 0.05))])
            model.add("path", draw.choice(("flagstone", "flagstone", "stone")), stone.moved(x + 0.06 * (draw.random() - 0.5), 0, z))


def _bank(x, z, y):
    """The lawn's height `y`, let down in the outermost metre: a bank takes snow where a cut edge would stay bare."""
    out = min(1.0, max(abs(x) - 7.0, abs(z) - 6.0, 0.0))
    share = out * out * (3 - 2 * out)
    return y * (1 - share) - 0.48 * share


def add_all(model):
    _fences(model)
    for x, z, tall, tiers, seed in ((4.7, -0.6, 3.7, 12, 31), (5.6, -3.6, 2.7, 9, 32), (-4.9, -3.3, 3.2, 10, 33)):
        conifer(model, x, height(x, z), z, tall, tiers, seed)
    _cart(model)
    barrel(model, -3.0, height(-3.0, 1.35), 1.35)
    _logs(model)
    _bench(model)
    for x, z, size, seed in ((3.35, 2.2, 0.42, 41), (-2.2, 1.75, 0.27, 42)):
        bush(model, x, height(x, z), z, size, seed)
    lantern(model, 1.25, height(1.25, 4.6), 4.6)
    _block(model)


def _fences(model):
    draw = random.Random(51)
    z = 5.45
    for x0, z0, x1, z1 in ((-6.4, z, -3.75, z), (-3.75, z, -0.9, z), (0.9, z, 3.65, z), (3.65, z, 6.4, z), (6.4, z, 6.4, 2.7), (6.4, 2.7, 6.4, -0.1),
                           (6.4, -0.1, 6.4, -2.9), (6.4, -2.9, 6.4, -5.5), (-6.4, 2.7, -6.4, z), (-6.4, -0.1, -6.4, 2.7)):
        fence(model, draw, height, x0, z0, x1, z1)
    for x, s in ((-0.9, z), (0.9, z), (6.4, -5.5), (-6.4, -0.1), (-6.4, z), (6.4, z)):
        post(model, height, x, s)
    # The gate stands open towards the house.
    swing = lambda s: s.turned("y", 62).moved(-0.82, height(0, z), z)
    model.add("gate", "wood_grey", *(swing(_picket(0.08 + 0.14 * k, 0.78 + 0.16 * math.sin(math.pi * k / 11), 0.08)) for k in range(12)))
    model.add("gate", "wood_grey", swing(beam((0.0, 0.25, -0.04), (1.66, 0.25, -0.04), 0.045, 0.07)), swing(beam((0.0, 0.65, -0.04), (1.66, 0.65, -0.04), 0.045, 0.07)),
              swing(beam((0.05, 0.27, -0.04), (1.6, 0.63, -0.04), 0.04, 0.06)))


def _picket(x, top, low):
    return prism([(x - 0.04, low), (x + 0.04, low), (x + 0.04, top - 0.06), (x, top), (x - 0.04, top - 0.06)], -0.02, 0.022)


def post(model, height, x, z):
    """A fence post with a pointed cap, on ground of `height(x, z)`."""
    y = height(x, z)
    model.add("fence", "wood_grey", loft([[(-r, h, -r), (r, h, -r), (r, h, r), (-r, h, r)] for r, h in ((0.07, -0.2), (0.07, 0.98))] ).moved(x, y, z),
              loft([[(-r, h, -r), (r, h, -r), (r, h, r), (-r, h, r)] for r, h in ((0.095, 0.97), (0.095, 1.01))] + [[(0.0, 1.1, 0.0)]]).moved(x, y, z))


def fence(model, draw, height, x0, z0, x1, z1):
    """A post and then pickets on two rails, up to (x1, z1)."""
    length = math.hypot(x1 - x0, z1 - z0)
    post(model, height, x0, z0)
    at = lambda s: (x0 + (x1 - x0) * s / length, z0 + (z1 - z0) * s / length)
    turn = -math.degrees(math.atan2(z1 - z0, x1 - x0))
    n = round(length / 0.172)
    for k in range(1, n):
        x, z = at(length * k / n)
        top = 0.80 + 0.03 * (draw.random() - 0.5)
        picket = _picket(0.0, top, 0.06).turned("z", 2.4 * (draw.random() - 0.5)).turned("y", turn)
        model.add("fence", "wood_grey", picket.moved(x, height(x, z), z))
    pieces = 3
    for h in (0.24, 0.6):
        for k in range(pieces):
            (xa, za), (xb, zb) = at(length * k / pieces), at(length * (k + 1) / pieces)
            bar = beam((xa, height(xa, za) + h, za), (xb, height(xb, zb) + h, zb), 0.045, 0.07)
            inside = (-0.04 * (z1 - z0) / length, 0.04 * (x1 - x0) / length) if x0 < 0 and z0 != z1 else (0.04 * (z1 - z0) / length, -0.04 * (x1 - x0) / length)
            model.add("fence", "wood_grey", bar.moved(inside[0], 0, inside[1]))


def conifer(model, x, y, z, tall, tiers, seed):
    """A trunk and tiers of drooping fronds, longer and lower towards the foot."""
    draw = random.Random(seed)
    model.add("conifers", "bark", tube([(x, y - 0.2, z), (x, y + 0.1, z), (x, y + tall * 0.5, z), (x, y + tall * 0.97, z)], [0.14, 0.11, 0.07, 0.012], 8))
    for k in range(tiers):
        f = k / (tiers - 1)
        reach = tall * 0.31 * (1 - f) ** 0.9 + 0.12
        count = max(5, round(13 - 8 * f))
        base = y + 0.38 + (tall - 0.62) * f
        for i in range(count):
            a = 2 * math.pi * (i + 0.5 * (k % 2) + 0.3 * (draw.random() - 0.5)) / count
            r = reach * (0.85 + 0.3 * draw.random())
            shade = "foliage_dark" if draw.random() < 0.4 else "foliage"
            frond = _frond(r, 2.9 * reach / count + 0.05, draw, f).turned("y", math.degrees(a))
            model.add("conifers", shade, frond.moved(x, base + 0.06 * (draw.random() - 0.5), z))
    model.add("conifers", "foliage", lathe([(0.0, 0.0), (0.1, 0.05), (0.05, 0.2), (0.055, 0.22), (0.0, 0.42)], 7).moved(x, y + tall - 0.3, z))


def _frond(reach, width, draw, f):
    """A branch along +x: ridged above, with ragged sides, sagging and lifting again at its tip."""
    rings = []
    stations = 5
    for k in range(stations):
        s = k / (stations - 1)
        sag = -reach * (0.62 - 0.25 * f) * s + 0.22 * reach * s * s * s
        px = reach * s
        if k == stations - 1:
            rings.append([(px, sag, 0.02 * (draw.random() - 0.5))])
            break
        w = width * (0.35 + 1.1 * s * (1.15 - s)) * (1.18 if k % 2 else 0.74) * (0.9 + 0.2 * draw.random())
        t = 0.05 * (1 - 0.5 * s) + 0.02
        rings.append([(px, sag + t, 0.0), (px + 0.05 * (k % 2), sag - 0.3 * w, w), (px, sag - 0.6 * t, 0.0), (px + 0.05 * (k % 2), sag - 0.3 * w, -w)])
    return loft(rings)


def _cart(model):
    x, z = 3.0, 3.55
    y = height(x, z)
    place = lambda s: s.turned("y", 24).moved(x, y, z)
    cart(model, place)
    _pumpkins(model, place)


def cart(model, place):
    """A hand cart, its axle along z at the origin, put where it stands by `place`."""
    for d in (-1, 1):
        for solid, material in wheel_parts():
            model.add("cart", material, place(solid.turned("z", 90).turned("y", 90).moved(0, 0.37, 0.44 * d)))
    model.add("cart", "iron", place(tube([(0, 0.37, -0.5), (0, 0.37, 0.5)], 0.022, 8)))
    model.add("cart", "wood_dark", *(place(beam((-0.62, 0.45, 0.24 * d), (1.5, 0.42, 0.27 * d), 0.055, 0.06)) for d in (-1, 1)))
    floor = [place(box(-0.6 + 0.151 * k, 0.48, -0.34, -0.6 + 0.151 * k + 0.143, 0.52, 0.34)) for k in range(8)]
    model.add("cart", "wood", *floor)
    for d in (-1, 1):
        lean = lambda s, d=d: place(s.turned("x", 9 * d).moved(0, 0.5, 0.35 * d))
        model.add("cart", "wood", *(lean(box(-0.62, 0.02 + 0.115 * k, -0.02, 0.62, 0.125 + 0.115 * k, 0.022)) for k in range(3)),
                  *(lean(box(px - 0.03, -0.05, -0.05, px + 0.03, 0.4, -0.02) if d < 0 else box(px - 0.03, -0.05, 0.022, px + 0.03, 0.4, 0.052)) for px in (-0.5, 0.0, 0.5)))
    for px in (-0.61, 0.61):
        model.add("cart", "wood", *(place(box(px - 0.021, 0.53 + 0.12 * k, -0.34, px + 0.021, 0.64 + 0.12 * k, 0.34)) for k in range(2)))
    model.add("cart", "wood_dark", place(tube([(1.4, 0.425, -0.3), (1.4, 0.425, 0.3)], 0.022, 8)), place(beam((1.15, 0.0, 0.0), (1.15, 0.43, 0.0), 0.05, 0.05, (1, 0, 0))),
              place(beam((1.15, 0.42, -0.28), (1.15, 0.42, 0.28), 0.05, 0.05)))


def wheel_parts():
    """A wheel about the y axis: tyre, rim, hub, ten spokes, each with its material."""
    parts = [(ring(0.362, 0.018, 6, 28), "iron"), (_felloe(0.29, 0.36, 0.05, 28), "wood_dark"),
             (lathe([(0.0, -0.09), (0.045, -0.09), (0.07, -0.03), (0.07, 0.03), (0.045, 0.09), (0.0, 0.09)], 12), "wood_dark")]
    for k in range(10):
        a = 2 * math.pi * k / 10
        parts.append((tube([(0.05 * math.cos(a), 0, 0.05 * math.sin(a)), (0.3 * math.cos(a), 0, 0.3 * math.sin(a))], 0.018, 6), "wood"))
    return parts


def _pumpkins(model, place):
    draw = random.Random(61)
    for k in range(9):
        s = 0.11 + 0.03 * draw.random()
        pumpkin = ball(s, 0.78 * s, s, 6, 10, lambda w, _: 1 + 0.06 * math.cos(5 * w))
        px, pz = -0.4 + 0.27 * (k % 4), -0.17 + 0.17 * (k % 3)
        py = 0.52 + 0.75 * s + (0.02 if k < 8 else 0.16)
        model.add("pumpkins", "cushion", place(pumpkin.moved(px, py, pz)))
        model.add("pumpkins", "bark", place(tube([(px, py + 0.6 * s, pz), (px + 0.01, py + 0.95 * s, pz), (px + 0.04, py + 1.15 * s, pz)], [0.018, 0.014, 0.012], 5)))


def _felloe(inner, outer, width, sides):
    """The wooden rim of a wheel about the y axis: a ring of rectangular section."""
    rings = []
    for k in range(sides):
        a = 2 * math.pi * k / sides
        c, s = math.cos(a), math.sin(a)
        rings.append([(r * c, h, r * s) for r, h in ((inner, -width / 2), (outer, -width / 2), (outer, width / 2), (inner, width / 2))])
    return loft(rings, loop=True)


def barrel(model, x, y, z):
    """A barrel of staves with four hoops."""
    belly = lambda h: 0.27 + 0.07 * math.sin(math.pi * h / 0.85)
    stave = lambda w, k: 1.0 if k < 1 else 1.0 - 0.012 * (1 + math.cos(18 * w)) / 2
    profile = [(0.0, 0.0)] + [(belly(0.85 * k / 8), 0.85 * k / 8) for k in range(9)] + [(0.24, 0.85), (0.24, 0.76), (0.0, 0.76)]
    model.add("barrel", "wood", lathe(profile, 36, stave).moved(x, y, z))
    for h in (0.07, 0.25, 0.6, 0.78):
        r = belly(h)
        model.add("barrel", "iron", _felloe(r - 0.01, r + 0.012, 0.045, 36).moved(x, y + h, z))


def _logs(model):
    draw = random.Random(71)
    x, z = -3.6, -0.7
    for row, count in enumerate((5, 4, 3, 2)):
        for k in range(count):
            r = 0.15 + 0.02 * (draw.random() - 0.5)
            px = x + 0.31 * (k - (count - 1) / 2)
            py = height(x, z) + 0.14 + 0.268 * row
            length = 1.5 + 0.12 * draw.random()
            phase = 6 * draw.random()
            knobbly = lambda w, _, phase=phase: 1 + 0.04 * math.sin(3 * w + phase) + 0.03 * math.sin(5 * w + 2 * phase)
            log = lathe([(0.0, -length / 2), (r, -length / 2), (r * 1.03, 0.0), (r, length / 2), (0.0, length / 2)], 11, knobbly)
            ends = [lathe([(0.0, h - 0.012), (0.82 * r, h - 0.012), (0.82 * r, h + 0.012), (0.0, h + 0.012)], 11, knobbly) for h in (-length / 2, length / 2)]
            spot = lambda s, px=px, py=py: s.turned("x", 90).moved(px, py, z)
            model.add("logs", "bark", spot(log))
            model.add("logs", "wood_light", *(spot(e) for e in ends))
    for d in (-1, 1):
        model.add("logs", "wood_dark", beam((x + 0.84 * d, 0.0, z - 0.5), (x + 0.84 * d, 0.75, z - 0.5), 0.06, 0.06, (1, 0, 0)),
                  beam((x + 0.84 * d, 0.0, z + 0.5), (x + 0.84 * d, 0.75, z + 0.5), 0.06, 0.06, (1, 0, 0)))


def _bench(model):
    x, z = -2.9, 3.3
    y = height(x, z)
    place = lambda s: s.turned("y", 30).moved(x, y, z)
    model.add("bench", "wood", *(place(soft_box(-0.65, 0.42, -0.2 + 0.135 * k, 0.65, 0.47, -0.2 + 0.135 * k + 0.115, 0.01)) for k in range(3)),
              *(place(soft_box(-0.65, 0.58 + 0.15 * k, -0.27 - 0.03 * k, 0.65, 0.68 + 0.15 * k, -0.22 - 0.03 * k, 0.012)) for k in range(2)))
    for d in (-1, 1):
        px = 0.52 * d
        model.add("bench", "wood_dark", place(beam((px, -0.1, -0.2), (px, 0.86, -0.33), 0.07, 0.06, (1, 0, 0))), place(beam((px, -0.1, 0.17), (px, 0.42, 0.15), 0.07, 0.06, (1, 0, 0))),
                  place(box(px - 0.035, 0.36, -0.24, px + 0.035, 0.42, 0.19)), place(beam((px, 0.63, -0.28), (px, 0.6, 0.18), 0.07, 0.05)),
                  place(beam((px, 0.42, 0.15), (px, 0.6, 0.15), 0.055, 0.05, (1, 0, 0))))


def bush(model, x, y, z, size, seed):
    """Nine lumps of leaves in a heap."""
    draw = random.Random(seed)
    for k in range(9):
        a, r = 2.4 * k, size * (0.2 + 0.75 * (k / 9) ** 0.5)
        s = size * (0.55 + 0.25 * draw.random())
        p = 6 * draw.random()
        lump = ball(s, s * 0.85, s, 8, 11, lambda w, row, p=p: 1 + 0.10 * math.sin(4 * w + 2.1 * row + p) + 0.05 * math.sin(7 * w - 3 * row))
        model.add("bushes", ("foliage", "foliage_light", "foliage")[k % 3],
                  lump.rough(0.012, seed + k).moved(x + r * math.cos(a), y + s * 0.55 + size * 0.9 * (1 - k / 9), z + r * math.sin(a)))


def lantern(model, x, y, z):
    """A street lantern on an iron post."""
    at = lambda s: s.moved(x, y, z)
    model.add("lantern", "iron", at(lathe([(0.0, -0.1), (0.13, -0.1), (0.13, 0.06), (0.075, 0.12), (0.055, 0.3), (0.05, 0.33), (0.038, 1.75), (0.055, 1.8), (0.038, 1.86), (0.0, 1.86)], 12)),
              at(lathe([(0.0, 1.84), (0.14, 1.9), (0.15, 1.93), (0.0, 1.93)], 6)), at(lathe([(0.0, 2.23), (0.19, 2.23), (0.2, 2.26), (0.06, 2.4), (0.05, 2.44), (0.0, 2.5)], 6)))
    model.add("lantern", "glow", at(lathe([(0.0, 1.93), (0.1, 1.93), (0.14, 2.23), (0.0, 2.23)], 6)))
    for k in range(6):
        c, s = math.cos(math.pi / 3 * k), math.sin(math.pi / 3 * k)
        model.add("lantern", "iron", at(tube([(0.11 * c, 1.92, 0.11 * s), (0.15 * c, 2.24, 0.15 * s)], 0.014, 5)))


def _block(model):
    """A chopping block with an axe in it."""
    x, z = -4.6, 1.5
    y = height(x, z)
    knobbly = lambda w, _: 1 + 0.04 * math.sin(3 * w) + 0.03 * math.sin(7 * w)
    model.add("block", "bark", lathe([(0.0, -0.1), (0.3, -0.1), (0.25, 0.1), (0.24, 0.42), (0.0, 0.42)], 18, knobbly).moved(x, y, z))
    model.add("block", "wood_light", lathe([(0.0, 0.41), (0.21, 0.41), (0.21, 0.435), (0.0, 0.435)], 18, knobbly).moved(x, y, z))
    place = lambda s: s.turned("z", 28).turned("y", -35).moved(x, y + 0.43, z)
    head = loft([[(-0.09, h, -t), (-0.09, h, t), (0.12 - 0.05 * (h > 0.1), h, t), (0.12 - 0.05 * (h > 0.1), h, -t)] for h, t in ((-0.05, 0.004), (0.14, 0.024), (0.2, 0.024))])
    model.add("block", "steel", place(head))
    model.add("block", "wood_light", place(tube([(-0.09, 0.17, 0), (0.2, 0.18, 0), (0.45, 0.16, 0), (0.7, 0.19, 0)], [0.022, 0.02, 0.02, 0.026], 8)))
