//! Walking on the scenery: a tangent piece, an exact sweep, back to the surface, and so on.
//!
//! Only sweeps and closest points are asked for, so it goes over any mesh: convex edges are turned round by the closest
//! point, concave ones stop the sweep and give a second contact, undersides need nothing special.

use super::{Stage, Walked};
use crate::collide::{Collider, Near, Sweep};
use crate::contact::resting::Holds;
use crate::math::{Real, Vec3};
use crate::scene::Response;
use crate::state::{Flyer, Status, Tally};
use crate::world::{Scenery, World};

/// Length of a straight piece, in radii: on a round of the particle's own size it opens a gap of a 64th of a radius.
const PIECE: Real = 0.25;
/// Distance kept from the surface, in radii: a sweep along it must not start in touch, for rounding would stop it.
const GAP: Real = 1e-6;
/// Surfaces within this share of a radius hold a particle.
const TOUCH: Real = 1e-5;
/// A surface farther away than this, in radii, is lost.
const LOST: Real = 0.5;
/// How far a piece leans out of the surfaces that hold it, as a share of its length: more than rounding, less than
/// anything seen.
const LEAN: Real = 1e-9;
/// Pieces of a walk; a walk is at most two radii long, and only stalls in corners cost more.
const PIECES: usize = 64;

/// Room for closest points, used again.
#[derive(Debug, Default)]
pub(super) struct Feet(Vec<Near>);

/// Walks `way` [m] along the part of `pull` that the surfaces let through. `passed` is called after each piece, with
/// its length; it may make the particle smaller, touching where it touches.
pub(super) fn walk(
    stage: &Stage<'_>,
    p: &mut Flyer,
    pull: &Vec3,
    way: Real,
    feet: &mut Feet,
    tally: &mut Tally,
    mut passed: impl FnMut(&mut Flyer, Real),
) -> Walked {
    let (world, scenery) = (stage.world, stage.scenery);
    let mut holds = Holds::default();
    holds.add(p.normal);
    let mut left = way;
    for _ in 0..PIECES {
        let Some(along) = direction(&holds, pull) else {
            return Walked::Stays;
        };
        let from = p.position;
        let piece = left.min(PIECE * p.radius);
        let went = advance(stage, p, &holds.lean_out(along * piece, LEAN), &mut holds);
        let Some(went) = went else { return Walked::Ends };
        if !stand(&scenery, p, pull, feet, &mut holds) {
            return Walked::Leaves(along);
        }
        if world.audit && scenery.crosses(&from, &p.position) {
            tally.escapes += 1;
        }
        if !stays_mobile(world, p, p.triangle) {
            return Walked::Ends;
        }
        passed(p, piece * went);
        left -= piece * went;
        if left <= 1e-9 * way {
            break;
        }
    }
    Walked::Stays
}

fn direction(holds: &Holds, pull: &Vec3) -> Option<Vec3> {
    let along = holds.project(pull);
    let length = along.norm();
    (length > 1e-6 * pull.norm()).then(|| along / length)
}

/// Sweeps along a leg; the share that was free, or `None` where the surface ends or freezes the particle.
fn advance(stage: &Stage<'_>, p: &mut Flyer, leg: &Vec3, holds: &mut Holds) -> Option<Real> {
    let sweep = Sweep {
        from: p.position,
        along: *leg,
        radius: p.radius,
        span: [0.0, 0.0],
    };
    let Some(hit) = stage.scenery.first_touch(&sweep) else {
        p.position += leg;
        return Some(1.0);
    };
    p.position += leg * hit.fraction;
    holds.add(hit.normal);
    p.normal = hit.normal;
    stays_mobile(stage.world, p, hit.triangle).then_some(hit.fraction)
}

/// Brings a particle back to the closest surface and finds what holds it; false when there is none near.
///
/// The way to the closest point needs no sweep: distances to everything else shrink by no more than the way.
fn stand(scenery: &Scenery<'_>, p: &mut Flyer, pull: &Vec3, feet: &mut Feet, holds: &mut Holds) -> bool {
    let reach = p.radius * (1.0 + LOST);
    scenery.near(&p.position, reach, &mut feet.0);
    let closer = |a: &&Near, b: &&Near| {
        a.distance
            .total_cmp(&b.distance)
            .then(a.triangle.cmp(&b.triangle))
    };
    let Some(closest) = feet.0.iter().min_by(closer).copied() else {
        return false;
    };
    let gap = closest.distance - p.radius * (1.0 + GAP);
    if gap > 0.0 {
        p.position -= closest.normal * gap;
    }
    let touching = closest.distance + TOUCH * p.radius;
    // In a corner it stands on what holds it up best.
    let support = |n: &Near| -n.normal.dot(pull);
    let mut chosen = closest;
    holds.clear();
    for near in feet.0.iter().filter(|n| n.distance <= touching) {
        if support(near) > support(&chosen) {
            chosen = *near;
        }
    }
    holds.add(chosen.normal);
    for near in feet.0.iter().filter(|n| n.distance <= touching) {
        if holds.project(pull).dot(&near.normal) < -1e-6 * pull.norm() {
            holds.add(near.normal);
        }
    }
    p.normal = chosen.normal;
    p.triangle = chosen.triangle;
    true
}

/// Whether a particle goes on after it has come to a triangle: some surfaces end it, some freeze it.
pub(super) fn stays_mobile(world: &World, p: &mut Flyer, triangle: u32) -> bool {
    match world.response(triangle) {
        Response::Die => p.status = Status::Died,
        Response::Stick => p.status = Status::Stuck,
        Response::Material | Response::Slide { .. } | Response::Bounce { .. } => return true,
    }
    p.triangle = triangle;
    p.velocity = Vec3::zeros();
    false
}
