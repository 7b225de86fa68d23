//! First touch of a moving ball with the world.
//!
//! A collider answers two questions and knows nothing of materials or responses. A new kind is a new file that
//! implements [`Collider`], a variant in the scene, an arm of `world::build` and a line in the contract tests.

pub mod balls;
pub mod grid;
mod group;
mod leaf;
pub mod mesh;
pub mod moving;
mod ray;
mod single;

use crate::geom::Feature;
use crate::math::{Point3, Real, Vec3};

/// A ball that moves along a straight line during a span of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    /// Centre at the start [m].
    pub from: Point3,
    /// Displacement [m].
    pub along: Vec3,
    /// Radius [m].
    pub radius: Real,
    /// Start and end [s], for colliders that move themselves.
    pub span: [Real; 2],
}

/// How sure a hit is, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitStatus {
    /// The ball was clear at the start.
    Clean,
    /// The ball touched or overlapped at the start and was moving in.
    StartedInside,
}

/// Where and how a ball is stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Share of the sweep that is free, 0 .. 1; below 0 for a ray that is to go back.
    pub fraction: Real,
    /// Touched point of the surface [m].
    pub point: Point3,
    /// Unit vector from the surface to the ball's centre.
    pub normal: Vec3,
    /// Part of the triangle that was touched.
    pub feature: Feature,
    /// Number of the triangle in the world.
    pub triangle: u32,
    /// Overlap at the start of the sweep [m].
    pub depth: Real,
    /// Whether the start was clear.
    pub status: HitStatus,
}

/// A ball that overlaps the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Depth [m].
    pub depth: Real,
    /// Unit vector along which the ball leaves on the shortest way.
    pub normal: Vec3,
    /// Number of the triangle in the world.
    pub triangle: u32,
}

/// A triangle close to a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Distance of the place to the triangle [m].
    pub distance: Real,
    /// The closest point of the triangle [m].
    pub point: Point3,
    /// Unit vector from there to the place; the triangle's own normal where the place lies on it.
    pub normal: Vec3,
    /// Number of the triangle in the world.
    pub triangle: u32,
}

/// Something that stops balls.
pub trait Collider: Send + Sync {
    /// The first touch of a sweep; among equals that of the lowest triangle. `None` is a promise: nothing is in the way.
    fn first_touch(&self, sweep: &Sweep) -> Option<Hit>;

    /// [`Collider::first_touch`] of each sweep, in place of `hits`; what is longer of the two is not looked at.
    ///
    /// The answers are the same, bit by bit. It is faster where sweeps that follow each other lie side by side.
    fn first_touches(&self, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
        for (sweep, hit) in sweeps.iter().zip(hits) {
            *hit = self.first_touch(sweep);
        }
    }

    /// The exact first contact, whatever test the run uses: for audits.
    fn first_contact(&self, sweep: &Sweep) -> Option<Hit>;

    /// Whether the segment between two points meets the surface: for audits, by a test that shares nothing with the
    /// sweeps.
    fn crosses(&self, from: &Point3, to: &Point3) -> bool;

    /// How many of the segments between these pairs of points cross: faster where those that follow each other lie side
    /// by side.
    fn crossings(&self, segments: &[[Point3; 2]]) -> u64 {
        segments
            .iter()
            .filter(|[from, to]| self.crosses(from, to))
            .count() as u64
    }

    /// The deepest overlap of a ball at rest; among equals that of the lowest triangle.
    fn deepest_overlap(&self, center: &Point3, radius: Real) -> Option<Overlap>;

    /// [`Collider::deepest_overlap`] of each ball, in place of `deepest`; what is longer of the three is not looked at. Faster
    /// where balls that follow each other lie side by side.
    fn deepest_overlaps(&self, centers: &[Point3], radii: &[Real], deepest: &mut [Option<Overlap>]) {
        for ((center, radius), deepest) in centers.iter().zip(radii).zip(deepest) {
            *deepest = self.deepest_overlap(center, *radius);
        }
    }

    /// Every triangle within `reach` [m] of a place, by number; `found` is emptied first.
    fn near(&self, center: &Point3, reach: Real, found: &mut Vec<Near>);
}

#[cfg(test)]
mod contract;
