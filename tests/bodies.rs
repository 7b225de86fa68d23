//! Bodies in a run: they fall, stay out of each other, carry what lands on them, and mistakes are told.

use std::path::{Path, PathBuf};

use partsim::motion::Moved;
use partsim::scene;
use partsim::state::State;
use partsim::step::{Scratch, step};
use partsim::world::World;

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

fn world(meshes: &str, rest: &str) -> Result<World, String> {
    let text = format!(
        r#"(
    meshes: [{meshes}],
    materials: {{ "snow": Snow(radius: 0.02) }},
    emitters: [(material: "snow", shape: Box(min: (-0.3, 1.6, -0.3), max: (0.3, 1.8, 0.3)), count: 200, start: 1.0, velocity: (0, -2, 0))],
    {rest}
)"#
    );
    let scene = scene::parse(&text, &assets().join("bodies.ron")).map_err(|e| e.to_string())?;
    World::build(&scene).map(|w| w.0).map_err(|e| e.to_string())
}

const FLOOR: &str = r#"(name: "floor", file: "stage.obj")"#;

#[test]
fn a_crate_falls_lies_still_and_carries_snow() {
    let meshes = format!(
        r#"{FLOOR}, (name: "crate", file: "crate.obj", translate: (0, 0.7, 0), motion: Rigid(fill: 0.05, restitution: 0))"#
    );
    let world = world(&meshes, "time: (frames: 60, frame_rate: 24)").expect("a good world");
    let fates = world.fates.expect("bodies");
    assert_eq!((fates.rigid, fates.asleep), (1, 1));
    let Some(Moved::Whole(track)) = &world.moved[1] else {
        panic!("a body moves as a whole")
    };
    let height = |time: f64| track.instant(time).pose.center().y;
    // Free fall, then its half height.
    let fallen = 0.5 * 9.81 / 144.0;
    let after = height(1.0 / 12.0);
    assert!((after - (0.7 - fallen)).abs() < 1e-9, "{after}");
    assert!((height(2.4) - 0.4).abs() < 1e-3, "{}", height(2.4));
    let (mut state, mut scratch) = (State::default(), Scratch::default());
    (0..60).for_each(|_| step(&world, &mut state, &mut scratch));
    let on_top = state
        .particles
        .position
        .iter()
        .filter(|p| p.y > 0.75 && p.y < 0.9)
        .count();
    assert!(on_top > 150, "{on_top} on the crate");
    assert_eq!(state.tally.escapes, 0);
}

#[test]
fn a_jelly_keeps_its_shape_at_rest_and_bends_when_it_lands() {
    let meshes = format!(
        r#"{FLOOR}, (name: "jelly", file: "jelly.obj", translate: (0, 0.3, 0), motion: Elastic(cell: 0.1, young: 5e4))"#
    );
    let world = world(&meshes, "time: (frames: 48, frame_rate: 24)").expect("a good world");
    let Some(Moved::Corners(morph)) = &world.moved[1] else {
        panic!("it changes its shape")
    };
    let heights = |time: f64| {
        let shape = morph.at(time);
        let of = |f: fn(f64, f64) -> f64, from: f64| shape.iter().map(|p| p.y).fold(from, f);
        (of(f64::min, f64::INFINITY), of(f64::max, 0.0))
    };
    let (low, high) = heights(0.0);
    assert!((low - 0.3).abs() < 1e-9 && (high - 1.0).abs() < 1e-9);
    let squashed = (0..48)
        .map(|k| heights(f64::from(k) / 24.0).1)
        .fold(f64::INFINITY, f64::min);
    assert!(squashed < 0.66, "{squashed}");
    let (low, high) = heights(2.0);
    assert!(low > -0.02 && (0.6..0.72).contains(&high), "{low} {high}");
}

#[test]
fn what_is_no_body_is_told() {
    let told = |mesh: &str, part: &str| match world(mesh, "time: (frames: 2)") {
        Err(text) => assert!(text.contains(part), "{text}"),
        Ok(_) => panic!("{mesh} was taken"),
    };
    told(
        r#"(name: "a", file: "crate.obj", motion: Rigid(fill: 0.0001))"#,
        "more than",
    );
    told(
        r#"(name: "a", file: "crate.obj", motion: Elastic(cell: 3))"#,
        "meshes[0].motion",
    );
    told(
        r#"(name: "a", file: "crate.obj", motion: Rigid(fill: -1))"#,
        "expected a number > 0 [m]",
    );
    let carried = r#"(name: "lift", file: "stage.obj", motion: Spin(axis: (0, 1, 0), deg_per_s: 9)), (name: "a", file: "crate.obj", carried_by: "lift", motion: Rigid(fill: 0.05))"#;
    told(carried, "carried");
}
