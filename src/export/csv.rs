//! Comma-separated values: a line of names, then a line a particle, every number with all its digits.

use std::io::{self, Write};

use super::Rows;

const NAMES: &str = "id,x,y,z,vx,vy,vz,radius,age,material,state,triangle,nx,ny,nz";

pub(super) fn write(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{NAMES}")?;
    let (frame, detail) = (&rows.points.frame, rows.detail);
    let names: Vec<String> = rows.points.materials.iter().map(|name| quoted(name)).collect();
    for i in 0..rows.len() {
        let (p, v, n) = (&frame.position[i], &detail.velocity[i], &frame.normal[i]);
        let (_, state) = rows.state(i);
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{state},{},{},{},{}",
            frame.id[i],
            p.x,
            p.y,
            p.z,
            v.x,
            v.y,
            v.z,
            frame.radius[i],
            detail.age[i],
            names[usize::from(frame.material[i])],
            rows.triangle(i),
            n.x,
            n.y,
            n.z
        )?;
    }
    Ok(())
}

/// A text as RFC 4180 has it: in quotes where it could be taken for more than one.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
