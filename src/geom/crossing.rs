//! Whether a segment or a ray meets a triangle, by exact signs alone.
//!
//! No point of intersection is computed to decide. Two triangles at an edge ask for the same signs, so a ray into a closed
//! surface meets it, whatever edge or corner it aims at.

use super::flat::{View, ends, segment_meets_triangle, segments_meet};
use super::orient::{Sign, orient3d};
use super::segment_triangle::edge_on;
use crate::math::{Point3, Real};

/// Whether the closed segment from `p` to `q` and the closed triangle have a point in common; either may be degenerate. Exact.
pub fn segment_meets(p: &Point3, q: &Point3, tri: &[Point3; 3]) -> bool {
    let sides = [side(tri, p), side(tri, q)];
    if sides[0].agrees(sides[1]) {
        false
    } else if sides == [Sign::Zero; 2] {
        flat_meets(p, q, tri)
    } else {
        pierces(p, q, tri).is_some()
    }
}

/// The parameter in 0 .. 1 of the first common point of the segment from `p` to `q` and the triangle, exact in whether there is
/// one and within rounding in where it is.
pub fn segment_crossing(p: &Point3, q: &Point3, tri: &[Point3; 3]) -> Option<Real> {
    if !segment_meets(p, q, tri) {
        return None;
    }
    let along = q - p;
    let [a, b, c] = tri;
    let sides = [side(tri, p), side(tri, q)];
    if sides == [Sign::Zero; 2] {
        return Some(edge_on(p, &along, tri).unwrap_or(0.0));
    }
    let normal = (b - a).cross(&(c - a));
    let (from, to) = ((a - p).dot(&normal), (q - a).dot(&normal));
    let t = match sides {
        [Sign::Zero, _] => 0.0,
        [_, Sign::Zero] => 1.0,
        _ => from / (from + to),
    };
    Some(if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 })
}

/// Whether the ray that starts at `o` and goes on through `through` for ever meets the closed triangle. Exact; a ray whose two
/// points are one is that point.
pub fn ray_meets(o: &Point3, through: &Point3, tri: &[Point3; 3]) -> bool {
    let from = side(tri, o);
    match pierces(o, through, tri) {
        // The way the line turns about the edges tells which side it comes from.
        Some(turn) if !turn.is_zero() => from.is_zero() || from == turn,
        Some(_) => ray_meets_edge_on(o, through, tri),
        None => false,
    }
}

#[inline]
fn side(tri: &[Point3; 3], p: &Point3) -> Sign {
    orient3d(&tri[0], &tri[1], &tri[2], p)
}

/// Whether the line through `p` and `q` passes no edge on the outer side; the sign tells from which side of the triangle it
/// goes through: positive from where [`orient3d`] is. Zero: it shows no area.
#[inline]
fn pierces(p: &Point3, q: &Point3, tri: &[Point3; 3]) -> Option<Sign> {
    let [a, b, c] = tri;
    let first = orient3d(p, q, a, b);
    let second = orient3d(p, q, b, c);
    if first.opposes(second) {
        return None;
    }
    let third = orient3d(p, q, c, a);
    if first.opposes(third) || second.opposes(third) {
        return None;
    }
    let turns = [first, second, third];
    Some(-*turns.iter().find(|s| !s.is_zero()).unwrap_or(&Sign::Zero))
}

/// Both ends in the plane of the triangle, or a triangle on a line.
fn flat_meets(p: &Point3, q: &Point3, tri: &[Point3; 3]) -> bool {
    match View::of(tri) {
        Some(view) => segment_meets_triangle(view, p, q, tri),
        None => {
            let [u, v] = ends(tri);
            segments_meet(p, q, &u, &v)
        }
    }
}

/// A ray in the plane of the triangle, or through a triangle on a line. Past the farthest corner nothing can be met, so
/// the segment that far is asked instead; its end is rounded, by which only a touch at the very end of a degenerate triangle
/// may be lost.
fn ray_meets_edge_on(o: &Point3, through: &Point3, tri: &[Point3; 3]) -> bool {
    let along = through - o;
    let length = along.norm();
    let reach = tri.iter().map(|v| (v - o).norm()).fold(0.0, Real::max);
    if length == 0.0 || reach <= length {
        return segment_meets(o, through, tri);
    }
    let Some(view) = View::of(tri) else {
        let far = o + along * (2.0 * reach / length);
        return segment_meets(o, &far, tri);
    };
    // In the plane: the line must pass between the corners, and not wholly behind the start.
    let [a, b, c] = tri;
    let sides = [a, b, c].map(|v| view.side(o, through, v));
    if sides[0].agrees(sides[1]) && sides[1].agrees(sides[2]) {
        return false;
    }
    let ahead = |v: &Point3| (v - o).dot(&along) >= 0.0;
    segment_meets_triangle(view, o, through, tri)
        || [[a, b], [b, c], [c, a]].iter().any(|[u, v]| {
            let (side_u, side_v) = (view.side(o, through, u), view.side(o, through, v));
            let crosses = !side_u.agrees(side_v);
            let turn = view.side(u, v, o);
            // The ray nears the edge's line from the start's side when it leads to where the edge lies.
            crosses
                && match (side_u.is_zero(), side_v.is_zero()) {
                    (true, true) => ahead(u) || ahead(v),
                    (true, false) => ahead(u),
                    (false, true) => ahead(v),
                    (false, false) => turn.is_zero() || turn == -side_u,
                }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRI: [[Real; 3]; 3] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];

    fn ray(o: [Real; 3], through: [Real; 3]) -> bool {
        ray_meets(&Point3::from(o), &Point3::from(through), &TRI.map(Point3::from))
    }

    #[test]
    fn rays_go_on_for_ever_and_only_ahead() {
        for (x, y, inside) in [
            (0.5, 0.5, true),
            (1.0, 1.0, true),
            (0.0, 0.0, true),
            (1.5, 1.0, false),
            (-0.1, 0.5, false),
        ] {
            for z in [1.0, -1.0] {
                assert_eq!(ray([x, y, 5.0 * z], [x, y, 4.0 * z]), inside, "{x} {y} {z}");
                assert!(!ray([x, y, 4.0 * z], [x, y, 5.0 * z]), "away {x} {y} {z}");
                assert_eq!(
                    ray([x, y, 0.0], [x, y, z]),
                    inside,
                    "starts in the plane {x} {y} {z}"
                );
            }
        }
    }

    #[test]
    fn rays_in_the_plane_meet_what_lies_ahead() {
        assert!(ray([5.0, 0.5, 0.0], [4.0, 0.5, 0.0]));
        assert!(!ray([4.0, 0.5, 0.0], [5.0, 0.5, 0.0]));
        assert!(!ray([5.0, 2.5, 0.0], [4.0, 2.5, 0.0]));
        assert!(ray([5.0, 0.0, 0.0], [4.0, 0.0, 0.0]), "along an edge");
        assert!(ray([0.5, 0.5, 0.0], [9.0, 0.5, 0.0]), "from within");
        assert!(
            ray([-1.0, -0.5, 0.0], [-0.5, 0.0, 0.0]),
            "up to the edge at an angle"
        );
        assert!(!ray([-1.0, -0.5, 0.0], [-1.5, -1.0, 0.0]), "the same way back");
    }

    #[test]
    fn triangles_on_a_line_are_segments() {
        let slit = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]].map(Point3::from);
        let meets = |p: [Real; 3], q: [Real; 3]| segment_meets(&Point3::from(p), &Point3::from(q), &slit);
        assert!(meets([2.0, 2.0, 0.0], [2.0, 2.0, 4.0]));
        assert!(meets([3.0, 3.0, 3.0], [4.0, 3.0, 3.0]));
        assert!(meets([2.5, 2.5, 2.5], [9.0, 9.0, 9.0]));
        assert!(!meets([3.5, 3.5, 3.5], [9.0, 9.0, 9.0]));
        assert!(!meets([2.0, 2.0, 3.0], [2.0, 2.0, 4.0]));
        assert!(!meets([2.0, 2.5, 0.0], [2.0, 2.5, 4.0]));
        assert!(meets([1.5, 1.5, 1.5], [1.5, 1.5, 1.5]));
    }
}
