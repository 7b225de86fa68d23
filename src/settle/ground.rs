//! What stops a particle in a run with heaps: the scenery and all that lies still.

use crate::collide::balls::{BallHit, Balls, Spheres};
use crate::collide::{Collider, Hit, HitStatus, Sweep};
use crate::geom::Feature;
use crate::math::{Point3, Real, Vec3};
use crate::state::{ON_PARTICLE, Status};
use crate::world::{Scenery, World};

/// The scenery and the settled particles, read-only.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The scenery, and the numbers of materials.
    pub world: &'a World,
    /// Who lies where, by row.
    pub balls: &'a Balls,
    /// Places and radii of all rows.
    pub spheres: Spheres<'a>,
    /// Feet of all rows, or of the first ones.
    pub feet: &'a [[f32; 3]],
    /// What each row is doing.
    pub status: &'a [Status],
    /// The moment at which what moves is seen [s]: the end of the step.
    pub time: Real,
}

/// What was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum On {
    /// A triangle of the scenery.
    Triangle(u32),
    /// The settled particle of a row.
    Ball(u32),
}

/// Where and how a particle is stopped.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    /// Share of the sweep that is free, 0 .. 1.
    pub fraction: Real,
    /// Unit vector from what was touched to the particle.
    pub normal: Vec3,
    /// What was touched.
    pub on: On,
    /// Overlap at the start of the sweep [m].
    pub depth: Real,
}

impl Touch {
    /// The same as a touch of the scenery; of a ball, with [`ON_PARTICLE`] for its triangle.
    pub fn hit(&self) -> Hit {
        Hit {
            fraction: self.fraction,
            point: Point3::origin(),
            normal: self.normal,
            feature: Feature::Face,
            triangle: match self.on {
                On::Triangle(triangle) => triangle,
                On::Ball(_) => ON_PARTICLE,
            },
            depth: self.depth,
            status: HitStatus::Clean,
        }
    }
}

impl From<BallHit> for Touch {
    fn from(hit: BallHit) -> Self {
        Self {
            fraction: hit.fraction,
            normal: hit.normal,
            on: On::Ball(hit.row as u32),
            depth: 0.0,
        }
    }
}

impl From<Hit> for Touch {
    fn from(hit: Hit) -> Self {
        Self {
            fraction: hit.fraction,
            normal: hit.normal,
            on: On::Triangle(hit.triangle),
            depth: hit.depth,
        }
    }
}

impl<'a> Ground<'a> {
    /// The scenery at the end of the step.
    pub fn scenery(&self) -> Scenery<'a> {
        self.world.at(self.time)
    }

    /// The first touch of a sweep with what stands still: the least by share as bits, triangles before balls, then by number
    /// or identity.
    pub fn first_touch(&self, sweep: &Sweep) -> Option<Touch> {
        self.first_with(sweep, self.world.collider.first_touch(sweep))
    }

    /// The same with all scenery at the end of the step.
    pub fn first_around(&self, sweep: &Sweep) -> Option<Touch> {
        self.first_with(sweep, self.scenery().first_touch(sweep))
    }

    /// The same where the first touch of the scenery is known.
    pub fn first_with(&self, sweep: &Sweep, triangle: Option<Hit>) -> Option<Touch> {
        let ball = self.balls.first_touch(&self.spheres, sweep).map(Touch::from);
        Self::first_of(ball, triangle.map(Touch::from))
    }

    /// The same for a fall, which particles that are not lower do not stop.
    pub fn first_below(&self, fall: &Sweep) -> Option<Touch> {
        Self::first_of(self.ball_below(fall), self.first_triangle(fall))
    }

    /// The first settled particle that stops a fall.
    pub(super) fn ball_below(&self, fall: &Sweep) -> Option<Touch> {
        self.balls.first_below(&self.spheres, fall).map(Touch::from)
    }

    /// The first triangle that a sweep touches.
    pub(super) fn first_triangle(&self, sweep: &Sweep) -> Option<Touch> {
        self.scenery().first_touch(sweep).map(Touch::from)
    }

    /// The first of two touches.
    pub(super) fn first_of(a: Option<Touch>, b: Option<Touch>) -> Option<Touch> {
        let touches = [a, b].into_iter().flatten();
        touches.min_by_key(|t| (t.fraction.to_bits(), t.on))
    }

    /// The same without one row, which moves itself.
    #[must_use]
    pub fn without(&self, row: u32) -> Self {
        let mut ground = *self;
        ground.spheres.except = row;
        ground
    }

    /// Whether the particle of a row is on its way, or waits for one that is.
    pub(super) fn rolls(&self, row: u32) -> bool {
        self.status[row as usize] == Status::Rolling
    }

    /// Where the weight of a settled particle stands.
    pub(super) fn foot(&self, row: u32) -> Point3 {
        match self.feet.get(row as usize) {
            Some(foot) => Point3::from(foot.map(Real::from)),
            None => self.spheres.position[row as usize],
        }
    }
}
