//! Shards to the run folder that a single run would have left, byte for byte.

mod join;

use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::folder::{self, Folder};
use super::lock::Lock;
use super::report::{Written, bytes};
use super::shard::Product;
use super::{default_folder, in_pool};
use crate::compare;
use crate::error::{Diagnostic, Error, Result};
use crate::frame::Frame;
use crate::frame_range::FrameRange;
use crate::progress::{Progress, ProgressMode};
use crate::scene::{self, Collision, Scene};
use crate::shard::Shard;
use crate::state::Tally;
use crate::world::World;
use crate::write::manifest::Manifest;
use crate::write::pov::PovWriter;
use crate::write::{atomic, part};
use join::join;

/// What the command line says about a merge.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeOptions {
    /// The scene file.
    pub scene: PathBuf,
    /// The shards' folders, in any order.
    pub shards: Vec<PathBuf>,
    /// The run folder; `None`: `runs/` and the scene's name, in the working folder.
    pub out: Option<PathBuf>,
    /// Which frames are merged; `None`: all.
    pub frames: Option<FrameRange>,
    /// Threads, at least 1; `None`: one a processor.
    pub threads: Option<usize>,
    /// How much is shown.
    pub progress: ProgressMode,
}

/// What a merge did; its text is the report.
#[derive(Debug, Clone)]
pub struct Merged {
    folder: PathBuf,
    shards: usize,
    written: Written,
    /// Counts up to the last frame that was merged; `None` when none was.
    tally: Option<Tally>,
}

/// Merges the parts of all shards of a run into its frames. Frames that are there already, whole, stay.
pub fn merge(options: &MergeOptions) -> Result<Merged> {
    in_pool(options.threads, || Job::open(options)?.merge())
}

/// One shard.
struct Source {
    dir: PathBuf,
    manifest: Manifest,
    shard: Shard,
}

struct Job<'a> {
    options: &'a MergeOptions,
    scene: Scene,
    inputs: Manifest,
    sources: Vec<Source>,
    progress: Progress,
}

impl<'a> Job<'a> {
    fn open(options: &'a MergeOptions) -> Result<Self> {
        let progress = Progress::new(options.progress);
        progress.stage("looking at the shards");
        let sources = sources(options)?;
        let mut scene = scene::load(&options.scene)?;
        // The command line of the shards may have changed these two.
        if let Some(first) = sources.first() {
            scene.seed = first.manifest.settings.seed;
            scene.collision = match first.manifest.settings.collision.as_str() {
                "karabassi" => Collision::Karabassi,
                "ray" => Collision::Ray,
                _ => Collision::Exact,
            };
        }
        let inputs = folder::inputs(&scene)?;
        for source in &sources {
            let differences = source.manifest.input_differences(&inputs);
            if !differences.is_empty() {
                return Err(Error::Usage(format!(
                    "{} was made from other inputs than {} is now ({}): simulate the shards again",
                    source.dir.display(),
                    options.scene.display(),
                    differences.join("; ")
                )));
            }
        }
        Ok(Self {
            options,
            scene,
            inputs,
            sources,
            progress,
        })
    }

    fn out(&self) -> PathBuf {
        let out = self.options.out.clone();
        out.unwrap_or_else(|| default_folder(&self.options.scene))
    }

    /// The frames to write, after those that are there; an error names all that a shard lacks.
    fn wanted(&self, done: &FrameRange) -> Result<FrameRange> {
        let planned = FrameRange::up_to(self.inputs.settings.frames);
        let wanted = self.options.frames.clone().unwrap_or_else(|| planned.clone());
        if !wanted.without(&planned).is_empty() {
            return Err(Error::Usage(format!(
                "--frames {wanted} goes past the scene's frames, {planned}"
            )));
        }
        let wanted = wanted.without(done);
        let mut lacking = Vec::new();
        for source in &self.sources {
            let missing = wanted.without(&planned.without(&compare::verify(&source.dir)?.to_redo()));
            if !missing.is_empty() {
                let text = format!(
                    "shard {} in {} lacks frames {missing}",
                    source.shard,
                    source.dir.display()
                );
                let again = format!(
                    "partsim run {} --shard {} --out {} --resume",
                    self.options.scene.display(),
                    source.shard,
                    source.dir.display()
                );
                lacking.push(Diagnostic::new(text).help(again));
            }
        }
        if lacking.is_empty() {
            Ok(wanted)
        } else {
            Err(Error::Input(lacking))
        }
    }

    fn merge(self) -> Result<Merged> {
        let out = self.out();
        let lock = Lock::take_existing(&out)?;
        let done = finished(&out, &self.inputs)?;
        let wanted = self.wanted(&done)?;
        self.progress.stage("loading meshes");
        let (world, remarks) = World::build(&self.scene)?;
        let product = Product::of(None, || {
            PovWriter::new(&self.scene, &world.meshes).moving(&world.moved)
        });
        let more = product.pictures().map_or(&[][..], |w| w.remarks());
        let remarks = remarks.iter().chain(more);
        remarks.for_each(|r| self.progress.warn(r));
        let (mut folder, remarks) = Folder::open(&out, self.inputs.clone(), &self.scene, &product, lock)?;
        remarks.iter().for_each(|r| self.progress.warn(r));
        self.progress.stage("merging");
        let numbers: Vec<u32> = wanted.iter().collect();
        let last = numbers.last().copied().unwrap_or(0);
        let mut merged = Merged {
            folder: out,
            shards: self.sources.len(),
            written: Written::after(&done),
            tally: None,
        };
        // A frame is written while the next one is read.
        let mut next = numbers.first().map(|&n| self.read(n)).transpose()?;
        for i in 0..numbers.len() {
            let Some((frame, tally)) = next.take() else { break };
            let (written, read) = rayon::join(
                || folder.write_frame(&product, &frame, &tally),
                || numbers.get(i + 1).map(|&n| self.read(n)).transpose(),
            );
            let written = written?;
            self.progress.frame_done(written.number, last, written.particles);
            merged.written.add(&written);
            merged.tally = Some(tally);
            next = read?;
        }
        folder.finish()?;
        self.progress
            .finish(format_args!("done: {} frames", merged.written.frames));
        Ok(merged)
    }

    /// One frame from all shards.
    fn read(&self, number: u32) -> Result<(Frame, Tally)> {
        let parts = self
            .sources
            .par_iter()
            .map(|s| s.read(number, self.scene.materials.len()));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        join(parts).map_err(|what| {
            Error::damaged(format!(
                "frame {number}: the shards disagree about {what}: they are not of one run"
            ))
        })
    }
}

/// Frames of the run folder that need not be merged again.
fn finished(out: &Path, inputs: &Manifest) -> Result<FrameRange> {
    match Manifest::read(out) {
        Ok(old) if old.input_differences(inputs).is_empty() => {
            let redo = compare::verify(out)?.to_redo();
            Ok(old
                .frames
                .iter()
                .map(|f| f.number)
                .filter(|&n| !redo.contains(n))
                .collect())
        }
        _ => Ok(FrameRange::default()),
    }
}

/// The shards, which must be all of one run, each once.
fn sources(options: &MergeOptions) -> Result<Vec<Source>> {
    let mut sources: Vec<Source> = Vec::new();
    for dir in &options.shards {
        let mut manifest = Manifest::read(dir)?;
        let Some(shard) = manifest.shard else {
            return Err(Error::Usage(format!(
                "{} holds a whole run, not a shard",
                dir.display()
            )));
        };
        if let Some(other) = sources
            .iter()
            .find(|s| s.shard.of() != shard.of() || s.shard == shard)
        {
            return Err(Error::Usage(format!(
                "{} holds shard {shard} and {} shard {}: give each shard of one run once",
                dir.display(),
                other.dir.display(),
                other.shard
            )));
        }
        // What is left are the inputs of the whole run.
        manifest.shard = None;
        let dir = dir.clone();
        sources.push(Source { dir, manifest, shard });
    }
    let of = sources.first().map_or(0, |s| s.shard.of());
    let missing: FrameRange = (1..=of)
        .filter(|n| sources.iter().all(|s| s.shard.number() != *n))
        .collect();
    if !missing.is_empty() {
        return Err(Error::Usage(format!(
            "of {of} shards these are not given: {missing}"
        )));
    }
    sources.sort_by_key(|s| s.shard.number());
    Ok(sources)
}

impl Source {
    /// What this shard holds of a frame. Its bytes must have the hash that its manifest names.
    fn read(&self, number: u32, materials: usize) -> Result<(Frame, Tally)> {
        let path = self.dir.join(Manifest::part_file_name(number));
        let bytes = fs_err::read(&path)?;
        let known = self.manifest.frame(number).map(|f| &f.file);
        if known != Some(&atomic::Written::of(&bytes)) {
            return Err(Error::damaged(format!(
                "{} has changed since it was looked at",
                path.display()
            )));
        }
        let (frame, tally) = part::read(&bytes, self.shard, materials)
            .map_err(|why| Error::damaged(format!("{}: {why}", path.display())))?;
        if frame.number != number {
            return Err(Error::damaged(format!(
                "{} holds frame {}",
                path.display(),
                frame.number
            )));
        }
        Ok((frame, tally))
    }
}

impl fmt::Display for Merged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let w = &self.written;
        let (folder, size) = (self.folder.display(), bytes(w.bytes));
        writeln!(
            f,
            "{folder}: {} frames from {} shards, {size}",
            w.frames, self.shards
        )?;
        if w.kept > 0 {
            writeln!(f, "           {} frames were there already", w.kept)?;
        }
        let Some(t) = &self.tally else {
            return writeln!(f, "           nothing was left to do");
        };
        let there = w.last.airborne + w.last.settled;
        writeln!(
            f,
            "particles  {} born: {} airborne, {} settled, {} died, {} lost",
            t.born, w.last.airborne, w.last.settled, t.died, t.lost
        )?;
        let odd = t.born.saturating_sub(there + t.died + t.lost);
        if odd > 0 {
            writeln!(
                f,
                "note       {odd} particles are not accounted for: please report this scene"
            )?;
        }
        writeln!(
            f,
            "leaks      {} escapes, {} flights where the ball does not fit",
            t.escapes, t.squeezed
        )
    }
}
