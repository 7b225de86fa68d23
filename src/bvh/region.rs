//! Which leaves reach into a box, and which lie nearest to a point.
//!
//! Plain loops over the same boxes that paths walk: for tools and set-up, not for what is done a million times a step.

use std::ops::Range;

use super::build::{down, up};
use super::walk::leaf_range;
use super::{Bvh, LEAF, NONE, WIDTH};
use crate::math::{Aabb, Point3, Real};

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

    /// Calls `leaf` with ranges of primitives (in leaf order), roughly nearest first, whose boxes may be nearer to `p` than
    /// the square root of the best so far; `leaf` gets that square and returns the new one, and it begins with `best`.
    pub fn nearest(&self, p: &Point3, mut best: Real, mut leaf: impl FnMut(Range<u32>, Real) -> Real) {
        if self.nodes.is_empty() {
            return;
        }
        let at = p - self.center;
        // The boxes lie outward by more than their own rounding; this covers that of the point and of the squares.
        let slack = 8.0 * Real::EPSILON * (at.amax() + self.reach);
        let mut stack = vec![(0, 0.0)];
        while let Some((child, bound)) = stack.pop() {
            if bound > best {
                continue;
            }
            if child & LEAF != 0 {
                best = leaf(leaf_range(child), best);
                continue;
            }
            let node = &self.nodes[child as usize];
            let floor = stack.len();
            for lane in (0..WIDTH).filter(|&lane| node.child[lane] != NONE) {
                let mut square = 0.0;
                for k in 0..3 {
                    let (min, max) = (Real::from(node.min[k][lane]), Real::from(node.max[k][lane]));
                    let gap = (min - at[k]).max(at[k] - max) - slack;
                    square += if gap > 0.0 { gap * gap } else { 0.0 };
                }
                if square <= best {
                    stack.push((node.child[lane], square * (1.0 - 8.0 * Real::EPSILON)));
                }
            }
            stack[floor..].sort_by(|a, b| b.1.total_cmp(&a.1));
        }
    }
}
