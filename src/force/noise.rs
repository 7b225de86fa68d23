//! Gradient noise: smooth, seeded chance in space, the same on every machine.
//!
//! Lattice gradients by an integer hash, Perlin's quintic fade (2002), derivatives in closed form. Only +, -, *, and floor.

use crate::math::{Point3, Real, Vec3};
use crate::rng::{Purpose, stream};

/// Root mean square of [`Noise::value`] over space: with components of the gradients even in -1 .. 1 (variance s2 =
/// 0.33331) and f the fade, sqrt(8 * 3 s2 * (int f^2 t^2) (int f^2)^2) over 0 .. 1.
pub const VALUE_RMS: Real = 0.190_937_810_650_42;
/// Root mean square of the length of [`Noise::curl`] over space, by the same integrals.
pub const CURL_RMS: Real = 1.220_040_706_337_88;

/// A field of noise with a lattice of spacing 1.
#[derive(Debug, Clone, Copy)]
pub struct Noise {
    seed: u64,
}

/// One corner of a lattice cell as seen from a place in it.
struct Corner {
    /// From the corner to the place.
    offset: Vec3,
    weight: Real,
    /// Gradient of the weight.
    slope: Vec3,
    hash: u64,
}

impl Noise {
    /// Field number `number` of a scene's seed.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut draws = stream(seed, Purpose::Air, number, 0);
        Self {
            seed: draws.bits(),
        }
    }

    /// A number about 0, of root mean square [`VALUE_RMS`].
    pub fn value(&self, at: &Point3) -> Real {
        let mut sum = 0.0;
        self.corners(at, |c| sum += c.weight * row(c.hash, 0).dot(&c.offset));
        sum
    }

    /// The curl of three fields, which has no divergence: Bridson, Houriham & Nordenstam 2007, section 2.
    pub fn curl(&self, at: &Point3) -> Vec3 {
        let mut sum = Vec3::zeros();
        self.corners(at, |c| {
            // The potentials at a corner are w (g_m . d); their curl is grad w x (g . d) + w (curl of g . d).
            let g = [row(c.hash, 0), row(c.hash, 21), row(c.hash, 42)];
            let potential = Vec3::new(g[0].dot(&c.offset), g[1].dot(&c.offset), g[2].dot(&c.offset));
            let turn = Vec3::new(g[2].y - g[1].z, g[0].z - g[2].x, g[1].x - g[0].y);
            sum += c.slope.cross(&potential) + turn * c.weight;
        });
        sum
    }

    fn corners(&self, at: &Point3, mut each: impl FnMut(Corner)) {
        let cell = at.coords.map(Real::floor);
        let inside = at.coords - cell;
        let (fade, slope) = (inside.map(fade), inside.map(fade_slope));
        // Beyond 2^63 the cast saturates: such a place is in no picture.
        let index = [cell.x as i64 as u64, cell.y as i64 as u64, cell.z as i64 as u64];
        for corner in 0..8u64 {
            let up = [corner & 1, corner >> 1 & 1, corner >> 2];
            let pick = |axis: usize| {
                if up[axis] == 1 {
                    (fade[axis], slope[axis])
                } else {
                    (1.0 - fade[axis], -slope[axis])
                }
            };
            let [x, y, z] = [pick(0), pick(1), pick(2)];
            each(Corner {
                offset: inside - Vec3::new(up[0] as Real, up[1] as Real, up[2] as Real),
                weight: x.0 * y.0 * z.0,
                slope: Vec3::new(x.1 * y.0 * z.0, x.0 * y.1 * z.0, x.0 * y.0 * z.1),
                hash: self.hash([0, 1, 2].map(|a| index[a].wrapping_add(up[a]))),
            });
        }
    }

    /// Bits of a lattice point: odd multipliers spread the three indices, two rounds of multiply and shift mix them.
    fn hash(&self, index: [u64; 3]) -> u64 {
        let mut h = self.seed
            ^ (index[0].wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .wrapping_add(index[1].wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
                .wrapping_add(index[2].wrapping_mul(0x1656_67b1_9e37_79f9));
        h = (h ^ h >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ h >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        h ^ h >> 31
    }
}

/// Three numbers even in -1 .. 1 from 21 bits of a hash.
fn row(hash: u64, shift: u32) -> Vec3 {
    let part = |at: u32| ((hash >> (shift + at) & 127) as Real - 63.5) * (1.0 / 64.0);
    Vec3::new(part(0), part(7), part(14))
}

fn fade(t: Real) -> Real {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn fade_slope(t: Real) -> Real {
    30.0 * t * t * (t * (t - 2.0) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn anywhere(draws: &mut Stream) -> Point3 {
        Point3::new(
            draws.between(-500.0, 500.0),
            draws.between(-500.0, 500.0),
            draws.between(-500.0, 500.0),
        )
    }

    #[test]
    fn the_curl_has_no_divergence() {
        let noise = Noise::new(3, 0);
        let mut draws = stream(1, Purpose::Birth, 0, 0);
        let h = 1e-4;
        let mut worst: Real = 0.0;
        for _ in 0..2000 {
            let p = anywhere(&mut draws);
            let along = |axis: usize| {
                let mut step = Vec3::zeros();
                step[axis] = h;
                (noise.curl(&(p + step))[axis] - noise.curl(&(p - step))[axis]) / (2.0 * h)
            };
            worst = worst.max((along(0) + along(1) + along(2)).abs());
        }
        // Central differences are wrong by h^2 / 6 times the third derivatives, of order 100.
        assert!(worst < 2e-6, "{worst}");
    }

    #[test]
    fn root_mean_squares_are_those_of_the_integrals_and_no_axis_is_special() {
        let noise = Noise::new(9, 1);
        let mut draws = stream(2, Purpose::Birth, 0, 0);
        let n = 200_000;
        let (mut value, mut curl, mut mean) = (0.0, Vec3::zeros(), Vec3::zeros());
        for _ in 0..n {
            let p = anywhere(&mut draws);
            let u = noise.curl(&p);
            value += noise.value(&p).powi(2);
            curl += u.component_mul(&u);
            mean += u;
        }
        let n = Real::from(n);
        let (value, curl) = ((value / n).sqrt(), (curl / n).map(Real::sqrt));
        assert!((value / VALUE_RMS - 1.0).abs() < 0.01, "{value}");
        assert!((curl.norm() / CURL_RMS - 1.0).abs() < 0.01, "{curl}");
        for axis in 0..3 {
            assert!((curl[axis] * 3f64.sqrt() / CURL_RMS - 1.0).abs() < 0.02, "{curl}");
            assert!(mean[axis].abs() / n < 0.01);
        }
    }

    #[test]
    fn the_field_is_smooth_across_cells_and_pinned() {
        let noise = Noise::new(1, 0);
        for axis in 0..3 {
            let mut p = Point3::new(0.3, 0.6, 0.2);
            p[axis] = 4.0;
            let mut q = p;
            q[axis] = 4.0 - 1e-9;
            assert!((noise.curl(&p) - noise.curl(&q)).norm() < 1e-7);
            assert!((noise.value(&p) - noise.value(&q)).abs() < 1e-7);
        }
        let u = noise.curl(&Point3::new(0.25, -1.5, 7.125));
        let v = Noise::new(1, 1).curl(&Point3::new(0.25, -1.5, 7.125));
        assert_ne!(u, v, "fields of different numbers differ");
        assert!(noise.curl(&Point3::new(1e300, -1e300, 0.5)).iter().all(|x| x.is_finite()));
    }
}
