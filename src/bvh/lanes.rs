//! Eight boxes against one moving ball, or one box against eight balls.
//!
//! The tests are conservative: they may say "perhaps" where the truth is "no", but never the other way.

use super::eight::Eight;
use super::walk::Path;
use super::{Node, WIDTH};
use crate::math::{Point3, Real, Vec3};

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
#[derive(Clone, Copy)]
pub(super) struct Query {
    /// Start plus margin: subtracted from lower sides.
    pub plus: [f32; 3],
    /// Start minus margin: subtracted from upper sides.
    pub minus: [f32; 3],
    /// Reciprocals of the displacement, rounded twice.
    pub inverse: [f32; 3],
    pub from: [f32; 3],
    pub along: [f32; 3],
    /// Radius with room for the rounding of a distance; 0 where squares would leave the range of `f32`.
    pub radius: f32,
    /// Room for the rounding of the product of a distance and the displacement.
    pub closing: f32,
}

/// Largest numbers whose squares, and those of their roundings, `f32` holds.
const SQUARES: std::ops::Range<Real> = 1e-10..1e18;

impl Query {
    #[inline(always)]
    pub(super) fn new(path: &Path, center: &Point3, reach: Real) -> Self {
        let start = path.from - center;
        let along = &path.along;
        let coordinates = larger(largest(&start), largest(along));
        let size = larger(coordinates, larger(path.radius, reach));
        // A radius that is huge beside the scene only makes the boxes larger, never wrong.
        let margin = path.radius + size * Real::from(SLACK);
        let shorten = |x: Real| x as f32;
        let [x, y, z] = [start.x, start.y, start.z];
        let plain = [along.x, along.y, along.z].map(shorten);
        // Not less than the length of the displacement.
        let length = along.x.abs() + along.y.abs() + along.z.abs();
        Self {
            plus: [x + margin, y + margin, z + margin].map(shorten),
            minus: [x - margin, y - margin, z - margin].map(shorten),
            inverse: plain.map(reciprocal),
            from: [x, y, z].map(shorten),
            along: plain,
            radius: rounded_radius(path.radius, size),
            closing: (length * size * Real::from(2.0 * SLACK)) as f32,
        }
    }
}

/// The smallest of eight numbers.
#[inline(always)]
fn least<E: Eight>(x: E) -> f32 {
    let mut x8 = [0.0; WIDTH];
    x.store(&mut x8);
    let smaller = |a: f32, b: f32| if a < b { a } else { b };
    let [a, b, c, d, e, f, g, h] = x8;
    let (a, b) = (
        smaller(smaller(a, b), smaller(c, d)),
        smaller(smaller(e, f), smaller(g, h)),
    );
    smaller(a, b)
}

#[inline(always)]
fn largest(v: &Vec3) -> Real {
    larger(v.x.abs(), larger(v.y.abs(), v.z.abs()))
}

#[inline(always)]
fn larger(a: Real, b: Real) -> Real {
    if a > b { a } else { b }
}

/// See [`Query::radius`].
#[inline(always)]
fn rounded_radius(radius: Real, size: Real) -> f32 {
    let wide = (radius + size * Real::from(8.0 * SLACK)) as f32;
    if SQUARES.contains(&size) { wide } else { 0.0 }
}

/// 1 / x, finite also where x is (almost) zero: then the slab holds the whole path or none of it.
#[inline(always)]
fn reciprocal(x: f32) -> f32 {
    const SMALL: f32 = 1e-30;
    1.0 / if x.abs() < SMALL { SMALL.copysign(x) } else { x }
}

/// Which of the eight boxes are entered, and when.
pub(super) struct Entries {
    /// Fraction of the path at which each box is entered, rounded down.
    pub near: [f32; WIDTH],
    /// One bit a box.
    pub mask: u32,
}

/// Tests all boxes of a node up to fraction `bound`.
#[inline(always)]
pub(super) fn entries<E: Eight>(node: &Node, query: &Query, bound: f32) -> Entries {
    let mut near = E::splat(0.0);
    let mut far = E::splat(bound);
    for axis in 0..3 {
        let inverse = E::splat(query.inverse[axis]);
        let low = E::load(&node.min[axis])
            .sub(E::splat(query.plus[axis]))
            .mul(inverse);
        let high = E::load(&node.max[axis])
            .sub(E::splat(query.minus[axis]))
            .mul(inverse);
        // By sign, not by size: an absent child's sides are swapped infinities and must stay apart.
        let (enter, leave) = if query.inverse[axis] < 0.0 {
            (high, low)
        } else {
            (low, high)
        };
        near = near.max(enter);
        far = far.min(leave);
    }
    near = near.mul(E::splat(1.0 - SLACK));
    far = far.mul(E::splat(1.0 + SLACK));
    let mut hit = near.le(far);
    let mut mask = hit.bits();
    if mask & mask.wrapping_sub(1) != 0 && is_small(node, mask.trailing_zeros() as usize, query.radius) {
        let balls = Balls {
            from: all(&query.from),
            along: all(&query.along),
            radius: E::splat(query.radius),
            closing: E::splat(query.closing),
        };
        let boxes = [sides(&node.min), sides(&node.max)];
        for _ in 0..STEPS {
            (near, hit) = rounded::<E>(&boxes, &balls, near, hit);
        }
        mask = hit.and(near.le(far)).bits();
    }
    let mut entries = Entries {
        near: [0.0; WIDTH],
        mask,
    };
    near.store(&mut entries.near);
    entries
}

/// Steps towards the entry into rounded boxes.
const STEPS: usize = 2;

/// Whether a box is so small against the radius that its grown form is mostly corners.
#[inline(always)]
fn is_small(node: &Node, lane: usize, radius: f32) -> bool {
    node.max[0][lane] - node.min[0][lane] < radius
        && node.max[1][lane] - node.min[1][lane] < radius
        && node.max[2][lane] - node.min[2][lane] < radius
}

#[inline(always)]
fn all<E: Eight>(v: &[f32; 3]) -> [E; 3] {
    [E::splat(v[0]), E::splat(v[1]), E::splat(v[2])]
}

#[inline(always)]
fn sides<E: Eight>(v: &[[f32; WIDTH]; 3]) -> [E; 3] {
    [E::load(&v[0]), E::load(&v[1]), E::load(&v[2])]
}

/// Moving balls, one a lane or the same in all.
struct Balls<E> {
    from: [E; 3],
    along: [E; 3],
    radius: E,
    closing: E,
}

/// One step of Newton's method from `near` towards the moment at which the ball touches each box itself, not the box
/// grown to a larger box; lanes that move away before that leave the mask.
///
/// The squared distance to a box is convex along a path, so a step from before never passes the entry. A distance here
/// is wrong by e < 8 units of the last place of the largest number; the radius is 8 e too large, which lowers the
/// distance that is left by more than its error, and the speed of approach is raised by more than its own.
#[inline(always)]
fn rounded<E: Eight>([min, max]: &[[E; 3]; 2], balls: &Balls<E>, near: E, hit: E) -> (E, E) {
    let zero = E::splat(0.0);
    let (mut square, mut change) = (zero, zero);
    for axis in 0..3 {
        let along = balls.along[axis];
        let place = along.mul_add(near, balls.from[axis]);
        let low = min[axis].sub(place);
        let high = place.sub(max[axis]);
        // From the box to the ball, with sign.
        let off = high.max(zero).sub(low.max(zero));
        square = off.mul_add(off, square);
        change = off.mul_add(along, change);
    }
    let left = balls.radius.neg_mul_add(balls.radius, square);
    let closing = balls.closing.sub(change);
    let touching = left.le(zero);
    let step = left.div(closing.add(closing)).mul(E::splat(1.0 - 4.0 * SLACK));
    let on = touching.or(E::splat(f32::MIN_POSITIVE).le(closing));
    (touching.select(near, near.add(step)), hit.and(on))
}

/// Eight paths side by side, and the box around all of them.
pub(crate) struct Group {
    plus: [[f32; WIDTH]; 3],
    minus: [[f32; WIDTH]; 3],
    inverse: [[f32; WIDTH]; 3],
    from: [[f32; WIDTH]; 3],
    along: [[f32; WIDTH]; 3],
    radius: [f32; WIDTH],
    closing: [f32; WIDTH],
    /// Paths; lanes beyond hold the first again.
    pub(super) count: usize,
    /// Smallest radius.
    least_radius: f32,
    low: [f32; 3],
    high: [f32; 3],
}

impl Group {
    /// Of the first `count` paths; see [`Query::new`].
    #[inline(always)]
    pub(super) fn new<E: Eight>(paths: &[Path; WIDTH], count: usize, center: &Point3, reach: Real) -> Self {
        let mut group = Self {
            plus: [[0.0; WIDTH]; 3],
            minus: [[0.0; WIDTH]; 3],
            inverse: [[0.0; WIDTH]; 3],
            from: [[0.0; WIDTH]; 3],
            along: [[0.0; WIDTH]; 3],
            radius: [0.0; WIDTH],
            closing: [0.0; WIDTH],
            count: count.min(WIDTH),
            least_radius: f32::INFINITY,
            low: [f32::INFINITY; 3],
            high: [f32::NEG_INFINITY; 3],
        };
        let mut size = [reach; WIDTH];
        let mut length = [0.0; WIDTH];
        let mut start = [[0.0; WIDTH]; 3];
        for axis in 0..3 {
            for lane in 0..WIDTH {
                let (from, along) = (paths[lane].from[axis] - center[axis], paths[lane].along[axis]);
                start[axis][lane] = from;
                size[lane] = larger(size[lane], larger(from.abs(), along.abs()));
                length[lane] += along.abs();
                group.from[axis][lane] = from as f32;
                group.along[axis][lane] = along as f32;
                group.inverse[axis][lane] = reciprocal(along as f32);
            }
        }
        let mut margin = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let radius = paths[lane].radius;
            let size = larger(size[lane], radius);
            margin[lane] = radius + size * Real::from(SLACK);
            group.radius[lane] = rounded_radius(radius, size);
            group.closing[lane] = (length[lane] * size * Real::from(2.0 * SLACK)) as f32;
        }
        for (axis, start) in start.iter().enumerate() {
            for lane in 0..WIDTH {
                group.plus[axis][lane] = (start[lane] + margin[lane]) as f32;
                group.minus[axis][lane] = (start[lane] - margin[lane]) as f32;
            }
        }
        group.bound::<E>();
        group
    }

    /// The box around all, which the margins leave room to round.
    #[inline(always)]
    fn bound<E: Eight>(&mut self) {
        let zero = E::splat(0.0);
        for axis in 0..3 {
            let along = E::load(&self.along[axis]);
            let low = E::load(&self.minus[axis]).add(along.min(zero));
            let high = E::load(&self.plus[axis]).add(along.max(zero));
            self.low[axis] = least(low);
            self.high[axis] = -least(zero.sub(high));
        }
        self.least_radius = least(E::load(&self.radius));
    }

    /// Children of a node that meet the box around all paths.
    #[inline(always)]
    pub(super) fn meets<E: Eight>(&self, node: &Node) -> u32 {
        let mut meets = E::load(&node.min[0]).le(E::splat(self.high[0]));
        meets = meets.and(E::splat(self.low[0]).le(E::load(&node.max[0])));
        for axis in 1..3 {
            meets = meets.and(E::load(&node.min[axis]).le(E::splat(self.high[axis])));
            meets = meets.and(E::splat(self.low[axis]).le(E::load(&node.max[axis])));
        }
        meets.bits()
    }

    /// Which paths enter one child's box up to their fractions in `bounds`, and when.
    #[inline(always)]
    pub(super) fn entries<E: Eight>(
        &self,
        node: &Node,
        child: usize,
        bounds: &[f32; WIDTH],
        near_to: &mut [f32; WIDTH],
    ) -> u32 {
        let mut near = E::splat(0.0);
        let mut far = E::load(bounds);
        for axis in 0..3 {
            let inverse = E::load(&self.inverse[axis]);
            let low = E::splat(node.min[axis][child])
                .sub(E::load(&self.plus[axis]))
                .mul(inverse);
            let high = E::splat(node.max[axis][child])
                .sub(E::load(&self.minus[axis]))
                .mul(inverse);
            near = near.max(low.min(high));
            far = far.min(low.max(high));
        }
        near = near.mul(E::splat(1.0 - SLACK));
        far = far.mul(E::splat(1.0 + SLACK));
        let mut hit = near.le(far);
        if hit.bits() != 0 && is_small(node, child, self.least_radius) {
            let balls = Balls {
                from: sides(&self.from),
                along: sides(&self.along),
                radius: E::load(&self.radius),
                closing: E::load(&self.closing),
            };
            let min = [node.min[0][child], node.min[1][child], node.min[2][child]];
            let max = [node.max[0][child], node.max[1][child], node.max[2][child]];
            let boxes = [all(&min), all(&max)];
            for _ in 0..STEPS {
                (near, hit) = rounded::<E>(&boxes, &balls, near, hit);
            }
            hit = hit.and(near.le(far));
        }
        near.store(near_to);
        hit.bits()
    }
}
