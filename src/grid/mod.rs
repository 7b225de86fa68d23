//! Grids of distances and normals around a mesh (Ilmonen, Takala & Laitinen 2006): making, keeping and reading them.
//!
//! A grid knows the mesh that it is made of, in that mesh's own unit, and nothing of particles or scenes.

mod blur;
mod build;
mod cells;
mod file;
mod gaps;
mod layout;
mod look;
mod normals;
mod pose;
mod potential;
mod raster;
mod slice;
mod surface;
mod topology;
mod tree;

use serde::{Deserialize, Serialize};

pub use build::build;
pub use cells::{Cell, Store};
pub use file::{Key, load, save};
pub use gaps::{Gaps, THIN};
pub use layout::{Layout, MOST_CELLS};
pub use look::Sample;
pub use pose::{NotRigid, Pose};
pub use slice::{Axis, Picture, draw_slice};
pub use surface::Surface;
pub use tree::Bounds;

use crate::math::{Aabb, Real};
use crate::scene::GridShape;

/// Which sides of a surface a grid serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sides {
    /// The outer one; distances behind the surface are negative.
    One,
    /// Both: distances are never negative, and normals point to the side that a place is on.
    Both,
}

/// A distance/normal grid. Lengths are in the unit of its mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What it was made of and by.
    pub key: Key,
    /// How it was made.
    pub shape: GridShape,
    /// Where its cells stand.
    pub layout: Layout,
    /// Reach of the field from the surface.
    pub thickness: Real,
    /// Which sides it serves.
    pub sides: Sides,
    /// Box around the mesh.
    pub object: Aabb,
    /// What was found while it was made.
    pub report: Report,
    /// Its cells.
    pub store: Store,
}

/// What was found while a grid was made.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Triangles of the mesh.
    pub triangles: u64,
    /// Open edges of the mesh.
    pub open_edges: u64,
    /// Whether its normals point into the space that it encloses.
    pub inside_out: bool,
    /// Cells that the surface goes through.
    pub surface_cells: u64,
    /// Cells of the field, with a normal.
    pub set_cells: u64,
    /// Cells within the field's reach that have no normal: halfway between surfaces that face each other.
    pub unset_cells: u64,
    /// Cells in which normals cancel, so that their mean tells nothing.
    pub ambiguous_cells: u64,
    /// How close surfaces come to each other.
    pub gaps: Gaps,
    /// What compression costs; `None`: not compressed.
    pub bounds: Option<Bounds>,
}

/// Why a grid cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Fault {
    /// There is nothing to make it of.
    #[error("the mesh has no triangles")]
    NoTriangles,
    /// The field leaves no room for the mesh, or the mesh has no size.
    #[error("the cells are too few for the mesh and the field around it")]
    TooFewCells,
    /// The field is thinner than two cells.
    #[error("the field is {layers:.2} cells thick, at least 2 are needed")]
    TooThin {
        /// Thickness in cells.
        layers: Real,
    },
    /// The field is so thick that the blur would take very many rounds.
    #[error("the field is {layers:.0} cells thick, at most 32 times the blur's radius are possible")]
    TooThick {
        /// Thickness in cells.
        layers: Real,
    },
    /// The grid is longer than can be.
    #[error("the grid is {cells:.0} cells long, at most 1024 are possible")]
    TooManyCells {
        /// Cells along the longest side.
        cells: Real,
    },
}

impl Fault {
    /// What to change.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoTriangles => "export the model with its faces (`f` lines)",
            Self::TooFewCells | Self::TooThin { .. } => "raise `cells`, or lower `thickness`",
            Self::TooThick { .. } | Self::TooManyCells { .. } => "use larger cells, or lower `thickness`",
        }
    }
}
