//! The `partsim` program: parse, call, print, exit code.

fn main() {}
