//! `diff` and `verify` on small run folders made by hand.

use std::path::{Path, PathBuf};

use partsim::compare::{PictureTolerance, Report, diff, diff_pictures, verify};
use partsim::picture::Picture;
use partsim::write::atomic::{Written, write_file};
use partsim::write::manifest::{FrameEntry, Input, Manifest, Settings, frame_file_name};

/// A frame like the program's own: a tile with a halo copy, and a flake in the air.
const FRAME: &str = "#include \"common.inc\"
#declare R = 0.0612;
blob{threshold 0.5
sphere{<0.5,1,2>,R,1}//1
sphere{<1.5,1,2>,R,1}//2
sphere{<2.5,1,2>,R,1}//4*
}
sphere{<3.5,9,2>,0.03}//3
blob{threshold 0.5
sphere{<2.5,1,2>,R,1}//4
}
";

fn save(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    write_file(&path, |out| out.write_all(text.as_bytes())).expect("written");
    path
}

fn diff_texts(a: &str, b: &str, abs: f64, rel: f64) -> Report {
    let dir = tempfile::tempdir().expect("temporary folder");
    let (a, b) = (save(dir.path(), "a.pov", a), save(dir.path(), "b.pov", b));
    diff(&a, &b, abs, rel).expect("readable frames")
}

#[test]
fn identical_bytes_are_the_same() {
    let report = diff_texts(FRAME, FRAME, 0.0, 0.0);
    assert!(report.same());
    assert_eq!(report.to_string(), "same: 1 of 1 frame identical byte for byte\n");
}

#[test]
fn t38_a_coordinate_off_by_a_billionth_passes_the_tolerance_and_is_still_reported() {
    let other = FRAME.replace("<1.5,1,2>", "<1.5,1.000000001,2>");
    assert!(!diff_texts(FRAME, &other, 0.0, 0.0).same());
    let report = diff_texts(FRAME, &other, 1e-6, 0.0);
    assert!(report.same());
    let largest = report.largest.expect("largest difference");
    assert_eq!((largest.place.particle, largest.what), (2, "y"));
    assert!((largest.size.expect("a number") - 1e-9).abs() < 1e-15);
    assert!(diff_texts(FRAME, &other, 0.0, 1e-8).same());
    assert!(!diff_texts(FRAME, &other, 0.0, 1e-10).same());
}

#[test]
fn t38_a_coordinate_off_by_a_thousandth_is_a_difference_with_its_place() {
    let other = FRAME
        .replace("<1.5,1,2>", "<1.5,1.001,2>")
        .replace("<3.5,9,2>", "<3.5,9.5,2>");
    let report = diff_texts(FRAME, &other, 1e-6, 0.0);
    assert!(!report.same());
    assert_eq!(report.differing, 2);
    let text = report.to_string();
    assert!(
        text.contains("first difference: a.pov particle 2: y 1 / 1.001 (by 1.000e-3)"),
        "{text}"
    );
    assert!(
        text.contains("largest difference: a.pov particle 3: y 9 / 9.5 (by 5.000e-1)"),
        "{text}"
    );
}

#[test]
fn t38_a_removed_particle_is_counted_and_named() {
    let other = FRAME.replace("sphere{<1.5,1,2>,R,1}//2\n", "");
    let report = diff_texts(FRAME, &other, 1.0, 1.0);
    assert!(!report.same());
    assert_eq!(
        (report.only_a.count, report.only_b.count, report.reordered.count),
        (1, 0, 0)
    );
    assert_eq!(report.only_a.first.as_ref().map(|p| p.particle), Some(2));
    assert_eq!(report.first, None);
    let swapped = diff_texts(&other, FRAME, 1.0, 1.0);
    assert_eq!((swapped.only_a.count, swapped.only_b.count), (0, 1));
}

#[test]
fn t38_a_removed_copy_or_a_second_one_is_a_difference() {
    let copy = "sphere{<2.5,1,2>,R,1}//4*\n";
    let report = diff_texts(FRAME, &FRAME.replace(copy, ""), 1.0, 1.0);
    assert_eq!(report.only_a.count, 1);
    assert!(report.only_a.first.expect("place").copy);
    let report = diff_texts(FRAME, &FRAME.replace(copy, &copy.repeat(2)), 1.0, 1.0);
    assert_eq!((report.only_a.count, report.only_b.count), (0, 1));
}

#[test]
fn t39_reordered_particles_are_a_difference_at_any_tolerance() {
    let (one, two) = ("sphere{<0.5,1,2>,R,1}//1\n", "sphere{<1.5,1,2>,R,1}//2\n");
    let other = FRAME.replace(&format!("{one}{two}"), &format!("{two}{one}"));
    assert_ne!(FRAME, other);
    let report = diff_texts(FRAME, &other, 1.0, 1.0);
    assert!(!report.same());
    assert_eq!(report.reordered.count, 1);
    assert_eq!(
        (report.first, report.largest, report.structure),
        (None, None, None)
    );
}

#[test]
fn a_settled_particle_that_flies_in_the_other_frame_is_a_difference() {
    let other = FRAME.replace("<0.5,1,2>,R,1}", "<0.5,1,2>,R}");
    let text = diff_texts(FRAME, &other, 1.0, 1.0).to_string();
    assert!(
        text.contains("particle 1: drawn in a blob / in the air"),
        "{text}"
    );
}

#[test]
fn a_sphere_that_moves_to_another_tile_is_a_difference() {
    // The order of the spheres stays.
    let copy = "sphere{<2.5,1,2>,R,1}//4*\n";
    let other = FRAME.replace(&format!("{copy}}}\n"), &format!("}}\n{copy}"));
    assert_ne!(FRAME, other);
    let text = diff_texts(FRAME, &other, 1.0, 1.0).to_string();
    assert!(
        text.contains("particle 4 (copy): stands after 3 other lines / after 4 other lines"),
        "{text}"
    );
}

#[test]
fn other_lines_are_compared_too() {
    let other = FRAME.replace("0.0612", "0.0613");
    let text = diff_texts(FRAME, &other, 1e-6, 0.0).to_string();
    assert!(
        text.contains("a.pov: line 2 `#declare R = 0.0612;` / line 2 `#declare R = 0.0613;`"),
        "{text}"
    );
    assert!(diff_texts(FRAME, &other, 1e-3, 0.0).same());
}

#[test]
fn a_frame_that_is_cut_off_is_an_error_with_file_and_line() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let whole = save(dir.path(), "whole.pov", FRAME);
    for (cut, line) in [(FRAME.len() - 2, 10), (FRAME.len() - 20, 10), (0, 1)] {
        let cut = save(dir.path(), "cut.pov", &FRAME[..cut]);
        let error = diff(&whole, &cut, 1.0, 1.0).expect_err("cut off");
        assert_eq!(error.exit_code(), 3);
        assert!(
            error.to_string().contains(&format!("cut.pov:{line}: ")),
            "{error}"
        );
    }
    let missing = diff(&whole, &dir.path().join("none.pov"), 0.0, 0.0).expect_err("missing");
    assert!(
        missing.exit_code() == 3 && missing.to_string().contains("none.pov"),
        "{missing}"
    );
    let mixed = diff(&whole, dir.path(), 0.0, 0.0).expect_err("a file and a folder");
    assert_eq!(mixed.exit_code(), 2);
}

/// A run folder of `frames` planned frames, of which those in `written` exist.
fn run_folder(dir: &Path, seed: u64, frames: u32, written: &[u32]) {
    fs_err::create_dir_all(dir).expect("folder");
    let settings = Settings {
        collision: "exact".into(),
        seed,
        frames,
        frame_rate: 25.0,
        steps_per_frame: 1,
    };
    let mut manifest = Manifest::new(Input::new("", Path::new("snow.ron"), b"()"), Vec::new(), settings);
    for &number in written {
        let text = FRAME.replace("<0.5,", &format!("<0.{number},"));
        let path = dir.join(frame_file_name(number));
        let file = write_file(&path, |out| out.write_all(text.as_bytes())).expect("written");
        manifest.record(FrameEntry {
            number,
            file,
            ..FrameEntry::default()
        });
    }
    manifest.write(dir).expect("written");
}

#[test]
fn folders_name_the_frames_that_one_lacks_and_the_settings_that_differ() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    run_folder(&a, 1, 9, &[1, 2, 3, 4, 5]);
    run_folder(&b, 2, 9, &[2, 3, 9]);
    save(&b, "frame_000003.pov", &FRAME.replace("<0.5,", "<0.75,"));
    let text = diff(&a, &b, 0.0, 0.0).expect("readable folders").to_string();
    for part in [
        "different: 1 of 2 frames identical",
        "manifest: seed: 1 / 2",
        "frames only in A: 1,4-5",
        "frames only in B: 9",
        "first difference: frame_000003.pov particle 1: x 0.3 / 0.75",
    ] {
        assert!(text.contains(part), "{text}");
    }
    fs_err::remove_file(a.join("manifest.json")).expect("removed");
    let text = diff(&a, &b, 0.0, 0.0).expect("readable folders").to_string();
    assert!(text.contains("manifest: only B has a manifest"), "{text}");
}

#[test]
fn verify_tells_missing_short_and_stale_frames_apart() {
    let dir = tempfile::tempdir().expect("temporary folder");
    run_folder(dir.path(), 1, 9, &[1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        verify(dir.path()).expect("a run folder").to_redo().to_string(),
        "8-9"
    );
    save(dir.path(), &frame_file_name(2), &FRAME[..FRAME.len() - 30]);
    save(dir.path(), &frame_file_name(4), &FRAME.replace("<0.5,", "<0.9,"));
    save(dir.path(), &frame_file_name(8), FRAME);
    save(dir.path(), &frame_file_name(12), FRAME);
    fs_err::remove_file(dir.path().join(frame_file_name(5))).expect("removed");
    let found = verify(dir.path()).expect("a run folder");
    assert_eq!(found.missing.to_string(), "5,9");
    assert_eq!(found.short.to_string(), "2");
    assert_eq!(found.stale.to_string(), "4,8");
    assert_eq!(found.surplus.to_string(), "12");
    assert_eq!(found.to_redo().to_string(), "2,4-5,8-9");
    assert!(!found.is_complete());
}

#[test]
fn verify_accepts_edited_shared_files_and_misses_absent_ones() {
    let dir = tempfile::tempdir().expect("temporary folder");
    run_folder(dir.path(), 1, 2, &[1, 2]);
    let mut manifest = Manifest::read(dir.path()).expect("read");
    let path = save(dir.path(), "common.inc", "camera{}");
    manifest
        .files
        .insert("common.inc".into(), Written::of(b"light_source{}"));
    manifest.write(dir.path()).expect("written");
    assert!(verify(dir.path()).expect("a run folder").is_complete());
    fs_err::remove_file(path).expect("removed");
    let found = verify(dir.path()).expect("a run folder");
    assert_eq!(found.missing_files, ["common.inc"]);
    assert!(!found.is_complete());
}

fn picture(dir: &Path, name: &str, change: &[([u32; 2], [u8; 4])]) -> PathBuf {
    let mut picture = Picture {
        width: 20,
        height: 10,
        pixels: vec![[100, 110, 120, 255]; 200],
    };
    for ([x, y], color) in change {
        picture.pixels[(y * 20 + x) as usize] = *color;
    }
    let path = dir.join(name);
    write_file(&path, |out| picture.print_png(out)).expect("written");
    path
}

#[test]
fn pictures_differ_by_count_and_worst_pixel_and_the_tolerance_decides() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let a = picture(dir.path(), "a.png", &[]);
    let off = [
        ([3, 2], [102, 110, 120, 255]),
        ([5, 7], [100, 90, 120, 255]),
        ([6, 7], [100, 110, 120, 250]),
    ];
    let b = picture(dir.path(), "b.png", &off);
    let with = |pixel, share| diff_pictures(&a, &b, PictureTolerance { pixel, share }).expect("pictures");
    assert!(
        diff_pictures(&a, &a, PictureTolerance::default())
            .expect("pictures")
            .same()
    );
    let exact = with(0, 0.0);
    assert!(!exact.same());
    assert_eq!(
        exact.to_string(),
        "different: 0 of 1 picture identical pixel for pixel\na.png: 3 of 200 pixels differ beyond the tolerance \
         (1.500 %); worst at column 5, row 7: [100, 110, 120, 255] / [100, 90, 120, 255] (by 20)\n"
    );
    assert!(!with(19, 0.0).same());
    assert!(with(20, 0.0).same());
    assert!(with(4, 0.01).same() && !with(4, 0.009).same());
    let wide = dir.path().join("wide.png");
    let picture = Picture {
        width: 10,
        height: 20,
        pixels: vec![[100, 110, 120, 255]; 200],
    };
    write_file(&wide, |out| picture.print_png(out)).expect("written");
    let report = diff_pictures(
        &a,
        &wide,
        PictureTolerance {
            pixel: 255,
            share: 1.0,
        },
    )
    .expect("pictures");
    assert!(
        !report.same() && report.to_string().contains("20 x 10 pixels / 10 x 20"),
        "{report}"
    );
}

#[test]
fn folders_of_pictures_are_compared_by_name() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let folder = |name: &str| {
        let path = dir.path().join(name);
        fs_err::create_dir_all(path.join("img")).expect("a folder");
        path
    };
    let (a, b) = (folder("a"), folder("b"));
    for side in [&a, &b] {
        save(side, "frame_000001.pov", FRAME);
        picture(&side.join("img"), "frame_000001.png", &[]);
    }
    let partsim = |more: &[&str]| {
        let program = assert_cmd::cargo::cargo_bin!("partsim");
        let done = std::process::Command::new(program)
            .arg("diff")
            .args([&a, &b])
            .args(more)
            .output()
            .expect("starts");
        (
            done.status.code(),
            String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned(),
        )
    };
    assert_eq!(
        partsim(&["--pixel", "0"]),
        (Some(0), "same: 1 of 1 picture identical pixel for pixel\n".into())
    );
    picture(
        &b.join("img"),
        "frame_000001.png",
        &[([1, 1], [0, 110, 120, 255])],
    );
    picture(&b.join("img"), "frame_000002.png", &[]);
    let (code, said) = partsim(&["--pixel", "3", "--share", "0.001"]);
    assert!(
        code == Some(1) && said.contains("only in B: frame_000002.png") && said.contains("row 1"),
        "{said}"
    );
    // Without a word about pictures the frames count.
    assert_eq!(partsim(&[]).0, Some(0));
    assert_eq!(partsim(&["--share", "2"]).0, Some(2));
    fs_err::remove_dir_all(a.join("img")).expect("removed");
    let (code, said) = partsim(&["--pixel", "3"]);
    assert!(code == Some(2) && said.contains("render.sh"), "{said}");
}
