//! What lands at a slant: it glides along the surface until the layer has taken its speed, and leaves a streak.

use super::sense::Sense;
use super::trail::Trail;
use super::walk::{Feet, walk};
use super::{CREEP, Moved, Stage, Walked};
use crate::material::Substance;
use crate::math::{Real, Vec3};
use crate::state::{Film, Flyer, Status, Tally};

/// The longest glide, in radii: as long as a walk may be.
const FARTHEST: Real = 12.0;

/// Lets a portion that has just landed glide, all in the part of a step in which it landed, for it is fast; false where it
/// does not move.
pub(super) fn glide(
    stage: &Stage<'_>,
    sense: &Sense,
    acceleration: &Vec3,
    moved: &mut Moved,
    feet: &mut Feet,
    tally: &mut Tally,
) -> bool {
    let Moved { p, film, sheds } = moved;
    let material = &stage.world.materials[usize::from(p.material)];
    let along = p.velocity - p.normal * p.velocity.dot(&p.normal);
    let (whole, farthest) = (
        way(&material.substance, p.radius, along.norm()),
        FARTHEST * p.radius,
    );
    if whole <= CREEP * p.radius || !whole.is_finite() {
        return false;
    }
    tally.film_limit += u64::from(whole > farthest);
    let pull = (acceleration - p.normal * acceleration.dot(&p.normal)).norm();
    let trail = Trail::new(material, sense.laid, pull).filter(|_| stage.may_shed);
    let leave = |p: &mut Flyer, way: Real| {
        if let Some(trail) = &trail {
            sheds.extend(trail.leave(p, film, way));
        }
    };
    let walked = walk(stage, p, &along, whole.min(farthest), feet, tally, leave);
    p.velocity = Vec3::zeros();
    if let Walked::Leaves(_) = walked {
        p.status = Status::Airborne;
        p.normal = Vec3::zeros();
        p.velocity = along;
        *film = Film::default();
    }
    true
}

/// The way [m] in which a lump of this radius [m] loses a speed [m/s] along a surface: the drag of a film of its own
/// height takes it at the rate 3 mu / (rho r^2), so it comes v rho r^2 / (3 mu) far.
fn way(substance: &Substance, radius: Real, speed: Real) -> Real {
    speed * substance.density * radius * radius / (3.0 * substance.viscosity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::MUD;

    #[test]
    fn the_way_is_that_of_a_speed_that_decays() {
        let (r, v) = (0.012, 8.0);
        let rate = 3.0 * MUD.substance.viscosity / (MUD.substance.density * r * r);
        let (mut speed, mut come, dt) = (v, 0.0, 1e-4 / rate);
        while speed > 1e-6 * v {
            come += speed * dt;
            speed -= speed * rate * dt;
        }
        assert!((way(&MUD.substance, r, v) / come - 1.0).abs() < 1e-3, "{come}");
    }
}
