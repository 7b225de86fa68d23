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

    /// [`Frame::of`] particles that nobody needs any more: their columns become its own.
    pub fn out_of(particles: Particles, number: u32, time: Real) -> Self {
        let order = particles.birth_order();
        let order = order.as_deref();
        drop((particles.velocity, particles.born, particles.key));
        let mut normal = particles.normal;
        let touched = normal.par_iter_mut().zip(&particles.triangle);
        touched.for_each(|(normal, triangle)| *normal = contact_normal(*normal, *triangle));
        Self {
            number,
            time,
            id: put_in_order(particles.id, order),
            position: put_in_order(particles.position, order),
            radius: put_in_order(particles.radius, order),
            material: put_in_order(particles.material, order),
            normal: put_in_order(normal, order),
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

/// Normal of what touches something: a thread and its drop hang in the air, and their column holds the way down.
fn contact_normal(normal: Vec3, triangle: u32) -> Vec3 {
    match triangle {
        NO_TRIANGLE => Vec3::zeros(),
        _ => normal,
    }
}

/// [`contact_normal`] of all particles, in this order of rows.
fn contact_normals(particles: &Particles, order: Option<&[u32]>) -> Vec<Vec3> {
    let normal = |row: usize| contact_normal(particles.normal[row], particles.triangle[row]);
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

/// The same for a column that is given up.
fn put_in_order<T: Copy + Send + Sync>(column: Vec<T>, order: Option<&[u32]>) -> Vec<T> {
    match order {
        None => column,
        Some(_) => in_order(&column, order),
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

    #[test]
    fn columns_that_are_taken_make_the_frame_that_copies_make() {
        let mut particles = Particles::default();
        for id in 0..9 {
            let birth = Birth {
                position: Point3::new(id as Real, 0.0, 1.0),
                velocity: Vec3::y(),
                radius: 0.01 * (1 + id) as Real,
                material: id as u16 % 3,
                time: 0.0,
                key: id,
            };
            let triangle = if id % 4 == 0 { NO_TRIANGLE } else { 7 };
            particles.push_settled(id, &birth, Status::Stuck, Vec3::x(), triangle);
        }
        assert_eq!(
            Frame::out_of(particles.clone(), 3, 0.5),
            Frame::of(&particles, 3, 0.5)
        );
        particles.swap(&[[2, 7], [3, 8]]);
        assert_eq!(
            Frame::out_of(particles.clone(), 3, 0.5),
            Frame::of(&particles, 3, 0.5)
        );
    }
}
