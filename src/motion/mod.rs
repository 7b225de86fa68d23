//! Where moving scenery is at a moment: a pure function of time, so that nothing of it is state.
//!
//! Knows neither triangles nor particles. What moves as a whole has a [`Track`]; what changes its shape goes from one
//! [`Morph`] of its corners to the next.

mod morph;
mod moved;
mod pose;
mod track;

pub use morph::{Morph, Stretch};
pub use moved::{Moved, Piece};
pub use pose::{Instant, Pose, Turn};
pub use track::{FASTEST_TURN, Rigid, Track};
