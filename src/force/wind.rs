//! Air that moves evenly; it acts through drag alone.

use super::{Force, Push};
use crate::math::{Point3, Real, Vec3};

/// A constant velocity of the air [m/s].
pub struct Wind(pub Vec3);

impl Force for Wind {
    fn add(&self, _at: &Point3, _time: Real, push: &mut Push) {
        push.air += self.0;
    }
}
