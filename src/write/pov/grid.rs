//! Spheres near a place: hash grids sorted by counting, one for each octave of radii.
//!
//! Knows balls only, no particles and no looks. Order of visits depends on the input alone, so sums over
//! neighbours are the same on every machine and with any number of threads.

mod around;
mod coarse;

use std::ops::Range;

use crate::bvh::Lanes;
use crate::math::{Aabb, Point3, Real, Vec3};
pub use around::Around;
use coarse::Coarse;

/// Octaves of radii that get a grid of their own; smaller ones share the last.
const MOST_LEVELS: usize = 8;

/// Octaves of radii, and the largest radius in each.
#[derive(Debug, Clone)]
pub struct Levels {
    top: Real,
    /// Largest radius of each level, at least that of level 0 / 128 so that cells stay comparable; 0 if empty.
    pub largest: [Real; MOST_LEVELS],
}

impl Levels {
    /// Those of radii that are all finite and > 0.
    pub fn new(radii: impl Iterator<Item = Real> + Clone) -> Self {
        let mut levels = Self::below(radii.clone().fold(0.0, Real::max));
        radii.for_each(|r| levels.add(r));
        levels
    }

    /// None yet, below a largest radius.
    pub fn below(top: Real) -> Self {
        Self {
            top,
            largest: [0.0; MOST_LEVELS],
        }
    }

    /// Takes in one more.
    pub fn add(&mut self, r: Real) {
        let largest = &mut self.largest[self.of(r)];
        *largest = r.max(self.top / 128.0).max(*largest);
    }

    /// All of two that are below the same radius.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for (largest, other) in self.largest.iter_mut().zip(other.largest) {
            *largest = largest.max(other);
        }
        self
    }

    /// The largest radius.
    pub fn top(&self) -> Real {
        self.top
    }

    /// The level of a radius, 0 for the largest.
    #[inline]
    pub fn of(&self, r: Real) -> usize {
        let mut bound = 0.5 * self.top;
        let mut l = 0;
        while r <= bound && l + 1 < MOST_LEVELS {
            bound *= 0.5;
            l += 1;
        }
        l
    }
}

/// Largest whole number not above `x`, or the outermost there is; without a call of the library, for processors of the
/// oldest kind have no instruction for it.
#[inline]
pub fn floor(x: Real) -> i64 {
    // Float to int casts saturate.
    let toward_zero = x as i64;
    toward_zero.saturating_sub(i64::from(x < toward_zero as Real))
}

/// Number of the cell of width 1 that `x` lies in, between the outermost ones: one more keeps the neighbours' numbers in
/// range.
#[inline]
fn cell_of(x: Real) -> i32 {
    floor(x).clamp(i64::from(i32::MIN) + 2, i64::from(i32::MAX) - 2) as i32
}

/// Cell of a place; far-off places share the outermost cells.
#[inline]
fn cell(p: &Point3, per_unit: Real) -> [i32; 3] {
    [p.x, p.y, p.z].map(|x| cell_of(x * per_unit))
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

/// The cells of one octave.
struct Layer {
    largest: Real,
    per_unit: Real,
    mask: usize,
    /// Where its buckets begin among those of all layers.
    first: usize,
}

/// Balls that can be asked for by place. Each has a *seat*: seats are numbered cell by cell, so that near balls have near
/// seats, and walking along the seats is kind to the cache.
#[derive(Default)]
pub struct Neighbours {
    layers: Vec<Layer>,
    /// First seat of each bucket, and one more.
    starts: Vec<u32>,
    /// Ball on each seat.
    balls: Vec<u32>,
    center: Vec<Point3>,
    radius: Vec<Real>,
    /// Numbers of each ball's row of cells.
    row: Vec<[i32; 2]>,
    coarse: Coarse,
    /// Bucket of each member, and where the next ball of each bucket sits: used while seats are given.
    bucket_of: Vec<u32>,
    next: Vec<u32>,
}

impl Neighbours {
    /// Seats the balls in `members`. `factor` times the radius is about the range that will be asked for.
    pub fn new(center: &[Point3], radius: &[Real], members: &[u32], factor: Real) -> Self {
        let mut grid = Self::default();
        grid.fill(center, radius, members, factor);
        grid
    }

    /// [`Neighbours::new`] in memory that has grown before.
    pub fn fill(&mut self, center: &[Point3], radius: &[Real], members: &[u32], factor: Real) {
        let radii = || members.iter().map(|&i| radius[i as usize]);
        let levels = Levels::new(radii());
        let mut counts = [0usize; MOST_LEVELS];
        radii().for_each(|r| counts[levels.of(r)] += 1);
        let mut buckets = 0;
        let layers: [Layer; MOST_LEVELS] = std::array::from_fn(|level| {
            let (largest, count, first) = (levels.largest[level], counts[level], buckets);
            let size = count.max(usize::from(count > 0) * 8).next_power_of_two();
            buckets += if count > 0 { size } else { 0 };
            Layer {
                largest,
                per_unit: if largest > 0.0 {
                    1.0 / (factor * largest)
                } else {
                    0.0
                },
                mask: size - 1,
                first,
            }
        });
        let layer_of = |i: u32| &layers[levels.of(radius[i as usize])];
        self.bucket_of.clear();
        self.bucket_of.extend(members.iter().map(|&i| {
            let layer = layer_of(i);
            (layer.first + bucket(cell(&center[i as usize], layer.per_unit), layer.mask)) as u32
        }));
        self.give_seats(members, buckets);
        let row = |&i: &u32| {
            let (p, per_unit) = (&center[i as usize], layer_of(i).per_unit);
            [cell_of(p.y * per_unit), cell_of(p.z * per_unit)]
        };
        self.row.clear();
        self.row.extend(self.balls.iter().map(row));
        self.split_buckets();
        self.radius.clear();
        self.radius.extend(self.balls.iter().map(|&i| radius[i as usize]));
        self.center.clear();
        self.center.extend(self.balls.iter().map(|&i| center[i as usize]));
        self.coarse.fill(&self.center);
        self.layers.clear();
        self.layers.extend(layers.into_iter().filter(|l| l.largest > 0.0));
    }

    /// Sorts by counting: the first seat of each bucket, and who sits on each seat, those of one bucket in order.
    fn give_seats(&mut self, members: &[u32], buckets: usize) {
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for &b in &self.bucket_of {
            self.starts[b as usize + 1] += 1;
        }
        for b in 0..buckets {
            self.starts[b + 1] += self.starts[b];
        }
        self.next.clone_from(&self.starts);
        self.balls.clear();
        self.balls.resize(members.len(), 0);
        for (&member, &b) in members.iter().zip(&self.bucket_of) {
            let seat = &mut self.next[b as usize];
            self.balls[*seat as usize] = member;
            *seat += 1;
        }
    }

    /// Sorts the few buckets that several rows have come to share by row, so that each cell has its seats for itself.
    fn split_buckets(&mut self) {
        for bounds in self.starts.windows(2) {
            let seats = bounds[0] as usize..bounds[1] as usize;
            let (row, balls) = (&mut self.row[seats.clone()], &mut self.balls[seats]);
            if !row.is_sorted() {
                let mut both: Vec<_> = row.iter().copied().zip(balls.iter().copied()).collect();
                both.sort_unstable();
                for ((row, ball), sorted) in row.iter_mut().zip(balls).zip(both) {
                    (*row, *ball) = sorted;
                }
            }
        }
    }

    /// The seats of each cell that holds a ball.
    pub fn cells(&self) -> impl Iterator<Item = Range<usize>> + use<'_> {
        let buckets = self.starts.windows(2).filter(|bounds| bounds[0] < bounds[1]);
        buckets.flat_map(|bounds| {
            let first = bounds[0] as usize;
            let rows = self.row[first..bounds[1] as usize].chunk_by(|a, b| a == b);
            rows.scan(first, |seat, row| {
                let first = *seat;
                *seat += row.len();
                Some(first..*seat)
            })
        })
    }

    /// Collects all that may be nearer to a ball on one of these seats, which are those of a cell, than `range`, which is
    /// told the largest radius on the seats and that of the balls in question.
    pub fn gather(&self, seats: Range<usize>, range: impl Fn(Real, Real) -> Real, into: &mut Around) {
        into.clear();
        let bounds = Aabb::around(&self.center[seats.clone()]);
        let largest = self.radius[seats.clone()].iter().copied().fold(0.0, Real::max);
        for layer in &self.layers {
            let range = range(largest, layer.largest);
            self.rows(layer, &bounds, range, |found, row| {
                let mut rest = found;
                while !rest.is_empty() {
                    // Rows that share a bucket lie one after the other in it.
                    let strangers = self.row[rest.clone()].iter().take_while(|r| **r != row).count();
                    rest.start += strangers;
                    let count = self.row[rest.clone()].iter().take_while(|r| **r == row).count();
                    let kin = rest.start..rest.start + count;
                    if kin.contains(&seats.start) {
                        into.first = into.radius.len() + seats.start - kin.start;
                    }
                    into.add(self, kin);
                    rest.start += count;
                }
            });
        }
        into.pad();
    }

    /// The ball on each seat.
    pub fn balls(&self) -> &[u32] {
        &self.balls
    }

    /// The form in which several numbers are worked on at once.
    pub fn lanes(&self) -> Lanes {
        self.coarse.lanes
    }

    /// Where the ball on a seat is.
    #[inline]
    pub fn center(&self, seat: usize) -> Point3 {
        self.center[seat]
    }

    /// Radius of the ball on a seat.
    #[inline]
    pub fn radius(&self, seat: usize) -> Real {
        self.radius[seat]
    }

    /// Calls `f(seat, its ball's centre - p, squared distance)` for every ball nearer to `p` than `range`, which
    /// is told the largest radius of the balls in question; 0 or less skips them.
    #[inline]
    pub fn visit(&self, p: &Point3, range: impl Fn(Real) -> Real, mut f: impl FnMut(usize, Vec3, Real)) {
        for layer in &self.layers {
            let range = range(layer.largest);
            if range > 0.0 {
                self.visit_layer(layer, p, range, &mut f);
            }
        }
    }

    #[inline]
    fn visit_layer(&self, layer: &Layer, p: &Point3, range: Real, f: &mut impl FnMut(usize, Vec3, Real)) {
        let ball = self.coarse.ball(p, range);
        let bounds = Aabb { min: *p, max: *p };
        self.rows(layer, &bounds, range, |seats, row| {
            self.coarse.scan(seats, &ball, |seat| {
                let d = self.center[seat] - p;
                let d2 = d.norm_squared();
                if d2 < range * range && self.row[seat] == row {
                    f(seat, d, d2);
                }
            });
        });
    }

    /// Calls `f` with the seats of all rows of cells that come nearer to a box than `range`, and the numbers of the row: balls
    /// of other rows may sit among them.
    #[inline]
    fn rows(&self, layer: &Layer, bounds: &Aabb, range: Real, mut f: impl FnMut(Range<usize>, [i32; 2])) {
        let reach = Vec3::repeat(range);
        let (low, high) = (
            cell(&(bounds.min - reach), layer.per_unit),
            cell(&(bounds.max + reach), layer.per_unit),
        );
        // A row longer than the table would come round to where it began.
        let length = ((i64::from(high[0]) - i64::from(low[0])) as usize).min(layer.mask);
        let seats = |from: usize, to: usize| {
            let starts = &self.starts[layer.first..];
            starts[from] as usize..starts[to + 1] as usize
        };
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let first = bucket([low[0], y, z], layer.mask);
                let last = first + length;
                if last <= layer.mask {
                    f(seats(first, last), [y, z]);
                } else {
                    f(seats(first, layer.mask), [y, z]);
                    f(seats(0, last - layer.mask - 1), [y, z]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    fn random(n: usize, size: Real, offset: Real) -> (Vec<Point3>, Vec<Real>) {
        let mut draws = stream(7, Purpose::Probe, 0, 0);
        let mut draw = || draws.unit();
        let points = (0..n)
            .map(|_| Point3::new(offset + draw() * size, draw() * size, draw() * size - size))
            .collect();
        let radii = (0..n).map(|_| 0.1 + 0.9 * draw() * draw()).collect();
        (points, radii)
    }

    fn check_against_all_pairs(points: &[Point3], radii: &[Real]) {
        let everyone: Vec<u32> = (0..points.len() as u32).collect();
        let grid = Neighbours::new(points, radii, &everyone, 3.0);
        let radius = |seat: usize| radii[grid.balls()[seat] as usize];
        for i in 0..points.len() {
            let reach = |r: Real| 1.5 * (radii[i] + r);
            let mut found = Vec::new();
            grid.visit(&points[i], reach, |seat, d, d2| {
                assert_eq!(grid.center(seat), points[grid.balls()[seat] as usize]);
                assert!((d.norm_squared() - d2).abs() <= 1e-12 * d2);
                if d2.sqrt() < reach(radius(seat)) {
                    found.push(grid.balls()[seat]);
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
        let grid = Neighbours::new(&points, &[1.0; 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8], 0.01);
        let mut found = Vec::new();
        let p = Point3::new(4.0, 0.0, 0.0);
        grid.visit(&p, |_| 30.0, |seat, _, _| found.push(grid.balls()[seat]));
        found.sort_unstable();
        assert_eq!(found, (0..9).collect::<Vec<u32>>());
    }
}
