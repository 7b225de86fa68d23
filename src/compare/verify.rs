//! Which files of a run folder are not what its manifest says.
//!
//! Trusts the manifest and looks at sizes and hashes only.

use std::io;
use std::path::Path;

use rayon::prelude::*;

use crate::error::Result;
use crate::frame_range::FrameRange;
use crate::write::atomic::Written;
use crate::write::manifest::Manifest;

use super::frame_files;

/// What a run folder lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Frames of the whole run.
    pub planned: u32,
    /// Frames without a file.
    pub missing: FrameRange,
    /// Frames whose file is shorter than it was.
    pub short: FrameRange,
    /// Frames whose file differs otherwise, or that the manifest does not know.
    pub stale: FrameRange,
    /// Frame files beyond the end of the run.
    pub surplus: FrameRange,
    /// Shared files that are missing. They may differ: the user edits them.
    pub missing_files: Vec<String>,
}

impl Verification {
    /// The frames to compute again, as `--frames` takes them.
    pub fn to_redo(&self) -> FrameRange {
        self.missing.union(&self.short).union(&self.stale)
    }

    /// Whether the folder can be rendered as it is.
    pub fn is_complete(&self) -> bool {
        self.to_redo().is_empty() && self.missing_files.is_empty()
    }
}

/// State of one frame's file.
#[derive(PartialEq)]
enum State {
    Good,
    Missing,
    Short,
    Stale,
}

/// Compares the files of the run folder `dir` with its manifest.
pub fn verify(dir: &Path) -> Result<Verification> {
    let manifest = Manifest::read(dir)?;
    let planned = manifest.settings.frames;
    let states = (1..=planned)
        .into_par_iter()
        .map(|number| Ok((number, frame_state(dir, &manifest, number)?)))
        .collect::<Result<Vec<_>>>()?;
    let those = |state| {
        states
            .iter()
            .filter(|(_, s)| *s == state)
            .map(|&(number, _)| number)
            .collect()
    };
    Ok(Verification {
        planned,
        missing: those(State::Missing),
        short: those(State::Short),
        stale: those(State::Stale),
        surplus: frame_files(dir)?.into_keys().filter(|&n| n > planned).collect(),
        missing_files: manifest
            .files
            .keys()
            .filter(|name| !dir.join(name).exists())
            .cloned()
            .collect(),
    })
}

fn frame_state(dir: &Path, manifest: &Manifest, number: u32) -> Result<State> {
    let path = dir.join(manifest.frame_file(number));
    let length = match fs_err::metadata(&path) {
        Ok(metadata) => metadata.len(),
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(State::Missing),
        Err(why) => return Err(why.into()),
    };
    let Some(entry) = manifest.frame(number) else {
        return Ok(State::Stale);
    };
    if length < entry.file.bytes {
        return Ok(State::Short);
    }
    let good = length == entry.file.bytes && Written::of(&fs_err::read(&path)?) == entry.file;
    Ok(if good { State::Good } else { State::Stale })
}
