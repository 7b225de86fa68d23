//! Runs that are cut off and go on: the frames are those of a straight run, byte for byte, whatever happened between.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use partsim::write::manifest::Manifest;

const FRAMES: u32 = 40;
/// Steps between two frames: a few, unless a run must take long enough to be killed.
const FEW: u32 = 3;
const MANY: u32 = 40;

fn partsim() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("partsim"))
}

/// Balls that bounce, stick, end and are born all the time, so that every column of the state changes.
fn scene(dir: &Path, gravity: f64) -> PathBuf {
    scene_with_steps(dir, gravity, FEW)
}

fn scene_with_steps(dir: &Path, gravity: f64, steps: u32) -> PathBuf {
    fs_err::write(
        dir.join("floor.obj"),
        "v -5 0 -5\nv 5 0 -5\nv 5 0 5\nv -5 0 5\ng a\nusemtl a\nf 4 3 2\nusemtl b\nf 4 2 1\n",
    )
    .expect("a file");
    let text = format!(
        r#"(
    meshes: [(file: "floor.obj", response: Bounce(restitution: 0.6, friction: 0.3), groups: {{ "a": Die }})],
    materials: {{
        "snow": Snow(radius: Uniform(min: 0.03, max: 0.06)),
        "mud": Mud(radius: 0.05, stick: Below(5)),
    }},
    emitters: [
        (material: "snow", shape: Disc(center: (0, 2, 0), normal: (0, 1, 0), radius: 3), rate: 300.7, velocity: (0, -1, 0), spread_deg: 20),
        (material: "mud", shape: Point(at: (-2, 1, -2)), rate: 55.5, velocity: (1, 2, 0.5), spread_deg: 60, start: 0.3),
    ],
    forces: [QuadraticDrag(terminal_speed: 8), Wind(velocity: (1, 0, 0))],
    gravity: (0, {gravity}, 0),
    time: (frames: {FRAMES}, frame_rate: 24, steps_per_frame: {steps}),
)"#
    );
    let path = dir.join("small.ron");
    fs_err::write(&path, text).expect("a file");
    path
}

fn command(scene: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = partsim();
    command.arg("run").arg(scene).arg("--out").arg(out);
    command.args(["--checkpoint-every", "0"]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(scene: &Path, out: &Path, more: &[&str]) -> Output {
    command(scene, out, more).output().expect("the program starts")
}

/// Names and bytes of all files of a folder.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs_err::read_dir(dir)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .map(|p| {
            let name = p.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs_err::read(&p).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

fn assert_same(a: &Path, b: &Path, what: &str) {
    let (a, b) = (files(a), files(b));
    let names = |f: &[(String, Vec<u8>)]| f.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b), "{what}");
    for ((name, a), (_, b)) in a.iter().zip(&b) {
        assert!(a == b, "{what}: {name} differs");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with the checkpoint that a run leaves which is cut off after frame `n`.
fn cut_off_after(n: u32, scene: &Path, out: &Path) {
    let frames = format!("1-{n}");
    assert!(run(scene, out, &["--frames", &frames]).status.success());
    assert!(
        out.join("checkpoint.bin").exists(),
        "no checkpoint after frame {n}"
    );
}

#[test]
fn t40_frames_after_a_resume_are_those_of_the_straight_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path(), -9.81);
    let straight = dir.path().join("straight");
    assert!(run(&scene, &straight, &[]).status.success());
    for n in [1, 17, FRAMES - 1] {
        let out = dir.path().join(format!("cut_{n}"));
        cut_off_after(n, &scene, &out);
        let resumed = run(&scene, &out, &["--resume", "--threads", "2"]);
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        assert!(
            text(&resumed.stdout).contains(&format!("{n} frames of an earlier run are kept")),
            "{}",
            text(&resumed.stdout)
        );
        assert_same(&straight, &out, &format!("cut after {n}"));
    }
}

#[test]
fn killed_at_any_moment_a_run_goes_on_to_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene_with_steps(dir.path(), -9.81, MANY);
    let straight = dir.path().join("straight");
    let started = Instant::now();
    assert!(run(&scene, &straight, &[]).status.success());
    let whole = started.elapsed();
    let wanted = Manifest::read(&straight).expect("a manifest");
    let (mut killed, mut kept) = (0, 0);
    // Kills spread over a run, several in a row into one folder: each resume starts from what the last one left.
    for round in 0..25_u64 {
        let out = dir.path().join("killed");
        for kill in 0..8_u64 {
            let mut child = command(&scene, &out, &["--resume"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            let share = ((round * 8 + kill) * 7919 % 61) as f64 / 61.0;
            std::thread::sleep(whole.mul_f64(0.3 * share));
            killed += u32::from(child.try_wait().expect("a status").is_none());
            // One that has ended by itself cannot be killed any more.
            let _ = child.kill();
            child.wait().expect("it ends");
            if let Ok(manifest) = Manifest::read(&out) {
                kept = manifest.frames.len().max(kept);
                for frame in &manifest.frames {
                    assert_eq!(
                        Some(frame),
                        wanted.frame(frame.number),
                        "round {round}, kill {kill}"
                    );
                    let file = partsim::write::manifest::frame_file_name(frame.number);
                    let bytes = fs_err::read(out.join(&file)).expect("a frame that was finished is there");
                    assert!(
                        bytes == fs_err::read(straight.join(&file)).expect("a frame"),
                        "{file} differs"
                    );
                }
            }
        }
        let resumed = run(&scene, &out, &["--resume"]);
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        assert_same(&straight, &out, &format!("round {round}"));
        fs_err::remove_dir_all(&out).expect("it goes");
    }
    assert!(killed >= 100, "only {killed} of 200 runs were killed");
    assert!(kept > 0, "no run was killed after its first frame");
}

#[test]
fn t46_other_inputs_are_refused_and_nothing_is_touched() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene_path = scene(dir.path(), -9.81);
    let out = dir.path().join("run");
    cut_off_after(5, &scene_path, &out);
    let before = files(&out);
    let seed = run(&scene_path, &out, &["--resume", "--seed", "9"]);
    assert_eq!(seed.status.code(), Some(2));
    assert!(
        text(&seed.stderr).contains("seed: 0 / 9"),
        "{}",
        text(&seed.stderr)
    );
    scene(dir.path(), -3.0);
    let gravity = run(&scene_path, &out, &["--resume"]);
    assert_eq!(gravity.status.code(), Some(2));
    let said = text(&gravity.stderr);
    assert!(
        said.contains("scene text") && said.contains("without --resume"),
        "{said}"
    );
    assert_eq!(files(&out), before, "a refused resume has changed the folder");
}

#[test]
fn damage_costs_time_but_no_frame() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path(), -9.81);
    let straight = dir.path().join("straight");
    assert!(run(&scene, &straight, &[]).status.success());
    let out = dir.path().join("run");
    cut_off_after(12, &scene, &out);
    let mut state = fs_err::read(out.join("checkpoint.bin")).expect("a checkpoint");
    let middle = state.len() / 2;
    state[middle] ^= 1;
    fs_err::write(out.join("checkpoint.bin"), state).expect("a file");
    fs_err::write(out.join("frame_000003.pov"), "half a fra").expect("a file");
    fs_err::remove_file(out.join("frame_000007.pov")).expect("it goes");
    let resumed = run(&scene, &out, &["--resume"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(
        text(&resumed.stderr).contains("checkpoint is cut off or damaged"),
        "{}",
        text(&resumed.stderr)
    );
    assert!(text(&resumed.stdout).contains("10 frames of an earlier run are kept"));
    assert_same(&straight, &out, "after damage");
}

#[test]
fn a_complete_run_has_nothing_left_to_do() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path(), -9.81);
    let out = dir.path().join("run");
    let first = run(&scene, &out, &["--resume"]);
    assert!(first.status.success() && text(&first.stderr).contains("starting at frame 1"));
    let before = files(&out);
    let again = run(&scene, &out, &["--resume"]);
    assert!(again.status.success());
    assert!(
        text(&again.stdout).contains("nothing was left to do"),
        "{}",
        text(&again.stdout)
    );
    assert_eq!(files(&out), before);
}
