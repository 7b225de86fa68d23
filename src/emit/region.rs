//! Births evenly in an axis-aligned box.

use super::Place;
use crate::math::{Aabb, Point3, Real};
use crate::rng::Stream;

/// The box [m].
pub struct Region(pub Aabb);

impl Place for Region {
    fn place(&self, _index: u64, _radius: Real, draws: &mut Stream) -> Point3 {
        let Aabb { min, max } = self.0;
        Point3::new(
            draws.between(min.x, max.x),
            draws.between(min.y, max.y),
            draws.between(min.z, max.z),
        )
    }
}
