//! The point of a triangle closest to a given point.
//!
//! The foot on the plane if it lies inside, else the nearest point of the edges it lies outside of: no
//! barycentric weights, which lose the square of the aspect ratio on slivers.

use super::Feature;
use super::canonical::{Corners, ENDS};
use crate::math::{Point3, Real, Vec3};

/// The closest point of a triangle to a point `p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// The point of the triangle.
    pub point: Point3,
    /// From `point` to `p`, rounded once relative to the triangle rather than twice through `point`.
    pub offset: Vec3,
    /// Length of `offset`.
    pub distance: Real,
    /// The part of the triangle that `point` lies on.
    pub feature: Feature,
}

/// The closest point of the closed triangle `tri` to `p`. Degenerate triangles are taken as their edges and
/// corners. Never fails; numbers that are not finite come out as a distance that is not finite.
pub fn closest_point(p: &Point3, tri: &[Point3; 3]) -> Closest {
    closest_on(p, &Corners::of(tri))
}

pub(super) fn closest_on(p: &Point3, tri: &Corners) -> Closest {
    let mut outside = [true; 3];
    if let Some(face) = &tri.face {
        let m = [p - tri.v[0], p - tri.v[1], p - tri.v[0]];
        let inward = tri.inward(face);
        for k in 0..3 {
            outside[k] = inward[k].dot(&m[k]) <= 0.0;
        }
        if outside == [false; 3] {
            let offset = face.n * (face.n.dot(&m[0]) / face.nn);
            return Closest {
                point: p - offset,
                offset,
                distance: offset.norm(),
                feature: Feature::Face,
            };
        }
    }
    let mut best: Option<(Real, Closest)> = None;
    for k in (0..3).filter(|&k| outside[k]) {
        let candidate = closest_on_edge(p, tri, k);
        let d2 = candidate.offset.norm_squared();
        if best.is_none_or(|(b, _)| d2 < b) {
            best = Some((d2, candidate));
        }
    }
    let mut closest = best.map_or_else(|| closest_on_edge(p, tri, 0), |(_, c)| c);
    closest.distance = closest.offset.norm();
    closest
}

/// Closest point of one edge; `distance` is left for the caller, who wants only the smallest.
fn closest_on_edge(p: &Point3, tri: &Corners, k: usize) -> Closest {
    let [lower, upper] = ENDS[k];
    let e = tri.e[k];
    let (m, ee) = (p - tri.v[lower], e.norm_squared());
    let along = m.dot(&e);
    let at_corner = |corner: usize| Closest {
        point: tri.v[corner],
        offset: p - tri.v[corner],
        distance: 0.0,
        feature: tri.vertex(corner),
    };
    if along > 0.0 && along < ee {
        let foot = e * (along / ee);
        Closest {
            point: tri.v[lower] + foot,
            offset: m - foot,
            distance: 0.0,
            feature: tri.edge(k),
        }
    } else if along > 0.0 {
        at_corner(upper)
    } else {
        at_corner(lower)
    }
}
