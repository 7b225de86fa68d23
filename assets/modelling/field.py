"""Organic solids: fields of soft unions of simple shapes, and the closed surface where a field is zero.

A field is a function of (x, y, z), negative inside, whose slope is one or less. The surface is found by
surface nets (Gibson 1998): a vertex in each cell that the surface crosses, a quad across each crossing edge.
"""

import math

from .solid import Solid

BLOCK = 4  # cells that are skipped together where the surface is far away
FAR = 0.12  # beyond this a part does not matter to the surface [m]; more than any softness


def ball(center, radius):
    """An ellipsoid; `radius` is a number or three."""
    radii = (radius,) * 3 if isinstance(radius, (int, float)) else radius

    def distance(x, y, z):
        q = [(a - c) / r for a, c, r in zip((x, y, z), center, radii)]
        k = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
        steep = math.sqrt(sum((a / r) ** 2 for a, r in zip(q, radii)))
        return k * (k - 1.0) / steep if steep > 1e-9 else -min(radii)

    return distance


def limb(a, b, ra, rb):
    """A round bar from a to b whose radius goes from `ra` to `rb`."""
    along = tuple(q - p for p, q in zip(a, b))
    length2 = sum(c * c for c in along)

    def distance(x, y, z):
        d = (x - a[0], y - a[1], z - a[2])
        t = min(1.0, max(0.0, (d[0] * along[0] + d[1] * along[1] + d[2] * along[2]) / length2))
        gap = math.sqrt(sum((c - t * e) ** 2 for c, e in zip(d, along)))
        return gap - (ra + (rb - ra) * t)

    return distance


def turned(radius, y0, y1, flat=1.0, steep=0.7):
    """A solid of revolution about the y axis, `radius(y, angle)` thick and `flat` times as deep as wide."""

    def distance(x, y, z):
        z = z / flat
        out = math.sqrt(x * x + z * z) - radius(min(y1, max(y0, y)), math.atan2(z, x))
        return max(steep * min(1.0, flat) * out, y0 - y, y - y1)

    return distance


def join(parts, soft):
    """The union; parts nearer to each other than about `soft` melt together."""

    def distance(x, y, z):
        best = parts[0](x, y, z)
        for part in parts[1:]:
            d = part(x, y, z)
            h = soft - abs(best - d)
            best = min(best, d) - (h * h / (4.0 * soft) if h > 0.0 else 0.0)
        return best

    return distance


def near(part, center, reach):
    """The same part for a union, told cheaply where it is farther away than matters: outside of `reach`."""

    def distance(x, y, z):
        gap = math.sqrt((x - center[0]) ** 2 + (y - center[1]) ** 2 + (z - center[2]) ** 2) - reach
        return gap if gap > FAR else part(x, y, z)

    return distance


def carve(body, tool, soft):
    """The body without the tool, with a rounded rim."""

    def distance(x, y, z):
        a, b = body(x, y, z), -tool(x, y, z)
        h = soft - abs(a - b)
        return max(a, b) + (h * h / (4.0 * soft) if h > 0.0 else 0.0)

    return distance


def surface(field, low, high, cell):
    """The closed surface of the field in a box that it must not touch, in cells of `cell` metres."""
    counts = [int((b - a) / cell) // BLOCK * BLOCK + BLOCK for a, b in zip(low, high)]
    values = _sample(field, low, counts, cell)
    index, points = {}, []
    for key in sorted({c for key in values for c in _cells_round(key)}):
        for sheet, point in sorted(_crossings(values, key).items()):
            index[key, sheet] = len(points)
            settled = _settle(field, [low[a] + cell * p for a, p in enumerate(point)], cell)
            # Well inside its cell: vertices of neighbouring cells do not meet.
            points.append(tuple(b + cell * min(k + 0.98, max(k + 0.02, (p - b) / cell)) for p, b, k in zip(settled, low, key)))
    faces = []
    for key, here in sorted(values.items()):
        for axis in range(3):
            end = tuple(c + (a == axis) for a, c in enumerate(key))
            if end not in values or (here < 0.0) == (values[end] < 0.0):
                continue
            quad = []
            for du, dv in ((0, 0), (-1, 0), (-1, -1), (0, -1)):
                step = [0, 0, 0]
                step[(axis + 1) % 3], step[(axis + 2) % 3] = du, dv
                home = tuple(c + d for c, d in zip(key, step))
                a, b = (tuple(p - c for p, c in zip(q, home)) for q in (key, end))
                quad.append(index[home, _sheet(_labels(values, home), a, b)])
            faces.append(tuple(quad if here < 0.0 else reversed(quad)))
    return Solid(points, faces).outward()


def _sample(field, low, counts, cell):
    """Values at the grid's corners, only in blocks that the surface may cross."""
    # A cell that the surface crosses lies in a block that is kept, so the others need no corners.
    values, reach = {}, 0.5 * math.sqrt(3.0) * BLOCK * cell * 1.05
    for i in range(0, counts[0], BLOCK):
        for j in range(0, counts[1], BLOCK):
            for k in range(0, counts[2], BLOCK):
                middle = [low[a] + cell * (c + BLOCK / 2) for a, c in enumerate((i, j, k))]
                if abs(field(*middle)) > reach:
                    continue
                for a in range(i, i + BLOCK + 1):
                    for b in range(j, j + BLOCK + 1):
                        for c in range(k, k + BLOCK + 1):
                            if (a, b, c) not in values:
                                values[a, b, c] = field(low[0] + cell * a, low[1] + cell * b, low[2] + cell * c)
    return values


def _cells_round(key):
    i, j, k = key
    return [(i - a, j - b, k - c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


CORNERS = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PAIRS = [(i, j, sum(abs(a - b) for a, b in zip(p, q))) for i, p in enumerate(CORNERS) for j, q in enumerate(CORNERS) if i < j]
EDGES = [(CORNERS[i], CORNERS[j]) for i, j, apart in PAIRS if apart == 1]


def _labels(values, home):
    """For each corner of a cell the first corner that it hangs together with; None where values are missing.

    Corners inside hang together along edges, those outside across faces as well, so two sheets of the surface
    that share a cell get a vertex each and the surface stays one that can be walked on.
    """
    at = [values.get(tuple(c + d for c, d in zip(home, corner))) for corner in CORNERS]
    if any(v is None for v in at):
        return None
    label = list(range(8))
    for _ in range(4):
        for p, q, apart in PAIRS:
            inside = at[p] < 0.0
            if inside == (at[q] < 0.0) and apart <= (1 if inside else 2):
                label[p] = label[q] = min(label[p], label[q])
    return {corner: (l, v) for corner, l, v in zip(CORNERS, label, at)}


def _sheet(labels, a, b):
    """The sheet that the edge from corner a to corner b crosses."""
    return tuple(sorted((labels[a][0], labels[b][0])))


def _crossings(values, home):
    """Mean of the places where each sheet crosses the cell's edges, in cells."""
    labels = _labels(values, home)
    found = {}
    for p, q in EDGES if labels else ():
        v, w = labels[p][1], labels[q][1]
        if (v < 0.0) != (w < 0.0):
            t = v / (v - w)
            found.setdefault(_sheet(labels, p, q), []).append([c + a + t * (b - a) for c, a, b in zip(home, p, q)])
    return {sheet: [sum(c) / len(places) for c in zip(*places)] for sheet, places in found.items()}


def _settle(field, point, cell):
    """The point moved along the slope towards the surface, by half a cell at the most."""
    step = 0.05 * cell
    value = field(*point)
    slope = []
    for axis in range(3):
        moved = list(point)
        moved[axis] += step
        slope.append((field(*moved) - value) / step)
    size = math.sqrt(sum(c * c for c in slope))
    if size < 1e-6:
        return tuple(point)
    by = max(-0.5 * cell, min(0.5 * cell, value / size))
    return tuple(p - by * c / size for p, c in zip(point, slope))
