//! Vertices at one place are one: numbers of places instead of numbers of vertices.

use rayon::prelude::*;

use crate::geom::compare_places;
use crate::mesh::Mesh;

/// Which place each vertex is at.
pub(super) struct Weld {
    /// A vertex number for each vertex: the lowest at its place.
    first: Vec<u32>,
    /// Different places that faces use.
    pub places: u64,
    /// Vertices that faces use whose place an earlier one has.
    pub repeated: u64,
    /// Vertices that no face uses.
    pub unused: u64,
}

impl Weld {
    /// By exact coordinates; zeros of both signs are one.
    pub fn of(mesh: &Mesh) -> Self {
        let mut used = vec![false; mesh.vertices.len()];
        for corner in mesh.triangles.iter().flatten() {
            used[*corner as usize] = true;
        }
        let mut order: Vec<u32> = (0..mesh.vertices.len() as u32)
            .filter(|v| used[*v as usize])
            .collect();
        let place = |v: u32| &mesh.vertices[v as usize];
        order.par_sort_unstable_by(|a, b| compare_places(place(*a), place(*b)).then(a.cmp(b)));
        let mut first: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
        let mut places = 0;
        for same in order.chunk_by(|a, b| compare_places(place(*a), place(*b)).is_eq()) {
            places += 1;
            for v in same {
                first[*v as usize] = same[0];
            }
        }
        Self {
            first,
            places,
            repeated: order.len() as u64 - places,
            unused: (mesh.vertices.len() - order.len()) as u64,
        }
    }

    /// The places of a triangle's corners.
    pub fn corners(&self, mesh: &Mesh, triangle: usize) -> [u32; 3] {
        mesh.triangles[triangle].map(|v| self.first[v as usize])
    }
}
