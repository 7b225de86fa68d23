//! What a mesh of the scene does over time, whichever kind of motion it has.

use std::ops::Range;
use std::sync::Arc;

use super::{Morph, Track};

/// The motion of a mesh.
#[derive(Debug, Clone)]
pub enum Moved {
    /// As a whole.
    Whole(Arc<Track>),
    /// Each corner by itself.
    Corners(Arc<Morph>),
    /// In pieces, each as a whole.
    Pieces(Vec<Piece>),
}

/// A piece of a mesh that moves as a whole.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its way.
    pub track: Arc<Track>,
    /// Its triangles.
    pub triangles: Range<usize>,
    /// Vertices that no triangle has, which move with it.
    pub loose: Range<usize>,
}
