//! How a mesh stops particles, as a scene says it: exactly, or by a grid of distances and normals around it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::math::Real;

/// How a mesh stops particles.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MeshCollider {
    /// By its triangles alone.
    #[default]
    Exact,
    /// By a field around it, and by its triangles where the field cannot vouch for a move.
    Grid(Box<GridSpec>),
}

/// A distance/normal grid and what it does to particles (Ilmonen, Takala & Laitinen 2006).
#[derive(Debug, Clone, PartialEq)]
pub struct GridSpec {
    /// How it is made; lengths in metres.
    pub shape: GridShape,
    /// A grid made earlier, instead of making one.
    pub file: Option<PathBuf>,
    /// How it is read.
    pub lookup: Lookup,
    /// What it does.
    pub responses: Responses,
}

/// How a grid is made. Lengths are in the unit of the mesh that it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GridShape {
    /// How fine it is.
    pub resolution: Resolution,
    /// How far from the surface the field reaches; `None`: six cells.
    pub thickness: Option<Real>,
    /// Where its normals come from.
    pub construction: Construction,
    /// Cells that one round of the blur reaches, 2 to 4.
    pub blur: u32,
    /// Whether particles may be on either side of a closed mesh too.
    pub both_sides: bool,
    /// How it is compressed; `None`: not.
    pub compression: Option<Compression>,
}

/// How fine a grid is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Resolution {
    /// Cells along its longest side, the field around the mesh included.
    Cells(u32),
    /// Edge of a cell.
    Edge(Real),
}

/// Where the normals of a grid come from (section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Construction {
    /// From the triangles that a cell meets, blurred: the first way.
    Normals,
    /// From the gradient of a blurred occupancy: the second way, for thin shapes and single sheets.
    Potential,
}

/// How a grid is compressed (section 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Compression {
    /// Cells along the edge of a node: 2, 4 or 8.
    pub node: u32,
    /// Largest angle of a normal to that which a node keeps instead [degrees].
    pub angle_deg: Real,
    /// Largest difference of a distance to the one that a node's plane gives [cells].
    pub distance: Real,
}

/// How a grid is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// The nearest cell, its distance carried on along its normal: the plane equation of section 3.2 in every cell.
    Plane,
    /// The nearest cell as it is.
    Nearest,
    /// Between the eight cells around.
    Trilinear,
}

/// What a field does to particles; each part on its own or with others.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Responses {
    /// Section 3.3.
    pub spring: Option<Spring>,
    /// Section 3.4.
    pub impact: Option<Impact>,
    /// Section 3.5.
    pub drag: Option<SurfaceDrag>,
    /// Section 3.6.
    pub flow: Option<SurfaceFlow>,
}

/// Pushes outward with k (T - l), the stronger the nearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Stiffness per mass [1/s2], > 0.
    pub k: Real,
}

/// Turns particles back before they touch, fast ones earlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Restitution: share of the normal speed that is kept, 0 .. 1; 0 is slippery.
    pub beta: Real,
    /// Gap that the slowest keep between their ball and the surface [m], >= 0.
    pub l_min: Real,
}

/// Slows what is near the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceDrag {
    /// Rate [1/s], >= 0: the speed falls by e in 1 / delta.
    pub delta: Real,
    /// Distance below which it acts [m]; `None`: in the whole field.
    pub theta: Option<Real>,
}

/// Turns particles along the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceFlow {
    /// Acceleration that turns incoming ones outward, up to the tangent [m/s2].
    pub rho_in: Real,
    /// Acceleration that turns outgoing ones inward, down to the tangent [m/s2]; below 0 it throws them off.
    pub rho_out: Real,
    /// Distance below which it acts [m]; `None`: in the whole field.
    pub distance: Option<Real>,
}

impl GridShape {
    /// The same in a unit that is `factor` of the present one.
    #[must_use]
    pub fn scaled(self, factor: Real) -> Self {
        Self {
            resolution: match self.resolution {
                Resolution::Edge(edge) => Resolution::Edge(edge * factor),
                cells @ Resolution::Cells(_) => cells,
            },
            thickness: self.thickness.map(|t| t * factor),
            ..self
        }
    }
}

impl Default for GridShape {
    fn default() -> Self {
        Self {
            resolution: Resolution::Cells(60),
            thickness: None,
            construction: Construction::Normals,
            blur: 2,
            both_sides: false,
            compression: None,
        }
    }
}

impl Default for Compression {
    fn default() -> Self {
        Self {
            node: 2,
            angle_deg: 10.0,
            distance: 0.25,
        }
    }
}
