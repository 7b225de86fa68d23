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

/// The ball near one leaf, in the leaf's units.
pub(super) struct Local {
    /// Where the path comes near, relative to the centre.
    pub from: [f32; 3],
    pub direction: [f32; 3],
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
        let all = Triangles::<E>::load(self, local);
        let face = all.face();
        let alive = face.alive.bits();
        let mut first = face.t;
        let mut kept = alive;
        if alive & !face.inside.bits() != 0 {
            first = all.edges(&face);
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
        a[1].neg_mul_add(b[0], a[0].mul(b[1])),
    ]
}

#[inline(always)]
fn minus<E: Eight>(a: Vector<E>, b: Vector<E>) -> Vector<E> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

/// a + b t
#[inline(always)]
fn ahead<E: Eight>(a: Vector<E>, b: Vector<E>, t: E) -> Vector<E> {
    [
        b[0].mul_add(t, a[0]),
        b[1].mul_add(t, a[1]),
        b[2].mul_add(t, a[2]),
    ]
}

/// Eight triangles and what their parts share.
struct Triangles<E: Eight> {
    /// From the first corner to the ball.
    m: Vector<E>,
    e1: Vector<E>,
    e2: Vector<E>,
    d: Vector<E>,
    ee1: E,
    ee2: E,
    ee3: E,
    longest2: E,
    n: Vector<E>,
    length: E,
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
    thin: E,
}

impl<E: Eight> Triangles<E> {
    #[inline(always)]
    fn load(block: &Block, local: &Local) -> Self {
        let vector = |from: &[[f32; 8]; 3]| [E::load(&from[0]), E::load(&from[1]), E::load(&from[2])];
        let same = |v: &[f32; 3]| [E::splat(v[0]), E::splat(v[1]), E::splat(v[2])];
        let (e1, e2, d) = (
            vector(&block.first),
            vector(&block.second),
            same(&local.direction),
        );
        let m = minus(same(&local.from), vector(&block.corner));
        let e3 = minus(e2, e1);
        let (ee1, ee2, ee3) = (dot(e1, e1), dot(e2, e2), dot(e3, e3));
        let n = cross(e1, e2);
        Self {
            m,
            e1,
            e2,
            d,
            ee1,
            ee2,
            ee3,
            longest2: ee1.max(ee2).max(ee3),
            n,
            length: dot(n, n).sqrt(),
            radius: E::splat(local.radius),
            step: E::splat(local.step),
            end: E::splat(local.end),
        }
    }

    /// Entry into the slabs about the planes. Nothing of a triangle is touched outside of its slab, nor while the foot on
    /// the plane is farther beyond an edge than the radius.
    #[inline(always)]
    fn face(&self) -> FaceEntry<E> {
        let zero = E::splat(0.0);
        let longest = self.longest2.sqrt();
        let flat = self.length.le(E::splat(THIN).mul(self.longest2));
        let thin = flat.or(self.longest2.le(E::splat(TINY2)));
        // Radii times |normal|: k needs no division then.
        let two = self.step.add(self.step);
        let k = E::splat(FACE_STEP).mul(self.step).mul(self.longest2);
        let radius = self.radius.add(self.step).mul_add(self.length, k);
        let reach = two.mul_add(self.length, k).add(radius);
        let (away, change) = (dot(self.n, self.m), dot(self.n, self.d));
        // Towards the plane, whichever side the start is on.
        let closing = zero.le(away).select(zero.sub(change), change);
        let gap = away.abs().sub(radius);
        let within = gap.le(zero);
        let t = within.select(zero, gap.div(closing));
        let entered = within.or(zero.le(t).and(t.le(self.end)));
        let leaves = away.abs().add(radius).div(closing);
        let last = E::splat(f32::MIN_POSITIVE)
            .le(closing)
            .select(leaves.min(self.end), self.end);
        // Weights of the foot at both ends times |n|^2, with room for their rounding.
        let room = self.step.mul(longest).mul(self.longest2);
        let nn = self.length.mul(self.length);
        let (inward2, inward1) = (cross(self.e2, self.n), cross(self.n, self.e1));
        let (u, du) = (dot(inward2, self.m), dot(inward2, self.d));
        let (v, dv) = (dot(inward1, self.m), dot(inward1, self.d));
        let weights = |t: E| {
            let (u, v) = (t.mul_add(du, u), t.mul_add(dv, v));
            [u, v, nn.sub(u).sub(v)]
        };
        let (here, there) = (weights(t), weights(last));
        let inside = zero.sub(room).le(here[0].min(here[1]).min(here[2]));
        let reach = reach.mul(reach);
        let mut near = entered;
        for (k, ee) in [self.ee2, self.ee1, self.ee3].into_iter().enumerate() {
            let beyond = zero.sub(here[k].max(there[k]).add(room)).max(zero);
            near = near.and(beyond.mul(beyond).le(reach.mul(ee)));
        }
        FaceEntry {
            t,
            alive: thin.or(near),
            inside: thin.select(zero, inside),
            thin,
        }
    }

    /// The earliest entry into faces, edges and corners; infinite for none.
    #[inline(always)]
    fn edges(&self, face: &FaceEntry<E>) -> E {
        let (e3, mb) = (minus(self.e2, self.e1), minus(self.m, self.e1));
        let mc = minus(self.m, self.e2);
        let k = E::splat(FACE_STEP)
            .mul(self.step)
            .mul(self.longest2)
            .div(self.length);
        let height = self.length.div(self.longest2.sqrt().max(E::splat(1e-18)));
        let three = self.step.add(self.step).add(self.step);
        let radius = self.radius.add(three).add(face.thin.select(height, k.add(k)));
        let mut first = self.edge(self.m, self.e1, self.ee1, radius);
        first = first.min(self.edge(self.m, self.e2, self.ee2, radius));
        first = first.min(self.edge(mb, e3, self.ee3, radius));
        let radius = radius.add(self.step).add(self.step);
        let square = radius.mul(radius);
        for m in [self.m, mb, mc] {
            first = first.min(self.corner(m, square));
        }
        let zero = E::splat(0.0);
        let in_slab = face.thin.select(zero, face.t);
        face.inside.select(face.t, first.max(in_slab))
    }

    /// Entry into the cylinder about an edge from `m` on: with everything crossed with the edge, |mx + t dx| = r |e|.
    #[inline(always)]
    fn edge(&self, m: Vector<E>, e: Vector<E>, ee: E, radius: E) -> E {
        let (mx, dx) = (cross(m, e), cross(self.d, e));
        let (zero, far) = (E::splat(0.0), E::splat(f32::INFINITY));
        let limit = radius.mul(radius).mul(ee);
        let dd = dot(dx, dx);
        let parallel = dd.le(E::splat(PARALLEL2).mul(ee));
        let nearest = zero.sub(dot(mx, dx).div(dd));
        let miss = ahead(mx, dx, nearest);
        let square = limit.sub(dot(miss, miss));
        let half = square.div(dd).sqrt();
        let crossing = zero.le(square).and(zero.le(nearest.add(half)));
        let t = parallel.select(zero, nearest.sub(half).max(zero));
        let entered = parallel.select(dot(mx, mx).le(limit), crossing);
        let along = t.mul_add(dot(self.d, e), dot(m, e));
        let on_edge = zero.le(along).and(along.le(ee));
        entered.and(on_edge).select(t, far)
    }

    /// Entry into the ball of radius^2 `square` about a corner.
    #[inline(always)]
    fn corner(&self, m: Vector<E>, square: E) -> E {
        let (zero, far) = (E::splat(0.0), E::splat(f32::INFINITY));
        let nearest = zero.sub(dot(m, self.d));
        let miss = ahead(m, self.d, nearest);
        let left = square.sub(dot(miss, miss));
        let half = left.sqrt();
        let entered = zero.le(left).and(zero.le(nearest.add(half)));
        entered.select(nearest.sub(half).max(zero), far)
    }
}
