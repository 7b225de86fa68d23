//! Scene to world: everything slow that is done once.
