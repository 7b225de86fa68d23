//! A shard's part of a frame: what is read belongs together.
#![no_main]

use partsim::shard::Shard;
use partsim::write::part;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let bytes = [&b"partsim part 1\r\n"[..], data].concat();
    let Some(shard) = Shard::new(1, 2) else { return };
    if let Ok((frame, _)) = part::read(&bytes, shard, 2) {
        assert!(frame.position.len() == frame.len() && frame.material.iter().all(|&m| m < 2));
    }
});
