//! Faces one by one: without area, slivers, and those that stand in the file more than once.

use rayon::prelude::*;

use super::weld::Weld;
use super::{Spot, doubled_area};
use crate::geom::is_degenerate;
use crate::math::Real;
use crate::mesh::Mesh;

/// Height over longest edge below which a face is a sliver: its normal is less sharp than a thousandth of the coordinates' rounding.
const SLIVER: Real = 1e-3;

/// Which faces are what, and which count for edges.
pub(super) struct Faces {
    pub repeated: Vec<Spot>,
    pub doubled: Vec<Spot>,
    pub without_area: Vec<Spot>,
    pub slivers: Vec<Spot>,
    /// Faces whose edges count: neither collapsed to a segment of two places nor listed before.
    pub whole: Vec<bool>,
}

impl Faces {
    pub fn of(mesh: &Mesh, weld: &Weld) -> Self {
        let all = 0..mesh.triangles.len();
        let degenerate: Vec<bool> = all
            .clone()
            .into_par_iter()
            .map(|t| is_degenerate(&mesh.corners(t)))
            .collect();
        let sliver = |t: &usize| !degenerate[*t] && is_sliver(mesh, *t);
        let slivers: Vec<usize> = all.clone().into_par_iter().filter(sliver).collect();
        let spots = |faces: Vec<usize>| faces.into_iter().map(|t| Spot::face(t as u32)).collect();
        let mut whole: Vec<bool> = all
            .clone()
            .map(|t| {
                let [a, b, c] = weld.corners(mesh, t);
                a != b && b != c && c != a
            })
            .collect();
        let [repeated, doubled] = listed_before(mesh, weld, &mut whole);
        Self {
            repeated,
            doubled,
            without_area: spots(all.filter(|t| degenerate[*t]).collect()),
            slivers: spots(slivers),
            whole,
        }
    }
}

fn is_sliver(mesh: &Mesh, triangle: usize) -> bool {
    let [a, b, c] = mesh.corners(triangle);
    let longest = [b - a, c - b, a - c]
        .iter()
        .map(|e| e.norm_squared())
        .fold(0.0, Real::max);
    doubled_area(mesh, triangle).norm() < SLIVER * longest
}

/// Faces with the corners of an earlier one, in its direction and against it; they are whole no more.
fn listed_before(mesh: &Mesh, weld: &Weld, whole: &mut [bool]) -> [Vec<Spot>; 2] {
    let mut keys: Vec<([u32; 3], u32, bool)> = (0..mesh.triangles.len())
        .filter(|t| whole[*t])
        .map(|t| {
            let corners = weld.corners(mesh, t);
            let mut sorted = corners;
            sorted.sort_unstable();
            let at = corners.iter().position(|c| *c == sorted[0]).unwrap_or(0);
            (sorted, t as u32, corners[(at + 1) % 3] == sorted[1])
        })
        .collect();
    keys.par_sort_unstable();
    let [mut repeated, mut doubled] = [Vec::new(), Vec::new()];
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        let (_, first, direction) = same[0];
        for (_, triangle, other) in &same[1..] {
            let list = if *other == direction {
                &mut repeated
            } else {
                &mut doubled
            };
            list.push(Spot::pair(*triangle, first));
            whole[*triangle as usize] = false;
        }
    }
    [repeated, doubled]
}
