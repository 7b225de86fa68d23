//! How a diagnostic looks on a terminal: message, place with the marked text, advice.
//!
//! This file only makes text; who prints it, and where, is the binary's business.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Error, Place};

/// Whether a diagnostic stops the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It does.
    Error,
    /// It does not.
    Warning,
}

impl Diagnostic {
    /// The diagnostic as text without a final newline, with terminal colours if wanted.
    pub fn render(&self, severity: Severity, color: bool) -> String {
        let level = match severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(printable(&self.message));
        let mut groups = vec![match &self.place {
            Some(place) => title.element(snippet(place)),
            None => Group::with_title(title),
        }];
        groups.extend(
            self.help
                .as_deref()
                .map(|h| Group::with_title(Level::HELP.secondary_title(printable(h)))),
        );
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.render(&groups)
    }
}

impl Error {
    /// The error as text without a final newline: every diagnostic of a bad input, or one line.
    pub fn render(&self, color: bool) -> String {
        match self {
            Self::Input(diagnostics) => {
                let texts: Vec<String> = diagnostics
                    .iter()
                    .map(|d| d.render(Severity::Error, color))
                    .collect();
                texts.join("\n\n")
            }
            other => Diagnostic::new(other.to_string()).render(Severity::Error, color),
        }
    }
}

fn snippet(place: &Place) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(place.excerpt.as_str())
        .line_start(place.line)
        .path(place.path.to_string_lossy())
        .annotation(AnnotationKind::Primary.span(marked_bytes(place)))
}

/// The marked characters of the excerpt as a range of bytes.
fn marked_bytes(place: &Place) -> Range<usize> {
    let at = |chars: usize| {
        place
            .excerpt
            .char_indices()
            .nth(chars)
            .map_or(place.excerpt.len(), |(i, _)| i)
    };
    let start = place.column.saturating_sub(1);
    at(start)..at(start.saturating_add(place.width.max(1)))
}

/// Keeps what a file says from steering the terminal.
fn printable(text: &str) -> String {
    let escape = |c: char| {
        if c.is_control() && c != '\n' {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate() -> Diagnostic {
        Diagnostic::new("emitters[1].rate: expected a number > 0 [particles/s], found -3").at(Place {
            path: "scenes/rain.ron".into(),
            line: 5,
            column: 18,
            width: 4,
            excerpt: "    (näme: \"b\", rate: -3.0),".to_owned(),
        })
    }

    #[test]
    fn a_mistake_shows_where_what_and_how_to_mend_it() {
        let text = rate()
            .help("to switch the emitter off, set `enabled: false`")
            .render(Severity::Error, false);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn several_mistakes_stand_under_each_other() {
        let text = Error::Input(vec![rate(), Diagnostic::new("emitters: \u{1b}[31m")]).render(false);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_place_beyond_its_excerpt_is_no_reason_to_fail() {
        let mut far = rate();
        if let Some(place) = &mut far.place {
            (place.column, place.width) = (usize::MAX, usize::MAX);
        }
        assert!(far.render(Severity::Warning, true).contains("emitters[1].rate"));
    }
}
