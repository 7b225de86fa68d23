//! Cells in memory: blocks near the surface, and for those farther away one distance that is safe to believe.

use serde::{Deserialize, Serialize};

use super::layout::{IN_BLOCK, Layout, split};
use super::tree::Tree;

/// Normal and distance at the middle of a cell: a plane equation whose foot is there.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct Cell {
    /// Unit normal; zero where there is none.
    pub n: [f32; 3],
    /// Distance from the surface, rounded towards zero.
    pub l: f32,
}

impl Cell {
    /// A cell without a normal.
    pub fn unset(l: f32) -> Self {
        Self { n: [0.0; 3], l }
    }

    /// Whether it has a normal.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.n != [0.0; 3]
    }
}

/// Marks an entry of a table that holds a distance instead of a number: the sign of a float.
pub(super) const FAR: u32 = 1 << 31;

/// The entry for a region that is nowhere nearer to the surface than this.
pub(super) fn far(distance: f32) -> u32 {
    distance.max(0.0).to_bits() | FAR
}

/// The distance in such an entry; `None` in one that holds a number.
#[inline]
pub(super) fn distance_of(entry: u32) -> Option<f32> {
    (entry & FAR != 0).then(|| f32::from_bits(entry & !FAR))
}

/// The cells of a grid.
#[derive(Debug, Clone, PartialEq)]
pub enum Store {
    /// As they were made.
    Plain(Blocks),
    /// Compressed.
    Compressed(Tree),
}

/// Cells in blocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Blocks {
    /// An entry a block: the number of its cells' array, or [`far`].
    pub(super) top: Vec<u32>,
    /// Cells of all near blocks.
    pub(super) cells: Vec<Cell>,
}

impl Blocks {
    /// A cell that lies in the layout.
    #[inline]
    pub fn cell(&self, layout: &Layout, at: [usize; 3]) -> Cell {
        let (block, within) = split(at);
        let entry = self.top[layout.block_number(block)];
        match distance_of(entry) {
            Some(l) => Cell::unset(l),
            None => self.cells[entry as usize * IN_BLOCK + within],
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.top[..]) + size_of_val(&self.cells[..])
    }
}

impl Store {
    /// A cell that lies in the layout.
    #[inline]
    pub fn cell(&self, layout: &Layout, at: [usize; 3]) -> Cell {
        match self {
            Self::Plain(blocks) => blocks.cell(layout, at),
            Self::Compressed(tree) => tree.cell(layout, at),
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Plain(blocks) => blocks.bytes(),
            Self::Compressed(tree) => tree.bytes(),
        }
    }

    /// By how much a distance at the middle of a cell may be too large.
    #[inline]
    pub(super) fn excess(&self) -> f32 {
        match self {
            Self::Plain(_) => 0.0,
            Self::Compressed(tree) => tree.excess,
        }
    }
}

/// The nearest `f32` that is not larger in size.
pub(super) fn towards_zero(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y).abs() > x.abs() {
        f32::from_bits(y.to_bits() - 1)
    } else {
        y
    }
}
