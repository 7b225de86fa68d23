//! Impact with restitution and Coulomb friction; without rebound it is the beginning of a slide.

use super::Outcome;
use crate::material::Contact;
use crate::math::{Real, Vec3};

/// Velocity after an impact: the normal part is turned and shortened by e, the tangential part loses mu times the
/// normal impulse (1 + e) |v_n| and stops at zero (Coulomb).
pub(super) fn rebound(contact: &Contact, velocity: &Vec3, normal: &Vec3, least_rebound: Real) -> Outcome {
    let approach = -velocity.dot(normal);
    let tangential = velocity + normal * approach;
    if approach <= 0.0 {
        // Touching while moving along or away: nothing to answer. Rounding alone is not leaving.
        return Outcome::Moves {
            velocity: *velocity,
            leaves: -approach > least_rebound,
        };
    }
    let rebound = contact.restitution * approach;
    let leaves = rebound > least_rebound;
    let rebound = if leaves { rebound } else { 0.0 };
    let speed = tangential.norm();
    let loss = contact.friction * (approach + rebound);
    let kept = if speed > loss { 1.0 - loss / speed } else { 0.0 };
    Outcome::Moves {
        velocity: tangential * kept + normal * rebound,
        leaves,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Stick;

    fn moves(e: Real, mu: Real, v: Vec3) -> Vec3 {
        let contact = Contact {
            restitution: e,
            friction: mu,
            stick: Stick::Never,
        };
        match rebound(&contact, &v, &Vec3::y(), 0.0) {
            Outcome::Moves { velocity, .. } => velocity,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_bounce_keeps_its_share_of_the_normal_speed() {
        assert_eq!(
            moves(0.5, 0.0, Vec3::new(3.0, -4.0, 1.0)),
            Vec3::new(3.0, 2.0, 1.0)
        );
        assert_eq!(
            moves(1.0, 0.0, Vec3::new(0.0, -4.0, 0.0)),
            Vec3::new(0.0, 4.0, 0.0)
        );
    }

    #[test]
    fn friction_takes_mu_times_the_normal_impulse_and_stops_at_rest() {
        let v = moves(0.5, 0.25, Vec3::new(3.0, -4.0, 0.0));
        assert!((v - Vec3::new(3.0 - 0.25 * 6.0, 2.0, 0.0)).norm() < 1e-15);
        assert_eq!(moves(0.0, 0.8, Vec3::new(3.0, -4.0, 0.0)), Vec3::zeros());
    }

    #[test]
    fn a_small_rebound_is_none() {
        let contact = Contact {
            restitution: 0.5,
            friction: 0.0,
            stick: Stick::Never,
        };
        let out = rebound(&contact, &Vec3::new(1.0, -0.1, 0.0), &Vec3::y(), 0.06);
        assert_eq!(
            out,
            Outcome::Moves {
                velocity: Vec3::new(1.0, 0.0, 0.0),
                leaves: false
            }
        );
    }

    #[test]
    fn no_impact_adds_energy() {
        for i in 0..200 {
            let f = Real::from(i);
            let v = Vec3::new(libm::sin(f), -libm::fabs(libm::cos(f)), libm::sin(3.0 * f));
            for e in [0.0, 0.3, 1.0] {
                for mu in [0.0, 0.4, 2.0] {
                    assert!(moves(e, mu, v).norm() <= v.norm() * (1.0 + 1e-15));
                }
            }
        }
    }
}
