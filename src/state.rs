//! The changing half of a run: particles as arrays, counters, time.
//!
//! Every number here is part of a checkpoint; memory that carries no meaning lives elsewhere.

mod ride;
mod tally;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::math::{Point3, Real, Vec3};
use crate::prefetch::prefetch;
pub use ride::Ride;
pub use tally::Tally;

/// What a particle is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Status {
    /// It flies, or slides.
    Airborne,
    /// It rolls down a heap and is not there yet, or waits for one that does; others do not enter its place.
    Rolling,
    /// It flows over a surface.
    Flowing,
    /// It lies still for good: held where it landed.
    Stuck,
    /// It lies still for good: came to rest by the rest rule.
    Rested,
    /// It lies still for good: stopped by the 1999 test.
    Stopped,
    /// A surface, an event or its age ended it; removed before the frame is written.
    Died,
    /// It left the kill box; removed before the frame is written.
    Lost,
}

impl Status {
    /// Whether the particle lies still for good.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Stuck | Self::Rested | Self::Stopped)
    }

    /// Whether the particle is to be removed.
    pub fn is_gone(self) -> bool {
        matches!(self, Self::Died | Self::Lost)
    }
}

/// Births from which on columns are written in parallel.
const MANY: usize = 4096;
/// No triangle.
pub const NO_TRIANGLE: u32 = u32::MAX;
/// A settled particle was touched last.
pub const ON_PARTICLE: u32 = u32::MAX - 1;

/// Particles, one a row; all columns have the same length. Rows come in birth order, until many
/// that are in the air are ordered by place (`step/order.rs`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// Birth numbers.
    pub id: Vec<u64>,
    /// Centres [m].
    pub position: Vec<Point3>,
    /// Velocities [m/s]; zero for settled ones.
    pub velocity: Vec<Vec3>,
    /// Radii [m].
    pub radius: Vec<Real>,
    /// Index into the scene's materials.
    pub material: Vec<u16>,
    /// What each is doing.
    pub status: Vec<Status>,
    /// Unit normal of the last contact; zero for one in the air.
    pub normal: Vec<Vec3>,
    /// Triangle that was touched last; [`NO_TRIANGLE`] before the first touch, [`ON_PARTICLE`] after one of a settled
    /// particle.
    pub triangle: Vec<u32>,
    /// Moment of birth [s].
    pub born: Vec<Real>,
    /// Identity for random draws: it follows from emitter and birth index, or from a parent's, and not from `id`.
    pub key: Vec<u64>,
    /// What flowing ones remember; empty in a run without `flow`, and may lack the youngest until they flow.
    pub film: Vec<Film>,
    /// Where the weight of settled ones stands on the scenery [m]; empty in a run without `pile`, and may lack the youngest
    /// until they settle.
    pub foot: Vec<[f32; 3]>,
    /// Who carries settled ones, and where on it they lie; empty in a run in which nothing moves, and may lack the youngest.
    pub ride: Vec<Ride>,
}

/// What a particle that flows remembers from step to step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Film {
    /// Way since it last left a piece of trail or strand [m].
    pub walked: Real,
    /// Length of the strand on which it hangs [m]; 0 on a surface.
    pub strand: Real,
    /// Whether it stands still and nothing has moved around it since.
    pub still: bool,
    /// Whether it has lost the speed with which it landed.
    pub caught: bool,
}

/// One row of [`Particles`] while it flies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flyer {
    /// Centre [m].
    pub position: Point3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Radius [m].
    pub radius: Real,
    /// Index into the scene's materials.
    pub material: u16,
    /// What it is doing.
    pub status: Status,
    /// Unit normal of the contact that settled it; zero in the air.
    pub normal: Vec3,
    /// Triangle that was touched last.
    pub triangle: u32,
    /// Moment of birth [s].
    pub born: Real,
    /// Identity for random draws.
    pub key: u64,
}

/// A particle at its birth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Birth {
    /// Centre [m].
    pub position: Point3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Radius [m].
    pub radius: Real,
    /// Index into the scene's materials.
    pub material: u16,
    /// Moment of birth [s].
    pub time: Real,
    /// Identity for random draws (see [`crate::rng::identity`]).
    pub key: u64,
}

impl Particles {
    /// Brings a row nearer that is soon read and written.
    pub fn prefetch(&self, row: usize) {
        prefetch(&self.id, row);
        prefetch(&self.position, row);
        prefetch(&self.velocity, row);
        prefetch(&self.radius, row);
        prefetch(&self.material, row);
        prefetch(&self.status, row);
        prefetch(&self.normal, row);
        prefetch(&self.triangle, row);
        prefetch(&self.born, row);
        prefetch(&self.key, row);
        prefetch(&self.foot, row);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Bytes of all rows, without the room that columns keep to grow.
    pub fn bytes(&self) -> usize {
        let row = size_of::<[u64; 2]>() + size_of::<[Real; 2]>() + size_of::<[Vec3; 3]>();
        let kind = size_of::<u16>() + size_of::<Status>() + size_of::<u32>();
        let memory = size_of_val(self.film.as_slice()) + size_of_val(self.foot.as_slice());
        let memory = memory + size_of_val(self.ride.as_slice());
        self.len() * (row + kind) + memory
    }

    /// Makes room for this many more at once; to grow by doubling would copy all columns several times.
    pub fn reserve(&mut self, more: usize) {
        self.id.reserve(more);
        self.position.reserve(more);
        self.velocity.reserve(more);
        self.radius.reserve(more);
        self.material.reserve(more);
        self.status.reserve(more);
        self.normal.reserve(more);
        self.triangle.reserve(more);
        self.born.reserve(more);
        self.key.reserve(more);
    }

    /// Appends a particle.
    pub fn push(&mut self, id: u64, birth: &Birth) {
        self.id.push(id);
        self.position.push(birth.position);
        self.velocity.push(birth.velocity);
        self.radius.push(birth.radius);
        self.material.push(birth.material);
        self.status.push(Status::Airborne);
        self.normal.push(Vec3::zeros());
        self.triangle.push(NO_TRIANGLE);
        self.born.push(birth.time);
        self.key.push(birth.key);
    }

    /// Appends particles with birth numbers from `first` on.
    pub fn push_all(&mut self, first: u64, births: &[Birth]) {
        if births.len() < MANY {
            births.iter().zip(first..).for_each(|(b, id)| self.push(id, b));
            return;
        }
        let all = births.par_iter().with_min_len(MANY);
        let numbered = all.clone().enumerate();
        self.id.par_extend(numbered.map(|(i, _)| first + i as u64));
        self.position.par_extend(all.clone().map(|b| b.position));
        self.velocity.par_extend(all.clone().map(|b| b.velocity));
        self.radius.par_extend(all.clone().map(|b| b.radius));
        self.material.par_extend(all.clone().map(|b| b.material));
        self.status.par_extend(all.clone().map(|_| Status::Airborne));
        self.normal.par_extend(all.clone().map(|_| Vec3::zeros()));
        self.triangle.par_extend(all.clone().map(|_| NO_TRIANGLE));
        self.born.par_extend(all.clone().map(|b| b.time));
        self.key.par_extend(all.map(|b| b.key));
    }

    /// One row.
    pub fn flyer(&self, row: usize) -> Flyer {
        Flyer {
            position: self.position[row],
            velocity: self.velocity[row],
            radius: self.radius[row],
            material: self.material[row],
            status: self.status[row],
            normal: self.normal[row],
            triangle: self.triangle[row],
            born: self.born[row],
            key: self.key[row],
        }
    }

    /// Writes one row back.
    pub fn set_flyer(&mut self, row: usize, p: &Flyer) {
        self.position[row] = p.position;
        self.velocity[row] = p.velocity;
        self.radius[row] = p.radius;
        self.status[row] = p.status;
        self.normal[row] = p.normal;
        self.triangle[row] = p.triangle;
        self.key[row] = p.key;
    }

    /// Lets pairs of rows change places, one pair after the other. Each column is done by itself, where it is near.
    pub fn swap(&mut self, pairs: &[[u32; 2]]) {
        fn swap<T>(column: &mut [T], pairs: &[[u32; 2]]) {
            for pair in pairs {
                let [a, b] = pair.map(|row| row as usize);
                column.swap(a, b);
            }
        }
        fn swap_if_any<T: Clone + Default>(column: &mut Vec<T>, rows: usize, pairs: &[[u32; 2]]) {
            if !column.is_empty() {
                column.resize(rows, T::default());
                swap(column, pairs);
            }
        }
        let rows = self.len();
        let (a, b) = (
            || {
                swap(&mut self.position, pairs);
                swap(&mut self.triangle, pairs);
                swap_if_any(&mut self.foot, rows, pairs);
            },
            || {
                swap(&mut self.velocity, pairs);
                swap(&mut self.radius, pairs);
                swap(&mut self.material, pairs);
                swap_if_any(&mut self.film, rows, pairs);
            },
        );
        let (c, d) = (
            || {
                swap(&mut self.normal, pairs);
                swap(&mut self.key, pairs);
                swap(&mut self.status, pairs);
            },
            || {
                swap(&mut self.id, pairs);
                swap(&mut self.born, pairs);
                swap_if_any(&mut self.ride, rows, pairs);
            },
        );
        rayon::join(|| rayon::join(a, b), || rayon::join(c, d));
    }

    /// Rows in birth order; `None` where they are so already.
    pub fn birth_order(&self) -> Option<Vec<u32>> {
        if self.id.is_sorted() {
            return None;
        }
        let mut rows: Vec<u32> = (0..self.len() as u32).collect();
        rows.par_sort_unstable_by_key(|&row| self.id[row as usize]);
        Some(rows)
    }

    /// Appends a particle that lies on something, with the normal and triangle of what it touches.
    pub fn push_settled(&mut self, id: u64, birth: &Birth, status: Status, normal: Vec3, triangle: u32) {
        self.push(id, birth);
        let last = self.len() - 1;
        self.status[last] = status;
        self.normal[last] = normal;
        self.triangle[last] = triangle;
    }

    /// Removes those that are gone; the order of the others stays.
    pub fn remove_gone(&mut self) {
        fn sift<T: Copy>(column: &mut Vec<T>, status: &[Status]) {
            let mut kept = 0;
            for (i, s) in status.iter().enumerate() {
                if !s.is_gone() {
                    column[kept] = column[i];
                    kept += 1;
                }
            }
            column.truncate(kept);
        }
        if !self.status.iter().any(|s| s.is_gone()) {
            return;
        }
        sift(&mut self.id, &self.status);
        sift(&mut self.position, &self.status);
        sift(&mut self.velocity, &self.status);
        sift(&mut self.radius, &self.status);
        sift(&mut self.material, &self.status);
        sift(&mut self.normal, &self.status);
        sift(&mut self.triangle, &self.status);
        sift(&mut self.born, &self.status);
        sift(&mut self.key, &self.status);
        let flowed = self.film.len();
        sift(&mut self.film, &self.status[..flowed]);
        let stood = self.foot.len();
        sift(&mut self.foot, &self.status[..stood]);
        let rode = self.ride.len();
        sift(&mut self.ride, &self.status[..rode]);
        self.status.retain(|s| !s.is_gone());
    }
}

/// Everything that changes during a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps done.
    pub step: u64,
    /// The particles.
    pub particles: Particles,
    /// Births asked of each emitter so far, happened or not: the next birth index.
    pub emitted: Vec<u64>,
    /// What has happened so far.
    pub tally: Tally,
}

impl State {
    /// What is wrong with a state that was read from outside; `None` when it can be worked with.
    pub fn fault(&self) -> Option<&'static str> {
        let p = &self.particles;
        let lengths = [
            p.position.len(),
            p.velocity.len(),
            p.radius.len(),
            p.material.len(),
            p.status.len(),
            p.normal.len(),
            p.triangle.len(),
            p.born.len(),
            p.key.len(),
        ];
        if lengths.iter().any(|&n| n != p.len()) {
            return Some("its columns differ in length");
        }
        if p.film.len() > p.len() {
            return Some("it remembers more films than there are particles");
        }
        if p.foot.len() > p.len() {
            return Some("it remembers more feet than there are particles");
        }
        if p.ride.len() > p.len() {
            return Some("it remembers more rides than there are particles");
        }
        let rides = p.ride.iter().flat_map(|r| r.place.iter().chain(r.normal.iter()));
        if !rides.into_iter().all(|x| x.is_finite()) {
            return Some("a ride of it is not finite");
        }
        if !p.foot.iter().flatten().all(|x| x.is_finite()) {
            return Some("a foot of it is not finite");
        }
        let mut id = p.id.clone();
        id.sort_unstable();
        if !id.is_sorted_by(|a, b| a < b) || id.last().is_some_and(|&last| last >= self.tally.born) {
            return Some("its birth numbers are not each one's own");
        }
        let numbers = p.position.iter().flat_map(|x| x.iter());
        let numbers = numbers
            .chain(p.velocity.iter().flat_map(|x| x.iter()))
            .chain(&p.radius);
        if !numbers.chain(&p.born).all(|x| x.is_finite()) {
            return Some("a number of it is not finite");
        }
        None
    }
}

#[cfg(test)]
mod tests;
