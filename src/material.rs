//! What a material is, in numbers, and the presets snow, slime, mud and oil.
//!
//! A preset is nothing but a row of numbers: change one in the scene and you have a new material.
//! This room knows nothing of particles, meshes or files.

use crate::math::Real;

/// How the radii of a material's particles are drawn [m].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RadiusLaw {
    /// All alike.
    Constant(Real),
    /// Evenly between two radii.
    Uniform {
        /// Smallest radius [m].
        min: Real,
        /// Largest radius [m].
        max: Real,
    },
    /// Median times e^(spread g), g a standard normal cut at +-3: many small, few large.
    LogNormal {
        /// Middle radius [m].
        median: Real,
        /// Standard deviation of the logarithm, 0 .. 1.
        spread: Real,
    },
}

impl RadiusLaw {
    /// The smallest radius that can be drawn [m].
    pub fn min(&self) -> Real {
        match *self {
            Self::Constant(r) => r,
            Self::Uniform { min, .. } => min,
            Self::LogNormal { median, spread } => median * libm::exp(-3.0 * spread),
        }
    }

    /// The largest radius that can be drawn [m].
    pub fn max(&self) -> Real {
        match *self {
            Self::Constant(r) => r,
            Self::Uniform { max, .. } => max,
            Self::LogNormal { median, spread } => median * libm::exp(3.0 * spread),
        }
    }

    /// The radius that stands for the material in scales that are given in radii [m].
    pub fn typical(&self) -> Real {
        match *self {
            Self::Constant(r) => r,
            Self::Uniform { min, max } => 0.5 * (min + max),
            Self::LogNormal { median, .. } => median,
        }
    }
}

/// Which touches hold at once, by the speed of the particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stick {
    /// Every touch holds: fresh snow, slime.
    Always,
    /// A touch slower than this holds [m/s].
    Below(Real),
    /// No touch holds; the particle comes to rest by friction alone.
    Never,
}

/// What happens when a particle touches a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Share of the normal speed that a bounce keeps, 0 .. 1.
    pub restitution: Real,
    /// Coulomb friction coefficient, >= 0.
    pub friction: Real,
    /// Which impacts stay where they land.
    pub stick: Stick,
}

/// What a material does once it has landed: how it piles up (`pile: true`) and how it flows (`flow: true`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Substance {
    /// Mass of a volume [kg/m3], > 0.
    pub density: Real,
    /// What holds a layer to a wall or from a ceiling against its weight [Pa], >= 0: rho g times the thickness that hangs.
    pub adhesion: Real,
    /// Shear stress below which it does not flow [Pa], >= 0.
    pub yield_stress: Real,
    /// Viscosity of what flows [Pa s], > 0; infinite: it never flows.
    pub viscosity: Real,
    /// How a thread of it resists being drawn out, in viscosities, > 0: 3 for simple liquids (Trouton 1906), hundreds for
    /// what draws threads.
    pub trouton_ratio: Real,
    /// Slope of a heap [degrees], 10 .. 55: the macroscopic angle of repose.
    pub repose_deg: Real,
    /// How far it carries itself beyond its support [m], >= 0: the length of a ledge.
    pub cohesion: Real,
    /// Speed of the air along a surface above which it carries on what lands there [m/s], > 0; infinite: never.
    pub drift_speed: Real,
    /// Normal speed above which a particle splashes [m/s], > 0; infinite: never.
    pub splash_speed: Real,
    /// Droplets that a splash throws, 2 .. 64.
    pub splash_count: u32,
    /// Thickness of what a flow leaves behind [m], >= 0; no more than what its yield stress holds.
    pub film: Real,
}

/// The family of pictures that a material belongs to: its texture and light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LookFamily {
    /// White, soft, bluish shadows.
    Snow,
    /// Green, glossy.
    Slime,
    /// Brown, wet to dry.
    Mud,
    /// Dark, mirror-like.
    Oil,
}

/// How a material's particles are drawn. Lengths are in particle radii.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Texture, and the light of the scene when this is the first material.
    pub family: LookFamily,
    /// Blob threshold T, 0 < T < 1, the same in every frame.
    pub threshold: Real,
    /// Component radius in a dense covering, in particle radii (B).
    pub spread: Real,
    /// Closest distance of two components that are both written, in radii (a); 0 writes all.
    pub thinning: Real,
    /// How far a component sinks against its contact normal, in radii (k).
    pub sink: Real,
    /// What a lone component sinks in addition, in radii (k1).
    pub sink_alone: Real,
    /// 0 opaque .. below 1 clear: translucent material is written as connected clusters.
    pub transmit: Real,
    /// Main colour, linear RGB; `None`: the family's own.
    pub color: Option<[Real; 3]>,
}

/// A material: everything that a particle made of it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The name by which emitters and surfaces call it.
    pub name: String,
    /// Particle radii.
    pub radius: RadiusLaw,
    /// Answer to a touch.
    pub contact: Contact,
    /// What it does after it has landed.
    pub substance: Substance,
    /// Picture.
    pub look: Look,
}

/// The numbers a preset starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Answer to a touch.
    pub contact: Contact,
    /// What it does after it has landed.
    pub substance: Substance,
    /// Picture.
    pub look: Look,
}

/// Fresh snow: stays where it lands.
pub const SNOW: Preset = Preset {
    contact: Contact {
        restitution: 0.0,
        friction: 0.7,
        stick: Stick::Always,
    },
    substance: Substance {
        density: 100.0,
        adhesion: 0.0,
        yield_stress: 0.0,
        viscosity: Real::INFINITY,
        trouton_ratio: 3.0,
        repose_deg: 38.0,
        cohesion: 0.1,
        drift_speed: 5.0,
        splash_speed: Real::INFINITY,
        splash_count: 8,
        film: 0.0,
    },
    look: Look {
        family: LookFamily::Snow,
        threshold: 0.70,
        spread: 4.5,
        thinning: 1.3,
        sink: 0.35,
        sink_alone: 0.25,
        transmit: 0.0,
        color: None,
    },
};

/// Slime: clings to whatever it touches.
pub const SLIME: Preset = Preset {
    contact: Contact {
        restitution: 0.0,
        friction: 0.3,
        stick: Stick::Always,
    },
    substance: Substance {
        density: 1000.0,
        adhesion: 100.0,
        yield_stress: 25.0,
        viscosity: 6.0,
        trouton_ratio: 200.0,
        repose_deg: 10.0,
        cohesion: 0.0,
        drift_speed: Real::INFINITY,
        splash_speed: Real::INFINITY,
        splash_count: 8,
        film: 0.004,
    },
    look: Look {
        family: LookFamily::Slime,
        threshold: 0.60,
        spread: 4.5,
        thinning: 1.1,
        sink: 0.30,
        sink_alone: 0.0,
        transmit: 0.0,
        color: None,
    },
};

/// Mud: what a hand can throw sticks; faster lumps hop and slide before they do.
pub const MUD: Preset = Preset {
    contact: Contact {
        restitution: 0.12,
        friction: 0.9,
        stick: Stick::Below(12.0),
    },
    substance: Substance {
        density: 1500.0,
        adhesion: 200.0,
        yield_stress: 100.0,
        viscosity: 2.0,
        trouton_ratio: 3.0,
        repose_deg: 20.0,
        cohesion: 0.0,
        drift_speed: Real::INFINITY,
        splash_speed: 1.15,
        splash_count: 8,
        film: 0.002,
    },
    look: Look {
        family: LookFamily::Mud,
        threshold: 0.60,
        spread: 3.4,
        thinning: 0.9,
        sink: 0.20,
        sink_alone: 0.10,
        transmit: 0.0,
        color: None,
    },
};

/// Oil: slides almost freely.
pub const OIL: Preset = Preset {
    contact: Contact {
        restitution: 0.0,
        friction: 0.05,
        stick: Stick::Never,
    },
    substance: Substance {
        density: 900.0,
        adhesion: 60.0,
        yield_stress: 0.0,
        viscosity: 0.5,
        trouton_ratio: 3.0,
        repose_deg: 10.0,
        cohesion: 0.0,
        drift_speed: Real::INFINITY,
        splash_speed: 1.0,
        splash_count: 8,
        film: 0.0005,
    },
    look: Look {
        family: LookFamily::Oil,
        threshold: 0.60,
        spread: 4.5,
        thinning: 1.1,
        sink: 0.30,
        sink_alone: 0.0,
        transmit: 0.0,
        color: None,
    },
};
