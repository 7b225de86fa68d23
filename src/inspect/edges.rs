//! Edges and the faces that they join: borders, edges of many faces, and fronts that do not agree.

use rayon::prelude::*;

use super::Spot;
use super::faces::Faces;
use super::weld::Weld;
use crate::mesh::Mesh;

/// A face at an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Places of the ends, the lower number first.
    ends: [u32; 2],
    triangle: u32,
    /// Whether the face runs from the lower to the higher number.
    forward: bool,
}

/// All edges of the faces that count.
pub(super) struct Edges {
    /// Sorted, so that the sides of an edge stand together.
    sides: Vec<Side>,
    /// Triangles of the mesh, and vertices.
    sizes: [usize; 2],
}

impl Edges {
    pub fn of(mesh: &Mesh, weld: &Weld, faces: &Faces) -> Self {
        let mut sides = Vec::with_capacity(3 * mesh.triangles.len());
        for t in (0..mesh.triangles.len()).filter(|t| faces.whole[*t]) {
            let corners = weld.corners(mesh, t);
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.push(Side {
                    ends: [a.min(b), a.max(b)],
                    triangle: t as u32,
                    forward: a < b,
                });
            }
        }
        sides.par_sort_unstable();
        Self {
            sides,
            sizes: [mesh.triangles.len(), mesh.vertices.len()],
        }
    }

    /// The faces of each edge.
    fn each(&self) -> impl Iterator<Item = &[Side]> {
        self.sides.chunk_by(|a, b| a.ends == b.ends)
    }

    /// Whether every edge has an even number of faces, and there is one.
    pub fn is_closed(&self) -> bool {
        !self.sides.is_empty() && self.each().all(|sides| sides.len() % 2 == 0)
    }

    /// For each ring of edges with one face, the lowest of these faces.
    pub fn loops(&self) -> Vec<Spot> {
        let borders: Vec<&Side> = self.each().filter(|s| s.len() == 1).map(|s| &s[0]).collect();
        let mut rings = Joined::new(self.sizes[1]);
        for side in &borders {
            rings.join(side.ends[0], side.ends[1], false);
        }
        let mut faces: Vec<(u32, u32)> = borders
            .iter()
            .map(|side| (rings.root(side.ends[0]).0, side.triangle))
            .collect();
        faces.sort_unstable();
        faces
            .chunk_by(|a, b| a.0 == b.0)
            .map(|ring| Spot::face(ring[0].1))
            .collect()
    }

    /// For each edge with more than two faces, its last face and its first.
    pub fn non_manifold(&self) -> Vec<Spot> {
        let many = self.each().filter(|sides| sides.len() > 2);
        many.map(|sides| Spot::pair(sides[sides.len() - 1].triangle, sides[0].triangle))
            .collect()
    }

    /// Faces joined where two meet at an edge, with whether their fronts agree.
    fn fronts(&self) -> (Joined, Vec<u32>) {
        let mut joined = Joined::new(self.sizes[0]);
        let mut twisted = Vec::new();
        for sides in self.each().filter(|sides| sides.len() == 2) {
            let [a, b] = [sides[0], sides[1]];
            // Fronts agree when the two run through the edge in opposite directions.
            if !joined.join(a.triangle, b.triangle, a.forward == b.forward) {
                twisted.push(a.triangle);
            }
        }
        (joined, twisted)
    }

    /// Faces against most of those that they are joined to: of a piece, those of the rarer direction; of two as rare, those that
    /// do not contain its first face. Pieces without a front are left out.
    pub fn flipped(&self) -> Vec<Spot> {
        let (mut joined, twisted) = self.fronts();
        let mut one_sided = vec![false; self.sizes[0]];
        for triangle in twisted {
            one_sided[joined.root(triangle).0 as usize] = true;
        }
        let mut faces: Vec<(u32, u32, bool)> = (0..self.sizes[0] as u32)
            .map(|t| {
                let (root, against) = joined.root(t);
                (root, t, against)
            })
            .filter(|(root, ..)| !one_sided[*root as usize])
            .collect();
        faces.sort_unstable();
        let mut flipped = Vec::new();
        for piece in faces.chunk_by(|a, b| a.0 == b.0) {
            let first = piece[0].2;
            let others = piece.iter().filter(|f| f.2 != first).count();
            let rarer = if 2 * others <= piece.len() { !first } else { first };
            flipped.extend(piece.iter().filter(|f| f.2 == rarer).map(|f| Spot::face(f.1)));
        }
        flipped
    }

    /// The first face of each piece whose fronts cannot agree.
    pub fn one_sided(&self) -> Vec<Spot> {
        let (mut joined, twisted) = self.fronts();
        let mut roots: Vec<u32> = twisted.into_iter().map(|t| joined.root(t).0).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.into_iter().map(Spot::face).collect()
    }

    /// For each triangle the lowest number of those that edges join it to.
    pub fn pieces(&self) -> Vec<u32> {
        let mut joined = Joined::new(self.sizes[0]);
        for sides in self.each() {
            for side in &sides[1..] {
                joined.join(sides[0].triangle, side.triangle, false);
            }
        }
        (0..self.sizes[0] as u32).map(|t| joined.root(t).0).collect()
    }

    /// Triangles at an edge with an odd number of faces.
    pub fn at_borders(&self) -> impl Iterator<Item = u32> {
        let odd = self.each().filter(|sides| sides.len() % 2 == 1);
        odd.flatten().map(|side| side.triangle)
    }
}

/// Sets that grow together, each known by its lowest member, and whether members agree with it (Tarjan 1975).
struct Joined {
    /// The next one on the way to the lowest, and whether it is against this one.
    up: Vec<(u32, bool)>,
}

impl Joined {
    fn new(length: usize) -> Self {
        Self {
            up: (0..length as u32).map(|i| (i, false)).collect(),
        }
    }

    /// The lowest member of the set of `i`, and whether `i` is against it.
    fn root(&mut self, i: u32) -> (u32, bool) {
        let (mut root, mut against) = (i, false);
        while self.up[root as usize].0 != root {
            let (next, turns) = self.up[root as usize];
            against ^= turns;
            root = next;
        }
        // The way is made short for the next time.
        let (mut at, mut rest) = (i, against);
        while at != root {
            let (next, turns) = self.up[at as usize];
            self.up[at as usize] = (root, rest);
            rest ^= turns;
            at = next;
        }
        (root, against)
    }

    /// Joins two; false when they are joined already and it contradicts.
    fn join(&mut self, a: u32, b: u32, against: bool) -> bool {
        let ((root_a, turn_a), (root_b, turn_b)) = (self.root(a), self.root(b));
        let turns = turn_a ^ turn_b ^ against;
        if root_a == root_b {
            return !turns;
        }
        let (low, high) = (root_a.min(root_b), root_a.max(root_b));
        self.up[high as usize] = (low, turns);
        true
    }
}
