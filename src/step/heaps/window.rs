//! Landings that are simulated ahead, in their order, and which of them a change makes wrong.

use std::collections::VecDeque;

use super::landing::Landing;
use super::queue::Queued;
use crate::math::{Aabb, Point3, Real};
use crate::settle::{Change, Looked};

/// Boxes that are compared at once.
const LANES: usize = 16;
/// Room for rounding, as a share of a radius.
const ROOM: Real = 1.0 + 1e-5;

/// A place in the window.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) queued: Queued,
    pub(super) landing: Option<Landing>,
    /// Memory for the next simulation.
    pub(super) spare: Looked,
    /// Whether its box is up to date.
    boxed: bool,
}

/// The window: a queue of seats, with the boxes of what they have looked at side by side for a quick look.
#[derive(Debug, Default)]
pub(super) struct Window {
    seats: VecDeque<Seat>,
    spares: Vec<Looked>,
    boxes: Vec<Boxes>,
    /// Lane of the first seat; that of the others follows, round and round.
    first: usize,
}

/// Boxes of `f32`, rounded outward; empty ones are met by nothing.
#[derive(Debug, Clone)]
struct Boxes {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

impl Boxes {
    const EMPTY: Self = Self {
        low: [[f32::INFINITY; LANES]; 3],
        high: [[f32::NEG_INFINITY; LANES]; 3],
    };

    fn set(&mut self, lane: usize, bounds: &Aabb) {
        for k in 0..3 {
            self.low[k][lane] = (bounds.min[k] as f32).next_down();
            self.high[k][lane] = (bounds.max[k] as f32).next_up();
        }
    }

    /// Those that meet a box, one bit each.
    #[inline]
    fn met(&self, low: &[f32; 3], high: &[f32; 3]) -> u32 {
        let mut met = [true; LANES];
        let axes = self.low.iter().zip(&self.high).zip(low.iter().zip(high));
        for ((lows, highs), (low, high)) in axes {
            for ((met, l), h) in met.iter_mut().zip(lows).zip(highs) {
                *met &= (l <= high) & (h >= low);
            }
        }
        let bit = |(lane, met): (usize, &bool)| u32::from(*met) << lane;
        met.iter().enumerate().map(bit).fold(0, |a, b| a | b)
    }
}

impl Window {
    /// Empties it and makes room for this many seats at the most.
    pub(super) fn begin(&mut self, most: usize) {
        self.seats.clear();
        self.boxes.clear();
        self.boxes.resize(most.div_ceil(LANES), Boxes::EMPTY);
        self.first = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.seats.len()
    }

    /// One more, if there is room.
    pub(super) fn push(&mut self, queued: Queued) {
        self.seats.push_back(Seat {
            queued,
            landing: None,
            spare: self.spares.pop().unwrap_or_default(),
            boxed: false,
        });
    }

    /// Those that have yet to be simulated.
    pub(super) fn open(&mut self) -> Vec<&mut Seat> {
        let open = self.seats.iter_mut().filter(|seat| seat.landing.is_none());
        open.collect()
    }

    /// Notes the boxes of what has been simulated.
    pub(super) fn note(&mut self) {
        let lanes = LANES * self.boxes.len();
        for (n, seat) in self.seats.iter_mut().enumerate() {
            if let Some(landing) = seat.landing.as_ref().filter(|_| !seat.boxed) {
                let lane = (self.first + n) % lanes;
                self.boxes[lane / LANES].set(lane % LANES, landing.looked.bounds());
                seat.boxed = true;
            }
        }
    }

    /// The result of the first seat, if it has been simulated.
    pub(super) fn first(&mut self) -> Option<(u32, &mut Landing)> {
        let seat = self.seats.front_mut()?;
        Some((seat.queued.row, seat.landing.as_mut()?))
    }

    /// Takes the first seat out, with its result.
    pub(super) fn take_first(&mut self) -> Option<Landing> {
        let landing = self.seats.front_mut()?.landing.take();
        self.drop_first();
        landing
    }

    /// Takes the first seat out and keeps the memory of its result.
    pub(super) fn drop_first(&mut self) {
        self.empty(0);
        if let Some(seat) = self.seats.front_mut() {
            let mut looked = match &mut seat.landing {
                Some(landing) => std::mem::take(&mut landing.looked),
                None => std::mem::take(&mut seat.spare),
            };
            looked.clear();
            self.spares.push(looked);
            self.seats.pop_front();
            self.first = (self.first + 1) % (LANES * self.boxes.len());
        }
    }

    /// Drops all results that depend on what has changed in a ball.
    pub(super) fn forget(&mut self, center: &Point3, radius: Real, change: Change) {
        if change == Change::Goes {
            for n in 0..self.seats.len() {
                self.check(n, center, radius, change);
            }
            return;
        }
        let reach = radius * ROOM;
        let low = std::array::from_fn(|k| ((center[k] - reach) as f32).next_down());
        let high = std::array::from_fn(|k| ((center[k] + reach) as f32).next_up());
        let lanes = LANES * self.boxes.len();
        // Round and round: the last seat may share a group with the first.
        let taken = (self.first % LANES + self.seats.len()).div_ceil(LANES);
        for n in 0..taken.min(self.boxes.len()) {
            let group = (self.first / LANES + n) % self.boxes.len();
            let mut met = self.boxes[group].met(&low, &high);
            while met != 0 {
                let lane = LANES * group + met.trailing_zeros() as usize;
                met &= met - 1;
                self.check((lane + lanes - self.first) % lanes, center, radius, change);
            }
        }
    }

    fn check(&mut self, n: usize, center: &Point3, radius: Real, change: Change) {
        let Some(seat) = self.seats.get_mut(n) else { return };
        let landing = seat.landing.as_ref();
        if landing.is_some_and(|l| l.looked.meets(center, radius, change)) {
            if let Some(landing) = seat.landing.take() {
                seat.spare = landing.looked;
                seat.spare.clear();
            }
            self.empty(n);
        }
    }

    /// Empties the box of a seat.
    fn empty(&mut self, n: usize) {
        let lane = (self.first + n) % (LANES * self.boxes.len());
        self.boxes[lane / LANES].set(lane % LANES, &Aabb::EMPTY);
        if let Some(seat) = self.seats.get_mut(n) {
            seat.boxed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flight::Log;
    use crate::math::Vec3;
    use crate::state::{Birth, Particles};

    fn landing(at: Point3) -> Landing {
        let mut particles = Particles::default();
        particles.push(
            0,
            &Birth {
                position: at,
                velocity: Vec3::zeros(),
                radius: 1.0,
                material: 0,
                time: 0.0,
                key: 0,
            },
        );
        let mut looked = Looked::default();
        looked.add(at, Vec3::zeros(), 1.0);
        looked.add(at + 4.0 * Vec3::x(), 4.0 * Vec3::y(), 0.5);
        Landing {
            p: particles.flyer(0),
            foot: [0.0; 3],
            log: Log::default(),
            looked,
        }
    }

    /// However full and however far round it is, exactly those are dropped that looked at the place.
    #[test]
    fn a_change_drops_exactly_those_that_looked_there() {
        let mut window = Window::default();
        window.begin(20);
        let place = |row: u32| Point3::new(3.0 * f64::from(row % 7), 0.0, 3.0 * f64::from(row % 5));
        let (mut next, mut dropped) = (0, 0);
        for round in 0..200 {
            while window.len() < 20 {
                window.push(Queued::new(0, next));
                next += 1;
            }
            for seat in window.open() {
                seat.landing = Some(landing(place(seat.queued.row)));
            }
            window.note();
            let (center, radius) = (place(round * 3), 0.3 * f64::from(round % 11));
            let before: Vec<u32> = window.seats.iter().map(|s| s.queued.row).collect();
            window.forget(&center, radius, Change::Comes);
            for (row, seat) in before.iter().zip(&window.seats) {
                let meets = landing(place(*row)).looked.meets(&center, radius, Change::Comes);
                assert_eq!(seat.landing.is_none(), meets);
                dropped += u32::from(meets);
            }
            for _ in 0..round % 13 {
                let Some((row, _)) = window.first() else { break };
                assert!(before.contains(&row));
                window.drop_first();
            }
        }
        assert!((100..3000).contains(&dropped), "{dropped}");
    }
}
