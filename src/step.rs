//! The order of a step.
