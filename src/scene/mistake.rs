//! From an error of the RON parser to a diagnostic: which field, what was expected and found, how to mend it.
//!
//! It reads types and keys only; rules between fields are in `check.rs`.

use std::ops::Range;

use ron::error::{Error as RonError, SpannedError};
use serde_path_to_error::{Path, Segment};

use super::locate::{Source, Step, path_text};
use crate::error::Diagnostic;

/// A diagnosed mistake, and the key that can be left out to go on reading.
pub struct Mistake {
    pub diagnostic: Diagnostic,
    /// Steps to the key or value at fault.
    pub steps: Vec<Step>,
    /// Whether a key is missing at `steps`, rather than wrong.
    pub missing: bool,
}

/// Explains why the scene could not be read; `path` is where the reader was.
pub fn explain(source: &Source<'_>, path: &Path, error: &SpannedError) -> Mistake {
    let (mut steps, inner) = steps_of(path);
    let position = span_of(source, error);
    let (message, range, help) = match &error.code {
        RonError::NoSuchStructField { expected, found, .. } => {
            replace_last_key(&mut steps, found);
            (
                format!("unknown key `{found}`"),
                position,
                Some(offer(found, expected, "keys")),
            )
        }
        RonError::NoSuchEnumVariant { expected, found, .. } => (
            format!("unknown name `{found}`"),
            position,
            Some(offer(found, expected, "names")),
        ),
        RonError::MissingStructField { field, .. } => {
            let range = source.value(&steps).unwrap_or(position);
            steps.push(Step::Key((*field).to_owned()));
            return Mistake {
                diagnostic: at_field(
                    source,
                    &steps,
                    &format!("missing key `{field}`"),
                    range,
                    advice(field),
                ),
                steps,
                missing: true,
            };
        }
        RonError::DuplicateStructField { field, .. } => (
            format!("the key `{field}` stands twice"),
            position,
            Some("remove one of the two".to_owned()),
        ),
        code => match expectation(code) {
            Some(expected) => {
                let range = value_range(source, &steps, inner, position);
                let help = hint(code, &source.text[range.clone()]).or_else(|| advice_for(&steps));
                (
                    format!("expected {expected}, found {}", found_at(source, &range)),
                    range,
                    help,
                )
            }
            None => return grammar(source, steps, code, position),
        },
    };
    Mistake {
        diagnostic: at_field(source, &steps, &message, range, help),
        steps,
        missing: false,
    }
}

/// A mistake of the brackets and commas themselves: it stands where RON stopped.
fn grammar(source: &Source<'_>, steps: Vec<Step>, code: &RonError, position: Range<usize>) -> Mistake {
    let at = position.end.min(source.text.len());
    let next = at + token_length(&source.text[at..]);
    let partners = || Some("every `(`, `[`, `{` and `\"` needs its partner".to_owned());
    let (message, help) = match code {
        RonError::Message(text) => {
            let range = source.value(&steps).unwrap_or(position);
            return Mistake {
                diagnostic: at_field(source, &steps, text, range, advice_for(&steps)),
                steps,
                missing: false,
            };
        }
        RonError::ExceededRecursionLimit => ("brackets are nested too deeply".to_owned(), None),
        RonError::Eof => (
            "the text ends before its last bracket is closed".to_owned(),
            partners(),
        ),
        RonError::ExpectedStringEnd => {
            let range = source.value(&steps).unwrap_or(position);
            return plain(source, &steps, "the quote that opens here is never closed", range);
        }
        RonError::TrailingCharacters => (
            format!(
                "expected the end of the scene, found {}",
                found_at(source, &(at..next))
            ),
            Some("a scene is one pair of brackets: `( ... )`".to_owned()),
        ),
        code => {
            let wanted = match code {
                RonError::ExpectedComma => "`,` or the closing bracket".to_owned(),
                RonError::ExpectedMapColon => "`:` after the key".to_owned(),
                RonError::ExpectedStructLikeEnd | RonError::ExpectedOptionEnd => "`)`".to_owned(),
                RonError::ExpectedArrayEnd => "`]`".to_owned(),
                RonError::ExpectedMapEnd => "`}`".to_owned(),
                other => return plain(source, &steps, &other.to_string(), at..next),
            };
            (
                format!("expected {wanted}, found {}", found_at(source, &(at..next))),
                None,
            )
        }
    };
    let diagnostic = at_field(source, &steps, &message, at..next, help);
    Mistake {
        diagnostic,
        steps: Vec::new(),
        missing: false,
    }
}

fn plain(source: &Source<'_>, steps: &[Step], message: &str, range: Range<usize>) -> Mistake {
    let diagnostic = at_field(source, steps, message, range, None);
    Mistake {
        diagnostic,
        steps: Vec::new(),
        missing: false,
    }
}

/// A diagnostic that names its field and stands at a range of the text.
pub fn at_field(
    source: &Source<'_>,
    steps: &[Step],
    message: &str,
    range: Range<usize>,
    help: Option<String>,
) -> Diagnostic {
    let field = path_text(steps);
    let text = if field.is_empty() {
        message.to_owned()
    } else {
        format!("{field}: {message}")
    };
    let diagnostic = Diagnostic::new(text).at(source.place(range));
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// What should have stood there; `None` for mistakes of grammar.
fn expectation(code: &RonError) -> Option<String> {
    Some(match code {
        RonError::InvalidValueForType { expected, .. } => expected.clone(),
        RonError::ExpectedDifferentLength { expected, .. } => expected.clone(),
        RonError::ExpectedString => "text in double quotes".to_owned(),
        RonError::ExpectedBoolean => "true or false".to_owned(),
        RonError::ExpectedArray => "a list `[ ... ]`".to_owned(),
        RonError::ExpectedMap => "a map `{ \"name\": value }`".to_owned(),
        RonError::ExpectedIdentifier => "a bare name".to_owned(),
        RonError::ExpectedStructLike | RonError::ExpectedNamedStructLike(_) => {
            "brackets `( ... )`".to_owned()
        }
        RonError::ExpectedDifferentStructName { .. } => "brackets `( ... )`".to_owned(),
        _ => return None,
    })
}

/// Advice that depends on what was found rather than on the field.
fn hint(code: &RonError, found: &str) -> Option<String> {
    match code {
        RonError::ExpectedIdentifier if found.starts_with('"') => {
            Some(format!("write {} without the quotes", found.trim_matches('"')))
        }
        RonError::ExpectedString if found.starts_with(char::is_alphabetic) => {
            Some("put it in double quotes".to_owned())
        }
        RonError::ExpectedDifferentLength { expected, found: n } => {
            Some(format!("{expected} are needed; {n} stand here"))
        }
        _ => None,
    }
}

fn advice_for(steps: &[Step]) -> Option<String> {
    steps.iter().rev().find_map(|step| match step {
        Step::Key(key) => Some(advice(key)),
        Step::Index(_) => None,
    })?
}

/// How to mend a bad value of a key, where the rule alone does not say.
fn advice(key: &str) -> Option<String> {
    let text = match key {
        "rate" => "to switch an emitter off, delete it or set `enabled: false`",
        "unit" => "the unit of length that the OBJ file is modelled in, such as `unit: \"cm\"`",
        "scale" => "a mesh that is scaled to nothing cannot be touched; delete it instead",
        "normal" => "a disc faces along its normal, such as `normal: (0, -1, 0)` for straight down",
        "time" => "add `time: (frames: 24)`, the number of pictures",
        "frames" => "the number of pictures, at least 1",
        "radius" => "particle and emitter sizes are in metres: 2 cm is `0.02`",
        "material" => "one of the names under `materials`, in double quotes",
        "shape" => "where particles are born, such as `shape: Point(at: (0, 2, 0))`",
        "file" => "the OBJ file, relative to the scene file",
        _ => return None,
    };
    Some(text.to_owned())
}

/// "did you mean `rate`?", or all that there is.
pub fn offer(found: &str, known: &[&str], what: &str) -> String {
    match nearest(found, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => format!("there are no {what} here"),
        None => format!("{what} here: {}", known.join(", ")),
    }
}

/// The known name that is most like `found`, if one is like it at all.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let distance = |name: &str| {
        let name_lower = name.to_lowercase();
        let begins = lower.len() >= 3 && (name_lower.starts_with(&lower) || lower.starts_with(&name_lower));
        if begins {
            1
        } else {
            strsim::osa_distance(&lower, &name_lower)
        }
    };
    let allowed = (lower.chars().count() / 3).max(1);
    let candidates = known
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|(d, _)| *d <= allowed);
    candidates.min_by_key(|(d, _)| *d).map(|(_, name)| name)
}

/// Field steps of serde's path, without the variants; and whether it ends inside a variant's brackets.
fn steps_of(path: &Path) -> (Vec<Step>, bool) {
    let mut steps = Vec::new();
    let mut inner = false;
    for segment in path.iter() {
        inner = matches!(segment, Segment::Enum { .. });
        match segment {
            Segment::Seq { index } => steps.push(Step::Index(*index)),
            Segment::Map { key } => steps.push(Step::Key(key.clone())),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    (steps, inner)
}

fn replace_last_key(steps: &mut Vec<Step>, found: &str) {
    if steps.last() != Some(&Step::Key(found.to_owned())) {
        steps.push(Step::Key(found.to_owned()));
    }
}

/// The value at fault: the number in `Below(-1)` rather than the whole.
fn value_range(source: &Source<'_>, steps: &[Step], inner: bool, position: Range<usize>) -> Range<usize> {
    let mut inside = steps.to_vec();
    inside.push(Step::Index(0));
    let within = if inner { source.value(&inside) } else { None };
    within.or_else(|| source.value(steps)).unwrap_or(position)
}

fn span_of(source: &Source<'_>, error: &SpannedError) -> Range<usize> {
    let start = source.offset(error.span.start.line, error.span.start.col);
    let end = source.offset(error.span.end.line, error.span.end.col);
    start..end.max(start)
}

/// Length of the word or sign that a text begins with [bytes].
fn token_length(text: &str) -> usize {
    let word = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    if word > 0 {
        word
    } else {
        text.chars().next().map_or(0, char::len_utf8)
    }
}

/// What stands there, short enough for a message.
fn found_at(source: &Source<'_>, range: &Range<usize>) -> String {
    const SHOWN: usize = 40;
    let text = source.text[range.clone()].trim();
    let line = text.lines().next().unwrap_or("");
    if line.is_empty() {
        return "the end of the text".to_owned();
    }
    let short: String = line.chars().take(SHOWN).collect();
    let cut = short.len() < text.len();
    format!("{short}{}", if cut { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let keys = [
            "name",
            "material",
            "rate",
            "rotate_deg",
            "steps_per_frame",
            "start",
            "stop",
        ];
        let near = |found| nearest(found, keys);
        assert_eq!(near("rte"), Some("rate"));
        assert_eq!(near("Material"), Some("material"));
        assert_eq!(near("steps"), Some("steps_per_frame"));
        assert_eq!(near("rotate"), Some("rotate_deg"));
        assert_eq!(near("colour"), None);
    }

    #[test]
    fn an_offer_without_a_near_name_lists_all() {
        assert_eq!(
            offer("colour", &["rate", "name"], "keys"),
            "keys here: rate, name"
        );
        assert_eq!(offer("x", &[], "names"), "there are no names here");
    }
}
