//! Air that turns about an axis, with a core as in a whirl of dust or snow. Acts through drag alone.

use super::{Force, Push, Subject};
use crate::keyed::Keyed;
use crate::math::{Point3, Real, Vec3};

/// The vortex of Kaufmann (1962): speed 2 V s / (1 + s^2) about the axis, s the distance to it in core radii.
pub struct Vortex {
    /// A place on the axis [m].
    pub center: Point3,
    /// Unit vector; the air turns about it by the right hand.
    pub axis: Vec3,
    /// Largest speed V about the axis, at the core's radius [m/s].
    pub speed: Keyed<Real>,
    /// Largest speed along the axis, in its middle, falling as 1 / (1 + s^2) [m/s].
    pub rise: Keyed<Real>,
    /// Radius of the core [m], > 0.
    pub radius: Real,
}

impl Force for Vortex {
    fn add(&self, on: &Subject, push: &mut Push) {
        let arm = (on.place - self.center) / self.radius;
        let across = arm - self.axis * arm.dot(&self.axis);
        let share = 1.0 / (1.0 + across.norm_squared());
        push.air += self.axis.cross(&across) * (2.0 * share * self.speed.at(on.time));
        push.air += self.axis * (share * self.rise.at(on.time));
    }
}
