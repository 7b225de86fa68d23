//! Resistance of the air: linear (small, slow particles) and quadratic (lumps).

use super::{Force, Push};
use crate::math::{Point3, Real};

/// Deceleration `k u` for a speed `u` through the air; k [1/s].
pub struct Linear(pub Real);

/// Deceleration `q u^2`; q [1/m]. The terminal speed is sqrt(g / q).
pub struct Quadratic(pub Real);

impl Force for Linear {
    fn add(&self, _at: &Point3, _time: Real, push: &mut Push) {
        push.linear += self.0;
    }
}

impl Force for Quadratic {
    fn add(&self, _at: &Point3, _time: Real, push: &mut Push) {
        push.quadratic += self.0;
    }
}
