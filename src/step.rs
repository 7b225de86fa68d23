//! The order of a step: births, flights in parallel, losses counted. The result does not depend on threads: every
//! particle writes its own row, and sums are of whole numbers.

use rayon::prelude::*;

use crate::collide::Collider;
use crate::flight::fly;
use crate::math::Real;
use crate::scene::IfBlocked;
use crate::state::{Birth, Flyer, Particles, State, Status, Tally};
use crate::world::World;

/// Particles that one task flies.
const CHUNK: usize = 512;
/// How often a blocked birth is pushed before it is given up.
const PUSHES: usize = 8;

/// Memory that is used again in every step and carries no meaning between them.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Moments of birth [s] of the particles born in this step.
    born_at: Vec<Real>,
}

/// Moves the state on by one step.
pub fn step(world: &World, state: &mut State, scratch: &mut Scratch) {
    let start = state.step as Real * world.step;
    let end = (state.step + 1) as Real * world.step;
    let old = state.particles.len();
    emit(world, state, scratch, end);
    state.tally = state.tally.plus(fly_all(
        world,
        &mut state.particles,
        old,
        &scratch.born_at,
        start,
        end,
    ));
    state.step += 1;
}

/// Gives every birth that is due by `end`.
fn emit(world: &World, state: &mut State, scratch: &mut Scratch, end: Real) {
    scratch.born_at.clear();
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
            .map(|b| free(world, b, policy))
            .collect();
        for birth in freed {
            match birth {
                Freed::Clear(b) => give(state, scratch, &b),
                Freed::Pushed(b) => {
                    state.tally.pushed_out += 1;
                    give(state, scratch, &b);
                }
                Freed::Blocked => state.tally.blocked += 1,
            }
        }
    }
}

fn give(state: &mut State, scratch: &mut Scratch, birth: &Birth) {
    state.particles.push(state.tally.born, birth);
    scratch.born_at.push(birth.time);
    state.tally.born += 1;
}

enum Freed {
    Clear(Birth),
    Pushed(Birth),
    Blocked,
}

/// A birth whose ball cuts the scenery is refused or moved out, as the emitter says. Touching is not cutting.
fn free(world: &World, mut birth: Birth, policy: IfBlocked) -> Freed {
    let slack = 1e-9 * birth.radius;
    for push in 0..=PUSHES {
        let overlap = world
            .collider
            .deepest_overlap(&birth.position, birth.radius)
            .filter(|o| o.depth > slack);
        match overlap {
            None if push == 0 => return Freed::Clear(birth),
            None => return Freed::Pushed(birth),
            Some(_) if policy == IfBlocked::Reject => return Freed::Blocked,
            Some(o) => birth.position += o.normal * (o.depth + slack),
        }
    }
    Freed::Blocked
}

/// Flies everything that is in the air; rows from `old` on were born in this step at the moments `born_at`.
fn fly_all(
    world: &World,
    particles: &mut Particles,
    old: usize,
    born_at: &[Real],
    start: Real,
    end: Real,
) -> Tally {
    let Particles {
        position,
        velocity,
        radius,
        material,
        status,
        normal,
        triangle,
        ..
    } = particles;
    let motion = position.par_chunks_mut(CHUNK).zip(velocity.par_chunks_mut(CHUNK));
    let fixed = radius.par_chunks(CHUNK).zip(material.par_chunks(CHUNK));
    let touch =
        (status.par_chunks_mut(CHUNK).zip(normal.par_chunks_mut(CHUNK))).zip(triangle.par_chunks_mut(CHUNK));
    let chunks = motion.zip(fixed).zip(touch).enumerate();
    let tallies = chunks.map(
        |(chunk, (((position, velocity), (radius, material)), ((status, normal), triangle)))| {
            let mut tally = Tally::default();
            for i in 0..status.len() {
                if status[i] != Status::Airborne {
                    continue;
                }
                let flyer = Flyer {
                    position: position[i],
                    velocity: velocity[i],
                    radius: radius[i],
                    material: material[i],
                    status: status[i],
                    normal: normal[i],
                    triangle: triangle[i],
                };
                let row = chunk * CHUNK + i;
                let from = row.checked_sub(old).map_or(start, |newborn| born_at[newborn]);
                let mut flyer = fly(world, flyer, from, end, &mut tally);
                count_losses(world, &mut flyer, &mut tally);
                position[i] = flyer.position;
                velocity[i] = flyer.velocity;
                status[i] = flyer.status;
                normal[i] = flyer.normal;
                triangle[i] = flyer.triangle;
            }
            tally
        },
    );
    tallies.reduce(Tally::default, Tally::plus)
}

fn count_losses(world: &World, p: &mut Flyer, tally: &mut Tally) {
    let finite = p.position.iter().chain(p.velocity.iter()).all(|x| x.is_finite());
    if !finite {
        tally.not_finite += 1;
    }
    if p.status == Status::Died {
        tally.died += 1;
    } else if !finite || !world.kill_box.contains(&p.position) {
        p.status = Status::Lost;
        tally.lost += 1;
    }
}
