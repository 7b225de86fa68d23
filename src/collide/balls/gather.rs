//! Who lies around one that moves a little: cells are looked at once.

use super::grid::{Cells, END};
use super::{Balls, Spheres};
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
    /// Adds to `found` what `of` makes of rows, until all are in it whose ball is within `reach` [m] of a place, and some
    /// that are farther away; none twice. `seen` tells what was looked at since both were empty: when that is much more
    /// than is needed now, both are emptied.
    pub fn gather<T>(
        &self,
        spheres: &Spheres,
        (center, reach): (&Point3, Real),
        seen: &mut Seen,
        found: &mut Vec<T>,
        of: impl Fn(u32) -> T,
    ) {
        let region = |far: Real| {
            Aabb {
                min: *center,
                max: *center,
            }
            .inflated(far)
        };
        let wanted = |n: usize| {
            let level = &self.levels[n];
            let region = region(reach + level.radius);
            level.grid.cells(&region.min, &region.max)
        };
        let spread = |(n, cells): (usize, &Option<Cells>)| {
            let wanted = wanted(n);
            cells.is_some_and(|c| c.union(&wanted).count() > SPREAD * wanted.count())
        };
        if seen.cells.len() != self.levels.len() || seen.cells.iter().enumerate().any(spread) {
            found.clear();
            seen.cells.clear();
            seen.cells.resize(self.levels.len(), None);
        }
        for (n, (level, cells)) in self.levels.iter().zip(&mut seen.cells).enumerate() {
            if level.bounds.is_empty() {
                continue;
            }
            let mut name = |head: u32| {
                let mut row = head;
                while row != END {
                    if row != spheres.except {
                        found.push(of(row));
                    }
                    row = self.next[row as usize];
                }
            };
            let wanted = wanted(n);
            match cells {
                Some(seen) if seen.holds(&wanted) => {}
                Some(seen) => {
                    let all = seen.union(&wanted);
                    for slab in all.around(seen) {
                        level.grid.visit(&slab, &mut name);
                    }
                    *seen = all;
                }
                None => {
                    level.grid.visit(&wanted, &mut name);
                    *cells = Some(wanted);
                }
            }
        }
    }
}
