//! Balls in practically the same place: only the youngest is kept.

use std::collections::HashSet;

use crate::math::{Point3, Real};
use crate::write::pov::grid::{Levels, floor};

/// Edge of the cells in which only the youngest particle is kept, in radii. POV-Ray's time grows faster than
/// the square of the number of components that a ray meets, and 32,768 in one place make it fail.
pub const MERGE_SETTLED: Real = 0.25;
/// The same for spheres in the air, which nothing smooths.
pub const MERGE_AIRBORNE: Real = 1.0 / 16.0;
/// Bits a ball in the table of cells that are taken: with 16 to 32, one ball in twenty is asked twice.
const BITS_A_BALL: usize = 16;

/// A cell, and the octave of radii that it belongs to.
type Key = ([i64; 3], u8);

/// The youngest ball, which is the last, in each cell of `edge` radii, per octave of radii; ascending.
pub fn merge(center: &[Point3], radius: &[Real], edge: Real, levels: &Levels) -> Vec<u32> {
    let per_unit = levels.largest.map(|largest| 1.0 / (edge * largest));
    let key = |i: usize| -> Key {
        let level = levels.of(radius[i]);
        let per_unit = per_unit[level];
        (
            [0, 1, 2].map(|axis| floor(center[i][axis] * per_unit)),
            level as u8,
        )
    };
    let mut taken = Marks::new(center.len() * BITS_A_BALL);
    let mut shared = Marks::new(center.len() * BITS_A_BALL);
    let marks: Vec<u32> = (0..center.len()).map(|i| hash(&key(i))).collect();
    for &mark in &marks {
        if taken.set(mark) {
            shared.set(mark);
        }
    }
    // Whoever has a mark alone has its cell alone; the few others are told apart by their cells.
    let mut cells: HashSet<Key> = HashSet::new();
    let mut kept: Vec<u32> = (0..center.len() as u32)
        .rev()
        .filter(|&i| !shared.has(marks[i as usize]) || cells.insert(key(i as usize)))
        .collect();
    kept.reverse();
    kept
}

fn hash((cell, level): &Key) -> u32 {
    let mixed = cell.iter().fold(u64::from(*level), |h, &c| {
        let h = (h ^ c as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        h ^ h >> 29
    });
    (mixed >> 16) as u32
}

/// A set of the low bits of hashes.
struct Marks {
    words: Vec<u64>,
}

impl Marks {
    fn new(bits: usize) -> Self {
        let words = (bits / 64).next_power_of_two();
        Self {
            words: vec![0; words],
        }
    }

    fn place(&self, mark: u32) -> (usize, u64) {
        ((mark as usize / 64) & (self.words.len() - 1), 1 << (mark % 64))
    }

    /// Adds a mark and says whether it was there.
    fn set(&mut self, mark: u32) -> bool {
        let (word, bit) = self.place(mark);
        let was = self.words[word] & bit != 0;
        self.words[word] |= bit;
        was
    }

    fn has(&self, mark: u32) -> bool {
        let (word, bit) = self.place(mark);
        self.words[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn the_youngest_of_each_cell_and_octave_is_kept() {
        let mut draws = stream(7, Purpose::Probe, 0, 0);
        let mut draw = || draws.unit();
        let center: Vec<Point3> = (0..4000)
            .map(|_| Point3::new(draw() - 0.5, draw() - 0.5, draw() - 0.5) * 3.0)
            .collect();
        let radius: Vec<Real> = (0..4000).map(|_| 0.3 + draw()).collect();
        let levels = Levels::new(radius.iter().copied());
        let kept = merge(&center, &radius, 0.25, &levels);
        let key = |i: usize| {
            let edge = 0.25 * levels.largest[levels.of(radius[i])];
            (center[i] / edge).coords.map(|x| x.floor() as i64)
        };
        let youngest = (0..center.len()).filter(|&i| {
            let same = |j: &usize| levels.of(radius[*j]) == levels.of(radius[i]) && key(*j) == key(i);
            (i + 1..center.len()).find(same).is_none()
        });
        assert_eq!(kept, youngest.map(|i| i as u32).collect::<Vec<_>>());
        assert!(kept.len() < 3500, "{}", kept.len());
    }
}
