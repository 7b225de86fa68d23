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
}

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
    let mut entries = Entries {
        near: [0.0; WIDTH],
        mask: near.le(far).bits(),
    };
    near.store(&mut entries.near);
    entries
}
