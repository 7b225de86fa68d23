//! `forces` as they are written.

use serde::Deserialize;

use super::Length3;
use crate::scene::keyed::{NumberOverTime, VectorOverTime};
use crate::units::*;

/// One of `forces`. Every one may have a `region`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename = "Force")]
pub enum ForceFile {
    Wind {
        velocity: VectorOverTime<Finite, MetrePerSecond>,
        gusts: Option<GustsFile>,
        profile: Option<ProfileFile>,
        shelter: Option<ShelterFile>,
        region: Option<RegionFile>,
    },
    Turbulence {
        speed: NumberOverTime<NonNegative, MetrePerSecond>,
        length: Quantity<Positive, Metre>,
        drift: Option<VectorOverTime<Finite, MetrePerSecond>>,
        region: Option<RegionFile>,
    },
    Flutter {
        amplitude: NumberOverTime<NonNegative, Metre>,
        frequency: (Quantity<Positive, Hertz>, Quantity<Positive, Hertz>),
        region: Option<RegionFile>,
    },
    Vortex {
        center: Length3,
        axis: UnitVec,
        speed: NumberOverTime<Finite, MetrePerSecond>,
        rise: Option<NumberOverTime<Finite, MetrePerSecond>>,
        radius: Quantity<Positive, Metre>,
        region: Option<RegionFile>,
    },
    Attractor {
        center: Length3,
        strength: NumberOverTime<Finite, MetrePerSecond2>,
        radius: Quantity<Positive, Metre>,
        falloff: Option<FalloffFile>,
        region: Option<RegionFile>,
    },
    LinearDrag {
        coefficient: NumberOverTime<NonNegative, PerSecond>,
        region: Option<RegionFile>,
    },
    QuadraticDrag {
        coefficient: Option<NumberOverTime<NonNegative, PerMetre>>,
        terminal_speed: Option<Quantity<Positive, MetrePerSecond>>,
        region: Option<RegionFile>,
    },
}

/// `gusts` of a wind.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Gusts")]
pub struct GustsFile {
    pub intensity: Quantity<NonNegative>,
    pub length: Quantity<Positive, Metre>,
}

/// `profile` of a wind.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Profile")]
pub enum ProfileFile {
    Log {
        roughness: Quantity<Positive, Metre>,
        height: Option<Quantity<Positive, Metre>>,
        ground: Option<Quantity<Finite, Metre>>,
    },
    Power {
        exponent: Option<Quantity<Positive>>,
        height: Option<Quantity<Positive, Metre>>,
        ground: Option<Quantity<Finite, Metre>>,
    },
}

/// `shelter` of a wind.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Shelter")]
pub struct ShelterFile {
    pub strength: Option<Quantity<Fraction>>,
    pub reach: Option<Quantity<Positive, Metre>>,
    pub cell: Option<Quantity<Positive, Metre>>,
}

/// `falloff` of an attractor.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Falloff")]
pub enum FalloffFile {
    Linear,
    Constant,
    Inverse,
    InverseSquare,
}

/// `region` of a force, and of an event.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Region")]
pub enum RegionFile {
    Box {
        min: Length3,
        max: Length3,
        edge: Option<Quantity<NonNegative, Metre>>,
    },
    Sphere {
        center: Length3,
        radius: Quantity<Positive, Metre>,
        edge: Option<Quantity<NonNegative, Metre>>,
    },
}

impl ForceFile {
    /// Where it acts.
    pub fn region(&self) -> Option<&RegionFile> {
        match self {
            Self::Wind { region, .. }
            | Self::Turbulence { region, .. }
            | Self::Flutter { region, .. }
            | Self::Vortex { region, .. }
            | Self::Attractor { region, .. }
            | Self::LinearDrag { region, .. }
            | Self::QuadraticDrag { region, .. } => region.as_ref(),
        }
    }
}
