//! Runs of scenes in which something moves: what their folders hold, and what is refused.

use std::path::{Path, PathBuf};

use partsim::compare;
use partsim::preview::{Seen, Size, Stage};
use partsim::progress::ProgressMode;
use partsim::run::{RunOptions, run};
use partsim::scene;
use partsim::world::World;

const PLATE: &str = "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 4 3 2\n";

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs_err::write(&path, text).expect("a temporary file");
    path
}

/// A scene of a still plate and another one that does this.
fn scene_of(dir: &Path, motion: &str) -> PathBuf {
    write(dir, "plate.obj", PLATE);
    for (k, name) in ["wave_0.obj", "wave_1.obj", "wave_2.obj"].iter().enumerate() {
        write(
            dir,
            name,
            &PLATE.replace("v 1 0 1", &format!("v 1 {} 1", 0.3 * k as f64)),
        );
    }
    let text = format!(
        r#"(
    meshes: [
        (name: "ground", file: "plate.obj", scale: 4),
        (name: "mover", file: "plate.obj", translate: (0, 0.5, 0), {motion}),
    ],
    materials: {{ "snow": Snow(radius: 0.05) }},
    emitters: [(material: "snow", shape: Box(min: (-2, 1, -2), max: (2, 1.2, 2)), count: 300, stop: 0.1, velocity: (0, -3, 0))],
    time: (frames: 12, frame_rate: 24),
    camera: (eye: (0, 6, 6), target: (0, 0.5, 0)),
    output: (particles: true),
)"#
    );
    write(dir, "scene.ron", &text)
}

fn options(scene: &Path, out: &Path) -> RunOptions {
    RunOptions {
        scene: scene.into(),
        out: Some(out.into()),
        frames: None,
        threads: Some(2),
        seed: None,
        collision: None,
        progress: ProgressMode::Never,
        stats: None,
        resume: false,
        checkpoint_every: f64::INFINITY,
        shard: None,
        preview: false,
    }
}

const SLIDE: &str = "motion: Keys(translate: [(0, (0, 0, 0)), (0.5, (3, 0, 0))])";

#[test]
fn frames_say_where_a_rigid_mesh_is_and_mesh_inc_stands_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let summary = run(&options(&scene_of(dir.path(), SLIDE), &out)).expect("a good run");
    let report = summary.to_string();
    assert!(report.contains("ride on what moves"), "{report}");
    let mesh = fs_err::read_to_string(out.join("mesh.inc")).expect("mesh.inc");
    assert!(
        mesh.contains("object{Mesh_1_Ground}") && mesh.contains("#declare Mesh_2_Mover ="),
        "{mesh}"
    );
    assert!(!mesh.contains("object{Mesh_2_Mover}"));
    let frame = |n: u32| fs_err::read_to_string(out.join(format!("frame_{n:06}.pov"))).expect("a frame");
    let matrix = |n: u32| {
        let text = frame(n);
        let line = text
            .lines()
            .find(|l| l.starts_with("object{Mesh_2_Mover matrix<"))
            .expect("it stands there");
        line.to_owned()
    };
    let scale: f64 = mesh
        .lines()
        .find_map(|l| l.split_once("common.inc: ")?.1.split(' ').next()?.parse().ok())
        .expect("units");
    let x = |n: u32| {
        matrix(n)
            .split(',')
            .nth(9)
            .and_then(|t| t.parse::<f64>().ok())
            .expect("a number")
            / scale
    };
    assert!(
        (x(6) - 1.5).abs() < 1e-3 && (x(12) - 3.0).abs() < 1e-3,
        "{} {}",
        x(6),
        x(12)
    );
    assert!(compare::verify(&out).expect("a run folder").is_complete());
    // The preview sees the plate where the frame has it: right of the middle at the end, not at the start.
    let stage = Stage::read(&out).expect("a run folder");
    let sees = |n: u32, x: u32| {
        let path = out.join(format!("frame_{n:06}.pov"));
        let text = fs_err::read(&path).expect("a frame");
        let size = Size {
            width: 64,
            height: 36,
        };
        let shot = stage.shoot(&path, &text, size).expect("a picture");
        (0..36).any(|y| matches!(shot.seen[(y * 64 + x) as usize], Seen::Scenery(1)))
    };
    assert!(sees(1, 28) && !sees(1, 60), "it stands in the middle at first");
    assert!(!sees(12, 28) && sees(12, 56), "and on the right at last");
}

#[test]
fn a_mesh_that_changes_its_shape_stands_in_the_frames() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let motion = r#"motion: Sequence(files: ["wave_#.obj"], frame_rate: 8)"#;
    run(&options(&scene_of(dir.path(), motion), &out)).expect("a good run");
    let mesh = fs_err::read_to_string(out.join("mesh.inc")).expect("mesh.inc");
    assert_eq!(mesh.matches("mesh2{").count(), 1, "{mesh}");
    let texts: Vec<String> = [3, 6]
        .map(|n| fs_err::read_to_string(out.join(format!("frame_{n:06}.pov"))).expect("a frame"))
        .to_vec();
    assert!(texts.iter().all(|t| t.matches("mesh2{").count() == 1));
    let corners = |t: &str| {
        t.split_once("vertex_vectors")
            .and_then(|r| r.1.split_once('}'))
            .map(|r| r.0.to_owned())
    };
    assert_ne!(corners(&texts[0]), corners(&texts[1]));
    assert!(compare::verify(&out).expect("a run folder").is_complete());
    let stage = Stage::read(&out).expect("a run folder");
    let size = Size {
        width: 64,
        height: 36,
    };
    let shot = stage.shoot(&out, texts[1].as_bytes(), size).expect("a picture");
    let of_mover = |seen: &Seen| matches!(seen, Seen::Scenery(1));
    assert!(shot.seen.iter().any(of_mover), "the preview does not show it");
}

#[test]
fn files_of_another_topology_are_refused_with_their_counts() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = scene_of(
        dir.path(),
        r#"motion: Sequence(files: ["wave_#.obj"], frame_rate: 8)"#,
    );
    write(dir.path(), "wave_1.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n");
    let why = |path: &Path| {
        let scene = scene::load(path).expect("a good scene");
        World::build(&scene)
            .map(|_| ())
            .expect_err("another topology")
            .render(false)
    };
    let text = why(&path);
    assert!(
        text.contains("wave_1.obj has 3 vertices and 1 triangles"),
        "{text}"
    );
    assert!(
        text.contains("plate.obj has 4 vertices and 2 triangles"),
        "{text}"
    );
    assert!(text.contains("scene.ron:") && text.contains("help:"), "{text}");
    write(
        dir.path(),
        "wave_1.obj",
        &PLATE.replace("f 1 4 3 2", "f 1 4 2\nf 4 3 2"),
    );
    let text = why(&path);
    assert!(
        text.contains("triangle 1 of") || text.contains("triangle 2 of"),
        "{text}"
    );
}

#[test]
fn a_mesh_that_turns_too_fast_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = scene_of(dir.path(), "motion: Spin(axis: (0, 1, 0), deg_per_s: 1000000)");
    let scene = scene::load(&path).expect("a good scene");
    let text = World::build(&scene)
        .map(|_| ())
        .expect_err("too fast")
        .render(false);
    assert!(
        text.contains("degrees in one step") && text.contains("steps_per_frame"),
        "{text}"
    );
}

#[test]
fn another_file_of_a_sequence_is_another_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let path = scene_of(
        dir.path(),
        r#"motion: Sequence(files: ["wave_#.obj"], frame_rate: 8)"#,
    );
    run(&options(&path, &out)).expect("a good run");
    let before = fs_err::read(out.join("frame_000012.pov")).expect("a frame");
    write(dir.path(), "wave_2.obj", &PLATE.replace("v 1 0 1", "v 1 0.9 1"));
    let again = RunOptions {
        resume: true,
        ..options(&path, &out)
    };
    let why = run(&again).expect_err("the inputs differ").to_string();
    assert!(why.contains("other inputs (mesh `mover`"), "{why}");
    run(&options(&path, &out)).expect("a good run");
    let after = fs_err::read(out.join("frame_000012.pov")).expect("a frame");
    assert_ne!(before, after, "frames of another shape were kept");
}
