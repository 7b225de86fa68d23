//! Numbers that refuse bad values while they are read.
