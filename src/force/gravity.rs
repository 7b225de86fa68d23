//! Accelerations that are the same everywhere: free fall, and a scene that is shaken or turned.

use super::{Force, Push, Subject};
use crate::keyed::Keyed;
use crate::math::Vec3;

/// An acceleration [m/s2], the same everywhere.
pub struct Gravity(pub Keyed<Vec3>);

impl Force for Gravity {
    fn add(&self, on: &Subject, push: &mut Push) {
        push.acceleration += self.0.at(on.time);
    }

    fn is_steady(&self) -> bool {
        self.0.constant().is_some()
    }
}
