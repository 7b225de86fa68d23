//! The loop over frames: load, simulate, write, report. A frame is written while the next one is simulated.
//!
//! What the loop leaves behind is a valid run folder at every moment; Ctrl-C ends it after the frame in hand.

mod folder;
mod forecast;
mod interrupt;
mod lock;
mod merge;
mod report;
mod resume;
mod shard;
mod shot;
mod stats;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::{Diagnostic, Error, Result};
use crate::frame::Frame;
use crate::frame_range::FrameRange;
use crate::inspect::inspect;
use crate::math::{Point3, Real};
use crate::progress::{Progress, ProgressMode};
use crate::scene::{self, Collision, Scene};
use crate::shard::Shard;
use crate::state::{State, Tally};
use crate::step::{Scratch, step};
use crate::world::{Workshop, World};
use crate::write::manifest::Manifest;
use crate::write::pov::PovWriter;
use folder::Folder;
pub use forecast::{Forecast, describe};
use lock::Lock;
pub use merge::{MergeOptions, Merged, merge};
pub use report::Summary;
use report::{Cuts, Ends, Seconds, Written, cuts};
use resume::{Keeper, Resumed};
use shard::Product;
pub use shard::{obstacles, refuse_dependent};
use shot::Previewer;
pub use shot::{ShotOptions, preview};
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
    /// Whether to go on where an earlier run into the same folder stopped.
    pub resume: bool,
    /// Least time between two checkpoints [s].
    pub checkpoint_every: f64,
    /// Which share of the particles is simulated, for `merge` to put together; `None`: all.
    pub shard: Option<Shard>,
    /// Whether a preview of each frame is made, in `preview/` in the run folder.
    pub preview: bool,
}

impl RunOptions {
    /// The folder that the run writes to.
    pub fn out_folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let run = default_folder(&self.scene);
            match self.shard {
                Some(shard) => run.join("shards").join(shard.number().to_string()),
                None => run,
            }
        })
    }

    /// The scene as this run takes it.
    fn load_scene(&self) -> Result<Scene> {
        let mut scene = scene::load(&self.scene)?;
        scene.seed = self.seed.unwrap_or(scene.seed);
        scene.collision = self.collision.unwrap_or(scene.collision);
        if self.shard.is_some() {
            refuse_dependent(&scene)?;
        }
        Ok(scene)
    }

    /// The frames to write.
    fn wanted(&self, scene: &Scene) -> Result<FrameRange> {
        let Some(range) = &self.frames else {
            return Ok(FrameRange::up_to(scene.time.frames));
        };
        match range.last() {
            Some(last) if last <= scene.time.frames => Ok(range.clone()),
            _ => Err(Error::Usage(format!(
                "--frames {range} goes past the scene's {} frames; raise `time.frames` in {}",
                scene.time.frames,
                self.scene.display()
            ))),
        }
    }
}

/// Where a run of a scene goes that is not told where: `runs/` and the scene's name, in the working folder.
pub fn default_folder(scene: &Path) -> PathBuf {
    Path::new("runs").join(scene.file_stem().unwrap_or(scene.as_os_str()))
}
/// Folder of grids in a run folder.
const GRIDS: &str = "grids";

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
    let mut forecast = Forecast::new(&scene, &world, remarks);
    for (number, spec) in scene.meshes.iter().enumerate() {
        forecast.add_findings(number, &inspect(&spec.file)?);
    }
    Ok(forecast)
}

/// Runs `work` on this many threads; `None`: on rayon's own pool.
fn in_pool<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let Some(n) = threads else { return work() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
    pool.map_err(|why| Error::Usage(format!("cannot start {n} threads: {why}")))?
        .install(work)
}

/// A run that is loaded.
struct Job<'a> {
    options: &'a RunOptions,
    scene: Scene,
    world: World,
    wanted: FrameRange,
    resumed: Resumed,
    inputs: Manifest,
    progress: Progress,
    /// The run folder, when something of it has been read.
    lock: Option<Lock>,
    /// Seconds that loading took.
    loaded: f64,
}

/// Where frames go, and what is told of them.
struct Output {
    folder: Folder,
    progress: Progress,
    stats: Option<Stats>,
    previewer: Option<Previewer>,
    written: Written,
    seconds: Seconds,
    /// Number of the last frame to write.
    last: u32,
}

impl Output {
    /// Opens the run folder and writes what all frames share.
    fn open(
        options: &RunOptions,
        inputs: Manifest,
        resumed: &Resumed,
        progress: Progress,
        scene: &Scene,
        product: &Product,
        lock: Option<Lock>,
    ) -> Result<Self> {
        let started = Instant::now();
        progress.stage("writing the scenery");
        let remarks = product.pictures().map_or(&[][..], |w| w.remarks());
        remarks.iter().for_each(|r| progress.warn(r));
        let (folder, remarks) = Folder::open(&options.out_folder(), inputs, scene, product, lock)?;
        remarks.iter().for_each(|r: &Diagnostic| progress.warn(r));
        let previewer = options.preview.then(|| Previewer::new(folder.path(), &progress));
        Ok(Self {
            previewer: previewer.transpose()?,
            folder,
            progress,
            stats: (options.stats.as_deref())
                .map(|path| Stats::open(path, options.resume))
                .transpose()?,
            written: Written::after(&resumed.done),
            seconds: Seconds {
                write: started.elapsed().as_secs_f64(),
                ..Seconds::default()
            },
            last: 0,
        })
    }

    /// Writes a frame, if there is one, and tells of it.
    fn write(&mut self, product: &Product, picture: Option<&(Frame, Tally)>) -> Result<()> {
        let Some((frame, at)) = picture else {
            return Ok(());
        };
        let done = self.folder.write_frame(product, frame, at)?;
        if let Some(previewer) = &self.previewer {
            previewer.frame(self.folder.path(), done.number)?;
        }
        self.seconds.write += done.seconds;
        if let Some(stats) = &mut self.stats {
            stats.line(&done, self.seconds)?;
        }
        self.progress.frame_done(done.number, self.last, done.particles);
        self.written.add(&done);
        Ok(())
    }
}

impl<'a> Job<'a> {
    /// Loads everything.
    fn prepare(options: &'a RunOptions, load: impl FnOnce(&RunOptions) -> Result<Scene>) -> Result<Self> {
        let started = Instant::now();
        let progress = Progress::new(options.progress);
        progress.stage("loading the scene");
        let scene = load(options)?;
        let wanted = options.wanted(&scene)?;
        let mut inputs = folder::inputs(&scene)?;
        inputs.shard = options.shard;
        let mut resumed = Resumed::default();
        let mut lock = None;
        if options.resume {
            lock = Lock::take_existing(&options.out_folder())?;
            let (found, remarks) = resume::find(&options.out_folder(), &inputs)?;
            remarks.iter().for_each(|r| progress.warn(r));
            resumed = found;
        }
        let wanted = wanted.without(&resumed.done);
        progress.stage("loading meshes");
        let workshop = Workshop {
            folder: Some(options.out_folder().join(GRIDS)),
            tell: &|what| progress.stage(what),
        };
        let (mut world, remarks) = World::build_in(&scene, &workshop)?;
        world.shard = options.shard.unwrap_or(Shard::WHOLE);
        remarks.iter().for_each(|r| progress.warn(r));
        resumed.fit(&world, &wanted);
        Ok(Self {
            options,
            scene,
            world,
            wanted,
            resumed,
            inputs,
            progress,
            lock,
            loaded: started.elapsed().as_secs_f64(),
        })
    }

    fn simulate(self) -> Result<Summary> {
        let (scene, world, resumed) = (&self.scene, &self.world, self.resumed);
        let product = Product::of(self.options.shard, || {
            PovWriter::new(scene, &world.meshes).moving(&world.moved)
        });
        // All that can be refused is refused before anything is simulated.
        let mut output = Output::open(
            self.options,
            self.inputs,
            &resumed,
            self.progress,
            scene,
            &product,
            self.lock,
        )?;
        output.seconds.load = self.loaded;
        output.last = self.wanted.last().unwrap_or(0);
        let mut keeper = Keeper::new(output.folder.path(), self.options.checkpoint_every);
        let mut state = resumed.state;
        let mut scratch = Scratch::default();
        let mut finished: Option<(Frame, Tally)> = None;
        let (mut stopped, mut unseen) = (None, None);
        output.progress.stage("simulating");
        for number in resumed.frame.saturating_add(1)..=output.last {
            let picture = finished.take();
            let (write, took) = rayon::join(
                || output.write(&product, picture.as_ref()),
                || simulate_frame(world, scene, &mut state, &mut scratch),
            );
            write?;
            output.seconds.simulate += took;
            stopped = (interrupt::requested() && number < output.last).then_some(number);
            let is_kept = stopped.is_some() || keeper.is_due();
            if !is_kept && number == output.last {
                unseen = Some(number);
            } else if self.wanted.contains(number) {
                finished = Some((picture_of(scene, &state, number), state.tally));
            }
            if is_kept {
                // A state may only be saved when no frame before it is missing.
                output.write(&product, finished.take().as_ref())?;
                output.folder.finish()?;
                keeper.save(&mut output.folder, number, &state)?;
            }
            if stopped.is_some() {
                break;
            }
        }
        let ends = Ends::of(&state);
        let time = state.step as Real * world.step;
        // After the last picture nobody asks for the state any more.
        if let Some(number) = unseen {
            finished = Some((last_picture(scene, &mut state, number), state.tally));
        }
        let particles = &state.particles;
        let places = match &finished {
            Some((frame, _)) => (&frame.position[..], &frame.radius[..]),
            None => (&particles.position[..], &particles.radius[..]),
        };
        let (write, look) = rayon::join(
            || {
                output
                    .write(&product, finished.as_ref())
                    .and_then(|()| output.folder.finish())
            },
            || last_look(world, places, time),
        );
        write?;
        if let Some(stats) = output.stats.take() {
            stats.finish()?;
        }
        // A run that was cut off between its last frame and this line has nothing left to do but this.
        let complete = output.folder.manifest().frames.len() as u64 == u64::from(scene.time.frames);
        if stopped.is_none() && (complete || output.last == scene.time.frames) {
            keeper.finish()?;
        }
        close(scene, world, ends, output, look, stopped)
    }
}

/// The picture of the state.
fn picture_of(scene: &Scene, state: &State, number: u32) -> Frame {
    let time = Real::from(number) / scene.time.frame_rate;
    match scene.output.particles {
        true => Frame::in_full(&state.particles, number, time),
        false => Frame::of(&state.particles, number, time),
    }
}

/// [`picture_of`] a state that gives up its particles for it.
fn last_picture(scene: &Scene, state: &mut State, number: u32) -> Frame {
    let particles = std::mem::take(&mut state.particles);
    let time = Real::from(number) / scene.time.frame_rate;
    match scene.output.particles {
        true => Frame::in_full(&particles, number, time),
        false => Frame::out_of(particles, number, time),
    }
}

/// Looks at all overlaps, if that is wanted, and says how many seconds it took.
fn last_look(world: &World, places: (&[Point3], &[Real]), time: Real) -> (Option<Cuts>, f64) {
    let started = Instant::now();
    let cuts = world.audit.then(|| cuts(world, places, time));
    (cuts, started.elapsed().as_secs_f64())
}

/// The report.
fn close(
    scene: &Scene,
    world: &World,
    ends: Ends,
    mut output: Output,
    (cuts, audit): (Option<Cuts>, f64),
    stopped: Option<u32>,
) -> Result<Summary> {
    output.seconds.audit = audit;
    let frames = output.written.frames;
    output.progress.finish(format_args!("done: {frames} frames"));
    let folder = output.folder.path();
    let summary = Summary::new(scene, world, ends, folder, output.written, cuts, output.seconds);
    match stopped {
        Some(number) => Err(Error::Interrupted(format!(
            "stopped after frame {number} of {}; {} holds a valid run up to there, and the same command with --resume goes on\n{summary}",
            output.last,
            folder.display()
        ))),
        None => Ok(summary),
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
