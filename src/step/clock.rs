//! Where the time of steps goes, by stage. It tells nobody in the simulation.

use std::time::Instant;

/// Stages of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Stage {
    Births,
    Flights,
    Index,
    Waking,
    FirstTouches,
    Landings,
    Accepting,
    Crossings,
    Films,
}

const NAMES: [&str; 9] = [
    "lives and births",
    "flights without heaps",
    "index and removals",
    "rolling and waking",
    "first touches",
    "landings simulated",
    "landings accepted",
    "crossed ways",
    "films",
];

/// Wall time of each stage so far [s].
#[derive(Debug, Default)]
pub(super) struct Clock([f64; NAMES.len()]);

impl Clock {
    /// Adds what has passed since a moment.
    pub(super) fn add(&mut self, stage: Stage, since: Instant) {
        self.0[stage as usize] += since.elapsed().as_secs_f64();
    }

    /// All stages in their order.
    pub(super) fn seconds(&self) -> [(&'static str, f64); NAMES.len()] {
        std::array::from_fn(|i| (NAMES[i], self.0[i]))
    }
}
