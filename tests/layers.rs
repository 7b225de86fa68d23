//! The rooms of `src/` import only from their own floor or from lower ones, and in no circle.
//!
//! Reads the sources as text. Test modules may look wherever they like.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rooms, top floor first.
const FLOORS: [&[&str]; 11] = [
    &["main", "cli"],
    &["farm", "starter"],
    &["run"],
    &["compare", "preview", "export", "progress"],
    &["step"],
    &["flight", "settle", "film"],
    &["contact", "world", "life", "checkpoint"],
    &["bodies", "collide", "force", "emit", "grid", "write", "inspect"],
    &["mesh", "surface", "scene", "frame", "frame_range", "motion"],
    &["geom", "bvh", "state", "rng", "material", "keyed", "shard"],
    &["math", "picture", "prefetch", "sets", "units", "error"],
];

/// Imports of a room: the other room, and where it says so.
type Imports = BTreeMap<String, String>;

#[test]
fn rooms_import_downwards_and_in_no_circle() {
    let rooms = read_rooms(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    assert!(rooms.len() > 10, "found only {:?}", rooms.keys());
    assert_eq!(faults(&rooms), [""; 0]);
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&room))
}

fn faults(rooms: &BTreeMap<String, Imports>) -> Vec<String> {
    let mut faults = Vec::new();
    for (room, imports) in rooms {
        let Some(own) = floor(room) else {
            faults.push(format!("`{room}` has no floor yet: add it to FLOORS"));
            continue;
        };
        for (other, place) in imports {
            if floor(other).is_some_and(|other| other < own) {
                faults.push(format!(
                    "{place}: `{room}` imports from `{other}`, which is on a higher floor"
                ));
            }
        }
        if let Some(circle) = circle_from(room, rooms) {
            faults.push(format!("a circle: {circle}"));
        }
    }
    faults
}

/// A way along the imports that comes back to `room`, told once: by its alphabetically first room.
fn circle_from(room: &str, rooms: &BTreeMap<String, Imports>) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut ways = vec![vec![room.to_string()]];
    while let Some(way) = ways.pop() {
        let last = way.last().expect("a way has a start");
        for other in rooms.get(last).into_iter().flat_map(Imports::keys) {
            let longer: Vec<String> = way.iter().chain([other]).cloned().collect();
            if other == room && way.iter().all(|step| step.as_str() >= room) {
                return Some(longer.join(" -> "));
            }
            if seen.insert(other.clone()) {
                ways.push(longer);
            }
        }
    }
    None
}

fn read_rooms(src: &Path) -> BTreeMap<String, Imports> {
    let mut rooms: BTreeMap<String, Imports> = BTreeMap::new();
    for (file, text) in sources(src) {
        let room = file
            .split('/')
            .next()
            .unwrap_or(&file)
            .trim_end_matches(".rs")
            .to_string();
        let imports = rooms.entry(room.clone()).or_default();
        if room == "lib" {
            continue;
        }
        for (number, line) in production_lines(&text) {
            for other in imported_rooms(&line) {
                if other != room {
                    imports
                        .entry(other)
                        .or_insert_with(|| format!("src/{file}:{number}"));
                }
            }
        }
    }
    rooms.remove("lib");
    rooms
}

/// Path below `src` and text of every source file, sorted, less those that only tests declare.
fn sources(src: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![src.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).expect("readable folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path
                    .strip_prefix(src)
                    .expect("below src")
                    .to_string_lossy()
                    .replace('\\', "/");
                files.insert(name, fs_err::read_to_string(&path).expect("readable source"));
            }
        }
    }
    let of_tests: Vec<String> = files
        .iter()
        .flat_map(|(name, text)| test_files(name, text))
        .collect();
    files.retain(|name, _| {
        !of_tests
            .iter()
            .any(|test| *name == format!("{test}.rs") || name.starts_with(&format!("{test}/")))
    });
    files
}

/// Files, without ending, that `text` declares by `#[cfg(test)] mod NAME;`.
fn test_files(name: &str, text: &str) -> Vec<String> {
    let stem = name.trim_end_matches(".rs");
    let folder = stem.strip_suffix("/mod").unwrap_or(stem);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]");
    let names = declared.filter_map(|pair| pair[1].rsplit_once("mod ")?.1.strip_suffix(';'));
    names.map(|test| format!("{folder}/{test}")).collect()
}

/// Numbered lines without comments and without `#[cfg(test)]` modules, each `use` with braces on one line.
fn production_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut tests_until: Option<String> = None;
    let mut marked = false;
    for (line, number) in text.lines().zip(1..) {
        let code = line.split("//").next().unwrap_or(line);
        let indent = &line[..line.len() - line.trim_start().len()];
        if let Some(end) = &tests_until {
            if line.trim_end() == end {
                tests_until = None;
            }
        } else if marked && code.contains("mod ") && code.trim_end().ends_with('{') {
            tests_until = Some(format!("{indent}}}"));
        } else if let Some((_, last)) = lines.last_mut().filter(|(_, last)| unfinished_use(last)) {
            last.push_str(code.trim());
        } else {
            lines.push((number, code.to_string()));
        }
        marked = code.trim() == "#[cfg(test)]";
    }
    lines
}

fn unfinished_use(line: &str) -> bool {
    let uses = line.trim_start().starts_with("use ") || line.trim_start().starts_with("pub use ");
    uses && !line.contains(';')
}

/// First names behind `crate::` (in `main.rs`: `partsim::`), also those in braces.
fn imported_rooms(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for root in ["crate::", "partsim::"] {
        for (at, _) in line.match_indices(root) {
            let before = line[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &line[at + root.len()..];
            match rest.strip_prefix('{') {
                Some(group) => found.extend(top_level_names(group)),
                None => found.extend(first_name(rest)),
            }
        }
    }
    found
}

fn top_level_names(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut starts = vec![0];
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts.push(at + 1),
            _ => {}
        }
    }
    starts
        .iter()
        .filter_map(|&start| first_name(group[start..].trim_start()))
        .collect()
}

/// The room that a path starts with; `None` for an item of the crate's root, such as a macro.
fn first_name(path: &str) -> Option<String> {
    let end = path
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(path.len());
    let name = &path[..end];
    floor(name).map(|_| name.to_string())
}

#[test]
fn imports_are_found_in_every_spelling() {
    let text = "use crate::{error::{Error, Result},\n    mesh, world::World};\n// use crate::run;\n\
        fn f() { crate::step::go() }\n#[cfg(test)]\nmod tests {\n    use crate::cli;\n}\nuse crate::flight;\n";
    let found: Vec<String> = production_lines(text)
        .iter()
        .flat_map(|(_, line)| imported_rooms(line))
        .collect();
    assert_eq!(found, ["error", "mesh", "world", "step", "flight"]);
}

#[test]
fn test_files_are_known_by_their_declaration() {
    let text = "#[cfg(test)]\nmod contract;\nmod mesh;\n";
    assert_eq!(test_files("collide/mod.rs", text), ["collide/contract"]);
    assert_eq!(test_files("write/manifest.rs", text), ["write/manifest/contract"]);
}

#[test]
fn climbing_imports_circles_and_unknown_rooms_are_faults() {
    let rooms = |list: &[(&str, &[&str])]| -> BTreeMap<String, Imports> {
        let imports = |others: &[&str]| {
            others
                .iter()
                .map(|o| (o.to_string(), "src/x.rs:1".to_string()))
                .collect()
        };
        list.iter()
            .map(|(room, others)| (room.to_string(), imports(others)))
            .collect()
    };
    let good = rooms(&[
        ("step", &["flight", "math"]),
        ("flight", &["math"]),
        ("math", &[]),
    ]);
    assert_eq!(faults(&good), [""; 0]);
    let up = faults(&rooms(&[("mesh", &["write"])]));
    assert_eq!(
        up,
        ["src/x.rs:1: `mesh` imports from `write`, which is on a higher floor"]
    );
    let circle = faults(&rooms(&[
        ("geom", &["bvh"]),
        ("bvh", &["state"]),
        ("state", &["geom"]),
    ]));
    assert_eq!(circle, ["a circle: bvh -> state -> geom -> bvh"]);
    assert_eq!(faults(&rooms(&[("helpers", &[])])).len(), 1);
}
