//! What lies while scenery moves: whether a surface that moves holds it, where it is carried, and what comes into its way.

use crate::collide::moving::{Carried, Seat, Way};
use crate::collide::{Collider, Sweep};
use crate::contact::between;
use crate::material::{Contact, Stick};
use crate::math::{Point3, Real, Vec3};
use crate::scene::Response;
use crate::state::{Flyer, NO_TRIANGLE, ON_PARTICLE};
use crate::world::World;

/// Share of its radius with which a particle that is carried must not meet other scenery: what it rubs along does not stop it.
const RUBS: Real = 0.99;

/// Acceleration [m/s2] that a mover gives to what lies at a place, over the step that begins at a moment [s]: how much the way
/// from the last step to the next one bends, so that a jerk counts as well.
fn surface_acceleration(world: &World, seat: Seat, place: &Point3, time: Real) -> Vec3 {
    let step = world.step;
    if time < step * (1.0 - 1e-9) {
        return Vec3::zeros();
    }
    let Some(now) = world.movers.pose(seat, time) else {
        return Vec3::zeros();
    };
    let own = now.to_body(place);
    let at = |time: Real| {
        let pose = world.movers.pose(seat, time.max(0.0));
        pose.map_or(*place, |pose| pose.to_world(&own))
    };
    ((at(time + step) - place) - (place - at(time - step))) / (step * step)
}

/// Whether a surface of a mover with the unit normal `normal` holds a particle that lies on it, from a moment [s] on: by
/// adhesion, or by friction against gravity less the acceleration of the surface.
pub fn is_held(world: &World, p: &Flyer, seat: Seat, normal: &Vec3, time: Real) -> bool {
    let response = response(world, p.triangle);
    if response == Response::Stick {
        return true;
    }
    let Some(contact) = contact(world, p) else {
        return false;
    };
    let pull = world.forces.at(&p.position, time, p.key).acceleration
        - surface_acceleration(world, seat, &p.position, time);
    let substance = &world.materials[usize::from(p.material)].substance;
    let own = response == Response::Material;
    // Its weight over its section is 4/3 rho g r.
    let weight = 4.0 / 3.0 * substance.density * pull.norm() * p.radius;
    if own && substance.adhesion > 0.0 && substance.adhesion >= weight {
        return true;
    }
    let press = -pull.dot(normal);
    let along = (pull + normal * press).norm();
    let slope = if own && contact.stick != Stick::Never {
        contact.friction.max(libm::tan(substance.repose_deg.to_radians()))
    } else {
        contact.friction
    };
    press >= 0.0 && along <= slope * press + 1e-9 * pull.norm()
}

/// How the surface that a particle lies on answers; a particle answers as its material does.
fn response(world: &World, triangle: u32) -> Response {
    match triangle {
        NO_TRIANGLE | ON_PARTICLE => Response::Material,
        triangle => *world.response(triangle),
    }
}

/// The numbers of what a particle lies on; `None`: it ends particles.
pub(super) fn contact(world: &World, p: &Flyer) -> Option<Contact> {
    let own = &world.materials[usize::from(p.material)].contact;
    between(own, &response(world, p.triangle))
}

/// Where a particle that lies on a mover is carried from one moment [s] to another; `None` when something is in its way.
pub fn carried(world: &World, p: &Flyer, seat: Seat, [start, end]: [Real; 2]) -> Option<Point3> {
    let own = world.movers.pose(seat, start)?.to_body(&p.position);
    let carrier = Carried {
        mover: seat.mover,
        from: own,
        along: Vec3::zeros(),
    };
    let radius = RUBS * p.radius;
    let (mut time, mut at) = (start, p.position);
    while time < end {
        let next = world.movers.even_until(time, end);
        let to = world.movers.pose(seat, next)?.to_world(&own);
        let way = way(at, to, radius, [time, next]);
        let sweep = Sweep {
            from: at,
            along: way.along,
            radius,
            span: way.span,
        };
        if world.movers.first(&way, Some(&carrier)).is_some() || world.collider.first_touch(&sweep).is_some()
        {
            return None;
        }
        (time, at) = (next, to);
    }
    Some(at)
}

/// Whether nothing that moves comes into the way of a particle that lies still from one moment [s] to another.
pub fn stays(world: &World, p: &Flyer, [start, end]: [Real; 2]) -> bool {
    let mut time = start;
    while time < end {
        let next = world.movers.even_until(time, end);
        let way = way(p.position, p.position, p.radius, [time, next]);
        if world.movers.first(&way, None).is_some() {
            return false;
        }
        time = next;
    }
    true
}

/// An even way.
fn way(from: Point3, to: Point3, radius: Real, span: [Real; 2]) -> Way {
    let along = to - from;
    Way {
        from,
        along,
        radius,
        span,
        velocity: [along / (span[1] - span[0]); 2],
    }
}
