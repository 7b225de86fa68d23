//! Grids on disk: `partsim grid`, the folder that a run keeps them in, and files that are not what they should be.

use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

fn partsim() -> Command {
    Command::cargo_bin("partsim").expect("the program")
}

fn asset(name: &str) -> String {
    format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn scene(dir: &Path, collider: &str) -> std::path::PathBuf {
    let path = dir.join("a.ron");
    let text = format!(
        r#"(
    meshes: [(name: "ball", file: "{}", collider: {collider})],
    materials: {{ "m": Slime(radius: 0.01, stick: Never) }},
    emitters: [(material: "m", shape: Point(at: (0, 1, 0)), rate: 100)],
    time: (frames: 2, steps_per_frame: 5),
)"#,
        asset("ball.obj")
    );
    fs_err::write(&path, text).expect("written");
    path
}

#[test]
fn a_grid_is_made_shown_and_drawn() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    partsim()
        .args([
            "grid",
            "build",
            &asset("ball.obj"),
            "--cells",
            "40",
            "--compress",
            "-o",
        ])
        .arg(at("ball.dng"))
        .assert()
        .success()
        .stdout(
            contains("40 x 40 x 40 cells")
                .and(contains("compressed"))
                .and(contains("9024 triangles")),
        );
    partsim()
        .args(["grid", "show", "--axis", "y", "--at", "0.5"])
        .arg(at("ball.dng"))
        .arg("-o")
        .arg(at("slice.png"))
        .assert()
        .success()
        .stdout(contains("signed"));
    let png = fs_err::read(at("slice.png")).expect("drawn");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert!(png.len() > 2_000);
    // The same mesh and shape give the same bytes.
    let first = fs_err::read(at("ball.dng")).expect("read");
    partsim()
        .args([
            "grid",
            "build",
            &asset("ball.obj"),
            "--cells",
            "40",
            "--compress",
            "-o",
        ])
        .arg(at("again.dng"))
        .assert()
        .success();
    assert!(first == fs_err::read(at("again.dng")).expect("read"));
}

#[test]
fn what_is_no_grid_is_refused_with_its_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("a.dng");
    for (bytes, why) in [
        (&b"v 0 0 0\n"[..], "not a partsim grid"),
        (b"partsim grid \r\n\x1a\x01\0\0\0", "cut off"),
        (b"partsim grid \r\n\x1a\x00\0\0\0\0\0\0\0", "has layout 0"),
    ] {
        fs_err::write(&path, bytes).expect("written");
        partsim()
            .args(["grid", "show"])
            .arg(&path)
            .assert()
            .code(3)
            .stderr(contains("a.dng").and(contains(why)));
    }
}

#[test]
fn a_scene_takes_a_grid_of_its_own_mesh_only() {
    let dir = tempfile::tempdir().expect("a folder");
    for (mesh, good) in [("ball.obj", true), ("shaft.obj", false)] {
        partsim()
            .args(["grid", "build", &asset(mesh), "--cells", "32", "-o"])
            .arg(dir.path().join("a.dng"))
            .assert()
            .success();
        let path = scene(dir.path(), r#"Grid(file: "a.dng", impact: (beta: 0.5))"#);
        let check = partsim().arg("check").arg(&path).assert();
        if good {
            check
                .success()
                .stdout(contains("grid       ball: 32 x 32 x 32 cells"));
        } else {
            check
                .code(1)
                .stderr(contains("was made of another mesh").and(contains("a.ron:2:")));
        }
    }
}

#[test]
fn a_run_keeps_its_grids_and_makes_damaged_ones_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = scene(dir.path(), "Grid(cells: 32, impact: (beta: 0.5))");
    let out = dir.path().join("out");
    let run = || {
        let mut run = partsim();
        run.arg("run")
            .arg(&path)
            .arg("-o")
            .arg(&out)
            .args(["--progress", "never"]);
        run.assert().success()
    };
    run();
    let kept: Vec<_> = fs_err::read_dir(out.join("grids"))
        .expect("a folder of grids")
        .map(|e| e.expect("entry").path())
        .collect();
    assert_eq!(kept.len(), 1);
    let good = fs_err::read(&kept[0]).expect("read");
    let time = |p: &Path| fs_err::metadata(p).expect("there").modified().expect("a time");
    let made = time(&kept[0]);
    run();
    assert_eq!(time(&kept[0]), made, "it was used, not made again");
    fs_err::write(&kept[0], &good[..good.len() / 2]).expect("cut");
    run().stderr(contains("cut off or damaged").and(contains("made again")));
    assert!(fs_err::read(&kept[0]).expect("read") == good);
    partsim().arg("verify").arg(&out).assert().success();
}

#[test]
fn what_a_field_cannot_do_is_told_beforehand() {
    let dir = tempfile::tempdir().expect("a folder");
    let told = |collider: &str| {
        let path = scene(dir.path(), collider);
        let output = partsim().arg("check").arg(&path).output().expect("it runs");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, text) = told("Grid(thickness: 0.02, cell: 0.009, impact: (beta: 0.5))");
    assert!(
        code == Some(1) && text.contains("meshes[0].collider") && text.contains("raise `thickness`"),
        "{text}"
    );
    let (code, text) = told("Grid(thickness: 0.001, cell: 0.02)");
    assert!(
        code == Some(1) && text.contains("at least 2 are needed"),
        "{text}"
    );
    let (code, text) = told("Grid(cells: 200, impact: (beta: 0.5))");
    assert!(
        code == Some(0) && text.contains("turns them back in time only up to"),
        "{text}"
    );
    let (code, text) = told("Grid(impact: (beta: 0.5))");
    assert!(code == Some(0) && text.is_empty(), "{text}");
}
