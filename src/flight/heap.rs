//! A flight in a run with heaps: settled particles stop it as the scenery does, and whatever does not rebound has landed.

use super::{Grip, Log, arrive, audit, drift, land, next_leg};
use crate::collide::Sweep;
use crate::contact::{Outcome, answer, resting};
use crate::math::Real;
use crate::settle::{Ground, Looked, On, Touch};
use crate::state::{Flyer, NO_TRIANGLE, Status};

/// How a flight ended.
#[derive(Debug, Clone, Copy)]
pub struct Flown {
    /// The particle at its end.
    pub p: Flyer,
    /// Moment of the first touch [s]; infinite without one.
    pub touched: Real,
    /// Whether it has landed, and will now roll or stay.
    pub landed: bool,
}

/// Flies a particle from one moment [s] to another, or until it lands.
pub fn fly(
    ground: &Ground,
    mut p: Flyer,
    start: Real,
    end: Real,
    log: &mut Log,
    looked: &mut Looked,
) -> Flown {
    let world = ground.world;
    let mut grip = Grip {
        least_rebound: resting::least_rebound(world.gravity, p.radius, world.step),
        ..Grip::default()
    };
    let (mut time, mut touched, mut landed) = (start, Real::INFINITY, false);
    let mut touches = 0;
    loop {
        let leg = next_leg(world, &p, &grip, time, end);
        let sweep = Sweep {
            from: p.position,
            along: leg.along,
            radius: p.radius,
            span: [time, time + leg.duration],
        };
        let Some(touch) = ground.first_touch(&sweep) else {
            audit(world, &sweep, 1.0, &mut log.tally);
            looked.add(sweep.from, sweep.along, p.radius);
            land(&mut p, &leg, &grip);
            if leg.goes_on {
                time = sweep.span[1];
                continue;
            }
            break;
        };
        touches += 1;
        looked.add(sweep.from, sweep.along * touch.fraction, p.radius);
        log.tally.contacts += 1;
        log.tally.deepest = log.tally.deepest.max(touch.depth / p.radius);
        audit(world, &sweep, touch.fraction, &mut log.tally);
        time += arrive(&mut p, &leg, touch.fraction);
        p.triangle = match touch.on {
            On::Triangle(triangle) => triangle,
            On::Ball(_) => NO_TRIANGLE,
        };
        touched = touched.min(time);
        landed = lands(ground, &mut p, &touch, &mut grip, time, log);
        if landed || p.status != Status::Airborne || time >= end {
            break;
        }
        if touches >= world.contacts_per_step {
            log.tally.contact_limit += 1;
            break;
        }
    }
    Flown { p, touched, landed }
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
