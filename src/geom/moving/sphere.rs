//! First contact of a moving sphere with a moving triangle, by conservative advancement: never late.
//!
//! For a fixed point x of the triangle the distance to the centre is at least its component along any unit vector n, which is
//! linear in time and, over the triangle, least at a corner. With n from the closest point to the centre, the moment at which
//! the first corner's component shrinks to the radius is one before which there is no contact (after Mirtich 1996, "Impulse-based
//! Dynamic Simulation of Rigid Body Systems", section 2.3). The sphere is taken there, and asked again.

use super::{MovingTriangle, zone};
use crate::geom::closest_point::closest_point;
use crate::geom::{Feature, ROUNDOFF};
use crate::math::{Point3, Real, Vec3};

/// Times the roundoff of the largest coordinate: how near counts as touching.
const ZONE: Real = 16.0;
/// Advances after which a sphere that creeps up to a triangle counts as touching: far more than any contact takes whose speed is
/// above a ten-thousandth of the corners'.
const ADVANCES: u32 = 4096;

/// A sphere that moves from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingSphere {
    /// Centre at t = 0.
    pub from: Point3,
    /// Centre at t = 1.
    pub to: Point3,
    /// Radius, >= 0.
    pub radius: Real,
}

/// Where and how a moving sphere meets a moving triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Fraction of the motion, 0 .. 1.
    pub t: Real,
    /// The touched point of the triangle at `t`.
    pub point: Point3,
    /// Unit vector from `point` to the centre at `t`; against their motion where the centre lies on the triangle.
    pub normal: Vec3,
    /// The part of the triangle that `point` lies on.
    pub feature: Feature,
    /// How fast the gap closes at `t` [m per motion]; not positive when it opens.
    pub closing: Real,
    /// How deep the sphere overlaps the triangle, >= 0: not 0 only at t = 0.
    pub depth: Real,
    /// Distance to the triangle beyond the radius: more than rounding only where the sphere creeps so slowly that the search
    /// was ended early.
    pub gap: Real,
}

/// The first t >= `start` (in 0 .. 1) at which the sphere touches the triangle, not after `t_max`. Never late: at no moment
/// between `start` and the answer is the sphere nearer than rounding. A sphere that touches at `start` is in contact there, also
/// when it leaves.
pub fn first_contact(
    sphere: &MovingSphere,
    tri: &MovingTriangle,
    start: Real,
    t_max: Real,
) -> Option<Contact> {
    let along = sphere.to - sphere.from;
    let moved = tri.displacements();
    let toward = moved.map(|v| along - v);
    let size = tri
        .size()
        .max(sphere.from.coords.amax())
        .max(sphere.to.coords.amax())
        .max(sphere.radius);
    let near = ZONE * zone(size);
    let mut t = start;
    for advance in 0..=ADVANCES {
        let corners = tri.at(t);
        let center = sphere.from + along * t;
        let closest = closest_point(&center, &corners);
        let gap = closest.distance - sphere.radius;
        if !gap.is_finite() {
            return None;
        }
        if gap <= near || advance == ADVANCES {
            return Some(contact_at(sphere, tri, t, &center, &closest, gap));
        }
        let normal = closest.offset / closest.distance;
        let mut next = Real::INFINITY;
        for k in 0..3 {
            let height = normal.dot(&(center - corners[k])) - sphere.radius;
            let closing = -normal.dot(&toward[k]);
            // Rounding may show a corner nearer than the closest point.
            let height = if height > gap { height } else { gap };
            if closing > 0.0 {
                next = next.min(height / closing);
            }
        }
        let later = t + next;
        if later > t_max {
            return None;
        }
        t = if later > t {
            later
        } else {
            t + ROUNDOFF.max(t * 2.0 * ROUNDOFF)
        };
    }
    None
}

fn contact_at(
    sphere: &MovingSphere,
    tri: &MovingTriangle,
    t: Real,
    center: &Point3,
    closest: &crate::geom::closest_point::Closest,
    gap: Real,
) -> Contact {
    let surface = tri.displacement_at(t, &closest.point);
    let relative = sphere.to - sphere.from - surface;
    let corners = tri.at(t);
    let normal = if closest.distance > 2.0 * zone(center.coords.amax()) {
        closest.offset / closest.distance
    } else {
        let face = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let face = if face.dot(&relative) > 0.0 { -face } else { face };
        face.try_normalize(0.0)
            .or_else(|| (-relative).try_normalize(0.0))
            .unwrap_or_else(Vec3::y)
    };
    Contact {
        t,
        point: closest.point,
        normal,
        feature: closest.feature,
        closing: -normal.dot(&relative),
        depth: (-gap).max(0.0),
        gap: gap.max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(at: Real, to: Real) -> MovingTriangle {
        let corners = |z: Real| [[-9.0, -9.0, z], [9.0, -9.0, z], [0.0, 9.0, z]].map(Point3::from);
        MovingTriangle {
            from: corners(at),
            to: corners(to),
        }
    }

    #[test]
    fn a_plate_and_a_sphere_close_at_their_common_speed() {
        let sphere = MovingSphere {
            from: Point3::new(0.0, 0.0, 4.0),
            to: Point3::new(0.0, 0.0, -4.0),
            radius: 0.5,
        };
        let contact = first_contact(&sphere, &square(-4.0, 4.0), 0.0, 1.0).expect("they meet");
        assert!((contact.t - 7.5 / 16.0).abs() < 1e-15);
        assert!((contact.closing - 16.0).abs() < 1e-12 && contact.depth == 0.0);
        assert!(first_contact(&sphere, &square(-4.0, -12.0), 0.0, 1.0).is_none());
        assert!(first_contact(&sphere, &square(-4.0, 4.0), 0.0, 0.4).is_none());
    }

    #[test]
    fn no_motion_is_a_contact_only_in_touch() {
        let at = |z: Real| MovingSphere {
            from: Point3::new(0.0, 0.0, z),
            to: Point3::new(0.0, 0.0, z),
            radius: 0.5,
        };
        assert!(first_contact(&at(0.6), &square(0.0, 0.0), 0.0, 1.0).is_none());
        let inside = first_contact(&at(0.3), &square(0.0, 0.0), 0.0, 1.0).expect("it overlaps");
        assert!(inside.t == 0.0 && (inside.depth - 0.2).abs() < 1e-15);
    }
}
