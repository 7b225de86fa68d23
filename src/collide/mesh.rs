//! Static triangles: the exact sweep, the test of 1999, or a ray, behind one tree.

use std::ops::Range;

use rayon::prelude::*;

use super::leaf::{Leaf, lanes_of};
use super::{Collider, Hit, Near, Overlap, Sweep};
use crate::bvh::{Bvh, NONE, Path, WIDTH, prefetch};
use crate::geom::closest_point::closest_point;
use crate::geom::segment_triangle::segment_triangle;
use crate::geom::{is_degenerate, sorted_corners};
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::Collision;

/// The world's static triangles.
pub struct StaticMesh {
    vertices: Vec<Point3>,
    /// Corners of each triangle in lexicographic order, and the triangles in the tree's leaf order; slots that a leaf
    /// leaves empty hold nothing of meaning.
    triangles: Vec<[u32; 3]>,
    /// For each of these triangles which corners they were, as the caller listed them.
    listed: Vec<[u8; 3]>,
    leaves: Vec<Leaf>,
    tree: Bvh,
    mode: Collision,
    /// Largest absolute coordinate [m].
    size: Real,
    /// Around all triangles, with room for rounding.
    bounds: Aabb,
    /// Mean radius of a leaf [m]; infinite where nothing can be told.
    leaf_radius: Real,
    /// How far before a face a ray stops [m]: rounding must not carry it through.
    pub(super) ray_skin: Real,
    /// How far behind its start a ray looks for a face that it is under [radii].
    pub(super) rays_behind: Real,
}

/// A ray's skin in parts of the largest coordinate: about 2^20 roundings.
const RAY_SKIN: Real = 1e-10;

impl StaticMesh {
    /// A collider over triangles given by corners' numbers; triangle `i` of the answers is `triangles[i]`. All
    /// coordinates are finite.
    pub fn new(vertices: Vec<Point3>, triangles: &[[u32; 3]], mode: Collision) -> Self {
        let corners = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
        let boxes: Vec<Aabb> = triangles.par_iter().map(|t| Aabb::around(&corners(t))).collect();
        let tree = Bvh::build(&boxes);
        drop(boxes);
        let bounds = with_room(&Aabb::around(&vertices));
        let size = vertices.iter().map(|v| v.coords.amax()).fold(0.0, Real::max);
        let at = |triangle: u32| triangles.get(triangle as usize).copied().unwrap_or_default();
        let slots = tree.order();
        let (ordered, listed): (Vec<[u32; 3]>, Vec<[u8; 3]>) = slots
            .par_iter()
            .map(|&slot| {
                let triangle = at(slot);
                let listed = sorted_corners(&corners(&triangle));
                (listed.map(|i| triangle[usize::from(i)]), listed)
            })
            .unzip();
        let leaves: Vec<Leaf> = slots
            .par_chunks(WIDTH)
            .zip(ordered.par_chunks(WIDTH))
            .map(|(slots, triangles)| {
                let held = slots.iter().take_while(|&&slot| slot != NONE).count();
                Leaf::new(triangles[..held].iter().map(corners))
            })
            .collect();
        let leaf_radius = leaves.iter().map(Leaf::radius).sum::<Real>() / leaves.len().max(1) as Real;
        let (vertices, triangles) = in_order_of_use(&vertices, ordered);
        Self {
            triangles,
            listed,
            leaves,
            vertices,
            tree,
            mode,
            size,
            bounds,
            leaf_radius,
            ray_skin: RAY_SKIN * size,
            rays_behind: 0.0,
        }
    }

    /// Triangles without area: the 1999 test cannot see them, the exact one takes them as edges.
    pub fn degenerate(&self) -> usize {
        (0..self.triangles.len())
            .into_par_iter()
            .filter(|&slot| self.tree.order()[slot] != NONE && is_degenerate(&self.corners(slot)))
            .count()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
            + size_of_val(&self.leaves[..])
            + size_of_val(&self.vertices[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.listed[..])
    }

    pub(super) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Largest absolute coordinate [m].
    pub(super) fn size(&self) -> Real {
        self.size
    }

    /// Asks for the memory of a leaf.
    #[inline(always)]
    pub(super) fn expect(&self, slots: &Range<u32>) {
        if let Some(leaf) = self.leaves.get(lanes_of(slots).0) {
            prefetch(leaf);
        }
    }

    /// Asks for the numbers of a leaf's corners, a filter ahead of their use.
    #[inline(always)]
    pub(super) fn expect_corners(&self, slots: &Range<u32>) {
        let first = slots.start as usize;
        let corners = self.triangles.get(first..);
        if let Some(corners) = corners.and_then(|c| c.first_chunk::<WIDTH>()) {
            prefetch(corners);
        }
        if let Some(slot) = self.tree.order().get(first) {
            prefetch(slot);
        }
    }

    /// Mean radius of a leaf [m].
    pub(super) fn leaf_radius(&self) -> Real {
        self.leaf_radius
    }

    pub(super) fn leaf(&self, number: usize) -> &Leaf {
        &self.leaves[number]
    }

    /// Those of the slots of a leaf whose triangles may be nearer to a place than `reach`.
    #[inline(always)]
    fn within(&self, slots: Range<u32>, center: &Point3, reach: Real) -> impl Iterator<Item = usize> + use<> {
        let (leaf, count) = lanes_of(&slots);
        let mut near = self.leaves[leaf].within(center, reach, self.size, count, self.tree.lanes());
        std::iter::from_fn(move || {
            let lane = near.trailing_zeros();
            near &= near.wrapping_sub(1);
            (lane < WIDTH as u32).then_some((slots.start + lane) as usize)
        })
    }

    /// Whether a segment, which lies in `region`, meets a triangle of a leaf.
    #[inline(always)]
    pub(super) fn leaf_crosses(&self, slots: Range<u32>, from: &Point3, along: &Vec3, region: &Aabb) -> bool {
        let (leaf, count) = lanes_of(&slots);
        let mut near = self.leaves[leaf].meets(region, count, self.tree.lanes());
        while near != 0 {
            let slot = slots.start as usize + near.trailing_zeros() as usize;
            near &= near - 1;
            if segment_triangle(from, along, &self.corners(slot)).is_some() {
                return true;
            }
        }
        false
    }

    /// Offers the overlaps of a ball with the triangles of a leaf.
    #[inline(always)]
    pub(super) fn leaf_overlap(
        &self,
        slots: Range<u32>,
        center: &Point3,
        radius: Real,
        deepest: &mut Option<Overlap>,
    ) {
        for slot in self.within(slots, center, radius) {
            let closest = closest_point(center, &self.corners(slot));
            let depth = radius - closest.distance;
            let triangle = self.tree.order()[slot];
            let deeper = |o: &Overlap| depth > o.depth || depth == o.depth && triangle < o.triangle;
            if depth > 0.0 && deepest.as_ref().is_none_or(deeper) {
                let out = center - closest.point;
                let normal = out.try_normalize(0.0).unwrap_or_else(|| self.face_normal(slot));
                *deepest = Some(Overlap {
                    depth,
                    normal,
                    triangle,
                });
            }
        }
    }

    #[cfg(test)]
    pub(super) fn set_lanes(&mut self, lanes: crate::bvh::Lanes) {
        self.tree.set_lanes(lanes);
    }

    /// Which corners of its triangle, as the caller listed them, those on a slot are.
    pub(super) fn listed(&self, slot: usize) -> [u8; 3] {
        self.listed[slot]
    }

    /// Corners in lexicographic order.
    #[inline(always)]
    pub(super) fn corners(&self, slot: usize) -> [Point3; 3] {
        let [a, b, c] = self.corners_at(slot);
        [*a, *b, *c]
    }

    /// [`StaticMesh::corners`] where they are.
    #[inline(always)]
    pub(super) fn corners_at(&self, slot: usize) -> [&Point3; 3] {
        let [a, b, c] = self.triangles[slot];
        [
            &self.vertices[a as usize],
            &self.vertices[b as usize],
            &self.vertices[c as usize],
        ]
    }

    /// Unit normal by the winding of the corners as the caller listed them; y for a triangle without area.
    pub(super) fn face_normal(&self, slot: usize) -> Vec3 {
        let [a, b, c] = self.corners(slot);
        let n = (b - a).cross(&(c - a));
        // Corners listed in an odd order wind the other way.
        let [i, j, _] = self.listed[slot];
        let n = if (i + 1) % 3 == j { n } else { -n };
        n.try_normalize(0.0).unwrap_or_else(Vec3::y)
    }
}

impl Collider for StaticMesh {
    fn first_touch(&self, sweep: &Sweep) -> Option<Hit> {
        match self.mode {
            Collision::Exact => self.first_exact(sweep, sweep.radius, 0.0),
            Collision::Karabassi => self.first_karabassi(sweep),
            Collision::Ray => self.first_ray(sweep),
        }
    }

    fn first_touches(&self, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
        if self.mode == Collision::Exact {
            for (sweeps, hits) in sweeps.chunks(WIDTH).zip(hits.chunks_mut(WIDTH)) {
                self.first_of_group(sweeps, hits);
            }
        } else {
            for (sweep, hit) in sweeps.iter().zip(hits) {
                *hit = self.first_touch(sweep);
            }
        }
    }

    fn first_contact(&self, sweep: &Sweep) -> Option<Hit> {
        self.first_exact(sweep, sweep.radius, 0.0)
    }

    fn crosses(&self, from: &Point3, to: &Point3) -> bool {
        let along = to - from;
        let region = with_room(&Aabb::around([from, to]));
        let mut crossed = false;
        self.tree.walk(
            &Path {
                from: *from,
                along,
                radius: 0.0,
            },
            1.0,
            |slots, best| {
                crossed = self.leaf_crosses(slots, from, &along, &region);
                if crossed { -1.0 } else { best }
            },
        );
        crossed
    }

    fn crossings(&self, segments: &[[Point3; 2]]) -> u64 {
        segments
            .chunks(WIDTH)
            .map(|some| self.crossings_of_group(some))
            .sum()
    }

    fn deepest_overlap(&self, center: &Point3, radius: Real) -> Option<Overlap> {
        // Most births are outside of everything.
        if !self.bounds.inflated(radius).contains(center) {
            return None;
        }
        let path = Path {
            from: *center,
            along: Vec3::zeros(),
            radius,
        };
        let mut deepest: Option<Overlap> = None;
        self.tree.walk(&path, 0.0, |slots, best| {
            self.leaf_overlap(slots, center, radius, &mut deepest);
            best
        });
        deepest
    }

    fn deepest_overlaps(&self, centers: &[Point3], radii: &[Real], deepest: &mut [Option<Overlap>]) {
        let balls = centers.chunks(WIDTH).zip(radii.chunks(WIDTH));
        for ((centers, radii), deepest) in balls.zip(deepest.chunks_mut(WIDTH)) {
            self.overlaps_of_group(centers, radii, deepest);
        }
    }

    fn near(&self, center: &Point3, reach: Real, found: &mut Vec<Near>) {
        found.clear();
        let path = Path {
            from: *center,
            along: Vec3::zeros(),
            radius: reach,
        };
        self.tree.walk(&path, 0.0, |slots, best| {
            for slot in self.within(slots, center, reach) {
                let closest = closest_point(center, &self.corners(slot));
                if closest.distance <= reach {
                    let out = center - closest.point;
                    found.push(Near {
                        distance: closest.distance,
                        point: closest.point,
                        normal: out.try_normalize(0.0).unwrap_or_else(|| self.face_normal(slot)),
                        triangle: self.tree.order()[slot],
                    });
                }
            }
            best
        });
        found.sort_unstable_by_key(|n| n.triangle);
    }
}

/// A box with room for the rounding of its own sides.
pub(super) fn with_room(region: &Aabb) -> Aabb {
    region.inflated(4.0 * Real::EPSILON * region.min.coords.amax().max(region.max.coords.amax()))
}

/// Renumbers vertices in the order in which triangles use them, so that those of one leaf lie together.
fn in_order_of_use(vertices: &[Point3], mut triangles: Vec<[u32; 3]>) -> (Vec<Point3>, Vec<[u32; 3]>) {
    let mut number = vec![NONE; vertices.len()];
    let mut used = Vec::with_capacity(vertices.len());
    for corner in triangles.iter_mut().flatten() {
        let number = &mut number[*corner as usize];
        if *number == NONE {
            *number = used.len() as u32;
            used.push(vertices[*corner as usize]);
        }
        *corner = *number;
    }
    (used, triangles)
}
