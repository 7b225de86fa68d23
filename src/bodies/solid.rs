//! A closed mesh as a shape that can be filled.

use super::fill::{Face, Solid};
use crate::collide::mesh::StaticMesh;
use crate::collide::{Collider, Near};
use crate::math::{Aabb, Point3, Real};
use crate::mesh::Mesh;
use crate::scene::Collision;
use crate::surface::{Inside, Location, Surface};

/// Cosine of the angle between a face's normal and the way to it from which on its foot counts as on the face.
const SQUARE: Real = 0.99;

/// A closed mesh.
pub struct MeshSolid<'a> {
    mesh: &'a Mesh,
    inside: Inside<'a>,
    faces: StaticMesh,
    bounds: Aabb,
}

impl<'a> MeshSolid<'a> {
    /// Of a mesh and its surface; `None` when it is not closed.
    pub fn new(mesh: &'a Mesh, surface: &'a Surface<'a>) -> Option<Self> {
        let inside = Inside::new(surface);
        inside.is_closed().then(|| Self {
            mesh,
            inside,
            faces: StaticMesh::new(mesh.vertices.clone(), &mesh.triangles, Collision::Exact),
            bounds: mesh.bounds(),
        })
    }
}

impl Solid for MeshSolid<'_> {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn holds(&self, place: &Point3) -> bool {
        self.inside.locate(place) == Some(Location::Inside)
    }

    fn faces(&self, place: &Point3, reach: Real, found: &mut dyn FnMut(Face)) {
        let mut near: Vec<Near> = Vec::new();
        self.faces.near(place, reach, &mut near);
        for n in near {
            // The place is inside: the way from the surface to it is inward. Where it is not square to the face, the closest
            // point is on an edge, and another face is the one that is touched.
            let [a, b, c] = self.mesh.corners(n.triangle as usize);
            let across = (b - a).cross(&(c - a));
            if across.dot(&n.normal).abs() > SQUARE * across.norm() {
                found(Face {
                    distance: n.distance,
                    point: n.point,
                    normal: -n.normal,
                });
            }
        }
    }
}
