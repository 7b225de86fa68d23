//! Motion between touches: what pushes a particle, and its velocity after a while.
//!
//! A force adds to a [`Push`]; the integration is here and the same for all. A new force is a new file, a
//! variant of `ForceSpec` and an arm of [`Forces::build`].

mod drag;
mod gravity;
mod wind;

use crate::math::{Point3, Real, Vec3};
use crate::scene::ForceSpec;

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

/// Something that acts on particles in flight.
pub trait Force: Send + Sync {
    /// Adds its share at a place [m] and moment [s].
    fn add(&self, at: &Point3, time: Real, push: &mut Push);
}

/// All forces of a scene.
pub struct Forces(Vec<Box<dyn Force>>);

impl Forces {
    /// The forces that a scene names, gravity among them.
    pub fn build(gravity: Vec3, specs: &[ForceSpec]) -> Self {
        let mut forces: Vec<Box<dyn Force>> = vec![Box::new(gravity::Gravity(gravity))];
        for spec in specs {
            forces.push(match *spec {
                ForceSpec::Wind { velocity } => Box::new(wind::Wind(velocity)),
                ForceSpec::LinearDrag { coefficient } => Box::new(drag::Linear(coefficient)),
                ForceSpec::QuadraticDrag { coefficient } => Box::new(drag::Quadratic(coefficient)),
            });
        }
        Self(forces)
    }

    /// What acts at a place [m] and moment [s].
    pub fn at(&self, place: &Point3, time: Real) -> Push {
        let mut push = Push::default();
        for force in &self.0 {
            force.add(place, time, &mut push);
        }
        push
    }
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
mod tests {
    use super::*;

    fn fall(push: &Push, v0: Vec3, dt: Real, steps: usize) -> Vec<Real> {
        let mut v = v0;
        (0..steps)
            .map(|_| {
                v = push.velocity_after(&v, dt);
                v.y
            })
            .collect()
    }

    #[test]
    fn quadratic_drag_ends_at_its_terminal_speed_and_never_passes_it() {
        let push = Push {
            acceleration: Vec3::new(0.0, -9.81, 0.0),
            quadratic: 9.81 / 4.0,
            ..Push::default()
        };
        for dt in [1e-4, 0.01, 1.0, 1e3] {
            let n = ((20.0 / dt) as usize).max(40);
            let slow = fall(&push, Vec3::zeros(), dt, n);
            let fast = fall(&push, Vec3::new(0.0, -500.0, 0.0), dt, n);
            assert!((slow[n - 1] + 2.0).abs() < 1e-9, "dt {dt}: {}", slow[n - 1]);
            assert!((fast[n - 1] + 2.0).abs() < 1e-9, "dt {dt}: {}", fast[n - 1]);
            assert!(slow.iter().all(|v| *v >= -2.0 - 1e-12) && fast.iter().all(|v| *v <= -2.0 + 1e-12));
        }
    }

    #[test]
    fn linear_drag_follows_its_exponential_to_first_order() {
        let push = Push {
            linear: 3.0,
            ..Push::default()
        };
        let error = |dt: Real| {
            (fall(&push, Vec3::new(0.0, 1.0, 0.0), dt, (1.0 / dt) as usize)
                .pop()
                .unwrap()
                - libm::exp(-3.0))
            .abs()
        };
        let (coarse, fine) = (error(1.0 / 64.0), error(1.0 / 128.0));
        assert!(
            coarse < 0.005 && (coarse / fine - 2.0).abs() < 0.1,
            "{coarse} {fine}"
        );
    }

    #[test]
    fn wind_carries_what_it_drags() {
        let forces = Forces::build(
            Vec3::zeros(),
            &[
                ForceSpec::Wind {
                    velocity: Vec3::new(4.0, 0.0, 0.0),
                },
                ForceSpec::LinearDrag { coefficient: 2.0 },
            ],
        );
        let push = forces.at(&Point3::origin(), 0.0);
        let mut v = Vec3::zeros();
        for _ in 0..400 {
            v = push.velocity_after(&v, 0.1);
            assert!(v.x <= 4.0);
        }
        assert!((v.x - 4.0).abs() < 1e-9);
    }

    #[test]
    fn without_drag_a_step_is_exact() {
        let push = Push {
            acceleration: Vec3::new(0.0, -10.0, 0.0),
            ..Push::default()
        };
        assert_eq!(
            push.velocity_after(&Vec3::new(1.0, 5.0, 0.0), 0.5),
            Vec3::new(1.0, 0.0, 0.0)
        );
    }
}
