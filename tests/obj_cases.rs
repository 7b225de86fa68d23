//! OBJ and MTL files as people really write them: one test for each trap that other readers have fallen into.
//! The numbers T01 .. T19 are those of the list of known traps.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use partsim::error::{Diagnostic, Error};
use partsim::math::{Aabb, Point3, Real};
use partsim::mesh::{Mesh, load_obj, read_obj};

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

fn mesh(text: &str) -> Mesh {
    read_obj(text.as_bytes(), Path::new("case.obj")).unwrap_or_else(|e| panic!("{e}"))
}

/// The one mistake in a text that must be refused.
fn mistake(text: &str) -> Diagnostic {
    match read_obj(text.as_bytes(), Path::new("case.obj")) {
        Err(Error::Input(mut diagnostics)) => diagnostics.remove(0),
        other => panic!("expected a mistake, got {other:?}"),
    }
}

/// Line, column and width of a remark.
fn place(remark: &Diagnostic) -> (usize, usize, usize) {
    let place = remark
        .place
        .as_ref()
        .unwrap_or_else(|| panic!("no place: {remark:?}"));
    (place.line, place.column, place.width)
}

fn area(mesh: &Mesh) -> Real {
    let doubled = (0..mesh.triangles.len()).map(|t| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(&(c - a)).norm()
    });
    doubled.sum::<Real>() / 2.0
}

fn names(mesh: &Mesh) -> Vec<&str> {
    mesh.groups.iter().map(|g| g.name.as_str()).collect()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
const RED: &str = "newmtl red\nKd 1 0 0\n";
const BLUE: &str = "newmtl blue\nKd 0 0 1\n";

#[test]
fn t01_relative_indices_with_interleaved_blocks() {
    let faces = "f -4 -3 -2\nf -4 -1 -3\nf -4 -2 -1\nf -3 -1 -2\n";
    let first = "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\n";
    let second = "v 10 0 0\nv 10 1 0\nv 11 0 0\nv 10 0 1\n";
    let mesh = mesh(&format!("{first}{faces}{second}{faces}"));
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 8));
    assert!(mesh.triangles[..4].iter().flatten().all(|v| *v < 4));
    assert!(mesh.triangles[4..].iter().flatten().all(|v| *v >= 4));
    let bounds = Aabb {
        min: Point3::origin(),
        max: Point3::new(11.0, 1.0, 1.0),
    };
    assert_eq!(mesh.bounds(), bounds);
    // Closed: every edge is walked once each way.
    let mut edges: Vec<(u32, u32)> = mesh
        .triangles
        .iter()
        .flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)])
        .collect();
    edges.sort_unstable();
    for (a, b) in &edges {
        assert!(edges.binary_search(&(*b, *a)).is_ok(), "edge {a}-{b} is open");
    }
}

#[test]
fn t02_line_continuation() {
    let plain = mesh(&format!("{SQUARE}f 1 2 3 4\n")).triangles;
    for faces in [
        "f 1 2 \\\n3 4\n",
        "f 1 2\\\n3 4\n",
        "f 1 2 \\\r\n 3 4\r\n",
        "f 1 2 \\  \t\n3 4",
        "f 1 \\\n2 \\\n3 4 \\",
    ] {
        assert_eq!(mesh(&format!("{SQUARE}{faces}")).triangles, plain, "{faces:?}");
    }
}

#[test]
fn t02_errors_behind_a_continuation_name_the_physical_place() {
    let inside = mistake(&format!("{SQUARE}f 1 2 \\\n  0 4\n"));
    assert_eq!(place(&inside), (6, 3, 1));
    assert_eq!(inside.place.expect("a place").excerpt, "  0 4");
    assert_eq!(
        place(&mistake(&format!("{SQUARE}f 1 \\\n2 \\\n3\nf 1 2 x\n"))),
        (8, 7, 1)
    );
}

#[test]
fn t02_a_comment_is_not_continued() {
    let mesh = mesh("# from C:\\models\\\nv 0 0 0\nv 1 0 0 # D:\\\nv 0 1 0\nf 1 2 3\n");
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (3, 1));
}

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
fn t04_concave_polygons() {
    let arrow = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\n";
    let mesh = mesh(&format!("{arrow}f 1 2 3 4 5\nf 5 4 3 2 1\n"));
    assert!((area(&mesh) - 5.0).abs() < 1e-9, "area {}", area(&mesh));
    assert_eq!(
        (mesh.vertices.len(), mesh.triangles.len(), mesh.report.faces),
        (5, 6, 2)
    );
    for t in 0..6 {
        let [a, b, c] = mesh.corners(t);
        assert_eq!(
            (b - a).cross(&(c - a)).z > 0.0,
            t < 3,
            "triangle {t} faces the wrong way"
        );
        // The notch stays open.
        let center = (a.coords + b.coords + c.coords) / 3.0;
        assert!(center.y < 0.5 + 1.5 * (center.x - 1.0).abs());
    }
    assert_eq!(mesh.report.warnings, []);
}

#[test]
fn t04_texture_coordinates_follow_the_cut() {
    let arrow = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nvt 0 0\nvt 2 0\nvt 2 2\nvt 1 0.5\nvt 0 2\n";
    let mesh = mesh(&format!("{arrow}f 1 2 3\nf 1/1 2/2 3/3 4/4 5/5\nf 1 2 3\n"));
    assert_eq!(mesh.uv_triangles[1..4], mesh.triangles[1..4]);
    assert_eq!(
        (mesh.uv_triangles[0], mesh.uv_triangles[4]),
        ([u32::MAX; 3], [u32::MAX; 3])
    );
}

#[test]
fn t04_a_polygon_that_crosses_itself_is_counted() {
    let mesh = mesh("v 0 0 0\nv 3 1 0\nv 3 0 0\nv 0 1.5 0\nf 1 2 3 4\n");
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert!(
        mesh.report.warnings[0].message.contains("case.obj:5"),
        "{:?}",
        mesh.report.warnings
    );
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
fn t08_index_zero() {
    let zero = mistake(&format!("{SQUARE}f 1 2 3\nf 0 1 2\n"));
    assert_eq!(place(&zero), (6, 3, 1));
    assert!(zero.message.contains("no vertex 0"), "{}", zero.message);
    assert_eq!(Error::input(zero).exit_code(), 1);
}

#[test]
fn t09_nan_lines_do_not_shift_indices() {
    let text =
        format!("{SQUARE}vn nan nan nan\nvt 0 0\nvt nan 1\nvt -1.#IND 0\nvt 0.5 0.75\nf 1/1/1 2/2/1 3/4/1\n");
    let mesh = mesh(&text);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
    assert_eq!(mesh.uvs, [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.5, 0.75]]);
    assert_eq!(mesh.uv_triangles, [[0, 1, 3]]);
    let [warning] = &mesh.report.warnings[..] else {
        panic!("{:?}", mesh.report.warnings)
    };
    assert_eq!(place(warning).0, 7);
}

#[test]
fn t09_a_place_that_is_no_number_names_its_line() {
    for (line, column) in [
        ("v nan 0 0", 3),
        ("v 0 inf 0", 5),
        ("v 0 0 1e400", 7),
        ("v 0 0 0 0", 9),
        ("v 1e99 0 0", 3),
        ("v 0 -1.#IND 0 # no", 5),
    ] {
        assert_eq!(
            place(&mistake(&format!("{SQUARE}{line}\nf 1 2 3\n"))).0,
            5,
            "{line}"
        );
        assert_eq!(
            place(&mistake(&format!("{SQUARE}{line}\nf 1 2 3\n"))).1,
            column,
            "{line}"
        );
    }
    let few = mistake("v 0 0 0\nv 1 2\n");
    assert!(
        few.message.contains("three") && few.message.contains("found 2"),
        "{}",
        few.message
    );
}

#[test]
fn t10_line_and_point_elements() {
    let mesh = mesh(&format!("{SQUARE}f 1 2 3 4\nl 1 3\np 1 2\nl 1 2 3\nf 1 2\nf\n"));
    assert_eq!(
        (
            mesh.triangles.len(),
            mesh.report.faces,
            mesh.report.lines_and_points
        ),
        (2, 1, 5)
    );
    let [warning] = &mesh.report.warnings[..] else {
        panic!("{:?}", mesh.report.warnings)
    };
    assert_eq!(place(warning), (6, 1, 1));
    assert!(warning.message.contains('5'), "{}", warning.message);
}

#[test]
fn t11_nothing_to_collide_with() {
    for text in ["", "# nothing here\n", "v 0 0 0\nv 1 1 1\n", "\r\n", "\u{feff}"] {
        let mesh = mesh(text);
        assert!(mesh.is_empty() && mesh.bounds().is_empty());
        let [warning] = &mesh.report.warnings[..] else {
            panic!("{:?}", mesh.report.warnings)
        };
        assert_eq!(warning.message, "no faces in case.obj");
    }
}

#[test]
fn t12_faces_before_the_first_usemtl() {
    let mesh = mesh(&format!(
        "{SQUARE}usemtl unused\nusemtl\nf 1 2 3\nusemtl named\nf 1 3 4\nusemtl\nf 1 2 4\n"
    ));
    assert_eq!(names(&mesh), ["", "named"]);
    assert_eq!(mesh.group_of, [0, 1, 0]);
    let mesh = self::mesh(&format!("{SQUARE}f 1 2 3\nusemtl named\nf 1 3 4\n"));
    assert_eq!(
        (names(&mesh), &mesh.group_of[..]),
        (vec!["", "named"], &[0, 1][..])
    );
}

#[test]
fn t12_too_many_groups_are_refused() {
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for group in 0..65_535 {
        let _ = writeln!(text, "usemtl g{group}\nf 1 2 3");
    }
    assert_eq!(mesh(&text).groups.len(), 65_535);
    text.push_str("usemtl last\nf 1 2 3\n");
    let refusal = mistake(&text);
    assert!(refusal.message.contains("65535"), "{}", refusal.message);
    assert_eq!(place(&refusal).0, 3 + 2 * 65_535 + 1);
}

#[test]
fn t13_large_negative_indices() {
    let mut text = String::new();
    for i in 0..100_000 {
        let _ = writeln!(text, "v {i} {} {}\nvn 0 0 1", i % 7, i % 11);
    }
    let good = format!("{text}f -100000//-100000 -99999//-5 -1//-1\n");
    assert_eq!(mesh(&good).triangles, [[0, 1, 99_999]]);
    let bad = mistake(&format!("{text}f -1 -2 -100001\n"));
    assert_eq!(place(&bad), (200_001, 9, 7));
    for index in [
        "-9223372036854775808",
        "-99999999999999999999999",
        "99999999999999999999999",
        "4294967296",
    ] {
        assert_eq!(
            place(&mistake(&format!("{SQUARE}f 1 2 {index}\n"))),
            (5, 7, index.len())
        );
    }
}

#[test]
fn t13_indices_beyond_the_file_name_the_first_such_line() {
    // Faces may stand above their vertices, so this is known only at the end.
    let early = mesh("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    assert_eq!(early.triangles, [[0, 1, 2]]);
    let bad = mistake("f 1 2 3\nv 0 0 0\nv 1 0 0\nf 1 2 4\nf 1 2 9\nv 0 1 0\n");
    assert_eq!(place(&bad), (4, 7, 1));
    assert!(bad.message.contains("the file has 3"), "{}", bad.message);
}

#[test]
fn t14_texture_indices_without_texture_coordinates() {
    for faces in ["f 1/1 2/2 3/3\n", "f 1/1/1 2/2/2 3/3/3\nf 1/-1 2/-1 3/-1\n"] {
        let mesh = mesh(&format!("{SQUARE}{faces}"));
        assert!(mesh.uvs.is_empty() && mesh.uv_triangles.is_empty());
        let [warning] = &mesh.report.warnings[..] else {
            panic!("{:?}", mesh.report.warnings)
        };
        assert_eq!(place(warning).0, if faces.contains('-') { 6 } else { 5 });
    }
}

#[test]
fn t15_decimal_comma() {
    let comma = mistake("v 0 0 0\nv 1 1,5 0\n");
    assert_eq!(place(&comma), (2, 5, 3));
    assert!(comma.message.contains("1,5"), "{}", comma.message);
    assert!(comma.help.is_some_and(|h| h.contains("1.5")));
}

/// A grid of `n` x `n` quads as triangles.
fn grid(n: usize) -> String {
    let mut text = String::new();
    for i in 0..=n {
        for j in 0..=n {
            let _ = writeln!(text, "v {i}.25 {} {j}.5", (i * j) % 17);
        }
    }
    for i in 0..n {
        for j in 0..n {
            let a = i * (n + 1) + j + 1;
            let _ = writeln!(
                text,
                "f {a} {} {}\nf {a} {} {}",
                a + 1,
                a + n + 2,
                a + n + 2,
                a + n + 1
            );
        }
    }
    text
}

#[test]
fn t16_a_large_file_reads_the_same_with_any_number_of_threads() {
    let folder = Folder::new(&[("grid.obj", &grid(250))]);
    let load = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| folder.load("grid.obj"))
    };
    let one = load(1);
    assert_eq!(
        (one.vertices.len(), one.triangles.len()),
        (251 * 251, 2 * 250 * 250)
    );
    assert_eq!(
        one.triangles[124_999],
        [249 * 251 + 249, 251 * 251 - 1, 251 * 251 - 2]
    );
    assert_eq!(
        one.vertices[251 * 251 - 1],
        Point3::new(250.25, Real::from((250 * 250) % 17), 250.5)
    );
    assert!(one == load(2) && one == load(8));
}

#[test]
fn t19_zero_area_triangles_are_counted() {
    let mesh = mesh("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1e-8 0\nf 1 2 4\nf 1 1 1\nf 1 2 3\nf 1 5 3\n");
    assert_eq!((mesh.triangles.len(), mesh.report.degenerate), (4, 3));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let Err(error) = load_obj(Path::new("no/such.obj")) else {
        panic!("it is there")
    };
    assert!(error.to_string().contains("no/such.obj"), "{error}");
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn line_ends_marks_and_missing_last_lines_do_not_matter() {
    let lf = format!("{SQUARE}usemtl a\nf 1 2 3 4");
    let expected = mesh(&lf);
    for text in [
        lf.replace('\n', "\r\n"),
        lf.replace('\n', "\r"),
        format!("\u{feff}{lf}"),
        format!("{lf}\n"),
    ] {
        assert_eq!(mesh(&text), expected, "{text:?}");
    }
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(lf.bytes().flat_map(|b| [b, 0]))
        .collect();
    let Err(error) = read_obj(&utf16, Path::new("case.obj")) else {
        panic!("read")
    };
    assert!(error.to_string().contains("UTF-16"), "{error}");
}

#[test]
fn a_fourth_number_divides_and_colours_are_passed_over() {
    let mesh = mesh("v 2 0 0 2\nv 1 0 0 0.1 0.2 0.3\nv 0 1 0 1 0.5 0.5 0.5\nf 1 2 3 # done\n");
    assert_eq!(mesh.vertices[0], Point3::new(1.0, 0.0, 0.0));
    assert_eq!(mesh.vertices[2], Point3::new(0.0, 1.0, 0.0));
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
