//! What a simulation has looked at: as long as nothing changes there, its result stands. Some places matter only as
//! long as they are filled: more that comes there changes nothing.

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

/// What happens to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A ball comes to lie there.
    Comes,
    /// One that lay there goes, or is no longer what it was.
    Goes,
}

/// The places that a simulation depends on.
#[derive(Debug, Default)]
pub struct Looked {
    /// Where nothing may change.
    open: Places,
    /// Where nothing may go.
    filled: Places,
}

#[derive(Debug)]
struct Places {
    capsules: Vec<Capsule>,
    bounds: Aabb,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            capsules: Vec::new(),
            bounds: Aabb::EMPTY,
        }
    }
}

impl Looked {
    /// Forgets all and keeps the memory.
    pub fn clear(&mut self) {
        for places in [&mut self.open, &mut self.filled] {
            places.capsules.clear();
            places.bounds = Aabb::EMPTY;
        }
    }

    /// Remembers a place where nothing may change.
    pub fn add(&mut self, from: Point3, along: Vec3, radius: Real) {
        self.open.add(from, along, radius);
    }

    /// Remembers a place where nothing may go; what comes is welcome.
    pub(super) fn add_filled(&mut self, from: Point3, along: Vec3, radius: Real) {
        self.filled.add(from, along, radius);
    }

    /// The places where nothing may come.
    pub fn capsules(&self) -> &[Capsule] {
        &self.open.capsules
    }

    /// A box around the places where nothing may come [m]; a ball whose centre is farther from it than its radius and a
    /// millionth more meets none.
    pub fn bounds(&self) -> &Aabb {
        &self.open.bounds
    }

    /// Whether a change within a ball reaches any of it.
    pub fn meets(&self, center: &Point3, radius: Real, change: Change) -> bool {
        self.open.meets(center, radius) || change == Change::Goes && self.filled.meets(center, radius)
    }
}

impl Places {
    fn add(&mut self, from: Point3, along: Vec3, radius: Real) {
        let radius = radius * ROOM;
        self.bounds = self
            .bounds
            .union(&Aabb::around([&from, &(from + along)]).inflated(radius));
        self.capsules.push(Capsule { from, along, radius });
    }

    fn meets(&self, center: &Point3, radius: Real) -> bool {
        self.bounds.inflated(radius * ROOM).contains(center)
            && self.capsules.iter().any(|c| c.meets(center, radius))
    }
}

impl Capsule {
    fn meets(&self, center: &Point3, radius: Real) -> bool {
        let far = self.radius + radius * ROOM;
        from_segment(&self.from, &self.along, center) <= far * far
    }
}

/// Squared distance [m2] of a place from the segment that goes `along` from another.
pub(super) fn from_segment(from: &Point3, along: &Vec3, place: &Point3) -> Real {
    let m = place - from;
    let length2 = along.norm_squared();
    let share = if length2 > 0.0 {
        (m.dot(along) / length2).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (m - along * share).norm_squared()
}
