//! What a touch does to something that flows: it splashes, or becomes part of a layer.

use super::{Grip, Log};
use crate::collide::Hit;
use crate::contact::splash::splash;
use crate::contact::{Outcome, answer};
use crate::rng::{Purpose, identity, stream};
use crate::scene::Response;
use crate::state::{Birth, Flyer, Status};
use crate::world::World;

/// Smaller than this share of their material's radius, droplets splash no more: else a splash would never end.
const SMALLEST: f64 = 0.25;

/// Answers a touch at the moment `time` [s]; false where the surface has its own answer, or none flows.
pub(super) fn touch(world: &World, p: &mut Flyer, hit: &Hit, grip: &Grip, time: f64, log: &mut Log) -> bool {
    if !world.flows(p.material) || *world.response(hit.triangle) == Response::Stick {
        return false;
    }
    let contact = world.contact(p.material, hit.triangle);
    let outcome = answer(contact.as_ref(), &p.velocity, &hit.normal, grip.least_rebound);
    if may_splash(world, p, hit) {
        throw(world, p, hit, time, log);
    } else if matches!(outcome, Outcome::Dies | Outcome::Moves { leaves: true, .. }) {
        return false;
    }
    p.status = Status::Flowing;
    // What it has along the surface it loses in the layer.
    p.velocity -= hit.normal * p.velocity.dot(&hit.normal);
    p.normal = hit.normal;
    true
}

fn may_splash(world: &World, p: &Flyer, hit: &Hit) -> bool {
    let material = &world.materials[usize::from(p.material)];
    let own_answer = matches!(
        world.response(hit.triangle),
        Response::Bounce { .. } | Response::Die
    );
    !own_answer
        && -p.velocity.dot(&hit.normal) > material.substance.splash_speed
        && p.radius > SMALLEST * material.radius.typical()
}

/// Throws droplets; what stays shrinks towards the point that it touches.
fn throw(world: &World, p: &mut Flyer, hit: &Hit, time: f64, log: &mut Log) {
    let substance = &world.materials[usize::from(p.material)].substance;
    let mut draws = stream(world.seed, Purpose::Splash, p.key, 0);
    let splash = splash(
        p.radius,
        &p.velocity,
        &hit.normal,
        substance.splash_speed,
        substance.splash_count,
        &mut draws,
    );
    log.tally.splashes += 1;
    for (number, droplet) in (1..).zip(&splash.droplets) {
        log.children.push(Birth {
            position: p.position + droplet.offset,
            velocity: droplet.velocity,
            radius: splash.radius,
            material: p.material,
            time,
            key: identity(p.key, number),
        });
    }
    p.position -= hit.normal * (p.radius - splash.stays);
    p.radius = splash.stays;
    // What stays may fall and splash again, with draws of its own.
    p.key = identity(p.key, 0);
}
