//! Flights in parallel, a window of rows a task, and in it a block at a time: first the ways of all, then what is in
//! them, then what follows from it.

use rayon::prelude::*;

use super::lives::live;
use crate::collide::{Collider, Hit, Sweep};
use crate::flight::{Flight, Log};
use crate::math::{Point3, Real, Vec3};
use crate::state::{Birth, Flyer, Particles, Status, Tally};
use crate::world::World;

/// Rows that one task flies.
const WINDOW: usize = 512;
/// Rows whose first touches are asked for at once.
const BLOCK: usize = 64;

/// Flies everything that is in the air from row `first` on through a span of time [s].
pub(super) fn fly_from(first: usize, world: &World, particles: &mut Particles, span: [Real; 2]) -> Log {
    let done = windows(first, particles).map(|mut rows| {
        let mut done = Done::default();
        let mut block = Block::EMPTY;
        for start in (0..rows.status.len()).step_by(BLOCK) {
            if block.load(world, &rows, start, span) {
                block.fly(world, &mut rows, span[1], &mut done);
                live_through(world, &mut rows, start, span, &mut done);
            }
        }
        done
    });
    done.reduce(Done::default, Done::and).in_birth_order()
}

/// What the flights of some rows leave behind.
#[derive(Default)]
struct Done {
    log: Log,
    /// Birth number of each child's parent.
    parents: Vec<u64>,
}

impl Done {
    /// Joined in the order of the rows, whatever the threads do.
    fn and(mut self, other: Self) -> Self {
        self.log.tally = self.log.tally.plus(other.log.tally);
        self.log.children.extend(other.log.children);
        self.parents.extend(other.parents);
        self
    }

    /// The log, with children by their parents' birth numbers.
    fn in_birth_order(self) -> Log {
        let Self { mut log, parents } = self;
        if !parents.is_sorted() {
            let mut family: Vec<(u64, Birth)> = parents.into_iter().zip(log.children).collect();
            family.sort_by_key(|(parent, _)| *parent);
            log.children = family.into_iter().map(|(_, child)| child).collect();
        }
        log
    }
}

/// Some rows of [`Particles`].
struct Rows<'a> {
    id: &'a [u64],
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
    let named = touch.zip(p.id[first..].par_chunks(WINDOW));
    let columns = motion.zip(fixed).zip(origin).zip(named);
    columns.map(
        |((((position, velocity), (radius, material)), (born, key)), (touch, id))| Rows {
            id,
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
            if rows.status[i] == Status::Airborne && !world.lives.has_any(rows.material[i]) {
                let p = rows.flyer(i);
                let (flight, sweep) = Flight::new(world, &p, p.born.max(begin), end);
                self.row[self.count] = i;
                self.flight[self.count] = flight;
                self.sweep[self.count] = sweep;
                self.count += 1;
            }
        }
        true
    }

    fn fly(&mut self, world: &World, rows: &mut Rows<'_>, end: Real, done: &mut Done) {
        let log = &mut done.log;
        let (sweeps, hits) = (&self.sweep[..self.count], &mut self.hit[..self.count]);
        first_touches(world, sweeps, hits);
        for (((&i, flight), sweep), hit) in self.row.iter().zip(&self.flight).zip(sweeps).zip(hits) {
            if let Some(hit) = *hit {
                let mut p = rows.flyer(i);
                flight.meet(world, sweep, &mut p, hit, end, log);
                rows.set_flyer(i, &p);
                done.parents.resize(log.children.len(), rows.id[i]);
            } else {
                (rows.position[i], rows.velocity[i]) = flight.pass(world, sweep, log);
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

/// Flies those of a block to which things happen on the way, one by one.
fn live_through(world: &World, rows: &mut Rows<'_>, start: usize, span: [Real; 2], done: &mut Done) {
    for i in start..rows.status.len().min(start + BLOCK) {
        if rows.status[i] == Status::Airborne && world.lives.has_any(rows.material[i]) {
            let p = rows.flyer(i);
            let mut p = live(world, p, [p.born.max(span[0]), span[1]], &mut done.log);
            p.status = ended(world, &p.position, &p.velocity, p.status, &mut done.log.tally);
            rows.set_flyer(i, &p);
            done.parents.resize(done.log.children.len(), rows.id[i]);
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

/// The first touch of each sweep.
fn first_touches(world: &World, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
    for (sweep, hit) in sweeps.iter().zip(hits) {
        *hit = world.collider.first_touch(sweep);
    }
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

    #[test]
    fn children_come_in_their_parents_birth_order_and_siblings_as_they_came() {
        let child = |key| Birth {
            position: Point3::origin(),
            velocity: Vec3::zeros(),
            radius: 1.0,
            material: 0,
            time: 0.0,
            key,
        };
        let done = |parents: &[u64], keys: &[u64]| Done {
            log: Log {
                children: keys.iter().map(|&key| child(key)).collect(),
                ..Log::default()
            },
            parents: parents.to_vec(),
        };
        let both = done(&[7, 7, 9], &[1, 2, 3]).and(done(&[4, 8, 8], &[4, 5, 6]));
        let keys: Vec<u64> = both.in_birth_order().children.iter().map(|c| c.key).collect();
        assert_eq!(keys, [4, 1, 2, 5, 6, 3]);
    }
}
