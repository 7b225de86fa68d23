//! Static triangles: the exact sweep, the test of 1999, or a ray, behind one tree.

use std::ops::Range;

use rayon::prelude::*;

use super::{Collider, Hit, HitStatus, Overlap, Sweep};
use crate::bvh::{Bvh, Path};
use crate::geom::closest_point::closest_point;
use crate::geom::segment_triangle::segment_triangle;
use crate::geom::sweep_karabassi::sweep_karabassi;
use crate::geom::{Feature, is_degenerate, sweep_exact};
use crate::math::{Aabb, Point3, Real};
use crate::scene::Collision;

/// The world's static triangles.
pub struct StaticMesh {
    vertices: Vec<Point3>,
    /// Corners of each triangle, in the tree's leaf order.
    triangles: Vec<[u32; 3]>,
    tree: Bvh,
    mode: Collision,
    /// How far before a face a ray stops [m]: rounding must not carry it through.
    ray_skin: Real,
}

/// A ray's skin in parts of the largest coordinate: about 2^20 roundings.
const RAY_SKIN: Real = 1e-10;

impl StaticMesh {
    /// A collider over triangles given by corners' numbers; triangle `i` of the answers is `triangles[i]`.
    pub fn new(vertices: Vec<Point3>, triangles: &[[u32; 3]], mode: Collision) -> Self {
        let corners = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
        let boxes: Vec<Aabb> = triangles.par_iter().map(|t| Aabb::around(&corners(t))).collect();
        let tree = Bvh::build(&boxes);
        let size = vertices.iter().map(|v| v.coords.amax()).fold(0.0, Real::max);
        Self {
            triangles: tree.order().iter().map(|&t| triangles[t as usize]).collect(),
            vertices,
            tree,
            mode,
            ray_skin: RAY_SKIN * size,
        }
    }

    /// Triangles without area: the 1999 test cannot see them, the exact one takes them as edges.
    pub fn degenerate(&self) -> usize {
        (0..self.triangles.len())
            .filter(|&slot| is_degenerate(&self.corners(slot)))
            .count()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + size_of_val(&self.vertices[..]) + size_of_val(&self.triangles[..])
    }

    fn corners(&self, slot: usize) -> [Point3; 3] {
        self.triangles[slot].map(|i| self.vertices[i as usize])
    }

    /// The least answer by (fraction as bits, triangle): a total order, so the walk's order does not matter.
    ///
    /// Fractions are never negative, hence their bits order like their values.
    #[inline(always)]
    fn least(&self, path: &Path, test: impl Fn(&[Point3; 3], Real) -> Option<Hit>) -> Option<Hit> {
        let mut first: Option<Hit> = None;
        self.tree.walk(path, 1.0, |slots: Range<u32>, mut best| {
            for slot in slots {
                let triangle = self.tree.order()[slot as usize];
                let Some(mut hit) = test(&self.corners(slot as usize), best) else {
                    continue;
                };
                hit.triangle = triangle;
                let key = |h: &Hit| (h.fraction.to_bits(), h.triangle);
                if first.as_ref().is_none_or(|f| key(&hit) < key(f)) {
                    best = hit.fraction;
                    first = Some(hit);
                }
            }
            best
        });
        first
    }

    fn first_exact(&self, sweep: &Sweep, radius: Real, skin: Real) -> Option<Hit> {
        // The contact zone of a sweep is 16 roundings of its largest number wide; the tree's guard is far wider.
        let path = Path {
            from: sweep.from,
            along: sweep.along,
            radius: radius + skin,
        };
        self.least(&path, |corners, best| {
            let touch = sweep_exact::sweep_before(&sweep.from, &sweep.along, radius, skin, corners, best)?;
            Some(Hit {
                fraction: touch.t,
                point: touch.point,
                normal: touch.normal,
                feature: touch.feature,
                triangle: 0,
                depth: touch.depth,
                status: if touch.t == 0.0 {
                    HitStatus::StartedInside
                } else {
                    HitStatus::Clean
                },
            })
        })
    }

    fn first_karabassi(&self, sweep: &Sweep) -> Option<Hit> {
        let path = Path {
            from: sweep.from,
            along: sweep.along,
            radius: sweep.radius,
        };
        let end = sweep.from + sweep.along;
        self.least(&path, |corners, _| {
            let stop = sweep_karabassi(&sweep.from, &end, sweep.radius, corners)?;
            Some(Hit {
                fraction: stop.t,
                point: stop.point,
                normal: stop.normal,
                feature: Feature::Face,
                triangle: 0,
                depth: 0.0,
                status: HitStatus::Clean,
            })
        })
    }
}

impl Collider for StaticMesh {
    fn first_touch(&self, sweep: &Sweep) -> Option<Hit> {
        match self.mode {
            Collision::Exact => self.first_exact(sweep, sweep.radius, 0.0),
            Collision::Karabassi => self.first_karabassi(sweep),
            Collision::Ray => self.first_exact(sweep, 0.0, self.ray_skin),
        }
    }

    fn first_contact(&self, sweep: &Sweep) -> Option<Hit> {
        self.first_exact(sweep, sweep.radius, 0.0)
    }

    fn crosses(&self, from: &Point3, to: &Point3) -> bool {
        let along = to - from;
        let mut crossed = false;
        self.tree.walk(
            &Path {
                from: *from,
                along,
                radius: 0.0,
            },
            1.0,
            |slots, best| {
                crossed |= slots
                    .into_iter()
                    .any(|s| segment_triangle(from, &along, &self.corners(s as usize)).is_some());
                if crossed { -1.0 } else { best }
            },
        );
        crossed
    }

    fn deepest_overlap(&self, center: &Point3, radius: Real) -> Option<Overlap> {
        let path = Path {
            from: *center,
            along: crate::math::Vec3::zeros(),
            radius,
        };
        let mut deepest: Option<Overlap> = None;
        self.tree.walk(&path, 0.0, |slots, best| {
            for slot in slots {
                let closest = closest_point(center, &self.corners(slot as usize));
                let depth = radius - closest.distance;
                let triangle = self.tree.order()[slot as usize];
                let deeper = |o: &Overlap| depth > o.depth || depth == o.depth && triangle < o.triangle;
                if depth > 0.0 && deepest.as_ref().is_none_or(deeper) {
                    let out = center - closest.point;
                    let normal = out
                        .try_normalize(0.0)
                        .unwrap_or_else(|| face_normal(&self.corners(slot as usize)));
                    deepest = Some(Overlap {
                        depth,
                        normal,
                        triangle,
                    });
                }
            }
            best
        });
        deepest
    }
}

/// Unit normal by winding; y for a triangle without area.
fn face_normal(corners: &[Point3; 3]) -> crate::math::Vec3 {
    let n = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    n.try_normalize(0.0).unwrap_or_else(crate::math::Vec3::y)
}
