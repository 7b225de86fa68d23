//! What a run that was cut off has left to do, and the checkpoints that it leaves for the next.
//!
//! Frames are believed when their bytes have the hash that the manifest names; a state when its checkpoint's hash
//! agrees and it was made from the same inputs. Whatever is missing is computed again, to the same bytes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::folder::Folder;
use crate::checkpoint;
use crate::compare;
use crate::error::{Diagnostic, Error, Result};
use crate::frame_range::FrameRange;
use crate::state::State;
use crate::world::World;
use crate::write::manifest::{FILE_NAME, Manifest};

/// A checkpoint may take this share of the time since the last one.
const SHARE: u32 = 20;

/// Where a run goes on.
#[derive(Default)]
pub struct Resumed {
    /// The state to start from.
    pub state: State,
    /// The frame that it shows; 0: the very start.
    pub frame: u32,
    /// Frames that are there already.
    pub done: FrameRange,
}

/// Looks into a run folder for what an earlier run with the same inputs has left. A folder that holds something else
/// is refused, and untouched.
pub fn find(dir: &Path, inputs: &Manifest) -> Result<(Resumed, Vec<Diagnostic>)> {
    if !dir.join(FILE_NAME).exists() {
        let remark = Diagnostic::new(format!(
            "{} holds no earlier run: starting at frame 1",
            dir.display()
        ));
        return Ok((Resumed::default(), vec![remark]));
    }
    let old = Manifest::read(dir)
        .map_err(|why| Error::damaged(format!("{why}; run without --resume to start anew")))?;
    refuse_others(dir, "run", &old, inputs)?;
    let redo = compare::verify(dir)?.to_redo();
    let done = old.frames.iter().map(|f| f.number).filter(|&n| !redo.contains(n));
    let mut resumed = Resumed {
        done: done.collect(),
        ..Resumed::default()
    };
    let mut remarks = Vec::new();
    match checkpoint::read(dir) {
        Ok(Some(found)) => {
            refuse_others(dir, "checkpoint", &found.inputs, inputs)?;
            (resumed.state, resumed.frame) = (found.state, found.frame);
        }
        Ok(None) => {}
        // Everything that it would have saved can be computed again.
        Err(why) => remarks.push(
            Diagnostic::new(why.to_string())
                .help("the run is simulated from its start; finished frames are kept"),
        ),
    }
    Ok((resumed, remarks))
}

fn refuse_others(dir: &Path, what: &str, old: &Manifest, new: &Manifest) -> Result<()> {
    let differences = old.input_differences(new);
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "--resume: the {what} in {} was made from other inputs ({}); run without --resume to start anew, or give another --out",
        dir.display(),
        differences.join("; ")
    )))
}

impl Resumed {
    /// Goes back to the start where the state is too late for a frame that is wanted, or does not fit the world.
    pub fn fit(&mut self, world: &World, wanted: &FrameRange) {
        let fits = self.state.emitted.len() <= world.sources.len()
            && (self.state.particles.material.iter()).all(|&m| usize::from(m) < world.materials.len());
        if !fits || wanted.iter().any(|n| n <= self.frame) {
            (self.state, self.frame) = (State::default(), 0);
        }
    }
}

/// Saves checkpoints now and then.
pub struct Keeper {
    dir: PathBuf,
    every: Duration,
    last: Instant,
}

impl Keeper {
    /// Saves into `dir`, no more often than every so many seconds.
    pub fn new(dir: &Path, every: f64) -> Self {
        Self {
            dir: dir.into(),
            every: Duration::try_from_secs_f64(every).unwrap_or(Duration::MAX),
            last: Instant::now(),
        }
    }

    /// Whether the next one is due.
    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.every
    }

    /// Saves the state after `frame`, all frames up to which have been written.
    pub fn save(&mut self, folder: &mut Folder, frame: u32, state: &State) -> Result<()> {
        let started = Instant::now();
        folder.make_safe()?;
        checkpoint::write(&self.dir, folder.manifest(), frame, state)?;
        self.every = self.every.max(started.elapsed() * SHARE);
        self.last = Instant::now();
        Ok(())
    }

    /// Removes the checkpoint of a run that is complete.
    pub fn finish(self) -> Result<()> {
        match fs_err::remove_file(self.dir.join(checkpoint::FILE_NAME)) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => Err(why.into()),
            _ => Ok(()),
        }
    }
}
