//! What two triangles have in common: nothing, a point, a segment, or an area.
//!
//! Which of these it is, and which edges its ends lie on, is exact; only the places of ends are rounded.

use super::{Crossed, sides};
use crate::geom::crossing::segment_crossing;
use crate::geom::flat::{View, common, compare_places, ends, segment_meets_triangle, segments_meet};
use crate::geom::orient::{Sign, accurate_volume};
use crate::math::{Point3, Real};

/// The common part of two closed triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contact {
    /// Nothing.
    None,
    /// A point.
    Point(Point3),
    /// A segment, by its ends.
    Segment([Point3; 2]),
    /// A part of their common plane.
    Area,
}

/// What two closed triangles have in common. Exact but for the rounding of places.
pub fn contact(a: &[Point3; 3], b: &[Point3; 3]) -> Contact {
    let (Some(of_b), Some(of_a)) = (sides(a, b), sides(b, a)) else {
        return Contact::None;
    };
    if of_a == [Sign::Zero; 3] || of_b == [Sign::Zero; 3] {
        return flat_contact(a, b);
    }
    Crossed::new(a, &of_a, b, &of_b).contact()
}

impl Crossed<'_> {
    /// The later of the two starts to the earlier of the two ends.
    pub(super) fn contact(&self) -> Contact {
        let (last, first) = (self.compare(1, 1), self.compare(2, 2));
        if last < Sign::Zero || first > Sign::Zero {
            return Contact::None;
        }
        let (start_by_p, end_by_p) = (self.compare(2, 1) >= Sign::Zero, self.compare(1, 2) <= Sign::Zero);
        let is_point = match (start_by_p, end_by_p) {
            (true, true) => self.p_is_point(),
            (false, false) => self.q_is_point(),
            (true, false) => first.is_zero(),
            (false, true) => last.is_zero(),
        };
        let start = if start_by_p { self.on_p(2) } else { self.on_q(1) };
        if is_point {
            return Contact::Point(start);
        }
        let end = if end_by_p { self.on_p(1) } else { self.on_q(2) };
        Contact::Segment([start, end])
    }

    fn p_is_point(&self) -> bool {
        accurate_volume(self.q[0], self.q[1], self.q[2], self.p[0]) == 0.0
    }

    fn q_is_point(&self) -> bool {
        accurate_volume(self.p[0], self.p[1], self.p[2], self.q[0]) == 0.0
    }

    fn on_p(&self, k: usize) -> Point3 {
        crossing(self.p[0], self.p[k], self.q)
    }

    fn on_q(&self, k: usize) -> Point3 {
        crossing(self.q[0], self.q[k], self.p)
    }
}

/// Where the edge `u`, `v` meets the plane of a triangle, computed from its lexicographically lower end.
fn crossing(u: &Point3, v: &Point3, [a, b, c]: [&Point3; 3]) -> Point3 {
    let (u, v) = if compare_places(u, v).is_gt() {
        (v, u)
    } else {
        (u, v)
    };
    let (from, to) = (accurate_volume(a, b, c, u), accurate_volume(a, b, c, v));
    if to == 0.0 {
        return *v;
    }
    let t = from / (from - to);
    u + (v - u) * if t.is_finite() { t } else { 0.0 }
}

fn flat_contact(a: &[Point3; 3], b: &[Point3; 3]) -> Contact {
    match (View::of(a), View::of(b)) {
        (Some(view), Some(_)) => coplanar(view, a, b),
        (None, Some(view)) => slit(&ends(a), view, b),
        (Some(view), None) => slit(&ends(b), view, a),
        (None, None) => slits(&ends(a), &ends(b)),
    }
}

/// Triangles in one plane: a line along an edge parts them, or they overlap, or they touch where such a line leaves nothing
/// but borders on both sides.
fn coplanar(view: View, a: &[Point3; 3], b: &[Point3; 3]) -> Contact {
    for (s, t) in [(a, b), (b, a)] {
        let turn = view.side(&s[0], &s[1], &s[2]);
        for k in 0..3 {
            if let Some(contact) = on_border(view, &[s[k], s[(k + 1) % 3]], turn, t) {
                return contact;
            }
        }
    }
    Contact::Area
}

/// What an edge has in common with a convex shape of which no corner lies on its `inner` side; `None` when one does.
fn on_border(view: View, edge: &[Point3; 2], inner: Sign, corners: &[Point3]) -> Option<Contact> {
    let mut on_line: Option<[Point3; 2]> = None;
    for corner in corners {
        let side = view.side(&edge[0], &edge[1], corner);
        if side.agrees(inner) {
            return None;
        }
        if side.is_zero() {
            on_line = Some([on_line.map_or(*corner, |ends| ends[0]), *corner]);
        }
    }
    Some(as_contact(on_line.and_then(|ends| common(edge, &ends))))
}

fn as_contact(part: Option<[Point3; 2]>) -> Contact {
    match part {
        None => Contact::None,
        Some([u, v]) if u == v => Contact::Point(u),
        Some(ends) => Contact::Segment(ends),
    }
}

/// A triangle on a line, by its ends, and one with area.
fn slit([p, q]: &[Point3; 2], view: View, tri: &[Point3; 3]) -> Contact {
    let [a, b, c] = tri;
    let heights = [p, q].map(|end| accurate_volume(a, b, c, end));
    if heights != [0.0, 0.0] {
        return match segment_crossing(p, q, tri) {
            Some(_) => Contact::Point(crossing(p, q, [a, b, c])),
            None => Contact::None,
        };
    }
    if !segment_meets_triangle(view, p, q, tri) {
        return Contact::None;
    }
    if p == q {
        return Contact::Point(*p);
    }
    let turn = view.side(a, b, c);
    let borders = [[*a, *b], [*b, *c], [*c, *a]];
    let along_border = borders
        .iter()
        .find_map(|edge| on_border(view, edge, turn, &[*p, *q]));
    let beside = || {
        [turn, -turn]
            .iter()
            .find_map(|side| on_border(view, &[*p, *q], *side, tri))
    };
    if let Some(contact) = along_border.or_else(beside) {
        return contact;
    }
    let (first, last) = (segment_crossing(p, q, tri), segment_crossing(q, p, tri));
    let (first, last) = (first.unwrap_or(0.0), 1.0 - last.unwrap_or(0.0));
    let at = |t: Real| p + (q - p) * t;
    as_contact(Some([at(first), at(first.max(last))]))
}

fn slits([p, q]: &[Point3; 2], [u, v]: &[Point3; 2]) -> Contact {
    if !segments_meet(p, q, u, v) {
        return Contact::None;
    }
    let (along, other) = (q - p, v - u);
    let normal = along.cross(&other);
    let area = normal.norm_squared();
    if p == q || u == v || area == 0.0 {
        return as_contact(common(&[*p, *q], &[*u, *v]));
    }
    let t = (u - p).cross(&other).dot(&normal) / area;
    Contact::Point(p + along * t.clamp(0.0, 1.0))
}
