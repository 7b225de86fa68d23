//! Checkpoints whose hash agrees, so that what is fuzzed is what stands before it.
#![no_main]

use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let hash = blake3::hash(data);
    let bytes = [data, hash.as_bytes()].concat();
    std::fs::write(FOLDER.path().join(partsim::checkpoint::FILE_NAME), bytes).expect("a file");
    if let Ok(Some(found)) = partsim::checkpoint::read(FOLDER.path()) {
        assert!(found.state.fault().is_none());
    }
});
