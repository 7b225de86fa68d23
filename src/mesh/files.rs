//! Finds and reads the files that an OBJ or MTL file names, the way people name them: with blanks, with
//! backslashes, several on a line. Only regular files are opened, so no name can make the program wait.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::mtl::Materials;
use super::part::Library;
use super::text;
use crate::error::Diagnostic;

/// Largest MTL file that is read [bytes].
const MTL_BYTES: u64 = 64 << 20;
/// `mtllib` lines with different names that are followed.
const LIBRARIES: usize = 64;
/// Words of a `mtllib` line that may be parts of a name.
const NAME_WORDS: usize = 32;
/// Remarks on missing textures and materials before the rest is only counted.
const REMARKS: usize = 16;

/// The file called `name` in `folder`: as written, else with slashes for backslashes.
pub(super) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    let as_written = folder.join(name);
    if as_written.is_file() {
        return Some(as_written);
    }
    let slashed = folder.join(name.replace('\\', "/"));
    slashed.is_file().then_some(slashed)
}

/// Reads all MTL files that the `mtllib` lines of the OBJ file at `path` name.
pub(super) fn read_libraries(path: &Path, libraries: &[Library]) -> Materials {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut materials = Materials::default();
    let mut seen = Vec::new();
    let mut unread = Vec::new();
    for library in different(libraries) {
        let (found, missing) = find_all(folder, &library.names);
        unread.extend(missing_library(library, folder, &missing));
        for file in found {
            if !seen.contains(&file) {
                unread.extend(read_library(&file, library, &mut materials));
                seen.push(file);
            }
        }
    }
    unread.append(&mut materials.warnings);
    unread.extend(missing_textures(std::mem::take(&mut materials.missing)));
    materials.warnings = unread;
    capped(&mut materials.warnings);
    materials
}

/// The first line of each spelling, not too many of them.
fn different(libraries: &[Library]) -> Vec<&Library> {
    let mut names = BTreeSet::new();
    let new = libraries
        .iter()
        .filter(|library| names.insert(library.names.as_str()));
    new.take(LIBRARIES).collect()
}

/// Remarks on groups whose material no MTL file defines; none if no MTL file was read at all.
pub(super) fn undefined<'a>(
    materials: &Materials,
    groups: impl Iterator<Item = &'a str>,
) -> Option<Diagnostic> {
    if materials.surfaces.is_empty() {
        return None;
    }
    let mut names = groups.filter(|name| !name.is_empty() && materials.surface(name).is_none());
    let first = names.next()?;
    let more = names.count();
    let rest = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let name = text::shown(first.as_bytes());
    let message = format!("usemtl: no MTL file defines `{name}`{rest}");
    Some(Diagnostic::new(message).help("the faces are there but look plain; write the name as in `newmtl`"))
}

/// The files on a `mtllib` line, longest names first, and the words that belong to none.
fn find_all<'a>(folder: &Path, names: &'a str) -> (Vec<PathBuf>, Vec<&'a str>) {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for word in names.split_whitespace().take(NAME_WORDS) {
        // `word` is a piece of `names`, so its offset is the distance of the two.
        let start = word.as_ptr() as usize - names.as_ptr() as usize;
        words.push((start, start + word.len()));
    }
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some((start, end)) = words.get(at) {
        let longest = words[at..].iter().enumerate().rev();
        let hit = longest
            .filter_map(|(k, (_, end))| Some((k, find(folder, &names[*start..*end])?)))
            .next();
        if let Some((k, file)) = hit {
            found.push(file);
            at += k + 1;
        } else {
            missing.push(&names[*start..*end]);
            at += 1;
        }
    }
    if found.is_empty() {
        missing = vec![names];
    }
    (found, missing)
}

fn missing_library(library: &Library, folder: &Path, missing: &[&str]) -> Option<Diagnostic> {
    let first = missing.first()?;
    let paths: Vec<String> = missing
        .iter()
        .map(|m| text::shown_path(&folder.join(m)))
        .collect();
    let message = if first.is_empty() {
        "mtllib: expected the name of an MTL file, found nothing".to_owned()
    } else {
        format!("mtllib: no such file: {}", paths.join(", "))
    };
    let help = "the mesh is read without these materials; put the file there or delete the line";
    Some(Diagnostic::new(message).at(library.place.clone()).help(help))
}

fn read_library(file: &Path, library: &Library, materials: &mut Materials) -> Option<Diagnostic> {
    let mut bytes = Vec::new();
    let opened = fs_err::File::open(file);
    match opened.and_then(|f| f.take(MTL_BYTES).read_to_end(&mut bytes)) {
        Ok(_) => {
            materials.read(&bytes, file);
            None
        }
        Err(why) => {
            let message = format!("mtllib: cannot read {}: {why}", file.display());
            Some(
                Diagnostic::new(message)
                    .at(library.place.clone())
                    .help("the mesh is read without it"),
            )
        }
    }
}

fn missing_textures(mut missing: Vec<PathBuf>) -> impl Iterator<Item = Diagnostic> {
    missing.sort();
    missing.dedup();
    missing.into_iter().map(|path| {
        let message = format!("no such texture: {}", text::shown_path(&path));
        Diagnostic::new(message).help("the surface is shown without it; put the file there")
    })
}

fn capped(remarks: &mut Vec<Diagnostic>) {
    let more = remarks.len().saturating_sub(REMARKS);
    if more > 0 {
        remarks.truncate(REMARKS);
        remarks.push(Diagnostic::new(format!(
            "{more} more remark(s) on materials and textures"
        )));
    }
}
