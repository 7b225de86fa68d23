//! Births at one place.

use super::Place;
use crate::math::{Point3, Real};
use crate::rng::Stream;

/// The place [m].
pub struct Point(pub Point3);

impl Place for Point {
    fn place(&self, _index: u64, _radius: Real, _draws: &mut Stream) -> Point3 {
        self.0
    }
}
