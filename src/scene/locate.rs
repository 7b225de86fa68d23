//! Where a field stands in the text: from `emitters[1].rate` to line, column and width.
//!
//! RON keeps no positions, so [`Source`] walks the text along the path with RON's own parser, stops at
//! the target by raising an error there, and reads the position off what is left. It knows no schema.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use ron::extensions::Extensions;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::Place;

/// Longest line that is shown whole; of longer ones, this much around the mark [characters].
const EXCERPT: usize = 2_000;

/// What a scene is read with: RON, and optional values with or without `Some(...)`.
pub fn options() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}

/// One step of a field path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A key of a struct, or of a map (there it may hold any text).
    Key(String),
    /// A place in a list or tuple, from 0.
    Index(usize),
}

/// Prints steps as `materials["snow"].radius` or `emitters[1].velocity[2]`.
pub fn path_text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Index(i) => text += &format!("[{i}]"),
            Step::Key(key) if named_by_user(&text) || !is_plain(key) => text += &format!("[{key:?}]"),
            Step::Key(key) if text.is_empty() => text += key,
            Step::Key(key) => text += &format!(".{key}"),
        }
    }
    text
}

/// The keys of these two maps are the user's own names, whatever they look like.
fn named_by_user(path: &str) -> bool {
    path == "materials" || (path.starts_with("meshes[") && path.ends_with("].groups"))
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Reads what [`path_text`] prints; `None` when it is no field path.
pub fn parse_path(mut text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !text.is_empty() {
        if let Some(quoted) = text.strip_prefix("[\"") {
            let end = closing_quote(quoted)?;
            steps.push(Step::Key(ron::from_str(&format!("\"{}\"", &quoted[..end])).ok()?));
            text = quoted[end + 1..].strip_prefix(']')?;
        } else if let Some(rest) = text.strip_prefix('[') {
            let (index, after) = rest.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            text = after;
        } else {
            let rest = text.strip_prefix('.').unwrap_or(text);
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            steps.push(Step::Key(rest[..end].to_owned()));
            text = &rest[end..];
        }
    }
    Some(steps)
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(i, c)| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes.then_some(i)
    })
}

/// A scene's text, and the path to name in messages.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The text to parse, without a byte order mark.
    pub text: &'a str,
    /// The text to show: as it was written, byte for byte as long as `text`.
    pub shown: &'a str,
    /// Where it was read from.
    pub path: &'a Path,
}

impl<'a> Source<'a> {
    /// A text that is parsed as it was written.
    pub fn new(text: &'a str, path: &'a Path) -> Self {
        Self {
            text,
            shown: text,
            path,
        }
    }

    /// The bytes of the value at `steps`; `None` when there is no such field, or no RON up to its start.
    /// A value that is not RON itself gives its first character.
    pub fn value(&self, steps: &[Step]) -> Option<Range<usize>> {
        let start = self.stop_at(steps, Stop::Value)?;
        let next = self.text[start..].chars().next()?;
        let end = self
            .stop_at(steps, Stop::ValueEnd)
            .unwrap_or(start + next.len_utf8());
        let value = &self.text[start..end.max(start)];
        Some(start..start + without_trailing_comment(value).len())
    }

    /// The bytes of `key: value` at `steps`, which end in a key.
    pub fn entry(&self, steps: &[Step]) -> Option<Range<usize>> {
        let Some(Step::Key(key)) = steps.last() else {
            return None;
        };
        let key_end = self.stop_at(steps, Stop::Key)?;
        let quoted = self.text[..key_end].ends_with('"');
        let start = self.text[..key_end]
            .rfind(key.as_str())
            .filter(|_| !key.is_empty())?;
        Some(start - usize::from(quoted)..self.value(steps)?.end)
    }

    /// The identifier that the value at `steps` begins with: `Grid` of `Grid(...)`.
    pub fn name_at(&self, steps: &[Step]) -> Option<&str> {
        let value = &self.text[self.value(steps)?];
        let end = value
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(value.len());
        let starts_as_name = value.starts_with(|c: char| c.is_alphabetic() || c == '_');
        (starts_as_name && end > 0).then(|| &value[..end])
    }

    /// The place to show for a range of bytes: its first line.
    pub fn place(&self, range: Range<usize>) -> Place {
        let start = self.char_floor(range.start);
        let line_start = self.shown[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.shown[start..]
            .find('\n')
            .map_or(self.shown.len(), |i| start + i);
        let line = self.shown[line_start..line_end].trim_end_matches('\r');
        let before = self.shown[line_start..start].chars().count();
        let marked = self.char_floor(
            range
                .end
                .clamp(start, line_start + line.len().max(start - line_start)),
        );
        let width = self.shown[start..marked].chars().count().max(1);
        let skipped = before.saturating_sub(EXCERPT / 2);
        Place {
            path: self.path.to_path_buf(),
            line: self.shown[..line_start].matches('\n').count() + 1,
            column: before - skipped + 1,
            width: width.min(EXCERPT / 2),
            excerpt: line.chars().skip(skipped).take(EXCERPT).collect(),
        }
    }

    /// The byte at RON's line and column (both from 1, columns in characters).
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let line_start = match line.saturating_sub(2) {
            _ if line <= 1 => 0,
            n => self
                .text
                .match_indices('\n')
                .nth(n)
                .map_or(self.text.len(), |(i, _)| i + 1),
        };
        let rest = &self.text[line_start..];
        let column = column.saturating_sub(1);
        rest.char_indices()
            .nth(column)
            .map_or(self.text.len(), |(i, _)| line_start + i)
    }

    fn char_floor(&self, at: usize) -> usize {
        let at = at.min(self.shown.len());
        (0..=at)
            .rev()
            .find(|&i| self.shown.is_char_boundary(i))
            .unwrap_or(0)
    }

    fn stop_at(&self, steps: &[Step], stop: Stop) -> Option<usize> {
        let mut de = ron::Deserializer::from_str_with_options(self.text, &options()).ok()?;
        match (Walk { steps, stop }).deserialize(&mut de) {
            Err(ron::Error::Message(text)) if text == HERE => Some(self.text.len() - de.remainder().len()),
            _ => None,
        }
    }
}

/// A bare name may be followed by a comment that RON's parser has skipped already.
fn without_trailing_comment(value: &str) -> &str {
    let name = value
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(value.len());
    match value[name..].trim_start().starts_with('/') {
        true => &value[..name],
        false => value.trim_end(),
    }
}

/// Raised at the target; no parser and no schema says this.
const HERE: &str = "\u{1}here";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Key,
    Value,
    ValueEnd,
}

#[derive(Clone, Copy)]
struct Walk<'p> {
    steps: &'p [Step],
    stop: Stop,
}

impl<'p> Walk<'p> {
    fn rest(self) -> Self {
        Self {
            steps: &self.steps[1..],
            ..self
        }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        if !self.steps.is_empty() {
            return d.deserialize_any(self);
        }
        if self.stop == Stop::ValueEnd {
            d.deserialize_ignored_any(IgnoredAny)?;
        }
        Err(D::Error::custom(HERE))
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that holds others")
    }

    fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Step::Key(wanted) = &self.steps[0] else {
            return Err(A::Error::custom("no list"));
        };
        while let Some(key) = map.next_key::<String>()? {
            if key != *wanted {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            if self.stop == Stop::Key && self.steps.len() == 1 {
                return Err(A::Error::custom(HERE));
            }
            return map.next_value_seed(self.rest());
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Step::Index(wanted) = self.steps[0] else {
            return Err(A::Error::custom("no keys"));
        };
        for _ in 0..wanted {
            if seq.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        seq.next_element_seed(self.rest()).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"// größe
(
    meshes: [(name: "a", scale: Some((1, 2, 3)))],
    materials: { "fresh snow": Snow(radius: 0.02, stick: Always /* c */), "Mud": Mud(stick: Below(4)) },
    emitters: [
        (shape: Grid(count: (4, 5)), velocity: (0, -20.5, 0)), /* ä */ (rate: -3),
    ],
)"#;

    fn source() -> Source<'static> {
        Source::new(TEXT, Path::new("s.ron"))
    }

    fn value(path: &str) -> Option<&'static str> {
        source().value(&parse_path(path).unwrap()).map(|r| &TEXT[r])
    }

    #[test]
    fn values_are_found_along_every_kind_of_step() {
        assert_eq!(value("emitters[0].shape.count[1]"), Some("5"));
        assert_eq!(value("emitters[0].velocity"), Some("(0, -20.5, 0)"));
        assert_eq!(value("emitters[0].velocity[1]"), Some("-20.5"));
        assert_eq!(value("emitters[1]"), Some("(rate: -3)"));
        assert_eq!(value("meshes[0].scale[2]"), Some("3"));
        assert_eq!(value("materials[\"fresh snow\"].radius"), Some("0.02"));
        assert_eq!(value("materials[\"fresh snow\"].stick"), Some("Always"));
        assert_eq!(value("materials[\"Mud\"].stick[0]"), Some("4"));
    }

    #[test]
    fn what_is_not_there_has_no_place() {
        for path in [
            "emitters[2]",
            "emitters[0].rate",
            "emitters.rate",
            "meshes[0].name.x",
            "time",
        ] {
            assert_eq!(value(path), None, "{path}");
        }
    }

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        let range = source().value(&parse_path("emitters[1].rate").unwrap()).unwrap();
        let place = source().place(range.clone());
        assert_eq!((place.line, place.column, place.width), (6, 79, 2));
        assert_eq!(source().offset(6, 79), range.start);
        assert_eq!(source().offset(1, 6), TEXT.find("öße").unwrap());
        assert_eq!(source().offset(99, 1), TEXT.len());
    }

    #[test]
    fn names_and_entries_are_found() {
        let steps = parse_path("emitters[0].shape").unwrap();
        assert_eq!(source().name_at(&steps), Some("Grid"));
        assert_eq!(
            source().entry(&steps).map(|r| &TEXT[r]),
            Some("shape: Grid(count: (4, 5))")
        );
        let snow = parse_path("materials[\"Mud\"]").unwrap();
        assert_eq!(
            source().entry(&snow).map(|r| &TEXT[r]),
            Some("\"Mud\": Mud(stick: Below(4))")
        );
    }

    #[test]
    fn paths_survive_printing() {
        for path in [
            "emitters[1].shape.count[0]",
            "materials[\"a \\\"b\\\" c\"].radius",
            "materials[\"Mud\"]",
            "time",
        ] {
            assert_eq!(path_text(&parse_path(path).unwrap()), path);
        }
        assert_eq!(parse_path("a..b"), None);
        assert_eq!(parse_path("a[x]"), None);
    }

    #[test]
    fn a_value_that_is_not_ron_is_marked_by_its_first_character() {
        let broken = Source::new("(a: [1, }, b: 2)", Path::new(""));
        assert_eq!(broken.value(&parse_path("a").unwrap()), Some(4..5));
        assert_eq!(broken.value(&parse_path("b").unwrap()), None);
    }

    #[test]
    fn a_very_long_line_is_shown_around_the_mark() {
        let text = format!("({}a: -1)", " ".repeat(100_000));
        let place = Source::new(&text, Path::new("")).place(100_004..100_006);
        assert_eq!(
            place
                .excerpt
                .chars()
                .skip(place.column - 1)
                .take(2)
                .collect::<String>(),
            "-1"
        );
        assert!(place.excerpt.len() <= EXCERPT);
    }
}
