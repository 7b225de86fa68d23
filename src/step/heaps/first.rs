//! The first flights of a step: everything in the air against what lies still at its beginning, many at once.

use rayon::prelude::*;

use super::CHUNK;
use super::queue::Queued;
use crate::collide::{Collider, Sweep};
use crate::flight::heap::{self, Flown};
use crate::flight::{Flight, Log};
use crate::math::{Point3, Real, Vec3};
use crate::settle::{Ground, Looked, Touch};
use crate::state::{Flyer, Particles, Status, Tally};
use crate::world::World;

/// One that touched nothing: a single leg, from where its row still says it is.
#[derive(Debug)]
pub(super) struct Untouched {
    pub(super) row: u32,
    pub(super) position: Point3,
    pub(super) velocity: Vec3,
}

/// The first touch of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    /// The whole way of the flight [m].
    pub(super) along: Vec3,
    pub(super) touch: Touch,
}

/// What became of them.
#[derive(Default)]
pub(super) struct Flights {
    /// Those that nothing was in the way of.
    pub(super) free: Vec<Untouched>,
    /// The others, by the moment of their first touch. Those that meet an event of their lives come after them.
    pub(super) meeting: Vec<Queued>,
    /// What most of those met.
    pub(super) met: Vec<Met>,
    /// What happened to the former.
    pub(super) tally: Tally,
}

/// Flies everything from a row on up to another through a span of time [s]; results in the order of the rows.
pub(super) fn fly(
    [first, end]: [usize; 2],
    ground: &Ground,
    particles: &Particles,
    span: [Real; 2],
) -> Vec<Flights> {
    let rows = end - first;
    let chunk = |n: usize| {
        let chunk = first + n * CHUNK..first + rows.min((n + 1) * CHUNK);
        Chunk::default().fly(chunk, ground, particles, span)
    };
    (0..rows.div_ceil(CHUNK)).into_par_iter().map(chunk).collect()
}

#[derive(Default)]
struct Chunk {
    flyers: Vec<(u32, Flight)>,
    sweeps: Vec<Sweep>,
    done: Flights,
}

impl Chunk {
    fn fly(
        mut self,
        rows: std::ops::Range<usize>,
        ground: &Ground,
        particles: &Particles,
        span: [Real; 2],
    ) -> Flights {
        let world = ground.world;
        for row in rows {
            if particles.status[row] != Status::Airborne || !world.piles(particles.material[row]) {
                continue;
            }
            let p = particles.flyer(row);
            // What has a life of its own, is within reach of a field, or among what moves, flies from event to event.
            let (flight, sweep) = Flight::new(world, &p, p.born.max(span[0]), span[1]);
            if world.lives.has_any(p.material) || flight.goes_on() || !world.movers.is_empty() {
                self.fly_alone(ground, row, &p, span);
            } else {
                self.flyers.push((row as u32, flight));
                self.sweeps.push(sweep);
            }
        }
        let mut hits = vec![None; self.sweeps.len()];
        world.collider.first_touches(&self.sweeps, &mut hits);
        for (((row, flight), sweep), hit) in self.flyers.iter().zip(&self.sweeps).zip(hits) {
            match ground.first_with(sweep, hit) {
                Some(touch) => {
                    let touched = flight.moment(sweep, touch.fraction);
                    self.done.meeting.push(Queued {
                        turn: touched.to_bits(),
                        row: *row,
                        met: self.done.met.len() as u32,
                    });
                    self.done.met.push(Met {
                        along: sweep.along,
                        touch,
                    });
                }
                None => {
                    let mut log = Log::default();
                    let (position, velocity) = flight.pass(world, sweep, &mut log);
                    self.done.tally = self.done.tally.plus(log.tally);
                    self.done.free.push(Untouched {
                        row: *row,
                        position,
                        velocity,
                    });
                }
            }
        }
        self.done
    }

    fn fly_alone(&mut self, ground: &Ground, row: usize, p: &Flyer, span: [Real; 2]) {
        let mut log = Log::default();
        let start = Flown::new(*p, p.born.max(span[0]));
        let flown = heap::fly(ground, start, span[1], &mut log, &mut Looked::default());
        if flown.touched.is_finite() || lives_on(ground.world, p, &flown, span[1]) {
            self.done
                .meeting
                .push(Queued::new(flown.touched.to_bits(), row as u32));
        } else {
            self.done.tally = self.done.tally.plus(log.tally);
            self.done.free.push(Untouched {
                row: row as u32,
                position: flown.p.position,
                velocity: flown.p.velocity,
            });
        }
    }
}

/// Whether something happened to a particle on its way, up to a moment [s], because of its age or place.
fn lives_on(world: &World, before: &Flyer, flown: &Flown, end: Real) -> bool {
    if !world.lives.has_any(before.material) {
        return false;
    }
    let (mut p, mut children) = (flown.p, Vec::new());
    world.lives.moved(&mut p, &before.position, end, &mut children);
    flown.aged || p.status != Status::Airborne || !children.is_empty()
}
