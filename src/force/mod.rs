//! Motion between touches: what pushes a particle, and its velocity after a while.
//!
//! A force adds to a [`Push`]; the integration is here and the same for all. A new force is a new file, a
//! variant of `ForceKind` and an arm of `make`.

mod attractor;
mod drag;
mod drift;
mod flutter;
mod gravity;
mod noise;
mod shelter;
mod turbulence;
mod vortex;
mod wind;
mod within;

use crate::collide::Collider;
use crate::keyed::Keyed;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::{ForceKind, ForceSpec};
use drift::Drift;
use noise::Noise;
use shelter::Shelter;
pub use within::share as share_of_region;

/// What acts on a particle at one place and moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Push {
    /// Acceleration that does not depend on velocity [m/s2].
    pub acceleration: Vec3,
    /// Velocity of the air [m/s].
    pub air: Vec3,
    /// Linear drag coefficient [1/s].
    pub linear: Real,
    /// Quadratic drag coefficient [1/m].
    pub quadratic: Real,
}

/// Whom a force acts on.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// Where it is [m].
    pub place: Point3,
    /// When [s].
    pub time: Real,
    /// Its identity, for what differs between particles.
    pub key: u64,
}

/// Something that acts on particles in flight. It is asked once a leg.
pub trait Force: Send + Sync {
    /// Adds its share.
    fn add(&self, on: &Subject, push: &mut Push);

    /// Whether it is the same always, everywhere and for all: such forces are added up once.
    fn is_steady(&self) -> bool {
        false
    }
}

/// What forces need to know of the world when they are made.
pub struct Setting<'a> {
    /// Seed of every random draw.
    pub seed: u64,
    /// Box around the scenery; empty without one.
    pub bounds: Aabb,
    /// What the wind blows against.
    pub scenery: &'a dyn Collider,
}

/// All forces of a scene.
pub struct Forces {
    steady: Push,
    varying: Vec<Box<dyn Force>>,
}

impl Forces {
    /// The forces that a scene names, gravity among them.
    pub fn build(gravity: Vec3, specs: &[ForceSpec], setting: &Setting<'_>) -> Self {
        let mut forces = Self {
            steady: Push::default(),
            varying: Vec::new(),
        };
        forces.push(Box::new(gravity::Gravity(gravity.into())));
        for (number, spec) in specs.iter().enumerate() {
            let force = make(number as u64, spec, specs, setting);
            forces.push(match spec.region {
                Some(region) => Box::new(within::Within { force, region }),
                None => force,
            });
        }
        forces
    }

    fn push(&mut self, force: Box<dyn Force>) {
        if force.is_steady() {
            let anywhere = Subject {
                place: Point3::origin(),
                time: 0.0,
                key: 0,
            };
            force.add(&anywhere, &mut self.steady);
        } else {
            self.varying.push(force);
        }
    }

    /// What acts on the particle of this key at a place [m] and moment [s].
    pub fn at(&self, place: &Point3, time: Real, key: u64) -> Push {
        let on = Subject {
            place: *place,
            time,
            key,
        };
        let mut push = self.steady;
        for force in &self.varying {
            force.add(&on, &mut push);
        }
        push
    }
}

/// Force `number` of a scene.
fn make(number: u64, spec: &ForceSpec, all: &[ForceSpec], setting: &Setting<'_>) -> Box<dyn Force> {
    let noise = || Noise::new(setting.seed, number);
    match &spec.kind {
        ForceKind::Wind(wind) => Box::new(wind::Wind {
            velocity: wind.velocity.clone(),
            gusts: (wind.gusts).map(|gusts| wind::Gusting::new(gusts, noise(), &wind.velocity)),
            profile: wind.profile,
            shelter: (wind.shelter).and_then(|shelter| {
                Shelter::new(&shelter, &largest(&wind.velocity), &setting.bounds, setting.scenery)
            }),
        }),
        ForceKind::Turbulence {
            speed,
            length,
            drift,
        } => Box::new(turbulence::Turbulence {
            speed: speed.clone(),
            length: *length,
            drift: Drift(drift.clone().map_or_else(|| winds(all), |d| vec![d])),
            noise: noise(),
        }),
        ForceKind::Vortex {
            center,
            axis,
            speed,
            rise,
            radius,
        } => Box::new(vortex::Vortex {
            center: *center,
            axis: *axis,
            speed: speed.clone(),
            rise: rise.clone(),
            radius: *radius,
        }),
        ForceKind::Attractor {
            center,
            strength,
            radius,
            falloff,
        } => Box::new(attractor::Attractor {
            center: *center,
            strength: strength.clone(),
            radius: *radius,
            falloff: *falloff,
        }),
        ForceKind::Flutter { amplitude, frequency } => Box::new(flutter::Flutter {
            amplitude: amplitude.clone(),
            frequency: *frequency,
            seed: setting.seed,
        }),
        ForceKind::Acceleration { acceleration } => Box::new(gravity::Gravity(acceleration.clone())),
        ForceKind::LinearDrag { coefficient } => Box::new(drag::Linear(coefficient.clone())),
        ForceKind::QuadraticDrag { coefficient } => Box::new(drag::Quadratic(coefficient.clone())),
    }
}

/// Whether the air moves and nothing lets particles feel it.
pub fn moves_air_in_vain(specs: &[ForceSpec]) -> bool {
    let drags = |s: &ForceSpec| matches!(s.kind, ForceKind::LinearDrag { .. } | ForceKind::QuadraticDrag { .. });
    let pushes = |s: &ForceSpec| matches!(s.kind, ForceKind::Attractor { .. } | ForceKind::Acceleration { .. });
    !specs.iter().any(drags) && specs.iter().any(|s| !pushes(s))
}

/// The winds that blow everywhere.
fn winds(all: &[ForceSpec]) -> Vec<Keyed<Vec3>> {
    let velocity = |spec: &ForceSpec| match &spec.kind {
        ForceKind::Wind(wind) if spec.region.is_none() => Some(wind.velocity.clone()),
        _ => None,
    };
    all.iter().filter_map(velocity).collect()
}

/// The longest velocity of a wind: its direction is that of all, where there is a lee.
fn largest(velocity: &Keyed<Vec3>) -> Vec3 {
    (velocity.keys().iter().map(|k| k.1)).fold(Vec3::zeros(), |a, b| {
        if b.norm_squared() > a.norm_squared() { b } else { a }
    })
}

impl Push {
    /// The velocity [m/s] after `dt` [s] under a constant push.
    ///
    /// Backward Euler, solved exactly: with u the velocity through the air and a = u0 + g dt,
    /// u1 (1 + k dt + q |u1| dt) = a, so u1 is parallel to a and s = |u1| solves the quadratic
    /// q dt s^2 + (1 + k dt) s - |a| = 0. However long the step, drag never reverses a motion, the terminal
    /// speed is a fixed point and it is approached from one side.
    pub fn velocity_after(&self, velocity: &Vec3, dt: Real) -> Vec3 {
        let a = velocity - self.air + self.acceleration * dt;
        if self.linear == 0.0 && self.quadratic == 0.0 {
            return velocity + self.acceleration * dt;
        }
        let b = 1.0 + self.linear * dt;
        // 2 / (b + sqrt(b^2 + 4 q dt |a|)) is s / |a|, free of cancellation.
        let share = 2.0 / (b + (b * b + 4.0 * self.quadratic * dt * a.norm()).sqrt());
        self.air + a * share
    }
}

#[cfg(test)]
mod tests;
