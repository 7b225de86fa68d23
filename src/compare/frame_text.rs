//! A frame file as text: its spheres with the birth numbers in their comments, and all other lines as they are.
//!
//! Knows the one line form that the frame writer uses for spheres, not POV-Ray's language.

use std::path::Path;

use crate::error::{Error, Result};
use crate::math::Real;
use crate::write::shared::piece_of;

/// Reads a frame file, with the pieces that it shares with other frames in their places.
pub(crate) fn read_frame(path: &Path) -> Result<Vec<u8>> {
    let bytes = fs_err::read(path)?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Ok(bytes);
    };
    if !text.lines().any(|line| piece_of(line).is_some()) {
        return Ok(bytes);
    }
    let dir = path.parent().unwrap_or(Path::new(""));
    let mut whole = Vec::new();
    for line in text.lines() {
        match piece_of(line) {
            Some(name) => whole.extend(fs_err::read(dir.join(name))?),
            None => {
                whole.extend_from_slice(line.as_bytes());
                whole.push(b'\n');
            }
        }
    }
    Ok(whole)
}

/// A frame file, cut into lines.
pub(crate) struct FrameText<'a> {
    /// Spheres, in file order.
    pub spheres: Vec<Sphere<'a>>,
    /// All other lines with their numbers, in file order.
    pub structure: Vec<(usize, &'a str)>,
}

/// A line `sphere{<x,y,z>,R,S}//ID`, without `,S` for a particle in the air, with `*` after the ID for the copy that
/// a neighbouring tile needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sphere<'a> {
    pub id: u64,
    pub copy: bool,
    pub center: [Value<'a>; 3],
    pub radius: Value<'a>,
    pub strength: Option<Value<'a>>,
    /// How many other lines stand before it, which tells the tile it belongs to.
    pub block: usize,
}

/// A number, or the name of a `#declare`d one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'a> {
    Number(Real),
    Name(&'a str),
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

impl<'a> FrameText<'a> {
    /// Reads a frame; an error names `path` and the line.
    pub fn parse(path: &Path, bytes: &'a [u8]) -> Result<Self> {
        Self::parse_lines(bytes)
            .map_err(|(line, why)| Error::damaged(format!("{}:{line}: {why}", path.display())))
    }

    fn parse_lines(bytes: &'a [u8]) -> std::result::Result<Self, (usize, String)> {
        let text = std::str::from_utf8(bytes).map_err(|why| {
            let good = &bytes[..why.valid_up_to()];
            (line_count(good) + 1, "not a text file".to_string())
        })?;
        if text.trim().is_empty() {
            return Err((1, "the file is empty".into()));
        }
        let mut frame = Self {
            spheres: Vec::new(),
            structure: Vec::new(),
        };
        let mut open_braces = 0;
        for (line, number) in text.lines().zip(1..) {
            if line.starts_with("sphere{<") {
                frame
                    .spheres
                    .push(Sphere::parse(line, frame.structure.len()).map_err(|why| (number, why))?);
            } else {
                open_braces += braces(line);
                frame.structure.push((number, line));
            }
        }
        if open_braces > 0 {
            let why = format!("the file is cut off: {open_braces} open `{{` at its end");
            return Err((text.lines().count(), why));
        }
        Ok(frame)
    }
}

fn line_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b == b'\n').count()
}

/// Opened less closed braces of a line, outside strings and the trailing comment.
fn braces(line: &str) -> i64 {
    let code = line.split("//").next().unwrap_or(line);
    let outside_strings = code.split('"').step_by(2);
    outside_strings
        .flat_map(str::bytes)
        .map(|b| i64::from(b == b'{') - i64::from(b == b'}'))
        .sum()
}

impl<'a> Sphere<'a> {
    fn parse(line: &'a str, block: usize) -> std::result::Result<Self, String> {
        let form = || {
            format!(
                "expected `sphere{{<x,y,z>,R,S}}//ID`, found `{}`",
                shortened(line)
            )
        };
        let rest = line.strip_prefix("sphere{<").ok_or_else(form)?;
        let (center, rest) = rest.split_once(">,").ok_or_else(form)?;
        let (sizes, comment) = rest.split_once("}//").ok_or_else(form)?;
        let mut center = center.split(',');
        let mut coordinate = || center.next().map_or_else(|| Err(form()), parse_value);
        let center_values = [coordinate()?, coordinate()?, coordinate()?];
        let (radius, strength) = match sizes.split_once(',') {
            Some((radius, strength)) => (radius, Some(parse_value(strength)?)),
            None => (sizes, None),
        };
        let (id, copy) = match comment.trim_end().strip_suffix('*') {
            Some(id) => (id, true),
            None => (comment.trim_end(), false),
        };
        if center.next().is_some() {
            return Err(form());
        }
        Ok(Self {
            id: id
                .parse()
                .map_err(|_| format!("expected a birth number after `//`, found `{}`", shortened(id)))?,
            copy,
            center: center_values,
            radius: parse_value(radius)?,
            strength,
            block,
        })
    }

    /// Its numbers with their names, in file order.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, Value<'a>)> {
        let [x, y, z] = self.center;
        let sizes = [
            Some(("radius", self.radius)),
            self.strength.map(|s| ("strength", s)),
        ];
        [("x", x), ("y", y), ("z", z)]
            .into_iter()
            .chain(sizes.into_iter().flatten())
    }
}

fn parse_value(text: &str) -> std::result::Result<Value<'_>, String> {
    match text.parse::<Real>() {
        Ok(number) if number.is_finite() => Ok(Value::Number(number)),
        Err(_) if is_name(text) => Ok(Value::Name(text)),
        _ => Err(format!("expected a finite number, found `{}`", shortened(text))),
    }
}

fn is_name(text: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    text.bytes().all(good) && text.starts_with(|c: char| !c.is_ascii_digit())
}

/// At most 60 characters of a line for a message.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> std::result::Result<FrameText<'_>, (usize, String)> {
        FrameText::parse_lines(text.as_bytes())
    }

    #[test]
    fn spheres_and_structure_are_told_apart() {
        let frame = parse(
            "#include \"common.inc\"\nblob{\nsphere{<1,-2.5,3e-3>,R,1}//7\nsphere{<1,2,3>,.5}//8*\n}\n",
        );
        let frame = frame.expect("a frame");
        assert_eq!(
            frame.structure,
            [(1, "#include \"common.inc\""), (2, "blob{"), (5, "}")]
        );
        let first = Sphere {
            id: 7,
            copy: false,
            center: [1.0, -2.5, 3e-3].map(Value::Number),
            radius: Value::Name("R"),
            strength: Some(Value::Number(1.0)),
            block: 2,
        };
        assert_eq!(frame.spheres[0], first);
        assert_eq!(
            (
                frame.spheres[1].id,
                frame.spheres[1].copy,
                frame.spheres[1].strength
            ),
            (8, true, None)
        );
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, line, part) in [
            ("", 1, "empty"),
            ("blob{\nsphere{<1,2,3>,1,1}//1\n", 2, "cut off: 1 open"),
            ("blob{\nsphere{<1,2,", 2, "expected `sphere{<x,y,z>"),
            ("sphere{<1,2>,1}//1", 1, "expected `sphere{<x,y,z>"),
            ("sphere{<1,2,3,4>,1}//1", 1, "expected `sphere{<x,y,z>"),
            ("sphere{<1,nan,3>,1}//1", 1, "finite number, found `nan`"),
            ("sphere{<1,2,1e999>,1}//1", 1, "finite number, found `1e999`"),
            ("sphere{<1,,3>,1}//1", 1, "finite number, found ``"),
            ("sphere{<1,2,3>,1}//-1", 1, "birth number after `//`, found `-1`"),
            ("sphere{<1,2,3>,1}", 1, "expected `sphere{<x,y,z>"),
        ] {
            let (found_line, message) = parse(text).err().expect(text);
            assert!(
                found_line == line && message.contains(part),
                "{text}: {found_line}: {message}"
            );
        }
        let binary = FrameText::parse_lines(b"a\nb\xff\n").err().expect("not text");
        assert_eq!(binary.0, 2);
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_count() {
        assert_eq!(braces("union{ // {"), 1);
        assert_eq!(braces("#debug \"{{\" }"), -1);
    }
}
