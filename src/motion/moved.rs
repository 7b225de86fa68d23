//! What a mesh of the scene does over time, whichever kind of motion it has.

use std::sync::Arc;

use super::{Morph, Track};

/// The motion of a mesh.
#[derive(Debug, Clone)]
pub enum Moved {
    /// As a whole.
    Whole(Arc<Track>),
    /// Each corner by itself.
    Corners(Arc<Morph>),
}
