//! Births one a cell of a parallelogram, row by row.

use super::Place;
use crate::math::{Point3, Real, Vec3};
use crate::rng::Stream;

/// Cells of a parallelogram; births past the last cell begin again at the first.
pub struct Grid {
    /// Corner [m].
    pub origin: Point3,
    /// First side [m]: the index runs along it fastest.
    pub u: Vec3,
    /// Second side [m].
    pub v: Vec3,
    /// Cells along the sides, at least 1 each.
    pub count: [u32; 2],
    /// Share of the cell over which births are spread, 0 .. 1.
    pub jitter: Real,
}

impl Place for Grid {
    fn place(&self, index: u64, _radius: Real, draws: &mut Stream) -> Point3 {
        let [nu, nv] = self.count.map(u64::from);
        let mut along = |cell: u64, cells: u64| {
            let shift = self.jitter * (draws.unit() - 0.5);
            (cell as Real + 0.5 + shift) / cells as Real
        };
        let a = along(index % nu, nu);
        let b = along(index / nu % nv, nv);
        self.origin + self.u * a + self.v * b
    }
}
