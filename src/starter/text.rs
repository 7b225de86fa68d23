//! The text of a first scene: every key with a remark that says what to change it for.

use super::plan::Plan;
use super::{Cover, rounded};
use crate::math::{Point3, Real};
use crate::scene::{Camera, UpAxis};

/// What things are called.
pub struct Names {
    /// The model.
    pub model: String,
    /// Its file, from the scene's folder.
    pub file: String,
    /// The scene file, as the user types it.
    pub scene: String,
    /// The run folder.
    pub run: String,
    /// The ground's file.
    pub ground: String,
}

/// Digits of places: finer than a pixel of any picture.
const DIGITS: i32 = 5;

/// A number with so many significant digits, without exponent.
pub fn number(value: Real, digits: i32) -> String {
    let value = rounded(value, digits);
    // A negative zero looks like a mistake.
    if value == 0.0 {
        "0".into()
    } else {
        format!("{value}")
    }
}

/// The whole text; without a camera the program would frame the picture by itself.
pub fn scene(plan: &Plan, names: &Names, camera: Option<&Camera>) -> String {
    let parts = [
        head(plan, names),
        meshes(plan, names),
        materials(plan),
        emitters(plan),
        time(),
        camera.map_or_else(String::new, |c| view(c, plan)),
        light(plan),
        more(plan),
    ];
    format!("{})\n", parts.concat())
}

fn head(plan: &Plan, names: &Names) -> String {
    let what = match plan.cover {
        Cover::Snow => "under fresh snow",
        Cover::Slime => "covered with slime",
        Cover::Mud => "covered with mud",
    };
    let model: String = names
        .model
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!(
        "// {model} {what}: one picture. Every number may be changed; lengths are in metres, y points up.\n\
         //     partsim run {}\n\
         //     ./render.sh {}\n\
         (\n",
        names.scene,
        printable(&names.run)
    )
}

fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn meshes(plan: &Plan, names: &Names) -> String {
    let [x, y, z] = [plan.size.x, plan.size.y, plan.size.z].map(|s| number(s, 3));
    let up = match plan.up {
        UpAxis::Y => "Y",
        UpAxis::Z => "Z",
    };
    let ground = match &plan.ground {
        Some(_) => format!(
            "        // A level ground under it. Delete this line to cover the model alone.\n        \
             (name: \"ground\", file: {:?}),\n",
            names.ground
        ),
        None => String::new(),
    };
    format!(
        "    // The model: {x} m wide, {y} m high, {z} m deep. If that is wrong, its file is in another unit, or lies on\n    \
         // its side: delete this scene and call `partsim new` with --unit or --up, and all the rest will fit.\n    \
         meshes: [\n        \
         (name: {:?}, file: {:?}, unit: {}, up: {up}),\n{ground}    ],\n\n",
        names.model, names.file, plan.unit
    )
}

fn materials(plan: &Plan) -> String {
    let [preset, name] = plan.cover.words();
    format!(
        "    // Particles of this radius. For a finer covering halve it and double both numbers of `count` below.\n    \
         materials: {{ \"{name}\": {preset}(radius: {}) }},\n\n",
        number(plan.radius, 3)
    )
}

fn emitters(plan: &Plan) -> String {
    let [_, name] = plan.cover.words();
    let size = plan.size.norm();
    // Places are rounded by the size of the model, so that none has more digits than it needs.
    let [x, y, z] = [plan.origin.x, plan.origin.y, plan.origin.z].map(|v| place(v, size));
    let [u, v] = plan.sides.map(|s| place(s, size));
    format!(
        "    // A sheet of them over everything, one in each cell, shaken so that no pattern shows; it falls straight down.\n    \
         emitters: [\n        (\n            \
         name: \"sky\",\n            \
         material: \"{name}\",\n            \
         shape: Grid(origin: ({x}, {y}, {z}), u: ({u}, 0, 0), v: (0, 0, {v}), count: ({}, {}), jitter: 0.6),\n            \
         velocity: (0, -{}, 0),\n        ),\n    ],\n\n",
        plan.count[0],
        plan.count[1],
        number(plan.speed, 2)
    )
}

fn time() -> String {
    "    // One picture, a second after the start: all has landed by then. For a film raise `frames` and `frame_rate`, and\n    \
     // let particles come one after the other: `rate: 20000` instead of a sheet at once, `shape: Box(min: .., max: ..)`.\n    \
     time: (frames: 1, frame_rate: 1),\n\n"
        .into()
}

fn view(camera: &Camera, plan: &Plan) -> String {
    let size = plan.size.norm();
    let at = |p: &Point3| {
        let [x, y, z] = [p.x, p.y, p.z].map(|v| place(v, size));
        format!("({x}, {y}, {z})")
    };
    format!(
        "    // From here the whole model is seen. A smaller angle comes nearer.\n    \
         camera: (eye: {}, target: {}, angle_deg: {}),\n",
        at(&camera.eye),
        at(&camera.target),
        number(camera.angle_deg, 4)
    )
}

fn light(plan: &Plan) -> String {
    let [azimuth, elevation] = match plan.cover {
        Cover::Snow => [60, 30],
        Cover::Slime => [60, 38],
        Cover::Mud => [70, 34],
    };
    format!(
        "    // The sun, so many degrees to the left of the camera and above the horizon. `soft: true` blurs its shadows.\n    \
         light: (sun_azimuth_deg: {azimuth}, sun_elevation_deg: {elevation}),\n    \
         // The shape of the picture that the camera is framed for; render.sh has --size.\n    \
         output: (width: 1280, height: 720),\n\n"
    )
}

fn more(plan: &Plan) -> String {
    match plan.cover {
        Cover::Snow => "    // With `pile: true` what falls heaps up: caps, drifts and bridges, if you let more of it fall.\n",
        Cover::Slime | Cover::Mud => "    // With `flow: true` what has landed flows: runs, puddles and drops. It needs time: `frames: 48, frame_rate: 24`.\n",
    }
    .into()
}

/// A place, with digits for the size of the model.
fn place(value: Real, size: Real) -> String {
    let exponent = libm::floor(libm::log10(size.max(Real::MIN_POSITIVE))) as i32;
    let decimals = DIGITS - 1 - exponent;
    if value.abs() < libm::exp10(Real::from(-decimals)) {
        return "0".into();
    }
    let own = libm::floor(libm::log10(value.abs())) as i32;
    number(value, (own + decimals + 1).clamp(1, 15))
}
