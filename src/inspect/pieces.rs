//! The parts that no edge joins: how many, what they hold, and which are inside out.

use std::collections::BTreeMap;

use super::Spot;
use super::edges::Edges;
use super::faces::Faces;
use crate::math::{Aabb, Real};
use crate::mesh::Mesh;

/// What the parts are.
pub(super) struct Pieces {
    pub count: u64,
    /// What closed faces hold.
    pub volume: Real,
    pub inside_out: Vec<Spot>,
}

struct Piece {
    bounds: Aabb,
    volume: Real,
    closed: bool,
}

impl Pieces {
    pub fn of(mesh: &Mesh, edges: &Edges, faces: &Faces) -> Self {
        let piece_of = edges.pieces();
        let mut pieces: BTreeMap<u32, Piece> = BTreeMap::new();
        // About the middle, or large coordinates would eat the digits.
        let bounds = mesh.bounds();
        let middle = bounds.center().coords;
        for t in (0..mesh.triangles.len()).filter(|t| faces.whole[*t]) {
            let corners = mesh.corners(t);
            let piece = pieces.entry(piece_of[t]).or_insert(Piece {
                bounds: Aabb::EMPTY,
                volume: 0.0,
                closed: true,
            });
            let [a, b, c] = corners.map(|p| p.coords - middle);
            piece.volume += a.dot(&b.cross(&c)) / 6.0;
            piece.bounds = piece.bounds.union(&Aabb::around(&corners));
        }
        for t in edges.at_borders() {
            if let Some(piece) = pieces.get_mut(&piece_of[t as usize]) {
                piece.closed = false;
            }
        }
        let within = |own: &Piece| {
            let mut others = pieces.values().filter(|p| p.bounds != own.bounds);
            others.any(|p| p.bounds.contains(&own.bounds.min) && p.bounds.contains(&own.bounds.max))
        };
        let turned = pieces.iter().filter(|(_, p)| p.closed && p.volume < 0.0);
        let inside_out = turned.filter(|(_, p)| !within(p)).map(|(t, _)| Spot::face(*t));
        Self {
            count: pieces.len() as u64,
            volume: pieces.values().map(|p| p.volume).sum(),
            inside_out: inside_out.collect(),
        }
    }
}
