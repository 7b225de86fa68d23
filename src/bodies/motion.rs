//! How a rigid body moves between impulses: its momenta are kept exactly, and so is the energy of its spin.
//!
//! Momentum and angular momentum of the world's frame are the state. The turn is an implicit midpoint step of the angular
//! momentum as the body sees it, followed by the Cayley turn, which fits it: both invariants of free spin are kept to
//! rounding at any step (Austin, Krishnaprasad & Wang 1993, Almost Poisson integration of rigid body systems).

use crate::math::{Matrix3, Point3, Quaternion, Real, Vec3};

/// Iterations of the midpoint rule: each gains about the turn of a step, a few hundredths.
const ITERATIONS: usize = 15;

/// Where a body is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Centre of mass [m].
    pub center: Point3,
    /// From the body's axes to the world's.
    pub turn: Quaternion,
    /// Velocity of the centre [m/s].
    pub velocity: Vec3,
    /// Angular momentum about the centre [kg m2/s].
    pub angular: Vec3,
}

/// What resists a change of motion, in the body's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass [kg].
    pub mass: Real,
    /// Inertia about the centre [kg m2].
    pub tensor: Matrix3,
    /// The inverse of `tensor`.
    pub inverse: Matrix3,
}

impl Inertia {
    /// Of a mass, in kg, and an inertia tensor; `None` if it cannot turn about every axis.
    pub fn new(mass: Real, tensor: Matrix3) -> Option<Self> {
        let inverse = tensor.try_inverse()?;
        (mass > 0.0 && inverse.iter().all(|x| x.is_finite())).then_some(Self {
            mass,
            tensor,
            inverse,
        })
    }
}

impl Motion {
    /// Angular velocity [rad/s].
    pub fn spin(&self, inertia: &Inertia) -> Vec3 {
        self.turn * (inertia.inverse * (self.turn.inverse() * self.angular))
    }

    /// Velocity of the body at a place of the world [m/s].
    pub fn velocity_at(&self, inertia: &Inertia, place: &Point3) -> Vec3 {
        self.velocity + self.spin(inertia).cross(&(place - self.center))
    }

    /// A place of the body, from its centre in its axes, in the world.
    pub fn to_world(&self, place: &Vec3) -> Point3 {
        self.center + self.turn * place
    }

    /// A place of the world as the body sees it.
    pub fn to_body(&self, place: &Point3) -> Vec3 {
        self.turn.inverse() * (place - self.center)
    }

    /// Energy of motion [J].
    pub fn kinetic_energy(&self, inertia: &Inertia) -> Real {
        0.5 * (inertia.mass * self.velocity.norm_squared() + self.angular.dot(&self.spin(inertia)))
    }

    /// Adds an impulse [kg m/s] at a place of the world.
    pub fn push(&mut self, inertia: &Inertia, place: &Point3, impulse: &Vec3) {
        self.velocity += impulse / inertia.mass;
        self.angular += (place - self.center).cross(impulse);
    }

    /// Velocity that a place of the world gets along a unit vector by an impulse along it [1/kg].
    pub fn gives(&self, inertia: &Inertia, place: &Point3, along: &Vec3) -> Real {
        let twist = self.turn.inverse() * (place - self.center).cross(along);
        1.0 / inertia.mass + twist.dot(&(inertia.inverse * twist))
    }

    /// Moves on by `dt` [s] under `gravity` [m/s2] alone.
    pub fn advance(&mut self, inertia: &Inertia, gravity: &Vec3, dt: Real) {
        self.velocity += gravity * dt;
        self.center += (self.velocity - gravity * (0.5 * dt)) * dt;
        self.turn_on(inertia, dt);
    }

    /// Turns on by `dt` [s] without any torque.
    pub fn turn_on(&mut self, inertia: &Inertia, dt: Real) {
        if self.angular == Vec3::zeros() {
            return;
        }
        let before = self.turn.inverse() * self.angular;
        let mut after = before;
        let mut spin = Vec3::zeros();
        for _ in 0..ITERATIONS {
            let middle = (before + after) * 0.5;
            spin = inertia.inverse * middle;
            after = before + middle.cross(&spin) * dt;
        }
        self.turn = cayley(&self.turn, &(spin * (0.5 * dt)));
    }
}

/// `turn` followed, in the body's axes, by the turn whose quaternion is 1 + `half`, made a unit.
fn cayley(turn: &Quaternion, half: &Vec3) -> Quaternion {
    let step = nalgebra::Quaternion::from_parts(1.0, *half);
    Quaternion::new_normalize(turn.quaternion() * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brick() -> Inertia {
        Inertia::new(6.0, Matrix3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0))).expect("a body")
    }

    fn at_rest() -> Motion {
        Motion {
            center: Point3::origin(),
            turn: Quaternion::identity(),
            velocity: Vec3::zeros(),
            angular: Vec3::zeros(),
        }
    }

    /// Spin about the middle axis is unstable: the brick tumbles over and over, and keeps its energy all the same.
    #[test]
    fn a_tumbling_brick_keeps_its_energy_and_its_angular_momentum() {
        let inertia = brick();
        for step in [0.01, 0.05, 0.2] {
            let mut motion = at_rest();
            motion.angular = Vec3::new(0.02, 2.0, 0.01);
            let (energy, angular) = (motion.kinetic_energy(&inertia), motion.angular);
            let mut tumbled = 0;
            let mut side = true;
            for _ in 0..10_000 {
                motion.turn_on(&inertia, step);
                let change = (motion.kinetic_energy(&inertia) / energy - 1.0).abs();
                assert!(change < 1e-10, "step {step}: {change}");
                let up = (motion.turn.inverse() * motion.angular).y > 0.0;
                tumbled += usize::from(up != side);
                side = up;
            }
            assert_eq!(motion.angular, angular);
            assert!(tumbled > 3, "step {step}: turned over {tumbled} times");
        }
    }

    /// About an axis of symmetry the turn is the one of a steady spin: 2 atan(w dt / 2) a step.
    #[test]
    fn a_steady_spin_turns_by_the_angle_of_its_steps() {
        let inertia = brick();
        let mut motion = at_rest();
        motion.angular = Vec3::new(0.0, 0.0, 3.0);
        let (steps, dt) = (1000, 1e-3);
        (0..steps).for_each(|_| motion.turn_on(&inertia, dt));
        let angle = f64::from(steps) * 2.0 * libm::atan(0.5 * dt);
        let x = motion.turn * Vec3::x();
        assert!((x - Vec3::new(libm::cos(angle), libm::sin(angle), 0.0)).norm() < 1e-12);
    }

    #[test]
    fn free_fall_is_the_parabola_whatever_the_step() {
        let inertia = brick();
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        for steps in [1, 7, 1000] {
            let mut motion = at_rest();
            motion.velocity = Vec3::new(1.0, 4.0, -2.0);
            (0..steps).for_each(|_| motion.advance(&inertia, &gravity, 0.5 / f64::from(steps)));
            let expected = Point3::new(0.5, 2.0 - 0.5 * 9.81 * 0.25, -1.0);
            assert!((motion.center - expected).norm() < 1e-12, "{}", motion.center);
        }
    }

    #[test]
    fn an_impulse_beside_the_centre_turns_and_pushes() {
        let inertia = brick();
        let mut motion = at_rest();
        let (place, impulse) = (Point3::new(0.0, 1.0, 0.0), Vec3::new(3.0, 0.0, 0.0));
        assert_eq!(motion.gives(&inertia, &place, &Vec3::x()), 0.5);
        motion.push(&inertia, &place, &impulse);
        assert_eq!(motion.velocity, Vec3::new(0.5, 0.0, 0.0));
        assert_eq!(motion.spin(&inertia), Vec3::new(0.0, 0.0, -1.0));
        assert_eq!(motion.velocity_at(&inertia, &place), Vec3::new(1.5, 0.0, 0.0));
    }
}
