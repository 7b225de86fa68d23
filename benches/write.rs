//! Frames to text: milliseconds a frame, and megabytes a second, as rows of Markdown.
//!
//! `WRITE_THREADS` picks thread counts by comma, `WRITE_SCENES` names of shipped scenes.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use partsim::frame::Frame;
use partsim::scene;
use partsim::state::State;
use partsim::step::{Scratch, step};
use partsim::world::World;
use partsim::write::FrameWriter;
use partsim::write::pov::PovWriter;
use support::median_of;

/// Shipped scenes and the frame of each that is written.
const SCENES: [(&str, u32); 4] = [
    ("house_snow", 1),
    ("room_blobs", 1),
    ("grid_slime", 1),
    ("mud_splash", 48),
];

/// Counts bytes.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn main() {
    let threads = std::env::var("WRITE_THREADS").unwrap_or_else(|_| "1,2".into());
    let wanted = std::env::var("WRITE_SCENES").ok();
    println!("| scene | particles | threads | CPU ms | wall ms | MB | MB/s |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, number) in SCENES {
        if wanted
            .as_ref()
            .is_some_and(|w| !w.split(',').any(|scene| scene == name))
        {
            continue;
        }
        let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{name}.ron"));
        let scene = scene::load(&path).expect("a shipped scene");
        let (world, _) = World::build(&scene).expect("a good world");
        let (mut state, mut scratch) = (State::default(), Scratch::default());
        for _ in 0..number * scene.time.steps_per_frame {
            step(&world, &mut state, &mut scratch);
        }
        state.particles.remove_gone();
        let frame = Frame::of(&state.particles, number, 0.0);
        let writer = PovWriter::new(&scene, &world.meshes);
        for n in threads.split(',').filter_map(|n| n.parse().ok()) {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .expect("a thread pool");
            let mut bytes = 0;
            let (cpu, wall) = pool.install(|| {
                median_of(7, || {
                    let mut out = Count(0);
                    writer.write(&frame, &mut out).expect("nothing can fail here");
                    bytes = out.0;
                })
            });
            println!(
                "| {name} | {} | {n} | {:.1} | {:.1} | {:.2} | {:.0} |",
                frame.len(),
                cpu * 1e3,
                wall * 1e3,
                bytes as f64 / 1e6,
                bytes as f64 / 1e6 / wall
            );
        }
    }
}
