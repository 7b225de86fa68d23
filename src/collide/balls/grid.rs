//! A sparse grid of cells in blocks of 4 x 4 x 4: open addressing over blocks, a linked list of rows for each cell.
//!
//! It knows cells and row numbers, and neither radii nor sweeps. The table is also the coarse occupancy: where there is
//! no block there is nothing within its 64 cells.

use super::cells::Cells;
use crate::math::{Point3, Real};

/// No row.
pub const END: u32 = u32::MAX;
/// Cells along the edge of a block.
pub const SIDE: i32 = 4;
/// Largest cell number: 21 bits for a block. What lies beyond shares the outermost cells.
const FARTHEST: i32 = (1 << 22) - 1;
const VACANT: u32 = u32::MAX;

/// A place in the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    /// One bit for each cell that ever held something.
    occupied: u64,
    block: u32,
}

impl Slot {
    const VACANT: Self = Self {
        key: 0,
        occupied: 0,
        block: VACANT,
    };
}

/// The row that was put last into each cell of a block: four lines of memory.
#[derive(Debug)]
#[repr(align(64))]
struct Heads([u32; 64]);

/// Blocks that are looked up side by side: memory that is far away is not waited for at each of them in turn.
const BATCH: usize = 8;

/// Blocks that are remembered at once; among more they are looked up again.
const NEARBY: usize = 18;

/// Blocks around a part of a path.
pub struct Nearby<'a> {
    grid: &'a Grid,
    /// Their slots and places.
    blocks: [(Slot, [i32; 3]); NEARBY],
    count: usize,
}

impl Nearby<'_> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// [`Grid::visit`] for a range of the cells that they were looked up for.
    #[inline]
    pub fn visit(&self, cells: &Cells, mut each: impl FnMut(u32)) {
        let Some(blocks) = self.blocks.get(..self.count) else {
            self.grid.visit(cells, each);
            return;
        };
        let (low, high) = (cells.low.map(|c| c >> 2), cells.high.map(|c| c >> 2));
        for (slot, at) in blocks {
            if (0..3).all(|k| low[k] <= at[k] && at[k] <= high[k]) {
                self.grid.heads_of(slot, cells.mask(at), &mut each);
            }
        }
    }
}

/// The grid.
#[derive(Debug)]
pub struct Grid {
    inverse: Real,
    table: Vec<Slot>,
    blocks: Vec<Heads>,
}

impl Grid {
    /// An empty grid with cells of this edge [m], > 0.
    pub fn new(edge: Real) -> Self {
        Self {
            inverse: 1.0 / edge,
            table: vec![Slot::VACANT; 64],
            blocks: Vec::new(),
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<Slot>() + self.blocks.capacity() * size_of::<Heads>()
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.table.fill(Slot::VACANT);
    }

    /// Monotone, so that a range of places lies in the range of their cells.
    #[inline]
    fn number(&self, x: Real) -> i32 {
        let far = Real::from(FARTHEST);
        let x = (x * self.inverse).clamp(-far, far);
        let whole = x as i32;
        whole - i32::from(x < Real::from(whole))
    }

    #[inline]
    fn cell(&self, place: &Point3) -> [i32; 3] {
        std::array::from_fn(|i| self.number(place[i]))
    }

    /// The cells between two corners.
    #[inline]
    pub fn cells(&self, low: &Point3, high: &Point3) -> Cells {
        Cells {
            low: self.cell(low),
            high: self.cell(high),
        }
    }

    /// Puts a row first in the cell of its place and returns the one that was first before.
    pub fn push(&mut self, place: &Point3, row: u32) -> u32 {
        let cell = self.cell(place);
        let at = self.slot_for(key(cell.map(|c| c >> 2)));
        let (slot, lane) = (&mut self.table[at], lane(cell));
        slot.occupied |= 1 << lane;
        std::mem::replace(&mut self.blocks[slot.block as usize].0[lane], row)
    }

    /// The first row in the cell of a place, or [`END`].
    #[inline]
    pub fn head(&self, place: &Point3) -> u32 {
        let cell = self.cell(place);
        let block = self.table[self.find(key(cell.map(|c| c >> 2)))].block;
        self.blocks
            .get(block as usize)
            .map_or(END, |heads| heads.0[lane(cell)])
    }

    /// The first row in the cell of a place, to be changed.
    pub fn head_mut(&mut self, place: &Point3) -> Option<&mut u32> {
        let cell = self.cell(place);
        let block = self.table[self.find(key(cell.map(|c| c >> 2)))].block;
        self.blocks.get_mut(block as usize)?.0.get_mut(lane(cell))
    }

    /// The first row of every cell of every block, to be changed; most are [`END`].
    pub fn heads_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.blocks.iter_mut().flat_map(|heads| &mut heads.0)
    }

    /// The blocks that meet these cells, to visit parts of them.
    pub fn nearby(&self, cells: &Cells) -> Nearby<'_> {
        let mut nearby = Nearby {
            grid: self,
            blocks: [(Slot::VACANT, [0; 3]); NEARBY],
            count: 0,
        };
        self.blocks(cells, |slot, at| {
            if let Some(place) = nearby.blocks.get_mut(nearby.count) {
                *place = (*slot, *at);
            }
            nearby.count += 1;
        });
        nearby
    }

    /// Calls `each` with the first row of every cell in a range that ever held one; it may be [`END`] by now.
    #[inline]
    pub fn visit(&self, cells: &Cells, mut each: impl FnMut(u32)) {
        self.blocks(cells, |slot, at| self.heads_of(slot, cells.mask(at), &mut each));
    }

    /// Calls `each` with the first rows of those cells of a block that are in a mask.
    #[inline(always)]
    fn heads_of(&self, slot: &Slot, mask: u64, each: &mut impl FnMut(u32)) {
        let heads = &self.blocks[slot.block as usize].0;
        let mut left = slot.occupied & mask;
        while left != 0 {
            each(heads[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
    }

    /// Calls `each` with the slot and the place of every block that meets a range of cells.
    #[inline(always)]
    fn blocks(&self, cells: &Cells, mut each: impl FnMut(&Slot, &[i32; 3])) {
        if (0..3).any(|k| cells.low[k] > cells.high[k]) {
            return;
        }
        let (low, high) = (cells.low.map(|c| c >> 2), cells.high.map(|c| c >> 2));
        let mut asked = [([0; 3], Slot::VACANT); BATCH];
        let mut count = 0;
        let mut answer = |asked: &[([i32; 3], Slot)]| {
            for (at, slot) in asked.iter().filter(|(_, slot)| slot.block != VACANT) {
                let key = key(*at);
                if slot.key == key {
                    each(slot, at);
                } else if let slot = &self.table[self.find(key)]
                    && slot.block != VACANT
                {
                    each(slot, at);
                }
            }
        };
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let at = [x, y, z];
                    asked[count] = (at, self.table[self.first(key(at))]);
                    count += 1;
                    if count == BATCH {
                        answer(&asked);
                        count = 0;
                    }
                }
            }
        }
        answer(&asked[..count]);
    }

    /// Where a block sits, unless others came before it.
    #[inline]
    fn first(&self, key: u64) -> usize {
        hash(key) & (self.table.len() - 1)
    }

    /// The slot of a block, or the vacant one where it would sit.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mut at = self.first(key);
        while self.table[at].block != VACANT && self.table[at].key != key {
            at = (at + 1) & (self.table.len() - 1);
        }
        at
    }

    /// The slot of a block, which is made if there is none.
    fn slot_for(&mut self, key: u64) -> usize {
        let at = self.find(key);
        if self.table[at].block != VACANT {
            return at;
        }
        if 2 * (self.blocks.len() + 1) > self.table.len() {
            self.grow();
        }
        let slot = Slot {
            key,
            occupied: 0,
            block: self.blocks.len() as u32,
        };
        self.blocks.push(Heads([END; 64]));
        let at = self.find(key);
        self.table[at] = slot;
        at
    }

    fn grow(&mut self) {
        let vacant = vec![Slot::VACANT; 2 * self.table.len()];
        for slot in std::mem::replace(&mut self.table, vacant) {
            if slot.block != VACANT {
                let at = self.find(slot.key);
                self.table[at] = slot;
            }
        }
    }
}

impl Cells {
    /// Which cells of a block are in the range, one bit each. Products of masks with gaps: each bit of one is repeated at
    /// every bit of the other.
    #[inline]
    fn mask(&self, block: &[i32; 3]) -> u64 {
        let [x, y, z] = [0, 1, 2].map(|k| within(self.low[k], self.high[k], block[k]));
        x * spread4(y) * spread16(z)
    }
}

/// Three numbers of 21 bits in one.
#[inline]
fn key(block: [i32; 3]) -> u64 {
    let bits = |x: i32| (x as u64) & 0x1f_ffff;
    bits(block[0]) | bits(block[1]) << 21 | bits(block[2]) << 42
}

#[inline]
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

#[inline]
fn lane(cell: [i32; 3]) -> usize {
    let [x, y, z] = cell.map(|c| (c & (SIDE - 1)) as usize);
    x + 4 * y + 16 * z
}

/// Which of the four cells of a block along one axis are within a range, as bits.
#[inline]
fn within(low: i32, high: i32, block: i32) -> u64 {
    let first = (low - block * SIDE).max(0);
    let last = (high - block * SIDE).min(SIDE - 1);
    (0b1111 << first) & (0b1111 >> (SIDE - 1 - last))
}

#[inline]
fn spread4(bits: u64) -> u64 {
    (bits & 1) | (bits & 2) << 3 | (bits & 4) << 6 | (bits & 8) << 9
}

#[inline]
fn spread16(bits: u64) -> u64 {
    (bits & 1) | (bits & 2) << 15 | (bits & 4) << 30 | (bits & 8) << 45
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_visits_exactly_its_cells() {
        let mut grid = Grid::new(1.0);
        let at = |i: u32| {
            let c = |k: u32| Real::from((i / 11u32.pow(k)) % 11) - 5.0 + 0.5;
            Point3::new(c(0), c(1), c(2))
        };
        for i in 0..11 * 11 * 11 {
            assert_eq!(grid.push(&at(i), i), END);
        }
        for (low, high) in [
            ([-5.0; 3], [5.9; 3]),
            ([-4.5, -1.0, 0.2], [1.0, 3.3, 0.3]),
            ([2.1; 3], [2.2; 3]),
        ] {
            let cells = grid.cells(&Point3::from(low), &Point3::from(high));
            let mut found = Vec::new();
            grid.visit(&cells, |row| found.push(row));
            found.sort_unstable();
            let inside = |i: &u32| {
                (0..3).all(|k| low[k].floor() <= at(*i)[k].floor() && at(*i)[k].floor() <= high[k].floor())
            };
            let expected: Vec<u32> = (0..11 * 11 * 11).filter(inside).collect();
            assert_eq!(found, expected, "{low:?} {high:?}");
            for wide in [
                cells,
                grid.cells(&Point3::new(-5.0, -5.0, -4.0), &Point3::new(5.9, 5.9, 5.9)),
            ] {
                let (nearby, mut rows) = (grid.nearby(&wide), Vec::new());
                nearby.visit(&cells, |row| rows.push(row));
                rows.sort_unstable();
                assert_eq!(rows, found, "{} blocks", nearby.count);
            }
        }
        assert!(
            grid.nearby(&grid.cells(&Point3::new(20.0, 0.0, 0.0), &Point3::new(21.0, 9.0, 0.0)))
                .is_empty()
        );
    }

    #[test]
    fn places_beyond_all_cells_share_the_outermost() {
        let mut grid = Grid::new(1e-3);
        grid.push(&Point3::new(1e300, -1e300, 0.0), 1);
        grid.push(&Point3::new(1e200, Real::NEG_INFINITY, 0.0), 2);
        let cells = grid.cells(&Point3::new(1e9, -1e12, -1.0), &Point3::new(1e10, -1e11, 1.0));
        let mut found = Vec::new();
        grid.visit(&cells, |row| found.push(row));
        assert_eq!(found, [2]);
    }
}
