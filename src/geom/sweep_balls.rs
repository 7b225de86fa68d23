//! First touch of a sphere that moves along a straight line with a sphere that stands still.

use crate::bvh::{Four, ahead, dot};
use crate::math::{Real, Vec3};

/// How near counts as touching, in parts of the distance at which the two touch.
pub const TOUCH: Real = 1e-7;
/// A motion along a touching sphere is not stopped by it: the largest cosine towards it that counts as along. The depth
/// that this can add is the square of it, far below rounding.
const ALONG: Real = 1e-9;

/// A sphere whose centre stays farther than the root of this many reaches beside a line is not met, whatever rounding does.
const BESIDE: Real = 1.0 + 1e-6;
/// The same for the rounding of that distance, as a share of the squared distance from the start.
const ROUNDING: Real = 1e-12;

/// Whether and at which share of the path `d` [m] a sphere is stopped by another. `m` is its centre less the other's
/// at the start, `reach` the sum of the radii, > 0. One that touches is stopped at once if it approaches, and never
/// otherwise: the distance along a line is convex.
///
/// The closest approach comes first: the schoolbook discriminant loses all digits on long paths.
#[inline]
pub fn sweep_balls(m: &Vec3, d: &Vec3, reach: Real) -> Option<Real> {
    let approach = m.dot(d);
    if approach >= 0.0 {
        return None;
    }
    let (mm, dd) = (m.norm_squared(), d.norm_squared());
    let zone = reach * (1.0 + TOUCH);
    if mm <= zone * zone && approach * approach <= ALONG * ALONG * mm * dd {
        return None;
    }
    let nearest = -approach / dd;
    let square = reach * reach - (m + d * nearest).norm_squared();
    if square < 0.0 {
        return None;
    }
    let t = nearest - (square / dd).sqrt();
    (t <= 1.0).then_some(if t > 0.0 { t } else { 0.0 })
}

/// [`sweep_balls`] for four spheres that approach, operation by operation, so bit for bit: the share of the path at which
/// each is stopped, infinite if it is not. `m.m`, `m.d` and `d.d` are known.
#[inline(always)]
pub fn sweep_four_balls<F: Four>(m: [F; 3], d: [F; 3], reach: F, [mm, approach, dd]: [F; 3]) -> F {
    let zone = reach.mul(F::splat(1.0 + TOUCH));
    let along = approach.mul(approach).le(F::splat(ALONG * ALONG).mul(mm).mul(dd));
    let nearest = approach.neg().div(dd);
    let closest = ahead(m, d, nearest);
    let square = reach.mul(reach).sub(dot(closest, closest));
    let t = nearest.sub(square.div(dd).sqrt());
    let meets = F::splat(0.0).le(square).and(t.le(F::splat(1.0)));
    let meets = meets.without(mm.le(zone.mul(zone)).and(along));
    meets.select(t.max(F::splat(0.0)), F::splat(Real::INFINITY))
}

/// Whether a sphere passes another for certain, however [`sweep_balls`] rounds: a look at less than that costs. `approach`
/// is m.d and `inverse` 1 / d.d of what it is given.
#[inline]
pub fn passes(m: &Vec3, approach: Real, inverse: Real, reach: Real) -> bool {
    let mm = m.norm_squared();
    mm - approach * approach * inverse > BESIDE * reach * reach + ROUNDING * mm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_never_met() {
        let (mut passed, mut met) = (0, 0);
        let mut x = 0.3;
        let mut draw = || {
            x = 3.9 * x * (1.0 - x);
            2.0 * x - 1.0
        };
        for n in 0..20_000 {
            let far = [1.5, 3.0, 1e3, 1e7][n % 4];
            let m = Vec3::new(draw(), draw(), draw()) * far;
            // Aimed to pass at about one reach.
            let aim = Vec3::new(draw(), draw(), draw()).normalize() * (1.3 + draw());
            let d = (aim - m) * [0.5, 2.0][n % 2];
            let passes = passes(&m, m.dot(&d), 1.0 / d.norm_squared(), 1.0);
            let meets = sweep_balls(&m, &d, 1.0).is_some();
            assert!(!(passes && meets), "{m} {d}");
            passed += i32::from(passes);
            met += i32::from(meets);
        }
        assert!(passed > 1000 && met > 1000, "{passed} {met}");
    }

    #[test]
    fn a_ball_stops_where_the_radii_add_up() {
        let m = Vec3::new(-10.0, 0.6, 0.0);
        let t = sweep_balls(&m, &Vec3::new(20.0, 0.0, 0.0), 1.0).unwrap();
        assert!((t * 20.0 - 9.2).abs() < 1e-14);
        assert_eq!(sweep_balls(&m, &Vec3::new(9.1, 0.0, 0.0), 1.0), None);
        assert_eq!(sweep_balls(&m, &Vec3::new(-1.0, 0.0, 0.0), 1.0), None);
    }

    #[test]
    fn one_that_touches_is_stopped_only_when_it_approaches() {
        let m = Vec3::new(0.0, 1.0, 0.0);
        assert_eq!(sweep_balls(&m, &Vec3::new(0.3, -1e-12, 0.0), 1.0), None);
        assert_eq!(sweep_balls(&m, &Vec3::new(0.3, 0.2, 0.0), 1.0), None);
        assert!(sweep_balls(&m, &Vec3::new(0.3, -0.1, 0.0), 1.0).is_some_and(|t| t < 1e-15));
    }

    #[test]
    fn a_long_path_loses_no_digits() {
        let m = Vec3::new(-1e6, 0.6, 0.0);
        let t = sweep_balls(&m, &Vec3::new(2e6, 0.0, 0.0), 1.0).unwrap();
        assert!((t * 2e6 - (1e6 - 0.8)).abs() < 1e-9);
    }
}
