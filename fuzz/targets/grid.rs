//! A grid behind a hash that agrees: wherever it is asked, it answers.
#![no_main]

use std::sync::LazyLock;

use partsim::grid;
use partsim::scene::Lookup;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let path = FOLDER.path().join("fuzz.dng");
    let bytes = [data, blake3::hash(data).as_bytes()].concat();
    std::fs::write(&path, bytes).expect("a file");
    let Ok(grid) = file::load(&path) else { return };
    for x in -2..8 {
        let at = partsim::math::Point3::new(f64::from(x) * 0.21, 0.3, f64::from(x) * 0.13);
        let _ = (
            grid.look(&at, Lookup::Nearest),
            grid.look(&at, Lookup::Trilinear),
            grid.look(&at, Lookup::Plane),
            grid.clearance(&at),
        );
    }
});
