//! Particles that are still in the air at the end of a step. Whoever settles in their way makes them fly again.

use rayon::prelude::*;

use super::CHUNK;
use super::landing::Landing;
use crate::collide::balls::{Balls, Spheres};
use crate::flight::{Log, heap};
use crate::math::{Point3, Real, Vec3};
use crate::settle::{Ground, Looked};
use crate::state::{Flyer, Particles, State, Status, Tally};
use crate::world::World;

use super::super::flights::count_losses;

/// One that touched nothing: a single leg, from where its row still says it is.
#[derive(Debug)]
struct Untouched {
    row: u32,
    position: Point3,
    velocity: Vec3,
}

/// Those in the air, and what settled in this round.
#[derive(Debug, Default)]
pub(super) struct Pending {
    untouched: Vec<Untouched>,
    /// Those that bounced or flew again, and how many had settled in this round before.
    touched: Vec<(u32, usize, Landing)>,
    fresh: Option<Balls>,
    position: Vec<Point3>,
    radius: Vec<Real>,
}

impl Pending {
    pub(super) fn clear(&mut self) {
        self.untouched.clear();
        self.touched.clear();
        self.begin_round();
    }

    /// Forgets what settled in the last round.
    pub(super) fn begin_round(&mut self) {
        self.position.clear();
        self.radius.clear();
        if let Some(fresh) = &mut self.fresh {
            fresh.clear();
        }
        self.touched.iter_mut().for_each(|t| t.1 = 0);
    }

    /// Flies everything against what lies still at the beginning of the step. Those that touch something are queued by
    /// the moment of it; the others wait for the end.
    pub(super) fn first_flights(
        &mut self,
        ground: &Ground,
        particles: &Particles,
        span: [Real; 2],
        queue: &mut Vec<(u64, u32)>,
    ) -> Tally {
        let flies = |row: usize| {
            particles.status[row] == Status::Airborne && ground.world.piles(particles.material[row])
        };
        let chunks = particles.len().div_ceil(CHUNK);
        let chunk = |n: usize| {
            let (mut free, mut touching, mut tally) = (Vec::new(), Vec::new(), Tally::default());
            for row in (n * CHUNK..particles.len().min((n + 1) * CHUNK)).filter(|&row| flies(row)) {
                let mut log = Log::default();
                let p = particles.flyer(row);
                let start = p.born.max(span[0]);
                let flown = heap::fly(ground, p, start, span[1], &mut log, &mut Looked::default());
                if flown.touched.is_finite() {
                    touching.push((flown.touched.to_bits(), row as u32));
                } else {
                    tally = tally.plus(log.tally);
                    free.push(Untouched {
                        row: row as u32,
                        position: flown.p.position,
                        velocity: flown.p.velocity,
                    });
                }
            }
            (free, touching, tally)
        };
        let done: Vec<_> = (0..chunks).into_par_iter().map(chunk).collect();
        let mut tally = Tally::default();
        for (free, touching, more) in done {
            self.untouched.extend(free);
            queue.extend(touching);
            tally = tally.plus(more);
        }
        tally
    }

    /// One more that is in the air at the end of the step.
    pub(super) fn push(&mut self, row: u32, landing: Landing) {
        self.touched.push((row, self.position.len(), landing));
    }

    /// One more that has settled.
    pub(super) fn settled(&mut self, p: &Flyer) {
        let row = self.position.len();
        self.position.push(p.position);
        self.radius.push(p.radius);
        let fresh = self.fresh.get_or_insert_with(|| Balls::new(p.radius, p.radius));
        let spheres = Spheres {
            position: &self.position,
            radius: &self.radius,
        };
        fresh.insert(row, &spheres);
    }

    /// Queues those whose way is crossed by something that settled after they had flown.
    pub(super) fn crossed(&mut self, queue: &mut Vec<(u64, u32)>, particles: &Particles) {
        let Some(fresh) = self.fresh.as_ref().filter(|f| !f.is_empty()) else {
            return;
        };
        let spheres = Spheres {
            position: &self.position,
            radius: &self.radius,
        };
        let meets = |from: &Point3, along: &Vec3, reach: Real, since: usize| {
            fresh.any_along(&spheres, from, along, reach, |settled| settled as usize >= since)
        };
        let crossed: Vec<bool> = self
            .untouched
            .par_iter()
            .with_min_len(CHUNK)
            .map(|u| {
                let row = u.row as usize;
                let (from, radius) = (particles.position[row], particles.radius[row]);
                meets(&from, &(u.position - from), radius * (1.0 + 1e-6), 0)
            })
            .collect();
        let first = queue.len();
        let mut at = crossed.iter();
        self.untouched.retain(|u| {
            let crossed = at.next().copied().unwrap_or(false);
            if crossed {
                queue.push((0, u.row));
            }
            !crossed
        });
        self.touched.retain(|(row, since, landing)| {
            let mut capsules = landing.looked.capsules().iter();
            let crossed = capsules.any(|c| meets(&c.from, &c.along, c.radius, *since));
            if crossed {
                queue.push((0, *row));
            }
            !crossed
        });
        debug_assert!(queue[first..].iter().all(|q| q.0 == 0));
    }

    /// Writes all back.
    pub(super) fn finish(&mut self, world: &World, state: &mut State) {
        for u in self.untouched.drain(..) {
            let row = u.row as usize;
            let mut p = state.particles.flyer(row);
            p.position = u.position;
            p.velocity = u.velocity;
            count_losses(world, &mut p, &mut state.tally);
            state.particles.set_flyer(row, &p);
        }
        for (row, _, landing) in self.touched.drain(..) {
            state.tally = state.tally.plus(landing.log.tally);
            state.particles.set_flyer(row as usize, &landing.p);
        }
    }
}
