//! The second construction of section 3.1: a blurred occupancy whose gradient gives the normals.
//!
//! It works for thin shapes and single sheets, where normals of the two faces would cancel. A closed mesh is filled: from
//! its surface alone, normals inside would point inward and keep in what has sunk.

use rayon::prelude::*;

use super::Sides;
use super::blur::{Kernel, Near, Values, pad};
use super::layout::{BLOCK, IN_BLOCK};
use super::raster::Passing;
use crate::math::{Real, Vec3};

/// Differences below this share of the largest potential are noise of the blur: no normal.
const NOISE: Real = 1e-7;

/// Normals of any length, by block. `behind` says which far blocks lie behind the surface.
pub(super) fn gradient(
    near: Near<'_>,
    sides: Sides,
    distances: &[Values<f32>],
    passing: &[Option<Box<Values<Passing>>>],
    behind: &(impl Fn([isize; 3]) -> bool + Sync),
    radius: u32,
    rounds: u32,
) -> Vec<Values<Vec3>> {
    let filled = sides == Sides::One;
    let mut potential: Vec<Values<Real>> = distances
        .par_iter()
        .zip(passing)
        .map(|(distances, passing)| {
            std::array::from_fn(|i| {
                let hit = passing.as_ref().is_some_and(|p| p[i].hit);
                if (filled && distances[i] < 0.0) || hit {
                    1.0
                } else {
                    0.0
                }
            })
        })
        .collect();
    let far = |block| if filled && behind(block) { 1.0 } else { 0.0 };
    let kernel = Kernel::new(radius as usize);
    for _ in 0..rounds {
        potential = kernel.round(near, &potential, far);
    }
    let live = vec![true; potential.len()];
    near.at
        .par_iter()
        .map_init(Vec::new, |padded, &at| {
            pad(near, &potential, &live, &far, at, 1, padded);
            differences(padded)
        })
        .collect()
}

/// Minus the gradient by differences over two cells.
fn differences(padded: &[Real]) -> Values<Vec3> {
    const EDGE: usize = BLOCK + 2;
    let mut result = [Vec3::zeros(); IN_BLOCK];
    for (i, value) in result.iter_mut().enumerate() {
        let [x, y, z] = [i % BLOCK, i / BLOCK % BLOCK, i / BLOCK / BLOCK];
        let at = ((z + 1) * EDGE + y + 1) * EDGE + x + 1;
        let steps = [1, EDGE, EDGE * EDGE];
        let fall = Vec3::from(steps.map(|step| padded[at - step] - padded[at + step]));
        let largest = steps
            .iter()
            .map(|step| padded[at - step].max(padded[at + step]))
            .fold(0.0, Real::max);
        if fall.norm() > NOISE * largest {
            *value = fall;
        }
    }
    result
}
