//! The part of a step in which particles land on each other: the same as one after the other, in the order of their first
//! touch of what lay there when the step began, then of their rows.
//!
//! Landings are simulated ahead, many at once, each with a note of the places it looked at; one is accepted only if
//! nothing that was accepted before it has come to lie there (deterministic speculation: Blelloch, Fineman, Gibbons & Shun
//! 2012). Neither the size of the window nor the number of threads can be seen in the result.

mod landing;
mod pending;

use std::collections::VecDeque;

use rayon::prelude::*;

use crate::collide::balls::{Balls, Spheres};
use crate::math::{Real, Vec3};
use crate::settle::Ground;
use crate::state::{Birth, Particles, State, Status};
use crate::world::World;
use landing::{Landing, land};
use pending::Pending;

/// Rows that one task looks at.
const CHUNK: usize = 512;
/// Landings simulated ahead: at first, and at most.
const WINDOW: [usize; 2] = [16, 512];

/// The index of what lies still, and what it was built from; memory without meaning between steps.
#[derive(Debug, Default)]
pub(super) struct Heap {
    balls: Option<Balls>,
    /// Rows and last birth number when the index was last right, and how many rows were in it.
    known: (usize, Option<u64>, usize),
    fixed_window: Option<usize>,
    queue: Vec<(u64, u32)>,
    pending: Pending,
}

/// A place in the window.
struct Seat {
    row: u32,
    landing: Option<Landing>,
}

impl Heap {
    pub(super) fn with_window(size: usize) -> Self {
        Self {
            fixed_window: Some(size.max(1)),
            ..Self::default()
        }
    }

    /// Brings the index up to date with the state, which may be new.
    pub(super) fn open(&mut self, world: &World, particles: &Particles) {
        if !world.pile {
            return;
        }
        let lies = |row: &usize| particles.status[*row].is_settled() && world.piles(particles.material[*row]);
        let rows = particles.len();
        let count = (0..rows).into_par_iter().with_min_len(1 << 14).filter(lies).count();
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

    /// Flies everything that piles up through a span of time [s] and lets it settle.
    pub(super) fn advance(&mut self, world: &World, state: &mut State, span: [Real; 2]) {
        let Some(mut balls) = self.balls.take() else {
            return;
        };
        state.particles.foot.resize(state.particles.len(), [0.0; 3]);
        self.queue.clear();
        self.pending.clear();
        let tally = {
            let ground = ground(world, &balls, &state.particles);
            self.pending.first_flights(&ground, &state.particles, span, &mut self.queue)
        };
        state.tally = state.tally.plus(tally);
        while !self.queue.is_empty() {
            self.queue.sort_unstable();
            let queue = std::mem::take(&mut self.queue);
            self.pending.begin_round();
            self.land_all(world, state, &mut balls, &queue, span);
            self.queue = queue;
            self.queue.clear();
            self.pending.crossed(&mut self.queue, &state.particles);
        }
        self.pending.finish(world, state);
        self.balls = Some(balls);
    }

    /// Lands everything in a queue as if one after the other.
    fn land_all(
        &mut self,
        world: &World,
        state: &mut State,
        balls: &mut Balls,
        queue: &[(u64, u32)],
        span: [Real; 2],
    ) {
        let mut waiting = queue.iter();
        let mut window: VecDeque<Seat> = VecDeque::new();
        let mut size = self.fixed_window.unwrap_or(WINDOW[0]);
        loop {
            while window.len() < size
                && let Some(&(_, row)) = waiting.next()
            {
                window.push_back(Seat { row, landing: None });
            }
            if window.is_empty() {
                return;
            }
            simulate(&ground(world, balls, &state.particles), &state.particles, &mut window, span);
            let mut accepted = 0;
            while let Some(landing) = window.front_mut().and_then(|seat| seat.landing.take()) {
                let row = window.pop_front().map_or(0, |seat| seat.row);
                accepted += 1;
                self.accept(state, balls, row, landing, &mut window);
            }
            if self.fixed_window.is_none() {
                if 4 * accepted < size {
                    size = (size / 2).max(1);
                } else if 4 * accepted > 3 * size {
                    size = (2 * size).min(WINDOW[1]);
                }
            }
        }
    }

    /// Takes over a result, and drops those that it makes wrong.
    fn accept(
        &mut self,
        state: &mut State,
        balls: &mut Balls,
        row: u32,
        landing: Landing,
        window: &mut VecDeque<Seat>,
    ) {
        let at = row as usize;
        let p = landing.p;
        if p.status == Status::Airborne {
            self.pending.push(row, landing);
            return;
        }
        state.tally = state.tally.plus(landing.log.tally);
        state.particles.set_flyer(at, &p);
        if !p.status.is_settled() {
            return;
        }
        state.particles.foot[at] = landing.foot;
        balls.insert(at, &spheres(&state.particles));
        self.pending.settled(&p);
        for seat in window {
            if seat.landing.as_ref().is_some_and(|l| l.looked.meets(&p.position, p.radius)) {
                seat.landing = None;
            }
        }
    }

    /// Removes those that are gone, so that rows and index move up together.
    pub(super) fn close(&mut self, state: &mut State) {
        let particles = &mut state.particles;
        let Some(balls) = &mut self.balls else { return };
        if particles.status.iter().any(|s| s.is_gone()) {
            balls.renumber(|row| particles.status[row].is_gone());
            particles.remove_gone();
        }
        self.known = (particles.len(), particles.id.last().copied(), balls.len());
    }
}

fn simulate(ground: &Ground, particles: &Particles, window: &mut VecDeque<Seat>, span: [Real; 2]) {
    let open = window.make_contiguous().iter_mut().filter(|s| s.landing.is_none());
    let mut open: Vec<&mut Seat> = open.collect();
    let one = |seat: &mut &mut Seat| seat.landing = Some(land(ground, particles, seat.row, span));
    match open.as_mut_slice() {
        [] => {}
        [seat] => one(seat),
        seats => seats.par_iter_mut().for_each(one),
    }
}

fn spheres(particles: &Particles) -> Spheres<'_> {
    Spheres {
        position: &particles.position,
        radius: &particles.radius,
    }
}

fn ground<'a>(world: &'a World, balls: &'a Balls, particles: &'a Particles) -> Ground<'a> {
    Ground {
        world,
        balls,
        spheres: spheres(particles),
        feet: &particles.foot,
    }
}
