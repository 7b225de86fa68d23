//! Births: where, when and how fast particles appear.
//!
//! A shape says where; counting and timing are here and the same for all. A new shape is a new file, a variant of
//! `scene::Shape` and an arm of [`Source::build`]. Nothing here looks at the scenery's colliders.

mod ball;
mod disc;
mod grid;
mod mesh_surface;
mod point;
mod region;

use rayon::prelude::*;

use crate::material::{Material, RadiusLaw};
use crate::math::{Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::rng::{Purpose, Stream, identity, stream};
use crate::scene::{Emitter, Shape};
use crate::state::Birth;

/// Where births happen.
pub trait Place: Send + Sync {
    /// The centre [m] of birth number `index` with this radius [m].
    fn place(&self, index: u64, radius: Real, draws: &mut Stream) -> Point3;
}

/// An emitter that is ready to give births.
pub struct Source {
    place: Box<dyn Place>,
    emitter: Emitter,
    radius: RadiusLaw,
    /// Number of the emitter in the scene: part of every draw's identity.
    number: u64,
    seed: u64,
}

impl Source {
    /// Prepares emitter `number`; `meshes` are placed in the world.
    pub fn build(
        number: usize,
        emitter: &Emitter,
        materials: &[Material],
        meshes: &[Mesh],
        seed: u64,
    ) -> Self {
        let place: Box<dyn Place> = match emitter.shape {
            Shape::Point { at } => Box::new(point::Point(at)),
            Shape::Disc {
                center,
                normal,
                radius,
            } => Box::new(disc::Disc::new(center, normal, radius)),
            Shape::Box { bounds } => Box::new(region::Region(bounds)),
            Shape::Sphere { center, radius } => Box::new(ball::Ball { center, radius }),
            Shape::Grid {
                origin,
                u,
                v,
                count,
                jitter,
            } => Box::new(grid::Grid {
                origin,
                u,
                v,
                count,
                jitter,
            }),
            Shape::MeshSurface {
                mesh,
                ref group,
                offset,
            } => Box::new(mesh_surface::MeshSurface::new(
                &meshes[mesh],
                group.as_deref(),
                offset,
            )),
        };
        Self {
            place,
            emitter: emitter.clone(),
            radius: materials[emitter.material].radius,
            number: number as u64,
            seed,
        }
    }

    /// What the scene says of this emitter.
    pub fn emitter(&self) -> &Emitter {
        &self.emitter
    }

    /// How many births are due before or at `time` [s], not counting a burst that starts at that very moment.
    pub fn due(&self, time: Real) -> u64 {
        let e = &self.emitter;
        if time <= e.start {
            return 0;
        }
        // A product that should be whole may come out an ulp short; that must not cost a birth.
        let flow = e.rate * (time.min(e.stop) - e.start) * (1.0 + 4.0 * Real::EPSILON);
        e.count.saturating_add(flow as u64)
    }

    /// Moment [s] of birth number `index`: the burst first, then evenly spaced.
    fn moment(&self, index: u64) -> Real {
        let e = &self.emitter;
        match index.checked_sub(e.count) {
            None => e.start,
            Some(nth) => e.start + (nth + 1) as Real / e.rate,
        }
    }

    /// Birth number `index`: the same whenever and wherever it is asked for.
    pub fn birth(&self, index: u64) -> Birth {
        let e = &self.emitter;
        let mut draws = stream(self.seed, Purpose::Birth, self.number, index);
        let time = self.moment(index);
        let radius = draw_radius(&self.radius, &mut draws);
        let velocity = draw_velocity(e, &mut draws);
        let position = self.place.place(index, radius, &mut draws) + e.motion * (time - e.start);
        Birth {
            position,
            velocity,
            radius,
            material: e.material as u16,
            time,
            key: identity(self.number, index),
        }
    }

    /// Births `from .. to`, in order.
    pub fn births(&self, from: u64, to: u64) -> Vec<Birth> {
        let count = usize::try_from(to - from).unwrap_or(usize::MAX);
        (0..count)
            .into_par_iter()
            .with_min_len(1024)
            .map(|i| self.birth(from + i as u64))
            .collect()
    }
}

fn draw_radius(law: &RadiusLaw, draws: &mut Stream) -> Real {
    match *law {
        RadiusLaw::Constant(r) => r,
        RadiusLaw::Uniform { min, max } => draws.between(min, max),
        RadiusLaw::LogNormal { median, spread } => median * libm::exp(spread * draws.normal()),
    }
}

/// Evenly over the cap of directions within `spread_deg` of the mean, speed evenly within its variation.
fn draw_velocity(e: &Emitter, draws: &mut Stream) -> Vec3 {
    let speed = e.velocity.norm();
    if speed == 0.0 {
        return e.velocity;
    }
    let mut velocity = e.velocity;
    if e.spread_deg > 0.0 {
        let axis = e.velocity / speed;
        let (u, v) = perpendiculars(&axis);
        let cos = draws.between(libm::cos(e.spread_deg.to_radians()), 1.0);
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let angle = draws.between(0.0, 2.0 * std::f64::consts::PI);
        let side = u * libm::cos(angle) + v * libm::sin(angle);
        velocity = (axis * cos + side * sin) * speed;
    }
    if e.speed_variation > 0.0 {
        velocity *= 1.0 + e.speed_variation * draws.between(-1.0, 1.0);
    }
    velocity
}

/// Two unit vectors that make a right-handed frame with the unit vector `axis`.
fn perpendiculars(axis: &Vec3) -> (Vec3, Vec3) {
    let other = if axis.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let u = axis.cross(&other).normalize();
    (u, axis.cross(&u))
}

#[cfg(test)]
mod tests;
