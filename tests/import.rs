//! Scenery from PLY, STL and glTF: the same mesh gives the same frames as its OBJ, and faults are told as there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use partsim::error::Error;
use partsim::mesh::{Mesh, load_mesh, load_obj};

fn put(path: &Path, bytes: &[u8]) {
    partsim::write::atomic::write_file(path, |out| out.write_all(bytes)).expect("written");
}

/// A shipped model whose places have 32 bits, as STL and glTF hold them.
fn model() -> Mesh {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/rig.obj");
    let mut mesh = load_obj(&path).expect("a shipped model");
    for x in mesh.vertices.iter_mut().flat_map(|p| p.coords.iter_mut()) {
        *x = f64::from(*x as f32);
    }
    mesh
}

fn obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    for p in &mesh.vertices {
        let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
    }
    for t in &mesh.triangles {
        let _ = writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    text
}

fn ply_header(mesh: &Mesh, format: &str, number: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment made by a test\nelement vertex {}\nproperty {number} x\nproperty {number} y\n\
         property {number} z\nproperty uchar red\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices.len(),
        mesh.triangles.len()
    )
}

fn ply_text(mesh: &Mesh) -> Vec<u8> {
    let mut text = ply_header(mesh, "ascii", "double");
    for p in &mesh.vertices {
        let _ = writeln!(text, "{} {} {} 7", p.x, p.y, p.z);
    }
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text.into_bytes()
}

fn ply_binary(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = ply_header(mesh, "binary_big_endian", "float").into_bytes();
    for p in &mesh.vertices {
        bytes.extend(p.iter().flat_map(|x| (*x as f32).to_be_bytes()));
        bytes.push(7);
    }
    for t in &mesh.triangles {
        bytes.push(3);
        bytes.extend(t.iter().flat_map(|i| i.to_be_bytes()));
    }
    bytes
}

fn stl_binary(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in 0..mesh.triangles.len() {
        bytes.extend([0; 12]);
        let corners = mesh.corners(t);
        bytes.extend(
            corners
                .iter()
                .flat_map(|p| p.iter())
                .flat_map(|x| (*x as f32).to_le_bytes()),
        );
        bytes.extend([0; 2]);
    }
    bytes
}

fn stl_text(mesh: &Mesh) -> Vec<u8> {
    let mut text = String::from("solid rig\n");
    for t in 0..mesh.triangles.len() {
        text += "facet normal 0 0 0\nouter loop\n";
        for p in mesh.corners(t) {
            let _ = writeln!(text, "vertex {} {} {}", p.x as f32, p.y as f32, p.z as f32);
        }
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid rig\n").into_bytes()
}

/// Numbers of a mesh as glTF holds them: places, then indices.
fn buffer(mesh: &Mesh) -> Vec<u8> {
    let places = mesh
        .vertices
        .iter()
        .flat_map(|p| p.iter())
        .flat_map(|x| (*x as f32).to_le_bytes());
    places
        .chain(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()))
        .collect()
}

fn gltf(mesh: &Mesh, buffer: &str) -> String {
    let (vertices, triangles) = (12 * mesh.vertices.len(), 12 * mesh.triangles.len());
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
"nodes": [{{"children": [1]}}, {{"mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1, "material": 0}}]}}],
"materials": [{{"name": "tin", "pbrMetallicRoughness": {{"baseColorFactor": [0.25, 0.5, 1, 1]}}}}],
"buffers": [{{{buffer}"byteLength": {}}}],
"bufferViews": [{{"buffer": 0, "byteLength": {vertices}}}, {{"buffer": 0, "byteOffset": {vertices}, "byteLength": {triangles}}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": {}, "type": "VEC3", "min": [-9, -9, -9], "max": [9, 9, 9]}},
{{"bufferView": 1, "componentType": 5125, "count": {}, "type": "SCALAR"}}]}}"#,
        vertices + triangles,
        mesh.vertices.len(),
        3 * mesh.triangles.len()
    )
}

fn glb(mesh: &Mesh) -> Vec<u8> {
    let mut text = gltf(mesh, "").into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let data = buffer(mesh);
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((28 + text.len() as u32 + data.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &data)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

/// Every format of a mesh, written into a folder.
fn files(mesh: &Mesh, dir: &Path) -> Vec<PathBuf> {
    let data = buffer(mesh);
    let inside = base64::engine::general_purpose::STANDARD.encode(&data);
    put(&dir.join("rig data.bin"), &data);
    let all: [(&str, Vec<u8>); 8] = [
        ("rig.obj", obj(mesh).into_bytes()),
        ("text.ply", ply_text(mesh)),
        ("binary.PLY", ply_binary(mesh)),
        ("binary.stl", stl_binary(mesh)),
        ("text.stl", stl_text(mesh)),
        (
            "beside.gltf",
            gltf(mesh, r#""uri": "rig%20data.bin", "#).into_bytes(),
        ),
        (
            "inside.gltf",
            gltf(
                mesh,
                &format!(r#""uri": "data:application/octet-stream;base64,{inside}", "#),
            )
            .into_bytes(),
        ),
        ("packed.glb", glb(mesh)),
    ];
    all.into_iter()
        .map(|(name, bytes)| {
            let path = dir.join(name);
            put(&path, &bytes);
            path
        })
        .collect()
}

#[test]
fn the_same_mesh_in_any_format_gives_the_same_frames() {
    let dir = tempfile::tempdir().expect("a folder");
    let files = files(&model(), dir.path());
    let mut frames: Vec<Vec<u8>> = Vec::new();
    for file in &files {
        let name = file.file_name().expect("a name").to_string_lossy();
        let scene = dir.path().join(format!("{name}.ron"));
        let text = format!(
            r#"(
    meshes: [(name: "rig", file: "{name}")],
    materials: {{ "lump": Snow(radius: 0.02) }},
    emitters: [(material: "lump", shape: Box(min: (-2, 1.5, -0.2), max: (2, 2.1, 0.2)), count: 1500, velocity: (0, -1, 0))],
    pile: true,
    time: (frames: 12, frame_rate: 12),
)"#
        );
        put(&scene, text.as_bytes());
        let out = dir.path().join(format!("{name}.run"));
        let program = assert_cmd::cargo::cargo_bin!("partsim");
        let done = Command::new(program)
            .arg("run")
            .arg(&scene)
            .args(["--frames", "12", "--out"])
            .arg(&out)
            .output();
        let done = done.expect("the program starts");
        assert!(
            done.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        frames.push(fs_err::read(out.join("frame_000012.pov")).expect("a frame"));
    }
    for (file, frame) in files.iter().zip(&frames) {
        assert!(
            *frame == frames[0],
            "{} gives another frame than its OBJ",
            file.display()
        );
    }
}

#[test]
fn vertices_triangles_and_materials_are_those_of_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = model();
    for file in files(&model, dir.path()) {
        let mesh = load_mesh(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert_eq!(mesh.triangles.len(), model.triangles.len(), "{}", file.display());
        assert!(
            (0..mesh.triangles.len()).all(|t| mesh.corners(t) == model.corners(t)),
            "{}",
            file.display()
        );
        assert_eq!(mesh.report.warnings, [], "{}", file.display());
        assert_eq!(mesh.group_of.len(), mesh.triangles.len());
        if file.extension().is_some_and(|e| e == "glb") {
            assert_eq!(mesh.groups[0].name, "tin");
            assert_eq!(
                mesh.groups[0].surface.as_ref().map(|s| s.diffuse),
                Some([0.25, 0.5, 1.0])
            );
        }
    }
}

#[test]
fn every_command_that_takes_a_mesh_takes_every_format() {
    let dir = tempfile::tempdir().expect("a folder");
    let told = |args: &[&str]| {
        let done = Command::new(assert_cmd::cargo::cargo_bin!("partsim"))
            .current_dir(dir.path())
            .args(args)
            .output()
            .expect("it runs");
        assert!(
            done.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout).expect("text")
    };
    for file in files(&model(), dir.path()) {
        let file = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let report: serde_json::Value = serde_json::from_str(&told(&["mesh", file, "--json"])).expect("JSON");
        assert_eq!(report["triangles"], model().triangles.len(), "{file}");
        let scene = format!("{file}.ron");
        told(&["new", file, "--out", &scene]);
        told(&["check", &scene]);
        told(&[
            "grid",
            "build",
            file,
            "-o",
            &format!("{file}.dng"),
            "--cells",
            "16",
        ]);
    }
}

#[test]
fn polygons_of_ply_are_cut_as_those_of_obj() {
    let dir = tempfile::tempdir().expect("a folder");
    let (ply, obj) = (dir.path().join("a.ply"), dir.path().join("a.obj"));
    // An arrow head: a fan round its first corner would lie outside.
    let places = ["0 0 0", "2 0 1", "0 0 2", "1 0 1"];
    put(
        &ply,
        format!(
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
             element face 2\nproperty list uchar uint vertex_index\nend_header\n{}\n4 0 1 2 3\n2 0 1\n",
            places.join("\n")
        )
        .as_bytes(),
    );
    put(&obj, format!("v {}\nf 1 2 3 4\n", places.join("\nv ")).as_bytes());
    let (ply, obj) = (load_mesh(&ply).expect("a mesh"), load_mesh(&obj).expect("a mesh"));
    assert_eq!((ply.vertices, ply.triangles), (obj.vertices, obj.triangles));
}

#[test]
fn nodes_place_and_mirror_what_they_hold() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = model();
    let moved = gltf(&model, r#""uri": "rig%20data.bin", "#).replace(
        r#"{"children": [1]}"#,
        r#"{"children": [1], "translation": [1, 2, 3], "scale": [-2, 2, 2]}"#,
    );
    files(&model, dir.path());
    put(&dir.path().join("moved.gltf"), moved.as_bytes());
    let mesh = load_mesh(&dir.path().join("moved.gltf")).expect("a mesh");
    let (a, b) = (&model.corners(5), &mesh.corners(5));
    let expected = [0, 2, 1].map(|k: usize| {
        partsim::math::Point3::new(1.0 - 2.0 * a[k].x, 2.0 + 2.0 * a[k].y, 3.0 + 2.0 * a[k].z)
    });
    assert_eq!(*b, expected);
}

#[test]
fn faults_name_the_file_and_what_was_expected() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = model();
    files(&model, dir.path());
    let read = |name: &str| fs_err::read(dir.path().join(name)).expect("a file");
    let text = |name: &str| String::from_utf8(read(name)).expect("text");
    let says = |name: &str, bytes: &[u8], line: Option<usize>, part: &str| {
        put(&dir.path().join(name), bytes);
        match load_mesh(&dir.path().join(name)) {
            Err(Error::Input(found)) => {
                let all = format!("{} {:?}", found[0].message, found[0].help);
                assert!(all.contains(name) && all.contains(part), "{name}: {all}");
                assert_eq!(found[0].place.as_ref().map(|p| p.line), line, "{name}: {all}");
            }
            other => panic!("{name}: {other:?}"),
        }
    };
    let ply = text("text.ply");
    let first = ply.lines().position(|l| l == "end_header").expect("a header") + 2;
    let vertex = format!("\n{}\n", ply.lines().nth(first).expect("a vertex"));
    says(
        "a.ply",
        ply.replacen(&vertex, "\n1 2 nan 7\n", 1).as_bytes(),
        Some(first + 1),
        "PLY",
    );
    says(
        "b.ply",
        ply.replacen(&vertex, "\n1 2 x 7\n", 1).as_bytes(),
        Some(first + 1),
        "PLY",
    );
    says("c.ply", &read("binary.PLY")[..5000], None, "PLY");
    says(
        "d.ply",
        ply.replacen("\n3 0", "\n3 99999999", 1).as_bytes(),
        None,
        "names vertex 99999999",
    );
    says("e.ply", b"v 1 2 3\n", Some(1), "PLY");
    says("f.ply", b"", None, "PLY");
    let stl = read("binary.stl");
    says("a.stl", &stl[..stl.len() - 30], None, "STL");
    says(
        "b.stl",
        b"solid a\nfacet normal 0 0 0\nouter loop\nvertex 1 2",
        None,
        "STL",
    );
    let mut bad = stl.clone();
    bad[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    says("c.stl", &bad, None, "triangle 1: expected finite");
    let gltf = text("beside.gltf");
    says(
        "a.gltf",
        gltf.replace("rig%20data", "no").as_bytes(),
        None,
        "no.bin",
    );
    says("b.gltf", &gltf.as_bytes()[..300], None, "glTF");
    says(
        "c.gltf",
        gltf.replacen("\"count\": ", "\"count\": 9", 1).as_bytes(),
        None,
        "beyond its buffer",
    );
    says(
        "d.gltf",
        gltf.replace("\"children\": [1]", "\"children\": [1, 1]")
            .as_bytes(),
        None,
        "two places",
    );
    says(
        "e.gltf",
        gltf.replace("{\"mesh\": 0}", "{\"mesh\": 0, \"children\": [0]}")
            .as_bytes(),
        None,
        "two places",
    );
    says("f.glb", &read("packed.glb")[..200], None, "glTF");
    // Whatever single bytes say, there is an answer.
    for name in [
        "binary.PLY",
        "text.ply",
        "binary.stl",
        "beside.gltf",
        "packed.glb",
    ] {
        let good = read(name);
        let ending = Path::new(name).extension().expect("an ending");
        let path = dir.path().join("changed").with_extension(ending);
        for i in (0..good.len().min(1200)).step_by(7) {
            for by in [0x01, 0x80, 0x13] {
                let mut bytes = good.clone();
                bytes[i] ^= by;
                put(&path, &bytes);
                let _ = load_mesh(&path);
            }
        }
    }
}
