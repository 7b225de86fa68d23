//! Frames to files.
