//! PLY, as text or binary, by the crate `ply-rs-bw`: vertices with texture coordinates, polygons.

use std::io::{BufReader, Cursor};
use std::path::Path;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{Encoding, Property, PropertyAccess, PropertyAccessResult};

use super::Mesh;
use super::assemble::assemble;
use super::part::Polygon;
use super::read::fault;
use super::stream::Raw;
use crate::error::{Error, Result};
use crate::math::{Point3, Real};

const HELP: &str =
    "expected PLY with `x`, `y`, `z` of each `vertex` and a list `vertex_indices` of each `face`";

/// A vertex; NaN where the file says nothing.
struct Vertex {
    place: [Real; 3],
    uv: [Real; 2],
}

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self {
            place: [Real::NAN; 3],
            uv: [Real::NAN; 2],
        }
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let target = match name {
            "x" => &mut self.place[0],
            "y" => &mut self.place[1],
            "z" => &mut self.place[2],
            "s" | "u" | "texture_u" => &mut self.uv[0],
            "t" | "v" | "texture_v" => &mut self.uv[1],
            _ => return PropertyAccessResult::Ignored,
        };
        match number(&property) {
            Some(number) => {
                *target = number;
                PropertyAccessResult::Set
            }
            None => PropertyAccessResult::UnsupportedType,
        }
    }
}

fn number(property: &Property) -> Option<Real> {
    Some(match *property {
        Property::Char(x) => x.into(),
        Property::UChar(x) => x.into(),
        Property::Short(x) => x.into(),
        Property::UShort(x) => x.into(),
        Property::Int(x) => x.into(),
        Property::UInt(x) => x.into(),
        Property::Float(x) => x.into(),
        Property::Double(x) => x,
        _ => return None,
    })
}

/// The corners of a face; -1 for what is no index.
#[derive(Default)]
struct Face(Vec<i64>);

impl PropertyAccess for Face {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if !matches!(name, "vertex_indices" | "vertex_index") {
            return PropertyAccessResult::Ignored;
        }
        self.0 = match property {
            Property::ListChar(list) => list.into_iter().map(i64::from).collect(),
            Property::ListUChar(list) => list.into_iter().map(i64::from).collect(),
            Property::ListShort(list) => list.into_iter().map(i64::from).collect(),
            Property::ListUShort(list) => list.into_iter().map(i64::from).collect(),
            Property::ListInt(list) => list.into_iter().map(i64::from).collect(),
            Property::ListUInt(list) => list.into_iter().map(i64::from).collect(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// What is passed over.
struct Other;

impl PropertyAccess for Other {
    fn new() -> Self {
        Self
    }
}

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Mesh> {
    let wrong = |why: ParseError| {
        fault(
            path,
            bytes,
            why.line(),
            &format!("PLY: {}", reason(&why.to_string())),
            HELP,
        )
    };
    let mut reader = Reader::new(BufReader::new(Cursor::new(bytes)));
    let header = Parser::<Other>::new().read_header(&mut reader).map_err(wrong)?;
    let in_lines = matches!(header.encoding, Encoding::Ascii);
    let mut raw = Raw {
        groups: vec![String::new()],
        ..Raw::default()
    };
    let mut uvs = Vec::new();
    for (name, element) in &header.elements {
        let first_line = in_lines.then(|| reader.line());
        let at = |i: usize| first_line.map(|line| line + i);
        match name.as_str() {
            "vertex" => {
                let found = Parser::<Vertex>::new().read_payload_for_element(&mut reader, element, &header);
                for (i, vertex) in found.map_err(wrong)?.into_iter().enumerate() {
                    if !vertex.place.iter().all(|x| x.is_finite()) {
                        let message = format!(
                            "vertex {i}: expected finite `x`, `y`, `z`, found {:?}",
                            vertex.place
                        );
                        return Err(fault(path, bytes, at(i), &message, HELP));
                    }
                    raw.vertices.push(Point3::from(vertex.place));
                    uvs.push(vertex.uv);
                }
            }
            "face" => {
                let found = Parser::<Face>::new().read_payload_for_element(&mut reader, element, &header);
                for (i, face) in found.map_err(wrong)?.into_iter().enumerate() {
                    let line = at(i).unwrap_or(i + 1);
                    add_face(&mut raw, &face, line as u64).map_err(|message| {
                        fault(path, bytes, at(i), &format!("face {i}: {message}"), HELP)
                    })?;
                }
            }
            _ => {
                let passed = Parser::<Other>::new().read_payload_for_element(&mut reader, element, &header);
                passed.map_err(wrong)?;
            }
        }
    }
    check_indices(path, bytes, &raw)?;
    if !uvs.is_empty() && uvs.iter().flatten().all(|x| x.is_finite()) {
        raw.uvs = uvs;
        raw.uv_triangles.clone_from(&raw.triangles);
    }
    Ok(assemble(raw, path, |_| None))
}

/// What the crate says without the line, which the place shows.
fn reason(message: &str) -> String {
    let inner = message
        .lines()
        .find_map(|line| line.trim().strip_prefix("Error: "));
    let whole = || message.lines().next().unwrap_or("damaged");
    inner.unwrap_or_else(whole).to_string()
}

/// Adds the fan of a face.
fn add_face(raw: &mut Raw, face: &Face, line: u64) -> std::result::Result<(), String> {
    let index =
        |&i: &i64| u32::try_from(i).map_err(|_| format!("expected the number of a vertex, found {i}"));
    let corners = face
        .0
        .iter()
        .map(index)
        .collect::<std::result::Result<Vec<u32>, _>>()?;
    let [first, rest @ ..] = &corners[..] else {
        return Ok(());
    };
    raw.faces += 1;
    if corners.len() > 3 {
        raw.polygons.push(Polygon {
            first: raw.triangles.len() as u32,
            corners: corners.len() as u32,
            line,
        });
    }
    for pair in rest.windows(2) {
        raw.triangles.push([*first, pair[0], pair[1]]);
        raw.group_of.push(0);
    }
    Ok(())
}

/// Faces may stand before their vertices, so only at the end is it known which point nowhere.
fn check_indices(path: &Path, bytes: &[u8], raw: &Raw) -> std::result::Result<(), Error> {
    let vertices = raw.vertices.len();
    match raw.triangles.iter().flatten().find(|&&i| i as usize >= vertices) {
        None => Ok(()),
        Some(i) => {
            let message = format!("a face names vertex {i}, the file has {vertices}, numbered from 0");
            Err(fault(path, bytes, None, &message, HELP))
        }
    }
}
