//! The first ball that a moving ball touches: the path in pieces of a block, each looked at in full before the next.

use super::cells::Cells;
use super::grid::{END, Nearby, SIDE};
use super::{Balls, Level, Spheres};
use crate::collide::Sweep;
use crate::geom::sweep_balls::{TOUCH, passes, sweep_balls};
use crate::math::{Aabb, Point3, Real, Vec3};

/// No touch is known.
const FAR: (u64, u64) = (Real::INFINITY.to_bits(), u64::MAX);

/// A ball that stops another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallHit {
    /// Share of the sweep that is free, 0 .. 1.
    pub fraction: Real,
    /// Unit vector from the ball to the moving one.
    pub normal: Vec3,
    /// Row of the ball.
    pub row: usize,
}

/// The search for the least (share as bits, identity), which is a total order: no answer depends on who is asked first.
struct Search<'a> {
    spheres: &'a Spheres<'a>,
    sweep: &'a Sweep,
    /// Only balls whose centre is farther ahead than this count [m2], as a product with the path.
    ahead: Real,
    /// One over the square of the path's length [1/m2].
    inverse: Real,
    best: (u64, u64),
    /// Whose that is, if anybody's.
    row: u32,
}

impl Search<'_> {
    #[inline]
    fn meet(&mut self, level: &Level, row: u32) {
        let i = row as usize;
        let place = &self.spheres.position[i];
        let m = self.sweep.from - place;
        let approach = m.dot(&self.sweep.along);
        if approach >= 0.0 || -approach <= self.ahead {
            return;
        }
        let reach = self.sweep.radius + level.radius_of(self.spheres, row);
        if passes(&m, approach, self.inverse, reach) || row == self.spheres.except {
            return;
        }
        if let Some(t) = sweep_balls(&m, &self.sweep.along, reach) {
            let bits = t.to_bits();
            if bits <= self.best.0 && (bits, self.spheres.id[i]) < self.best {
                (self.best, self.row) = ((bits, self.spheres.id[i]), row);
            }
        }
    }

    fn found_by(&self, t: Real) -> bool {
        Real::from_bits(self.best.0) <= t
    }
}

impl Balls {
    /// The first ball that a sweep touches; of several at the same moment that of the lowest identity.
    pub fn first_touch(&self, spheres: &Spheres, sweep: &Sweep) -> Option<BallHit> {
        self.search(spheres, sweep, Real::NEG_INFINITY, FAR)
    }

    /// The same, only if that comes before a touch that is known: by share as bits, then by identity.
    pub fn first_before(&self, spheres: &Spheres, sweep: &Sweep, known: (u64, u64)) -> Option<BallHit> {
        self.search(spheres, sweep, Real::NEG_INFINITY, known)
    }

    /// The same for a fall, along gravity: balls that are not lower cannot carry and are passed. At their equator
    /// rounding would stop the fall for ever.
    pub fn first_below(&self, spheres: &Spheres, fall: &Sweep) -> Option<BallHit> {
        self.search(spheres, fall, least_ahead(fall), FAR)
    }

    fn search(&self, spheres: &Spheres, sweep: &Sweep, ahead: Real, known: (u64, u64)) -> Option<BallHit> {
        let mut search = Search {
            spheres,
            sweep,
            ahead,
            inverse: 1.0 / sweep.along.norm_squared(),
            best: known,
            row: END,
        };
        if !sweep.along.iter().chain(sweep.from.iter()).all(|x| x.is_finite()) {
            return None;
        }
        for level in self.levels.iter().filter(|l| !l.bounds.is_empty()) {
            self.search_level(level, &mut search);
        }
        if search.row == END {
            return None;
        }
        let (fraction, row) = (Real::from_bits(search.best.0), search.row as usize);
        let out = sweep.from + sweep.along * fraction - spheres.position[row];
        Some(BallHit {
            fraction,
            normal: out.try_normalize(0.0).unwrap_or_else(Vec3::y),
            row,
        })
    }

    fn search_level(&self, level: &Level, search: &mut Search) {
        let Sweep {
            from, along, radius, ..
        } = *search.sweep;
        self.march(level, &from, &along, radius, |blocks, cells, until| {
            self.look(level, blocks, cells, search);
            search.found_by(until)
        });
    }

    /// Calls `each` with every row whose centre is within `reach` [m] and its radius of a segment, until it says true.
    pub fn any_along(
        &self,
        spheres: &Spheres,
        from: &Point3,
        along: &Vec3,
        reach: Real,
        mut each: impl FnMut(u32) -> bool,
    ) -> bool {
        let mut found = false;
        let length2 = along.norm_squared();
        for level in self.levels.iter().filter(|l| !l.bounds.is_empty()) {
            self.march(level, from, along, reach, |blocks, cells, _| {
                blocks.visit(cells, |head| {
                    let mut row = head;
                    while row != END && !found {
                        let m = spheres.position[row as usize] - from;
                        let share = if length2 > 0.0 {
                            (m.dot(along) / length2).clamp(0.0, 1.0)
                        } else {
                            0.0
                        };
                        let far = reach + level.radius_of(spheres, row);
                        found = (m - along * share).norm_squared() <= far * far
                            && row != spheres.except
                            && each(row);
                        row = self.next[row as usize];
                    }
                });
                found
            });
        }
        found
    }

    /// Walks along a path and calls `look` with blocks and ranges of their cells that hold all that may lie within `reach`
    /// [m] and the largest radius of it, and the share of the path that they cover, until it says true.
    fn march(
        &self,
        level: &Level,
        from: &Point3,
        along: &Vec3,
        reach: Real,
        mut look: impl FnMut(&Nearby, &Cells, Real) -> bool,
    ) {
        let size = from.coords.amax() + along.amax();
        let reach = (reach + level.radius) * (1.0 + 2.0 * TOUCH) + 16.0 * Real::EPSILON * size;
        let Some([start, end]) = inside(&level.bounds.inflated(reach), from, along) else {
            return;
        };
        let block = 2.0 * level.radius * Real::from(SIDE);
        let length = along.amax() * (end - start);
        let pieces = (length / block).ceil().max(1.0);
        let region = |a: Real, b: Real| {
            let (p, q) = (from + along * a, from + along * b);
            let around = Aabb::around([&p, &q]).inflated(reach);
            level.grid.cells(&around.min, &around.max)
        };
        let share = (end - start) / pieces;
        let axis = along.iamax();
        let mut seen = None;
        let mut new = |a: Real, b: Real| {
            let cells = region(a, b);
            let new = seen.as_ref().map_or(cells, |seen| cells.beyond(seen, axis));
            seen = Some(cells);
            new
        };
        let mut piece = 0.0;
        while piece < pieces {
            let (a, b) = (start + share * piece, start + share * (piece + 1.0));
            let blocks = level.grid.nearby(&region(a, b));
            if blocks.is_empty() {
                piece += 1.0;
                continue;
            }
            let parts = if length <= 2.0 * level.radius { 1 } else { SIDE };
            let at = |n: i32| {
                if n == parts {
                    b
                } else {
                    a + share * 0.25 * Real::from(n)
                }
            };
            for part in 0..parts {
                if look(&blocks, &new(at(part), at(part + 1)), at(part + 1)) {
                    return;
                }
            }
            piece += 1.0;
        }
    }

    #[inline]
    fn look(&self, level: &Level, blocks: &Nearby, cells: &Cells, search: &mut Search) {
        blocks.visit(cells, |head| {
            let mut row = head;
            while row != END {
                search.meet(level, row);
                row = self.next[row as usize];
            }
        });
    }
}

/// How far ahead a ball must be to stop a fall, as a product with the path [m2].
fn least_ahead(fall: &Sweep) -> Real {
    TOUCH * fall.radius * fall.along.norm()
}

/// Between which shares of a path its centre is inside a box.
fn inside(region: &Aabb, from: &Point3, along: &Vec3) -> Option<[Real; 2]> {
    let [mut start, mut end] = [0.0, 1.0];
    for k in 0..3 {
        let (low, high) = (region.min[k] - from[k], region.max[k] - from[k]);
        if along[k] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (a, b) = (low / along[k], high / along[k]);
        start = Real::max(start, a.min(b));
        end = Real::min(end, a.max(b));
    }
    (start <= end).then_some([start, end])
}
