//! What a writer may see: the particles of one picture, in birth order, and nothing of the simulation.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::math::{Point3, Real, Vec3};
use crate::state::{NO_TRIANGLE, Particles, Status};

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
    /// What no picture needs, for those who ask for it.
    pub detail: Option<Detail>,
}

/// Further columns of a frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// Velocities [m/s].
    pub velocity: Vec<Vec3>,
    /// Time since birth [s].
    pub age: Vec<Real>,
    /// What each is doing.
    pub status: Vec<Status>,
    /// Triangle that was touched last; [`crate::state::NO_TRIANGLE`] before the first touch.
    pub triangle: Vec<u32>,
}

impl Frame {
    /// The picture of these particles, none of which is gone.
    pub fn of(particles: &Particles, number: u32, time: Real) -> Self {
        let order = particles.birth_order();
        let order = order.as_deref();
        Self {
            number,
            time,
            id: in_order(&particles.id, order),
            position: in_order(&particles.position, order),
            radius: in_order(&particles.radius, order),
            material: in_order(&particles.material, order),
            normal: contact_normals(particles, order),
            detail: None,
        }
    }

    /// The same with everything that is known of the particles.
    pub fn in_full(particles: &Particles, number: u32, time: Real) -> Self {
        let order = particles.birth_order();
        let order = order.as_deref();
        let born = in_order(&particles.born, order);
        let detail = Detail {
            velocity: in_order(&particles.velocity, order),
            age: born.into_iter().map(|born| time - born).collect(),
            status: in_order(&particles.status, order),
            triangle: in_order(&particles.triangle, order),
        };
        Self {
            detail: Some(detail),
            ..Self::of(particles, number, time)
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

/// Normals of what touches something, in this order of rows: a thread and its drop hang in the air, and their column
/// holds the way down.
fn contact_normals(particles: &Particles, order: Option<&[u32]>) -> Vec<Vec3> {
    let normal = |row: usize| match particles.triangle[row] {
        NO_TRIANGLE => Vec3::zeros(),
        _ => particles.normal[row],
    };
    match order {
        None => (0..particles.len()).into_par_iter().map(normal).collect(),
        Some(rows) => rows.par_iter().map(|&row| normal(row as usize)).collect(),
    }
}

/// A column with its rows in this order; `None`: as they are.
fn in_order<T: Copy + Send + Sync>(column: &[T], order: Option<&[u32]>) -> Vec<T> {
    match order {
        None => column.to_vec(),
        Some(rows) => rows.par_iter().map(|&row| column[row as usize]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Birth;

    #[test]
    fn what_hangs_in_the_air_has_no_contact_normal() {
        let birth = Birth {
            position: Point3::origin(),
            velocity: Vec3::zeros(),
            radius: 0.01,
            material: 0,
            time: 0.0,
            key: 0,
        };
        let mut particles = Particles::default();
        particles.push_settled(0, &birth, Status::Stuck, Vec3::y(), 7);
        particles.push_settled(1, &birth, Status::Stuck, -Vec3::y(), NO_TRIANGLE);
        let frame = Frame::of(&particles, 1, 0.0);
        assert!(frame.is_settled(0) && !frame.is_settled(1));
    }
}
