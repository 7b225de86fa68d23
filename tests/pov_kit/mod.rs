//! Scenes by hand, and POV-Ray as a measuring instrument. Knows nothing of what is being tested.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::Path;
use std::process::Command;

use partsim::frame::Frame;
use partsim::material::{Material, Preset, RadiusLaw};
use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::{Group, Mesh, Surface};
use partsim::scene::{
    Camera, Collision, Light, Limits, MeshCollider, MeshSpec, Output, Response, Scene, Time, UpAxis,
};
use partsim::write::pov::PovWriter;
use partsim::write::{FrameStats, FrameWriter};

/// A scene of one material, "stuff", and no meshes.
pub fn scene(preset: Preset, radius: Real, camera: Camera) -> Scene {
    Scene {
        path: "by_hand.ron".into(),
        meshes: Vec::new(),
        materials: vec![Material {
            name: "stuff".into(),
            radius: RadiusLaw::Constant(radius),
            contact: preset.contact,
            substance: preset.substance,
            look: preset.look,
        }],
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
        camera: Some(camera),
        light: Light::default(),
        output: Output {
            scale: None,
            width: 320,
            height: 240,
            particles: false,
            share: false,
        },
    }
}

/// A camera.
pub fn looking(eye: [Real; 3], target: [Real; 3], angle_deg: Real) -> Camera {
    Camera {
        eye: eye.into(),
        target: target.into(),
        angle_deg,
    }
}

/// A mesh that stands as it is.
pub fn spec(name: &str) -> MeshSpec {
    MeshSpec {
        name: name.into(),
        file: format!("{name}.obj").into(),
        unit: 1.0,
        up: UpAxis::Y,
        scale: Vec3::repeat(1.0),
        rotate_deg: Vec3::zeros(),
        translate: Vec3::zeros(),
        collider: MeshCollider::Exact,
        response: Response::Material,
        groups: Vec::new(),
        motion: None,
        carried_by: None,
    }
}

/// A flat rectangle at height 0 that shines in one colour.
pub fn shining(x: [Real; 2], z: [Real; 2], color: [Real; 3]) -> Mesh {
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

/// Adds a particle.
pub fn add(frame: &mut Frame, p: [Real; 3], radius: Real, normal: Vec3) {
    frame.id.push(frame.id.len() as u64);
    frame.position.push(p.into());
    frame.radius.push(radius);
    frame.material.push(0);
    frame.normal.push(normal);
}

/// A covering of the square -half .. half: `layers` layers with one particle in each cell of a jittered grid.
pub fn covering(half: Real, radius: Real, spacing: Real, layers: usize) -> Frame {
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
pub fn write(folder: &Path, scene: &Scene, meshes: &[Mesh], frame: &Frame) -> (String, FrameStats) {
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
pub fn put(folder: &Path, name: &str, text: &[u8]) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// What POV-Ray says on standard error; it must succeed.
pub fn povray(folder: &Path, input: &str, width: u32, height: u32) -> String {
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
pub fn picture(folder: &Path, input: &str) -> Vec<[u8; 3]> {
    povray(folder, input, 320, 240);
    let bytes = fs_err::read(folder.join("out.ppm")).unwrap();
    // The header has comments of unknown length; the pixels are the last of the file.
    let start = bytes.len() - 320 * 240 * 3;
    bytes[start..]
        .chunks_exact(3)
        .map(|p| [p[0], p[1], p[2]])
        .collect()
}
