//! All benches, one after the other, as one page of Markdown: `cargo bench --bench all`.
//!
//! With `-- --write` the page replaces `docs/performance.md`, and its short form the part of the README between the
//! two marks. Names after `--` pick benches.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A bench, what it shows, and how many of its tables the README has.
const BENCHES: [(&str, &str, usize); 15] = [
    (
        "scenes",
        "Whole jobs, through the program itself: medians of five (of three for ten million). Writing overlaps with simulating; the whole holds \
         program start and the closing audit.",
        1,
    ),
    (
        "step",
        "Steps of a million particles over a bumpy ball of 101,000 triangles, rebounding: all around it, and all within \
         a few radii of its surface.",
        1,
    ),
    (
        "cover",
        "A covering 25 layers deep, rained into a tub at 24 steps a second until everything lies still.",
        1,
    ),
    (
        "peers",
        "First touches, one thread, against parry3d 0.31 (`f32`, lengths times 100, or its tolerances make it wrong).",
        1,
    ),
    (
        "scale",
        "Growth with the number of particles and of triangles, one thread.",
        0,
    ),
    (
        "narrow",
        "Pairs of a moving ball and a triangle: Table 1 of Karabassi, Papaioannou & Theoharis (1999).",
        0,
    ),
    ("sweep", "First touches of whole sets.", 0),
    ("build", "Building the tree.", 0),
    (
        "load",
        "Reading a mesh of a million triangles from memory, and the limits: `tobj` alone, and a copy of the bytes.",
        0,
    ),
    ("write", "Frames to text, in memory.", 0),
    (
        "grid",
        "Distance/normal grids: Table 1 of Ilmonen, Takala & Laitinen (2006) on the same kind of work, and the growth of building.",
        0,
    ),
    ("tri_tri", "Pairs of triangles: do they meet?", 0),
    ("inspect", "Finding the faces of a mesh that meet.", 0),
    (
        "bodies",
        "Rigid bodies of 512 particles that fall on each other.",
        0,
    ),
    ("preview", "Pictures without POV-Ray.", 0),
];
const MARKS: [&str; 2] = ["<!-- measured: -->", "<!-- :measured -->"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let write = arguments.iter().any(|a| a == "--write");
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let head = head();
    let (mut long, mut short) = (format!("# Performance\n\n{head}\n"), format!("{head}\n"));
    for (name, shows, tables) in BENCHES {
        let exists = root.join("benches").join(name).with_extension("rs").exists();
        if !exists || !wanted.is_empty() && !wanted.iter().any(|w| *w == name) {
            continue;
        }
        let found = output(name);
        long += &format!("\n## {name}\n\n{shows}\n\n{}\n", fenced(&found));
        let some: Vec<&str> = found.split("\n\n").take(tables).collect();
        if !some.is_empty() {
            short += &format!("\n{shows}\n\n{}\n", some.join("\n\n"));
        }
    }
    if !write {
        println!("{long}");
        return;
    }
    let save = |path: &Path, text: &str| {
        partsim::write::atomic::write_file(path, |out| out.write_all(text.as_bytes()))
            .expect("a writable folder");
    };
    save(&root.join("docs/performance.md"), &long);
    let readme = root.join("README.md");
    let text = fs_err::read_to_string(&readme).expect("a README");
    let [before, after] = MARKS;
    let (start, rest) = text.split_once(before).expect("the first mark");
    let (_, end) = rest.split_once(after).expect("the second mark");
    save(&readme, &format!("{start}{before}\n{short}\n{after}{end}"));
}

/// What one bench prints.
fn output(name: &str) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo)
        .args(["bench", "--quiet", "--bench", name])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo starts");
    assert!(done.status.success(), "{name} failed");
    String::from_utf8_lossy(&done.stdout).trim().to_string()
}

/// Lines that are no tables keep their form.
fn fenced(text: &str) -> String {
    if text.starts_with('|') {
        text.to_string()
    } else {
        format!("```text\n{text}\n```")
    }
}

/// Machine, version and day.
fn head() -> String {
    let cpu = fs_err::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let busy = match busy_share() {
        Some(share) if share > 0.05 => format!(
            "\n\nOthers had {:.0} % of the machine at the start: wall times say little.",
            100.0 * share
        ),
        _ => String::new(),
    };
    format!(
        "Measured on {} {} ({}), version {}, {}, by `cargo bench --bench all -- --write`.{busy}",
        std::thread::available_parallelism().map_or(1, usize::from),
        "cores",
        model.map_or("unknown processor", |(_, name)| name),
        said("git", &["rev-parse", "--short", "HEAD"]),
        said("date", &["-u", "+%F"]),
    )
}

/// Share of the processors that others use, where the system tells.
fn busy_share() -> Option<f64> {
    let before = ticks()?;
    std::thread::sleep(Duration::from_secs(1));
    let [all, idle] = ticks()?;
    Some(1.0 - (idle - before[1]) / (all - before[0]).max(1.0))
}

/// All ticks of the processors' clocks since the start, and those without work.
fn ticks() -> Option<[f64; 2]> {
    let text = fs_err::read_to_string("/proc/stat").ok()?;
    let numbers = text.lines().next()?.strip_prefix("cpu ")?;
    let numbers: Vec<f64> = numbers
        .split_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect();
    // user, nice, system, idle, waiting for a disk, ...
    Some([numbers.iter().sum(), numbers.get(3)? + numbers.get(4)?])
}

fn said(program: &str, arguments: &[&str]) -> String {
    let done = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    done.map_or_else(
        |_| "unknown".into(),
        |done| String::from_utf8_lossy(&done.stdout).trim().to_string(),
    )
}
