//! Births evenly in a ball.

use super::Place;
use crate::math::{Point3, Real};
use crate::rng::Stream;

/// A ball by its middle and radius [m].
pub struct Ball {
    /// Middle.
    pub center: Point3,
    /// Radius.
    pub radius: Real,
}

impl Place for Ball {
    fn place(&self, _index: u64, _radius: Real, draws: &mut Stream) -> Point3 {
        self.center + draws.in_ball() * self.radius
    }
}
