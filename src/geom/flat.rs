//! Exact questions in a plane, and about triangles that are only segments or points.
//!
//! A plane is looked at along the largest axis of its normal, which keeps coordinates as they are; where the triangle shows no
//! area along any axis it has none.

use std::cmp::Ordering;

use super::orient::{Sign, orient2d, orient3d};
use crate::math::{Point3, Real};

/// The two coordinates that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View([usize; 2]);

impl View {
    const ALL: [Self; 3] = [Self([1, 2]), Self([2, 0]), Self([0, 1])];

    /// Along the largest component of the normal of `tri`; `None` exactly when its corners lie on a line.
    pub fn of(tri: &[Point3; 3]) -> Option<Self> {
        let [a, b, c] = tri;
        let normal = (b - a).cross(&(c - a));
        let largest = normal.iamax();
        let axes = [largest, (largest + 1) % 3, (largest + 2) % 3];
        axes.into_iter()
            .map(|axis| Self::ALL[axis])
            .find(|view| !view.side(a, b, c).is_zero())
    }

    /// A view in which some three of the points are not on a line; `None` when all lie on one.
    fn of_four(points: [&Point3; 4]) -> Option<Self> {
        let [p, q, u, v] = points;
        let triples = [[p, q, u], [p, q, v], [u, v, p], [u, v, q]];
        let shows = |view: &Self| triples.iter().any(|[a, b, c]| !view.side(a, b, c).is_zero());
        Self::ALL.into_iter().find(shows)
    }

    #[inline]
    fn seen(self, p: &Point3) -> [Real; 2] {
        self.0.map(|axis| p[axis])
    }

    /// Which side of the line from `a` to `b` is `p` on?
    #[inline]
    pub fn side(self, a: &Point3, b: &Point3, p: &Point3) -> Sign {
        orient2d(self.seen(a), self.seen(b), self.seen(p))
    }
}

/// Whether the closed segment and the closed triangle, both in the plane that `view` shows, meet: unless a line along an edge,
/// or along the segment, parts them.
pub(super) fn segment_meets_triangle(view: View, p: &Point3, q: &Point3, tri: &[Point3; 3]) -> bool {
    let [a, b, c] = tri;
    let turn = view.side(a, b, c);
    let beyond = |u, v| {
        let (of_p, of_q) = (view.side(u, v, p), view.side(u, v, q));
        of_p.opposes(turn) && of_q.opposes(turn)
    };
    if beyond(a, b) || beyond(b, c) || beyond(c, a) {
        return false;
    }
    let sides = tri.each_ref().map(|v| view.side(p, q, v));
    !(sides[0].agrees(sides[1]) && sides[1].agrees(sides[2]))
}

/// Whether two closed triangles in the plane that `view` shows meet: an edge of one meets the other, or the other lies within.
pub(super) fn triangles_meet(view: View, a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    let edges = [[0, 1], [1, 2], [2, 0]];
    edges
        .iter()
        .any(|&[i, j]| segment_meets_triangle(view, &a[i], &a[j], b))
        || segment_meets_triangle(view, &b[0], &b[0], a)
}

/// Whether two closed segments meet; either may be a point.
pub(super) fn segments_meet(p: &Point3, q: &Point3, u: &Point3, v: &Point3) -> bool {
    if !orient3d(p, q, u, v).is_zero() {
        return false;
    }
    match View::of_four([p, q, u, v]) {
        Some(view) => {
            let apart = |a, b, c, d| view.side(a, b, c).agrees(view.side(a, b, d));
            !apart(p, q, u, v) && !apart(u, v, p, q)
        }
        None => common(&[*p, *q], &[*u, *v]).is_some(),
    }
}

/// The common part of two segments on one line, lower end first.
pub(super) fn common(a: &[Point3; 2], b: &[Point3; 2]) -> Option<[Point3; 2]> {
    let ([a0, a1], [b0, b1]) = (sorted(a), sorted(b));
    let low = if compare_places(&a0, &b0).is_lt() { b0 } else { a0 };
    let high = if compare_places(&a1, &b1).is_gt() { b1 } else { a1 };
    compare_places(&low, &high).is_le().then_some([low, high])
}

/// The ends of a triangle whose corners lie on a line.
pub(super) fn ends(tri: &[Point3; 3]) -> [Point3; 2] {
    let mut corners = *tri;
    corners.sort_by(compare_places);
    [corners[0], corners[2]]
}

fn sorted([a, b]: &[Point3; 2]) -> [Point3; 2] {
    if compare_places(a, b).is_gt() {
        [*b, *a]
    } else {
        [*a, *b]
    }
}

/// Lexicographic order of coordinates, which along a line is the order on it. Zeros of both signs are equal.
pub fn compare_places(a: &Point3, b: &Point3) -> Ordering {
    let coordinate = |k: usize| a[k].partial_cmp(&b[k]).unwrap_or(Ordering::Equal);
    coordinate(0).then(coordinate(1)).then(coordinate(2))
}
