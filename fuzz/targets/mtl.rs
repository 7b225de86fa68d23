//! MTL bytes, read by the OBJ file that names them.
#![no_main]

use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

const OBJ: &[u8] = b"mtllib fuzz.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\nusemtl b c\nf 1 2 3\n";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = FOLDER.path();
    std::fs::write(folder.join("fuzz.mtl"), data).expect("a file");
    let mesh = partsim::mesh::read_obj(OBJ, &folder.join("fuzz.obj")).expect("the geometry is good");
    for surface in mesh.groups.iter().filter_map(|g| g.surface.as_ref()) {
        let numbers = surface.diffuse.iter().chain(&surface.specular).chain(&surface.emission);
        let numbers = numbers.chain([&surface.shininess, &surface.opacity, &surface.ior]);
        assert!(numbers.into_iter().all(|x| x.is_finite()));
    }
});
