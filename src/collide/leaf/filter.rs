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

/// The ball near one leaf, in the leaf's units and in axes of which the third is the direction of the path.
pub(super) struct Local<'a> {
    /// The axes.
    pub axes: &'a [[f32; 3]; 3],
    /// Where the path comes near, along the axes, relative to the centre.
    pub from: [f32; 3],
    pub radius: f32,
    /// g
    pub step: f32,
    /// Length of the part of the path that matters.
    pub end: f32,
}

impl Block {
    /// Which lanes may be touched, and in `near` at what length of the path at the earliest.
    #[inline(always)]
    pub fn filter(&self, local: &Local, lanes: Lanes, near: &mut [f32; 8]) -> u32 {
        match lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.filter_avx2(local, near) },
            Lanes::Portable => self.filter_with::<Plain>(local, near),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn filter_avx2(&self, local: &Local, near: &mut [f32; 8]) -> u32 {
        self.filter_with::<crate::bvh::Avx2>(local, near)
    }

    #[inline(always)]
    fn filter_with<E: Eight>(&self, local: &Local, near: &mut [f32; 8]) -> u32 {
        let corners = Corners::<E>::load(self, local);
        let close = corners.are_close(local);
        if close.bits() == 0 {
            return 0;
        }
        let all = Triangles::new(corners, local);
        let close = close.and(all.seen_close());
        if close.bits() == 0 {
            return 0;
        }
        let face = all.face();
        let mut kept = close.and(face.alive).bits();
        let mut first = face.t;
        if kept & !face.inside.bits() != 0 {
            first = all.borders(&face);
            kept &= first.le(all.end).bits();
        }
        first.store(near);
        kept
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

#[inline(always)]
fn least<E: Eight>(a: [E; 3]) -> E {
    a[0].min(a[1]).min(a[2])
}

#[inline(always)]
fn most<E: Eight>(a: [E; 3]) -> E {
    a[0].max(a[1]).max(a[2])
}

/// Eight triangles as the ball sees them: it starts at the origin and moves along the third axis.
struct Corners<E: Eight> {
    p: [Vector<E>; 3],
    /// From the first to the second corner.
    e1: Vector<E>,
    /// From the first to the third.
    e2: Vector<E>,
}

impl<E: Eight> Corners<E> {
    #[inline(always)]
    fn load(block: &Block, local: &Local) -> Self {
        let along = |v: &[[f32; 8]; 3], axis: usize| {
            let [x, y, z] = same(&local.axes[axis]);
            let (vx, vy, vz) = (E::load(&v[0]), E::load(&v[1]), E::load(&v[2]));
            vx.mul_add(x, vy.mul_add(y, vz.mul(z)))
        };
        let turned = |v| [along(v, 0), along(v, 1), along(v, 2)];
        let first = minus(turned(&block.corner), same(&local.from));
        let (e1, e2) = (turned(&block.first), turned(&block.second));
        Self {
            p: [first, plus(first, e1), plus(first, e2)],
            e1,
            e2,
        }
    }

    /// Whether the box around a triangle meets that around the path.
    #[inline(always)]
    fn are_close(&self, local: &Local) -> E {
        let reach = E::splat(local.radius + local.step);
        let back = E::splat(-(local.radius + local.step));
        let [p, q, s] = self.p;
        let side = |axis: usize| [p[axis], q[axis], s[axis]];
        let mut close = least(side(0)).le(reach).and(back.le(most(side(0))));
        close = close.and(least(side(1)).le(reach)).and(back.le(most(side(1))));
        let far = E::splat(local.end).add(reach);
        close.and(least(side(2)).le(far)).and(back.le(most(side(2))))
    }
}

/// Eight triangles and what their parts share.
struct Triangles<E: Eight> {
    corners: Corners<E>,
    edges: [Edge<E>; 3],
    longest2: E,
    radius: E,
    step: E,
    end: E,
}

/// An edge from `p` on.
#[derive(Clone, Copy)]
struct Edge<E: Eight> {
    p: Vector<E>,
    e: Vector<E>,
    /// Square of its length, and of what is seen of it along the path.
    ee: E,
    seen2: E,
    /// Times the seen length: how far beside the path its line passes, with sign.
    beside: E,
}

impl<E: Eight> Edge<E> {
    #[inline(always)]
    fn new(p: Vector<E>, e: Vector<E>) -> Self {
        let seen2 = e[0].mul_add(e[0], e[1].mul(e[1]));
        Self {
            p,
            e,
            ee: e[2].mul_add(e[2], seen2),
            seen2,
            beside: seen(p, e),
        }
    }

    /// Whether the path passes within `square`, a squared distance, of the strip between the edge's line and its parallel
    /// through the third corner, which is `third` from it in units of `beside`.
    #[inline(always)]
    fn strip_is_seen(&self, third: E, square: E) -> E {
        let zero = E::splat(0.0);
        let outside = third.min(zero).sub(self.beside).max(self.beside.sub(third.max(zero)));
        let outside = outside.max(zero);
        outside.mul(outside).le(square.mul(self.seen2))
    }

    /// Entry into the cylinder about the edge, where the foot is on the edge then; infinite for none.
    #[inline(always)]
    fn entry(&self, square: E) -> E {
        let (zero, far) = (E::splat(0.0), E::splat(f32::INFINITY));
        let (p, e) = (self.p, self.e);
        let parallel = self.seen2.le(E::splat(PARALLEL2).mul(self.ee));
        let inverse = E::splat(1.0).div(self.seen2);
        let left = self.beside.neg_mul_add(self.beside, square.mul(self.seen2));
        let seen_along = p[0].mul_add(e[0], p[1].mul(e[1]));
        let nearest = seen_along.mul(inverse).neg_mul_add(e[2], p[2]);
        let half = left.mul(self.ee).sqrt().mul(inverse);
        let crossing = zero.le(left).and(zero.le(nearest.add(half)));
        let t = parallel.select(zero, nearest.sub(half).max(zero));
        let within = p[0].mul_add(p[0], p[1].mul(p[1])).le(square);
        let entered = parallel.select(within, crossing);
        let along = t.sub(p[2]).mul_add(e[2], zero.sub(seen_along));
        let on_edge = zero.le(along).and(along.le(self.ee));
        entered.and(on_edge).select(t, far)
    }
}

/// What planes alone tell.
struct FaceEntry<E: Eight> {
    /// When the slab about the plane is entered.
    t: E,
    /// Not known to miss.
    alive: E,
    /// Touched in the face, at `t`.
    inside: E,
    thin: E,
    /// Length of the normal.
    length: E,
    longest: E,
}

impl<E: Eight> Triangles<E> {
    #[inline(always)]
    fn new(corners: Corners<E>, local: &Local) -> Self {
        let [p, q, _] = corners.p;
        let (e1, e2) = (corners.e1, corners.e2);
        let edges: [Edge<E>; 3] = [Edge::new(p, e1), Edge::new(p, e2), Edge::new(q, minus(e2, e1))];
        Self {
            corners,
            longest2: most([edges[0].ee, edges[1].ee, edges[2].ee]),
            edges,
            radius: E::splat(local.radius),
            step: E::splat(local.step),
            end: E::splat(local.end),
        }
    }

    /// Whether the endless path passes near: seen along it, no line of an edge parts it from the triangle.
    #[inline(always)]
    fn seen_close(&self) -> E {
        let reach = self.radius.add(self.step);
        let square = reach.mul(reach);
        let (e1, e2, e3) = (self.edges[0], self.edges[1], self.edges[2]);
        let (third, first) = (seen(e1.e, e2.e), seen(e1.e, e3.e));
        let second = E::splat(0.0).sub(third);
        let close = e1.strip_is_seen(third, square).and(e2.strip_is_seen(second, square));
        close.and(e3.strip_is_seen(first, square))
    }

    /// Entry into the slabs about the planes: nothing of a triangle is touched outside of its slab.
    #[inline(always)]
    fn face(&self) -> FaceEntry<E> {
        let zero = E::splat(0.0);
        let (p, e1, e2) = (self.corners.p[0], self.corners.e1, self.corners.e2);
        let n = cross(e1, e2);
        let nn = dot(n, n);
        let length = nn.sqrt();
        let longest = self.longest2.sqrt();
        let flat = length.le(E::splat(THIN).mul(self.longest2));
        let thin = flat.or(self.longest2.le(E::splat(TINY2)));
        // Radii times |normal|: k needs no division then.
        let k = E::splat(FACE_STEP).mul(self.step).mul(self.longest2);
        let radius = self.radius.add(self.step).mul_add(length, k);
        let (ahead, change) = (dot(n, p), n[2]);
        // Towards the plane, whichever side the start is on.
        let closing = zero.le(ahead).select(change, zero.sub(change));
        let gap = ahead.abs().sub(radius);
        let within = gap.le(zero);
        let t = within.select(zero, gap.div(closing));
        let entered = within.or(zero.le(t).and(t.le(self.end)));
        // Weights of the foot times |n|^2, with room for their rounding.
        let room = self.step.mul(longest).mul(self.longest2);
        let (inward2, inward1) = (cross(e2, n), cross(n, e1));
        let u = t.mul(inward2[2]).sub(dot(inward2, p));
        let v = t.mul(inward1[2]).sub(dot(inward1, p));
        let inside = zero.sub(room).le(u.min(v).min(nn.sub(u).sub(v)));
        FaceEntry {
            t,
            alive: thin.or(entered),
            inside: thin.select(zero, inside),
            thin,
            length,
            longest,
        }
    }

    /// The earliest entry into faces, edges and corners; infinite for none.
    #[inline(always)]
    fn borders(&self, face: &FaceEntry<E>) -> E {
        let k = E::splat(FACE_STEP).mul(self.step).mul(self.longest2).div(face.length);
        let height = face.length.div(face.longest.max(E::splat(1e-18)));
        let three = self.step.add(self.step).add(self.step);
        let radius = self.radius.add(three).add(face.thin.select(height, k.add(k)));
        let square = radius.mul(radius);
        let mut first = least([
            self.edges[0].entry(square),
            self.edges[1].entry(square),
            self.edges[2].entry(square),
        ]);
        let radius = radius.add(self.step).add(self.step);
        let square = radius.mul(radius);
        for p in self.corners.p {
            first = first.min(corner_entry(p, square));
        }
        let in_slab = face.thin.select(E::splat(0.0), face.t);
        face.inside.select(face.t, first.max(in_slab))
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
