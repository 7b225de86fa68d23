//! Which files of a run folder are not what its manifest says.
//!
//! Trusts the manifest and looks at sizes and hashes only.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use rayon::prelude::*;

use crate::error::Result;
use crate::frame_range::FrameRange;
use crate::write::atomic::Written;
use crate::write::manifest::Manifest;
use crate::write::{points, shared};

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
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Good,
    Missing,
    Short,
    Stale,
}

/// A frame's file, and the shared pieces that it includes.
struct Found {
    state: State,
    pieces: Vec<String>,
}

impl From<State> for Found {
    fn from(state: State) -> Self {
        Self {
            state,
            pieces: Vec::new(),
        }
    }
}

/// Compares the files of the run folder `dir` with its manifest.
pub fn verify(dir: &Path) -> Result<Verification> {
    let manifest = Manifest::read(dir)?;
    let planned = manifest.settings.frames;
    let mut states = (1..=planned)
        .into_par_iter()
        .map(|number| Ok((number, frame_state(dir, &manifest, number)?)))
        .collect::<Result<Vec<_>>>()?;
    let pieces: BTreeMap<String, Vec<u32>> = take_pieces(&mut states);
    let bad = pieces
        .into_par_iter()
        .filter(|(name, _)| !is_whole(dir, name))
        .flat_map_iter(|(_, frames)| frames)
        .collect::<BTreeSet<u32>>();
    for (number, found) in &mut states {
        if found.state == State::Good && bad.contains(number) {
            found.state = State::Stale;
        }
    }
    let those = |state| {
        states
            .iter()
            .filter(|(_, found)| found.state == state)
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

fn frame_state(dir: &Path, manifest: &Manifest, number: u32) -> Result<Found> {
    let path = dir.join(manifest.frame_file(number));
    let entry = manifest.frame(number);
    let (state, text) = match entry {
        Some(entry) => file_state(&path, &entry.file)?,
        None if path.exists() => return Ok(State::Stale.into()),
        None => return Ok(State::Missing.into()),
    };
    let particles = entry.and_then(|entry| entry.particles.as_ref());
    if let (State::Good, Some(particles)) = (state, particles) {
        let (state, _) = file_state(&dir.join(points::file_name(number)), particles)?;
        if state != State::Good {
            return Ok(state.into());
        }
    }
    let text = String::from_utf8_lossy(&text);
    let pieces = shared::included(&text).map(str::to_string).collect();
    Ok(Found { state, pieces })
}

/// A file against what it should hold, and its bytes when it is good.
fn file_state(path: &Path, expected: &Written) -> Result<(State, Vec<u8>)> {
    let length = match fs_err::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok((State::Missing, Vec::new())),
        Err(why) => return Err(why.into()),
    };
    if length < expected.bytes {
        return Ok((State::Short, Vec::new()));
    }
    if length == expected.bytes {
        let bytes = fs_err::read(path)?;
        if Written::of(&bytes) == *expected {
            return Ok((State::Good, bytes));
        }
    }
    Ok((State::Stale, Vec::new()))
}

/// The frames that include each piece.
fn take_pieces(states: &mut [(u32, Found)]) -> BTreeMap<String, Vec<u32>> {
    let mut pieces: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (number, found) in states {
        for name in std::mem::take(&mut found.pieces) {
            let frames = pieces.entry(name).or_default();
            if frames.last() != Some(number) {
                frames.push(*number);
            }
        }
    }
    pieces
}

/// Whether a piece holds what its name says.
fn is_whole(dir: &Path, name: &str) -> bool {
    fs_err::read(dir.join(name)).is_ok_and(|text| shared::name_of(&text) == name)
}
