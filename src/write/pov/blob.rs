//! Which settled particles become blob components, how wide and how strong: what makes a covering smooth.
//!
//! Works on one material at a time and knows neither text nor tiles. The steps: merge what coincides, drop
//! what is buried, thin (youngest first), widen components in company, normalise strengths, sink.

use rayon::prelude::*;

use super::grid::{Growing, Levels, Neighbours, bucket};
use crate::material::Look;
use crate::math::{Point3, Real, Vec3};

/// Settled particles of one material, in output units, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Balls {
    /// Birth numbers.
    pub id: Vec<u64>,
    /// Centres.
    pub center: Vec<Point3>,
    /// Radii, > 0.
    pub radius: Vec<Real>,
    /// Unit contact normals.
    pub normal: Vec<Vec3>,
}

/// One blob component: `strength (1 - (d / radius)^2)^2` within `radius` of `center`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// Birth number of its particle.
    pub id: u64,
    /// Centre after sinking.
    pub center: Point3,
    /// Radius of influence, larger than what is seen.
    pub radius: Real,
    /// Strength, 0 < S <= 1.
    pub strength: Real,
}

/// Components in birth order, and what was left out.
#[derive(Debug, Clone, Default)]
pub struct Covering {
    /// Ascending in `id`.
    pub components: Vec<Component>,
    /// Left out: a younger particle lies in the same place.
    pub merged: u64,
    /// Left out: hidden from every side.
    pub buried: u64,
    /// Left out: a younger particle close by stands for it.
    pub thinned: u64,
}

/// Edge of the cells in which only the youngest particle is kept, in radii. POV-Ray's time grows faster than
/// the square of the number of components that a ray meets, and 32,768 in one place make it fail.
const MERGE_SETTLED: Real = 0.25;
/// The same for spheres in the air, which nothing smooths.
pub const MERGE_AIRBORNE: Real = 1.0 / 16.0;
/// Particles count as company within this many mean radii of a pair (3 radii for equal ones).
const COMPANY_RANGE: Real = 1.5;
/// Company below which a component is drawn exact, and above which it is as wide as it gets.
const COMPANY: [Real; 2] = [0.15, 3.5];
/// A direction is blocked by a particle within this many mean radii of a pair ...
const BURY_RANGE: Real = 1.35;
/// ... at an angle with a larger cosine ...
const BURY_COSINE: Real = 0.80;
/// ... if it is at least this large in comparison.
const BURY_RATIO: Real = 0.5;
/// Directions that point into the surface do not need to be free: least cosine with the normal.
const BURY_HORIZON: Real = -0.3;
/// A particle stands for another one only if it is at least this large in comparison.
const THIN_RATIO: Real = 0.7;
/// Weakest strength written; less is lost in the digits.
const WEAKEST: Real = 1e-3;
/// Rounds of normalisation.
const ROUNDS: usize = 4;

/// RB / r of a component alone: with strength 1 it shows exactly radius r.
pub fn lone_factor(threshold: Real) -> Real {
    1.0 / (1.0 - threshold.sqrt()).sqrt()
}

/// The components of a covering.
pub fn cover(balls: &Balls, look: &Look) -> Covering {
    let distinct = merge(&balls.center, &balls.radius, MERGE_SETTLED);
    let all = Set::new(balls, &distinct);
    let surround = surroundings(&all, look.transmit == 0.0);
    let exposed: Vec<u32> = (0..all.len() as u32)
        .filter(|&i| surround[i as usize].exposed)
        .collect();
    let kept = thin(&all, &exposed, look.thinning);
    let left = Set::pick(&all, &kept);
    let company: Vec<Real> = kept.iter().map(|&i| surround[i as usize].company).collect();
    Covering {
        merged: (balls.id.len() - distinct.len()) as u64,
        buried: (distinct.len() - exposed.len()) as u64,
        thinned: (exposed.len() - kept.len()) as u64,
        components: components(balls, &left, &company, look),
    }
}

/// Some of the balls, with what is asked of them close together.
struct Set {
    /// Row in [`Balls`].
    row: Vec<u32>,
    center: Vec<Point3>,
    radius: Vec<Real>,
    normal: Vec<Vec3>,
    levels: Levels,
}

impl Set {
    fn new(balls: &Balls, rows: &[u32]) -> Self {
        let radius: Vec<Real> = rows.iter().map(|&i| balls.radius[i as usize]).collect();
        Self {
            row: rows.to_vec(),
            center: rows.iter().map(|&i| balls.center[i as usize]).collect(),
            normal: rows.iter().map(|&i| balls.normal[i as usize]).collect(),
            levels: Levels::new(&radius),
            radius,
        }
    }

    fn pick(from: &Self, members: &[u32]) -> Self {
        let radius: Vec<Real> = members.iter().map(|&i| from.radius[i as usize]).collect();
        Self {
            row: members.iter().map(|&i| from.row[i as usize]).collect(),
            center: members.iter().map(|&i| from.center[i as usize]).collect(),
            normal: members.iter().map(|&i| from.normal[i as usize]).collect(),
            levels: Levels::new(&radius),
            radius,
        }
    }

    fn len(&self) -> usize {
        self.row.len()
    }
}

/// Rows of the youngest ball in each cell of `edge` radii, per octave of radii; ascending.
pub fn merge(center: &[Point3], radius: &[Real], edge: Real) -> Vec<u32> {
    let levels = Levels::new(radius);
    let mask = (center.len().max(8) * 2).next_power_of_two() - 1;
    let mut table: Vec<([i64; 3], u8)> = vec![([0; 3], u8::MAX); mask + 1];
    let mut kept = Vec::with_capacity(center.len());
    for i in (0..center.len()).rev() {
        let level = levels.of[i];
        let per_unit = 1.0 / (edge * levels.largest[level as usize]);
        let key = (
            [0, 1, 2].map(|axis| (center[i][axis] * per_unit).floor() as i64),
            level,
        );
        let mut slot = bucket(key.0.map(|c| c as i32), mask);
        while table[slot].1 != u8::MAX && table[slot] != key {
            slot = (slot + 1) & mask;
        }
        if table[slot].1 == u8::MAX {
            table[slot] = key;
            kept.push(i as u32);
        }
    }
    kept.reverse();
    kept
}

/// What the neighbours of a particle mean to it.
#[derive(Clone, Copy, Default)]
struct Surroundings {
    /// 0 alone .. about 4 in a full layer.
    company: Real,
    /// Whether it can be seen from somewhere.
    exposed: bool,
}

/// The 26 directions to the neighbours of a cube.
struct Directions {
    unit: [Vec3; 26],
    /// For each axis, which directions have a positive, no and a negative part along it.
    signs: [[u32; 3]; 3],
}

/// Sine of the cone's half angle: what rises this steeply over a plane blocks no direction in that plane.
const STEEP: Real = 0.6;
/// Corners of a cube rise 35.3 degrees over the planes between the axes, a little less than the cone is wide.
const SHALLOW: Real = 0.05;

impl Directions {
    fn new() -> Self {
        let mut all = Self {
            unit: [Vec3::zeros(); 26],
            signs: [[0; 3]; 3],
        };
        for (k, i) in (0..27).filter(|&i| i != 13).enumerate() {
            let parts = [1, 3, 9].map(|stride| 1 - i / stride % 3);
            all.unit[k] = Vec3::from(parts.map(Real::from)).normalize();
            for (axis, part) in parts.into_iter().enumerate() {
                all.signs[axis][(1 - part) as usize] |= 1 << k;
            }
        }
        all
    }

    /// Directions whose cosine with `n` is above `least`.
    fn above(&self, n: &Vec3, least: Real) -> u32 {
        (0..26).fold(0, |set, k| set | u32::from(self.unit[k].dot(n) > least) << k)
    }

    /// Which of the directions in `among` lie within the cone round `to`, of length `d`.
    #[inline]
    fn blocked(&self, among: u32, to: &Vec3, d: Real) -> u32 {
        let mut left =
            among & self.possible(0, to.x, d) & self.possible(1, to.y, d) & self.possible(2, to.z, d);
        let mut hit = 0;
        while left != 0 {
            let k = left.trailing_zeros();
            left &= left - 1;
            hit |= u32::from(self.unit[k as usize].dot(to) > BURY_COSINE * d) << k;
        }
        hit
    }

    /// Directions that the part `x` along an axis does not rule out: spares most of the products.
    #[inline]
    fn possible(&self, axis: usize, x: Real, d: Real) -> u32 {
        let [plus, none, minus] = self.signs[axis];
        let toward = if x < 0.0 { minus } else { plus };
        if x.abs() > STEEP * d {
            toward
        } else if x.abs() > SHALLOW * d {
            toward | none
        } else {
            u32::MAX
        }
    }
}

fn surroundings(set: &Set, may_bury: bool) -> Vec<Surroundings> {
    let grid = Neighbours::new(&set.center, &set.levels, 2.0 * COMPANY_RANGE);
    let directions = Directions::new();
    let order = grid.order();
    let found: Vec<Surroundings> = order
        .par_iter()
        .map(|&i| look_round(set, &grid, i as usize, &directions, may_bury))
        .collect();
    let mut of = vec![Surroundings::default(); set.len()];
    for (&i, s) in order.iter().zip(found) {
        of[i as usize] = s;
    }
    of
}

fn look_round(
    set: &Set,
    grid: &Neighbours,
    i: usize,
    directions: &Directions,
    may_bury: bool,
) -> Surroundings {
    let (p, r, n) = (set.center[i], set.radius[i], set.normal[i]);
    let per_r = 1.0 / r;
    let mut company = 0.0;
    let mut free = if may_bury {
        directions.above(&n, BURY_HORIZON)
    } else {
        0
    };
    grid.visit(
        &p,
        |largest| COMPANY_RANGE * (r + largest),
        |j, to, d2| {
            let other = set.radius[j as usize];
            let reach = COMPANY_RANGE * (r + other);
            if j as usize == i || d2 >= reach * reach {
                return;
            }
            let ratio = other * per_r;
            let w = 1.0 - d2 / (reach * reach);
            // A droplet is little company for a lump: it counts by its share of the lump's area.
            company += w * w * (ratio * ratio).min(1.0);
            let near = BURY_RANGE * (r + other);
            if free != 0 && d2 < near * near && ratio >= BURY_RATIO {
                free &= !directions.blocked(free, &to, d2.sqrt());
            }
        },
    );
    Surroundings {
        company,
        exposed: !may_bury || free != 0,
    }
}

/// Drops what lies closer than `spacing` radii to a younger one that is kept; gives the rest, ascending.
///
/// Youngest first, because the youngest lie on top: the other way round leaves the bottom layer and dents.
fn thin(set: &Set, candidates: &[u32], spacing: Real) -> Vec<u32> {
    if spacing <= 0.0 {
        return candidates.to_vec();
    }
    let (mut standing, mut next) = Growing::new(&set.levels, spacing);
    let mut kept = Vec::with_capacity(candidates.len());
    for &i in candidates.iter().rev() {
        let (p, r) = (set.center[i as usize], set.radius[i as usize]);
        let range = |largest: Real| {
            if largest < THIN_RATIO * r {
                0.0
            } else {
                spacing * r.min(largest)
            }
        };
        let covered = standing.any(&p, range, &next, |j| {
            let other = set.radius[j as usize];
            let near = spacing * r.min(other);
            other >= THIN_RATIO * r && (set.center[j as usize] - p).norm_squared() < near * near
        });
        if !covered {
            standing.insert(i, set.levels.of[i as usize], &p, &mut next);
            kept.push(i);
        }
    }
    kept.reverse();
    kept
}

/// 0 for a particle alone .. 1 in a full covering.
fn togetherness(company: Real) -> Real {
    let x = ((company - COMPANY[0]) / (COMPANY[1] - COMPANY[0])).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

fn components(balls: &Balls, set: &Set, company: &[Real], look: &Look) -> Vec<Component> {
    let lone = lone_factor(look.threshold);
    // A spread below the exact factor would shrink particles that have company.
    let wide = look.spread.max(lone);
    let together: Vec<Real> = company.iter().map(|&c| togetherness(c)).collect();
    let reach: Vec<Real> = set
        .radius
        .iter()
        .zip(&together)
        .map(|(&r, &t)| r * (lone + (wide - lone) * t))
        .collect();
    let strength = strengths(set, &reach, wide);
    (0..set.len())
        .map(|i| {
            let row = set.row[i] as usize;
            let sink = set.radius[i] * (look.sink + look.sink_alone * (1.0 - together[i]));
            Component {
                id: balls.id[row],
                center: set.center[i] - set.normal[i] * sink,
                radius: reach[i],
                strength: strength[i],
            }
        })
        .collect()
}

/// Strengths that make the field 1 at every centre: one height for sheets of any density, and 1 exactly for
/// a component that no other reaches.
fn strengths(set: &Set, reach: &[Real], wide: Real) -> Vec<Real> {
    let grid = Neighbours::new(&set.center, &set.levels, wide);
    let order = grid.order();
    let lists: Vec<Vec<(u32, f32)>> = order
        .par_iter()
        .map(|&i| {
            let mut list = Vec::with_capacity(32);
            grid.visit(
                &set.center[i as usize],
                |largest| wide * largest,
                |j, _, d2| {
                    let x = 1.0 - d2 / (reach[j as usize] * reach[j as usize]);
                    if x > 0.0 && j != i {
                        list.push((j, (x * x) as f32));
                    }
                },
            );
            list
        })
        .collect();
    let mut strength = vec![1.0; set.len()];
    for round in 0..=ROUNDS {
        let field: Vec<Real> = order
            .par_iter()
            .zip(&lists)
            .map(|(&i, list)| {
                list.iter().fold(strength[i as usize], |sum, &(j, w)| {
                    sum + strength[j as usize] * Real::from(w)
                })
            })
            .collect();
        for (&i, f) in order.iter().zip(field) {
            // The first round divides by the whole sum, the others approach by its power 3/4.
            let by = if round == 0 { f } else { f.sqrt() * f.sqrt().sqrt() };
            strength[i as usize] /= by;
        }
    }
    strength.iter_mut().for_each(|s| *s = s.clamp(WEAKEST, 1.0));
    strength
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ruling_directions_out_early_loses_none() {
        let directions = Directions::new();
        for i in 0..9261 {
            let at = |k: i32| Real::from(i / k % 21 - 10) * 0.1;
            let to = Vec3::new(at(1), at(21), at(441));
            let d = to.norm();
            let plain = directions.above(&to, BURY_COSINE * d);
            assert_eq!(directions.blocked(u32::MAX >> 6, &to, d), plain, "{to}");
        }
    }
}
