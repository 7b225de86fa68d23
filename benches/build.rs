//! Building the tree and its leaves: time and bytes a triangle, as rows of Markdown.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use partsim::collide::mesh::StaticMesh;
use partsim::scene::Collision;
use support::{median_of, sets};

fn main() {
    println!(
        "| triangles | threads | CPU s | wall s | bytes a triangle over the mesh |\n| --- | --- | --- | --- | --- |"
    );
    for cuts in [71, 224] {
        let soup = sets::bumpy_ball(cuts);
        let triangles = soup.triangles.len();
        let plain = size_of_val(&soup.vertices[..]) + size_of_val(&soup.triangles[..]);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a thread pool");
            let mut bytes = 0;
            let (cpu, wall) = pool.install(|| {
                median_of(3, || {
                    let mesh = StaticMesh::new(soup.vertices.clone(), &soup.triangles, Collision::Exact);
                    bytes = mesh.bytes();
                })
            });
            let extra = (bytes - plain) as f64 / triangles as f64;
            println!("| {triangles} | {threads} | {cpu:.3} | {wall:.3} | {extra:.1} |");
        }
    }
}
