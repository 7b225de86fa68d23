//! Which of eight triangles a ball that stands still may touch, by their boxes and their planes, and which may meet a box, in
//! `f32`.
//!
//! The bounds are those of `filter`, for a path without length: with r the ball's radius, Z = r + rho and g = 256 u Z,
//! boxes are wrong by less than g, and the distance from a plane by less than g + k, k = 64 u q Z. Thin triangles have
//! no plane worth the name; there the box decides.

use super::filter::{Block, Local, Turned, cross, dot, minus, same};
use super::shapes::{FACE_STEP, THIN, TINY2};
use crate::bvh::{Eight, Lanes, Plain};

impl Block {
    /// One bit for each lane that may be nearer to `ball.from`, relative to the leaf's centre and along its own axes, than
    /// the ball's radius.
    #[inline(always)]
    pub fn within(&self, ball: &Local, lanes: Lanes) -> u32 {
        match lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.within_avx2(ball) },
            Lanes::Portable => self.within_of::<Plain>(ball),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn within_avx2(&self, ball: &Local) -> u32 {
        self.within_of::<crate::bvh::Avx2>(ball)
    }

    /// One bit for each lane whose triangle's box meets a box, all relative to the leaf's centre and along its own axes.
    #[inline(always)]
    pub fn meets(&self, low: &[f32; 3], high: &[f32; 3], lanes: Lanes) -> u32 {
        match lanes {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
            Lanes::Avx2 => unsafe { self.meets_avx2(low, high) },
            Lanes::Portable => Turned::<Plain>::unturned(self).meet(low, high).bits(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn meets_avx2(&self, low: &[f32; 3], high: &[f32; 3]) -> u32 {
        Turned::<crate::bvh::Avx2>::unturned(self).meet(low, high).bits()
    }

    #[inline(always)]
    fn within_of<E: Eight>(&self, ball: &Local) -> u32 {
        let triangles = Turned::<E>::unturned(self);
        let close = triangles.are_close(ball);
        if close.bits() == 0 {
            return 0;
        }
        let (e1, e2) = (triangles.e1, triangles.e2);
        let e3 = minus(e2, e1);
        let longest2 = dot(e1, e1).max(dot(e2, e2)).max(dot(e3, e3));
        let n = cross(e1, e2);
        let length = dot(n, n).sqrt();
        let thin = (length.le(E::splat(THIN).mul(longest2))).or(longest2.le(E::splat(TINY2)));
        // Distances times |normal|: k needs no division then.
        let k = E::splat(FACE_STEP * ball.step).mul(longest2);
        let reach = E::splat(ball.radius + ball.step).mul_add(length, k);
        let off = dot(n, minus(triangles.corners[0], same(&ball.from))).abs();
        close.and(thin.or(off.le(reach))).bits()
    }
}
