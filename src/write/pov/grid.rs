//! Spheres near a place: hash grids sorted by counting, one for each octave of radii.
//!
//! Knows balls only, no particles and no looks. Order of visits depends on the input alone, so sums over
//! neighbours are the same on every machine and with any number of threads.

use crate::math::{Point3, Real, Vec3};

/// Octaves of radii that get a grid of their own; smaller ones share the last.
const MOST_LEVELS: usize = 8;

/// Which grid each ball belongs to, and the largest radius in it.
pub struct Levels {
    /// Level of each ball, 0 for the largest.
    pub of: Vec<u8>,
    /// Largest radius of each level, at least that of level 0 / 128 so that cells stay comparable; 0 if empty.
    pub largest: Vec<Real>,
}

impl Levels {
    /// Sorts `radii` (all finite and > 0) into octaves below the largest.
    pub fn new(radii: &[Real]) -> Self {
        let top = radii.iter().copied().fold(0.0, Real::max);
        let level = |r: Real| {
            let mut bound = 0.5 * top;
            let mut l = 0;
            while r <= bound && l + 1 < MOST_LEVELS {
                bound *= 0.5;
                l += 1;
            }
            l
        };
        let of: Vec<u8> = radii.iter().map(|&r| level(r) as u8).collect();
        let mut largest = vec![0.0; MOST_LEVELS];
        for (&l, &r) in of.iter().zip(radii) {
            largest[l as usize] = r.max(top / 128.0).max(largest[l as usize]);
        }
        Self { of, largest }
    }
}

/// Cell of a place; far-off places share the outermost cells.
#[inline]
fn cell(p: &Point3, per_unit: Real) -> [i32; 3] {
    // Float to int casts saturate, and one cell of margin keeps the neighbours' numbers in range.
    let c = |x: Real| ((x * per_unit).floor() as i32).clamp(i32::MIN + 2, i32::MAX - 2);
    [c(p.x), c(p.y), c(p.z)]
}

/// Bucket of the first cell of a row along x; cells of a row follow one another.
#[inline]
fn row_hash(y: i32, z: i32) -> usize {
    let h = (y as u32 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (z as u32 as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) as usize >> 20
}

/// Bucket of a cell in a table of `mask + 1` buckets.
#[inline]
pub fn bucket(c: [i32; 3], mask: usize) -> usize {
    row_hash(c[1], c[2]).wrapping_add(c[0] as u32 as usize) & mask
}

struct Entry {
    point: Point3,
    row: [i32; 2],
    ball: u32,
}

/// One level: entries sorted by bucket.
struct Grid {
    per_unit: Real,
    mask: usize,
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

impl Grid {
    fn new(points: &[Point3], members: &[u32], edge: Real) -> Self {
        let per_unit = 1.0 / edge;
        let mask = (members.len().max(8) * 2).next_power_of_two() - 1;
        let cells: Vec<[i32; 3]> = members
            .iter()
            .map(|&i| cell(&points[i as usize], per_unit))
            .collect();
        let mut starts = vec![0u32; mask + 2];
        for &c in &cells {
            starts[bucket(c, mask) + 1] += 1;
        }
        for b in 0..=mask {
            starts[b + 1] += starts[b];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; members.len()];
        for (m, &c) in cells.iter().enumerate() {
            let slot = &mut next[bucket(c, mask)];
            order[*slot as usize] = m as u32;
            *slot += 1;
        }
        let entries = order
            .iter()
            .map(|&m| Entry {
                point: points[members[m as usize] as usize],
                row: [cells[m as usize][1], cells[m as usize][2]],
                ball: members[m as usize],
            })
            .collect();
        Self {
            per_unit,
            mask,
            starts,
            entries,
        }
    }

    #[inline]
    fn visit(&self, p: &Point3, range: Real, f: &mut impl FnMut(u32, Vec3, Real)) {
        let reach = Vec3::repeat(range);
        let (low, high) = (
            cell(&(p - reach), self.per_unit),
            cell(&(p + reach), self.per_unit),
        );
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                self.visit_row(low[0], high[0], [y, z], p, range * range, f);
            }
        }
    }

    #[inline]
    fn visit_row(
        &self,
        from: i32,
        to: i32,
        row: [i32; 2],
        p: &Point3,
        most: Real,
        f: &mut impl FnMut(u32, Vec3, Real),
    ) {
        let first = bucket([from, row[0], row[1]], self.mask);
        // A row longer than the table would come round to where it began.
        let length = ((to as i64 - from as i64) as usize).min(self.mask);
        let mut scan = |from: usize, to: usize| {
            for e in &self.entries[self.starts[from] as usize..self.starts[to + 1] as usize] {
                let d = e.point - p;
                let d2 = d.norm_squared();
                if d2 < most && e.row == row {
                    f(e.ball, d, d2);
                }
            }
        };
        if first + length <= self.mask {
            scan(first, first + length);
        } else {
            scan(first, self.mask);
            scan(0, first + length - self.mask - 1);
        }
    }
}

/// Balls that can be asked for by place.
pub struct Neighbours {
    grids: Vec<(Real, Grid)>,
}

impl Neighbours {
    /// `factor` times the radius is about the range that will be asked for.
    pub fn new(points: &[Point3], levels: &Levels, factor: Real) -> Self {
        let grids = levels
            .largest
            .iter()
            .enumerate()
            .filter(|(_, largest)| **largest > 0.0)
            .map(|(l, &largest)| {
                let members: Vec<u32> = (0..points.len() as u32)
                    .filter(|&i| levels.of[i as usize] as usize == l)
                    .collect();
                (largest, Grid::new(points, &members, factor * largest))
            })
            .collect();
        Self { grids }
    }

    /// Calls `f(ball, its centre - p, squared distance)` for every ball nearer to `p` than `range`, which
    /// is told the largest radius of the balls in question; 0 or less skips them.
    #[inline]
    pub fn visit(&self, p: &Point3, range: impl Fn(Real) -> Real, mut f: impl FnMut(u32, Vec3, Real)) {
        for (largest, grid) in &self.grids {
            let range = range(*largest);
            if range > 0.0 {
                grid.visit(p, range, &mut f);
            }
        }
    }

    /// All balls, near ones in turn: walking in this order is kind to the cache.
    pub fn order(&self) -> Vec<u32> {
        self.grids
            .iter()
            .flat_map(|(_, g)| g.entries.iter().map(|e| e.ball))
            .collect()
    }
}

/// Balls that are put in one by one, for decisions that depend on what was kept before.
pub struct Growing {
    tables: Vec<Table>,
}

struct Table {
    largest: Real,
    per_unit: Real,
    mask: usize,
    heads: Vec<u32>,
}

/// End of a chain.
const NONE: u32 = u32::MAX;

impl Growing {
    /// An empty set for at most `levels.of.len()` balls with cells of `factor` times the radius.
    pub fn new(levels: &Levels, factor: Real) -> (Self, Vec<u32>) {
        let mut counts = vec![0usize; levels.largest.len()];
        for &l in &levels.of {
            counts[l as usize] += 1;
        }
        let tables = levels
            .largest
            .iter()
            .zip(counts)
            .map(|(&largest, count)| {
                let mask = (count.max(8) * 2).next_power_of_two() - 1;
                Table {
                    largest,
                    per_unit: if largest > 0.0 {
                        1.0 / (factor * largest)
                    } else {
                        0.0
                    },
                    mask,
                    heads: vec![NONE; mask + 1],
                }
            })
            .collect();
        (Self { tables }, vec![NONE; levels.of.len()])
    }

    /// Puts ball `i` of `level` in.
    #[inline]
    pub fn insert(&mut self, i: u32, level: u8, p: &Point3, next: &mut [u32]) {
        let table = &mut self.tables[level as usize];
        let head = &mut table.heads[bucket(cell(p, table.per_unit), table.mask)];
        next[i as usize] = *head;
        *head = i;
    }

    /// Whether `f` holds for a ball in one of the cells within `range` of `p`, or, rarely, in another.
    #[inline]
    pub fn any(
        &self,
        p: &Point3,
        range: impl Fn(Real) -> Real,
        next: &[u32],
        mut f: impl FnMut(u32) -> bool,
    ) -> bool {
        for table in self.tables.iter().filter(|t| t.largest > 0.0) {
            let range = range(table.largest);
            if range <= 0.0 {
                continue;
            }
            let reach = Vec3::repeat(range);
            let (low, high) = (
                cell(&(p - reach), table.per_unit),
                cell(&(p + reach), table.per_unit),
            );
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        let mut i = table.heads[bucket([x, y, z], table.mask)];
                        while i != NONE {
                            if f(i) {
                                return true;
                            }
                            i = next[i as usize];
                        }
                    }
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(n: usize, size: Real, offset: Real) -> (Vec<Point3>, Vec<Real>) {
        let mut x = 7u64;
        let mut draw = || {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (x >> 11) as Real / (1u64 << 53) as Real
        };
        let points = (0..n)
            .map(|_| Point3::new(offset + draw() * size, draw() * size, draw() * size - size))
            .collect();
        let radii = (0..n).map(|_| 0.1 + 0.9 * draw() * draw()).collect();
        (points, radii)
    }

    fn check_against_all_pairs(points: &[Point3], radii: &[Real]) {
        let grid = Neighbours::new(points, &Levels::new(radii), 3.0);
        for i in 0..points.len() {
            let reach = |r: Real| 1.5 * (radii[i] + r);
            let mut found = Vec::new();
            grid.visit(&points[i], reach, |j, _, d2| {
                if d2.sqrt() < reach(radii[j as usize]) {
                    found.push(j);
                }
            });
            found.sort_unstable();
            let expected: Vec<u32> = (0..points.len() as u32)
                .filter(|&j| (points[j as usize] - points[i]).norm() < reach(radii[j as usize]))
                .collect();
            assert_eq!(found, expected, "around {i}");
        }
    }

    #[test]
    fn the_grid_finds_what_all_pairs_find() {
        let (points, radii) = random(600, 12.0, 0.0);
        check_against_all_pairs(&points, &radii);
    }

    #[test]
    fn places_far_from_the_origin_are_found_too() {
        for offset in [1e6, -1e9, 1e13] {
            let (points, radii) = random(200, 6.0, offset);
            check_against_all_pairs(&points, &radii);
        }
    }

    #[test]
    fn a_small_table_with_a_long_row_visits_nothing_twice() {
        let points: Vec<Point3> = (0..9).map(|i| Point3::new(Real::from(i), 0.0, 0.0)).collect();
        let grid = Neighbours::new(&points, &Levels::new(&[1.0; 9]), 0.01);
        let mut found = Vec::new();
        grid.visit(&Point3::new(4.0, 0.0, 0.0), |_| 30.0, |j, _, _| found.push(j));
        found.sort_unstable();
        assert_eq!(found, (0..9).collect::<Vec<u32>>());
    }
}
