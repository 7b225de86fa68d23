//! Bodies made of particles.

pub mod contacts;
pub mod elastic;
pub mod fill;
pub mod lattice;
pub mod mass;
pub mod motion;
pub mod plane;
pub mod points;
pub mod solve;
pub mod step;
#[cfg(test)]
mod shapes;
