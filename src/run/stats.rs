//! `--stats FILE`: one JSON line a frame, for plots and for machines that watch a run.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::folder::FrameDone;
use super::report::{Seconds, peak_bytes};
use crate::error::Result;

/// The open file.
pub struct Stats(fs_err::File);

/// A line: what the manifest says of a frame, and what it cost, which the manifest must not say.
#[derive(Serialize)]
struct Line<'a> {
    frame: &'a crate::write::manifest::FrameEntry,
    /// Seconds so far, by stage.
    load_s: f64,
    simulate_s: f64,
    write_s: f64,
    /// Largest memory so far [bytes]; 0 where the system does not tell.
    peak_bytes: u64,
}

impl Stats {
    /// Opens the file, so that a bad path fails before any simulation. `resume`: what stands in it stays.
    pub fn open(path: &Path, resume: bool) -> Result<Self> {
        let mut options = fs_err::OpenOptions::new();
        options.create(true).write(true).append(resume).truncate(!resume);
        Ok(Self(options.open(path)?))
    }

    /// Appends the line of a frame.
    pub fn line(&mut self, done: &FrameDone, seconds: Seconds) -> Result<()> {
        let line = Line {
            frame: &done.entry,
            load_s: seconds.load,
            simulate_s: seconds.simulate,
            write_s: seconds.write,
            peak_bytes: peak_bytes().unwrap_or(0),
        };
        let mut text = serde_json::to_string(&line).map_err(std::io::Error::from)?;
        text.push('\n');
        Ok(self.0.write_all(text.as_bytes())?)
    }

    /// Makes sure that everything has reached the disk.
    pub fn finish(self) -> Result<()> {
        Ok(self.0.sync_all()?)
    }
}
