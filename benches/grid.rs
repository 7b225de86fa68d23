//! Distance/normal grids: the work of Table 1 of Ilmonen, Takala & Laitinen (2006), and what making a grid costs.
//!
//! One body of 12,288 triangles, 12,000 particles all near it, moved by a third of the field a step: nanoseconds a
//! particle-step without collision, with the exact mesh, with the plain and the compressed grid (look-up and response
//! alone, and with the guard), and memory. Then the making of grids of 50, 64, 128 and 256 cells, saved and loaded.
//! CPU time, medians, one thread for Table 1.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

#[path = "../tests/support/bodies.rs"]
mod bodies;
mod support;

use std::hint::black_box;

use bodies::{Draws, bumpy};
use partsim::collide::grid::{Field, Guarded};
use partsim::collide::{Collider, Sweep};
use partsim::grid::{Grid, Pose, build, load, save};
use partsim::math::{Point3, Real, Vec3};
use partsim::scene::{Collision, Compression, GridShape, Impact, Lookup, Resolution, Responses};
use support::{cpu_seconds, median_of};

const PARTICLES: usize = 12_000;
const RADIUS: Real = 0.002;
const REPEATS: usize = 9;
const STEP: Real = 1.0 / 120.0;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    pool.install(table_1);
    cost_of_making();
}

fn grid(compression: Option<Compression>) -> Grid {
    let shape = GridShape {
        compression,
        ..GridShape::default()
    };
    build(&bumpy(), &shape, &|_| ()).expect("a good mesh")
}

fn collider(field: Option<Field>) -> Guarded {
    let body = bumpy();
    let vertices = body.iter().flatten().copied().collect();
    let triangles: Vec<[u32; 3]> = (0..body.len() as u32)
        .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
        .collect();
    Guarded::new(
        vertices,
        &triangles,
        Collision::Exact,
        field.into_iter().collect(),
    )
}

fn field(grid: Grid) -> Field {
    let responses = Responses {
        impact: Some(Impact {
            beta: 0.7,
            l_min: 0.0,
        }),
        ..Responses::default()
    };
    let triangles = 0..grid.report.triangles as u32;
    Field::new(grid, Pose::IDENTITY, Lookup::Plane, responses, triangles)
}

/// Places within five cells of the surface, and velocities.
fn particles(field: &Field) -> Vec<(Point3, Vec3)> {
    let mut draws = Draws(17);
    let (thickness, cell) = (field.thickness(), field.cell());
    let e = Vec3::repeat(thickness);
    let mut found = Vec::new();
    while found.len() < PARTICLES {
        let p = draws.within(&(field.object().min - e), &(field.object().max + e));
        if field
            .look(&p)
            .is_some_and(|(l, _)| l > 0.5 * cell && l < 5.0 * cell)
        {
            found.push((
                p,
                draws.direction() * (thickness / 3.0 / STEP * (0.2 + 0.8 * draws.unit())),
            ));
        }
    }
    found
}

fn sweep(p: &Point3, v: &Vec3) -> Sweep {
    Sweep {
        from: *p,
        along: v * STEP,
        radius: RADIUS,
        span: [0.0, STEP],
    }
}

/// Gravity, a response, a move.
fn time(name: &str, particles: &[(Point3, Vec3)], mut step: impl FnMut(&Point3, &Vec3) -> Point3) -> Real {
    let (cpu, _) = median_of(REPEATS, || {
        for (p, v) in particles {
            let v = v + Vec3::new(0.0, -9.81 * STEP, 0.0);
            black_box(step(p, &v));
        }
    });
    let each = 1e9 * cpu / particles.len() as Real;
    println!("{name:<44} {each:8.1} ns a particle-step");
    each
}

fn table_1() {
    let plain = collider(Some(field(grid(None))));
    let compressed = collider(Some(field(grid(Some(Compression::default())))));
    let exact = collider(None);
    let near = particles(&plain.fields()[0]);
    let none = time("no collision", &near, |p, v| p + v * STEP);
    let mut sweeps = Vec::new();
    let mut hits = Vec::new();
    let (cpu, _) = median_of(REPEATS, || {
        sweeps.clear();
        sweeps.extend(
            near.iter()
                .map(|(p, v)| sweep(p, &(v + Vec3::new(0.0, -9.81 * STEP, 0.0)))),
        );
        hits.clear();
        hits.resize(sweeps.len(), None);
        exact.first_touches(&sweeps, &mut hits);
        black_box(&hits);
    });
    let together = 1e9 * cpu / near.len() as Real;
    let one = time("exact mesh, one at a time", &near, |p, v| {
        let s = sweep(p, v);
        exact
            .first_touch(&s)
            .map_or(p + s.along, |h| p + s.along * h.fraction)
    });
    println!(
        "{:<44} {together:8.1} ns a particle-step",
        "exact mesh, many at once"
    );
    let bytes = [exact.mesh().bytes(), plain.fields()[0].grid.bytes()[0] as usize];
    for (name, guarded) in [("plain grid", &plain), ("compressed grid", &compressed)] {
        let field = &guarded.fields()[0];
        let response = time(&format!("{name}, look-up and response"), &near, |p, v| {
            let v = field.respond(p, v, RADIUS, STEP, STEP).unwrap_or(*v);
            p + v * STEP
        });
        let with_guard = time(&format!("{name}, with the guard"), &near, |p, v| {
            let v = field.respond(p, v, RADIUS, STEP, STEP).unwrap_or(*v);
            let s = sweep(p, &v);
            guarded
                .first_touch(&s)
                .map_or(p + s.along, |h| p + s.along * h.fraction)
        });
        let vouched = near.iter().filter(|(p, v)| {
            let v = field.respond(p, v, RADIUS, STEP, STEP).unwrap_or(*v);
            guarded.vouches(&sweep(p, &v))
        });
        println!(
            "    times cheaper than the mesh one at a time: {:.1} without, {:.1} with the guard ({:.1} % vouched for); \
             than many at once: {:.1}, {:.1}",
            (one - none) / (response - none),
            (one - none) / (with_guard - none),
            100.0 * vouched.count() as Real / near.len() as Real,
            (together - none) / (response - none),
            (together - none) / (with_guard - none),
        );
    }
    let [held, dense] = compressed.fields()[0].grid.bytes();
    println!(
        "memory [kB]: mesh {}, dense array {}, plain blocks {}, compressed {} ({:.1} times less than the array)",
        bytes[0] / 1000,
        dense / 1000,
        bytes[1] / 1000,
        held / 1000,
        dense as Real / held as Real
    );
}

fn cost_of_making() {
    let body = bumpy();
    let dir = tempfile::tempdir().expect("a folder");
    let mut before = None;
    for cells in [50, 64, 128, 256] {
        let shape = GridShape {
            resolution: Resolution::Cells(cells),
            ..GridShape::default()
        };
        let mut times = [Vec::new(), Vec::new()];
        let mut made = None;
        for _ in 0..if cells > 100 { 3 } else { 5 } {
            let (wall, cpu) = (std::time::Instant::now(), cpu_seconds());
            made = Some(build(&body, &shape, &|_| ()).expect("a good mesh"));
            times[0].push(cpu_seconds() - cpu);
            times[1].push(wall.elapsed().as_secs_f64());
        }
        let [cpu, wall] = times.map(|t| t.into_iter().fold(Real::INFINITY, Real::min));
        let grid = made.expect("made");
        let path = dir.path().join("a.dng");
        save(&grid, &path).expect("written");
        let (loading, _) = median_of(5, || {
            black_box(load(&path).expect("read"));
        });
        let growth = before.filter(|_| cells > 64).map_or(String::new(), |b: Real| {
            format!(", {:.2} times the last", cpu / b)
        });
        println!(
            "{cells} cells: made in {:.3} s of CPU, {:.3} s on the clock{growth}; {} kB, loaded in {:.1} ms",
            cpu,
            wall,
            grid.bytes()[0] / 1000,
            1e3 * loading
        );
        before = Some(cpu);
    }
}
