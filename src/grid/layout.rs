//! Where cells stand: a box of equal cubes, in blocks of 4 x 4 x 4.

use serde::{Deserialize, Serialize};

use super::Fault;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::{GridShape, Resolution};

/// Cells along the edge of a block.
pub const BLOCK: usize = 4;
/// Cells of a block.
pub const IN_BLOCK: usize = BLOCK * BLOCK * BLOCK;
/// Most cells along a side: a block table of 64 MB.
pub const MOST_CELLS: u32 = 1024;
/// Rounds of the blur when the thickness is not given.
const ROUNDS: u32 = 3;
/// Most rounds: a field 64 or more cells thick is better made of larger cells.
const MOST_ROUNDS: u32 = 32;

/// The cells of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Lowest corner.
    pub origin: Point3,
    /// Edge of a cell.
    pub cell: Real,
    /// Cells along x, y, z: whole blocks.
    pub cells: [u32; 3],
}

/// A layout, and how far the field of a shape reaches in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The cells.
    pub layout: Layout,
    /// Reach of the field.
    pub thickness: Real,
    /// Rounds of the blur.
    pub rounds: u32,
}

impl Plan {
    /// Cells around a mesh with this box. The field and one cell more fit around it.
    pub fn new(object: &Aabb, shape: &GridShape) -> Result<Self, Fault> {
        let longest = object.extent().max();
        let reach = Real::from(ROUNDS * shape.blur);
        let cell = match shape.resolution {
            Resolution::Edge(edge) => edge,
            Resolution::Cells(n) => {
                let n = Real::from(n) - 2.0;
                match shape.thickness {
                    Some(thickness) => (longest + 2.0 * thickness) / n,
                    None => longest / (n - 2.0 * reach),
                }
            }
        };
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(Fault::TooFewCells);
        }
        let thickness = shape.thickness.unwrap_or(reach * cell);
        let layers = thickness / cell;
        if layers < 2.0 {
            return Err(Fault::TooThin { layers });
        }
        let rounds = (layers / Real::from(shape.blur)).ceil();
        if rounds > Real::from(MOST_ROUNDS) {
            return Err(Fault::TooThick { layers });
        }
        let room = object.inflated(thickness + cell);
        let count = room.extent() / cell;
        if count.max() > Real::from(MOST_CELLS) {
            return Err(Fault::TooManyCells { cells: count.max() });
        }
        // A hair less, so that rounding does not add a layer; then up to whole blocks.
        let cells = [0, 1, 2].map(|a| (count[a] * (1.0 - 1e-9)).ceil().max(1.0) as u32);
        let cells = cells.map(|n| n.next_multiple_of(BLOCK as u32));
        let size = Vec3::from(cells.map(Real::from)) * cell;
        let layout = Layout {
            origin: object.center() - 0.5 * size,
            cell,
            cells,
        };
        Ok(Self {
            layout,
            thickness,
            rounds: rounds as u32,
        })
    }
}

impl Layout {
    /// Blocks along x, y, z.
    pub fn blocks(&self) -> [usize; 3] {
        self.cells.map(|n| (n as usize).div_ceil(BLOCK))
    }

    /// Number of a block.
    pub fn block_number(&self, [x, y, z]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.blocks();
        (z * ny + y) * nx + x
    }

    /// Where the block of a number stands.
    pub fn block_at(&self, number: usize) -> [usize; 3] {
        let [nx, ny, _] = self.blocks();
        [number % nx, number / nx % ny, number / nx / ny]
    }

    /// Middle of a cell.
    pub fn center(&self, cell: [usize; 3]) -> Point3 {
        self.origin + Vec3::from(cell.map(|i| i as Real + 0.5)) * self.cell
    }

    /// Middle of a box of cells with this lowest cell and edge [cells].
    pub fn middle(&self, low: [usize; 3], edge: usize) -> Point3 {
        self.origin + Vec3::from(low.map(|i| i as Real + 0.5 * edge as Real)) * self.cell
    }

    /// How many cells there are.
    pub fn count(&self) -> u64 {
        self.cells.iter().map(|n| u64::from(*n)).product()
    }

    /// The cell in which a place lies, and the place as an offset from its middle [cells]; `None` outside.
    #[inline]
    pub fn locate(&self, p: &Point3) -> Option<([usize; 3], Vec3)> {
        let at = (p - self.origin) / self.cell;
        let mut cell = [0; 3];
        let mut offset = at;
        for a in 0..3 {
            if !(at[a] >= 0.0 && at[a] < Real::from(self.cells[a])) {
                return None;
            }
            // In range, so the cast cuts off the fraction only.
            let i = at[a] as u32;
            cell[a] = i as usize;
            offset[a] -= Real::from(i) + 0.5;
        }
        Some((cell, offset))
    }
}

/// Block of a cell, and number of the cell in it.
#[inline]
pub fn split(cell: [usize; 3]) -> ([usize; 3], usize) {
    let [x, y, z] = cell.map(|i| i % BLOCK);
    (cell.map(|i| i / BLOCK), (z * BLOCK + y) * BLOCK + x)
}

/// The cells of a block, in order of their numbers in it.
pub fn cells_of(block: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..IN_BLOCK).map(move |i| {
        let within = [i % BLOCK, i / BLOCK % BLOCK, i / BLOCK / BLOCK];
        [0, 1, 2].map(|a| block[a] * BLOCK + within[a])
    })
}
