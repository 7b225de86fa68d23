//! A tree of boxes over primitives that it does not know.
