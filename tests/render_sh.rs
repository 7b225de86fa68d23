//! `render.sh` from outside, with stand-ins for POV-Ray, ffmpeg and partsim; and once with the real ones if installed.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use fs_err as fs;
use tempfile::TempDir;

/// Writes "picture of" and the frame's text; fails or dawdles where the frame says so; notes each call.
const POVRAY: &str = r#"#!/usr/bin/env bash
for a in "$@"; do case $a in +I*) in=${a#+I} ;; +O*) out=${a#+O} ;; esac; done
: >"${out%.png}.pov-state"
echo "$in" >>"$CALLS"
grep -q SLOW "$in" && { sleep 60 & trap 'kill $!; exit 2' TERM; wait; }
grep -q FAIL "$in" && { echo "Parse Error: no such thing" >&2; exit 1; }
grep -q EMPTY "$in" && exit 0
{ echo "picture of"; cat "$in"; echo "$@"; } >"$out"
"#;

/// Writes its arguments into the file that the last one names.
const FFMPEG: &str = "#!/usr/bin/env bash\nfor last; do :; done\necho \"$@\" >\"$last\"\n";

/// Writes two frames into the folder that `--out=` names.
const PARTSIM: &str = r#"#!/usr/bin/env bash
grep -q BAD "${@: -1}" && { echo "error: bad scene" >&2; exit 1; }
out=${2#--out=}
mkdir -p "$out"
echo one >"$out/frame_000001.pov"
echo two >"$out/frame_000002.pov"
printf '{\n "settings": {\n  "frames": 2,\n  "frame_rate": 12.5\n }, "frames": [{"number": 1}]\n}\n' >"$out/manifest.json"
"#;

/// A run folder with awkward characters in its name, and the stand-ins.
struct Stage {
    dir: TempDir,
}

impl Stage {
    /// Frames numbered from 1 with these texts.
    fn new(frames: &[&str]) -> Self {
        let stage = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        for (name, text) in [("povray", POVRAY), ("ffmpeg", FFMPEG), ("partsim", PARTSIM)] {
            let path = stage.path(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        fs::create_dir(stage.run()).unwrap();
        for (i, text) in frames.iter().enumerate() {
            stage.write(&format!("frame_{:06}.pov", i + 1), text);
        }
        stage.write("common.inc", "camera{}");
        stage.write("mesh.inc", "mesh2{}");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self) -> PathBuf {
        self.path("a run's \"folder\" %d")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.run().join(name), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("render.sh"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .stdin(Stdio::null());
        command.env("CALLS", self.path("calls"));
        for (name, file) in [("POVRAY", "povray"), ("FFMPEG", "ffmpeg"), ("PARTSIM", "partsim")] {
            command.env(name, self.path(file));
        }
        command
    }

    /// Renders the run folder; gives the exit code and standard error.
    fn render(&self, args: &[&str]) -> (i32, String) {
        let folder = self.run();
        let args = [args, &[folder.to_str().unwrap()]].concat();
        let Output { status, stderr, .. } = self.command(&args).output().unwrap();
        (
            status.code().unwrap_or(-1),
            String::from_utf8_lossy(&stderr).into_owned(),
        )
    }

    /// Begins to render the run folder and comes back when POV-Ray has been called for so many frames.
    fn begin(&self, jobs: &str, calls: usize) -> std::process::Child {
        let mut command = self.command(&["--jobs", jobs]);
        command
            .arg(self.run())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let start = Instant::now();
        let begun = || fs::read_to_string(self.path("calls")).unwrap_or_default();
        while begun().lines().count() < calls {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "frame {calls} was never begun"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    }

    /// For which frames POV-Ray was called since the last look.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        let _ = fs::remove_file(self.path("calls"));
        let mut names: Vec<_> = text
            .lines()
            .map(|l| l.replace("frame_00000", "").replace(".pov", ""))
            .collect();
        names.sort();
        names
    }

    /// What lies in `img`, stamps aside.
    fn pictures(&self) -> Vec<String> {
        let entries = fs::read_dir(self.run().join("img")).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|n| n != ".stamps");
        names.sort();
        names
    }
}

fn kill(signal: &str, pid: u32) {
    let status = Command::new("kill")
        .args(["-s", signal, &pid.to_string()])
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn every_frame_is_rendered_and_nothing_else_stays_behind() {
    let stage = Stage::new(&["a", "b", "c"]);
    let (code, log) = stage.render(&["--jobs", "2"]);
    assert_eq!(code, 0, "{log}");
    assert_eq!(
        stage.pictures(),
        ["frame_000001.png", "frame_000002.png", "frame_000003.png"]
    );
    assert!(log.contains("rendered 3 of 3"), "{log}");
}

#[test]
fn only_what_is_not_current_is_rendered_again() {
    let stage = Stage::new(&["a", "b", "c"]);
    let renders = |args: &[&str], expected: &[&str], why: &str| {
        let (code, log) = stage.render(args);
        assert_eq!(code, 0, "{why}: {log}");
        assert_eq!(stage.calls(), expected, "{why}");
    };
    renders(&[], &["1", "2", "3"], "first time");
    renders(&[], &[], "nothing changed");
    stage.write("frame_000002.pov", "b");
    renders(&[], &[], "the same bytes written anew");
    stage.write("frame_000002.pov", "B");
    renders(&[], &["2"], "a changed frame");
    stage.write("img/frame_000003.png", "pict");
    renders(&[], &["3"], "a truncated picture");
    fs::remove_file(stage.run().join("img/frame_000001.png")).unwrap();
    renders(&[], &["1"], "a picture that was deleted");
    stage.write("mesh.inc", "mesh2{other}");
    renders(&[], &["1", "2", "3"], "changed scenery");
    stage.write("common.inc", "camera{other}");
    renders(&[], &["1", "2", "3"], "changed camera");
    renders(
        &["--size", "64x48", "--frames", "1,3-3"],
        &["1", "3"],
        "another size",
    );
    renders(
        &["--size=64x48", "--quality=draft", "--frames=3"],
        &["3"],
        "another quality",
    );
    renders(&["--size=64x48", "--force", "--frames=1"], &["1"], "forced");
}

#[test]
fn a_frame_that_fails_shows_its_log_and_hinders_no_other() {
    let stage = Stage::new(&["a", "FAIL", "c", "EMPTY"]);
    let (code, log) = stage.render(&[]);
    assert_eq!(code, 1);
    assert!(
        log.contains("frame_000002 failed") && log.contains("| Parse Error: no such thing"),
        "{log}"
    );
    assert!(
        log.contains("2 of 4 pictures are missing or out of date: --frames 2,4"),
        "{log}"
    );
    assert_eq!(stage.pictures(), ["frame_000001.png", "frame_000003.png"]);
    assert_eq!(stage.calls(), ["1", "2", "3", "4"], "nothing is tried twice");
}

#[test]
fn when_all_frames_fail_the_rest_is_not_tried() {
    let stage = Stage::new(&["FAIL"; 9]);
    let (code, log) = stage.render(&["--jobs", "1"]);
    assert_eq!(code, 1);
    assert_eq!(stage.calls().len(), 3);
    assert!(
        log.contains("9 of 9 pictures are missing or out of date: --frames 1-9"),
        "{log}"
    );
}

#[test]
fn a_picture_of_an_older_frame_does_not_count_when_its_rendering_fails() {
    let stage = Stage::new(&["a", "b"]);
    assert_eq!(stage.render(&[]).0, 0);
    stage.write("frame_000002.pov", "FAIL");
    let (code, log) = stage.render(&["--film", "--rate", "24"]);
    assert_eq!(code, 1);
    assert!(log.contains("--frames 2"), "{log}");
    assert!(!stage.run().join("film.mp4").exists());
}

#[test]
fn a_gap_in_the_frames_is_named_and_there_is_no_film() {
    let stage = Stage::new(&["a", "b", "c", "d"]);
    fs::remove_file(stage.run().join("frame_000003.pov")).unwrap();
    let (code, log) = stage.render(&["--film", "--rate", "24"]);
    assert_eq!(code, 1);
    assert!(
        log.contains("1 of 4 pictures are missing or out of date: --frames 3"),
        "{log}"
    );
    assert!(!stage.run().join("film.mp4").exists());

    let film = |frames: &str| stage.render(&["--film", "--rate", "24", "--frames", frames]).0;
    assert_eq!(film("1-2,4"), 2, "no film of a broken range");
    assert_eq!(film("1-2"), 0);
    assert!(stage.run().join("film.mp4").exists());
}

#[test]
fn frames_that_the_manifest_promises_are_missed() {
    let stage = Stage::new(&["a", "b"]);
    stage.write(
        "manifest.json",
        r#"{"settings":{"frames":4,"frame_rate":25.0},"frames":[]}"#,
    );
    let (code, log) = stage.render(&[]);
    assert_eq!(code, 1);
    assert!(
        log.contains("2 of 4 pictures are missing or out of date: --frames 3-4"),
        "{log}"
    );
}

#[test]
fn interrupted_it_leaves_no_half_file_and_goes_on_when_called_again() {
    for signal in ["INT", "TERM"] {
        let stage = Stage::new(&["a", "b", "SLOW", "SLOW"]);
        let start = Instant::now();
        let mut child = stage.begin("2", 4);
        kill(signal, child.id());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(
            start.elapsed() < Duration::from_secs(50),
            "it waited for the frames instead of ending them"
        );
        assert_eq!(stage.pictures(), ["frame_000001.png", "frame_000002.png"]);

        stage.calls();
        stage.write("frame_000003.pov", "c");
        stage.write("frame_000004.pov", "d");
        assert_eq!(stage.render(&[]).0, 0);
        assert_eq!(stage.calls(), ["3", "4"]);
    }
}

#[test]
fn what_a_killed_call_left_is_removed_by_the_next() {
    let stage = Stage::new(&["a", "SLOW"]);
    let mut child = stage.begin("1", 2);
    kill("KILL", child.id());
    child.wait().unwrap();
    assert!(stage.pictures().len() > 1, "{:?}", stage.pictures());
    stage.write("frame_000002.pov", "b");
    assert_eq!(stage.render(&[]).0, 0);
    assert_eq!(stage.pictures(), ["frame_000001.png", "frame_000002.png"]);
}

#[test]
fn without_a_program_it_says_how_to_install_it() {
    let stage = Stage::new(&["a"]);
    for (name, args) in [("POVRAY", vec![]), ("FFMPEG", vec!["--film", "--rate=24"])] {
        let mut command = stage.command(&args);
        let output = command
            .arg(stage.run())
            .env(name, "no-such-program-here")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3), "{name}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("apt install"),
            "{name}"
        );
        assert!(!stage.run().join("img").exists(), "{name}: nothing may be begun");
    }
}

#[test]
fn wrong_usage_is_refused_before_anything_is_done() {
    let stage = Stage::new(&["a"]);
    let wrong = [
        "--size 0x10",
        "--size 12",
        "--jobs 0",
        "--jobs two",
        "--frames 3-",
        "--frames 0",
        "--frames 9-3",
        "--quality best",
        "--rate 0",
        "--rate 1e3",
        "--frobnicate",
        "--film=yes",
        "--out x",
        "--film",
        "other",
    ];
    for line in wrong {
        let (code, log) = stage.render(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 2, "{line}: {log}");
        assert!(log.starts_with("render.sh: "), "{line}: {log}");
    }
    let code = |args: &[&str]| stage.command(args).output().unwrap().status.code();
    assert_eq!(code(&[]), Some(2));
    assert_eq!(code(&["--size"]), Some(2));
    assert_eq!(code(&["povray"]), Some(2), "a file of another kind");
    assert_eq!(code(&["absent"]), Some(3));
    assert_eq!(code(&["absent.ron"]), Some(3));
    assert_eq!(code(&["--help"]), Some(0));
    assert!(stage.calls().is_empty());
}

#[test]
fn a_scene_is_simulated_into_the_run_folder_and_filmed_at_its_own_rate() {
    let stage = Stage::new(&[]);
    fs::write(stage.path("light snow.ron"), "()").unwrap();
    let output = stage.command(&["--film", "light snow.ron"]).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let film = stage.path("runs/light snow/film.mp4");
    let arguments = fs::read_to_string(&film).unwrap();
    assert!(
        arguments.contains("-framerate 12.5 -start_number 1 "),
        "{arguments}"
    );
    assert!(arguments.contains("-frames:v 2 "), "{arguments}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.ends_with("runs/light snow/film.mp4\n"), "{printed}");

    fs::write(stage.path("bad.ron"), "BAD").unwrap();
    let output = stage
        .command(&["bad.ron", "--out", "elsewhere"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!stage.path("elsewhere").exists());
}

#[test]
fn the_real_programs_make_a_film_of_odd_size() {
    let installed = |name| Command::new(name).arg("--version").output().is_ok();
    if !installed("povray") || !installed("ffmpeg") {
        return;
    }
    let sphere = "#version 3.7;\nglobal_settings{assumed_gamma 1}\n#include \"common.inc\"\nsphere{0,1 pigment{rgb 1}}\n";
    let stage = Stage::new(&[sphere, sphere, "sphere{<0,0>"]);
    stage.write(
        "common.inc",
        "camera{location -4*z look_at 0} light_source{<5,9,-9> rgb 1}\n",
    );
    let render = |args: &[&str]| {
        let mut command = stage.command(args);
        let command = command.arg(stage.run()).env_remove("POVRAY").env_remove("FFMPEG");
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, log) = render(&["--size", "65x47"]);
    assert_eq!(code, Some(1));
    assert!(log.contains("Parse Error"), "{log}");
    let (code, log) = render(&["--size", "65x47", "--frames", "1-2", "--film", "--rate", "12"]);
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(stage.pictures(), ["frame_000001.png", "frame_000002.png"]);
    let picture = fs::read(stage.run().join("img/frame_000001.png")).unwrap();
    assert_eq!(&picture[1..4], b"PNG");
    assert_eq!((picture[19], picture[23]), (65, 47), "width and height");
    assert!(fs::metadata(stage.run().join("film.mp4")).unwrap().len() > 500);
}
