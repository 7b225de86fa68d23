//! What POV-Ray itself makes of the frames: they parse, have no holes or seams, true sizes, and no mirror.

mod pov_kit;

use std::path::Path;

use partsim::frame::Frame;
use partsim::material::{MUD, OIL, SLIME, SNOW};
use partsim::math::{Point3, Real, Vec3};
use partsim::scene::Light;
use partsim::write::pov::PovWriter;
use pov_kit::{add, covering, looking, picture, povray, put, scene, shining, spec, write};

/// How many pixels differ by more than 16 in a channel.
fn different(a: &[[u8; 3]], b: &[[u8; 3]]) -> usize {
    a.iter()
        .zip(b)
        .filter(|(p, q)| p.iter().zip(*q).any(|(x, y)| x.abs_diff(*y) > 16))
        .count()
}

/// Height at which rays straight down and up through the origin meet the only object of the frame [units].
fn extent(folder: &Path, frame: &str) -> [Real; 2] {
    let start = frame.find("blob{").or(frame.find("union{")).unwrap();
    let probe = format!(
        "#version 3.7;\n#include \"common.inc\"\n#declare Thing = {}\n\
         #declare Top = trace(Thing, <0, 1000, 0>, -y);\n#declare Bottom = trace(Thing, <0, -1000, 0>, y);\n\
         #debug concat(\"\\nHIT \", str(Top.y, 0, 9), \" \", str(Bottom.y, 0, 9), \"\\n\")\n",
        &frame[start..]
    );
    put(folder, "probe.pov", probe.as_bytes());
    let said = povray(folder, "probe.pov", 8, 6);
    let line = said
        .lines()
        .find(|l| l.starts_with("HIT "))
        .unwrap_or_else(|| panic!("no hit: {said}"));
    let numbers: Vec<Real> = line
        .split_whitespace()
        .skip(1)
        .map(|t| t.parse().unwrap())
        .collect();
    [numbers[0], numbers[1]]
}

#[test]
fn t43_a_lone_particle_is_drawn_with_its_own_radius() {
    let folder = tempfile::tempdir().unwrap();
    for (preset, radius) in [
        (SNOW, 1.0),
        (SNOW, 0.02),
        (SLIME, 0.013),
        (MUD, 0.3),
        (OIL, 0.007),
    ] {
        for normal in [Vec3::y(), Vec3::zeros()] {
            let scene = scene(preset, radius, looking([0.0, 5.0, 9.0], [0.0; 3], 40.0));
            let mut frame = Frame {
                number: 1,
                ..Frame::default()
            };
            add(&mut frame, [0.0; 3], radius, normal);
            let (text, _) = write(folder.path(), &scene, &[], &frame);
            let units = PovWriter::new(&scene, &[]).units_per_metre();
            let [top, bottom] = extent(folder.path(), &text).map(|y| y / units);
            let seen = 0.5 * (top - bottom);
            assert!(
                (seen - radius).abs() < 1e-4 * radius,
                "{:?} {radius}: {seen}",
                preset.look.family
            );
            let look = preset.look;
            let sunk = if normal == Vec3::zeros() {
                0.0
            } else {
                radius * (look.sink + look.sink_alone)
            };
            assert!(
                (top - radius + sunk).abs() < 1e-4 * radius,
                "top {top}, sunk {sunk}"
            );
        }
    }
}

/// A cone of balls of radius `r`, each dropped where it comes to lie low; every one touches what carries it.
fn heap(r: Real, base: Real) -> Frame {
    let mut x = 11u64;
    let mut draw = || {
        x = x
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (x >> 11) as Real / (1u64 << 53) as Real
    };
    let mut frame = Frame {
        number: 1,
        ..Frame::default()
    };
    let mut failures = 0;
    while failures < 60 {
        let lowest = (0..30)
            .filter_map(|_| {
                let (px, pz) = ((2.0 * draw() - 1.0) * base, (2.0 * draw() - 1.0) * base);
                let mut y = r;
                let mut steep = false;
                for p in &frame.position {
                    let rise2 = 4.0 * r * r - (p.x - px).powi(2) - (p.z - pz).powi(2);
                    if rise2 > 0.0 && p.y + rise2.sqrt() > y {
                        y = p.y + rise2.sqrt();
                        steep = rise2.sqrt() < 0.8 * r;
                    }
                }
                let room = 0.9 * (base - px.hypot(pz));
                (y < room && !steep).then_some([px, y, pz])
            })
            .min_by(|a, b| a[1].total_cmp(&b[1]));
        match lowest {
            Some(p) => add(&mut frame, p, r, Vec3::y()),
            None => failures += 1,
        }
    }
    frame
}

/// Drawn exact, the buried would change no pixel: the shell around them is closed, and they reach no surface.
#[test]
fn what_is_buried_in_a_heap_does_not_show() {
    let folder = tempfile::tempdir().unwrap();
    let (r, base) = (0.02, 0.66);
    let frame = heap(r, base);
    for eye in [[0.3, 0.9, 1.6], [-1.9, 0.12, 0.4]] {
        let mut scene = scene(SNOW, r, looking(eye, [0.0, 0.22, 0.0], 38.0));
        scene.pile = true;
        let (text, stats) = write(folder.path(), &scene, &[], &frame);
        assert_eq!((stats.thinned, stats.merged), (0, 0));
        assert!(8 * stats.buried > stats.particles, "{stats:?}");
        let drawn: std::collections::BTreeSet<u64> = text
            .lines()
            .filter_map(|l| l.strip_prefix("sphere{")?.rsplit_once("}//"))
            .map(|(_, id)| id.trim_end_matches('*').parse().unwrap())
            .collect();
        assert_eq!(drawn.len() as u64 + stats.buried, stats.particles);
        let units = PovWriter::new(&scene, &[]).units_per_metre();
        let reach = r * units / (1.0 - SNOW.look.threshold.sqrt()).sqrt();
        let hidden: String = (0..frame.len())
            .filter(|&i| !drawn.contains(&frame.id[i]))
            .map(|i| frame.position[i] * units)
            .map(|p| format!("sphere{{<{},{},{}>,{reach},1}}\n", p.x, p.y, p.z))
            .collect();
        let whole = format!("{text}blob{{threshold Stuff_Threshold\n{hidden}material{{Stuff_Settled}}}}\n");
        put(folder.path(), "whole.pov", whole.as_bytes());
        let without = picture(folder.path(), "frame_000001.pov");
        let with = picture(folder.path(), "whole.pov");
        let off = without.iter().zip(&with).filter(|(p, q)| {
            let apart = p.iter().zip(*q).map(|(x, y)| x.abs_diff(*y));
            apart.max() > Some(1)
        });
        assert_eq!(off.count(), 0, "pixels that differ, {} buried", stats.buried);
    }
}

#[test]
fn t42_an_empty_frame_renders() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(SNOW, 0.02, looking([0.0, 5.0, 9.0], [0.0; 3], 40.0));
    write(
        folder.path(),
        &scene,
        &[],
        &Frame {
            number: 1,
            ..Frame::default()
        },
    );
    picture(folder.path(), "frame_000001.pov");
}

#[test]
fn t41_a_million_and_one_particles_parse() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(SNOW, 0.02, looking([30.0, 5.0, 70.0], [30.0, 0.0, 30.0], 40.0));
    let mut frame = Frame {
        number: 1,
        ..Frame::default()
    };
    for i in 0..1_000_001u64 {
        add(
            &mut frame,
            [(i % 1000) as Real * 0.06, 0.02, (i / 1000) as Real * 0.06],
            0.02,
            Vec3::y(),
        );
    }
    let (text, stats) = write(folder.path(), &scene, &[], &frame);
    assert_eq!(stats.components, 1_000_001, "{stats:?}");
    let largest = text
        .split("blob{")
        .map(|b| b.matches("sphere{").count())
        .max()
        .unwrap();
    assert!(largest <= 200_000, "{largest} components in one blob");
    povray(folder.path(), "frame_000001.pov", 32, 24);
}

#[test]
fn a_covering_has_no_holes_at_any_count() {
    let folder = tempfile::tempdir().unwrap();
    for (preset, spacing, layers, half) in [
        (SNOW, 1.3, 1, 0.6),
        (SNOW, 1.2, 2, 3.2),
        (SLIME, 1.2, 1, 1.5),
        (MUD, 1.0, 1, 1.5),
    ] {
        let mut scene = scene(
            preset,
            0.02,
            looking([0.0, 0.9 * half, 1.1 * half], [0.0, 0.0, -0.05 * half], 30.0),
        );
        scene.meshes.push(spec("ground"));
        let s = 0.9 * half;
        let ground = [shining([-s, s], [-s, s], [4.0, 0.0, 4.0])];
        let frame = covering(half, 0.02, spacing, layers);
        write(folder.path(), &scene, &ground, &frame);
        let shines = |p: &&[u8; 3]| p[0] > 200 && p[0] - p[1].min(p[0]) > 90;
        let holes = picture(folder.path(), "frame_000001.pov")
            .iter()
            .filter(shines)
            .count();
        assert!(
            holes == 0,
            "{:?}: {holes} hole pixels under {} particles",
            preset.look.family,
            frame.len()
        );
        write(
            folder.path(),
            &scene,
            &ground,
            &Frame {
                number: 1,
                ..Frame::default()
            },
        );
        let bare = picture(folder.path(), "frame_000001.pov");
        assert!(bare.iter().filter(shines).count() > 70_000, "bare ground shines");
    }
}

#[test]
fn tiles_show_the_same_picture_as_one_blob() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(SNOW, 0.02, looking([0.0, 2.0, 3.0], [0.0, 0.0, 0.2], 35.0));
    let (text, stats) = write(folder.path(), &scene, &[], &covering(2.4, 0.02, 1.3, 2));
    assert!(stats.blobs >= 4 && stats.copies > 500, "{stats:?}");
    let tiled = picture(folder.path(), "frame_000001.pov");

    let keep = |l: &&str| !l.ends_with('*') && !l.starts_with("// lines");
    let cut: String = text.lines().filter(keep).map(|l| format!("{l}\n")).collect();
    let between = "material{Stuff_Settled}\n}\nblob{\nthreshold Stuff_Threshold\n";
    put(folder.path(), "one.pov", cut.replace(between, "").as_bytes());
    let one = picture(folder.path(), "one.pov");
    assert!(
        different(&tiled, &one) <= 3,
        "{} pixels differ",
        different(&tiled, &one)
    );

    put(folder.path(), "cut.pov", cut.as_bytes());
    let grooves = different(&picture(folder.path(), "cut.pov"), &one);
    assert!(
        grooves > 30,
        "without copies there are grooves, so the comparison can see: {grooves}"
    );
}

#[test]
fn translucent_clusters_parse_and_show() {
    let folder = tempfile::tempdir().unwrap();
    let mut clear = SLIME;
    clear.look.transmit = 0.5;
    let scene = scene(clear, 0.02, looking([0.0, 0.5, 1.0], [0.0; 3], 40.0));
    let mut frame = covering(0.15, 0.02, 1.2, 1);
    add(&mut frame, [0.3, 0.02, 0.0], 0.02, Vec3::y());
    add(&mut frame, [-0.3, 0.2, 0.0], 0.02, Vec3::zeros());
    let (_, stats) = write(folder.path(), &scene, &[], &frame);
    assert_eq!(stats.copies, 0);
    let with = picture(folder.path(), "frame_000001.pov");
    write(
        folder.path(),
        &scene,
        &[],
        &Frame {
            number: 1,
            ..Frame::default()
        },
    );
    assert!(different(&with, &picture(folder.path(), "frame_000001.pov")) > 2_000);
}

#[test]
fn the_picture_is_not_mirrored() {
    let folder = tempfile::tempdir().unwrap();
    // From the front (+z), +x lies to the right.
    let mut scene = scene(SNOW, 0.02, looking([0.0, 2.0, 4.0], [0.0; 3], 40.0));
    scene.meshes = vec![spec("right"), spec("left")];
    let meshes = [
        shining([0.3, 1.0], [-0.5, 0.5], [1.0, 0.0, 0.0]),
        shining([-1.0, -0.3], [-0.5, 0.5], [0.0, 0.0, 1.0]),
    ];
    write(
        folder.path(),
        &scene,
        &meshes,
        &Frame {
            number: 1,
            ..Frame::default()
        },
    );
    let picture = picture(folder.path(), "frame_000001.pov");
    let mean = |pick: &dyn Fn(&[u8; 3]) -> bool| {
        let columns: Vec<usize> = (0..picture.len())
            .filter(|&i| pick(&picture[i]))
            .map(|i| i % 320)
            .collect();
        assert!(columns.len() > 500);
        columns.iter().sum::<usize>() / columns.len()
    };
    let red = mean(&|p| p[0] > 200 && p[2] < 110);
    let blue = mean(&|p| p[2] > 200 && p[0] < 110);
    assert!(red > 180 && blue < 140, "red stands at {red}, blue at {blue}");
}

#[test]
fn every_look_and_backdrop_parses() {
    let folder = tempfile::tempdir().unwrap();
    for preset in [SNOW, SLIME, MUD, OIL] {
        for soft in [false, true] {
            let mut scene = scene(preset, 0.02, looking([0.0, 0.5, 1.0], [0.0; 3], 40.0));
            scene.light = Light {
                soft,
                backdrop: true,
                ..Light::default()
            };
            scene.meshes.push(spec("ground"));
            scene.camera = None;
            let ground = [shining([-1.0, 1.0], [-1.0, 1.0], [0.2, 0.0, 0.0])];
            write(folder.path(), &scene, &ground, &covering(0.3, 0.02, 2.0, 1));
            povray(folder.path(), "frame_000001.pov", 64, 48);
        }
    }
}

#[test]
fn pictures_on_the_scenery_stand_upright_and_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    // Left column green over green, right column red over blue: v = 1 is the top row.
    put(
        folder.path(),
        "brick wall.ppm",
        b"P6\n2 2\n255\n\x00\xff\x00\xff\x00\x00\x00\xff\x00\x00\x00\xff",
    );
    let mut mesh = shining([-1.0, 1.0], [-1.0, 1.0], [0.0; 3]);
    for p in &mut mesh.vertices {
        *p = Point3::new(p.x, p.z, 0.0);
    }
    mesh.uvs = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    mesh.uv_triangles = mesh.triangles.clone();
    let surface = mesh.groups[0].surface.as_mut().unwrap();
    surface.diffuse_map = Some(folder.path().join("brick wall.ppm"));
    surface.bump_map = Some(folder.path().join("missing.png"));
    surface.emission = [1.0; 3];
    surface.opacity = 0.9;
    let mut scene = scene(SNOW, 0.02, looking([0.0, 0.0, 5.0], [0.0; 3], 40.0));
    scene.meshes.push(spec("two\nlines"));
    let meshes = [mesh];
    let writer = PovWriter::new(&scene, &meshes);
    assert_eq!(writer.remarks().len(), 1, "the missing picture is remarked on");
    let [(from, to)] = writer.textures() else {
        panic!("one picture: {:?}", writer.textures())
    };
    assert_eq!(to, "textures/brick_wall.ppm");
    fs_err::create_dir(folder.path().join("textures")).unwrap();
    fs_err::copy(from, folder.path().join(to)).unwrap();
    write(
        folder.path(),
        &scene,
        &meshes,
        &Frame {
            number: 1,
            ..Frame::default()
        },
    );
    let picture = picture(folder.path(), "frame_000001.pov");
    let at = |x: usize, y: usize| picture[y * 320 + x];
    let (top, bottom, left) = (at(210, 70), at(210, 170), at(110, 120));
    assert!(top[0] > 200 && top[2] < 150, "red at the upper right: {top:?}");
    assert!(
        bottom[2] > 200 && bottom[0] < 150,
        "blue at the lower right: {bottom:?}"
    );
    assert!(left[1] > 200 && left[0] < 150, "green at the left: {left:?}");
}
