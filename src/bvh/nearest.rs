//! Which leaves may hold the primitive nearest to a point, nearest box first, within a radius that shrinks.

use std::ops::Range;

use super::walk::{STACK, leaf_range};
use super::{Bvh, LEAF, NONE, Node, WIDTH};
use crate::math::{Point3, Real};

/// Roundings of `f32` in a distance to a box side.
const SLACK: f32 = 4.0 * f32::EPSILON;

impl Bvh {
    /// Calls `leaf` with every range of primitives (in leaf order) that may lie within the square root of the best
    /// squared distance so far; `leaf` gets that square and returns the new one, and it begins with `best`.
    pub fn nearest(&self, p: &Point3, mut best: Real, mut leaf: impl FnMut(Range<u32>, Real) -> Real) {
        if self.nodes.is_empty() {
            return;
        }
        let q = p - self.center;
        let q32 = [q.x as f32, q.y as f32, q.z as f32];
        let slack = SLACK * (self.reach.max(q.amax()) as f32);
        let mut stack = [(0_u32, 0.0_f32); STACK];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (child, near) = stack[height];
            if Real::from(near) > best {
                continue;
            }
            if child & LEAF != 0 {
                best = leaf(leaf_range(child), best);
                continue;
            }
            let node = &self.nodes[child as usize];
            let near = squared_distances(node, &q32, slack);
            let floor = height;
            for lane in 0..WIDTH {
                if node.child[lane] == NONE || Real::from(near[lane]) > best {
                    continue;
                }
                let mut slot = height;
                while slot > floor && stack[slot - 1].1 < near[lane] {
                    stack[slot] = stack[slot - 1];
                    slot -= 1;
                }
                stack[slot] = (node.child[lane], near[lane]);
                height += 1;
            }
        }
    }
}

/// Lower bounds of the squared distances of a point to the eight boxes.
#[inline]
fn squared_distances(node: &Node, q: &[f32; 3], slack: f32) -> [f32; WIDTH] {
    let mut sum = [0.0_f32; WIDTH];
    for axis in 0..3 {
        let (min, max) = (&node.min[axis], &node.max[axis]);
        for lane in 0..WIDTH {
            let out = (min[lane] - q[axis]).max(q[axis] - max[lane]) - slack;
            let out = out.max(0.0);
            sum[lane] += out * out;
        }
    }
    // Squares and sums round up by less than this. What overflows is still no nearer than the largest number.
    sum.map(|s| (s * (1.0 - SLACK)).min(f32::MAX))
}
