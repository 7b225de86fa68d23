//! A drop on its thread: it sinks against the thread's resistance and leaves beads, until the thread breaks.
//!
//! A thread that is drawn out resists with its Trouton ratio times the viscosity, ratio mu A v / L for a section A and a
//! length L (Trouton 1906: 3 for simple liquids; more for those whose long molecules stretch).

use super::neighbours::{Kind, Neighbours};
use super::walk::stays_mobile;
use super::{MOST_SHED, Moved, Shed, Stage, give_up};
use crate::collide::{Collider, Sweep};
use crate::material::Material;
use crate::math::{Real, Vec3, ball_radius, ball_volume};
use crate::state::{Film, Flyer, NO_TRIANGLE, Status, Tally};

/// Radius of a thread far from its root, in the drop's.
const THREAD: Real = 0.2;
/// What it is wider at its root, where the layer draws out into it.
const ROOT: Real = 0.3;
/// Distance of two beads, in the radius of the lower one: so close they show as one thread.
const SPACING: Real = 0.9;
/// A bead nearer than this, in the mean of the radii, stands for a new one. Less than [`SPACING`], or a thread would stand
/// in its own way.
const CROWDED: Real = 0.7;
/// Radius of the bead into which the end of a broken thread draws back, in the drop's.
const END: Real = 0.45;
/// Beads smaller than this, in the material's radius, break the thread.
const THINNEST: Real = 0.08;
/// Threads longer than this, in the material's radius, break.
const LONGEST: Real = 24.0;
/// A thread shorter than this when it could be longest, in radii of the drop, is none.
const SHORTEST: Real = 1.5;

/// Begins a thread: the drop still touches what it hangs from.
pub(super) fn begin(p: &mut Flyer, film: &mut Film, down: &Vec3, longest: Real) {
    p.velocity = Vec3::zeros();
    if longest < SHORTEST * p.radius {
        release(p, film);
        return;
    }
    p.normal = *down;
    p.triangle = NO_TRIANGLE;
    film.strand = p.radius;
    film.walked = 0.0;
}

/// The length [m] at which a drop's thread breaks: where its resistance no longer slows the fall.
///
/// Resistance balances the weight m g at v = m g L / (ratio mu A); a free fall over L reaches sqrt(2 g L). They are equal
/// at L = 2 g (ratio mu A / m g)^2, with A = pi r^2 the neck from which the thread is drawn.
pub(super) fn longest(material: &Material, radius: Real, gravity: Real) -> Real {
    let weight = material.substance.density * ball_volume(radius) * gravity;
    let pull = drawing(material) * std::f64::consts::PI * radius * radius / weight;
    (2.0 * gravity * pull * pull).min(LONGEST * material.radius.typical())
}

/// Viscosity of what is drawn out [Pa s].
fn drawing(material: &Material) -> Real {
    material.substance.trouton_ratio * material.substance.viscosity
}

/// Lets go of everything: it flies.
fn release(p: &mut Flyer, film: &mut Film) {
    p.status = Status::Airborne;
    p.normal = Vec3::zeros();
    p.triangle = NO_TRIANGLE;
    *film = Film::default();
}

/// Moves a drop on its thread through a part of a step; its beads are shed.
pub(super) fn hang(stage: &Stage<'_>, moved: &mut Moved, acceleration: &Vec3, tally: &mut Tally) {
    let Stage { world, dt, .. } = *stage;
    let Moved { p, film, sheds } = moved;
    let gravity = acceleration.norm();
    let down = p.normal;
    let material = &world.materials[usize::from(p.material)];
    let speed = sinking_speed(material, p, film, gravity, dt);
    p.velocity = down * speed;
    let mut left = speed * dt;
    while left > 0.0 && p.status == Status::Flowing && film.strand > 0.0 {
        let bead = bead(p, film);
        let piece = left.min((SPACING * bead - film.walked).max(0.01 * p.radius));
        left -= piece;
        film.walked += piece;
        film.strand += piece;
        let aside = to_thread(stage.neighbours, p);
        let leg = down * piece + aside * (piece / aside.norm().max(piece));
        if sink(stage, p, film, &leg, tally) {
            return;
        }
        let leaves = stage.may_shed && (sheds.len() as u64) < MOST_SHED;
        if film.strand > longest(material, p.radius, gravity) || bead < THINNEST * material.radius.typical() {
            let end = END * p.radius;
            if leaves && !crowded(stage.neighbours, p, end) {
                sheds.push(leave(p, &down, end));
            }
            release(p, film);
        } else if film.walked >= SPACING * bead * (1.0 - 1e-9) {
            film.walked = 0.0;
            if leaves && aside.norm() < CROWDED * bead && !crowded(stage.neighbours, p, bead) {
                sheds.push(leave(p, &down, bead));
            }
        }
    }
}

/// Radius of the bead that a drop would leave [m].
fn bead(p: &Flyer, film: &Film) -> Real {
    let out = (film.strand / p.radius - 1.0).max(0.0);
    p.radius * (THREAD + ROOT / (1.0 + out * out))
}

/// Weight against the thread's resistance, backward Euler: however stiff the thread, the drop never rises.
fn sinking_speed(material: &Material, p: &Flyer, film: &Film, gravity: Real, dt: Real) -> Real {
    let mass = material.substance.density * ball_volume(p.radius);
    let section = std::f64::consts::PI * (THREAD * p.radius) * (THREAD * p.radius);
    let resistance = drawing(material) * section / (film.strand * mass);
    (p.velocity.norm() + gravity * dt) / (1.0 + resistance * dt)
}

/// The way aside to the nearest thread that the drop touches, for it runs down there; zero on its own thread.
fn to_thread(neighbours: &Neighbours, p: &Flyer) -> Vec3 {
    let mut nearest = (Real::INFINITY, Vec3::zeros());
    neighbours.around(&p.position, |other| {
        let to = other.at - p.position;
        let along = to.dot(&p.normal);
        if other.kind != Kind::Thread || along.abs() >= p.radius {
            return;
        }
        let aside = to - p.normal * along;
        let distance = aside.norm();
        if distance < nearest.0 && distance < p.radius + ball_radius(other.volume) {
            nearest = (distance, aside);
        }
    });
    nearest.1
}

/// Sinks along a leg; true when it has landed: there it is a layer again.
fn sink(stage: &Stage<'_>, p: &mut Flyer, film: &mut Film, leg: &Vec3, tally: &mut Tally) -> bool {
    let from = p.position;
    let sweep = Sweep {
        from,
        along: *leg,
        radius: p.radius,
        span: [0.0, 0.0],
    };
    let hit = stage.scenery.first_touch(&sweep);
    p.position += leg * hit.map_or(1.0, |h| h.fraction);
    if stage.world.audit && stage.scenery.crosses(&from, &p.position) {
        tally.escapes += 1;
    }
    let Some(hit) = hit else { return false };
    tally.contacts += 1;
    p.normal = hit.normal;
    p.triangle = hit.triangle;
    p.velocity = Vec3::zeros();
    *film = Film::default();
    stays_mobile(stage.world, p, hit.triangle);
    true
}

/// A bead at the upper end of the drop, within its ball.
fn leave(p: &mut Flyer, down: &Vec3, bead: Real) -> Shed {
    let position = p.position - down * (p.radius - bead);
    give_up(p, bead);
    Shed {
        position,
        radius: bead,
        normal: *down,
        triangle: NO_TRIANGLE,
    }
}

/// Whether a thread hangs here already.
fn crowded(neighbours: &Neighbours, p: &Flyer, bead: Real) -> bool {
    let place = p.position - p.normal * (p.radius - bead);
    let mut crowded = false;
    neighbours.around(&place, |other| {
        let mean = 0.5 * (ball_radius(other.volume) + bead);
        crowded |=
            matches!(other.kind, Kind::Thread | Kind::Laid) && (other.at - place).norm() < CROWDED * mean;
    });
    crowded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::film::neighbours::Member;
    use crate::math::Point3;

    fn drop(radius: Real) -> Flyer {
        Flyer {
            position: Point3::origin(),
            velocity: Vec3::zeros(),
            radius,
            material: 0,
            status: Status::Flowing,
            normal: -Vec3::y(),
            triangle: NO_TRIANGLE,
            born: 0.0,
            key: 0,
        }
    }

    fn thread(places: &[(Real, Real)], radius: Real) -> Neighbours {
        let member = |(i, &(x, y)): (usize, &(Real, Real))| Member {
            at: Point3::new(x, y, 0.0),
            normal: -Vec3::y(),
            volume: ball_volume(radius),
            reach: 0.035,
            row: i as u32,
            kind: Kind::Thread,
        };
        let members: Vec<Member> = places.iter().enumerate().map(member).collect();
        let mut neighbours = Neighbours::default();
        neighbours.fill(&members, 0.035);
        neighbours
    }

    #[test]
    fn a_thread_is_widest_at_its_root_and_no_bead_stands_in_the_way_of_the_next() {
        let p = drop(0.01);
        let at = |strand: Real| {
            let film = Film {
                strand,
                ..Film::default()
            };
            bead(&p, &film)
        };
        assert!((at(0.01) / 0.01 - THREAD - ROOT).abs() < 1e-12);
        assert!((at(1.0) / 0.01 - THREAD).abs() < 1e-3);
        assert!((0..200).all(|i| at(0.01 + 0.001 * Real::from(i + 1)) < at(0.01 + 0.001 * Real::from(i))));
        let bead = at(1.0);
        let above = 0.01 - bead + SPACING * bead;
        assert!(!crowded(&thread(&[(0.0, above)], bead), &p, bead));
        assert!(crowded(&thread(&[(0.0, 0.01 - bead)], bead), &p, bead));
    }

    #[test]
    fn a_drop_goes_to_the_nearest_thread_that_it_touches() {
        let p = drop(0.01);
        let aside = to_thread(
            &thread(&[(0.009, 0.004), (-0.006, 0.001), (0.001, 0.02)], 0.002),
            &p,
        );
        assert!((aside - Vec3::new(-0.006, 0.0, 0.0)).norm() < 1e-15, "{aside}");
        assert_eq!(to_thread(&thread(&[(0.013, 0.0)], 0.002), &p), Vec3::zeros());
    }
}
