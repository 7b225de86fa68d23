//! `diff` and `verify`: what differs between two frames, run folders or pictures, and what a run folder lacks.
//!
//! Reads what a run has written and never simulates. At most one pair of frames is in memory at a time.

mod frame_text;
mod pair;
mod pictures;
mod report;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::math::Real;
use crate::write::manifest::{self, Manifest};

pub(crate) use frame_text::{FrameText, Sphere, Value, read_frame};
pub use pictures::{How, PictureReport, PictureTolerance, Unlike, diff_pictures, pictures_of};
pub use report::{Difference, Place, Report};
pub use verify::{Verification, verify};

/// Which pairs of numbers count as equal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// Largest accepted difference, in the unit of the number, >= 0.
    pub abs: Real,
    /// Largest accepted difference as a share of the larger number, >= 0.
    pub rel: Real,
}

impl Tolerance {
    /// Whether `a` and `b` are as good as equal: by the absolute or by the relative bound.
    pub fn allows(&self, a: Real, b: Real) -> bool {
        (a - b).abs() <= self.abs.max(self.rel * a.abs().max(b.abs()))
    }
}

/// Compares two frames or two run folders. Particles are matched by their birth numbers, and numbers may differ by
/// `abs` or by the share `rel` of the larger one. An error if one of them cannot be read, or if one is a file and
/// the other a folder.
pub fn diff(a: &Path, b: &Path, abs: Real, rel: Real) -> Result<Report> {
    let tolerance = Tolerance { abs, rel };
    let mut report = Report::default();
    match (is_folder(a)?, is_folder(b)?) {
        (false, false) => diff_frames(a, b, tolerance, &mut report)?,
        (true, true) => diff_folders(a, b, tolerance, &mut report)?,
        _ => {
            let message = format!(
                "{} and {}: one is a file, the other a folder",
                a.display(),
                b.display()
            );
            return Err(Error::Usage(message));
        }
    }
    Ok(report)
}

fn is_folder(path: &Path) -> Result<bool> {
    Ok(fs_err::metadata(path)?.is_dir())
}

fn diff_frames(a: &Path, b: &Path, tolerance: Tolerance, report: &mut Report) -> Result<()> {
    let (text_a, text_b) = (read_frame(a)?, read_frame(b)?);
    report.compared += 1;
    if text_a == text_b && !text_a.is_empty() {
        report.identical += 1;
        return Ok(());
    }
    let (frame_a, frame_b) = (FrameText::parse(a, &text_a)?, FrameText::parse(b, &text_b)?);
    let name = a.file_name().unwrap_or(a.as_os_str()).to_string_lossy();
    pair::compare(&name, &frame_a, &frame_b, tolerance, report);
    Ok(())
}

fn diff_folders(a: &Path, b: &Path, tolerance: Tolerance, report: &mut Report) -> Result<()> {
    let (frames_a, frames_b) = (frame_files(a)?, frame_files(b)?);
    if frames_a.is_empty() && frames_b.is_empty() {
        let message = format!("no frames in {} nor in {}", a.display(), b.display());
        return Err(Error::damaged(message));
    }
    report.settings = manifest_remarks(a, b)?;
    let missing_from = |other: &BTreeMap<u32, PathBuf>, n: &&u32| !other.contains_key(*n);
    report.frames_only_a = frames_a
        .keys()
        .filter(|n| missing_from(&frames_b, n))
        .copied()
        .collect();
    report.frames_only_b = frames_b
        .keys()
        .filter(|n| missing_from(&frames_a, n))
        .copied()
        .collect();
    for (number, path_a) in &frames_a {
        if let Some(path_b) = frames_b.get(number) {
            diff_frames(path_a, path_b, tolerance, report)?;
        }
    }
    Ok(())
}

/// Frame files of a run folder by number.
pub(crate) fn frame_files(dir: &Path) -> Result<BTreeMap<u32, PathBuf>> {
    let mut files = BTreeMap::new();
    for entry in fs_err::read_dir(dir)? {
        let entry = entry?;
        if let Some(number) = entry.file_name().to_str().and_then(manifest::frame_number) {
            files.insert(number, entry.path());
        }
    }
    Ok(files)
}

/// In what the two manifests' inputs differ; golden folders may come without one.
fn manifest_remarks(a: &Path, b: &Path) -> Result<Vec<String>> {
    let has = |dir: &Path| dir.join(manifest::FILE_NAME).exists();
    match (has(a), has(b)) {
        (true, true) => Ok(Manifest::read(a)?.input_differences(&Manifest::read(b)?)),
        (true, false) => Ok(vec!["only A has a manifest".into()]),
        (false, true) => Ok(vec!["only B has a manifest".into()]),
        (false, false) => Ok(Vec::new()),
    }
}
