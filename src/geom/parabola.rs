//! When something is where on a straight way along which its speed changes evenly.

use crate::math::{Real, Vec3};

/// When [s after its start] a way has been covered up to this share of its length, 0 .. 1.
///
/// `along` is the whole way [m], `start` and `end` are the velocities at its ends [m/s], `duration` is the time it takes
/// [s]. Along it s(t) = a t + b t^2 / 2 with s(duration) = 1, a and a + b duration the speeds at its ends as shares of its
/// length. Of two such moments it is the one at which the motion goes forward.
pub fn time_along(along: &Vec3, start: &Vec3, end: &Vec3, duration: Real, fraction: Real) -> Real {
    let length2 = along.norm_squared();
    // The rest of a step that was cut into pieces may be a rounding below 0.
    if length2 == 0.0 || duration <= 0.0 {
        return duration.max(0.0);
    }
    let a = start.dot(along) / length2;
    let b = (end - start).dot(along) / (length2 * duration);
    let root = (a * a + 2.0 * b * fraction).max(0.0).sqrt();
    let t = if a + root > 0.0 && (a >= 0.0 || b == 0.0) {
        2.0 * fraction / (a + root)
    } else {
        (root - a) / b
    };
    if t.is_finite() {
        t.clamp(0.0, duration)
    } else {
        duration * fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_left_of_a_way_that_is_over() {
        let x = Vec3::new(1.0, 0.0, 0.0);
        assert_eq!(time_along(&(x * -1e-16), &x, &x, -1e-16, 0.5), 0.0);
    }

    #[test]
    fn time_along_a_way_solves_its_parabola() {
        let x = |v| Vec3::new(v, 0.0, 0.0);
        for (v0, v1) in [(0.0, 3.0), (2.0, 2.0), (4.0, 0.0), (4.0, -1.0), (-1.0, 4.0)] {
            let along = x(0.5 * (v0 + v1) * 0.5);
            for fraction in [0.0, 1e-12, 0.3, 0.9, 1.0] {
                let t = time_along(&along, &x(v0), &x(v1), 0.5, fraction);
                let s: Real = v0 * t + (v1 - v0) * t * t;
                assert!(
                    (s - along.x * fraction).abs() < 1e-12,
                    "{v0} {v1} {fraction}: {t}"
                );
                let speed: Real = v0 + (v1 - v0) * t / 0.5;
                assert!(speed >= -1e-9, "moving backwards at {t}");
            }
        }
    }
}
