//! A closed shape filled with equal particles on a cubic lattice along the body's own axes, those at its surface moved
//! out until they touch it from inside.
//!
//! After section 3 of Dingle (2004), Volumetric particle separating planes. What the paper calls surface normals comes
//! from the faces of the shape, not from empty places of the lattice, which only know six directions.

use std::collections::BTreeMap;

use super::mass::Mass;
use crate::math::{Aabb, Point3, Real, Vec3};

/// Most normals that a particle keeps: one on a face, two on an edge, three at a corner.
pub const MOST_NORMALS: usize = 3;
/// Cosine below which two faces count as different: 20 degrees.
const DIFFERENT: Real = 0.94;
/// A particle whose cell is within this much more than its depth of a face belongs to the surface [edges of a cell].
const REACH: Real = 0.9;
/// Rounds of moving a particle out to all its faces, which need not be square to each other.
const ROUNDS: usize = 8;
/// Cells at the most.
pub const MOST_CELLS: Real = 4e6;

/// A face near a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Distance of the face [m].
    pub distance: Real,
    /// Its closest point.
    pub point: Point3,
    /// Its outward unit normal.
    pub normal: Vec3,
}

/// What can be filled.
pub trait Solid {
    /// Box around it.
    fn bounds(&self) -> Aabb;
    /// Whether a place lies in it.
    fn holds(&self, place: &Point3) -> bool;
    /// Calls `found` for every face within `reach` of a place.
    fn faces(&self, place: &Point3, reach: Real, found: &mut dyn FnMut(Face));
}

/// Outward unit normals of the faces that a particle touches.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Normals {
    count: u8,
    all: [Vec3; MOST_NORMALS],
}

impl Normals {
    /// The normals.
    pub fn all(&self) -> &[Vec3] {
        &self.all[..usize::from(self.count)]
    }

    /// Adds a normal, unless there is one like it or there are enough.
    fn add(&mut self, normal: &Vec3) -> bool {
        let new =
            usize::from(self.count) < MOST_NORMALS && self.all().iter().all(|n| n.dot(normal) < DIFFERENT);
        if new {
            self.all[usize::from(self.count)] = *normal;
            self.count += 1;
        }
        new
    }
}

/// The particles of a body, from its centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill {
    /// Radius of each [m]: half an edge of a cell.
    pub radius: Real,
    /// Centres [m]; those at the surface come first.
    pub places: Vec<Vec3>,
    /// Normals of the faces that each of the particles at the surface touches.
    pub normals: Vec<Normals>,
    /// Neighbours of each particle at the surface, one list after the other, and where the lists end.
    around: Vec<u32>,
    around_ends: Vec<u32>,
    /// The mass of the cells.
    pub mass: Mass,
    /// Distance of the farthest particle's far side from the centre [m].
    pub reach: Real,
}

/// Why a shape cannot be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfilled {
    /// No middle of a cell lies in it.
    TooCoarse,
    /// More than [`MOST_CELLS`] cells.
    TooFine,
}

impl Fill {
    /// Fills a shape with particles of this radius [m]; density [kg/m3].
    pub fn new(solid: &dyn Solid, radius: Real, density: Real) -> Result<Self, Unfilled> {
        let edge = 2.0 * radius;
        let cells = cells_of(solid, edge)?;
        let middles: Vec<Point3> = cells.iter().map(|c| c.1).collect();
        let mass = Mass::of_cubes(&middles, edge, density).ok_or(Unfilled::TooCoarse)?;
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        for (cell, middle) in cells {
            let (place, normals) = at_surface(solid, &middle, radius);
            if normals.all().is_empty() {
                inner.push(middle - mass.center);
            } else {
                outer.push((cell, place - mass.center, normals));
            }
        }
        let cells: Vec<[i32; 3]> = outer.iter().map(|o| o.0).collect();
        let (around, around_ends) = neighbours(&cells);
        let farthest = outer.iter().map(|o| o.1.norm()).fold(0.0, Real::max);
        let places = (outer.iter().map(|o| o.1)).chain(inner);
        Ok(Self {
            radius,
            reach: farthest + radius,
            around,
            around_ends,
            places: places.collect(),
            normals: outer.iter().map(|o| o.2).collect(),
            mass,
        })
    }

    /// The particles at the surface.
    pub fn surface(&self) -> &[Vec3] {
        &self.places[..self.normals.len()]
    }

    /// The particles at the surface within two cells of one of them along every axis, itself included.
    pub fn around(&self, particle: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|k| self.around_ends[particle as usize + k] as usize);
        &self.around[from..to]
    }
}

/// For each cell those within two of it along every axis, in order, and where each list ends.
fn neighbours(cells: &[[i32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let by_place: BTreeMap<[i32; 3], u32> = cells.iter().copied().zip(0..).collect();
    let (mut around, mut ends) = (Vec::new(), vec![0]);
    for [x, y, z] in cells {
        let first = around.len();
        for (i, j) in (-2..=2).flat_map(|i| (-2..=2).map(move |j| (i, j))) {
            let row = [x + i, y + j, z - 2]..=[x + i, y + j, z + 2];
            around.extend(by_place.range(row).map(|(_, &n)| n));
        }
        around[first..].sort_unstable();
        ends.push(around.len() as u32);
    }
    (around, ends)
}

/// Cells whose middles lie in the shape, and those middles. The lattice is centred in the box.
pub(super) fn cells_of(solid: &dyn Solid, edge: Real) -> Result<Vec<([i32; 3], Point3)>, Unfilled> {
    let bounds = solid.bounds();
    // A box of a whole number of cells is filled exactly, whatever rounding made of its edges.
    let counts = bounds.extent().map(|length| (length / edge + 0.01).floor());
    if counts.min() < 1.0 {
        return Err(Unfilled::TooCoarse);
    }
    let all = counts.product();
    if all > MOST_CELLS || all.is_nan() {
        return Err(Unfilled::TooFine);
    }
    let low = bounds.center() - counts * (0.5 * edge);
    let [nx, ny, nz] = [counts.x as i32, counts.y as i32, counts.z as i32];
    let mut cells = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let at = Vec3::new(Real::from(x), Real::from(y), Real::from(z)).add_scalar(0.5);
                let middle = low + at * edge;
                if solid.holds(&middle) {
                    cells.push(([x, y, z], middle));
                }
            }
        }
    }
    Ok(cells)
}

/// A particle at the surface where it touches its faces, and their normals; without any for one within.
fn at_surface(solid: &dyn Solid, middle: &Point3, radius: Real) -> (Point3, Normals) {
    let mut faces = Vec::new();
    solid.faces(middle, radius * (1.0 + 2.0 * REACH), &mut |face| faces.push(face));
    faces.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut normals = Normals::default();
    faces.retain(|face| normals.add(&face.normal));
    let mut place = *middle;
    for _ in 0..ROUNDS {
        for face in &faces {
            let depth = (face.point - place).dot(&face.normal);
            place += face.normal * (depth - radius);
        }
    }
    (place, normals)
}

#[cfg(test)]
mod tests {
    use super::super::shapes::{Ball, Boxes, Turned};
    use super::*;
    use crate::math::Quaternion;

    #[test]
    fn a_cube_has_faces_edges_and_corners() {
        let fill = Fill::new(&Boxes::cuboid(1.0, 1.0, 1.0), 0.0625, 8.0).expect("a fill");
        assert_eq!(fill.places.len(), 512);
        let count = |n: usize| fill.normals.iter().filter(|of| of.all().len() == n).count();
        assert_eq!([count(1), count(2), count(3)], [6 * 36, 12 * 6, 8]);
        assert!((fill.mass.mass - 8.0).abs() < 1e-12 && fill.mass.center.coords.norm() < 1e-12);
        // All touch their faces from inside already.
        let outermost = fill.surface().iter().map(|p| p.amax()).fold(0.0, Real::max);
        assert!((outermost - (0.5 - 0.0625)).abs() < 1e-12);
    }

    #[test]
    fn what_lies_askew_to_its_faces_touches_them_all_the_same() {
        let turn = Quaternion::from_axis_angle(&nalgebra::Unit::new_normalize(Vec3::new(1.0, 2.0, 0.5)), 0.6);
        let fill = Fill::new(&Turned(Boxes::cuboid(1.0, 1.0, 1.0), turn), 0.03, 1.0).expect("a fill");
        for (place, normals) in fill.surface().iter().zip(&fill.normals) {
            let p = turn.inverse() * (place + fill.mass.center.coords);
            assert!(p.amax() <= 0.5 - 0.03 + 1e-9, "{p}");
            for normal in normals.all() {
                let n = turn.inverse() * normal;
                assert!((p.dot(&n) - (0.5 - 0.03)).abs() < 1e-9, "{p} {n}");
            }
        }
    }

    #[test]
    fn a_ball_keeps_its_normals() {
        let fill = Fill::new(&Ball(1.0), 0.05, 1.0).expect("a fill");
        for (place, normals) in fill.surface().iter().zip(&fill.normals) {
            assert_eq!(normals.all().len(), 1);
            assert!(
                (place.norm() - 0.95).abs() < 1e-9 && (place.normalize() - normals.all()[0]).norm() < 1e-9
            );
        }
        let share = fill.mass.mass / (4.0 / 3.0 * std::f64::consts::PI);
        assert!((share - 1.0).abs() < 0.02, "{share}");
    }

    #[test]
    fn what_cannot_be_filled_is_told() {
        assert_eq!(
            Fill::new(&Boxes::cuboid(1.0, 1.0, 1.0), 1e-4, 1.0),
            Err(Unfilled::TooFine)
        );
        let apart = Boxes::of(&[[0.0, 0.0, 0.0, 0.1, 0.1, 0.1], [0.9, 0.9, 0.9, 1.0, 1.0, 1.0]]);
        assert_eq!(Fill::new(&apart, 0.5, 1.0), Err(Unfilled::TooCoarse));
    }
}
