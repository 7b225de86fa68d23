//! Which cells a surface goes through: exact overlap of triangles and boxes (Akenine-Moller 2001), both closed.

use rayon::prelude::*;

use super::blur::Values;
use super::layout::{BLOCK, IN_BLOCK, Layout, cells_of};
use super::surface::Surface;
use crate::math::{Aabb, Point3, Real, Vec3};

/// By how much a cell is widened [cells]: with a bare <=, faces that lie on cell borders get lost by rounding.
const WIDEN: Real = 1e-6;
/// Normals whose product is below this face away from each other.
const OPPOSING: Real = -0.5;

/// What goes through a cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Passing {
    /// Whether any triangle does.
    pub hit: bool,
    /// Sum of the triangles' unit normals times their areas, by the number of the triangle.
    pub normals: Vec3,
    /// Sum of their areas.
    pub area: Real,
    /// Whether some of them face away from each other.
    pub opposing: bool,
    first: Vec3,
}

impl Passing {
    fn add(&mut self, corners: &[Point3; 3], normal: &Vec3) {
        let area = 0.5 * (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm();
        if !self.hit || self.first == Vec3::zeros() {
            self.first = *normal;
        }
        self.hit = true;
        self.normals += normal * area;
        self.area += area;
        self.opposing |= self.first.dot(normal) < OPPOSING;
    }

    /// The mean normal, whose length is 1 where all agree.
    pub fn mean(&self) -> Vec3 {
        if self.area > 0.0 {
            self.normals / self.area
        } else {
            Vec3::zeros()
        }
    }
}

/// What goes through the cells of each block; `None` for blocks that the surface does not touch. `distances` are those
/// of the middles of the cells.
pub(super) fn rasterise(
    surface: &Surface,
    layout: &Layout,
    at: &[[usize; 3]],
    distances: &[Values<f32>],
) -> Vec<Option<Box<Values<Passing>>>> {
    // A triangle in a cell is no farther from its middle than half a diagonal.
    let near = (0.87 * layout.cell) as f32;
    (at.par_iter().zip(distances))
        .map(|(&block, distances)| {
            let touched = distances.iter().any(|l| l.abs() <= near);
            touched.then(|| Box::new(through(surface, layout, block)))
        })
        .collect()
}

fn through(surface: &Surface, layout: &Layout, block: [usize; 3]) -> Values<Passing> {
    let low = block.map(|i| i * BLOCK);
    let middle = layout.middle(low, BLOCK);
    let mut triangles = Vec::new();
    let reach = 0.5 * BLOCK as Real * 3.0_f64.sqrt() * layout.cell * (1.0 + 1e-3);
    surface.around(&middle, reach, |number, corners| {
        triangles.push((number, *corners))
    });
    // Sums go by number, so that they do not depend on the tree.
    triangles.sort_unstable_by_key(|t| t.0);
    let mut passing = [Passing::default(); IN_BLOCK];
    let half = layout.cell * (0.5 + WIDEN);
    for (number, corners) in &triangles {
        let bounds = Aabb::around(corners).inflated(half);
        for (cell, passing) in cells_of(block).zip(&mut passing) {
            let center = layout.center(cell);
            if bounds.contains(&center) && overlaps(corners, &center, half) {
                passing.add(corners, surface.face_normal(*number));
            }
        }
    }
    passing
}

/// Whether a closed triangle and a closed cube with this middle and half edge meet, when their boxes do.
fn overlaps(corners: &[Point3; 3], center: &Point3, half: Real) -> bool {
    let v = corners.map(|c| c - center);
    let e = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    let normal = e[0].cross(&e[1]);
    if normal.dot(&v[0]).abs() > half * normal.abs().sum() {
        return false;
    }
    // The axes that are perpendicular to an edge of each.
    e.iter().all(|e| {
        [
            Vec3::new(0.0, -e.z, e.y),
            Vec3::new(e.z, 0.0, -e.x),
            Vec3::new(-e.y, e.x, 0.0),
        ]
        .iter()
        .all(|axis| {
            let [a, b, c] = v.map(|v| v.dot(axis));
            let reach = half * axis.abs().sum();
            a.min(b).min(c) <= reach && a.max(b).max(c) >= -reach
        })
    })
}
