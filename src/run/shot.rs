//! `partsim preview`, and the previews of a run: from a run folder as it is, or from a scene that is simulated first.

use std::path::{Path, PathBuf};

use super::{interrupt, simulate_frame};
use crate::compare::{frame_files, read_frame};
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::math::Real;
use crate::preview::{Size, Stage, file_name};
use crate::progress::{Progress, ProgressMode};
use crate::scene;
use crate::state::State;
use crate::step::Scratch;
use crate::world::World;
use crate::write::FrameWriter;
use crate::write::atomic::write_file;
use crate::write::manifest::frame_file_name;
use crate::write::pov::PovWriter;

/// What the command line says about a preview.
#[derive(Debug, Clone, PartialEq)]
pub struct ShotOptions {
    /// A scene file, or a run folder.
    pub input: PathBuf,
    /// The frame; `None`: the last one.
    pub frame: Option<u32>,
    /// The PNG file; `None`: in `preview/` in the run folder, for a scene in `runs/` and its name.
    pub out: Option<PathBuf>,
    /// Its size.
    pub size: Size,
}

/// Makes a preview and says where it is.
pub fn preview(options: &ShotOptions) -> Result<PathBuf> {
    if fs_err::metadata(&options.input)?.is_dir() {
        of_folder(options)
    } else {
        of_scene(options)
    }
}

fn of_folder(options: &ShotOptions) -> Result<PathBuf> {
    let dir = &options.input;
    let frames = frame_files(dir)?;
    let number = options.frame.or(frames.keys().last().copied());
    let found = number.and_then(|n| Some((n, frames.get(&n)?)));
    let Some((number, path)) = found else {
        let known: crate::frame_range::FrameRange = frames.into_keys().collect();
        return Err(match (options.frame, known.is_empty()) {
            (_, true) => Error::damaged(format!(
                "{} holds no frame; `partsim run` makes them",
                dir.display()
            )),
            (wanted, false) => Error::Usage(format!(
                "--frame {}: {} holds frames {known}",
                wanted.unwrap_or_default(),
                dir.display()
            )),
        });
    };
    let stage = Stage::read(dir)?;
    let progress = Progress::new(ProgressMode::Auto);
    stage.remarks().iter().for_each(|r| progress.warn(r));
    let text = read_frame(path)?;
    let out = options.out.clone().unwrap_or_else(|| file_name(dir, number));
    shoot(&stage, path, &text, options.size, &out)?;
    Ok(out)
}

fn of_scene(options: &ShotOptions) -> Result<PathBuf> {
    interrupt::watch();
    let progress = Progress::new(ProgressMode::Auto);
    progress.stage("loading the scene");
    let scene = scene::load(&options.input)?;
    let number = options.frame.unwrap_or(scene.time.frames);
    if !(1..=scene.time.frames).contains(&number) {
        return Err(Error::Usage(format!(
            "--frame {number}: the scene has frames 1 to {}; `time.frames` in {} sets them",
            scene.time.frames,
            options.input.display()
        )));
    }
    let (world, remarks) = World::build(&scene)?;
    remarks.iter().for_each(|r| progress.warn(r));
    let (mut state, mut scratch) = (State::default(), Scratch::default());
    progress.stage("simulating");
    for n in 1..=number {
        simulate_frame(&world, &scene, &mut state, &mut scratch);
        progress.frame_done(n, number, state.particles.len() as u64);
        if interrupt::requested() && n < number {
            return Err(Error::Interrupted(format!("stopped after frame {n} of {number}")));
        }
    }
    let frame = Frame::of(
        &state.particles,
        number,
        Real::from(number) / scene.time.frame_rate,
    );
    progress.finish(format_args!("simulated {number} frames"));
    let writer = PovWriter::new(&scene, &world.meshes).moving(&world.moved);
    let (mut mesh, mut text) = (Vec::new(), Vec::new());
    writer.mesh_inc(&mut mesh)?;
    writer.write(&frame, &mut text)?;
    let name = options.input.file_stem().unwrap_or(options.input.as_os_str());
    let dir = Path::new("runs").join(name);
    let stage = Stage::parse(&writer.common_inc(), &String::from_utf8_lossy(&mesh), &dir)?;
    let out = options.out.clone().unwrap_or_else(|| file_name(&dir, number));
    shoot(
        &stage,
        &dir.join(frame_file_name(number)),
        &text,
        options.size,
        &out,
    )?;
    Ok(out)
}

fn shoot(stage: &Stage, path: &Path, text: &[u8], size: Size, out: &Path) -> Result<()> {
    let shot = stage.shoot(path, text, size)?;
    if let Some(parent) = out.parent().filter(|p| !p.as_os_str().is_empty()) {
        fs_err::create_dir_all(parent)?;
    }
    write_file(out, |to| shot.picture.print_png(to))?;
    Ok(())
}

/// Makes the preview of every frame of a run that has been written.
pub struct Previewer {
    stage: Stage,
}

impl Previewer {
    /// Reads what the frames of a run folder share.
    pub fn new(dir: &Path, progress: &Progress) -> Result<Self> {
        let stage = Stage::read(dir)?;
        stage.remarks().iter().for_each(|r| progress.warn(r));
        Ok(Self { stage })
    }

    /// Makes the preview of a frame.
    pub fn frame(&self, dir: &Path, number: u32) -> Result<()> {
        let path = dir.join(frame_file_name(number));
        let text = read_frame(&path)?;
        shoot(
            &self.stage,
            &path,
            &text,
            Size::default(),
            &file_name(dir, number),
        )
    }
}
