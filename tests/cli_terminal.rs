//! The program at a terminal, in a pipe that closes, and as packagers meet it: colours, bars, completions, pages.
#![cfg(unix)]

use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use partsim::cli::Cli;

fn partsim() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("partsim"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A pair of a terminal and the end from which it is watched.
fn terminal() -> (OwnedFd, OwnedFd) {
    let (mut watch, mut screen) = (0, 0);
    let size = libc::winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: both numbers are written before the call returns, and owned by nobody else.
    unsafe {
        let opened = libc::openpty(
            &raw mut watch,
            &raw mut screen,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::from_ref(&size).cast_mut(),
        );
        assert_eq!(opened, 0, "no terminal");
        (OwnedFd::from_raw_fd(watch), OwnedFd::from_raw_fd(screen))
    }
}

/// What a command shows on a terminal that both its streams go to, and its exit code.
fn at_terminal(mut command: Command) -> (String, Option<i32>) {
    let (watch, screen) = terminal();
    command.stdin(Stdio::null());
    command.stdout(screen.try_clone().expect("a copy")).stderr(screen);
    let mut child = command.spawn().expect("the program starts");
    // Else the terminal stays open here and is never read to its end.
    drop(command);
    let mut shown = Vec::new();
    let mut watch = fs_err::File::from_parts(std::fs::File::from(watch), "terminal");
    let mut piece = [0; 4096];
    // Linux ends a terminal without writers with an error.
    while let Ok(n @ 1..) = watch.read(&mut piece) {
        shown.extend_from_slice(&piece[..n]);
    }
    (text(&shown), child.wait().expect("it ends").code())
}

fn scene(dir: &Path) {
    let scene = "(materials: { \"snow\": Snow(radius: 0.1) }, emitters: [(material: \"snow\", shape: Point(at: (0, 1, 0)), \
         rate: 50)], time: (frames: 5, frame_rate: 24))";
    fs_err::write(dir.join("good.ron"), scene).expect("a file");
    fs_err::write(dir.join("bad.ron"), scene.replace("frames", "frame_count")).expect("a file");
}

fn in_folder(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = partsim();
    command.current_dir(dir).args(args);
    command
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE")
        // On a CI machine a dumb terminal counts as one with colours.
        .env_remove("CI")
        .env("TERM", "xterm-256color");
    command.envs(variables.iter().copied());
    command
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let dir = tempfile::tempdir().expect("a folder");
    scene(dir.path());
    for args in [
        &["check", "bad.ron"][..],
        &["run", "bad.ron"],
        &["--help"],
        &["run", "--nonsense"],
    ] {
        let (plain, code) = at_terminal(in_folder(dir.path(), args, &[("NO_COLOR", "1")]));
        assert!(
            !plain.contains("\x1b[3") && !plain.contains("\x1b[1m"),
            "{plain:?}"
        );
        let (dumb, _) = at_terminal(in_folder(dir.path(), args, &[("TERM", "dumb")]));
        assert!(!dumb.contains('\x1b'), "{args:?}: {dumb:?}");
        let (shown, same) = at_terminal(in_folder(dir.path(), args, &[]));
        assert_eq!(code, same);
        assert!(
            shown.contains("\x1b["),
            "{args:?}: a terminal gets colours: {shown:?}"
        );
        let piped = in_folder(dir.path(), args, &[]).output().expect("it starts");
        assert!(
            !text(&piped.stdout).contains('\x1b') && !text(&piped.stderr).contains('\x1b'),
            "{args:?}"
        );
    }
}

#[test]
fn a_bar_is_for_terminals_that_can_draw_one() {
    let dir = tempfile::tempdir().expect("a folder");
    scene(dir.path());
    let (bar, code) = at_terminal(in_folder(dir.path(), &["run", "good.ron"], &[]));
    assert!(
        code == Some(0) && bar.contains('\r') && bar.contains("5 frames"),
        "{bar:?}"
    );
    let (dumb, code) = at_terminal(in_folder(dir.path(), &["run", "good.ron"], &[("TERM", "dumb")]));
    // The terminal itself adds a carriage return to every line end.
    assert!(
        code == Some(0) && !dumb.replace("\r\n", "\n").contains(['\r', '\x1b']),
        "{dumb:?}"
    );
    assert!(dumb.contains("done: 5 frames"), "{dumb:?}");
    let (never, code) = at_terminal(in_folder(
        dir.path(),
        &["run", "good.ron", "--progress", "never"],
        &[],
    ));
    assert!(
        code == Some(0) && !never.replace("\r\n", "\n").contains(['\r', '\x1b']),
        "{never:?}"
    );
}

#[test]
fn a_pipe_that_closes_early_is_no_failure_of_any_command() {
    let dir = tempfile::tempdir().expect("a folder");
    scene(dir.path());
    for args in [
        &["--help"][..],
        &["--version"],
        &["run", "--help"],
        &["run", "good.ron"],
        &["run", "good.ron", "--progress", "always"],
        &["check", "good.ron"],
        &["verify", "runs/good"],
        &["farm", "slurm", "good.ron"],
        &["completions", "bash"],
        &["man", "man"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = in_folder(dir.path(), args, &[]);
        command
            .stdin(Stdio::null())
            .stdout(writer.try_clone().expect("a copy"))
            .stderr(writer);
        let status = command.status().expect("it starts");
        assert_eq!(status.code(), Some(0), "{args:?}: {status}");
    }
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut bad = in_folder(dir.path(), &["check", "bad.ron"], &[]);
    assert_eq!(bad.stderr(writer).status().expect("it starts").code(), Some(1));
}

#[test]
fn a_full_device_behind_standard_output_is_file_trouble() {
    if !Path::new("/dev/full").exists() {
        return; // Only Linux has a device that is always full.
    }
    let dir = tempfile::tempdir().expect("a folder");
    scene(dir.path());
    let full = fs_err::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let mut check = in_folder(dir.path(), &["check", "good.ron"], &[]);
    let done = check
        .stdout(full.into_file())
        .stderr(Stdio::piped())
        .output()
        .expect("it starts");
    assert_eq!(done.status.code(), Some(3));
    assert!(
        text(&done.stderr).contains("cannot write to standard output"),
        "{}",
        text(&done.stderr)
    );
}

/// All commands and their subcommands, with the words that call them.
fn commands(of: &clap::Command, words: &[String], found: &mut Vec<(Vec<String>, clap::Command)>) {
    for sub in of.get_subcommands().filter(|s| s.get_name() != "help") {
        let words = [words, &[sub.get_name().to_owned()]].concat();
        commands(sub, &words, found);
        found.push((words, sub.clone()));
    }
}

#[test]
fn every_command_shows_examples_that_parse() {
    let mut found = Vec::new();
    commands(&Cli::command(), &[], &mut found);
    assert!(found.len() >= 9);
    for (words, command) in found {
        let help = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(help.contains("Examples:"), "{words:?} has no examples");
        for line in help.lines().filter_map(|l| l.trim().strip_prefix("partsim ")) {
            // The command ends where its remark begins.
            let line = line.split("   ").next().unwrap_or(line);
            let line = line
                .split(" > ")
                .next()
                .unwrap_or(line)
                .replace("\"$(partsim verify runs/film)\"", "1-3");
            let args = std::iter::once("partsim").chain(line.split_whitespace());
            if let Err(why) = <Cli as clap::Parser>::try_parse_from(args) {
                panic!("{line}: {why}");
            }
        }
        let shown = partsim().args(&words).arg("--help").output().expect("it starts");
        assert!(shown.status.success() && text(&shown.stdout).contains("Examples:"));
    }
}

#[test]
fn completions_know_every_command_and_option() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = partsim()
            .args(["completions", shell])
            .output()
            .expect("it starts");
        assert!(done.status.success(), "{shell}");
        let said = text(&done.stdout);
        for word in ["checkpoint-every", "verify", "slurm"] {
            assert!(said.contains(word), "{shell} does not know {word}");
        }
    }
    let wrong = partsim()
        .args(["completions", "tcsh"])
        .output()
        .expect("it starts");
    assert_eq!(wrong.status.code(), Some(2));
    // A real shell reads it.
    let script = partsim()
        .args(["completions", "bash"])
        .output()
        .expect("it starts")
        .stdout;
    let dir = tempfile::tempdir().expect("a folder");
    fs_err::write(dir.path().join("c"), script).expect("a file");
    let ask = "source ./c; COMP_WORDS=(partsim ver); COMP_CWORD=1; _partsim partsim ver partsim; echo ${COMPREPLY[@]}";
    let asked = Command::new("bash")
        .args(["--norc", "-c", ask])
        .current_dir(&dir)
        .output()
        .expect("bash");
    assert_eq!(text(&asked.stdout).trim(), "verify", "{}", text(&asked.stderr));
}

#[test]
fn manual_pages_are_there_for_every_command() {
    let dir = tempfile::tempdir().expect("a folder");
    let man = dir.path().join("man");
    let done = partsim().arg("man").arg(&man).output().expect("it starts");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let mut names: Vec<String> = (fs_err::read_dir(&man).expect("a folder"))
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut found = vec![(Vec::new(), Cli::command())];
    commands(&Cli::command(), &[], &mut found);
    let mut wanted: Vec<String> = found
        .iter()
        .map(|(w, _)| [&["partsim".to_owned()], &w[..]].concat().join("-") + ".1")
        .collect();
    wanted.sort();
    assert_eq!(names, wanted);
    let page = fs_err::read_to_string(man.join("partsim-run.1")).expect("a page");
    for word in [
        "\\-\\-resume",
        "Examples:",
        "partsim run cottage.ron",
        "partsim\\-run 1",
    ] {
        assert!(
            page.contains(word) || page.contains(&word.replace("\\-", "-")),
            "{word} is missing from\n{page}"
        );
    }
}
