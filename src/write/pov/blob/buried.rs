//! Whether a ball can be seen from somewhere: 26 directions, and which of them its neighbours block.

use crate::math::{Real, Vec3};

/// A direction is blocked by a particle within this many mean radii of a pair ...
pub const BURY_RANGE: Real = 1.35;
/// ... at an angle with a larger cosine ...
const BURY_COSINE: Real = 0.80;
/// ... if it is at least this large in comparison.
pub const BURY_RATIO: Real = 0.5;
/// Directions that point into the surface do not need to be free: least cosine with the normal.
const BURY_HORIZON: Real = -0.3;

/// The 26 directions to the neighbours of a cube.
pub struct Directions([Vec3; 26]);

/// What may block the view of a ball: the vector to it, and the least product with a direction that blocks it.
pub type Blocker = (Vec3, Real);

/// A neighbour at `to`, at a distance of the root of `d2`.
pub fn blocker(to: Vec3, d2: Real) -> Blocker {
    (to, BURY_COSINE * d2.sqrt())
}

impl Directions {
    /// All of them.
    pub fn new() -> Self {
        let mut unit = [Vec3::zeros(); 26];
        for (unit, i) in unit.iter_mut().zip((0..27).filter(|&i| i != 13)) {
            *unit = Vec3::from([1, 3, 9].map(|stride| Real::from(1 - i / stride % 3))).normalize();
        }
        Self(unit)
    }

    /// The directions themselves, of length 1.
    pub fn all(&self) -> &[Vec3; 26] {
        &self.0
    }

    /// The one that points out of a surface with normal `n` the most: in a sheet, where most balls lie, it is free.
    pub fn along(&self, n: &Vec3) -> &Vec3 {
        let steeper = |a: usize, b: usize| if self.0[b].dot(n) > self.0[a].dot(n) { b } else { a };
        &self.0[(1..self.0.len()).fold(0, steeper)]
    }

    /// Whether a ball with contact normal `n` can be seen past the `blockers`.
    pub fn any_free(&self, n: &Vec3, blockers: &[Blocker]) -> bool {
        let blocked = |unit: &Vec3| blockers.iter().any(|blocker| blocks(unit, blocker));
        self.0
            .iter()
            .any(|unit| unit.dot(n) > BURY_HORIZON && !blocked(unit))
    }
}

/// Whether a blocker hides a direction.
#[inline]
pub fn blocks(unit: &Vec3, (to, least): &Blocker) -> bool {
    unit.dot(to) > *least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_buried_when_every_direction_over_its_horizon_is_blocked() {
        let directions = Directions::new();
        let around: Vec<Blocker> = directions.0.iter().map(|unit| blocker(unit * 2.0, 4.0)).collect();
        let up = Vec3::y();
        assert!(directions.any_free(&up, &[]));
        assert!(!directions.any_free(&up, &around));
        for unit in &directions.0 {
            let mut gap = around.clone();
            gap.retain(|(to, least)| unit.dot(to) <= *least);
            let over_horizon = unit.dot(&up) > BURY_HORIZON;
            assert_eq!(directions.any_free(&up, &gap), over_horizon, "{unit}");
        }
    }
}
