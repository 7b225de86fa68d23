//! Whether the wind lets a particle lie where it has landed.

use super::{Grip, Log};
use crate::contact::{Outcome, drift};
use crate::math::{Real, Vec3};
use crate::scene::Response;
use crate::state::{Flyer, NO_TRIANGLE};
use crate::world::World;

/// `outcome`, or the hop that the air makes of it at the moment `time` [s]. Surfaces with an answer of their own keep it,
/// and so does what has come no farther than its radius by its last hop: it lies in a hollow.
pub(super) fn carry(
    world: &World,
    p: &Flyer,
    normal: &Vec3,
    time: Real,
    grip: &mut Grip,
    outcome: Outcome,
    log: &mut Log,
) -> Outcome {
    let threshold = world.materials[usize::from(p.material)].substance.drift_speed;
    let held = matches!(outcome, Outcome::Sticks | Outcome::Moves { leaves: false, .. });
    let open = p.triangle == NO_TRIANGLE || *world.response(p.triangle) == Response::Material;
    if !held || !open || threshold == Real::INFINITY {
        return outcome;
    }
    if grip
        .hopped
        .is_some_and(|from| (p.position - from).norm_squared() < p.radius * p.radius)
    {
        return outcome;
    }
    let air = world.forces.at(&p.position, time, p.key).air;
    let Some(velocity) = drift::hop(threshold, &air, &p.velocity, normal, grip.least_rebound) else {
        return outcome;
    };
    grip.hopped = Some(p.position);
    log.tally.drifts += 1;
    Outcome::Moves {
        velocity,
        leaves: true,
    }
}
