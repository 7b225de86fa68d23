//! Meshes with a field around them: what the field makes of a motion, and a collider that asks triangles only where the
//! field cannot vouch for a move.
//!
//! The answers of the collider are those of the triangles alone, to the bit: a field only proves that there is nothing to
//! answer. So whatever the responses do, nothing gets into a mesh.

mod respond;

use std::ops::Range;

use super::mesh::StaticMesh;
use super::{Collider, Hit, Near, Overlap, Sweep};
use crate::grid::{Grid, Pose};
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::{Collision, Lookup, Responses};

/// A grid in the world.
pub struct Field {
    /// The grid.
    pub grid: Grid,
    /// Where it is.
    pub pose: Pose,
    /// How it is read.
    pub lookup: Lookup,
    /// What it does.
    pub responses: Responses,
    /// The triangles that it stands for, by their numbers in the world.
    pub triangles: Range<u32>,
    /// Box around its object [m].
    object: Aabb,
}

/// Share of the field that a particle crosses at the most before it is asked again: none passes unfelt.
const THIRD: Real = 1.0 / 3.0;
/// The shortest way before it is asked again [cells].
const SHORTEST: Real = 0.5;
/// Pieces of a step at the most, by length: what is too fast for them is left to the triangles.
const PIECES: Real = 32.0;
/// What a move must clear beyond the radius, as a share of the largest coordinate: roundings of `f64`.
const SKIN: Real = 1e-12;

impl Field {
    /// A grid that stands for some of the world's triangles.
    pub fn new(grid: Grid, pose: Pose, lookup: Lookup, responses: Responses, triangles: Range<u32>) -> Self {
        let corners: [Point3; 8] = std::array::from_fn(|k| {
            let pick = |a: usize| {
                if k >> a & 1 == 1 {
                    grid.object.max[a]
                } else {
                    grid.object.min[a]
                }
            };
            pose.to_world(&Point3::new(pick(0), pick(1), pick(2)))
        });
        Self {
            object: Aabb::around(&corners),
            grid,
            pose,
            lookup,
            responses,
            triangles,
        }
    }

    /// Box around the object [m].
    pub fn object(&self) -> &Aabb {
        &self.object
    }

    /// Reach of the field [m].
    pub fn thickness(&self) -> Real {
        self.grid.thickness * self.pose.scale()
    }

    /// Edge of a cell [m].
    pub fn cell(&self) -> Real {
        self.grid.layout.cell * self.pose.scale()
    }

    /// How far a distance that is read may be from the exact one [m].
    pub fn error(&self) -> Real {
        self.grid.error() * self.pose.scale()
    }

    /// Distance at which a particle of this radius and way in one step [m] is turned back: the L of section 3.4. A sum:
    /// with the larger of the parts, one just outside would arrive at the surface.
    pub fn threshold(&self, radius: Real, way: Real) -> Real {
        let l_min = self.responses.impact.map_or(0.0, |i| i.l_min);
        radius + l_min + self.error() + way
    }

    /// The speed relative to the object [m/s] up to which the responses alone turn particles back in time: (T - e - l_min
    /// - radius) / step. Beyond, the triangles do. Below 0: the field is too thin for the radius.
    pub fn safe_speed(&self, radius: Real, step: Real) -> Real {
        (self.thickness() - self.threshold(radius, 0.0)) / step
    }

    /// Distance from the surface [m] and unit normal at a place; `None` outside the field.
    #[inline]
    pub fn look(&self, p: &Point3) -> Option<(Real, Vec3)> {
        let sample = self.grid.look(&self.pose.to_grid(p), self.lookup)?;
        let normal = self.pose.turn(&sample.normal);
        Some((sample.distance * self.pose.scale(), normal / normal.norm()))
    }

    /// What becomes of the velocity [m/s] of a particle that is moved by it for `dt` [s], a part of a step; `None` where
    /// the field does not reach.
    pub fn respond(&self, p: &Point3, velocity: &Vec3, radius: Real, dt: Real, step: Real) -> Option<Vec3> {
        let sample = self.grid.look(&self.pose.to_grid(p), self.lookup)?;
        let distance = sample.distance * self.pose.scale();
        let of_object = self.pose.velocity_at(p);
        let mut v = velocity - of_object;
        let does = &self.responses;
        let turned = self.pose.turn(&sample.normal);
        let only_impact = does.spring.is_none() && does.drag.is_none() && does.flow.is_none();
        if only_impact && v.dot(&turned) >= 0.0 {
            return Some(*velocity);
        }
        let normal = turned / turned.norm();
        if let Some(spring) = does.spring {
            v = respond::spring(&v, &normal, spring.k, self.thickness(), distance, dt);
        }
        if let Some(drag) = does.drag
            && drag.theta.is_none_or(|theta| distance < theta)
        {
            v = respond::drag(&v, drag.delta, dt);
        }
        if let Some(flow) = &does.flow
            && flow.distance.is_none_or(|reach| distance < reach)
        {
            v = respond::flow(&v, &normal, flow, dt);
        }
        if let Some(impact) = does.impact
            && distance < self.threshold(radius, v.norm() * step)
        {
            v = respond::impact(&v, &normal, impact.beta);
        }
        Some(v + of_object)
    }

    /// How far [m] a particle at a place may go before the field is to be asked again; infinite where its way does not come
    /// near.
    fn free_way(&self, p: &Point3, along: &Vec3, radius: Real) -> Real {
        let (thickness, cell) = (self.thickness(), self.cell());
        if !meets(p, along, &self.object, thickness) {
            return Real::INFINITY;
        }
        let clear = self.grid.clearance_at_a_glance(&self.pose.to_grid(p)) * self.pose.scale();
        if clear > thickness + cell {
            return (clear - thickness).max(THIRD * thickness);
        }
        (clear - radius - cell)
            .min(THIRD * thickness)
            .max(SHORTEST * cell)
    }

    /// Whether the field proves that a move does not touch its object: the surface is farther than the radius from every
    /// point of it, because distance changes by no more than the way.
    #[inline]
    fn vouches(&self, sweep: &Sweep) -> bool {
        let size = sweep.from.coords.amax() + sweep.along.amax();
        let radius = sweep.radius + SKIN * size;
        if !meets(&sweep.from, &sweep.along, &self.object, radius) {
            return true;
        }
        let scale = self.pose.scale();
        let (way, need) = (sweep.along.norm() / scale, radius / scale);
        let from = self.pose.to_grid(&sweep.from);
        let at_a_glance = self.grid.clearance_at_a_glance(&from);
        if at_a_glance > way + need {
            return true;
        }
        let to = self.pose.to_grid(&(sweep.from + sweep.along));
        let enough = way + 2.0 * need;
        if at_a_glance + self.grid.clearance_at_a_glance(&to) > enough {
            return true;
        }
        let near = self.grid.clearance(&from);
        near > way + need || (near > need && near + self.grid.clearance(&to) > enough)
    }
}

/// Whether the box around a way comes within `reach` of a box.
#[inline]
fn meets(from: &Point3, along: &Vec3, object: &Aabb, reach: Real) -> bool {
    (0..3).all(|a| {
        let (low, high) = if along[a] < 0.0 {
            (from[a] + along[a], from[a])
        } else {
            (from[a], from[a] + along[a])
        };
        low <= object.max[a] + reach && high >= object.min[a] - reach
    })
}

/// The world's triangles, some of them with fields that may save the look at them.
pub struct Guarded {
    all: StaticMesh,
    /// Triangles without a field, and their numbers in the world; `None`: there are none.
    bare: Option<(StaticMesh, Vec<u32>)>,
    fields: Vec<Field>,
    /// Whether fields may vouch for moves: only where a touch is the touch of the ball.
    vouching: bool,
}

/// Sweeps that are looked at together.
const TOGETHER: usize = 64;

impl Guarded {
    /// A collider over triangles given by corners' numbers, and fields that stand for some of them.
    pub fn new(vertices: Vec<Point3>, triangles: &[[u32; 3]], mode: Collision, fields: Vec<Field>) -> Self {
        let covered = |t: &u32| fields.iter().any(|f| f.triangles.contains(t));
        let vouching = mode == Collision::Exact && !fields.is_empty();
        let numbers: Vec<u32> = if vouching {
            (0..triangles.len() as u32).filter(|t| !covered(t)).collect()
        } else {
            Vec::new()
        };
        let bare = (!numbers.is_empty()).then(|| {
            let some: Vec<[u32; 3]> = numbers.iter().map(|&t| triangles[t as usize]).collect();
            (StaticMesh::new(vertices.clone(), &some, mode), numbers)
        });
        Self {
            all: StaticMesh::new(vertices, triangles, mode),
            bare,
            fields,
            vouching,
        }
    }

    /// The same whose rays begin so many radii behind.
    #[must_use]
    pub fn with_rays_behind(mut self, radii: Real) -> Self {
        self.all = self.all.with_rays_behind(radii);
        self
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The triangles alone.
    pub fn mesh(&self) -> &StaticMesh {
        &self.all
    }

    /// How far [m] a particle that would go `along` [m] in `rest` [s], the rest of a step of length `step` [s], may go
    /// before the fields are to be asked again; infinite where none is near.
    pub fn free_way(&self, p: &Point3, along: &Vec3, radius: Real, rest: Real, step: Real) -> Real {
        let way = (self.fields.iter())
            .map(|f| f.free_way(p, along, radius))
            .fold(Real::INFINITY, Real::min);
        if way == Real::INFINITY || rest <= 0.0 {
            return way;
        }
        way.max(along.norm() * (step / rest) / PIECES)
    }

    /// What all fields in reach make of a velocity, in scene order; `None` where none reaches.
    pub fn respond(&self, p: &Point3, velocity: &Vec3, radius: Real, dt: Real, step: Real) -> Option<Vec3> {
        let mut felt = None;
        for field in &self.fields {
            let before = felt.unwrap_or(*velocity);
            felt = field.respond(p, &before, radius, dt, step).or(felt);
        }
        felt
    }

    /// Whether all fields vouch for a move. Triangles without a field are not looked at.
    pub fn vouches(&self, sweep: &Sweep) -> bool {
        self.vouching && self.fields.iter().all(|f| f.vouches(sweep))
    }

    /// The first touch of the triangles without a field.
    fn first_bare(&self, sweep: &Sweep) -> Option<Hit> {
        let (mesh, numbers) = self.bare.as_ref()?;
        let hit = mesh.first_touch(sweep)?;
        Some(Hit {
            triangle: numbers[hit.triangle as usize],
            ..hit
        })
    }

    /// The same of some sweeps, those that are not vouched for by the whole mesh.
    fn first_of_some(&self, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
        let mut open = [0_usize; TOGETHER];
        let mut count = 0;
        for (i, sweep) in sweeps.iter().enumerate() {
            if self.vouches(sweep) {
                hits[i] = self.first_bare(sweep);
            } else {
                open[count] = i;
                count += 1;
            }
        }
        let mut asked = [STILL; TOGETHER];
        let mut found = [None; TOGETHER];
        for (asked, &i) in asked.iter_mut().zip(&open[..count]) {
            *asked = sweeps[i];
        }
        self.all.first_touches(&asked[..count], &mut found[..count]);
        for (found, &i) in found.iter().zip(&open[..count]) {
            hits[i] = *found;
        }
    }
}

/// A sweep that goes nowhere.
const STILL: Sweep = Sweep {
    from: Point3::new(0.0, 0.0, 0.0),
    along: Vec3::new(0.0, 0.0, 0.0),
    radius: 0.0,
    span: [0.0; 2],
};

impl Collider for Guarded {
    fn first_touch(&self, sweep: &Sweep) -> Option<Hit> {
        if self.vouches(sweep) {
            self.first_bare(sweep)
        } else {
            self.all.first_touch(sweep)
        }
    }

    fn first_touches(&self, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
        if !self.vouching {
            return self.all.first_touches(sweeps, hits);
        }
        for (sweeps, hits) in sweeps.chunks(TOGETHER).zip(hits.chunks_mut(TOGETHER)) {
            let count = sweeps.len().min(hits.len());
            self.first_of_some(&sweeps[..count], &mut hits[..count]);
        }
    }

    fn first_contact(&self, sweep: &Sweep) -> Option<Hit> {
        self.all.first_contact(sweep)
    }

    fn crosses(&self, from: &Point3, to: &Point3) -> bool {
        self.all.crosses(from, to)
    }

    fn crossings(&self, segments: &[[Point3; 2]]) -> u64 {
        self.all.crossings(segments)
    }

    fn deepest_overlap(&self, center: &Point3, radius: Real) -> Option<Overlap> {
        self.all.deepest_overlap(center, radius)
    }

    fn deepest_overlaps(&self, centers: &[Point3], radii: &[Real], deepest: &mut [Option<Overlap>]) {
        self.all.deepest_overlaps(centers, radii, deepest);
    }

    fn near(&self, center: &Point3, reach: Real, found: &mut Vec<Near>) {
        self.all.near(center, reach, found);
    }
}
