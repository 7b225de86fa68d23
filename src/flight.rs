//! One particle through one step: sweep, answer the touch, go on with the time that is left.
//!
//! A leg is a straight piece. Its speed changes evenly from the velocity at its start to that at its end, which for free
//! fall without drag is exact, so a bounce neither gains nor loses height.

mod audit;
mod drift;
mod field;
pub mod heap;
mod moving;
pub mod ride;
mod wet;

use crate::collide::moving::{Carried, Seat};
use crate::collide::{Collider, Hit, Sweep};
use crate::contact::{Outcome, answer, resting};
use crate::force::Push;
use crate::geom::ROUNDOFF;
use crate::geom::parabola::time_along;
use crate::math::{Point3, Real, Vec3};
use crate::scene::Collision;
use crate::state::{Birth, Flyer, NO_TRIANGLE, Status, Tally};
use crate::world::World;
use audit::{audit, certify};
pub use moving::Stop;

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
    /// Whether its way is covered evenly, whatever the velocities at its ends: it is pushed along something else.
    even: bool,
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
    /// Who holds it, of what moves.
    base: Option<Seat>,
    /// Those of the surfaces that hold it which stand still, where something moves.
    walls: resting::Holds,
    /// Whether nothing holds it for good until the step is over, because something pushes it.
    loose: bool,
    /// Its next leg in the frame of who holds it.
    carried: Option<Carried>,
    /// Its radius [m], while there is no room for it.
    full: Option<Real>,
    /// Whether its way to what stops it next has been checked.
    audited: bool,
}

/// Flies a particle from one moment [s] to another.
pub fn fly(world: &World, mut p: Flyer, start: Real, end: Real, log: &mut Log) -> Flyer {
    let mut time = start;
    loop {
        let (flight, sweep) = Flight::new(world, &p, time, end);
        let still = world.collider.first_touch(&sweep);
        match flight.stop(world, &sweep, still) {
            Some(stop) => {
                flight.meet(world, &sweep, &mut p, stop, end, log);
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
    /// Whether it has been checked up to its first touch.
    audited: bool,
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
            even: false,
        },
        audited: false,
    };

    /// A particle's way from one moment [s] to another if nothing is in it, and the same as a question to colliders.
    pub fn new(world: &World, p: &Flyer, start: Real, end: Real) -> (Self, Sweep) {
        let leg = free_leg(world, p, start, end);
        let flight = Self { leg, audited: false };
        (flight, leg.sweep(p, start))
    }

    /// Whether it ends before the moment that was asked for: a field wants to be asked again.
    pub fn goes_on(&self) -> bool {
        self.leg.goes_on
    }

    /// What stops it on the way `sweep`, of what moves and the first that stands still.
    #[inline]
    pub fn stop(&self, world: &World, sweep: &Sweep, still: Option<Hit>) -> Option<Stop> {
        first_stop(world, &self.leg, sweep, still, None)
    }

    /// When [s] it has flown this share of the way `sweep`.
    pub fn moment(&self, sweep: &Sweep, fraction: Real) -> Real {
        sweep.span[0] + time_to(&self.leg, &self.leg.start, fraction)
    }

    /// Checks flights up to their first touches together where that can be: faster than each by itself.
    pub fn audit_all(
        flights: &mut [Self],
        world: &World,
        sweeps: &[Sweep],
        hits: &[Option<Hit>],
        log: &mut Log,
    ) {
        let audited = audit::audit_all(world, sweeps, hits, &mut log.tally);
        flights.iter_mut().for_each(|flight| flight.audited = audited);
    }

    /// Nothing is in the way `sweep`: place and velocity at its end.
    pub fn pass(&self, world: &World, sweep: &Sweep, log: &mut Log) -> (Point3, Vec3) {
        if !self.audited {
            audit(world, sweep, None, &mut log.tally);
        }
        (sweep.from + self.leg.along, self.leg.velocity)
    }

    /// `stop` is in the way `sweep`: flies the particle on to the moment `end` [s] of [`Flight::new`].
    pub fn meet(&self, world: &World, sweep: &Sweep, p: &mut Flyer, stop: Stop, end: Real, log: &mut Log) {
        let mut grip = Grip {
            least_rebound: resting::least_rebound(world.gravity, p.radius, world.step),
            audited: self.audited,
            ..Grip::default()
        };
        touch_by_touch(world, p, &mut grip, (self.leg, *sweep, stop), end, log);
        moving::regrow(world, p, &grip, end, &mut log.tally);
    }
}

/// Flies a particle on from what stops it on a leg, through all that it touches next.
fn touch_by_touch(
    world: &World,
    p: &mut Flyer,
    grip: &mut Grip,
    (mut leg, mut sweep, mut stop): (Leg, Sweep, Stop),
    end: Real,
    log: &mut Log,
) {
    let mut time = sweep.span[0];
    let mut touches = 0;
    loop {
        touches += 1;
        let hit = &stop.hit;
        log.tally.contacts += 1;
        log.tally.deepest = log.tally.deepest.max(hit.depth / p.radius);
        time += arrive(p, &leg, &stop, time);
        if !certify(world, p, grip, &sweep, Some((&stop, time)), &mut log.tally) {
            return;
        }
        let first = p.triangle == NO_TRIANGLE;
        p.triangle = hit.triangle;
        answer_in_frame(world, p, &stop, grip, time, log);
        if first && world.lives.has_any(p.material) {
            world.lives.touch(p, time, &hit.normal, &mut log.children);
        }
        if p.status != Status::Airborne && !lies_no_more(world, p, grip, [time, end]) || time >= end {
            return;
        }
        if touches >= world.contacts_per_step {
            if !moving::goes_on_smaller(world, p, grip, [time, end], &mut log.tally) {
                return;
            }
            touches = 0;
        }
        let Some(next) = go_on(world, p, grip, (&mut leg, &mut sweep), (&mut time, end), log) else {
            return;
        };
        stop = next;
    }
}

/// Takes a particle leg by leg to what stops it next; `None` when it has come to the end of its step.
fn go_on(
    world: &World,
    p: &mut Flyer,
    grip: &mut Grip,
    (leg, sweep): (&mut Leg, &mut Sweep),
    (time, end): (&mut Real, Real),
    log: &mut Log,
) -> Option<Stop> {
    for _ in 0..moving::MOST_PIECES {
        *leg = next_leg(world, p, grip, *time, end);
        *sweep = leg.sweep(p, *time);
        let still = world.collider.first_touch(sweep);
        if let Some(next) = first_stop(world, leg, sweep, still, grip.carried.as_ref()) {
            return Some(next);
        }
        if !certify(world, p, grip, sweep, None, &mut log.tally) {
            return None;
        }
        grip.turn_on(world, sweep.span);
        land(p, leg, grip);
        *time = sweep.span[1];
        let lies = p.status != Status::Airborne;
        if lies && !lies_no_more(world, p, grip, [*time, end]) || !lies && !leg.goes_on {
            return None;
        }
    }
    None
}

/// Whether a particle that has come to lie at the first of two moments [s] is in the air again, because something that moves
/// lets it go or comes into its way before the second.
#[inline]
fn lies_no_more(world: &World, p: &mut Flyer, grip: &mut Grip, span: [Real; 2]) -> bool {
    !world.movers.is_empty()
        && !p.status.is_gone()
        && span[0] < span[1]
        && !moving::keep(world, p, grip, span)
}

/// What stops a leg first, where `still` is the first of what stands still.
#[inline]
fn first_stop(
    world: &World,
    leg: &Leg,
    sweep: &Sweep,
    still: Option<Hit>,
    own: Option<&Carried>,
) -> Option<Stop> {
    if world.movers.is_empty() {
        still.map(Stop::still)
    } else {
        moving::first_stop(world, leg, sweep, still, own)
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

/// Moves a particle to its touch, with the velocity it has there; returns the time spent since the leg began at a moment [s].
fn arrive(p: &mut Flyer, leg: &Leg, stop: &Stop, start: Real) -> Real {
    p.velocity = leg.start;
    let spent = match stop.at {
        None => time_to(leg, &p.velocity, stop.hit.fraction),
        Some((_, time)) => time - start,
    };
    if leg.duration > 0.0 {
        p.velocity += (leg.velocity - p.velocity) * (spent / leg.duration);
    }
    match stop.at {
        None => p.position += leg.along * stop.hit.fraction,
        Some((place, _)) => p.position = place,
    }
    spent
}

/// Answers a touch in the frame of the surface, where that moves.
fn answer_in_frame(world: &World, p: &mut Flyer, stop: &Stop, grip: &mut Grip, time: Real, log: &mut Log) {
    let surface = stop.surface();
    let born = log.children.len();
    if stop.mover.is_some() {
        p.velocity -= surface;
    }
    if grip.full.is_some() || !wet::touch(world, p, &stop.hit, grip, time, log) {
        touch(world, p, stop, grip, time, log);
    }
    if stop.mover.is_some() {
        if p.status == Status::Airborne {
            p.velocity += surface;
        }
        log.children[born..]
            .iter_mut()
            .for_each(|c| c.velocity += surface);
    }
}

/// Answers a touch.
fn touch(world: &World, p: &mut Flyer, stop: &Stop, grip: &mut Grip, time: Real, log: &mut Log) {
    let hit = &stop.hit;
    let contact = world.contact(p.material, hit.triangle);
    let contact = contact.map(|c| moving::answer_to_pushed(c, grip, stop.mover.is_none()));
    let contact = contact.map(|c| moving::answer_of_steep(world, p, c, stop, time));
    if world.collision == Collision::Karabassi && contact.is_some() {
        // In the mode of 1999 a touch ends all motion (its Figures 8 to 10): moved again, such particles leak.
        settle(p, Status::Stopped, Some(&hit.normal));
        return;
    }
    if hit.fraction > 0.0 {
        grip.let_go();
    }
    let outcome = answer(contact.as_ref(), &p.velocity, &hit.normal, grip.least_rebound);
    match drift::carry(world, p, &hit.normal, time, grip, outcome, log) {
        Outcome::Dies => p.status = Status::Died,
        Outcome::Sticks => settle(p, Status::Stuck, Some(&hit.normal)),
        Outcome::Moves { velocity, leaves } => {
            p.velocity = velocity;
            if leaves {
                grip.let_go();
            } else {
                grip.hold(hit.normal, contact.map_or(0.0, |c| c.friction), stop.mover);
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
    let mut leg = Leg::under(&push, &p.velocity, dt);
    if !world.movers.is_empty()
        && let Some(longest) = moving::longest(world, p, &leg, time)
    {
        leg = Leg {
            goes_on: true,
            ..Leg::under(&push, &p.velocity, longest)
        };
    }
    if world.collider.fields().is_empty() && !world.movers.have_fields() {
        leg
    } else {
        field::lead(world, p, &push, leg, time)
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
            even: false,
        }
    }
}

/// The same for one that may be held.
fn next_leg(world: &World, p: &Flyer, grip: &mut Grip, time: Real, end: Real) -> Leg {
    if !world.movers.is_empty() {
        return moving::next_leg(world, p, grip, time, end);
    }
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
        even: false,
    }
}

/// When [s after its start] a leg has covered this share of its length.
fn time_to(leg: &Leg, velocity: &Vec3, fraction: Real) -> Real {
    if leg.even {
        return leg.duration * fraction;
    }
    time_along(&leg.along, velocity, &leg.velocity, leg.duration, fraction)
}

/// Lets a particle lie still.
fn settle(p: &mut Flyer, status: Status, normal: Option<&Vec3>) {
    p.status = status;
    p.velocity = Vec3::zeros();
    p.normal = normal.copied().unwrap_or_else(Vec3::y);
}
