//! Flakes that swing from side to side as they fall, each in its own time. Acts through drag alone.

use super::{Force, Push, Subject};
use crate::keyed::Keyed;
use crate::math::{Real, Vec3};
use crate::rng::{Purpose, stream};

/// A turn [radians].
const TURN: Real = 2.0 * std::f64::consts::PI;

/// The air about each particle swings along x and z, with frequencies and phases that follow from its key.
pub struct Flutter {
    /// How far air swings to each side [m]; particles follow as their drag lets them.
    pub amplitude: Keyed<Real>,
    /// Lowest and highest frequency [1/s].
    pub frequency: [Real; 2],
    /// Seed of the scene.
    pub seed: u64,
}

impl Force for Flutter {
    fn add(&self, on: &Subject, push: &mut Push) {
        let mut draws = stream(self.seed, Purpose::Flutter, on.key, 0);
        let amplitude = self.amplitude.at(on.time);
        let mut swing = || {
            let frequency = draws.between(self.frequency[0], self.frequency[1]);
            let turns = frequency * on.time + draws.unit();
            amplitude * TURN * frequency * libm::cos(TURN * (turns - turns.floor()))
        };
        push.air += Vec3::new(swing(), 0.0, swing());
    }
}
