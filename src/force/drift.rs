//! How far the air has moved on since the start: what it carries with it (gusts, eddies) moves along.

use crate::keyed::Keyed;
use crate::math::{Point3, Real, Vec3};

/// The velocities that move the air, added up.
#[derive(Debug, Clone)]
pub struct Drift(pub Vec<Keyed<Vec3>>);

impl Drift {
    /// Where the air that is now here was at the start [m].
    pub fn origin_of(&self, place: &Point3, time: Real) -> Point3 {
        self.0.iter().fold(*place, |p, v| p - v.integral(0.0, time))
    }
}
