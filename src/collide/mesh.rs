//! Static triangles: the exact sweep, the test of 1999, or a ray, behind one tree.

use std::ops::Range;

use rayon::prelude::*;

use super::leaf::{Ball, Leaf, lanes_of};
use super::{Collider, Hit, HitStatus, Overlap, Sweep};
use crate::bvh::{Bvh, NONE, Path, WIDTH};
use crate::geom::closest_point::closest_point;
use crate::geom::segment_triangle::segment_triangle;
use crate::geom::sweep_karabassi::sweep_karabassi;
use crate::geom::{Feature, is_degenerate, sweep_exact};
use crate::math::{Aabb, Point3, Real};
use crate::scene::Collision;

/// The world's static triangles.
pub struct StaticMesh {
    vertices: Vec<Point3>,
    /// Corners of each triangle, in the tree's leaf order; slots that a leaf leaves empty hold nothing of meaning.
    triangles: Vec<[u32; 3]>,
    leaves: Vec<Leaf>,
    tree: Bvh,
    mode: Collision,
    /// Largest absolute coordinate [m].
    size: Real,
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
        let order = tree.order();
        let at = |slot: u32| triangles.get(slot as usize).copied().unwrap_or_default();
        let leaves = order
            .par_chunks(WIDTH)
            .map(|slots| {
                let held = slots.iter().take_while(|&&slot| slot != NONE);
                Leaf::new(held.map(|&slot| corners(&at(slot))))
            })
            .collect();
        Self {
            triangles: order.par_iter().map(|&slot| at(slot)).collect(),
            leaves,
            vertices,
            tree,
            mode,
            size,
            ray_skin: RAY_SKIN * size,
        }
    }

    /// Triangles without area: the 1999 test cannot see them, the exact one takes them as edges.
    pub fn degenerate(&self) -> usize {
        (0..self.triangles.len())
            .filter(|&slot| self.tree.order()[slot] != NONE && is_degenerate(&self.corners(slot)))
            .count()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
            + size_of_val(&self.leaves[..])
            + size_of_val(&self.vertices[..])
            + size_of_val(&self.triangles[..])
    }

    #[cfg(test)]
    pub(super) fn set_lanes(&mut self, lanes: crate::bvh::Lanes) {
        self.tree.set_lanes(lanes);
    }

    fn corners(&self, slot: usize) -> [Point3; 3] {
        self.triangles[slot].map(|i| self.vertices[i as usize])
    }

    /// The least answer by (fraction as bits, triangle): a total order, so the walk's order does not matter.
    ///
    /// `test` gets the corners, the ball, and a limit that its answer may equal but not pass. Fractions are never negative, hence
    /// their bits order like their values. With `prune` off every triangle in the way is tested, for answers that say
    /// nothing of where the ball is when it first touches.
    #[inline(always)]
    fn least(
        &self,
        sweep: &Sweep,
        radius: Real,
        prune: bool,
        test: impl Fn(&[Point3; 3], &Ball, Real) -> Option<Hit>,
    ) -> Option<Hit> {
        let ball = Ball::new(&sweep.from, &sweep.along, radius, self.size)?;
        let path = Path {
            from: sweep.from,
            along: sweep.along,
            radius: ball.radius,
        };
        let lanes = self.tree.lanes();
        let mut first: Option<Hit> = None;
        self.tree.walk(&path, 1.0, |slots: Range<u32>, mut best| {
            let (leaf, count) = lanes_of(&slots);
            let mut candidates = self.leaves[leaf].candidates(&ball, best, count, lanes);
            while let Some(lane) = candidates.next(&ball, best) {
                let slot = slots.start as usize + lane;
                let Some(mut hit) = test(&self.corners(slot), &ball, best) else {
                    continue;
                };
                hit.triangle = self.tree.order()[slot];
                let key = |h: &Hit| (h.fraction.to_bits(), h.triangle);
                if first.as_ref().is_none_or(|f| key(&hit) < key(f)) {
                    if prune {
                        best = hit.fraction;
                    }
                    first = Some(hit);
                }
            }
            best
        });
        first
    }

    fn first_exact(&self, sweep: &Sweep, radius: Real, skin: Real) -> Option<Hit> {
        // A point stops a skin before the plane, which on a grazing path is far before it touches: no order to prune by.
        self.least(sweep, radius + skin, radius > 0.0, |corners, ball, best| {
            let touch = sweep_exact::sweep_culled(&sweep.from, &sweep.along, radius, skin, ball.size, corners, best)?;
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
        let end = sweep.from + sweep.along;
        self.least(sweep, sweep.radius, true, |corners, _, _| {
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
