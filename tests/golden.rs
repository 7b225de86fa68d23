//! Golden outputs: every shipped scene at a reduced count, its bytes pinned by hash, for several numbers of threads.
//!
//! `PARTSIM_BLESS=1 cargo test --test golden` writes the hashes anew; look at pictures before you do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use partsim::frame_range::FrameRange;
use partsim::progress::ProgressMode;
use partsim::run::{RunOptions, run_scene};
use partsim::scene::{self, Scene, Shape};
use partsim::write::manifest::Manifest;

/// Shipped scenes, and by how much their counts shrink along each side of a grid (or square root of a count).
const SCENES: [(&str, u32); 20] = [
    ("house_snow", 8),
    ("room_blobs", 2),
    ("grid_slime", 8),
    ("mud_splash", 4),
    ("house_snow_storm", 4),
    ("village_snow_deep", 12),
    ("funnel_snow", 3),
    ("wall_slime", 3),
    ("cart_mud", 4),
    ("grid_bounce", 2),
    ("grid_sphere_flow", 2),
    ("grid_shaft_flow", 2),
    ("grid_explosion", 2),
    ("cart_drive", 6),
    ("fan_snow", 3),
    ("flag_mud", 2),
    ("crates_fall", 4),
    ("volpar_concave", 4),
    ("jelly_drop", 3),
    ("columns_break", 4),
];

/// All keys with their meanings, to be read and not to be rendered.
const REFERENCE: &str = "reference";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn reduced(name: &str, by: u32) -> Scene {
    let mut scene =
        scene::load(&root().join("scenes").join(name).with_extension("ron")).expect("a shipped scene");
    for emitter in &mut scene.emitters {
        emitter.count /= u64::from(by * by);
        emitter.rate = emitter.rate.map(|r| r / f64::from(by * by));
        if let Shape::Grid { count, .. } = &mut emitter.shape {
            *count = count.map(|n| n / by);
        }
    }
    scene.time.frames = scene.time.frames.min(12);
    scene
}

/// Hashes of the frames and of the files they share, by name.
fn hashes(name: &str, by: u32, threads: usize, out: &Path) -> BTreeMap<String, String> {
    let options = RunOptions {
        scene: "unused.ron".into(),
        out: Some(out.into()),
        frames: None::<FrameRange>,
        threads: Some(threads),
        seed: None,
        collision: None,
        progress: ProgressMode::Never,
        stats: None,
        resume: false,
        checkpoint_every: f64::INFINITY,
        shard: None,
        preview: false,
    };
    run_scene(&options, reduced(name, by)).expect("a good run");
    let manifest = Manifest::read(out).expect("a good manifest");
    let frames = manifest
        .frames
        .iter()
        .map(|f| (format!("frame {}", f.number), f.file.blake3.clone()));
    let files = manifest
        .files
        .iter()
        .map(|(file, written)| (file.clone(), written.blake3.clone()));
    frames
        .chain(files)
        .map(|(what, hash)| (format!("{name} {what}"), hash[..32].to_string()))
        .collect()
}

fn pinned_file() -> PathBuf {
    root().join("tests/golden/hashes.txt")
}

fn pinned() -> BTreeMap<String, String> {
    let text = fs_err::read_to_string(pinned_file()).unwrap_or_default();
    let line = |l: &str| {
        l.rsplit_once(' ')
            .map(|(what, hash)| (what.to_string(), hash.to_string()))
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn t36_shipped_scenes_give_their_golden_bytes_for_any_number_of_threads() {
    let mut all = BTreeMap::new();
    for (name, by) in SCENES {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let one = hashes(name, by, 1, &dir.path().join("one"));
        for threads in [2, 3, 5, 8] {
            let other = hashes(name, by, threads, &dir.path().join(threads.to_string()));
            assert_eq!(other, one, "{name} with {threads} threads");
        }
        all.extend(one);
    }
    if std::env::var_os("PARTSIM_BLESS").is_some() {
        let text: String = all
            .iter()
            .map(|(what, hash)| format!("{what} {hash}\n"))
            .collect();
        fs_err::create_dir_all(root().join("tests/golden")).expect("a folder");
        fs_err::write(pinned_file(), text).expect("the golden file");
        return;
    }
    let golden = pinned();
    assert!(!golden.is_empty(), "tests/golden/hashes.txt is missing");
    for (what, hash) in &all {
        assert_eq!(golden.get(what), Some(hash), "{what} is not as pinned");
    }
    assert_eq!(golden.len(), all.len(), "pinned frames that no scene gives");
}

#[test]
fn no_shipped_scene_is_left_out() {
    let files = fs_err::read_dir(root().join("scenes")).expect("scenes");
    let stems = files.map(|file| {
        file.expect("a scene")
            .path()
            .file_stem()
            .expect("a name")
            .to_owned()
    });
    let left_out =
        |stem: &std::ffi::OsString| stem != REFERENCE && SCENES.iter().all(|(name, _)| stem != name);
    assert_eq!(
        stems.filter(left_out).collect::<Vec<_>>(),
        Vec::<std::ffi::OsString>::new()
    );
}

#[test]
fn the_portable_lanes_give_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let scene = root().join("scenes/mud_splash.ron");
    let run = |out: &str, portable: bool| {
        let mut command = assert_cmd::Command::cargo_bin("partsim").expect("the program");
        command
            .args(["run", "--frames", "3", "--out"])
            .arg(dir.path().join(out))
            .arg(&scene);
        if portable {
            command.env("PARTSIM_LANES", "portable");
        }
        command.assert().success();
        Manifest::read(&dir.path().join(out)).expect("a manifest").frames
    };
    assert_eq!(run("fast", false), run("portable", true));
}

/// T15: reading and writing never depend on the locale; T36 once more through the program itself.
#[test]
fn t15_a_comma_locale_and_another_working_folder_change_no_byte() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let scene = root().join("scenes/room_blobs.ron");
    let run = |out: &str, from: &Path, path: &Path, locale: &str, threads: &str| {
        let mut command = assert_cmd::Command::cargo_bin("partsim").expect("the program");
        command
            .current_dir(from)
            .env("LC_ALL", locale)
            .args(["run", "--threads", threads, "--out"]);
        command.arg(dir.path().join(out)).arg(path).assert().success();
        let bytes = |name: &str| fs_err::read(dir.path().join(out).join(name)).expect("a file of the run");
        ["manifest.json", "common.inc", "mesh.inc", "frame_000001.pov"].map(bytes)
    };
    let here = run("a", &root(), Path::new("scenes/room_blobs.ron"), "C", "1");
    assert!(
        here == run("b", dir.path(), &scene, "de_DE.UTF-8", "2"),
        "another folder, locale and thread count"
    );
}
