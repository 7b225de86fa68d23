//! Checks of legs by tests that share nothing with the sweeps that allowed them.

use super::{Grip, Stop, moving};
use crate::collide::{Collider, Hit, Sweep};
use crate::math::{Point3, Real};
use crate::scene::Collision;
use crate::state::{Flyer, Tally};
use crate::world::World;

/// How far before its end a flight is checked for crossings, in radii: a centre may come to lie on a plane.
pub(super) const CROSSING: Real = 1e-6;
/// Ways that are checked together.
const TOGETHER: usize = 64;

/// Checks a leg, up to what stops it and when [s], by tests that share nothing with the sweep that allowed it.
#[inline]
pub(super) fn audit(world: &World, sweep: &Sweep, stop: Option<(&Stop, Real)>, tally: &mut Tally) {
    if !world.audit {
        return;
    }
    if world.movers.is_empty() {
        let fraction = stop.map_or(1.0, |(stop, _)| stop.hit.fraction);
        audit_still(world, sweep, fraction, tally);
    } else {
        audit_among_movers(world, *sweep, stop, tally);
    }
}

/// The same for a particle that may have lost the room for its radius: one whose centre would come through a surface
/// has none at all and is crushed, whether legs are audited or not. False when it is.
pub(super) fn certify(
    world: &World,
    p: &mut Flyer,
    grip: &mut Grip,
    sweep: &Sweep,
    stop: Option<(&Stop, Real)>,
    tally: &mut Tally,
) -> bool {
    if std::mem::take(&mut grip.audited) {
        return true;
    }
    if grip.full.is_none() {
        audit(world, sweep, stop, tally);
        return true;
    }
    let mut found = Tally::default();
    audit_among_movers(world, *sweep, stop, &mut found);
    if found.escapes > 0 {
        return moving::crushed(p, tally);
    }
    tally.squeezed += found.squeezed;
    true
}

fn audit_among_movers(world: &World, mut sweep: Sweep, stop: Option<(&Stop, Real)>, tally: &mut Tally) {
    let mut fraction = 1.0;
    if let Some((stop, time)) = stop {
        fraction = stop.hit.fraction;
        sweep.span[1] = time;
        if let Some((place, _)) = stop.at {
            (sweep.along, fraction) = (place - sweep.from, 1.0);
        }
    }
    moving::audit(world, &sweep, fraction, tally);
    audit_still(world, &sweep, fraction, tally);
}

fn audit_still(world: &World, sweep: &Sweep, fraction: Real, tally: &mut Tally) {
    let Some([from, to]) = way(sweep, fraction) else {
        return;
    };
    tally.escapes += u64::from(world.collider.crosses(&from, &to));
    if world.collision != Collision::Exact
        && let Some(fits) = world.collider.first_contact(sweep)
        && (fraction - fits.fraction) * sweep.along.norm() > 2.0 * sweep.radius
    {
        tally.squeezed += 1;
    }
}

/// Checks the ways of many flights up to what stops them, together; false where each is to be checked by itself.
pub(super) fn audit_all(world: &World, sweeps: &[Sweep], hits: &[Option<Hit>], tally: &mut Tally) -> bool {
    if !world.audit || !world.movers.is_empty() || world.collision != Collision::Exact {
        return false;
    }
    let mut ways = [[Point3::origin(); 2]; TOGETHER];
    for (sweeps, hits) in sweeps.chunks(TOGETHER).zip(hits.chunks(TOGETHER)) {
        let mut count = 0;
        for (sweep, hit) in sweeps.iter().zip(hits) {
            if let Some(way) = way(sweep, hit.as_ref().map_or(1.0, |hit| hit.fraction)) {
                ways[count] = way;
                count += 1;
            }
        }
        tally.escapes += world.collider.crossings(&ways[..count]);
    }
    true
}

/// The ends of what is checked of a sweep up to a fraction of it, if it is not too short.
#[inline]
fn way(sweep: &Sweep, fraction: Real) -> Option<[Point3; 2]> {
    let length = sweep.along.norm();
    let flown = length * fraction - CROSSING * sweep.radius;
    (flown > 0.0).then(|| [sweep.from, sweep.from + sweep.along * (flown / length)])
}
