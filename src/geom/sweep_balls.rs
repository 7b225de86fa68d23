//! First touch of a sphere that moves along a straight line with a sphere that stands still.

use crate::math::{Real, Vec3};

/// How near counts as touching, in parts of the distance at which the two touch.
pub const TOUCH: Real = 1e-7;
/// A motion along a touching sphere is not stopped by it: the largest cosine towards it that counts as along. The depth
/// that this can add is the square of it, far below rounding.
const ALONG: Real = 1e-9;

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

#[cfg(test)]
mod tests {
    use super::*;

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
