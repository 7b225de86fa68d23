//! The order of a step: what age does to the settled, births, flights in parallel, children of splashes and events.
//! The result does not depend on threads: every particle writes its own row, and sums are of whole numbers.

mod births;
mod clock;
mod company;
mod flights;
mod heaps;
mod lives;
mod order;
mod riders;

use std::time::Instant;

use crate::film;
use crate::math::Real;
use crate::state::State;
use crate::world::World;
use clock::Stage;
pub use riders::riding;

/// Rounds of children that fly within the step of their birth; later ones begin with the next step.
const GENERATIONS: usize = 8;

/// Memory that is used again in every step and carries no meaning between them.
#[derive(Debug, Default)]
pub struct Scratch {
    order: order::Memory,
    film: film::Memory,
    heap: heaps::Heap,
    clock: clock::Clock,
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

    /// Wall time of all steps so far by stage [s].
    pub fn seconds(&self) -> Vec<(&'static str, f64)> {
        self.clock.seconds().to_vec()
    }

    /// Landings on heaps that were simulated so far, and in how many rounds. Those beyond the landings themselves were
    /// thrown away, because others settled first where they had looked.
    pub fn simulated(&self) -> [u64; 2] {
        self.clock.landings()
    }

    /// Bytes of the index of what lies still.
    pub fn heap_bytes(&self) -> usize {
        self.heap.bytes()
    }
}

/// Moves the state on by one step.
pub fn step(world: &World, state: &mut State, scratch: &mut Scratch) {
    let span = [
        state.step as Real * world.step,
        (state.step + 1) as Real * world.step,
    ];
    let since = Instant::now();
    scratch.heap.open(world, &state.particles);
    if !world.movers.is_empty() {
        let woken = riders::carry(world, state, scratch.heap.balls(), span);
        scratch.heap.reopen(world, state, &woken);
    }
    scratch.clock.add(Stage::Index, since);
    let since = Instant::now();
    let died = lives::age(world, state, span);
    scratch.heap.remove(state, &died);
    births::emit(world, state, &scratch.heap, span);
    let since = scratch.clock.add(Stage::Births, since);
    if !depends_on_rows(world) {
        order::by_place(&world.bounds, &mut state.particles, &mut scratch.order);
        scratch.clock.add(Stage::Ordering, since);
    }
    scratch.heap.roll(world, state, span, &mut scratch.clock);
    fly(world, state, scratch, span);
    if world.flow {
        let since = Instant::now();
        film::advance(world, state, &mut scratch.film, span[0]);
        scratch.clock.add(Stage::Films, since);
    }
    if world.pile {
        scratch.heap.close(world, state, &mut scratch.clock);
    }
    state.step += 1;
}

/// Flies everything that is in the air, then the children that came of it.
fn fly(world: &World, state: &mut State, scratch: &mut Scratch, span: [Real; 2]) {
    let mut first = 0;
    for _ in 0..GENERATIONS {
        let since = Instant::now();
        let log = flights::fly_from(first, world, &mut state.particles, span);
        let flown = state.particles.len();
        state.tally = state.tally.plus(log.tally);
        births::give_children(world, state, &log.children);
        scratch.clock.add(Stage::Flights, since);
        if world.pile {
            scratch
                .heap
                .fly_rows([first, flown], world, state, span, &mut scratch.clock);
        }
        first = flown;
        if first == state.particles.len() {
            break;
        }
    }
}

/// Whether something of this world goes by the order of rows: flows break ties by it, and what happens to the settled happens
/// in it.
fn depends_on_rows(world: &World) -> bool {
    let lives = |material| world.lives.has_any(material);
    world.flow || (0..).take(world.materials.len()).any(lives)
}
