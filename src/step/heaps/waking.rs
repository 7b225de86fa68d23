//! What rolls on, and what moves because its hold has gone: exactly those that touched it are looked at again, and those
//! that touched whoever of them moved, and so on.
//!
//! While particles only come, nothing that lies still needs a second look: they hold and raise what is around it. Every
//! move leads down, so waking ends.

use std::collections::BTreeSet;
use std::time::Instant;

use super::queue::{self, Queued};
use super::{Heap, spheres};
use crate::collide::balls::Balls;
use crate::geom::sweep_balls::TOUCH;
use crate::math::{Point3, Real, Vec3};
use crate::state::{Particles, State, Status};
use crate::step::clock::{Clock, Stage};
use crate::world::World;

/// Rounds of waking in one step; who is left then rolls on in the next.
const ROUNDS: usize = 256;

impl Heap {
    /// Takes rows that are gone out of the index, and wakes those that touched them.
    pub(in crate::step) fn remove(&mut self, state: &State, gone: &[usize]) {
        let Some(mut balls) = self.balls.take() else {
            return;
        };
        for &row in gone {
            if !balls.contains(row) {
                continue;
            }
            self.wake_around(state, &balls, row);
            balls.remove(row, &spheres(&state.particles));
        }
        self.balls = Some(balls);
    }

    /// Notes everything settled that touches the ball of a row as one to look at again.
    pub(super) fn wake_around(&mut self, state: &State, balls: &Balls, row: usize) {
        let p = &state.particles;
        touching(p, balls, (p.position[row], p.radius[row]), |other| {
            if other != row && p.status[other].is_settled() {
                self.woken.push(other as u32);
            }
        });
    }

    /// Those that wait for each other, and for nobody who moves or has just left, hold each other as an arch does: they
    /// lie still.
    fn end_waiting(&mut self, state: &mut State, balls: &Balls) {
        let p = &mut state.particles;
        let rolls = |row: &usize| p.status[*row] == Status::Rolling;
        let (mut waiting, mut moving) = (BTreeSet::new(), std::mem::take(&mut self.left));
        for row in (0..p.len()).filter(rolls) {
            if p.velocity[row] == Vec3::zeros() {
                waiting.insert(row);
            } else {
                moving.push((p.position[row], p.radius[row]));
            }
        }
        while !waiting.is_empty()
            && let Some(ball) = moving.pop()
        {
            touching(p, balls, ball, |other| {
                if waiting.remove(&other) {
                    moving.push((p.position[other], p.radius[other]));
                }
            });
        }
        for row in waiting {
            p.status[row] = Status::Rested;
        }
    }

    /// Lets everything that rolls go on for a span of time [s], and all that it makes move.
    pub(in crate::step) fn roll(
        &mut self,
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
        let rolls = state.particles.status.iter().enumerate();
        self.woken.extend(
            rolls
                .filter(|(_, s)| **s == Status::Rolling)
                .map(|(row, _)| row as u32),
        );
        if self.woken.is_empty() {
            self.balls = Some(balls);
            return;
        }
        for _ in 0..ROUNDS {
            if self.woken.is_empty() {
                break;
            }
            self.queue.clear();
            for row in self.woken.drain(..) {
                let height = state.particles.position[row as usize].coords.dot(&world.up);
                if balls.contains(row as usize) {
                    self.queue.push(Queued::new(ascending(height), row));
                }
            }
            queue::sort(&mut self.queue, &state.particles);
            self.queue.dedup();
            let queue = std::mem::take(&mut self.queue);
            self.land_all(world, state, &mut balls, &queue, span, &mut Clock::default());
            self.queue = queue;
        }
        for row in self.woken.drain(..) {
            state.particles.status[row as usize] = Status::Rolling;
        }
        self.end_waiting(state, &balls);
        self.balls = Some(balls);
        clock.add(Stage::Waking, since);
    }
}

/// Calls `each` with every row in the index whose ball touches or cuts this one.
fn touching(
    particles: &Particles,
    balls: &Balls,
    (center, radius): (Point3, Real),
    mut each: impl FnMut(usize),
) {
    let reach = radius + 2.0 * TOUCH * (radius + balls.largest());
    balls.around(&spheres(particles), &center, reach, |other| each(other as usize));
}

/// Whole numbers in the order of the numbers.
pub(in crate::step) fn ascending(x: Real) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_keep_their_order() {
        let heights = [-1e300, -2.0, -1e-300, 0.0, 1e-300, 0.5, 3.0, 1e300];
        assert!(heights.map(ascending).is_sorted_by(|a, b| a < b));
    }
}
