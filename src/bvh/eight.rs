//! Eight `f32` at once, in AVX2 registers or in plain arrays: with `lanes`, the only place with SIMD.
//!
//! A kernel is written once over [`Eight`] and run in the form that [`Lanes::detect`] found. Kernels only ever cull, and
//! conservatively, so the two forms may round differently and still no answer depends on which one ran.

/// Which form this processor runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// 256-bit registers, with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Plain loops.
    Portable,
}

impl Lanes {
    /// The best form for this processor; `PARTSIM_LANES=portable` forces the plain one.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::env::var_os("PARTSIM_LANES").is_none_or(|v| v != "portable")
        {
            return Self::Avx2;
        }
        Self::Portable
    }
}

/// Eight numbers. Comparisons give masks: all bits of a lane set, or none; with NaN, none.
pub trait Eight: Copy {
    /// The same number in all lanes.
    fn splat(x: f32) -> Self;
    /// Numbers from memory.
    fn load(from: &[f32; 8]) -> Self;
    /// Numbers to memory.
    fn store(self, to: &mut [f32; 8]);
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
    /// `self * by + plus`, rounded once or twice.
    fn mul_add(self, by: Self, plus: Self) -> Self;
    /// `plus - self * by`, rounded once or twice.
    fn neg_mul_add(self, by: Self, plus: Self) -> Self;
    /// Mask of `self <= other`.
    fn le(self, other: Self) -> Self;
    /// Both masks.
    fn and(self, other: Self) -> Self;
    /// Either mask.
    fn or(self, other: Self) -> Self;
    /// `a` where the mask is set, else `b`.
    fn select(self, a: Self, b: Self) -> Self;
    /// One bit a lane of a mask.
    fn bits(self) -> u32;

    /// Without sign.
    #[inline(always)]
    fn abs(self) -> Self {
        self.max(Self::splat(0.0).sub(self))
    }
}

/// The portable form.
#[derive(Debug, Clone, Copy)]
pub struct Plain([f32; 8]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

fn mask(set: bool) -> f32 {
    f32::from_bits(if set { u32::MAX } else { 0 })
}

impl Eight for Plain {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        Self(*from)
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
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
        Self(self.0.map(f32::sqrt))
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
    fn mul_add(self, by: Self, plus: Self) -> Self {
        self.mul(by).add(plus)
    }
    #[inline(always)]
    fn neg_mul_add(self, by: Self, plus: Self) -> Self {
        plus.sub(self.mul(by))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a <= b))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| f32::from_bits(a.to_bits() & b.to_bits()))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| f32::from_bits(a.to_bits() | b.to_bits()))
    }
    #[inline(always)]
    fn select(self, a: Self, b: Self) -> Self {
        let pick = |i: usize| if self.0[i].to_bits() == 0 { b.0[i] } else { a.0[i] };
        Self(std::array::from_fn(pick))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let bit = |i: usize| u32::from(self.0[i].to_bits() != 0) << i;
        (0..8).map(bit).sum()
    }
}

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::Eight;

    /// The form in registers.
    ///
    /// A value exists only on a processor with AVX2 and FMA: kernels make the first one behind [`super::Lanes::Avx2`],
    /// in a function that has both features enabled and into which all of this is inlined.
    #[derive(Debug, Clone, Copy)]
    pub struct Avx2(__m256);

    /// Wraps intrinsics; the one reason for safety is that of [`Avx2`].
    macro_rules! wrap {
        ($e:expr) => {
            // SAFETY: see `Avx2`: the processor has the instructions, and memory is read and written by whole arrays.
            unsafe { $e }
        };
    }

    impl Eight for Avx2 {
        #[inline(always)]
        fn splat(x: f32) -> Self {
            Self(wrap!(_mm256_set1_ps(x)))
        }
        #[inline(always)]
        fn load(from: &[f32; 8]) -> Self {
            Self(wrap!(_mm256_loadu_ps(from.as_ptr())))
        }
        #[inline(always)]
        fn store(self, to: &mut [f32; 8]) {
            wrap!(_mm256_storeu_ps(to.as_mut_ptr(), self.0));
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(wrap!(_mm256_add_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(wrap!(_mm256_sub_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(wrap!(_mm256_mul_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            Self(wrap!(_mm256_div_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(wrap!(_mm256_sqrt_ps(self.0)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(wrap!(_mm256_min_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(wrap!(_mm256_max_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn mul_add(self, by: Self, plus: Self) -> Self {
            Self(wrap!(_mm256_fmadd_ps(self.0, by.0, plus.0)))
        }
        #[inline(always)]
        fn neg_mul_add(self, by: Self, plus: Self) -> Self {
            Self(wrap!(_mm256_fnmadd_ps(self.0, by.0, plus.0)))
        }
        #[inline(always)]
        fn le(self, other: Self) -> Self {
            Self(wrap!(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self(wrap!(_mm256_and_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Self(wrap!(_mm256_or_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn select(self, a: Self, b: Self) -> Self {
            Self(wrap!(_mm256_blendv_ps(b.0, a.0, self.0)))
        }
        #[inline(always)]
        fn bits(self) -> u32 {
            wrap!(_mm256_movemask_ps(self.0)) as u32
        }
    }
}
