//! Eight boxes at once against a moving ball.
//!
//! The test is conservative: it may say "perhaps" where the truth is "no", but never the other way.

use super::eight::Eight;
use super::walk::Path;
use super::{Node, WIDTH};
use crate::math::{Point3, Real};

/// Room for the rounding of a few `f32` operations, relative to their result: 2^-21 is 8 units in the last place.
const SLACK: f32 = 1.0 / 2_097_152.0;

/// A bound in `f32` that is certainly not below `best`.
#[inline(always)]
pub(super) fn above(best: Real) -> f32 {
    best as f32 * (1.0 + SLACK) + f32::MIN_POSITIVE
}

/// A path in the tree's frame, prepared for slab tests.
///
/// The box is grown instead of the path: by the radius, and by a guard for everything that `f32` rounds here, which is
/// the start (2^-24 of its size), the growing itself and the direction (2^-24 of the path's length).
pub(super) struct Query {
    /// Start plus margin: subtracted from lower sides.
    plus: [f32; 3],
    /// Start minus margin: subtracted from upper sides.
    minus: [f32; 3],
    /// Reciprocals of the displacement.
    inverse: [f32; 3],
    from: [f32; 3],
    along: [f32; 3],
    /// Radius with room for the rounding of a distance; 0 where squares would leave the range of `f32`.
    radius: f32,
    /// Room for the rounding of the product of a distance and the displacement.
    closing: f32,
}

/// Largest numbers whose squares, and those of their roundings, `f32` holds.
const SQUARES: std::ops::Range<Real> = 1e-10..1e18;

impl Query {
    pub(super) fn new(path: &Path, center: &Point3, reach: Real) -> Self {
        let start = path.from - center;
        let size = start.amax().max(path.along.amax()).max(path.radius).max(reach);
        // A radius that is huge beside the scene only makes the boxes larger, never wrong.
        let margin = path.radius + size * Real::from(SLACK);
        Self {
            plus: std::array::from_fn(|a| (start[a] + margin) as f32),
            minus: std::array::from_fn(|a| (start[a] - margin) as f32),
            inverse: std::array::from_fn(|a| reciprocal(path.along[a])),
            from: std::array::from_fn(|a| start[a] as f32),
            along: std::array::from_fn(|a| path.along[a] as f32),
            radius: if SQUARES.contains(&size) {
                (path.radius + size * Real::from(8.0 * SLACK)) as f32
            } else {
                0.0
            },
            closing: (path.along.norm() * size * Real::from(2.0 * SLACK)) as f32,
        }
    }
}

/// 1 / x, finite also where x is (almost) zero: then the slab holds the whole path or none of it.
fn reciprocal(x: Real) -> f32 {
    const SMALL: Real = 1e-30;
    (1.0 / if x.abs() < SMALL { SMALL.copysign(x) } else { x }) as f32
}

/// Which of the eight boxes are entered, and when.
pub(super) struct Entries {
    /// Fraction of the path at which each box is entered, rounded down.
    pub near: [f32; WIDTH],
    /// One bit a box.
    pub mask: u32,
}

/// Tests all boxes of a node up to fraction `bound`.
#[inline(always)]
pub(super) fn entries<E: Eight>(node: &Node, query: &Query, bound: f32) -> Entries {
    let mut near = E::splat(0.0);
    let mut far = E::splat(bound);
    for axis in 0..3 {
        let inverse = E::splat(query.inverse[axis]);
        let low = E::load(&node.min[axis])
            .sub(E::splat(query.plus[axis]))
            .mul(inverse);
        let high = E::load(&node.max[axis])
            .sub(E::splat(query.minus[axis]))
            .mul(inverse);
        // By sign, not by size: an absent child's sides are swapped infinities and must stay apart.
        let (enter, leave) = if query.inverse[axis] < 0.0 {
            (high, low)
        } else {
            (low, high)
        };
        near = near.max(enter);
        far = far.min(leave);
    }
    near = near.mul(E::splat(1.0 - SLACK));
    far = far.mul(E::splat(1.0 + SLACK));
    let mut hit = near.le(far);
    let mut mask = hit.bits();
    if mask & mask.wrapping_sub(1) != 0 && is_small(node, mask.trailing_zeros() as usize, query.radius) {
        for _ in 0..STEPS {
            (near, hit) = rounded::<E>(node, query, near, hit);
        }
        mask = hit.and(near.le(far)).bits();
    }
    let mut entries = Entries {
        near: [0.0; WIDTH],
        mask,
    };
    near.store(&mut entries.near);
    entries
}

/// Steps towards the entry into rounded boxes.
const STEPS: usize = 2;

/// Whether a box is so small against the radius that its grown form is mostly corners.
#[inline(always)]
fn is_small(node: &Node, lane: usize, radius: f32) -> bool {
    (0..3).all(|axis| node.max[axis][lane] - node.min[axis][lane] < radius)
}

/// One step of Newton's method from `near` towards the moment at which the ball touches each box itself, not the box
/// grown to a larger box; lanes that move away before that leave the mask.
///
/// The squared distance to a box is convex along a path, so a step from before never passes the entry. A distance here
/// is wrong by e < 8 units of the last place of the largest number; the radius is 8 e too large, which lowers the
/// distance that is left by more than its error, and the speed of approach is raised by more than its own.
#[inline(always)]
fn rounded<E: Eight>(node: &Node, query: &Query, near: E, hit: E) -> (E, E) {
    let zero = E::splat(0.0);
    let (mut square, mut change) = (zero, zero);
    for axis in 0..3 {
        let along = E::splat(query.along[axis]);
        let place = along.mul_add(near, E::splat(query.from[axis]));
        let low = E::load(&node.min[axis]).sub(place);
        let high = place.sub(E::load(&node.max[axis]));
        // From the box to the ball, with sign.
        let off = high.max(zero).sub(low.max(zero));
        square = off.mul_add(off, square);
        change = off.mul_add(along, change);
    }
    let radius = E::splat(query.radius);
    let left = radius.neg_mul_add(radius, square);
    let closing = E::splat(query.closing).sub(change);
    let touching = left.le(zero);
    let step = left.div(closing.add(closing)).mul(E::splat(1.0 - 4.0 * SLACK));
    let on = touching.or(E::splat(f32::MIN_POSITIVE).le(closing));
    (touching.select(near, near.add(step)), hit.and(on))
}
