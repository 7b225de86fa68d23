//! The program as its users call it: streams and exit codes.

use assert_cmd::Command;
use partsim::write::atomic::write_file;
use partsim::write::manifest::{FrameEntry, Input, Manifest, Settings, frame_file_name};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use std::path::Path;
use tempfile::TempDir;

const FRAME: &str = "blob{threshold 0.5\nsphere{<0.5,1,2>,0.1,1}//1\n}\n";

fn partsim() -> Command {
    Command::new(env!("CARGO_BIN_EXE_partsim"))
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("temporary folder")
}

fn save(dir: &Path, name: &str, text: &str) {
    write_file(&dir.join(name), |out| out.write_all(text.as_bytes())).expect("written");
}

#[test]
fn help_and_version_go_to_standard_output() {
    partsim()
        .arg("--help")
        .assert()
        .code(0)
        .stdout(contains("verify"))
        .stderr(is_empty());
    let version = concat!("partsim ", env!("CARGO_PKG_VERSION"), "\n");
    partsim()
        .arg("--version")
        .assert()
        .code(0)
        .stdout(version)
        .stderr(is_empty());
}

#[test]
fn wrong_usage_is_exit_code_2_and_silent_on_standard_output() {
    for args in [
        &[][..],
        &["fly"],
        &["run"],
        &["run", "a.ron", "--frames", "9-3"],
        &["run", "a.ron", "--threads", "0"],
        &["run", "a.ron", "--collision", "fast"],
        &["run", "a.ron", "--progress", "often"],
        &["run", "a.ron", "--seed", "-1"],
        &["diff", "a.pov"],
        &["diff", "a.pov", "b.pov", "--abs", "-1"],
        &["diff", "a.pov", "b.pov", "--rel", "nan"],
    ] {
        partsim()
            .args(args)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(is_empty().not());
    }
}

#[test]
fn t44_an_output_pattern_is_refused_and_the_frame_names_are_told() {
    let dir = folder();
    for pattern in [
        "out_{}.txt",
        "out_{}",
        "frames/out.pov",
        "f_%04d",
        "f_###",
        "OUT.PNG",
        "",
    ] {
        let mut run = partsim();
        run.current_dir(&dir).args(["run", "a.ron", "-o", pattern]);
        run.assert()
            .code(2)
            .stderr(contains("always named frame_000001.pov"));
    }
    assert_eq!(fs_err::read_dir(dir.path()).expect("readable").count(), 0);
}

#[test]
fn a_missing_file_is_named() {
    let dir = folder();
    for args in [&["diff", "none.pov", "none.pov"][..], &["verify", "none"]] {
        let output = partsim()
            .current_dir(&dir)
            .args(args)
            .assert()
            .code(3)
            .stdout(is_empty());
        output.stderr(contains("none").and(contains("error")));
    }
}

#[test]
fn t38_diff_answers_by_its_exit_code() {
    let dir = folder();
    save(dir.path(), "a.pov", FRAME);
    save(dir.path(), "same.pov", FRAME);
    save(dir.path(), "near.pov", &FRAME.replace("0.5,1", "0.500000001,1"));
    save(dir.path(), "bad.pov", "sphere{<0.5,1\n");
    let diff = |b: &str, abs: &str| {
        let mut command = partsim();
        command.current_dir(&dir).args(["diff", "a.pov", b, "--abs", abs]);
        command.assert()
    };
    diff("same.pov", "0")
        .code(0)
        .stdout("same: 1 of 1 frame identical byte for byte\n")
        .stderr(is_empty());
    diff("near.pov", "1e-6")
        .code(0)
        .stdout(contains("same within the tolerance: 0 of 1 frame ").and(contains("particle 1: x")));
    diff("near.pov", "0")
        .code(1)
        .stdout(contains("different: 0 of 1 frame "))
        .stderr(is_empty());
    diff("bad.pov", "0")
        .code(3)
        .stdout(is_empty())
        .stderr(contains("bad.pov:1: expected `sphere{"));
    diff(".", "0").code(2);
}

#[test]
fn verify_prints_a_range_that_frames_accepts() {
    let dir = folder();
    let settings = Settings {
        collision: "exact".into(),
        seed: 0,
        frames: 5,
        frame_rate: 25.0,
        steps_per_frame: 1,
    };
    let mut manifest = Manifest::new(Input::new("", Path::new("a.ron"), b"()"), Vec::new(), settings);
    for number in 1..=5 {
        let path = dir.path().join(frame_file_name(number));
        let file = write_file(&path, |out| out.write_all(FRAME.as_bytes())).expect("written");
        manifest.record(FrameEntry {
            number,
            file,
            ..FrameEntry::default()
        });
    }
    manifest.write(dir.path()).expect("written");
    let verify = || partsim().arg("verify").arg(dir.path()).assert();
    verify().code(0).stdout(is_empty()).stderr("complete: 5 frames\n");
    for number in [2, 4, 5] {
        fs_err::remove_file(dir.path().join(frame_file_name(number))).expect("removed");
    }
    verify().code(1).stdout("2,4-5\n").stderr("missing: 2,4-5\n");
    save(dir.path(), "manifest.json", "{\"format\": 99}");
    verify().code(3).stderr(contains("manifest.json: has format 99"));
    fs_err::remove_file(dir.path().join("manifest.json")).expect("removed");
    verify().code(3).stderr(contains("is not a run folder"));
}

const OPEN: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";

#[test]
fn a_mesh_is_reported_by_file_and_line() {
    let dir = folder();
    save(dir.path(), "open.obj", OPEN);
    save(dir.path(), "closed.obj", &format!("{OPEN}f 2 3 4\n"));
    let mesh = |args: &[&str]| partsim().current_dir(&dir).arg("mesh").args(args).assert();
    mesh(&["open.obj"])
        .code(0)
        .stdout(contains("boundary loops: open.obj:5\n").and(contains("open, 1 piece")))
        .stderr(is_empty());
    mesh(&["open.obj", "--strict"]).code(1);
    mesh(&["closed.obj", "--strict"])
        .code(0)
        .stdout(contains("closed, volume 0.166667").and(contains("no faults")));
    mesh(&["open.obj", "--json", "--strict"])
        .code(1)
        .stdout(contains("\"kind\":\"boundary_loop\"").and(contains("\"line\":5")));
    mesh(&["open.obj", "--paint", "faults.inc"]).code(0);
    let painted = fs_err::read_to_string(dir.path().join("faults.inc")).expect("written");
    assert!(painted.contains("#declare mesh_faults") && painted.contains("triangle {"));
    mesh(&["none.obj"])
        .code(1)
        .stderr(contains("cannot read none.obj"));
}

#[test]
fn check_tells_the_faults_of_the_meshes_of_a_scene() {
    let dir = folder();
    save(dir.path(), "open.obj", OPEN);
    let scene = r#"(meshes: [(name: "m", file: "open.obj")], materials: { "snow": Snow(radius: 0.1) },
        emitters: [(material: "snow", shape: Point(at: (0, 5, 0)), rate: 1)], time: (frames: 1, frame_rate: 24))"#;
    save(dir.path(), "s.ron", scene);
    let check = |args: &[&str]| {
        partsim()
            .current_dir(&dir)
            .args(["check", "s.ron"])
            .args(args)
            .assert()
    };
    check(&[])
        .code(0)
        .stdout(contains("boundary loops: open.obj:5\n"));
    check(&["--strict"]).code(1);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    use std::process::Stdio;
    let dir = folder();
    save(dir.path(), "a.pov", FRAME);
    save(dir.path(), "b.pov", &FRAME.replace("0.5,1", "0.75,1"));
    for (b, code) in [("a.pov", 0), ("b.pov", 1)] {
        let (reader, writer) = std::io::pipe().expect("pipe");
        drop(reader);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_partsim"));
        command
            .current_dir(&dir)
            .args(["diff", "a.pov", b])
            .stdout(writer)
            .stderr(Stdio::piped());
        let output = command.output().expect("started");
        assert_eq!(output.status.code(), Some(code));
        assert!(
            output.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
