//! OBJ reading against chance: no bytes make it panic, and well-formed files read as `tobj` reads them.

use std::fmt::Write as _;
use std::path::Path;

use partsim::mesh::{Mesh, read_obj};
use proptest::prelude::*;

/// What the type promises of every mesh.
fn assert_sound(mesh: &Mesh) {
    let (vertices, uvs) = (mesh.vertices.len(), mesh.uvs.len());
    assert!(mesh.vertices.iter().all(|p| p.iter().all(|x| x.is_finite())));
    assert!(mesh.uvs.iter().flatten().all(|x| x.is_finite()));
    assert!(mesh.triangles.iter().flatten().all(|v| (*v as usize) < vertices));
    assert_eq!(mesh.group_of.len(), mesh.triangles.len());
    assert!(mesh.group_of.iter().all(|g| usize::from(*g) < mesh.groups.len()));
    assert!(mesh.uv_triangles.is_empty() || mesh.uv_triangles.len() == mesh.triangles.len());
    let known = |t: &[u32; 3]| *t == [u32::MAX; 3] || t.iter().all(|uv| (*uv as usize) < uvs);
    assert!(mesh.uv_triangles.iter().all(known));
}

fn read(bytes: &[u8]) {
    // A folder that does not exist: names in the text must not lead to files of this machine.
    if let Ok(mesh) = read_obj(bytes, Path::new("/no/such/folder/random.obj")) {
        assert_sound(&mesh);
    }
}

const MODEL: &str = "# model\nmtllib a b.mtl\nv 0 0 0\nv 1 0 0 1\nv 1 1 0 0.5 0.5 0.5\nv 0 1.5e0 \\\n -0.25\nvt 0 0\nvt 1 1\n\
    vn 0 0 1\no part\ng one two\ns off\nusemtl Material #1\nf 1/1/1 2/2/1 3/1/1 4/2/1\nf -1//-1 -2//-1 -3//-1\nf 1 2 \\\r\n3 4\r\n\
    usemtl\nl 1 2\np 1\nf 1/-1 2/-2 3/2\ncurv 0 1 1 2\n";

/// Bytes that mean something to the reader.
fn sharp_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        prop::sample::select(b"0123456789-+.,/\\#\n\r\t vfltpnean\0\xff".to_vec()),
        any::<u8>()
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn arbitrary_bytes_are_survived(bytes in prop::collection::vec(sharp_byte(), 0..400)) {
        read(&bytes);
    }

    #[test]
    fn a_damaged_file_is_survived(
        blows in prop::collection::vec((any::<prop::sample::Index>(), sharp_byte(), 0_u8..4), 1..12),
    ) {
        let mut bytes = MODEL.as_bytes().to_vec();
        for (index, byte, kind) in blows {
            if bytes.is_empty() {
                break;
            }
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        read(&bytes);
    }

    #[test]
    fn well_formed_files_read_as_tobj_reads_them(
        places in prop::collection::vec(prop::array::uniform3(-1e3_f64..1e3), 3..40),
        faces in prop::collection::vec((prop::array::uniform3(any::<prop::sample::Index>()), any::<bool>()), 1..60),
    ) {
        let mut text = String::new();
        for [x, y, z] in &places {
            let _ = writeln!(text, "v {x} {y:e} {z}");
        }
        let count = places.len();
        for (corners, backwards) in &faces {
            let [a, b, c] = corners.map(|i| i.index(count) as i64 + 1 - if *backwards { count as i64 + 1 } else { 0 });
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        let mesh = read_obj(text.as_bytes(), Path::new("random.obj")).expect("well-formed");
        let options = tobj::LoadOptions::default();
        let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &options, |_| Ok(Default::default())).expect("well-formed");
        let theirs: Vec<[f64; 3]> = models.iter().flat_map(|m| {
            let places = m.mesh.positions.as_chunks::<3>().0;
            m.mesh.indices.iter().map(|i| places[*i as usize])
        }).collect();
        let ours: Vec<[f64; 3]> = mesh.triangles.iter().flatten().map(|v| mesh.vertices[*v as usize].coords.into()).collect();
        prop_assert_eq!(ours, theirs);
    }
}
