//! Births evenly over a disc.

use super::Place;
use crate::math::{Point3, Real, Vec3, perpendiculars};
use crate::rng::Stream;

/// A disc by its middle and two perpendicular radii [m].
pub struct Disc {
    center: Point3,
    u: Vec3,
    v: Vec3,
}

impl Disc {
    /// A disc of this radius [m] about `center`; `normal` is a unit vector.
    pub fn new(center: Point3, normal: Vec3, radius: Real) -> Self {
        let (u, v) = perpendiculars(&normal);
        Self {
            center,
            u: u * radius,
            v: v * radius,
        }
    }
}

impl Place for Disc {
    fn place(&self, _index: u64, _radius: Real, draws: &mut Stream) -> Point3 {
        let [a, b] = draws.in_disc();
        self.center + self.u * a + self.v * b
    }
}
