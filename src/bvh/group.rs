//! Walking with up to eight balls at once: neighbours that move alike go through the same nodes.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::eight::{Eight, Lanes, Plain};
use super::lanes::{self, Group};
use super::walk::{Path, STACK, leaf_range};
use super::{Bvh, LEAF, WIDTH};
use crate::math::Real;

/// What is done at the leaves of a walk with several paths.
pub trait VisitGroup {
    /// Looks at a range of primitives for the paths whose bits are set in `paths`, and lowers their best fractions.
    fn leaf(&mut self, primitives: Range<u32>, paths: u32, best: &mut [Real; WIDTH]);

    /// Called some time before a range may be looked at.
    fn expect(&self, primitives: Range<u32>);
}

/// A child that waits, the paths that enter it, and when.
#[derive(Clone, Copy)]
struct Waiting {
    child: u32,
    paths: u32,
    near: [f32; WIDTH],
}

impl Bvh {
    /// [`Bvh::visit`] for each of the first `count` paths, from fraction 1 on. Where they lie so far apart that they meet
    /// other boxes, single walks are faster.
    pub(crate) fn visit_group(&self, paths: &[Path; WIDTH], count: usize, visit: &mut impl VisitGroup) {
        match self.lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.group_avx2(paths, count, visit) },
            Lanes::Portable => self.group_with::<Plain>(paths, count, visit),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn group_avx2(&self, paths: &[Path; WIDTH], count: usize, visit: &mut impl VisitGroup) {
        self.group_with::<super::Avx2>(paths, count, visit);
    }

    #[inline(always)]
    fn group_with<E: Eight>(&self, paths: &[Path; WIDTH], count: usize, visit: &mut impl VisitGroup) {
        if self.nodes.is_empty() {
            return;
        }
        let group = Group::new::<E>(paths, count, &self.center, self.reach);
        let mut stack = [const { MaybeUninit::<Waiting>::uninit() }; STACK];
        let mut best = [1.0; WIDTH];
        // Lanes without a path are never entered.
        let mut bounds = [-1.0; WIDTH];
        for bound in bounds.iter_mut().take(group.count) {
            *bound = lanes::above(1.0);
        }
        stack[0].write(Waiting {
            child: 0,
            paths: (1 << group.count) - 1,
            near: [0.0; WIDTH],
        });
        let mut height = 1;
        while height > 0 {
            height -= 1;
            // SAFETY: every slot below `height` has been written.
            let waiting = unsafe { stack[height].assume_init_ref() };
            let mut paths = waiting.paths & E::load(&waiting.near).le(E::load(&bounds)).bits();
            let child = waiting.child;
            if paths == 0 {
                continue;
            }
            if child & LEAF != 0 {
                visit.leaf(leaf_range(child), paths, &mut best);
                while paths != 0 {
                    let lane = paths.trailing_zeros() as usize;
                    paths &= paths - 1;
                    bounds[lane] = lanes::above(best[lane]);
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let mut met = group.meets::<E>(node);
            let floor = height;
            while met != 0 {
                let lane = met.trailing_zeros() as usize;
                met &= met - 1;
                let mut near = [0.0; WIDTH];
                let paths = paths & group.entries::<E>(node, lane, &bounds, &mut near);
                if paths == 0 {
                    continue;
                }
                let first = paths.trailing_zeros() as usize;
                let mut slot = height;
                // SAFETY: as above; `floor` and all beyond have been written in this loop.
                while slot > floor && unsafe { stack[slot - 1].assume_init_ref() }.near[first] < near[first] {
                    stack[slot] = stack[slot - 1];
                    slot -= 1;
                }
                let child = node.child[lane];
                self.expect(child, |range| visit.expect(range));
                stack[slot].write(Waiting { child, paths, near });
                height += 1;
            }
        }
    }
}
