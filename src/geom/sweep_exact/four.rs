//! Four entries at once: the operations of the scalar test, one by one, on four spheres and four triangles.
//!
//! The order of operations is that of [`Moving::entry`], so the bits are too; where that branches, lanes are masked. What
//! is rare, a start that may be in touch or a radius that is very small, is left to the scalar test.

use super::{Entry, Moving, Part, SLACK};
use crate::bvh::{Four, Lanes, PlainFour, ahead, cross, dot, minus};
use crate::geom::ROUNDOFF;
use crate::geom::canonical::{DEGENERATE, ENDS};
use crate::math::{Point3, Real, Vec3};

/// A sphere, a triangle by its corners in order, and the last moment of interest.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The sphere.
    pub moving: Moving<'a>,
    /// Corners in lexicographic order.
    pub corners: [&'a Point3; 3],
    /// Later entries are none.
    pub t_max: Real,
}

/// [`Moving::entry`] of four pairs.
#[inline(always)]
pub fn entries_of_four(pairs: &[Pair; 4], lanes: Lanes) -> [Option<Entry>; 4] {
    let mut found = Found {
        t: [0.0; 4],
        part: [0.0; 4],
    };
    let known = match lanes {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2.
        Lanes::Avx2 => unsafe { enter_avx2(pairs, &mut found) },
        Lanes::Portable => enter::<PlainFour>(pairs, &mut found),
    };
    let answer = |i: usize| {
        let pair = &pairs[i];
        if known >> i & 1 == 0 {
            return pair.moving.entry(&pair.corners.map(|p| *p), pair.t_max);
        }
        let part = match found.part[i] as u8 {
            0 => return None,
            1 => Part::Face,
            k @ 2..=4 => Part::Edge(k - 2),
            k => Part::Corner(k - 5),
        };
        (found.t[i] <= pair.t_max).then_some(Entry { t: found.t[i], part })
    };
    [answer(0), answer(1), answer(2), answer(3)]
}

/// Times, and parts as numbers: 0 for none, 1 face, 2 .. 4 edges, 5 .. 7 corners.
struct Found {
    t: [Real; 4],
    part: [Real; 4],
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn enter_avx2(pairs: &[Pair; 4], found: &mut Found) -> u32 {
    enter::<crate::bvh::Avx2Four>(pairs, found)
}

pub(super) type Vector<F> = [F; 3];

#[inline(always)]
fn sum_of_sizes<F: Four>(a: Vector<F>) -> F {
    a[0].abs().add(a[1].abs()).add(a[2].abs())
}

/// The same of all pairs.
#[inline(always)]
pub(super) fn each<F: Four>(pairs: &[Pair; 4], of: impl Fn(&Pair) -> Real) -> F {
    F::new([of(&pairs[0]), of(&pairs[1]), of(&pairs[2]), of(&pairs[3])])
}

#[inline(always)]
pub(super) fn vector<F: Four>(pairs: &[Pair; 4], of: impl Fn(&Pair) -> Vec3) -> Vector<F> {
    side_by_side([of(&pairs[0]), of(&pairs[1]), of(&pairs[2]), of(&pairs[3])])
}

#[inline(always)]
pub(super) fn side_by_side<F: Four>(v: [Vec3; 4]) -> Vector<F> {
    [
        F::new([v[0].x, v[1].x, v[2].x, v[3].x]),
        F::new([v[0].y, v[1].y, v[2].y, v[3].y]),
        F::new([v[0].z, v[1].z, v[2].z, v[3].z]),
    ]
}

/// What the parts of four triangles share.
struct Query<F: Four> {
    /// From each corner to the start.
    m: [Vector<F>; 3],
    d: Vector<F>,
    r: F,
    e: [Vector<F>; 3],
    longest2: F,
    n: Vector<F>,
    nn: F,
    /// Whether there is a plane.
    face: F,
    /// Distance of the start from the plane times |n|, and its change.
    h: F,
    change: F,
    rounding: F,
}

/// The earliest entries so far.
struct First<F: Four> {
    t: F,
    part: F,
}

impl<F: Four> First<F> {
    /// Keeps the earlier entries, the first of equal ones.
    #[inline(always)]
    fn offer(&mut self, wanted: F, t: F, part: Real) {
        let none = self.part.eq(F::splat(0.0));
        let better = wanted.and(t.lt(self.t).or(t.eq(self.t).and(none)));
        self.t = better.select(t, self.t);
        self.part = better.select(F::splat(part), self.part);
    }
}

/// Fills `found` and returns the lanes that are answered; the others are for the scalar test.
#[inline(always)]
fn enter<F: Four>(pairs: &[Pair; 4], found: &mut Found) -> u32 {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let reach: F = each(pairs, |p| p.moving.r + p.moving.reach());
    let small = |i: usize| u32::from(pairs[i].moving.is_small()) << i;
    let small = small(0) | small(1) | small(2) | small(3);
    let query = Query::<F>::new(pairs);
    let passed = query.misses_plane(reach, each(pairs, |p| p.t_max));
    let answered = passed.bits() | query.is_apart(reach).bits() & !small;
    let open = query.all_but(passed);
    let mut first = First { t: one, part: zero };
    let mut edges = [open; 3];
    if query.face.and(open).bits() != 0 {
        edges = query.enter_face(open, &mut first);
    }
    let mut corners = [zero; 3];
    for (k, &wanted) in edges.iter().enumerate() {
        if wanted.bits() != 0 {
            query.enter_edge(k, wanted, &mut corners, &mut first);
        }
    }
    if corners[0].or(corners[1]).or(corners[2]).bits() != 0 {
        let dd = dot(query.d, query.d);
        for (k, &wanted) in corners.iter().enumerate() {
            query.enter_corner(k, wanted, dd, &mut first);
        }
    }
    first.t.store(&mut found.t);
    first.part.store(&mut found.part);
    answered
}

impl<F: Four> Query<F> {
    #[inline(always)]
    fn new(pairs: &[Pair; 4]) -> Self {
        let c = vector::<F>(pairs, |p| p.moving.c.coords);
        let v = [
            vector::<F>(pairs, |p| p.corners[0].coords),
            vector::<F>(pairs, |p| p.corners[1].coords),
            vector::<F>(pairs, |p| p.corners[2].coords),
        ];
        let d = vector::<F>(pairs, |p| *p.moving.d);
        let e = [minus(v[1], v[0]), minus(v[2], v[1]), minus(v[2], v[0])];
        let longest2 = dot(e[0], e[0]).max(dot(e[1], e[1]).max(dot(e[2], e[2])));
        let n = cross(e[0], e[2]);
        let nn = dot(n, n);
        let flat = F::splat(DEGENERATE * DEGENERATE).mul(longest2.mul(longest2));
        let m = [minus(c, v[0]), minus(c, v[1]), minus(c, v[2])];
        let size = sum_of_sizes(m[0]).add(sum_of_sizes(d));
        Self {
            m,
            d,
            r: each(pairs, |p| p.moving.r),
            e,
            longest2,
            n,
            nn,
            face: flat.lt(nn).and(nn.lt(F::splat(Real::INFINITY))),
            h: dot(n, m[0]),
            change: dot(n, d),
            rounding: F::splat(16.0 * ROUNDOFF).mul(longest2).mul(size),
        }
    }

    /// All lanes without these.
    #[inline(always)]
    fn all_but(&self, lanes: F) -> F {
        F::splat(0.0).eq(F::splat(0.0)).without(lanes)
    }

    #[inline(always)]
    fn misses_plane(&self, reach: F, t_max: F) -> F {
        let zero = F::splat(0.0);
        let closing = zero.lt(self.h).select(self.change.neg(), self.change);
        let until = closing.max(zero).mul(t_max.min(F::splat(1.0)));
        let gap = self.h.abs().sub(self.rounding).sub(until);
        let far = reach.mul(reach).mul(self.nn).mul(F::splat(1.0 + SLACK));
        self.face.and(zero.lt(gap)).and(far.lt(gap.mul(gap)))
    }

    #[inline(always)]
    fn is_apart(&self, reach: F) -> F {
        let limit = reach.mul(F::splat(1.0 + SLACK));
        let back = limit.neg();
        let far = reach.mul(reach).mul(self.nn).mul(F::splat(1.0 + SLACK));
        let mut apart = self.face.and(far.lt(self.h.mul(self.h)));
        for k in 0..3 {
            let (x, y, z) = (self.m[0][k].neg(), self.m[1][k].neg(), self.m[2][k].neg());
            apart = apart.or(limit.lt(x.min(y.min(z)))).or(x.max(y.max(z)).lt(back));
        }
        apart
    }

    /// Enters the faces; returns for each edge the lanes in which it can still be first.
    #[inline(always)]
    fn enter_face(&self, open: F, first: &mut First<F>) -> [F; 3] {
        let (zero, one) = (F::splat(0.0), F::splat(1.0));
        let length = self.nn.sqrt();
        let closing = zero.lt(self.h).select(self.change.neg(), self.change);
        let gap = self.h.abs().sub(self.r.mul(length)).max(zero);
        let t = zero.lt(gap).select(gap.div(closing), zero);
        let from = zero.le(t).and(t.le(one)).select(t, zero);
        let inward = [
            cross(self.n, self.e[0]),
            cross(self.n, self.e[1]),
            cross(self.e[2], self.n),
        ];
        let here = self.weights(self.moved(from), &inward);
        let inside = zero.le(here[0]).and(zero.le(here[1])).and(zero.le(here[2]));
        let face = open.and(self.face);
        let entered = face.and(zero.lt(closing)).and(t.le(one)).and(inside);
        first.t = entered.select(t, first.t);
        first.part = entered.select(one, first.part);
        let mut open = open.without(entered);
        if open.bits() == 0 {
            return [zero; 3];
        }
        let last = self.weights(self.moved(one), &inward);
        let rounding = self.rounding.mul(self.longest2.sqrt());
        let rr = self.r.mul(self.r);
        for k in 0..3 {
            let beyond = here[k].max(last[k]).neg().sub(rounding);
            let far = rr.mul(dot(inward[k], inward[k])).mul(F::splat(1.0 + SLACK));
            let missed = zero.lt(beyond).and(far.lt(beyond.mul(beyond)));
            open = open.without(missed.and(face));
        }
        let near = F::splat(SLACK).mul(self.nn);
        let mut edges = [open; 3];
        for k in 0..3 {
            edges[k] = open.without(self.face.without(here[k].min(last[k]).le(near)));
        }
        edges
    }

    /// From the first two corners to the centre at `t`.
    #[inline(always)]
    fn moved(&self, t: F) -> [Vector<F>; 2] {
        [ahead(self.m[0], self.d, t), ahead(self.m[1], self.d, t)]
    }

    #[inline(always)]
    fn weights(&self, [low, mid]: [Vector<F>; 2], inward: &[Vector<F>; 3]) -> [F; 3] {
        [dot(inward[0], low), dot(inward[1], mid), dot(inward[2], low)]
    }

    #[inline(always)]
    fn enter_edge(&self, k: usize, wanted: F, corners: &mut [F; 3], first: &mut First<F>) {
        let zero = F::splat(0.0);
        let [lower, upper] = ENDS[k];
        let (e, m) = (self.e[k], self.m[lower]);
        let (across, drift) = (cross(m, e), cross(self.d, e));
        let (ee, aa) = (dot(e, e), dot(drift, drift));
        let (bb, mm) = (dot(across, drift), dot(across, across));
        let limit = self.r.mul(self.r).mul(ee);
        let outside = limit.lt(mm).and(zero.lt(aa));
        let miss2 = mm.sub(limit.mul(F::splat(1.0 + SLACK))).mul(aa).sub(bb.mul(bb));
        let passing = zero.le(bb).or(F::splat(SLACK).mul(mm.mul(aa)).lt(miss2));
        let coming = wanted.and(outside).without(passing);
        let within = wanted.without(outside).and(mm.le(limit).or(aa.eq(zero)));
        if within.bits() != 0 {
            let low = dot(m, e).le(F::splat(0.5).mul(ee));
            corners[lower] = corners[lower].or(within.and(low));
            corners[upper] = corners[upper].or(within.without(low));
        }
        if coming.bits() == 0 {
            return;
        }
        let nearest = bb.neg().div(aa);
        let miss = ahead(across, drift, nearest);
        let square = limit.sub(dot(miss, miss));
        let t = nearest.sub(square.div(aa).sqrt());
        // Written as in the scalar test, which rules out what is less or later: numbers that are none stay in.
        let coming = coming.without(square.lt(zero)).without(first.t.lt(t));
        let along = dot(ahead(m, self.d, t), e);
        let before = along.lt(zero);
        let after = ee.lt(along).without(before);
        corners[lower] = corners[lower].or(coming.and(before));
        corners[upper] = corners[upper].or(coming.and(after));
        first.offer(
            coming.without(before).without(after),
            t.max(zero),
            2.0 + k as Real,
        );
    }

    #[inline(always)]
    fn enter_corner(&self, k: usize, wanted: F, dd: F, first: &mut First<F>) {
        let zero = F::splat(0.0);
        let m = self.m[k];
        let b = dot(m, self.d);
        let nearest = b.neg().div(dd);
        let x = ahead(m, self.d, nearest);
        let square = self.r.mul(self.r).sub(dot(x, x));
        let coming = wanted.without(zero.le(b)).without(square.lt(zero));
        let t = nearest.sub(square.div(dd).sqrt()).max(zero);
        first.offer(coming, t, 5.0 + k as Real);
    }
}
