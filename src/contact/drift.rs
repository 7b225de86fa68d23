//! Saltation: loose grains that wind carries on over the ground in low hops instead of letting them lie.
//!
//! Snow moves where the air is faster than a threshold, and comes to lie where something slows it: that is what drifts
//! are. Grains leave the ground at about the friction velocity (Owen 1964), a twentieth of the speed of the air at the
//! height where it is measured. Thresholds of dry snow lie between 4 and 11 m/s at ten metres (Li & Pomeroy 1997).

use crate::math::{Real, Vec3};

/// Speed away from the ground as a share of that of the air: the friction velocity.
const LIFT: Real = 0.05;
/// A hop is this much faster than the slowest rebound that is one, or it would end as it begins.
const LEAST: Real = 2.0;

/// The velocity [m/s] of a particle that air of this velocity carries on from a surface with the unit normal `normal`,
/// when the air along it is faster than `threshold` [m/s].
///
/// It keeps its own velocity along the surface: what makes it faster is the drag on its way. `least_rebound` [m/s] is
/// that of [`super::resting::least_rebound`].
pub fn hop(threshold: Real, air: &Vec3, velocity: &Vec3, normal: &Vec3, least_rebound: Real) -> Option<Vec3> {
    let along = |v: &Vec3| v - normal * v.dot(normal);
    let speed = along(air).norm();
    (speed > threshold).then(|| along(velocity) + normal * (LIFT * speed).max(LEAST * least_rebound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_air_along_the_surface_and_above_the_threshold_carries_on() {
        let (up, falls) = (Vec3::y(), Vec3::new(2.0, -1.0, 0.0));
        let hop = |air| hop(5.0, &air, &falls, &up, 0.01);
        assert_eq!(hop(Vec3::new(5.0, 0.0, 0.0)), None);
        assert_eq!(
            hop(Vec3::new(0.0, -20.0, 0.0)),
            None,
            "it blows against the ground"
        );
        assert_eq!(hop(Vec3::new(6.0, -3.0, 8.0)), Some(Vec3::new(2.0, 0.5, 0.0)));
    }

    #[test]
    fn a_hop_is_a_rebound() {
        let hop = hop(1.0, &Vec3::new(2.0, 0.0, 0.0), &Vec3::zeros(), &Vec3::y(), 0.3);
        assert_eq!(hop, Some(Vec3::new(0.0, 0.6, 0.0)));
    }
}
