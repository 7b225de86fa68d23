//! The combined cylinder and sphere test of Karabassi, Papaioannou, Theoharis 1999, "Intersection Test for
//! Collision Detection in Particle Systems", sections 3 and 4, for the paper's own figures.
//!
//! It answers yes or no rightly for a sphere that starts clear, but stops it late, often with its centre on
//! the plane: a stopped sphere that moves again can leak, which [`sweep_exact`](super::sweep_exact) cannot.

use super::canonical::{Corners, ENDS};
use super::closest_point::closest_on;
use super::sweep_exact::misses_box;
use crate::math::{Point3, Real, Vec3};

/// The step of the paper's text that gave the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Branch {
    /// Parallel to the plane: a corner in the cylinder.
    Par5,
    /// Parallel to the plane: the start lies over the triangle.
    Par6,
    /// Parallel to the plane: the centre crosses over an edge.
    Par7,
    /// The centre crosses the triangle.
    Int4,
    /// An edge comes within the radius of the axis.
    Int6,
    /// The sphere at the end of the sweep touches the triangle.
    Cap,
}

/// Where the 1999 test stops a sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Fraction of the sweep, 0 .. 1; 1 for [`Branch::Cap`]. Never before the exact first touch.
    pub t: Real,
    /// Which step answered.
    pub branch: Branch,
    /// The point of the triangle closest to the stopped centre.
    pub point: Point3,
    /// The triangle's unit normal turned against the motion; towards the centre if they are parallel.
    pub normal: Vec3,
}

/// Whether the sphere of radius `r` >= 0 moving from `c1` to `c2` collides with `tri`, and where it stops.
///
/// The paper leaves some points open; read here: all sets are closed; N is the unit normal; the axis is
/// parallel only if A . N is exactly 0; "inside the cylinder" means the finite one; the sphere at `c1` is
/// never looked at. Degenerate triangles, which have no N, give `None`: count them with
/// [`is_degenerate`](super::is_degenerate).
pub fn sweep_karabassi(c1: &Point3, c2: &Point3, r: Real, tri: &[Point3; 3]) -> Option<Stop> {
    let d = c2 - c1;
    // Every answer of the paper is a real overlap, so a box that the sphere never enters gives none.
    if misses_box(c1, &d, r, tri) {
        return None;
    }
    let corners = Corners::of(tri);
    let face = corners.face.as_ref()?;
    let normal = face.n / face.nn.sqrt();
    let capsule = Capsule {
        c1,
        d,
        r,
        tri: &corners,
        inward: corners.inward(face),
        normal,
    };
    let (t, branch) = capsule.cylinder().or_else(|| capsule.cap(c2))?;
    let q = c1 + capsule.d * t;
    let closest = closest_on(&q, &corners);
    let against = match normal.dot(&capsule.d) {
        change if change != 0.0 => -change,
        _ => normal.dot(&closest.offset),
    };
    Some(Stop {
        t,
        branch,
        point: closest.point,
        normal: if against < 0.0 { -normal } else { normal },
    })
}

/// The trace of the sphere, and the triangle.
struct Capsule<'a> {
    c1: &'a Point3,
    /// C2 - C1.
    d: Vec3,
    r: Real,
    tri: &'a Corners,
    /// See [`Corners::inward`].
    inward: [Vec3; 3],
    /// T.N of the paper.
    normal: Vec3,
}

impl Capsule<'_> {
    /// Section 4, the cylinder without its caps. Parameters along the axis run from 0 at C1 to 1 at C2, so
    /// the paper's backward unit vector A is not needed.
    fn cylinder(&self) -> Option<(Real, Branch)> {
        let dd = self.d.norm_squared();
        if dd == 0.0 {
            return None;
        }
        // Step 2: all corners behind the same cap.
        let behind = self.tri.v.map(|p| (p - self.c1).dot(&self.d) < 0.0);
        let beyond = self.tri.v.map(|p| (p - self.c1 - self.d).dot(&self.d) > 0.0);
        if behind == [true; 3] || beyond == [true; 3] {
            return None;
        }
        let change = self.normal.dot(&self.d);
        if change == 0.0 {
            self.parallel(dd)
        } else {
            self.crossing(dd, change)
        }
    }

    /// Par4 to Par7: the axis is parallel to the plane.
    fn parallel(&self, dd: Real) -> Option<(Real, Branch)> {
        let height = self.normal.dot(&(self.c1 - self.tri.v[0]));
        if height.abs() > self.r {
            return None;
        }
        let corner = first(self.tri.v.iter().filter_map(|p| self.within(p, dd)));
        if let Some(t) = corner {
            return Some((t, Branch::Par5));
        }
        if self.is_over_face(self.c1) {
            return Some((0.0, Branch::Par6));
        }
        first((0..3).filter_map(|k| self.crossing_over(k))).map(|t| (t, Branch::Par7))
    }

    /// Int4 to Int6: the axis crosses the plane.
    fn crossing(&self, dd: Real, change: Real) -> Option<(Real, Branch)> {
        let t = -self.normal.dot(&(self.c1 - self.tri.v[0])) / change;
        if (0.0..=1.0).contains(&t) && self.is_over_face(&(self.c1 + self.d * t)) {
            return Some((t, Branch::Int4));
        }
        let nearest = (0..3).filter_map(|k| self.within(&self.nearest_to_axis(k, dd), dd));
        first(nearest).map(|t| (t, Branch::Int6))
    }

    /// Section 3, the sphere at its final position.
    fn cap(&self, c2: &Point3) -> Option<(Real, Branch)> {
        let radius2 = self.r * self.r;
        let touches = self.normal.dot(&(c2 - self.tri.v[0])).abs() <= self.r
            && (self.tri.v.iter().any(|p| (c2 - p).norm_squared() <= radius2)
                || self.is_over_face(c2)
                || (0..3).any(|k| self.sphere_meets_edge(c2, k, radius2)));
        touches.then_some((1.0, Branch::Cap))
    }

    /// The axial parameter of `p` if it lies in the finite closed cylinder.
    fn within(&self, p: &Point3, dd: Real) -> Option<Real> {
        let m = p - self.c1;
        let t = m.dot(&self.d) / dd;
        let inside = (0.0..=1.0).contains(&t) && (m - self.d * t).norm_squared() <= self.r * self.r;
        inside.then_some(t)
    }

    /// Whether the foot of `p` on the plane lies in the closed triangle.
    fn is_over_face(&self, p: &Point3) -> bool {
        let [low, mid] = [p - self.tri.v[0], p - self.tri.v[1]];
        let inward = &self.inward;
        inward[0].dot(&low) >= 0.0 && inward[1].dot(&mid) >= 0.0 && inward[2].dot(&low) >= 0.0
    }

    /// Par7: where the centre's projection crosses edge `k`; edges parallel to the motion are skipped.
    fn crossing_over(&self, k: usize) -> Option<Real> {
        let m = self.tri.v[ENDS[k][0]] - self.c1;
        let e = self.tri.e[k];
        let turn = self.normal.dot(&self.d.cross(&e));
        if turn == 0.0 {
            return None;
        }
        let t = self.normal.dot(&m.cross(&e)) / turn;
        let s = self.normal.dot(&m.cross(&self.d)) / turn;
        ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&s)).then_some(t)
    }

    /// Section 4.1, the point of edge `k` nearest to the endless axis. With P = P_a + t (P_b - P_a) and all
    /// seen along the axis, formula (3) is t = (d_a^2 - d_b^2 + s^2) / (2 s^2); an edge parallel to the axis
    /// has s = 0 and gives P_a.
    fn nearest_to_axis(&self, k: usize, dd: Real) -> Point3 {
        let [pa, pb] = ENDS[k].map(|i| self.tri.v[i]);
        let seen = |p: &Point3| {
            let m = p - self.c1;
            m - self.d * (m.dot(&self.d) / dd)
        };
        let (a, b) = (seen(&pa), seen(&pb));
        let s2 = (b - a).norm_squared();
        let t = (a.norm_squared() - b.norm_squared() + s2) / (2.0 * s2);
        if s2 == 0.0 || t <= 0.0 {
            pa
        } else if t >= 1.0 {
            pb
        } else {
            pa + self.tri.e[k] * t
        }
    }

    /// Section 3.1: the foot of the centre on edge `k` lies on it and in the sphere.
    fn sphere_meets_edge(&self, center: &Point3, k: usize, radius2: Real) -> bool {
        let (m, e) = (center - self.tri.v[ENDS[k][0]], self.tri.e[k]);
        let t = m.dot(&e) / e.norm_squared();
        (0.0..=1.0).contains(&t) && (m - e * t).norm_squared() <= radius2
    }
}

/// The smallest of some parameters.
fn first(parameters: impl Iterator<Item = Real>) -> Option<Real> {
    parameters.reduce(Real::min)
}
