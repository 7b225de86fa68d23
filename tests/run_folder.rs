//! The program as its users meet it: run folders that stay valid, logs that can be read, files that are never half.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use partsim::write::manifest::Manifest;

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name)
}

fn partsim() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("partsim"))
}

fn run(scene: &Path, out: &Path, more: &[&str]) -> std::process::Output {
    partsim()
        .arg("run")
        .arg(scene)
        .arg("--out")
        .arg(out)
        .args(more)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A small scene of its own beside a copy of nothing: balls that fall on a floor.
fn small_scene(dir: &Path, gravity: f64) -> PathBuf {
    fs_err::write(
        dir.join("floor.obj"),
        "v -5 0 -5\nv 5 0 -5\nv 5 0 5\nv -5 0 5\nf 4 3 2 1\n",
    )
    .expect("a file");
    let text = format!(
        r#"(
    meshes: [(file: "floor.obj", response: Bounce(restitution: 0.6, friction: 0.3))],
    materials: {{ "snow": Snow(radius: 0.05) }},
    emitters: [(material: "snow", shape: Disc(center: (0, 2, 0), normal: (0, 1, 0), radius: 1), rate: 200, velocity: (0, -1, 0))],
    gravity: (0, {gravity}, 0),
    time: (frames: 10, frame_rate: 24, steps_per_frame: 4),
)"#
    );
    let path = dir.join("small.ron");
    fs_err::write(&path, text).expect("a file");
    path
}

#[test]
fn ctrl_c_finishes_the_frame_and_leaves_a_valid_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("run");
    let mut child = partsim()
        .args(["run", "--threads", "1", "--out"])
        .arg(&out)
        .arg(scene("mud_splash.ron"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    while !out.join("frame_000002.pov").exists() {
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "no second frame in two minutes"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(sent.success());
    let code = child.wait().expect("it ends").code();
    assert_eq!(code, Some(130));
    let manifest = Manifest::read(&out).expect("a valid manifest");
    assert!(
        manifest.frames.len() >= 2 && manifest.frames.len() < 48,
        "{} frames",
        manifest.frames.len()
    );
    let verify = partsim()
        .arg("verify")
        .arg(&out)
        .output()
        .expect("the program starts");
    assert_eq!(verify.status.code(), Some(1));
    assert_eq!(
        text(&verify.stdout),
        format!("{}-48\n", manifest.frames.len() + 1)
    );
    let names = fs_err::read_dir(&out)
        .expect("the folder")
        .map(|e| e.expect("an entry").file_name());
    assert!(
        names
            .map(|n| n.to_string_lossy().into_owned())
            .all(|n| !n.contains("tmp")),
        "temporary files are left"
    );
}

#[test]
fn t45_a_run_that_is_killed_leaves_only_whole_frames() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = small_scene(dir.path(), -9.81);
    let whole = dir.path().join("whole");
    assert!(run(&scene, &whole, &[]).status.success());
    let wanted = Manifest::read(&whole).expect("a manifest");
    for n in 0..50 {
        let out = dir.path().join("killed");
        let mut child = partsim()
            .args(["run", "--out"])
            .arg(&out)
            .arg(&scene)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_micros(700 * n));
        child.kill().expect("kill");
        child.wait().expect("it ends");
        for number in 1..=10 {
            let name = partsim::write::manifest::frame_file_name(number);
            if let Ok(bytes) = fs_err::read(out.join(&name)) {
                let hash = blake3::hash(&bytes).to_hex().to_string();
                assert_eq!(
                    Some(hash),
                    wanted.frame(number).map(|f| f.file.blake3.clone()),
                    "{name} after kill {n}"
                );
            }
        }
        if out.join("manifest.json").exists() {
            Manifest::read(&out).expect("a whole manifest");
        }
        if n % 10 == 9 {
            assert!(
                run(&scene, &out, &[]).status.success(),
                "the next run takes the folder over"
            );
            let hidden = fs_err::read_dir(&out).expect("the folder");
            let left = hidden.filter(|e| {
                e.as_ref()
                    .is_ok_and(|e| e.file_name().to_string_lossy().starts_with('.'))
            });
            assert_eq!(left.count(), 0, "temporary files are left");
            fs_err::remove_dir_all(&out).expect("clean");
        }
    }
}

#[test]
fn frames_of_a_range_are_those_of_the_whole_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = small_scene(dir.path(), -9.81);
    let (all, some) = (dir.path().join("all"), dir.path().join("some"));
    assert!(run(&scene, &all, &[]).status.success());
    assert!(run(&scene, &some, &["--frames", "4-6,9"]).status.success());
    let frames = |out: &Path| Manifest::read(out).expect("a manifest").frames;
    let wanted: Vec<_> = frames(&all)
        .into_iter()
        .filter(|f| [4, 5, 6, 9].contains(&f.number))
        .collect();
    assert_eq!(frames(&some), wanted);
    assert!(!some.join("frame_000001.pov").exists());
    let past = run(&scene, &some, &["--frames", "4-11"]);
    assert_eq!(past.status.code(), Some(2));
    assert!(
        text(&past.stderr).contains("time.frames"),
        "{}",
        text(&past.stderr)
    );
}

#[test]
fn an_edited_common_inc_stays_and_frames_of_other_inputs_go() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = small_scene(dir.path(), -9.81);
    let out = dir.path().join("run");
    assert!(run(&scene, &out, &[]).status.success());
    let common = out.join("common.inc");
    let mine = fs_err::read_to_string(&common).expect("a file") + "// my own light\n";
    fs_err::write(&common, &mine).expect("a file");
    small_scene(dir.path(), -1.62);
    let again = run(&scene, &out, &["--frames", "2"]);
    assert!(again.status.success());
    assert_eq!(fs_err::read_to_string(&common).expect("a file"), mine);
    let said = text(&again.stderr);
    assert!(
        said.contains("edited") && said.contains("10 frames of an earlier run"),
        "{said}"
    );
    assert!(!out.join("frame_000001.pov").exists() && out.join("frame_000002.pov").exists());
}

#[test]
fn t47_a_log_has_plain_lines_and_the_report_goes_to_standard_output() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = small_scene(dir.path(), -9.81);
    let done = run(
        &scene,
        &dir.path().join("run"),
        &["--stats", &dir.path().join("s.jsonl").display().to_string()],
    );
    let log = text(&done.stderr);
    assert!(
        !log.is_empty() && !log.contains('\r') && !log.contains('\u{1b}'),
        "{log:?}"
    );
    let report = text(&done.stdout);
    for word in [
        "born", "airborne", "settled", "died", "lost", "contacts", "escapes", "seconds",
    ] {
        assert!(report.contains(word), "`{word}` is missing from\n{report}");
    }
    let stats = fs_err::read_to_string(dir.path().join("s.jsonl")).expect("statistics");
    assert_eq!(stats.lines().count(), 10);
    let last: serde_json::Value = serde_json::from_str(stats.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["frame"]["number"], 10);
    let quiet = run(&scene, &dir.path().join("run"), &["--progress", "never"]);
    assert_eq!(text(&quiet.stderr), "");
}

#[test]
fn every_particle_is_accounted_for_in_the_manifest() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("run");
    assert!(
        run(&scene("mud_splash.ron"), &out, &["--frames", "1-30"])
            .status
            .success()
    );
    for f in Manifest::read(&out).expect("a manifest").frames {
        assert_eq!(
            f.born,
            f.airborne + f.settled + f.died + f.lost,
            "frame {}",
            f.number
        );
    }
}

#[test]
fn file_trouble_is_exit_code_3_and_bad_scenes_are_1() {
    let dir = tempfile::tempdir().expect("a folder");
    let good = small_scene(dir.path(), -9.81);
    let file = dir.path().join("a file");
    fs_err::write(&file, "in the way").expect("a file");
    assert_eq!(run(&good, &file, &[]).status.code(), Some(3));
    assert_eq!(
        run(&dir.path().join("none.ron"), &file, &[]).status.code(),
        Some(3)
    );
    fs_err::write(dir.path().join("floor.obj"), "v 0 0 0\n").expect("a file");
    let empty = run(&good, &dir.path().join("run"), &[]);
    assert_eq!(empty.status.code(), Some(1));
    assert!(
        text(&empty.stderr).contains("no faces"),
        "{}",
        text(&empty.stderr)
    );
}

#[test]
fn t50_check_warns_of_a_model_in_the_wrong_unit() {
    let dir = tempfile::tempdir().expect("a folder");
    let obj = "v -300 0 -300\nv 300 0 -300\nv 300 300 300\nv -300 0 300\nf 4 3 2 1\n";
    let scene = small_scene(dir.path(), -9.81);
    fs_err::write(dir.path().join("floor.obj"), obj).expect("a file");
    let small = fs_err::read_to_string(&scene)
        .expect("a file")
        .replace("radius: 0.05", "radius: 0.01");
    fs_err::write(&scene, &small).expect("a file");
    let check = |text_of_scene: &str| {
        fs_err::write(&scene, text_of_scene).expect("a file");
        let out = partsim()
            .arg("check")
            .arg(&scene)
            .output()
            .expect("the program starts");
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stderr)
    };
    assert!(check(&small).contains("unit"), "a warning about the unit");
    let with_unit = small.replace("floor.obj\"", "floor.obj\", unit: \"mm\"");
    assert!(!check(&with_unit).contains("times as large"));
}
