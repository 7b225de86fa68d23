//! PLY, binary, little-endian: particles as vertices with all their properties, and surfaces as triangles.

use std::io::{self, Write};

use super::Rows;
use super::surface::Surface;

pub(super) fn write(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    let (frame, detail) = (&rows.points.frame, rows.detail);
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    writeln!(
        out,
        "comment partsim frame {} time {} s",
        frame.number, frame.time
    )?;
    for (name, number) in rows.points.materials.iter().zip(0..) {
        writeln!(out, "comment material {number}: {}", one_line(name))?;
    }
    writeln!(
        out,
        "comment state 0 airborne, 1 rolling, 2 flowing, 3 stuck, 4 rested, 5 stopped"
    )?;
    writeln!(out, "element vertex {}", rows.len())?;
    for name in ["x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz", "radius", "age"] {
        writeln!(out, "property double {name}")?;
    }
    writeln!(
        out,
        "property uint id\nproperty uint material\nproperty uchar state\nproperty int triangle\nend_header"
    )?;
    let mut text = Vec::new();
    for i in 0..rows.len() {
        let vectors = [&frame.position[i].coords, &frame.normal[i], &detail.velocity[i]];
        for x in vectors
            .into_iter()
            .flat_map(|v| v.iter())
            .chain([&frame.radius[i], &detail.age[i]])
        {
            text.extend_from_slice(&x.to_le_bytes());
        }
        // PLY has no longer whole number, and not every reader knows the short ones.
        let id = u32::try_from(frame.id[i]).map_err(|_| {
            let id = frame.id[i];
            io::Error::other(format!("PLY cannot hold birth number {id}: export to vtp or csv"))
        })?;
        text.extend_from_slice(&id.to_le_bytes());
        text.extend_from_slice(&u32::from(frame.material[i]).to_le_bytes());
        text.push(rows.state(i).0);
        text.extend_from_slice(&rows.triangle(i).to_le_bytes());
        if text.len() > 1 << 16 {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)
}

pub(super) fn write_surface(surface: &Surface, name: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    writeln!(out, "comment partsim: surface of {}", one_line(name))?;
    writeln!(
        out,
        "element vertex {}\nproperty double x\nproperty double y\nproperty double z",
        surface.vertices.len()
    )?;
    writeln!(
        out,
        "element face {}\nproperty list uchar uint vertex_indices\nend_header",
        surface.triangles.len()
    )?;
    for part in surface.vertices.chunks(1 << 12) {
        let text: Vec<u8> = part.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        out.write_all(&text)?;
    }
    for part in surface.triangles.chunks(1 << 12) {
        let corner = |i: &u32| i.to_le_bytes();
        let text: Vec<u8> = part
            .iter()
            .flat_map(|t| [3].into_iter().chain(t.iter().flat_map(corner)))
            .collect();
        out.write_all(&text)?;
    }
    Ok(())
}

fn one_line(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
