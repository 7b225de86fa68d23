//! A blob's text in pieces of a quarter of a tile, so that what lies still is the same piece frame after frame.
//!
//! A component depends on its near neighbours alone: a piece changes only when something changes in or near it.

use super::blob::Component;
use super::tiles::{Tile, home};
use crate::math::Real;

/// Edge of a piece, in edges of a tile.
const SHARE: Real = 0.25;
/// Pieces of fewer components stand in the frame itself: a file costs a block of the disk.
pub const FEWEST: usize = 8;

/// The members of a blob by their places, each piece in birth order; `edge` is that of the tiles.
pub fn pieces(blob: &Tile, components: &[Component], edge: Real) -> Vec<Vec<(u32, bool)>> {
    let place = |i: u32| home(&components[i as usize].center, SHARE * edge);
    let mut members: Vec<([i64; 3], u32, bool)> = blob
        .members
        .iter()
        .map(|&(i, copy)| (place(i), i, copy))
        .collect();
    members.sort_unstable();
    let same = members.chunk_by(|a, b| a.0 == b.0);
    same.map(|piece| piece.iter().map(|&(_, i, copy)| (i, copy)).collect())
        .collect()
}
