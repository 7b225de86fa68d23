//! Free fall.

use super::{Force, Push};
use crate::math::{Point3, Real, Vec3};

/// A constant acceleration [m/s2].
pub struct Gravity(pub Vec3);

impl Force for Gravity {
    fn add(&self, _at: &Point3, _time: Real, push: &mut Push) {
        push.acceleration += self.0;
    }
}
