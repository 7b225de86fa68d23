//! An elastic body at rest: cubes, their corners as masses, and springs along edges and diagonals.
//!
//! Stiffnesses follow from the energy of a uniform strain (Born & Huang 1954, Dynamical theory of crystal lattices), so
//! that finer cells make the same material; Poisson's ratio is 1/4, as of all central forces. Each cube brings its share of
//! every spring and mass on it: a body then stretches right up to its free surface.

use std::collections::BTreeMap;

use super::fill::{CUBES_FIT, Solid, Unfilled, places};
use crate::math::{Point3, Real, Vec3};

/// How much of the stiffness the long diagonals carry; any 0 .. 0.3 makes the same material.
const LONG_SHARE: Real = 0.1;
/// Share of the largest stable step that is taken: what stretches twofold, or is squeezed, has a smaller one.
const CAREFUL: Real = 0.4;

/// A spring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// The corners that it joins, the lower number first.
    pub ends: [u32; 2],
    /// Length at rest [m].
    pub rest: Real,
    /// Force by length [N/m].
    pub stiffness: Real,
    /// In how many cubes it lies.
    pub cubes: u32,
}

/// What an elastic body is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stuff {
    /// Young's modulus, > 0 [Pa].
    pub young: Real,
    /// Density, > 0 [kg/m3].
    pub density: Real,
    /// Damping of the quickest oscillation, as a share of the critical one, 0 .. 1.
    pub damping: Real,
    /// Strain beyond which it yields, > 0; infinite for what never does.
    pub yields: Real,
}

impl Stuff {
    /// Speed of sound along a thin rod [m/s].
    pub fn sound(&self) -> Real {
        (self.young / self.density).sqrt()
    }
}

/// The body at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    /// Edge of a cube [m].
    pub edge: Real,
    /// What it is made of.
    pub stuff: Stuff,
    /// Corners at rest [m].
    pub rest: Vec<Point3>,
    /// Mass of each [kg].
    pub mass: Vec<Real>,
    /// All springs, by their ends.
    pub springs: Vec<Spring>,
    /// Corners of each cube: bit k of a corner's number is its side along axis k.
    pub cubes: Vec<[u32; 8]>,
    /// Corners at the surface, ascending.
    pub outer: Vec<u32>,
    /// Triangles of the surface, counter-clockwise from outside.
    pub surface: Vec<[u32; 3]>,
    /// Springs in each cube; only for what yields.
    pub springs_in: Vec<[u32; 28]>,
    /// Springs of each corner with the corner at the other end, one list after the other, and where the lists end.
    joined: Vec<(u32, u32)>,
    ends: Vec<u32>,
}

impl Lattice {
    /// Fills a shape with cubes of this edge [m].
    pub fn new(solid: &dyn Solid, edge: Real, stuff: Stuff) -> Result<Self, Unfilled> {
        let cells = places(solid, edge, CUBES_FIT, |_| true)?;
        let Some((cell, middle)) = cells.first() else {
            return Err(Unfilled::TooCoarse);
        };
        let origin = middle - Vec3::from(cell.map(|i| Real::from(i) + 0.5)) * edge;
        let mut numbers: BTreeMap<[i32; 3], u32> = BTreeMap::new();
        for (cell, _) in &cells {
            (0..8).for_each(|k| {
                numbers.insert(corner(cell, k), 0);
            });
        }
        for (number, of) in (0..).zip(numbers.values_mut()) {
            *of = number;
        }
        let rest = numbers
            .keys()
            .map(|c| origin + Vec3::from(c.map(Real::from)) * edge)
            .collect();
        let cubes: Vec<[u32; 8]> = cells
            .iter()
            .map(|(cell, _)| std::array::from_fn(|k| numbers[&corner(cell, k)]))
            .collect();
        let mut mass = vec![0.0; numbers.len()];
        let each = stuff.density * edge * edge * edge / 8.0;
        cubes.iter().flatten().for_each(|&c| mass[c as usize] += each);
        let springs = springs(&cubes, edge, stuff.young);
        let (joined, ends) = joined(&springs, numbers.len());
        let mut shared = vec![0; numbers.len()];
        cubes.iter().flatten().for_each(|&c| shared[c as usize] += 1);
        let outer = (0..).zip(&shared).filter(|c| *c.1 < 8).map(|c| c.0).collect();
        let springs_in = if stuff.yields.is_finite() {
            springs_in(&cubes, &springs)
        } else {
            Vec::new()
        };
        Ok(Self {
            surface: surface(&cubes),
            springs_in,
            edge,
            stuff,
            rest,
            mass,
            springs,
            cubes,
            outer,
            joined,
            ends,
        })
    }

    /// The largest step that is stable at rest [s]: that of a single cube, which no assembly of cubes undercuts (Irons &
    /// Treharne 1971, A bound theorem in eigenvalues), less what damping takes.
    pub fn stable_step(&self) -> Real {
        let z = self.stuff.damping;
        self.edge / (Real::sqrt(2.0) * self.stuff.sound()) * ((1.0 + z * z).sqrt() - z)
    }

    /// The step to take [s].
    pub fn step(&self) -> Real {
        CAREFUL * self.stable_step()
    }

    /// Damping of every spring, as a share of its stiffness [s].
    pub fn damping_time(&self) -> Real {
        self.stuff.damping * self.edge / (Real::sqrt(2.0) * self.stuff.sound())
    }

    /// Springs of a corner, each with the corner at the other end.
    pub fn springs_of(&self, corner: usize) -> &[(u32, u32)] {
        &self.joined[self.ends[corner] as usize..self.ends[corner + 1] as usize]
    }
}

fn corner(cell: &[i32; 3], k: usize) -> [i32; 3] {
    std::array::from_fn(|axis| cell[axis] + (k >> axis & 1) as i32)
}

fn springs(cubes: &[[u32; 8]], edge: Real, young: Real) -> Vec<Spring> {
    let s = LONG_SHARE;
    let whole = [0.4 + 4.0 / 3.0 * s, 0.4 - 4.0 / 3.0 * s, s].map(|k| k * young * edge);
    // Four cubes share an edge, two a diagonal of a face.
    let of_cube = [whole[0] / 4.0, whole[1] / 2.0, whole[2]];
    let mut all: BTreeMap<[u32; 2], Spring> = BTreeMap::new();
    for cube in cubes {
        for i in 0..8_usize {
            for j in i + 1..8 {
                // Along one axis, two or all three.
                let axes = (i ^ j).count_ones();
                let ends = [cube[i].min(cube[j]), cube[i].max(cube[j])];
                let rest = edge * Real::from(axes).sqrt();
                let spring = all.entry(ends).or_insert(Spring {
                    ends,
                    rest,
                    stiffness: 0.0,
                    cubes: 0,
                });
                spring.cubes += 1;
                spring.stiffness += of_cube[axes as usize - 1];
            }
        }
    }
    all.into_values().collect()
}

/// Numbers of the springs in each cube.
fn springs_in(cubes: &[[u32; 8]], springs: &[Spring]) -> Vec<[u32; 28]> {
    let of = |cube: &[u32; 8]| {
        let mut found = [0; 28];
        let pairs = (0..8).flat_map(|i| (i + 1..8).map(move |j| [cube[i], cube[j]]));
        for (seat, [a, b]) in found.iter_mut().zip(pairs) {
            let ends = [a.min(b), a.max(b)];
            *seat = springs.partition_point(|s| s.ends < ends) as u32;
        }
        found
    };
    cubes.iter().map(of).collect()
}

/// Corners of the sides of a cube, counter-clockwise from outside.
const SIDES: [[usize; 4]; 6] = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
];

/// Triangles of the sides that no two cubes share.
fn surface(cubes: &[[u32; 8]]) -> Vec<[u32; 3]> {
    let mut sides: BTreeMap<[u32; 4], Option<[u32; 4]>> = BTreeMap::new();
    for side in cubes.iter().flat_map(|cube| SIDES.map(|s| s.map(|k| cube[k]))) {
        let mut key = side;
        key.sort_unstable();
        sides.entry(key).and_modify(|of| *of = None).or_insert(Some(side));
    }
    let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    sides.into_values().flatten().flat_map(halves).collect()
}

fn joined(springs: &[Spring], corners: usize) -> (Vec<(u32, u32)>, Vec<u32>) {
    let mut ends = vec![0_u32; corners + 1];
    for end in springs.iter().flat_map(|s| s.ends) {
        ends[end as usize + 1] += 1;
    }
    for i in 0..corners {
        ends[i + 1] += ends[i];
    }
    let mut next = ends.clone();
    let mut joined = vec![(0, 0); 2 * springs.len()];
    for (number, spring) in (0..).zip(springs) {
        for [from, to] in [spring.ends, [spring.ends[1], spring.ends[0]]] {
            let seat = &mut next[from as usize];
            joined[*seat as usize] = (number, to);
            *seat += 1;
        }
    }
    (joined, ends)
}
