//! Where the weight of a particle stands: on the scenery where it touches it, else between the feet of its supports.

use super::contacts::Contact;
use super::ground::{Ground, On};
use crate::math::{Point3, Real, Vec3};

/// Passes over the contacts; the shares then change by less than they are known.
const PASSES: usize = 40;

/// What carries a particle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    /// Mean foot of its supports, weighted by the load they carry [m].
    pub(super) foot: Point3,
    /// Horizontal distance of the centre from it [m].
    pub(super) eccentricity: Real,
    /// Height of the centre over it [m], >= 0.
    pub(super) depth: Real,
    /// Unit normal of what carries it.
    pub(super) normal: Vec3,
}

/// Load shares w >= 0 that minimise |sum of w n - up|, by coordinate descent in the order of the contacts.
pub(super) fn loads(up: &Vec3, contacts: &[Contact], shares: &mut Vec<Real>) {
    shares.clear();
    shares.resize(contacts.len(), 0.0);
    let mut missing = *up;
    for _ in 0..PASSES {
        let mut moved = 0.0;
        for (share, c) in shares.iter_mut().zip(contacts) {
            let new = Real::max(0.0, *share + c.normal.dot(&missing));
            // Most that carry nothing never will.
            if new != *share {
                missing -= c.normal * (new - *share);
                moved += (new - *share).abs();
                *share = new;
            }
        }
        if moved == 0.0 {
            break;
        }
    }
}

/// What carries a ball at a place.
pub(super) fn stand(
    ground: &Ground,
    center: &Point3,
    radius: Real,
    contacts: &[Contact],
    shares: &mut Vec<Real>,
) -> Stand {
    let up = ground.world.up;
    loads(&up, contacts, shares);
    let (mut weight, mut sum, mut lift) = (0.0, Vec3::zeros(), Vec3::zeros());
    for (share, c) in shares.iter().zip(contacts) {
        let carried = share * c.normal.dot(&up);
        if carried > 0.0 {
            let foot = match c.on {
                On::Triangle(_) => center - c.normal * radius,
                On::Ball(row) => ground.foot(row),
            };
            weight += carried;
            sum += (foot - center) * carried;
        }
        lift += c.normal * *share;
    }
    let to_foot = if weight > 0.0 { sum / weight } else { -up * radius };
    let below = -to_foot.dot(&up);
    Stand {
        foot: center + to_foot,
        eccentricity: (to_foot + up * below).norm(),
        depth: below.max(0.0),
        normal: lift.try_normalize(1e-12).unwrap_or(up),
    }
}
