//! Eight boxes at once: the one room with SIMD.
//!
//! The test is conservative, so the portable and the AVX2 form may differ in what they cull but not in any answer.
//! `PARTSIM_LANES=portable` forces the first.

use super::walk::Path;
use super::{Node, WIDTH};
use crate::math::{Point3, Real};

/// Which form this processor runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Plain loops.
    Portable,
}

impl Lanes {
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2")
            && std::env::var_os("PARTSIM_LANES").is_none_or(|v| v != "portable")
        {
            return Self::Avx2;
        }
        Self::Portable
    }
}

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

/// Plain loops, on every processor.
pub(super) fn portable(node: &Node, query: &Query, bound: f32) -> Entries {
    let mut near = [0.0f32; WIDTH];
    let mut far = [bound; WIDTH];
    for axis in 0..3 {
        for lane in 0..WIDTH {
            let low = (node.min[axis][lane] - query.plus[axis]) * query.inverse[axis];
            let high = (node.max[axis][lane] - query.minus[axis]) * query.inverse[axis];
            // By sign, not by size: an absent child's sides are swapped infinities and must stay apart.
            let (enter, leave) = if query.inverse[axis] < 0.0 {
                (high, low)
            } else {
                (low, high)
            };
            near[lane] = near[lane].max(enter);
            far[lane] = far[lane].min(leave);
        }
    }
    let mut mask = 0;
    for lane in 0..WIDTH {
        near[lane] *= 1.0 - SLACK;
        mask |= u32::from(near[lane] <= far[lane] * (1.0 + SLACK)) << lane;
    }
    Entries { near, mask }
}

/// The same in 256-bit registers.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn avx2(node: &Node, query: &Query, bound: f32) -> Entries {
    use std::arch::x86_64::*;
    let mut entries = Entries {
        near: [0.0; WIDTH],
        mask: 0,
    };
    // SAFETY: the caller has AVX2; every load and store is of an array of eight `f32`, unaligned forms throughout.
    unsafe {
        let mut near = _mm256_setzero_ps();
        let mut far = _mm256_set1_ps(bound);
        for axis in 0..3 {
            let inverse = _mm256_set1_ps(query.inverse[axis]);
            let low = _mm256_loadu_ps(node.min[axis].as_ptr());
            let high = _mm256_loadu_ps(node.max[axis].as_ptr());
            let a = _mm256_mul_ps(_mm256_sub_ps(low, _mm256_set1_ps(query.plus[axis])), inverse);
            let b = _mm256_mul_ps(_mm256_sub_ps(high, _mm256_set1_ps(query.minus[axis])), inverse);
            let (enter, leave) = if query.inverse[axis] < 0.0 { (b, a) } else { (a, b) };
            near = _mm256_max_ps(near, enter);
            far = _mm256_min_ps(far, leave);
        }
        near = _mm256_mul_ps(near, _mm256_set1_ps(1.0 - SLACK));
        far = _mm256_mul_ps(far, _mm256_set1_ps(1.0 + SLACK));
        let hit = _mm256_cmp_ps::<_CMP_LE_OQ>(near, far);
        _mm256_storeu_ps(entries.near.as_mut_ptr(), near);
        entries.mask = _mm256_movemask_ps(hit) as u32;
    }
    entries
}
