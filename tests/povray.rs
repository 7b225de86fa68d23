//! What POV-Ray itself makes of the frames: they parse, have no holes or seams, true sizes, and no mirror.

use std::path::Path;
use std::process::Command;

use partsim::frame::Frame;
use partsim::material::{MUD, Material, OIL, Preset, RadiusLaw, SLIME, SNOW};
use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::{Group, Mesh, Surface};
use partsim::scene::{Camera, Collision, Light, Limits, MeshSpec, Output, Response, Scene, Time, UpAxis};
use partsim::write::pov::PovWriter;
use partsim::write::{FrameStats, FrameWriter};

fn scene(preset: Preset, radius: Real, camera: Camera) -> Scene {
    Scene {
        path: "by_hand.ron".into(),
        meshes: Vec::new(),
        materials: vec![Material {
            name: "stuff".into(),
            radius: RadiusLaw::Constant(radius),
            contact: preset.contact,
            look: preset.look,
        }],
        emitters: Vec::new(),
        gravity: Vec3::zeros(),
        forces: Vec::new(),
        time: Time {
            frames: 1,
            frame_rate: 25.0,
            steps_per_frame: 1,
        },
        collision: Collision::Exact,
        seed: 1,
        limits: Limits {
            contacts_per_step: 32,
            kill_box: None,
            particles: 1 << 32,
            audit: true,
        },
        camera: Some(camera),
        light: Light::default(),
        output: Output {
            scale: None,
            width: 320,
            height: 240,
        },
    }
}

fn looking(eye: [Real; 3], target: [Real; 3], angle_deg: Real) -> Camera {
    Camera {
        eye: eye.into(),
        target: target.into(),
        angle_deg,
    }
}

fn spec(name: &str) -> MeshSpec {
    MeshSpec {
        name: name.into(),
        file: format!("{name}.obj").into(),
        unit: 1.0,
        up: UpAxis::Y,
        scale: Vec3::repeat(1.0),
        rotate_deg: Vec3::zeros(),
        translate: Vec3::zeros(),
        response: Response::Material,
        groups: Vec::new(),
    }
}

/// A flat rectangle at height 0 that shines in one colour.
fn shining(x: [Real; 2], z: [Real; 2], color: [Real; 3]) -> Mesh {
    let corner = |i: usize, k: usize| Point3::new(x[i], 0.0, z[k]);
    Mesh {
        vertices: vec![corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)],
        triangles: vec![[0, 2, 1], [0, 3, 2]],
        group_of: vec![0, 0],
        groups: vec![Group {
            name: "shining".into(),
            surface: Some(Surface {
                diffuse: [0.0; 3],
                specular: [0.0; 3],
                emission: color,
                shininess: 0.0,
                opacity: 1.0,
                ior: 1.0,
                diffuse_map: None,
                bump_map: None,
            }),
        }],
        ..Mesh::default()
    }
}

fn add(frame: &mut Frame, p: [Real; 3], radius: Real, normal: Vec3) {
    frame.id.push(frame.id.len() as u64);
    frame.position.push(p.into());
    frame.radius.push(radius);
    frame.material.push(0);
    frame.normal.push(normal);
}

/// A covering of the square -half .. half: `layers` layers with one particle in each cell of a jittered grid.
fn covering(half: Real, radius: Real, spacing: Real, layers: usize) -> Frame {
    let mut x = 5u64;
    let mut draw = || {
        x = x
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (x >> 11) as Real / (1u64 << 53) as Real
    };
    let cells = (2.0 * half / (spacing * radius)) as usize;
    let mut frame = Frame {
        number: 1,
        ..Frame::default()
    };
    for layer in 0..layers {
        for i in 0..cells * cells {
            let at = |k: usize, jitter: Real| -half + (k as Real + jitter) * spacing * radius;
            let y = radius * (1.0 + layer as Real * 1.2 + 0.3 * draw());
            add(
                &mut frame,
                [at(i % cells, draw()), y, at(i / cells, draw())],
                radius,
                Vec3::y(),
            );
        }
    }
    frame
}

/// Writes frame and include files into `folder`; gives the text of the frame.
fn write(folder: &Path, scene: &Scene, meshes: &[Mesh], frame: &Frame) -> (String, FrameStats) {
    let writer = PovWriter::new(scene, meshes);
    let mut text = Vec::new();
    let stats = writer.write(frame, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut mesh = Vec::new();
    writer.mesh_inc(&mut mesh).unwrap();
    put(folder, "mesh.inc", &mesh);
    put(folder, "common.inc", writer.common_inc().as_bytes());
    put(folder, "frame_000001.pov", text.as_bytes());
    (text, stats)
}

#[allow(
    clippy::disallowed_methods,
    reason = "a temporary folder has no half files to fear"
)]
fn put(folder: &Path, name: &str, text: &[u8]) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// What POV-Ray says on standard error; it must succeed.
fn povray(folder: &Path, input: &str, width: u32, height: u32) -> String {
    let output = Command::new("povray")
        .current_dir(folder)
        .args([input, "-D", "-V", "-GR", "-GS", "+FP8", "+Oout.ppm", "+WT2"])
        .args([format!("+W{width}"), format!("+H{height}")])
        .output()
        .expect("these tests need POV-Ray 3.7: install `povray` so that it can be started from PATH");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "povray {input} failed:\n{said}");
    said
}

/// The picture, 320 x 240 pixels, row by row.
fn picture(folder: &Path, input: &str) -> Vec<[u8; 3]> {
    povray(folder, input, 320, 240);
    let bytes = fs_err::read(folder.join("out.ppm")).unwrap();
    // The header has comments of unknown length; the pixels are the last of the file.
    let start = bytes.len() - 320 * 240 * 3;
    bytes[start..]
        .chunks_exact(3)
        .map(|p| [p[0], p[1], p[2]])
        .collect()
}

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
fn a_lone_particle_is_drawn_with_its_own_radius() {
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

#[test]
fn an_empty_frame_renders() {
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
fn a_million_and_one_particles_parse() {
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
