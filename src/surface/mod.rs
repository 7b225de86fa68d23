//! Questions to the triangles of a mesh as a whole, behind a tree: the closest point, inside or outside, who meets whom.
//!
//! It looks at a mesh as it stands in memory and knows neither the world nor what moves in it.

mod inside;
mod meetings;
#[cfg(test)]
mod tests;

pub use inside::{Inside, Location};
pub use meetings::{Meetings, Pair};

use rayon::prelude::*;

use crate::bvh::{Bvh, MAX_PRIMITIVES};
use crate::geom::closest_point::{Closest, closest_point};
use crate::math::{Aabb, Point3, Real};
use crate::mesh::Mesh;

/// A mesh and a tree over its triangles.
pub struct Surface<'a> {
    mesh: &'a Mesh,
    boxes: Vec<Aabb>,
    tree: Bvh,
}

impl<'a> Surface<'a> {
    /// The surface of a mesh; `None` when it has more triangles than a tree can hold.
    pub fn new(mesh: &'a Mesh) -> Option<Self> {
        if mesh.triangles.len() > MAX_PRIMITIVES {
            return None;
        }
        let around = |t: usize| Aabb::around(&mesh.corners(t));
        let boxes: Vec<Aabb> = (0..mesh.triangles.len()).into_par_iter().map(around).collect();
        let tree = Bvh::build(&boxes);
        Some(Self { mesh, boxes, tree })
    }

    /// The point of the surface closest to `p`, and the number of its triangle: the lowest of several at the same
    /// distance. `None` without triangles, or when `p` is not finite.
    pub fn closest(&self, p: &Point3) -> Option<(u32, Closest)> {
        let mut best: Option<(u32, Closest)> = None;
        self.tree.nearest(p, Real::INFINITY, |slots, mut square| {
            for slot in slots {
                let triangle = self.tree.order()[slot as usize];
                let closest = closest_point(p, &self.mesh.corners(triangle as usize));
                let nearer = |(other, found): &(u32, Closest)| {
                    closest.distance < found.distance
                        || closest.distance == found.distance && triangle < *other
                };
                if closest.distance.is_finite() && best.as_ref().is_none_or(nearer) {
                    best = Some((triangle, closest));
                    // Distances that differ by rounding may belong to the same place.
                    square = closest.distance * closest.distance * (1.0 + 8.0 * Real::EPSILON);
                }
            }
            square
        });
        best
    }
}
