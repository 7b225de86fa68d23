//! Building: binned surface area heuristic (Wald 2007), straight into eight-wide nodes, in parallel.
//!
//! A node begins as one range of primitives; its largest part is split until there are eight. The tree depends on the
//! boxes and their order alone, never on threads: ranges are disjoint and nodes are numbered depth first.

mod bins;
mod short;

use rayon::prelude::*;

use self::bins::{Bins, Filled, partition};
use self::short::split_sorted;
use super::{Bvh, LEAF, LEAF_COUNT_SHIFT, Lanes, MAX_PRIMITIVES, NONE, Node, WIDTH};
use crate::math::{Aabb, Point3, Real};

/// Ranges shorter than this are built by one thread.
const SERIAL: usize = 4096;

/// Ranges up to this length are split by trying every cut, so that leaves become full.
const SORTED: usize = 64;

/// Ranges up to this length are laid out for few nodes rather than for small boxes.
const BOTTOM: usize = 96;

/// Set in the bits that stand in a fourth coordinate: they are then those of an ordinary number near 2, with which
/// nothing is slow.
const ORDINARY: u32 = 1 << 30;

/// Bits of a rank among [`SORTED`] primitives.
const RANK_BITS: u32 = SORTED.trailing_zeros();

/// A primitive while the tree is built: a box in `f32`. The bits of the fourth lower coordinate are its number, those
/// of the fourth upper one its ranks along the axes in the short range it belongs to, 0 as long as that is long.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
struct Primitive {
    min: [f32; 4],
    max: [f32; 4],
}

impl Primitive {
    fn number(&self) -> u32 {
        self.min[3].to_bits() & !ORDINARY
    }

    fn is_ranked(&self) -> bool {
        self.max[3].to_bits() != 0
    }

    /// Its place along an axis in the short range.
    #[inline(always)]
    fn rank(&self, axis: u32) -> usize {
        (self.max[3].to_bits() >> (RANK_BITS * axis)) as usize % SORTED
    }

    /// Twice the middle of the box.
    #[inline(always)]
    fn middle(&self) -> [f32; 4] {
        std::array::from_fn(|axis| self.min[axis] + self.max[axis])
    }
}

/// A box in `f32`; the fourth coordinate has no meaning.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
struct Bounds {
    min: [f32; 4],
    max: [f32; 4],
}

impl Bounds {
    const EMPTY: Self = Self {
        min: [f32::INFINITY; 4],
        max: [f32::NEG_INFINITY; 4],
    };

    #[inline(always)]
    fn grow(&mut self, min: &[f32; 4], max: &[f32; 4]) {
        for axis in 0..4 {
            self.min[axis] = if min[axis] < self.min[axis] {
                min[axis]
            } else {
                self.min[axis]
            };
            self.max[axis] = if max[axis] > self.max[axis] {
                max[axis]
            } else {
                self.max[axis]
            };
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

/// Consecutive primitives, and the boxes around them and, of a long range, around the (doubled) middles of theirs.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    length: usize,
    bounds: Bounds,
    middles: Bounds,
}

impl Part {
    fn of(all: &[Primitive], start: usize, length: usize) -> Self {
        let (mut bounds, mut middles) = (Bounds::EMPTY, Bounds::EMPTY);
        for p in &all[start..start + length] {
            bounds.grow(&p.min, &p.max);
            let middle = p.middle();
            middles.grow(&middle, &middle);
        }
        Self {
            start,
            length,
            bounds,
            middles,
        }
    }
}

/// The largest `f32` not above `x`.
pub(super) fn down(x: Real) -> f32 {
    let f = x as f32;
    if Real::from(f) > x { f.next_down() } else { f }
}

/// The smallest `f32` not below `x`.
pub(super) fn up(x: Real) -> f32 {
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
            .map(|(i, b)| {
                let mut p = Primitive {
                    min: [f32::from_bits(ORDINARY | i as u32); 4],
                    max: [0.0; 4],
                };
                for axis in 0..3 {
                    // One more step outward than the cast needs covers the rounding of the subtraction.
                    p.min[axis] = down(b.min[axis] - center[axis]).next_down();
                    p.max[axis] = up(b.max[axis] - center[axis]).next_up();
                }
                p
            })
            .collect();
        let mut nodes = if primitives.is_empty() {
            Vec::new()
        } else {
            {
                let whole = Part::of(&primitives, 0, primitives.len());
                build_nodes(&mut primitives, 0, whole)
            }
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
        order.extend(primitives[first..first + count].iter().map(Primitive::number));
        order.resize((leaf as usize + 1) * WIDTH, NONE);
        *child = (*child & !((1 << LEAF_COUNT_SHIFT) - 1)) | leaf;
    }
    order
}

/// The subtree over a range whose first primitive stands at `first` of all; node 0 is its root. `whole` is the range.
fn build_nodes(range: &mut [Primitive], first: usize, whole: Part) -> Vec<Node> {
    let parts = split_into_eight(range, whole);
    let mut node = Node::EMPTY;
    let mut children = Vec::with_capacity(parts.len());
    let mut rest = range;
    for (lane, part) in parts.iter().enumerate() {
        let (own, tail) = rest.split_at_mut(part.length);
        rest = tail;
        for axis in 0..3 {
            node.min[axis][lane] = part.bounds.min[axis];
            node.max[axis][lane] = part.bounds.max[axis];
        }
        let at = first + part.start;
        if part.length <= WIDTH {
            node.child[lane] = LEAF | ((part.length as u32 - 1) << LEAF_COUNT_SHIFT) | at as u32;
        } else {
            children.push((lane, own, at, Part { start: 0, ..*part }));
        }
    }
    let total: usize = children.iter().map(|child| child.1.len()).sum();
    let build =
        |(lane, own, at, part): (usize, &mut [Primitive], usize, Part)| (lane, build_nodes(own, at, part));
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

/// Splits a range into at most eight consecutive parts.
fn split_into_eight(range: &mut [Primitive], whole: Part) -> Vec<Part> {
    let mut parts = vec![whole];
    while parts.len() < WIDTH {
        let Some(worst) = most_urgent(&parts, range.len()) else {
            break;
        };
        let part = parts[worst];
        let own = &mut range[part.start..part.start + part.length];
        let [low, high] = split(own, &part);
        parts[worst] = low;
        parts.insert(worst + 1, high);
    }
    parts
}

/// The part to split next: the dearest; near the bottom the shortest, so that it is finished within this node instead
/// of costing a node of its own for two leaves.
fn most_urgent(parts: &[Part], total: usize) -> Option<usize> {
    let urgency = |p: &Part| {
        if total > BOTTOM {
            p.bounds.half_area() * p.length as f32
        } else {
            -(p.length as f32)
        }
    };
    (0..parts.len())
        .filter(|&i| parts[i].length > WIDTH)
        .max_by(|&a, &b| urgency(&parts[a]).total_cmp(&urgency(&parts[b])).then(b.cmp(&a)))
}

/// What a range of `count` primitives costs a path that enters its box: tests of whole leaves.
fn leaves(count: usize) -> f32 {
    count.div_ceil(WIDTH) as f32
}

/// Reorders a range of more than [`WIDTH`] primitives into two of at least one.
fn split(range: &mut [Primitive], whole: &Part) -> [Part; 2] {
    if range.len() <= SORTED {
        let left = split_sorted(range, &whole.middles);
        return halves(range, whole.start, left);
    }
    let bins = Bins::new(&whole.middles);
    let filled = Filled::of(range, &bins);
    let Some(cut) = filled.best_cut(&bins) else {
        // All middles coincide: any halves are as good as any other.
        return halves(range, whole.start, range.len() / 2);
    };
    let [low, high] = filled.sides(&cut);
    let (left, middles) = partition(range, |middle| bins.on_axis(middle, cut.axis) < cut.bin);
    [
        Part {
            start: whole.start,
            length: left,
            bounds: low,
            middles: middles[0],
        },
        Part {
            start: whole.start + left,
            length: range.len() - left,
            bounds: high,
            middles: middles[1],
        },
    ]
}

/// Two parts, cut after `left` primitives, of a range that starts at `start`.
fn halves(range: &[Primitive], start: usize, left: usize) -> [Part; 2] {
    let [low, high] = [
        Part::of(range, 0, left),
        Part::of(range, left, range.len() - left),
    ];
    [
        Part { start, ..low },
        Part {
            start: start + left,
            ..high
        },
    ]
}
