//! Flights in parallel, a chunk of rows a task.

use rayon::prelude::*;

use super::lives::live;
use crate::flight::Log;
use crate::math::Real;
use crate::state::{Flyer, Particles, Status, Tally};
use crate::world::World;

/// Particles that one task flies.
const CHUNK: usize = 512;

/// Flies everything that is in the air from row `first` on through a span of time [s].
pub(super) fn fly_from(first: usize, world: &World, particles: &mut Particles, span: [Real; 2]) -> Log {
    let Particles {
        position,
        velocity,
        radius,
        material,
        status,
        normal,
        triangle,
        born,
        key,
        ..
    } = particles;
    let motion = (position[first..].par_chunks_mut(CHUNK)).zip(velocity[first..].par_chunks_mut(CHUNK));
    let fixed = (radius[first..].par_chunks_mut(CHUNK)).zip(material[first..].par_chunks(CHUNK));
    let origin = born[first..]
        .par_chunks(CHUNK)
        .zip(key[first..].par_chunks_mut(CHUNK));
    let touch = (status[first..].par_chunks_mut(CHUNK))
        .zip(normal[first..].par_chunks_mut(CHUNK))
        .zip(triangle[first..].par_chunks_mut(CHUNK));
    let chunks = motion.zip(fixed.zip(origin)).zip(touch);
    let logs = chunks.map(
        |(((position, velocity), ((radius, material), (born, key))), ((status, normal), triangle))| {
            let mut log = Log::default();
            for i in 0..status.len() {
                if status[i] != Status::Airborne || world.piles(material[i]) {
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
                    born: born[i],
                    key: key[i],
                };
                let from = born[i].max(span[0]);
                let mut flyer = live(world, flyer, [from, span[1]], &mut log);
                count_losses(world, &mut flyer, &mut log.tally);
                position[i] = flyer.position;
                velocity[i] = flyer.velocity;
                radius[i] = flyer.radius;
                key[i] = flyer.key;
                status[i] = flyer.status;
                normal[i] = flyer.normal;
                triangle[i] = flyer.triangle;
            }
            log
        },
    );
    // Joined in the order of the rows, whatever the threads do.
    logs.reduce(Log::default, |mut a, b| {
        a.tally = a.tally.plus(b.tally);
        a.children.extend(b.children);
        a
    })
}

pub(super) fn count_losses(world: &World, p: &mut Flyer, tally: &mut Tally) {
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
