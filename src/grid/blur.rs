//! The 3D blur of section 3.1: a ball-shaped kernel with linear falloff, over blocks.

use rayon::prelude::*;

use super::cells::distance_of;
use super::layout::{BLOCK, IN_BLOCK, Layout};
use crate::math::Real;

/// What can be blurred.
pub(super) trait Value: Copy + PartialEq + Send + Sync {
    const ZERO: Self;
    fn add(&mut self, other: &Self, weight: f32);
}

impl Value for [f32; 4] {
    const ZERO: Self = [0.0; 4];

    #[inline(always)]
    fn add(&mut self, other: &Self, weight: f32) {
        for (sum, x) in self.iter_mut().zip(other) {
            *sum += x * weight;
        }
    }
}

impl Value for Real {
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn add(&mut self, other: &Self, weight: f32) {
        *self += other * Real::from(weight);
    }
}

/// Which blocks there are: the table of the grid, and the place of each in the order of their numbers.
#[derive(Clone, Copy)]
pub(super) struct Near<'a> {
    pub layout: &'a Layout,
    pub top: &'a [u32],
    pub at: &'a [[usize; 3]],
}

/// Values of the cells of a block.
pub(super) type Values<V> = [V; IN_BLOCK];

/// Weights of the cells within a radius.
pub(super) struct Kernel {
    radius: usize,
    /// Steps from the lowest cell within the radius, in a padded block, and weights; their sum is 1.
    weights: Vec<(usize, f32)>,
}

impl Kernel {
    /// Linear falloff that is 0 one cell beyond `radius`: 1 - dist / (radius + 1).
    pub fn new(radius: usize) -> Self {
        let edge = BLOCK + 2 * radius;
        let side = 2 * radius + 1;
        let mut weights = Vec::new();
        for n in 0..side * side * side {
            let [x, y, z] = [n % side, n / side % side, n / side / side];
            let d2: usize = [x, y, z].iter().map(|i| i.abs_diff(radius).pow(2)).sum();
            if d2 <= radius * radius {
                let weight = 1.0 - (d2 as Real).sqrt() / (radius as Real + 1.0);
                weights.push(((z * edge + y) * edge + x, weight));
            }
        }
        let sum: Real = weights.iter().map(|w| w.1).sum();
        Self {
            radius,
            weights: weights.into_iter().map(|(i, w)| (i, (w / sum) as f32)).collect(),
        }
    }

    /// One round. `far`: the value of a block that is not near, by its place, which may lie outside.
    pub fn round<V: Value>(
        &self,
        near: Near<'_>,
        values: &[Values<V>],
        far: impl Fn([isize; 3]) -> V + Sync,
    ) -> Vec<Values<V>> {
        let live: Vec<bool> = values
            .par_iter()
            .map(|b| b.iter().any(|v| *v != V::ZERO))
            .collect();
        near.at
            .par_iter()
            .map_init(Vec::new, |padded, &at| {
                if pad(near, values, &live, &far, at, self.radius, padded) {
                    self.sums(padded)
                } else {
                    [V::ZERO; IN_BLOCK]
                }
            })
            .collect()
    }

    fn sums<V: Value>(&self, padded: &[V]) -> Values<V> {
        let edge = BLOCK + 2 * self.radius;
        std::array::from_fn(|i| {
            let [x, y, z] = [i % BLOCK, i / BLOCK % BLOCK, i / BLOCK / BLOCK];
            let values = &padded[(z * edge + y) * edge + x..];
            let mut sum = V::ZERO;
            for (step, weight) in &self.weights {
                sum.add(&values[*step], *weight);
            }
            sum
        })
    }
}

/// A block with the values of `radius` cells around it in x, y, z order; false, and nothing, where all are zero.
pub(super) fn pad<V: Value>(
    near: Near<'_>,
    values: &[Values<V>],
    live: &[bool],
    far: &impl Fn([isize; 3]) -> V,
    at: [usize; 3],
    radius: usize,
    padded: &mut Vec<V>,
) -> bool {
    let edge = BLOCK + 2 * radius;
    let mut any = false;
    let sources: [Result<usize, V>; 27] = std::array::from_fn(|n| {
        let step = [n % 3, n / 3 % 3, n / 9];
        let place = [0, 1, 2].map(|a| (at[a] + step[a]) as isize - 1);
        let source = number_of(near, place).ok_or_else(|| far(place));
        any |= match source {
            Ok(block) => live[block],
            Err(value) => value != V::ZERO,
        };
        source
    });
    if !any {
        return false;
    }
    // Which of the three blocks along an axis, and which cell of it.
    let part = |i: usize| {
        let cell = i + BLOCK - radius;
        (cell / BLOCK, cell % BLOCK)
    };
    padded.clear();
    for z in (0..edge).map(part) {
        for y in (0..edge).map(part) {
            for x in (0..edge).map(part) {
                padded.push(match &sources[(z.0 * 3 + y.0) * 3 + x.0] {
                    Ok(block) => values[*block][(z.1 * BLOCK + y.1) * BLOCK + x.1],
                    Err(value) => *value,
                });
            }
        }
    }
    true
}

/// Number of a near block.
fn number_of(near: Near<'_>, place: [isize; 3]) -> Option<usize> {
    let blocks = near.layout.blocks();
    let inside = (0..3).all(|a| place[a] >= 0 && (place[a] as usize) < blocks[a]);
    if !inside {
        return None;
    }
    let entry = near.top[near.layout.block_number(place.map(|i| i as usize))];
    distance_of(entry).is_none().then_some(entry as usize)
}
