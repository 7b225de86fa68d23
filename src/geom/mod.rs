//! Pure functions on values, one geometric question a file.
//!
//! They know points, triangles and spheres, and nothing of meshes, particles or materials. Lengths are in
//! scene units between 1e-25 and 1e25, so that no product of them leaves the range of `f64`.

use crate::math::{Point3, Real, Vec3};

mod canonical;
pub mod closest_point;
pub mod crossing;
mod flat;
pub mod moving;
pub mod orient;
pub mod parabola;
pub mod ray_along_x;
pub mod segment_triangle;
pub mod sweep_balls;
pub mod sweep_exact;
pub mod sweep_karabassi;
pub mod tri_tri;

pub use canonical::{is_degenerate, sorted_corners};
pub use flat::compare_places;

/// Unit roundoff of [`Real`], 2^-53.
pub const ROUNDOFF: Real = Real::EPSILON / 2.0;

/// A part of a triangle, within rounding. Edge `i` runs from corner `i` to corner `(i + 1) % 3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// The open interior.
    Face,
    /// An edge without its ends, 0 .. 2.
    Edge(u8),
    /// A corner, 0 .. 2.
    Vertex(u8),
}

/// Where and how a moving sphere is stopped by a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Fraction of the sweep, 0 .. 1.
    pub t: Real,
    /// The touched point of the triangle.
    pub point: Point3,
    /// Unit vector from `point` to the centre of the sphere at `t`.
    pub normal: Vec3,
    /// The part of the triangle that `point` lies on.
    pub feature: Feature,
    /// How deep the sphere overlapped the triangle at the start of the sweep, >= 0; 0 when it started clear.
    pub depth: Real,
}

#[cfg(test)]
mod tests;
