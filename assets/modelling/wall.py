"""A garden wall of field stones with a garden gnome before it, for thrown mud.

The wall stands at z = 0 (x -2.6..2.6); the gnome on its plinth at x -0.45, z 1.05; mud comes from +z.
"""

import math
import random

from . import gnome
from .model import Model
from .shapes import ball, beam, box, ground, lathe, loft, prism, ring, soft_box, tube

X, THICK, TALL = 2.6, 0.17, 1.45  # half length, half thickness, height under the coping [m]
GATE0, GATE1 = 1.15, 2.05  # the gate's opening [m]


def build():
    model = Model("wall", "A garden wall and a garden gnome, for mud")
    model.add("ground", "grass", ground(-3.6, 3.6, -1.6, 3.4, 36, 25, height, -0.35))
    _stones(model)
    _gate(model)
    _flags(model)
    gnome.add(model, -0.45, height(-0.45, 1.05) + 0.34, 1.05)
    _plinth(model, -0.45, 1.05)
    _barrow(model, -1.85, 1.1)
    _bucket(model, 0.55, 1.5)
    _pots(model)
    return model


def height(x, z):
    """Height of the ground [m]: gently rolling, level under the wall."""
    roll = 0.05 * math.sin(1.1 * x + 0.4) * math.cos(0.9 * z) + 0.025 * math.sin(2.7 * x - 1.9 * z)
    return roll * min(1.0, max(abs(z) - 0.15, 0.0) / 0.5)


def _stones(model):
    """Courses of unlike height, stones of unlike width with rounded faces, mortar a thumb deep behind them."""
    draw = random.Random(201)
    for x0, x1 in ((-X, GATE0 - 0.3), (GATE1 + 0.3, X)):
        model.add("mortar", "mortar", box(x0 + 0.02, -0.2, -THICK + 0.03, x1 - 0.02, TALL - 0.01, THICK - 0.03))
        y = -0.1
        while y < TALL - 0.05:
            h = 0.13 + 0.1 * draw.random()
            h = TALL - y if TALL - y - h < 0.1 else h
            x = x0
            while x < x1 - 1e-6:
                w = 0.2 + 0.3 * draw.random()
                w = x1 - x if x1 - x - w < 0.16 else w
                shade = draw.choice(("stone", "stone", "stone_dark", "stone_light", "flagstone"))
                out = 0.025 * draw.random()
                stone = soft_box(x + 0.009, y + 0.009, -THICK - out, x + w - 0.009, y + h - 0.009, THICK + out, 0.035 + 0.015 * draw.random())
                model.add("stones", shade, stone.rough(0.007, draw.randrange(1 << 30)))
                x += w
            y += h
        x = x0 - 0.04
        while x < x1 + 0.03:
            w = 0.34 + 0.12 * draw.random()
            w = x1 + 0.04 - x if x1 + 0.04 - x - w < 0.25 else w
            section = [(-0.24, 0.0), (0.24, 0.0), (0.25, 0.05), (0.16, 0.11), (0.0, 0.14), (-0.16, 0.11), (-0.25, 0.05)]
            coping = loft([[(px, TALL + v * f, u * f) for u, v in section] for px, f in ((x + 0.006, 0.94), (x + 0.03, 1.0), (x + w - 0.03, 1.0), (x + w - 0.006, 0.94))])
            model.add("coping", draw.choice(("stone_light", "flagstone", "stone")), coping.rough(0.005, draw.randrange(1 << 30)))
            x += w
    for x in (GATE0 - 0.15, GATE1 + 0.15):
        for k in range(8):
            y, r = -0.1 + 0.22 * k, 0.15 + 0.008 * (k % 2)
            post = soft_box(x - r, y, -0.24, x + r, y + 0.214, 0.24, 0.03).turned("y", 1.5 * draw.random(), (x, 0, 0))
            model.add("gateposts", "stone_light" if k % 3 == 1 else "stone", post.rough(0.004, draw.randrange(1 << 30)))
        model.add("gateposts", "stone_light", soft_box(x - 0.2, 1.66, -0.28, x + 0.2, 1.74, 0.28, 0.02),
                  lathe([(0.0, 1.72), (0.15, 1.72), (0.12, 1.76), (0.07, 1.78), (0.07, 1.81), (0.13, 1.88), (0.15, 1.95), (0.13, 2.02), (0.07, 2.08), (0.0, 2.1)], 18).moved(x=x))


def _gate(model):
    """A boarded gate with a brace, its top an arc."""
    n, w = 8, GATE1 - GATE0 - 0.03
    arc = lambda s: 1.28 + 0.2 * math.sin(math.pi * s)
    for k in range(n):
        a, b = k / n, (k + 1) / n
        x0, x1 = GATE0 + 0.015 + a * w + 0.004, GATE0 + 0.015 + b * w - 0.004
        model.add("gate", "wood", prism([(x0, 0.08), (x1, 0.08), (x1, arc(b)), (x0, arc(a))], -0.02, 0.02))
    left, right = GATE0 + 0.04, GATE1 - 0.04
    model.add("gate", "wood_dark", *(box(left, y, 0.02, right, y + 0.1, 0.06) for y in (0.22, 1.08)), beam((left + 0.06, 0.33, 0.04), (right - 0.06, 1.07, 0.04), 0.04, 0.09))
    for y in (0.27, 1.13):
        strap = loft([[(x, y - h, 0.058), (x, y + h, 0.058), (x, y + h, 0.074), (x, y - h, 0.074)] for x, h in ((GATE0 - 0.01, 0.032), (GATE0 + 0.4, 0.02), (GATE0 + 0.5, 0.008))])
        model.add("gate", "iron", strap, *(ball(0.014, 0.014, 0.01, 4, 8).moved(GATE0 + 0.06 + 0.13 * k, y, 0.075) for k in range(3)))
    model.add("gate", "iron", ring(0.05, 0.009, 8, 18).turned("x", 90).moved(GATE1 - 0.14, 0.75, 0.035), ball(0.022, 0.022, 0.02, 5, 10).moved(GATE1 - 0.14, 0.8, 0.03))


def _flags(model):
    draw = random.Random(211)
    for k in range(12):
        z = 0.55 + 0.47 * (k // 2)
        x = (1.32 if k % 2 else 1.86) + 0.08 * (draw.random() - 0.5)
        outline = []
        for i in range(8):
            a = 2 * math.pi * (i + 0.3 * draw.random()) / 8
            outline.append(((0.26 + 0.02 * draw.random()) * math.cos(a), 0.22 * math.sin(a)))
        y = height(x, z)
        flag = loft([[(u * s, h, v * s) for u, v in outline] for s, h in ((1.0, y - 0.08), (1.0, y + 0.025), (0.93, y + 0.04))])
        model.add("flags", draw.choice(("flagstone", "stone", "stone_light")), flag.moved(x, 0, z))
    for k in range(60):
        x, z = -3.3 + 6.4 * draw.random(), 0.35 + 2.8 * draw.random()
        if abs(x + 0.45) < 0.5 and abs(z - 1.05) < 0.5 or x > 0.95 and x < 2.25:
            continue
        r = 0.02 + 0.04 * draw.random() ** 2
        model.add("pebbles", draw.choice(("stone", "stone_light", "stone_dark")), ball(r, 0.65 * r, 0.8 * r, 4, 7).rough(0.08 * r, k).turned("y", 360 * draw.random()).moved(x, height(x, z) + 0.2 * r, z))
    for k in range(34):
        x = -3.3 + 6.6 * draw.random()
        z = 0.24 + 0.1 * draw.random() if k % 3 else 0.6 + 2.4 * draw.random()
        if GATE0 - 0.3 < x < GATE1 + 0.3 or abs(x + 0.45) < 0.5:
            continue
        for blade in range(6):
            a, tall, lean = 1.05 * blade + draw.random(), 0.13 + 0.12 * draw.random(), 0.03 + 0.07 * draw.random()
            path = [(lean * s * s * math.cos(a), tall * s, lean * s * s * math.sin(a)) for s in (-0.2, 0.5, 1.0)]
            model.add("tufts", "foliage_light" if blade % 2 else "grass", tube(path, [0.012, 0.009, 0.003], 4).moved(x, height(x, z), z))


def _plinth(model, x, z):
    y = height(x, z)
    profile = [(0.0, -0.15), (0.4, -0.15), (0.4, 0.06), (0.36, 0.1), (0.33, 0.13), (0.32, 0.22), (0.35, 0.25), (0.37, 0.29), (0.37, 0.33), (0.35, 0.345), (0.0, 0.345)]
    model.add("plinth", "stone_light", lathe(profile, 28).moved(x, y, z))


def _barrow(model, x, z):
    """A wheelbarrow with a steel pan, seen from its side."""
    y = height(x, z)
    place = lambda s: s.turned("y", -28).moved(x, y, z)
    outer, inner = [], []
    for h, l0, l1, w in ((0.36, -0.2, 0.3, 0.2), (0.4, -0.26, 0.34, 0.23), (0.62, -0.42, 0.5, 0.33), (0.64, -0.44, 0.52, 0.345)):
        outer.append((h, l0, l1, w))
    for h, l0, l1, w in ((0.64, -0.415, 0.495, 0.32), (0.41, -0.245, 0.325, 0.215), (0.385, -0.18, 0.28, 0.18)):
        inner.append((h, l0, l1, w))
    rings = []
    for h, l0, l1, w in outer + inner:
        pts, c = [], 0.35 * w
        for cx, cz, turn in ((l1 - c, w - c, 0), (l0 + c, w - c, 1), (l0 + c, -w + c, 2), (l1 - c, -w + c, 3)):
            pts += [(cx + c * math.cos(q + turn * math.pi / 2), h, cz + c * math.sin(q + turn * math.pi / 2)) for q in (0.0, math.pi / 6, math.pi / 3, math.pi / 2)]
        rings.append(pts)
    model.add("barrow", "coat_green", place(loft(rings)))
    wheel = lambda s: place(s.turned("x", 90).moved(-0.62, 0.19, 0))
    model.add("barrow", "iron", wheel(ring(0.155, 0.036, 10, 26)), wheel(lathe([(0.0, -0.045), (0.035, -0.045), (0.035, 0.045), (0.0, 0.045)], 10)),
              *(wheel(tube([(0.03 * math.cos(a), 0, 0.03 * math.sin(a)), (0.13 * math.cos(a), 0, 0.13 * math.sin(a))], 0.012, 6)) for a in (2 * math.pi * k / 6 for k in range(6))))
    for d in (-1, 1):
        model.add("barrow", "wood_dark", place(tube([(-0.66, 0.19, 0.07 * d), (-0.2, 0.34, 0.17 * d), (0.4, 0.35, 0.2 * d), (0.95, 0.5, 0.27 * d)], 0.022, 8)))
        model.add("barrow", "cap_red", place(tube([(0.9, 0.488, 0.264 * d), (1.04, 0.524, 0.281 * d)], 0.028, 10)))
        model.add("barrow", "iron", place(tube([(0.3, 0.36, 0.19 * d), (0.38, 0.02, 0.21 * d), (0.3, 0.012, 0.21 * d)], 0.016, 8)))
    model.add("barrow", "iron", place(tube([(0.36, 0.1, -0.205), (0.36, 0.1, 0.205)], 0.012, 8)), place(tube([(-0.62, 0.19, -0.09), (-0.62, 0.19, 0.09)], 0.015, 8)))
    model.add("barrow", "earth", place(ball(0.3, 0.13, 0.2, 7, 16, lambda w, r: 1 + 0.08 * math.sin(3 * w + r)).moved(0.04, 0.5, 0)))
    model.add("spade", "wood", place(tube([(0.12, 0.62, 0.05), (-0.25, 1.2, -0.12)], 0.018, 8)), place(tube([(-0.25, 1.2, -0.2), (-0.25, 1.2, -0.04)], 0.018, 8)))
    model.add("spade", "steel", place(beam((0.09, 0.66, 0.036), (0.26, 0.4, 0.11), 0.17, 0.012, (1, 0.6, 0))))


def _bucket(model, x, z):
    y = height(x, z)
    at = lambda s: s.turned("z", -12).moved(x, y + 0.03, z)
    pail = [(0.0, 0.02), (0.115, 0.02), (0.12, 0.0), (0.125, 0.0), (0.128, 0.1), (0.134, 0.11), (0.14, 0.11), (0.165, 0.28), (0.173, 0.285), (0.17, 0.295), (0.157, 0.29), (0.132, 0.12), (0.115, 0.035), (0.0, 0.035)]
    model.add("bucket", "steel", at(lathe(pail, 26)))
    handle = [(0.17 * math.cos(a), 0.27 + 0.16 * math.sin(a), 0.05 * math.sin(a)) for a in (math.pi * k / 12 for k in range(13))]
    model.add("bucket", "iron", at(tube(handle, 0.007, 7)))


def _pots(model):
    draw = random.Random(221)
    pot = [(0.0, 0.0), (0.1, 0.0), (0.135, 0.2), (0.155, 0.2), (0.16, 0.25), (0.137, 0.25), (0.125, 0.2), (0.0, 0.19)]
    for x, z, s in ((0.4, 0.48, 1.0), (0.72, 0.42, 0.8), (-1.15, 0.5, 1.1)):
        y = height(x, z)
        model.add("pots", "terracotta", lathe(pot, 22).scaled(s, s, s).moved(x, y, z))
        for k in range(11):
            a, r = 2.4 * k, 0.1 * s * (k / 11) ** 0.5
            q = 0.05 * s * (0.8 + 0.5 * draw.random())
            model.add("pots", "foliage" if k % 3 else "foliage_light", ball(q, q, q, 5, 8).turned("y", 50 * k).moved(x + r * math.cos(a), y + s * (0.24 + 0.1 * (1 - k / 11)), z + r * math.sin(a)))
            if k % 2:
                model.add("pots", "cap_red" if s == 1.0 else "cushion", ball(0.024, 0.02, 0.024, 4, 7).moved(x + 1.5 * r * math.cos(a + 0.4), y + s * (0.3 + 0.1 * (1 - k / 11)) + 0.02, z + 1.5 * r * math.sin(a + 0.4)))
