//! Eight triangles at once: which of them a moving ball may touch, and not before when.
//!
//! A filter in `f32` that may keep too much but never too little; what it keeps is decided by the exact test in `f64`.

mod filter;

use std::ops::Range;

use self::filter::{Block, Local, STEP};
use crate::bvh::Lanes;
use crate::math::{Aabb, Point3, Real, Vec3};

/// Beyond this Z, in units of the leaf, squares would lose their range: everything is kept.
const FAR: Real = 1_048_576.0;
/// Times the largest coordinate: what `f64` rounds, and the contact zone of the exact test (16 roundings).
const GUARD: Real = 64.0 * crate::geom::ROUNDOFF;

/// A moving ball, prepared for many leaves.
pub(super) struct Ball {
    from: Point3,
    /// Two axes across the path, and its direction.
    axes: [Vec3; 3],
    axes_f32: [[f32; 3]; 3],
    length: Real,
    /// Radius with skin and guard.
    pub radius: Real,
    guard: Real,
    /// Largest number of ball, path and triangles.
    pub size: Real,
}

impl Ball {
    /// In place of a ball that does not move.
    pub const STILL: Self = Self {
        from: Point3::new(0.0, 0.0, 0.0),
        axes: [Vec3::new(0.0, 0.0, 0.0); 3],
        axes_f32: [[0.0; 3]; 3],
        length: 0.0,
        radius: 0.0,
        guard: 0.0,
        size: 0.0,
    };

    /// `radius` with its skin; `size` is the largest coordinate of all triangles. `None` for numbers that are not finite
    /// and for a ball that stays where it is: neither touches anything.
    #[inline(always)]
    pub fn new(from: &Point3, along: &Vec3, radius: Real, size: Real) -> Option<Self> {
        let sum = from.coords.sum() + along.sum() + radius + size;
        if !sum.is_finite() || *along == Vec3::zeros() {
            return None;
        }
        let size = from.coords.amax().max(along.amax()).max(radius).max(size);
        let length = along.norm();
        let guard = GUARD * size;
        let axes = axes_along(along / length);
        Some(Self {
            from: *from,
            axes,
            axes_f32: axes.map(|axis| [axis.x as f32, axis.y as f32, axis.z as f32]),
            length,
            radius: radius + guard,
            guard,
            size,
        })
    }

    /// A length along the path that is certainly not before fraction `best`.
    #[inline(always)]
    fn reach_of(&self, best: Real) -> Real {
        best * self.length * (1.0 + 1e-12) + self.guard
    }
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
pub(super) struct Candidates {
    /// Length from the local start at the earliest, in units.
    near: [f32; 8],
    mask: u32,
    /// Local start along the path.
    start: Real,
    scale: Real,
    step: f32,
}

impl Candidates {
    pub const NONE: Self = Self {
        near: [0.0; 8],
        mask: 0,
        start: 0.0,
        scale: 1.0,
        step: 0.0,
    };

    /// Whether any lane is left.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.mask != 0
    }

    /// Takes out the earliest lane that can still come before or at `best`.
    #[inline(always)]
    pub fn next(&mut self, ball: &Ball, best: Real) -> Option<usize> {
        if self.mask == 0 {
            return None;
        }
        let mut lane = self.mask.trailing_zeros() as usize;
        let mut rest = self.mask & (self.mask - 1);
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.near[other] < self.near[lane] {
                lane = other;
            }
        }
        self.mask &= !(1 << lane);
        let limit = (ball.reach_of(best) - self.start) * self.scale;
        (self.near[lane] - self.step <= above(limit)).then_some(lane)
    }
}

/// An `f32` not below `x`.
#[inline(always)]
fn above(x: Real) -> f32 {
    (x * (1.0 + 1e-6 * if x < 0.0 { -1.0 } else { 1.0 })) as f32
}

impl Leaf {
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
    pub fn candidates(&self, ball: &Ball, best: Real, count: usize, lanes: Lanes) -> Candidates {
        let mut candidates = Candidates::NONE;
        self.candidates_into(ball, best, count, lanes, &mut candidates);
        candidates
    }

    /// [`Leaf::candidates`] in place of others, none of which may be left.
    #[inline(always)]
    pub fn candidates_into(&self, ball: &Ball, best: Real, count: usize, lanes: Lanes, into: &mut Candidates) {
        let all = (1u32 << count) - 1;
        let scale = Real::from(self.scale);
        let from_center = ball.from - self.center;
        let reach = ball.radius + Real::from(self.radius);
        // Written so that numbers that are not finite keep everything too.
        if !(reach * scale < FAR && ball.length > Real::MIN_POSITIVE) {
            *into = Candidates {
                mask: all,
                ..Candidates::NONE
            };
            return;
        }
        let (x, y) = (ball.axes[0].dot(&from_center), ball.axes[1].dot(&from_center));
        let nearest = -ball.axes[2].dot(&from_center);
        let limit = ball.reach_of(best).min(ball.length);
        // How far the nearest point of the endless path is before or behind the part that matters.
        let off = (-nearest).max(nearest - limit).max(0.0);
        if x * x + y * y + off * off > reach * reach * (1.0 + 1e-9) {
            return;
        }
        let start = (nearest - reach).max(0.0);
        let end = limit.min(nearest + reach) - start;
        let step = STEP * above(reach * scale);
        let local = Local {
            axes: &ball.axes_f32,
            from: [(x * scale) as f32, (y * scale) as f32, ((start - nearest) * scale) as f32],
            radius: above(ball.radius * scale),
            step,
            end: above(end * scale) + step,
        };
        into.mask = self.block.filter(&local, lanes, &mut into.near) & all;
        into.start = start;
        into.scale = scale;
        into.step = step;
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
