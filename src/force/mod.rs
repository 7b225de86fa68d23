//! Motion between touches.
