//! Houdini's classic binary geometry, version 5, big-endian, under the names that Houdini uses.
//!
//! Numbers are of 32 bits there, so places keep seven digits.

use std::io::{self, Write};

use super::Rows;

/// Kinds of attributes in the file.
const FLOAT: i32 = 0;
const INT: i32 = 1;
const VECTOR: i32 = 5;

/// Attributes beside the place: name, numbers, kind.
const ATTRIBUTES: [(&str, u16, i32); 8] = [
    ("id", 1, INT),
    ("v", 3, VECTOR),
    ("N", 3, VECTOR),
    ("pscale", 1, FLOAT),
    ("age", 1, FLOAT),
    ("material", 1, INT),
    ("state", 1, INT),
    ("triangle", 1, INT),
];

pub(super) fn write(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    let (frame, detail) = (&rows.points.frame, rows.detail);
    let whole = |n: u64| {
        i32::try_from(n)
            .map_err(|_| io::Error::other(format!("bgeo cannot hold the number {n}: export to vtp or csv")))
    };
    out.write_all(b"BgeoV")?;
    let counts = [
        5,
        whole(rows.len() as u64)?,
        0,
        0,
        0,
        ATTRIBUTES.len() as i32,
        0,
        0,
        0,
    ];
    for count in counts {
        out.write_all(&count.to_be_bytes())?;
    }
    for (name, size, kind) in ATTRIBUTES {
        out.write_all(&(name.len() as u16).to_be_bytes())?;
        out.write_all(name.as_bytes())?;
        out.write_all(&size.to_be_bytes())?;
        out.write_all(&kind.to_be_bytes())?;
        for _ in 0..size {
            out.write_all(&0_i32.to_be_bytes())?;
        }
    }
    for i in 0..rows.len() {
        let float = |x: &f64| (*x as f32).to_be_bytes();
        let p = &frame.position[i];
        for x in [p.x, p.y, p.z, 1.0] {
            out.write_all(&float(&x))?;
        }
        out.write_all(&whole(frame.id[i])?.to_be_bytes())?;
        let vectors = detail.velocity[i].iter().chain(frame.normal[i].iter());
        for x in vectors.chain([&frame.radius[i], &detail.age[i]]) {
            out.write_all(&float(x))?;
        }
        for number in [
            i32::from(frame.material[i]),
            i32::from(rows.state(i).0),
            rows.triangle(i),
        ] {
            out.write_all(&number.to_be_bytes())?;
        }
    }
    out.write_all(&[0x00, 0xff])
}
