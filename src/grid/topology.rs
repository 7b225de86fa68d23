//! What belongs together in a mesh: corners at the same place, triangles at an edge, and the normals of both.
//!
//! Angle-weighted pseudo-normals tell the side of a point by the part of the mesh that is closest to it, also near sharp
//! edges and tips (Baerentzen & Aanaes 2005, "Signed distance computation using the angle weighted pseudonormal").

use rayon::prelude::*;

use crate::geom::Feature;
use crate::math::{Point3, Vec3};

/// Neighbourhood of a mesh's triangles.
pub(super) struct Topology {
    /// Numbers of corners; those at the same place have the same.
    corners: Vec<[u32; 3]>,
    /// Number of each edge; edge `k` runs from corner `k` to `(k + 1) % 3`.
    edges: Vec<[u32; 3]>,
    /// Unit normals by the winding; zero for triangles without area.
    face: Vec<Vec3>,
    /// Sums of the unit normals at each edge.
    edge: Vec<Vec3>,
    /// Sums of the unit normals at each corner, weighted by angle.
    vertex: Vec<Vec3>,
    /// Edges that have more triangles on their one side than on their other, as the places of their ends.
    open: Vec<[Point3; 2]>,
}

impl Topology {
    /// Of triangles given by their corners.
    pub fn new(triangles: &[[Point3; 3]]) -> Self {
        let corners = weld(triangles);
        let face: Vec<Vec3> = triangles.par_iter().map(unit_normal).collect();
        let mut topology = Self {
            edges: vec![[0; 3]; triangles.len()],
            vertex: vec![Vec3::zeros(); corners.iter().flatten().max().map_or(0, |m| *m as usize + 1)],
            corners,
            face,
            edge: Vec::new(),
            open: Vec::new(),
        };
        topology.join_edges(triangles);
        topology.add_angles(triangles);
        topology
    }

    /// Numbers the edges, adds their normals up and notes those that are open.
    fn join_edges(&mut self, triangles: &[[Point3; 3]]) {
        let mut halves: Vec<([u32; 2], u32, i32)> = (self.corners.par_iter().enumerate())
            .flat_map_iter(|(t, c)| {
                (0..3).map(move |k| {
                    let (a, b) = (c[k], c[(k + 1) % 3]);
                    let way = i32::from(a < b) - i32::from(b < a);
                    ([a.min(b), a.max(b)], (3 * t + k) as u32, way)
                })
            })
            .collect();
        halves.par_sort_unstable();
        for group in halves.chunk_by(|a, b| a.0 == b.0) {
            let number = self.edge.len() as u32;
            let mut normal = Vec3::zeros();
            let mut balance = 0;
            for &(_, half, way) in group {
                let (t, k) = (half as usize / 3, half as usize % 3);
                self.edges[t][k] = number;
                normal += self.face[t];
                balance += way;
            }
            self.edge.push(normal);
            if balance != 0 {
                let (t, k) = (group[0].1 as usize / 3, group[0].1 as usize % 3);
                self.open.push([triangles[t][k], triangles[t][(k + 1) % 3]]);
            }
        }
    }

    fn add_angles(&mut self, triangles: &[[Point3; 3]]) {
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let a = corners[(k + 1) % 3] - corners[k];
                let b = corners[(k + 2) % 3] - corners[k];
                let angle = libm::atan2(a.cross(&b).norm(), a.dot(&b));
                self.vertex[self.corners[t][k] as usize] += self.face[t] * angle;
            }
        }
    }

    /// Open edges; none when the mesh has as many triangles on the one side of every edge as on the other.
    pub fn open(&self) -> &[[Point3; 2]] {
        &self.open
    }

    /// Unit normal of a triangle; zero without area.
    pub fn face(&self, triangle: usize) -> &Vec3 {
        &self.face[triangle]
    }

    /// The pseudo-normal, of any length, of a part of a triangle.
    pub fn pseudo_normal(&self, triangle: usize, part: Feature) -> &Vec3 {
        match part {
            Feature::Face => &self.face[triangle],
            Feature::Edge(k) => &self.edge[self.edges[triangle][usize::from(k) % 3] as usize],
            Feature::Vertex(k) => &self.vertex[self.corners[triangle][usize::from(k) % 3] as usize],
        }
    }
}

/// Numbers of corners such that those at the same place have the same.
fn weld(triangles: &[[Point3; 3]]) -> Vec<[u32; 3]> {
    let mut places: Vec<([u64; 3], u32)> = (triangles.par_iter().enumerate())
        .flat_map_iter(|(t, corners)| (0..3).map(move |k| (bits(&corners[k]), (3 * t + k) as u32)))
        .collect();
    places.par_sort_unstable();
    let mut corners = vec![[0; 3]; triangles.len()];
    for (number, group) in (0..).zip(places.chunk_by(|a, b| a.0 == b.0)) {
        for &(_, corner) in group {
            corners[corner as usize / 3][corner as usize % 3] = number;
        }
    }
    corners
}

/// The bits of a place, with one zero.
fn bits(p: &Point3) -> [u64; 3] {
    [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
}

fn unit_normal(corners: &[Point3; 3]) -> Vec3 {
    if crate::geom::is_degenerate(corners) {
        return Vec3::zeros();
    }
    let [a, b, c] = corners;
    (b - a)
        .cross(&(c - a))
        .try_normalize(0.0)
        .unwrap_or_else(Vec3::zeros)
}
