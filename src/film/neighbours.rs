//! Who lies near whom: a grid for each doubling of the reach, filled anew by counting sort.
//!
//! What a visit sees, and in which order, follows from places and rows alone, never from threads.

use rayon::prelude::*;

use crate::math::{Point3, Real, Vec3};

/// What a member of a layer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It may flow.
    Mobile,
    /// It was left behind or froze, and stays.
    Laid,
    /// It hangs on a thread, in the air.
    Hanging,
    /// A bead of a thread: it hangs in the air and stays.
    Thread,
}

impl Kind {
    /// Whether it may move.
    pub fn moves(self) -> bool {
        matches!(self, Self::Mobile | Self::Hanging)
    }
}

/// One particle as its neighbours see it.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Centre [m].
    pub at: Point3,
    /// Unit normal of what it lies on.
    pub normal: Vec3,
    /// Volume [m3].
    pub volume: Real,
    /// How far its volume is spread [m].
    pub reach: Real,
    /// Row of the particle.
    pub row: u32,
    /// What it is.
    pub kind: Kind,
}

/// All members, by place.
#[derive(Debug, Default)]
pub struct Neighbours {
    levels: Vec<Level>,
}

/// Members whose reach is at most `edge`, and more than half of it.
#[derive(Debug, Default)]
struct Level {
    /// Edge of a cell [m].
    edge: Real,
    shift: u32,
    /// First entry of each bucket, and the end of the last.
    start: Vec<u32>,
    /// Cell and member, by bucket, then by row.
    entries: Vec<(u64, Member)>,
}

impl Neighbours {
    /// Fills the grids; `least` [m] is the reach that most members have.
    pub fn fill(&mut self, members: &[Member], least: Real) {
        let level_of = |m: &Member| {
            let (mut level, mut edge) = (0, least);
            while edge < m.reach && level < MOST_LEVELS {
                edge *= 2.0;
                level += 1;
            }
            level
        };
        let levels: Vec<usize> = members.par_iter().map(level_of).collect();
        let count = levels.iter().max().map_or(0, |top| top + 1);
        self.levels.resize_with(count, Level::default);
        let mut edge = least;
        for (number, level) in self.levels.iter_mut().enumerate() {
            let rows: Vec<u32> = (0..members.len() as u32)
                .filter(|&i| levels[i as usize] == number)
                .collect();
            level.fill(members, &rows, edge);
            edge *= 2.0;
        }
    }

    /// Visits every member whose reach may hold `at`: first those that reach least, each grid in the order of its
    /// cells and, within a cell, of rows.
    #[inline]
    pub fn around(&self, at: &Point3, mut visit: impl FnMut(&Member)) {
        for level in &self.levels {
            level.around(at, &mut visit);
        }
    }
}

/// Reaches that differ by more than this many doublings share the last grid.
const MOST_LEVELS: usize = 40;

impl Level {
    fn fill(&mut self, members: &[Member], rows: &[u32], edge: Real) {
        self.edge = edge;
        let buckets = (2 * rows.len().max(8)).next_power_of_two();
        self.shift = 64 - buckets.trailing_zeros();
        let cells: Vec<u64> = rows
            .par_iter()
            .map(|&i| packed(&cell_of(&members[i as usize].at, edge)))
            .collect();
        self.start.clear();
        self.start.resize(buckets + 1, 0);
        cells
            .iter()
            .for_each(|&c| self.start[bucket(c, self.shift) + 1] += 1);
        for b in 0..buckets {
            self.start[b + 1] += self.start[b];
        }
        let mut next = self.start.clone();
        let mut order = vec![0u32; rows.len()];
        for (k, &c) in cells.iter().enumerate() {
            let slot = &mut next[bucket(c, self.shift)];
            order[*slot as usize] = k as u32;
            *slot += 1;
        }
        let entry = |&k: &u32| (cells[k as usize], members[rows[k as usize] as usize]);
        order.par_iter().map(entry).collect_into_vec(&mut self.entries);
    }

    #[inline]
    fn around(&self, at: &Point3, visit: &mut impl FnMut(&Member)) {
        let [x, y, z] = cell_of(at, self.edge);
        for k in z - 1..=z + 1 {
            for j in y - 1..=y + 1 {
                for i in x - 1..=x + 1 {
                    let cell = packed(&[i, j, k]);
                    let b = bucket(cell, self.shift);
                    let (from, to) = (self.start[b] as usize, self.start[b + 1] as usize);
                    for (c, member) in &self.entries[from..to] {
                        if *c == cell {
                            visit(member);
                        }
                    }
                }
            }
        }
    }
}

fn cell_of(at: &Point3, edge: Real) -> [i64; 3] {
    // One cell of room at the ends of the numbers, for those around.
    [at.x, at.y, at.z].map(|x| (x / edge).floor().clamp(-1e15, 1e15) as i64)
}

/// A cell in 63 bits. Cells two million edges apart may get the same number; neighbours never do.
fn packed(cell: &[i64; 3]) -> u64 {
    let [x, y, z] = cell.map(|c| c as u64 & 0x1f_ffff);
    x | y << 21 | z << 42
}

/// Fibonacci hashing (Knuth, vol. 3, section 6.4).
fn bucket(cell: u64, shift: u32) -> usize {
    (cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

/// Places around which something has moved: who is not near one need not look again.
#[derive(Debug, Default)]
pub struct Stirred {
    edge: Real,
    bits: Vec<u64>,
}

/// Bits of the table of stirred places; false alarms cost time and nothing else.
const STIRRED_BITS: u32 = 20;

impl Stirred {
    /// Forgets all places; `edge` [m] is how far a movement is felt at most.
    pub fn clear(&mut self, edge: Real) {
        self.edge = edge;
        self.bits.clear();
        self.bits.resize(1 << (STIRRED_BITS - 6), 0);
    }

    /// Marks a place and all that lie up to an edge away.
    pub fn mark(&mut self, at: &Point3) {
        let [x, y, z] = cell_of(at, self.edge);
        for k in z - 1..=z + 1 {
            for j in y - 1..=y + 1 {
                for i in x - 1..=x + 1 {
                    let bit = bucket(packed(&[i, j, k]), 64 - STIRRED_BITS);
                    self.bits[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
    }

    /// Whether a mark may lie near a place.
    pub fn holds(&self, at: &Point3) -> bool {
        let bit = bucket(packed(&cell_of(at, self.edge)), 64 - STIRRED_BITS);
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<Member> {
        let place = |i: u32, k: Real| (libm::sin(Real::from(i) * k) * 10.0).round() * 0.37;
        (0..400)
            .map(|i| Member {
                at: Point3::new(place(i, 1.1), place(i, 2.3), place(i, 3.7)),
                normal: Vec3::y(),
                volume: 1.0,
                reach: [0.5, 0.7, 2.9][i as usize % 3],
                row: i,
                kind: Kind::Mobile,
            })
            .collect()
    }

    #[test]
    fn everyone_whose_reach_holds_a_place_is_visited_once() {
        let all = members();
        let mut grid = Neighbours::default();
        grid.fill(&all, 0.5);
        for m in &all {
            let at = m.at + Vec3::new(0.1, -0.2, 0.05);
            let mut seen: Vec<u32> = vec![];
            grid.around(&at, |o| {
                if (o.at - at).norm() <= o.reach {
                    seen.push(o.row);
                }
            });
            seen.sort_unstable();
            let wanted: Vec<u32> = all
                .iter()
                .filter(|o| (o.at - at).norm() <= o.reach)
                .map(|o| o.row)
                .collect();
            assert_eq!(seen, wanted);
        }
    }

    #[test]
    fn a_mark_reaches_all_within_an_edge() {
        let mut stirred = Stirred::default();
        stirred.clear(0.5);
        let at = Point3::new(3.3, -7.1, 0.02);
        stirred.mark(&at);
        for d in [Vec3::x(), -Vec3::y(), Vec3::z()] {
            assert!(stirred.holds(&(at + d * 0.499)));
        }
        assert!(!stirred.holds(&(at + Vec3::x() * 2.0)));
    }
}
