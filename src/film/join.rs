//! Drops on threads that touch each other become one drop: side by side, or one that catches up with another.
//!
//! Volume and momentum are those of both. One after the other in the order of rows, so nothing depends on threads.

use super::{Near, Tally};
use crate::collide::{Collider, Sweep};
use crate::math::{Point3, Real, ball_radius, ball_volume};
use crate::state::{Film, Flyer, Particles, Status};
use crate::world::{Scenery, World};

/// The largest drop that two become, in the material's radius: a larger one would weigh on its thread more than it holds, and
/// land as a ball.
const LARGEST: Real = 2.0;

/// Whether two of these radii [m] may become one where the material's radius is `typical` [m].
pub(super) fn may_be_one(a: Real, b: Real, typical: Real) -> bool {
    ball_volume(a) + ball_volume(b) <= ball_volume(LARGEST * typical)
}

/// Lets all drops on threads that touch become one; of two the one in the lower row stays, and the other one ends.
pub(super) fn join(world: &World, scenery: &Scenery, particles: &mut Particles, tally: &mut Tally) {
    let mut near = Vec::new();
    for (older, younger) in touching(particles) {
        let (a, b) = (particles.flyer(older), particles.flyer(younger));
        if !hangs(particles, older) || !hangs(particles, younger) || !touch(&a, &b) {
            continue;
        }
        let Some(one) = united(world, scenery, &a, &b, &mut near) else {
            continue;
        };
        let (share, film) = (share(&a, &b), [particles.film[older], particles.film[younger]]);
        particles.set_flyer(older, &one);
        particles.film[older] = Film {
            strand: film[0].strand + (film[1].strand - film[0].strand) * share,
            ..film[0]
        };
        particles.status[younger] = Status::Died;
        tally.died += 1;
        tally.joined += 1;
    }
}

fn hangs(particles: &Particles, row: usize) -> bool {
    particles.status[row] == Status::Flowing && particles.film[row].strand > 0.0
}

/// Pairs of rows whose balls touch, the lower row first, in order.
fn touching(particles: &Particles) -> Vec<(usize, usize)> {
    let rows = 0..particles.film.len().min(particles.len());
    let mut hanging: Vec<usize> = rows.filter(|&row| hangs(particles, row)).collect();
    let x = |row: usize| particles.position[row].x;
    hanging.sort_unstable_by(|&a, &b| x(a).total_cmp(&x(b)).then(a.cmp(&b)));
    let widest = hanging
        .iter()
        .map(|&row| particles.radius[row])
        .fold(0.0, Real::max);
    let mut pairs = Vec::new();
    for (i, &a) in hanging.iter().enumerate() {
        let far = x(a) + particles.radius[a] + widest;
        for &b in hanging[i + 1..].iter().take_while(|&&b| x(b) <= far) {
            if touch(&particles.flyer(a), &particles.flyer(b)) {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn touch(a: &Flyer, b: &Flyer) -> bool {
    let reach = a.radius + b.radius;
    a.material == b.material && (a.position - b.position).norm_squared() < reach * reach
}

/// The share of both volumes that the second one has.
fn share(a: &Flyer, b: &Flyer) -> Real {
    let (a, b) = (ball_volume(a.radius), ball_volume(b.radius));
    b / (a + b)
}

/// Both as one where the scenery leaves room for it: about their common centre, else below the top of the first.
fn united(world: &World, scenery: &Scenery, a: &Flyer, b: &Flyer, near: &mut Vec<Near>) -> Option<Flyer> {
    let material = world.materials.get(usize::from(a.material))?;
    if !may_be_one(a.radius, b.radius, material.radius.typical()) {
        return None;
    }
    let share = share(a, b);
    let radius = ball_radius(ball_volume(a.radius) + ball_volume(b.radius));
    let lowered = a.normal * (radius - a.radius);
    let sweep = Sweep {
        from: a.position,
        along: lowered,
        radius: a.radius,
        span: [0.0, 0.0],
    };
    // Two balls that are free and touch hold the segment between their centres, so nothing stands in between.
    let middle = a.position + (b.position - a.position) * share;
    let position = if is_free(scenery, &middle, radius, near) {
        middle
    } else if scenery.first_touch(&sweep).is_none() && is_free(scenery, &(a.position + lowered), radius, near)
    {
        a.position + lowered
    } else {
        return None;
    };
    Some(both(a, b, position))
}

/// The volume and momentum of both, at a place.
fn both(a: &Flyer, b: &Flyer, position: Point3) -> Flyer {
    Flyer {
        position,
        radius: ball_radius(ball_volume(a.radius) + ball_volume(b.radius)),
        velocity: a.velocity + (b.velocity - a.velocity) * share(a, b),
        ..*a
    }
}

fn is_free(scenery: &Scenery, at: &Point3, radius: Real, near: &mut Vec<Near>) -> bool {
    scenery.near(at, radius, near);
    near.iter().all(|n| n.distance >= radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::state::NO_TRIANGLE;

    fn drop(x: Real, radius: Real, velocity: Vec3) -> Flyer {
        Flyer {
            position: Point3::new(x, 0.0, 0.0),
            velocity,
            radius,
            material: 0,
            status: Status::Flowing,
            normal: -Vec3::y(),
            triangle: NO_TRIANGLE,
            born: 0.0,
            key: 0,
        }
    }

    #[test]
    fn two_drops_keep_volume_and_momentum_as_one() {
        let (a, b) = (
            drop(0.0, 0.011, Vec3::new(0.1, -0.4, 0.0)),
            drop(0.0, 0.017, Vec3::new(0.0, -1.3, 0.2)),
        );
        let one = both(&a, &b, a.position);
        let volume = |p: &Flyer| ball_volume(p.radius);
        let momentum = |p: &Flyer| p.velocity * volume(p);
        assert!((volume(&one) / (volume(&a) + volume(&b)) - 1.0).abs() < 1e-14);
        assert!((momentum(&one) - momentum(&a) - momentum(&b)).norm() < 1e-14 * momentum(&b).norm());
    }

    #[test]
    fn only_drops_on_threads_that_touch_are_pairs() {
        let mut particles = Particles::default();
        let places = [0.05, 0.0, 0.019, 0.5, 0.515, 0.031];
        for (row, x) in places.into_iter().enumerate() {
            let p = drop(x, 0.01, Vec3::zeros());
            particles.push(
                row as u64,
                &crate::state::Birth {
                    position: p.position,
                    velocity: p.velocity,
                    radius: p.radius,
                    material: 0,
                    time: 0.0,
                    key: 0,
                },
            );
            particles.set_flyer(row, &p);
            // The fourth one lies on a surface.
            let strand = if row == 3 { 0.0 } else { 0.02 };
            particles.film.push(Film {
                strand,
                ..Film::default()
            });
        }
        assert_eq!(touching(&particles), [(0, 5), (1, 2), (2, 5)]);
    }
}
