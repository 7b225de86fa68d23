//! Births that are due in a step, and what to do with one whose place is not free.

use rayon::prelude::*;

use super::company::Company;
use super::heaps::Heap;
use crate::collide::Collider;
use crate::emit::Source;
use crate::math::{Aabb, Real};
use crate::scene::IfBlocked;
use crate::shard::Shard;
use crate::state::{Birth, Particles, State};
use crate::world::World;

/// Births that one task looks at.
const CHUNK: usize = 512;
/// Births that are drawn at once: a million of them take 200 MB.
const BATCH: u64 = 1 << 16;
/// How often a blocked birth is pushed before it is given up.
const PUSHES: usize = 8;
/// How long a birth waits for its place before it is given up [s].
const PATIENCE: Real = 1.0;

/// Gives every birth that is due by the end of a span of time [s].
pub(super) fn emit(world: &World, state: &mut State, heap: &Heap, span: [Real; 2]) {
    state.emitted.resize(world.sources.len(), 0);
    for (number, source) in world.sources.iter().enumerate() {
        let emitted = state.emitted[number];
        let due = source.due(span[1]).max(emitted);
        let room = world.particle_limit.saturating_sub(state.tally.born);
        // Births that cannot happen are not even drawn: their number may be beyond all memory.
        let drawn = (due - emitted).min(room);
        let births = [emitted, emitted + drawn];
        let done = if source.emitter().if_blocked == IfBlocked::Delay {
            wait_and_give(world, state, heap, source, births, span)
        } else {
            give_at_once(world, state, heap, source, births, span);
            drawn
        };
        // What waits is asked for again in the next step; what is over the limit is not.
        let refused = if done == drawn { due - emitted - drawn } else { 0 };
        state.tally.over_limit += refused;
        state.tally.wanted += done + refused;
        state.emitted[number] = emitted + done + refused;
    }
}

/// Gives births of these numbers that do not wait, a batch at a time; those who keep apart have to know all others.
fn give_at_once(
    world: &World,
    state: &mut State,
    heap: &Heap,
    source: &Source,
    [first, end]: [u64; 2],
    span: [Real; 2],
) {
    state.particles.reserve(usize::try_from(end - first).unwrap_or(0));
    let batch = if source.emitter().apart {
        end - first
    } else {
        BATCH
    };
    let mut from = first;
    while from < end {
        let to = end.min(from + batch);
        give_batch(world, state, heap, source, [from, to], span);
        from = to;
    }
}

/// Gives a batch: all are looked at, in parallel; who is near is asked in their order.
fn give_batch(
    world: &World,
    state: &mut State,
    heap: &Heap,
    source: &Source,
    numbers: [u64; 2],
    span: [Real; 2],
) {
    let policy = source.emitter().if_blocked;
    let count = usize::try_from(numbers[1] - numbers[0]).unwrap_or(usize::MAX);
    let (mut births, freed): (Vec<Birth>, Vec<Freed>) = (0..count)
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|i| {
            let birth = source.birth(numbers[0] + i as u64);
            free(world, heap, &state.particles, birth, policy)
        })
        .unzip();
    let all = births.iter().zip(&freed);
    let fit = all.filter(|(_, freed)| **freed != Freed::Blocked);
    let mut company = company_of(state, source, fit.map(|(b, _)| b), span);
    let tally = &mut state.tally;
    let mut freed = freed.into_iter();
    births.retain(|b| match freed.next() {
        None | Some(Freed::Blocked) => {
            tally.blocked += 1;
            false
        }
        Some(_) if company.as_ref().is_some_and(|c| c.cuts(b)) => {
            tally.crowded += 1;
            false
        }
        Some(freed) => {
            tally.pushed_out += u64::from(freed == Freed::Pushed);
            if let Some(company) = &mut company {
                company.join(b);
            }
            true
        }
    });
    give_all(world, state, &births);
}

/// Gives births of these numbers in their order until one has to wait; returns how many are given or given up.
fn wait_and_give(
    world: &World,
    state: &mut State,
    heap: &Heap,
    source: &Source,
    numbers: [u64; 2],
    span: [Real; 2],
) -> u64 {
    let mut births = source.births(numbers[0], numbers[1]);
    let due: Vec<Real> = births.iter().map(|b| b.time).collect();
    for b in births.iter_mut().filter(|b| b.time < span[0]) {
        *b = source.delayed(b, span[0]);
    }
    let mut company = company_of(state, source, births.iter(), span);
    for (n, (b, due)) in births.iter().zip(due).enumerate() {
        let (_, freed) = free(world, heap, &state.particles, *b, IfBlocked::Delay);
        let is_free = freed == Freed::Clear && !company.as_ref().is_some_and(|c| c.cuts(b));
        if is_free {
            if let Some(company) = &mut company {
                company.join(b);
            }
            give(world, state, b);
        } else if span[1] - due > PATIENCE {
            state.tally.waited_out += 1;
        } else {
            return n as u64;
        }
    }
    numbers[1] - numbers[0]
}

/// Those whom births may not cut, if the emitter keeps them apart.
fn company_of<'b>(
    state: &State,
    source: &Source,
    births: impl Iterator<Item = &'b Birth>,
    span: [Real; 2],
) -> Option<Company> {
    if !source.emitter().apart {
        return None;
    }
    let (around, radius) = births.fold((Aabb::EMPTY, 0.0), |(around, radius): (Aabb, Real), b| {
        (around.grow(&b.position), radius.max(b.radius))
    });
    Some(Company::new(&state.particles, &around, radius, span))
}

/// Gives births to children, in their order, as far as the limit of particles allows.
pub(super) fn give_children(world: &World, state: &mut State, children: &[Birth]) {
    let room = world.particle_limit.saturating_sub(state.tally.born);
    let given = children.len().min(usize::try_from(room).unwrap_or(usize::MAX));
    state.tally.children += children.len() as u64;
    state.tally.wanted += children.len() as u64;
    state.tally.over_limit += (children.len() - given) as u64;
    give_all(world, state, &children[..given]);
}

/// Gives births in their order.
fn give_all(world: &World, state: &mut State, births: &[Birth]) {
    if world.shard == Shard::WHOLE {
        state.particles.push_all(state.tally.born, births);
        state.tally.born += births.len() as u64;
    } else {
        births.iter().for_each(|b| give(world, state, b));
    }
}

/// Every birth counts, so that all shards of a run know the same birth numbers; each keeps its own.
fn give(world: &World, state: &mut State, birth: &Birth) {
    if world.shard.owns(state.tally.born) {
        state.particles.push(state.tally.born, birth);
    }
    state.tally.born += 1;
}

/// What has become of a birth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Freed {
    /// Its place was free.
    Clear,
    /// It was moved to a place that is.
    Pushed,
    /// There is none.
    Blocked,
}

/// A birth whose ball cuts the scenery or a heap is refused or moved out, as the emitter says. Touching is not cutting.
fn free(
    world: &World,
    heap: &Heap,
    particles: &Particles,
    mut birth: Birth,
    policy: IfBlocked,
) -> (Birth, Freed) {
    let slack = 1e-9 * birth.radius;
    for push in 0..=PUSHES {
        let overlap = world
            .at(birth.time)
            .deepest_overlap(&birth.position, birth.radius)
            .map(|o| (o.depth, o.normal));
        let overlap = overlap
            .filter(|o| o.0 > slack)
            .or_else(|| heap.overlap(world, particles, &birth))
            .filter(|o| o.0 > slack);
        match overlap {
            None if push == 0 => return (birth, Freed::Clear),
            None => return (birth, Freed::Pushed),
            Some(_) if policy != IfBlocked::PushOut => break,
            Some((depth, normal)) => birth.position += normal * (depth + slack),
        }
    }
    (birth, Freed::Blocked)
}
