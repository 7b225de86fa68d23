//! An elastic body in motion: explicit steps within the bound of the speed of sound, or implicit ones of any length.
//!
//! Explicit is symplectic Euler. Implicit is backward Euler, linearised once a step, solved by conjugate gradients (Baraff
//! & Witkin 1998, Large steps in cloth simulation); the sideways stiffness of shortened springs, which is negative, is left
//! out. It is stable at any step and never gains energy, but damps what swings.

use super::lattice::Lattice;
use crate::math::{Matrix3, Point3, Real, Vec3};
pub use touch::{Free, Met, Obstacle};

mod flow;
mod touch;

/// Residual of the implicit step at which the solver stops, as a share of the first one.
const ENOUGH: Real = 1e-6;
/// Share of its volume below which a cube pushes back as a whole, so that it does not turn inside out: springs at rest inside
/// out are at rest too.
const LEAST_VOLUME: Real = 0.5;
/// The same of what yields: it has no springs left that hold its volume.
const LEAST_FLOWING: Real = 0.98;
/// How stiff it is then, in Young's moduli.
const PUSH_BACK: Real = 4.0;
/// Speed of a corner against the mean of its body at the most, in speeds of sound.
const FASTEST: Real = 3.0;
/// Explicit steps that cost as much as an implicit one.
const EXPLICIT: Real = 100.0;

/// Corners of a lattice, and how they move.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Elastic {
    /// Places [m].
    pub at: Vec<Point3>,
    /// Velocities [m/s].
    pub velocity: Vec<Vec3>,
    /// Along which axes a corner cannot move, a bit each.
    pub held: Vec<u8>,
    /// Lengths of the springs at rest, which change where it yields [m].
    pub rest: Vec<Real>,
    /// How often a corner was slowed down because it was far quicker than sound, as what is torn or crushed is.
    pub tamed: u64,
    memory: Memory,
}

/// Room for the work of a step, without meaning between two.
#[derive(Debug, Clone, Default)]
struct Memory {
    from: Vec<Point3>,
    before: Vec<Vec3>,
    pushed: Vec<Vec3>,
    swell: Vec<Real>,
}

impl PartialEq for Memory {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Elastic {
    /// The lattice at rest, free.
    pub fn new(lattice: &Lattice) -> Self {
        let count = lattice.rest.len();
        Self {
            at: lattice.rest.clone(),
            velocity: vec![Vec3::zeros(); count],
            held: vec![0; count],
            rest: lattice.springs.iter().map(|s| s.rest).collect(),
            tamed: 0,
            memory: Memory::default(),
        }
    }

    /// The same with all corners moving at this velocity [m/s].
    #[must_use]
    pub fn moving(mut self, velocity: Vec3) -> Self {
        self.velocity.fill(velocity);
        self
    }

    /// Moves on through a span of time [s] under `gravity` [m/s2]: in as many explicit steps as that takes, or in one implicit
    /// step where these would be more than a hundred. Gives the number of explicit steps, 0 for an implicit one.
    pub fn advance(
        &mut self,
        lattice: &Lattice,
        gravity: &Vec3,
        span: [Real; 2],
        obstacle: &mut dyn Obstacle,
    ) -> u32 {
        let time = span[1] - span[0];
        let steps = (time / lattice.step()).ceil().max(1.0);
        if steps > EXPLICIT {
            self.remember();
            self.implicit(lattice, gravity, time);
            self.end_step(lattice, span, obstacle);
            return 0;
        }
        let at = |k: Real| span[0] + time * (k / steps);
        for k in 0..steps as u32 {
            let part = [at(Real::from(k)), at(Real::from(k + 1))];
            self.remember();
            self.explicit(lattice, gravity, time / steps);
            self.end_step(lattice, part, obstacle);
        }
        steps as u32
    }

    /// Keeps where corners are at the start of a step.
    fn remember(&mut self) {
        self.memory.from.clone_from(&self.at);
    }

    fn end_step(&mut self, lattice: &Lattice, span: [Real; 2], obstacle: &mut dyn Obstacle) {
        self.hold_back(lattice, span, obstacle);
        self.give_in(lattice);
        self.tame(lattice);
    }

    /// Slows down what is far quicker than sound against the mean of the body: no wave does that, and no step is short enough
    /// for it.
    fn tame(&mut self, lattice: &Lattice) {
        let whole: Real = lattice.mass.iter().sum();
        let momentum = lattice.mass.iter().zip(&self.velocity);
        let mean = momentum.fold(Vec3::zeros(), |sum, (m, v)| sum + v * *m) / whole;
        let most = FASTEST * lattice.stuff.sound();
        for velocity in &mut self.velocity {
            let own = *velocity - mean;
            let speed = own.norm();
            if speed > most {
                *velocity = mean + own * (most / speed);
                self.tamed += 1;
            }
        }
    }

    /// One step of symplectic Euler. Above [`Lattice::stable_step`] it explodes.
    pub fn explicit(&mut self, lattice: &Lattice, gravity: &Vec3, dt: Real) {
        let mut before = std::mem::take(&mut self.memory.before);
        let mut pushed = std::mem::take(&mut self.memory.pushed);
        before.clone_from(&self.velocity);
        self.push_back(lattice, &mut pushed);
        for i in 0..self.at.len() {
            let force = self.force(lattice, &before, i) + pushed[i];
            let gain = (force / lattice.mass[i] + gravity) * dt;
            self.velocity[i] = free(&(before[i] + gain), self.held[i]);
        }
        for (at, velocity) in self.at.iter_mut().zip(&self.velocity) {
            *at += velocity * dt;
        }
        (self.memory.before, self.memory.pushed) = (before, pushed);
    }

    /// Force of the springs on a corner [N].
    fn force(&self, lattice: &Lattice, velocity: &[Vec3], i: usize) -> Vec3 {
        let damping = lattice.damping_time();
        let mut force = Vec3::zeros();
        for &(spring, other) in lattice.springs_of(i) {
            let (spring, rest) = (&lattice.springs[spring as usize], self.rest[spring as usize]);
            let along = self.at[other as usize] - self.at[i];
            let length = along.norm();
            if length > 0.0 {
                let unit = along / length;
                let parting = (velocity[other as usize] - velocity[i]).dot(&unit);
                force += unit * (spring.stiffness * (length - rest + damping * parting));
            }
        }
        force
    }

    /// Forces on the corners of cubes that are squeezed to less than [`LEAST_VOLUME`] [N].
    fn push_back(&self, lattice: &Lattice, forces: &mut Vec<Vec3>) {
        forces.clear();
        forces.resize(self.at.len(), Vec3::zeros());
        let least = least_volume(lattice);
        let whole = lattice.edge * lattice.edge * lattice.edge;
        for cube in &lattice.cubes {
            let sides = self.sides(cube);
            let share = sides[0].dot(&sides[1].cross(&sides[2])) / whole;
            if share >= least {
                continue;
            }
            let pressure = PUSH_BACK * lattice.stuff.young * (least - share);
            for axis in 0..3 {
                let area = sides[(axis + 1) % 3].cross(&sides[(axis + 2) % 3]);
                for (k, &corner) in cube.iter().enumerate() {
                    let outward = if k >> axis & 1 == 1 { 0.25 } else { -0.25 };
                    forces[corner as usize] += area * (pressure * outward);
                }
            }
        }
    }

    /// Mean edges of a cube along its three axes [m].
    fn sides(&self, cube: &[u32; 8]) -> [Vec3; 3] {
        [0, 1, 2].map(|axis| {
            let signed = |sum: Vec3, (k, &corner): (usize, &u32)| {
                let at = self.at[corner as usize].coords;
                if k >> axis & 1 == 1 { sum + at } else { sum - at }
            };
            cube.iter().enumerate().fold(Vec3::zeros(), signed) * 0.25
        })
    }

    /// One step of backward Euler: (M + dt (b + dt) K) dv = dt (f + dt K v), b the damping.
    pub fn implicit(&mut self, lattice: &Lattice, gravity: &Vec3, dt: Real) {
        let stiff = self.stiffness(lattice);
        let weight = dt * (dt + lattice.damping_time());
        let turned = spread(lattice, &stiff, &self.velocity);
        let right: Vec<Vec3> = (0..self.at.len())
            .map(|i| {
                let force = self.force(lattice, &self.velocity, i) + gravity * lattice.mass[i];
                free(&((force - turned[i] * dt) * dt), self.held[i])
            })
            .collect();
        let apply = |v: &[Vec3]| -> Vec<Vec3> {
            let spread = spread(lattice, &stiff, v);
            (0..v.len())
                .map(|i| free(&(v[i] * lattice.mass[i] + spread[i] * weight), self.held[i]))
                .collect()
        };
        let gain = conjugate_gradients(apply, &right);
        for ((at, velocity), gain) in self.at.iter_mut().zip(&mut self.velocity).zip(gain) {
            *velocity += gain;
            *at += *velocity * dt;
        }
    }

    /// Derivative of the force of each spring by its length and direction, positive semidefinite [N/m].
    fn stiffness(&self, lattice: &Lattice) -> Vec<Matrix3> {
        (lattice.springs.iter().zip(&self.rest))
            .map(|(s, rest)| {
                let along = self.at[s.ends[1] as usize] - self.at[s.ends[0] as usize];
                let length = along.norm();
                if length == 0.0 {
                    return Matrix3::zeros();
                }
                let unit = along / length;
                let outer = unit * unit.transpose();
                let sideways = (1.0 - rest / length).max(0.0);
                (outer + (Matrix3::identity() - outer) * sideways) * s.stiffness
            })
            .collect()
    }

    /// Kinetic energy, energy in springs and squeezed cubes, and against `gravity` [J].
    pub fn energy(&self, lattice: &Lattice, gravity: &Vec3) -> Real {
        let moving: Real = (lattice.mass.iter().zip(&self.velocity).zip(&self.at))
            .map(|((m, v), at)| m * (0.5 * v.norm_squared() - gravity.dot(&at.coords)))
            .sum();
        let stretched: Real = (lattice.springs.iter().zip(&self.rest))
            .map(|(s, rest)| {
                let length = (self.at[s.ends[1] as usize] - self.at[s.ends[0] as usize]).norm();
                0.5 * s.stiffness * (length - rest) * (length - rest)
            })
            .sum();
        let whole = lattice.edge * lattice.edge * lattice.edge;
        let least = least_volume(lattice);
        let squeezed: Real = (lattice.cubes.iter())
            .map(|cube| {
                let [a, b, c] = self.sides(cube);
                let lacking = (least - a.dot(&b.cross(&c)) / whole).max(0.0);
                0.5 * PUSH_BACK * lattice.stuff.young * whole * lacking * lacking
            })
            .sum();
        moving + stretched + squeezed
    }
}

/// Share of its volume below which a cube pushes back.
fn least_volume(lattice: &Lattice) -> Real {
    if lattice.stuff.yields.is_finite() {
        LEAST_FLOWING
    } else {
        LEAST_VOLUME
    }
}

/// What is left of a vector at a corner that is held along some axes.
fn free(v: &Vec3, held: u8) -> Vec3 {
    let keep = |axis: usize| if held >> axis & 1 == 1 { 0.0 } else { v[axis] };
    Vec3::new(keep(0), keep(1), keep(2))
}

/// The stiffness matrix times a vector.
fn spread(lattice: &Lattice, stiff: &[Matrix3], v: &[Vec3]) -> Vec<Vec3> {
    (0..v.len())
        .map(|i| {
            let own = |sum: Vec3, &(spring, other): &(u32, u32)| {
                sum + stiff[spring as usize] * (v[i] - v[other as usize])
            };
            lattice.springs_of(i).iter().fold(Vec3::zeros(), own)
        })
        .collect()
}

fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

/// Solves `apply(x) = right`. Sums go in order of the corners, so the answer depends on nothing else.
fn conjugate_gradients(apply: impl Fn(&[Vec3]) -> Vec<Vec3>, right: &[Vec3]) -> Vec<Vec3> {
    let mut x = vec![Vec3::zeros(); right.len()];
    let mut rest = right.to_vec();
    let mut along = rest.clone();
    let first = dot(&rest, &rest);
    let mut square = first;
    // In exact arithmetic it ends after as many rounds as there are unknowns.
    for _ in 0..3 * right.len() {
        if square <= ENOUGH * ENOUGH * first {
            break;
        }
        let image = apply(&along);
        let step = square / dot(&along, &image);
        if !step.is_finite() {
            break;
        }
        for i in 0..x.len() {
            x[i] += along[i] * step;
            rest[i] -= image[i] * step;
        }
        let next = dot(&rest, &rest);
        for (along, rest) in along.iter_mut().zip(&rest) {
            *along = rest + *along * (next / square);
        }
        square = next;
    }
    x
}

#[cfg(test)]
mod tests;
