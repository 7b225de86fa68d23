//! Particles that are still in the air at the end of a step. Whoever settles in their way makes them fly again.

use rayon::prelude::*;

use super::CHUNK;
use super::first::{self, Met, Untouched};
use super::landing::Landing;
use super::queue::{NOT_MET, Queued};
use crate::collide::Sweep;
use crate::collide::balls::{ALL, Balls, Spheres};
use crate::math::{Point3, Real, Vec3};
use crate::prefetch::prefetch;
use crate::settle::{Ground, On, Touch};
use crate::state::{Birth, Flyer, Particles, State, Tally};
use crate::world::World;

use super::super::flights::count_losses;

/// Those in the air, and what settled in this round.
#[derive(Debug, Default)]
pub(super) struct Pending {
    untouched: Vec<Untouched>,
    /// What was met by first flights of this round.
    met: Vec<Met>,
    /// Those that bounced or flew again, and how many had settled in this round before.
    touched: Vec<(u32, usize, Landing)>,
    fresh: Option<Balls>,
    /// Those in it.
    settled: Settled,
}

/// Columns of what settled in a round.
#[derive(Debug, Default)]
struct Settled {
    /// Centres [m].
    position: Vec<Point3>,
    /// Radii [m].
    radius: Vec<Real>,
    /// Birth numbers.
    id: Vec<u64>,
    /// Rows among all particles.
    row: Vec<u32>,
}

impl Settled {
    fn clear(&mut self) {
        self.position.clear();
        self.radius.clear();
        self.id.clear();
        self.row.clear();
    }

    fn spheres(&self) -> Spheres<'_> {
        Spheres {
            position: &self.position,
            radius: &self.radius,
            id: &self.id,
            except: ALL,
        }
    }
}

impl Pending {
    pub(super) fn clear(&mut self) {
        self.untouched.clear();
        self.met.clear();
        self.touched.clear();
        self.begin_round();
    }

    /// Forgets what settled in the last round.
    pub(super) fn begin_round(&mut self) {
        self.settled.clear();
        if let Some(fresh) = &mut self.fresh {
            fresh.clear();
        }
        self.touched.iter_mut().for_each(|t| t.1 = 0);
    }

    /// Flies everything from a row on up to another against what lies still. Those that touch something are queued by the
    /// moment of it, those that meet an event of their lives after them; the others wait for the end.
    pub(super) fn first_flights(
        &mut self,
        rows: [usize; 2],
        ground: &Ground,
        particles: &Particles,
        span: [Real; 2],
        queue: &mut Vec<Queued>,
    ) -> Tally {
        let mut tally = Tally::default();
        self.met.clear();
        for flights in first::fly(rows, ground, particles, span) {
            self.untouched.extend(flights.free);
            let before = self.met.len() as u32;
            queue.extend(flights.meeting.into_iter().map(|q| match q.met {
                NOT_MET => q,
                met => Queued {
                    met: before + met,
                    ..q
                },
            }));
            self.met.extend(flights.met);
            tally = tally.plus(flights.tally);
        }
        tally
    }

    /// Brings what a first flight met nearer, by its number.
    pub(super) fn prefetch(&self, met: u32) {
        prefetch(&self.met, met as usize);
    }

    /// What a particle meets first, if that is known from its first flight: then, or of what has settled since.
    /// `met` is the number of it, and `id` holds the birth numbers of all rows.
    pub(super) fn first_touch(&self, met: u32, p: &Flyer, id: &[u64]) -> Option<Touch> {
        let &Met { along, touch } = self.met.get(met as usize)?;
        let Some(fresh) = &self.fresh else {
            return Some(touch);
        };
        let sweep = Sweep {
            from: p.position,
            along,
            radius: p.radius,
            span: [0.0; 2],
        };
        // Among equals triangles come first.
        let name = match touch.on {
            On::Triangle(_) => 0,
            On::Ball(row) => id[row as usize],
        };
        let known = (touch.fraction.to_bits(), name);
        let hit = fresh.first_before(&self.settled.spheres(), &sweep, known);
        Some(hit.map_or(touch, |hit| Touch {
            on: On::Ball(self.settled.row[hit.row]),
            ..Touch::from(hit)
        }))
    }

    /// One more that is in the air at the end of the step.
    pub(super) fn push(&mut self, row: u32, landing: Landing) {
        self.touched.push((row, self.settled.position.len(), landing));
    }

    /// One more that has settled.
    pub(super) fn settled(&mut self, row: u32, id: u64, p: &Flyer) {
        let settled = &mut self.settled;
        let number = settled.row.len();
        settled.row.push(row);
        settled.id.push(id);
        settled.position.push(p.position);
        settled.radius.push(p.radius);
        let fresh = self.fresh.get_or_insert_with(|| Balls::new(p.radius, p.radius));
        fresh.insert(number, &settled.spheres());
    }

    /// Queues those whose way is crossed by something that settled after they had flown.
    pub(super) fn crossed(&mut self, queue: &mut Vec<Queued>, particles: &Particles) {
        self.met.clear();
        let Some(fresh) = self.fresh.as_ref().filter(|f| !f.is_empty()) else {
            return;
        };
        let spheres = self.settled.spheres();
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
                queue.push(Queued::new(0, u.row));
            }
            !crossed
        });
        self.touched.retain(|(row, since, landing)| {
            let mut capsules = landing.looked.capsules().iter();
            let crossed = capsules.any(|c| meets(&c.from, &c.along, c.radius, *since));
            if crossed {
                queue.push(Queued::new(0, *row));
            }
            !crossed
        });
        debug_assert!(queue[first..].iter().all(|q| q.turn == 0));
    }

    /// Writes all back; children of those that fly on are added to the others.
    pub(super) fn finish(&mut self, world: &World, state: &mut State, children: &mut Vec<Birth>) {
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
            children.extend(landing.log.children);
        }
    }
}
