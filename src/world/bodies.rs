//! Bodies of a scene: moved once, before anything else is simulated, and from then on a motion like any other.
//!
//! They meet scenery and each other, not particles, which weigh little beside them. So where they are is a function of time,
//! and no part of the state: particles that land on them ride along, are pushed and fall off as on all that moves.

mod cast;
mod fates;
mod land;
mod stage;

pub(super) use cast::Casts;
pub use fates::Fates;
pub(super) use stage::Stage;
