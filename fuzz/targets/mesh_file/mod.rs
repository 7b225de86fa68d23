//! Bytes read as a mesh file of a format, and what must hold of the mesh.

use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

pub fn read(data: &[u8], ending: &str) {
    let path = FOLDER.path().join("fuzz").with_extension(ending);
    std::fs::write(&path, data).expect("a file");
    let Ok(mesh) = partsim::mesh::load_mesh(&path) else {
        return;
    };
    for t in 0..mesh.triangles.len() {
        assert!(mesh.corners(t).iter().all(|p| p.iter().all(|x| x.is_finite())));
        assert!(usize::from(mesh.group_of[t]) < mesh.groups.len());
    }
}
