//! The corners of one `f` line: `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 1 or backwards from the line.
//!
//! Indices are resolved in 64 bits against what stands above the line, so interleaved blocks stay apart.
//! Normals are not needed for anything here, so `vn` indices are checked for form only.

use std::path::Path;

use super::NO_UV;
use super::text::{Statement, Words, shown};
use crate::error::{Error, Result};

/// What a face line may refer to.
#[derive(Clone, Copy)]
pub(super) struct Above {
    /// `v` lines above this one.
    pub vertices: u64,
    /// `vt` lines above this one.
    pub uvs: u64,
    /// `v` lines of the whole file, once they are known; before that, the most that can be.
    pub limit: u64,
}

/// The corners of one face; reused from line to line.
#[derive(Default)]
pub(super) struct Corners {
    /// Vertices, from 0.
    pub vertices: Vec<u32>,
    /// Texture coordinates, from 0; [`NO_UV`] for a corner without.
    pub uvs: Vec<u32>,
    /// Whether any corner names a texture coordinate that cannot be.
    pub lost_uv: bool,
    /// Whether any corner names a texture coordinate that does not stand above the line.
    pub early_uv: bool,
}

impl Corners {
    /// Reads the words of an `f` line.
    pub fn read(&mut self, path: &Path, statement: &Statement, words: Words, above: Above) -> Result<()> {
        self.vertices.clear();
        self.uvs.clear();
        self.lost_uv = false;
        self.early_uv = false;
        for (offset, word) in words {
            let corner = split(word).and_then(|[v, vt]| {
                let vertex = vertex(v.ok_or(Wrong::Form)?, above)?;
                Ok((vertex, vt))
            });
            let (vertex, vt) = corner.map_err(|wrong| wrong.error(path, statement, offset, word, above))?;
            self.vertices.push(vertex);
            let uv = vt.and_then(|vt| from_zero(vt, above.uvs));
            self.lost_uv |= vt.is_some() && uv.is_none();
            self.early_uv |= uv.is_some_and(|uv| u64::from(uv) >= above.uvs);
            self.uvs.push(uv.unwrap_or(NO_UV));
        }
        Ok(())
    }
}

/// What can be wrong with a corner.
enum Wrong {
    Form,
    Zero,
    TooFarBack(i64),
    Missing(i64),
}

impl Wrong {
    fn error(self, path: &Path, statement: &Statement, offset: usize, word: &[u8], above: Above) -> Error {
        let found = shown(word);
        let (message, help) = match self {
            Self::Form => (
                format!(
                    "f: expected a corner as v, v/vt, v//vn or v/vt/vn in whole numbers, found `{found}`"
                ),
                "separate corners by blanks",
            ),
            Self::Zero => (
                format!("f: there is no vertex 0, found `{found}`"),
                "OBJ counts vertices from 1; export the mesh again",
            ),
            Self::TooFarBack(index) => (
                format!(
                    "f: vertex {index} counts back beyond the first: {} stand above this line",
                    above.vertices
                ),
                "the file is cut or the exporter miscounts; export the mesh again",
            ),
            Self::Missing(index) if index > i64::from(u32::MAX) => (
                format!(
                    "f: vertex {index} is beyond the {} vertices that a mesh can have",
                    u32::MAX
                ),
                "split the mesh into several files",
            ),
            Self::Missing(index) => (
                format!("f: there is no vertex {index}: the file has {}", above.limit),
                "the file is cut or the exporter miscounts; export the mesh again",
            ),
        };
        Error::input(statement.remark(path, offset, word.len(), message).help(help))
    }
}

/// The indices of a corner as written: vertex and texture coordinate.
#[inline]
fn split(word: &[u8]) -> std::result::Result<[Option<i64>; 2], Wrong> {
    let mut indices = [None; 3];
    let mut parts = word.split(|b| *b == b'/');
    for index in &mut indices {
        match parts.next() {
            None => break,
            Some([]) => {}
            Some(part) => *index = Some(whole_number(part).ok_or(Wrong::Form)?),
        }
    }
    if parts.next().is_some() {
        return Err(Wrong::Form);
    }
    Ok([indices[0], indices[1]])
}

/// A whole number; beyond the range of i64 its ends stand for all others.
#[inline]
fn whole_number(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i64;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.saturating_mul(10).saturating_add(i64::from(byte - b'0'));
    }
    Some(if negative { -value } else { value })
}

#[inline]
fn vertex(index: i64, above: Above) -> std::result::Result<u32, Wrong> {
    if index == 0 {
        return Err(Wrong::Zero);
    }
    let vertex = from_zero(index, above.vertices).ok_or(if index < 0 {
        Wrong::TooFarBack(index)
    } else {
        Wrong::Missing(index)
    })?;
    if u64::from(vertex) >= above.limit {
        return Err(Wrong::Missing(index));
    }
    Ok(vertex)
}

/// An index from 1, or backwards from `above`, as one from 0. `None` for 0, before the first, and beyond u32.
#[inline]
fn from_zero(index: i64, above: u64) -> Option<u32> {
    let place = if index > 0 {
        index - 1
    } else if index < 0 {
        i64::try_from(above).ok()?.checked_add(index)?
    } else {
        return None;
    };
    // u32::MAX itself marks a triangle without texture.
    u32::try_from(place).ok().filter(|place| *place != NO_UV)
}
