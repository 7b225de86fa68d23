//! Reads the statements of one MTL file into [`Surface`]s; a statement that makes no sense is counted and skipped.
//!
//! `tobj`'s own MTL reader is not used: it panics on a colour of fewer than three numbers, gives up the whole
//! file at one bad number, an empty `newmtl` or a byte that is not UTF-8, and knows neither `Tr` nor texture
//! options. Lines, continuations and names follow the same rules as in OBJ files ([`super::text`]).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::numbers::number;
use super::tally::Tally;
use super::text::{Statement, Statements, Words};
use super::{Surface, files};
use crate::error::Diagnostic;
use crate::math::Real;

/// Texture options that take this many words. Those of `-o`, `-s` and `-t` are one to three numbers.
const OPTIONS: [(&[u8], usize); 11] = [
    (b"-blendu", 1),
    (b"-blendv", 1),
    (b"-bm", 1),
    (b"-boost", 1),
    (b"-cc", 1),
    (b"-clamp", 1),
    (b"-colorspace", 1),
    (b"-imfchan", 1),
    (b"-mm", 2),
    (b"-texres", 1),
    (b"-type", 1),
];

/// Materials and what is to be said of them.
#[derive(Default)]
pub(super) struct Materials {
    /// Surfaces by name; of two with the same name the later one counts.
    pub surfaces: BTreeMap<String, Surface>,
    /// Remarks on statements that make no sense.
    pub warnings: Vec<Diagnostic>,
    /// Textures that are not there, with where they were looked for.
    pub missing: Vec<PathBuf>,
}

impl Materials {
    /// The surface that `usemtl name` means. A trailing comment is not part of the name unless it was defined so.
    pub fn surface(&self, name: &str) -> Option<&Surface> {
        let bare = || self.surfaces.get(name.split_once(" #")?.0.trim_end());
        self.surfaces.get(name).or_else(bare)
    }

    /// Adds the materials of an MTL file; texture paths are looked up from its folder.
    pub fn read(&mut self, bytes: &[u8], path: &Path) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = Reader {
            path,
            current: None,
            transparency: None,
            senseless: Tally::default(),
            materials: self,
        };
        for statement in Statements::new(bytes, 1) {
            reader.statement(&statement);
        }
        reader.close();
        let warning = reader.senseless.warning(
            |n| format!("{n} statement(s) of the MTL file make no sense and are ignored"),
            "only the look of the scenery is affected",
        );
        self.warnings.extend(warning);
    }
}

impl Default for Surface {
    /// What holds for statements that a material does not have.
    fn default() -> Self {
        Self {
            diffuse: [0.8; 3],
            specular: [0.0; 3],
            emission: [0.0; 3],
            shininess: 0.0,
            opacity: 1.0,
            ior: 1.0,
            diffuse_map: None,
            bump_map: None,
        }
    }
}

struct Reader<'a> {
    path: &'a Path,
    current: Option<(String, Surface)>,
    /// `Tr` of the current material, as long as no `d` has been given.
    transparency: Option<Real>,
    senseless: Tally,
    materials: &'a mut Materials,
}

impl Reader<'_> {
    fn close(&mut self) {
        if let Some((name, mut surface)) = self.current.take() {
            if let Some(transparency) = self.transparency.take() {
                surface.opacity = 1.0 - transparency;
            }
            self.materials.surfaces.insert(name, surface);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let mut words = Words::new(&statement.text);
        let Some((start, keyword)) = words.next() else {
            return;
        };
        let understood = if keyword == b"newmtl" {
            self.close();
            let name = String::from_utf8_lossy(statement.name(words.offset()).1).into_owned();
            self.current = Some((name, Surface::default()));
            true
        } else {
            self.property(keyword, statement, words.offset()).is_some()
        };
        if !understood {
            self.senseless
                .add(|| statement.place(self.path, start, keyword.len()));
        }
    }

    /// `None` if the statement makes no sense. Keywords that a [`Surface`] has no field for always do.
    fn property(&mut self, keyword: &[u8], statement: &Statement, offset: usize) -> Option<()> {
        let data = statement.data();
        let values = data.get(offset..).unwrap_or_default();
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let texture = || texture(folder, statement.name(offset).1);
        let Some((_, surface)) = &mut self.current else {
            // A statement before the first `newmtl` belongs to nothing.
            return None;
        };
        let mut map = None;
        match keyword {
            b"Kd" => surface.diffuse = color(values, 1.0)?,
            b"Ks" => surface.specular = color(values, 1.0)?,
            b"Ke" => surface.emission = color(values, Real::MAX)?,
            b"Ns" => surface.shininess = last_number(values)?.max(0.0),
            // Below 0.001 the format does not go: exporters write 0 for "none".
            b"Ni" => surface.ior = Some(last_number(values)?).filter(|n| *n >= 0.001).unwrap_or(1.0),
            b"d" => {
                surface.opacity = last_number(values)?.clamp(0.0, 1.0);
                self.transparency = Some(1.0 - surface.opacity);
            }
            b"Tr" => {
                let transparency = last_number(values)?.clamp(0.0, 1.0);
                self.transparency.get_or_insert(transparency);
            }
            b"map_Kd" | b"map_kd" => map = Some((&mut surface.diffuse_map, texture()?)),
            b"map_Bump" | b"map_bump" | b"bump" => map = Some((&mut surface.bump_map, texture()?)),
            _ => {}
        }
        match map {
            Some((slot, Ok(found))) => *slot = Some(found),
            Some((_, Err(wanted))) => self.materials.missing.push(wanted),
            None => {}
        }
        Some(())
    }
}

/// One number for all channels, or three.
fn color(text: &[u8], most: Real) -> Option<[Real; 3]> {
    let numbers: Vec<Real> = Words::new(text).take(3).map_while(|w| finite(w.1)).collect();
    let rgb = match numbers[..] {
        [grey] => [grey; 3],
        [r, g, b] => [r, g, b],
        _ => return None,
    };
    Some(rgb.map(|x| x.clamp(0.0, most)))
}

/// The last word as a number: `d -halo 0.5` is read as 0.5.
fn last_number(text: &[u8]) -> Option<Real> {
    Words::new(text).last().and_then(|w| finite(w.1))
}

fn finite(word: &[u8]) -> Option<Real> {
    number(word).filter(|x| x.is_finite())
}

/// The texture that a statement names: its file, or the path where it should be. `None` if it names nothing.
fn texture(folder: &Path, statement: &[u8]) -> Option<Result<PathBuf, PathBuf>> {
    let name = skip_options(statement);
    if name.is_empty() {
        return None;
    }
    let whole = String::from_utf8_lossy(name);
    let bare = without_trailing_options(&whole);
    let found = files::find(folder, &whole).or_else(|| files::find(folder, bare));
    Some(found.ok_or_else(|| folder.join(bare)))
}

/// Some exporters write options behind the name.
fn without_trailing_options(name: &str) -> &str {
    let is_option = |at: &usize| {
        let option = name[at + 1..].split_whitespace().next().unwrap_or_default();
        matches!(option, "-o" | "-s" | "-t") || OPTIONS.iter().any(|(known, _)| *known == option.as_bytes())
    };
    let mut starts = name.match_indices(" -").map(|(at, _)| at);
    starts.find(is_option).map_or(name, |at| name[..at].trim_end())
}

fn skip_options(text: &[u8]) -> &[u8] {
    let mut rest = text.trim_ascii();
    loop {
        let mut words = Words::new(rest);
        let Some((_, option)) = words.next() else {
            return rest;
        };
        let mut end = words.offset();
        if matches!(option, b"-o" | b"-s" | b"-t") {
            for (at, word) in words.take(3).take_while(|(_, w)| number(w).is_some()) {
                end = at + word.len();
            }
        } else if let Some((_, count)) = OPTIONS.iter().find(|(name, _)| *name == option) {
            if let Some((at, word)) = words.take(*count).last() {
                end = at + word.len();
            }
        } else {
            return rest;
        }
        rest = rest[end..].trim_ascii_start();
    }
}
