//! Full disks and second runs: what was finished stays, nothing half has a final name, and `--resume` goes on.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use partsim::write::manifest::{Manifest, frame_file_name};

/// Set for the copy of this test that runs where it may mount a small disk; names its folder.
const INSIDE: &str = "PARTSIM_TEST_SMALL_DISK";
const FRAMES: u32 = 12;

fn partsim() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("partsim"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// More and more balls, so that every frame is larger than the one before, and the checkpoint larger still.
fn scene(dir: &Path) -> PathBuf {
    let path = dir.join("grows.ron");
    let scene = format!(
        "(materials: {{ \"m\": Snow(radius: 0.05) }}, emitters: [(material: \"m\", shape: Disc(center: (0, 2, 0), \
         normal: (0, 1, 0), radius: 3), rate: 1200, velocity: (0, 1, 0), spread_deg: 30)], \
         time: (frames: {FRAMES}, frame_rate: 12))"
    );
    fs_err::write(&path, scene).expect("a file");
    path
}

fn run(scene: &Path, out: &Path, more: &[&str]) -> Output {
    let mut command = partsim();
    command.args(["run", "--checkpoint-every", "0", "--progress", "never"]);
    command.arg(scene).arg("--out").arg(out).args(more);
    command.output().expect("the program starts")
}

/// Every file under a final name is one that the straight run has, whole; the manifest may know fewer frames. Returns
/// how many frames it knows.
fn assert_nothing_half(out: &Path, straight: &Path, what: &str) -> usize {
    let entries = fs_err::read_dir(out)
        .expect("a folder")
        .map(|e| e.expect("an entry").path());
    for path in entries {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(!name.starts_with('.'), "{what}: {name} is left behind");
        if name != "manifest.json" && name != "checkpoint.bin" {
            let whole = fs_err::read(straight.join(&name)).expect("the straight run has it");
            assert!(
                fs_err::read(&path).expect("a file") == whole,
                "{what}: {name} is cut off"
            );
        }
    }
    assert!(
        partsim::checkpoint::read(out).is_ok(),
        "{what}: the checkpoint is damaged"
    );
    if !out.join("manifest.json").exists() {
        return 0;
    }
    let manifest = Manifest::read(out).expect("a whole manifest");
    for frame in &manifest.frames {
        assert!(
            out.join(frame_file_name(frame.number)).exists(),
            "{what}: a frame that was finished is lost"
        );
    }
    manifest.frames.len()
}

fn assert_same(a: &Path, b: &Path, what: &str) {
    let files = |dir: &Path| {
        let entries = fs_err::read_dir(dir)
            .expect("a folder")
            .map(|e| e.expect("an entry").path());
        let mut files: Vec<_> = entries
            .map(|p| {
                (
                    p.file_name().map(|n| n.to_owned()),
                    fs_err::read(&p).expect("a file"),
                )
            })
            .collect();
        files.sort();
        files
    };
    assert!(files(a) == files(b), "{what}: not what a straight run leaves");
}

#[test]
fn t45_a_full_disk_costs_nothing_that_was_finished() {
    if let Some(dir) = std::env::var_os(INSIDE) {
        return fill_disks_of_all_sizes(Path::new(&dir));
    }
    let dir = tempfile::tempdir().expect("a folder");
    let mut inside = Command::new("unshare");
    inside.args(["-rm"]).arg(std::env::current_exe().expect("a path"));
    inside.args([
        "--exact",
        "t45_a_full_disk_costs_nothing_that_was_finished",
        "--nocapture",
    ]);
    let probe = Command::new("unshare")
        .args(["-rm", "mount", "-t", "tmpfs", "none"])
        .arg(dir.path())
        .output();
    if !probe.is_ok_and(|p| p.status.success()) {
        return; // Small disks are not to be had here; the limit of file sizes below tests the same paths.
    }
    let done = inside.env(INSIDE, dir.path()).output().expect("it starts");
    assert!(
        done.status.success(),
        "{}{}",
        text(&done.stdout),
        text(&done.stderr)
    );
}

fn mount(dir: &Path, options: &str) {
    let done = Command::new("mount")
        .args(["-t", "tmpfs", "-o", options, "none"])
        .arg(dir)
        .status();
    assert!(done.expect("mount").success());
}

/// Disks that are full during the first shared file, during any frame, manifest or checkpoint.
fn fill_disks_of_all_sizes(dir: &Path) {
    let work = dir.join("work");
    fs_err::create_dir_all(&work).expect("a folder");
    let scene = scene(dir);
    let straight = dir.join("straight");
    assert!(run(&scene, &straight, &[]).status.success());
    let (mut failed, mut finished) = (std::collections::BTreeSet::new(), 0);
    for kilobytes in (4..1200).step_by(28) {
        mount(&work, &format!("size={kilobytes}k"));
        let (out, what) = (work.join("run"), format!("{kilobytes} kB"));
        let done = run(&scene, &out, &[]);
        if done.status.success() {
            assert_same(&straight, &out, &what);
        } else {
            let said = text(&done.stderr);
            assert_eq!(done.status.code(), Some(3), "{what}: {said}");
            assert!(said.contains("No space left on device"), "{what}: {said}");
            let named = [
                "common.inc",
                "mesh.inc",
                "manifest.json",
                "checkpoint.bin",
                "frame_",
                "work/run",
            ];
            let which = named.iter().find(|name| said.contains(*name));
            failed.insert(*which.unwrap_or_else(|| panic!("{what}: which file? {said}")));
            if out.exists() {
                finished = finished.max(assert_nothing_half(&out, &straight, &what));
            }
            // Room is made, and the run goes on.
            let more = Command::new("mount")
                .args(["-o", "remount,size=16m"])
                .arg(&work)
                .status();
            assert!(more.expect("mount").success());
            let resumed = run(&scene, &out, &["--resume"]);
            assert!(resumed.status.success(), "{what}: {}", text(&resumed.stderr));
            assert_same(&straight, &out, &what);
        }
        assert!(
            Command::new("umount")
                .arg(&work)
                .status()
                .expect("umount")
                .success()
        );
    }
    assert!(
        failed.contains("checkpoint.bin") && failed.contains("frame_"),
        "only {failed:?} failed"
    );
    assert!(finished > 3, "no run came far");
}

#[test]
fn t45_a_limit_of_file_sizes_costs_nothing_that_was_finished() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let straight = dir.path().join("straight");
    assert!(run(&scene, &straight, &[]).status.success());
    let mut finished = 0;
    for (blocks, every) in [(4, "0"), (40, "0"), (100, "0"), (20, "1000"), (60, "1000")] {
        let (out, what) = (dir.path().join("limited"), format!("{blocks} blocks"));
        // The limit raises a signal that would kill the program; a full disk does not.
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""),
            "sh",
        ]);
        command
            .arg(assert_cmd::cargo::cargo_bin!("partsim"))
            .arg("run")
            .arg(&scene)
            .arg("--out")
            .arg(&out);
        let done = command.args(["--checkpoint-every", every]).output().expect("sh");
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(3), "{what}: {said}");
        assert!(said.contains("File too large"), "{what}: {said}");
        finished = finished.max(assert_nothing_half(&out, &straight, &what));
        let resumed = run(&scene, &out, &["--resume"]);
        assert!(resumed.status.success(), "{what}: {}", text(&resumed.stderr));
        assert_same(&straight, &out, &what);
        fs_err::remove_dir_all(&out).expect("it goes");
    }
    assert!(finished > 2, "no run came far");
}

#[test]
fn a_folder_takes_one_run_at_a_time() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let long = fs_err::read_to_string(&scene)
        .expect("a file")
        .replace("frame_rate: 12", "frame_rate: 12, steps_per_frame: 3000");
    fs_err::write(&scene, long).expect("a file");
    let out = dir.path().join("run");
    let mut first = partsim()
        .arg("run")
        .arg(&scene)
        .arg("--out")
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let started = Instant::now();
    while !out.join("manifest.json").exists() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "the first run does not begin"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    for more in [&[][..], &["--resume"], &["--seed", "4"]] {
        let second = run(&scene, &out, more);
        let said = text(&second.stderr);
        assert_eq!(second.status.code(), Some(3), "{more:?}: {said}");
        assert!(
            said.contains("another run is writing to") && said.contains(&format!("process {}", first.id())),
            "{said}"
        );
    }
    assert!(
        first.try_wait().expect("a status").is_none(),
        "the first run must last longer"
    );
    first.kill().expect("kill");
    first.wait().expect("it ends");
    // Who was killed holds nothing.
    let after = run(&scene, &out, &["--frames", "1"]);
    assert!(after.status.success(), "{}", text(&after.stderr));
    assert!(!out.join(".partsim-lock").exists());
}

#[test]
fn statistics_go_on_after_a_resume() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let (out, stats) = (dir.path().join("run"), dir.path().join("s.jsonl"));
    let file = stats.display().to_string();
    assert!(
        run(&scene, &out, &["--frames", "1-5", "--stats", &file])
            .status
            .success()
    );
    assert!(
        run(&scene, &out, &["--resume", "--stats", &file])
            .status
            .success()
    );
    let lines = fs_err::read_to_string(&stats).expect("statistics");
    let numbers: Vec<u64> = lines
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            line["frame"]["number"].as_u64().expect("a number")
        })
        .collect();
    assert_eq!(numbers, (1..=u64::from(FRAMES)).collect::<Vec<_>>());
}
