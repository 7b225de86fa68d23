//! Previews: milliseconds of processor time and of the clock, by stage, as rows of Markdown.
//!
//! `PREVIEW_SCENES` names shipped scenes by comma.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use std::path::{Path, PathBuf};

use partsim::frame::Frame;
use partsim::preview::{Size, Stage};
use partsim::scene;
use partsim::state::State;
use partsim::step::{Scratch, step};
use partsim::world::World;
use partsim::write::FrameWriter;
use partsim::write::pov::PovWriter;
use support::median_of;

/// Shipped scenes of one frame.
const SCENES: [&str; 3] = ["house_snow", "room_blobs", "grid_slime"];

fn main() {
    let wanted = std::env::var("PREVIEW_SCENES").ok();
    println!("| scene | particles | pixels | read scenery ms | picture ms | picture CPU ms |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for name in SCENES {
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
        for _ in 0..scene.time.steps_per_frame {
            step(&world, &mut state, &mut scratch);
        }
        let frame = Frame::of(&state.particles, 1, 1.0);
        let writer = PovWriter::new(&scene, &world.meshes);
        let (mut mesh, mut text) = (Vec::new(), Vec::new());
        writer.mesh_inc(&mut mesh).expect("memory");
        writer.write(&frame, &mut text).expect("memory");
        let mesh = String::from_utf8(mesh).expect("text");
        let common = writer.common_inc();
        let stage = || Stage::parse(&common, &mesh, Path::new("memory")).expect("a stage");
        let (_, read) = median_of(5, || drop(stage()));
        let stage = stage();
        let size = Size::default();
        let shoot = || drop(stage.shoot(Path::new("frame"), &text, size).expect("a preview"));
        let (cpu, wall) = median_of(5, shoot);
        println!(
            "| {name} | {} | {} x {} | {:.0} | {:.0} | {:.0} |",
            frame.len(),
            size.width,
            size.height,
            1e3 * read,
            1e3 * wall,
            1e3 * cpu
        );
    }
}
