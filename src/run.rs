//! The loop over frames.
