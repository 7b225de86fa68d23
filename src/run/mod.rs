//! The loop over frames: load, simulate, write, report. A frame is written while the next one is simulated.
//!
//! What the loop leaves behind is a valid run folder at every moment; Ctrl-C ends it after the frame in hand.

mod folder;
mod forecast;
mod interrupt;
mod report;
mod stats;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::{Diagnostic, Error, Result};
use crate::frame::Frame;
use crate::frame_range::FrameRange;
use crate::math::Real;
use crate::progress::{Progress, ProgressMode};
use crate::scene::{self, Collision, Scene};
use crate::state::{State, Tally};
use crate::step::{Scratch, step};
use crate::world::World;
use crate::write::pov::PovWriter;
use folder::Folder;
pub use forecast::Forecast;
pub use report::Summary;
use report::{Seconds, cuts};
use stats::Stats;

/// What the command line says about a run; `None` leaves it to the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// The scene file.
    pub scene: PathBuf,
    /// The run folder; `None`: `runs/` and the scene's name, in the working folder.
    pub out: Option<PathBuf>,
    /// Which frames are written; all before them are simulated.
    pub frames: Option<FrameRange>,
    /// Threads that simulate, at least 1; `None`: one a processor.
    pub threads: Option<usize>,
    /// Seed instead of the scene's.
    pub seed: Option<u64>,
    /// Collision mode instead of the scene's.
    pub collision: Option<Collision>,
    /// How much of the run is shown.
    pub progress: ProgressMode,
    /// Where statistics go, one JSON line a frame.
    pub stats: Option<PathBuf>,
}

impl RunOptions {
    /// The folder that the run writes to.
    pub fn out_folder(&self) -> PathBuf {
        let name = self.scene.file_stem().unwrap_or(self.scene.as_os_str());
        self.out.clone().unwrap_or_else(|| Path::new("runs").join(name))
    }

    /// The scene as this run takes it.
    fn load_scene(&self) -> Result<Scene> {
        let mut scene = scene::load(&self.scene)?;
        scene.seed = self.seed.unwrap_or(scene.seed);
        scene.collision = self.collision.unwrap_or(scene.collision);
        Ok(scene)
    }

    /// Number of the last frame to write.
    fn last_frame(&self, scene: &Scene) -> Result<u32> {
        let Some(range) = &self.frames else {
            return Ok(scene.time.frames);
        };
        match range.last() {
            Some(last) if last <= scene.time.frames => Ok(last),
            _ => Err(Error::Usage(format!(
                "--frames {range} goes past the scene's {} frames; raise `time.frames` in {}",
                scene.time.frames,
                self.scene.display()
            ))),
        }
    }
}

/// Simulates a scene and writes its frames.
pub fn run(options: &RunOptions) -> Result<Summary> {
    interrupt::watch();
    in_pool(options.threads, || {
        Job::prepare(options, RunOptions::load_scene)?.simulate()
    })
}

/// The same for a scene that is already loaded, whatever stands in `options.scene`.
pub fn run_scene(options: &RunOptions, scene: Scene) -> Result<Summary> {
    in_pool(options.threads, || {
        Job::prepare(options, |_| Ok(scene))?.simulate()
    })
}

/// Checks a scene and its meshes and tells what a run would do, without simulating it.
pub fn check(path: &Path) -> Result<Forecast> {
    let scene = scene::load(path)?;
    let (world, mut remarks) = World::build(&scene)?;
    remarks.extend(PovWriter::new(&scene, &world.meshes).remarks().iter().cloned());
    Ok(Forecast::new(&scene, &world, remarks))
}

/// Runs `work` on this many threads; `None`: on rayon's own pool.
fn in_pool<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let Some(n) = threads else { return work() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
    pool.map_err(|why| Error::Usage(format!("cannot start {n} threads: {why}")))?
        .install(work)
}

/// A run that is ready to go.
struct Job<'a> {
    options: &'a RunOptions,
    scene: Scene,
    world: World,
    last: u32,
    folder: Folder,
    progress: Progress,
    seconds: Seconds,
}

impl<'a> Job<'a> {
    /// Loads everything and opens the run folder: all that can be refused is refused here.
    fn prepare(options: &'a RunOptions, load: impl FnOnce(&RunOptions) -> Result<Scene>) -> Result<Self> {
        let started = Instant::now();
        let progress = Progress::new(options.progress);
        progress.stage("loading the scene");
        let scene = load(options)?;
        let last = options.last_frame(&scene)?;
        progress.stage("loading meshes");
        let (world, remarks) = World::build(&scene)?;
        remarks.iter().for_each(|r| progress.warn(r));
        let loaded = started.elapsed().as_secs_f64();
        progress.stage("writing the scenery");
        let writer = PovWriter::new(&scene, &world.meshes);
        writer.remarks().iter().for_each(|r| progress.warn(r));
        let (folder, remarks) = Folder::open(&options.out_folder(), &scene, &writer)?;
        remarks.iter().for_each(|r: &Diagnostic| progress.warn(r));
        let seconds = Seconds {
            load: loaded,
            write: started.elapsed().as_secs_f64() - loaded,
            ..Seconds::default()
        };
        Ok(Self {
            options,
            scene,
            world,
            last,
            folder,
            progress,
            seconds,
        })
    }

    fn simulate(mut self) -> Result<Summary> {
        let writer = PovWriter::new(&self.scene, &self.world.meshes);
        let mut stats = self.options.stats.as_deref().map(Stats::create).transpose()?;
        let mut state = State::default();
        let mut scratch = Scratch::default();
        let mut finished: Option<(Frame, Tally)> = None;
        let mut written = report::Written::default();
        self.progress.stage("simulating");
        let mut stopped = None;
        for number in 1..=self.last.saturating_add(1) {
            let simulate = number <= self.last && stopped.is_none();
            let (folder, world, scene) = (&mut self.folder, &self.world, &self.scene);
            let (write, simulated) = rayon::join(
                || {
                    finished
                        .take()
                        .map(|(frame, at)| folder.write_frame(&writer, &frame, &at))
                        .transpose()
                },
                || simulate.then(|| simulate_frame(world, scene, &mut state, &mut scratch)),
            );
            if let Some(done) = write? {
                self.seconds.write += done.seconds;
                if let Some(stats) = &mut stats {
                    stats.line(&done, self.seconds)?;
                }
                self.progress.frame_done(done.number, self.last, done.particles);
                written.add(&done);
            }
            let Some(took) = simulated else { break };
            self.seconds.simulate += took;
            let wanted = self
                .options
                .frames
                .as_ref()
                .is_none_or(|range| range.contains(number));
            if wanted {
                let time = Real::from(number) / self.scene.time.frame_rate;
                finished = Some((Frame::of(&state.particles, number, time), state.tally));
            }
            if interrupt::requested() {
                stopped = Some(number);
            }
        }
        if let Some(stats) = stats {
            stats.finish()?;
        }
        self.close(state, written, stopped)
    }

    fn close(mut self, state: State, written: report::Written, stopped: Option<u32>) -> Result<Summary> {
        let started = Instant::now();
        let cuts = self.world.audit.then(|| cuts(&self.world, &state.particles));
        self.seconds.audit = started.elapsed().as_secs_f64();
        self.progress
            .finish(format_args!("done: {} frames", written.frames));
        let summary = Summary::new(
            &self.scene,
            &self.world,
            &state,
            self.folder.path(),
            written,
            cuts,
            self.seconds,
        );
        match stopped {
            Some(number) if number < self.last => Err(Error::Interrupted(format!(
                "stopped after frame {number} of {}; {} holds a valid run up to there\n{summary}",
                self.last,
                self.folder.path().display()
            ))),
            _ => Ok(summary),
        }
    }
}

/// Simulates up to the next picture and returns the seconds it took.
fn simulate_frame(world: &World, scene: &Scene, state: &mut State, scratch: &mut Scratch) -> f64 {
    let started = Instant::now();
    for _ in 0..scene.time.steps_per_frame {
        step(world, state, scratch);
    }
    state.particles.remove_gone();
    started.elapsed().as_secs_f64()
}
