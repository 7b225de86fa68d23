//! The film law: how fast a layer of some height runs, and how heights are read from particles.
//!
//! A layer is thin against its length, so its speed follows from its height and slope alone: the lubrication limit
//! (Huppert 1982 for spreading, the textbook Bingham film for the plug that a yield stress leaves).

use std::f64::consts::PI;

use crate::material::Substance;
use crate::math::{Real, Vec3};

/// Radius over which a particle's volume is spread to make a layer, in particle radii. Less leaves gaps between
/// particles that lie a diameter apart, more blurs edges.
pub const REACH: Real = 3.5;

/// Height [m] that a volume [m3] adds at the squared distance `q2`, in parts of its reach [m]: a kernel with
/// integral 1 over the plane.
pub fn height(volume: Real, reach: Real, q2: Real) -> Real {
    let k = 1.0 - q2;
    volume * (3.0 / (PI * reach * reach)) * k * k
}

/// Slope with which that volume's share falls at the distance `q`. This kernel does not vanish at the centre: with the
/// slope of [`height`] particles that sit close together would never part.
pub fn slope(volume: Real, reach: Real, q: Real) -> Real {
    volume * (12.0 / (PI * reach * reach * reach)) * (1.0 - q)
}

/// What drives a layer along its surface [m/s2]: the part of `acceleration` along the surface, less the pressure that
/// builds up where the layer thickens. Upside down the same pressure is a pull, and a layer gathers into drops.
pub fn drive(acceleration: &Vec3, normal: &Vec3, gradient: &Vec3) -> Vec3 {
    let out = acceleration.dot(normal);
    acceleration - normal * out + gradient * out
}

/// Mean speed [m/s] of a layer of this height [m] under this drive [m/s2]; 0 where its stress stays below the yield
/// stress.
///
/// With tau the stress at the wall and a = tau_y / tau the share of the height that moves as a plug, the mean over the
/// height of a Bingham film is rho f h^2 / (3 mu) (1 - 3/2 a + 1/2 a^3).
pub fn speed(substance: &Substance, height: Real, drive: Real) -> Real {
    let stress = substance.density * drive * height;
    if stress > substance.yield_stress {
        stress * height / (3.0 * substance.viscosity) * yielding(substance, stress)
    } else {
        0.0
    }
}

fn yielding(substance: &Substance, stress: Real) -> Real {
    let a = substance.yield_stress / stress;
    1.0 - 1.5 * a + 0.5 * a * a * a
}

/// Coefficient [m2/s] with which a layer of this height [m] levels out where `pressing` [m/s2] holds it down: the
/// flow rate of a slope s is h v = (rho g h^3 / 3 mu) s.
pub fn spreading(substance: &Substance, height: Real, pressing: Real) -> Real {
    substance.density * pressing.abs() * height * height * height / (3.0 * substance.viscosity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::SLIME;

    fn slime(yield_stress: Real) -> Substance {
        Substance {
            viscosity: 30.0,
            yield_stress,
            density: 1000.0,
            ..SLIME.substance
        }
    }

    #[test]
    fn a_volume_keeps_its_size_when_it_is_spread_as_a_layer() {
        let (volume, reach, n) = (3.0, 0.7, 400);
        let cell = 2.0 * reach / Real::from(n);
        let middle = |i: i32| (Real::from(i) + 0.5) * cell - reach;
        let mut sum = 0.0;
        for i in 0..n {
            for j in 0..n {
                let q2 = (middle(i) * middle(i) + middle(j) * middle(j)) / (reach * reach);
                if q2 < 1.0 {
                    sum += height(volume, reach, q2) * cell * cell;
                }
            }
        }
        assert!((sum / volume - 1.0).abs() < 1e-4, "{sum}");
    }

    #[test]
    fn the_mean_speed_is_that_of_the_profile_summed_over_the_height() {
        // Profile of a Bingham film: it shears below the plug, whose underside lies where the stress is the yield stress.
        let (h, g, tau_y) = (0.02, 7.0, 50.0);
        let s = slime(tau_y);
        let plug = h - tau_y / (s.density * g);
        let n = 200_000;
        let mean = (0..n)
            .map(|i| {
                let z = ((Real::from(i) + 0.5) / Real::from(n) * h).min(plug);
                s.density * g / s.viscosity * (plug * z - 0.5 * z * z)
            })
            .sum::<Real>()
            / Real::from(n);
        assert!((speed(&s, h, g) / mean - 1.0).abs() < 1e-8);
    }

    #[test]
    fn it_stands_below_the_yield_stress_and_not_above() {
        let h = 100.0 / (1000.0 * 9.81);
        assert_eq!(speed(&slime(100.0), h * 0.999, 9.81), 0.0);
        assert!(speed(&slime(100.0), h * 1.001, 9.81) > 0.0);
        assert_eq!(speed(&slime(0.0), 0.0, 9.81), 0.0);
    }

    #[test]
    fn a_layer_falls_towards_thin_places_on_a_floor_and_towards_thick_ones_under_a_ceiling() {
        let g = Vec3::new(0.0, -10.0, 0.0);
        let thicker = Vec3::new(0.5, 0.0, 0.0);
        assert_eq!(drive(&g, &Vec3::y(), &thicker), Vec3::new(-5.0, 0.0, 0.0));
        assert_eq!(drive(&g, &-Vec3::y(), &thicker), Vec3::new(5.0, 0.0, 0.0));
        assert_eq!(drive(&g, &Vec3::x(), &Vec3::zeros()), g);
    }
}
