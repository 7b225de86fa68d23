"""What stands in the room: each function sets one piece of furniture at (x, z), its front along +z."""

import math
import random

from .shapes import ball, beam, box, lathe, loft, ring, soft_box, tube

TABLE = 0.74  # height of the table top [m]
LEG = [(0.0, 0.0), (0.026, 0.0), (0.034, 0.02), (0.03, 0.05), (0.018, 0.07), (0.02, 0.1), (0.03, 0.22), (0.036, 0.36), (0.03, 0.43),
       (0.02, 0.46), (0.033, 0.48), (0.033, 0.5), (0.022, 0.52), (0.038, 0.55), (0.038, 0.68), (0.0, 0.68)]


def table(model, x, z):
    at = lambda s: s.moved(x, 0, z)
    model.add("table", "wood_dark", at(soft_box(-0.62, TABLE - 0.04, -0.42, 0.62, TABLE, 0.42, 0.014)), at(box(-0.54, 0.6, -0.345, 0.54, 0.695, -0.32)),
              at(box(-0.54, 0.6, 0.32, 0.54, 0.695, 0.345)), at(box(-0.545, 0.6, -0.34, -0.52, 0.695, 0.34)), at(box(0.52, 0.6, -0.34, 0.545, 0.695, 0.34)))
    for sx in (-1, 1):
        for sz in (-1, 1):
            model.add("table", "wood_dark", lathe(LEG, 14).scaled(1, 1.03, 1).moved(x + 0.53 * sx, 0.014, z + 0.33 * sz))


def chair(model, x, z, turn):
    """Turned front legs, a saddle seat and a back of seven narrow slats, 2.4 cm apart."""
    place = lambda s: s.turned("y", turn).moved(x, 0.014, z)
    seat = soft_box(-0.22, 0.43, -0.2, 0.22, 0.475, 0.22, 0.02).mapped(lambda a, b, c: (a * (1 + 0.35 * (c + 0.2) * 0.4), b, c))
    model.add("chairs", "wood", place(seat))
    for sx in (-1, 1):
        model.add("chairs", "wood", place(lathe(LEG, 10).scaled(0.75, 0.645, 0.75).moved(0.19 * sx, 0, 0.18)),
                  place(tube([(0.18 * sx, 0, -0.2), (0.185 * sx, 0.44, -0.18), (0.19 * sx, 0.72, -0.22), (0.195 * sx, 1.0, -0.28)], [0.018, 0.023, 0.021, 0.016], 8)),
                  place(tube([(0.185 * sx, 0.2, -0.18), (0.188 * sx, 0.21, 0.17)], 0.012, 6)), place(ball(0.024, 0.028, 0.024, 5, 8).moved(0.195 * sx, 1.01, -0.282)))
    model.add("chairs", "wood", place(tube([(-0.18, 0.27, 0.178), (0.18, 0.27, 0.178)], 0.012, 6)), place(tube([(-0.18, 0.25, -0.185), (0.18, 0.25, -0.185)], 0.012, 6)))
    for y, deep in ((0.56, -0.197), (0.93, -0.262)):
        model.add("chairs", "wood", place(beam((-0.19, y, deep), (0.19, y, deep), 0.026, 0.06 if y > 0.7 else 0.04)))
    for k in range(7):
        px = -0.144 + 0.048 * k
        model.add("chairs", "wood", place(beam((px, 0.56, -0.197), (px, 0.92, -0.26), 0.02, 0.016, (0, 0, 1))))


def on_table(model, x, z):
    at = lambda s, px, pz, y=TABLE: s.moved(x + px, y, z + pz)
    pot = [(0.0, 0.0), (0.05, 0.0), (0.05, 0.01), (0.085, 0.04), (0.1, 0.08), (0.085, 0.12), (0.05, 0.145), (0.045, 0.152), (0.0, 0.152)]
    model.add("teapot", "porcelain", at(lathe(pot, 24), -0.05, -0.02), at(lathe([(0.0, 0.148), (0.047, 0.148), (0.04, 0.165), (0.012, 0.172), (0.009, 0.18), (0.018, 0.19), (0.012, 0.2), (0.0, 0.203)], 20), -0.05, -0.02),
              at(tube([(0.075, 0.05, 0), (0.12, 0.075, 0), (0.145, 0.12, 0), (0.175, 0.145, 0)], [0.028, 0.022, 0.015, 0.011], 10), -0.05, -0.02),
              at(tube([(-0.08, 0.12, 0), (-0.115, 0.135, 0), (-0.15, 0.12, 0), (-0.155, 0.08, 0), (-0.125, 0.05, 0), (-0.09, 0.045, 0)], 0.009, 8), -0.05, -0.02))
    cup = [(0.0, 0.0), (0.024, 0.0), (0.024, 0.006), (0.036, 0.03), (0.044, 0.06), (0.046, 0.064), (0.041, 0.064), (0.032, 0.032), (0.0, 0.014)]
    saucer = [(0.0, 0.0), (0.035, 0.0), (0.072, 0.014), (0.074, 0.018), (0.034, 0.007), (0.0, 0.007)]
    for px, pz, turn in ((-0.4, 0.02, 30), (0.3, -0.2, 200), (0.02, 0.27, 120), (0.45, 0.12, 300)):
        model.add("cups", "porcelain", at(lathe(saucer, 20), px, pz), at(lathe(cup, 18), px, pz, TABLE + 0.007),
                  at(tube([(0.038, 0.05, 0), (0.062, 0.05, 0), (0.066, 0.03, 0), (0.034, 0.02, 0)], 0.005, 6).turned("y", turn), px, pz, TABLE + 0.007))
    vase = [(0.0, 0.0), (0.05, 0.0), (0.055, 0.01), (0.04, 0.03), (0.075, 0.09), (0.08, 0.14), (0.05, 0.2), (0.034, 0.24), (0.05, 0.28), (0.042, 0.28), (0.026, 0.24), (0.04, 0.2), (0.065, 0.14), (0.0, 0.05)]
    model.add("vase", "cloth_blue", at(lathe(vase, 22), 0.18, 0.02))
    draw = random.Random(121)
    for k in range(9):
        a, lean = 2.4 * k, 0.07 + 0.1 * draw.random()
        tall = 0.42 + 0.14 * draw.random()
        c, s = math.cos(a), math.sin(a)
        tip = (lean * c, tall, lean * s)
        model.add("flowers", "foliage_light", at(tube([(0.015 * c, 0.15, 0.015 * s), (0.02 * c, 0.28, 0.02 * s), (0.6 * lean * c, 0.8 * tall, 0.6 * lean * s), tip], 0.005, 5), 0.18, 0.02))
        petals = lathe([(0.0, -0.012), (0.016, -0.008), (0.046, 0.016), (0.044, 0.022), (0.014, 0.008), (0.0, 0.012)], 12, lambda w, r: 1 + 0.22 * math.cos(6 * w) * (r in (2, 3)))
        model.add("flowers", ("cushion", "cap_red", "white_hair")[k % 3], at(petals.turned("x", 40 * s).turned("z", -40 * c).moved(*tip), 0.18, 0.02))
    book = [("book_red", 0.0, 12), ("book_gold", 0.03, -9)]
    for m, y, turn in book:
        model.add("table_books", m, at(box(-0.1, y, -0.07, 0.1, y + 0.028, 0.07).turned("y", turn), -0.42, -0.25))


def sofa(model, x, z):
    at = lambda s: s.moved(x, 0, z)
    cloth = "cloth_blue"
    model.add("sofa", cloth, at(soft_box(-0.98, 0.1, -0.4, 0.98, 0.32, 0.42, 0.04, 2)), at(soft_box(-0.98, 0.2, -0.45, 0.98, 0.82, -0.2, 0.08, 3)))
    for d in (-1, 1):
        arm = [at(soft_box(0.86 * d - 0.11, 0.1, -0.42, 0.86 * d + 0.11, 0.55, 0.43, 0.05, 2)), at(tube([(0.86 * d, 0.55, -0.4), (0.86 * d, 0.55, 0.44)], 0.125, 18))]
        model.add("sofa", cloth, *arm)
        model.add("sofa", "cloth_cream", at(soft_box(0.375 * d - 0.365, 0.3, -0.2, 0.375 * d + 0.365, 0.46, 0.44, 0.07, 3)),
                  at(soft_box(0.375 * d - 0.36, -0.1, -0.08, 0.375 * d + 0.36, 0.32, 0.09, 0.075, 3).turned("x", -14).moved(0, 0.54, -0.12)))
        model.add("sofa", "wood_dark", *(at(lathe([(0.0, 0.0), (0.025, 0.0), (0.04, 0.11), (0.0, 0.11)], 10).moved(0.85 * d, 0, pz)) for pz in (-0.35, 0.36)))
    for px, m, turn, tilt in ((-0.55, "cushion", 18, 24), (0.6, "cloth_red", -22, 20)):
        model.add("cushions", m, at(_pillow(0.23, 0.085).turned("x", 90 - tilt).turned("y", turn).moved(px, 0.66, 0.06)))


def _pillow(half, thick):
    """A square pillow: full in the middle, drawn to points at its corners."""
    n = 14
    point = lambda u, v, side: (half * u * (1 - 0.09 * (1 - v * v)), side * (0.006 + thick * ((1 - u * u) * (1 - v * v)) ** 0.45), half * v * (1 - 0.09 * (1 - u * u)))
    rings = []
    for i in range(n + 1):
        u = -1 + 2 * i / n
        row = [(-1 + 2 * j / n) for j in range(n + 1)]
        rings.append([point(u, v, 1) for v in row] + [point(u, v, -1) for v in reversed(row)])
    return loft(rings)


def bookshelf(model, x, z):
    """Against the left wall, its front along +x."""
    place = lambda s: s.turned("y", 90).moved(x, 0, z)
    w, deep, tall = 0.62, 0.17, 2.0
    shelves = [0.06, 0.48, 0.86, 1.22, 1.58, tall - 0.04]
    model.add("bookshelf", "wood", *(place(box(d * w - 0.02, 0, -deep, d * w + 0.02, tall, deep)) for d in (-1, 1)), *(place(box(-w + 0.02, y, -deep, w - 0.02, y + 0.032, deep - 0.01)) for y in shelves),
              place(box(-w + 0.02, 0, -deep, w - 0.02, tall, -deep + 0.015)), place(soft_box(-w - 0.06, tall, -deep, w + 0.06, tall + 0.05, deep + 0.04, 0.018)))
    draw = random.Random(131)
    for row, y in enumerate(shelves[:-1]):
        room = shelves[row + 1] - y - 0.06
        px = -w + 0.03
        stop = w - 0.05 - (0.35 if row in (1, 3) else 0.0)
        while px < stop - 0.06:
            t, h, d = 0.03 + 0.035 * draw.random(), room * (0.7 + 0.25 * draw.random()), 0.2 + 0.07 * draw.random()
            book = box(px, y + 0.033, -deep + 0.02, px + t - 0.003, y + 0.033 + h, -deep + 0.02 + d)
            if draw.random() < 0.12:
                book = book.turned("z", -9, (px, y + 0.033, 0)).moved(x=-0.004, y=0.007)
                px += 0.16 * h
            model.add("books", draw.choice(("book_red", "book_blue", "book_green", "book_gold", "leather")), place(book))
            px += t
        if row == 1:
            model.add("globe", "cloth_blue", place(ball(0.1, 0.1, 0.1, 10, 16).turned("z", 23).moved(0.4, y + 0.2, 0.02)))
            model.add("globe", "brass", place(lathe([(0.0, 0.0), (0.075, 0.0), (0.07, 0.015), (0.012, 0.03), (0.012, 0.11), (0.0, 0.11)], 16).moved(0.4, y + 0.033, 0.02)), place(ring(0.115, 0.006, 6, 24).turned("x", 90).turned("y", 30).moved(0.4, y + 0.2, 0.02)))
        if row == 3:
            model.add("bust", "porcelain", place(lathe([(0.0, 0.0), (0.06, 0.0), (0.06, 0.02), (0.03, 0.04), (0.085, 0.09), (0.05, 0.12), (0.03, 0.13), (0.03, 0.15), (0.055, 0.18), (0.06, 0.22), (0.045, 0.26), (0.0, 0.28)], 16).moved(0.4, y + 0.033, 0.02)))


def lamp(model, x, z):
    at = lambda s: s.moved(x, 0, z)
    model.add("lamp", "brass", at(lathe([(0.0, 0.0), (0.16, 0.0), (0.16, 0.02), (0.1, 0.04), (0.03, 0.06), (0.014, 0.1), (0.014, 0.7), (0.028, 0.72), (0.028, 0.75), (0.013, 0.78), (0.012, 1.5), (0.0, 1.5)], 18)))
    shade = [(0.17, 1.66), (0.3, 1.3), (0.29, 1.3), (0.158, 1.66)]
    rings = []
    for r, y in shade:
        rings.append([(r * (1 + 0.02 * (i % 2)) * math.cos(math.pi * i / 18), y, r * (1 + 0.02 * (i % 2)) * math.sin(math.pi * i / 18)) for i in range(36)])
    model.add("lamp", "cloth_cream", at(loft(rings, loop=True)))
    model.add("lamp", "glow", at(ball(0.05, 0.06, 0.05, 7, 12).moved(y=1.53)))
    model.add("lamp", "brass", *(at(tube([(0, 1.49, 0), (0.16 * math.cos(a), 1.64, 0.16 * math.sin(a))], 0.005, 5)) for a in (0.3, 0.3 + 2 * math.pi / 3, 0.3 + 4 * math.pi / 3)))


def plant(model, x, z):
    at = lambda s: s.moved(x, 0, z)
    model.add("plant", "terracotta", at(lathe([(0.0, 0.0), (0.13, 0.0), (0.18, 0.28), (0.2, 0.28), (0.2, 0.34), (0.17, 0.34), (0.16, 0.29), (0.0, 0.28)], 22)))
    model.add("plant", "earth", at(ball(0.16, 0.04, 0.16, 5, 16).moved(y=0.28)))
    draw = random.Random(141)
    for k in range(22):
        a = 2.4 * k
        rise, reach = 0.45 + 0.75 * (1 - k / 22), 0.2 + 0.32 * draw.random() + 0.012 * k
        leaf = _leaf(reach, rise, 0.055 + 0.03 * draw.random()).turned("y", math.degrees(a))
        model.add("plant", "foliage_light" if k % 3 else "foliage", at(leaf.moved(y=0.3)))


def _leaf(reach, rise, width):
    """A strap leaf that rises and arches over, 6 mm thick."""
    rings = []
    n = 8
    for k in range(n + 1):
        s = k / n
        px, py = reach * s * (0.35 + 0.65 * s), rise * (1.55 * s - 0.75 * s * s * s)
        if k == n:
            rings.append([(px, py, 0.0)])
            break
        w = width * (0.25 + 2.4 * s * (1.02 - s))
        rings.append([(px - 0.003, py + 0.004, 0.0), (px, py + 0.25 * w, w), (px + 0.004, py - 0.006, 0.0), (px, py + 0.25 * w, -w)])
    return loft(rings)


def basket(model, x, z):
    """A wicker basket: 20 upright canes, eight bands woven round them; gaps of 5 cm by 2 cm."""
    at = lambda s: s.turned("y", 15).moved(x, 0.0, z)
    n, r = 20, lambda y: 0.21 + 0.16 * y - 0.1 * y * y * 3
    canes = []
    for k in range(n):
        a = 2 * math.pi * k / n
        canes.append(at(tube([(r(y) * math.cos(a), y, r(y) * math.sin(a)) for y in (0.01, 0.14, 0.27, 0.4)], 0.008, 6)))
    model.add("basket", "wicker", *canes, at(lathe([(0.0, 0.0), (0.215, 0.0), (0.215, 0.02), (0.0, 0.02)], 20)))
    for band in range(9):
        y = 0.03 + 0.044 * band
        path = [((r(y) + 0.011 * (-1) ** (k + band)) * math.cos(2 * math.pi * k / n), y, (r(y) + 0.011 * (-1) ** (k + band)) * math.sin(2 * math.pi * k / n)) for k in range(n)]
        model.add("basket", "wicker", at(tube(path, 0.011, 6, loop=True)))
    model.add("basket", "wicker", at(ring(r(0.4), 0.018, 8, 28).moved(y=0.41)))
    handle = [(0.0, 0.41 + 0.24 * math.sin(math.pi * k / 14), r(0.4) * math.cos(math.pi * k / 14)) for k in range(15)]
    model.add("basket", "wicker", at(tube(handle, 0.014, 8)))
    draw = random.Random(151)
    for k, m in enumerate(("cloth_red", "cloth_cream", "cloth_blue", "cushion", "coat_green")):
        s = 0.075 + 0.01 * draw.random()
        model.add("yarn", m, at(ball(s, s, s, 9, 14, lambda w, row: 1 + 0.02 * math.cos(9 * w + 2 * row)).turned("x", 50 * k).moved(0.1 * math.cos(2.5 * k), 0.1 + 0.05 * (k > 2), 0.1 * math.sin(2.5 * k))))


def rack(model, x, z):
    """A sideboard with a drying rack over a tray: bars 4.6 cm apart, plates between some of them."""
    place = lambda s: s.turned("y", -90).moved(x, 0, z)
    model.add("sideboard", "wood", place(soft_box(-0.62, 0.78, -0.26, 0.62, 0.82, 0.26, 0.012)), place(box(-0.58, 0.12, -0.23, 0.58, 0.78, 0.22)))
    for d in (-1, 1):
        model.add("sideboard", "wood_dark", place(soft_box(0.29 * d - 0.26, 0.18, 0.215, 0.29 * d + 0.26, 0.56, 0.24, 0.012)), place(soft_box(0.29 * d - 0.26, 0.59, 0.215, 0.29 * d + 0.26, 0.75, 0.24, 0.012)))
        model.add("sideboard", "brass", place(ball(0.018, 0.018, 0.018, 5, 8).moved(0.29 * d, 0.67, 0.252)), place(ball(0.018, 0.018, 0.018, 5, 8).moved(0.07 * d, 0.38, 0.252)))
        model.add("sideboard", "wood", *(place(lathe([(0.0, 0.0), (0.03, 0.0), (0.045, 0.05), (0.03, 0.12), (0.0, 0.12)], 10).moved(0.52 * d, 0, pz)) for pz in (-0.18, 0.17)))
    model.add("tray", "steel", place(soft_box(-0.3, 0.82, -0.21, 0.36, 0.835, 0.21, 0.006)), *(place(box(*q)) for q in (
        (-0.31, 0.82, -0.22, 0.37, 0.855, -0.205), (-0.31, 0.82, 0.205, 0.37, 0.855, 0.22), (-0.31, 0.82, -0.205, -0.295, 0.855, 0.205), (0.355, 0.82, -0.205, 0.37, 0.855, 0.205))))
    for d in (-1, 1):
        model.add("rack", "steel", place(tube([(-0.28, 0.93, 0.16 * d), (0.34, 0.93, 0.16 * d)], 0.008, 8)), *(place(tube([(px, 0.83, 0.16 * d), (px, 0.935, 0.16 * d)], 0.008, 8)) for px in (-0.27, 0.33)))
    for k in range(14):
        px = -0.27 + 0.0461 * k
        model.add("rack", "steel", place(tube([(px, 1.04, -0.16), (px, 0.94, -0.155), (px, 0.925, -0.13), (px, 0.925, 0.13), (px, 0.94, 0.155), (px, 1.04, 0.16)], 0.0055, 6)))
    plate = [(0.0, 0.0), (0.06, 0.0), (0.115, 0.012), (0.117, 0.016), (0.06, 0.007), (0.0, 0.007)]
    for k in (2, 4, 5, 8):
        model.add("plates", "porcelain", place(lathe(plate, 24).turned("z", 82).moved(-0.27 + 0.0461 * (k + 0.55), 1.045, 0.0)))
    jug = [(0.0, 0.0), (0.07, 0.0), (0.085, 0.06), (0.08, 0.13), (0.055, 0.18), (0.065, 0.23), (0.057, 0.23), (0.047, 0.18), (0.07, 0.13), (0.075, 0.06), (0.0, 0.012)]
    model.add("jug", "terracotta", place(lathe(jug, 20).moved(-0.46, 0.82, 0.02)), place(tube([(-0.515, 1.03, 0.02), (-0.56, 1.02, 0.02), (-0.57, 0.94, 0.02), (-0.535, 0.9, 0.02)], 0.01, 8)))
