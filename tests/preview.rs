//! The preview against POV-Ray: what stands where in the picture; and the command as its users meet it.

#![allow(clippy::print_stdout, reason = "what was measured, for `--nocapture`")]

mod pov_kit;

use std::path::{Path, PathBuf};
use std::process::Command;

use partsim::frame_range::FrameRange;
use partsim::preview::{Seen, Shot, Size, Stage};
use partsim::progress::ProgressMode;
use partsim::run::{RunOptions, run_scene};
use partsim::scene::{self, Scene, Shape};
use pov_kit::{picture, put};

/// Shipped scenes, by how much their counts shrink along each side of a grid, and which frame is looked at.
const SCENES: [(&str, u32, u32); 9] = [
    ("house_snow", 1, 1),
    ("room_blobs", 1, 1),
    ("grid_slime", 1, 1),
    ("mud_splash", 1, 20),
    ("house_snow_storm", 4, 20),
    ("village_snow_deep", 8, 12),
    ("funnel_snow", 2, 20),
    ("wall_slime", 3, 12),
    ("cart_mud", 3, 16),
];
/// Share of pixels that may show something else.
const MOST_OTHER: f64 = 0.005;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn reduced(name: &str, by: u32) -> Scene {
    let path = root().join("scenes").join(name).with_extension("ron");
    let mut scene = scene::load(&path).expect("a shipped scene");
    for emitter in &mut scene.emitters {
        emitter.count /= u64::from(by * by);
        emitter.rate = emitter.rate.map(|r| r / f64::from(by * by));
        if let Shape::Grid { count, .. } = &mut emitter.shape {
            *count = count.map(|n| n / by);
        }
    }
    scene.limits.audit = false;
    scene
}

/// Runs a scene up to a frame and writes that one.
fn run(mut scene: Scene, number: u32, out: &Path, threads: Option<usize>) {
    scene.time.frames = number;
    let options = RunOptions {
        scene: "unused.ron".into(),
        out: Some(out.into()),
        frames: Some(FrameRange::up_to(number).without(&FrameRange::up_to(number - 1))),
        threads,
        shard: None,
        seed: None,
        collision: None,
        progress: ProgressMode::Never,
        stats: None,
        resume: false,
        checkpoint_every: f64::INFINITY,
        preview: false,
    };
    run_scene(&options, scene).expect("a good run");
}

fn shot(dir: &Path, number: u32, size: Size) -> Shot {
    let path = dir.join(format!("frame_{number:06}.pov"));
    let text = fs_err::read(&path).expect("a frame");
    Stage::read(dir)
        .expect("a run folder")
        .shoot(&path, &text, size)
        .expect("a preview")
}

/// A copy of a frame and its include files in which particles are red, scenery green and all else black.
fn flatten(from: &Path, number: u32, to: &Path) {
    let read = |name: &str| fs_err::read_to_string(from.join(name)).expect("a file of the run");
    let flat =
        |color: &str| format!("texture{{pigment{{rgb {color}}} finish{{ambient 0 diffuse 0 emission 1}}}}");
    let common = read("common.inc");
    let start = common.find("camera{").expect("a camera");
    let end = start + common[start..].find('}').expect("its end") + 1;
    let mut text = format!(
        "#version 3.7;\nglobal_settings{{assumed_gamma 1}}\n{}\n",
        &common[start..end]
    );
    for line in common.lines() {
        let Some((stem, _)) = line
            .strip_prefix("#declare ")
            .and_then(|l| l.split_once("_Threshold"))
        else {
            continue;
        };
        let red = flat("<1,0,0>");
        text += &format!(
            "{line}\n#declare {stem}_Settled = material{{{red}}}\n#declare {stem}_Flying = material{{{red}}}\n"
        );
    }
    put(to, "common.inc", text.as_bytes());
    let mesh: String = read("mesh.inc")
        .lines()
        .map(|line| if line.starts_with("texture{") { flat("<0,1,0>") } else { line.into() } + "\n")
        .collect();
    put(to, "mesh.inc", mesh.as_bytes());
    put(
        to,
        "frame.pov",
        read(&format!("frame_{number:06}.pov")).as_bytes(),
    );
}

fn class_of(seen: Seen) -> [u8; 2] {
    match seen {
        Seen::Sky | Seen::Ground => [0, 0],
        Seen::Scenery(_) => [0, 255],
        Seen::Particles { .. } => [255, 0],
    }
}

#[test]
fn previews_show_what_povray_shows_where_it_shows_it() {
    let mut faults = Vec::new();
    for (name, by, number) in SCENES {
        let dir = tempfile::tempdir().expect("a folder");
        run(reduced(name, by), number, dir.path(), None);
        let flat = tempfile::tempdir().expect("a folder");
        flatten(dir.path(), number, flat.path());
        let theirs = picture(flat.path(), "frame.pov");
        let ours = shot(
            dir.path(),
            number,
            Size {
                width: 320,
                height: 240,
            },
        );
        let pairs = theirs.iter().zip(&ours.seen);
        let other = pairs
            .clone()
            .filter(|(p, seen)| [p[0], p[1]] != class_of(**seen))
            .count();
        let particles = pairs.filter(|(p, _)| p[0] == 255).count();
        assert!(particles > 200, "{name}: only {particles} pixels of particles");
        let share = other as f64 / ours.seen.len() as f64;
        println!(
            "{name}: {other} pixels differ, {:.3} %, of {particles} with particles",
            100.0 * share
        );
        if share > MOST_OTHER {
            faults.push(format!("{name}: {other} pixels differ, {:.3} %", 100.0 * share));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_preview_does_not_depend_on_threads() {
    let dir = tempfile::tempdir().expect("a folder");
    run(reduced("mud_splash", 2), 10, dir.path(), None);
    let size = Size {
        width: 203,
        height: 101,
    };
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .expect("threads");
        pool.install(|| shot(dir.path(), 10, size))
    };
    let one = with(1);
    assert!(one == with(3));
    assert_eq!(one.picture.pixels.len(), 203 * 101);
}

fn partsim(args: &[&str]) -> std::process::Output {
    let program = assert_cmd::cargo::cargo_bin!("partsim");
    Command::new(program)
        .args(args)
        .output()
        .expect("the program starts")
}

fn small_scene(dir: &Path, output: &str) -> PathBuf {
    put(
        dir,
        "floor.obj",
        b"v -5 0 -5\nv 5 0 -5\nv 5 0 5\nv -5 0 5\nf 4 3 2 1\n",
    );
    let text = format!(
        r#"(
    meshes: [(file: "floor.obj")],
    materials: {{ "snow": Snow(radius: 0.05) }},
    emitters: [(material: "snow", shape: Disc(center: (0, 2, 0), normal: (0, 1, 0), radius: 1), rate: 200, velocity: (0, -1, 0))],
    time: (frames: 24, frame_rate: 24),
    output: ({output}),
)"#
    );
    put(dir, "small.ron", text.as_bytes());
    dir.join("small.ron")
}

#[test]
fn a_scene_and_its_run_folder_have_the_same_preview() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = small_scene(dir.path(), "");
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let scene = scene.to_string_lossy();
    let done = partsim(&[
        "run",
        &scene,
        "--out",
        &at("run"),
        "--frames",
        "9-20",
        "--preview",
    ]);
    assert!(done.status.success(), "{done:?}");
    let of_scene = partsim(&["preview", &scene, "--frame", "12", "--out", &at("a.png")]);
    assert!(of_scene.status.success(), "{of_scene:?}");
    let read = |name: &str| fs_err::read(at(name)).expect("a picture");
    assert_eq!(read("a.png"), read("run/preview/frame_000012.png"));
    let of_folder = partsim(&["preview", &at("run"), "--size", "80x45"]);
    assert!(of_folder.status.success(), "{of_folder:?}");
    assert_eq!(
        String::from_utf8_lossy(&of_folder.stdout).trim(),
        at("run/preview/frame_000020.png")
    );
    let picture = partsim::picture::Picture::read_png(&dir.path().join("run/preview/frame_000020.png"));
    assert_eq!(picture.map(|p| (p.width, p.height)).expect("a picture"), (80, 45));
}

#[test]
fn what_cannot_be_previewed_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = small_scene(dir.path(), "");
    let scene = scene.to_string_lossy();
    let out = dir.path().join("run");
    let folder = out.to_string_lossy().into_owned();
    let says = |args: &[&str], code: i32, part: &str| {
        let done = partsim(args);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            done.status.code() == Some(code) && said.contains(part),
            "{args:?}: {:?} {said}",
            done.status
        );
    };
    says(&["preview", &scene, "--frame", "25"], 2, "frames 1 to 24");
    says(&["preview", &scene, "--size", "0x5"], 2, "640x360");
    says(&["preview", &scene, "--out", "a.jpg"], 2, ".png");
    says(&["preview", &folder], 3, "run");
    assert!(
        partsim(&["run", &scene, "--out", &folder, "--frames", "3"])
            .status
            .success()
    );
    says(&["preview", &folder, "--frame", "4"], 2, "holds frames 3");
    let common = fs_err::read_to_string(out.join("common.inc")).expect("a file");
    put(
        &out,
        "common.inc",
        common.replace("camera{", "kamera{").as_bytes(),
    );
    says(&["preview", &folder], 3, "camera");
    put(
        &out,
        "common.inc",
        common.replace("up y", "up y sky x").as_bytes(),
    );
    says(&["preview", &folder], 0, "`sky` is not known");
    put(&out, "frame_000003.pov", b"blob{\nsphere{<1,2,");
    says(&["preview", &folder], 3, "frame_000003.pov:2");
}
