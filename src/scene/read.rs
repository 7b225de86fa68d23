//! From a file to a checked scene: read, parse, explain what cannot be parsed, check the rest.
//!
//! A mistake of one key does not hide the next: the key is blanked out and reading goes on.

use std::path::Path;

use super::locate::{Source, Step, options, parse_path};
use super::mistake::{Mistake, explain, nearest};
use super::schema::SceneFile;
use super::{Scene, check};
use crate::error::{Diagnostic, Error, Place, Result};

/// Largest scene text that is read [bytes]: scenes are written by people, meshes stand in their own files.
const LARGEST_TEXT: u64 = 64 << 20;
/// Up to this size, reading goes on after a mistake [bytes]; beyond it, each new start would take too long.
const LARGEST_RETRY: usize = 1 << 20;
/// Mistakes of single keys that are reported at once.
const MISTAKES: usize = 20;

/// Reads and checks a scene file.
///
/// # Errors
/// [`Error::Input`] with every mistake found; [`Error::File`] when the file cannot be read.
pub fn load(path: &Path) -> Result<Scene> {
    let bytes = read_bounded(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| not_text(path, &bytes, e.valid_up_to()))?;
    parse(text, path)
}

/// Checks a scene given as text; mesh files are looked for in the folder of `path`.
///
/// # Errors
/// [`Error::Input`] with every mistake found.
pub fn parse(text: &str, path: &Path) -> Result<Scene> {
    if text.len() as u64 > LARGEST_TEXT {
        return Err(too_large(path, text.len() as u64));
    }
    let source = Source::new(without_mark(text), path);
    let file = read_keys(&source).map_err(Error::Input)?;
    check::check(file, &source)
}

/// Where a field such as `meshes[0].groups["roof"]` stands in a scene file; `None` when it is not written there.
pub fn locate_field(scene: &Path, field: &str) -> Option<Place> {
    let text = String::from_utf8(read_bounded(scene).ok()?).ok()?;
    let source = Source::new(without_mark(&text), scene);
    source.value(&parse_path(field)?).map(|range| source.place(range))
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn read_bounded(path: &Path) -> Result<Vec<u8>> {
    let size = fs_err::metadata(path)?.len();
    if size > LARGEST_TEXT {
        return Err(too_large(path, size));
    }
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path)?;
    // A pipe has no size beforehand, so the bound is kept while reading too.
    std::io::Read::read_to_end(&mut std::io::Read::take(file, LARGEST_TEXT + 1), &mut bytes)?;
    Ok(bytes)
}

fn too_large(path: &Path, size: u64) -> Error {
    let message = format!(
        "expected a scene of at most 64 MiB, found {size} bytes in {}",
        path.display()
    );
    Error::input(Diagnostic::new(message).help("is it a mesh? Name it under `meshes` in a scene file"))
}

fn not_text(path: &Path, bytes: &[u8], valid: usize) -> Error {
    let text = std::str::from_utf8(&bytes[..valid]).unwrap_or("");
    let message = format!(
        "expected text in UTF-8, found byte 0x{:02x}",
        bytes.get(valid).unwrap_or(&0)
    );
    let place = Source::new(text, path).place(valid..valid);
    Error::input(Diagnostic::new(message).at(place).help("save the scene as UTF-8"))
}

/// Reads the keys; after a mistake that can be stepped over, goes on to find the next.
fn read_keys(source: &Source<'_>) -> std::result::Result<SceneFile, Vec<Diagnostic>> {
    let mut text = source.text.to_owned();
    let mut blanked: Vec<Vec<Step>> = Vec::new();
    let mut mistakes = Vec::new();
    // Each turn takes out a key, so this ends; the bound keeps it quick.
    for _ in 0..2 * MISTAKES {
        let current = Source {
            text: &text,
            ..*source
        };
        let mistake = match read_once(&current) {
            Ok(file) if mistakes.is_empty() => return Ok(file),
            Ok(_) => break,
            Err(mistake) => mistake,
        };
        let next = blank(&current, &mistake);
        if !follows_from(&blanked, &mistake) {
            mistakes.push(mistake.diagnostic);
        }
        match next {
            Some((steps, next)) if mistakes.len() < MISTAKES && text.len() <= LARGEST_RETRY => {
                blanked.push(steps);
                text = next;
            }
            _ => break,
        }
    }
    Err(mistakes)
}

/// Whether a mistake is there only because a key was taken out: that key or its right spelling is missing
/// now, or the value around it is incomplete.
fn follows_from(blanked: &[Vec<Step>], mistake: &Mistake) -> bool {
    let steps = mistake.steps.as_slice();
    blanked.iter().any(|key| match (key.as_slice(), steps) {
        ([around @ .., Step::Key(was)], [parent @ .., Step::Key(is)]) if mistake.missing => {
            around == parent && nearest(was, [is.as_str()]).is_some()
        }
        (key, steps) => key.len() > steps.len() && key.starts_with(steps),
    })
}

fn read_once(source: &Source<'_>) -> std::result::Result<SceneFile, Box<Mistake>> {
    let mut de = match ron::Deserializer::from_str_with_options(source.text, &options()) {
        Ok(de) => de,
        Err(error) => return Err(explain_at_top(source, &error)),
    };
    let file = match serde_path_to_error::deserialize(&mut de) {
        Ok(file) => file,
        Err(error) => {
            let spanned = de.span_error(error.inner().clone());
            return Err(Box::new(explain(source, error.path(), &spanned)));
        }
    };
    de.end()
        .map_err(|error| explain_at_top(source, &de.span_error(error)))?;
    Ok(file)
}

fn explain_at_top(source: &Source<'_>, error: &ron::error::SpannedError) -> Box<Mistake> {
    let nowhere = serde_path_to_error::Track::new().path();
    Box::new(explain(source, &nowhere, error))
}

/// The text with the key at fault and its value replaced by blanks, line breaks kept; `None` when the mistake
/// is not of one key.
fn blank(source: &Source<'_>, mistake: &Mistake) -> Option<(Vec<Step>, String)> {
    // What misses a key goes as a whole.
    let within = mistake.steps.len() - usize::from(mistake.missing);
    let last_key = mistake.steps[..within]
        .iter()
        .rposition(|step| matches!(step, Step::Key(_)))?;
    let steps = mistake.steps[..=last_key].to_vec();
    let entry = source.entry(&steps)?;
    let (before, rest) = source.text.split_at(entry.start);
    let (wrong, after) = rest.split_at(entry.len());
    let comma = after.len() - after.trim_start().len();
    let mut text = String::with_capacity(source.text.len());
    text += before;
    // Every byte gives a byte, so that offsets stay those of the original text.
    text.extend(wrong.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
    if let Some(rest) = after[comma..].strip_prefix(',') {
        text += &after[..comma];
        text.push(' ');
        text += rest;
    } else {
        text += after;
    }
    (text != source.text).then_some((steps, text))
}
