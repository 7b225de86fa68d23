//! Random draws that depend on identity (seed, purpose, emitter, birth index), never on thread or call order.
//!
//! Adding an emitter at the end of a scene therefore changes nothing about the earlier ones.

use rand::Rng as _;
use rand_pcg::Pcg64Mcg;

use crate::math::{Real, Vec3};

/// What a draw is for: streams of different purposes are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Place, velocity and radius at birth.
    Birth = 1,
    /// Droplets of a splash.
    Splash = 2,
    /// Directions in which a particle looks before it stays on a heap.
    Probe = 3,
    /// Gusts and turbulence of the air.
    Air = 20,
    /// Phase and frequency of a fluttering particle.
    Flutter = 21,
    /// Lifetimes, and what becomes of a particle at an event.
    Life = 22,
    /// Pieces into which a body may break.
    Break = 23,
}

/// A stream of draws that belongs to one thing.
#[derive(Debug, Clone)]
pub struct Stream(Pcg64Mcg);

/// The stream of one particle: a pure function of its arguments.
pub fn stream(seed: u64, purpose: Purpose, emitter: u64, index: u64) -> Stream {
    let a = mix(seed ^ mix(purpose as u64));
    let b = mix(a ^ mix(emitter.wrapping_add(0x9e37_79b9_7f4a_7c15)));
    let low = mix(b ^ index);
    let high = mix(low ^ a.rotate_left(32));
    Stream(Pcg64Mcg::new((u128::from(high) << 64) | u128::from(low)))
}

/// Identity of a particle: that of its emitter or parent, and its number there.
pub fn identity(parent: u64, number: u64) -> u64 {
    mix(mix(parent.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ number)
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014): every input bit reaches every output bit.
fn mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Stream {
    /// 64 even bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Evenly in 0 <= x < 1, a multiple of 2^-53.
    pub fn unit(&mut self) -> Real {
        (self.0.next_u64() >> 11) as Real * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Evenly in low <= x < high.
    pub fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    /// Evenly in the unit ball, by rejection: 6 tries in 11 succeed.
    pub fn in_ball(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
            );
            if v.norm_squared() < 1.0 {
                return v;
            }
        }
    }

    /// Evenly in the unit disc, by rejection.
    pub fn in_disc(&mut self) -> [Real; 2] {
        loop {
            let p = [self.between(-1.0, 1.0), self.between(-1.0, 1.0)];
            if p[0] * p[0] + p[1] * p[1] < 1.0 {
                return p;
            }
        }
    }

    /// A standard normal cut at +-3 (Marsaglia's polar method, redrawn outside).
    pub fn normal(&mut self) -> Real {
        loop {
            let [x, y] = self.in_disc();
            let s = x * x + y * y;
            if s > 0.0 {
                let g = x * (-2.0 * libm::log(s) / s).sqrt();
                if g.abs() <= 3.0 {
                    return g;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_a_function_of_identity_alone() {
        let draw = |s, e, i| stream(s, Purpose::Birth, e, i).unit();
        assert_eq!(draw(1, 2, 3), draw(1, 2, 3));
        assert_ne!(draw(1, 2, 3), draw(1, 2, 4));
        assert_ne!(draw(1, 2, 3), draw(1, 3, 3));
        assert_ne!(draw(1, 2, 3), draw(2, 2, 3));
        // Swapping numbers between the places must not give the same stream.
        assert_ne!(draw(1, 2, 3), draw(1, 3, 2));
    }

    #[test]
    fn first_draws_of_neighbouring_streams_are_even() {
        let mut bins = [0u32; 16];
        for i in 0..16_000 {
            bins[(stream(7, Purpose::Birth, 0, i).unit() * 16.0) as usize] += 1;
        }
        let chi2: f64 = bins
            .iter()
            .map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0)
            .sum();
        assert!(
            chi2 < 37.7,
            "chi-square {chi2} of 15 degrees of freedom, p < 0.001"
        );
    }

    #[test]
    fn normals_have_the_moments_of_a_cut_normal() {
        let mut s = stream(3, Purpose::Birth, 0, 0);
        let xs: Vec<f64> = (0..40_000).map(|_| s.normal()).collect();
        let mean = xs.iter().sum::<f64>() / xs.len() as f64;
        let var = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / xs.len() as f64;
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((var - 0.973).abs() < 0.02, "variance {var}");
        assert!(xs.iter().all(|x| x.abs() <= 3.0));
    }
}
