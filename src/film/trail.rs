//! What a flow leaves behind: small particles that lie still, where the layer laid before is thinner than it could be.

use super::{Shed, give_up};
use crate::material::Material;
use crate::math::Real;
use crate::state::{Film, Flyer};

/// Width of the stripe that a particle leaves, in its radii.
const WIDTH: Real = 0.6;
/// Distance of two pieces, in their own radii: farther apart they show as beads.
const SPACING: Real = 2.4;
/// The largest share of a particle's volume that one piece takes.
const SHARE: Real = 0.15;
/// Particles smaller than this share of their material's radius leave nothing more.
const SPENT: Real = 0.4;

/// The trail that one particle leaves in one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trail {
    /// Thickness of what stays [m].
    thickness: Real,
    /// The least radius of a particle that leaves one [m].
    least: Real,
}

impl Trail {
    /// The trail where a layer of thickness `laid` [m] lies already and gravity pulls by `along` [m/s2] along the
    /// surface; `None`: nothing is left here.
    ///
    /// What stays is no thicker than the yield stress holds; without a yield stress it is `film`, which stands for
    /// what clings.
    pub fn new(material: &Material, laid: Real, along: Real) -> Option<Self> {
        let s = &material.substance;
        let weight = s.density * along;
        let held = if s.yield_stress > 0.0 && weight > 0.0 {
            s.yield_stress / weight
        } else {
            Real::INFINITY
        };
        let thickness = s.film.min(held);
        (laid < thickness).then_some(Self {
            thickness,
            least: SPENT * material.radius.typical(),
        })
    }

    /// Leaves a piece when the way since the last one is long enough. Both touch the surface where the particle did, and
    /// within its ball: nothing else can be in the way.
    pub fn leave(&self, p: &mut Flyer, film: &mut Film, way: Real) -> Option<Shed> {
        film.walked += way;
        if p.radius < self.least {
            return None;
        }
        // A ball that holds a stripe of its own spacing: 4/3 pi r^3 = width SPACING r thickness.
        let stripe = WIDTH * p.radius * SPACING * self.thickness;
        let radius = (stripe * (0.75 / std::f64::consts::PI)).sqrt();
        let radius = radius.min(libm::cbrt(SHARE) * p.radius);
        if film.walked < SPACING * radius {
            return None;
        }
        film.walked = 0.0;
        let foot = p.position - p.normal * p.radius;
        give_up(p, radius);
        p.position = foot + p.normal * p.radius;
        Some(Shed {
            position: foot + p.normal * radius,
            radius,
            normal: p.normal,
            triangle: p.triangle,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{RadiusLaw, SLIME};
    use crate::math::{Point3, Vec3, ball_volume};

    fn slime() -> Material {
        Material {
            name: "s".into(),
            radius: RadiusLaw::Constant(0.01),
            contact: SLIME.contact,
            substance: crate::material::Substance {
                density: 1000.0,
                yield_stress: 20.0,
                film: 0.004,
                ..SLIME.substance
            },
            look: SLIME.look,
        }
    }

    #[test]
    fn a_trail_is_no_thicker_than_its_yield_stress_holds_and_only_where_it_is_thinner() {
        let m = slime();
        let held = 20.0 / (1000.0 * 9.81);
        assert_eq!(Trail::new(&m, 0.0, 9.81).map(|t| t.thickness), Some(held));
        assert_eq!(Trail::new(&m, 0.0, 1.0).map(|t| t.thickness), Some(0.004));
        assert!(Trail::new(&m, held * 1.001, 9.81).is_none());
    }

    #[test]
    fn pieces_keep_the_volume_and_stay_within_the_ball_that_left_them() {
        let trail = Trail::new(&slime(), 0.0, 9.81).expect("bare ground");
        let mut p = Flyer {
            position: Point3::new(0.0, 0.01, 0.0),
            velocity: Vec3::zeros(),
            radius: 0.01,
            material: 0,
            status: crate::state::Status::Flowing,
            normal: Vec3::y(),
            triangle: 0,
            born: 0.0,
            key: 0,
        };
        let (mut film, mut volume, mut pieces) = (Film::default(), 0.0, 0);
        for _ in 0..1000 {
            let before = p;
            if let Some(shed) = trail.leave(&mut p, &mut film, 0.0025) {
                volume += ball_volume(shed.radius);
                pieces += 1;
                assert!((shed.position - before.position).norm() + shed.radius <= before.radius * (1.0 + 1e-9));
                assert!((p.position - before.position).norm() + p.radius <= before.radius * (1.0 + 1e-9));
                assert!((shed.position.y - shed.radius).abs() < 1e-5 * before.radius);
            }
        }
        assert!(pieces > 20, "{pieces}");
        assert!(((volume + ball_volume(p.radius)) / ball_volume(0.01) - 1.0).abs() < 1e-13);
        assert!(p.radius < SPENT * 0.01 && p.radius > 0.3 * 0.01);
    }
}
