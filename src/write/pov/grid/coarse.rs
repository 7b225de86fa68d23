//! A quick look at places in `f32`, eight at a time: what is certainly too far away is not looked at again.

use std::ops::Range;

use crate::bvh::{Eight, Lanes, Plain};
use crate::math::{Aabb, Point3, Real};

/// Seats that are looked at together: as many as a word has bits.
const BATCH: usize = 64;

/// The centres once more, in `f32` around their middle: eight at a time, most are found to be too far away.
pub(super) struct Coarse {
    middle: Point3,
    /// What a distance may be wrong by.
    error: Real,
    /// x, y and z of every seat, and seven more.
    places: [Vec<f32>; 3],
    pub(super) lanes: Lanes,
}

/// A ball in the numbers of [`Coarse`].
pub(super) struct CoarseBall {
    center: [f32; 3],
    /// Square of its radius, and a little more.
    radius2: f32,
}

impl Default for Coarse {
    fn default() -> Self {
        Self {
            middle: Point3::origin(),
            error: 0.0,
            places: Default::default(),
            lanes: Lanes::detect(),
        }
    }
}

impl Coarse {
    pub(super) fn fill(&mut self, center: &[Point3]) {
        let bounds = Aabb::around(center);
        self.middle = if bounds.is_empty() {
            Point3::origin()
        } else {
            bounds.center()
        };
        // Two places are rounded along three axes, to 24 bits each: less than four roundings in all.
        self.error = 4.0 * Real::from(f32::EPSILON) * bounds.diagonal();
        for (axis, places) in self.places.iter_mut().enumerate() {
            places.clear();
            places.extend(center.iter().map(|p| (p[axis] - self.middle[axis]) as f32));
            places.extend([f32::INFINITY; 7]);
        }
    }

    pub(super) fn ball(&self, p: &Point3, radius: Real) -> CoarseBall {
        let radius = (radius + self.error) * (1.0 + 1e-6);
        CoarseBall {
            center: [0, 1, 2].map(|axis| (p[axis] - self.middle[axis]) as f32),
            radius2: (radius * radius) as f32,
        }
    }

    /// Calls `f` for the seats that may be in the ball, in order, and perhaps for some that are not.
    #[inline]
    pub(super) fn scan(&self, seats: Range<usize>, ball: &CoarseBall, mut f: impl FnMut(usize)) {
        let mut seat = seats.start;
        while seat < seats.end {
            let count = (seats.end - seat).min(BATCH);
            let mut near = match self.lanes {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2 and FMA.
                Lanes::Avx2 => unsafe { self.near_avx2(seat, count, ball) },
                Lanes::Portable => self.near::<Plain>(seat, count, ball),
            };
            while near != 0 {
                f(seat + near.trailing_zeros() as usize);
                near &= near - 1;
            }
            seat += count;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn near_avx2(&self, seat: usize, count: usize, ball: &CoarseBall) -> u64 {
        self.near::<crate::bvh::Avx2>(seat, count, ball)
    }

    /// One bit for each of the `count` seats, at most [`BATCH`], from `seat` on.
    #[inline(always)]
    fn near<E: Eight>(&self, seat: usize, count: usize, ball: &CoarseBall) -> u64 {
        let center = ball.center.map(E::splat);
        let most = E::splat(ball.radius2);
        let end = seat + count.next_multiple_of(8);
        let [x, y, z] = self
            .places
            .each_ref()
            .map(|all| all[seat..end].as_chunks::<8>().0);
        let mut near = 0;
        for (k, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate() {
            let d = [
                E::load(x).sub(center[0]),
                E::load(y).sub(center[1]),
                E::load(z).sub(center[2]),
            ];
            let d2 = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2].mul(d[2])));
            near |= u64::from(d2.le(most).bits()) << (8 * k);
        }
        near & (u64::MAX >> (BATCH - count))
    }
}
