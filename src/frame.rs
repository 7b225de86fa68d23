//! What a writer may see: the particles of one picture, in birth order, and nothing of the simulation.

use crate::math::{Point3, Real, Vec3};
use crate::state::Particles;

/// The particles of one picture. All columns have the same length; row order is birth order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Number of the picture, from 1.
    pub number: u32,
    /// Simulated time [s].
    pub time: Real,
    /// Birth number of each particle, ascending.
    pub id: Vec<u64>,
    /// Centres [m].
    pub position: Vec<Point3>,
    /// Radii [m].
    pub radius: Vec<Real>,
    /// Index into the scene's materials.
    pub material: Vec<u16>,
    /// Unit contact normal of a settled particle, from the surface to its centre; zero for one in the air.
    pub normal: Vec<Vec3>,
}

impl Frame {
    /// The picture of these particles, none of which is gone.
    pub fn of(particles: &Particles, number: u32, time: Real) -> Self {
        Self {
            number,
            time,
            id: particles.id.clone(),
            position: particles.position.clone(),
            radius: particles.radius.clone(),
            material: particles.material.clone(),
            normal: particles.normal.clone(),
        }
    }

    /// How many particles the picture holds.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether the picture holds no particle.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Whether particle `i` lies on something.
    pub fn is_settled(&self, i: usize) -> bool {
        self.normal[i] != Vec3::zeros()
    }
}
