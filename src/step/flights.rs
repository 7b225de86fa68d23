//! Flights in parallel, a window of rows a task, and in it a block at a time: first the ways of all, then what is in
//! them, then what follows from it.

use rayon::prelude::*;

use crate::collide::{Collider, Hit, Sweep};
use crate::flight::{Flight, Log};
use crate::math::{Point3, Real, Vec3};
use crate::state::{Flyer, Particles, Status, Tally};
use crate::world::World;

/// Rows that one task flies.
const WINDOW: usize = 512;
/// Rows whose first touches are asked for at once.
const BLOCK: usize = 64;

/// Flies everything that is in the air from row `first` on through a span of time [s].
pub(super) fn fly_from(first: usize, world: &World, particles: &mut Particles, span: [Real; 2]) -> Log {
    let logs = windows(first, particles).map(|mut rows| {
        let mut log = Log::default();
        for start in (0..rows.status.len()).step_by(BLOCK) {
            fly_block(world, &mut rows, start, span, &mut log);
        }
        log
    });
    // Joined in the order of the rows, whatever the threads do.
    logs.reduce(Log::default, |mut a, b| {
        a.tally = a.tally.plus(b.tally);
        a.children.extend(b.children);
        a
    })
}

/// Some rows of [`Particles`].
struct Rows<'a> {
    position: &'a mut [Point3],
    velocity: &'a mut [Vec3],
    radius: &'a [Real],
    material: &'a [u16],
    status: &'a mut [Status],
    normal: &'a mut [Vec3],
    triangle: &'a mut [u32],
    born: &'a [Real],
    key: &'a [u64],
}

/// All rows from `first` on.
fn windows(first: usize, p: &mut Particles) -> impl IndexedParallelIterator<Item = Rows<'_>> {
    let motion = (p.position[first..].par_chunks_mut(WINDOW)).zip(p.velocity[first..].par_chunks_mut(WINDOW));
    let fixed = (p.radius[first..].par_chunks(WINDOW)).zip(p.material[first..].par_chunks(WINDOW));
    let origin = (p.born[first..].par_chunks(WINDOW)).zip(p.key[first..].par_chunks(WINDOW));
    let touch = (p.status[first..].par_chunks_mut(WINDOW))
        .zip(p.normal[first..].par_chunks_mut(WINDOW))
        .zip(p.triangle[first..].par_chunks_mut(WINDOW));
    let columns = motion.zip(fixed).zip(origin).zip(touch);
    columns.map(|((((position, velocity), (radius, material)), (born, key)), touch)| Rows {
        position,
        velocity,
        radius,
        material,
        status: touch.0.0,
        normal: touch.0.1,
        triangle: touch.1,
        born,
        key,
    })
}

impl Rows<'_> {
    fn flyer(&self, i: usize) -> Flyer {
        Flyer {
            position: self.position[i],
            velocity: self.velocity[i],
            radius: self.radius[i],
            material: self.material[i],
            status: self.status[i],
            normal: self.normal[i],
            triangle: self.triangle[i],
            born: self.born[i],
            key: self.key[i],
        }
    }

    fn put(&mut self, i: usize, p: &Flyer) {
        self.position[i] = p.position;
        self.velocity[i] = p.velocity;
        self.status[i] = p.status;
        self.normal[i] = p.normal;
        self.triangle[i] = p.triangle;
    }
}

/// Flies what is in the air among the [`BLOCK`] rows from `start` on.
fn fly_block(world: &World, rows: &mut Rows<'_>, start: usize, [begin, end]: [Real; 2], log: &mut Log) {
    let block = start..rows.status.len().min(start + BLOCK);
    // Without an early end, so that it takes all at once: most blocks of a covered scene lie still.
    let any = (rows.status[block.clone()].iter()).fold(false, |any, s| any | (*s == Status::Airborne));
    if !any {
        return;
    }
    let mut flights = [None; BLOCK];
    let mut sweeps = [STILL; BLOCK];
    let mut hits = [None; BLOCK];
    let mut count = 0;
    for i in block {
        if rows.status[i] != Status::Airborne {
            continue;
        }
        let flyer = rows.flyer(i);
        let flight = Flight::new(world, &flyer, flyer.born.max(begin), end);
        sweeps[count] = flight.sweep(&flyer);
        flights[count] = Some((i, flight));
        count += 1;
    }
    first_touches(world, &sweeps[..count], &mut hits[..count]);
    for ((i, flight), hit) in flights.into_iter().flatten().zip(hits) {
        let mut flyer = rows.flyer(i);
        flight.finish(world, &mut flyer, end, hit, log);
        count_losses(world, &mut flyer, &mut log.tally);
        rows.put(i, &flyer);
    }
}

/// Stands where no sweep does.
const STILL: Sweep = Sweep {
    from: Point3::new(0.0, 0.0, 0.0),
    along: Vec3::new(0.0, 0.0, 0.0),
    radius: 0.0,
    span: [0.0; 2],
};

/// The first touch of each sweep.
fn first_touches(world: &World, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
    for (sweep, hit) in sweeps.iter().zip(hits) {
        *hit = world.collider.first_touch(sweep);
    }
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
