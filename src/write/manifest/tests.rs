use super::*;

fn sample() -> Manifest {
    let settings = Settings {
        collision: "exact".into(),
        seed: u64::MAX,
        frames: 3,
        frame_rate: 29.97,
        steps_per_frame: 4,
    };
    let scene = Input::new("", Path::new("/somewhere/scenes/snow.ron"), b"()");
    let mesh = Input::new("house", Path::new("../assets/house.obj"), b"v 0 0 0");
    let mut manifest = Manifest::new(scene, vec![mesh], settings);
    manifest.files.insert("mesh.inc".into(), Written::of(b"mesh2{}"));
    for number in [3, 1] {
        manifest.record(FrameEntry {
            number,
            time: 0.1 + f64::from(number),
            born: 10,
            counts: [("contact_limit".to_string(), 2)].into(),
            file: Written::of(b"x"),
            ..FrameEntry::default()
        });
    }
    manifest
}

fn printed(manifest: &Manifest) -> String {
    let mut text = Vec::new();
    manifest.print(&mut text).expect("printed");
    String::from_utf8(text).expect("utf-8")
}

#[test]
fn what_is_written_can_be_read() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let manifest = sample();
    manifest.write(dir.path()).expect("written");
    assert_eq!(Manifest::read(dir.path()).expect("read"), manifest);
}

#[test]
fn the_file_has_one_line_a_frame_and_no_folder_names() {
    let hash = Written::of(b"x").blake3;
    let text = printed(&sample())
        .replace(env!("CARGO_PKG_VERSION"), "VERSION")
        .replace(&hash, "HASH");
    insta::assert_snapshot!(text, @r#"
    {
      "format": 1,
      "program": "partsim VERSION",
      "scene": {"file":"snow.ron","blake3":"622be36e2f51ac6ced2c7c6f12649a71d41650d1e47b9a83f58d7dbc9983f0fa"},
      "meshes": [
        {"name":"house","file":"house.obj","blake3":"f992f1321acdd7fef55c54a953930d6b42ef4a8bd9f659a70d6f6a5cfb4a4673"}
      ],
      "settings": {"collision":"exact","seed":18446744073709551615,"frames":3,"frame_rate":29.97,"steps_per_frame":4},
      "files": {"mesh.inc":{"bytes":7,"blake3":"e20820dec1ecd1b3024e5e45ccd853ae2302be662c0754c9f98cd089da4a184d"}},
      "frames": [
        {"number":1,"time":1.1,"born":10,"airborne":0,"settled":0,"died":0,"lost":0,"rejected":0,"counts":{"contact_limit":2},"components":0,"bytes":1,"blake3":"HASH"},
        {"number":3,"time":3.1,"born":10,"airborne":0,"settled":0,"died":0,"lost":0,"rejected":0,"counts":{"contact_limit":2},"components":0,"bytes":1,"blake3":"HASH"}
      ]
    }
    "#);
}

#[test]
fn frames_stay_in_order_and_are_replaced() {
    let mut manifest = sample();
    let entry = FrameEntry {
        number: 2,
        ..FrameEntry::default()
    };
    manifest.record(entry.clone());
    manifest.record(FrameEntry { born: 5, ..entry });
    let numbers: Vec<u32> = manifest.frames.iter().map(|f| f.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(manifest.frame(2).map(|f| f.born), Some(5));
    assert_eq!(manifest.frame(4), None);
}

#[test]
fn t46_every_changed_input_is_named() {
    let old = sample();
    assert_eq!(old.input_differences(&old), [""; 0]);
    let mut new = sample();
    new.settings.seed = 7;
    new.scene.blake3 = "0".repeat(64);
    new.meshes[0].blake3 = "1".repeat(64);
    let remarks = old.input_differences(&new).join("\n");
    for part in [
        "scene text: snow.ron (",
        "seed: 18446744073709551615 / 7",
        "mesh `house`: house.obj (",
    ] {
        assert!(remarks.contains(part), "{remarks}");
    }
}

#[test]
fn bad_files_are_told_apart() {
    let text = printed(&sample());
    let newer = text.replacen("\"format\": 1", "\"format\": 2", 1);
    let reversed = text.replacen("\"number\":1", "\"number\":9", 1);
    for (text, part) in [
        (&text[..text.len() - 40], "cut off in line"),
        ("", "cut off in line 1"),
        ("not json", "not a partsim manifest"),
        ("[1, 2]", "no known `format`"),
        ("{\"format\": \"x\"}", "no known `format`"),
        ("{\"format\": 1}", "damaged manifest (missing field"),
        (&newer, "use a newer partsim"),
        (&reversed, "not ascending"),
    ] {
        let message = Manifest::parse(text.as_bytes()).expect_err(text);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn only_canonical_frame_names_count() {
    assert_eq!(frame_number(&frame_file_name(1)), Some(1));
    assert_eq!(frame_number("frame_1234567.pov"), Some(1_234_567));
    for name in [
        "frame_1.pov",
        "frame_000000.pov",
        "frame_+00001.pov",
        "frame_0000001.pov",
        "frame_000001.png",
    ] {
        assert_eq!(frame_number(name), None, "{name}");
    }
}
