//! POV-Ray text as this program writes it, and as a user may have changed its numbers: blocks, numbers, vectors.
//!
//! No parser of POV-Ray's language: what is not found as expected is `None`, and the caller says what it missed.

use crate::math::Real;

/// Text without its comments, whose places become blanks.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        out.push_str(before);
        let end = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n').unwrap_or(comment.len()),
            Some(b'*') => comment.find("*/").map_or(comment.len(), |end| end + 2),
            _ => {
                out.push('/');
                1
            }
        };
        if end > 1 {
            out.push(' ');
        }
        rest = &comment[end..];
    }
    out.push_str(rest);
    out
}

/// What stands in the braces behind the first `name{` that begins a word, and what follows the closing brace.
pub fn block<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find(name)?;
        from = at + name.len();
        let begins = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let inner = text[from..].trim_start().strip_prefix('{');
        if let Some(inner) = inner.filter(|_| begins) {
            let end = closing(inner)?;
            return Some((&inner[..end], &inner[end + 1..]));
        }
    }
}

/// All blocks of a name, in order.
pub fn blocks<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (inner, after) = block(rest, name)?;
        rest = after;
        Some(inner)
    })
}

/// Where the brace closes that is open at the start.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// What follows the first `word` that stands alone.
pub fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).find_map(|(at, _)| {
        let rest = &text[at + word.len()..];
        let alone = !text[..at].ends_with(in_word) && !rest.starts_with(in_word);
        alone.then_some(rest)
    })
}

/// The number at the start, and what follows it.
pub fn leading_number(text: &str) -> Option<(Real, &str)> {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)))
        .unwrap_or(text.len());
    let number = text[..end].parse().ok().filter(|x: &Real| x.is_finite())?;
    Some((number, &text[end..]))
}

/// The number behind a word.
pub fn number(text: &str, word: &str) -> Option<Real> {
    Some(leading_number(after(text, word)?)?.0)
}

/// The vector `<a, b, c, ..>` at the start: its first numbers, and what follows it.
pub fn leading_vector(text: &str) -> Option<(Vec<Real>, &str)> {
    let inner = text.trim_start().strip_prefix('<')?;
    let (inner, rest) = inner.split_once('>')?;
    let numbers = inner.split(',').map(|n| {
        let (number, after) = leading_number(n)?;
        after.trim().is_empty().then_some(number)
    });
    Some((numbers.collect::<Option<_>>()?, rest))
}

/// The three numbers of the vector behind a word.
pub fn vector(text: &str, word: &str) -> Option<[Real; 3]> {
    let (numbers, _) = leading_vector(after(text, word)?)?;
    <[Real; 3]>::try_from(numbers).ok()
}

/// All colours in order, each with what lets light through: `rgb <r, g, b>` and `rgbt <r, g, b, t>`.
pub fn colors(text: &str) -> impl Iterator<Item = ([f32; 3], f32)> {
    text.match_indices("rgb").filter_map(|(at, word)| {
        let rest = &text[at + word.len()..];
        let (numbers, _) = leading_vector(rest.strip_prefix('t').unwrap_or(rest))?;
        let part = |k: usize| numbers.get(k).map(|&x| x as f32);
        Some(([part(0)?, part(1)?, part(2)?], part(3).unwrap_or(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_what_they_hid_with_them() {
        let text = "a // b }\nc /* { */ d / e // f";
        assert_eq!(without_comments(text), "a  \nc   d / e  ");
    }

    #[test]
    fn blocks_end_at_their_own_brace() {
        let text = "my_camera{1} camera {a{b}c} camera{d}";
        assert_eq!(block(text, "camera").unwrap().0, "a{b}c");
        assert_eq!(blocks(text, "camera").collect::<Vec<_>>(), ["a{b}c", "d"]);
        assert_eq!(block("camera{a", "camera"), None);
        assert_eq!(block("", "camera"), None);
    }

    #[test]
    fn numbers_and_vectors_are_read_behind_their_words() {
        let text = "angle_x 3 angle 40.5 at <1, -2e1 ,.5> rgb <1,0,.5> rgbt <0,0,0,.25> rgb 3";
        assert_eq!(number(text, "angle"), Some(40.5));
        assert_eq!(vector(text, "at"), Some([1.0, -20.0, 0.5]));
        assert_eq!(vector("at <1,2>", "at"), None);
        assert_eq!(vector("at <1,x,2>", "at"), None);
        let found: Vec<_> = colors(text).collect();
        assert_eq!(found, [([1.0, 0.0, 0.5], 0.0), ([0.0; 3], 0.25)]);
    }
}
