//! What a bad scene gets: one file a mistake in `bad_scenes`, and a snapshot of what the user reads.
//! A new case is a new file there.

use std::path::{Path, PathBuf};

use partsim::error::Error;
use partsim::scene::{self, Emitter, Scene, Shape};
use proptest::prelude::*;

const BAD_SCENES: &str = "tests/bad_scenes";

const GOOD: &str = r#"(
    meshes: [(name: "floor", file: "floor.obj")],
    materials: { "snow": Snow(radius: 0.02) },
    emitters: [(material: "snow", shape: Point(at: (0, 2, 0)), rate: 100)],
    time: (frames: 24),
)
"#;

/// Parses a text as if it stood beside the bad scenes, where a `floor.obj` is.
fn parse(text: &str) -> Result<Scene, Error> {
    scene::parse(text, &Path::new(BAD_SCENES).join("scene.ron"))
}

fn complaint(text: &str) -> String {
    parse(text).expect_err("the scene is wrong").render(false)
}

fn good_with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from));
    GOOD.replacen(from, to, 1)
}

#[test]
fn every_bad_scene_gets_its_message() {
    insta::glob!("bad_scenes/*.ron", |file| {
        let name = file.file_name().expect("glob gives files");
        let relative = Path::new(BAD_SCENES).join(name);
        let error = scene::load(&relative).expect_err("a bad scene");
        assert_eq!(error.exit_code(), 1);
        insta::assert_snapshot!(error.render(false));
    });
}

#[test]
fn a_good_scene_passes() {
    let scene = parse(GOOD).expect("the template of the bad scenes is good");
    assert_eq!(scene.meshes[0].file, Path::new(BAD_SCENES).join("floor.obj"));
    assert_eq!(scene.emitters[0].rate, 100.0.into());
}

#[test]
fn the_scene_of_the_design_parses_as_it_stands() {
    let folder = tempfile::tempdir().expect("temporary folder");
    fs_err::create_dir(folder.path().join("assets")).expect("assets");
    fs_err::copy(
        Path::new(BAD_SCENES).join("floor.obj"),
        folder.path().join("assets/house.obj"),
    )
    .expect("mesh");
    let text = r#"// A house under fresh snow. One step, straight down: the 1999 paper's Figure 10.
(
    meshes: [ (name: "house", file: "../assets/house.obj") ],
    materials: { "snow": Snow(radius: 0.02) },
    emitters: [ (material: "snow", shape: Grid(origin: (-6, 9, -5), u: (12, 0, 0), v: (0, 0, 10), count: (480, 320), jitter: 0.5),
                 velocity: (0, -20, 0)) ],
    time: (frames: 1, frame_rate: 1),
)
"#;
    let path = folder.path().join("scenes/house.ron");
    fs_err::create_dir(folder.path().join("scenes")).expect("scenes");
    let scene = scene::parse(text, &path).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let Emitter {
        count, rate, shape, ..
    } = &scene.emitters[0];
    assert_eq!((*count, rate.constant()), (480 * 320, Some(0.0)), "one birth a cell");
    assert!(matches!(shape, Shape::Grid { jitter: 0.5, .. }));
    assert_eq!(scene.time.step(), 1.0);
}

/// T48: a misspelt key is named with its place and the nearest valid key, on each level of the scene.
#[test]
fn t48_misspelt_keys_are_met_with_the_nearest_key() {
    let cases = [
        ("time: (", "gravty: (0, -1, 0), time: (", "gravty", "gravity"),
        ("file: ", "scal: 2, file: ", "scal", "scale"),
        ("rate: 100", "rte: 100", "rte", "rate"),
        ("radius: 0.02", "radius: 0.02, fricton: 1", "fricton", "friction"),
        ("radius: 0.02", "radius: 0.02, look: (sinc: 1)", "sinc", "sink"),
        (
            "time: (",
            "camera: (eie: (0, 0, 1), target: (0, 0, 0)), time: (",
            "eie",
            "eye",
        ),
        ("time: (", "light: (sofd: true), time: (", "sofd", "soft"),
        ("time: (", "output: (heigth: 600), time: (", "heigth", "height"),
        (
            "time: (",
            "limits: (particle: 6), time: (",
            "particle",
            "particles",
        ),
        (
            "frames: 24",
            "frames: 24, framerate: 25",
            "framerate",
            "frame_rate",
        ),
        ("at: ", "att: ", "att", "at"),
    ];
    for (from, to, typo, key) in cases {
        let text = complaint(&good_with(from, to));
        assert!(text.contains(&format!("unknown key `{typo}`")), "{text}");
        assert!(text.contains(&format!("did you mean `{key}`?")), "{text}");
        assert!(text.contains("scene.ron:"), "{text}");
    }
}

/// T49: an optional value may be written plainly or in `Some(...)`.
#[test]
fn t49_optional_values_may_be_wrapped_or_plain() {
    let scenes = ["2.0", "Some(2.0)", "2", "(2, 2, 2)", "Some((2, 2, 2))"].map(|scale| {
        parse(&good_with("file: ", &format!("scale: {scale}, file: ")))
            .unwrap_or_else(|e| panic!("{}", e.render(false)))
    });
    for scene in &scenes {
        assert_eq!(scene.meshes[0].scale, partsim::math::Vec3::repeat(2.0));
        assert_eq!(scene, &scenes[0]);
    }
    assert_eq!(
        parse(&good_with("file: ", "scale: None, file: ")).expect("none"),
        parse(GOOD).expect("good")
    );
}

/// T50: a mesh says what its unit is, by name or in metres.
#[test]
fn t50_a_mesh_names_its_unit() {
    let cases = [
        ("\"mm\"", 0.001),
        ("\"cm\"", 0.01),
        ("\"m\"", 1.0),
        ("\"in\"", 0.0254),
        ("\"ft\"", 0.3048),
        ("0.5", 0.5),
    ];
    for (written, metres) in cases {
        let scene = parse(&good_with("file: ", &format!("unit: {written}, file: "))).expect(written);
        assert_eq!(scene.meshes[0].unit, metres);
    }
}

#[test]
fn a_disabled_emitter_keeps_its_place_and_emits_nothing() {
    let two = good_with(
        "rate: 100)",
        "rate: 100, enabled: false), (material: \"snow\", shape: Point(at: (0, 1, 0)), count: 3)",
    );
    let scene = parse(&two).expect("two emitters");
    let births = scene.emitters.iter().map(|e| (e.count, e.rate.constant()));
    assert_eq!(births.collect::<Vec<_>>(), [(0, Some(0.0)), (3, Some(0.0))]);
}

#[test]
fn a_terminal_speed_becomes_a_coefficient() {
    let text = good_with("time: (", "forces: [QuadraticDrag(terminal_speed: 2)], time: (");
    let scene = parse(&text).expect("drag");
    assert_eq!(
        scene.forces,
        [scene::ForceSpec::from(scene::ForceKind::QuadraticDrag {
            coefficient: (9.81 / 4.0).into()
        })]
    );
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_do_no_harm() {
    let text = format!("\u{feff}{}", GOOD.replace('\n', "\r\n"));
    assert_eq!(parse(&text).expect("good"), parse(GOOD).expect("good"));
    let broken = text.replacen("rate: 100", "rate: -1", 1);
    assert_eq!(complaint(&broken), complaint(&good_with("rate: 100", "rate: -1")));
}

#[test]
fn files_that_are_no_scene_are_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("scene.ron");
    assert_eq!(scene::load(&path).expect_err("missing").exit_code(), 3);
    fs_err::write(&path, b"(\n  meshes: \xff").expect("write");
    let text = scene::load(&path).expect_err("not UTF-8").render(false);
    assert!(
        text.contains("expected text in UTF-8, found byte 0xff") && text.contains(":2:"),
        "{text}"
    );
    let file = fs_err::File::create(&path).expect("create");
    file.set_len(65 << 20).expect("a sparse file");
    let text = scene::load(&path).expect_err("too large").render(false);
    assert!(text.contains("at most 64 MiB"), "{text}");
}

#[test]
fn a_field_is_found_in_a_scene_file() {
    let path: PathBuf = Path::new(BAD_SCENES).join("cross_group_twice.ron");
    let place = scene::locate_field(&path, "meshes[0].groups[\"planks\"]").expect("it is there");
    let marked: String = place
        .excerpt
        .chars()
        .skip(place.column - 1)
        .take(place.width)
        .collect();
    assert_eq!((place.line, marked.as_str()), (3, "Stick"));
    assert_eq!(scene::locate_field(&path, "meshes[1].file"), None);
}

#[test]
fn thousands_of_mistakes_are_counted_and_quickly_told() {
    let bad = "(material: \"sonw\", shape: Point(at: (0, 2, 0)), rate: 1, name: \"a\"), ";
    let text = complaint(&good_with(
        "emitters: [",
        &format!("emitters: [{}", bad.repeat(20_000)),
    ));
    assert!(
        text.contains("more mistakes are not shown"),
        "{}",
        &text[text.len() - 300..]
    );
}

/// A piece of scene text that stands in the way of something else.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "-",
        "1e999",
        "NaN",
        "Some(",
        "None",
        "Snow(",
        "r#",
        "/*",
        "//",
        "\\u{0}",
        "ä",
        "0x",
        "'",
        "#![enable(unwrap_variant_newtypes)]",
        "Grid",
        "radius",
        "\n",
        "..",
        "..=",
        "b\"",
        "18446744073709551616",
        "-0",
        "count",
        "look:",
        "Uniform(min: 1",
        "\u{feff}",
    ];
    prop_oneof![4 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        let _ = parse(&text).map_err(|e| e.render(true));
    }

    #[test]
    fn pieces_of_scenes_never_panic(pieces in prop::collection::vec(piece(), 0..60)) {
        let _ = parse(&pieces.concat()).map_err(|e| e.render(true));
    }

    #[test]
    fn mutated_scenes_never_panic(
        edits in prop::collection::vec((0usize..400, 0usize..12, piece()), 1..5),
    ) {
        let mut text: Vec<char> = GOOD.chars().collect();
        for (at, removed, added) in edits {
            let at = at.min(text.len());
            let end = (at + removed).min(text.len());
            text.splice(at..end, added.chars());
        }
        let text: String = text.into_iter().collect();
        let _ = parse(&text).map_err(|e| e.render(false));
    }

    #[test]
    fn deep_nesting_is_bounded(open in "[\\(\\[\\{]|Some\\(|a:\\(|a:\\[|Snow\\(a:", depth in 1usize..20_000) {
        let text = complaint(&open.repeat(depth));
        prop_assert!(!text.is_empty());
    }
}
