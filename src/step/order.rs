//! Particles that are near in space brought near in memory, so that their flights ask for the same part of the scenery.
//!
//! Rows that lie still are not moved: they keep the order in which they flew. Nothing that a run writes depends on the order
//! of the rows: births, children, ties and frames go by birth numbers.

use rayon::prelude::*;

use crate::math::{Aabb, Point3};
use crate::state::{Particles, Status};

/// Fewer rows than this fit into the caches in any order.
const MANY: usize = 1 << 14;
/// Neighbours in memory that are looked at to tell whether an order is worth its while.
const SAMPLES: usize = 4096;
/// How often the box of the scenery is halved: until few particles share a cell in all but the largest scenes.
const HALVINGS: usize = 30;
/// The same for the parts in which neighbours in memory should be.
const COARSE: usize = 12;

/// Reused memory.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// For each row in the air first its cell and its number among them, then itself and the number of the one that is to
    /// come there, then the two rows that change places.
    wanted: Vec<[u32; 2]>,
    /// How many rows there were the last time.
    known: usize,
}

/// Orders the rows in the air by place if they are many and lie scattered; those that have come since the last time also if
/// the others do not.
pub(super) fn by_place(scenery: &Aabb, particles: &mut Particles, memory: &mut Memory) {
    let cells = Cells::new(scenery);
    let known = std::mem::replace(&mut memory.known, particles.len());
    for first in [known.min(particles.len()), 0] {
        if particles.len() - first >= MANY && is_scattered(&cells, particles, first) {
            sort(&cells, particles, first, memory);
        }
    }
}

/// Whether most neighbours in memory, from a row on, are far from each other.
fn is_scattered(cells: &Cells, particles: &Particles, first: usize) -> bool {
    let stride = ((particles.len() - first) / SAMPLES).max(1);
    let flies = |row: usize| particles.status[row] == Status::Airborne;
    let pairs = (first + 1..particles.len()).step_by(stride);
    let (mut apart, mut seen) = (0, 0);
    for row in pairs.filter(|&row| flies(row - 1) && flies(row)) {
        seen += 1;
        let part = |row: usize| cells.of(&particles.position[row]) >> (HALVINGS - COARSE);
        apart += usize::from(part(row - 1) != part(row));
    }
    seen > SAMPLES / 16 && 2 * apart > seen
}

/// Sorts by cell, from a row on; among equals the first comes first.
fn sort(cells: &Cells, particles: &mut Particles, first: usize, memory: &mut Memory) {
    let wanted = &mut memory.wanted;
    let status = &particles.status[first..];
    let flying = || {
        let flies = |(_, s): &(u32, &Status)| **s == Status::Airborne;
        (first as u32..).zip(status).filter(flies).map(|(row, _)| row)
    };
    wanted.clear();
    wanted.reserve_exact(flying().count());
    wanted.extend(flying().zip(0..).map(|(row, number)| [row, number]));
    let cell = |row: u32| cells.of(&particles.position[row as usize]);
    wanted.par_iter_mut().for_each(|w| w[0] = cell(w[0]));
    wanted.par_sort_unstable();
    wanted.iter_mut().zip(flying()).for_each(|(w, row)| w[0] = row);
    for to in 0..wanted.len() {
        // Whoever was swapped away from where it was is where it was sent to, unless it went on from there.
        let mut from = wanted[to][1];
        while (from as usize) < to {
            from = wanted[from as usize][1];
        }
        wanted[to][1] = from;
    }
    for n in 0..wanted.len() {
        wanted[n][1] = wanted[wanted[n][1] as usize][0];
    }
    particles.swap(wanted);
}

/// Equal parts of a box: its longest side is halved, and again. The halves that a place is in, one bit each, are the number
/// of its cell, so that cells of near numbers are near each other (Morton 1966, where sides are halved in turn).
struct Cells {
    min: Point3,
    /// Cells a metre, along each axis.
    scale: [f64; 3],
    /// Cells along each axis, a power of two.
    count: [usize; 3],
    /// For each bit of a number, from the highest on, its axis.
    axis: [u8; HALVINGS],
}

impl Cells {
    fn new(bounds: &Aabb) -> Self {
        let extent = bounds.extent();
        let mut count = [1; 3];
        let axis = std::array::from_fn(|_| {
            let side = |axis: usize| extent[axis] / count[axis] as f64;
            let longest = (1..3).fold(
                0,
                |longest, axis| if side(axis) > side(longest) { axis } else { longest },
            );
            count[longest] *= 2;
            longest as u8
        });
        let scale = |axis: usize| count[axis] as f64 / extent[axis].max(f64::MIN_POSITIVE);
        Self {
            min: bounds.min,
            scale: std::array::from_fn(scale),
            count,
            axis,
        }
    }

    /// The cell of a place; places outside belong to the nearest one.
    fn of(&self, p: &Point3) -> u32 {
        let along = |axis: usize| {
            let cell = (p[axis] - self.min[axis]) * self.scale[axis];
            // A cast takes what is negative or no number to 0.
            (cell as usize).min(self.count[axis] - 1)
        };
        let mut left = [along(0), along(1), along(2)];
        let bits = (0..).zip(self.axis.iter().rev());
        bits.fold(0, |cell, (bit, &axis)| {
            let lowest = left[usize::from(axis)] as u32 & 1;
            left[usize::from(axis)] >>= 1;
            cell | lowest << bit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use crate::state::Birth;

    fn scattered(count: u64) -> Particles {
        let mut particles = Particles::default();
        let mut draws = stream(3, Purpose::Birth, 0, 0);
        for id in 0..count {
            let position = Point3::from(draws.in_ball());
            let birth = Birth {
                position,
                velocity: position.coords * 2.0,
                radius: position.x.abs(),
                material: id as u16,
                time: position.y,
                key: id + 1,
            };
            particles.push(id, &birth);
        }
        particles
    }

    fn bounds() -> Aabb {
        Aabb {
            min: Point3::new(-1.0, -0.5, -1.0),
            max: Point3::new(1.0, 0.5, 0.0),
        }
    }

    #[test]
    fn scattered_rows_are_ordered_as_wholes_and_those_at_rest_stay() {
        let mut p = scattered(40_000);
        let still = |row: usize| row % 3 == 1 && row > 20_000;
        for row in (0..p.len()).filter(|&row| still(row)) {
            p.status[row] = Status::Stuck;
        }
        p.foot = (0..30_000_u16).map(|row| [f32::from(row); 3]).collect();
        let before = p.clone();
        let cells = Cells::new(&bounds());
        assert!(is_scattered(&cells, &p, 0));
        by_place(&bounds(), &mut p, &mut Memory::default());
        let mut seen = vec![false; p.len()];
        for row in 0..p.len() {
            let id = p.id[row] as usize;
            assert_eq!(p.flyer(row), before.flyer(id), "row {row}");
            assert_eq!(p.foot[row], before.foot.get(id).copied().unwrap_or_default());
            assert!(!std::mem::replace(&mut seen[id], true), "{id} twice");
            assert!(!still(row) || id == row);
        }
        let flying: Vec<usize> = (0..p.len()).filter(|&row| !still(row)).collect();
        let cell = |row: &usize| cells.of(&p.position[*row]);
        assert!(flying.is_sorted_by_key(cell));
        let ordered = p.clone();
        by_place(&bounds(), &mut p, &mut Memory::default());
        assert!(p == ordered, "what is in order is left alone");
    }

    #[test]
    fn what_has_come_since_is_ordered_by_itself() {
        let (mut p, mut memory) = (scattered(90_000), Memory::default());
        by_place(&bounds(), &mut p, &mut memory);
        let old = p.clone();
        let more = scattered(20_000);
        for row in 0..more.len() {
            let birth = Birth {
                position: more.position[row],
                velocity: more.velocity[row],
                radius: more.radius[row],
                material: more.material[row],
                time: more.born[row],
                key: more.key[row],
            };
            p.push(90_000 + row as u64, &birth);
        }
        by_place(&bounds(), &mut p, &mut memory);
        assert_eq!(p.id[..90_000], old.id);
        let cells = Cells::new(&bounds());
        assert!(p.position[90_000..].is_sorted_by_key(|place| cells.of(place)));
        assert!(!p.id.is_sorted());
    }

    #[test]
    fn few_rows_are_left_alone() {
        let mut p = scattered(MANY as u64 - 1);
        let before = p.clone();
        by_place(&bounds(), &mut p, &mut Memory::default());
        assert!(p == before);
    }

    #[test]
    fn flat_empty_and_endless_boxes_have_cells_for_every_place() {
        let flat = Aabb {
            min: Point3::origin(),
            max: Point3::new(1.0, 0.0, 1.0),
        };
        for bounds in [flat, Aabb::EMPTY, flat.inflated(1e300)] {
            let cells = Cells::new(&bounds);
            for p in [
                [0.5; 3],
                [-1e300; 3],
                [1e300; 3],
                [f64::NAN; 3],
                [f64::INFINITY; 3],
            ] {
                assert!(cells.of(&Point3::from(p)) < 1 << HALVINGS);
            }
        }
        assert_eq!(Cells::new(&flat).count, [1 << 15, 1, 1 << 15]);
    }
}
