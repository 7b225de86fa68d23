//! The first construction of section 3.1: normals of the triangles in each cell, blurred outward.

use rayon::prelude::*;

use super::blur::{Kernel, Near, Value, Values};
use super::layout::IN_BLOCK;
use super::raster::Passing;
use crate::math::Vec3;

/// Means of normals shorter than this tell no direction; such cells are blurred over like empty ones.
const LEAST_MEAN: f64 = 0.3;

/// What became of the cells that the surface goes through.
pub(super) struct Blurred {
    /// Normals of any length, by block.
    pub vectors: Vec<Values<Vec3>>,
    /// Cells whose normals cancel.
    pub ambiguous: u64,
}

/// Blurs mean normals over `rounds` rounds. After each, the cells that the surface goes through get their own back, so
/// that near the surface normals stay perpendicular to it. Their raw means are put back: a crease counts less.
pub(super) fn blur(
    near: Near<'_>,
    passing: &[Option<Box<Values<Passing>>>],
    radius: u32,
    rounds: u32,
) -> Blurred {
    let kernel = Kernel::new(radius as usize);
    let own: Vec<Values<[f32; 4]>> = passing
        .par_iter()
        .map(|block| match block {
            None => [<[f32; 4]>::ZERO; IN_BLOCK],
            Some(block) => block.each_ref().map(own_vector),
        })
        .collect();
    let mut vectors = own.clone();
    for _ in 0..rounds {
        vectors = kernel.round(near, &vectors, |_| <[f32; 4]>::ZERO);
        let blocks = vectors.par_iter_mut().zip(&own).zip(passing);
        blocks.filter(|b| b.1.is_some()).for_each(|((values, own), _)| {
            for (value, own) in values.iter_mut().zip(own) {
                if *own != <[f32; 4]>::ZERO {
                    *value = *own;
                }
            }
        });
    }
    Blurred {
        vectors: vectors
            .par_iter()
            .map(|block| block.map(|[x, y, z, _]| Vec3::new(x.into(), y.into(), z.into())))
            .collect(),
        ambiguous: passing
            .iter()
            .flatten()
            .flat_map(|b| b.iter())
            .filter(|p| p.hit && p.mean().norm() < LEAST_MEAN)
            .count() as u64,
    }
}

/// A cell's own vector; zero where it has none.
fn own_vector(passing: &Passing) -> [f32; 4] {
    let mean = passing.mean();
    if mean.norm() < LEAST_MEAN {
        return <[f32; 4]>::ZERO;
    }
    [mean.x as f32, mean.y as f32, mean.z as f32, 0.0]
}
