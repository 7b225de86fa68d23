//! The shipped scenes as whole jobs: `cargo bench --bench scenes` prints the README's tables.
//!
//! Runs the program itself, five times a scene, and takes medians; the seconds are those of its own `--stats`. Then ten
//! million flakes on the house, three times, and the room in its three modes, with the counts of the closing report.

use std::path::{Path, PathBuf};
use std::process::Command;

use partsim::frame_range::FrameRange;
use partsim::progress::ProgressMode;
use partsim::run::{RunOptions, run_scene};
use partsim::scene::{self, Collision};

const RUNS: usize = 5;
const SCENES: [(&str, &str); 4] = [
    ("room_blobs", "1"),
    ("grid_slime", "1"),
    ("house_snow", "1"),
    ("mud_splash", "1-48"),
];

fn scene_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes")
        .join(name)
        .with_extension("ron")
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
fn row(text: &str) {
    println!("{text}");
}

fn main() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    row("| scene | particles | frames | load s | simulate s | write s | whole s | peak memory MB |");
    row("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, frames) in SCENES {
        whole_job(name, frames, &scene_path(name), RUNS, dir.path());
    }
    let flakes = ten_million_flakes(dir.path());
    whole_job("house_snow of ten million", "1", &flakes, 3, dir.path());
    row("");
    row(
        "| mode | balls cut by > 1 % of r | by > 50 % | deepest cut, r | passed where the ball does not fit |",
    );
    row("| --- | --- | --- | --- | --- |");
    for (mode, label) in [
        (Collision::Exact, "exact"),
        (Collision::Karabassi, "karabassi"),
        (Collision::Ray, "ray"),
    ] {
        room(mode, label, dir.path());
    }
}

/// The house under ten million flakes, as small as they are many.
fn ten_million_flakes(dir: &Path) -> PathBuf {
    let mut text = fs_err::read_to_string(scene_path("house_snow")).expect("a shipped scene");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for (was, is) in [
        ("../assets", &*assets.display().to_string().replace('\\', "/")),
        ("count: (480, 320)", "count: (4000, 2500)"),
        ("radius: 0.032", "radius: 0.00395"),
    ] {
        assert!(text.contains(was), "{was}");
        text = text.replace(was, is);
    }
    let path = dir.join("ten_million.ron");
    fs_err::write(&path, text).expect("room for a scene");
    path
}

/// One line of the first table.
fn whole_job(name: &str, frames: &str, scene: &Path, runs: usize, dir: &Path) {
    let stats = dir.join("stats.jsonl");
    let runs: Vec<[f64; 5]> = (0..runs)
        .map(|_| {
            let started = std::time::Instant::now();
            let done = Command::new(env!("CARGO_BIN_EXE_partsim"))
                .args(["run", "--progress", "never", "--frames", frames, "--stats"])
                .arg(&stats)
                .arg("--out")
                .arg(dir.join(name))
                .arg(scene)
                .output()
                .expect("the program starts");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            let whole = started.elapsed().as_secs_f64();
            let text = fs_err::read_to_string(&stats).expect("statistics");
            let last: serde_json::Value =
                serde_json::from_str(text.lines().last().expect("a frame")).expect("JSON");
            let number = |key: &str| last[key].as_f64().expect("a number");
            [
                number("load_s"),
                number("simulate_s"),
                number("write_s"),
                whole,
                number("peak_bytes") / 1e6,
            ]
        })
        .collect();
    let median = |column: usize| {
        let mut values: Vec<f64> = runs.iter().map(|r| r[column]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let text = fs_err::read_to_string(&stats).expect("statistics");
    let last: serde_json::Value = serde_json::from_str(text.lines().last().expect("a frame")).expect("JSON");
    row(&format!(
        "| {name} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.0} |",
        last["frame"]["born"],
        text.lines().count(),
        median(0),
        median(1),
        median(2),
        median(3),
        median(4)
    ));
}

/// One line of the second table.
fn room(mode: Collision, label: &str, dir: &Path) {
    let mut scene = scene::load(&scene_path("room_blobs")).expect("a shipped scene");
    scene.collision = mode;
    let options = RunOptions {
        scene: scene.path.clone(),
        out: Some(dir.join(label)),
        frames: None::<FrameRange>,
        threads: None,
        seed: None,
        collision: None,
        progress: ProgressMode::Never,
        stats: None,
        resume: false,
        checkpoint_every: f64::INFINITY,
        shard: None,
        preview: false,
    };
    let summary = run_scene(&options, scene).expect("a good run");
    let cuts = summary.cuts.expect("the audit is on");
    let share = |n: u64| 100.0 * n as f64 / cuts.particles as f64;
    row(&format!(
        "| {label} | {:.1} % | {:.1} % | {:.2} | {} |",
        share(cuts.over_1_percent),
        share(cuts.over_50_percent),
        cuts.deepest.max(0.0),
        summary.ends.tally.squeezed
    ));
}
