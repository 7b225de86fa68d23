//! Who lies around one that moves a little: cells are looked at once.

use super::cells::Cells;
use super::grid::END;
use super::{Balls, Level, Packed, Packs, Spheres};
use crate::math::{Aabb, Point3, Real};

/// Seen cells are forgotten when they are more than this many times those that are needed.
const SPREAD: i64 = 4;

/// The cells that were looked at, by level.
#[derive(Debug, Default)]
pub struct Seen {
    cells: Vec<Option<Cells>>,
    /// Memory for rows.
    rows: Vec<u32>,
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
        let Seen { cells, rows } = seen;
        for (level, seen) in self.levels.iter().zip(cells) {
            if level.bounds.is_empty() {
                continue;
            }
            let wanted = wanted(level);
            let all = match seen {
                Some(seen) if seen.holds(&wanted) => continue,
                Some(seen) => seen.union(&wanted),
                None => wanted,
            };
            rows.clear();
            match seen {
                Some(seen) => {
                    for slab in all.around(seen) {
                        level.grid.visit(&slab, |head| rows.push(head));
                    }
                }
                None => level.grid.visit(&all, |head| rows.push(head)),
            }
            *seen = Some(all);
            self.name(level, spheres, radius, rows, found);
        }
    }

    /// Adds the balls of rows and of those that follow them in their cells. All rows come before what follows: none is
    /// waited for before the next is asked for.
    fn name(&self, level: &Level, spheres: &Spheres, radius: Real, rows: &mut Vec<u32>, found: &mut Packs) {
        rows.retain(|row| *row != END);
        let mut at = 0;
        while let Some(&row) = rows.get(at) {
            at += 1;
            let i = row as usize;
            rows.push(self.next[i]);
            rows.truncate(rows.len() - usize::from(self.next[i] == END));
            if row != spheres.except {
                found.push(Packed {
                    place: spheres.position[i],
                    reach: radius + level.radius_of(spheres, row),
                    row,
                });
            }
        }
    }
}
