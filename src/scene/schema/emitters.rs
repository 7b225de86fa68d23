//! `emitters` as they are written.

use serde::Deserialize;

use super::{Length3, Velocity3, Whole};
use crate::scene::keyed::{NumberOverTime, VectorOverTime};
use crate::units::*;

/// One of `emitters`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Emitter")]
pub struct EmitterFile {
    pub name: Option<String>,
    pub material: String,
    pub shape: ShapeFile,
    pub count: Option<Count<0, { u64::MAX }>>,
    pub bursts: Option<BurstsFile>,
    pub rate: Option<NumberOverTime<NonNegative, ParticlePerSecond>>,
    pub start: Option<Quantity<NonNegative, Second>>,
    pub stop: Option<Quantity<Positive, Second>>,
    pub velocity: Option<Velocity3>,
    pub spread_deg: Option<Quantity<HalfTurn, Degree>>,
    pub speed_variation: Option<Quantity<Fraction>>,
    pub motion: Option<Velocity3>,
    pub path: Option<PathFile>,
    pub inherit_velocity: Option<Quantity<Fraction>>,
    pub if_blocked: Option<IfBlockedFile>,
    pub apart: Option<bool>,
    pub enabled: Option<bool>,
}

/// `bursts`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Bursts")]
pub struct BurstsFile {
    pub every: Quantity<Positive, Second>,
    pub repeats: Option<Whole<1>>,
}

/// `path`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename = "Path")]
pub enum PathFile {
    Timed {
        points: VectorOverTime<Finite, Metre>,
    },
    AtSpeed {
        points: Vec<Length3>,
        speed: Quantity<Positive, MetrePerSecond>,
    },
}

/// `shape`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Shape")]
pub enum ShapeFile {
    Point {
        at: Length3,
    },
    Disc {
        center: Length3,
        normal: UnitVec,
        radius: Quantity<Positive, Metre>,
    },
    Box {
        min: Length3,
        max: Length3,
    },
    Sphere {
        center: Length3,
        radius: Quantity<Positive, Metre>,
    },
    Grid {
        origin: Length3,
        u: Length3,
        v: Length3,
        count: (Whole<1>, Whole<1>),
        jitter: Option<Quantity<Fraction>>,
    },
    MeshSurface {
        mesh: String,
        group: Option<String>,
        offset: Option<Quantity<NonNegative, Metre>>,
    },
    MeshVolume {
        mesh: String,
    },
    Cone {
        center: Length3,
        direction: UnitVec,
        radius: Option<Quantity<NonNegative, Metre>>,
        angle_deg: Option<Quantity<Opening, Degree>>,
        speed: Quantity<NonNegative, MetrePerSecond>,
    },
}

/// `if_blocked`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "IfBlocked")]
pub enum IfBlockedFile {
    Reject,
    PushOut,
    Delay,
}
