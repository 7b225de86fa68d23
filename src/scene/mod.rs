//! A checked scene: plain data in SI units, every name resolved, every default filled in.
//!
//! [`load`] reads a RON file; what it returns needs no further checking. This room knows the text and
//! its rules; it never loads a mesh and never simulates.

mod check;
mod colliders;
mod emitters;
mod forces;
mod keyed;
mod lives;
mod locate;
mod lower;
mod mistake;
mod motion;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod values;

use std::path::PathBuf;

pub use colliders::*;
pub use emitters::*;
pub use forces::*;
pub use lives::*;
pub use motion::*;
pub use read::{load, locate_field, parse};

use crate::material::Material;
use crate::math::{Aabb, Point3, Real, Vec3};

/// Everything that a scene file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The file it was read from.
    pub path: PathBuf,
    /// Scenery, in file order.
    pub meshes: Vec<MeshSpec>,
    /// Materials, sorted by name.
    pub materials: Vec<Material>,
    /// How long particles live and what happens to them, one a material.
    pub lives: Vec<Life>,
    /// Sources of particles, in file order.
    pub emitters: Vec<Emitter>,
    /// Acceleration of free fall [m/s2], at the start when it changes: the rest is one of the forces.
    pub gravity: Vec3,
    /// What else moves particles between touches.
    pub forces: Vec<ForceSpec>,
    /// Frames and steps.
    pub time: Time,
    /// Which sweep decides the first touch.
    pub collision: Collision,
    /// How far behind a particle rays also look for a surface that it is under, in its radii; 0: not at all.
    pub ray_behind: Real,
    /// Whether particles land on settled ones and heap up.
    pub pile: bool,
    /// Whether what has landed flows on, as its viscosity and yield stress let it.
    pub flow: bool,
    /// Seed of every random draw.
    pub seed: u64,
    /// Bounds that keep a run finite; each is reported when reached.
    pub limits: Limits,
    /// Where the picture is taken from; `None`: framed automatically.
    pub camera: Option<Camera>,
    /// Light and sky; `None` fields follow the first material's look.
    pub light: Light,
    /// How frames are written.
    pub output: Output,
}

/// One mesh of the scenery and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshSpec {
    /// Name in messages, and for emitters that sit on it.
    pub name: String,
    /// The OBJ file, resolved against the scene's folder.
    pub file: PathBuf,
    /// Metres per unit of the file (from `unit`).
    pub unit: Real,
    /// Which axis of the file points up.
    pub up: UpAxis,
    /// Factors along x, y, z, applied first; never 0.
    pub scale: Vec3,
    /// Rotation about x, then y, then z [degrees], applied second.
    pub rotate_deg: Vec3,
    /// Displacement [m], applied last.
    pub translate: Vec3,
    /// How it stops particles.
    pub collider: MeshCollider,
    /// How particles answer to this mesh.
    pub response: Response,
    /// Answers of single `usemtl` groups, which go before `response`; in file order.
    pub groups: Vec<(String, Response)>,
    /// How it moves away from there; `None`: not by itself.
    pub motion: Option<Motion>,
    /// Number of the mesh whose motion it takes part in, beside its own.
    pub carried_by: Option<usize>,
}

impl MeshSpec {
    /// Whether it moves at all.
    pub fn moves(&self) -> bool {
        self.motion.is_some() || self.carried_by.is_some()
    }
}

/// Which axis of a mesh file points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpAxis {
    /// y, as in this program.
    Y,
    /// z: (x, y, z) of the file becomes (x, z, -y).
    Z,
}

/// How a surface answers to a touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Response {
    /// As the particle's material says.
    Material,
    /// Every particle stays where it lands.
    Stick,
    /// Particles slide with this friction coefficient and never bounce.
    Slide {
        /// Coulomb friction coefficient, >= 0.
        friction: Real,
    },
    /// Particles bounce.
    Bounce {
        /// Share of the normal speed that is kept, 0 .. 1.
        restitution: Real,
        /// Coulomb friction coefficient, >= 0.
        friction: Real,
    },
    /// Particles end here (counted as died).
    Die,
}

/// Frames and steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// Number of pictures, at least 1. Frame 1 shows the state after the first frame's steps.
    pub frames: u32,
    /// Pictures a second [1/s].
    pub frame_rate: Real,
    /// Simulation steps between two pictures, at least 1.
    pub steps_per_frame: u32,
}

impl Time {
    /// Length of a step [s].
    pub fn step(&self) -> Real {
        1.0 / (self.frame_rate * Real::from(self.steps_per_frame))
    }

    /// Steps of the whole run.
    pub fn steps(&self) -> u64 {
        u64::from(self.frames) * u64::from(self.steps_per_frame)
    }
}

/// Which sweep decides the first touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Collision {
    /// First contact of the ball, exact: the default.
    #[default]
    Exact,
    /// The test of Karabassi, Papaioannou & Theoharis 1999 as written; stopped particles stay stopped.
    Karabassi,
    /// The centre as a ray, volume ignored (their Figure 8c).
    Ray,
}

/// Bounds that keep a run finite; each is reported when reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Touches one particle may have in one step before the rest of its step is dropped.
    pub contacts_per_step: u32,
    /// Particles that leave this box are counted as lost; `None`: 10 diagonals of scenery and emitters around them.
    pub kill_box: Option<Aabb>,
    /// Births beyond this many are refused and counted.
    pub particles: u64,
    /// Whether every flight is checked for crossing a triangle by a second, independent test (default: yes).
    pub audit: bool,
}

/// Where the picture is taken from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// The eye [m].
    pub eye: Point3,
    /// What it looks at [m].
    pub target: Point3,
    /// Horizontal field of view [degrees].
    pub angle_deg: Real,
}

/// Light and sky; `None` follows the first material's look.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Light {
    /// Sun's azimuth from the camera's [degrees].
    pub sun_azimuth_deg: Option<Real>,
    /// Sun's elevation [degrees].
    pub sun_elevation_deg: Option<Real>,
    /// Strength of the sun.
    pub sun: Option<Real>,
    /// Strength of the sky.
    pub sky: Option<Real>,
    /// Area light with soft shadows (slower) instead of a hard sun.
    pub soft: bool,
    /// Whether a ground plane with a horizon stands behind the scenery.
    pub backdrop: bool,
}

/// How frames are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Output {
    /// POV-Ray units per metre; `None`: chosen so that components are large enough for POV-Ray.
    pub scale: Option<Real>,
    /// Width of the picture that the camera is framed for [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Whether the exact particles of each frame are written too, for `export`.
    pub particles: bool,
    /// Whether frames share what does not change from one to the next.
    pub share: bool,
}
