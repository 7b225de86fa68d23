//! A closed shape filled with equal particles on a lattice along the body's own axes, those at its surface moved out until
//! they touch it from inside.
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
/// Farthest that the middle of a cell at the surface is from a face [spacings of the lattice].
const REACH: Real = 1.4;
/// See [`Grain::slack`].
pub(super) const CUBES_FIT: Real = 0.01;
/// Rounds of moving a particle out to all its faces, which need not be square to each other.
const ROUNDS: usize = 32;
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

/// How particles lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Each in its cube: a box of whole cubes is filled exactly.
    #[default]
    Cubic,
    /// As close as can be, each in a rhombic dodecahedron (face-centred cubic): every other place of a finer cubic lattice.
    Close,
}

/// Steps of the lattice to those that share half of the faces of a cell; the other half is opposite.
const CUBIC: [[i32; 3]; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const CLOSE: [[i32; 3]; 6] = [
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
];

/// What bodies are made of, in the small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// How particles lie.
    pub packing: Packing,
    /// Radius of each, > 0 [m].
    pub radius: Real,
    /// Density of the cells, > 0 [kg/m3].
    pub density: Real,
}

impl Grain {
    /// Particles in cubes.
    pub fn cubic(radius: Real, density: Real) -> Self {
        Self {
            packing: Packing::Cubic,
            radius,
            density,
        }
    }

    /// Edge of the lattice [m].
    pub fn spacing(&self) -> Real {
        match self.packing {
            Packing::Cubic => 2.0 * self.radius,
            Packing::Close => std::f64::consts::SQRT_2 * self.radius,
        }
    }

    /// Mass of a cell [kg].
    fn each(&self) -> Real {
        let edge = self.spacing();
        let share = match self.packing {
            Packing::Cubic => 1.0,
            Packing::Close => 2.0,
        };
        share * self.density * edge * edge * edge
    }

    /// Inertia of a cell about its middle, by its mass [m2].
    fn gyration(&self) -> Real {
        let edge = self.spacing();
        match self.packing {
            Packing::Cubic => edge * edge / 6.0,
            Packing::Close => edge * edge / 4.0,
        }
    }

    /// Area of a face between two cells [m2].
    pub fn face(&self) -> Real {
        let edge = self.spacing();
        match self.packing {
            Packing::Cubic => edge * edge,
            Packing::Close => edge * edge / std::f64::consts::SQRT_2,
        }
    }

    /// Steps to half of those that a cell has a face with.
    pub fn steps(&self) -> &'static [[i32; 3]] {
        match self.packing {
            Packing::Cubic => &CUBIC,
            Packing::Close => &CLOSE,
        }
    }

    /// By how much a step of the lattice may stick out of the shape's box. In cubes a box of a whole number of them is filled
    /// exactly, whatever rounding made of its edges.
    fn slack(&self) -> Real {
        match self.packing {
            Packing::Cubic => CUBES_FIT,
            Packing::Close => 0.5,
        }
    }

    /// Whether a place of the lattice is taken.
    fn takes(&self, [x, y, z]: [i32; 3]) -> bool {
        self.packing == Packing::Cubic || (x + y + z) & 1 == 0
    }

    /// Steps of the lattice within which particles are neighbours: two diameters.
    fn near(&self) -> i32 {
        match self.packing {
            Packing::Cubic => 2,
            Packing::Close => 3,
        }
    }

    /// How far faces are looked for from the middle of a cell [m].
    pub fn reach(&self) -> Real {
        REACH * self.spacing()
    }
}

/// A place of the lattice in a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its numbers along the axes.
    pub at: [i32; 3],
    /// Its middle.
    pub middle: Point3,
    /// Faces near it, the nearest first.
    pub faces: Vec<Face>,
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
    /// Numbers of their cells.
    pub cells: Vec<u32>,
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

/// Cells of a shape, with the faces near each.
pub fn cells(solid: &dyn Solid, grain: &Grain) -> Result<Vec<Cell>, Unfilled> {
    let places = places(solid, grain.spacing(), grain.slack(), |at| grain.takes(at))?;
    let cell = |(at, middle): ([i32; 3], Point3)| {
        let mut faces = Vec::new();
        solid.faces(&middle, grain.reach(), &mut |face| faces.push(face));
        faces.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        Cell { at, middle, faces }
    };
    Ok(places.into_iter().map(cell).collect())
}

impl Fill {
    /// Fills a shape.
    pub fn new(solid: &dyn Solid, grain: &Grain) -> Result<Self, Unfilled> {
        Self::of_cells(&cells(solid, grain)?, grain).ok_or(Unfilled::TooCoarse)
    }

    /// Of these cells; `None` without any.
    pub fn of_cells(cells: &[Cell], grain: &Grain) -> Option<Self> {
        let middles: Vec<Point3> = cells.iter().map(|c| c.middle).collect();
        let mass = Mass::new(&middles, grain.each(), grain.gyration())?;
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        for (number, cell) in (0..).zip(cells) {
            let (place, normals) = at_surface(cell, grain.radius);
            if normals.all().is_empty() {
                inner.push(cell.middle - mass.center);
            } else {
                outer.push((number, place - mass.center, normals));
            }
        }
        let lattice: Vec<[i32; 3]> = outer.iter().map(|o| cells[o.0 as usize].at).collect();
        let (around, around_ends) = neighbours(&lattice, grain.near());
        let farthest = outer.iter().map(|o| o.1.norm()).fold(0.0, Real::max);
        let places = (outer.iter().map(|o| o.1)).chain(inner);
        Some(Self {
            radius: grain.radius,
            reach: farthest + grain.radius,
            around,
            around_ends,
            places: places.collect(),
            normals: outer.iter().map(|o| o.2).collect(),
            cells: outer.iter().map(|o| o.0).collect(),
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

/// For each cell those within so many steps of it along every axis, in order, and where each list ends.
fn neighbours(cells: &[[i32; 3]], near: i32) -> (Vec<u32>, Vec<u32>) {
    let by_place: BTreeMap<[i32; 3], u32> = cells.iter().copied().zip(0..).collect();
    let (mut around, mut ends) = (Vec::new(), vec![0]);
    for [x, y, z] in cells {
        let first = around.len();
        for (i, j) in (-near..=near).flat_map(|i| (-near..=near).map(move |j| (i, j))) {
            let row = [x + i, y + j, z - near]..=[x + i, y + j, z + near];
            around.extend(by_place.range(row).map(|(_, &n)| n));
        }
        around[first..].sort_unstable();
        ends.push(around.len() as u32);
    }
    (around, ends)
}

/// Places of a lattice that are taken and lie in the shape, and where. The lattice is centred in the box; a part of a step
/// that is left along an axis counts as a whole one from 1 - `slack` on.
pub(super) fn places(
    solid: &dyn Solid,
    edge: Real,
    slack: Real,
    takes: impl Fn([i32; 3]) -> bool,
) -> Result<Vec<([i32; 3], Point3)>, Unfilled> {
    let bounds = solid.bounds();
    let counts = bounds.extent().map(|length| (length / edge + slack).floor());
    if counts.min() < 1.0 {
        return Err(Unfilled::TooCoarse);
    }
    let all = counts.product();
    if all > MOST_CELLS || all.is_nan() {
        return Err(Unfilled::TooFine);
    }
    let low = bounds.center() - counts * (0.5 * edge);
    let [nx, ny, nz] = [counts.x as i32, counts.y as i32, counts.z as i32];
    let mut found = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in (0..nx).filter(|&x| takes([x, y, z])) {
                let at = Vec3::new(Real::from(x), Real::from(y), Real::from(z)).add_scalar(0.5);
                let middle = low + at * edge;
                if solid.holds(&middle) {
                    found.push(([x, y, z], middle));
                }
            }
        }
    }
    Ok(found)
}

/// The particle of a cell where it touches its faces, and their normals; without any for one within.
fn at_surface(cell: &Cell, radius: Real) -> (Point3, Normals) {
    let mut normals = Normals::default();
    let touched: Vec<&Face> = cell
        .faces
        .iter()
        .filter(|face| normals.add(&face.normal))
        .collect();
    let mut place = cell.middle;
    for _ in 0..ROUNDS {
        for face in &touched {
            let depth = (face.point - place).dot(&face.normal);
            place += face.normal * (depth - radius);
        }
    }
    (place, normals)
}

#[cfg(test)]
mod tests;
