//! Pairs of triangles by each of the exact methods: nanoseconds a pair, as rows of Markdown.
//!
//! Three mixes: anywhere in a box; as a broad phase hands them over, of which about half meet; and in one plane. The same
//! pairs for each method, in blocks that stay in the cache.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::hint::black_box;

use partsim::geom::tri_tri::{Method, contact, meeting, tri_tri_by};
use partsim::math::{Point3, Vec3};
use support::{Stream, median_of};

const PAIRS: usize = 1_000_000;
const BLOCK: usize = 4096;
const REPEATS: usize = 5;

type Pair = [[Point3; 3]; 2];

fn pairs(place: f64, flatness: f64) -> Vec<Pair> {
    let mut stream = Stream(77);
    let mut triangle = |place: f64| {
        let at = Vec3::from(stream.cube(place));
        let corners: [Point3; 3] = std::array::from_fn(|_| Point3::from(stream.cube(1.0)) + at);
        corners.map(|p| Point3::new(p.x, p.y, p.z * flatness))
    };
    (0..BLOCK).map(|_| [triangle(0.0), triangle(place)]).collect()
}

fn row(name: &str, kind: &str, pairs: &[Pair], answer: impl Fn(&Pair) -> bool) {
    let hits = pairs.iter().filter(|p| answer(p)).count();
    let blocks = PAIRS / BLOCK;
    let (cpu, _) = median_of(REPEATS, || {
        for _ in 0..blocks {
            for pair in pairs {
                black_box(answer(black_box(pair)));
            }
        }
    });
    let each = cpu * 1e9 / (blocks * BLOCK) as f64;
    let percent = 100.0 * hits as f64 / BLOCK as f64;
    println!("| {name} | {kind} | {each:.1} | {percent:.1} |");
}

fn main() {
    println!("| method | pairs | ns a pair | meet % |\n| --- | --- | --- | --- |");
    for (kind, place, flatness) in [("random", 2.0, 1.0), ("near", 0.3, 1.0), ("coplanar", 0.7, 0.0)] {
        let pairs = pairs(place, flatness);
        for method in Method::ALL {
            row(&format!("{method:?}"), kind, &pairs, |[a, b]| {
                tri_tri_by(method, a, b)
            });
        }
        row("contact segment", kind, &pairs, |[a, b]| {
            contact(a, b) != partsim::geom::tri_tri::Contact::None
        });
        row("how two faces of a mesh meet", kind, &pairs, |[a, b]| {
            meeting(a, b) != partsim::geom::tri_tri::Meeting::Apart
        });
    }
}
