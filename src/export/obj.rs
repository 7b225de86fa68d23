//! Wavefront OBJ: particles as points, a group a material; surfaces as triangles. OBJ has no place for anything else.

use std::io::{self, Write};

use super::surface::Surface;
use super::{Rows, plain_name};

pub(super) fn write(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    let frame = &rows.points.frame;
    writeln!(
        out,
        "# partsim frame {} time {} s: centres of particles",
        frame.number, frame.time
    )?;
    for p in &frame.position {
        writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
    }
    for (name, number) in rows.points.materials.iter().zip(0_u16..) {
        let members: Vec<usize> = (0..rows.len()).filter(|&i| frame.material[i] == number).collect();
        if !members.is_empty() {
            writeln!(out, "g {}", plain_name(name))?;
        }
        for line in members.chunks(16) {
            let numbers: Vec<String> = line.iter().map(|i| (i + 1).to_string()).collect();
            writeln!(out, "p {}", numbers.join(" "))?;
        }
    }
    Ok(())
}

pub(super) fn write_surface(surface: &Surface, name: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# partsim: surface of a covering\ng {}", plain_name(name))?;
    for [x, y, z] in &surface.vertices {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for [a, b, c] in &surface.triangles {
        writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1)?;
    }
    Ok(())
}
