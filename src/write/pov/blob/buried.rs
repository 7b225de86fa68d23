//! Whether a ball can be seen from somewhere: 26 directions, and which of them its neighbours block.

use std::f64::consts::SQRT_2;

use crate::math::{Real, Vec3};

const SQRT_3: Real = 1.732_050_807_568_877_2;

/// A direction is blocked by a particle within this many mean radii of a pair ...
pub const BURY_RANGE: Real = 1.35;
/// ... at an angle with a larger cosine ...
pub const BURY_COSINE: Real = 0.80;
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

    /// One that points out of a surface with normal `n` as much as any: in a sheet, where most balls lie, it is free.
    pub fn along(&self, n: &Vec3) -> &Vec3 {
        let size = n.abs();
        let (x, y, z) = (size.x, size.y, size.z);
        // Of the directions to a side, an edge and a corner, the one that is least aslant.
        let middle = x.min(y).max(x.max(y).min(z));
        let sums = [x.max(y).max(z), x.max(y).max(z) + middle, x + y + z];
        let [side, edge, corner] = [sums[0], sums[1] / SQRT_2, sums[2] / SQRT_3];
        let least = if corner > side && corner > edge {
            x.min(y).min(z)
        } else if edge > side {
            middle
        } else {
            sums[0]
        };
        // Numbers in base three, in which 1 is none of an axis; the middle one is left out.
        let digit = |axis: usize| match () {
            () if size[axis] < least => 1,
            () if n[axis] > 0.0 => 0,
            () => 2,
        };
        let number = digit(0) + 3 * digit(1) + 9 * digit(2);
        &self.0[number - usize::from(number > 13)]
    }

    /// Whether a ball with contact normal `n` can be seen past the `blockers`.
    pub fn any_free(&self, n: &Vec3, blockers: &[Blocker]) -> bool {
        let blocked = |unit: &Vec3| blockers.iter().any(|(to, least)| unit.dot(to) > *least);
        self.0
            .iter()
            .any(|unit| unit.dot(n) > BURY_HORIZON && !blocked(unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_direction_along_a_normal_is_the_least_aslant() {
        let directions = Directions::new();
        for k in 0..2000 {
            let way = |axis: i32| Real::from((k * k + k * axis * axis) % 41 - 20) + 0.1;
            let n = Vec3::new(way(1), way(2), way(3)).normalize();
            let best = directions.0.iter().map(|d| d.dot(&n)).fold(-1.0, Real::max);
            assert!(directions.along(&n).dot(&n) > best - 1e-12, "{n}");
        }
        for d in &directions.0 {
            assert_eq!(directions.along(d), d);
        }
    }

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
