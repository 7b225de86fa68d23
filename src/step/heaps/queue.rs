//! A queue of particles that land or roll, as if one after the other: a window of them is simulated ahead.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::landing::land;
use super::pending::Pending;
use super::window::{Seat, Window};
use super::{Heap, ground, lies, spheres};
use crate::collide::balls::Balls;
use crate::math::Real;
use crate::settle::{Change, Ground};
use crate::state::{Particles, State, Status};
use crate::step::clock::{Clock, Stage};
use crate::world::World;

/// Simulated ahead: at first, and at most.
const WINDOW: [usize; 2] = [16, 512];
/// Of so many results one may be thrown away before fewer are simulated ahead, and one of so many more before more are.
const WASTE: [usize; 2] = [14, 42];
/// How many others are between one that enters the window and the one whose row is brought nearer.
const AHEAD: usize = 1;
/// One that lay there and ends nearer to its place has not moved [radii].
const SAME: Real = 1e-6;

/// One that is to land or roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Queued {
    /// When its turn comes: a moment or a height, as bits in their order.
    pub(super) turn: u64,
    pub(super) row: u32,
    /// Number of what its first flight met, or [`NOT_MET`].
    pub(super) met: u32,
}

/// Nothing is known of a first flight.
pub(super) const NOT_MET: u32 = u32::MAX;

impl Queued {
    /// One of which nothing else is known.
    pub(super) fn new(turn: u64, row: u32) -> Self {
        Self {
            turn,
            row,
            met: NOT_MET,
        }
    }
}

/// Sorts by turns, then by birth.
pub(super) fn sort(queue: &mut [Queued], particles: &Particles) {
    let id = |queued: &Queued| particles.id[queued.row as usize];
    queue.sort_unstable_by(|a, b| a.turn.cmp(&b.turn).then_with(|| id(a).cmp(&id(b))));
}

impl Heap {
    /// Takes everything in a queue to where it stays, in its order.
    pub(super) fn land_all(
        &mut self,
        world: &World,
        state: &mut State,
        balls: &mut Balls,
        queue: &[Queued],
        span: [Real; 2],
        clock: &mut Clock,
    ) {
        let mut waiting = queue.iter();
        let mut window = std::mem::take(&mut self.window);
        let mut size = Size::new(self.fixed_window);
        window.begin(size.most);
        let mut since = Instant::now();
        loop {
            while window.len() < size.now
                && let Some(&queued) = waiting.next()
            {
                window.push(queued);
                // Rows come in the order of their moments, from all over the memory.
                if let Some(next) = waiting.as_slice().get(AHEAD) {
                    self.pending.prefetch(next.met);
                    state.particles.prefetch(next.row as usize);
                }
            }
            if window.len() == 0 {
                break;
            }
            let simulated = simulate(
                &ground(world, balls, &state.particles, span[1]),
                &state.particles,
                &self.pending,
                &mut window,
                span,
            );
            since = clock.simulated(simulated, since);
            let accepted = with_others_awake(|| {
                window.note();
                (0..)
                    .take_while(|_| self.accept(state, balls, &mut window))
                    .count()
            });
            since = clock.add(Stage::Accepting, since);
            size.adapt(simulated, accepted);
        }
        self.window = window;
    }

    /// Takes over the first result, and drops those that it makes wrong; false if there is none.
    fn accept(&mut self, state: &mut State, balls: &mut Balls, window: &mut Window) -> bool {
        let Some((row, landing)) = window.first() else {
            return false;
        };
        let at = row as usize;
        let lay = balls.contains(at);
        let (mut p, foot) = (landing.p, landing.foot);
        if !lay && p.status == Status::Airborne {
            if let Some(landing) = window.take_first() {
                self.pending.push(row, landing);
            }
            return true;
        }
        let (from, was) = (state.particles.position[at], state.particles.status[at]);
        let near = SAME * p.radius;
        let stays = lay && lies(p.status) && (p.position - from).norm_squared() <= near * near;
        if stays && was.is_settled() && p.status.is_settled() {
            window.drop_first();
            if state.particles.foot[at] != foot {
                state.particles.foot[at] = foot;
                window.forget(&from, p.radius, Change::Goes);
            }
            return true;
        }
        state.tally = state.tally.plus(landing.log.tally);
        self.children.append(&mut landing.log.children);
        window.drop_first();
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
            window.forget(&from, p.radius, Change::Goes);
        }
        state.particles.set_flyer(at, &p);
        if lies(p.status) {
            state.particles.foot[at] = foot;
            balls.insert(at, &spheres(&state.particles));
            self.pending.settled(row, state.particles.id[at], &p);
            window.forget(&p.position, p.radius, Change::Comes);
        }
        true
    }
}

/// How many are simulated ahead. It changes with what had to be thrown away; alone, nothing is gained by more than one.
struct Size {
    now: usize,
    most: usize,
    fixed: bool,
    /// Simulations and results taken over since the last change.
    done: [usize; 2],
}

impl Size {
    fn new(fixed: Option<usize>) -> Self {
        let alone = (rayon::current_num_threads() == 1).then_some(1);
        let fixed = fixed.or(alone);
        Self {
            now: fixed.unwrap_or(WINDOW[0]),
            most: fixed.unwrap_or(WINDOW[1]),
            fixed: fixed.is_some(),
            done: [0; 2],
        }
    }

    fn adapt(&mut self, simulated: usize, accepted: usize) {
        self.done[0] += simulated;
        self.done[1] += accepted;
        let [simulated, accepted] = self.done;
        if self.fixed || accepted < 2 * self.now {
            return;
        }
        self.done = [0; 2];
        let wasted = simulated.saturating_sub(accepted);
        if wasted * WASTE[0] > simulated {
            self.now = (self.now / 2).max(1);
        } else if wasted * WASTE[1] < simulated {
            self.now = (2 * self.now).min(self.most);
        }
    }
}

/// Simulates all that have no result; how many.
fn simulate(
    ground: &Ground,
    particles: &Particles,
    pending: &Pending,
    window: &mut Window,
    span: [Real; 2],
) -> usize {
    let mut open = window.open();
    let simulated = open.len();
    let one = |seat: &mut &mut Seat| {
        let looked = std::mem::take(&mut seat.spare);
        seat.landing = Some(land(ground, particles, pending, &seat.queued, span, looked));
    };
    // Some take twenty times as long as others: what is handed out in shares ends late.
    open.par_iter_mut().with_max_len(1).for_each(one);
    simulated
}

/// Does something short that only one thread can, while another keeps away from sleep: rounds are some dozens of
/// microseconds apart, and to wake a thread takes as long.
fn with_others_awake<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    struct Done<'a>(&'a AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let is_done = AtomicBool::new(false);
    let work = || {
        let _done = Done(&is_done);
        work()
    };
    let wait = || {
        while !is_done.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
    };
    rayon::join(work, wait).0
}
