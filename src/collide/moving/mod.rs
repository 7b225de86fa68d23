//! First touch of a moving ball with meshes that move.
//!
//! What moves as a whole is asked in its own frame, in which it stands still ([`Body`]). A ball's way is straight in the
//! world; seen from a mesh that turns it is bent. It is taken as straight there too, and whoever asks goes in pieces so
//! short that the bend is a small share of the radius ([`Movers::longest`]). What changes its shape is asked in the world,
//! each triangle with its own straight ways ([`Cloth`]). So for each mesh by itself no ball ever gets through, however
//! fast either moves.

mod body;
mod cloth;

use std::ops::Range;

use super::{Hit, HitStatus, Near, Overlap, Sweep};
use crate::geom::Feature;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::motion::{Instant, Pose};
pub use body::Body;
pub use cloth::Cloth;

/// How far the way of a ball may bend away from the straight one, as a share of its radius.
const BEND: Real = 0.125;
/// Pieces of one even motion at the most.
const PIECES: Real = 256.0;

/// The way of a ball: straight in the world, with evenly changing speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Centre at the start [m].
    pub from: Point3,
    /// Displacement [m].
    pub along: Vec3,
    /// Radius [m].
    pub radius: Real,
    /// Start and end [s].
    pub span: [Real; 2],
    /// Velocities at the start and the end [m/s].
    pub velocity: [Vec3; 2],
}

/// Where and how a ball is stopped by something that moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blow {
    /// When [s].
    pub time: Real,
    /// Centre of the ball then [m].
    pub place: Point3,
    /// Touched point of the surface then [m].
    pub point: Point3,
    /// Unit vector from the surface to the centre.
    pub normal: Vec3,
    /// Part of the triangle that was touched.
    pub feature: Feature,
    /// Number of the triangle in the world.
    pub triangle: u32,
    /// Overlap at the start of the way [m].
    pub depth: Real,
    /// Whether the start was clear.
    pub status: HitStatus,
    /// Number of what was touched among all that moves.
    pub mover: u32,
    /// Velocity of the surface there [m/s].
    pub surface: Vec3,
}

/// A ball that something carries: its way in that one's own frame, free of the roundings of a turn there and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carried {
    /// Number of who carries it.
    pub mover: u32,
    /// Where it begins there [m].
    pub from: Point3,
    /// Displacement there [m].
    pub along: Vec3,
}

/// What something lies on that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// Number among all that moves.
    pub mover: u32,
    /// Number of the triangle in the world.
    pub triangle: u32,
}

/// A mesh that moves.
#[expect(clippy::large_enum_variant, reason = "they are few, and asked for every leg")]
pub enum Mover {
    /// As a whole.
    Body(Body),
    /// Each corner by itself.
    Cloth(Cloth),
}

/// Hands a question on to whichever kind it is.
macro_rules! of_either {
    ($mover:expr, $one:ident => $answer:expr) => {
        match $mover {
            Mover::Body($one) => $answer,
            Mover::Cloth($one) => $answer,
        }
    };
}

impl Mover {
    /// Numbers of its triangles in the world.
    pub fn triangles(&self) -> Range<u32> {
        of_either!(self, one => one.triangles())
    }

    /// The end of the even motion that a time [s] lies in.
    pub fn even_until(&self, time: Real) -> Real {
        of_either!(self, one => one.even_until(time))
    }

    /// The first touch of a sweep as if it stood where it is at a moment [s].
    pub fn first_at(&self, sweep: &Sweep, time: Real) -> Option<Hit> {
        of_either!(self, one => one.first_at(sweep, time))
    }

    /// Whether a segment meets it as it stands at a moment [s].
    pub fn crosses_at(&self, from: &Point3, to: &Point3, time: Real) -> bool {
        of_either!(self, one => one.crosses_at(from, to, time))
    }

    fn may_meet(&self, region: &Aabb, span: [Real; 2]) -> bool {
        of_either!(self, one => one.may_meet(region, span))
    }
}

/// All meshes that move.
#[derive(Default)]
pub struct Movers {
    all: Vec<Mover>,
}

impl Movers {
    /// Of meshes whose triangles are numbered in their order.
    pub fn new(all: Vec<Mover>) -> Self {
        Self { all }
    }

    /// Whether nothing moves.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Each of them.
    pub fn all(&self) -> &[Mover] {
        &self.all
    }

    fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.all.iter().filter_map(|mover| match mover {
            Mover::Body(body) => Some(body),
            Mover::Cloth(_) => None,
        })
    }

    /// Whether any of them has a field.
    #[inline]
    pub fn have_fields(&self) -> bool {
        !self.all.is_empty() && self.bodies().any(|b| !b.solid().fields().is_empty())
    }

    /// The share of a way that may be taken before the fields of moving meshes are to be asked again; infinite where none is
    /// near. `step`: length of a step [s].
    pub fn free_share(&self, way: &Way, step: Real) -> Real {
        let shares = self.bodies().map(|body| body.free_share(way, step));
        shares.fold(Real::INFINITY, Real::min)
    }

    /// What the fields of moving meshes make of a velocity [m/s] through a span of time [s], taken in their own frames; `None`
    /// where none reaches.
    pub fn respond(
        &self,
        p: &Point3,
        velocity: &Vec3,
        radius: Real,
        span: [Real; 2],
        step: Real,
    ) -> Option<Vec3> {
        self.bodies().fold(None, |felt, body| {
            let before = felt.unwrap_or(*velocity);
            body.respond(p, &before, radius, span, step).or(felt)
        })
    }

    /// Box around all places that they come to in the steps that were asked for [m]; empty without any.
    pub fn bounds(&self) -> Aabb {
        let bounds = self.all.iter().map(|m| of_either!(m, one => one.bounds_of_all()));
        bounds.fold(Aabb::EMPTY, |all, b| all.union(&b))
    }

    /// Who has a triangle, by its number in the world; `None` for one that stands still.
    pub fn seat(&self, triangle: u32) -> Option<Seat> {
        let owns = |m: &Mover| m.triangles().contains(&triangle);
        let mover = self.all.iter().position(owns)? as u32;
        Some(Seat { mover, triangle })
    }

    /// The frame in which what lies there keeps its place, at a moment [s].
    pub fn pose(&self, seat: Seat, time: Real) -> Option<Pose> {
        Some(match self.all.get(seat.mover as usize)? {
            Mover::Body(body) => body.track().pose(time),
            Mover::Cloth(cloth) => cloth.instant(seat.triangle, [time; 2], time)?.pose,
        })
    }

    /// The same at both ends of a span of time [s] in which the motion is even, with its velocities.
    pub fn instants(&self, seat: Seat, span: [Real; 2]) -> Option<[Instant; 2]> {
        Some(match self.all.get(seat.mover as usize)? {
            Mover::Body(body) => body.track().instants(span),
            Mover::Cloth(cloth) => [
                cloth.instant(seat.triangle, span, span[0])?,
                cloth.instant(seat.triangle, span, span[1])?,
            ],
        })
    }

    /// Velocity [m/s] of a mover at a place from a moment [s] on.
    pub fn velocity_at(&self, seat: Seat, place: &Point3, time: Real) -> Vec3 {
        let next = self
            .all
            .get(seat.mover as usize)
            .map_or(time, |m| m.even_until(time));
        let next = if next.is_finite() { next } else { time + 1.0 };
        let instants = self.instants(seat, [time, next]);
        instants.map_or(Vec3::zeros(), |[now, _]| now.velocity_at(place))
    }

    /// The same up to that moment.
    pub fn velocity_before(&self, seat: Seat, place: &Point3, time: Real, step: Real) -> Vec3 {
        let since = (time - 1e-3 * step).max(0.0);
        if since >= time {
            return self.velocity_at(seat, place, time);
        }
        let instants = self.instants(seat, [since, time]);
        instants.map_or(Vec3::zeros(), |[_, now]| now.velocity_at(place))
    }

    /// The next moment [s] up to which all of them go evenly, `end` at the latest.
    pub fn even_until(&self, time: Real, end: Real) -> Real {
        self.all.iter().map(|m| m.even_until(time)).fold(end, Real::min)
    }

    /// Those that a ball may meet on its way.
    fn near<'a>(
        &'a self,
        from: &Point3,
        along: &Vec3,
        radius: Real,
        span: [Real; 2],
    ) -> impl Iterator<Item = (u32, &'a Mover)> + use<'a> {
        let region = Aabb::around([from, &(from + along)]).inflated(radius);
        (0..)
            .zip(&self.all)
            .filter(move |(_, mover)| mover.may_meet(&region, span))
    }

    /// Numbers of those that a ball which stays may meet.
    pub fn close_to(&self, center: &Point3, radius: Real, span: [Real; 2]) -> Vec<u32> {
        let near = self.near(center, &Vec3::zeros(), radius, span);
        near.map(|(number, _)| number).collect()
    }

    /// The longest time [s] through which a way may be taken in one piece; `None` where nothing that moves is near.
    pub fn longest(&self, way: &Way) -> Option<Real> {
        let [start, end] = way.span;
        let mut longest: Option<Real> = None;
        for (_, mover) in self.near(&way.from, &way.along, way.radius, way.span) {
            let even = (mover.even_until(start).min(end) - start).max(0.0);
            let bend = of_either!(mover, one => one.bend(way, even));
            let pieces = (bend / (BEND * way.radius)).sqrt().ceil().clamp(1.0, PIECES);
            longest = Some(longest.unwrap_or(Real::INFINITY).min(even / pieces));
        }
        longest
    }

    /// The first blow on a way; among equals that of the first in the scene. `own`: a mover that is asked about another way,
    /// known in its own frame.
    pub fn first(&self, way: &Way, own: Option<&Carried>) -> Option<Blow> {
        let mut first: Option<Blow> = None;
        for (number, mover) in self.near(&way.from, &way.along, way.radius, way.span) {
            let known = own.filter(|o| o.mover == number);
            let Some(blow) = of_either!(mover, one => one.first(way, number, known)) else {
                continue;
            };
            if first.is_none_or(|f| blow.time < f.time) {
                first = Some(blow);
            }
        }
        first
    }

    /// Whether a way meets a surface, by a test that shares nothing with the sweeps: for audits. The end of it is left out as
    /// far as `short` [m].
    pub fn crosses(&self, from: &Point3, to: &Point3, span: [Real; 2], short: Real) -> bool {
        (self.near(from, &(to - from), 0.0, span))
            .any(|(_, mover)| of_either!(mover, one => one.crosses(from, to, span, short)))
    }

    /// The deepest overlap of a ball at a moment [s].
    pub fn deepest_overlap(&self, center: &Point3, radius: Real, time: Real) -> Option<Overlap> {
        let near = self.near(center, &Vec3::zeros(), radius, [time; 2]);
        near.filter_map(|(_, mover)| of_either!(mover, one => one.deepest_overlap(center, radius, time)))
            .reduce(|a, b| if b.depth > a.depth { b } else { a })
    }

    /// Appends every triangle within `reach` [m] of a place at a moment [s], by number.
    pub fn add_near(&self, center: &Point3, reach: Real, time: Real, found: &mut Vec<Near>) {
        if self.is_empty() {
            return;
        }
        for (_, mover) in self.near(center, &Vec3::zeros(), reach, [time; 2]) {
            of_either!(mover, one => one.add_near(center, reach, time, found));
        }
    }
}
