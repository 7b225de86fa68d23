//! Differences between frames and run folders.
