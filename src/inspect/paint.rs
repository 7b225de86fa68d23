//! A POV-Ray include that paints the faults of a mesh: each kind in its colour, and the edges of faces as thin rods, so that a
//! sliver shows too.

use std::io::{self, Write};

use super::{Inspection, Kind};
use crate::math::{Point3, Real};

/// Thickness of the rods in parts of the mesh's diagonal.
const ROD: Real = 1e-3;

/// Writes `#declare mesh_faults = union {...}`, in the file's units and axes; a camera for a right-handed scene
/// (`right -x*...`) shows it unmirrored.
///
/// # Errors
/// Those of `out`.
pub fn paint(found: &Inspection, out: &mut dyn Write) -> io::Result<()> {
    let bounds = found.mesh.bounds();
    let rod = ROD * bounds.diagonal();
    writeln!(out, "// Faults of {}", found.report.path.display())?;
    writeln!(out, "#declare mesh_faults = union {{")?;
    writeln!(out, "  sphere {{ {}, 0.000001 }}", place(&bounds_center(&bounds)))?;
    for finding in &found.report.findings {
        let Some(color) = color(finding.kind) else {
            continue;
        };
        if finding.places.is_empty() || rod == 0.0 {
            continue;
        }
        writeln!(out, "  union {{ // {} {}", finding.count, finding.kind.name())?;
        let mut faces: Vec<u32> = finding
            .places
            .iter()
            .flat_map(|s| std::iter::once(s.triangle).chain(s.other))
            .collect();
        faces.sort_unstable();
        faces.dedup();
        for face in faces {
            face_and_rods(&found.mesh.corners(face as usize), rod, out)?;
        }
        let [r, g, b] = color;
        writeln!(
            out,
            "    pigment {{ rgb <{r}, {g}, {b}> }} finish {{ ambient 0.6 diffuse 0.4 }}"
        )?;
        writeln!(out, "  }}")?;
    }
    writeln!(out, "}}")
}

/// The centre of a box; the origin of an empty one.
fn bounds_center(bounds: &crate::math::Aabb) -> Point3 {
    if bounds.is_empty() {
        Point3::origin()
    } else {
        bounds.center()
    }
}

fn face_and_rods(corners: &[Point3; 3], rod: Real, out: &mut dyn Write) -> io::Result<()> {
    let [a, b, c] = corners;
    if !crate::geom::is_degenerate(corners) {
        writeln!(out, "    triangle {{ {}, {}, {} }}", place(a), place(b), place(c))?;
    }
    for (from, to) in [(a, b), (b, c), (c, a)] {
        // POV-Ray refuses a cylinder without length.
        if (to - from).norm() > 1e-6 * rod {
            writeln!(out, "    cylinder {{ {}, {}, {rod:e} }}", place(from), place(to))?;
        } else {
            writeln!(out, "    sphere {{ {}, {rod:e} }}", place(from))?;
        }
    }
    Ok(())
}

fn place(p: &Point3) -> String {
    format!("<{:e}, {:e}, {:e}>", p.x, p.y, p.z)
}

/// `None` for remarks that have no places.
fn color(kind: Kind) -> Option<[Real; 3]> {
    Some(match kind {
        Kind::BoundaryLoop => [0.1, 0.3, 1.0],
        Kind::NonManifoldEdge => [0.7, 0.2, 1.0],
        Kind::FlippedFace | Kind::InsideOutPiece | Kind::OneSidedPiece => [1.0, 0.6, 0.0],
        Kind::RepeatedFace | Kind::DoubledFace => [1.0, 1.0, 0.0],
        Kind::FaceWithoutArea | Kind::Sliver => [0.0, 0.9, 0.9],
        Kind::CrossingFaces | Kind::OverlappingFaces => [1.0, 0.0, 0.1],
        Kind::TouchingFaces => [0.6, 0.6, 0.6],
        Kind::RepeatedVertex | Kind::UnusedVertex => return None,
    })
}
