//! `collider` of a mesh as it is written.

use serde::Deserialize;

use crate::units::*;

/// `collider`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename = "Collider")]
pub enum ColliderFile {
    Exact,
    Grid {
        cells: Option<Count<16, 1024>>,
        cell: Option<Quantity<Positive, Metre>>,
        thickness: Option<Quantity<Positive, Metre>>,
        construction: Option<ConstructionFile>,
        blur: Option<Count<2, 4>>,
        both_sides: Option<bool>,
        compression: Option<CompressionFile>,
        file: Option<String>,
        lookup: Option<LookupFile>,
        spring: Option<SpringFile>,
        impact: Option<ImpactFile>,
        drag: Option<SurfaceDragFile>,
        flow: Option<SurfaceFlowFile>,
    },
}

/// `construction` of a grid.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Construction")]
pub enum ConstructionFile {
    Normals,
    Potential,
}

/// `compression` of a grid.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Compression")]
pub struct CompressionFile {
    pub node: Option<Count<2, 8>>,
    pub angle_deg: Option<Quantity<Opening, Degree>>,
    pub distance: Option<Quantity<Positive, Cells>>,
}

/// `lookup` of a grid.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Lookup")]
pub enum LookupFile {
    Plane,
    Nearest,
    Trilinear,
}

/// `spring` of a grid.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Spring")]
pub struct SpringFile {
    pub k: Quantity<Positive, PerSecond2>,
}

/// `impact` of a grid.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Impact")]
pub struct ImpactFile {
    pub beta: Quantity<Fraction>,
    pub l_min: Option<Quantity<NonNegative, Metre>>,
}

/// `drag` of a grid.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "SurfaceDrag")]
pub struct SurfaceDragFile {
    pub delta: Quantity<NonNegative, PerSecond>,
    pub theta: Option<Quantity<Positive, Metre>>,
}

/// `flow` of a grid.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "SurfaceFlow")]
pub struct SurfaceFlowFile {
    pub rho_in: Quantity<Finite, MetrePerSecond2>,
    pub rho_out: Option<Quantity<Finite, MetrePerSecond2>>,
    pub distance: Option<Quantity<Positive, Metre>>,
}
