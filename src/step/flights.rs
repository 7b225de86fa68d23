//! Flights in parallel, a window of rows a task, and in it a block at a time: first the ways of all, then what is in
//! them, then what follows from it.

use rayon::prelude::*;

use super::lives::live;
use crate::collide::{Collider, Hit, Sweep};
use crate::flight::{Flight, Log, fly};
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
        let mut block = Block::EMPTY;
        for start in (0..rows.status.len()).step_by(BLOCK) {
            if block.load(world, &rows, start, span) {
                block.fly(world, &mut rows, span, &mut log);
            }
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
    radius: &'a mut [Real],
    material: &'a [u16],
    status: &'a mut [Status],
    normal: &'a mut [Vec3],
    triangle: &'a mut [u32],
    born: &'a [Real],
    key: &'a mut [u64],
}

/// All rows from `first` on.
fn windows(first: usize, p: &mut Particles) -> impl IndexedParallelIterator<Item = Rows<'_>> {
    let motion = (p.position[first..].par_chunks_mut(WINDOW)).zip(p.velocity[first..].par_chunks_mut(WINDOW));
    let fixed = (p.radius[first..].par_chunks_mut(WINDOW)).zip(p.material[first..].par_chunks(WINDOW));
    let origin = (p.born[first..].par_chunks(WINDOW)).zip(p.key[first..].par_chunks_mut(WINDOW));
    let touch = (p.status[first..].par_chunks_mut(WINDOW))
        .zip(p.normal[first..].par_chunks_mut(WINDOW))
        .zip(p.triangle[first..].par_chunks_mut(WINDOW));
    let columns = motion.zip(fixed).zip(origin).zip(touch);
    columns.map(
        |((((position, velocity), (radius, material)), (born, key)), touch)| Rows {
            position,
            velocity,
            radius,
            material,
            status: touch.0.0,
            normal: touch.0.1,
            triangle: touch.1,
            born,
            key,
        },
    )
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

    fn set_flyer(&mut self, i: usize, p: &Flyer) {
        self.position[i] = p.position;
        self.velocity[i] = p.velocity;
        self.radius[i] = p.radius;
        self.status[i] = p.status;
        self.normal[i] = p.normal;
        self.triangle[i] = p.triangle;
        self.key[i] = p.key;
    }
}

/// The flights of one block, and what is in their way.
struct Block {
    count: usize,
    row: [usize; BLOCK],
    flight: [Flight; BLOCK],
    sweep: [Sweep; BLOCK],
    hit: [Option<Hit>; BLOCK],
}

impl Block {
    const EMPTY: Self = Self {
        count: 0,
        row: [0; BLOCK],
        flight: [Flight::NONE; BLOCK],
        sweep: [STILL; BLOCK],
        hit: [None; BLOCK],
    };

    /// Takes the ways of what is in the air among the rows from `start` on; whether there is any.
    fn load(&mut self, world: &World, rows: &Rows<'_>, start: usize, [begin, end]: [Real; 2]) -> bool {
        let block = start..rows.status.len().min(start + BLOCK);
        // Without an early end, so that it takes all at once: most blocks of a covered scene lie still.
        let flies = |any, s: &Status| any | (*s == Status::Airborne);
        if !rows.status[block.clone()].iter().fold(false, flies) {
            return false;
        }
        self.count = 0;
        for i in block {
            if rows.status[i] == Status::Airborne && !world.piles(rows.material[i]) {
                let p = rows.flyer(i);
                // What has a life of its own asks for itself, from event to event.
                let (flight, sweep) = if world.lives.has_any(p.material) {
                    (Flight::NONE, STILL)
                } else {
                    Flight::new(world, &p, p.born.max(begin), end)
                };
                self.row[self.count] = i;
                self.flight[self.count] = flight;
                self.sweep[self.count] = sweep;
                self.count += 1;
            }
        }
        true
    }

    fn fly(&mut self, world: &World, rows: &mut Rows<'_>, span: [Real; 2], log: &mut Log) {
        let (sweeps, hits) = (&self.sweep[..self.count], &mut self.hit[..self.count]);
        let flights = &mut self.flight[..self.count];
        world.collider.first_touches(sweeps, hits);
        Flight::audit_all(flights, world, sweeps, hits, log);
        for (((&i, flight), sweep), hit) in self.row.iter().zip(flights).zip(sweeps).zip(hits) {
            if world.lives.has_any(rows.material[i]) {
                let p = rows.flyer(i);
                rows.set_flyer(i, &live(world, p, [p.born.max(span[0]), span[1]], log));
            } else if let Some(stop) = flight.stop(world, sweep, *hit) {
                let mut p = rows.flyer(i);
                flight.meet(world, sweep, &mut p, stop, span[1], log);
                rows.set_flyer(i, &p);
            } else {
                (rows.position[i], rows.velocity[i]) = flight.pass(world, sweep, log);
                if flight.goes_on() {
                    let p = rows.flyer(i);
                    rows.set_flyer(i, &fly(world, p, sweep.span[1], span[1], log));
                }
            }
            rows.status[i] = ended(
                world,
                &rows.position[i],
                &rows.velocity[i],
                rows.status[i],
                &mut log.tally,
            );
        }
    }
}

/// A sweep that goes nowhere.
const STILL: Sweep = Sweep {
    from: Point3::new(0.0, 0.0, 0.0),
    along: Vec3::new(0.0, 0.0, 0.0),
    radius: 0.0,
    span: [0.0; 2],
};

/// Counts a particle that has ended or been lost.
pub(super) fn count_losses(world: &World, p: &mut Flyer, tally: &mut Tally) {
    p.status = ended(world, &p.position, &p.velocity, p.status, tally);
}

/// The status of a particle after its flight, once it is clear whether it has been lost.
fn ended(world: &World, position: &Point3, velocity: &Vec3, status: Status, tally: &mut Tally) -> Status {
    let finite = position.iter().chain(velocity.iter()).all(|x| x.is_finite());
    tally.not_finite += u64::from(!finite);
    if status == Status::Died {
        tally.died += 1;
    } else if !finite || !world.kill_box.contains(position) {
        tally.lost += 1;
        return Status::Lost;
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Birth;

    const SCENE: &str = r#"(
        materials: { "m": Snow(radius: 0.1) },
        emitters: [(material: "m", shape: Point(at: (0, 0, 0)), rate: 1, enabled: false)],
        time: (frames: 1),
    )"#;

    #[test]
    fn what_lies_still_takes_no_part_in_a_step() {
        let scene = crate::scene::parse(SCENE, std::path::Path::new("test.ron")).expect("a good scene");
        let (world, _) = World::assemble(&scene, vec![]).expect("a good world");
        let mut particles = Particles::default();
        for id in 0..100_000u32 {
            let position = Point3::new(f64::from(id), 0.0, 0.0);
            let birth = Birth {
                position,
                velocity: Vec3::zeros(),
                radius: 0.1,
                material: 0,
                time: 0.0,
                key: u64::from(id),
            };
            if id % 1000 == 0 {
                particles.push(u64::from(id), &birth);
            } else {
                particles.push_settled(u64::from(id), &birth, Status::Stuck, Vec3::y(), 0);
            }
        }
        let flights: Vec<usize> = windows(0, &mut particles)
            .flat_map_iter(|rows| {
                let mut block = Block::EMPTY;
                let starts = (0..rows.status.len()).step_by(BLOCK);
                let loaded = starts.filter_map(|start| {
                    let flies = block.load(&world, &rows, start, [0.0, 1.0]);
                    flies.then_some(block.count)
                });
                loaded.collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(
            flights, [1; 100],
            "one flight for each that flies, and no look at other blocks"
        );
    }
}
