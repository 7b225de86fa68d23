//! One particle through one step: sweep, answer the touch, go on with the time that is left.
//!
//! A leg is a straight piece. Its speed changes evenly from the velocity at its start to that at its end, which for free
//! fall without drag is exact, so a bounce neither gains nor loses height.

mod drift;
mod field;
pub mod heap;
mod wet;

use crate::collide::{Collider, Hit, Sweep};
use crate::contact::{Outcome, answer, resting};
use crate::force::Push;
use crate::geom::ROUNDOFF;
use crate::math::{Point3, Real, Vec3};
use crate::scene::Collision;
use crate::state::{Birth, Flyer, NO_TRIANGLE, Status, Tally};
use crate::world::World;

/// A straight piece of a flight.
#[derive(Debug, Clone, Copy)]
struct Leg {
    along: Vec3,
    /// Velocity at its start: a field may have changed that of the particle.
    start: Vec3,
    /// Velocity at its end.
    velocity: Vec3,
    /// Time it takes.
    duration: Real,
    /// Whether the particle lies still for good at its end.
    rests: bool,
    /// Whether it ends early, because a field is to be asked again.
    goes_on: bool,
}

impl Leg {
    /// A particle's way along the leg from this moment [s].
    fn sweep(&self, p: &Flyer, time: Real) -> Sweep {
        Sweep {
            from: p.position,
            along: self.along,
            radius: p.radius,
            span: [time, time + self.duration],
        }
    }
}

/// What flights leave behind besides the particles themselves.
#[derive(Debug, Default)]
pub struct Log {
    /// What happened.
    pub tally: Tally,
    /// Particles that came into being on the way, in the order of their parents.
    pub children: Vec<Birth>,
}

/// What holds a particle while it flies through one step.
#[derive(Default)]
struct Grip {
    holds: resting::Holds,
    friction: Real,
    /// Rebounds slower than this are none [m/s].
    least_rebound: Real,
    /// Where the wind last carried it on.
    hopped: Option<Point3>,
}

/// Flies a particle from one moment [s] to another.
pub fn fly(world: &World, mut p: Flyer, start: Real, end: Real, log: &mut Log) -> Flyer {
    let mut time = start;
    loop {
        let (flight, sweep) = Flight::new(world, &p, time, end);
        match world.collider.first_touch(&sweep) {
            Some(hit) => {
                flight.meet(world, &sweep, &mut p, hit, end, log);
                return p;
            }
            None => (p.position, p.velocity) = flight.pass(world, &sweep, log),
        }
        if !flight.goes_on() {
            return p;
        }
        time = sweep.span[1];
    }
}

/// A flight before its first touch. What is in the way is asked by the caller, for many flights at once.
#[derive(Debug, Clone, Copy)]
pub struct Flight {
    leg: Leg,
}

impl Flight {
    /// The way of a particle that stays where it is.
    pub const NONE: Self = Self {
        leg: Leg {
            along: Vec3::new(0.0, 0.0, 0.0),
            start: Vec3::new(0.0, 0.0, 0.0),
            velocity: Vec3::new(0.0, 0.0, 0.0),
            duration: 0.0,
            rests: false,
            goes_on: false,
        },
    };

    /// A particle's way from one moment [s] to another if nothing is in it, and the same as a question to colliders.
    pub fn new(world: &World, p: &Flyer, start: Real, end: Real) -> (Self, Sweep) {
        let leg = free_leg(world, p, start, end);
        (Self { leg }, leg.sweep(p, start))
    }

    /// Whether it ends before the moment that was asked for: a field wants to be asked again.
    pub fn goes_on(&self) -> bool {
        self.leg.goes_on
    }

    /// When [s] the particle `p` has flown this share of the way `sweep`.
    pub fn moment(&self, p: &Flyer, sweep: &Sweep, fraction: Real) -> Real {
        sweep.span[0] + arrive(&mut { *p }, &self.leg, fraction)
    }

    /// Nothing is in the way `sweep`: place and velocity at its end.
    pub fn pass(&self, world: &World, sweep: &Sweep, log: &mut Log) -> (Point3, Vec3) {
        audit(world, sweep, 1.0, &mut log.tally);
        (sweep.from + self.leg.along, self.leg.velocity)
    }

    /// `hit` is in the way `sweep`: flies the particle on to the moment `end` [s] of [`Flight::new`].
    pub fn meet(&self, world: &World, sweep: &Sweep, p: &mut Flyer, hit: Hit, end: Real, log: &mut Log) {
        let mut leg = self.leg;
        let mut sweep = *sweep;
        let mut hit = hit;
        let mut time = sweep.span[0];
        let mut grip = Grip {
            least_rebound: resting::least_rebound(world.gravity, p.radius, world.step),
            ..Grip::default()
        };
        for touches in 1.. {
            log.tally.contacts += 1;
            log.tally.deepest = log.tally.deepest.max(hit.depth / p.radius);
            audit(world, &sweep, hit.fraction, &mut log.tally);
            let first = p.triangle == NO_TRIANGLE;
            time += arrive(p, &leg, hit.fraction);
            p.triangle = hit.triangle;
            if !wet::touch(world, p, &hit, &grip, time, log) {
                touch(world, p, &hit, &mut grip, time, log);
            }
            if first && world.lives.has_any(p.material) {
                world.lives.touch(p, time, &hit.normal, &mut log.children);
            }
            if p.status != Status::Airborne || time >= end {
                return;
            }
            if touches >= world.contacts_per_step {
                log.tally.contact_limit += 1;
                return;
            }
            hit = loop {
                leg = next_leg(world, p, &grip, time, end);
                sweep = leg.sweep(p, time);
                if let Some(next) = world.collider.first_touch(&sweep) {
                    break next;
                }
                audit(world, &sweep, 1.0, &mut log.tally);
                land(p, &leg, &grip);
                if !leg.goes_on {
                    return;
                }
                time = sweep.span[1];
            };
        }
    }
}

/// The end of a leg that met nothing.
fn land(p: &mut Flyer, leg: &Leg, grip: &Grip) {
    p.position += leg.along;
    p.velocity = leg.velocity;
    if leg.rests {
        settle(p, Status::Rested, grip.holds.normals().last());
    }
}

/// Moves a particle to its touch, with the velocity it has there; returns the time spent.
fn arrive(p: &mut Flyer, leg: &Leg, fraction: Real) -> Real {
    p.velocity = leg.start;
    let spent = time_to(leg, &p.velocity, fraction);
    if leg.duration > 0.0 {
        p.velocity += (leg.velocity - p.velocity) * (spent / leg.duration);
    }
    p.position += leg.along * fraction;
    spent
}

/// Answers a touch.
fn touch(world: &World, p: &mut Flyer, hit: &Hit, grip: &mut Grip, time: Real, log: &mut Log) {
    let contact = world.contact(p.material, hit.triangle);
    if world.collision == Collision::Karabassi && contact.is_some() {
        // In the mode of 1999 a touch ends all motion (its Figures 8 to 10): moved again, such particles leak.
        settle(p, Status::Stopped, Some(&hit.normal));
        return;
    }
    if hit.fraction > 0.0 {
        grip.holds.clear();
    }
    let outcome = answer(contact.as_ref(), &p.velocity, &hit.normal, grip.least_rebound);
    match drift::carry(world, p, &hit.normal, time, grip, outcome, log) {
        Outcome::Dies => p.status = Status::Died,
        Outcome::Sticks => settle(p, Status::Stuck, Some(&hit.normal)),
        Outcome::Moves { velocity, leaves } => {
            p.velocity = velocity;
            if leaves {
                grip.holds.clear();
            } else {
                grip.holds.add(hit.normal);
                grip.friction = contact.map_or(0.0, |c| c.friction);
            }
        }
    }
}

/// Where a particle that nothing holds would get by `end` if nothing were in the way; within reach of a field it may end
/// earlier.
#[inline]
fn free_leg(world: &World, p: &Flyer, time: Real, end: Real) -> Leg {
    let dt = end - time;
    let push = world.forces.at(&p.position, time, p.key);
    let leg = Leg::under(&push, &p.velocity, dt);
    if world.collider.fields().is_empty() {
        leg
    } else {
        field::lead(world, p, &push, leg)
    }
}

impl Leg {
    /// The way under a constant push.
    #[inline]
    fn under(push: &Push, start: &Vec3, dt: Real) -> Self {
        let velocity = push.velocity_after(start, dt);
        Self {
            along: (start + velocity) * (0.5 * dt),
            start: *start,
            velocity,
            duration: dt,
            rests: false,
            goes_on: false,
        }
    }
}

/// The same for one that may be held.
fn next_leg(world: &World, p: &Flyer, grip: &Grip, time: Real, end: Real) -> Leg {
    let dt = end - time;
    if grip.holds.normals().is_empty() || dt <= 0.0 {
        return free_leg(world, p, time, end);
    }
    let push = world.forces.at(&p.position, time, p.key);
    let free = Leg::under(&push, &p.velocity, dt);
    let acceleration = (free.velocity - p.velocity) / dt;
    let slide = resting::slide(
        &grip.holds,
        &p.velocity,
        &acceleration,
        grip.friction,
        dt,
        grip.least_rebound,
    );
    let along = (p.velocity + slide.velocity) * (0.5 * slide.duration);
    // The normals are known to a few roundings of position over radius; leaning out by more keeps them from biting.
    let size = p.position.coords.amax().max(p.radius);
    let lean = 1e-12 + 16.0 * ROUNDOFF * size / p.radius;
    Leg {
        along: grip.holds.lean_out(along, lean),
        start: p.velocity,
        velocity: slide.velocity,
        duration: slide.duration,
        rests: slide.rests,
        goes_on: false,
    }
}

/// When [s after its start] a leg has covered this share of its length.
///
/// Along the leg s(t) = a t + b t^2 / 2 with s(duration) = 1, a and a + b duration the speeds at its ends as shares of
/// its length. Of two such moments it is the one at which the particle moves forward.
fn time_to(leg: &Leg, velocity: &Vec3, fraction: Real) -> Real {
    let length2 = leg.along.norm_squared();
    if length2 == 0.0 || leg.duration == 0.0 {
        return leg.duration;
    }
    let a = velocity.dot(&leg.along) / length2;
    let b = (leg.velocity - velocity).dot(&leg.along) / (length2 * leg.duration);
    let root = (a * a + 2.0 * b * fraction).max(0.0).sqrt();
    let t = if a + root > 0.0 && (a >= 0.0 || b == 0.0) {
        2.0 * fraction / (a + root)
    } else {
        (root - a) / b
    };
    if t.is_finite() {
        t.clamp(0.0, leg.duration)
    } else {
        leg.duration * fraction
    }
}

fn settle(p: &mut Flyer, status: Status, normal: Option<&Vec3>) {
    p.status = status;
    p.velocity = Vec3::zeros();
    p.normal = normal.copied().unwrap_or_else(Vec3::y);
}

/// How far before its end a flight is checked for crossings, in radii: a centre may come to lie on a plane.
const CROSSING: Real = 1e-6;

/// Checks a leg by tests that share nothing with the sweep that allowed it.
fn audit(world: &World, sweep: &Sweep, fraction: Real, tally: &mut Tally) {
    if !world.audit {
        return;
    }
    let length = sweep.along.norm();
    let flown = length * fraction - CROSSING * sweep.radius;
    if flown <= 0.0 {
        return;
    }
    if world
        .collider
        .crosses(&sweep.from, &(sweep.from + sweep.along * (flown / length)))
    {
        tally.escapes += 1;
    }
    if world.collision != Collision::Exact
        && let Some(fits) = world.collider.first_contact(sweep)
        && (fraction - fits.fraction) * length > 2.0 * sweep.radius
    {
        tally.squeezed += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(v0: Real, v1: Real, duration: Real) -> (Leg, Vec3) {
        let x = |v| Vec3::new(v, 0.0, 0.0);
        (
            Leg {
                along: x(0.5 * (v0 + v1) * duration),
                start: x(v0),
                velocity: x(v1),
                duration,
                rests: false,
                goes_on: false,
            },
            x(v0),
        )
    }

    #[test]
    fn time_along_a_leg_solves_its_parabola() {
        for (v0, v1) in [(0.0, 3.0), (2.0, 2.0), (4.0, 0.0), (4.0, -1.0), (-1.0, 4.0)] {
            let (leg, v) = leg(v0, v1, 0.5);
            for fraction in [0.0, 1e-12, 0.3, 0.9, 1.0] {
                let t = time_to(&leg, &v, fraction);
                let s = v0 * t + (v1 - v0) * t * t;
                assert!(
                    (s - leg.along.x * fraction).abs() < 1e-12,
                    "{v0} {v1} {fraction}: {t}"
                );
                let speed = v0 + (v1 - v0) * t / 0.5;
                assert!(speed >= -1e-9, "moving backwards at {t}");
            }
        }
    }
}
