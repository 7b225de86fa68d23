//! First contact with a triangle whose corners move, each along a straight line at its own steady speed.

pub mod point;
pub mod sphere;

use super::ROUNDOFF;
use crate::math::{Point3, Real, Vec3};

/// A triangle and where its corners go from t = 0 to t = 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingTriangle {
    /// Corners at t = 0.
    pub from: [Point3; 3],
    /// Corners at t = 1.
    pub to: [Point3; 3],
}

impl MovingTriangle {
    /// Corners at `t`, exactly `from` at 0 and `to` at 1.
    #[inline]
    pub fn at(&self, t: Real) -> [Point3; 3] {
        if t >= 1.0 {
            return self.to;
        }
        let mut corners = self.from;
        for (corner, to) in corners.iter_mut().zip(&self.to) {
            *corner += (to - *corner) * t;
        }
        corners
    }

    /// Displacements of the corners from t = 0 to t = 1.
    #[inline]
    pub fn displacements(&self) -> [Vec3; 3] {
        [0, 1, 2].map(|k| self.to[k] - self.from[k])
    }

    /// Displacement of the material point at `point` of the triangle at `t`, which lies within rounding of it.
    pub fn displacement_at(&self, t: Real, point: &Point3) -> Vec3 {
        let weights = weights(&self.at(t), point);
        let [a, b, c] = self.displacements();
        a * weights[0] + b * weights[1] + c * weights[2]
    }

    /// Largest coordinate [m].
    fn size(&self) -> Real {
        let corners = self.from.iter().chain(&self.to);
        corners.map(|p| p.coords.amax()).fold(0.0, Real::max)
    }
}

/// Weights of the corners that make up a point of a triangle, each in 0 .. 1, together 1. Of a triangle without area those
/// along its longest edge.
pub fn weights(tri: &[Point3; 3], point: &Point3) -> [Real; 3] {
    let [a, b, c] = tri;
    let normal = (b - a).cross(&(c - a));
    let doubled = normal.norm_squared();
    let raw = if doubled > 0.0 {
        let part = |u: &Point3, v: &Point3| (u - point).cross(&(v - point)).dot(&normal) / doubled;
        [part(b, c), part(c, a), part(a, b)]
    } else {
        along_longest(tri, point)
    };
    let kept = raw.map(|w| if w > 0.0 { w.min(1.0) } else { 0.0 });
    let sum = kept[0] + kept[1] + kept[2];
    if sum > 0.0 {
        kept.map(|w| w / sum)
    } else {
        [1.0, 0.0, 0.0]
    }
}

fn along_longest(tri: &[Point3; 3], point: &Point3) -> [Real; 3] {
    let length = |k: usize| (tri[(k + 1) % 3] - tri[k]).norm_squared();
    let longest = (0..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
    let (u, v) = (longest, (longest + 1) % 3);
    let edge = tri[v] - tri[u];
    let share = (point - tri[u]).dot(&edge) / length(longest);
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    };
    let mut weights = [0.0; 3];
    weights[u] = 1.0 - share;
    weights[v] += share;
    weights
}

/// [`ROUNDOFF`] times the largest number of a query.
fn zone(size: Real) -> Real {
    ROUNDOFF * size
}
