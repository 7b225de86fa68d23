//! Reads an OBJ file window by window, the parts of a window at the same time, and joins them in file order.
//!
//! Windows and parts have fixed sizes and parts do not see each other, so neither the number of threads nor
//! the sizes show in the result. What memory it needs beyond the result is one window (or the longest line).

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use rayon::prelude::*;

use super::part::{self, Counts, Library, Lines, Part, Polygon, Use};
use super::tally::Tallies;
use super::{NO_UVS, text};
use crate::error::{Diagnostic, Error, Result};
use crate::math::{Point3, Real};

/// How a file is cut [bytes], and what is kept of it. Larger parts waste memory, smaller ones time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// What is read at once.
    pub window: usize,
    /// What one thread reads at once.
    pub part: usize,
    /// What is kept of lines.
    pub lines: Lines,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            window: 8 << 20,
            part: 512 << 10,
            lines: Lines::Dropped,
        }
    }
}

impl Sizes {
    /// The usual sizes, and the line of each triangle.
    pub fn with_lines() -> Self {
        Self {
            lines: Lines::Kept,
            ..Self::default()
        }
    }
}

/// Groups are numbered in u16.
const MAX_GROUPS: usize = u16::MAX as usize;

/// A whole file, faces still as fans.
#[derive(Default)]
pub(super) struct Raw {
    /// Places of the `v` lines.
    pub vertices: Vec<Point3>,
    /// Coordinates of the `vt` lines.
    pub uvs: Vec<[Real; 2]>,
    /// Fans of all faces, in order.
    pub triangles: Vec<[u32; 3]>,
    /// As many, or none.
    pub uv_triangles: Vec<[u32; 3]>,
    /// As many, or none: physical lines.
    pub lines: Vec<u32>,
    /// The faces among them that have more than three corners.
    pub polygons: Vec<Polygon>,
    /// Number of faces.
    pub faces: u64,
    /// Index into `groups` of each triangle.
    pub group_of: Vec<u16>,
    /// Names of the groups that have faces, in order of first use.
    pub groups: Vec<String>,
    /// `mtllib` lines.
    pub libraries: Vec<Library>,
    /// What was passed over.
    pub tallies: Tallies,
}

/// Reads a file of at most `limit` vertices; `path` is for messages.
pub(super) fn read(input: &mut dyn Read, path: &Path, sizes: Sizes, limit: u64) -> Result<Raw> {
    let mut joiner = Joiner::new(path);
    let mut buffer = Vec::new();
    let mut above = Counts::default();
    let mut window = sizes.window;
    let mut at_start = true;
    loop {
        let ended = fill(input, &mut buffer, window).map_err(|e| Error::unreadable(path, &e))?;
        if at_start {
            strip_mark(&mut buffer, path)?;
            at_start = false;
        }
        let end = if ended {
            buffer.len()
        } else if let Some(end) = text::cut(&buffer, 0, buffer.len()) {
            end
        } else {
            // One line fills the window: look further.
            window = buffer.len().saturating_mul(2);
            continue;
        };
        above = window_parts(&buffer[..end], path, sizes, above, limit, &mut joiner)?;
        buffer.drain(..end);
        window = sizes.window;
        if ended {
            return Ok(joiner.raw);
        }
    }
}

/// Fills the buffer up to `size`; true at the end of the input.
fn fill(input: &mut dyn Read, buffer: &mut Vec<u8>, size: usize) -> io::Result<bool> {
    let wanted = size.saturating_sub(buffer.len());
    buffer.reserve_exact(wanted);
    let read = input.take(wanted as u64).read_to_end(buffer)?;
    Ok(read < wanted)
}

/// Removes the byte order mark of UTF-8; UTF-16 is refused by name.
fn strip_mark(buffer: &mut Vec<u8>, path: &Path) -> Result<()> {
    if buffer.starts_with(b"\xef\xbb\xbf") {
        buffer.drain(..3);
    }
    if buffer.starts_with(b"\xff\xfe") || buffer.starts_with(b"\xfe\xff") {
        let message = format!("{}: expected UTF-8 or plain ASCII, found UTF-16", path.display());
        return Err(Error::input(
            Diagnostic::new(message).help("save the file as UTF-8"),
        ));
    }
    Ok(())
}

/// Reads the parts of a window and joins them; returns what stands above the next window.
fn window_parts(
    window: &[u8],
    path: &Path,
    sizes: Sizes,
    above: Counts,
    limit: u64,
    joiner: &mut Joiner,
) -> Result<Counts> {
    let pieces = pieces(window, sizes.part);
    let counts: Vec<Counts> = pieces.par_iter().map(|piece| Counts::of(piece)).collect();
    let mut total = above;
    let mut tasks = Vec::with_capacity(pieces.len());
    for (piece, own) in pieces.into_iter().zip(counts) {
        tasks.push((piece, total));
        total = total.plus(own);
    }
    let parts: Vec<Result<Part>> = tasks
        .into_par_iter()
        .map(|(piece, above)| part::read(path, piece, above, limit, sizes.lines))
        .collect();
    for part in parts {
        joiner.push(part?)?;
    }
    Ok(total)
}

/// Cuts a window between statements into pieces of about `size`.
fn pieces(window: &[u8], size: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let (mut start, mut length) = (0, size);
    while start < window.len() {
        let limit = start.saturating_add(length);
        if limit >= window.len() {
            pieces.push(&window[start..]);
            break;
        }
        if let Some(end) = text::cut(window, start, limit) {
            pieces.push(&window[start..end]);
            (start, length) = (end, size);
        } else {
            length = length.saturating_mul(2);
        }
    }
    pieces
}

/// Joins parts in file order.
struct Joiner<'a> {
    path: &'a Path,
    raw: Raw,
    /// The last `usemtl`, and its group once a face has used it.
    current: (String, Option<u16>),
    group_ids: HashMap<String, u16>,
}

impl<'a> Joiner<'a> {
    fn new(path: &'a Path) -> Self {
        Self {
            path,
            raw: Raw::default(),
            current: (String::new(), None),
            group_ids: HashMap::new(),
        }
    }

    fn push(&mut self, part: Part) -> Result<()> {
        let first = self.raw.triangles.len();
        self.check_sizes(&part)?;
        self.push_groups(&part)?;
        let raw = &mut self.raw;
        raw.vertices.extend(part.values.vertices);
        raw.uvs.extend(part.values.uvs);
        raw.triangles.extend(&part.triangles);
        raw.lines.extend(&part.lines);
        if !part.uv_triangles.is_empty() {
            raw.uv_triangles.resize(first, NO_UVS);
            raw.uv_triangles.extend(&part.uv_triangles);
        } else if !raw.uv_triangles.is_empty() {
            raw.uv_triangles.resize(raw.triangles.len(), NO_UVS);
        }
        // `check_sizes` has seen to it that this fits.
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        raw.polygons
            .extend(part.polygons.into_iter().map(|polygon| Polygon {
                first: polygon.first + first,
                ..polygon
            }));
        raw.faces += part.faces;
        raw.libraries.extend(part.libraries);
        raw.tallies.merge(part.tallies);
        Ok(())
    }

    fn check_sizes(&self, part: &Part) -> Result<()> {
        let sums = [
            ("vertices", self.raw.vertices.len() + part.values.vertices.len()),
            ("texture coordinates", self.raw.uvs.len() + part.values.uvs.len()),
            ("triangles", self.raw.triangles.len() + part.triangles.len()),
        ];
        match sums.iter().find(|(_, n)| u32::try_from(*n).is_err()) {
            None => Ok(()),
            Some((what, _)) => {
                let message = format!("{}: more than {} {what}", self.path.display(), u32::MAX);
                Err(Error::input(
                    Diagnostic::new(message).help("split the mesh into several files"),
                ))
            }
        }
    }

    fn push_groups(&mut self, part: &Part) -> Result<()> {
        let mut start = 0;
        let mut opened_by = None;
        for line in &part.uses {
            self.push_run(line.first - start, opened_by)?;
            start = line.first;
            opened_by = Some(line);
            let known = self.group_ids.get(&line.name).copied();
            self.current = (line.name.clone(), known);
        }
        self.push_run(part.triangles.len() - start, opened_by)
    }

    /// Gives the next `count` triangles to the current group.
    fn push_run(&mut self, count: usize, opened_by: Option<&Use>) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let id = match self.current.1 {
            Some(id) => id,
            None => self.open_group(opened_by)?,
        };
        let length = self.raw.group_of.len() + count;
        self.raw.group_of.resize(length, id);
        Ok(())
    }

    fn open_group(&mut self, opened_by: Option<&Use>) -> Result<u16> {
        let next = self.raw.groups.len();
        let Some(id) = u16::try_from(next).ok().filter(|_| next < MAX_GROUPS) else {
            let message = format!(
                "usemtl: more than {MAX_GROUPS} different names in {}",
                self.path.display()
            );
            let refusal = Diagnostic::new(message).help("split the mesh, or let faces share names");
            return Err(Error::input(match opened_by {
                Some(line) => refusal.at(line.place.clone()),
                None => refusal,
            }));
        };
        self.group_ids.insert(self.current.0.clone(), id);
        self.raw.groups.push(self.current.0.clone());
        self.current.1 = Some(id);
        Ok(id)
    }
}
