//! A flight in a run with heaps: settled particles stop it as the scenery does, and whatever does not rebound has landed.

use super::{Grip, Log, Stop, arrive, certify, drift, first_stop, land, moving, next_leg};
use crate::contact::{Outcome, answer, resting};
use crate::math::Real;
use crate::settle::{Ground, Looked, Touch};
use crate::state::{Flyer, NO_TRIANGLE, ON_PARTICLE, Status};

/// How a flight ended.
#[derive(Debug, Clone, Copy)]
pub struct Flown {
    /// The particle at its end.
    pub p: Flyer,
    /// When it ended [s].
    pub time: Real,
    /// Moment of the first touch [s]; infinite without one.
    pub touched: Real,
    /// Whether it has landed, and will now roll or stay.
    pub landed: bool,
    /// Whether something happened to it because of its age.
    pub aged: bool,
    /// The first touch of the next leg, if it is known.
    pub first: Option<Touch>,
}

impl Flown {
    /// A flight that has yet to begin, at a moment [s].
    pub fn new(p: Flyer, time: Real) -> Self {
        Self {
            p,
            time,
            touched: Real::INFINITY,
            landed: false,
            aged: false,
            first: None,
        }
    }
}

/// Flies a particle on to a moment [s], from one event of its age to the next, or until it lands.
pub fn fly(ground: &Ground, mut flown: Flown, end: Real, log: &mut Log, looked: &mut Looked) -> Flown {
    let lives = &ground.world.lives;
    if lives.has_any(flown.p.material) {
        let (start, mut done) = (flown.time, None);
        while let Some(due) = lives.next_due(&flown.p, start, end, done.as_ref()) {
            pass(ground, &mut flown, due.moment, log, looked);
            if flown.landed || flown.p.status != Status::Airborne {
                return flown;
            }
            flown.aged = true;
            lives.act(&mut flown.p, &due, &mut log.children);
            if flown.p.status != Status::Airborne {
                return flown;
            }
            done = Some(due);
        }
    }
    pass(ground, &mut flown, end, log, looked);
    flown
}

/// Flies to a moment [s] without a look at age.
fn pass(ground: &Ground, flown: &mut Flown, end: Real, log: &mut Log, looked: &mut Looked) {
    let mut grip = Grip {
        least_rebound: resting::least_rebound(ground.world.gravity, flown.p.radius, ground.world.step),
        ..Grip::default()
    };
    touch_by_touch(ground, flown, &mut grip, end, log, looked);
    moving::regrow(ground.world, &mut flown.p, &grip, end, &mut log.tally);
}

fn touch_by_touch(
    ground: &Ground,
    flown: &mut Flown,
    grip: &mut Grip,
    end: Real,
    log: &mut Log,
    looked: &mut Looked,
) {
    let world = ground.world;
    let mut known = flown.first.take();
    let p = &mut flown.p;
    let mut touches = 0;
    loop {
        let leg = next_leg(world, p, grip, flown.time, end);
        let sweep = leg.sweep(p, flown.time);
        let still = known.take().or_else(|| ground.first_touch(&sweep));
        let still = still.as_ref().map(Touch::hit);
        let Some(stop) = first_stop(world, &leg, &sweep, still, grip.carried.as_ref()) else {
            looked.add(sweep.from, sweep.along, p.radius);
            if !certify(world, p, grip, &sweep, None, &mut log.tally) {
                return;
            }
            grip.turn_on(world, sweep.span);
            land(p, &leg, grip);
            if leg.goes_on {
                flown.time = sweep.span[1];
                continue;
            }
            flown.time = end;
            return;
        };
        touches += 1;
        log.tally.contacts += 1;
        log.tally.deepest = log.tally.deepest.max(stop.hit.depth / p.radius);
        flown.time += arrive(p, &leg, &stop, flown.time);
        looked.add(sweep.from, p.position - sweep.from, p.radius);
        if !certify(world, p, grip, &sweep, Some((&stop, flown.time)), &mut log.tally) {
            return;
        }
        flown.touched = flown.touched.min(flown.time);
        flown.landed = meet(ground, p, &stop, [flown.time, end], grip, log);
        if flown.landed || p.status != Status::Airborne || flown.time >= end {
            return;
        }
        if touches >= world.contacts_per_step {
            if !moving::goes_on_smaller(world, p, grip, [flown.time, end], &mut log.tally) {
                flown.time = end;
                return;
            }
            touches = 0;
        }
    }
}

/// A touch at the first of two moments [s], and the event that it may be; true when the particle has landed, and lies there
/// at the second.
fn meet(
    ground: &Ground,
    p: &mut Flyer,
    stop: &Stop,
    span: [Real; 2],
    grip: &mut Grip,
    log: &mut Log,
) -> bool {
    let first = p.triangle == NO_TRIANGLE;
    p.triangle = stop.hit.triangle;
    let mut landed = lands(ground, p, stop, grip, span[0], log);
    if first && !p.status.is_gone() && ground.world.lives.has_any(p.material) {
        ground
            .world
            .lives
            .touch(p, span[0], &stop.hit.normal, &mut log.children);
    }
    if landed && !p.status.is_gone() && !ground.world.movers.is_empty() {
        p.normal = stop.hit.normal;
        landed = moving::keep(ground.world, p, grip, span);
    }
    landed && !p.status.is_gone()
}

/// Answers a touch; true when the particle has landed. Settled particles answer as their own material does.
fn lands(ground: &Ground, p: &mut Flyer, stop: &Stop, grip: &mut Grip, time: Real, log: &mut Log) -> bool {
    let world = ground.world;
    let normal = &stop.hit.normal;
    let contact = match stop.hit.triangle {
        ON_PARTICLE => Some(world.materials[usize::from(p.material)].contact),
        triangle => world.contact(p.material, triangle),
    };
    let pushed = moving::is_pushed(grip, stop.mover.is_none());
    let contact = contact.map(|c| moving::answer_to_pushed(c, grip, stop.mover.is_none()));
    let surface = stop.surface();
    let outcome = answer(
        contact.as_ref(),
        &(p.velocity - surface),
        normal,
        grip.least_rebound,
    );
    match drift::carry(world, p, normal, time, grip, outcome, log) {
        Outcome::Dies => {
            p.status = Status::Died;
            false
        }
        Outcome::Moves {
            velocity,
            leaves: true,
        } => {
            p.velocity = velocity + surface;
            grip.let_go();
            false
        }
        Outcome::Moves { velocity, .. } if pushed => {
            p.velocity = velocity + surface;
            if stop.hit.fraction > 0.0 {
                grip.let_go();
            }
            grip.hold(*normal, contact.map_or(0.0, |c| c.friction), stop.mover);
            false
        }
        Outcome::Sticks | Outcome::Moves { .. } => true,
    }
}
