"""Shapes from which the models are built, each a closed `Solid`.

Nearly all of them are lofts: rings of points joined in order, capped at the ends.
"""

import math

from .solid import Solid


def loft(rings, loop=False):
    """Rings of equally many points, joined; a ring of one point is a tip. `loop` joins last to first."""
    points, starts, faces = [], [], []
    for ring in rings:
        starts.append(len(points))
        points += ring
    count = len(rings)
    for k in range(count if loop else count - 1):
        k2 = (k + 1) % count
        a, b, na, nb = starts[k], starts[k2], len(rings[k]), len(rings[k2])
        n = max(na, nb)
        for i in range(n):
            j = (i + 1) % n
            if na == 1:
                faces.append((a, b + j, b + i))
            elif nb == 1:
                faces.append((a + i, a + j, b))
            else:
                faces.append((a + i, a + j, b + j, b + i))
    if not loop:
        if len(rings[0]) > 1:
            faces.append(tuple(starts[0] + i for i in reversed(range(len(rings[0])))))
        if len(rings[-1]) > 1:
            faces.append(tuple(starts[-1] + i for i in range(len(rings[-1]))))
    return Solid(points, faces).outward()


def box(x0, y0, z0, x1, y1, z1):
    return loft([[(x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1)] for y in (y0, y1)])


def soft_box(x0, y0, z0, x1, y1, z1, radius, steps=1):
    """A box with rounded edges; `steps` facets a quarter turn (1: a chamfer)."""
    quarter = [math.pi / 2 * k / steps for k in range(steps + 1)]
    rise = [(radius * (1 - math.sin(q)), radius * (1 - math.cos(q))) for q in quarter]  # (inset, height)
    levels = [(i, y0 + h) for i, h in rise] + [(i, y1 - h) for i, h in reversed(rise)]
    rings = []
    for inset, y in levels:
        r = radius - 0.6 * inset
        a0, a1, c0, c1 = x0 + inset, x1 - inset, z0 + inset, z1 - inset
        ring = []
        for cx, cz, turn in ((a1 - r, c1 - r, 0), (a0 + r, c1 - r, 1), (a0 + r, c0 + r, 2), (a1 - r, c0 + r, 3)):
            for q in quarter:
                w = q + turn * math.pi / 2
                ring.append((cx + r * math.cos(w), y, cz + r * math.sin(w)))
        rings.append(ring)
    return loft(rings)


def lathe(profile, sides, wobble=None):
    """(radius, height) pairs turned about the y axis; hollow when the profile turns back inside."""
    rings = []
    for k, (r, y) in enumerate(profile):
        if r == 0.0:
            rings.append([(0.0, y, 0.0)])
            continue
        ring = []
        for i in range(sides):
            w = 2 * math.pi * i / sides
            f = 1.0 if wobble is None else wobble(w, k)
            ring.append((r * f * math.cos(w), y, r * f * math.sin(w)))
        rings.append(ring)
    return loft(rings)


def ball(rx, ry, rz, rows, sides, wobble=None):
    """An ellipsoid; `wobble(angle, row)` scales single points sideways."""
    profile = [(math.sin(math.pi * k / rows), -math.cos(math.pi * k / rows)) for k in range(rows + 1)]
    profile[0], profile[-1] = (0.0, -1.0), (0.0, 1.0)
    return lathe(profile, sides, wobble).scaled(rx, ry, rz)


def ring(radius, thickness, sides, around):
    """A torus about the y axis."""
    path = [(radius * math.cos(2 * math.pi * i / around), 0.0, radius * math.sin(2 * math.pi * i / around)) for i in range(around)]
    return tube(path, thickness, sides, loop=True)


def tube(path, radius, sides, loop=False, tips=False):
    """A round bar along a path; `radius` may be a list. The cross-section is carried without twisting."""
    n = len(path)
    radii = radius if isinstance(radius, (list, tuple)) else [radius] * n
    across, rings = None, []
    for k, p in enumerate(path):
        before = path[(k - 1) % n] if loop or k > 0 else p
        after = path[(k + 1) % n] if loop or k < n - 1 else p
        t = _unit(_sub(after, before))
        if across is None:
            across = (1.0, 0.0, 0.0) if abs(t[0]) < 0.7 else (0.0, 0.0, 1.0)
        d = _dot(across, t)
        across = _unit(tuple(c - d * e for c, e in zip(across, t)))
        other = _cross(t, across)
        r = radii[k]
        rings.append([
            tuple(p[i] + r * (math.cos(w) * across[i] + math.sin(w) * other[i]) for i in range(3))
            for w in (2 * math.pi * s / sides for s in range(sides))
        ])
    if tips:
        rings = [[path[0]]] + rings[1:-1] + [[path[-1]]]
    return loft(rings, loop)


def beam(a, b, width, depth, up=(0.0, 1.0, 0.0)):
    """A bar of rectangular section from a to b; `depth` is measured along `up`."""
    t = _unit(_sub(b, a))
    side = _unit(_cross(t, up))
    lift = _cross(side, t)
    corners = [(-width / 2, -depth / 2), (width / 2, -depth / 2), (width / 2, depth / 2), (-width / 2, depth / 2)]
    return loft([[tuple(p[i] + s * side[i] + u * lift[i] for i in range(3)) for s, u in corners] for p in (a, b)])


def prism(outline, z0, z1):
    """A convex outline [(x, y)] pulled along z."""
    return loft([[(x, y, z) for x, y in outline] for z in (z0, z1)])


def channel(pairs, x0, x1):
    """Pairs of section points ((y, z) outside, (y, z) inside) pulled along x: gutters and curtains."""
    n, points, faces = len(pairs), [], []
    for x in (x0, x1):
        for (ya, za), (yb, zb) in pairs:
            points += [(x, ya, za), (x, yb, zb)]
    for k in range(n - 1):
        a, b, c, d = 2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3
        e = 2 * n
        faces += [(a, b, d, c), (e + a, e + c, e + d, e + b), (a, c, e + c, e + a), (b, e + b, e + d, d)]
    last = 2 * n - 2
    faces += [(0, 2 * n, 2 * n + 1, 1), (last, last + 1, 2 * n + last + 1, 2 * n + last)]
    return Solid(points, faces).outward()


def pierced(xs, ys, holes, z0, z1):
    """A slab from z0 to z1 cut along xs and ys; `holes` are the (column, row) cells left out."""
    index, points, faces = {}, [], []

    def at(i, j, z):
        key = (i, j, z)
        if key not in index:
            index[key] = len(points)
            points.append((xs[i], ys[j], z))
        return index[key]

    cells = {(i, j) for i in range(len(xs) - 1) for j in range(len(ys) - 1)} - set(holes)
    for i, j in sorted(cells):
        corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        faces.append(tuple(at(*c, z1) for c in corners))
        faces.append(tuple(at(*c, z0) for c in reversed(corners)))
        beside = [(i, j - 1), (i + 1, j), (i, j + 1), (i - 1, j)]
        for k, neighbour in enumerate(beside):
            if neighbour not in cells:
                p, q = corners[k], corners[(k + 1) % 4]
                faces.append((at(*p, z0), at(*q, z0), at(*q, z1), at(*p, z1)))
    return Solid(points, faces).outward()


def ground(x0, x1, z0, z1, nx, nz, height, bottom):
    """A slab whose top follows `height(x, z)`; its underside is a fan at `bottom`."""
    points, faces = [], []
    for j in range(nz + 1):
        for i in range(nx + 1):
            x, z = x0 + (x1 - x0) * i / nx, z0 + (z1 - z0) * j / nz
            points.append((x, height(x, z), z))
    row = nx + 1
    for j in range(nz):
        for i in range(nx):
            a = j * row + i
            faces.append((a, a + row, a + row + 1, a + 1))
    rim = [i for i in range(nx)] + [j * row + nx for j in range(nz)]
    rim += [nz * row + i for i in range(nx, 0, -1)] + [j * row for j in range(nz, 0, -1)]
    start = len(points)
    points += [(points[i][0], bottom, points[i][2]) for i in rim]
    middle = len(points)
    points.append(((x0 + x1) / 2, bottom, (z0 + z1) / 2))
    for k in range(len(rim)):
        m = (k + 1) % len(rim)
        faces.append((rim[k], rim[m], start + m, start + k))
        faces.append((start + k, start + m, middle))
    return Solid(points, faces).outward()


def _sub(p, q):
    return tuple(a - b for a, b in zip(p, q))


def _dot(p, q):
    return sum(a * b for a, b in zip(p, q))


def _cross(p, q):
    return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])


def _unit(p):
    size = math.sqrt(_dot(p, p))
    return tuple(c / size for c in p)
