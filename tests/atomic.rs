//! Frames survive what the world does to a running program: kills and full disks.
//!
//! The tests run this very executable again as the program that gets hurt.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use partsim::write::atomic::{remove_leftovers, write_file};
use partsim::write::manifest::{frame_file_name, frame_number};

/// Set for the child that writes; names its folder.
const FOLDER: &str = "PARTSIM_TEST_WRITES_TO";

/// Large enough that a kill usually lands within a frame.
const FRAME_BYTES: usize = 4 << 20;

fn frame() -> Vec<u8> {
    let mut bytes = b"sphere{<0,0,0>,1}//1\n".repeat(FRAME_BYTES / 21);
    bytes.extend_from_slice(b"// end\n");
    bytes
}

/// Not a test by itself: writes frames until killed, or until a write fails.
#[test]
fn child_writes_frames() {
    let Some(dir) = std::env::var_os(FOLDER) else {
        return;
    };
    let bytes = frame();
    for number in (1..=20).cycle() {
        let path = PathBuf::from(&dir).join(frame_file_name(number));
        // In small pieces, like a real frame.
        let written = write_file(&path, |out| {
            bytes.chunks(100).try_for_each(|line| out.write_all(line))
        });
        if let Err(error) = written {
            panic!("exit code {}: {error}", error.exit_code());
        }
    }
}

/// The child, started by `shell` where `"$@"` stands for it.
fn child(shell: &str, dir: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", shell, "sh"])
        .arg(std::env::current_exe().expect("own path"));
    command.args(["--exact", "child_writes_frames", "--nocapture"]);
    command.env(FOLDER, dir).env("DIR", dir);
    command
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs_err::read_dir(dir).expect("readable folder");
    entries
        .map(|e| e.expect("entry").file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn t45_fifty_kills_leave_no_frame_that_looks_finished() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let whole = frame();
    let (mut finished, mut leftovers) = (0, 0);
    for kill in 0..50 {
        let mut writer = child("exec \"$@\"", dir.path());
        let mut writer = writer
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        // Wait for it to write, then for another moment each time, so that the kills land all over a frame.
        while names(dir.path()).is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(kill * 700));
        writer.kill().expect("killed");
        writer.wait().expect("ended");
        leftovers += remove_leftovers(dir.path()).expect("cleared");
        for name in names(dir.path()) {
            assert!(frame_number(&name).is_some(), "{name} is left over");
            assert!(
                fs_err::read(dir.path().join(&name)).expect("read") == whole,
                "kill {kill}: {name} is cut off"
            );
            fs_err::remove_file(dir.path().join(&name)).expect("removed");
            finished += 1;
        }
    }
    assert!(leftovers > 0, "no kill hit a write: the test shows nothing");
    assert!(finished > 0, "no frame was ever finished: the test shows nothing");
}

/// The child fails with exit code 3, names the frame and `why`, and leaves nothing behind but whole frames.
fn assert_write_fails(dir: &Path, shell: &str, why: &str) {
    let output = child(shell, dir).output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{text}");
    let frame = dir.join(frame_file_name(1)).display().to_string();
    assert!(
        text.contains(&format!("exit code 3: cannot write {frame}: {why}")),
        "{text}"
    );
    assert!(text.contains("LEFT BEHIND: 0"), "{text}");
}

#[test]
fn t45_a_file_size_limit_is_an_error_that_names_the_frame() {
    let dir = tempfile::tempdir().expect("temporary folder");
    // The limit raises a signal that would kill the program; a full disk does not.
    let shell = "trap '' XFSZ; ulimit -f 1024; \"$@\"; code=$?; echo LEFT BEHIND: $(ls -A \"$DIR\" | wc -l); exit $code";
    assert_write_fails(dir.path(), shell, "File too large");
}

#[cfg(target_os = "linux")]
#[test]
fn t45_a_full_disk_is_an_error_that_names_the_frame() {
    let mount = "mount -t tmpfs -o size=1m none \"$DIR\"";
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut probe = Command::new("unshare");
    probe
        .args(["-rm", "sh", "-c", mount])
        .env("DIR", dir.path())
        .stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        return; // Small file systems are not to be had here; the size limit above tests the same path.
    }
    let inside =
        format!("{mount} && {{ \"$@\"; code=$?; echo LEFT BEHIND: $(ls -A \"$DIR\" | wc -l); exit $code; }}");
    let shell = format!("unshare -rm sh -c '{inside}' sh \"$@\"");
    assert_write_fails(dir.path(), &shell, "No space left on device");
}
