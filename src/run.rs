//! The loop over frames.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::frame_range::FrameRange;
use crate::progress::ProgressMode;
use crate::scene::Collision;

/// What the command line says about a run; `None` leaves it to the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// The scene file.
    pub scene: PathBuf,
    /// The run folder; `None`: `runs/` and the scene's name, in the working folder.
    pub out: Option<PathBuf>,
    /// Which frames are written; all are simulated.
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
}

/// What a run did; its text is the report.
#[derive(Debug)]
pub struct Summary;

impl fmt::Display for Summary {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// What a run would do; its text is the forecast.
#[derive(Debug)]
pub struct Forecast;

impl fmt::Display for Forecast {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// Simulates a scene and writes its frames.
pub fn run(options: &RunOptions) -> Result<Summary> {
    fs_err::metadata(&options.scene)?;
    Err(Error::Usage("`run` is not built yet".into()))
}

/// Checks a scene without simulating it.
pub fn check(scene: &Path) -> Result<Forecast> {
    fs_err::metadata(scene)?;
    Err(Error::Usage("`check` is not built yet".into()))
}
