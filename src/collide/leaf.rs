//! Eight triangles at once: which of them a moving ball may touch, and not before when.
//!
//! A filter in `f32` that may keep too much but never too little; what it keeps is decided by the exact test in `f64`.

mod filter;
mod shapes;
mod still;

use std::ops::Range;

use self::filter::{Block, Kept, Local, STEP};
use crate::bvh::Lanes;
use crate::math::{Aabb, Point3, Real, Vec3};

/// Beyond this Z, in units of the leaf, squares would lose their range: everything is kept.
const FAR: Real = 1_048_576.0;
/// Times the largest coordinate: what `f64` rounds (a few dozen roundings), and the contact zone of the exact test (16 roundings).
const GUARD: Real = 96.0 * crate::geom::ROUNDOFF;

/// What boxes may be wrong by, in units of the leaf: a few roundings of numbers below 2, and much more.
const BOX_ROOM: f32 = 1e-5;

/// The way of a path: two axes across it, and its direction.
#[derive(Clone, Copy)]
pub(super) struct Heading {
    axes: [Vec3; 3],
    axes_f32: [[f32; 3]; 3],
    length: Real,
}

impl Heading {
    /// Of a displacement that is not zero.
    #[inline(always)]
    pub fn new(along: &Vec3) -> Self {
        let length = along.norm();
        let axes = axes_along(along / length);
        let [a, b, c] = &axes;
        Self {
            axes,
            axes_f32: [
                [a.x as f32, a.y as f32, a.z as f32],
                [b.x as f32, b.y as f32, b.z as f32],
                [c.x as f32, c.y as f32, c.z as f32],
            ],
            length,
        }
    }

    /// A point along the axes.
    #[inline(always)]
    fn turned(&self, p: &Point3) -> Vec3 {
        let [a, b, c] = &self.axes;
        Vec3::new(a.dot(&p.coords), b.dot(&p.coords), c.dot(&p.coords))
    }
}

/// A moving ball, prepared for many leaves.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    /// Start along the axes of the heading.
    from: Vec3,
    /// Radius with skin and guard.
    pub radius: Real,
    guard: Real,
    /// Largest number of ball, path and triangles.
    pub size: Real,
}

impl Ball {
    pub const NONE: Self = Self {
        from: Vec3::new(0.0, 0.0, 0.0),
        radius: 0.0,
        guard: 0.0,
        size: 0.0,
    };

    /// `radius` with its skin; `size` is the largest coordinate of all triangles.
    #[inline(always)]
    pub fn new(from: &Point3, along: &Vec3, heading: &Heading, radius: Real, size: Real) -> Self {
        let coordinates = larger(largest(&from.coords), largest(along));
        let size = larger(coordinates, larger(radius, size));
        let guard = GUARD * size;
        Self {
            from: heading.turned(from),
            radius: radius + guard,
            guard,
            size,
        }
    }

    /// A length along the path that is certainly not before fraction `best`.
    #[inline(always)]
    fn reach_of(&self, heading: &Heading, best: Real) -> Real {
        best * heading.length * (1.0 + 1e-12) + self.guard
    }
}

#[inline(always)]
fn largest(v: &Vec3) -> Real {
    larger(v.x.abs(), larger(v.y.abs(), v.z.abs()))
}

/// The larger of two numbers in one instruction.
#[inline(always)]
pub(super) fn larger(a: Real, b: Real) -> Real {
    if a > b { a } else { b }
}

/// The smaller of two numbers in one instruction.
#[inline(always)]
pub(super) fn smaller(a: Real, b: Real) -> Real {
    if a < b { a } else { b }
}

/// Whether a ball moves, and all numbers are finite: others touch nothing.
#[inline(always)]
pub(super) fn moves(from: &Point3, along: &Vec3, radius: Real, size: Real) -> bool {
    let sum = from.x + from.y + from.z + along.x + along.y + along.z + radius + size;
    sum.is_finite() && (along.x != 0.0 || along.y != 0.0 || along.z != 0.0)
}

/// Three axes at right angles, of which the last is the unit vector `d` (Duff et al. 2017, "Building an Orthonormal
/// Basis, Revisited").
#[inline(always)]
fn axes_along(d: Vec3) -> [Vec3; 3] {
    let sign = Real::copysign(1.0, d.z);
    let a = -1.0 / (sign + d.z);
    let b = d.x * d.y * a;
    [
        Vec3::new(1.0 + sign * d.x * d.x * a, sign * b, -sign * d.x),
        Vec3::new(b, sign + d.y * d.y * a, -d.y),
        d,
    ]
}

/// Up to eight triangles, relative to their centre.
#[repr(C, align(32))]
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    block: Block,
    center: Point3,
    /// Units a metre, a power of two.
    scale: f32,
    /// Distance of the farthest corner [m], rounded up; infinite where nothing can be told.
    radius: f32,
}

/// Lanes that may be touched.
#[derive(Clone, Copy)]
pub(super) struct Candidates {
    kept: Kept,
    scale: Real,
    /// Local start along the path.
    start: Real,
    step: f32,
}

impl AsMut<Kept> for Candidates {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut Kept {
        &mut self.kept
    }
}

impl Candidates {
    pub const NONE: Self = Self {
        kept: Kept::NONE,
        scale: 1.0,
        start: 0.0,
        step: 0.0,
    };

    /// Whether any lane is left.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.kept.mask != 0
    }

    /// Takes out the earliest lane that can still come before or at `best`.
    #[inline(always)]
    pub fn next(&mut self, heading: &Heading, ball: &Ball, best: Real) -> Option<usize> {
        let Kept { near, mask } = &mut self.kept;
        if *mask == 0 {
            return None;
        }
        let mut lane = mask.trailing_zeros() as usize;
        let mut rest = *mask & (*mask - 1);
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if near[other] < near[lane] {
                lane = other;
            }
        }
        *mask &= !(1 << lane);
        let limit = (ball.reach_of(heading, best) - self.start) * self.scale;
        (near[lane] - self.step <= above(limit)).then_some(lane)
    }
}

/// An `f32` not below `x`.
#[inline(always)]
fn above(x: Real) -> f32 {
    (x + x.abs() * 1e-6) as f32
}

impl Leaf {
    /// Distance of the farthest corner from the centre [m].
    pub fn radius(&self) -> Real {
        Real::from(self.radius)
    }

    /// A leaf of the triangles in `corners`, at most eight.
    pub fn new(corners: impl Iterator<Item = [Point3; 3]> + Clone) -> Self {
        let bounds = corners
            .clone()
            .flatten()
            .fold(Aabb::EMPTY, |bounds, p| bounds.grow(&p));
        let center = if bounds.is_empty() {
            Point3::origin()
        } else {
            bounds.center()
        };
        let radius = corners
            .clone()
            .flatten()
            .map(|p| (p - center).norm_squared())
            .fold(0.0, |a: Real, b| if b > a || b.is_nan() { b } else { a })
            .sqrt();
        let mut leaf = Self {
            block: Block::default(),
            center,
            scale: 1.0,
            radius: f32::INFINITY,
        };
        let Some(scale) = unit_scale(radius) else {
            return leaf;
        };
        leaf.scale = scale;
        leaf.radius = above(radius);
        for (lane, [a, b, c]) in corners.enumerate().take(8) {
            for axis in 0..3 {
                let unit = |x: Real| (x * Real::from(scale)) as f32;
                leaf.block.corner[axis][lane] = unit(a[axis] - center[axis]);
                leaf.block.first[axis][lane] = unit(b[axis] - a[axis]);
                leaf.block.second[axis][lane] = unit(c[axis] - a[axis]);
            }
        }
        leaf
    }

    /// The lanes among the first `count` that the ball may touch not after fraction `best`.
    #[inline(always)]
    pub fn candidates(
        &self,
        heading: &Heading,
        ball: &Ball,
        best: Real,
        count: usize,
        lanes: Lanes,
    ) -> Candidates {
        let mut candidates = Candidates::NONE;
        self.candidates_into(heading, ball, best, count, lanes, &mut candidates);
        candidates
    }

    /// [`Leaf::candidates`] in place of others.
    #[inline(always)]
    pub fn candidates_into(
        &self,
        heading: &Heading,
        ball: &Ball,
        best: Real,
        count: usize,
        lanes: Lanes,
        into: &mut Candidates,
    ) {
        let center = heading.turned(&self.center);
        if let Some(local) = self.near(heading, &center, ball, best, count, into) {
            self.block
                .filter_one(&heading.axes_f32, &local, &mut into.kept, lanes);
        }
    }

    /// [`Leaf::candidates`] for those balls of the same heading whose bits are set in `wanted`; the others keep theirs.
    #[inline(always)]
    pub fn candidates_of_many<const N: usize>(
        &self,
        heading: &Heading,
        (balls, best, wanted): (&[Ball; N], &[Real; N], u32),
        count: usize,
        lanes: Lanes,
        candidates: &mut [Candidates; N],
    ) {
        let center = heading.turned(&self.center);
        let mut locals = [const { Local::NONE }; N];
        let (mut open, mut rest) = (0, wanted);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let into = &mut candidates[lane];
            if let Some(local) = self.near(heading, &center, &balls[lane], best[lane], count, into) {
                locals[lane] = local;
                open |= 1 << lane;
            }
        }
        self.block
            .filter(&heading.axes_f32, (&locals, open), candidates, lanes);
    }

    /// One bit for each of the first `count` lanes that may be nearer to `center` than `reach`; `size` is the largest
    /// coordinate of all triangles.
    #[inline(always)]
    pub fn within(&self, center: &Point3, reach: Real, size: Real, count: usize, lanes: Lanes) -> u32 {
        let all = (1u32 << count) - 1;
        let scale = Real::from(self.scale);
        let guard = GUARD * larger(larger(largest(&center.coords), reach), size);
        let from = (center - self.center) * scale;
        let radius = (reach + guard) * scale;
        let extent = radius + Real::from(self.radius) * scale;
        // Written so that numbers that are not finite keep everything.
        if !(extent < FAR && largest(&from) < FAR * FAR) {
            return all;
        }
        let ball = Local {
            from: [from.x as f32, from.y as f32, from.z as f32],
            radius: above(radius),
            step: STEP * above(extent),
            end: 0.0,
        };
        all & self.block.within(&ball, lanes)
    }

    /// One bit for each of the first `count` lanes whose triangle's box may meet a region.
    #[inline(always)]
    pub fn meets(&self, region: &Aabb, count: usize, lanes: Lanes) -> u32 {
        let all = (1u32 << count) - 1;
        if !self.radius.is_finite() {
            return all;
        }
        let scale = Real::from(self.scale);
        let local = |p: &Point3, room: f32| {
            // The corners of the leaf are within 1; what is beyond 2 is beyond them all.
            [0, 1, 2].map(|axis| ((p[axis] - self.center[axis]) * scale).clamp(-2.0, 2.0) as f32 + room)
        };
        let (low, high) = (local(&region.min, -BOX_ROOM), local(&region.max, BOX_ROOM));
        all & self.block.meets(&low, &high, lanes)
    }

    /// The ball near this leaf, if it comes near not after fraction `best` and the filter can tell more; `candidates` then
    /// awaits it, or else has the answer.
    #[inline(always)]
    fn near(
        &self,
        heading: &Heading,
        center: &Vec3,
        ball: &Ball,
        best: Real,
        count: usize,
        candidates: &mut Candidates,
    ) -> Option<Local> {
        let all = (1u32 << count) - 1;
        let scale = Real::from(self.scale);
        let from = ball.from - center;
        let reach = ball.radius + Real::from(self.radius);
        // Written so that numbers that are not finite keep everything too.
        if !(reach * scale < FAR && heading.length > Real::MIN_POSITIVE) {
            *candidates = Candidates::NONE;
            candidates.kept.mask = all;
            return None;
        }
        let nearest = -from.z;
        let limit = smaller(ball.reach_of(heading, best), heading.length);
        // How far the nearest point of the endless path is before or behind the part that matters.
        let off = larger(larger(-nearest, nearest - limit), 0.0);
        if from.x * from.x + from.y * from.y + off * off > reach * reach * (1.0 + 1e-9) {
            candidates.kept.mask = 0;
            return None;
        }
        let start = larger(nearest - reach, 0.0);
        let end = smaller(limit, nearest + reach) - start;
        let step = STEP * above(reach * scale);
        candidates.kept.mask = all;
        candidates.scale = scale;
        candidates.start = start;
        candidates.step = step;
        Some(Local {
            from: [
                (from.x * scale) as f32,
                (from.y * scale) as f32,
                ((start - nearest) * scale) as f32,
            ],
            radius: above(ball.radius * scale),
            step,
            end: above(end * scale) + step,
        })
    }
}

/// The power of two that brings `radius` into 1/2 .. 1; `None` where `f32` cannot hold it or the radius is no number.
fn unit_scale(radius: Real) -> Option<f32> {
    if radius == 0.0 {
        return Some(1.0);
    }
    let exponent = (radius.to_bits() >> 52) as i32 - 1022;
    ((-100..100).contains(&exponent)).then(|| f32::from_bits(((127 - exponent) as u32) << 23))
}

/// Lanes of a range of slots.
pub(super) fn lanes_of(slots: &Range<u32>) -> (usize, usize) {
    (slots.start as usize / 8, slots.len())
}

#[cfg(test)]
mod tests;
