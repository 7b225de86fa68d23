//! A surface that follows the corners of a lattice: each of its vertices keeps its place in the cube that it lies in.

use rayon::prelude::*;

use super::elastic::Elastic;
use super::lattice::Lattice;
use crate::math::{Point3, Real, Vec3};

/// Places of vertices in cubes.
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// The cube of each, and its place there, 0 .. 1 along each axis for one that lies within.
    seats: Vec<(u32, Vec3)>,
}

impl Skin {
    /// Of vertices around a lattice at rest. One that lies in no cube goes with the nearest, as if that went on.
    pub fn new(lattice: &Lattice, vertices: &[Point3]) -> Self {
        let low = |cube: &[u32; 8]| lattice.rest[cube[0] as usize];
        let seat = |p: &Point3| {
            let mut best = (Real::INFINITY, 0, Vec3::zeros());
            for (number, cube) in (0..).zip(&lattice.cubes) {
                let inside = (p - low(cube)) / lattice.edge;
                let out = inside.map(|x| (x - x.clamp(0.0, 1.0)).abs()).norm_squared();
                if out < best.0 {
                    best = (out, number, inside);
                }
                // It lies in this one: none is nearer.
                if out == 0.0 {
                    break;
                }
            }
            (best.1, best.2)
        };
        Self {
            seats: vertices.par_iter().map(seat).collect(),
        }
    }

    /// Where the vertices are.
    pub fn places(&self, lattice: &Lattice, body: &Elastic) -> Vec<Point3> {
        let place = |(cube, at): &(u32, Vec3)| {
            let mut sum = Vec3::zeros();
            for (k, &corner) in lattice.cubes[*cube as usize].iter().enumerate() {
                let side = |axis: usize| {
                    if k >> axis & 1 == 1 {
                        at[axis]
                    } else {
                        1.0 - at[axis]
                    }
                };
                sum += body.at[corner as usize].coords * (side(0) * side(1) * side(2));
            }
            Point3::from(sum)
        };
        self.seats.iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::lattice::Stuff;
    use super::super::shapes::Boxes;
    use super::*;

    #[test]
    fn a_skin_follows_what_is_turned_and_sheared_exactly() {
        let stuff = Stuff {
            young: 1.0,
            density: 1.0,
            damping: 0.0,
        };
        let lattice = Lattice::new(&Boxes::cuboid(1.0, 1.0, 0.5), 0.25, stuff).expect("a lattice");
        let vertices = [
            Point3::new(0.5, 0.5, 0.25),
            Point3::new(-0.37, 0.11, 0.2),
            Point3::new(0.6, -0.55, 0.0),
        ];
        let skin = Skin::new(&lattice, &vertices);
        let mut body = Elastic::new(&lattice);
        let moved = |p: &Point3| Point3::new(2.0 * p.y + 1.0, -p.x + 0.3 * p.z, p.z * 1.5 + p.x);
        body.at.iter_mut().for_each(|p| *p = moved(p));
        for (place, vertex) in skin.places(&lattice, &body).iter().zip(&vertices) {
            assert!((place - moved(vertex)).norm() < 1e-12);
        }
    }
}
