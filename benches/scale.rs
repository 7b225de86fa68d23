//! How cost grows with the number of particles and of triangles, as rows of Markdown.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::hint::black_box;

use partsim::collide::Collider;
use partsim::collide::mesh::StaticMesh;
use partsim::scene::Collision;
use support::stage::{self, Crowd, Order, Stage};
use support::{cpu_seconds, median_of, sets};

const REPEATS: usize = 5;
/// Particle-steps behind a number, at the least.
const WORK: usize = 20_000_000;
/// Steps of a run.
const STEPS: usize = 20;
const SWEEPS: usize = 100_000;

fn main() {
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread pool");
    one.install(|| {
        particles();
        println!();
        triangles();
    });
}

/// Cost of a particle and step, all close to 100,000 triangles: the same steps for every number, ordering included, for
/// in later ones fewer are left that touch something.
fn particles() {
    println!("| particles | CPU ns a particle-step | against 100,000 |\n| --- | --- | --- |");
    let mut base = None;
    for count in [100_000, 10_000, 1_000_000, 10_000_000] {
        let runs = (WORK / (count * STEPS)).max(1);
        let mut cpu = 0.0;
        for _ in 0..runs {
            let world = stage::world(71, false);
            let mut stage = Stage::new(world, count, 0.01, Crowd::Close, Order::Scattered);
            let started = cpu_seconds();
            (0..STEPS).for_each(|_| stage.step());
            cpu += cpu_seconds() - started;
        }
        let each = cpu * 1e9 / (runs * STEPS * count) as f64;
        let base = *base.get_or_insert(each);
        println!("| {count} | {each:.0} | {:.2} |", each / base);
    }
}

/// Cost of a sweep beside a ball of more and more triangles, each time as far and as thick as they are large.
fn triangles() {
    println!("| triangles | CPU ns a sweep | of that a doubling of the triangles |\n| --- | --- | --- |");
    for cuts in [7, 22, 71, 224, 447] {
        let radius = 0.71 / f64::from(cuts);
        let (soup, mut sweeps) = sets::near_ball(cuts, SWEEPS, radius, [1.0, 3.8], 4.0);
        support::sort_by_place(&mut sweeps);
        let count = soup.triangles.len();
        let mesh = StaticMesh::new(soup.vertices, &soup.triangles, Collision::Exact);
        let (cpu, _) = median_of(REPEATS, || {
            for sweep in &sweeps {
                black_box(mesh.first_touch(sweep));
            }
        });
        let each = cpu * 1e9 / SWEEPS as f64;
        println!("| {count} | {each:.0} | {:.1} |", each / (count as f64).log2());
    }
}
