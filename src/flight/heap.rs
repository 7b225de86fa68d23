//! A flight in a run with heaps: settled particles stop it as the scenery does, and whatever does not rebound has landed.

use super::{Grip, Log, arrive, audit, drift, land, next_leg};
use crate::contact::{Outcome, answer, resting};
use crate::math::Real;
use crate::settle::{Ground, Looked, On, Touch};
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
    let world = ground.world;
    let mut known = flown.first.take();
    let p = &mut flown.p;
    let mut grip = Grip {
        least_rebound: resting::least_rebound(world.gravity, p.radius, world.step),
        ..Grip::default()
    };
    let mut touches = 0;
    loop {
        let leg = next_leg(world, p, &grip, flown.time, end);
        let sweep = leg.sweep(p, flown.time);
        let Some(touch) = known.take().or_else(|| ground.first_touch(&sweep)) else {
            audit(world, &sweep, 1.0, &mut log.tally);
            looked.add(sweep.from, sweep.along, p.radius);
            land(p, &leg, &grip);
            if leg.goes_on {
                flown.time = sweep.span[1];
                continue;
            }
            flown.time = end;
            return;
        };
        touches += 1;
        looked.add(sweep.from, sweep.along * touch.fraction, p.radius);
        log.tally.contacts += 1;
        log.tally.deepest = log.tally.deepest.max(touch.depth / p.radius);
        audit(world, &sweep, touch.fraction, &mut log.tally);
        flown.time += arrive(p, &leg, touch.fraction);
        flown.touched = flown.touched.min(flown.time);
        flown.landed = meet(ground, p, &touch, flown.time, &mut grip, log);
        if flown.landed || p.status != Status::Airborne || flown.time >= end {
            return;
        }
        if touches >= world.contacts_per_step {
            log.tally.contact_limit += 1;
            flown.time = end;
            return;
        }
    }
}

/// A touch at a moment [s], and the event that it may be; true when the particle has landed.
fn meet(ground: &Ground, p: &mut Flyer, touch: &Touch, time: Real, grip: &mut Grip, log: &mut Log) -> bool {
    let first = p.triangle == NO_TRIANGLE;
    p.triangle = match touch.on {
        On::Triangle(triangle) => triangle,
        On::Ball(_) => ON_PARTICLE,
    };
    let landed = lands(ground, p, touch, grip, time, log);
    if first && !p.status.is_gone() && ground.world.lives.has_any(p.material) {
        ground
            .world
            .lives
            .touch(p, time, &touch.normal, &mut log.children);
    }
    landed && !p.status.is_gone()
}

/// Answers a touch; true when the particle has landed. Settled particles answer as their own material does.
fn lands(ground: &Ground, p: &mut Flyer, touch: &Touch, grip: &mut Grip, time: Real, log: &mut Log) -> bool {
    let world = ground.world;
    let contact = match touch.on {
        On::Triangle(triangle) => world.contact(p.material, triangle),
        On::Ball(_) => Some(world.materials[usize::from(p.material)].contact),
    };
    let outcome = answer(contact.as_ref(), &p.velocity, &touch.normal, grip.least_rebound);
    match drift::carry(world, p, &touch.normal, time, grip, outcome, log) {
        Outcome::Dies => {
            p.status = Status::Died;
            false
        }
        Outcome::Moves {
            velocity,
            leaves: true,
        } => {
            p.velocity = velocity;
            false
        }
        Outcome::Sticks | Outcome::Moves { .. } => true,
    }
}
