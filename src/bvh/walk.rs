//! Walking: which leaves a moving ball may touch, nearest first, until nothing can come before the best answer.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::eight::{Eight, Lanes, Plain};
use super::lanes::{self, Query};
use super::{Bvh, LEAF, LEAF_COUNT_SHIFT, WIDTH};
use crate::math::{Point3, Real, Vec3};

/// A ball that moves along a straight line.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    /// Centre at fraction 0.
    pub from: Point3,
    /// Displacement up to fraction 1; may be zero.
    pub along: Vec3,
    /// Radius of the ball, with whatever skin the caller adds.
    pub radius: Real,
}

/// What is done at the leaves of a walk.
pub trait Visit {
    /// Looks at a range of primitives, with the best fraction so far, and returns the new one.
    fn leaf(&mut self, primitives: Range<u32>, best: Real) -> Real;

    /// Called some time before a range may be looked at.
    #[inline(always)]
    fn expect(&self, _primitives: Range<u32>) {}
}

impl<F: FnMut(Range<u32>, Real) -> Real> Visit for F {
    #[inline(always)]
    fn leaf(&mut self, primitives: Range<u32>, best: Real) -> Real {
        self(primitives, best)
    }
}

/// Deep enough for any tree: every level leaves at most seven siblings behind, and a tree over 2^28 primitives that
/// splits off single ones at every node is refused by the heuristic's equal halves long before 64 levels.
pub(super) const STACK: usize = 512;

/// The primitives of a leaf, in leaf order.
pub(super) fn leaf_range(child: u32) -> Range<u32> {
    let first = (child & ((1 << LEAF_COUNT_SHIFT) - 1)) * WIDTH as u32;
    let count = ((child & !LEAF) >> LEAF_COUNT_SHIFT) + 1;
    first..first + count
}

/// Asks for the cache lines of a value.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<T>().div_ceil(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE belongs to every processor of this kind, and a prefetch reads nothing.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast::<i8>().wrapping_add(64 * line))
        };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

impl Bvh {
    /// Calls `leaf` with every range of primitives (in leaf order) that the ball may touch at a fraction not after
    /// the best so far; `leaf` gets that fraction and returns the new one, and it begins with `best` (in 0 .. 1).
    ///
    /// Ranges come roughly nearest first. A primitive whose answer *equals* the best is still handed out, so that ties
    /// can be decided by number and the answer does not depend on the order of the walk.
    pub fn walk(&self, path: &Path, best: Real, mut leaf: impl FnMut(Range<u32>, Real) -> Real) {
        self.visit(path, best, &mut leaf);
    }

    /// [`Bvh::walk`] for what is done so often that it should be compiled into the walk.
    pub fn visit(&self, path: &Path, best: Real, leaf: &mut impl Visit) {
        if self.nodes.is_empty() {
            return;
        }
        let query = Query::new(path, &self.center, self.reach);
        match self.lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.walk_avx2(&query, best, leaf) },
            Lanes::Portable => self.walk_with::<Plain>(&query, best, leaf),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn walk_avx2(&self, query: &Query, best: Real, leaf: &mut impl Visit) {
        self.walk_with::<super::Avx2>(query, best, leaf);
    }

    /// Asks for the memory of a child that may be entered soon.
    #[inline(always)]
    pub(super) fn expect(&self, child: u32, of_leaf: impl Fn(Range<u32>)) {
        if child & LEAF != 0 {
            of_leaf(leaf_range(child));
        } else if let Some(node) = self.nodes.get(child as usize) {
            prefetch(node);
        }
    }

    #[inline(always)]
    fn walk_with<E: Eight>(&self, query: &Query, mut best: Real, leaf: &mut impl Visit) {
        // Left as it is: to clear it would cost more than a short walk.
        let mut stack = [const { MaybeUninit::<(u32, f32)>::uninit() }; STACK];
        stack[0].write((0, 0.0));
        let mut height = 1;
        let mut bound = lanes::above(best);
        while height > 0 {
            height -= 1;
            // SAFETY: every slot below `height` has been written.
            let (child, entry) = unsafe { stack[height].assume_init() };
            if entry > bound {
                continue;
            }
            if child & LEAF != 0 {
                best = leaf.leaf(leaf_range(child), best);
                bound = lanes::above(best);
                continue;
            }
            let node = &self.nodes[child as usize];
            let entries = lanes::entries::<E>(node, query, bound);
            let mut mask = entries.mask;
            let floor = height;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                // Insertion keeps the nearest on top; few lanes are ever hit.
                let item = (node.child[lane], entries.near[lane]);
                self.expect(item.0, |range| leaf.expect(range));
                let mut slot = height;
                // SAFETY: as above; `floor` and all beyond have been written in this loop.
                while slot > floor && unsafe { stack[slot - 1].assume_init() }.1 < item.1 {
                    stack[slot] = stack[slot - 1];
                    slot -= 1;
                }
                stack[slot].write(item);
                height += 1;
            }
        }
    }
}
