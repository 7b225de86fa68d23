//! Reading meshes: a bumpy ball of a million triangles from memory as OBJ text, as rows of Markdown.
//!
//! The last rows are the limits: `tobj` alone on the same text, and a copy of the bytes.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use partsim::mesh::read_obj;
use support::median_of;
use support::sets::bumpy_ball;

/// Cuts of the ball: about a million triangles.
const CUTS: u32 = 224;

fn main() {
    let soup = bumpy_ball(CUTS);
    let text = obj(&soup.vertices, &soup.triangles);
    let size = text.len() as f64 / 1e6;
    println!("| reader | threads | CPU ms | wall ms | MB/s |");
    println!("| --- | --- | --- | --- | --- |");
    let show = |reader: &str, threads: usize, (cpu, wall): (f64, f64)| {
        println!(
            "| {reader} | {threads} | {:.0} | {:.0} | {:.0} |",
            cpu * 1e3,
            wall * 1e3,
            size / wall
        );
    };
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a thread pool");
        let read = || {
            drop(black_box(
                read_obj(&text, Path::new("ball.obj")).expect("a good mesh"),
            ))
        };
        show("partsim", threads, pool.install(|| median_of(5, read)));
    }
    let alone = || {
        let no_materials = |_: &Path| Err(tobj::LoadError::GenericFailure);
        let read = tobj::load_obj_buf(&mut text.as_slice(), &tobj::LoadOptions::default(), no_materials);
        drop(black_box(read.expect("a good mesh")));
    };
    show("tobj alone", 1, median_of(5, alone));
    show("a copy", 1, median_of(5, || drop(black_box(text.clone()))));
    println!("\n{} triangles in {size:.0} MB of text.", soup.triangles.len());
}

/// The text of a mesh, as exporters write it.
fn obj(vertices: &[partsim::math::Point3], triangles: &[[u32; 3]]) -> Vec<u8> {
    let mut text = String::new();
    for p in vertices {
        let _ = writeln!(text, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z);
    }
    for t in triangles {
        let [a, b, c] = t.map(|i| i + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text.into_bytes()
}
