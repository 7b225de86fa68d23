//! A nozzle: births evenly over a disc, flying apart within a cone.

use super::Place;
use crate::math::{Point3, Real, Vec3, perpendiculars};
use crate::rng::Stream;

/// A nozzle and its jet. Whoever is born at the rim flies at the cone's angle, in between evenly less: all come from one
/// place behind the nozzle.
pub struct Cone {
    center: Point3,
    direction: Vec3,
    /// Perpendicular unit vectors.
    across: [Vec3; 2],
    radius: Real,
    /// Tangent of the half angle.
    opening: Real,
    speed: Real,
}

impl Cone {
    /// A nozzle of this radius [m] about `center`; `direction` is a unit vector, the half angle is below 90 degrees.
    pub fn new(center: Point3, direction: Vec3, radius: Real, angle_deg: Real, speed: Real) -> Self {
        let (u, v) = perpendiculars(&direction);
        Self {
            center,
            direction,
            across: [u, v],
            radius,
            opening: libm::tan(angle_deg.to_radians()),
            speed,
        }
    }
}

impl Place for Cone {
    fn place(&self, index: u64, radius: Real, draws: &mut Stream) -> Point3 {
        self.throw(index, radius, draws).0
    }

    fn throw(&self, _index: u64, _radius: Real, draws: &mut Stream) -> (Point3, Vec3) {
        let [a, b] = draws.in_disc();
        let aside = self.across[0] * a + self.across[1] * b;
        let way = self.direction + aside * self.opening;
        (self.center + aside * self.radius, way * (self.speed / way.norm()))
    }

    fn throws(&self) -> bool {
        self.speed > 0.0
    }
}
