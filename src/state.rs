//! Particles as arrays, time and step number.
