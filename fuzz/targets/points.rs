//! Exact particles of a frame, behind a hash that agrees.
#![no_main]

use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let path = FOLDER.path().join("points");
    let bytes = [data, blake3::hash(data).as_bytes()].concat();
    std::fs::write(&path, bytes).expect("a file");
    let _ = partsim::write::points::read(&path);
});
