//! First touches beside those of parry3d, the collision library of Rust games, in the same run: rows of Markdown.
//!
//! parry3d works in `f32` with tolerances in metres, so it gets every length times 100: it is right then, and slower
//! than where it stops too early. It answers a sample of each set.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use parry3d::math::{Pose, Vector};
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::{Ball, TriMesh};
use partsim::collide::mesh::StaticMesh;
use partsim::collide::{Collider, Sweep};
use partsim::math::Vec3;
use partsim::scene::Collision;
use support::sets::{self, SETS, Soup};
use support::{median_of, sort_by_place};

const REPEATS: usize = 5;
const SCALE: f64 = 100.0;

fn main() {
    let folder = std::env::var_os("PEERS_DATA").map(std::path::PathBuf::from);
    println!(
        "| set | triangles | hits % | partsim ns | sorted by place | parry3d ns | times | other answers of 1,000 |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for kind in SETS.into_iter().filter(|kind| kind.0 != "overlap") {
        let set = folder
            .as_ref()
            .map_or_else(|| sets::make(kind), |folder| sets::read(folder, kind));
        let world = StaticMesh::new(set.soup.vertices.clone(), &set.soup.triangles, Collision::Exact);
        let mut sorted = set.sweeps.clone();
        let ours = partsim(&world, &set.sweeps);
        let in_order = median_of(REPEATS, || {
            sorted.clone_from(&set.sweeps);
            sort_by_place(&mut sorted);
            answer(&world, &sorted);
        });
        let in_order = in_order.0 * 1e9 / sorted.len() as f64;
        let sample = if set.name.starts_with("big") { 1000 } else { 10_000 };
        let sample: Vec<Sweep> = set
            .sweeps
            .iter()
            .step_by(set.sweeps.len() / sample)
            .copied()
            .collect();
        let (parry, theirs) = parry(&set.soup, &sample);
        let own: Vec<Option<f64>> = sample
            .iter()
            .map(|s| world.first_touch(s).map(|hit| hit.fraction))
            .collect();
        let hits = own.iter().flatten().count();
        let other = own.iter().zip(&theirs).filter(|(a, b)| differs(**a, **b)).count();
        println!(
            "| {} | {} | {:.0} | {ours:.0} | {in_order:.0} | {parry:.0} | {:.1} | {:.1} |",
            set.name,
            set.soup.triangles.len(),
            100.0 * hits as f64 / sample.len() as f64,
            parry / ours,
            1e3 * other as f64 / sample.len() as f64
        );
    }
}

/// CPU time of a sweep [ns], one thread.
fn partsim(world: &StaticMesh, sweeps: &[Sweep]) -> f64 {
    let (cpu, _) = median_of(REPEATS, || answer(world, sweeps));
    cpu * 1e9 / sweeps.len() as f64
}

fn answer(world: &StaticMesh, sweeps: &[Sweep]) {
    for sweep in sweeps {
        std::hint::black_box(world.first_touch(sweep));
    }
}

/// CPU time of a sweep [ns], one thread, and the answers.
fn parry(soup: &Soup, sweeps: &[Sweep]) -> (f64, Vec<Option<f64>>) {
    let vector = |v: &Vec3| {
        let [x, y, z] = (v * SCALE).into();
        Vector::new(x as f32, y as f32, z as f32)
    };
    let points = soup.vertices.iter().map(|p| vector(&p.coords)).collect();
    let mesh = TriMesh::new(points, soup.triangles.clone()).expect("a mesh");
    let options = ShapeCastOptions {
        max_time_of_impact: 1.0,
        ..ShapeCastOptions::default()
    };
    let mut answers = Vec::new();
    let (cpu, _) = median_of(REPEATS, || {
        answers.clear();
        answers.extend(sweeps.iter().map(|s| {
            cast_shapes(
                &Pose::from_translation(vector(&s.from.coords)),
                vector(&s.along),
                &Ball::new((s.radius * SCALE) as f32),
                &Pose::IDENTITY,
                Vector::ZERO,
                &mesh,
                options,
            )
            .expect("a ball and a mesh are supported")
            .map(|hit| f64::from(hit.time_of_impact))
        }));
    });
    (cpu * 1e9 / sweeps.len() as f64, answers)
}

/// Whether one touches and the other does not, or they do so at different places.
fn differs(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() > 1e-3,
        (None, None) => false,
        _ => true,
    }
}
