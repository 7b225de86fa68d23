//! What a preview reads: `common.inc`, `mesh.inc` and a frame, all edited by people. The three stand one after the other,
//! parted by lines of four bars.
#![no_main]

use std::path::Path;

use partsim::preview::{Size, Stage};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut texts = text.split("////\n");
    let [common, mesh, frame] = [(); 3].map(|()| texts.next().unwrap_or(""));
    if let Ok(stage) = Stage::parse(common, mesh, Path::new("run")) {
        let size = Size { width: 8, height: 4 };
        let _ = stage.shoot(Path::new("frame_000001.pov"), frame.as_bytes(), size);
    }
});
