//! What a touch does.
