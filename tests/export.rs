//! Exports, read back by programs that others wrote: plyfile, meshio, trimesh, PyVista (VTK) and splashsurf.
//!
//! They are installed into a virtual environment under `target/`, once. Without `python3 -m venv` or a way to PyPI the
//! tests that need them fail and say so.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use partsim::frame::{Detail, Frame};
use partsim::write::points::{self, Points};
use serde_json::Value;

fn partsim(args: &[&str]) -> std::process::Output {
    let program = assert_cmd::cargo::cargo_bin!("partsim");
    Command::new(program).args(args).output().expect("the program starts")
}

fn put(path: &Path, text: &str) {
    partsim::write::atomic::write_file(path, |out| out.write_all(text.as_bytes())).expect("written");
}

/// The Python of an environment in which the readers are installed.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let wanted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/requirements.txt");
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign-readers");
        let (python, mark) = (dir.join("bin/python"), dir.join("installed.txt"));
        let list = fs_err::read_to_string(&wanted).expect("the list of readers");
        if fs_err::read_to_string(&mark).is_ok_and(|installed| installed == list) {
            return python;
        }
        let must = |command: &mut Command, what: &str| {
            let done = command.output();
            let said = match &done {
                Ok(done) if done.status.success() => return,
                Ok(done) => String::from_utf8_lossy(&done.stderr).into_owned(),
                Err(why) => why.to_string(),
            };
            panic!("EXPORTS CANNOT BE TESTED: {what} failed; these tests need Python 3 with venv and a way to PyPI \
                    (Debian: apt-get install python3-venv)\n{said}");
        };
        must(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&dir), "python3 -m venv");
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        must(Command::new(&python).args(install).arg(&wanted), "pip install");
        put(&mark, &list);
        python
    })
}

/// What a foreign reader finds in a file.
fn read(reader: &str, file: &Path) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/read.py");
    let done = Command::new(python()).arg(script).arg(reader).arg(file).output().expect("Python starts");
    assert!(done.status.success(), "{reader}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).expect("JSON")
}

/// A run with two materials, in the air and at rest; gives its folder and the particles of frame 20.
fn run(dir: &Path) -> (PathBuf, Points) {
    put(&dir.join("floor.obj"), "v -5 0 -5\nv 5 0 -5\nv 5 0 5\nv -5 0 5\nf 4 3 2 1\n");
    let scene = dir.join("small.ron");
    put(
        &scene,
        r#"(
    meshes: [(file: "floor.obj")],
    materials: { "snow, fresh": Snow(radius: 0.05), "mud": Mud(radius: Uniform(min: 0.02, max: 0.04)) },
    emitters: [
        (material: "snow, fresh", shape: Box(min: (-0.5, 0.3, -0.5), max: (0.5, 0.9, 0.5)), count: 300, velocity: (0, -1, 0)),
        (material: "snow, fresh", shape: Box(min: (-1, 7, -1), max: (1, 9, 1)), count: 30),
        (material: "mud", shape: Disc(center: (2, 1, 0), normal: (0, 1, 0), radius: 1), rate: 100, velocity: (0.3, -1, 0.1)),
    ],
    time: (frames: 20, frame_rate: 24),
    output: (particles: true),
)"#,
    );
    let out = dir.join("run");
    let done = partsim(&["run", &scene.to_string_lossy(), "--frames", "10,20", "--out", &out.to_string_lossy()]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let points = points::read(&out.join(points::file_name(20))).expect("particles");
    assert!(points.frame.len() > 380);
    (out, points)
}

fn export(dir: &Path, more: &[&str]) -> String {
    let done = partsim(&[&["export", &dir.to_string_lossy()], more].concat());
    assert!(done.status.success(), "{more:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("text")
}

/// A column of a reader's answer against what was written, through the function that the format rounds by.
fn same(found: &Value, name: &str, expected: impl Iterator<Item = f64>) {
    let column = found[name].as_array().unwrap_or_else(|| panic!("no column {name}"));
    let flat = column.iter().flat_map(|item| match item {
        Value::Array(parts) => parts.iter().collect(),
        one => vec![one],
    });
    let flat: Vec<f64> = flat
        .map(|item| match item {
            Value::String(text) => text.parse().expect("a number"),
            number => number.as_f64().expect("a number"),
        })
        .collect();
    assert_eq!(flat, expected.collect::<Vec<_>>(), "{name}");
}

/// Columns by what they hold, each flat.
struct Columns<'a>(&'a Frame, &'a Detail);

impl Columns<'_> {
    fn of(&self, what: &str) -> Vec<f64> {
        let Self(frame, detail) = self;
        let axis = |k: usize| frame.position.iter().map(|p| p[k]).collect();
        let whole = |n: usize| n as f64;
        match what {
            "id" => frame.id.iter().map(|&id| id as f64).collect(),
            "x" => axis(0),
            "y" => axis(1),
            "z" => axis(2),
            "position" => frame.position.iter().flat_map(|p| [p.x, p.y, p.z]).collect(),
            "velocity" => detail.velocity.iter().flat_map(|v| [v.x, v.y, v.z]).collect(),
            "normal" => frame.normal.iter().flat_map(|v| [v.x, v.y, v.z]).collect(),
            "vx" => detail.velocity.iter().map(|v| v.x).collect(),
            "vy" => detail.velocity.iter().map(|v| v.y).collect(),
            "vz" => detail.velocity.iter().map(|v| v.z).collect(),
            "nx" => frame.normal.iter().map(|v| v.x).collect(),
            "ny" => frame.normal.iter().map(|v| v.y).collect(),
            "nz" => frame.normal.iter().map(|v| v.z).collect(),
            "radius" => frame.radius.clone(),
            "age" => detail.age.clone(),
            "material" => frame.material.iter().map(|&m| whole(m.into())).collect(),
            "state" => detail.status.iter().map(|&s| whole(points::state(s).0.into())).collect(),
            "triangle" => detail.triangle.iter().map(|&t| if t == u32::MAX { -1.0 } else { f64::from(t) }).collect(),
            _ => panic!("no such column"),
        }
    }
}

#[test]
fn ply_vtp_and_csv_hold_every_number_of_every_particle() {
    let dir = tempfile::tempdir().expect("a folder");
    let (run, points) = run(dir.path());
    let columns = Columns(&points.frame, points.frame.detail.as_ref().expect("detail"));
    let single = ["id", "x", "y", "z", "vx", "vy", "vz", "nx", "ny", "nz", "radius", "age", "triangle"];
    let listed = export(&run, &["--to", "ply", "--frames", "20"]);
    let file = run.join("export/frame_000020.ply");
    assert_eq!(listed.trim(), file.to_string_lossy());
    let found = read("plyfile", &file);
    for name in single.iter().chain(&["material", "state"]) {
        same(&found, name, columns.of(name).into_iter());
    }
    export(&run, &["--to", "csv"]);
    assert!(run.join("export/frame_000010.csv").exists());
    let found = read("csv", &run.join("export/frame_000020.csv"));
    for name in single {
        same(&found, name, columns.of(name).into_iter());
    }
    let detail = columns.1;
    let names = found["material"].as_array().expect("names").iter().zip(found["state"].as_array().expect("names"));
    for (i, (material, state)) in names.enumerate() {
        assert_eq!(material, points.materials[usize::from(points.frame.material[i])].as_str());
        assert_eq!(state, points::state(detail.status[i]).1);
    }
    let out = dir.path().join("elsewhere");
    export(&run, &["--to", "vtp", "--out", &out.to_string_lossy()]);
    let found = read("pyvista", &out.join("frame_000020.vtp"));
    for name in ["id", "position", "velocity", "normal", "radius", "age", "material", "state", "triangle"] {
        same(&found, name, columns.of(name).into_iter());
    }
}

#[test]
fn obj_holds_the_places_and_bgeo_all_in_seven_digits() {
    let dir = tempfile::tempdir().expect("a folder");
    let (run, points) = run(dir.path());
    let columns = Columns(&points.frame, points.frame.detail.as_ref().expect("detail"));
    export(&run, &["--to", "obj"]);
    let found = read("trimesh", &run.join("export/frame_000020.obj"));
    same(&found, "position", columns.of("position").into_iter());
    export(&run, &["--to", "bgeo"]);
    let found = read("splashsurf", &run.join("export/frame_000020.bgeo"));
    let rounded = |name: &str| columns.of(name).into_iter().map(|x| f64::from(x as f32));
    for (name, what) in [
        ("position", "position"),
        ("id", "id"),
        ("v", "velocity"),
        ("N", "normal"),
        ("pscale", "radius"),
        ("age", "age"),
        ("material", "material"),
        ("state", "state"),
        ("triangle", "triangle"),
    ] {
        same(&found, name, rounded(what));
    }
}

#[test]
fn surfaces_are_closed_and_lie_round_what_lies() {
    let dir = tempfile::tempdir().expect("a folder");
    let (run, _) = run(dir.path());
    export(&run, &["--to", "ply", "--surface", "--frames", "20"]);
    export(&run, &["--to", "obj", "--surface", "--frames", "20"]);
    let mut found = Vec::new();
    for ending in ["ply", "obj"] {
        assert!(run.join(format!("export/surface_000020_mud.{ending}")).exists());
        found.push(read("surface", &run.join(format!("export/surface_000020_snow__fresh.{ending}"))));
    }
    for surface in &found {
        assert_eq!(surface["watertight"], true, "{surface}");
        let bound = |side: usize, axis: usize| surface["bounds"][side][axis].as_f64().expect("a number");
        // What flies stays out: it is metres above.
        assert!(bound(1, 1) < 0.2 && bound(0, 1) > -0.1, "{surface}");
        assert!(bound(0, 0) < -0.45 && bound(1, 0) > 0.45, "{surface}");
        let volume = surface["volume"].as_f64().expect("a number");
        assert!((0.03..0.2).contains(&volume), "{volume}");
    }
    let ply = |threads: &str| {
        let out = dir.path().join(threads);
        let program = assert_cmd::cargo::cargo_bin!("partsim");
        let done = Command::new(program)
            .env("RAYON_NUM_THREADS", threads)
            .arg("export")
            .arg(&run)
            .args(["--to", "ply", "--surface", "--out"])
            .arg(&out)
            .output()
            .expect("the program starts");
        assert!(done.status.success());
        fs_err::read(out.join("surface_000020_mud.ply")).expect("a surface")
    };
    assert!(ply("1") == ply("3"), "the surface depends on the number of threads");
}

#[test]
fn what_cannot_be_exported_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let (run, _) = run(dir.path());
    let folder = run.to_string_lossy();
    let says = |args: &[&str], code: i32, part: &str| {
        let done = partsim(args);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(code) && said.contains(part), "{args:?}: {:?} {said}", done.status);
    };
    says(&["export", &folder, "--to", "abc"], 2, "bgeo");
    says(&["export", &folder, "--to", "ply", "--out", "a_{}.ply"], 2, "folder");
    says(&["export", &folder, "--to", "vtp", "--surface"], 2, "ply or obj");
    says(&["export", &folder, "--to", "ply", "--frames", "9-10"], 2, "frames 10,20, not of 9");
    // A damaged file is found by verify, and run again.
    let file = run.join(points::file_name(10));
    let good = fs_err::read(&file).expect("particles");
    put(&file, "short");
    says(&["export", &folder, "--to", "ply"], 3, "frame_000010.bin");
    let verify = partsim(&["verify", &folder]);
    assert_eq!(String::from_utf8_lossy(&verify.stdout).trim(), "1-19");
    let scene = dir.path().join("small.ron");
    let again = partsim(&["run", &scene.to_string_lossy(), "--out", &folder, "--frames", "10", "--resume"]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert!(fs_err::read(&file).expect("particles") == good);
    fs_err::remove_file(&file).expect("removed");
    fs_err::remove_file(run.join(points::file_name(20))).expect("removed");
    says(&["export", &folder, "--to", "ply"], 3, "output: (particles: true)");
}
