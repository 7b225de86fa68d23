//! A surface that follows the corners of a lattice: each of its vertices keeps its place in the cube that it lies in.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::elastic::Elastic;
use super::lattice::Lattice;
use crate::math::{Point3, Real, Vec3};

/// Shells of cubes around a vertex that are looked at before all cubes are.
const NEAR: i32 = 4;

/// Places of vertices in cubes.
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// The cube of each, and its place there, 0 .. 1 along each axis for one that lies within.
    seats: Vec<(u32, Vec3)>,
}

impl Skin {
    /// Of vertices around a lattice at rest. One that lies in no cube goes with the nearest, as if that went on.
    pub fn new(lattice: &Lattice, vertices: &[Point3]) -> Self {
        let first = lattice
            .cubes
            .first()
            .map_or_else(Point3::origin, |cube| lattice.rest[cube[0] as usize]);
        let low = |cube: &[u32; 8]| lattice.rest[cube[0] as usize];
        let number = |p: &Point3| ((p - first) / lattice.edge).map(|x| x.floor() as i32).into();
        // Corners are where rounding may take them to either side.
        let middle = Vec3::repeat(0.5 * lattice.edge);
        let by_place: BTreeMap<[i32; 3], u32> = (0..)
            .zip(&lattice.cubes)
            .map(|(i, cube)| (number(&(low(cube) + middle)), i))
            .collect();
        let seat = |p: &Point3| {
            let inside = |cube: u32| (p - low(&lattice.cubes[cube as usize])) / lattice.edge;
            let out = |cube: u32| inside(cube).map(|x| (x - x.clamp(0.0, 1.0)).abs()).norm_squared();
            let at: [i32; 3] = number(p);
            let mut best = (Real::INFINITY, 0);
            // Shell after shell around its own cube: one that is farther by two cannot hold a nearer cube.
            for shell in 0..NEAR {
                for cube in shell_of(at, shell).filter_map(|at| by_place.get(&at)) {
                    let own = (out(*cube), *cube);
                    best = if own < best { own } else { best };
                }
                let least = Real::from(shell);
                if best.0 <= least * least {
                    return (best.1, inside(best.1));
                }
            }
            for cube in 0..lattice.cubes.len() as u32 {
                let own = (out(cube), cube);
                best = if own < best { own } else { best };
            }
            (best.1, inside(best.1))
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

/// Places of a lattice whose largest distance from one along an axis is `shell`.
fn shell_of(at: [i32; 3], shell: i32) -> impl Iterator<Item = [i32; 3]> {
    let range = move || -shell..=shell;
    let all = range().flat_map(move |x| range().flat_map(move |y| range().map(move |z| [x, y, z])));
    let in_shell = move |d: &[i32; 3]| d.iter().any(|x| x.abs() == shell);
    all.filter(in_shell)
        .map(move |d| std::array::from_fn(|k| at[k].saturating_add(d[k])))
}

#[cfg(test)]
mod tests {
    use super::super::lattice::Stuff;
    use super::super::shapes::Boxes;
    use super::*;

    /// The cube of a vertex is the nearest of all, as if all had been looked at.
    #[test]
    fn each_vertex_sits_in_the_nearest_cube() {
        let stuff = Stuff {
            young: 1.0,
            density: 1.0,
            damping: 0.0,
            yields: Real::INFINITY,
        };
        let step = Boxes::of(&[
            [-1.0, -1.0, -1.0, 1.0, 0.0, 1.0],
            [-1.0, 0.0, -1.0, 0.0, 1.0, 1.0],
        ]);
        // Beside these a cube two steps off may be nearer than one that is next, across a corner.
        let apart = Boxes::of(&[
            [0.25, 0.25, 0.25, 0.5, 0.5, 0.5],
            [0.5, 0.0, 0.0, 0.75, 0.25, 0.25],
        ]);
        let mut state = 1_u64;
        let mut draw = |size: Real| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            size * ((state >> 11) as Real / (1_u64 << 53) as Real - 0.5)
        };
        for (shape, size) in [(step, 5.0), (apart, 1.5)] {
            let lattice = Lattice::new(&shape, 0.25, stuff).expect("a lattice");
            let vertices: Vec<Point3> = (0..400)
                .map(|_| Point3::new(draw(size), draw(size), draw(size)))
                .collect();
            let skin = Skin::new(&lattice, &vertices);
            for ((_, inside), p) in skin.seats.iter().zip(&vertices) {
                let out = |inside: Vec3| inside.map(|x| x - x.clamp(0.0, 1.0)).norm();
                let of = |cube: &[u32; 8]| out((p - lattice.rest[cube[0] as usize]) / lattice.edge);
                let least = lattice.cubes.iter().map(of).fold(Real::INFINITY, Real::min);
                assert!(out(*inside) <= least + 1e-12, "{p}: {} and {least}", out(*inside));
            }
        }
    }

    #[test]
    fn a_skin_follows_what_is_turned_and_sheared_exactly() {
        let stuff = Stuff {
            young: 1.0,
            density: 1.0,
            damping: 0.0,
            yields: Real::INFINITY,
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
