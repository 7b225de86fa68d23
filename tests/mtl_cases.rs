//! MTL files and `mtllib` and `usemtl` lines as people really write them: one test for each known trap.
//! The numbers belong to the list that `obj_cases.rs` works through.

use std::path::PathBuf;

use partsim::error::Diagnostic;
use partsim::mesh::{Mesh, load_obj};

/// A folder with one OBJ file and what belongs to it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            let path = folder.path(name);
            fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs_err::write(path, text).expect("a file");
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self, name: &str) -> Mesh {
        load_obj(&self.path(name)).unwrap_or_else(|e| panic!("{e}"))
    }
}

fn names(mesh: &Mesh) -> Vec<&str> {
    mesh.groups.iter().map(|g| g.name.as_str()).collect()
}

/// Line, column and width of a remark.
fn place(remark: &Diagnostic) -> (usize, usize, usize) {
    let place = remark
        .place
        .as_ref()
        .unwrap_or_else(|| panic!("no place: {remark:?}"));
    (place.line, place.column, place.width)
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
const RED: &str = "newmtl red\nKd 1 0 0\n";
const BLUE: &str = "newmtl blue\nKd 0 0 1\n";

#[test]
fn t03_backslash_that_is_not_a_continuation() {
    let obj = format!("mtllib lib\\a.mtl\n{SQUARE}usemtl wood\\oak\nf 1 2 3\n");
    let folder = Folder::new(&[
        ("m.obj", &obj),
        (
            "lib/a.mtl",
            "newmtl wood\\oak\nKd 0.5 0.25 0.125\nmap_Kd tex\\oak.png\n",
        ),
        ("lib/tex/oak.png", "picture"),
    ]);
    let mesh = folder.load("m.obj");
    assert_eq!(mesh.report.warnings, []);
    assert_eq!(names(&mesh), ["wood\\oak"]);
    let surface = mesh.groups[0].surface.as_ref().expect("the material");
    assert_eq!(surface.diffuse, [0.5, 0.25, 0.125]);
    assert_eq!(surface.diffuse_map, Some(folder.path("lib/tex/oak.png")));
}

#[test]
fn t05_missing_mtl() {
    let folder = Folder::new(&[(
        "m.obj",
        &format!("# cube\nmtllib nowhere.mtl\n{SQUARE}usemtl a\nf 1 2 3 4\n"),
    )]);
    let mesh = folder.load("m.obj");
    assert_eq!(mesh.triangles.len(), 2);
    let [warning] = &mesh.report.warnings[..] else {
        panic!("{:?}", mesh.report.warnings)
    };
    assert_eq!(place(warning).0, 2);
    assert!(
        warning
            .message
            .contains(&folder.path("nowhere.mtl").display().to_string()),
        "{}",
        warning.message
    );
}

#[test]
fn t06_spaces_and_several_names_in_mtllib() {
    let faces = format!("{SQUARE}usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\n");
    let spaced = format!("mtllib my red file.mtl\nmtllib b.mtl\n{faces}");
    let several = format!("mtllib b.mtl my red file.mtl\n{faces}");
    let folder = Folder::new(&[
        ("1.obj", &spaced),
        ("2.obj", &several),
        ("my red file.mtl", RED),
        ("b.mtl", BLUE),
    ]);
    for name in ["1.obj", "2.obj"] {
        let mesh = folder.load(name);
        assert_eq!(mesh.report.warnings, []);
        let colors: Vec<_> = mesh
            .groups
            .iter()
            .map(|g| g.surface.as_ref().map(|s| s.diffuse))
            .collect();
        assert_eq!(colors, [Some([1.0, 0.0, 0.0]), Some([0.0, 0.0, 1.0])], "{name}");
    }
}

#[test]
fn t06_of_several_names_those_that_exist_are_read() {
    let obj = format!("mtllib none.mtl b.mtl\n{SQUARE}usemtl blue\nf 1 2 3\n");
    let mesh = Folder::new(&[("m.obj", &obj), ("b.mtl", BLUE)]).load("m.obj");
    assert!(mesh.groups[0].surface.is_some());
    let [warning] = &mesh.report.warnings[..] else {
        panic!("{:?}", mesh.report.warnings)
    };
    assert!(
        warning.message.contains("none.mtl") && !warning.message.contains("b.mtl"),
        "{}",
        warning.message
    );
}

#[test]
fn t07_blanks_in_and_before_material_names() {
    let obj = format!("mtllib a.mtl\n{SQUARE}usemtl Hard Snow\nf 1 2 3\nusemtl \t Hard Snow  \nf 1 3 4\n");
    let mesh = Folder::new(&[("m.obj", &obj), ("a.mtl", "newmtl   Hard Snow \nKd 0 1 0\n")]).load("m.obj");
    assert_eq!(names(&mesh), ["Hard Snow"]);
    assert_eq!(
        mesh.groups[0].surface.as_ref().map(|s| s.diffuse),
        Some([0.0, 1.0, 0.0])
    );
}

#[test]
fn t07_a_hash_may_be_part_of_a_name_or_start_a_comment() {
    let obj = format!("mtllib a.mtl\n{SQUARE}usemtl Material #25\nf 1 2 3\nusemtl red # brick\nf 1 3 4\n");
    let mtl = format!("newmtl Material #25\nKd 0 1 0\n{RED}");
    let mesh = Folder::new(&[("m.obj", &obj), ("a.mtl", &mtl)]).load("m.obj");
    let colors: Vec<_> = mesh
        .groups
        .iter()
        .map(|g| g.surface.as_ref().map(|s| s.diffuse))
        .collect();
    assert_eq!(colors, [Some([0.0, 1.0, 0.0]), Some([1.0, 0.0, 0.0])]);
}

#[test]
fn an_mtl_file_fills_the_surface() {
    let mtl = "Kd 1 1 1\nnewmtl a\nKd 0.1 0.2 0.3 # blue\nKs 0.5\nKe 2 0 0\nNs 50\nTr 0.25\nNi 1.5\nKa x\n\
               map_Kd -s 2 2 1 -clamp on my wood.png\nmap_Bump -bm 0.5 gone.png -imfchan r\nnewmtl b\nd 0.75\nTr 0.5\nKd 0,5 1 1\n";
    let obj = format!("mtllib m/a.mtl\n{SQUARE}usemtl a\nf 1 2 3\nusemtl b\nf 1 3 4\nusemtl c\nf 1 2 4\n");
    let folder = Folder::new(&[("m.obj", &obj), ("m/a.mtl", mtl), ("m/my wood.png", "")]);
    let mesh = folder.load("m.obj");
    let a = mesh.groups[0].surface.as_ref().expect("a");
    assert_eq!(
        (a.diffuse, a.specular, a.emission),
        ([0.1, 0.2, 0.3], [0.5; 3], [2.0, 0.0, 0.0])
    );
    assert_eq!((a.shininess, a.opacity, a.ior), (50.0, 0.75, 1.5));
    assert_eq!(
        (a.diffuse_map.clone(), a.bump_map.clone()),
        (Some(folder.path("m/my wood.png")), None)
    );
    let b = mesh.groups[1].surface.as_ref().expect("b");
    assert_eq!((b.opacity, b.diffuse), (0.75, [0.8; 3]));
    let texts: Vec<String> = mesh.report.warnings.iter().map(|w| w.message.clone()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(
        texts[0].starts_with("2 statement(s)") && texts[1].ends_with("gone.png") && texts[2].contains("`c`"),
        "{texts:?}"
    );
    assert_eq!(place(&mesh.report.warnings[0]), (1, 1, 2));
}

#[cfg(unix)]
#[test]
fn a_library_that_is_no_file_is_not_opened() {
    let obj = format!("mtllib /dev/zero\nmtllib .\n{SQUARE}f 1 2 3\n");
    let mesh = Folder::new(&[("m.obj", &obj)]).load("m.obj");
    assert_eq!(mesh.report.warnings.len(), 2);
}
