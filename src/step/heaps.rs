//! The part of a step in which particles land on each other: the same as one after the other. What rolls or has lost its
//! hold comes first, from below; then what flies, in the order of its first touch, then of its birth.
//!
//! Everything is simulated ahead, many at once, each with a note of the places it looked at; a result is accepted only if
//! nothing that was accepted before it has changed anything there (deterministic speculation: Blelloch, Fineman, Gibbons
//! & Shun 2012). Neither the size of the window nor the number of threads can be seen in the result.

mod first;
mod landing;
mod pending;
mod queue;
mod waking;
mod window;

use std::time::Instant;

use rayon::prelude::*;

use super::births::give_children;
use super::clock::{Clock, Stage};
use crate::collide::balls::{ALL, Balls, Spheres};
use crate::math::{Point3, Real, Vec3};
use crate::settle::Ground;
use crate::state::{Birth, Particles, State, Status};
use crate::world::World;
use pending::Pending;
use queue::Queued;
pub(super) use waking::ascending;
use window::Window;

/// Rows that one task looks at.
const CHUNK: usize = 512;

/// The index of what lies or rolls, and what it was built from; memory without meaning between steps.
#[derive(Debug, Default)]
pub(super) struct Heap {
    balls: Option<Balls>,
    /// Rows and last birth number when the index was last right, and how many rows were in it.
    known: (usize, Option<u64>, usize),
    fixed_window: Option<usize>,
    window: Window,
    queue: Vec<Queued>,
    /// Rows that lay on something which has gone.
    woken: Vec<u32>,
    /// Balls from which something has rolled or fallen in this step.
    left: Vec<(Point3, Real)>,
    pending: Pending,
    children: Vec<Birth>,
}

impl Heap {
    pub(super) fn with_window(size: usize) -> Self {
        Self {
            fixed_window: Some(size.max(1)),
            ..Self::default()
        }
    }

    /// Bytes of the index.
    pub(super) fn bytes(&self) -> usize {
        self.balls.as_ref().map_or(0, Balls::bytes)
    }

    /// Brings the index up to date with the state, which may be new.
    pub(super) fn open(&mut self, world: &World, particles: &Particles) {
        self.woken.clear();
        self.left.clear();
        self.children.clear();
        self.pending.clear();
        if !world.pile {
            return;
        }
        let lies = |row: &usize| lies(particles.status[*row]) && world.piles(particles.material[*row]);
        let rows = particles.len();
        let count = (0..rows)
            .into_par_iter()
            .with_min_len(1 << 14)
            .filter(lies)
            .count();
        let (known_rows, last, inside) = self.known;
        let same = known_rows <= rows
            && inside == count
            && last == known_rows.checked_sub(1).map(|row| particles.id[row]);
        if same && self.balls.is_some() {
            return;
        }
        let radii = world.materials.iter().map(|m| [m.radius.min(), m.radius.max()]);
        let [least, most] = radii.fold([Real::INFINITY, 0.0], |a, r| [a[0].min(r[0]), a[1].max(r[1])]);
        let mut balls = Balls::new(least, most);
        let spheres = spheres(particles);
        (0..rows).filter(lies).for_each(|row| balls.insert(row, &spheres));
        self.balls = Some(balls);
    }

    /// The index.
    pub(super) fn balls(&self) -> Option<&Balls> {
        self.balls.as_ref()
    }

    /// Builds the index anew after all that rides has moved, and wakes those that touched who lies no more.
    pub(super) fn reopen(&mut self, world: &World, state: &State, gone: &[usize]) {
        self.balls = None;
        self.open(world, &state.particles);
        if let Some(balls) = self.balls.take() {
            gone.iter().for_each(|&row| self.wake_around(state, &balls, row));
            self.balls = Some(balls);
        }
    }

    /// How deep a birth would lie in what lies still [m], and the shortest way out.
    pub(super) fn overlap(
        &self,
        world: &World,
        particles: &Particles,
        birth: &Birth,
    ) -> Option<(Real, Vec3)> {
        let balls = self.balls.as_ref().filter(|_| world.piles(birth.material))?;
        let (depth, row) = balls.deepest_overlap(&spheres(particles), &birth.position, birth.radius)?;
        let out = birth.position - particles.position[row];
        Some((depth, out.try_normalize(0.0).unwrap_or(world.up)))
    }

    /// Flies everything that piles up from a row on up to another through a span of time [s] and lets it settle; gives
    /// births to the children of what has ended or come to rest.
    pub(super) fn fly_rows(
        &mut self,
        rows: [usize; 2],
        world: &World,
        state: &mut State,
        span: [Real; 2],
        clock: &mut Clock,
    ) {
        let Some(mut balls) = self.balls.take() else {
            return;
        };
        let since = Instant::now();
        state.particles.foot.resize(state.particles.len(), [0.0; 3]);
        self.queue.clear();
        let tally = {
            let ground = ground(world, &balls, &state.particles, span[1]);
            self.pending
                .first_flights(rows, &ground, &state.particles, span, &mut self.queue)
        };
        state.tally = state.tally.plus(tally);
        clock.add(Stage::FirstTouches, since);
        self.pending.begin_round();
        while !self.queue.is_empty() {
            queue::sort(&mut self.queue, &state.particles);
            let queue = std::mem::take(&mut self.queue);
            self.land_all(world, state, &mut balls, &queue, span, clock);
            self.queue = queue;
            self.queue.clear();
            let since = Instant::now();
            self.pending.crossed(&mut self.queue, &state.particles);
            self.pending.begin_round();
            clock.add(Stage::Crossings, since);
        }
        self.balls = Some(balls);
        give_children(world, state, &self.children);
        self.children.clear();
    }

    /// Writes back what is still in the air, gives births to its children and removes those that are gone, so that rows
    /// and index move up together.
    pub(super) fn close(&mut self, world: &World, state: &mut State, clock: &mut Clock) {
        let since = Instant::now();
        self.pending.finish(world, state, &mut self.children);
        give_children(world, state, &self.children);
        let particles = &mut state.particles;
        let Some(balls) = &mut self.balls else { return };
        if particles.status.iter().any(|s| s.is_gone()) {
            balls.renumber(|row| particles.status[row].is_gone());
            particles.remove_gone();
        }
        self.known = (particles.len(), particles.id.last().copied(), balls.len());
        clock.add(Stage::Index, since);
    }
}

/// Whether others do not enter the place of a particle that does this.
fn lies(status: Status) -> bool {
    status.is_settled() || status == Status::Rolling
}

fn spheres(particles: &Particles) -> Spheres<'_> {
    Spheres {
        position: &particles.position,
        radius: &particles.radius,
        id: &particles.id,
        except: ALL,
    }
}

fn ground<'a>(world: &'a World, balls: &'a Balls, particles: &'a Particles, time: Real) -> Ground<'a> {
    Ground {
        world,
        balls,
        spheres: spheres(particles),
        feet: &particles.foot,
        status: &particles.status,
        time,
    }
}
