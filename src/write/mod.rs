//! Frames to files: what a writer is, and which ones there are.
//!
//! A writer turns a [`Frame`] into bytes; it never opens files and never sees the simulation.

pub mod atomic;
pub mod manifest;
pub mod part;
pub mod points;
pub mod pov;
pub mod shared;

use std::io;

use crate::frame::Frame;

/// Turns frames into the bytes of one file format.
pub trait FrameWriter: Sync {
    /// Ending of the frame files, without the dot.
    fn extension(&self) -> &'static str;

    /// Writes `frame` to `out`. The bytes depend on the frame and the scene alone.
    ///
    /// # Errors
    /// Only those of `out`: every frame can be written.
    fn write(&self, frame: &Frame, out: &mut dyn io::Write) -> io::Result<FrameStats>;
}

/// Keeps pieces of text that several frames share.
pub trait Pieces {
    /// Keeps a piece and gives the name by which a frame includes it; equal pieces have the same name.
    ///
    /// # Errors
    /// Those of keeping it.
    fn keep(&mut self, text: &[u8]) -> io::Result<String>;
}

/// What became of the particles of one frame; nothing is left out without being counted here.
///
/// `particles = components + spheres + buried + thinned + merged + unwritable`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameStats {
    /// Particles in the frame.
    pub particles: u64,
    /// Of these, particles that lie on something.
    pub settled: u64,
    /// Of these, particles in the air.
    pub airborne: u64,
    /// Settled particles written as blob components, copies not counted.
    pub components: u64,
    /// Airborne particles written as plain spheres.
    pub spheres: u64,
    /// Settled particles left out because others hide them from every side.
    pub buried: u64,
    /// Settled particles left out because a younger one close by stands for them.
    pub thinned: u64,
    /// Particles left out because a younger one lies in practically the same place.
    pub merged: u64,
    /// Particles left out because POV-Ray cannot take their numbers: not finite, or too far away.
    pub unwritable: u64,
    /// Components written once more, in a neighbouring tile.
    pub copies: u64,
    /// Blobs in the file.
    pub blobs: u64,
    /// Clusters of translucent material so wide that POV-Ray may show holes in them.
    pub wide_clusters: u64,
}
