//! A tree of boxes, eight to a node, over primitives that it does not know.
//!
//! Boxes are `f32`, relative to the tree's own centre and rounded outward, so that a test of them may say "perhaps"
//! where the truth is "no", but never the other way. What happens at the leaves is the caller's: the walk hands out
//! ranges of primitives. Answers therefore do not depend on which lanes did the culling.

mod build;
mod eight;
mod four;
mod group;
mod lanes;
mod nearest;
mod region;
mod walk;

#[cfg(target_arch = "x86_64")]
pub(crate) use eight::Avx2;
pub(crate) use eight::{Eight, Lanes, Plain};
#[cfg(target_arch = "x86_64")]
pub(crate) use four::Avx2Four;
pub(crate) use four::{Four, PlainFour, ahead, cross, dot, minus};
pub use group::VisitGroup;
pub(crate) use walk::prefetch;
pub use walk::{Path, Visit};

use crate::math::{Aabb, Point3};

/// Children of a node, and primitives of a leaf at the most.
pub const WIDTH: usize = 8;

/// Marks a child as a leaf: the low bits are then the number of the leaf, those from `LEAF_COUNT_SHIFT` up the count of
/// its primitives less one.
const LEAF: u32 = 1 << 31;
const LEAF_COUNT_SHIFT: u32 = 28;
/// A child or primitive that is not there. The child's box is empty, so no walk ever follows it.
pub const NONE: u32 = u32::MAX;

/// Eight boxes and what they hold.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
struct Node {
    /// Lower sides: x of the eight, then y, then z.
    min: [[f32; WIDTH]; 3],
    /// Upper sides.
    max: [[f32; WIDTH]; 3],
    /// Node number, or a leaf.
    child: [u32; WIDTH],
}

impl Node {
    const EMPTY: Self = Self {
        min: [[f32::INFINITY; WIDTH]; 3],
        max: [[f32::NEG_INFINITY; WIDTH]; 3],
        child: [NONE; WIDTH],
    };
}

/// A tree over primitives.
#[derive(Debug, Clone)]
pub struct Bvh {
    nodes: Vec<Node>,
    /// Primitive numbers, eight slots to a leaf, [`NONE`] in those that it leaves empty.
    order: Vec<u32>,
    /// What every box is relative to.
    center: Point3,
    /// Largest absolute coordinate of any box side, relative to the centre.
    reach: f64,
    lanes: Lanes,
}

/// More primitives than a leaf's range can number.
pub const MAX_PRIMITIVES: usize = 1 << LEAF_COUNT_SHIFT;

impl Bvh {
    /// Primitive numbers in the order in which leaves hold them: [`WIDTH`] slots to a leaf, and in those that it does
    /// not fill [`NONE`].
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The form in which boxes are tested, and should be triangles.
    pub(crate) fn lanes(&self) -> Lanes {
        self.lanes
    }

    #[cfg(test)]
    pub(crate) fn set_lanes(&mut self, lanes: Lanes) {
        self.lanes = lanes;
    }

    /// Bytes of memory that the tree takes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.order.len() * size_of::<u32>()
    }

    /// Checks every promise of the structure against the boxes it was built from; `Err` names the broken one.
    /// Meant for tests.
    pub fn validate(&self, boxes: &[Aabb]) -> Result<(), String> {
        let mut seen = vec![false; boxes.len()];
        let mut nodes = 0;
        if !self.nodes.is_empty() {
            self.validate_node(0, boxes, &mut seen, &mut nodes)?;
        }
        if nodes != self.nodes.len() {
            return Err(format!("{nodes} of {} nodes can be reached", self.nodes.len()));
        }
        match seen.iter().position(|s| !s) {
            Some(i) => Err(format!("primitive {i} is in no leaf")),
            None => Ok(()),
        }
    }

    fn validate_node(
        &self,
        index: usize,
        boxes: &[Aabb],
        seen: &mut [bool],
        nodes: &mut usize,
    ) -> Result<Vec<u32>, String> {
        *nodes += 1;
        let node = &self.nodes[index];
        let mut all = Vec::new();
        for lane in 0..WIDTH {
            let child = node.child[lane];
            if child == NONE {
                continue;
            }
            let held = if child & LEAF != 0 {
                let range = walk::leaf_range(child);
                self.order[range.start as usize..range.end as usize].to_vec()
            } else {
                self.validate_node(child as usize, boxes, seen, nodes)?
            };
            for &p in &held {
                for axis in 0..3 {
                    let low = f64::from(node.min[axis][lane]) + self.center[axis];
                    let high = f64::from(node.max[axis][lane]) + self.center[axis];
                    let b = &boxes[p as usize];
                    // Adding the centre back rounds once; one ulp of the coordinate covers it.
                    let slack = f64::EPSILON * self.center[axis].abs().max(b.max[axis].abs());
                    if !(low <= b.min[axis] + slack && high >= b.max[axis] - slack) {
                        return Err(format!("primitive {p} sticks out of lane {lane} of node {index}"));
                    }
                }
                if child & LEAF != 0 && std::mem::replace(&mut seen[p as usize], true) {
                    return Err(format!("primitive {p} is in two leaves"));
                }
            }
            all.extend(held);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
