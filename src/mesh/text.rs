//! The outer form of OBJ and MTL text: lines, continuations, comments, words and their places.
//!
//! It hands out [`Statement`]s, borrowed wherever no continuation has to be joined, and knows no keyword's
//! meaning. A joined statement keeps its length byte for byte, so every offset still tells the physical place.

use std::borrow::Cow;
use std::path::Path;

use memchr::{memchr, memchr_iter, memchr2, memrchr2};

use crate::error::{Diagnostic, Place};

/// How many characters of a line an error shows.
const EXCERPT: usize = 120;
/// How many characters of a word an error shows.
const SHOWN: usize = 40;
/// How many characters of a path an error shows.
const PATH_SHOWN: usize = 300;

/// One command of the file: a physical line, or several that were joined by backslashes.
pub(super) struct Statement<'a> {
    /// Number of its first physical line, from 1.
    pub line: u64,
    /// The physical lines as they stand in the file.
    raw: &'a [u8],
    /// The same length, with backslashes and line ends inside replaced by blanks.
    pub text: Cow<'a, [u8]>,
}

impl Statement<'_> {
    /// The text before a comment: what counts on lines that hold numbers. `1.#IND` and `1.#QNAN`, which some
    /// exporters write for numbers that are none, are no comments.
    pub fn data(&self) -> &[u8] {
        let is_number = |at: &usize| *at > 0 && self.text[at - 1] == b'.';
        let comment = memchr_iter(b'#', &self.text).find(|at| !is_number(at));
        comment.map_or(&self.text[..], |end| &self.text[..end])
    }

    /// The trimmed rest of the text from `offset`, and where it starts: what counts on lines that hold names.
    pub fn name(&self, offset: usize) -> (usize, &[u8]) {
        let rest = &self.text[offset..];
        let lead = rest.iter().take_while(|b| is_blank(**b)).count();
        (offset + lead, rest[lead..].trim_ascii_end())
    }

    /// The physical place of `width` bytes from `offset` on.
    pub fn place(&self, path: &Path, offset: usize, width: usize) -> Place {
        let (mut start, mut line) = (0, self.line);
        loop {
            let (end, next) = line_end(self.raw, start);
            if offset < next || next >= self.raw.len() {
                return place(path, line, &self.raw[start..end], offset - start, width);
            }
            (start, line) = (next, line + 1);
        }
    }

    /// A remark on `width` bytes from `offset` on.
    pub fn remark(&self, path: &Path, offset: usize, width: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message).at(self.place(path, offset, width))
    }
}

/// Walks through the statements of a text; empty lines and comments are passed over but counted.
pub(super) struct Statements<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Statements<'a> {
    /// Starts at the beginning of `bytes`, which is the beginning of physical line `line`.
    pub fn new(bytes: &'a [u8], line: u64) -> Self {
        Self { bytes, at: 0, line }
    }

    /// The number of the physical line that would be read next.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Appends lines from `next` on for as long as the last one ends in a backslash.
    fn join(&mut self, start: usize, mut end: usize, mut next: usize) -> Statement<'a> {
        let line = self.line;
        self.line += 1;
        let mut text = self.bytes[start..end].to_vec();
        let mut piece = start;
        while let Some(slash) = continuation(&self.bytes[piece..end]) {
            text[piece - start + slash] = b' ';
            if next >= self.bytes.len() {
                break;
            }
            piece = next;
            (end, next) = line_end(self.bytes, piece);
            text.resize(piece - start, b' ');
            text.extend_from_slice(&self.bytes[piece..end]);
            self.line += 1;
        }
        self.at = next;
        Statement {
            line,
            raw: &self.bytes[start..end],
            text: Cow::Owned(text),
        }
    }
}

impl<'a> Iterator for Statements<'a> {
    type Item = Statement<'a>;

    fn next(&mut self) -> Option<Statement<'a>> {
        while self.at < self.bytes.len() {
            let start = self.at;
            let (end, next) = line_end(self.bytes, start);
            let text = &self.bytes[start..end];
            let first = text.iter().copied().find(|b| !is_blank(*b));
            if matches!(first, None | Some(b'#')) {
                (self.at, self.line) = (next, self.line + 1);
                continue;
            }
            if continuation(text).is_some() {
                return Some(self.join(start, end, next));
            }
            let line = self.line;
            (self.at, self.line) = (next, self.line + 1);
            return Some(Statement {
                line,
                raw: text,
                text: Cow::Borrowed(text),
            });
        }
        None
    }
}

/// Where the backslash stands that continues this line, if one does. A backslash in a comment does not:
/// `# C:\models\` must not swallow the vertex below it.
fn continuation(text: &[u8]) -> Option<usize> {
    let slash = text.iter().rposition(|b| !is_blank(*b))?;
    (text[slash] == b'\\' && memchr(b'#', text).is_none()).then_some(slash)
}

/// The end of the line that starts at `at` and the start of the next. LF, CR LF, CR and CR CR LF end a line.
fn line_end(bytes: &[u8], at: usize) -> (usize, usize) {
    let Some(length) = memchr2(b'\n', b'\r', &bytes[at..]) else {
        return (bytes.len(), bytes.len());
    };
    let end = at + length;
    let width = match &bytes[end..] {
        [b'\r', b'\r', b'\n', ..] => 3,
        [b'\r', b'\n', ..] => 2,
        _ => 1,
    };
    (end, end + width)
}

/// The last offset in `from + 1 ..= limit` at which `bytes` may be cut: behind a line end, not in a
/// continued line. `None` when there is none.
pub(super) fn cut(bytes: &[u8], from: usize, limit: usize) -> Option<usize> {
    let mut limit = limit;
    loop {
        let end = from + memrchr2(b'\n', b'\r', &bytes[from..limit])?;
        let next = bytes.get(end + 1);
        if bytes[end] == b'\r' && next.is_none_or(|b| matches!(b, b'\n' | b'\r')) {
            limit = end;
            continue;
        }
        let last = bytes[from..end]
            .iter()
            .rposition(|b| !is_blank(*b) && !matches!(b, b'\n' | b'\r'));
        match last {
            // The whole run of line ends may belong to the continuation: go on before it.
            Some(slash) if bytes[from + slash] == b'\\' => limit = from + slash,
            _ => return Some(end + 1),
        }
    }
}

/// Blanks as `char::is_whitespace` sees them in ASCII, line ends aside.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// The words of a text with their offsets.
pub(super) struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    /// The words of `text` from its beginning.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// The offset behind the last word.
    pub fn offset(&self) -> usize {
        self.at
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let lead = rest.iter().position(|b| !is_blank(*b))?;
        let word = &rest[lead..];
        let length = word.iter().position(|b| is_blank(*b)).unwrap_or(word.len());
        let start = self.at + lead;
        self.at = start + length;
        Some((start, &word[..length]))
    }
}

/// A word as a message shows it: readable, short, without control characters.
pub(super) fn shown(word: &[u8]) -> String {
    // Four bytes a character are enough to fill what is shown.
    let lossy = String::from_utf8_lossy(&word[..word.len().min(4 * SHOWN + 4)]);
    shortened(&lossy, SHOWN)
}

/// A path as a message shows it, likewise.
pub(super) fn shown_path(path: &Path) -> String {
    shortened(&path.to_string_lossy(), PATH_SHOWN)
}

fn shortened(text: &str, most: usize) -> String {
    let mut short: String = printable(text.chars().take(most)).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

fn printable(chars: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    chars.map(|c| match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    })
}

/// The place of `width` bytes at `offset` of physical line number `line`, with an excerpt of bounded length.
fn place(path: &Path, line: u64, bytes: &[u8], offset: usize, width: usize) -> Place {
    let offset = offset.min(bytes.len());
    let marked = &bytes[offset..(offset + width.min(4 * EXCERPT)).min(bytes.len())];
    let before = String::from_utf8_lossy(&bytes[..offset]).chars().count();
    let skipped = if before > EXCERPT / 2 {
        before - EXCERPT / 4
    } else {
        0
    };
    let whole = String::from_utf8_lossy(bytes);
    let excerpt: String = printable(whole.chars().skip(skipped).take(EXCERPT)).collect();
    let column = before - skipped + 1;
    let visible = (excerpt.chars().count() + 1).saturating_sub(column);
    let width = String::from_utf8_lossy(marked).chars().count();
    Place {
        path: path.to_path_buf(),
        line: usize::try_from(line).unwrap_or(usize::MAX),
        column,
        width: width.min(visible).max(1),
        excerpt,
    }
}
