//! Where the time of steps goes, by stage. It tells nobody in the simulation.

use std::time::Instant;

/// Stages of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Stage {
    Births,
    Ordering,
    Flights,
    Index,
    Waking,
    FirstTouches,
    Landings,
    Accepting,
    Crossings,
    Films,
}

const NAMES: [&str; 10] = [
    "lives and births",
    "ordered by place",
    "flights without heaps",
    "index and removals",
    "rolling and waking",
    "first touches",
    "landings simulated",
    "landings accepted",
    "crossed ways",
    "films",
];

/// Wall time of each stage so far [s], and how many landings were simulated, and in how many rounds.
#[derive(Debug, Default)]
pub(super) struct Clock {
    seconds: [f64; NAMES.len()],
    landings: [u64; 2],
}

impl Clock {
    /// Adds what has passed since a moment; returns the moment of now.
    pub(super) fn add(&mut self, stage: Stage, since: Instant) -> Instant {
        let now = Instant::now();
        self.seconds[stage as usize] += (now - since).as_secs_f64();
        now
    }

    /// The same for a round of landings that were simulated.
    pub(super) fn simulated(&mut self, landings: usize, since: Instant) -> Instant {
        self.landings[0] += landings as u64;
        self.landings[1] += 1;
        self.add(Stage::Landings, since)
    }

    /// Landings that were simulated, and in how many rounds.
    pub(super) fn landings(&self) -> [u64; 2] {
        self.landings
    }

    /// All stages in their order.
    pub(super) fn seconds(&self) -> [(&'static str, f64); NAMES.len()] {
        std::array::from_fn(|i| (NAMES[i], self.seconds[i]))
    }
}
