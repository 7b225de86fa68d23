//! Eight triangles at once: which of them a moving ball may touch, and not before when.
//!
//! A filter in `f32` that may keep too much but never too little; what it keeps is decided by the exact test in `f64`.
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

use std::ops::Range;

use crate::bvh::{Eight, Lanes, Plain};
use crate::math::{Aabb, Point3, Real, Vec3};

/// g in units of Z.
const STEP: f32 = 1.0 / 65_536.0;
/// k in units of q g.
const FACE_STEP: f32 = 0.25;
/// Thin is what has |normal| below this times (longest edge)^2.
const THIN: f32 = 1.0 / 256.0;
/// Nor is a plane trusted for edges below this root, in units of the leaf: it would underflow.
const TINY2: f32 = 1e-12;
/// A line is parallel to an edge when the sine of their angle is below this root: it then moves by less than 32 u Z.
const PARALLEL2: f32 = 1.0 / 1_099_511_627_776.0;
/// Beyond this Z, in units of the leaf, squares would lose their range: everything is kept.
const FAR: Real = 1_048_576.0;
/// Times the largest coordinate: what `f64` rounds, and the contact zone of the exact test (16 roundings).
const GUARD: Real = 64.0 * crate::geom::ROUNDOFF;

/// A moving ball, prepared for many leaves.
pub(super) struct Ball {
    from: Point3,
    direction: Vec3,
    length: Real,
    /// Radius with skin and guard.
    pub radius: Real,
    guard: Real,
    /// Largest number of ball, path and triangles.
    pub size: Real,
}

impl Ball {
    /// `radius` with its skin; `size` is the largest coordinate of all triangles. `None` for numbers that are not finite
    /// and for a ball that stays where it is: neither touches anything.
    pub fn new(from: &Point3, along: &Vec3, radius: Real, size: Real) -> Option<Self> {
        let sum = from.coords.sum() + along.sum() + radius + size;
        if !sum.is_finite() || *along == Vec3::zeros() {
            return None;
        }
        let size = from.coords.amax().max(along.amax()).max(radius).max(size);
        let length = along.norm();
        let guard = GUARD * size;
        Some(Self {
            from: *from,
            direction: along / length,
            length,
            radius: radius + guard,
            guard,
            size,
        })
    }

    /// A length along the path that is certainly not before fraction `best`.
    #[inline(always)]
    fn reach_of(&self, best: Real) -> Real {
        best * self.length * (1.0 + 1e-12) + self.guard
    }
}

/// Up to eight triangles, relative to their centre.
#[repr(C, align(32))]
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    /// First corner: x of the eight, then y, then z.
    corner: [[f32; 8]; 3],
    /// From the first to the second corner.
    first: [[f32; 8]; 3],
    /// From the first to the third corner.
    second: [[f32; 8]; 3],
    center: Point3,
    /// Units a metre, a power of two.
    scale: f32,
    /// Distance of the farthest corner [m], rounded up; infinite where nothing can be told.
    radius: f32,
}

/// The ball near one leaf, in the leaf's units.
struct Local {
    /// Where the path comes near, relative to the centre.
    from: [f32; 3],
    direction: [f32; 3],
    radius: f32,
    /// g
    step: f32,
    /// Length of the part of the path that matters.
    end: f32,
}

/// Lanes that may be touched.
pub(super) struct Candidates {
    /// Length from the local start at the earliest, in units.
    near: [f32; 8],
    mask: u32,
    /// Local start along the path.
    start: Real,
    scale: Real,
    step: f32,
}

impl Candidates {
    const NONE: Self = Self {
        near: [0.0; 8],
        mask: 0,
        start: 0.0,
        scale: 1.0,
        step: 0.0,
    };

    /// Takes out the earliest lane that can still come before or at `best`.
    #[inline(always)]
    pub fn next(&mut self, ball: &Ball, best: Real) -> Option<usize> {
        if self.mask == 0 {
            return None;
        }
        let mut lane = self.mask.trailing_zeros() as usize;
        let mut rest = self.mask & (self.mask - 1);
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.near[other] < self.near[lane] {
                lane = other;
            }
        }
        self.mask &= !(1 << lane);
        let limit = (ball.reach_of(best) - self.start) * self.scale;
        (self.near[lane] - self.step <= above(limit)).then_some(lane)
    }
}

/// An `f32` not below `x`.
#[inline(always)]
fn above(x: Real) -> f32 {
    (x * (1.0 + 1e-6 * if x < 0.0 { -1.0 } else { 1.0 })) as f32
}

impl Leaf {
    /// A leaf of the triangles in `corners`, at most eight.
    pub fn new(corners: impl Iterator<Item = [Point3; 3]> + Clone) -> Self {
        let bounds = corners
            .clone()
            .flatten()
            .fold(Aabb::EMPTY, |bounds, p| bounds.grow(&p));
        let center = if bounds.is_empty() {
            Point3::origin()
        } else {
            bounds.center()
        };
        let radius = corners
            .clone()
            .flatten()
            .map(|p| (p - center).norm_squared())
            .fold(0.0, |a: Real, b| if b > a || b.is_nan() { b } else { a })
            .sqrt();
        let mut leaf = Self {
            corner: [[0.0; 8]; 3],
            first: [[0.0; 8]; 3],
            second: [[0.0; 8]; 3],
            center,
            scale: 1.0,
            radius: f32::INFINITY,
        };
        let Some(scale) = unit_scale(radius) else {
            return leaf;
        };
        leaf.scale = scale;
        leaf.radius = above(radius);
        for (lane, [a, b, c]) in corners.enumerate().take(8) {
            for axis in 0..3 {
                let unit = |x: Real| (x * Real::from(scale)) as f32;
                leaf.corner[axis][lane] = unit(a[axis] - center[axis]);
                leaf.first[axis][lane] = unit(b[axis] - a[axis]);
                leaf.second[axis][lane] = unit(c[axis] - a[axis]);
            }
        }
        leaf
    }

    /// The lanes among the first `count` that the ball may touch not after fraction `best`.
    #[inline(always)]
    pub fn candidates(&self, ball: &Ball, best: Real, count: usize, lanes: Lanes) -> Candidates {
        let all = (1u32 << count) - 1;
        let scale = Real::from(self.scale);
        let from_center = ball.from - self.center;
        let reach = ball.radius + Real::from(self.radius);
        // Written so that numbers that are not finite keep everything too.
        if !(reach * scale < FAR && ball.length > Real::MIN_POSITIVE) {
            return Candidates {
                mask: all,
                ..Candidates::NONE
            };
        }
        let nearest = -from_center.dot(&ball.direction);
        let closest = from_center + ball.direction * nearest.clamp(0.0, ball.length);
        if closest.norm_squared() > reach * reach * (1.0 + 1e-9) {
            return Candidates::NONE;
        }
        let start = (nearest - reach).max(0.0);
        let end = ball.reach_of(best).min(ball.length).min(nearest + reach) - start;
        if end + reach * 1e-6 < 0.0 {
            return Candidates::NONE;
        }
        let from = (from_center + ball.direction * start) * scale;
        let step = STEP * above(reach * scale);
        let local = Local {
            from: [from.x as f32, from.y as f32, from.z as f32],
            direction: [
                ball.direction.x as f32,
                ball.direction.y as f32,
                ball.direction.z as f32,
            ],
            radius: above(ball.radius * scale),
            step,
            end: above(end * scale) + step,
        };
        let mut near = [0.0; 8];
        let mask = self.filter(&local, lanes, &mut near) & all;
        Candidates {
            near,
            mask,
            start,
            scale,
            step,
        }
    }

    #[inline(always)]
    fn filter(&self, local: &Local, lanes: Lanes, near: &mut [f32; 8]) -> u32 {
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

/// The power of two that brings `radius` into 1/2 .. 1; `None` where `f32` cannot hold it or the radius is no number.
fn unit_scale(radius: Real) -> Option<f32> {
    if radius == 0.0 {
        return Some(1.0);
    }
    let exponent = (radius.to_bits() >> 52) as i32 - 1022;
    ((-100..100).contains(&exponent)).then(|| f32::from_bits(((127 - exponent) as u32) << 23))
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
    fn load(leaf: &Leaf, local: &Local) -> Self {
        let vector = |from: &[[f32; 8]; 3]| [E::load(&from[0]), E::load(&from[1]), E::load(&from[2])];
        let same = |v: &[f32; 3]| [E::splat(v[0]), E::splat(v[1]), E::splat(v[2])];
        let (e1, e2, d) = (vector(&leaf.first), vector(&leaf.second), same(&local.direction));
        let m = minus(same(&local.from), vector(&leaf.corner));
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

/// Lanes of a range of slots.
pub(super) fn lanes_of(slots: &Range<u32>) -> (usize, usize) {
    (slots.start as usize / 8, slots.len())
}

#[cfg(test)]
mod tests;
