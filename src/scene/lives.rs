//! How long particles of a material live, and what happens to them on the way, as plain data.

use super::Region;
use crate::math::Real;

/// The life of a material's particles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Life {
    /// How long they live; `None`: for ever.
    pub lifetime: Option<Lifetime>,
    /// What happens to them, in file order.
    pub events: Vec<Event>,
}

/// How long a particle lives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lifetime {
    /// In the mean [s], > 0.
    pub mean: Real,
    /// It varies evenly by this share either way, 0 .. 1.
    pub variation: Real,
}

/// Something that happens to a particle once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// At what.
    pub when: When,
    /// And what.
    pub then: Then,
}

/// What an event waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum When {
    /// This long after birth [s], > 0.
    Age(Real),
    /// The first touch of a surface.
    Contact,
    /// The end of the step in which it leaves this region.
    Leaves(Region),
}

/// What happens at an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Then {
    /// The particle ends.
    Kill,
    /// It falls into parts that have its volume together. Those smaller than the material's smallest radius stay whole.
    Split {
        /// How many, 2 .. 64.
        count: u32,
        /// Speed at which they part [m/s], >= 0.
        speed: Real,
    },
    /// It gives off particles of another material and goes on.
    Emit {
        /// Index into [`super::Scene::materials`].
        material: usize,
        /// How many, 1 .. 64.
        count: u32,
        /// Their speed against its own [m/s], >= 0.
        speed: Real,
    },
}
