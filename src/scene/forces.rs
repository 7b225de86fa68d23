//! What moves particles between touches, as plain data.

use crate::keyed::Keyed;
use crate::math::{Aabb, Point3, Real, Vec3};

/// One of the scene's forces, besides gravity.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceSpec {
    /// What it does.
    pub kind: ForceKind,
    /// Where it acts; `None`: everywhere.
    pub region: Option<Region>,
}

impl From<ForceKind> for ForceSpec {
    fn from(kind: ForceKind) -> Self {
        Self { kind, region: None }
    }
}

/// What a force does. What moves the air acts through drag alone.
#[derive(Debug, Clone, PartialEq)]
pub enum ForceKind {
    /// Air that moves; drag acts against the difference to it.
    Wind(WindSpec),
    /// Eddies in the air: curl noise that moves with it.
    Turbulence {
        /// Root mean square of their speed [m/s], >= 0.
        speed: Keyed<Real>,
        /// Their size [m], > 0.
        length: Real,
        /// What carries them [m/s]; `None`: the winds that blow everywhere.
        drift: Option<Keyed<Vec3>>,
    },
    /// Air that turns about an axis.
    Vortex {
        /// A place on the axis [m].
        center: Point3,
        /// Unit vector; by the right hand.
        axis: Vec3,
        /// Largest speed about the axis [m/s].
        speed: Keyed<Real>,
        /// Largest speed along the axis [m/s].
        rise: Keyed<Real>,
        /// Where the air turns fastest [m], > 0.
        radius: Real,
    },
    /// An acceleration to a place.
    Attractor {
        /// The place [m].
        center: Point3,
        /// At the radius [m/s2]; below 0 it repels.
        strength: Keyed<Real>,
        /// Where the strength is measured [m], > 0; inside, it falls evenly to 0.
        radius: Real,
        /// How it changes outside.
        falloff: Falloff,
    },
    /// Air that swings sideways about each particle in its own time.
    Flutter {
        /// To each side [m], >= 0.
        amplitude: Keyed<Real>,
        /// Lowest and highest [1/s], > 0.
        frequency: [Real; 2],
    },
    /// An acceleration of everything in the air [m/s2].
    Acceleration {
        /// It may change over time.
        acceleration: Keyed<Vec3>,
    },
    /// Deceleration proportional to the speed through the air.
    LinearDrag {
        /// Coefficient [1/s].
        coefficient: Keyed<Real>,
    },
    /// Deceleration proportional to the square of the speed through the air.
    QuadraticDrag {
        /// Coefficient [1/m]; `g / v^2` for a terminal speed v.
        coefficient: Keyed<Real>,
    },
}

/// A wind.
#[derive(Debug, Clone, PartialEq)]
pub struct WindSpec {
    /// Velocity of the open air [m/s].
    pub velocity: Keyed<Vec3>,
    /// How it swells and dies down.
    pub gusts: Option<Gusts>,
    /// How it grows with height; `None`: it does not.
    pub profile: Option<Profile>,
    /// Whether the scenery holds it off.
    pub shelter: Option<ShelterSpec>,
}

/// Gusts of a wind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gusts {
    /// Standard deviation of the speed as a share of it, >= 0: the intensity of turbulence.
    pub intensity: Real,
    /// Their size [m], > 0: they pass in this over the speed of the wind.
    pub length: Real,
}

/// How a wind grows with height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// The law.
    pub law: ProfileLaw,
    /// Height above ground at which the wind has its full velocity [m], > 0.
    pub height: Real,
    /// y of the ground [m].
    pub ground: Real,
}

/// A law of wind over height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProfileLaw {
    /// ln(z / z0) / ln(h / z0).
    Log {
        /// Roughness length z0 [m], > 0 and below the height.
        roughness: Real,
    },
    /// (z / h)^p.
    Power {
        /// p, > 0; about 1/7 over open land.
        exponent: Real,
    },
}

/// How scenery holds off a wind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShelterSpec {
    /// Share of the wind that full shelter takes away, 0 .. 1.
    pub strength: Real,
    /// How far upwind scenery counts [m], > 0; `None`: ten heights of the scenery.
    pub reach: Option<Real>,
    /// Distance between places where it is worked out [m], > 0; `None`: an eighth of the scenery's height.
    pub cell: Option<Real>,
}

/// How an attraction changes with distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Falloff {
    /// It grows with distance, like a spring.
    Linear,
    /// Not at all.
    Constant,
    /// As 1 / distance.
    Inverse,
    /// As 1 / distance^2.
    InverseSquare,
}

/// A part of space with a soft edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// Its outside.
    pub shape: RegionShape,
    /// Width inside of it over which the force grows to its full size [m], >= 0.
    pub edge: Real,
}

/// A shape of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RegionShape {
    /// An axis-aligned box.
    Box {
        /// The box [m].
        bounds: Aabb,
    },
    /// A ball.
    Sphere {
        /// Middle [m].
        center: Point3,
        /// Radius [m], > 0.
        radius: Real,
    },
}
