//! The order of a step: what age does to the settled, births, flights in parallel, children of splashes and events.
//! The result does not depend on threads: every particle writes its own row, and sums are of whole numbers.

mod births;
mod company;
mod flights;
mod heaps;
mod lives;

use crate::film;
use crate::math::Real;
use crate::state::State;
use crate::world::World;

/// Rounds of children that fly within the step of their birth; later ones begin with the next step.
const GENERATIONS: usize = 8;

/// Memory that is used again in every step and carries no meaning between them.
#[derive(Debug, Default)]
pub struct Scratch {
    film: film::Memory,
    heap: heaps::Heap,
}

impl Scratch {
    /// Memory for runs in which this many landings are simulated at once, 1 or more, instead of as many as pay. No result
    /// depends on it.
    pub fn with_window(size: usize) -> Self {
        Self {
            heap: heaps::Heap::with_window(size),
            ..Self::default()
        }
    }
}

/// Moves the state on by one step.
pub fn step(world: &World, state: &mut State, scratch: &mut Scratch) {
    let span = [
        state.step as Real * world.step,
        (state.step + 1) as Real * world.step,
    ];
    lives::age(world, state, span);
    scratch.heap.open(world, &state.particles);
    births::emit(world, state, &scratch.heap, span);
    let mut first = 0;
    for _ in 0..GENERATIONS {
        let log = flights::fly_from(first, world, &mut state.particles, span);
        state.tally = state.tally.plus(log.tally);
        first = state.particles.len();
        births::give_children(world, state, &log.children);
        if first == state.particles.len() {
            break;
        }
    }
    if world.pile {
        scratch.heap.advance(world, state, span);
    }
    if world.flow {
        film::advance(world, state, &mut scratch.film, span[0]);
    }
    if world.pile {
        scratch.heap.close(state);
    }
    state.step += 1;
}
