//! How a mesh moves, as a scene says it: by keys, by a spin, along a path over other meshes, from file to file, or as a body.

use std::path::PathBuf;

use crate::keyed::Keyed;
use crate::math::{Point3, Real, Vec3};

/// What moves a mesh away from where `translate`, `rotate_deg` and `scale` have placed it.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// Displacement, turn and size over time.
    Keys {
        /// Displacement [m].
        translate: Keyed<Vec3>,
        /// Turn about x, then y, then z [degrees].
        rotate_deg: Keyed<Vec3>,
        /// Factor of size, > 0.
        scale: Keyed<Real>,
        /// What it turns and grows about [m]; `None`: the `translate` of the mesh.
        about: Option<Point3>,
    },
    /// A turn about a fixed axis.
    Spin {
        /// Unit vector; the turn follows the right hand.
        axis: Vec3,
        /// How fast [degrees/s].
        deg_per_s: Keyed<Real>,
        /// A point of the axis [m]; `None`: the `translate` of the mesh.
        about: Option<Point3>,
    },
    /// Another file of the same topology for each moment; corners go straight from one to the next.
    Sequence {
        /// The files after that of the mesh itself, resolved against the scene's folder.
        files: Vec<PathBuf>,
        /// Files a second [1/s].
        frame_rate: Real,
        /// Moment of the first [s].
        start: Real,
        /// Whether the first follows the last.
        repeat: bool,
    },
    /// Along a path, on wheels that stand on other meshes.
    Follow(Box<Follow>),
    /// As a rigid body that falls, hits and comes to rest.
    Rigid(RigidSpec),
    /// As an elastic body.
    Elastic(ElasticSpec),
}

/// A rigid body made of particles.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidSpec {
    /// Radius of the particles that fill it [m].
    pub fill: Real,
    /// How they lie.
    pub packing: Packing,
    /// Density [kg/m3].
    pub density: Real,
    /// Velocity at the start [m/s].
    pub velocity: Vec3,
    /// Angular velocity at the start, about its centre of mass [degrees/s].
    pub spin_deg_per_s: Vec3,
    /// Share of the approach speed that comes back, 0 .. 1; between two bodies the larger.
    pub restitution: Real,
    /// Coulomb's coefficient, 0 or more; between two bodies the root of the product.
    pub friction: Real,
    /// How it breaks; `None`: not at all.
    pub breaks: Option<Breaks>,
    /// What frames show.
    pub draw: Draw,
}

/// How the particles of a body lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Each in a cube.
    #[default]
    Cubic,
    /// As close as can be.
    Close,
}

/// What frames show of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Draw {
    /// Its mesh.
    #[default]
    Mesh,
    /// A blob of the particles at its surface.
    Blob,
}

/// How a rigid body breaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breaks {
    /// Impulse by area that what joins two pieces bears in one step [N s/m2].
    pub impulse: Real,
    /// About how many pieces there are.
    pub pieces: u32,
}

/// An elastic body made of cubes joined by springs.
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticSpec {
    /// Edge of a cube [m].
    pub cell: Real,
    /// Young's modulus [Pa].
    pub young: Real,
    /// Density [kg/m3].
    pub density: Real,
    /// Damping of the quickest oscillation, as a share of the critical one, 0 .. 1.
    pub damping: Real,
    /// Velocity at the start [m/s].
    pub velocity: Vec3,
    /// Coulomb's coefficient, 0 or more; between two bodies the root of the product.
    pub friction: Real,
    /// Strain beyond which it yields, > 0; infinite: never.
    pub yields: Real,
    /// What frames show.
    pub draw: Draw,
}

impl Motion {
    /// Whether laws of motion decide where it goes.
    pub fn is_body(&self) -> bool {
        matches!(self, Self::Rigid(_) | Self::Elastic(_))
    }

    /// What frames show of it.
    pub fn draw(&self) -> Draw {
        match self {
            Self::Rigid(RigidSpec { draw, .. }) | Self::Elastic(ElasticSpec { draw, .. }) => *draw,
            _ => Draw::Mesh,
        }
    }
}

/// A drive over other meshes.
#[derive(Debug, Clone, PartialEq)]
pub struct Follow {
    /// Where the place that the scene's `translate` names is over time [m]: keys of a smooth curve that begins and ends at rest.
    /// Its height is found by rays.
    pub path: Keyed<Vec3>,
    /// Where wheels touch the ground, in the placed mesh [m]; three or more, not in one line.
    pub wheels: Vec<Point3>,
    /// The direction in which the placed mesh drives: a unit vector.
    pub forward: Vec3,
    /// Numbers of the meshes that it drives over.
    pub over: Vec<usize>,
    /// How far above a wheel its ray begins [m]; `None`: the height of the mesh.
    pub behind: Option<Real>,
}
