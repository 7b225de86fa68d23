//! Reading a grid: distance and normal at a place, and how far a place is from the surface for certain.

use super::cells::{Cell, Store};
use super::{Grid, Sides};
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::Lookup;

/// What a field says of a place. Lengths are in the grid's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Distance from the surface; negative behind a closed one.
    pub distance: Real,
    /// Unit normal, to a few roundings of `f32`.
    pub normal: Vec3,
}

/// Shorter means of normals tell nothing: surfaces face each other there (the medial axis).
const LEAST_MEAN: Real = 0.3;
/// Share of a distance that its computation may be wrong by.
const ROUNDING: Real = 1e-6;

impl Grid {
    /// Distance and normal at a place; `None` outside the field and where it has no normal.
    #[inline]
    pub fn look(&self, p: &Point3, how: Lookup) -> Option<Sample> {
        let (at, offset) = self.layout.locate(p)?;
        let cell = self.store.cell(&self.layout, at);
        if !cell.is_set() {
            return None;
        }
        let sample = match how {
            Lookup::Plane => self.plane(&cell, &offset),
            Lookup::Nearest => self.as_it_is(&cell, &offset),
            Lookup::Trilinear => self
                .between(at, &offset)
                .unwrap_or_else(|| self.as_it_is(&cell, &offset)),
        };
        (sample.distance <= self.thickness).then_some(sample)
    }

    /// The distance carried on along the normal.
    #[inline]
    fn plane(&self, cell: &Cell, offset: &Vec3) -> Sample {
        let normal = Vec3::from(cell.n.map(Real::from));
        let distance = Real::from(cell.l) + self.layout.cell * normal.dot(offset);
        if distance < 0.0 && self.sides == Sides::Both {
            // The place is on the other side of the sheet than the middle of the cell.
            return Sample {
                distance: -distance,
                normal: -normal,
            };
        }
        Sample { distance, normal }
    }

    /// The distance at the middle of the cell; the side is that of the place.
    #[inline]
    fn as_it_is(&self, cell: &Cell, offset: &Vec3) -> Sample {
        Sample {
            distance: Real::from(cell.l),
            ..self.plane(cell, offset)
        }
    }

    /// Between eight cells; `None` where one of them has no normal, or they cancel.
    fn between(&self, at: [usize; 3], offset: &Vec3) -> Option<Sample> {
        let (low, part) = around(at, offset);
        let mut distance = 0.0;
        let mut normal = Vec3::zeros();
        for (cell, weight) in self.corners(low)?.iter().zip(weights(&part)) {
            if !cell.is_set() {
                return None;
            }
            distance += weight * Real::from(cell.l);
            normal += Vec3::from(cell.n.map(Real::from)) * weight;
        }
        let length = normal.norm();
        (length >= LEAST_MEAN).then(|| Sample {
            distance,
            normal: normal / length,
        })
    }

    fn corners(&self, low: [isize; 3]) -> Option<[Cell; 8]> {
        let mut cells = [Cell::default(); 8];
        for (k, cell) in cells.iter_mut().enumerate() {
            *cell = self.store.cell(&self.layout, self.corner(low, k)?);
        }
        Some(cells)
    }

    /// Corner `k` of the eight cells from `low` on, if it is there.
    #[inline]
    fn corner(&self, low: [isize; 3], k: usize) -> Option<[usize; 3]> {
        let mut at = [0; 3];
        for a in 0..3 {
            let i = low[a] + (k >> a & 1) as isize;
            if i < 0 || i >= self.layout.cells[a] as isize {
                return None;
            }
            at[a] = i as usize;
        }
        Some(at)
    }

    /// A distance that the place has at least from the surface, on either side: from one cell, quickly.
    ///
    /// The exact distance changes by no more than the way, so the cell's distance less the way to its middle is such a
    /// bound, whatever normals and signs say. Outside the grid it is the distance to the box around the mesh.
    #[inline]
    pub fn clearance_at_a_glance(&self, p: &Point3) -> Real {
        match self.layout.locate(p) {
            Some((at, offset)) => {
                let cell = self.store.cell(&self.layout, at);
                self.bound(&cell, offset.norm())
            }
            None => distance_to(&self.object, p) * (1.0 - ROUNDING),
        }
    }

    /// The largest such bound that the eight cells around give.
    pub fn clearance(&self, p: &Point3) -> Real {
        let Some((at, offset)) = self.layout.locate(p) else {
            return self.clearance_at_a_glance(p);
        };
        let (low, part) = around(at, &offset);
        let mut best = 0.0;
        for k in 0..8 {
            if let Some(at) = self.corner(low, k) {
                let away = Vec3::from([0, 1, 2].map(|a| part[a] - (k >> a & 1) as Real));
                let bound = self.bound(&self.store.cell(&self.layout, at), away.norm());
                best = if bound > best { bound } else { best };
            }
        }
        best
    }

    /// `away`: way from the middle of the cell [cells].
    #[inline]
    fn bound(&self, cell: &Cell, away: Real) -> Real {
        let known = Real::from(cell.l.abs() - self.store.excess());
        known * (1.0 - ROUNDING) - away * self.layout.cell * (1.0 + ROUNDING)
    }

    /// Bytes of memory, plain or compressed, and those of a dense array of the same cells: 16 a cell.
    pub fn bytes(&self) -> [u64; 2] {
        [self.store.bytes() as u64, 16 * self.layout.count()]
    }

    /// Whether it is compressed.
    pub fn is_compressed(&self) -> bool {
        matches!(self.store, Store::Compressed(_))
    }

    /// How far a distance that is read may be from the exact one, within the field: half a diagonal of a cell, and what
    /// compression adds.
    ///
    /// For nearest and trilinear look-ups that is a bound, because the exact distance changes by no more than the way. The
    /// plane form goes wrong by as much again at the most, at sharp edges; 0.15 cells were measured on a rounded body and
    /// 0.8 on a box.
    pub fn error(&self) -> Real {
        0.75_f64.sqrt() * self.layout.cell + Real::from(self.store.excess())
    }
}

/// Lowest of the eight cells around a place, and the place as an offset from its middle [cells], 0 .. 1.
#[inline]
fn around(at: [usize; 3], offset: &Vec3) -> ([isize; 3], Vec3) {
    let mut low = [0; 3];
    let mut part = *offset;
    for a in 0..3 {
        let back = offset[a] < 0.0;
        low[a] = at[a] as isize - isize::from(back);
        part[a] += if back { 1.0 } else { 0.0 };
    }
    (low, part)
}

#[inline]
fn weights(part: &Vec3) -> [Real; 8] {
    std::array::from_fn(|k| {
        (0..3)
            .map(|a| if k >> a & 1 == 1 { part[a] } else { 1.0 - part[a] })
            .product()
    })
}

/// Distance of a place to a box; 0 inside.
fn distance_to(b: &Aabb, p: &Point3) -> Real {
    let out = (b.min - p).sup(&(p - b.max));
    out.sup(&Vec3::zeros()).norm()
}
