//! Eddies in the air: curl noise, moved with the wind. Acts through drag alone.
//!
//! Bridson, Houriham & Nordenstam 2007 move their noise by a fourth dimension; here its points move with the air, which
//! costs nothing and is what Taylor (1938) saw in the wind.

use super::drift::Drift;
use super::noise::{CURL_RMS, Noise};
use super::{Force, Push, Subject};
use crate::keyed::Keyed;
use crate::math::Real;

/// Eddies of one size.
pub struct Turbulence {
    /// Root mean square of the speed [m/s].
    pub speed: Keyed<Real>,
    /// Size of the eddies [m], > 0.
    pub length: Real,
    /// What carries them.
    pub drift: Drift,
    /// Their pattern.
    pub noise: Noise,
}

impl Force for Turbulence {
    fn add(&self, on: &Subject, push: &mut Push) {
        let at = self.drift.origin_of(&on.place, on.time) / self.length;
        push.air += self.noise.curl(&at) * (self.speed.at(on.time) / CURL_RMS);
    }
}
