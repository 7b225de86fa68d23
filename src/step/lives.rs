//! Flights of particles to which things happen on the way.

use super::births::give_children;
use crate::flight::{Log, fly};
use crate::math::Real;
use crate::state::{Flyer, State, Status};
use crate::world::World;

/// Flies a particle through a span of time [s], from one event of its age to the next.
pub(super) fn live(world: &World, mut p: Flyer, span: [Real; 2], log: &mut Log) -> Flyer {
    let [mut time, end] = span;
    if !world.lives.has_any(p.material) {
        return fly(world, p, time, end, log);
    }
    let start = p.position;
    let mut done = None;
    while let Some(due) = world.lives.next_due(&p, span[0], end, done.as_ref()) {
        if p.status == Status::Airborne {
            p = fly(world, p, time, due.moment, log);
        }
        if p.status.is_gone() {
            return p;
        }
        time = due.moment;
        world.lives.act(&mut p, &due, &mut log.children);
        done = Some(due);
    }
    if p.status == Status::Airborne {
        p = fly(world, p, time, end, log);
    }
    if !p.status.is_gone() {
        world.lives.moved(&mut p, &start, end, &mut log.children);
    }
    p
}

/// Ages what does not fly, in a span of time [s]; the dead are marked and counted, and their rows returned.
pub(super) fn age(world: &World, state: &mut State, span: [Real; 2]) -> Vec<usize> {
    let mut children = Vec::new();
    let died = world.lives.apply(&mut state.particles, span, &mut children);
    state.tally.died += died.len() as u64;
    give_children(world, state, &children);
    died
}
