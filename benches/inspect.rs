//! The self-intersections of a closed wavy surface of more and more triangles: seconds, and nanoseconds a triangle.
//!
//! A sphere with bumps, so that neighbours meet at all angles, with a plate through it, so that there is something to find.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::f64::consts::{PI, TAU};
use std::hint::black_box;
use std::path::Path;

use partsim::inspect::report;
use partsim::math::{Point3, Real};
use partsim::mesh::Mesh;
use partsim::surface::Surface;
use support::median_of;

/// A bumpy sphere of `rows` rows of twice as many quads, with a triangle through it.
fn bumpy(rows: u32) -> Mesh {
    let columns = 2 * rows;
    let mut mesh = Mesh::default();
    for i in 0..=rows {
        for j in 0..columns {
            let (polar, around) = (
                PI * Real::from(i) / Real::from(rows),
                TAU * Real::from(j) / Real::from(columns),
            );
            let r = 1.0 + 0.05 * libm::sin(20.0 * polar) * libm::sin(16.0 * around);
            let ring = r * libm::sin(polar);
            let at = Point3::new(
                ring * libm::cos(around),
                r * libm::cos(polar),
                ring * libm::sin(around),
            );
            mesh.vertices.push(if i == 0 || i == rows {
                Point3::new(0.0, at.y, 0.0)
            } else {
                at
            });
        }
    }
    let vertex = |i: u32, j: u32| i * columns + j % columns;
    for i in 0..rows {
        for j in 0..columns {
            let [a, b, c, d] = [
                vertex(i, j),
                vertex(i, j + 1),
                vertex(i + 1, j + 1),
                vertex(i + 1, j),
            ];
            if i > 0 {
                mesh.triangles.push([a, b, c]);
            }
            if i + 1 < rows {
                mesh.triangles.push([a, c, d]);
            }
        }
    }
    let first = mesh.vertices.len() as u32;
    mesh.vertices
        .extend([[-0.1, 0.9, 0.02], [0.1, 1.2, 0.03], [0.12, 0.8, 0.01]].map(Point3::from));
    mesh.triangles.push([first, first + 1, first + 2]);
    mesh
}

fn main() {
    println!(
        "| triangles | tree s | pairs s | pairs ns a triangle | whole report s | found |\n| --- | --- | --- | --- | --- | --- |"
    );
    for rows in [50, 158, 500] {
        let mesh = bumpy(rows);
        let n = mesh.triangles.len();
        let surface = Surface::new(&mesh).expect("small");
        let found = surface.meetings().crossing.count;
        let (tree, _) = median_of(3, || {
            black_box(Surface::new(&mesh));
        });
        let (pairs, _) = median_of(3, || {
            black_box(surface.meetings());
        });
        let (whole, _) = median_of(3, || {
            black_box(report(&mesh, Path::new("bumpy.obj")).ok());
        });
        let each = pairs * 1e9 / n as f64;
        println!("| {n} | {tree:.3} | {pairs:.3} | {each:.0} | {whole:.3} | {found} |");
    }
}
