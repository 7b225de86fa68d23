"""Closed solids: vertices and faces, with the checks that make them worth colliding with.

Axes are right-handed, y up, metres. Every solid bounds a volume: each edge is used once in either
direction, faces are wound counter-clockwise seen from outside, polygons are convex and flat.
"""

import math
import random


class Solid:
    """Points [(x, y, z)] and faces [tuple of indices], one closed surface."""

    def __init__(self, points, faces):
        self.points = [tuple(map(float, p)) for p in points]
        self.faces = [tuple(f) for f in faces]

    def mapped(self, place):
        """The same solid with every point sent through `place(x, y, z)`."""
        return Solid([place(*p) for p in self.points], self.faces)

    def moved(self, x=0.0, y=0.0, z=0.0):
        return self.mapped(lambda a, b, c: (a + x, b + y, c + z))

    def scaled(self, x=1.0, y=1.0, z=1.0):
        return self.mapped(lambda a, b, c: (a * x, b * y, c * z))

    def turned(self, axis, degrees, pivot=(0.0, 0.0, 0.0)):
        """Turned counter-clockwise about an axis "x", "y" or "z" through `pivot`."""
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]

        def place(*p):
            q = list(p)
            a, b = p[i] - pivot[i], p[j] - pivot[j]
            q[i], q[j] = pivot[i] + c * a - s * b, pivot[j] + s * a + c * b
            return tuple(q)

        return self.mapped(place)

    def rough(self, amount, seed):
        """Every point shifted by up to `amount` [m] along each axis: nothing hand-made is exact."""
        draw = random.Random(seed)
        return self.mapped(lambda *p: tuple(c + amount * (2 * draw.random() - 1) for c in p))

    def volume(self):
        """Signed volume [m3]; negative when the faces look inwards."""
        total = 0.0
        for a, b, c in self.triangles():
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (self.points[i] for i in (a, b, c))
            total += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        return total / 6.0

    def triangles(self):
        return [(f[0], f[i], f[i + 1]) for f in self.faces for i in range(1, len(f) - 1)]

    def outward(self):
        """The same surface with its faces looking outwards."""
        if self.volume() >= 0.0:
            return self
        return Solid(self.points, [f[::-1] for f in self.faces])

    def flat(self):
        """The same surface with polygons that are bent by more than 0.25 mm cut in triangles."""
        faces = []
        for f in self.faces:
            if len(f) == 3 or self._bend(f) < 2.5e-4:
                faces.append(f)
            elif len(f) == 4:
                a, b, c, d = f
                short = _distance(self.points[a], self.points[c]) <= _distance(self.points[b], self.points[d])
                faces += [(a, b, c), (a, c, d)] if short else [(a, b, d), (b, c, d)]
            else:
                faces += [(f[0], f[i], f[i + 1]) for i in range(1, len(f) - 1)]
        return Solid(self.points, faces)

    def rounded(self, decimals):
        return Solid([tuple(round(c, decimals) + 0.0 for c in p) for p in self.points], self.faces)

    def _bend(self, face):
        o, n = self.points[face[0]], normal(self, face)
        return max(abs(sum((a - b) * c for a, b, c in zip(self.points[i], o, n))) for i in face)

    def check(self, name):
        """Fails when the surface is open, inconsistently wound, inside out or degenerate."""
        edges = set()
        for f in self.faces:
            assert len(set(f)) == len(f) >= 3, f"{name}: face {f} repeats a vertex"
            for a, b in zip(f, f[1:] + f[:1]):
                assert (a, b) not in edges, f"{name}: edge {a}-{b} is used twice in one direction"
                edges.add((a, b))
        for a, b in edges:
            assert (b, a) in edges, f"{name}: edge {a}-{b} has no other side"
        assert self.volume() > 0.0, f"{name}: inside out or without volume"
        for t in self.triangles():
            assert _area(*(self.points[i] for i in t)) > 1e-8, f"{name}: triangle {t} has no area"


def normal(solid, face):
    """Unit normal of a face (Newell's method)."""
    n = [0.0, 0.0, 0.0]
    points = [solid.points[i] for i in face]
    for p, q in zip(points, points[1:] + points[:1]):
        n[0] += (p[1] - q[1]) * (p[2] + q[2])
        n[1] += (p[2] - q[2]) * (p[0] + q[0])
        n[2] += (p[0] - q[0]) * (p[1] + q[1])
    size = math.sqrt(sum(c * c for c in n)) or 1.0
    return tuple(c / size for c in n)


def _distance(p, q):
    return math.dist(p, q)


def _area(p, q, r):
    u = [b - a for a, b in zip(p, q)]
    v = [b - a for a, b in zip(p, r)]
    x = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return 0.5 * math.sqrt(sum(c * c for c in x))
