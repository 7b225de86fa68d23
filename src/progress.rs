//! The one object that owns standard error during a run.
