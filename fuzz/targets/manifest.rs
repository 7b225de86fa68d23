//! Manifests: what is read can be written and read again.
#![no_main]

use std::sync::LazyLock;

use partsim::write::manifest::{FILE_NAME, Manifest};

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    std::fs::write(FOLDER.path().join(FILE_NAME), data).expect("a file");
    if let Ok(manifest) = Manifest::read(FOLDER.path()) {
        manifest.write(FOLDER.path()).expect("written");
        assert_eq!(Manifest::read(FOLDER.path()).expect("read again"), manifest);
    }
});
