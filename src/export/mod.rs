//! `partsim export`: the particles of a run folder, or a surface around its coverings, for other programs.
//!
//! Reads the particle files that a run writes on request and never simulates. A new format is a new file, a variant
//! of [`Format`] and an arm in `Format::write`.

mod bgeo;
mod csv;
mod obj;
mod ply;
mod surface;
mod vtp;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::frame::Detail;
use crate::frame_range::FrameRange;
use crate::state::{NO_TRIANGLE, Status};
use crate::write::atomic::write_file;
use crate::write::manifest::Manifest;
use crate::write::points::{self, Points, file_name};

/// What particles are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Stanford polygon file, binary, little-endian.
    Ply,
    /// VTK PolyData in XML, for ParaView.
    Vtp,
    /// Comma-separated values.
    Csv,
    /// Wavefront OBJ: places only, by material.
    Obj,
    /// Houdini's classic binary geometry, version 5.
    Bgeo,
}

impl Format {
    /// Names on the command line, which are the endings of the files.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("ply", Self::Ply),
        ("vtp", Self::Vtp),
        ("csv", Self::Csv),
        ("obj", Self::Obj),
        ("bgeo", Self::Bgeo),
    ];

    fn ending(self) -> &'static str {
        Self::NAMES.iter().find(|n| n.1 == self).map_or("", |n| n.0)
    }

    fn write(self, points: &Rows, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Ply => ply::write(points, out),
            Self::Vtp => vtp::write(points, out),
            Self::Csv => csv::write(points, out),
            Self::Obj => obj::write(points, out),
            Self::Bgeo => bgeo::write(points, out),
        }
    }
}

/// What the command line says about an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportOptions {
    /// The run folder.
    pub dir: PathBuf,
    /// The format; for a surface [`Format::Ply`] or [`Format::Obj`].
    pub format: Format,
    /// Where the files go; `None`: to `export/` in the run folder.
    pub out: Option<PathBuf>,
    /// Which frames; `None`: all that are there.
    pub frames: Option<FrameRange>,
    /// A surface around each covering instead of its particles.
    pub surface: bool,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// Files, in order.
    pub files: Vec<PathBuf>,
    /// Particles in the air, which no surface holds.
    pub left_out: u64,
}

/// Particles with all that is known of them; no column is missing.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    points: &'a Points,
    detail: &'a Detail,
}

impl<'a> Rows<'a> {
    fn new(points: &'a Points) -> Option<Self> {
        let detail = points.frame.detail.as_ref()?;
        Some(Self { points, detail })
    }

    fn len(&self) -> usize {
        self.points.frame.len()
    }

    /// Number of the triangle that was touched last; -1: none.
    fn triangle(&self, i: usize) -> i32 {
        match self.detail.triangle[i] {
            NO_TRIANGLE => -1,
            triangle => i32::try_from(triangle).unwrap_or(i32::MAX),
        }
    }

    fn state(&self, i: usize) -> (u8, &'static str) {
        points::state(self.detail.status[i])
    }

    fn lies(&self, i: usize) -> bool {
        let status: Status = self.detail.status[i];
        status.is_settled() || status == Status::Flowing
    }
}

/// Exports the frames that are asked for. Files get their names when they are complete.
///
/// # Errors
/// A run folder without particle files, frames that it does not hold, files that are damaged.
pub fn export(options: &ExportOptions) -> Result<Exported> {
    let numbers = frames(options)?;
    if options.surface && !matches!(options.format, Format::Ply | Format::Obj) {
        return Err(Error::Usage(format!(
            "--surface: a surface is written as ply or obj, not as {}",
            options.format.ending()
        )));
    }
    let out = options.out.clone().unwrap_or_else(|| options.dir.join("export"));
    fs_err::create_dir_all(&out)?;
    let mut done = Exported::default();
    for number in numbers {
        let path = options.dir.join(file_name(number));
        let points = points::read(&path)?;
        let rows =
            Rows::new(&points).ok_or_else(|| Error::damaged(format!("{}: no detail", path.display())))?;
        if options.surface {
            surface::export(&rows, options.format, &out, &mut done)?;
        } else {
            let file = out.join(format!("frame_{number:06}.{}", options.format.ending()));
            write_file(&file, |to| options.format.write(&rows, to))?;
            done.files.push(file);
        }
    }
    Ok(done)
}

/// The frames to export, in order.
fn frames(options: &ExportOptions) -> Result<Vec<u32>> {
    let dir = &options.dir;
    let manifest = Manifest::read(dir)?;
    let there: FrameRange = manifest
        .frames
        .iter()
        .map(|f| f.number)
        .filter(|&n| dir.join(file_name(n)).is_file())
        .collect();
    if there.is_empty() {
        return Err(without_particles(dir));
    }
    let wanted = options.frames.clone().unwrap_or_else(|| there.clone());
    match wanted.iter().find(|&n| !there.contains(n)) {
        None => Ok(wanted.iter().collect()),
        Some(n) => Err(Error::Usage(format!(
            "--frames {wanted}: {} holds the particles of frames {there}, not of {n}",
            dir.display()
        ))),
    }
}

fn without_particles(dir: &Path) -> Error {
    Error::damaged(format!(
        "{} holds no particles, only pictures of them: set `output: (particles: true)` in the scene and run it again",
        dir.display()
    ))
}

/// A material's name in letters that any system and format can take.
fn plain_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().take(60).map(plain).collect();
    if name.is_empty() { "_".into() } else { name }
}
