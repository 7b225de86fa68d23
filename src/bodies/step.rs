//! One step of all bodies: who touches whom, islands, impulses, what breaks, rest.

use std::cmp::Ordering;

use super::brittle::Brittle;
use super::contacts::{Index, MARGIN, Side};
use super::fill::Fill;
use super::motion::{Inertia, Motion};
use super::points::{Point, SCENERY, Tiers, Touch, between, on_scenery, remember};
use super::solve::{Island, Pairing, Solid};
use crate::math::{Real, Vec3};
use crate::sets::Sets;

mod crack;

/// Speed below which a body counts as still, in shares of sqrt(gravity * radius).
const STILL: Real = 0.05;
/// How long all of an island must be still before it sleeps [s].
const QUIET: Real = 0.5;

/// What bodies of one kind share.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// Its particles.
    pub fill: Fill,
    /// Where they are found.
    pub index: Index,
    /// What resists.
    pub inertia: Inertia,
    /// Share of the approach speed that comes back, 0 .. 1.
    pub restitution: Real,
    /// Coulomb's coefficient, 0 or more.
    pub friction: Real,
    /// What holds it together, if it may break. Then no two bodies are of this kind.
    pub brittle: Option<Brittle>,
}

impl Kind {
    /// Of particles and the numbers of their surface; `None` if it cannot turn about every axis.
    pub fn new(fill: Fill, restitution: Real, friction: Real) -> Option<Self> {
        Some(Self {
            index: Index::new(&fill),
            inertia: Inertia::new(fill.mass.mass, fill.mass.inertia)?,
            fill,
            restitution,
            friction,
            brittle: None,
        })
    }
}

/// A body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// Number of its kind.
    pub kind: u32,
    /// Where it is and how it moves.
    pub motion: Motion,
    /// How long it has been still [s].
    pub quiet: Real,
    /// Whether it sleeps: then it is exactly still.
    pub asleep: bool,
}

/// All that changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bodies {
    /// The bodies.
    pub all: Vec<Body>,
    /// The points of the last step, by bodies and particles: the next one starts from their impulses.
    pub points: Vec<Point>,
}

/// The scenery as bodies meet it.
pub trait Ground {
    /// Whether nothing is within `reach` of a place, quickly; may say no when it is so.
    fn is_clear(&self, place: &crate::math::Point3, reach: Real) -> bool;
    /// Appends what is within `reach` of the centre of a particle, in any order.
    fn near(&self, particle: u32, at: &crate::math::Point3, reach: Real, touches: &mut Vec<Touch>);
    /// Whether something within `reach` of a place moves.
    fn stirs(&self, _place: &crate::math::Point3, _reach: Real) -> bool {
        false
    }
}

/// What happened, over all steps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Contacts by the way in which their normals were found.
    pub tiers: Tiers,
    /// Islands in which energy did not allow full restitution.
    pub damped: u64,
    /// Links that broke.
    pub broken: u64,
}

impl Bodies {
    /// Moves all on by `dt` [s] under `gravity` [m/s2]. What breaks does so at the start of the step: its parts are then new
    /// bodies at the end of `all`, one of them in its place, with kinds of their own.
    pub fn step(
        &mut self,
        kinds: &mut Vec<Kind>,
        ground: &dyn Ground,
        gravity: Vec3,
        dt: Real,
        counts: &mut Counts,
    ) {
        self.stir(kinds, ground, dt);
        if kinds.iter().any(crack::may_break) {
            self.step_and_break(kinds, ground, gravity, dt, counts);
        } else {
            self.advance(kinds, ground, gravity, dt, counts);
        }
    }

    /// Wakes those near which scenery moves.
    fn stir(&mut self, kinds: &[Kind], ground: &dyn Ground, dt: Real) {
        for i in 0..self.all.len() {
            let reach = kinds[self.all[i].kind as usize].fill.reach + self.margin(kinds, i, dt);
            let body = &mut self.all[i];
            if ground.stirs(&body.motion.center, reach) {
                (body.quiet, body.asleep) = (0.0, false);
            }
        }
    }

    /// The step, without any break.
    fn advance(&mut self, kinds: &[Kind], ground: &dyn Ground, gravity: Vec3, dt: Real, counts: &mut Counts) {
        let (mut points, kept) = self.touching(kinds, ground, dt, counts);
        points.sort_by_key(|p| (p.bodies, p.particles));
        remember(&self.points, &mut points);
        points.extend(kept);
        points.sort_by_key(|p| (p.bodies, p.particles));
        let islands = self.islands(&points);
        self.points.clear();
        for island in islands {
            self.move_island(&island, kinds, points.as_slice(), gravity, dt, counts);
        }
        self.points.sort_by_key(|p| (p.bodies, p.particles));
    }

    fn side<'a>(&'a self, kinds: &'a [Kind], body: usize) -> Side<'a> {
        let b = &self.all[body];
        let kind = &kinds[b.kind as usize];
        Side {
            fill: &kind.fill,
            index: &kind.index,
            motion: &b.motion,
        }
    }

    /// Largest gap that is looked at: what a step may close, and more.
    fn margin(&self, kinds: &[Kind], body: usize, dt: Real) -> Real {
        let b = &self.all[body];
        let kind = &kinds[b.kind as usize];
        let spin = b.motion.spin(&kind.inertia).norm() * kind.fill.reach;
        (MARGIN * kind.fill.radius).max((b.motion.velocity.norm() + spin) * dt)
    }

    /// Contact points of bodies that are awake, without impulses, and those of the last step between bodies that sleep.
    fn touching(
        &self,
        kinds: &[Kind],
        ground: &dyn Ground,
        dt: Real,
        counts: &mut Counts,
    ) -> (Vec<Point>, Vec<Point>) {
        let (mut points, mut kept) = (Vec::new(), Vec::new());
        let mut found = Vec::new();
        let reach = |i: usize| kinds[self.all[i].kind as usize].fill.reach + self.margin(kinds, i, dt);
        let mut order: Vec<(Real, Real, u32)> = (0..self.all.len())
            .map(|i| {
                let (x, r) = (self.all[i].motion.center.x, reach(i));
                (x - r, x + r, i as u32)
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        for (n, &(_, end, i)) in order.iter().enumerate() {
            for &(start, _, j) in &order[n + 1..] {
                if start > end {
                    break;
                }
                let [a, b] = [i.min(j), i.max(j)].map(|k| k as usize);
                if self.all[a].asleep && self.all[b].asleep {
                    let both = [a as u32, b as u32];
                    kept.extend(range(&self.points, |p| p.bodies.cmp(&both)));
                    continue;
                }
                let (one, other) = (self.side(kinds, a), self.side(kinds, b));
                let margin = self.margin(kinds, a, dt).max(self.margin(kinds, b, dt));
                between(
                    [a as u32, b as u32],
                    one,
                    other,
                    margin,
                    &mut found,
                    &mut points,
                    &mut counts.tiers,
                );
            }
        }
        for i in 0..self.all.len() {
            if self.all[i].asleep {
                let own = [i as u32, SCENERY];
                kept.extend(range(&self.points, |p| p.bodies.cmp(&own)));
            } else {
                self.on_ground(i, kinds, ground, dt, &mut points);
            }
        }
        (points, kept)
    }

    fn on_ground(&self, body: usize, kinds: &[Kind], ground: &dyn Ground, dt: Real, points: &mut Vec<Point>) {
        let side = self.side(kinds, body);
        let margin = self.margin(kinds, body, dt);
        if ground.is_clear(&side.motion.center, side.fill.reach + margin) {
            return;
        }
        let mut touches = Vec::new();
        for (particle, place) in (0..).zip(side.fill.surface()) {
            let at = side.motion.to_world(place);
            ground.near(particle, &at, side.fill.radius + margin, &mut touches);
        }
        on_scenery(body as u32, side.fill.radius, &touches, points);
    }

    /// Bodies that hang together, each set ascending, in the order of their lowest numbers.
    fn islands(&self, points: &[Point]) -> Vec<Vec<u32>> {
        let mut sets = Sets::new(self.all.len());
        for point in points.iter().filter(|p| p.bodies[1] != SCENERY) {
            sets.join(point.bodies[0], point.bodies[1]);
        }
        sets.all()
    }

    fn move_island(
        &mut self,
        island: &[u32],
        kinds: &[Kind],
        points: &[Point],
        gravity: Vec3,
        dt: Real,
        counts: &mut Counts,
    ) {
        let first_in = |&b: &u32| range(points, |p| p.bodies[0].cmp(&b));
        let mut own: Vec<Point> = island.iter().flat_map(first_in).copied().collect();
        own.sort_by_key(|p| (p.bodies[1] != SCENERY, p.bodies, p.particles));
        if island.iter().all(|&b| self.all[b as usize].asleep) {
            self.points.extend(own);
            return;
        }
        let which: Vec<u32> = island.iter().map(|&b| self.all[b as usize].kind).collect();
        let of_kind = |local: usize| &kinds[which[local] as usize];
        if own.is_empty() {
            for (local, &b) in island.iter().enumerate() {
                let inertia = of_kind(local).inertia;
                let body = &mut self.all[b as usize];
                body.motion.advance(&inertia, &gravity, dt);
                (body.quiet, body.asleep) = (0.0, false);
            }
            return;
        }
        let local = |b: u32| {
            if b == SCENERY {
                b
            } else {
                island.partition_point(|&i| i < b) as u32
            }
        };
        let mut rows: Vec<Point> = own
            .iter()
            .map(|p| Point {
                bodies: p.bodies.map(local),
                ..*p
            })
            .collect();
        let solids = island.iter().enumerate().map(|(local, &b)| Solid {
            inertia: &of_kind(local).inertia,
            motion: self.all[b as usize].motion,
        });
        let pairing = |p: &Point| {
            let [a, b] = p
                .bodies
                .map(|b| which.get(b as usize).map(|_| of_kind(b as usize)));
            let (Some(a), b) = (a, b) else {
                return Pairing {
                    restitution: 0.0,
                    friction: 0.0,
                    radius: 0.0,
                };
            };
            let b = b.unwrap_or(a);
            Pairing {
                restitution: a.restitution.max(b.restitution),
                friction: (a.friction * b.friction).sqrt(),
                radius: a.fill.radius.min(b.fill.radius),
            }
        };
        let mut solver = Island::new(solids.collect(), &rows, pairing, gravity, dt);
        counts.damped += u64::from(solver.advance(&mut rows, pairing).restitution < 1.0);
        let moved: Vec<Motion> = solver.bodies().iter().map(|b| b.motion).collect();
        for (&b, motion) in island.iter().zip(moved) {
            self.all[b as usize].motion = motion;
        }
        self.points.extend(rows.iter().zip(&own).map(|(row, p)| Point {
            bodies: p.bodies,
            ..*row
        }));
        self.rest(island, kinds, gravity, dt);
    }

    /// Lets an island sleep that has been still for long enough.
    fn rest(&mut self, island: &[u32], kinds: &[Kind], gravity: Vec3, dt: Real) {
        let mut asleep = true;
        for &b in island {
            let body = &mut self.all[b as usize];
            let kind = &kinds[body.kind as usize];
            let still = STILL * (gravity.norm() * kind.fill.radius).sqrt();
            let spin = body.motion.spin(&kind.inertia).norm() * kind.fill.reach;
            let is_still = body.motion.velocity.norm() < still && spin < still;
            body.quiet = if is_still { body.quiet + dt } else { 0.0 };
            asleep &= body.quiet >= QUIET;
        }
        for &b in island {
            let body = &mut self.all[b as usize];
            body.asleep = asleep;
            if asleep {
                body.motion.velocity = Vec3::zeros();
                body.motion.angular = Vec3::zeros();
            }
        }
    }
}

/// Of points in order those that compare as equal.
fn range(points: &[Point], order: impl Fn(&Point) -> Ordering) -> &[Point] {
    let first = points.partition_point(|p| order(p) == Ordering::Less);
    let rest = &points[first..];
    &rest[..rest.partition_point(|p| order(p) == Ordering::Equal)]
}

#[cfg(test)]
mod tests;
