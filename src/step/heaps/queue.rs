//! A queue of particles that land or roll, as if one after the other: a window of them is simulated ahead.

use std::collections::VecDeque;
use std::time::Instant;

use rayon::prelude::*;

use super::landing::{Landing, land};
use super::{Heap, ground, lies, spheres};
use crate::collide::balls::Balls;
use crate::math::{Point3, Real};
use crate::settle::Ground;
use crate::state::{Particles, State, Status};
use crate::step::clock::{Clock, Stage};
use crate::world::World;

/// Simulated ahead: at first, and at most.
const WINDOW: [usize; 2] = [16, 512];
/// One that lay there and ends nearer to its place has not moved [radii].
const SAME: Real = 1e-6;

/// A place in the window.
struct Seat {
    row: u32,
    landing: Option<Landing>,
}

impl Heap {
    /// Takes everything in a queue to where it stays, in its order.
    pub(super) fn land_all(
        &mut self,
        world: &World,
        state: &mut State,
        balls: &mut Balls,
        queue: &[(u64, u32)],
        span: [Real; 2],
        clock: &mut Clock,
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
            let since = Instant::now();
            simulate(
                &ground(world, balls, &state.particles, span[1]),
                &state.particles,
                &mut window,
                span,
            );
            clock.add(Stage::Landings, since);
            let since = Instant::now();
            let mut accepted = 0;
            while let Some(landing) = window.front_mut().and_then(|seat| seat.landing.take()) {
                let row = window.pop_front().map_or(0, |seat| seat.row);
                accepted += 1;
                self.accept(state, balls, row, landing, &mut window);
            }
            clock.add(Stage::Accepting, since);
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
        let lay = balls.contains(at);
        if !lay && landing.p.status == Status::Airborne {
            self.pending.push(row, landing);
            return;
        }
        let mut p = landing.p;
        let (from, was) = (state.particles.position[at], state.particles.status[at]);
        let near = SAME * p.radius;
        let stays = lay && lies(p.status) && (p.position - from).norm_squared() <= near * near;
        if stays && was.is_settled() && p.status.is_settled() {
            if state.particles.foot[at] != landing.foot {
                state.particles.foot[at] = landing.foot;
                forget(window, &from, p.radius);
            }
            return;
        }
        state.tally = state.tally.plus(landing.log.tally);
        self.children.extend(landing.log.children);
        if lay {
            if stays {
                p.position = from;
            } else {
                // Nobody lies on one that rolls.
                if was.is_settled() {
                    state.tally.moved_on += 1;
                    self.wake_around(state, balls, at);
                }
                self.left.push((from, p.radius));
                balls.remove(at, &spheres(&state.particles));
            }
            forget(window, &from, p.radius);
        }
        state.particles.set_flyer(at, &p);
        if lies(p.status) {
            state.particles.foot[at] = landing.foot;
            balls.insert(at, &spheres(&state.particles));
            self.pending.settled(&p);
            forget(window, &p.position, p.radius);
        }
    }
}

/// Drops all results that depend on what has changed in a ball.
fn forget(window: &mut VecDeque<Seat>, center: &Point3, radius: Real) {
    for seat in window {
        let landing = seat.landing.as_ref();
        if landing.is_some_and(|l| l.looked.meets(center, radius)) {
            seat.landing = None;
        }
    }
}

fn simulate(ground: &Ground, particles: &Particles, window: &mut VecDeque<Seat>, span: [Real; 2]) {
    let open = window
        .make_contiguous()
        .iter_mut()
        .filter(|s| s.landing.is_none());
    let mut open: Vec<&mut Seat> = open.collect();
    let one = |seat: &mut &mut Seat| seat.landing = Some(land(ground, particles, seat.row, span));
    match open.as_mut_slice() {
        [] => {}
        [seat] => one(seat),
        seats => seats.par_iter_mut().for_each(one),
    }
}
