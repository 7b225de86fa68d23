//! `partsim` covers scenes with snow, slime and mud for POV-Ray.
//!
//! Data flows down this sentence, and the rooms stand in the same order, lowest floor first:
//!
//! ```text
//! scene.ron -> scene::Scene -> world::World (read-only) + state::State -> step -> frame::Frame -> write
//! ```
//!
//! Conventions: right-handed axes, y up, SI units, `f64` wherever something is decided. A frame is a pure
//! function of scene, meshes, seed and program version.

pub mod error;
pub mod math;
pub mod picture;
mod prefetch;
pub mod sets;
pub mod units;

pub mod bvh;
pub mod geom;
pub mod keyed;
pub mod material;
pub mod rng;
pub mod shard;
pub mod state;

pub mod frame;
pub mod frame_range;
pub mod mesh;
pub mod motion;
pub mod scene;
pub mod surface;

pub mod bodies;
pub mod collide;
pub mod emit;
pub mod force;
pub mod grid;
pub mod inspect;
pub mod write;

pub mod checkpoint;
pub mod contact;
pub mod life;
pub mod world;

pub mod film;
pub mod flight;
pub mod settle;
pub mod step;

pub mod compare;
pub mod export;
pub mod preview;
pub mod progress;
pub mod run;
pub mod starter;

pub mod farm;

pub mod cli;
