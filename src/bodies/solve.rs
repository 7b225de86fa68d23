//! The impulses of one island of bodies: sequential impulses with Coulomb friction, warm started (Catto 2005, Iterative
//! dynamics with temporal coherence), and restitution that never adds energy.
//!
//! Restitution as Newton has it gains energy where gravity or friction act in the same step. So the island is solved twice,
//! without restitution and with it, and the velocities are blended as far towards the second as the energy allows: contacts
//! and friction cones are convex, so the blend is as good a solution, and impulses still cancel in pairs. What scenery that
//! moves does to them is work, not energy gained.

use super::motion::{Inertia, Motion};
use super::points::{Point, SCENERY};
use crate::math::{Matrix3, Real, Vec3, perpendiculars};

/// Rounds of the solver: so many, and more for each body of the island, because a round carries weight on by a body; no
/// more than the most.
const ROUNDS: usize = 20;
const MORE_ROUNDS: usize = 6;
const MOST_ROUNDS: usize = 80;
/// Approach below which nothing rebounds [m/s] ...
const SLOWEST: Real = 0.5;
/// ... and in gravity's gains of a step.
const GAINS: Real = 2.0;
/// Share of the depth that a step takes back, and what stays.
const BACK: Real = 0.2;

/// A body as the solver sees it.
#[derive(Debug, Clone, Copy)]
pub struct Solid<'a> {
    /// What resists.
    pub inertia: &'a Inertia,
    /// Where it is, and how it moves.
    pub motion: Motion,
}

/// What two surfaces do.
#[derive(Debug, Clone, Copy)]
pub struct Pairing {
    /// Share of the approach speed that comes back, 0 .. 1.
    pub restitution: Real,
    /// Coulomb's coefficient, 0 or more.
    pub friction: Real,
    /// Radius of the particles [m].
    pub radius: Real,
}

/// Velocity and spin.
#[derive(Debug, Clone, Copy, Default)]
struct Speed {
    velocity: Vec3,
    spin: Vec3,
}

impl Speed {
    fn at(&self, arm: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }
}

/// A point made ready.
struct Row {
    /// Numbers in the island; the second is none for the scenery.
    bodies: [Option<usize>; 2],
    arms: [Vec3; 2],
    normal: Vec3,
    across: [Vec3; 2],
    /// Inverse of the mass that the point feels along the normal and across.
    mass: [Real; 3],
    friction: Real,
    /// Least speed apart without restitution [m/s]: negative while there is room.
    room: Real,
    /// The same with it.
    rebound: Real,
    impulse: [Real; 3],
    /// Velocity of the scenery there [m/s].
    surface: Vec3,
}

impl Row {
    /// Impulse on the second body; the first gets the opposite [N s].
    fn all(&self) -> Vec3 {
        self.normal * self.impulse[0] + self.across[0] * self.impulse[1] + self.across[1] * self.impulse[2]
    }
}

/// One island in one step.
pub struct Island<'a> {
    bodies: Vec<Solid<'a>>,
    inverse: Vec<Matrix3>,
    rows: Vec<Row>,
    gravity: Vec3,
    dt: Real,
}

/// What a step of an island came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// How far the velocities went towards full restitution: 1 where energy allows it.
    pub restitution: Real,
}

impl<'a> Island<'a> {
    /// Of bodies and the points between them, whose numbers are those of `bodies`.
    pub fn new(
        bodies: Vec<Solid<'a>>,
        points: &[Point],
        pairing: impl Fn(&Point) -> Pairing,
        gravity: Vec3,
        dt: Real,
    ) -> Self {
        let inverse = bodies.iter().map(|b| {
            let turn = b.motion.turn.to_rotation_matrix();
            turn.matrix() * b.inertia.inverse * turn.matrix().transpose()
        });
        let mut island = Self {
            inverse: inverse.collect(),
            bodies,
            rows: Vec::new(),
            gravity,
            dt,
        };
        let before = island.speeds();
        island.rows = points
            .iter()
            .map(|p| island.row(p, &pairing(p), &before))
            .collect();
        island
    }

    /// Moves the bodies on by a step, and gives the points their impulses.
    pub fn advance(&mut self, points: &mut [Point], pairing: impl Fn(&Point) -> Pairing) -> Outcome {
        let before = self.energy(&self.speeds(), 0.0);
        let start: Vec<Speed> = self
            .speeds()
            .iter()
            .map(|s| Speed {
                velocity: s.velocity + self.gravity * self.dt,
                ..*s
            })
            .collect();
        let mut calm = start.clone();
        self.solve(&mut calm, |row| row.room);
        let mut share = 1.0;
        let mut most = before + self.work();
        if self.rows.iter().any(|row| row.rebound > row.room) {
            let mut lively = start;
            let kept: Vec<[Real; 3]> = self.rows.iter().map(|r| r.impulse).collect();
            self.solve(&mut lively, |row| row.rebound);
            let livelier = before + self.work();
            share = self.blend(&mut calm, &lively, [most, livelier]);
            most += (livelier - most) * share;
            for (row, kept) in self.rows.iter_mut().zip(kept) {
                for (impulse, kept) in row.impulse.iter_mut().zip(kept) {
                    *impulse = kept + (*impulse - kept) * share;
                }
            }
        }
        for (i, speed) in calm.iter().enumerate() {
            let body = &mut self.bodies[i];
            let turn = body.motion.turn;
            body.motion.velocity = speed.velocity;
            body.motion.angular = turn * (body.inertia.tensor * (turn.inverse() * speed.spin));
            body.motion.center += speed.velocity * self.dt;
            body.motion.turn_on(body.inertia, self.dt);
        }
        self.push_apart(points, &pairing, most);
        for (point, row) in points.iter_mut().zip(&self.rows) {
            point.push = row.impulse[0];
            point.drag = row.across[0] * row.impulse[1] + row.across[1] * row.impulse[2];
        }
        Outcome { restitution: share }
    }

    /// What the scenery does to the bodies by its motion [J].
    fn work(&self) -> Real {
        self.rows.iter().map(|row| -row.all().dot(&row.surface)).sum()
    }

    /// The bodies after the step.
    pub fn bodies(&self) -> &[Solid<'a>] {
        &self.bodies
    }

    fn speeds(&self) -> Vec<Speed> {
        (self.bodies.iter())
            .map(|b| Speed {
                velocity: b.motion.velocity,
                spin: b.motion.spin(b.inertia),
            })
            .collect()
    }

    fn row(&self, point: &Point, pairing: &Pairing, before: &[Speed]) -> Row {
        let bodies = point.bodies.map(|b| (b != SCENERY).then_some(b as usize));
        let arms = bodies.map(|b| b.map_or_else(Vec3::zeros, |b| point.place - self.bodies[b].motion.center));
        let (u, v) = perpendiculars(&point.normal);
        let felt = |n: &Vec3| {
            let of = |k: usize| {
                bodies[k].map_or(0.0, |b| {
                    let turned = arms[k].cross(n);
                    1.0 / self.bodies[b].inertia.mass + turned.dot(&(self.inverse[b] * turned))
                })
            };
            1.0 / (of(0) + of(1))
        };
        let at = |k: usize| bodies[k].map_or(point.surface, |b: usize| before[b].at(&arms[k]));
        let apart = (at(1) - at(0)).dot(&point.normal);
        let room = (point.depth / self.dt).min(0.0);
        let slowest = SLOWEST.max(GAINS * self.gravity.norm() * self.dt);
        let hits = -apart > slowest && apart <= room;
        Row {
            bodies,
            arms,
            normal: point.normal,
            across: [u, v],
            mass: [felt(&point.normal), felt(&u), felt(&v)],
            friction: pairing.friction,
            room,
            rebound: if hits {
                (-pairing.restitution * apart).max(room)
            } else {
                room
            },
            impulse: [point.push, point.drag.dot(&u), point.drag.dot(&v)],
            surface: point.surface,
        }
    }

    /// Sequential impulses until the speeds apart are at least those asked for.
    fn solve(&mut self, speeds: &mut [Speed], asked: impl Fn(&Row) -> Real) {
        let rounds = (ROUNDS + MORE_ROUNDS * (self.bodies.len() - 1)).min(MOST_ROUNDS);
        for row in &self.rows {
            push(row, speeds, &self.bodies, &self.inverse, &row.all());
        }
        for _ in 0..rounds {
            for row in &mut self.rows {
                relax(row, speeds, &self.bodies, &self.inverse, asked(row));
            }
        }
    }

    /// Kinetic energy at these speeds, and potential energy after moving with them for `time` [J], from where the bodies are.
    fn energy(&self, speeds: &[Speed], time: Real) -> Real {
        let of = |(b, s): (&Solid, &Speed)| {
            let seen = b.motion.turn.inverse() * s.spin;
            let turning = seen.dot(&(b.inertia.tensor * seen));
            let moving = b.inertia.mass * s.velocity.norm_squared();
            0.5 * (moving + turning) - b.inertia.mass * self.gravity.dot(&(s.velocity * time))
        };
        self.bodies.iter().zip(speeds).map(of).sum()
    }

    /// Moves `calm` as far towards `lively` as keeps the energy at or below `most`, which goes from its first to its second
    /// number on that way; gives the share.
    fn blend(&self, calm: &mut [Speed], lively: &[Speed], most: [Real; 2]) -> Real {
        let at = |share: Real| -> Vec<Speed> {
            (calm.iter().zip(lively))
                .map(|(a, b)| Speed {
                    velocity: a.velocity + (b.velocity - a.velocity) * share,
                    spin: a.spin + (b.spin - a.spin) * share,
                })
                .collect()
        };
        // Above what is allowed.
        let energy = |share: Real| self.energy(&at(share), self.dt) - (most[1] - most[0]) * share;
        let most = most[0];
        // A parabola through three shares.
        let (low, middle, high) = (energy(0.0), energy(0.5), energy(1.0));
        let mut share = 1.0;
        if high > most {
            let (c2, c1, c0) = (
                2.0 * (low + high) - 4.0 * middle,
                4.0 * middle - 3.0 * low - high,
                low - most,
            );
            let root = (c1 * c1 - 4.0 * c2 * c0).max(0.0).sqrt();
            let first = if c2.abs() > 1e-300 {
                (-c1 + root) / (2.0 * c2)
            } else {
                0.0
            };
            share = if first.is_finite() {
                first.clamp(0.0, 1.0)
            } else {
                0.0
            };
            // Rounding may leave it a little above.
            while share > 0.0 && energy(share) > most {
                share = if share > 1e-6 {
                    share * (1.0 - 1e-9) - 1e-12
                } else {
                    0.0
                };
            }
        }
        let blended = at(share);
        calm.copy_from_slice(&blended);
        share
    }

    /// Takes back some of the depth, by places alone: velocities must not learn of it. No further than keeps the energy at or
    /// below `most`.
    fn push_apart(&mut self, points: &[Point], pairing: impl Fn(&Point) -> Pairing, most: Real) {
        let slack = |p: &Point| 0.01 * pairing(p).radius;
        if points.iter().all(|p| p.depth <= slack(p)) {
            return;
        }
        let mut moves = vec![Speed::default(); self.bodies.len()];
        let mut done = vec![0.0; self.rows.len()];
        for _ in 0..ROUNDS {
            for ((row, point), done) in self.rows.iter().zip(points).zip(&mut done) {
                let wanted = BACK * (point.depth - slack(point));
                if wanted <= 0.0 {
                    continue;
                }
                let apart = relative(row, &moves).dot(&row.normal);
                let all = (*done + row.mass[0] * (wanted - apart)).max(0.0);
                push(
                    row,
                    &mut moves,
                    &self.bodies,
                    &self.inverse,
                    &(row.normal * (all - *done)),
                );
                *done = all;
            }
        }
        let speeds = self.speeds();
        let height = |b: &Solid, from: &Solid| {
            -b.inertia.mass * self.gravity.dot(&(b.motion.center - from.motion.center))
        };
        let now = self.bodies.clone();
        // What the step has left: it has moved by its speeds already.
        let spent = self.energy(&speeds, self.dt);
        for share in [1.0, 0.5, 0.25, 0.0] {
            for (body, (from, m)) in self.bodies.iter_mut().zip(now.iter().zip(&moves)) {
                body.motion.center = from.motion.center + m.velocity * share;
                let half = m.spin * (0.5 * share);
                let step = nalgebra::Quaternion::from_parts(1.0, half);
                body.motion.turn =
                    crate::math::Quaternion::new_normalize(step * from.motion.turn.quaternion());
            }
            let lifted: Real = self.bodies.iter().zip(&now).map(|(b, f)| height(b, f)).sum();
            let turned: Real = (self.bodies.iter().zip(&now))
                .map(|(b, f)| b.motion.kinetic_energy(b.inertia) - f.motion.kinetic_energy(f.inertia))
                .sum();
            if share == 0.0 || spent + lifted + turned <= most {
                break;
            }
        }
    }
}

/// Friction, then the push, of one point.
fn relax(row: &mut Row, speeds: &mut [Speed], bodies: &[Solid], inverse: &[Matrix3], asked: Real) {
    let apart = relative(row, speeds) + row.surface;
    let most = row.friction * row.impulse[0];
    let wanted = [0, 1].map(|k| row.impulse[k + 1] - row.mass[k + 1] * apart.dot(&row.across[k]));
    let size = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
    let share = if size > most { most / size } else { 1.0 };
    let mut all = Vec3::zeros();
    for ((across, impulse), wanted) in row.across.iter().zip(&mut row.impulse[1..]).zip(wanted) {
        all += across * (wanted * share - *impulse);
        *impulse = wanted * share;
    }
    push(row, speeds, bodies, inverse, &all);
    let apart = (relative(row, speeds) + row.surface).dot(&row.normal);
    let wanted = (row.impulse[0] + row.mass[0] * (asked - apart)).max(0.0);
    let all = row.normal * (wanted - row.impulse[0]);
    row.impulse[0] = wanted;
    push(row, speeds, bodies, inverse, &all);
}

fn relative(row: &Row, speeds: &[Speed]) -> Vec3 {
    let at = |k: usize| row.bodies[k].map_or_else(Vec3::zeros, |b| speeds[b].at(&row.arms[k]));
    at(1) - at(0)
}

fn push(row: &Row, speeds: &mut [Speed], bodies: &[Solid], inverse: &[Matrix3], impulse: &Vec3) {
    for (k, sign) in [(0, -1.0), (1, 1.0)] {
        if let Some(b) = row.bodies[k] {
            let all = impulse * sign;
            speeds[b].velocity += all / bodies[b].inertia.mass;
            speeds[b].spin += inverse[b] * row.arms[k].cross(&all);
        }
    }
}
