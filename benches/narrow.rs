//! Single pairs of a moving ball and a triangle, 10,000,000 of them: nanoseconds a pair, as rows of Markdown.
//!
//! The columns of Table 1 in Karabassi, Papaioannou, Theoharis 1999 (sphere; sphere and cylinder combined) beside the
//! exact sweep, alone and behind the filter of eight lanes. Pairs come in blocks that stay in the cache.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::hint::black_box;

use partsim::collide::mesh::StaticMesh;
use partsim::collide::{Collider, Sweep};
use partsim::geom::closest_point::closest_point;
use partsim::geom::sorted_corners;
use partsim::geom::sweep_exact::{sweep, sweep_culled};
use partsim::geom::sweep_karabassi::sweep_karabassi;
use partsim::math::{Point3, Vec3};
use partsim::scene::Collision;
use support::{Stream, median_of};

const PAIRS: usize = 10_000_000;
const BLOCK: usize = 8192;
const REPEATS: usize = 3;

struct Pair {
    from: Point3,
    along: Vec3,
    radius: f64,
    corners: [Point3; 3],
    /// The same in lexicographic order.
    sorted: [Point3; 3],
}

/// Pairs as a broad phase hands them over, or anywhere in a box.
fn pairs(close: bool) -> Vec<Pair> {
    let mut stream = Stream(77);
    let mut pair = || {
        let place = Vec3::from(if close { [0.0; 3] } else { stream.cube(1.0) });
        let corners: [Point3; 3] = std::array::from_fn(|_| Point3::from(stream.cube(0.3)) + place);
        Pair {
            sorted: sorted_corners(&corners).map(|i| corners[usize::from(i)]),
            corners,
            from: Point3::from(stream.cube(if close { 0.5 } else { 1.0 })),
            along: Vec3::from(stream.cube(0.6)),
            radius: 0.05,
        }
    };
    (0..BLOCK).map(|_| pair()).collect()
}

fn row(name: &str, kind: &str, pairs: &[Pair], answer: impl Fn(&Pair) -> bool) {
    let hits = pairs.iter().filter(|p| answer(p)).count();
    report(name, kind, hits, 1, || {
        for pair in pairs {
            black_box(answer(pair));
        }
    });
}

/// `block` does `times` as many pairs as a block has.
fn report(name: &str, kind: &str, hits: usize, times: usize, mut block: impl FnMut()) {
    let blocks = PAIRS / BLOCK / times;
    let (cpu, _) = median_of(REPEATS, || (0..blocks).for_each(|_| block()));
    let each = cpu * 1e9 / (blocks * times * BLOCK) as f64;
    let percent = 100.0 * hits as f64 / BLOCK as f64;
    println!(
        "| {name} | {kind} | {each:.1} | {:.3} | {percent:.1} |",
        each * PAIRS as f64 * 1e-9
    );
}

/// Eight triangles to a leaf, and eight balls: the whole way through the collider, one ball or all at a time.
fn leaves(kind: &str, pairs: &[Pair]) {
    let sweep = |p: &Pair| Sweep {
        from: p.from,
        along: p.along,
        radius: p.radius,
        span: [0.0, 1.0],
    };
    let groups: Vec<(StaticMesh, Vec<Sweep>)> = pairs
        .chunks(8)
        .map(|group| {
            let vertices: Vec<Point3> = group.iter().flat_map(|p| p.corners).collect();
            let triangles: Vec<[u32; 3]> = (0..8).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = StaticMesh::new(vertices, &triangles, Collision::Exact);
            (mesh, group.iter().map(sweep).collect())
        })
        .collect();
    let hits = groups
        .iter()
        .filter(|(mesh, s)| mesh.first_touch(&s[0]).is_some());
    report(
        "exact, eight triangles at once",
        kind,
        8 * hits.count(),
        1,
        || {
            for (mesh, sweeps) in &groups {
                black_box(mesh.first_touch(&sweeps[0]));
            }
        },
    );
    let mut hits = [None; 8];
    report("exact, eight balls, eight triangles", kind, 0, 8, || {
        for (mesh, sweeps) in &groups {
            mesh.first_touches(sweeps, &mut hits);
            black_box(&hits);
        }
    });
}

fn main() {
    println!("| test | pairs | ns a pair | s for 10,000,000 | hits % |\n| --- | --- | --- | --- | --- |");
    for (kind, close) in [("anywhere", false), ("close", true)] {
        let pairs = pairs(close);
        row("sphere at rest", kind, &pairs, |p| {
            closest_point(&p.from, &p.corners).distance <= p.radius
        });
        row("1999, combined", kind, &pairs, |p| {
            sweep_karabassi(&p.from, &(p.from + p.along), p.radius, &p.corners).is_some()
        });
        row("exact", kind, &pairs, |p| {
            sweep(&p.from, &p.along, p.radius, 0.0, &p.corners).is_some()
        });
        row("exact, culled before", kind, &pairs, |p| {
            sweep_culled(&p.from, &p.along, p.radius, 0.0, 2.0, &p.sorted, 1.0).is_some()
        });
        leaves(kind, &pairs);
    }
}
