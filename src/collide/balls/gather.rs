//! Who lies around one that moves a little: cells are looked at once.

use super::grid::{Cells, END};
use super::{Balls, Level, Packed, Packs, Spheres};
use crate::math::{Aabb, Point3, Real};

/// Seen cells are forgotten when they are more than this many times those that are needed.
const SPREAD: i64 = 4;

/// The cells that were looked at, by level.
#[derive(Debug, Default)]
pub struct Seen {
    cells: Vec<Option<Cells>>,
}

impl Seen {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.cells.clear();
    }
}

impl Balls {
    /// Adds balls to `found`, until all are in it that are within `reach` [m] of a place, and some that are farther away;
    /// none twice. They are for one of `radius` [m]. `seen` tells what was looked at since both were empty: when that is
    /// much more than is needed now, both are emptied.
    pub fn gather(
        &self,
        spheres: &Spheres,
        (center, reach): (&Point3, Real),
        radius: Real,
        seen: &mut Seen,
        found: &mut Packs,
    ) {
        let wanted = |level: &Level| {
            let around = Aabb::around([center]).inflated(reach + level.radius);
            level.grid.cells(&around.min, &around.max)
        };
        let spread = |(level, cells): (&Level, &Option<Cells>)| {
            let wanted = wanted(level);
            cells.is_some_and(|c| c.union(&wanted).count() > SPREAD * wanted.count())
        };
        let levels = self.levels.len();
        if seen.cells.len() != levels || self.levels.iter().zip(&seen.cells).any(spread) {
            found.clear();
            seen.cells.clear();
            seen.cells.resize(levels, None);
        }
        for (level, seen) in self.levels.iter().zip(&mut seen.cells) {
            if level.bounds.is_empty() {
                continue;
            }
            let mut name = |head: u32| {
                let mut row = head;
                while row != END {
                    if row != spheres.except {
                        found.push(Packed {
                            place: spheres.position[row as usize],
                            reach: radius + spheres.radius[row as usize],
                            row,
                        });
                    }
                    row = self.next[row as usize];
                }
            };
            let wanted = wanted(level);
            let all = match seen {
                Some(seen) if seen.holds(&wanted) => continue,
                Some(seen) => seen.union(&wanted),
                None => wanted,
            };
            match seen {
                Some(seen) => {
                    for slab in all.around(seen) {
                        level.grid.visit(&slab, &mut name);
                    }
                }
                None => level.grid.visit(&all, &mut name),
            }
            *seen = Some(all);
        }
    }
}
