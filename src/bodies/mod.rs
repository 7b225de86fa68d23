//! Bodies made of particles: rigid ones that hit, stack and come to rest, and elastic ones.
//!
//! A closed shape is filled ([`fill`], [`lattice`]). Rigid bodies touch by their particles ([`contacts`]), between which
//! planes are found ([`plane`]); a few points on each ([`points`]) carry the impulses ([`solve`], [`step`]). Elastic bodies are
//! springs ([`elastic`]) under a [`skin`]. After Dingle (2004), Volumetric particle separating planes.

pub mod brittle;
pub mod contacts;
pub mod elastic;
pub mod fill;
pub mod lattice;
pub mod mass;
pub mod motion;
pub mod plane;
pub mod points;
#[cfg(test)]
mod shapes;
pub mod shatter;
pub mod skin;
pub mod solid;
pub mod solve;
pub mod step;
