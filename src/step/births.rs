//! Births that are due in a step, and what to do with one that the scenery blocks.

use rayon::prelude::*;

use super::heaps::Heap;
use crate::collide::Collider;
use crate::math::Real;
use crate::scene::IfBlocked;
use crate::state::{Birth, Particles, State};
use crate::world::World;

/// Births that one task looks at.
const CHUNK: usize = 512;
/// How often a blocked birth is pushed before it is given up.
const PUSHES: usize = 8;

/// Gives every birth that is due by `end`.
pub(super) fn emit(world: &World, state: &mut State, heap: &Heap, end: Real) {
    state.emitted.resize(world.sources.len(), 0);
    for (number, source) in world.sources.iter().enumerate() {
        let emitted = state.emitted[number];
        let due = source.due(end).max(emitted);
        let room = world.particle_limit.saturating_sub(state.tally.born);
        state.tally.wanted += due - emitted;
        // Births that cannot happen are not even drawn: their number may be beyond all memory.
        let drawn = (due - emitted).min(room);
        state.tally.over_limit += due - emitted - drawn;
        let births = source.births(emitted, emitted + drawn);
        state.emitted[number] = due;
        let policy = source.emitter().if_blocked;
        let freed: Vec<Freed> = births
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|b| free(world, heap, &state.particles, b, policy))
            .collect();
        for birth in freed {
            match birth {
                Freed::Clear(b) => give(state, &b),
                Freed::Pushed(b) => {
                    state.tally.pushed_out += 1;
                    give(state, &b);
                }
                Freed::Blocked => state.tally.blocked += 1,
            }
        }
    }
}

/// Gives births to children, in their order, as far as the limit of particles allows.
pub(super) fn give_children(world: &World, state: &mut State, children: &[Birth]) {
    let room = world.particle_limit.saturating_sub(state.tally.born);
    let given = children.len().min(usize::try_from(room).unwrap_or(usize::MAX));
    state.tally.children += children.len() as u64;
    state.tally.wanted += children.len() as u64;
    state.tally.over_limit += (children.len() - given) as u64;
    children[..given].iter().for_each(|c| give(state, c));
}

fn give(state: &mut State, birth: &Birth) {
    state.particles.push(state.tally.born, birth);
    state.tally.born += 1;
}

enum Freed {
    Clear(Birth),
    Pushed(Birth),
    Blocked,
}

/// A birth whose ball cuts the scenery or a heap is refused or moved out, as the emitter says. Touching is not cutting.
fn free(world: &World, heap: &Heap, particles: &Particles, mut birth: Birth, policy: IfBlocked) -> Freed {
    let slack = 1e-9 * birth.radius;
    for push in 0..=PUSHES {
        let overlap = world
            .collider
            .deepest_overlap(&birth.position, birth.radius)
            .map(|o| (o.depth, o.normal));
        let overlap = overlap
            .filter(|o| o.0 > slack)
            .or_else(|| heap.overlap(world, particles, &birth))
            .filter(|o| o.0 > slack);
        match overlap {
            None if push == 0 => return Freed::Clear(birth),
            None => return Freed::Pushed(birth),
            Some(_) if policy == IfBlocked::Reject => return Freed::Blocked,
            Some((depth, normal)) => birth.position += normal * (depth + slack),
        }
    }
    Freed::Blocked
}
