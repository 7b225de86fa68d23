//! Resistance of the air: linear (small, slow particles) and quadratic (lumps).

use super::{Force, Push, Subject};
use crate::keyed::Keyed;
use crate::math::Real;

/// Deceleration `k u` for a speed `u` through the air; k [1/s].
pub struct Linear(pub Keyed<Real>);

/// Deceleration `q u^2`; q [1/m]. The terminal speed is sqrt(g / q).
pub struct Quadratic(pub Keyed<Real>);

impl Force for Linear {
    fn add(&self, on: &Subject, push: &mut Push) {
        push.linear += self.0.at(on.time);
    }

    fn is_steady(&self) -> bool {
        self.0.constant().is_some()
    }
}

impl Force for Quadratic {
    fn add(&self, on: &Subject, push: &mut Push) {
        push.quadratic += self.0.at(on.time);
    }

    fn is_steady(&self) -> bool {
        self.0.constant().is_some()
    }
}
