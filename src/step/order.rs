//! Particles that are near in space brought near in memory, so that their flights ask for the same part of the scenery.
//!
//! Rows that lie still are not moved. Nothing that a run writes depends on the order of the rows: births, children and
//! frames go by birth numbers.

use crate::math::{Aabb, Point3};
use crate::state::{Particles, Status};

/// Fewer rows than this fit into the caches in any order.
const MANY: usize = 1 << 14;
/// Neighbours in memory that are looked at to tell whether an order is worth its while.
const SAMPLES: usize = 4096;
/// How often the box of the scenery is halved.
const HALVINGS: u32 = 12;
const CELLS: usize = 1 << HALVINGS;

/// Reused memory.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Rows in the air.
    rows: Vec<u32>,
    /// For each cell where its next row goes, and where its rows end, in `rows`.
    span: Vec<[u32; 2]>,
}

/// Orders the rows in the air by place if they are many and lie scattered.
pub(super) fn by_place(scenery: &Aabb, particles: &mut Particles, memory: &mut Memory) {
    let cells = Cells::new(scenery);
    if particles.len() >= MANY && is_scattered(&cells, particles) {
        sort(&cells, particles, memory);
    }
}

/// Whether most neighbours in memory are in different cells.
fn is_scattered(cells: &Cells, particles: &Particles) -> bool {
    let stride = (particles.len() / SAMPLES).max(1);
    let flies = |row: usize| particles.status[row] == Status::Airborne;
    let pairs = (1..particles.len()).step_by(stride);
    let (mut apart, mut seen) = (0, 0);
    for row in pairs.filter(|&row| flies(row - 1) && flies(row)) {
        seen += 1;
        apart += usize::from(cells.of(&particles.position[row - 1]) != cells.of(&particles.position[row]));
    }
    seen > SAMPLES / 16 && 2 * apart > seen
}

/// Sorts by cell in place: every cell's range is known from a count, and each row is swapped to where its cell goes on
/// until the range at hand is full (McIlroy, Bostic & McIlroy 1993, American flag sort).
fn sort(cells: &Cells, particles: &mut Particles, memory: &mut Memory) {
    let Memory { rows, span } = memory;
    let flying = (0..)
        .zip(&particles.status)
        .filter(|(_, s)| **s == Status::Airborne);
    rows.clear();
    rows.extend(flying.map(|(row, _)| row));
    span.clear();
    span.resize(CELLS, [0; 2]);
    for &row in &*rows {
        span[cells.of(&particles.position[row as usize])][1] += 1;
    }
    let mut end = 0;
    for range in &mut *span {
        *range = [end, end + range[1]];
        end = range[1];
    }
    for cell in 0..CELLS {
        while span[cell][0] < span[cell][1] {
            let row = rows[span[cell][0] as usize] as usize;
            let own = cells.of(&particles.position[row]);
            if own != cell {
                particles.swap(row, rows[span[own][0] as usize] as usize);
            }
            span[own][0] += 1;
        }
    }
}

/// Equal parts of a box: its longest side is halved, and again.
struct Cells {
    min: Point3,
    /// Cells a metre, along each axis.
    scale: [f64; 3],
    /// Cells along each axis, a power of two.
    count: [usize; 3],
}

impl Cells {
    fn new(bounds: &Aabb) -> Self {
        let extent = bounds.extent();
        let mut count = [1; 3];
        for _ in 0..HALVINGS {
            let side = |axis: usize| extent[axis] / count[axis] as f64;
            let longest = (1..3).fold(
                0,
                |longest, axis| if side(axis) > side(longest) { axis } else { longest },
            );
            count[longest] *= 2;
        }
        let scale = |axis: usize| count[axis] as f64 / extent[axis].max(f64::MIN_POSITIVE);
        Self {
            min: bounds.min,
            scale: std::array::from_fn(scale),
            count,
        }
    }

    /// The cell of a place; places outside belong to the nearest one.
    fn of(&self, p: &Point3) -> usize {
        let along = |axis: usize| {
            let cell = (p[axis] - self.min[axis]) * self.scale[axis];
            // A cast takes what is negative or no number to 0.
            (cell as usize).min(self.count[axis] - 1)
        };
        along(0) + self.count[0] * (along(1) + self.count[1] * along(2))
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
        let before = p.clone();
        let cells = Cells::new(&bounds());
        assert!(is_scattered(&cells, &p));
        by_place(&bounds(), &mut p, &mut Memory::default());
        let mut seen = vec![false; p.len()];
        for row in 0..p.len() {
            let id = p.id[row] as usize;
            assert_eq!(p.flyer(row), before.flyer(id), "row {row}");
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
                assert!(cells.of(&Point3::from(p)) < CELLS);
            }
        }
        assert_eq!(Cells::new(&flat).count, [64, 1, 64]);
    }
}
