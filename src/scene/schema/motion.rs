//! `motion` of a mesh as it is written.

use serde::Deserialize;

use super::{Length3, Velocity3};
use crate::scene::keyed::{NumberOverTime, VectorOverTime};
use crate::units::*;

/// `motion`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename = "Motion")]
pub enum MotionFile {
    Keys {
        translate: Option<VectorOverTime<Finite, Metre>>,
        rotate_deg: Option<VectorOverTime<Finite, Degree>>,
        scale: Option<NumberOverTime<Positive, Pure>>,
        about: Option<Length3>,
    },
    Spin {
        axis: UnitVec,
        deg_per_s: NumberOverTime<Finite, DegreePerSecond>,
        about: Option<Length3>,
    },
    Sequence {
        files: Vec<String>,
        frame_rate: Quantity<Positive, FramePerSecond>,
        start: Option<Quantity<Finite, Second>>,
        repeat: Option<bool>,
    },
    Follow {
        path: VectorOverTime<Finite, Metre>,
        wheels: Vec<Length3>,
        over: Vec<String>,
        forward: Option<UnitVec>,
        behind: Option<Quantity<Positive, Metre>>,
    },
    Rigid {
        fill: Quantity<Positive, Metre>,
        packing: Option<PackingFile>,
        density: Option<Quantity<Positive, KilogramPerMetre3>>,
        velocity: Option<Velocity3>,
        spin_deg_per_s: Option<Triple<Finite, DegreePerSecond>>,
        restitution: Option<Quantity<Fraction>>,
        friction: Option<Quantity<NonNegative>>,
        breaks: Option<BreaksFile>,
        draw: Option<DrawFile>,
    },
    Elastic {
        cell: Quantity<Positive, Metre>,
        young: Option<Quantity<Positive, Pascal>>,
        density: Option<Quantity<Positive, KilogramPerMetre3>>,
        damping: Option<Quantity<Fraction>>,
        velocity: Option<Velocity3>,
        friction: Option<Quantity<NonNegative>>,
        yields: Option<Quantity<PositiveOrInf>>,
        draw: Option<DrawFile>,
    },
}

/// `packing`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Packing")]
pub enum PackingFile {
    Cubic,
    Close,
}

/// `draw`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Draw")]
pub enum DrawFile {
    Mesh,
    Blob,
}

/// `breaks`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Breaks")]
pub struct BreaksFile {
    pub impulse: Quantity<Positive, PascalSecond>,
    pub pieces: Option<Count<2, 200>>,
}
