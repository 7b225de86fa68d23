//! The filter itself: eight triangles against a moving ball, in `f32`.
//!
//! # Why nothing is lost
//!
//! A leaf's triangles are kept relative to its centre, in units in which its radius rho is 1/2 .. 1. With r the ball's
//! radius, Z = r + rho, and u = 2^-24, the path is cut to the part nearer to the centre than Z (in `f64`), so every
//! number here is below 2.5 Z, whatever the path's length or the scene's place. Coordinates and the direction are
//! rounded once: that moves triangles and path by less than 8 u Z.
//!
//! For each part of a triangle (plane, line of an edge, corner) the lanes solve for the entry into the set of points
//! within some radius of it. Every operation there is backward stable: its rounding is that of a path and a radius
//! which differ by at most e. Cross products and the step to the closest approach weigh most: e < 112 u Z for edges
//! and corners, and f < 20 u q Z for a plane, q = (longest edge)^2 / |normal|. Hence
//!
//! (1) *what is computed with radius p is not later than the first moment within p - 2e of the part.*
//!
//! The radii are nested, with g = 256 u Z and k = 64 u q Z:
//! plane r + g + k, edge r + 3g + 2k, corner r + 5g + 2k. Let the ball first touch at t.
//!
//! - The touched point is a corner: by (1) the corner's entry is not later.
//! - It is on an edge: by (1) the line's entry s is not later than t. If the foot is then on the edge, s is offered. If
//!   not, it moves on to it until t, within the line's cylinder, for that is convex; when it passes the end of the edge
//!   its distance to that corner is at most the edge's radius + 2e, so the corner's entry is not later.
//! - It is inside the face: likewise with the slab about the plane. If the foot is outside of the triangle when the
//!   slab is entered, it crosses an edge on its way, within the plane's radius + 2f of it: the case above. The test of
//!   "inside" has room for its own rounding.
//!
//! Whatever is touched, it is within the slab and its foot is nowhere more than r beyond an edge. So the entry into the
//! slab is an early bound in itself, good enough where the foot is inside, and the foot at both ends of the way through
//! the slab tells which triangles are passed by; edges and corners are looked at only if some lane still needs them.
//!
//! Thin triangles, with q > 256, have no plane worth the name. They lie within |normal| / (longest edge) of that edge,
//! which is added to the radius instead. Triangles and edges shorter than g need no more than a corner.

use crate::bvh::{Eight, Lanes, Plain};

/// g in units of Z.
pub(super) const STEP: f32 = 1.0 / 65_536.0;
/// k in units of q g.
const FACE_STEP: f32 = 0.25;
/// Thin is what has |normal| below this times (longest edge)^2.
const THIN: f32 = 1.0 / 256.0;
/// Nor is a plane trusted for edges below this root, in units of the leaf: it would underflow.
const TINY2: f32 = 1e-12;
/// A line is parallel to an edge when the sine of their angle is below this root: it then moves by less than 32 u Z.
const PARALLEL2: f32 = 1.0 / 1_099_511_627_776.0;

/// Up to eight triangles, relative to the leaf's centre and in its units.
#[repr(C, align(32))]
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// First corner: x of the eight, then y, then z.
    pub corner: [[f32; 8]; 3],
    /// From the first to the second corner.
    pub first: [[f32; 8]; 3],
    /// From the first to the third corner.
    pub second: [[f32; 8]; 3],
}

/// A ball near one leaf, in the leaf's units and in axes of which the third is the direction of the path.
#[derive(Clone, Copy)]
pub(super) struct Local {
    /// Where the path comes near, along the axes, relative to the centre.
    pub from: [f32; 3],
    pub radius: f32,
    /// g
    pub step: f32,
    /// Length of the part of the path that matters.
    pub end: f32,
}

impl Local {
    pub const NONE: Self = Self {
        from: [0.0; 3],
        radius: 0.0,
        step: 0.0,
        end: 0.0,
    };
}

/// What is kept of a leaf for one ball.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// At what length of the path a lane is touched at the earliest.
    pub near: [f32; 8],
    /// Lanes that may be touched.
    pub mask: u32,
}

impl Kept {
    pub const NONE: Self = Self { near: [0.0; 8], mask: 0 };
}

impl Block {
    /// Filters for each of some balls whose paths have the same axes. The masks of `kept` say which lanes are looked at.
    #[inline(always)]
    pub fn filter(&self, axes: &[[f32; 3]; 3], balls: &[Local], kept: &mut [Kept], lanes: Lanes) {
        match lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.filter_avx2(axes, balls, kept) },
            Lanes::Portable => self.filter_with::<Plain>(axes, balls, kept),
        }
    }

    /// [`Block::filter`] for one ball.
    #[inline(always)]
    pub fn filter_one(&self, axes: &[[f32; 3]; 3], ball: &Local, kept: &mut Kept, lanes: Lanes) {
        match lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.filter_one_avx2(axes, ball, kept) },
            Lanes::Portable => self.filter_one_with::<Plain>(axes, ball, kept),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn filter_one_avx2(&self, axes: &[[f32; 3]; 3], ball: &Local, kept: &mut Kept) {
        self.filter_one_with::<crate::bvh::Avx2>(axes, ball, kept);
    }

    #[inline(always)]
    fn filter_one_with<E: Eight>(&self, axes: &[[f32; 3]; 3], ball: &Local, kept: &mut Kept) {
        let turned = Turned::<E>::new(self, axes);
        kept.mask &= turned.are_close(ball).bits();
        if kept.mask != 0 {
            Shapes::new(&turned).filter(&turned, ball, kept);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn filter_avx2(&self, axes: &[[f32; 3]; 3], balls: &[Local], kept: &mut [Kept]) {
        self.filter_with::<crate::bvh::Avx2>(axes, balls, kept);
    }

    #[inline(always)]
    fn filter_with<E: Eight>(&self, axes: &[[f32; 3]; 3], balls: &[Local], kept: &mut [Kept]) {
        let turned = Turned::<E>::new(self, axes);
        let mut any = 0;
        for (ball, kept) in balls.iter().zip(kept.iter_mut()) {
            kept.mask &= turned.are_close(ball).bits();
            any |= kept.mask;
        }
        if any == 0 {
            return;
        }
        let shapes = Shapes::new(&turned);
        for (ball, kept) in balls.iter().zip(kept) {
            if kept.mask != 0 {
                shapes.filter(&turned, ball, kept);
            }
        }
    }
}

type Vector<E> = [E; 3];

#[inline(always)]
fn dot<E: Eight>(a: Vector<E>, b: Vector<E>) -> E {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul(b[2])))
}

#[inline(always)]
fn cross<E: Eight>(a: Vector<E>, b: Vector<E>) -> Vector<E> {
    [
        a[2].neg_mul_add(b[1], a[1].mul(b[2])),
        a[0].neg_mul_add(b[2], a[2].mul(b[0])),
        seen(a, b),
    ]
}

/// What is seen of a cross product along the path.
#[inline(always)]
fn seen<E: Eight>(a: Vector<E>, b: Vector<E>) -> E {
    a[1].neg_mul_add(b[0], a[0].mul(b[1]))
}

#[inline(always)]
fn same<E: Eight>(v: &[f32; 3]) -> Vector<E> {
    [E::splat(v[0]), E::splat(v[1]), E::splat(v[2])]
}

#[inline(always)]
fn minus<E: Eight>(a: Vector<E>, b: Vector<E>) -> Vector<E> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn plus<E: Eight>(a: Vector<E>, b: Vector<E>) -> Vector<E> {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

/// Eight triangles along the axes.
struct Turned<E: Eight> {
    corners: [Vector<E>; 3],
    /// From the first to the second corner.
    e1: Vector<E>,
    /// From the first to the third.
    e2: Vector<E>,
    low: Vector<E>,
    high: Vector<E>,
}

impl<E: Eight> Turned<E> {
    #[inline(always)]
    fn new(block: &Block, axes: &[[f32; 3]; 3]) -> Self {
        let first: Vector<E> = turned(&block.corner, axes);
        let (e1, e2) = (turned(&block.first, axes), turned(&block.second, axes));
        let (second, third) = (plus(first, e1), plus(first, e2));
        let (mut low, mut high) = (first, first);
        for axis in 0..3 {
            low[axis] = first[axis].min(second[axis]).min(third[axis]);
            high[axis] = first[axis].max(second[axis]).max(third[axis]);
        }
        Self {
            corners: [first, second, third],
            e1,
            e2,
            low,
            high,
        }
    }

    /// Whether the box around a triangle meets that around the path.
    #[inline(always)]
    fn are_close(&self, ball: &Local) -> E {
        let reach = ball.radius + ball.step;
        let [x, y, z] = ball.from;
        let (low, high) = (self.low, self.high);
        let mut close = low[0].le(E::splat(x + reach)).and(E::splat(x - reach).le(high[0]));
        close = close.and(low[1].le(E::splat(y + reach))).and(E::splat(y - reach).le(high[1]));
        close = close.and(low[2].le(E::splat(z + reach + ball.end)));
        close.and(E::splat(z - reach).le(high[2]))
    }
}

#[inline(always)]
fn turned<E: Eight>(v: &[[f32; 8]; 3], axes: &[[f32; 3]; 3]) -> Vector<E> {
    let v = [E::load(&v[0]), E::load(&v[1]), E::load(&v[2])];
    [dot(v, same(&axes[0])), dot(v, same(&axes[1])), dot(v, same(&axes[2]))]
}

/// An edge of each triangle.
#[derive(Clone, Copy)]
struct Edge<E: Eight> {
    e: Vector<E>,
    /// Square of its length, and of what is seen of it along the path.
    ee: E,
    seen2: E,
}

impl<E: Eight> Edge<E> {
    #[inline(always)]
    fn new(e: Vector<E>) -> Self {
        let seen2 = e[0].mul_add(e[0], e[1].mul(e[1]));
        Self {
            e,
            ee: e[2].mul_add(e[2], seen2),
            seen2,
        }
    }
}

/// What the parts of eight triangles share, whatever the ball.
struct Shapes<E: Eight> {
    /// From the first corner to the second and to the third, and from the second to the third.
    edges: [Edge<E>; 3],
    /// Seen along the path, how far beside an edge the third corner is, times the seen length.
    third: [E; 3],
    n: Vector<E>,
    nn: E,
    length: E,
    longest: E,
    longest2: E,
    thin: E,
    /// In the plane: times the foot's place, weights of the second and third corner times |n|^2.
    inward: [Vector<E>; 2],
}

/// The ball at the origin, and all that it has in common with eight triangles.
struct Seen<E: Eight> {
    /// Corners.
    p: [Vector<E>; 3],
    /// How far beside each edge's line the path passes, with sign, times the seen length.
    beside: [E; 3],
    radius: E,
    step: E,
    end: E,
}

/// What planes alone tell.
struct FaceEntry<E: Eight> {
    /// When the slab about the plane is entered.
    t: E,
    /// Not known to miss.
    alive: E,
    /// Touched in the face, at `t`.
    inside: E,
}

impl<E: Eight> Shapes<E> {
    #[inline(always)]
    fn new(turned: &Turned<E>) -> Self {
        let (e1, e2) = (turned.e1, turned.e2);
        let e3 = minus(e2, e1);
        let edges = [Edge::new(e1), Edge::new(e2), Edge::new(e3)];
        let longest2 = edges[0].ee.max(edges[1].ee).max(edges[2].ee);
        let n = cross(e1, e2);
        let nn = dot(n, n);
        let length = nn.sqrt();
        let flat = length.le(E::splat(THIN).mul(longest2));
        Self {
            edges,
            third: [n[2], E::splat(0.0).sub(n[2]), seen(e1, e3)],
            n,
            nn,
            length,
            longest: longest2.sqrt(),
            longest2,
            thin: flat.or(longest2.le(E::splat(TINY2))),
            inward: [cross(e2, n), cross(n, e1)],
        }
    }

    #[inline(always)]
    fn filter(&self, turned: &Turned<E>, ball: &Local, kept: &mut Kept) {
        let from = same(&ball.from);
        let [a, b, c] = turned.corners;
        let p = [minus(a, from), minus(b, from), minus(c, from)];
        let [e1, e2, e3] = self.edges;
        let ball = Seen {
            p,
            beside: [seen(p[0], e1.e), seen(p[0], e2.e), seen(p[1], e3.e)],
            radius: E::splat(ball.radius),
            step: E::splat(ball.step),
            end: E::splat(ball.end),
        };
        let close = self.seen_close(&ball);
        let face = self.face(&ball);
        kept.mask &= close.and(face.alive).bits();
        let mut first = face.t;
        if kept.mask & !face.inside.bits() != 0 {
            first = self.borders(&ball, &face);
            kept.mask &= first.le(ball.end).bits();
        }
        first.store(&mut kept.near);
    }

    /// Whether the endless path passes near: seen along it, no line of an edge parts it from the triangle.
    #[inline(always)]
    fn seen_close(&self, ball: &Seen<E>) -> E {
        let zero = E::splat(0.0);
        let reach = ball.radius.add(ball.step);
        let square = reach.mul(reach);
        let mut close = zero.le(zero);
        for k in 0..3 {
            let (third, beside) = (self.third[k], ball.beside[k]);
            let outside = third.min(zero).sub(beside).max(beside.sub(third.max(zero))).max(zero);
            close = close.and(outside.mul(outside).le(square.mul(self.edges[k].seen2)));
        }
        close
    }

    /// Entry into the slabs about the planes: nothing of a triangle is touched outside of its slab.
    #[inline(always)]
    fn face(&self, ball: &Seen<E>) -> FaceEntry<E> {
        let zero = E::splat(0.0);
        let p = ball.p[0];
        // Radii times |normal|: k needs no division then.
        let k = E::splat(FACE_STEP).mul(ball.step).mul(self.longest2);
        let radius = ball.radius.add(ball.step).mul_add(self.length, k);
        let (ahead, change) = (dot(self.n, p), self.n[2]);
        // Towards the plane, whichever side the start is on.
        let closing = zero.le(ahead).select(change, zero.sub(change));
        let gap = ahead.abs().sub(radius);
        let within = gap.le(zero);
        let t = within.select(zero, gap.div(closing));
        let entered = within.or(zero.le(t).and(t.le(ball.end)));
        // Weights of the foot times |n|^2, with room for their rounding.
        let room = ball.step.mul(self.longest).mul(self.longest2);
        let [second, third] = self.inward;
        let u = t.mul(second[2]).sub(dot(second, p));
        let v = t.mul(third[2]).sub(dot(third, p));
        let inside = zero.sub(room).le(u.min(v).min(self.nn.sub(u).sub(v)));
        FaceEntry {
            t,
            alive: self.thin.or(entered),
            inside: self.thin.select(zero, inside),
        }
    }

    /// The earliest entry into faces, edges and corners; infinite for none.
    #[inline(always)]
    fn borders(&self, ball: &Seen<E>, face: &FaceEntry<E>) -> E {
        let k = E::splat(FACE_STEP).mul(ball.step).mul(self.longest2).div(self.length);
        let height = self.length.div(self.longest.max(E::splat(1e-18)));
        let three = ball.step.add(ball.step).add(ball.step);
        let radius = ball.radius.add(three).add(self.thin.select(height, k.add(k)));
        let square = radius.mul(radius);
        let [p, q, s] = ball.p;
        let mut first = self.edge_entry(0, p, ball, square);
        first = first.min(self.edge_entry(1, p, ball, square));
        first = first.min(self.edge_entry(2, q, ball, square));
        let radius = radius.add(ball.step).add(ball.step);
        let square = radius.mul(radius);
        first = first.min(corner_entry(p, square));
        first = first.min(corner_entry(q, square));
        first = first.min(corner_entry(s, square));
        let in_slab = self.thin.select(E::splat(0.0), face.t);
        face.inside.select(face.t, first.max(in_slab))
    }

    /// Entry into the cylinder about edge `k` from `p` on, where the foot is on the edge then; infinite for none.
    #[inline(always)]
    fn edge_entry(&self, k: usize, p: Vector<E>, ball: &Seen<E>, square: E) -> E {
        let (zero, far) = (E::splat(0.0), E::splat(f32::INFINITY));
        let Edge { e, ee, seen2 } = self.edges[k];
        let beside = ball.beside[k];
        let parallel = seen2.le(E::splat(PARALLEL2).mul(ee));
        let inverse = E::splat(1.0).div(seen2);
        let left = beside.neg_mul_add(beside, square.mul(seen2));
        let seen_along = p[0].mul_add(e[0], p[1].mul(e[1]));
        let nearest = seen_along.mul(inverse).neg_mul_add(e[2], p[2]);
        let half = left.mul(ee).sqrt().mul(inverse);
        let crossing = zero.le(left).and(zero.le(nearest.add(half)));
        let t = parallel.select(zero, nearest.sub(half).max(zero));
        let within = p[0].mul_add(p[0], p[1].mul(p[1])).le(square);
        let entered = parallel.select(within, crossing);
        let along = t.sub(p[2]).mul_add(e[2], zero.sub(seen_along));
        let on_edge = zero.le(along).and(along.le(ee));
        entered.and(on_edge).select(t, far)
    }
}

/// Entry into the ball of radius^2 `square` about a corner; infinite for none.
#[inline(always)]
fn corner_entry<E: Eight>(p: Vector<E>, square: E) -> E {
    let (zero, far) = (E::splat(0.0), E::splat(f32::INFINITY));
    let left = p[1].neg_mul_add(p[1], p[0].neg_mul_add(p[0], square));
    let half = left.sqrt();
    let entered = zero.le(left).and(zero.le(p[2].add(half)));
    entered.select(p[2].sub(half).max(zero), far)
}
