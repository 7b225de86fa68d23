//! Four `f64` at once, in AVX2 registers or in plain arrays.
//!
//! Unlike [`Eight`](super::Eight), which culls, this computes answers: every operation rounds as that of a single number
//! does, so that both forms and scalar code give the same bits. There is no fused multiply-add.

/// Four numbers. Comparisons give masks: all bits of a lane set, or none; with NaN, none.
pub trait Four: Copy {
    /// The same number in all lanes.
    fn splat(x: f64) -> Self;
    /// Four numbers.
    fn new(x: [f64; 4]) -> Self;
    /// Numbers to memory.
    fn store(self, to: &mut [f64; 4]);
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The smaller; `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// The larger; `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// With the other sign.
    fn neg(self) -> Self;
    /// Without sign.
    fn abs(self) -> Self;
    /// Mask of `self < other`.
    fn lt(self, other: Self) -> Self;
    /// Mask of `self <= other`.
    fn le(self, other: Self) -> Self;
    /// Mask of `self == other`.
    fn eq(self, other: Self) -> Self;
    /// Both masks.
    fn and(self, other: Self) -> Self;
    /// Either mask.
    fn or(self, other: Self) -> Self;
    /// This mask without `other`.
    fn without(self, other: Self) -> Self;
    /// `a` where the mask is set, else `b`.
    fn select(self, a: Self, b: Self) -> Self;
    /// One bit a lane of a mask.
    fn bits(self) -> u32;
}

/// Products of four pairs of vectors, rounded as those of one.
#[inline(always)]
pub fn dot<F: Four>(a: [F; 3], b: [F; 3]) -> F {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

/// Cross products, rounded as that of one pair.
#[inline(always)]
pub fn cross<F: Four>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

/// Differences.
#[inline(always)]
pub fn minus<F: Four>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

/// a + b t
#[inline(always)]
pub fn ahead<F: Four>(a: [F; 3], b: [F; 3], t: F) -> [F; 3] {
    [
        a[0].add(b[0].mul(t)),
        a[1].add(b[1].mul(t)),
        a[2].add(b[2].mul(t)),
    ]
}

/// The portable form.
#[derive(Debug, Clone, Copy)]
pub struct PlainFour([f64; 4]);

impl PlainFour {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

fn mask(set: bool) -> f64 {
    f64::from_bits(if set { u64::MAX } else { 0 })
}

fn by_bits(a: f64, b: f64, f: impl Fn(u64, u64) -> u64) -> f64 {
    f64::from_bits(f(a.to_bits(), b.to_bits()))
}

impl Four for PlainFour {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn new(x: [f64; 4]) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; 4]) {
        *to = self.0;
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a < b))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a <= b))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a == b))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| by_bits(a, b, |a, b| a & b))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| by_bits(a, b, |a, b| a | b))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self.zip(other, |a, b| by_bits(a, b, |a, b| a & !b))
    }
    #[inline(always)]
    fn select(self, a: Self, b: Self) -> Self {
        let pick = |i: usize| if self.0[i].to_bits() == 0 { b.0[i] } else { a.0[i] };
        Self(std::array::from_fn(pick))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let bit = |i: usize| u32::from(self.0[i].to_bits() != 0) << i;
        (0..4).map(bit).sum()
    }
}

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2Four;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::Four;

    /// The form in registers.
    ///
    /// A value exists only on a processor with AVX2: kernels make the first one behind [`Lanes::Avx2`](super::super::Lanes),
    /// in a function that has the feature enabled and into which all of this is inlined.
    #[derive(Debug, Clone, Copy)]
    pub struct Avx2Four(__m256d);

    /// Wraps intrinsics; the one reason for safety is that of [`Avx2Four`].
    macro_rules! wrap {
        ($e:expr) => {
            // SAFETY: see `Avx2Four`: the processor has the instructions, and memory is written by a whole array.
            unsafe { $e }
        };
    }

    impl Four for Avx2Four {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self(wrap!(_mm256_set1_pd(x)))
        }
        #[inline(always)]
        fn new(x: [f64; 4]) -> Self {
            Self(wrap!(_mm256_setr_pd(x[0], x[1], x[2], x[3])))
        }
        #[inline(always)]
        fn store(self, to: &mut [f64; 4]) {
            wrap!(_mm256_storeu_pd(to.as_mut_ptr(), self.0));
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(wrap!(_mm256_add_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(wrap!(_mm256_sub_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(wrap!(_mm256_mul_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            Self(wrap!(_mm256_div_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(wrap!(_mm256_sqrt_pd(self.0)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(wrap!(_mm256_min_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(wrap!(_mm256_max_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn neg(self) -> Self {
            Self(wrap!(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))))
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self(wrap!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
        }
        #[inline(always)]
        fn lt(self, other: Self) -> Self {
            Self(wrap!(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)))
        }
        #[inline(always)]
        fn le(self, other: Self) -> Self {
            Self(wrap!(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)))
        }
        #[inline(always)]
        fn eq(self, other: Self) -> Self {
            Self(wrap!(_mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0)))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self(wrap!(_mm256_and_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Self(wrap!(_mm256_or_pd(self.0, other.0)))
        }
        #[inline(always)]
        fn without(self, other: Self) -> Self {
            Self(wrap!(_mm256_andnot_pd(other.0, self.0)))
        }
        #[inline(always)]
        fn select(self, a: Self, b: Self) -> Self {
            Self(wrap!(_mm256_blendv_pd(b.0, a.0, self.0)))
        }
        #[inline(always)]
        fn bits(self) -> u32 {
            wrap!(_mm256_movemask_pd(self.0)) as u32
        }
    }
}
