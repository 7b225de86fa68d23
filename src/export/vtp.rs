//! VTK PolyData in XML with its numbers appended as they are: what ParaView, VTK and PyVista read.
//!
//! The format is that of *VTK File Formats* (Kitware), "XML File Formats", with 64-bit headers.

use std::io::{self, Write};

use super::Rows;

/// A column: type, name, numbers an item, bytes.
struct Column(&'static str, &'static str, usize, Vec<u8>);

fn bytes<const N: usize>(items: impl Iterator<Item = [u8; N]>) -> Vec<u8> {
    items.flatten().collect()
}

pub(super) fn write(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    let (frame, detail, n) = (&rows.points.frame, rows.detail, rows.len());
    let flat = |v: &[crate::math::Vec3]| bytes(v.iter().flat_map(|v| v.iter()).map(|x| x.to_le_bytes()));
    let data = [
        Column("UInt64", "id", 1, bytes(frame.id.iter().map(|x| x.to_le_bytes()))),
        Column("Float64", "velocity", 3, flat(&detail.velocity)),
        Column("Float64", "normal", 3, flat(&frame.normal)),
        Column(
            "Float64",
            "radius",
            1,
            bytes(frame.radius.iter().map(|x| x.to_le_bytes())),
        ),
        Column(
            "Float64",
            "age",
            1,
            bytes(detail.age.iter().map(|x| x.to_le_bytes())),
        ),
        Column(
            "UInt16",
            "material",
            1,
            bytes(frame.material.iter().map(|x| x.to_le_bytes())),
        ),
        Column("UInt8", "state", 1, (0..n).map(|i| rows.state(i).0).collect()),
        Column(
            "Int32",
            "triangle",
            1,
            bytes((0..n).map(|i| rows.triangle(i).to_le_bytes())),
        ),
    ];
    let places = frame.position.iter().flat_map(|p| p.coords.iter());
    let places = [Column(
        "Float64",
        "Points",
        3,
        bytes(places.map(|x| x.to_le_bytes())),
    )];
    let whole = |from: u64| bytes((from..n as u64 + from).map(|i| i.to_le_bytes()));
    let cells = [
        Column("Int64", "connectivity", 1, whole(0)),
        Column("Int64", "offsets", 1, whole(1)),
    ];
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    for (name, number) in rows.points.materials.iter().zip(0..) {
        // Two hyphens would end the comment.
        writeln!(
            out,
            "<!-- material {number}: {} -->",
            name.replace('-', "\u{2010}")
        )?;
    }
    writeln!(
        out,
        "<!-- state 0 airborne, 1 rolling, 2 flowing, 3 stuck, 4 rested, 5 stopped -->\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n\
         <Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"{n}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">"
    )?;
    let mut at = 0;
    for (tag, columns) in [("PointData", &data[..]), ("Points", &places), ("Verts", &cells)] {
        writeln!(out, "<{tag}>")?;
        for Column(kind, name, parts, bytes) in columns {
            writeln!(
                out,
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{parts}\" format=\"appended\" offset=\"{at}\"/>"
            )?;
            at += size_of::<u64>() + bytes.len();
        }
        writeln!(out, "</{tag}>")?;
    }
    write!(out, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_")?;
    for Column(_, _, _, bytes) in data.iter().chain(&places).chain(&cells) {
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(bytes)?;
    }
    writeln!(out, "\n</AppendedData>\n</VTKFile>")
}
