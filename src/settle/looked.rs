//! What a simulation has looked at: as long as nothing new touches it, its result stands.

use crate::math::{Aabb, Point3, Real, Vec3};

/// Room for the rounding of tests: what touches within this share counts as seen.
const ROOM: Real = 1.0 + 1e-6;

/// All places within a radius of a segment.
#[derive(Debug, Clone, Copy)]
pub struct Capsule {
    /// Start [m].
    pub from: Point3,
    /// To the end [m].
    pub along: Vec3,
    /// Radius [m].
    pub radius: Real,
}

/// The places that a simulation depends on.
#[derive(Debug)]
pub struct Looked {
    capsules: Vec<Capsule>,
    bounds: Aabb,
}

impl Default for Looked {
    fn default() -> Self {
        Self {
            capsules: Vec::new(),
            bounds: Aabb::EMPTY,
        }
    }
}

impl Looked {
    /// Remembers one more.
    pub fn add(&mut self, from: Point3, along: Vec3, radius: Real) {
        let radius = radius * ROOM;
        self.bounds = self
            .bounds
            .union(&Aabb::around([&from, &(from + along)]).inflated(radius));
        self.capsules.push(Capsule { from, along, radius });
    }

    /// What was remembered.
    pub fn capsules(&self) -> &[Capsule] {
        &self.capsules
    }

    /// Whether a ball reaches into any of it.
    pub fn meets(&self, center: &Point3, radius: Real) -> bool {
        self.bounds.inflated(radius).contains(center) && self.capsules.iter().any(|c| c.meets(center, radius))
    }
}

impl Capsule {
    fn meets(&self, center: &Point3, radius: Real) -> bool {
        let m = center - self.from;
        let length2 = self.along.norm_squared();
        let share = if length2 > 0.0 {
            (m.dot(&self.along) / length2).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let far = self.radius + radius * ROOM;
        (m - self.along * share).norm_squared() <= far * far
    }
}
