//! The filter itself: eight triangles against a moving ball, in `f32`.
//!
//! # Why nothing is lost
//!
//! A leaf's triangles are kept relative to its centre, in units in which its radius rho is 1/2 .. 1. With r the ball's
//! radius, Z = r + rho, and u = 2^-24, the path is cut to the part nearer to the centre than Z (in `f64`), so every
//! number here is below 2.5 Z, whatever the path's length or the scene's place. Corners and start are turned into axes of
//! which the third is the path, and rounded: that moves triangles and path by less than 24 u Z. From then on the path
//! passes the origin along an axis, so corners and lines of edges are seen as points and lines in a plane: no cross
//! product in space is needed for them, nor a direction.
//!
//! For each part of a triangle (plane, line of an edge, corner) the lanes solve for the entry into the set of points
//! within some radius of it. Every operation there is backward stable: its rounding is that of a path and a radius
//! which differ by at most e: how far a line passes beside the path is wrong by 2 u of its corner's distance, the place
//! of the closest approach by as much along the line, the chord by a few u of the radius. With the turning,
//! e < 112 u Z for edges and corners, and f < 20 u q Z for a plane, q = (longest edge)^2 / |normal|. Hence
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
//! Whatever is touched, it is within the slab, so the entry into the slab is an early bound in itself, good enough where
//! the foot is inside. And seen along the path, the triangle is nowhere farther than r from it: a triangle whose box, or
//! the strip between one edge and the opposite corner, is farther than r + g is passed by, for strips are wrong by less
//! than 8 u Z. Edges and corners are looked at only if some lane still needs them.
//!
//! Thin triangles, with q > 256, have no plane worth the name. They lie within |normal| / (longest edge) of that edge,
//! which is added to the radius instead. Triangles and edges shorter than g need no more than a corner.

use super::shapes::Shapes;
use crate::bvh::{Eight, Lanes, Plain};

/// g in units of Z.
pub(super) const STEP: f32 = 1.0 / 65_536.0;

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
    pub const NONE: Self = Self {
        near: [0.0; 8],
        mask: 0,
    };
}

impl Block {
    /// Filters for those of the balls, whose paths have the same axes, whose bits are set. The masks of `kept` say which
    /// lanes are looked at.
    #[inline(always)]
    pub fn filter<const N: usize>(
        &self,
        axes: &[[f32; 3]; 3],
        balls: (&[Local; N], u32),
        kept: &mut [impl AsMut<Kept>; N],
        lanes: Lanes,
    ) {
        match lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.filter_avx2(axes, balls, kept) },
            Lanes::Portable => self.filter_with::<Plain, N>(axes, balls, kept),
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
    unsafe fn filter_avx2<const N: usize>(
        &self,
        axes: &[[f32; 3]; 3],
        balls: (&[Local; N], u32),
        kept: &mut [impl AsMut<Kept>; N],
    ) {
        self.filter_with::<crate::bvh::Avx2, N>(axes, balls, kept);
    }

    #[inline(always)]
    fn filter_with<E: Eight, const N: usize>(
        &self,
        axes: &[[f32; 3]; 3],
        (balls, which): (&[Local; N], u32),
        kept: &mut [impl AsMut<Kept>; N],
    ) {
        let turned = Turned::<E>::new(self, axes);
        let (mut close, mut rest) = (0, which);
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let mask = &mut kept[i].as_mut().mask;
            *mask &= turned.are_close(&balls[i]).bits();
            close |= u32::from(*mask != 0) << i;
        }
        if close == 0 {
            return;
        }
        let shapes = Shapes::new(&turned);
        while close != 0 {
            let i = close.trailing_zeros() as usize;
            close &= close - 1;
            shapes.filter(&turned, &balls[i], kept[i].as_mut());
        }
    }
}

pub(super) type Vector<E> = [E; 3];

#[inline(always)]
pub(super) fn dot<E: Eight>(a: Vector<E>, b: Vector<E>) -> E {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul(b[2])))
}

#[inline(always)]
pub(super) fn cross<E: Eight>(a: Vector<E>, b: Vector<E>) -> Vector<E> {
    [
        a[2].neg_mul_add(b[1], a[1].mul(b[2])),
        a[0].neg_mul_add(b[2], a[2].mul(b[0])),
        seen(a, b),
    ]
}

/// What is seen of a cross product along the path.
#[inline(always)]
pub(super) fn seen<E: Eight>(a: Vector<E>, b: Vector<E>) -> E {
    a[1].neg_mul_add(b[0], a[0].mul(b[1]))
}

#[inline(always)]
pub(super) fn same<E: Eight>(v: &[f32; 3]) -> Vector<E> {
    [E::splat(v[0]), E::splat(v[1]), E::splat(v[2])]
}

#[inline(always)]
pub(super) fn minus<E: Eight>(a: Vector<E>, b: Vector<E>) -> Vector<E> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn plus<E: Eight>(a: Vector<E>, b: Vector<E>) -> Vector<E> {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

/// Eight triangles along the axes.
pub(super) struct Turned<E: Eight> {
    pub corners: [Vector<E>; 3],
    /// From the first to the second corner.
    pub e1: Vector<E>,
    /// From the first to the third.
    pub e2: Vector<E>,
    low: Vector<E>,
    high: Vector<E>,
}

impl<E: Eight> Turned<E> {
    #[inline(always)]
    fn new(block: &Block, axes: &[[f32; 3]; 3]) -> Self {
        let turned = |v| turned(v, axes);
        Self::of(turned(&block.corner), turned(&block.first), turned(&block.second))
    }

    /// The triangles along the axes that they are kept in.
    #[inline(always)]
    pub fn unturned(block: &Block) -> Self {
        Self::of(load(&block.corner), load(&block.first), load(&block.second))
    }

    #[inline(always)]
    fn of(first: Vector<E>, e1: Vector<E>, e2: Vector<E>) -> Self {
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
    pub fn are_close(&self, ball: &Local) -> E {
        let reach = ball.radius + ball.step;
        let [x, y, z] = ball.from;
        self.meet(
            &[x - reach, y - reach, z - reach],
            &[x + reach, y + reach, z + reach + ball.end],
        )
    }

    /// Whether the box around a triangle meets a box.
    #[inline(always)]
    pub fn meet(&self, low: &[f32; 3], high: &[f32; 3]) -> E {
        let meets = |axis: usize| {
            let not_beyond = self.low[axis].le(E::splat(high[axis]));
            not_beyond.and(E::splat(low[axis]).le(self.high[axis]))
        };
        meets(0).and(meets(1)).and(meets(2))
    }
}

#[inline(always)]
fn load<E: Eight>(v: &[[f32; 8]; 3]) -> Vector<E> {
    [E::load(&v[0]), E::load(&v[1]), E::load(&v[2])]
}

#[inline(always)]
fn turned<E: Eight>(v: &[[f32; 8]; 3], axes: &[[f32; 3]; 3]) -> Vector<E> {
    let v = load(v);
    [
        dot(v, same(&axes[0])),
        dot(v, same(&axes[1])),
        dot(v, same(&axes[2])),
    ]
}
