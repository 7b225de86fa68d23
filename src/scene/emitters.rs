//! Sources of particles, as plain data, and when their births happen.

use crate::keyed::Keyed;
use crate::math::{Aabb, Point3, Real, Vec3};

/// A source of particles.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitter {
    /// Name in messages.
    pub name: String,
    /// Index into [`super::Scene::materials`].
    pub material: usize,
    /// Where births happen.
    pub shape: Shape,
    /// Births at once, at `start` and at every further burst.
    pub count: u64,
    /// Further bursts after the first; `None`: there is one.
    pub bursts: Option<Bursts>,
    /// Births a second between `start` and `stop` [1/s]; fractions carry over.
    pub rate: Keyed<Real>,
    /// First moment of emission [s].
    pub start: Real,
    /// End of emission [s]; infinite when not given.
    pub stop: Real,
    /// Mean velocity at birth [m/s].
    pub velocity: Vec3,
    /// Half angle of the cone round `velocity` in which directions are drawn [degrees], 0 .. 180.
    pub spread_deg: Real,
    /// Speed varies evenly by this share either way, 0 .. 1.
    pub speed_variation: Real,
    /// Velocity of the emitter itself [m/s], from `start` on: births follow its path.
    pub motion: Vec3,
    /// Further way of the emitter over time [m].
    pub path: Option<Keyed<Vec3>>,
    /// Share of the emitter's own velocity that particles get at birth, 0 .. 1.
    pub inherit_velocity: Real,
    /// What to do with a birth whose ball cuts the scenery.
    pub if_blocked: IfBlocked,
    /// Whether balls may not cut other particles at birth either.
    pub apart: bool,
}

/// Bursts that follow each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bursts {
    /// Time from one to the next [s], > 0.
    pub every: Real,
    /// How many in all; as long as the emitter is on when `u64::MAX`.
    pub repeats: u64,
}

impl Emitter {
    /// How many births are due before or at `time` [s], not counting a burst at that very moment.
    pub fn due(&self, time: Real) -> u64 {
        if time <= self.start {
            return 0;
        }
        let until = time.min(self.stop);
        // A product that should be whole may come out an ulp short; that must not cost a birth.
        let flow = self.rate.integral(self.start, until) * (1.0 + 4.0 * Real::EPSILON);
        let bursts = self.bursts.map_or(1, |b| b.before(until - self.start));
        self.count.saturating_mul(bursts).saturating_add(flow as u64)
    }

    /// Moment [s] of birth number `index`. Bursts and a rate do not go together: with both, the one burst is first.
    pub fn moment(&self, index: u64) -> Real {
        match (self.bursts, index.checked_sub(self.count)) {
            (Some(bursts), _) => self.start + (index / self.count.max(1)) as Real * bursts.every,
            (None, None) => self.start,
            (None, Some(nth)) => self.rate.moment_of((nth + 1) as Real, self.start),
        }
    }

    /// How far the emitter has moved from where its shape stands [m].
    pub fn shift(&self, time: Real) -> Vec3 {
        let along = self.path.as_ref().map_or_else(Vec3::zeros, |path| path.at(time));
        self.motion * (time - self.start) + along
    }

    /// Velocity of the emitter itself [m/s].
    pub fn own_velocity(&self, time: Real) -> Vec3 {
        self.motion + self.path.as_ref().map_or_else(Vec3::zeros, |path| path.slope(time))
    }
}

impl Bursts {
    /// How many happen before this much time has passed since the first [s].
    fn before(&self, passed: Real) -> u64 {
        let mut n = (passed / self.every) as u64;
        // The quotient may be an ulp off either way.
        while n > 0 && (n - 1) as Real * self.every >= passed {
            n -= 1;
        }
        while n < self.repeats && n as Real * self.every < passed && n < u64::MAX >> 12 {
            n += 1;
        }
        n.min(self.repeats)
    }
}

/// Where an emitter's births happen.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// One place.
    Point {
        /// The place [m].
        at: Point3,
    },
    /// Evenly over a disc.
    Disc {
        /// Middle [m].
        center: Point3,
        /// Unit normal.
        normal: Vec3,
        /// Radius of the disc [m].
        radius: Real,
    },
    /// Evenly in an axis-aligned box.
    Box {
        /// The box [m].
        bounds: Aabb,
    },
    /// Evenly in a ball.
    Sphere {
        /// Middle [m].
        center: Point3,
        /// Radius of the ball [m].
        radius: Real,
    },
    /// One birth a cell of a parallelogram, row by row, u fastest.
    Grid {
        /// Corner [m].
        origin: Point3,
        /// First side [m].
        u: Vec3,
        /// Second side [m].
        v: Vec3,
        /// Cells along u and v.
        count: [u32; 2],
        /// 0: cell middles .. 1: anywhere in the cell.
        jitter: Real,
    },
    /// Evenly over the area of a mesh, a radius above it.
    MeshSurface {
        /// Index into [`super::Scene::meshes`].
        mesh: usize,
        /// Only this `usemtl` group.
        group: Option<String>,
        /// Gap between the surface and the particle's ball [m].
        offset: Real,
    },
    /// Evenly in the inside of a closed mesh.
    MeshVolume {
        /// Index into [`super::Scene::meshes`].
        mesh: usize,
    },
    /// A nozzle: a disc from which particles fly apart within a cone.
    Cone {
        /// Middle of the nozzle [m].
        center: Point3,
        /// Unit vector along its axis.
        direction: Vec3,
        /// Radius of the nozzle [m], >= 0.
        radius: Real,
        /// Half angle of the cone [degrees], 0 .. below 90.
        angle_deg: Real,
        /// Speed of the jet [m/s]; it is added to the emitter's `velocity`.
        speed: Real,
    },
}

/// What to do with a birth whose ball cuts the scenery (or, kept apart, another particle).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfBlocked {
    /// No birth; counted as rejected.
    Reject,
    /// Moved out along the shortest way, at most 8 moves; counted; rejected when that does not free it.
    PushOut,
    /// It waits until it is free, and all births of the emitter behind it wait too; rejected after a second.
    Delay,
}
