//! Births evenly over the area of a mesh, a little above it.

use super::Place;
use crate::math::{Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::rng::Stream;

/// Triangles with area, and the running sum of their areas.
pub struct MeshSurface {
    /// Corner, two edges and unit normal of each.
    triangles: Vec<[Vec3; 4]>,
    /// Area up to and including each triangle [m2].
    sums: Vec<Real>,
    offset: Real,
}

impl MeshSurface {
    /// The triangles of `mesh`, or of one `usemtl` group, that have an area. World building has made sure that
    /// there is one.
    pub fn new(mesh: &Mesh, group: Option<&str>, offset: Real) -> Self {
        let mut triangles = Vec::new();
        let mut sums = Vec::new();
        let mut total = 0.0;
        for t in 0..mesh.triangles.len() {
            if group.is_some_and(|g| mesh.groups[usize::from(mesh.group_of[t])].name != g) {
                continue;
            }
            let [a, b, c] = mesh.corners(t);
            let (ab, ac) = (b - a, c - a);
            let normal = ab.cross(&ac);
            let twice_area = normal.norm();
            if twice_area > 0.0 && twice_area.is_finite() {
                total += 0.5 * twice_area;
                triangles.push([a.coords, ab, ac, normal / twice_area]);
                sums.push(total);
            }
        }
        Self {
            triangles,
            sums,
            offset,
        }
    }
}

impl Place for MeshSurface {
    fn place(&self, _index: u64, radius: Real, draws: &mut Stream) -> Point3 {
        let wanted = draws.unit() * self.sums.last().copied().unwrap_or(0.0);
        let (mut a, mut b) = (draws.unit(), draws.unit());
        let Some(last) = self.triangles.len().checked_sub(1) else {
            return Point3::origin();
        };
        let [corner, ab, ac, normal] = self.triangles[self.sums.partition_point(|s| *s <= wanted).min(last)];
        if a + b > 1.0 {
            (a, b) = (1.0 - a, 1.0 - b);
        }
        Point3::from(corner + ab * a + ac * b + normal * (radius + self.offset))
    }
}
