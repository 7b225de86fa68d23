//! Frames to files.

pub mod atomic;
pub mod manifest;
