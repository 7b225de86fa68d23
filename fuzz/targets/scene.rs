//! Scene text: whatever is written, the answer is a scene or a list of mistakes.
#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = partsim::scene::parse(text, Path::new("fuzz.ron"));
    }
});
