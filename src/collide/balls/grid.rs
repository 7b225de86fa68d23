//! A sparse grid of cells in blocks of 4 x 4 x 4: open addressing over blocks, a linked list of rows for each cell.
//!
//! It knows cells and row numbers, and neither radii nor sweeps. The table is also the coarse occupancy: where there is
//! no block there is nothing within its 64 cells.

use crate::math::{Point3, Real};

/// No row.
pub const END: u32 = u32::MAX;
/// Cells along the edge of a block.
pub const SIDE: i32 = 4;
/// Largest cell number: 21 bits for a block. What lies beyond shares the outermost cells.
const FARTHEST: i32 = (1 << 22) - 1;
const VACANT: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    block: u32,
}

#[derive(Debug)]
struct Block {
    /// One bit for each cell that holds something.
    occupied: u64,
    /// The row that was put last into each cell.
    heads: [u32; 64],
}

impl Block {
    /// The first rows of the cells within two masks, of x and of y and z.
    #[inline(always)]
    fn each(&self, x: u64, yz: u64, each: &mut impl FnMut(u32)) {
        // Products of masks with gaps: each bit of one is repeated at every bit of the other.
        let mut left = self.occupied & (x * yz);
        while left != 0 {
            each(self.heads[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
    }
}

/// A range of cells, both ends inside.
#[derive(Debug, Clone, Copy)]
pub struct Cells {
    low: [i32; 3],
    high: [i32; 3],
}

impl Cells {
    /// Without those of a range that was seen before, where the rest is a range: that is so if along the other two axes
    /// nothing is new.
    pub fn beyond(&self, seen: &Self, axis: usize) -> Self {
        let mut new = *self;
        let within = |k: usize| k == axis || seen.low[k] <= self.low[k] && self.high[k] <= seen.high[k];
        if (0..3).all(within) {
            if seen.low[axis] <= self.low[axis] {
                new.low[axis] = self.low[axis].max(seen.high[axis] + 1);
            } else if self.high[axis] <= seen.high[axis] {
                new.high[axis] = self.high[axis].min(seen.low[axis] - 1);
            }
        }
        new
    }
}

impl Cells {
    /// The smallest range that holds both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Whether all of a range lie in this.
    pub fn holds(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.low[k] && other.high[k] <= self.high[k])
    }

    /// How many they are.
    pub fn count(&self) -> i64 {
        let length = |k: usize| i64::from((self.high[k] - self.low[k] + 1).max(0));
        length(0).saturating_mul(length(1)).saturating_mul(length(2))
    }

    /// Those that are not in a range that lies within this: in slabs, some of which may be empty.
    pub fn around(&self, inner: &Self) -> [Self; 6] {
        let mut rest = *self;
        let mut slabs = [*self; 6];
        for k in 0..3 {
            slabs[2 * k] = rest;
            slabs[2 * k].high[k] = inner.low[k] - 1;
            slabs[2 * k + 1] = rest;
            slabs[2 * k + 1].low[k] = inner.high[k] + 1;
            (rest.low[k], rest.high[k]) = (inner.low[k], inner.high[k]);
        }
        slabs
    }
}

/// Blocks that are remembered at once; among more they are looked up again.
const NEARBY: usize = 18;

/// Blocks around a part of a path.
pub struct Nearby<'a> {
    grid: &'a Grid,
    /// Their numbers and places.
    blocks: [(u32, [i32; 3]); NEARBY],
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
        for (block, at) in blocks {
            if (0..3).all(|k| low[k] <= at[k] && at[k] <= high[k]) {
                let [x, y, z] = [0, 1, 2].map(|k| within(cells.low[k], cells.high[k], at[k]));
                self.grid.blocks[*block as usize].each(x, spread4(y) * spread16(z), &mut each);
            }
        }
    }
}

/// The grid.
#[derive(Debug)]
pub struct Grid {
    inverse: Real,
    table: Vec<Slot>,
    blocks: Vec<Block>,
}

impl Grid {
    /// An empty grid with cells of this edge [m], > 0.
    pub fn new(edge: Real) -> Self {
        let vacant = Slot {
            key: 0,
            block: VACANT,
        };
        Self {
            inverse: 1.0 / edge,
            table: vec![vacant; 64],
            blocks: Vec::new(),
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<Slot>() + self.blocks.capacity() * size_of::<Block>()
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.table.iter_mut().for_each(|slot| slot.block = VACANT);
    }

    /// Monotone, so that a range of places lies in the range of their cells.
    #[inline]
    fn number(&self, x: Real) -> i32 {
        let far = Real::from(FARTHEST);
        let x = (x * self.inverse).clamp(-far, far);
        let whole = x as i32;
        whole - i32::from(x < Real::from(whole))
    }

    /// The cells between two corners.
    #[inline]
    pub fn cells(&self, low: &Point3, high: &Point3) -> Cells {
        Cells {
            low: std::array::from_fn(|i| self.number(low[i])),
            high: std::array::from_fn(|i| self.number(high[i])),
        }
    }

    /// Puts a row first in the cell of its place and returns the one that was first before.
    pub fn push(&mut self, place: &Point3, row: u32) -> u32 {
        let cell: [i32; 3] = std::array::from_fn(|i| self.number(place[i]));
        let block = self.block_for(key(cell.map(|c| c >> 2)));
        let lane = lane(cell);
        block.occupied |= 1 << lane;
        std::mem::replace(&mut block.heads[lane], row)
    }

    /// The first row in the cell of a place, or [`END`].
    #[inline]
    pub fn head(&self, place: &Point3) -> u32 {
        let cell: [i32; 3] = std::array::from_fn(|i| self.number(place[i]));
        self.find(key(cell.map(|c| c >> 2)))
            .map_or(END, |block| self.blocks[block as usize].heads[lane(cell)])
    }

    /// The first row in the cell of a place, to be changed.
    pub fn head_mut(&mut self, place: &Point3) -> Option<&mut u32> {
        let cell: [i32; 3] = std::array::from_fn(|i| self.number(place[i]));
        let block = self.find(key(cell.map(|c| c >> 2)))?;
        self.blocks[block as usize].heads.get_mut(lane(cell))
    }

    /// The first row of every cell of every block, to be changed; most are [`END`].
    pub fn heads_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.blocks.iter_mut().flat_map(|block| &mut block.heads)
    }

    /// The blocks that meet these cells, to visit parts of them.
    pub fn nearby(&self, cells: &Cells) -> Nearby<'_> {
        let mut nearby = Nearby {
            grid: self,
            blocks: [(0, [0; 3]); NEARBY],
            count: 0,
        };
        let (low, high) = (cells.low.map(|c| c >> 2), cells.high.map(|c| c >> 2));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    if let Some(block) = self.find(key([x, y, z])) {
                        if let Some(place) = nearby.blocks.get_mut(nearby.count) {
                            *place = (block, [x, y, z]);
                        }
                        nearby.count += 1;
                    }
                }
            }
        }
        nearby
    }

    /// Calls `each` with the first row of every cell in a range that ever held one; it may be [`END`] by now.
    #[inline]
    pub fn visit(&self, cells: &Cells, mut each: impl FnMut(u32)) {
        if (0..3).any(|k| cells.low[k] > cells.high[k]) {
            return;
        }
        let (low, high) = (cells.low.map(|c| c >> 2), cells.high.map(|c| c >> 2));
        for z in low[2]..=high[2] {
            let mask_z = spread16(within(cells.low[2], cells.high[2], z));
            for y in low[1]..=high[1] {
                let mask_y = spread4(within(cells.low[1], cells.high[1], y));
                for x in low[0]..=high[0] {
                    let Some(block) = self.find(key([x, y, z])) else {
                        continue;
                    };
                    let mask_x = within(cells.low[0], cells.high[0], x);
                    self.blocks[block as usize].each(mask_x, mask_y * mask_z, &mut each);
                }
            }
        }
    }

    #[inline]
    fn find(&self, key: u64) -> Option<u32> {
        let mask = self.table.len() - 1;
        let mut at = hash(key) & mask;
        loop {
            let slot = self.table[at];
            if slot.block == VACANT {
                return None;
            }
            if slot.key == key {
                return Some(slot.block);
            }
            at = (at + 1) & mask;
        }
    }

    fn block_for(&mut self, key: u64) -> &mut Block {
        let block = match self.find(key) {
            Some(block) => block,
            None => {
                if 2 * (self.blocks.len() + 1) > self.table.len() {
                    self.grow();
                }
                let block = self.blocks.len() as u32;
                self.blocks.push(Block {
                    occupied: 0,
                    heads: [END; 64],
                });
                seat(&mut self.table, Slot { key, block });
                block
            }
        };
        &mut self.blocks[block as usize]
    }

    fn grow(&mut self) {
        let vacant = Slot {
            key: 0,
            block: VACANT,
        };
        let mut table = vec![vacant; 2 * self.table.len()];
        for slot in self.table.iter().filter(|slot| slot.block != VACANT) {
            seat(&mut table, *slot);
        }
        self.table = table;
    }
}

/// Puts a slot into the first vacant place; there is one, for at most half are taken.
fn seat(table: &mut [Slot], slot: Slot) {
    let mask = table.len() - 1;
    let mut at = hash(slot.key) & mask;
    while table[at].block != VACANT {
        at = (at + 1) & mask;
    }
    table[at] = slot;
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
    fn what_is_beyond_a_range_and_the_range_are_all() {
        let range = |low: i32, high: i32| Cells {
            low: [low, 0, 0],
            high: [high, 3, 3],
        };
        let inside = |c: &Cells, x: i32| c.low[0] <= x && x <= c.high[0];
        for (a, b) in [(0, 4), (-3, 2), (2, 9), (-2, -1), (5, 6), (-5, 9), (1, 2)] {
            let (new, seen) = (range(a, b), range(0, 4));
            let beyond = new.beyond(&seen, 0);
            for x in -9..12 {
                let either = inside(&beyond, x) || inside(&seen, x);
                assert_eq!(either && inside(&new, x), inside(&new, x), "{a} {b} {x}");
                assert!(!inside(&beyond, x) || inside(&new, x));
            }
            let mut wider = new;
            wider.high[1] = 4;
            assert_eq!(wider.beyond(&seen, 0).low, wider.low);
        }
        assert_eq!(range(2, 9).beyond(&range(0, 4), 0).low[0], 5);
        assert_eq!(range(-3, 2).beyond(&range(0, 4), 0).high[0], -1);
    }

    #[test]
    fn slabs_around_a_range_hold_the_rest_once() {
        let range = |low: [i32; 3], high: [i32; 3]| Cells { low, high };
        let inside = |c: &Cells, p: [i32; 3]| (0..3).all(|k| c.low[k] <= p[k] && p[k] <= c.high[k]);
        let inner = range([0, 1, -2], [2, 2, -1]);
        for other in [
            range([0, 1, -2], [2, 2, -1]),
            range([-1, 1, -2], [1, 4, -2]),
            range([-3, -3, -3], [4, 4, 4]),
            range([2, 2, -1], [5, 5, 5]),
        ] {
            let all = inner.union(&other);
            assert!(all.holds(&inner) && all.holds(&other));
            let mut cells = 0;
            for n in 0..12_i32.pow(3) {
                let p = [n % 12 - 6, n / 12 % 12 - 6, n / 144 - 6];
                let slabs = all.around(&inner).iter().filter(|s| inside(s, p)).count();
                let expected = inside(&all, p) && !inside(&inner, p);
                assert_eq!(slabs, usize::from(expected), "{p:?}");
                cells += i64::from(inside(&all, p));
            }
            assert_eq!(cells, all.count());
        }
    }

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
