//! Spheres near a place: hash grids sorted by counting, one for each octave of radii.
//!
//! Knows balls only, no particles and no looks. Order of visits depends on the input alone, so sums over
//! neighbours are the same on every machine and with any number of threads.

use rayon::prelude::*;

use crate::bvh::{Eight, Lanes, Plain};
use crate::math::{Aabb, Point3, Real, Vec3};

/// Octaves of radii that get a grid of their own; smaller ones share the last.
const MOST_LEVELS: usize = 8;
/// Seats that are looked at together: as many as a word has bits.
const BATCH: usize = 64;
/// Balls that one task sorts into cells.
const TASK: usize = 4096;

/// Which grid each ball belongs to, and the largest radius in it.
pub struct Levels {
    /// Level of each ball, 0 for the largest.
    pub of: Vec<u8>,
    /// Largest radius of each level, at least that of level 0 / 128 so that cells stay comparable; 0 if empty.
    pub largest: Vec<Real>,
}

impl Levels {
    /// Sorts `radii` (all finite and > 0) into octaves below the largest.
    pub fn new(radii: impl Iterator<Item = Real> + Clone) -> Self {
        let top = radii.clone().fold(0.0, Real::max);
        let level = |r: Real| {
            let mut bound = 0.5 * top;
            let mut l = 0;
            while r <= bound && l + 1 < MOST_LEVELS {
                bound *= 0.5;
                l += 1;
            }
            l
        };
        let of: Vec<u8> = radii.clone().map(|r| level(r) as u8).collect();
        let mut largest = vec![0.0; MOST_LEVELS];
        for (&l, r) in of.iter().zip(radii) {
            largest[l as usize] = r.max(top / 128.0).max(largest[l as usize]);
        }
        Self { of, largest }
    }
}

/// Number of the cell of width 1 that `x` lies in, between the outermost ones; without a call of `floor`, which
/// processors of the oldest kind lack.
#[inline]
fn cell_of(x: Real) -> i32 {
    // Float to int casts saturate, and one cell of margin keeps the neighbours' numbers in range.
    let toward_zero = x as i32;
    let cell = toward_zero.saturating_sub(i32::from(x < Real::from(toward_zero)));
    cell.clamp(i32::MIN + 2, i32::MAX - 2)
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

/// A centre, and the numbers of its row of cells.
type Place = (Point3, [i32; 2]);

/// Balls that can be asked for by place. Each has a *seat*: seats are numbered bucket by bucket, so that near balls
/// have near seats, and walking along the seats is kind to the cache.
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
}

impl Neighbours {
    /// Seats the balls in `members`. `factor` times the radius is about the range that will be asked for.
    pub fn new(center: &[Point3], radius: &[Real], members: &[u32], factor: Real) -> Self {
        let levels = Levels::new(members.iter().map(|&i| radius[i as usize]));
        let mut counts = [0usize; MOST_LEVELS];
        levels.of.iter().for_each(|&l| counts[l as usize] += 1);
        let mut buckets = 0;
        let layers: Vec<Layer> = levels
            .largest
            .iter()
            .zip(counts)
            .map(|(&largest, count)| {
                let first = buckets;
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
            })
            .collect();
        let bucket_of: Vec<u32> = members
            .par_iter()
            .zip(&levels.of)
            .with_min_len(TASK)
            .map(|(&i, &level)| {
                let layer = &layers[level as usize];
                (layer.first + bucket(cell(&center[i as usize], layer.per_unit), layer.mask)) as u32
            })
            .collect();
        let (starts, seated) = seats(&bucket_of, buckets);
        let on_seats = seated.par_iter().with_min_len(TASK);
        let seat = |&m: &u32| {
            let ball = members[m as usize];
            let p = center[ball as usize];
            let per_unit = layers[levels.of[m as usize] as usize].per_unit;
            let row = [cell_of(p.y * per_unit), cell_of(p.z * per_unit)];
            ((ball, radius[ball as usize]), (p, row))
        };
        let (sizes, places): (Vec<(u32, Real)>, Vec<Place>) = on_seats.map(seat).unzip();
        let (balls, radius) = sizes.into_par_iter().unzip();
        let (center, row): (Vec<Point3>, _) = places.into_par_iter().unzip();
        Self {
            layers: layers.into_iter().filter(|l| l.largest > 0.0).collect(),
            starts,
            coarse: Coarse::new(&center),
            balls,
            center,
            radius,
            row,
        }
    }

    /// The ball on each seat.
    pub fn balls(&self) -> &[u32] {
        &self.balls
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
        let reach = Vec3::repeat(range);
        let (low, high) = (
            cell(&(p - reach), layer.per_unit),
            cell(&(p + reach), layer.per_unit),
        );
        let ball = self.coarse.ball(p, range);
        // A row longer than the table would come round to where it began.
        let length = ((i64::from(high[0]) - i64::from(low[0])) as usize).min(layer.mask);
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let first = bucket([low[0], y, z], layer.mask);
                let last = first + length;
                let mut scan = |from: usize, to: usize| {
                    let from = self.starts[layer.first + from] as usize;
                    let to = self.starts[layer.first + to + 1] as usize;
                    self.coarse.scan(from..to, &ball, |seat| {
                        let d = self.center[seat] - p;
                        let d2 = d.norm_squared();
                        if d2 < range * range && self.row[seat] == [y, z] {
                            f(seat, d, d2);
                        }
                    });
                };
                if last <= layer.mask {
                    scan(first, last);
                } else {
                    scan(first, layer.mask);
                    scan(0, last - layer.mask - 1);
                }
            }
        }
    }
}

/// The centres once more, in `f32` around their middle: eight at a time, most are found to be too far away.
struct Coarse {
    middle: Point3,
    /// What a distance may be wrong by.
    error: Real,
    /// x, y and z of every seat, and seven more.
    places: [Vec<f32>; 3],
    lanes: Lanes,
}

/// A ball in the numbers of [`Coarse`].
struct CoarseBall {
    center: [f32; 3],
    /// Square of its radius, and a little more.
    radius2: f32,
}

impl Coarse {
    fn new(center: &[Point3]) -> Self {
        let bounds = Aabb::around(center);
        let middle = if bounds.is_empty() {
            Point3::origin()
        } else {
            bounds.center()
        };
        let place = |axis: usize| {
            let places = center.iter().map(|p| (p[axis] - middle[axis]) as f32);
            places.chain([f32::INFINITY; 7]).collect()
        };
        Self {
            middle,
            // Two places are rounded along three axes, to 24 bits each: less than four roundings in all.
            error: 4.0 * Real::from(f32::EPSILON) * bounds.diagonal(),
            places: [place(0), place(1), place(2)],
            lanes: Lanes::detect(),
        }
    }

    fn ball(&self, p: &Point3, radius: Real) -> CoarseBall {
        let radius = (radius + self.error) * (1.0 + 1e-6);
        CoarseBall {
            center: [0, 1, 2].map(|axis| (p[axis] - self.middle[axis]) as f32),
            radius2: (radius * radius) as f32,
        }
    }

    /// Calls `f` for the seats that may be in the ball, in order, and perhaps for some that are not.
    #[inline]
    fn scan(&self, seats: std::ops::Range<usize>, ball: &CoarseBall, mut f: impl FnMut(usize)) {
        let mut seat = seats.start;
        while seat < seats.end {
            let count = (seats.end - seat).min(BATCH);
            let mut near = match self.lanes {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
                Lanes::Avx2 => unsafe { self.near_avx2(seat, count, ball) },
                Lanes::Portable => self.near::<Plain>(seat, count, ball),
            };
            while near != 0 {
                f(seat + near.trailing_zeros() as usize);
                near &= near - 1;
            }
            seat += count;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn near_avx2(&self, seat: usize, count: usize, ball: &CoarseBall) -> u64 {
        self.near::<crate::bvh::Avx2>(seat, count, ball)
    }

    /// One bit for each of the `count` seats, at most [`BATCH`], from `seat` on.
    #[inline(always)]
    fn near<E: Eight>(&self, seat: usize, count: usize, ball: &CoarseBall) -> u64 {
        let center = ball.center.map(E::splat);
        let most = E::splat(ball.radius2);
        let end = seat + count.next_multiple_of(8);
        let [x, y, z] = self
            .places
            .each_ref()
            .map(|all| all[seat..end].as_chunks::<8>().0);
        let mut near = 0;
        for (k, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate() {
            let d = [
                E::load(x).sub(center[0]),
                E::load(y).sub(center[1]),
                E::load(z).sub(center[2]),
            ];
            let d2 = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2].mul(d[2])));
            near |= u64::from(d2.le(most).bits()) << (8 * k);
        }
        near & (u64::MAX >> (BATCH - count))
    }
}

/// Sorts by counting: the first seat of each bucket, and who sits on each seat, those of one bucket in order.
fn seats(bucket_of: &[u32], buckets: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; buckets + 1];
    for &b in bucket_of {
        starts[b as usize + 1] += 1;
    }
    for b in 0..buckets {
        starts[b + 1] += starts[b];
    }
    let mut next = starts.clone();
    let mut seated = vec![0u32; bucket_of.len()];
    for (m, &b) in bucket_of.iter().enumerate() {
        let seat = &mut next[b as usize];
        seated[*seat as usize] = m as u32;
        *seat += 1;
    }
    (starts, seated)
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
