//! Strengths that make the field 1 at every centre: one height for sheets of any density.

use rayon::prelude::*;

use super::Component;
#[cfg(target_arch = "x86_64")]
use crate::bvh::Avx2Four;
use crate::bvh::{Four, Lanes, PlainFour};
use crate::math::{Point3, Real};
use crate::write::pov::grid::{Around, Neighbours};
use crate::write::pov::regions::{Region, Regions};

/// Weakest strength written; less is lost in the digits.
const WEAKEST: Real = 1e-3;
/// Rounds of normalisation.
const ROUNDS: usize = 5;
/// Edge of the regions that are worked on one by one, in the margin that each needs.
const EDGE: Real = 12.0;

/// What reaches the balls on all seats.
#[derive(Default)]
struct Lists {
    /// Seats of the balls that reach one, and their fields there at strength 1.
    from: Vec<u32>,
    weight: Vec<f32>,
    /// Where the list of each seat ends.
    ends: Vec<usize>,
}

impl Lists {
    /// Looks round all seats, in memory that has grown before. `per_reach2`: one over the squares of the reaches of the balls,
    /// by their numbers.
    fn fill(&mut self, grid: &Neighbours, around: &mut Around, per_reach2: &[Real], wide: Real) {
        self.from.clear();
        self.weight.clear();
        self.ends.clear();
        let mut near = Vec::new();
        for seats in grid.cells() {
            // A component reaches as far as its own radius says, whatever that of the ball it reaches.
            grid.gather(seats.clone(), |_, there| wide * there, around);
            near.clear();
            near.extend(around.ball.iter().map(|&i| per_reach2[i as usize]));
            for one in around.first..around.first + seats.len() {
                match grid.lanes() {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2.
                    Lanes::Avx2 => unsafe { self.list_avx2(around, &near, one) },
                    Lanes::Portable => self.list::<PlainFour>(around, &near, one),
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn list_avx2(&mut self, around: &Around, per_reach2: &[Real], one: usize) {
        self.list::<Avx2Four>(around, per_reach2, one);
    }

    /// Appends the list of one of those around.
    #[inline(always)]
    fn list<F: Four>(&mut self, around: &Around, per_reach2: &[Real], one: usize) {
        let first = self.from.len();
        self.from.resize(first + around.seat.len(), 0);
        self.weight.resize(first + around.seat.len(), 0.0);
        let (from, weight) = (&mut self.from[first..], &mut self.weight[first..]);
        let mut count = 0;
        let p = around.center.each_ref().map(|center| F::splat(center[one]));
        let own = around.seat[one];
        let [x, y, z] = around.center.each_ref().map(|center| center.as_chunks::<4>().0);
        let (seats, per_reach2) = (around.seat.as_chunks::<4>().0, per_reach2.as_chunks::<4>().0);
        for (k, (seats, per_reach2)) in seats.iter().zip(per_reach2).enumerate() {
            let to = [
                F::new(x[k]).sub(p[0]),
                F::new(y[k]).sub(p[1]),
                F::new(z[k]).sub(p[2]),
            ];
            let d2 = to[0].mul(to[0]).add(to[1].mul(to[1])).add(to[2].mul(to[2]));
            let share = F::splat(1.0).sub(d2.mul(F::new(*per_reach2)));
            let reaches = F::splat(0.0).lt(share).bits();
            let mut weights = [0.0; 4];
            share.mul(share).store(&mut weights);
            // All four are written, and those that reach nothing are written over.
            for lane in 0..4 {
                from[count] = seats[lane];
                weight[count] = weights[lane] as f32;
                count += usize::from(reaches >> lane & 1 == 1 && seats[lane] != own);
            }
        }
        self.from.truncate(first + count);
        self.weight.truncate(first + count);
        self.ends.push(self.from.len());
    }

    /// The field at each centre for these strengths.
    fn fields(&self, strength: &[Real]) -> impl Iterator<Item = Real> {
        let mut start = 0;
        self.ends.iter().zip(strength).map(move |(&end, own)| {
            let list = start..end;
            start = end;
            own + sum(&self.from[list.clone()], &self.weight[list], strength)
        })
    }
}

/// Sum of strength times weight; four sums at a time, or each addition would wait for the one before.
fn sum(from: &[u32], weight: &[f32], strength: &[Real]) -> Real {
    let part = |j: u32, w: f32| strength[j as usize] * Real::from(w);
    let mut sums = [0.0; 4];
    let (from, from_rest) = from.as_chunks::<4>();
    let (weight, weight_rest) = weight.as_chunks::<4>();
    for (from, weight) in from.iter().zip(weight) {
        for k in 0..4 {
            sums[k] += part(from[k], weight[k]);
        }
    }
    let rest = from_rest.iter().zip(weight_rest);
    let rest = rest.fold(0.0, |sum, (&j, &w)| sum + part(j, w));
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Memory of one thread that has grown before.
#[derive(Default)]
struct Room {
    center: Vec<Point3>,
    radius: Vec<Real>,
    per_reach2: Vec<Real>,
    everyone: Vec<u32>,
    grid: Neighbours,
    around: Around,
    lists: Lists,
}

impl Room {
    /// Numbers and strengths of the components of a region.
    fn solve(
        &mut self,
        region: Region<'_>,
        components: &[Component],
        radius: &impl Fn(u32) -> Real,
        wide: Real,
    ) -> Vec<(u32, Real)> {
        self.center.clear();
        self.radius.clear();
        self.per_reach2.clear();
        for (k, _) in region.balls() {
            let component = &components[k as usize];
            self.center.push(component.center);
            self.radius.push(radius(k));
            self.per_reach2.push(1.0 / (component.radius * component.radius));
        }
        self.everyone.clear();
        self.everyone.extend(0..region.len() as u32);
        self.grid.fill(&self.center, &self.radius, &self.everyone, wide);
        self.lists
            .fill(&self.grid, &mut self.around, &self.per_reach2, wide);
        let mut strength = vec![1.0; region.len()];
        let mut next = strength.clone();
        for round in 0..ROUNDS {
            let fields = self.lists.fields(&strength);
            for ((next, f), old) in next.iter_mut().zip(fields).zip(&strength) {
                // The first round divides by the whole sum, the others approach by its power 3/4.
                let by = if round == 0 { f } else { f.sqrt() * f.sqrt().sqrt() };
                *next = old / by;
            }
            std::mem::swap(&mut strength, &mut next);
        }
        let seated = self.grid.balls().iter().zip(strength);
        let own = seated.filter_map(|(&i, strength)| {
            let (k, own) = region.ball(i);
            own.then(|| (k, strength.clamp(WEAKEST, 1.0)))
        });
        own.collect()
    }
}

/// Gives components strengths, 1 exactly to one that no other reaches; `radius` of their balls, of which they reach at
/// most `wide`.
pub fn normalise(components: &mut [Component], radius: impl Fn(u32) -> Real + Sync, wide: Real) {
    let numbers = (0..components.len() as u32).into_par_iter();
    let largest = numbers.map(&radius).reduce(|| 0.0, Real::max);
    // Each round lets a component know of those one reach farther away.
    let margin = ROUNDS as Real * wide * largest;
    let center = |k: usize| components[k].center;
    let regions = Regions::new(components.len(), center, margin, EDGE * margin);
    let mut strength = vec![1.0; components.len()];
    let solve = |room: &mut Room, region: Region<'_>| room.solve(region, components, &radius, wide);
    regions.work(solve, |solved| {
        for (k, s) in solved {
            strength[k as usize] = s;
        }
    });
    for (component, s) in components.iter_mut().zip(strength) {
        component.strength = s;
    }
}
