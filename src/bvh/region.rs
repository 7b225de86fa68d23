//! Which leaves reach into a box: for tools and set-up, not for what is done a million times a step.

use std::ops::Range;

use super::build::{down, up};
use super::walk::leaf_range;
use super::{Bvh, LEAF, NONE, WIDTH};
use crate::math::Aabb;

impl Bvh {
    /// Number of leaves: leaf `i` holds slots `WIDTH * i` to `WIDTH * (i + 1)` of [`Bvh::order`].
    pub fn leaf_count(&self) -> usize {
        self.order.len() / WIDTH
    }

    /// Calls `leaf` with every range of primitives (in leaf order) whose box may reach into `region`.
    pub fn within(&self, region: &Aabb, mut leaf: impl FnMut(Range<u32>)) {
        if self.nodes.is_empty() || region.is_empty() {
            return;
        }
        let low = [0, 1, 2].map(|k| down(region.min[k] - self.center[k]).next_down());
        let high = [0, 1, 2].map(|k| up(region.max[k] - self.center[k]).next_up());
        let mut stack = vec![0];
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            let mut meets = [true; WIDTH];
            for k in 0..3 {
                for (lane, meets) in meets.iter_mut().enumerate() {
                    *meets &= node.min[k][lane] <= high[k] && node.max[k][lane] >= low[k];
                }
            }
            for lane in (0..WIDTH).filter(|&lane| meets[lane] && node.child[lane] != NONE) {
                let child = node.child[lane];
                if child & LEAF != 0 {
                    leaf(leaf_range(child));
                } else {
                    stack.push(child);
                }
            }
        }
    }
}
