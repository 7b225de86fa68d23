//! Frames by hand: their text, their counts, and what must never depend on threads or crash on odd input.

use super::*;
use crate::material::{LookFamily, MUD, Material, Preset, RadiusLaw, SLIME, SNOW};
use crate::math::{Point3, Real, Vec3};
use crate::scene::{Collision, Light, Limits, Output, Time};

fn scene(materials: Vec<Material>) -> Scene {
    Scene {
        path: "by_hand.ron".into(),
        meshes: Vec::new(),
        materials,
        lives: Vec::new(),
        emitters: Vec::new(),
        gravity: Vec3::zeros(),
        forces: Vec::new(),
        time: Time {
            frames: 1,
            frame_rate: 25.0,
            steps_per_frame: 1,
        },
        collision: Collision::Exact,
        ray_behind: 3.0,
        pile: false,
        flow: false,
        seed: 1,
        limits: Limits {
            contacts_per_step: 32,
            kill_box: None,
            particles: 1 << 32,
            audit: true,
        },
        camera: None,
        light: Light::default(),
        output: Output {
            scale: None,
            width: 640,
            height: 360,
            particles: false,
            share: false,
        },
    }
}

fn material(name: &str, preset: Preset, radius: Real) -> Material {
    Material {
        name: name.into(),
        radius: RadiusLaw::Constant(radius),
        contact: preset.contact,
        substance: preset.substance,
        look: preset.look,
    }
}

fn add(frame: &mut Frame, p: [Real; 3], radius: Real, material: u16, normal: Vec3) {
    frame.id.push(frame.id.len() as u64);
    frame.position.push(p.into());
    frame.radius.push(radius);
    frame.material.push(material);
    frame.normal.push(normal);
}

struct Draw(u64);

impl Draw {
    fn next(&mut self) -> Real {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }
}

/// `n` particles on the plane y = 0, `spacing` radii apart on average, some of them in a second layer.
fn sheet(n: usize, radius: Real, spacing: Real) -> Frame {
    let (mut frame, mut draw) = (
        Frame {
            number: 1,
            ..Frame::default()
        },
        Draw(3),
    );
    let side = (n as Real).sqrt() * spacing * radius;
    for _ in 0..n {
        let p = [
            draw.next() * side,
            radius * (1.0 + (draw.next() * 1.5).floor()),
            draw.next() * side,
        ];
        add(&mut frame, p, radius, 0, Vec3::y());
    }
    frame
}

fn text(writer: &PovWriter, frame: &Frame) -> (String, FrameStats) {
    let mut out = Vec::new();
    let stats = writer.write(frame, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), stats)
}

fn sum(s: &FrameStats) -> u64 {
    s.components + s.spheres + s.buried + s.thinned + s.merged + s.unwritable
}

/// Every number of every particle line parses, and radii and strengths are positive.
fn check_lines(text: &str) -> usize {
    let mut lines = 0;
    for line in text.lines().filter(|l| l.starts_with("sphere{")) {
        let (place, rest) = line.strip_prefix("sphere{<").unwrap().split_once(">,").unwrap();
        let (size, id) = rest.split_once("}//").unwrap();
        let numbers: Vec<Real> = place
            .split(',')
            .chain(size.split(','))
            .map(|t| t.parse().unwrap())
            .collect();
        assert!((4..=5).contains(&numbers.len()), "{line}");
        assert!(
            numbers.iter().all(|x| x.is_finite()) && numbers[3..].iter().all(|&x| x > 0.0),
            "{line}"
        );
        assert!(!line.contains("-0,") && !line.contains("-0>") && !line.contains('e'.to_ascii_uppercase()));
        id.trim_end_matches('*').parse::<u64>().unwrap();
        lines += 1;
    }
    lines
}

#[test]
fn a_frame_of_three_particles() {
    let scene = scene(vec![material("snow", SNOW, 0.02), material("my mud!", MUD, 0.01)]);
    let writer = PovWriter::new(&scene, &[]);
    let mut frame = Frame {
        number: 12,
        time: 0.48,
        ..Frame::default()
    };
    add(&mut frame, [0.1, 0.02, -0.3], 0.02, 0, Vec3::y());
    add(&mut frame, [0.0, 1.5, 0.25], 0.02, 0, Vec3::zeros());
    add(&mut frame, [-1.25, 0.0, 0.01], 0.01, 1, Vec3::z());
    let (text, stats) = text(&writer, &frame);
    assert_eq!(sum(&stats), 3);
    insta::with_settings!({filters => vec![(r"partsim [0-9.]+:", "partsim [version]:")]}, {
        insta::assert_snapshot!(text, @r#"
        // partsim [version]: frame 12
        // time 0.48 s
        // particles 3: settled 2, airborne 1
        // written: components 2, spheres 1; copies 0, blobs 2
        // left out: buried 0, thinned 0, merged 0, unwritable 0
        // scale 100 units per metre; axes as in the scene, right-handed: `right -x*...` in common.inc keeps
        // the picture from being mirrored
        // lines: sphere{<x,y,z>,radius,strength}//birth number, with * for a copy in a neighbouring blob
        #version 3.7;
        #include "common.inc"
        #include "mesh.inc"
        blob{
        threshold Snow_Threshold
        sphere{<10,0.8,-30>,4.94862,1}//0
        material{Snow_Settled}
        }
        union{
        sphere{<0,150,25>,2}//1
        material{Snow_Flying} no_shadow
        }
        blob{
        threshold My_mud__Threshold
        sphere{<-125,0,0.7>,2.1063,1}//2
        material{My_mud__Settled}
        }
        "#);
    });
}

#[test]
fn an_empty_frame_has_no_blob() {
    let scene = scene(vec![material("snow", SNOW, 0.02)]);
    let (text, stats) = text(&PovWriter::new(&scene, &[]), &Frame::default());
    assert!(!text.contains("blob{") && !text.contains("union{"), "{text}");
    assert_eq!(stats, FrameStats::default());
}

#[test]
fn the_text_does_not_depend_on_the_number_of_threads() {
    let mut clear = SLIME;
    clear.look.transmit = 0.5;
    for preset in [SNOW, MUD, clear] {
        let scene = scene(vec![material("m", preset, 0.02)]);
        let writer = PovWriter::new(&scene, &[]);
        let frame = sheet(20_000, 0.02, 1.1);
        let with = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| text(&writer, &frame))
        };
        let one = with(1);
        assert_eq!(one, with(2));
        assert_eq!(one, with(5));
        assert_eq!(sum(&one.1), 20_000);
        check_lines(&one.0);
    }
}

#[test]
fn a_particle_alone_is_written_exact_and_one_in_a_sheet_wide() {
    let scene = scene(vec![material("snow", SNOW, 0.02)]);
    let writer = PovWriter::new(&scene, &[]);
    let mut frame = sheet(3_000, 0.02, 1.1);
    add(&mut frame, [50.0, 0.02, 0.0], 0.02, 0, Vec3::y());
    let (text, _) = text(&writer, &frame);
    let units = writer.units_per_metre();
    let radius = |line: &str| {
        line.split(">,")
            .nth(1)
            .unwrap()
            .split(',')
            .next()
            .unwrap()
            .parse::<Real>()
            .unwrap()
    };
    let alone = text.lines().find(|l| l.ends_with("}//3000")).unwrap();
    assert!(alone.contains(",1}//"), "full strength: {alone}");
    assert!((radius(alone) / (0.02 * units) - blob::lone_factor(0.7)).abs() < 1e-4);
    let widest = text
        .lines()
        .filter(|l| l.starts_with("sphere{"))
        .map(radius)
        .fold(0.0, Real::max);
    assert!((widest / (0.02 * units) - 4.5).abs() < 1e-3, "{widest}");
}

/// Centre, radius and strength of each component, in the order of the file.
fn components(text: &str) -> Vec<[Real; 5]> {
    let lines = text.lines().filter_map(|l| l.strip_prefix("sphere{<"));
    let numbers = |line: &str| {
        let line = line.split("}//").next().unwrap().replace(">,", ",");
        let mut numbers = line.split(',').map(|n| n.parse().unwrap());
        std::array::from_fn(|_| numbers.next().unwrap())
    };
    lines.map(numbers).collect()
}

#[test]
fn a_row_of_pieces_of_a_liquid_is_a_stripe_and_not_a_string_of_beads() {
    let mut frame = Frame::default();
    for i in 0..40 {
        add(&mut frame, [Real::from(i) * 0.024, 0.01, 0.0], 0.01, 0, Vec3::y());
    }
    // The field along the row, half way up its height.
    let least = |flow: bool| {
        let mut scene = scene(vec![material("slime", SLIME, 0.01)]);
        scene.flow = flow;
        let writer = PovWriter::new(&scene, &[]);
        let units = writer.units_per_metre();
        let found = components(&text(&writer, &frame).0);
        let field = |x: Real, y: Real| {
            found.iter().fold(0.0, |sum, [cx, cy, cz, r, s]| {
                let d2 = (x - cx) * (x - cx) + (y - cy) * (y - cy) + cz * cz;
                let w = (1.0 - d2 / (r * r)).max(0.0);
                sum + s * w * w
            })
        };
        let along = (40..440).map(|i| field(0.002 * Real::from(i) * units, 0.018 * units));
        along.fold(Real::INFINITY, Real::min)
    };
    assert!(least(true) > SLIME.look.threshold, "{}", least(true));
    assert!(least(false) < SLIME.look.threshold, "{}", least(false));
}

#[test]
fn a_covering_leaves_most_of_a_pile_out_but_never_its_skin() {
    let scene = scene(vec![material("snow", SNOW, 0.1)]);
    let mut frame = Frame::default();
    for i in 0..20 * 20 * 20 {
        let at = |k: usize| (i / k % 20) as Real * 0.15;
        add(&mut frame, [at(1), at(400), at(20)], 0.1, 0, Vec3::y());
    }
    let (text, stats) = text(&PovWriter::new(&scene, &[]), &frame);
    assert!(stats.buried > 4_000, "{stats:?}");
    // Each corner of the top is shown by a particle within a spacing of it.
    for corner in [[0.0, 0.0], [2.85, 0.0], [0.0, 2.85], [2.85, 2.85]] {
        let near = frame
            .position
            .iter()
            .zip(&frame.id)
            .filter(|(p, _)| (**p - Point3::new(corner[0], 2.85, corner[1])).norm() < 0.16);
        assert!(
            near.into_iter()
                .any(|(_, id)| text.contains(&format!("}}//{id}\n")))
        );
    }
}

#[test]
fn a_covering_does_not_depend_on_the_regions_in_which_it_is_worked_on() {
    let mut scene = scene(vec![material("snow", SNOW, 0.02)]);
    for (pile, spacing) in [(false, 1.1), (true, 2.1)] {
        scene.pile = pile;
        let writer = PovWriter::new(&scene, &[]);
        let mut frame = sheet((340.0 / spacing * 340.0 / spacing) as usize, 0.02, spacing);
        let (before, _) = text(&writer, &frame);
        // Regions are counted from the lowest corner of everything, which a lone particle moves.
        add(&mut frame, [-2.1, -1.3, -3.7], 0.02, 0, Vec3::y());
        let (after, stats) = text(&writer, &frame);
        let lone = format!("}}//{}", frame.len() - 1);
        let lines = |text: &str| -> Vec<String> {
            let balls = text
                .lines()
                .filter(|l| l.starts_with("sphere{") && !l.ends_with(&lone));
            balls.map(String::from).collect()
        };
        assert_eq!(lines(&before), lines(&after));
        assert!(stats.components > 5000, "{stats:?}");
    }
}

#[test]
fn many_particles_in_one_place_become_one() {
    let scene = scene(vec![material("snow", SNOW, 0.02)]);
    let mut frame = Frame::default();
    for i in 0..80_000 {
        let normal = if i % 2 == 0 { Vec3::y() } else { Vec3::zeros() };
        add(&mut frame, [1.0, 2.0, 3.0], 0.02, 0, normal);
    }
    let (text, stats) = text(&PovWriter::new(&scene, &[]), &frame);
    assert_eq!((stats.components, stats.spheres, stats.merged), (1, 1, 79_998));
    assert!(
        text.contains("//79998\n") && text.contains("//79999\n"),
        "the youngest stay"
    );
}

#[test]
fn what_povray_cannot_read_is_left_out_and_counted() {
    let scene = scene(vec![material("snow", SNOW, 0.02)]);
    let mut frame = Frame::default();
    for x in [Real::NAN, Real::INFINITY, 1e300, -1e15] {
        add(&mut frame, [x, 0.0, 0.0], 0.02, 0, Vec3::y());
        add(&mut frame, [0.0, 0.0, x], 0.02, 0, Vec3::zeros());
    }
    add(&mut frame, [0.0; 3], Real::NAN, 0, Vec3::y());
    add(&mut frame, [0.0; 3], 0.0, 0, Vec3::y());
    add(&mut frame, [0.0; 3], 0.02, 7, Vec3::y());
    add(&mut frame, [1e6, -1e6, 1e6], 0.02, 0, Vec3::y());
    let (text, stats) = text(&PovWriter::new(&scene, &[]), &frame);
    assert_eq!((stats.unwritable, stats.components), (11, 1));
    assert_eq!(check_lines(&text), 1);
}

#[test]
fn radii_of_ten_to_one_and_more_keep_small_particles_beside_large_ones() {
    let mut mud = material("mud", MUD, 0.1);
    mud.radius = RadiusLaw::Uniform { min: 0.02, max: 0.2 };
    let scene = scene(vec![mud]);
    let (mut frame, mut draw) = (Frame::default(), Draw(9));
    for _ in 0..4_000 {
        let r = 0.02 * libm::exp(2.3 * draw.next());
        add(
            &mut frame,
            [draw.next() * 9.0, r, draw.next() * 9.0],
            r,
            0,
            Vec3::y(),
        );
    }
    add(&mut frame, [40.0, 900.0, 0.0], 900.0, 0, Vec3::y());
    add(&mut frame, [-40.0, 1e-6, 0.0], 1e-6, 0, Vec3::y());
    let (text, stats) = text(&PovWriter::new(&scene, &[]), &frame);
    assert_eq!(sum(&stats), 4_002);
    assert!(text.contains("//4000\n"));
    check_lines(&text);
}

#[test]
fn the_scale_makes_components_large_enough() {
    for (radius, transmit, units) in [
        (1.0, 0.0, 1.0),
        (0.02, 0.0, 10.0),
        (0.005, 0.0, 100.0),
        (0.02, 0.5, 10.0),
    ] {
        let mut m = material("slime", SLIME, radius);
        m.look.transmit = transmit;
        let scene = scene(vec![m]);
        let writer = PovWriter::new(&scene, &[]);
        assert_eq!(writer.units_per_metre(), units, "radius {radius}");
        assert!(writer.remarks().is_empty());
    }
    let mut own = scene(vec![material("snow", SNOW, 0.01)]);
    own.output.scale = Some(1.0);
    assert_eq!(
        PovWriter::new(&own, &[]).remarks().len(),
        1,
        "a scale too small is remarked on"
    );
}

#[test]
fn names_become_identifiers_that_are_all_different() {
    let names = ["snow", "Snow", "été 1", "1", "", "sphere", "a\nb"];
    let materials: Vec<Material> = names.iter().map(|n| material(n, SNOW, 0.02)).collect();
    let scene = scene(materials);
    let writer = PovWriter::new(&scene, &[]);
    let mut stems: Vec<&str> = writer.materials.iter().map(|m| m.stem.as_str()).collect();
    assert!(
        stems
            .iter()
            .all(|s| s.starts_with(|c: char| c.is_ascii_uppercase()))
    );
    stems.sort_unstable();
    stems.dedup();
    assert_eq!(stems.len(), names.len());
}

#[test]
fn every_look_has_its_textures_and_light() {
    for family in [
        LookFamily::Snow,
        LookFamily::Slime,
        LookFamily::Mud,
        LookFamily::Oil,
    ] {
        for (transmit, color) in [(0.0, None), (0.5, None), (0.0, Some([0.2, 0.3, 0.4]))] {
            let mut m = material("x", SNOW, 0.02);
            (m.look.family, m.look.transmit, m.look.color) = (family, transmit, color);
            let scene = scene(vec![m]);
            let common = PovWriter::new(&scene, &[]).common_inc();
            for part in [
                "X_Threshold = 0.7",
                "X_Settled",
                "X_Flying",
                "right -x*image_width/image_height",
            ] {
                assert!(common.contains(part), "{family:?}: {part}");
            }
            assert_eq!(common.matches('{').count(), common.matches('}').count());
        }
    }
}
