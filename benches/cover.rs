//! A covering 25 layers deep, rained into a tub: what a particle costs from its birth to its place on the heap, how that
//! grows with their number, and what a second thread brings.
//!
//! `--quick` takes a tenth of the particles. Layers fall one a step, from a place above the finished covering.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::path::Path;
use std::time::Instant;

use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::{Group, Mesh};
use partsim::state::{Birth, State, Status};
use partsim::step::{Scratch, step};
use partsim::world::World;
use support::{Stream, cpu_seconds};

const RADIUS: Real = 0.01;
const LAYERS: usize = 25;
/// Speed of the fall [m/s].
const SPEED: Real = 2.0;
/// Height from which it rains [m]; the covering grows to half of it.
const HEIGHT: Real = 80.0 * RADIUS;
/// Pairs of runs with one thread and with two.
const PAIRS: usize = 5;
/// Steps after the last layer before a run counts as stuck.
const PATIENCE: usize = 240;

const SCENE: &str = r#"(
    meshes: [(file: "house.obj")],
    materials: { "grains": Snow(radius: 0.01, cohesion: 0) },
    pile: true,
    emitters: [(material: "grains", shape: Point(at: (0, 0, 0)), rate: 1, enabled: false)],
    time: (frames: 1, frame_rate: 24),
    limits: (kill_box: ((-1e3, -1e3, -1e3), (1e3, 1e3, 1e3)), audit: false),
)"#;

fn main() {
    let quick = std::env::args().any(|a| a == "--quick");
    let scale = if quick { 10 } else { 1 };
    let counts = [100_000, 300_000, 1_000_000].map(|n| n / scale);
    println!(
        "| particles | CPU s, one thread | us a particle | against {} | bytes a settled particle | slowest stage |",
        counts[0]
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    let one: Vec<Cover> = counts.iter().map(|&n| cover(n, 1)).collect();
    for c in &one {
        println!(
            "| {} | {:.2} | {:.1} | {:.1} | {:.0} | {} |",
            c.count,
            c.cpu,
            c.cpu * 1e6 / c.count as f64,
            c.cpu / one[0].cpu,
            c.bytes as f64 / c.count as f64,
            c.slowest()
        );
    }
    // In turn, so that both meet the same neighbours on the machine; the pair in the middle by what the second thread brings.
    let mut pairs: Vec<[Cover; 2]> = (0..PAIRS)
        .map(|_| [1, 2].map(|threads| cover(counts[1], threads)))
        .collect();
    pairs.sort_by(|[a, b], [c, d]| (a.wall / b.wall).total_cmp(&(c.wall / d.wall)));
    let [single, double] = &pairs[PAIRS / 2];
    println!(
        "\n| particles | wall s, one thread | wall s, two | faster by | simulated a landing, two threads | rounds |\n\
         | --- | --- | --- | --- | --- | --- |"
    );
    println!(
        "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
        single.count,
        single.wall,
        double.wall,
        single.wall / double.wall,
        double.simulated[0] as f64 / single.simulated[0] as f64,
        double.simulated[1],
    );
    println!("\n| stage | wall s, one thread | two |\n| --- | --- | --- |");
    for (a, b) in single.stages.iter().zip(&double.stages) {
        println!("| {} | {:.3} | {:.3} |", a.0, a.1, b.1);
    }
}

/// What a covering took.
struct Cover {
    count: usize,
    cpu: f64,
    wall: f64,
    bytes: usize,
    /// Landings, those that were thrown away included, and rounds of them.
    simulated: [u64; 2],
    stages: Vec<(&'static str, f64)>,
}

impl Cover {
    fn slowest(&self) -> String {
        let all: f64 = self.stages.iter().map(|s| s.1).sum();
        let slowest = self.stages.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        slowest.map_or_else(String::new, |s| format!("{} ({:.0} %)", s.0, 100.0 * s.1 / all))
    }
}

fn cover(count: usize, threads: usize) -> Cover {
    let half = RADIUS * (count as Real / LAYERS as Real).sqrt();
    let world = world(half);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a thread pool");
    let (mut state, mut scratch) = (State::default(), Scratch::default());
    let mut draws = Stream(count as u64 + 11);
    let mut steps = 0;
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    while steps < LAYERS || state.particles.status.iter().any(|s| !s.is_settled()) {
        if steps < LAYERS {
            let layer = count * (steps + 1) / LAYERS - count * steps / LAYERS;
            rain(&mut state, &world, layer, half - RADIUS, &mut draws);
        }
        pool.install(|| step(&world, &mut state, &mut scratch));
        steps += 1;
        assert!(steps < LAYERS + PATIENCE, "it does not come to rest");
    }
    let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
    let settled = state
        .particles
        .status
        .iter()
        .filter(|s| **s == Status::Rested)
        .count();
    assert_eq!((settled, state.tally.lost), (count, 0), "{:?}", state.tally);
    Cover {
        count,
        cpu,
        wall,
        bytes: scratch.heap_bytes() + state.particles.bytes(),
        simulated: scratch.simulated(),
        stages: scratch.seconds(),
    }
}

/// One layer of births over the tub.
fn rain(state: &mut State, world: &World, count: usize, half: Real, draws: &mut Stream) {
    let thick = SPEED * world.step;
    for _ in 0..count {
        let [x, y, z] = draws.cube(1.0);
        let id = state.tally.born;
        let birth = Birth {
            position: Point3::new(half * x, HEIGHT + 0.5 * thick * (1.0 + y), half * z),
            velocity: Vec3::new(0.0, -SPEED, 0.0),
            radius: RADIUS,
            material: 0,
            time: state.step as Real * world.step,
            key: id,
        };
        state.particles.push(id, &birth);
        state.tally.born += 1;
    }
}

/// A floor and four walls.
fn world(half: Real) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/bench.ron");
    let scene = partsim::scene::parse(SCENE, &path).expect("a good scene");
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { half } else { -half };
        Point3::new(side(0), if i >> 2 & 1 == 1 { 2.0 * HEIGHT } else { 0.0 }, side(1))
    };
    let quads = [
        [0, 2, 3, 1],
        [0, 1, 5, 4],
        [1, 3, 7, 5],
        [3, 2, 6, 7],
        [2, 0, 4, 6],
    ];
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .collect();
    let mesh = Mesh {
        group_of: vec![0; triangles.len()],
        groups: vec![Group {
            name: String::new(),
            surface: None,
        }],
        vertices: (0..8).map(corner).collect(),
        triangles,
        ..Mesh::default()
    };
    World::assemble(&scene, vec![mesh]).expect("a good world").0
}
