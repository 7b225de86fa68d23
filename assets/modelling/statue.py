"""A statue of a hermit on a pedestal before a garden wall, for slime: it has much to hang from.

The wall's face is the plane z = 0; the statue stands at x 0, z 0.75 and looks along +z, one arm held out.
"""

import math
import random

from . import field
from .model import Model
from .shapes import box, lathe, loft, soft_box

FOOT, MIDDLE = 0.78, 0.75  # top of the pedestal over the ground; z of its middle [m]
X, TALL = 2.1, 2.55  # half length of the wall, its height under the cornice [m]


def build():
    model = Model("statue", "A hermit of stone before a wall, for slime")
    _ground(model)
    _wall(model)
    _pedestal(model)
    hermit = field.surface(_hermit(), (-0.5, -0.05, -0.42), (0.86, 1.66, 0.5), 0.016)
    model.add("hermit", "statue", hermit.moved(0.0, FOOT, MIDDLE))
    for x in (-1.42, 1.42):
        _bracket(model, x, 1.3)
    _bowl(model)
    return model


def _hermit():
    """The figure, its feet at y = 0: a robe, a cowl, a bearded head, two arms."""
    out, bent = _arms()
    arms = [field.near(field.join(out, 0.05), (0.4, 1.0, 0.07), 0.36), field.near(field.join(bent, 0.05), (-0.24, 0.93, 0.1), 0.33)]
    cloth = field.join([field.turned(_robe, 0.0, 1.2, 0.82, 0.62)] + arms, 0.05)
    parts = [cloth, field.limb((-0.19, 1.1, -0.01), (0.19, 1.1, -0.01), 0.085, 0.085),
             field.ball((0.0, 1.19, -0.01), (0.185, 0.085, 0.15)), field.limb((0.0, 1.15, 0.0), (0.0, 1.3, 0.015), 0.065, 0.06)]
    body = field.join(parts, 0.06)
    hood = field.carve(field.ball((0.0, 1.395, -0.03), (0.128, 0.165, 0.135)), field.ball((0.0, 1.36, 0.12), (0.098, 0.135, 0.17)), 0.03)
    feet = [field.ball((d * 0.1, 0.03, 0.235), (0.055, 0.045, 0.085)) for d in (-1, 1)]
    head = field.near(field.join([field.near(hood, (0.0, 1.39, 0.0), 0.2), _head()], 0.02), (0.0, 1.3, 0.08), 0.34)
    whole = field.join([body, head] + feet, 0.02)
    palm, other = _hands()
    return field.join([whole, field.near(field.join(palm, 0.012), (0.67, 1.11, 0.18), 0.19), field.near(field.join(other, 0.012), (-0.08, 0.95, 0.22), 0.14)], 0.012)


def _robe(y, angle):
    """Radius of the robe: narrow at the girdle, wide at the hem, its folds deeper towards the hem."""
    stops = ((0.0, 0.315), (0.1, 0.295), (0.35, 0.25), (0.6, 0.205), (0.735, 0.172), (0.76, 0.176), (0.79, 0.176), (0.815, 0.172), (0.95, 0.198), (1.08, 0.17), (1.2, 0.08))
    radius = stops[-1][1]
    for (y0, r0), (y1, r1) in zip(stops, stops[1:]):
        if y <= y1:
            t = (y - y0) / (y1 - y0)
            radius = r0 + (r1 - r0) * t
            break
    below = max(0.0, 1.0 - y / 0.74)
    above = max(0.0, min(1.0, (y - 0.8) / 0.15)) * max(0.0, min(1.0, (1.15 - y) / 0.15))
    fold = math.cos(9 * angle + 1.1 * math.sin(2 * angle) + 0.8 * y)
    return radius + (0.005 + 0.034 * below ** 0.7) * fold * (below > 0.0) + 0.006 * above * math.cos(13 * angle + 5.0 * y)


def _arms():
    """The left arm held out, palm up, with a hanging sleeve; the right one bent over the breast."""
    out = [field.limb((0.19, 1.1, 0.0), (0.38, 1.0, 0.04), 0.08, 0.075), field.limb((0.38, 1.0, 0.04), (0.56, 1.07, 0.13), 0.075, 0.085),
           field.limb((0.42, 0.96, 0.06), (0.5, 0.84, 0.1), 0.06, 0.022), field.limb((0.54, 1.03, 0.12), (0.5, 0.84, 0.1), 0.07, 0.022)]
    bent = [field.limb((-0.19, 1.1, 0.0), (-0.32, 0.9, 0.05), 0.08, 0.075), field.limb((-0.32, 0.9, 0.05), (-0.16, 0.93, 0.2), 0.075, 0.075),
            field.limb((-0.3, 0.86, 0.08), (-0.24, 0.72, 0.15), 0.06, 0.025), field.limb((-0.19, 0.9, 0.18), (-0.24, 0.72, 0.15), 0.06, 0.025)]
    return out, bent


def _hands():
    palm = [field.limb((0.56, 1.075, 0.13), (0.68, 1.115, 0.18), 0.036, 0.04), field.ball((0.7, 1.118, 0.19), (0.052, 0.026, 0.048))]
    palm += [field.limb((0.715, 1.115, 0.19 + 0.022 * k), (0.775, 1.135 + 0.004 * k, 0.195 + 0.03 * k), 0.015, 0.012) for k in (-1, 0, 1)]
    palm.append(field.limb((0.67, 1.12, 0.2), (0.69, 1.15, 0.25), 0.016, 0.013))
    other = [field.limb((-0.16, 0.935, 0.2), (-0.06, 0.955, 0.235), 0.034, 0.036)]
    other += [field.limb((-0.06, 0.945 + 0.024 * k, 0.24), (0.005, 0.95 + 0.028 * k, 0.228), 0.015, 0.013) for k in (-1, 0, 1)]
    return palm, other


def _head():
    skull = field.join([field.ball((0.0, 1.4, 0.02), (0.084, 0.105, 0.095)), field.ball((0.0, 1.335, 0.045), (0.062, 0.06, 0.062))], 0.04)
    for d in (-1, 1):
        skull = field.carve(skull, field.ball((0.035 * d, 1.392, 0.12), (0.022, 0.017, 0.024)), 0.02)
    face = [skull, field.limb((0.0, 1.4, 0.108), (0.0, 1.355, 0.137), 0.013, 0.021), field.limb((-0.05, 1.416, 0.096), (-0.012, 1.412, 0.113), 0.015, 0.014),
            field.limb((0.05, 1.416, 0.096), (0.012, 1.412, 0.113), 0.015, 0.014)]
    face += [field.ball((0.035 * d, 1.39, 0.092), 0.017) for d in (-1, 1)] + [field.ball((0.055 * d, 1.352, 0.075), 0.026) for d in (-1, 1)]
    beard = [field.limb((0.0, 1.3, 0.075), (0.0, 1.19, 0.145), 0.06, 0.052), field.limb((0.0, 1.19, 0.145), (0.012, 1.05, 0.205), 0.052, 0.014)]
    for d in (-1, 1):
        beard.append(field.limb((0.068 * d, 1.34, 0.045), (0.05 * d, 1.2, 0.11), 0.028, 0.034))
        beard.append(field.limb((0.05 * d, 1.2, 0.11), (0.045 * d, 1.09, 0.175), 0.034, 0.012))
        beard.append(field.limb((0.008 * d, 1.335, 0.123), (0.06 * d, 1.305, 0.105), 0.018, 0.012))
    return field.join([field.join(face, 0.016), field.join(beard, 0.012)], 0.014)


def _pedestal(model):
    """Mouldings of a square pedestal; the cornice juts out, so that slime has an edge to drip from."""
    for half, y0, y1, soft in ((0.56, -0.1, 0.14, 0.02), (0.5, 0.14, 0.19, 0.02), (0.43, 0.19, 0.62, 0.012), (0.49, 0.62, 0.665, 0.018), (0.54, 0.665, FOOT - 0.04, 0.02)):
        model.add("pedestal", "stone_light", soft_box(-half, y0, MIDDLE - half, half, y1, MIDDLE + half, soft, 2))
    base = [(0.0, FOOT - 0.05), (0.42, FOOT - 0.05), (0.43, FOOT - 0.03), (0.42, FOOT + 0.005), (0.39, FOOT + 0.014), (0.0, FOOT + 0.014)]
    model.add("pedestal", "statue", lathe(base, 48).moved(z=MIDDLE))
    model.add("pedestal", "stone", soft_box(-0.3, 0.27, MIDDLE + 0.4, 0.3, 0.55, MIDDLE + 0.452, 0.015))


def _wall(model):
    """Ashlar with open joints between two pilasters, a string course that juts out, and a cornice."""
    draw = random.Random(401)
    model.add("wall", "mortar", box(-X + 0.02, -0.2, -0.42, X - 0.02, TALL - 0.02, -0.03))
    y, row = -0.1, 0
    while y < TALL - 0.05:
        h = min(0.33 if row % 3 else 0.27, TALL - y)
        x = -X + 0.04 * (row % 2)
        while x < X - 1e-6:
            w = 0.5 + 0.22 * draw.random()
            w = X - x if X - x - w < 0.3 else w
            out = 0.012 * draw.random()
            stone = soft_box(x + 0.006, y + 0.006, -0.4, x + w - 0.006, y + h - 0.006, out - 0.01, 0.014).rough(0.002, draw.randrange(1 << 30))
            model.add("wall", draw.choice(("sandstone", "sandstone", "sandstone_dark", "sandstone_light")), stone)
            x += w
        y += h
        row += 1
    for x in (-X + 0.05, X - 0.05):
        for half, y0, y1, out in ((0.2, -0.1, 0.3, 0.14), (0.16, 0.3, TALL - 0.16, 0.09), (0.19, TALL - 0.16, TALL, 0.13)):
            model.add("pilasters", "sandstone_light", soft_box(x - half, y0, -0.3, x + half, y1, out, 0.02))
    _moulding(model, 2.02, 0.1, 0.11, X - 0.2)
    _moulding(model, TALL, 0.2, 0.19, X + 0.2)
    model.add("cornice", "sandstone_light", soft_box(-X - 0.15, TALL + 0.19, -0.5, X + 0.15, TALL + 0.28, 0.12, 0.03))


def _moulding(model, y, tall, out, half):
    """A moulding along the wall: a cove under a square edge with a drip."""
    section = [(y, -0.1), (y, 0.02), (y + 0.3 * tall, 0.25 * out), (y + 0.55 * tall, 0.75 * out), (y + 0.55 * tall, out), (y + 0.9 * tall, out), (y + tall, 0.9 * out), (y + tall, -0.1)]
    model.add("cornice", "sandstone_light", loft([[(x, a, b) for a, b in section] for x in (-half, half)]))


def _bracket(model, x, y):
    """A console on the wall with an urn on it."""
    scroll = loft([[(x - w, y - 0.3 * s, -0.05), (x + w, y - 0.3 * s, -0.05), (x + w, y - 0.3 * s, 0.24 * (1 - s) ** 0.6 + 0.02), (x - w, y - 0.3 * s, 0.24 * (1 - s) ** 0.6 + 0.02)]
                   for s, w in ((0.0, 0.11), (0.3, 0.1), (0.6, 0.085), (0.85, 0.07), (1.0, 0.05))])
    model.add("brackets", "sandstone_light", scroll, soft_box(x - 0.19, y, -0.05, x + 0.19, y + 0.05, 0.36, 0.015, 2))
    urn = [(0.0, 0.0), (0.075, 0.0), (0.075, 0.02), (0.035, 0.045), (0.03, 0.07), (0.07, 0.1), (0.115, 0.17), (0.125, 0.23), (0.1, 0.27), (0.1, 0.285), (0.145, 0.31), (0.145, 0.325), (0.12, 0.325), (0.085, 0.28), (0.1, 0.22), (0.07, 0.13), (0.0, 0.12)]
    model.add("urns", "statue", lathe(urn, 28).moved(x, y + 0.048, 0.17))


def _bowl(model):
    """A shallow basin at the foot of the pedestal that catches what drips from the hand."""
    profile = [(0.0, 0.0), (0.2, 0.0), (0.21, 0.03), (0.19, 0.05), (0.3, 0.1), (0.37, 0.17), (0.385, 0.19), (0.37, 0.2), (0.345, 0.185), (0.27, 0.11), (0.0, 0.07)]
    model.add("basin", "stone", lathe(profile, 36).moved(0.98, -0.01, 1.02))


def _ground(model):
    draw = random.Random(411)
    model.add("ground", "mortar", box(-3.2, -0.35, -0.6, 3.2, -0.03, 3.0))
    z = -0.55
    while z < 2.95:
        d = min(0.42 + 0.14 * draw.random(), 3.0 - z)
        x = -3.2 + 0.2 * draw.random()
        while x < 3.1:
            w = min(0.45 + 0.3 * draw.random(), 3.2 - x)
            if w > 0.1 and d > 0.1:
                slab = soft_box(x + 0.006, -0.1, z + 0.006, x + w - 0.006, 0.004 * draw.random(), z + d - 0.006, 0.012).rough(0.0015, draw.randrange(1 << 30))
                model.add("paving", draw.choice(("flagstone", "flagstone", "stone", "stone_light")), slab)
            x += w
        z += d
