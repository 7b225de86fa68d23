//! `events` of a material as they are written.

use serde::Deserialize;

use super::RegionFile;
use crate::units::*;

/// One of `events`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename = "Event")]
pub struct EventFile {
    pub when: WhenFile,
    pub then: ThenFile,
}

/// `when`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "When")]
pub enum WhenFile {
    Age(Quantity<Positive, Second>),
    Contact,
    Leaves(RegionFile),
}

/// `then`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename = "Then")]
pub enum ThenFile {
    Kill,
    Split {
        count: Count<2, 64>,
        speed: Option<Quantity<NonNegative, MetrePerSecond>>,
    },
    Emit {
        material: String,
        count: Count<1, 64>,
        speed: Option<Quantity<NonNegative, MetrePerSecond>>,
    },
}
