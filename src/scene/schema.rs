//! The scene file as it is written: one type a bracket, one field a key, its rule and unit in the type.
//!
//! Optional keys are `Option`; their defaults stand in `lower.rs`. This file knows no rule that needs two keys.

mod colliders;
mod emitters;
mod forces;
mod lives;
mod motion;

use serde::Deserialize;

use super::keyed::VectorOverTime;
use super::values::{MeshUnit, Named, Radius, Scale};
use crate::units::*;
pub use colliders::*;
pub use emitters::*;
pub use forces::*;
pub use lives::*;
pub use motion::*;

/// A whole number that fits an index of 32 bits, from `MIN`.
pub type Whole<const MIN: u64> = Count<MIN, { u32::MAX as u64 }>;
type Length3 = Triple<Finite, Metre>;
type Velocity3 = Triple<Finite, MetrePerSecond>;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Scene")]
pub struct SceneFile {
    pub meshes: Option<Vec<MeshFile>>,
    pub materials: Option<Named<MaterialFile>>,
    pub emitters: Option<Vec<EmitterFile>>,
    pub gravity: Option<VectorOverTime<Finite, MetrePerSecond2>>,
    pub forces: Option<Vec<ForceFile>>,
    pub time: TimeFile,
    pub collision: Option<CollisionFile>,
    pub ray_behind: Option<Quantity<NonNegative, Radii>>,
    pub pile: Option<bool>,
    pub flow: Option<bool>,
    pub seed: Option<Count<0, { u64::MAX }>>,
    pub limits: Option<LimitsFile>,
    pub camera: Option<CameraFile>,
    pub light: Option<LightFile>,
    pub output: Option<OutputFile>,
}

/// One of `meshes`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Mesh")]
pub struct MeshFile {
    pub name: Option<String>,
    pub file: String,
    pub unit: Option<MeshUnit>,
    pub up: Option<UpFile>,
    pub scale: Option<Scale>,
    pub rotate_deg: Option<Triple<Finite, Degree>>,
    pub translate: Option<Length3>,
    pub collider: Option<ColliderFile>,
    pub response: Option<ResponseFile>,
    pub groups: Option<Named<ResponseFile>>,
    pub motion: Option<MotionFile>,
    pub carried_by: Option<String>,
}

/// `up`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Up")]
pub enum UpFile {
    Y,
    Z,
}

/// `response`, and the values of `groups`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Response")]
pub enum ResponseFile {
    Material,
    Stick,
    Slide {
        friction: Quantity<NonNegative>,
    },
    Bounce {
        restitution: Quantity<Fraction>,
        friction: Quantity<NonNegative>,
    },
    Die,
}

/// The presets share their keys: each is a row of numbers of which any may be replaced.
macro_rules! materials {
    ($($preset:ident = $numbers:path),*) => {
        /// One value of `materials`.
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields, rename = "Material")]
        pub enum MaterialFile {
            $($preset {
                radius: Radius,
                restitution: Option<Quantity<Fraction>>,
                friction: Option<Quantity<NonNegative>>,
                stick: Option<StickFile>,
                density: Option<Quantity<Positive, KilogramPerMetre3>>,
                adhesion: Option<Quantity<NonNegative, Pascal>>,
                yield_stress: Option<Quantity<NonNegative, Pascal>>,
                viscosity: Option<Quantity<PositiveOrInf, PascalSecond>>,
                trouton_ratio: Option<Quantity<Positive>>,
                repose_deg: Option<Quantity<Repose, Degree>>,
                cohesion: Option<Quantity<NonNegative, Metre>>,
                drift_speed: Option<Quantity<PositiveOrInf, MetrePerSecond>>,
                splash_speed: Option<Quantity<PositiveOrInf, MetrePerSecond>>,
                splash_count: Option<Count<2, 64>>,
                film: Option<Quantity<NonNegative, Metre>>,
                lifetime: Option<Quantity<Positive, Second>>,
                lifetime_variation: Option<Quantity<Fraction>>,
                events: Option<Vec<EventFile>>,
                look: Option<LookFile>,
            }),*
        }

        impl MaterialFile {
            /// The preset's numbers and what the scene says instead.
            pub fn split(self) -> (crate::material::Preset, MaterialKeys) {
                match self {
                    $(Self::$preset { radius, restitution, friction, stick, density, adhesion, yield_stress, viscosity, trouton_ratio, repose_deg, cohesion, drift_speed, splash_speed, splash_count, film, lifetime, lifetime_variation, events, look } => {
                        ($numbers, MaterialKeys { radius, restitution, friction, stick, density, adhesion, yield_stress, viscosity, trouton_ratio, repose_deg, cohesion, drift_speed, splash_speed, splash_count, film, lifetime, lifetime_variation, events, look })
                    })*
                }
            }
        }
    };
}

materials! {
    Snow = crate::material::SNOW,
    Slime = crate::material::SLIME,
    Mud = crate::material::MUD,
    Oil = crate::material::OIL
}

/// The keys of a material, whatever its preset.
#[derive(Debug)]
pub struct MaterialKeys {
    pub radius: Radius,
    pub restitution: Option<Quantity<Fraction>>,
    pub friction: Option<Quantity<NonNegative>>,
    pub stick: Option<StickFile>,
    pub density: Option<Quantity<Positive, KilogramPerMetre3>>,
    pub adhesion: Option<Quantity<NonNegative, Pascal>>,
    pub yield_stress: Option<Quantity<NonNegative, Pascal>>,
    pub viscosity: Option<Quantity<PositiveOrInf, PascalSecond>>,
    pub trouton_ratio: Option<Quantity<Positive>>,
    pub repose_deg: Option<Quantity<Repose, Degree>>,
    pub cohesion: Option<Quantity<NonNegative, Metre>>,
    pub drift_speed: Option<Quantity<PositiveOrInf, MetrePerSecond>>,
    pub splash_speed: Option<Quantity<PositiveOrInf, MetrePerSecond>>,
    pub splash_count: Option<Count<2, 64>>,
    pub film: Option<Quantity<NonNegative, Metre>>,
    pub lifetime: Option<Quantity<Positive, Second>>,
    pub lifetime_variation: Option<Quantity<Fraction>>,
    pub events: Option<Vec<EventFile>>,
    pub look: Option<LookFile>,
}

/// `stick`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Stick")]
pub enum StickFile {
    Always,
    Below(Quantity<NonNegative, MetrePerSecond>),
    Never,
}

/// `look`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Look")]
pub struct LookFile {
    pub threshold: Option<Quantity<Inside>>,
    pub spread: Option<Quantity<Positive, Radii>>,
    pub thinning: Option<Quantity<NonNegative, Radii>>,
    pub sink: Option<Quantity<NonNegative, Radii>>,
    pub sink_alone: Option<Quantity<NonNegative, Radii>>,
    pub transmit: Option<Quantity<BelowOne>>,
    pub color: Option<Triple<Fraction>>,
}

/// `time`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Time")]
pub struct TimeFile {
    pub frames: Whole<1>,
    pub frame_rate: Option<Quantity<Positive, FramePerSecond>>,
    pub steps_per_frame: Option<Whole<1>>,
}

/// `collision`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename = "Collision")]
pub enum CollisionFile {
    Exact,
    Karabassi,
    Ray,
}

/// `limits`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Limits")]
pub struct LimitsFile {
    pub contacts_per_step: Option<Whole<1>>,
    pub kill_box: Option<(Length3, Length3)>,
    pub particles: Option<Count<1, { u64::MAX }>>,
    pub audit: Option<bool>,
}

/// `camera`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename = "Camera")]
pub struct CameraFile {
    pub eye: Length3,
    pub target: Length3,
    pub angle_deg: Option<Quantity<ViewAngle, Degree>>,
}

/// `light`.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename = "Light")]
pub struct LightFile {
    pub sun_azimuth_deg: Option<Quantity<Finite, Degree>>,
    pub sun_elevation_deg: Option<Quantity<Elevation, Degree>>,
    pub sun: Option<Quantity<NonNegative>>,
    pub sky: Option<Quantity<NonNegative>>,
    pub soft: Option<bool>,
    pub backdrop: Option<bool>,
}

/// `output`.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename = "Output")]
pub struct OutputFile {
    pub scale: Option<Quantity<Positive, UnitPerMetre>>,
    pub width: Option<Count<16, 65_535>>,
    pub height: Option<Count<16, 65_535>>,
    pub particles: Option<bool>,
    pub share: Option<bool>,
}
