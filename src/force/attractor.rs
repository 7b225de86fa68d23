//! A place that draws particles to it, or repels them.

use super::{Force, Push, Subject};
use crate::keyed::Keyed;
use crate::math::{Point3, Real};
use crate::scene::Falloff;

/// An acceleration towards a place. Within the radius it falls evenly to 0 in the middle, as inside a ball of even mass.
pub struct Attractor {
    /// The place [m].
    pub center: Point3,
    /// Acceleration at the radius [m/s2]; below 0 it repels.
    pub strength: Keyed<Real>,
    /// Where the strength is measured [m], > 0.
    pub radius: Real,
    /// How it changes outside the radius.
    pub falloff: Falloff,
}

impl Force for Attractor {
    fn add(&self, on: &Subject, push: &mut Push) {
        let arm = (self.center - on.place) / self.radius;
        let s2 = arm.norm_squared();
        // Factor of `arm`, whose length is s: s^-n outside becomes s^-(n + 1) here.
        let factor = if s2 <= 1.0 {
            1.0
        } else {
            match self.falloff {
                Falloff::Linear => 1.0,
                Falloff::Constant => 1.0 / s2.sqrt(),
                Falloff::Inverse => 1.0 / s2,
                Falloff::InverseSquare => 1.0 / (s2 * s2.sqrt()),
            }
        };
        push.acceleration += arm * (factor * self.strength.at(on.time));
    }
}
