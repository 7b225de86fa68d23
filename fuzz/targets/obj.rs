//! OBJ bytes: a mesh whose indices all point somewhere, or a mistake.
#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(mesh) = partsim::mesh::read_obj(data, Path::new("no such folder/fuzz.obj")) else {
        return;
    };
    for t in 0..mesh.triangles.len() {
        assert!(mesh.corners(t).iter().all(|p| p.iter().all(|x| x.is_finite())));
        assert!(usize::from(mesh.group_of[t]) < mesh.groups.len());
    }
    // A corner takes two bytes at least, and a face of n corners makes n - 2 triangles.
    assert!(mesh.triangles.len() <= data.len() / 2 && mesh.vertices.len() <= data.len() / 2);
});
