//! Walking with up to eight balls at once: neighbours that move alike go through the same nodes.

use std::mem::MaybeUninit;

use super::eight::{Eight, Lanes, Plain};
use super::lanes::{self, Group, Query};
use super::walk::{Path, STACK, Visit, leaf_range};
use super::{Bvh, LEAF, WIDTH};
use crate::math::Real;

/// A child that waits, the paths that enter it, and when.
#[derive(Clone, Copy)]
struct Waiting {
    child: u32,
    paths: u32,
    near: [f32; WIDTH],
}

impl Bvh {
    /// [`Bvh::visit`] for each of up to [`WIDTH`] paths from fraction 1 on; what does not fit is left out.
    pub fn visit_group<V: Visit>(&self, paths: &[Path], visits: &mut [V]) {
        if self.nodes.is_empty() {
            return;
        }
        let mut queries = [const { MaybeUninit::uninit() }; WIDTH];
        let mut count = 0;
        for (path, query) in paths.iter().zip(&mut queries).take(visits.len()) {
            query.write(Query::new(path, &self.center, self.reach));
            count += 1;
        }
        // SAFETY: the first `count` have been written.
        let queries = unsafe { std::slice::from_raw_parts(queries.as_ptr().cast::<Query>(), count) };
        let Some(group) = Group::new(queries) else {
            return;
        };
        match self.lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.group_avx2(&group, &mut visits[..count]) },
            Lanes::Portable => self.group_with::<Plain, V>(&group, &mut visits[..count]),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn group_avx2<V: Visit>(&self, group: &Group, visits: &mut [V]) {
        self.group_with::<super::Avx2, V>(group, visits);
    }

    #[inline(always)]
    fn group_with<E: Eight, V: Visit>(&self, group: &Group, visits: &mut [V]) {
        let mut stack = [const { MaybeUninit::<Waiting>::uninit() }; STACK];
        let mut best = [1.0; WIDTH];
        // Lanes without a path are never entered.
        let mut bounds = [-1.0; WIDTH];
        for bound in bounds.iter_mut().take(visits.len()) {
            *bound = lanes::above(1.0);
        }
        let all = (1 << visits.len()) - 1;
        stack[0].write(Waiting { child: 0, paths: all, near: [0.0; WIDTH] });
        let mut height = 1;
        while height > 0 {
            height -= 1;
            // SAFETY: every slot below `height` has been written.
            let waiting = unsafe { stack[height].assume_init_ref() };
            let mut paths = waiting.paths & E::load(&waiting.near).le(E::load(&bounds)).bits();
            if paths == 0 {
                continue;
            }
            let child = waiting.child;
            if child & LEAF != 0 {
                while paths != 0 {
                    let lane = paths.trailing_zeros() as usize;
                    paths &= paths - 1;
                    best[lane] = visits[lane].leaf(leaf_range(child), best[lane]);
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
                let mut item = Waiting { child: node.child[lane], paths: 0, near: [0.0; WIDTH] };
                item.paths = paths & group.entries::<E>(node, lane, &bounds, &mut item.near);
                if item.paths == 0 {
                    continue;
                }
                let first = item.paths.trailing_zeros() as usize;
                let mut slot = height;
                // SAFETY: as above; `floor` and all beyond have been written in this loop.
                while slot > floor && unsafe { stack[slot - 1].assume_init_ref() }.near[first] < item.near[first] {
                    stack[slot] = stack[slot - 1];
                    slot -= 1;
                }
                stack[slot].write(item);
                height += 1;
            }
        }
    }
}
