//! Strengths that make the field 1 at every centre: one height for sheets of any density.

use std::ops::Range;

use rayon::prelude::*;

use super::Balls;
use crate::math::Real;
use crate::write::pov::grid::Neighbours;

/// Weakest strength written; less is lost in the digits.
const WEAKEST: Real = 1e-3;
/// Rounds of normalisation.
const ROUNDS: usize = 4;
/// Seats that one task works on.
const TASK: usize = 512;

/// What reaches the balls on [`TASK`] seats.
#[derive(Default, Clone)]
struct Lists {
    /// Seats of the balls that reach one, and their fields there at strength 1.
    from: Vec<u32>,
    weight: Vec<f32>,
    /// Where the list of each seat ends.
    ends: Vec<u32>,
}

impl Lists {
    /// Looks round these seats, in memory that has grown before: what is kept is a copy of just the size.
    fn fill(&mut self, grid: &Neighbours, per_reach2: &[Real], wide: Real, seats: Range<usize>) {
        self.from.clear();
        self.weight.clear();
        self.ends.clear();
        for seat in seats {
            grid.visit(
                &grid.center(seat),
                |largest| wide * largest,
                |other, _, d2| {
                    let x = 1.0 - d2 * per_reach2[other];
                    if x > 0.0 && other != seat {
                        self.from.push(other as u32);
                        self.weight.push((x * x) as f32);
                    }
                },
            );
            self.ends.push(self.from.len() as u32);
        }
    }

    /// The field at each centre for these strengths, `first` the number of the first seat.
    fn fields(&self, first: usize, strength: &[Real]) -> impl Iterator<Item = Real> {
        let mut start = 0;
        self.ends.iter().enumerate().map(move |(i, &end)| {
            let list = start..end as usize;
            start = end as usize;
            strength[first + i] + sum(&self.from[list.clone()], &self.weight[list], strength)
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

/// Strengths of the balls in `members`, which reach as far as `reach` says, at most `wide` radii: 1 exactly for a
/// component that no other reaches.
pub fn strengths(balls: &Balls, members: &[u32], reach: &[Real], wide: Real) -> Vec<Real> {
    let center: Vec<_> = members.iter().map(|&i| balls.center[i as usize]).collect();
    let radius: Vec<_> = members.iter().map(|&i| balls.radius[i as usize]).collect();
    let everyone: Vec<u32> = (0..members.len() as u32).collect();
    let grid = Neighbours::new(&center, &radius, &everyone, wide);
    let seated = grid.balls();
    let per_reach2: Vec<Real> = seated
        .iter()
        .map(|&i| 1.0 / (reach[i as usize] * reach[i as usize]))
        .collect();
    let lists: Vec<Lists> = seated
        .par_chunks(TASK)
        .enumerate()
        .map_init(Lists::default, |room, (task, chunk)| {
            room.fill(&grid, &per_reach2, wide, task * TASK..task * TASK + chunk.len());
            room.clone()
        })
        .collect();
    let mut strength = vec![1.0; members.len()];
    let mut next = strength.clone();
    for round in 0..=ROUNDS {
        let tasks = next.par_chunks_mut(TASK).zip(&lists).enumerate();
        tasks.for_each(|(task, (next, lists))| {
            let first = task * TASK;
            let fields = lists.fields(first, &strength);
            for ((next, f), old) in next.iter_mut().zip(fields).zip(&strength[first..]) {
                // The first round divides by the whole sum, the others approach by its power 3/4.
                let by = if round == 0 { f } else { f.sqrt() * f.sqrt().sqrt() };
                *next = old / by;
            }
        });
        std::mem::swap(&mut strength, &mut next);
    }
    for (&i, s) in seated.iter().zip(&strength) {
        next[i as usize] = s.clamp(WEAKEST, 1.0);
    }
    next
}
