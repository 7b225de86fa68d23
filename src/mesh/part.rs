//! One part of an OBJ file, read on its own: what its lines hold, with indices already counted through the file.
//!
//! Parts know how many lines, `v` and `vt` stand above them ([`Counts`]) and nothing else of each other, so
//! they can be read at the same time, and the result does not depend on where the file was cut.

use std::path::Path;

use super::face::{Above, Corners};
use super::numbers::{Numbers, Values, fits, number};
use super::tally::Tallies;
use super::text::{Statement, Statements, Words, shown};
use super::{NO_UV, NO_UVS};
use crate::error::{Diagnostic, Error, Place, Result};

/// How many lines of each kind stand above a part, or in it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    /// Physical lines.
    pub lines: u64,
    /// `v` lines.
    pub vertices: u64,
    /// `vt` lines.
    pub uvs: u64,
}

impl Counts {
    /// Counts the lines of a part.
    pub fn of(bytes: &[u8]) -> Self {
        let mut counts = Self::default();
        let mut statements = Statements::new(bytes, 0);
        for statement in statements.by_ref() {
            match Words::new(statement.data()).next() {
                Some((_, b"v")) => counts.vertices += 1,
                Some((_, b"vt")) => counts.uvs += 1,
                _ => {}
            }
        }
        counts.lines = statements.line();
        counts
    }

    /// What stands above the part after this one.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            lines: self.lines + other.lines,
            vertices: self.vertices + other.vertices,
            uvs: self.uvs + other.uvs,
        }
    }
}

/// A polygon of more than three corners. Its corners stand in the triangle list as a fan round the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polygon {
    /// First triangle of its fan.
    pub first: u32,
    /// Number of corners, at least 4.
    pub corners: u32,
    /// Physical line, from 1.
    pub line: u64,
}

/// A `usemtl` line.
pub(super) struct Use {
    /// Triangles of this part that stand above it.
    pub first: usize,
    /// The name, "" if there is none.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

/// A `mtllib` line.
pub(super) struct Library {
    /// Everything behind the keyword.
    pub names: String,
    /// Where it stands.
    pub place: Place,
}

/// What one part of the file holds.
#[derive(Default)]
pub(super) struct Part {
    /// Numbers of the `v` and `vt` lines.
    pub values: Values,
    /// Fans of all faces, in order.
    pub triangles: Vec<[u32; 3]>,
    /// As many, or none: texture coordinates of the fans.
    pub uv_triangles: Vec<[u32; 3]>,
    /// As many, or none if they are not kept: physical lines.
    pub lines: Vec<u32>,
    /// The faces among them that have more than three corners.
    pub polygons: Vec<Polygon>,
    /// Number of faces.
    pub faces: u64,
    /// `usemtl` lines.
    pub uses: Vec<Use>,
    /// `mtllib` lines.
    pub libraries: Vec<Library>,
    /// What was passed over.
    pub tallies: Tallies,
}

/// How words are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// `tobj` will say whether all is well.
    Trusting,
    /// It said no: look at every number.
    WordByWord,
}

/// Reads a part with `above` it, of a file that has at most `limit` vertices.
pub(super) fn read(path: &Path, bytes: &[u8], above: Counts, limit: u64, lines: Lines) -> Result<Part> {
    let trusting = Reader::new(path, above, limit, Care::Trusting, lines).read(bytes)?;
    if let Some(part) = trusting {
        return Ok(part);
    }
    let careful = Reader::new(path, above, limit, Care::WordByWord, lines).read(bytes)?;
    careful.ok_or_else(|| {
        let lines = format!(
            "{}: numbers below line {} cannot be read",
            path.display(),
            above.lines
        );
        Error::input(Diagnostic::new(lines).help("export the mesh again"))
    })
}

/// Whether the line of each triangle is kept: four bytes each that only reports need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// They are kept.
    Kept,
    /// They are not.
    Dropped,
}

struct Reader<'a> {
    path: &'a Path,
    above: Counts,
    limit: u64,
    care: Care,
    lines: Lines,
    numbers: Numbers,
    corners: Corners,
    part: Part,
}

impl<'a> Reader<'a> {
    fn new(path: &'a Path, above: Counts, limit: u64, care: Care, lines: Lines) -> Self {
        Self {
            path,
            above,
            limit,
            care,
            lines,
            numbers: Numbers::default(),
            corners: Corners::default(),
            part: Part::default(),
        }
    }

    /// The part, or `None` if `tobj` does not like its numbers.
    fn read(mut self, bytes: &[u8]) -> Result<Option<Part>> {
        for statement in Statements::new(bytes, self.above.lines + 1) {
            self.statement(&statement)?;
        }
        let Some(values) = self.numbers.read() else {
            return Ok(None);
        };
        self.part.values = values;
        if !self.part.uv_triangles.is_empty() {
            self.part.uv_triangles.resize(self.part.triangles.len(), NO_UVS);
        }
        Ok(Some(self.part))
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        let mut words = Words::new(statement.data());
        let Some((start, keyword)) = words.next() else {
            return Ok(());
        };
        let place = |width| statement.place(self.path, start, width);
        match keyword {
            b"v" => self.vertex(statement, words)?,
            b"vt" => self.uv(statement, words),
            b"f" => self.face(statement, start, words)?,
            b"l" | b"p" => self.part.tallies.lines_and_points.add(|| place(1)),
            b"usemtl" => self.part.uses.push(Use {
                first: self.part.triangles.len(),
                name: lossy(statement.name(words.offset()).1),
                place: place(6),
            }),
            b"mtllib" => self.part.libraries.push(Library {
                names: lossy(statement.name(words.offset()).1),
                place: place(6),
            }),
            // Normals, names, smoothing and display hints: nothing to collide with, nothing lost.
            b"vn" | b"o" | b"g" | b"s" | b"mg" | b"lod" | b"bevel" | b"c_interp" | b"d_interp"
            | b"usemap" | b"maplib" | b"shadow_obj" | b"trace_obj" => {}
            _ => self.part.tallies.keywords.add(|| place(keyword.len())),
        }
        Ok(())
    }

    fn vertex(&mut self, statement: &Statement, words: Words) -> Result<()> {
        if self.care == Care::WordByWord {
            self.check_vertex(statement, Words::new(statement.data()).skip(1).collect())?;
        }
        let mut found = [&[][..]; 5];
        let mut count = 0;
        for (slot, (_, word)) in found.iter_mut().zip(words) {
            *slot = word;
            count += 1;
        }
        // Four words: the last divides. More: colours and the like, which are not needed.
        let kept = if count == 5 { 3 } else { count };
        self.numbers.push_vertex(found.into_iter().take(kept));
        Ok(())
    }

    fn check_vertex(&self, statement: &Statement, words: Vec<(usize, &[u8])>) -> Result<()> {
        let wrong = |(offset, word): (usize, &[u8]), expected: &str, help: &str| {
            let message = format!("v: expected {expected}, found `{}`", shown(word));
            Err(Error::input(
                statement
                    .remark(self.path, offset, word.len(), message)
                    .help(help),
            ))
        };
        if words.len() < 3 {
            let at = words.first().map_or(0, |(offset, _)| *offset);
            let message = format!("v: expected three coordinates, found {}", words.len());
            let help = "write 0 for a coordinate that is not needed";
            return Err(Error::input(
                statement.remark(self.path, at, 1, message).help(help),
            ));
        }
        let weight = if words.len() == 4 {
            number(words[3].1)
        } else {
            Some(1.0)
        };
        for (offset, word) in &words[..3] {
            match number(word) {
                None if word.contains(&b',') => {
                    return wrong(
                        (*offset, word),
                        "a number",
                        "write decimals with a point, as in 1.5",
                    );
                }
                None => {
                    return wrong(
                        (*offset, word),
                        "a number",
                        "write a coordinate as in -1.25 or 3e-2",
                    );
                }
                Some(x) if !fits(x) => {
                    return wrong(
                        (*offset, word),
                        "a number from -1e75 to 1e75",
                        "repair the mesh where it was made",
                    );
                }
                Some(x) if weight.is_some_and(|w| w == 0.0 || !fits(x / w)) => {
                    return wrong(words[3], "a weight other than 0", "delete the fourth number");
                }
                Some(_) => {}
            }
        }
        match weight {
            None => wrong(words[3], "a number", "delete the fourth word or write a weight"),
            Some(_) => Ok(()),
        }
    }

    fn uv(&mut self, statement: &Statement, mut words: Words) {
        let u = words.next().map(|w| w.1);
        let v = words.next().map(|w| w.1);
        let mut pair = [u.unwrap_or(b"?"), v.unwrap_or(b"0")];
        let usable = |word: &&[u8]| number(word).is_some_and(fits);
        if self.care == Care::WordByWord && !pair.iter().all(usable) {
            self.part
                .tallies
                .bad_uvs
                .add(|| statement.place(self.path, 0, statement.data().len()));
            pair = [b"0", b"0"];
        }
        self.numbers.push_uv(pair);
    }

    fn face(&mut self, statement: &Statement, start: usize, words: Words) -> Result<()> {
        let above = Above {
            vertices: self.above.vertices + self.numbers.vertices as u64,
            uvs: self.above.uvs + self.numbers.uvs as u64,
            limit: self.limit,
        };
        self.corners.read(self.path, statement, words, above)?;
        let corners = self.corners.vertices.len();
        let place = || statement.place(self.path, start, 1);
        let tallies = &mut self.part.tallies;
        if corners < 3 {
            tallies.lines_and_points.add(place);
            return Ok(());
        }
        if self.corners.lost_uv {
            tallies.lost_uvs.add_many(corners as u64 - 2, place);
        } else if self.corners.early_uv {
            tallies.early_uvs.add(place);
        }
        self.push_face(statement.line)
    }

    fn push_face(&mut self, line: u64) -> Result<()> {
        let first = self.part.triangles.len();
        let corners = self.corners.vertices.len();
        self.part.faces += 1;
        self.part.triangles.extend(fan(&self.corners.vertices));
        if self.lines == Lines::Kept {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            self.part.lines.resize(self.part.triangles.len(), line);
        }
        if !self.corners.uvs.contains(&NO_UV) {
            self.part.uv_triangles.resize(first, NO_UVS);
            self.part.uv_triangles.extend(fan(&self.corners.uvs));
        } else if !self.part.uv_triangles.is_empty() {
            self.part.uv_triangles.resize(self.part.triangles.len(), NO_UVS);
        }
        if corners > 3 {
            let too_many = |_| {
                let message = format!("{}: more than {} triangles", self.path.display(), u32::MAX);
                Error::input(Diagnostic::new(message).help("split the mesh into several files"))
            };
            self.part.polygons.push(Polygon {
                first: u32::try_from(first).map_err(too_many)?,
                corners: u32::try_from(corners).map_err(too_many)?,
                line,
            });
        }
        Ok(())
    }
}

/// The triangles of a fan round the first corner.
fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]])
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
