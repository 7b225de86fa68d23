//! Births: where, when and how fast particles appear.
//!
//! A shape says where; counting and timing are here and the same for all. A new shape is a new file, a variant of
//! `scene::Shape` and an arm of [`Source::build`]. Nothing here looks at the scenery's colliders.

mod ball;
mod cone;
mod disc;
mod grid;
mod mesh_surface;
pub mod mesh_volume;
mod point;
mod region;

use rayon::prelude::*;

use crate::material::{Material, RadiusLaw};
use crate::math::{Point3, Real, Vec3, perpendiculars};
use crate::mesh::Mesh;
use crate::rng::{Purpose, Stream, identity, stream};
use crate::scene::{Emitter, Shape};
use crate::state::Birth;

/// Where births happen.
pub trait Place: Send + Sync {
    /// The centre [m] of birth number `index` with this radius [m].
    fn place(&self, index: u64, radius: Real, draws: &mut Stream) -> Point3;

    /// The same, and the velocity [m/s] that the place itself gives.
    fn throw(&self, index: u64, radius: Real, draws: &mut Stream) -> (Point3, Vec3) {
        (self.place(index, radius, draws), Vec3::zeros())
    }

    /// Whether it gives a velocity.
    fn throws(&self) -> bool {
        false
    }
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
            // World building has made sure that there is an inside.
            Shape::MeshVolume { mesh } => match mesh_volume::MeshVolume::new(&meshes[mesh]) {
                Ok(volume) => Box::new(volume),
                Err(_) => Box::new(point::Point(Point3::origin())),
            },
            Shape::Cone {
                center,
                direction,
                radius,
                angle_deg,
                speed,
            } => Box::new(cone::Cone::new(center, direction, radius, angle_deg, speed)),
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
        self.emitter.due(time)
    }

    /// Birth number `index`: the same whenever and wherever it is asked for.
    pub fn birth(&self, index: u64) -> Birth {
        let e = &self.emitter;
        let mut draws = stream(self.seed, Purpose::Birth, self.number, index);
        let time = e.moment(index);
        let radius = draw_radius(&self.radius, &mut draws);
        let spray = Spray::draw(e, self.place.throws(), &mut draws);
        let (place, throw) = self.place.throw(index, radius, &mut draws);
        let mut velocity = spray.turn(e.velocity + throw);
        if e.inherit_velocity > 0.0 {
            velocity += e.own_velocity(time) * e.inherit_velocity;
        }
        Birth {
            position: place + e.shift(time),
            velocity,
            radius,
            material: e.material as u16,
            time,
            key: identity(self.number, index),
        }
    }

    /// A birth that happens later [s] than it was due: the emitter has moved on.
    pub fn delayed(&self, birth: &Birth, time: Real) -> Birth {
        let e = &self.emitter;
        Birth {
            position: birth.position + (e.shift(time) - e.shift(birth.time)),
            time,
            ..*birth
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

/// A radius [m] by its law.
pub fn draw_radius(law: &RadiusLaw, draws: &mut Stream) -> Real {
    match *law {
        RadiusLaw::Constant(r) => r,
        RadiusLaw::Uniform { min, max } => draws.between(min, max),
        RadiusLaw::LogNormal { median, spread } => median * libm::exp(spread * draws.normal()),
    }
}

/// How one birth's velocity differs from the mean: evenly over the cap of directions within `spread_deg` of it, speed
/// evenly within its variation.
struct Spray {
    /// Cosine of the angle to the mean, and the angle about it [radians].
    aside: Option<[Real; 2]>,
    factor: Option<Real>,
}

impl Spray {
    /// Draws only what the scene asks for: nothing varies about a velocity of zero.
    fn draw(e: &Emitter, throws: bool, draws: &mut Stream) -> Self {
        let moves = throws || e.velocity.norm() != 0.0;
        let mut aside = || {
            let cos = draws.between(libm::cos(e.spread_deg.to_radians()), 1.0);
            [cos, draws.between(0.0, 2.0 * std::f64::consts::PI)]
        };
        let aside = (moves && e.spread_deg > 0.0).then(&mut aside);
        let mut factor = || 1.0 + e.speed_variation * draws.between(-1.0, 1.0);
        let factor = (moves && e.speed_variation > 0.0).then(&mut factor);
        Self { aside, factor }
    }

    /// The velocity of this birth about a mean [m/s].
    fn turn(&self, mean: Vec3) -> Vec3 {
        let speed = mean.norm();
        if speed == 0.0 {
            return mean;
        }
        let mut velocity = mean;
        if let Some([cos, angle]) = self.aside {
            let axis = mean / speed;
            let (u, v) = perpendiculars(&axis);
            let sin = (1.0 - cos * cos).max(0.0).sqrt();
            let side = u * libm::cos(angle) + v * libm::sin(angle);
            velocity = (axis * cos + side * sin) * speed;
        }
        if let Some(factor) = self.factor {
            velocity *= factor;
        }
        velocity
    }
}

#[cfg(test)]
mod tests;
