//! Two rendered pictures, or two folders of them, pixel by pixel.
//!
//! Pictures are matched by their names; those of a folder are looked at in parallel, a pair a thread.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{frame_files, is_folder};
use crate::error::{Error, Result};
use crate::picture::Picture;

/// Pictures that are told one by one.
const TOLD: usize = 20;

/// Which pictures count as equal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PictureTolerance {
    /// Largest difference of a channel that counts as none, 0 .. 255.
    pub pixel: u8,
    /// Share of a picture's pixels that may differ by more, 0 .. 1.
    pub share: f64,
}

/// What differs between two pictures, or two folders of them, A and B.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PictureReport {
    /// Pairs that were compared.
    pub compared: usize,
    /// Pairs that are the same, pixel for pixel.
    pub identical: usize,
    /// Names that B lacks.
    pub only_a: Vec<String>,
    /// Names that A lacks.
    pub only_b: Vec<String>,
    /// Pairs that are not the same, by name; also those within the tolerance.
    pub unlike: Vec<Unlike>,
}

/// Two pictures that are not the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Unlike {
    /// Name of the pictures.
    pub name: String,
    /// Whether they differ beyond the tolerance.
    pub beyond: bool,
    /// In what.
    pub how: How,
}

/// In what two pictures differ.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// In their sizes [pixels].
    Sizes([u32; 2], [u32; 2]),
    /// In pixels.
    Pixels {
        /// Pixels that differ by more than the tolerance.
        count: usize,
        /// Of so many.
        of: usize,
        /// Column and row of the pixel that differs most, from the upper left; the first of several.
        worst: [u32; 2],
        /// That pixel in both, red, green, blue and opacity.
        colors: [[u8; 4]; 2],
        /// Its difference.
        by: u8,
    },
}

/// Where the pictures are that a path means: a PNG file, a folder of them without frames, or, where pictures are
/// `asked` for, `img` in a run folder. `None`: it means no pictures.
pub fn pictures_of(path: &Path, asked: bool) -> Result<Option<PathBuf>> {
    if !is_folder(path)? {
        return Ok(is_png(path).then(|| path.into()));
    }
    let rendered = path.join("img");
    if frame_files(path)?.is_empty() && !names(path)?.is_empty() {
        Ok(Some(path.into()))
    } else if asked && rendered.is_dir() {
        Ok(Some(rendered))
    } else {
        Ok(None)
    }
}

fn is_png(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// Names of the PNG files of a folder.
fn names(dir: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs_err::read_dir(dir)? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| is_png(&path) && path.is_file()) {
            names.insert(name.to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

/// Compares two PNG files, or the PNG files of two folders by name. An error if one of them cannot be read.
pub fn diff_pictures(a: &Path, b: &Path, tolerance: PictureTolerance) -> Result<PictureReport> {
    match (is_folder(a)?, is_folder(b)?) {
        (false, false) => {
            let name = a.file_name().unwrap_or(a.as_os_str()).to_string_lossy();
            let unlike = compare(&name, a, b, tolerance)?;
            Ok(PictureReport {
                compared: 1,
                identical: usize::from(unlike.is_none()),
                unlike: unlike.into_iter().collect(),
                ..PictureReport::default()
            })
        }
        (true, true) => diff_folders(a, b, tolerance),
        _ => Err(Error::Usage(format!(
            "{} and {}: one is a picture, the other a folder",
            a.display(),
            b.display()
        ))),
    }
}

fn diff_folders(a: &Path, b: &Path, tolerance: PictureTolerance) -> Result<PictureReport> {
    let (names_a, names_b) = (names(a)?, names(b)?);
    let both: Vec<&String> = names_a.intersection(&names_b).collect();
    let found = both
        .par_iter()
        .map(|name| compare(name, &a.join(name), &b.join(name), tolerance))
        .collect::<Result<Vec<_>>>()?;
    Ok(PictureReport {
        compared: both.len(),
        identical: found.iter().filter(|f| f.is_none()).count(),
        only_a: names_a.difference(&names_b).cloned().collect(),
        only_b: names_b.difference(&names_a).cloned().collect(),
        unlike: found.into_iter().flatten().collect(),
    })
}

fn compare(name: &str, a: &Path, b: &Path, tolerance: PictureTolerance) -> Result<Option<Unlike>> {
    let (a, b) = (Picture::read_png(a)?, Picture::read_png(b)?);
    let sizes = [[a.width, a.height], [b.width, b.height]];
    if sizes[0] != sizes[1] {
        return Ok(Some(Unlike {
            name: name.into(),
            beyond: true,
            how: How::Sizes(sizes[0], sizes[1]),
        }));
    }
    let (mut count, mut by, mut worst) = (0, 0, 0);
    for (i, (p, q)) in a.pixels.iter().zip(&b.pixels).enumerate() {
        let off = (0..4).map(|k| p[k].abs_diff(q[k])).max().unwrap_or(0);
        count += usize::from(off > tolerance.pixel);
        if off > by {
            (by, worst) = (off, i);
        }
    }
    let of = a.pixels.len();
    Ok((by > 0).then(|| Unlike {
        name: name.into(),
        beyond: count as f64 > tolerance.share * of as f64,
        how: How::Pixels {
            count,
            of,
            worst: [worst as u32 % a.width, worst as u32 / a.width],
            colors: [a.pixels[worst], b.pixels[worst]],
            by,
        },
    }))
}

impl PictureReport {
    /// Whether A and B are the same within the tolerance.
    pub fn same(&self) -> bool {
        self.only_a.is_empty() && self.only_b.is_empty() && !self.unlike.iter().any(|u| u.beyond)
    }
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.how {
            How::Sizes(a, b) => write!(f, "{} x {} pixels / {} x {}", a[0], a[1], b[0], b[1]),
            How::Pixels {
                count,
                of,
                worst,
                colors,
                by,
            } => write!(
                f,
                "{count} of {of} pixels differ beyond the tolerance ({:.3} %); worst at column {}, row {}: {:?} / {:?} (by {by})",
                100.0 * *count as f64 / (*of).max(1) as f64,
                worst[0],
                worst[1],
                colors[0],
                colors[1]
            ),
        }
    }
}

impl fmt::Display for PictureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.same() {
            true if self.unlike.is_empty() => "same",
            true => "same within the tolerance",
            false => "different",
        };
        let pictures = if self.compared == 1 { "picture" } else { "pictures" };
        writeln!(
            f,
            "{verdict}: {} of {} {pictures} identical pixel for pixel",
            self.identical, self.compared
        )?;
        for (side, names) in [("A", &self.only_a), ("B", &self.only_b)] {
            if !names.is_empty() {
                writeln!(f, "pictures only in {side}: {}", names.join(", "))?;
            }
        }
        // What decides comes first.
        let beyond = self.unlike.iter().filter(|u| u.beyond);
        let within = self.unlike.iter().filter(|u| !u.beyond);
        for unlike in beyond.chain(within).take(TOLD) {
            writeln!(f, "{unlike}")?;
        }
        match self.unlike.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => writeln!(f, "and {more} more"),
        }
    }
}
