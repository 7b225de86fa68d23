//! Who carries a particle that lies, and where on it.

use serde::{Deserialize, Serialize};

use crate::math::{Point3, Vec3};

/// Where a settled particle lies on what carries it. It holds as long as the particle is where this says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ride {
    /// Number of what carries it among all that moves; [`Ride::STANDING`] or [`Ride::UNKNOWN`].
    pub mover: u32,
    /// The triangle there by which its place is told.
    pub triangle: u32,
    /// Its place there [m]: no rounding of a step adds to that of another.
    pub place: Point3,
    /// Unit normal of its contact there.
    pub normal: Vec3,
}

impl Ride {
    /// It lies on what stands still.
    pub const STANDING: u32 = u32::MAX;
    /// Nobody has looked yet.
    pub const UNKNOWN: u32 = u32::MAX - 1;
}

impl Default for Ride {
    fn default() -> Self {
        Self {
            mover: Self::UNKNOWN,
            triangle: super::NO_TRIANGLE,
            place: Point3::origin(),
            normal: Vec3::zeros(),
        }
    }
}
