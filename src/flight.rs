//! One particle through one step.
