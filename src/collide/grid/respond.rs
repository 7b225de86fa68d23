//! What a field makes of a velocity (Ilmonen, Takala & Laitinen 2006, sections 3.3 to 3.6).
//!
//! All take the velocity relative to the object and the unit normal there; none moves a particle.

use crate::math::{Real, Vec3};
use crate::scene::SurfaceFlow;

/// Shorter tangential parts, as shares of the speed, have no direction to turn to.
const STRAIGHT: Real = 1e-6;
/// How deep a spring is pressed at the most, in thicknesses: also behind the surface it stays finite.
const DEEPEST: Real = 2.0;

/// The spring of section 3.3 for `dt` [s]: k (T - l) outward. Added to the velocity before the particle moves by it
/// (symplectic Euler), so that the speed which comes in goes out again.
pub fn spring(velocity: &Vec3, normal: &Vec3, k: Real, thickness: Real, distance: Real, dt: Real) -> Vec3 {
    let pressed = (thickness - distance).clamp(0.0, DEEPEST * thickness);
    velocity + normal * (k * pressed * dt)
}

/// The drag of section 3.5 for `dt` [s], exactly: speed falls by e in 1 / `delta`.
pub fn drag(velocity: &Vec3, delta: Real, dt: Real) -> Vec3 {
    velocity * libm::exp(-delta * dt)
}

/// The surface flow of section 3.6 for `dt` [s].
///
/// The force of the paper is perpendicular to the velocity, so it turns it: by rho dt / |V|. Turning keeps the speed;
/// adding the force for a finite step would not. (V x N) x V is the part of +N that is perpendicular to V. Incoming
/// particles are turned along it; for outgoing ones the paper's listing has the same sign, which would throw off what its
/// Figure 5 and the captions of Figure 7 say is held, so here they are turned against it. A turn towards the tangent
/// ends there; beyond, the next step would turn back.
pub fn flow(velocity: &Vec3, normal: &Vec3, how: &SurfaceFlow, dt: Real) -> Vec3 {
    let speed = velocity.norm();
    let out = velocity.dot(normal);
    let along = velocity - normal * out;
    let tangential = along.norm();
    if tangential <= STRAIGHT * speed {
        return *velocity;
    }
    // Outward is positive from here on.
    let rho = if out < 0.0 { how.rho_in } else { -how.rho_out };
    let angle = rho * dt / speed;
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = angle.clamp(-quarter, quarter);
    let (sin, cos) = (libm::sin(turn), libm::cos(turn));
    let mut turned = [tangential * cos - out * sin, out * cos + tangential * sin];
    let reached_tangent = turned[1] * out <= 0.0;
    if turned[0] < 0.0 {
        // Past straight out, or straight in.
        turned = [0.0, speed * angle.signum()];
    } else if reached_tangent && towards_tangent(out, rho) {
        turned = [speed, 0.0];
    }
    along * (turned[0] / tangential) + normal * turned[1]
}

fn towards_tangent(out: Real, rho: Real) -> bool {
    if out < 0.0 { rho > 0.0 } else { rho < 0.0 }
}

/// The impact of section 3.4 on a particle that comes in: W = V - (1 + beta) (V.N) N.
pub fn impact(velocity: &Vec3, normal: &Vec3, beta: Real) -> Vec3 {
    let out = velocity.dot(normal);
    if out < 0.0 {
        velocity - normal * ((1.0 + beta) * out)
    } else {
        *velocity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how(rho_in: Real, rho_out: Real) -> SurfaceFlow {
        SurfaceFlow {
            rho_in,
            rho_out,
            distance: None,
        }
    }

    #[test]
    fn flow_keeps_the_speed_and_ends_at_the_tangent() {
        for i in 0..500_u32 {
            let f = Real::from(i);
            let v = Vec3::new(libm::sin(f), libm::cos(3.0 * f), libm::sin(2.0 * f + 1.0)) * 3.0;
            for rho in [-30.0, -3.0, 0.0, 3.0, 30.0, 3000.0] {
                for dt in [0.001, 0.1] {
                    let w = flow(&v, &Vec3::y(), &how(rho, rho), dt);
                    assert!((w.norm() / v.norm() - 1.0).abs() < 1e-12, "{v:?} {rho}: {w:?}");
                    if rho >= 0.0 {
                        assert!(
                            w.y * v.y >= 0.0 && w.y.abs() <= v.y.abs() + 1e-12,
                            "{v:?} {rho}: {w:?}"
                        );
                    } else {
                        assert!(
                            w.y * v.y >= 0.0 && w.y.abs() >= v.y.abs() - 1e-12,
                            "{v:?} {rho}: {w:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn flow_turns_by_the_angle_that_the_force_would() {
        let v = Vec3::new(2.0, -0.5, 0.0);
        let w = flow(&v, &Vec3::y(), &how(4.0, 0.0), 0.01);
        let before = libm::atan2(v.y, v.x);
        let turned = libm::atan2(w.y, w.x) - before;
        assert!((turned - 4.0 * 0.01 / v.norm()).abs() < 1e-12, "{turned}");
        // Outgoing ones are turned inward by a positive strength: the mended sign.
        let w = flow(&Vec3::new(2.0, 0.5, 0.0), &Vec3::y(), &how(0.0, 4.0), 0.01);
        assert!(w.y < 0.5 && w.y > 0.4, "{w:?}");
    }

    #[test]
    fn what_flies_straight_in_has_nowhere_to_turn() {
        let v = Vec3::new(0.0, -3.0, 0.0);
        assert_eq!(flow(&v, &Vec3::y(), &how(100.0, 1.0), 0.1), v);
        assert_eq!(
            flow(&Vec3::zeros(), &Vec3::y(), &how(100.0, 1.0), 0.1),
            Vec3::zeros()
        );
    }

    #[test]
    fn impacts_keep_their_share_and_leave_alone_what_leaves() {
        let v = Vec3::new(1.0, -2.0, 0.5);
        assert_eq!(impact(&v, &Vec3::y(), 0.7), Vec3::new(1.0, 1.4, 0.5));
        assert_eq!(impact(&v, &Vec3::y(), 0.0), Vec3::new(1.0, 0.0, 0.5));
        assert_eq!(impact(&-v, &Vec3::y(), 0.7), -v);
    }

    #[test]
    fn a_spring_gives_the_speed_back() {
        // Depth v / sqrt k: 2 / 20 = 0.1 of 0.3.
        let (k, thickness, dt) = (400.0, 0.3, 0.005);
        let (mut y, mut v) = (0.31, Vec3::new(0.0, -2.0, 0.0));
        let mut deepest = y;
        for _ in 0..200 {
            if y < thickness {
                v = spring(&v, &Vec3::y(), k, thickness, y, dt);
            }
            y += v.y * dt;
            deepest = deepest.min(y);
        }
        assert!(
            (deepest - 0.2).abs() < 0.01 && (v.y - 2.0).abs() < 0.02,
            "{deepest} {v:?}"
        );
    }

    #[test]
    fn drag_does_not_depend_on_the_step() {
        let v = Vec3::new(1.0, 2.0, 3.0);
        let once = drag(&v, 2.0, 0.5);
        let twice = drag(&drag(&v, 2.0, 0.25), 2.0, 0.25);
        assert!((once - twice).norm() < 1e-15 && (once.norm() / v.norm() - libm::exp(-1.0)).abs() < 1e-15);
    }
}
