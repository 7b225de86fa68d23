"""A garden gnome of lathed and swept surfaces, a metre tall, looking along +z."""

import math

from .shapes import ball, box, lathe, loft, ring, soft_box, tube


def add(model, x, y, z):
    at = lambda s: s.moved(x, y, z)
    _body(model, at)
    _head(model, at)
    _arms(model, at)
    _boots(model, at)


def _body(model, at):
    coat = [(0.0, 0.16), (0.2, 0.16), (0.255, 0.2), (0.265, 0.26), (0.25, 0.36), (0.22, 0.46), (0.17, 0.54), (0.1, 0.6), (0.0, 0.62)]
    folds = lambda w, row: 1 + (0.02 * math.cos(11 * w) if row < 4 else 0.0)
    model.add("gnome", "coat_green", at(lathe(coat, 32, folds).scaled(1, 1, 0.88)))
    model.add("gnome", "leather", at(_band(0.23, 0.274, 0.312, 0.372).scaled(1, 1, 0.88)))
    model.add("gnome", "brass", at(soft_box(-0.05, 0.305, 0.225, 0.05, 0.38, 0.252, 0.01)), *(at(ball(0.017, 0.017, 0.012, 4, 9).moved(0.0, h, d)) for h, d in ((0.245, 0.236), (0.43, 0.206))))


def _band(inner, outer, y0, y1, sides=32):
    rings = []
    for k in range(sides):
        a = 2 * math.pi * k / sides
        rings.append([(r * math.cos(a), h, r * math.sin(a)) for r, h in ((inner, y0), (outer, y0), (outer, y1), (inner, y1))])
    return loft(rings, loop=True)


def _head(model, at):
    model.add("gnome", "skin", at(ball(0.135, 0.13, 0.125, 12, 20).moved(0, 0.7, 0.01)), at(ball(0.044, 0.04, 0.046, 8, 12).moved(0, 0.695, 0.145)),
              *(at(ball(0.045, 0.036, 0.03, 7, 10).moved(0.066 * d, 0.685, 0.104)) for d in (-1, 1)), *(at(ball(0.022, 0.04, 0.03, 7, 10).moved(0.138 * d, 0.7, 0.0)) for d in (-1, 1)))
    for d in (-1, 1):
        model.add("gnome", "white_hair", at(ball(0.024, 0.022, 0.014, 7, 12).moved(0.05 * d, 0.738, 0.115)), at(tube([(0.018 * d, 0.762, 0.132), (0.05 * d, 0.783, 0.128), (0.09 * d, 0.765, 0.106)], [0.008, 0.017, 0.008], 8)),
                  at(tube([(0.006 * d, 0.648, 0.158), (0.06 * d, 0.632, 0.15), (0.11 * d, 0.652, 0.125), (0.15 * d, 0.69, 0.1)], [0.02, 0.027, 0.018, 0.006], 9)))
        model.add("gnome", "iron", at(ball(0.011, 0.012, 0.008, 5, 8).moved(0.05 * d, 0.737, 0.127)))
    # The beard: sections get narrower downwards; its locks are waves in the outline.
    rings = []
    for k, (y, w, deep, mid) in enumerate(((0.68, 0.125, 0.05, 0.07), (0.63, 0.155, 0.08, 0.085), (0.57, 0.16, 0.09, 0.105), (0.5, 0.14, 0.085, 0.14), (0.43, 0.105, 0.07, 0.175), (0.36, 0.06, 0.045, 0.212), (0.3, 0.02, 0.02, 0.24))):
        rings.append([(w * (1 + 0.07 * math.cos(7 * a + k)) * math.cos(a), y, mid + deep * (1 + 0.1 * math.cos(7 * a + k)) * math.sin(a)) for a in (2 * math.pi * i / 24 for i in range(24))])
    rings.append([(0.012, 0.27, 0.252)])
    model.add("gnome", "white_hair", at(loft(rings)), at(ball(0.15, 0.11, 0.11, 9, 20, lambda w, r: 1 + 0.03 * math.cos(9 * w)).moved(0, 0.71, -0.045)))
    cap = []
    for k in range(13):
        s = k / 12
        r = 0.165 * (1 - s) ** 0.8 * (1 + 0.05 * math.sin(9 * s)) + 0.004
        cx, cy = 0.16 * s ** 3, 0.765 + 0.52 * s - 0.1 * s ** 4
        lean = 0.75 * s * s
        cap.append([(cx + r * math.cos(a) * math.cos(lean), cy - r * math.cos(a) * math.sin(lean), -0.01 - 0.02 * s + 0.96 * r * math.sin(a)) for a in (2 * math.pi * i / 24 for i in range(24))])
    model.add("gnome", "cap_red", at(loft(cap)), at(ring(0.158, 0.024, 10, 28).scaled(1, 1, 0.96).moved(0, 0.772, -0.01)))
    model.add("gnome", "white_hair", at(ball(0.03, 0.03, 0.03, 7, 10).moved(0.165, 1.185, -0.03)))


def _arms(model, at):
    for d, path in ((-1, [(-0.15, 0.53, 0.0), (-0.24, 0.47, 0.03), (-0.285, 0.38, 0.09), (-0.24, 0.33, 0.19)]), (1, [(0.15, 0.53, 0.0), (0.25, 0.47, 0.03), (0.28, 0.42, 0.09), (0.25, 0.46, 0.17)])):
        hand = path[-1]
        model.add("gnome", "coat_green", at(tube(path, [0.07, 0.075, 0.066, 0.058], 14)))
        model.add("gnome", "white_hair", at(ball(0.066, 0.03, 0.066, 7, 14).turned("x", 70 if d < 0 else 40).moved(hand[0], hand[1], hand[2] - 0.004)))
        model.add("gnome", "skin", at(ball(0.05, 0.045, 0.055, 8, 12).moved(hand[0], hand[1] - (0.01 if d < 0 else -0.01), hand[2] + 0.04)))
    # A lantern hangs from a crook in the raised hand.
    model.add("gnome", "wood_dark", at(tube([(0.25, -0.02, 0.22), (0.25, 0.45, 0.22), (0.25, 0.8, 0.23), (0.27, 0.88, 0.25), (0.28, 0.9, 0.3), (0.28, 0.87, 0.345)], [0.018, 0.018, 0.016, 0.015, 0.013, 0.01], 8)))
    lamp = lambda s: at(s.moved(0.28, 0.68, 0.347))
    model.add("gnome", "brass", lamp(lathe([(0.0, 0.0), (0.055, 0.0), (0.055, 0.02), (0.0, 0.02)], 12)), lamp(lathe([(0.0, 0.12), (0.06, 0.12), (0.05, 0.14), (0.015, 0.165), (0.01, 0.18), (0.0, 0.18)], 12)), lamp(ring(0.02, 0.005, 6, 12).turned("x", 90).moved(y=0.195)),
              *(lamp(tube([(0.048 * math.cos(a), 0.01, 0.048 * math.sin(a)), (0.048 * math.cos(a), 0.13, 0.048 * math.sin(a))], 0.006, 5)) for a in (math.pi / 4 + math.pi / 2 * k for k in range(4))))
    model.add("gnome", "glow", lamp(lathe([(0.0, 0.015), (0.036, 0.015), (0.042, 0.07), (0.036, 0.125), (0.0, 0.125)], 12)))


def _boots(model, at):
    for d in (-1, 1):
        foot = lambda s, d=d: at(s.turned("y", 14 * d).moved(0.1 * d, 0, 0))
        model.add("gnome", "leather", foot(lathe([(0.0, 0.02), (0.08, 0.02), (0.082, 0.12), (0.092, 0.15), (0.095, 0.2), (0.0, 0.2)], 16)), foot(ball(0.085, 0.068, 0.15, 9, 16).moved(0, 0.066, 0.08)),
                  foot(box(-0.075, 0.0, -0.09, 0.075, 0.03, 0.2)))
        model.add("gnome", "brass", foot(ball(0.028, 0.028, 0.028, 6, 10).moved(0, 0.1, 0.222)))
