//! Inside or outside: by parity of crossings where the mesh is closed, by winding number where it is not.
//!
//! A ray along +x crosses a triangle when the shadow of the point falls on the triangle's; a point on the shadow of an edge or
//! corner falls on one side by rule, the same for all its triangles, so parity is right in every direction without luck.

use super::Surface;
use crate::geom::crossing::segment_meets;
use crate::geom::orient::{Sign, orient2d, orient3d};
use crate::math::{Aabb, Point3, Real};
use crate::mesh::Mesh;

/// Where a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// In the inside.
    Inside,
    /// Not in the inside.
    Outside,
    /// On a triangle, exactly.
    OnSurface,
}

/// Tells inside from outside.
pub struct Inside<'a> {
    surface: &'a Surface<'a>,
    closed: bool,
}

impl<'a> Inside<'a> {
    /// Of a surface; whether it is closed is found out here.
    pub fn new(surface: &'a Surface<'a>) -> Self {
        Self {
            surface,
            closed: is_closed(surface.mesh),
        }
    }

    /// Whether every edge has an even number of triangles: only then is there an inside to speak of.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Where `p` is, exactly. Parts that overlap cancel: inside is what an odd number of them covers. `None` for a mesh that is
    /// not closed, which has no inside; [`Inside::winding`] is a measure for it.
    pub fn locate(&self, p: &Point3) -> Option<Location> {
        if !self.closed {
            return None;
        }
        let bounds = self.surface.tree_bounds();
        if !bounds.contains(p) {
            return Some(Location::Outside);
        }
        let far = Point3::new(bounds.max.x, p.y, p.z);
        let (mut crossings, mut on_surface) = (0_u32, false);
        let way = Aabb::around([p, &far]);
        self.surface.tree.within(&way, |slots| {
            for slot in slots {
                let triangle = self.surface.tree.order()[slot as usize] as usize;
                let corners = self.surface.mesh.corners(triangle);
                on_surface |= self.surface.boxes[triangle].contains(p) && segment_meets(p, p, &corners);
                crossings += u32::from(crosses(&corners, p));
            }
        });
        Some(if on_surface {
            Location::OnSurface
        } else if crossings % 2 == 1 {
            Location::Inside
        } else {
            Location::Outside
        })
    }

    /// How often the surface goes around `p`, counted with its windings: the sum of solid angles over a full one (Jacobson,
    /// Kavan & Sorkine-Hornung 2013, "Robust Inside-Outside Segmentation Using Generalized Winding Numbers"; angles after Van
    /// Oosterom & Strackee 1983). Whole for closed meshes, to about 1e-12 a triangle; of others 1/2 and more means rather
    /// inside. Looks at every triangle.
    pub fn winding(&self, p: &Point3) -> Real {
        let mesh = self.surface.mesh;
        let angles = (0..mesh.triangles.len()).map(|t| half_angle(&mesh.corners(t), p));
        angles.sum::<Real>() / (2.0 * std::f64::consts::PI)
    }
}

impl Surface<'_> {
    fn tree_bounds(&self) -> Aabb {
        self.boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b))
    }
}

/// Whether every edge, by the places of its ends, has an even number of triangles.
fn is_closed(mesh: &Mesh) -> bool {
    let key = |p: Point3| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    let mut edges = Vec::with_capacity(mesh.triangles.len() * 3);
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t).map(key);
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if a != b {
                edges.push(if a < b { [a, b] } else { [b, a] });
            }
        }
    }
    edges.sort_unstable();
    !edges.is_empty() && edges.chunk_by(|a, b| a == b).all(|same| same.len() % 2 == 0)
}

/// Whether the ray along +x from `p` crosses a triangle, with borders on one side by rule.
fn crosses(corners: &[Point3; 3], p: &Point3) -> bool {
    let above = |a: &Point3, b: &Point3| {
        // Each edge is looked at from its lower end; on its line counts as above.
        let turned = (a.y, a.z) > (b.y, b.z);
        let (low, high) = if turned { (b, a) } else { (a, b) };
        let side = orient2d([low.y, low.z], [high.y, high.z], [p.y, p.z]);
        (side >= Sign::Zero) != turned
    };
    let [a, b, c] = corners;
    let turn = above(a, b);
    if turn != above(b, c) || turn != above(c, a) {
        return false;
    }
    // Seen from -x the shadow turns as the triangle does about its normal; `p` crosses from the far side of +x.
    let shadow = orient2d([a.y, a.z], [b.y, b.z], [c.y, c.z]);
    orient3d(a, b, c, p) == shadow
}

/// Half the solid angle of a triangle as seen from `p`, positive from behind its front.
fn half_angle(corners: &[Point3; 3], p: &Point3) -> Real {
    let [a, b, c] = corners.map(|v| v - p);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(&b.cross(&c));
    let base = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    libm::atan2(volume, base)
}
