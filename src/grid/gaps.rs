//! How close surfaces come to each other: what a field closes, and walls that are thinner than its cells.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::blur::Values;
use super::layout::{Layout, cells_of};
use super::raster::Passing;
use super::surface::Surface;
use crate::math::{Aabb, Point3, Real, Vec3};

/// How far is looked from each face [cells].
const REACH: Real = 8.0;
/// Gaps narrower than this are none [cells].
const AWAY: Real = 1e-6;
/// A wall thinner than this is thin [cells]: from here on its faces are sure to lie in different cells.
pub const THIN: Real = 2.0;
/// Faces whose normals have a product below this face each other.
const FACING: Real = -0.5;

/// How close surfaces come to each other, as far as eight cells; infinite beyond.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// Surface cells whose wall is thinner than two cells.
    pub thin_cells: u64,
    /// Thickness of the thinnest wall.
    pub thinnest: Real,
    /// Width of the narrowest gap between faces that look at each other.
    pub narrowest: Real,
    /// Width of the narrowest hole in an open mesh.
    pub hole: Real,
}

impl Default for Gaps {
    fn default() -> Self {
        Self {
            thin_cells: 0,
            thinnest: Real::INFINITY,
            narrowest: Real::INFINITY,
            hole: Real::INFINITY,
        }
    }
}

impl Gaps {
    fn join(self, other: Self) -> Self {
        Self {
            thin_cells: self.thin_cells + other.thin_cells,
            thinnest: self.thinnest.min(other.thinnest),
            narrowest: self.narrowest.min(other.narrowest),
            hole: self.hole.min(other.hole),
        }
    }
}

/// Looks from every cell that the surface goes through.
pub(super) fn find(
    surface: &Surface,
    layout: &Layout,
    at: &[[usize; 3]],
    passing: &[Option<Box<Values<Passing>>>],
) -> Gaps {
    let of_blocks = (at.par_iter().zip(passing)).map(|(&block, passing)| {
        let Some(passing) = passing else {
            return Gaps::default();
        };
        (cells_of(block).zip(passing.iter()).filter(|c| c.1.hit))
            .map(|(cell, _)| look(surface, layout, &layout.center(cell)))
            .fold(Gaps::default(), Gaps::join)
    });
    let gaps = of_blocks.reduce(Gaps::default, Gaps::join);
    Gaps {
        hole: narrowest_hole(surface.open_edges()),
        ..gaps
    }
}

/// Looks both ways from the face closest to a place.
fn look(surface: &Surface, layout: &Layout, place: &Point3) -> Gaps {
    let Some(nearest) = surface.nearest(place, Real::INFINITY, None) else {
        return Gaps::default();
    };
    let normal = *surface.face_normal(nearest.triangle);
    let from = nearest.closest.point;
    let far = normal * (REACH * layout.cell);
    let thinnest = facing(surface, nearest.triangle, &from, &-far, 0.0);
    // On an edge, up to rounding, the edge's other face is met at once: that is a wall's tip, but no gap.
    let narrowest = facing(surface, nearest.triangle, &from, &far, AWAY * layout.cell);
    Gaps {
        thin_cells: u64::from(thinnest < THIN * layout.cell),
        thinnest,
        narrowest,
        hole: Real::INFINITY,
    }
}

/// Way along `along` to the first face that faces the triangle, on this side or on the other, at `least` or farther.
fn facing(surface: &Surface, triangle: u32, from: &Point3, along: &Vec3, least: Real) -> Real {
    let length = along.norm();
    let normal = surface.face_normal(triangle);
    let mut first = Real::INFINITY;
    surface.across(from, along, |other, share| {
        let way = share * length;
        if other != triangle && way >= least && way < first && normal.dot(surface.face_normal(other)) < FACING
        {
            first = way;
        }
    });
    first
}

/// The second largest extent of the smallest loop of open edges.
fn narrowest_hole(edges: &[[Point3; 2]]) -> Real {
    let key = |p: &Point3| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    let mut at: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
    for (i, edge) in edges.iter().enumerate() {
        for end in edge {
            at.entry(key(end)).or_default().push(i);
        }
    }
    let mut seen = vec![false; edges.len()];
    let mut narrowest = Real::INFINITY;
    for start in 0..edges.len() {
        let mut bounds = Aabb::EMPTY;
        let mut open = vec![start];
        while let Some(edge) = open.pop() {
            if std::mem::replace(&mut seen[edge], true) {
                continue;
            }
            for end in &edges[edge] {
                bounds = bounds.grow(end);
                open.extend(at.get(&key(end)).into_iter().flatten().filter(|&&e| !seen[e]));
            }
        }
        if !bounds.is_empty() {
            let mut extents: [Real; 3] = bounds.extent().into();
            extents.sort_by(Real::total_cmp);
            narrowest = narrowest.min(extents[1]);
        }
    }
    narrowest
}
