//! The surface that a grid is made of: exact distance, side, and what lies across.

use std::ops::Range;

use rayon::prelude::*;

use super::Sides;
use super::topology::Topology;
use crate::bvh::{Bvh, NONE, Path};
use crate::geom::closest_point::{Closest, closest_point};
use crate::geom::ray_along_x::ray_meets;
use crate::geom::segment_triangle::segment_triangle;
use crate::math::{Aabb, Point3, Real, Vec3};

/// Triangles with a tree over them.
pub struct Surface {
    /// In the order of the tree's leaves; slots that a leaf leaves empty hold a point at infinity.
    slots: Vec<Slot>,
    tree: Bvh,
    topology: Topology,
    bounds: Aabb,
    sides: Sides,
    inside_out: bool,
}

/// A triangle with a ball around it.
struct Slot {
    corners: [Point3; 3],
    middle: Point3,
    radius: Real,
    triangle: u32,
    has_area: bool,
}

/// The part of a surface that is closest to a point.
#[derive(Debug, Clone, Copy)]
pub struct Nearest {
    /// Closest point, and from there to the asked one.
    pub closest: Closest,
    /// Number of the triangle.
    pub triangle: u32,
    slot: u32,
}

/// Points at which the side that the closest triangle tells is compared with what a ray tells.
const SAMPLES: u64 = 512;

impl Surface {
    /// Of a mesh's triangles, of which at least one, with finite corners. `both`: serve both sides although it is closed.
    pub fn new(triangles: &[[Point3; 3]], both: bool) -> Self {
        let boxes: Vec<Aabb> = triangles.par_iter().map(Aabb::around).collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
        let tree = Bvh::build(&boxes);
        let topology = Topology::new(triangles);
        let slots = (tree.order().par_iter())
            .map(|&number| match triangles.get(number as usize) {
                Some(corners) if number != NONE => Slot::new(corners, number, &topology),
                _ => Slot::EMPTY,
            })
            .collect();
        let mut surface = Self {
            slots,
            tree,
            topology,
            bounds,
            sides: Sides::One,
            inside_out: false,
        };
        surface.sides = surface.find_sides(both);
        surface
    }

    /// Box around all triangles.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Which sides it has.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// Whether its normals point into the space that it encloses: a room.
    pub fn is_inside_out(&self) -> bool {
        self.inside_out
    }

    /// Open edges, as the places of their ends.
    pub fn open_edges(&self) -> &[[Point3; 2]] {
        self.topology.open()
    }

    /// Unit normal of a triangle by its winding; zero without area.
    pub fn face_normal(&self, triangle: u32) -> &Vec3 {
        self.topology.face(triangle as usize)
    }

    /// The closest part, no farther than `within` [m]; `hint` is looked at first.
    pub fn nearest(&self, p: &Point3, within: Real, hint: Option<&Nearest>) -> Option<Nearest> {
        let mut best: Option<(Key, Nearest)> = None;
        // A little more than asked, for the roundings of the bound.
        let within2 = within * within * (1.0 + 1e-9);
        let mut look = |slot: u32, best2: Real| self.look(p, slot, best2, &mut best);
        let start = hint.map_or(within2, |h| look(h.slot, within2));
        self.tree.nearest(p, start, |range: Range<u32>, best2| {
            range.fold(best2, |best2, slot| look(slot, best2))
        });
        best.map(|(_, nearest)| nearest)
    }

    fn look(&self, p: &Point3, number: u32, best2: Real, best: &mut Option<(Key, Nearest)>) -> Real {
        let slot = &self.slots[number as usize];
        let far = best2.sqrt() + slot.radius;
        if (p - slot.middle).norm_squared() > far * far {
            return best2;
        }
        let closest = closest_point(p, &slot.corners);
        let d2 = closest.offset.norm_squared();
        let key = (d2.to_bits(), !slot.has_area, slot.triangle);
        if d2 <= best2 && best.as_ref().is_none_or(|(k, _)| key < *k) {
            let nearest = Nearest {
                closest,
                triangle: slot.triangle,
                slot: number,
            };
            *best = Some((key, nearest));
            return d2;
        }
        best2
    }

    /// The distance with its sign: negative behind a closed surface.
    pub fn signed(&self, nearest: &Nearest) -> Real {
        if self.sides == Sides::Both || !self.is_behind(nearest) {
            nearest.closest.distance
        } else {
            -nearest.closest.distance
        }
    }

    fn is_behind(&self, nearest: &Nearest) -> bool {
        let normal = self
            .topology
            .pseudo_normal(nearest.triangle as usize, nearest.closest.feature);
        nearest.closest.offset.dot(normal) < 0.0
    }

    /// Unit vector away from the surface on the side of the point; the pseudo-normal where it lies on it.
    pub fn outward(&self, nearest: &Nearest) -> Vec3 {
        let out = nearest.closest.offset;
        let out = if self.sides == Sides::One && self.is_behind(nearest) {
            -out
        } else {
            out
        };
        out.try_normalize(0.0).unwrap_or_else(|| {
            self.topology
                .pseudo_normal(nearest.triangle as usize, nearest.closest.feature)
                .try_normalize(0.0)
                .unwrap_or_else(Vec3::zeros)
        })
    }

    /// Calls `found` with the number and corners of every triangle whose box may come within `reach` [m] of a place.
    pub fn around(&self, p: &Point3, reach: Real, mut found: impl FnMut(u32, &[Point3; 3])) {
        let path = Path {
            from: *p,
            along: Vec3::zeros(),
            radius: reach,
        };
        self.tree.walk(&path, 0.0, |range, best| {
            for slot in &self.slots[range.start as usize..range.end as usize] {
                let far = reach + slot.radius;
                if (p - slot.middle).norm_squared() <= far * far {
                    found(slot.triangle, &slot.corners);
                }
            }
            best
        });
    }

    /// Numbers of the triangles that a segment meets, and where on it, in no order.
    pub fn across(&self, from: &Point3, along: &Vec3, mut found: impl FnMut(u32, Real)) {
        let path = Path {
            from: *from,
            along: *along,
            radius: 0.0,
        };
        self.tree.walk(&path, 1.0, |range, best| {
            for slot in &self.slots[range.start as usize..range.end as usize] {
                if let Some(share) = segment_triangle(from, along, &slot.corners) {
                    found(slot.triangle, share);
                }
            }
            best
        });
    }

    /// One side where the mesh is closed and rays agree with the closest triangles everywhere, or nowhere.
    fn find_sides(&mut self, both: bool) -> Sides {
        if both || !self.topology.open().is_empty() || self.bounds.extent().min() <= 0.0 {
            return Sides::Both;
        }
        let room = self.bounds.inflated(0.05 * self.bounds.diagonal());
        let answers: Vec<Option<bool>> = (0..SAMPLES)
            .into_par_iter()
            .map(|i| self.agrees(&halton(i + 1, &room)))
            .collect();
        let agree = answers.iter().flatten().filter(|a| **a).count();
        let differ = answers.iter().flatten().filter(|a| !**a).count();
        self.inside_out = agree == 0;
        if agree > 0 && differ > 0 {
            Sides::Both
        } else {
            Sides::One
        }
    }

    /// Whether the closest triangle and a ray tell the same side of a place; `None` too close to tell.
    fn agrees(&self, p: &Point3) -> Option<bool> {
        let nearest = self.nearest(p, Real::INFINITY, None)?;
        let clear = nearest.closest.distance > 1e-9 * self.bounds.diagonal();
        clear.then(|| self.is_behind(&nearest) == self.is_enclosed(p))
    }

    /// Whether a ray along +x meets an odd number of triangles.
    fn is_enclosed(&self, p: &Point3) -> bool {
        let path = Path {
            from: *p,
            along: Vec3::x() * (self.bounds.max.x - p.x).max(0.0) * 1.01,
            radius: 1e-9 * self.bounds.diagonal(),
        };
        let mut odd = false;
        self.tree.walk(&path, 1.0, |range, best| {
            for slot in &self.slots[range.start as usize..range.end as usize] {
                odd ^= ray_meets(&slot.corners, p);
            }
            best
        });
        odd
    }
}

/// Squared distance as bits, whether the triangle has no area, and its number.
type Key = (u64, bool, u32);

impl Slot {
    const EMPTY: Self = {
        let nowhere = Point3::new(Real::INFINITY, Real::INFINITY, Real::INFINITY);
        Self {
            corners: [nowhere; 3],
            middle: nowhere,
            radius: 0.0,
            triangle: NONE,
            has_area: false,
        }
    };

    fn new(corners: &[Point3; 3], triangle: u32, topology: &Topology) -> Self {
        let middle = Aabb::around(corners).center();
        let radius = corners.iter().map(|c| (c - middle).norm()).fold(0.0, Real::max);
        Self {
            corners: *corners,
            middle,
            radius: radius * (1.0 + 1e-9),
            triangle,
            has_area: *topology.face(triangle as usize) != Vec3::zeros(),
        }
    }
}

/// Evenly spread places in a box (Halton 1960), without chance.
fn halton(index: u64, bounds: &Aabb) -> Point3 {
    let radical = |base: u64| {
        let (mut i, mut share, mut sum) = (index, 1.0, 0.0);
        while i > 0 {
            share /= base as Real;
            sum += share * (i % base) as Real;
            i /= base;
        }
        sum
    };
    bounds.min
        + bounds
            .extent()
            .component_mul(&Vec3::new(radical(2), radical(3), radical(5)))
}
