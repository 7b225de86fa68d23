//! A body shown as a blob of its particles instead of its mesh.
//!
//! Their places are the vertices of the mesh that no triangle has, which stand behind all others, so they move with it. They
//! are written by a macro: a sphere in a frame is a particle to all who read frames.

use std::io::{self, Write};

use super::number::text;
use super::scale::Scale;
use crate::math::{Point3, Real};
use crate::mesh::Mesh;
use crate::scene::{Draw, MeshSpec, Motion};

/// What a component is written as.
const MACRO: &str = "Body_Ball";
/// Threshold of the blob: balls of a full lattice run into each other, and stand out by about their radius.
const THRESHOLD: Real = 0.3;
/// Radius of influence by radius: a ball alone shows its own.
const WIDER: Real = 1.487;

/// The declaration that the text of balls needs.
pub(super) fn declaration() -> String {
    format!("#macro {MACRO}(P, R) sphere{{P, R, 1}} #end\n")
}

/// Radius of the balls that a mesh is shown as [m]; `None` for one that is shown as a mesh.
pub(super) fn radius(spec: Option<&MeshSpec>) -> Option<Real> {
    let motion = spec?.motion.as_ref().filter(|m| m.draw() == Draw::Blob)?;
    match motion {
        Motion::Rigid(rigid) => Some(rigid.fill),
        Motion::Elastic(elastic) => Some(0.5 * elastic.cell),
        _ => None,
    }
}

/// Writes the blob of a mesh with these places of its vertices [m]; `texture` is that of its first surface.
pub(super) fn write(
    mesh: &Mesh,
    vertices: &[Point3],
    radius: Real,
    scale: &Scale,
    texture: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let first = mesh
        .triangles
        .iter()
        .flatten()
        .max()
        .map_or(0, |last| *last as usize + 1);
    let wide = text(radius * WIDER * scale.units);
    writeln!(out, "blob{{\nthreshold {}", text(THRESHOLD))?;
    let mut line = Vec::new();
    for place in vertices.iter().skip(first) {
        line.clear();
        write!(line, "{MACRO}(<")?;
        for k in 0..3 {
            scale.place.push(place[k] * scale.units, &mut line);
            line.extend_from_slice(if k < 2 { b"," } else { b">," });
        }
        out.write_all(&line)?;
        writeln!(out, "{wide})")?;
    }
    writeln!(out, "{}}}", texture)
}
