//! Bodies in a run: they fall, stay out of each other, carry what lands on them, and mistakes are told.

use std::path::{Path, PathBuf};

use partsim::compare;
use partsim::math::{Aabb, Point3, Vec3};
use partsim::motion::{Moved, Piece};
use partsim::preview::{Seen, Size, Stage};
use partsim::progress::ProgressMode;
use partsim::run::{RunOptions, run};
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

/// Places of the vertices of a mesh that moves in pieces.
fn pieces_at(world: &World, number: usize, time: f64) -> Vec<Vec<Point3>> {
    let Some(Moved::Pieces(pieces)) = &world.moved[number] else {
        panic!("it moves in pieces")
    };
    let mesh = &world.meshes[number];
    let places = |piece: &Piece| {
        let pose = piece.track.pose(time);
        let corners = mesh.triangles[piece.triangles.clone()].iter().flatten();
        corners
            .map(|&v| pose.to_world(&mesh.vertices[v as usize]))
            .collect()
    };
    pieces.iter().map(places).collect()
}

#[test]
fn a_column_that_topples_breaks_and_its_parts_lie_on_the_floor() {
    let column = |breaks: &str| {
        format!(
            r#"{FLOOR}, (name: "column", file: "shaft.obj", translate: (0, 1.501, 0), scale: (0.6, 1, 0.6),
            motion: Rigid(fill: 0.08, density: 2400, spin_deg_per_s: (0, 0, -90), velocity: (1, 0, 0), breaks: {breaks}))"#
        )
    };
    let time = "time: (frames: 72, frame_rate: 24)";
    let broken = world(&column("(impulse: 1500, pieces: 10)"), time).expect("a good world");
    let fates = broken.fates.expect("bodies");
    assert!(fates.broken > 0 && fates.parts > 2 && fates.rigid == 1, "{fates}");
    assert!(fates.to_string().contains("links broke"), "{fates}");
    let (first, last) = (pieces_at(&broken, 1, 0.0), pieces_at(&broken, 1, 3.0));
    let all = |pieces: &[Vec<Point3>]| pieces.concat().iter().fold(Aabb::EMPTY, |b, p| b.grow(p));
    let (at_first, at_last) = (all(&first), all(&last));
    assert!(
        (at_first.extent() - Vec3::new(0.6, 3.0, 0.6)).norm() < 1e-6,
        "{at_first:?}"
    );
    assert!(at_last.min.y > -0.1 && at_last.max.y < 1.2, "{at_last:?}");
    // Pieces keep their shape.
    for (a, b) in first.iter().zip(&last) {
        for k in (1..a.len()).step_by(17) {
            assert!(((a[k] - a[0]).norm() - (b[k] - b[0]).norm()).abs() < 1e-9);
        }
    }
    let whole = world(&column("(impulse: 1e7)"), time).expect("a good world");
    let fates = whole.fates.expect("bodies");
    assert_eq!((fates.broken, fates.parts), (0, 1));
    let pieces = pieces_at(&whole, 1, 3.0);
    assert!(pieces.len() > 8 && all(&pieces).diagonal() > 3.0);
}

#[test]
fn a_lift_carries_a_crate_and_a_wall_that_moves_pushes_it() {
    let meshes = format!(
        r#"{FLOOR},
        (name: "lift", file: "crate.obj", translate: (0, 0.41, 0), motion: Keys(translate: [(0.5, (0, 0, 0)), (1.5, (0, 1, 0))])),
        (name: "on_it", file: "crate.obj", translate: (0.1, 1.22, 0), rotate_deg: (0, 20, 0), motion: Rigid(fill: 0.1, restitution: 0)),
        (name: "wall", file: "crate.obj", translate: (-3, 0.41, 2), motion: Keys(translate: [(0.2, (0, 0, 0)), (1.7, (1.5, 0, 0))])),
        (name: "pushed", file: "crate.obj", translate: (-2, 0.401, 2), motion: Rigid(fill: 0.1, restitution: 0, friction: 0.8)),
        (name: "soft", file: "jelly.obj", translate: (0, 0.01, 2), motion: Elastic(cell: 0.12, young: 5e4)),
        (name: "pusher", file: "crate.obj", translate: (1.2, 0.41, 2), motion: Keys(translate: [(0.5, (0, 0, 0)), (1.5, (-0.5, 0, 0))]))"#
    );
    let world = world(&meshes, "time: (frames: 48, frame_rate: 24)").expect("a good world");
    let center = |number: usize, time: f64| match &world.moved[number] {
        Some(Moved::Whole(track)) => track.pose(time).center(),
        _ => panic!("it moves as a whole"),
    };
    let lifted = center(2, 2.0);
    assert!(
        (lifted.y - 2.21).abs() < 0.02 && (lifted.x - 0.1).abs() < 0.02,
        "{lifted}"
    );
    let pushed = center(4, 2.0);
    assert!((pushed.x - (-3.0 + 1.5 + 0.8)).abs() < 0.1, "{pushed}");
    let Some(Moved::Corners(morph)) = &world.moved[5] else {
        panic!("it changes its shape")
    };
    // Beside the panel of what pushes, which ends at x = 0.34, only the lowest cubes may have slipped.
    let shape = morph.at(2.0);
    let right = shape
        .iter()
        .filter(|p| p.y > 0.15 && (p.z - 2.0).abs() < 0.25)
        .map(|p| p.x)
        .fold(f64::NEG_INFINITY, f64::max);
    assert!((0.0..0.4).contains(&right), "{right}");
}

#[test]
fn elastic_and_rigid_bodies_hold_each_other() {
    let meshes = format!(
        r#"{FLOOR},
        (name: "below", file: "jelly.obj", translate: (0, 0.01, 0), motion: Elastic(cell: 0.12, young: 6e4, damping: 0.3)),
        (name: "on_it", file: "crate.obj", translate: (0.0, 1.2, 0), scale: 0.8, motion: Rigid(fill: 0.04, density: 300)),
        (name: "lower", file: "jelly.obj", translate: (2.5, 0.01, 0), motion: Elastic(cell: 0.12, young: 6e4, damping: 0.3)),
        (name: "upper", file: "jelly.obj", translate: (2.5, 0.75, 0), scale: 0.7, motion: Elastic(cell: 0.1, young: 6e4, damping: 0.3))"#
    );
    let world = world(&meshes, "time: (frames: 72, frame_rate: 24)").expect("a good world");
    let Some(Moved::Whole(track)) = &world.moved[2] else {
        panic!("it moves as a whole")
    };
    let heights: Vec<f64> = (48..72)
        .map(|k| track.pose(f64::from(k) / 24.0).center().y)
        .collect();
    // On the jelly, which gives in by its weight, and at rest there.
    let (low, high) = (
        heights.iter().copied().fold(f64::INFINITY, f64::min),
        heights.iter().copied().fold(0.0, f64::max),
    );
    assert!(low > 0.85 && high < 1.05 && high - low < 0.05, "{low} to {high}");
    // The upper jelly stands on the lower one for a while, and neither is in the floor by more than a skin hangs out of cubes.
    let heights = |number: usize| match &world.moved[number] {
        Some(Moved::Corners(morph)) => {
            let shape = morph.at(0.5);
            let lowest = shape.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            (
                lowest,
                shape.iter().map(|p| p.y).sum::<f64>() / shape.len() as f64,
            )
        }
        _ => panic!("it changes its shape"),
    };
    let (lower, upper) = (heights(3), heights(4));
    assert!(lower.0 > -0.06 && lower.1 > 0.25, "{lower:?}");
    assert!(upper.0 > 0.3 && upper.1 > 0.6, "{upper:?}");
}

#[test]
fn frames_show_bodies_as_blobs_and_pieces_by_themselves() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = |name: &str| assets().join(name).display().to_string().replace('\\', "/");
    let text = format!(
        r#"(
    meshes: [
        (name: "floor", file: "{floor}"),
        (name: "lump", file: "{jelly}", translate: (-1, 0.2, 0), motion: Elastic(cell: 0.15, draw: Blob, yields: 0.05, young: 4e4)),
        (name: "box", file: "{crated}", translate: (1, 0.6, 0), motion: Rigid(fill: 0.1, draw: Blob)),
        (name: "slab", file: "{crated}", translate: (3, 0.6, 0), motion: Rigid(fill: 0.1, draw: Blob, breaks: (impulse: 10, pieces: 4))),
        (name: "brick", file: "{shaft}", translate: (-3, 1.8, 0), scale: 0.5, motion: Rigid(fill: 0.06, breaks: (impulse: 10, pieces: 5))),
    ],
    materials: {{ "snow": Snow(radius: 0.05) }},
    emitters: [(material: "snow", shape: Box(min: (-2, 1, -2), max: (2, 1.2, 2)), count: 30, stop: 0.1, velocity: (0, -3, 0))],
    time: (frames: 6, frame_rate: 12, steps_per_frame: 4),
    camera: (eye: (0, 4, 8), target: (0, 0.5, 0)),
)"#,
        floor = file("stage.obj"),
        jelly = file("jelly.obj"),
        crated = file("crate.obj"),
        shaft = file("shaft.obj")
    );
    let path = dir.path().join("scene.ron");
    fs_err::write(&path, text).expect("a temporary file");
    let out = dir.path().join("out");
    let options = RunOptions {
        scene: path,
        out: Some(out.clone()),
        frames: None,
        threads: Some(2),
        seed: None,
        collision: None,
        progress: ProgressMode::Never,
        stats: None,
        resume: false,
        checkpoint_every: f64::INFINITY,
        shard: None,
        preview: false,
    };
    let report = run(&options).expect("a good run").to_string();
    assert!(report.contains("links broke"), "{report}");
    let mesh = fs_err::read_to_string(out.join("mesh.inc")).expect("mesh.inc");
    for part in [
        "#macro Body_Ball",
        "#declare Mesh_3_Box =",
        "#declare Mesh_4_Slab_1 =",
        "#declare Mesh_5_Brick_5 =",
    ] {
        assert!(mesh.contains(part), "no {part}");
    }
    let blob_of = |name: &str| {
        let text = mesh
            .split(&format!("#declare {name} ="))
            .nth(1)
            .expect("it is declared");
        let text = text.split("#declare").next().unwrap_or("");
        (text.contains("mesh2"), text.matches("Body_Ball(").count())
    };
    // Particles at the surface of a crate of eight by eight by eight less the middle six by six by six, less its rims.
    assert!(!blob_of("Mesh_3_Box").0);
    assert!(blob_of("Mesh_3_Box").1 > 30, "{:?}", blob_of("Mesh_3_Box"));
    let of_pieces: usize = (1..=3).map(|k| blob_of(&format!("Mesh_4_Slab_{k}")).1).sum();
    assert!(
        of_pieces > 20 && blob_of("Mesh_5_Brick_1") == (true, 0),
        "{of_pieces}"
    );
    let frame = fs_err::read_to_string(out.join("frame_000006.pov")).expect("a frame");
    assert!(frame.contains("object{Mesh_4_Slab_2 matrix<") && frame.contains("object{Mesh_3_Box matrix<"));
    assert!(
        frame.matches("Body_Ball(").count() > 20,
        "the lump stands in the frame"
    );
    assert!(compare::verify(&out).expect("a run folder").is_complete());
    // The preview shows them: the surfaces of five meshes, one of them in five pieces and one in three or four.
    let stage = Stage::read(&out).expect("a run folder");
    let size = Size {
        width: 160,
        height: 90,
    };
    let shot = stage.shoot(&out, frame.as_bytes(), size).expect("a picture");
    let mut seen: Vec<u32> = shot
        .seen
        .iter()
        .filter_map(|s| if let Seen::Scenery(n) = s { Some(*n) } else { None })
        .collect();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() >= 6, "{seen:?}");
}
