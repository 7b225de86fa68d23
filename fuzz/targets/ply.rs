//! PLY bytes: a mesh whose indices all point somewhere, or a mistake.
#![no_main]

mod mesh_file;

libfuzzer_sys::fuzz_target!(|data: &[u8]| mesh_file::read(data, "ply"));
