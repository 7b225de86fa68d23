//! `partsim new`: a first scene for any model, which runs as it is.

use std::path::Path;
use std::process::{Command, Output};

use partsim::scene::{self, Shape};
use partsim::write::manifest::Manifest;

fn partsim(dir: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("partsim"));
    command.current_dir(dir);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn new(dir: &Path, args: &[&str]) -> Output {
    partsim(dir)
        .arg("new")
        .args(args)
        .output()
        .expect("the program starts")
}

/// A block with these half sides, on the plane y = 0.
fn block([x, y, z]: [f64; 3]) -> String {
    let corners = [
        (-1, 0, -1),
        (1, 0, -1),
        (1, 0, 1),
        (-1, 0, 1),
        (-1, 1, -1),
        (1, 1, -1),
        (1, 1, 1),
        (-1, 1, 1),
    ];
    let line = |(a, b, c): (i32, i32, i32)| {
        format!(
            "v {} {} {}\n",
            f64::from(a) * x,
            2.0 * f64::from(b) * y,
            f64::from(c) * z
        )
    };
    let vertices: String = corners.map(line).concat();
    vertices + "f 1 2 3 4\nf 8 7 6 5\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n"
}

#[test]
fn three_commands_lead_from_a_model_to_covered_frames() {
    let dir = tempfile::tempdir().expect("a folder");
    fs_err::write(dir.path().join("box.obj"), block([0.5, 0.7, 0.4])).expect("a file");
    let made = new(dir.path(), &["box.obj"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert_eq!(text(&made.stderr), "");
    let said = text(&made.stdout);
    assert!(said.contains("wrote      box.ron and box_ground.obj"), "{said}");
    // The command that it names, as it stands there.
    let command = said
        .lines()
        .find_map(|l| l.strip_prefix("next       partsim "))
        .expect("a command");
    let run = partsim(dir.path())
        .args(command.split(' '))
        .output()
        .expect("it starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let frames = Manifest::read(&dir.path().join("runs/box"))
        .expect("a manifest")
        .frames;
    let [frame] = &frames[..] else {
        panic!("{} frames", frames.len())
    };
    assert_eq!((frame.airborne, frame.lost, frame.died), (0, 0, 0));
    assert!((100_000..200_000).contains(&frame.settled), "{}", frame.settled);
    assert_eq!(frame.counts.get("escapes"), None);
}

#[test]
fn nothing_is_overwritten() {
    let dir = tempfile::tempdir().expect("a folder");
    fs_err::write(dir.path().join("box.obj"), block([1.0; 3])).expect("a file");
    fs_err::write(dir.path().join("box.ron"), "mine").expect("a file");
    let refused = new(dir.path(), &["box.obj"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("box.ron exists and is not overwritten"),
        "{}",
        text(&refused.stderr)
    );
    fs_err::write(dir.path().join("other_ground.obj"), "mine").expect("a file");
    assert_eq!(
        new(dir.path(), &["box.obj", "--out", "other.ron"]).status.code(),
        Some(2)
    );
    assert!(!dir.path().join("other.ron").exists());
    for name in ["box.ron", "other_ground.obj"] {
        assert_eq!(
            fs_err::read_to_string(dir.path().join(name)).expect("a file"),
            "mine"
        );
    }
    assert!(
        new(dir.path(), &["box.obj", "--out", "other.ron", "--no-ground"])
            .status
            .success()
    );
    assert_eq!(
        new(dir.path(), &["box.obj", "--out", "scene.txt"]).status.code(),
        Some(2)
    );
}

#[test]
fn bad_models_are_refused_and_leave_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    fs_err::write(dir.path().join("points.obj"), "v 0 0 0\nv 1 0 0\np 1 2\n").expect("a file");
    fs_err::write(dir.path().join("wrong.obj"), "v 0 0 0\nf 1 2 3\n").expect("a file");
    for (model, why) in [
        ("points.obj", "no faces in points.obj"),
        ("wrong.obj", "wrong.obj:2"),
        ("none.obj", "none.obj"),
    ] {
        let refused = new(dir.path(), &[model]);
        assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
    fs_err::write(dir.path().join("box.obj"), block([1.0; 3])).expect("a file");
    assert_eq!(
        new(dir.path(), &["box.obj", "--unit", "mile"]).status.code(),
        Some(2)
    );
    assert_eq!(fs_err::read_dir(dir.path()).expect("a folder").count(), 3);
}

/// Everything that a scene should be, for models of any size, shape, unit and place.
#[test]
fn the_numbers_fit_the_model() {
    let shapes = [
        [0.5, 0.5, 0.5],
        [4.0, 0.1, 0.3],
        [0.05, 3.0, 0.05],
        [1.0, 1e-3, 1.0],
    ];
    for scale in [1e-4, 1.0, 7.0, 300.0, 2e5] {
        for shape in shapes {
            let dir = tempfile::tempdir().expect("a folder");
            fs_err::create_dir(dir.path().join("models")).expect("a folder");
            fs_err::create_dir(dir.path().join("scenes")).expect("a folder");
            fs_err::write(
                dir.path().join("models/a \"b\".obj"),
                block(shape.map(|s| s * scale)),
            )
            .expect("a file");
            let made = new(dir.path(), &["models/a \"b\".obj", "--out", "scenes/s.ron"]);
            assert!(made.status.success(), "{}", text(&made.stderr));
            let path = dir.path().join("scenes/s.ron");
            let scene = scene::load(&path).expect("a good scene");
            let what = format!(
                "{scale} {shape:?}\n{}",
                fs_err::read_to_string(&path).expect("a file")
            );
            let size = 2.0 * shape.iter().fold(0.0_f64, |m, s| m.max(*s)) * scale * scene.meshes[0].unit;
            assert!((0.05..=60.0).contains(&size), "{what}");
            let radius = scene.materials[0].radius.typical();
            assert!(radius < 0.03 * size && radius > 1e-4 * size, "{what}");
            let Shape::Grid {
                origin, u, v, count, ..
            } = &scene.emitters[0].shape
            else {
                panic!("{what}")
            };
            let cells = u64::from(count[0]) * u64::from(count[1]);
            assert!((1000..250_000).contains(&cells), "{what}");
            // The sheet covers the model, from above it.
            let half = [shape[0], shape[2]].map(|s| s * scale * scene.meshes[0].unit);
            assert!(
                origin.x <= -half[0] * 0.99 && origin.z <= -half[1] * 0.99,
                "{what}"
            );
            assert!(
                origin.x + u.x >= half[0] * 0.99 && origin.z + v.z >= half[1] * 0.99,
                "{what}"
            );
            assert!(
                origin.y > 2.0 * shape[1] * scale * scene.meshes[0].unit + radius,
                "{what}"
            );
            assert!(scene.camera.is_some());
        }
    }
}

#[test]
fn a_model_that_lies_on_its_side_is_put_upright() {
    let dir = tempfile::tempdir().expect("a folder");
    fs_err::write(dir.path().join("flat.obj"), block([100.0, 30.0, 400.0])).expect("a file");
    let made = new(
        dir.path(),
        &["flat.obj", "--up", "z", "--unit", "mm", "--cover", "mud"],
    );
    assert!(
        text(&made.stdout).contains("0.2 x 0.8 x 0.06 m"),
        "{}",
        text(&made.stdout)
    );
    let written = fs_err::read_to_string(dir.path().join("flat.ron")).expect("a scene");
    assert!(
        written.contains("unit: \"mm\", up: Z") && written.contains("\"mud\": Mud("),
        "{written}"
    );
    let checked = partsim(dir.path())
        .args(["check", "flat.ron"])
        .output()
        .expect("it starts");
    assert!(checked.status.success(), "{}", text(&checked.stderr));
}

#[test]
fn a_model_with_its_own_ground_gets_no_other() {
    let dir = tempfile::tempdir().expect("a folder");
    let with_ground = block([0.5; 3]) + "v -4 0 -4\nv -4 0 4\nv 4 0 4\nv 4 0 -4\nf 9 10 11 12\n";
    fs_err::write(dir.path().join("yard.obj"), with_ground).expect("a file");
    let made = new(dir.path(), &["yard.obj"]);
    assert!(
        made.status.success() && !text(&made.stdout).contains("_ground"),
        "{}",
        text(&made.stdout)
    );
    assert!(!dir.path().join("yard_ground.obj").exists());
    assert!(
        new(dir.path(), &["yard.obj", "--ground", "--out", "b.ron"])
            .status
            .success()
    );
    assert!(dir.path().join("b_ground.obj").exists());
}
