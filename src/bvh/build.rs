//! Building: binned surface area heuristic (Wald 2007), straight into eight-wide nodes, in parallel.
//!
//! A node begins as one range of primitives; its largest part is split until there are eight. The tree depends on the
//! boxes and their order alone, never on threads: ranges are disjoint and nodes are numbered depth first.

use rayon::prelude::*;

use super::{Bvh, LEAF, LEAF_COUNT_SHIFT, Lanes, MAX_PRIMITIVES, NONE, Node, WIDTH};
use crate::math::{Aabb, Point3, Real};

/// Bins of the heuristic on each axis.
const BINS: usize = 16;
/// Ranges shorter than this are built by one thread.
const SERIAL: usize = 4096;

/// Ranges up to this length are laid out for few nodes rather than for small boxes.
const BOTTOM: usize = 96;

/// A primitive while the tree is built.
#[derive(Debug, Clone, Copy)]
struct Primitive {
    min: [f32; 3],
    max: [f32; 3],
    number: u32,
}

impl Primitive {
    /// Twice the middle of the box on an axis.
    fn middle(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

/// A box in `f32`.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

impl Bounds {
    const EMPTY: Self = Self {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
    };

    fn grow(&mut self, min: &[f32; 3], max: &[f32; 3]) {
        for axis in 0..3 {
            self.min[axis] = self.min[axis].min(min[axis]);
            self.max[axis] = self.max[axis].max(max[axis]);
        }
    }

    fn half_area(&self) -> f32 {
        let e: [f32; 3] = std::array::from_fn(|i| self.max[i] - self.min[i]);
        if e[0] < 0.0 {
            0.0
        } else {
            e[0] * e[1] + e[1] * e[2] + e[2] * e[0]
        }
    }
}

/// The largest `f32` not above `x`.
fn down(x: Real) -> f32 {
    let f = x as f32;
    if Real::from(f) > x { f.next_down() } else { f }
}

/// The smallest `f32` not below `x`.
fn up(x: Real) -> f32 {
    let f = x as f32;
    if Real::from(f) < x { f.next_up() } else { f }
}

impl Bvh {
    /// A tree over `boxes`; primitive `i` is the one with the box `boxes[i]`.
    ///
    /// # Panics
    /// When there are more than [`MAX_PRIMITIVES`]: world building refuses such scenes.
    pub fn build(boxes: &[Aabb]) -> Self {
        assert!(boxes.len() <= MAX_PRIMITIVES, "too many primitives for one tree");
        let bounds = boxes
            .par_iter()
            .copied()
            .reduce(|| Aabb::EMPTY, |a, b| a.union(&b));
        let center = if bounds.is_empty() {
            Point3::origin()
        } else {
            bounds.center()
        };
        let mut primitives: Vec<Primitive> = boxes
            .par_iter()
            .enumerate()
            .map(|(i, b)| Primitive {
                // One more step outward than the cast needs covers the rounding of the subtraction.
                min: std::array::from_fn(|a| down(b.min[a] - center[a]).next_down()),
                max: std::array::from_fn(|a| up(b.max[a] - center[a]).next_up()),
                number: i as u32,
            })
            .collect();
        let mut nodes = if primitives.is_empty() {
            Vec::new()
        } else {
            build_nodes(&mut primitives, 0)
        };
        let order = number_leaves(&mut nodes, &primitives);
        let reach = (0..3)
            .map(|a| (bounds.max[a] - center[a]).abs())
            .fold(0.0, Real::max);
        Self {
            nodes,
            order,
            center,
            reach: if reach.is_finite() { reach } else { 0.0 },
            lanes: Lanes::detect(),
        }
    }
}

/// Numbers the leaves in the order of the nodes, in place of their first primitives, and returns what their slots hold.
fn number_leaves(nodes: &mut [Node], primitives: &[Primitive]) -> Vec<u32> {
    let mut order = Vec::with_capacity(primitives.len() * 5 / 4);
    for child in nodes.iter_mut().flat_map(|n| &mut n.child) {
        if *child & LEAF == 0 || *child == NONE {
            continue;
        }
        let first = (*child & ((1 << LEAF_COUNT_SHIFT) - 1)) as usize;
        let count = ((*child & !LEAF) >> LEAF_COUNT_SHIFT) as usize + 1;
        let leaf = (order.len() / WIDTH) as u32;
        order.extend(primitives[first..first + count].iter().map(|p| p.number));
        order.resize((leaf as usize + 1) * WIDTH, NONE);
        *child = (*child & !((1 << LEAF_COUNT_SHIFT) - 1)) | leaf;
    }
    order
}

/// The subtree over a range whose first primitive stands at `first` in leaf order; node 0 is its root.
fn build_nodes(range: &mut [Primitive], first: usize) -> Vec<Node> {
    let parts = split_into_eight(range);
    let mut node = Node::EMPTY;
    let mut children = Vec::with_capacity(parts.len());
    let mut rest = range;
    let mut at = first;
    for (lane, &length) in parts.iter().enumerate() {
        let (part, tail) = rest.split_at_mut(length);
        rest = tail;
        let bounds = bounds_of(part);
        for axis in 0..3 {
            node.min[axis][lane] = bounds.min[axis];
            node.max[axis][lane] = bounds.max[axis];
        }
        if length <= WIDTH {
            node.child[lane] = LEAF | ((length as u32 - 1) << LEAF_COUNT_SHIFT) | at as u32;
        } else {
            children.push((lane, part, at));
        }
        at += length;
    }
    let total: usize = children.iter().map(|(_, part, _)| part.len()).sum();
    let build = |(lane, part, at): (usize, &mut [Primitive], usize)| (lane, build_nodes(part, at));
    let subtrees: Vec<(usize, Vec<Node>)> = if total > SERIAL {
        children.into_par_iter().map(build).collect()
    } else {
        children.into_iter().map(build).collect()
    };
    let mut nodes = vec![node];
    for (lane, subtree) in subtrees {
        let base = nodes.len() as u32;
        nodes[0].child[lane] = base;
        nodes.extend(subtree.into_iter().map(|mut n| {
            for child in &mut n.child {
                if *child & LEAF == 0 {
                    *child += base;
                }
            }
            n
        }));
    }
    nodes
}

/// Splits a range into at most eight consecutive parts and returns their lengths.
fn split_into_eight(range: &mut [Primitive]) -> Vec<usize> {
    // (start, length, half area): the part that costs most is split next.
    let mut parts = vec![(0, range.len(), bounds_of(range).half_area())];
    while parts.len() < WIDTH {
        let Some(worst) = most_urgent(&parts, range.len()) else {
            break;
        };
        let (start, length, _) = parts[worst];
        let part = &mut range[start..start + length];
        let left = split(part);
        let area = |p: &[Primitive]| bounds_of(p).half_area();
        let (a, b) = (area(&part[..left]), area(&part[left..]));
        parts[worst] = (start, left, a);
        parts.insert(worst + 1, (start + left, length - left, b));
    }
    parts.into_iter().map(|p| p.1).collect()
}

/// The part to split next: the dearest; near the bottom the shortest, so that it is finished within this node instead
/// of costing a node of its own for two leaves.
fn most_urgent(parts: &[(usize, usize, f32)], total: usize) -> Option<usize> {
    let urgency = |p: &(usize, usize, f32)| {
        if total > BOTTOM {
            p.2 * p.1 as f32
        } else {
            -(p.1 as f32)
        }
    };
    (0..parts.len())
        .filter(|&i| parts[i].1 > WIDTH)
        .max_by(|&a, &b| urgency(&parts[a]).total_cmp(&urgency(&parts[b])).then(b.cmp(&a)))
}

fn bounds_of(range: &[Primitive]) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for p in range {
        bounds.grow(&p.min, &p.max);
    }
    bounds
}

/// Reorders a range of more than [`WIDTH`] primitives into two and returns the length of the first, at least 1.
fn split(range: &mut [Primitive]) -> usize {
    let mut middles = Bounds::EMPTY;
    for p in range.iter() {
        let m = [p.middle(0), p.middle(1), p.middle(2)];
        middles.grow(&m, &m);
    }
    let best = (0..3)
        .filter_map(|axis| best_cut(range, &middles, axis))
        .min_by(|a, b| a.cost.total_cmp(&b.cost));
    let Some(cut) = best else {
        // All middles coincide: any halves are as good as any other.
        return range.len() / 2;
    };
    partition(range, |p| bin_of(p, &middles, cut.axis) < cut.bin)
}

struct Cut {
    axis: usize,
    bin: usize,
    cost: f32,
}

fn bin_of(p: &Primitive, middles: &Bounds, axis: usize) -> usize {
    let extent = middles.max[axis] - middles.min[axis];
    let share = (p.middle(axis) - middles.min[axis]) / extent;
    ((share * BINS as f32) as usize).min(BINS - 1)
}

/// The cheapest cut between bins on one axis; `None` where all middles fall into one.
fn best_cut(range: &[Primitive], middles: &Bounds, axis: usize) -> Option<Cut> {
    let extent = middles.max[axis] - middles.min[axis];
    if !(extent > 0.0 && extent.is_finite()) {
        return None;
    }
    let mut bins = [(Bounds::EMPTY, 0usize); BINS];
    for p in range {
        let bin = &mut bins[bin_of(p, middles, axis)];
        bin.0.grow(&p.min, &p.max);
        bin.1 += 1;
    }
    // Cost of everything right of each cut, then sweep from the left.
    let mut right = [(0.0f32, 0usize); BINS];
    let (mut bounds, mut count) = (Bounds::EMPTY, 0);
    for i in (1..BINS).rev() {
        bounds.grow(&bins[i].0.min, &bins[i].0.max);
        count += bins[i].1;
        right[i] = (bounds.half_area(), count);
    }
    let (mut bounds, mut count) = (Bounds::EMPTY, 0);
    let mut best: Option<Cut> = None;
    for cut in 1..BINS {
        bounds.grow(&bins[cut - 1].0.min, &bins[cut - 1].0.max);
        count += bins[cut - 1].1;
        let (right_area, right_count) = right[cut];
        if count == 0 || right_count == 0 {
            continue;
        }
        let cost = bounds.half_area() * count as f32 + right_area * right_count as f32;
        if best.as_ref().is_none_or(|b| cost < b.cost) {
            best = Some(Cut { axis, bin: cut, cost });
        }
    }
    best
}

/// Moves those that satisfy `first` to the front and returns how many there are.
fn partition(range: &mut [Primitive], first: impl Fn(&Primitive) -> bool) -> usize {
    let mut kept = 0;
    for i in 0..range.len() {
        if first(&range[i]) {
            range.swap(kept, i);
            kept += 1;
        }
    }
    kept
}
