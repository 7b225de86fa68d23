//! First common point of a closed segment and a closed triangle.
//!
//! Watertight: two triangles that share an edge agree, to the last bit, on which side of it a line passes,
//! so nothing slips between them.

use super::ROUNDOFF;
use super::canonical::{larger, smaller};
use super::closest_point::closest_point;
use crate::math::{Point3, Real, Vec3};

/// How near counts as lying in the triangle where there is no crossing to decide by sign: times
/// [`ROUNDOFF`] times the largest coordinate.
const ZONE: Real = 16.0;

/// The smallest t in 0 .. 1 for which `o + t d` lies in the triangle, if there is one. Segments without
/// length, segments in the triangle's plane and degenerate triangles are decided within rounding of the
/// coordinates.
pub fn segment_triangle(o: &Point3, d: &Vec3, tri: &[Point3; 3]) -> Option<Real> {
    match View::along(o, d, tri) {
        View::Crossed(t) if (0.0..=1.0).contains(&t) => Some(t),
        View::Crossed(_) | View::Passed => None,
        View::EdgeOn => edge_on(o, d, tri),
    }
}

/// The parameter at which the endless line `o + t d` crosses the triangle's interior or border; `None` when
/// it passes beside it or lies in its plane.
#[inline]
pub(super) fn line_crossing(o: &Point3, d: &Vec3, tri: &[Point3; 3]) -> Option<Real> {
    match View::along(o, d, tri) {
        View::Crossed(t) => Some(t),
        View::Passed | View::EdgeOn => None,
    }
}

/// A triangle as seen along a line.
enum View {
    /// The line goes through it, at this parameter.
    Crossed(Real),
    /// The line goes by.
    Passed,
    /// No area is seen: the line is in the plane, or the triangle or the line is degenerate.
    EdgeOn,
}

impl View {
    /// Shears the corners so that the line becomes an axis, and looks along it (Woop, Benthin, Wald 2013,
    /// "Watertight Ray/Triangle Intersection", section 3).
    ///
    /// We scale by the longest component of `d` instead of dividing by it, so small integers stay exact.
    /// A corner is sheared alike in every triangle. The side of an edge is the sign of a difference of two
    /// products, and rounding is monotone, so that sign is never the wrong one for the sheared corners,
    /// only at worst zero, which counts as inside on both sides of the edge.
    #[inline]
    fn along(o: &Point3, d: &Vec3, tri: &[Point3; 3]) -> Self {
        let z = d.iamax();
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        if d[z] == 0.0 {
            return Self::EdgeOn;
        }
        let [a, b, c] = tri.map(|p| {
            let p = p - o;
            [p[x] * d[z] - d[x] * p[z], p[y] * d[z] - d[y] * p[z], p[z]]
        });
        let (u, v, w) = (side(&b, &c), side(&c, &a), side(&a, &b));
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return Self::Passed;
        }
        let area = u + v + w;
        if area == 0.0 {
            return Self::EdgeOn;
        }
        // A mean of the corners' heights, so it stays between them even for slivers.
        Self::Crossed((u * a[2] + v * b[2] + w * c[2]) / area / d[z])
    }
}

/// Twice the signed area of the origin and the sheared points `p`, `q`: antisymmetric to the last bit.
#[inline]
fn side(p: &[Real; 3], q: &[Real; 3]) -> Real {
    p[0] * q[1] - p[1] * q[0]
}

/// Segment and triangle in one plane, or one of them degenerate: the distance from the segment's points to
/// the triangle is convex, so the first point within rounding of it is found between the start and the
/// nearest point, and each edge is met at most once.
pub(super) fn edge_on(o: &Point3, d: &Vec3, tri: &[Point3; 3]) -> Option<Real> {
    let extent = |v: &Vec3| larger(v.x.abs(), larger(v.y.abs(), v.z.abs()));
    let corners = tri.iter().fold(0.0, |s, p| larger(extent(&p.coords), s));
    let near = ZONE * ROUNDOFF * larger(corners, larger(extent(&o.coords), extent(d)));
    if closest_point(o, tri).distance <= near {
        return Some(0.0);
    }
    let mut first: Option<Real> = None;
    for k in 0..3 {
        let t = meeting(o, d, &tri[k], &tri[(k + 1) % 3]);
        let inside = closest_point(&(o + d * t), tri).distance <= near;
        if inside && first.is_none_or(|f| t < f) {
            first = Some(t);
        }
    }
    first
}

/// The parameter in 0 .. 1 at which the segment comes nearest to the edge `p`, `q`, the first of several.
fn meeting(o: &Point3, d: &Vec3, p: &Point3, q: &Point3) -> Real {
    let (e, m) = (q - p, o - p);
    let (dd, ee) = (d.norm_squared(), e.norm_squared());
    if dd == 0.0 {
        return 0.0;
    }
    let clamp = |t: Real| smaller(larger(t, 0.0), 1.0);
    let toward = |x: &Point3| clamp((x - o).dot(d) / dd);
    let normal2 = d.cross(&e).norm_squared();
    if normal2 <= 1e-24 * dd * ee {
        // Along the edge: the end that is met first.
        return smaller(toward(p), toward(q));
    }
    // Unclamped nearest points of the two lines, then the edge's end where that falls beyond it.
    let s = m.cross(d).dot(&e.cross(d)) / normal2;
    if s <= 0.0 {
        toward(p)
    } else if s >= 1.0 {
        toward(q)
    } else {
        clamp(m.cross(&e).dot(&e.cross(d)) / normal2)
    }
}
