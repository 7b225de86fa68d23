//! Births evenly in the inside of a closed mesh: even in its box, kept where a ray meets the mesh an odd number of times.

use std::collections::BTreeMap;

use super::Place;
use crate::geom::ray_along_x::ray_meets;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::rng::Stream;

/// Smallest share of its box that a mesh must fill: a birth then needs some ten thousand tries at the worst.
const LEAST_SHARE: Real = 1e-4;
/// Tries for one birth; with the least share all fail once in e^100.
const TRIES: usize = 1_000_000;
/// Places in the box that tell which share of it is inside.
const SAMPLES: u64 = 100_000;
/// Bins along each side of the mesh's shadow, at most.
const BINS: usize = 256;

/// Bins in which a triangle is listed, at most, in the mean.
const LISTED: usize = 32;

/// A closed mesh, its triangles sorted by where their shadows fall along x.
pub struct MeshVolume {
    bounds: Aabb,
    triangles: Vec<[Point3; 3]>,
    bins: usize,
    /// Where each bin's list begins in `listed`.
    first: Vec<u32>,
    listed: Vec<u32>,
}

/// Why a mesh has no inside to give births in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoInside {
    /// An edge [m] with more faces on one side than on the other.
    Open([Point3; 2]),
    /// It fills less than a ten-thousandth of its box.
    Thin,
}

impl MeshVolume {
    /// The inside of a mesh.
    ///
    /// # Errors
    /// [`NoInside`] when the mesh is not closed or too thin.
    pub fn new(mesh: &Mesh) -> Result<Self, NoInside> {
        if let Some(edge) = open_edge(mesh) {
            return Err(NoInside::Open(edge));
        }
        let triangles: Vec<[Point3; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
        let bounds = Aabb::around(triangles.iter().flatten());
        let bins = (triangles.len() as Real).sqrt().ceil().clamp(1.0, BINS as Real) as usize;
        let most = triangles.len() * LISTED;
        let mut volume = Self {
            bounds,
            triangles,
            bins,
            first: Vec::new(),
            listed: Vec::new(),
        };
        // Long slivers lie in many bins; coarser bins keep the lists short.
        while volume.bins > 1
            && volume
                .triangles
                .iter()
                .map(|t| volume.covered(t).count())
                .sum::<usize>()
                > most
        {
            volume.bins /= 2;
        }
        volume.sort();
        if volume.is_thin() {
            return Err(NoInside::Thin);
        }
        Ok(volume)
    }

    /// Lists the triangles of each bin: counted first, then filled in.
    fn sort(&mut self) {
        let mut counts = vec![0u32; self.bins * self.bins + 1];
        for corners in &self.triangles {
            self.covered(corners).for_each(|bin| counts[bin + 1] += 1);
        }
        for bin in 1..counts.len() {
            counts[bin] += counts[bin - 1];
        }
        let mut next = counts.clone();
        let mut listed = vec![0; counts.last().map_or(0, |n| *n as usize)];
        for (number, corners) in self.triangles.iter().enumerate() {
            for bin in self.covered(corners) {
                listed[next[bin] as usize] = number as u32;
                next[bin] += 1;
            }
        }
        (self.first, self.listed) = (counts, listed);
    }

    /// Bins on which the shadow of a triangle's box falls.
    fn covered(&self, corners: &[Point3; 3]) -> impl Iterator<Item = usize> + use<> {
        let b = Aabb::around(corners);
        let [y0, y1] = [b.min.y, b.max.y].map(|y| self.bin_along(1, y));
        let [z0, z1] = [b.min.z, b.max.z].map(|z| self.bin_along(2, z));
        let bins = self.bins;
        (z0..=z1).flat_map(move |z| (y0..=y1).map(move |y| z * bins + y))
    }

    fn bin_along(&self, axis: usize, x: Real) -> usize {
        let extent = self.bounds.max[axis] - self.bounds.min[axis];
        let share = if extent > 0.0 {
            (x - self.bounds.min[axis]) / extent
        } else {
            0.0
        };
        ((share * self.bins as Real) as usize).min(self.bins - 1)
    }

    /// Whether a place is inside: the ray along +x from it meets an odd number of triangles.
    pub fn contains(&self, p: &Point3) -> bool {
        if !self.bounds.contains(p) {
            return false;
        }
        let bin = self.bin_along(2, p.z) * self.bins + self.bin_along(1, p.y);
        let listed = &self.listed[self.first[bin] as usize..self.first[bin + 1] as usize];
        let met = listed
            .iter()
            .filter(|t| ray_meets(&self.triangles[**t as usize], p));
        met.count() % 2 == 1
    }

    fn anywhere(&self, draws: &mut Stream) -> Point3 {
        let e = self.bounds.extent();
        self.bounds.min + e.component_mul(&Vec3::new(draws.unit(), draws.unit(), draws.unit()))
    }

    fn is_thin(&self) -> bool {
        let mut draws = crate::rng::stream(0, crate::rng::Purpose::Birth, 0, 0);
        let inside = (0..SAMPLES).filter(|_| self.contains(&self.anywhere(&mut draws)));
        (inside.count() as Real) < LEAST_SHARE * SAMPLES as Real
    }
}

impl Place for MeshVolume {
    fn place(&self, _index: u64, _radius: Real, draws: &mut Stream) -> Point3 {
        (0..TRIES)
            .map(|_| self.anywhere(draws))
            .find(|p| self.contains(p))
            .unwrap_or_else(|| self.bounds.center())
    }
}

/// An edge that does not have as many triangles on its one side as on its other. Corners at the same place are one.
fn open_edge(mesh: &Mesh) -> Option<[Point3; 2]> {
    let mut balance: BTreeMap<[[u64; 3]; 2], (i64, [Point3; 2])> = BTreeMap::new();
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t);
        for i in 0..3 {
            let ends = [corners[i], corners[(i + 1) % 3]];
            let [a, b] = ends.map(bits);
            if a == b {
                continue;
            }
            let (key, way) = if a < b { ([a, b], 1) } else { ([b, a], -1) };
            balance.entry(key).or_insert((0, ends)).0 += way;
        }
    }
    if balance.is_empty() {
        return mesh
            .vertices
            .first()
            .map(|v| [*v, *v])
            .or(Some([Point3::origin(); 2]));
    }
    balance.into_values().find(|(n, _)| *n != 0).map(|(_, ends)| ends)
}

/// The bits of a place, with one zero.
fn bits(p: Point3) -> [u64; 3] {
    [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Group;
    use crate::rng::{Purpose, stream};

    /// An octahedron of radius 1, and with a side left out an open one.
    fn octahedron(sides: usize) -> Mesh {
        let tips = [
            [1, 0, 0],
            [-1, 0, 0],
            [0, 1, 0],
            [0, -1, 0],
            [0, 0, 1],
            [0, 0, -1],
        ];
        let mut triangles = vec![
            [0, 2, 4],
            [2, 1, 4],
            [1, 3, 4],
            [3, 0, 4],
            [2, 0, 5],
            [1, 2, 5],
            [3, 1, 5],
            [0, 3, 5],
        ];
        triangles.truncate(sides);
        Mesh {
            vertices: tips.map(|t| Point3::from(t.map(f64::from))).to_vec(),
            group_of: vec![0; triangles.len()],
            triangles,
            groups: vec![Group {
                name: String::new(),
                surface: None,
            }],
            ..Mesh::default()
        }
    }

    #[test]
    fn births_are_inside_and_even() {
        let volume = MeshVolume::new(&octahedron(8)).expect("a closed mesh");
        let mut draws = stream(1, Purpose::Birth, 0, 0);
        let n = 40_000;
        let mut octants = [0.0; 8];
        let mut within_half = 0.0;
        for i in 0..n {
            let p = volume.place(i, 0.1, &mut draws);
            let size = p.x.abs() + p.y.abs() + p.z.abs();
            assert!(size <= 1.0 + 1e-12, "{p}");
            within_half += if size < 0.5 { 1.0 } else { 0.0 };
            octants[usize::from(p.x > 0.0) + 2 * usize::from(p.y > 0.0) + 4 * usize::from(p.z > 0.0)] += 1.0;
        }
        let each = n as Real / 8.0;
        let chi2: Real = octants.iter().map(|o| (o - each).powi(2) / each).sum();
        assert!(
            chi2 < 24.3,
            "chi-square {chi2} of seven degrees of freedom, p < 0.001"
        );
        assert!(
            (within_half / n as Real - 0.125).abs() < 0.006,
            "an eighth lies in the half-size one"
        );
    }

    #[test]
    fn rays_through_edges_and_corners_count_once() {
        let volume = MeshVolume::new(&octahedron(8)).expect("a closed mesh");
        for x in [-0.9, -0.3, 0.0, 0.7] {
            assert!(
                volume.contains(&Point3::new(x, 0.0, 0.0)) && volume.contains(&Point3::new(x, 0.0, 0.05))
            );
            assert!(!volume.contains(&Point3::new(x, 0.0, 1.0 - x.abs() + 0.1)));
        }
    }

    #[test]
    fn open_meshes_and_thin_ones_have_no_inside() {
        assert!(matches!(MeshVolume::new(&octahedron(7)), Err(NoInside::Open(_))));
        let mut turned = octahedron(8);
        turned.triangles[3].swap(0, 1);
        assert!(matches!(MeshVolume::new(&turned), Err(NoInside::Open(_))));
        assert!(matches!(
            MeshVolume::new(&Mesh::default()),
            Err(NoInside::Open(_))
        ));
        let mut flat = octahedron(8);
        flat.vertices[2].y = 0.0;
        flat.vertices[3].y = 0.0;
        assert_eq!(MeshVolume::new(&flat).err(), Some(NoInside::Thin));
    }
}
