//! A drop on its strand: it sinks against the strand's resistance and leaves beads, until the strand breaks.
//!
//! A thread that is pulled resists with three times its viscosity (Trouton 1906): 3 mu A v / L for a thread of section A
//! and length L.

use super::neighbours::{Kind, Neighbours};
use super::walk::stays_mobile;
use super::{Moved, Shed, Stage, give_up};
use crate::collide::{Collider, Sweep};
use crate::material::Material;
use crate::math::{Real, Vec3, ball_volume};
use crate::state::{Film, Flyer, NO_TRIANGLE, Status, Tally};

/// Radius of a bead, in the drop's: it takes 8 % of its volume.
const BEAD: Real = 0.430_886_938_006_376_74;
/// Distance of two beads, in their radii: closer costs particles, farther apart they show as beads.
const SPACING: Real = 1.3;
/// Beads smaller than this, in the material's radius, break the strand.
const THINNEST: Real = 0.2;
/// Strands longer than this, in the material's radius, break.
const LONGEST: Real = 24.0;
/// A strand shorter than this when it could be longest, in radii of the drop, is none.
const SHORTEST: Real = 1.5;
/// Beads nearer than this, in the sum of radii, stand for a new one.
const CROWDED: Real = 0.8;

/// Begins a strand: the drop still touches what it hangs from.
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

/// The length [m] at which a drop's strand breaks: where its resistance no longer slows the fall.
///
/// Resistance balances the weight m g at v = m g L / (3 mu A); a free fall over L reaches sqrt(2 g L). They are equal at
/// L = 2 g (3 mu A / m g)^2, with A = pi r^2 the neck from which the strand is drawn.
pub(super) fn longest(material: &Material, radius: Real, gravity: Real) -> Real {
    let weight = material.substance.density * ball_volume(radius) * gravity;
    let pull = 3.0 * material.substance.viscosity * std::f64::consts::PI * radius * radius / weight;
    (2.0 * gravity * pull * pull).min(LONGEST * material.radius.typical())
}

/// Lets go of everything: it flies.
fn release(p: &mut Flyer, film: &mut Film) {
    p.status = Status::Airborne;
    p.normal = Vec3::zeros();
    p.triangle = NO_TRIANGLE;
    *film = Film::default();
}

/// Moves a drop on its strand through a part of a step; its beads are shed.
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
        let bead = BEAD * p.radius;
        let piece = left.min((SPACING * bead - film.walked).max(0.01 * p.radius));
        left -= piece;
        film.walked += piece;
        film.strand += piece;
        if sink(stage, p, film, &(down * piece), tally) {
            return;
        }
        if film.strand > longest(material, p.radius, gravity) || bead < THINNEST * material.radius.typical() {
            release(p, film);
        } else if film.walked >= SPACING * bead * (1.0 - 1e-9) {
            film.walked = 0.0;
            if stage.may_shed && !crowded(stage.neighbours, p, bead) {
                sheds.push(leave(p, &down, bead));
            }
        }
    }
}

/// Weight against the strand's resistance, backward Euler: however stiff the strand, the drop never rises.
fn sinking_speed(material: &Material, p: &Flyer, film: &Film, gravity: Real, dt: Real) -> Real {
    let mass = material.substance.density * ball_volume(p.radius);
    let section = std::f64::consts::PI * (BEAD * p.radius) * (BEAD * p.radius);
    let resistance = 3.0 * material.substance.viscosity * section / (film.strand * mass);
    (p.velocity.norm() + gravity * dt) / (1.0 + resistance * dt)
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

/// Whether a strand hangs here already.
fn crowded(neighbours: &Neighbours, p: &Flyer, bead: Real) -> bool {
    let place = p.position - p.normal * (p.radius - bead);
    let mut crowded = false;
    neighbours.around(&place, |other| {
        let radius = crate::math::ball_radius(other.volume);
        crowded |= other.kind == Kind::Laid && (other.at - place).norm() < CROWDED * (radius + bead);
    });
    crowded
}
