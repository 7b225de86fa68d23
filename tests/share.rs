//! Frames that share what lies still: little disk, the same pictures, and every piece accounted for.

#![allow(clippy::print_stdout, reason = "what was measured, for `--nocapture`")]

mod pov_kit;

use std::path::{Path, PathBuf};
use std::process::Command;

use pov_kit::{picture, put};

fn partsim(args: &[&str]) -> std::process::Output {
    let program = assert_cmd::cargo::cargo_bin!("partsim");
    Command::new(program)
        .args(args)
        .output()
        .expect("the program starts")
}

/// Lumps that fall for a second and then lie still for four, but for a trickle that goes on.
fn settling(dir: &Path, share: bool, frames: u32) -> PathBuf {
    put(
        dir,
        "floor.obj",
        b"v -3 0 -3\nv 3 0 -3\nv 3 0 3\nv -3 0 3\nv 0 1 0\nf 4 3 2 1\nf 1 2 5\n",
    );
    let text = format!(
        r#"(
    meshes: [(file: "floor.obj")],
    materials: {{ "snow": Snow(radius: 0.02) }},
    emitters: [
        (material: "snow", shape: Box(min: (-2, 1.5, -2), max: (2, 1.7, 2)), rate: 9000, stop: 0.5, velocity: (0, -3, 0)),
        (material: "snow", shape: Disc(center: (0.5, 2, 0.5), normal: (0, 1, 0), radius: 0.2), rate: 60, velocity: (0, -1, 0)),
    ],
    pile: true,
    time: (frames: {frames}, frame_rate: 24),
    camera: (eye: (2.5, 2, 5), target: (0, 0.2, 0), angle_deg: 45),
    output: (share: {share}),
)"#
    );
    let name = if share { "shared.ron" } else { "whole.ron" };
    put(dir, name, text.as_bytes());
    dir.join(name)
}

fn run(scene: &Path, out: &Path, more: &[&str]) {
    let done = partsim(
        &[
            &["run", &scene.to_string_lossy(), "--out", &out.to_string_lossy()],
            more,
        ]
        .concat(),
    );
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Bytes of the files of a folder whose names end so.
fn bytes(dir: &Path, ending: &str) -> u64 {
    let entries = fs_err::read_dir(dir)
        .expect("a folder")
        .map(|e| e.expect("an entry").path());
    let those = entries.filter(|p| p.to_string_lossy().ends_with(ending));
    those.map(|p| fs_err::metadata(p).expect("a file").len()).sum()
}

/// The sizes between which `check` says that a run will stay.
fn forecast(scene: &Path) -> [f64; 2] {
    let said = String::from_utf8(partsim(&["check", &scene.to_string_lossy()]).stdout).expect("text");
    let line = said.split("about ").nth(1).expect("a forecast");
    let words: Vec<&str> = line.split_whitespace().take(5).collect();
    let size = |number: &str, unit: &str| {
        let factor = match unit {
            "kB" => 1e3,
            "MB" => 1e6,
            "GB" => 1e9,
            _ => 1.0,
        };
        number.parse::<f64>().expect("a number") * factor
    };
    [size(words[0], words[1]), size(words[3], words[4])]
}

#[test]
fn a_scene_that_settles_takes_a_fifth_of_the_disk_and_looks_the_same() {
    let dir = tempfile::tempdir().expect("a folder");
    let (whole, shared) = (dir.path().join("whole"), dir.path().join("shared"));
    run(&settling(dir.path(), false, 120), &whole, &[]);
    let scene = settling(dir.path(), true, 120);
    run(&scene, &shared, &[]);
    let before = bytes(&whole, ".pov");
    let now = bytes(&shared, ".pov") + bytes(&shared.join("shared"), ".inc");
    println!(
        "{before} bytes before, {now} now: {:.3}",
        now as f64 / before as f64
    );
    assert!(5 * now <= before, "{before} bytes before, {now} now");
    let [low, high] = forecast(&scene);
    assert!(
        low <= now as f64 && now as f64 <= high,
        "{now} bytes, forecast {low} to {high}"
    );
    for number in [14, 40, 120] {
        let name = format!("frame_{number:06}.pov");
        assert!(
            picture(&whole, &name) == picture(&shared, &name),
            "frame {number} looks otherwise"
        );
    }
    let verify = partsim(&["verify", &shared.to_string_lossy()]);
    assert!(verify.status.success(), "{verify:?}");
    let same = partsim(&["diff", &shared.to_string_lossy(), &shared.to_string_lossy()]);
    assert!(same.status.success());
}

#[test]
fn pieces_that_are_lost_or_changed_are_found_and_written_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let (scene, out) = (settling(dir.path(), true, 30), dir.path().join("run"));
    run(&scene, &out, &["--frames", "1-20"]);
    let folder = out.to_string_lossy();
    let redo = || {
        String::from_utf8(partsim(&["verify", &folder]).stdout)
            .expect("text")
            .trim()
            .to_string()
    };
    assert_eq!(redo(), "21-30");
    let text = fs_err::read_to_string(out.join("frame_000020.pov")).expect("a frame");
    let piece = text
        .lines()
        .find_map(|l| l.strip_prefix("#include \"shared/"))
        .expect("a piece");
    let piece = out.join("shared").join(piece.trim_end_matches('"'));
    let good = fs_err::read(&piece).expect("a piece");
    let damaged = [&good[..good.len() - 2], b"!\n"].concat();
    for (change, frames) in [(Some(damaged), "20-30"), (None, "20-30")] {
        match change {
            Some(bytes) => put(
                piece.parent().expect("a folder"),
                &piece.file_name().expect("a name").to_string_lossy(),
                &bytes,
            ),
            None => fs_err::remove_file(&piece).expect("removed"),
        }
        assert!(redo().ends_with(frames) || redo().contains("20"), "{}", redo());
        run(&scene, &out, &["--resume", "--frames", "1-20"]);
        assert_eq!(redo(), "21-30");
        assert!(fs_err::read(&piece).expect("a piece") == good);
    }
    run(&scene, &out, &["--resume"]);
    let straight = dir.path().join("straight");
    run(&scene, &straight, &[]);
    for number in [1, 15, 20, 30] {
        let name = format!("frame_{number:06}.pov");
        assert!(
            fs_err::read(out.join(&name)).expect("a frame")
                == fs_err::read(straight.join(&name)).expect("a frame")
        );
    }
    let same = |name: &str| {
        fs_err::read_to_string(out.join(name)).ok() == fs_err::read_to_string(straight.join(name)).ok()
    };
    assert!(same("manifest.json"));
    // Another scene leaves nothing of this one behind.
    let text = fs_err::read_to_string(&scene)
        .expect("a scene")
        .replace("(0, -3, 0)", "(0, -2, 0)");
    put(dir.path(), "shared.ron", text.as_bytes());
    run(&scene, &out, &["--frames", "1"]);
    assert!(bytes(&out.join("shared"), ".inc") < bytes(&straight.join("shared"), ".inc") / 4);
}
