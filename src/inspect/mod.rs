//! What is wrong with a mesh, told so that someone can mend it: each kind of fault with its number, its first places as
//! file and line, and what the collider makes of it.
//!
//! It looks at the file as it is, in the file's units; where a scene places the mesh does not matter.

mod edges;
mod faces;
mod kind;
mod paint;
mod pieces;
#[cfg(test)]
mod tests;
mod text;
mod weld;

pub use kind::Kind;
pub use paint::paint;

use std::path::{Path, PathBuf};

use crate::bvh::MAX_PRIMITIVES;
use crate::error::{Diagnostic, Error, Result};
use crate::math::{Real, Vec3};
use crate::mesh::{Mesh, load_mesh_with_lines};
use crate::surface::{Pair, Surface};
use edges::Edges;
use faces::Faces;
use pieces::Pieces;
use weld::Weld;

/// A mesh and what was found about it.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// The mesh, with the lines of its faces.
    pub mesh: Mesh,
    /// What was found.
    pub report: Report,
}

/// What was found about a mesh. Lengths are in the file's units.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The file, as the user would type it.
    pub path: PathBuf,
    /// Triangles, after polygons are cut.
    pub triangles: u64,
    /// Vertices of the file.
    pub vertices: u64,
    /// Different places among the vertices that faces use.
    pub places: u64,
    /// Edges of the box around all faces.
    pub size: [Real; 3],
    /// Area of all triangles.
    pub area: Real,
    /// Whether every edge joins an even number of faces.
    pub closed: bool,
    /// Of a closed mesh: what it holds, negative when it is inside out.
    pub volume: Option<Real>,
    /// Parts that no edge joins.
    pub pieces: u64,
    /// Faults and remarks, in the order of [`Kind`]; kinds that do not occur are left out.
    pub findings: Vec<Finding>,
}

/// One kind of fault.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// How often it occurs.
    pub count: u64,
    /// Where, sorted by the number of the face; of very many intersections some are left out.
    pub places: Vec<Spot>,
}

/// The face that a fault is told of, and for faults between two faces the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Number of the triangle, from 0.
    pub triangle: u32,
    /// The other one.
    pub other: Option<u32>,
}

impl Report {
    /// How many faults there are, remarks not counted.
    pub fn faults(&self) -> u64 {
        let faults = self.findings.iter().filter(|f| f.kind.is_fault());
        faults.map(|f| f.count).sum()
    }

    /// The finding of a kind, if it occurs.
    pub fn finding(&self, kind: Kind) -> Option<&Finding> {
        self.findings.iter().find(|f| f.kind == kind)
    }
}

/// Reads a mesh and inspects it.
///
/// # Errors
/// What [`crate::mesh::load_mesh`] refuses, and meshes with more triangles than a collider can hold.
pub fn inspect(path: &Path) -> Result<Inspection> {
    let mesh = load_mesh_with_lines(path)?;
    let report = report(&mesh, path)?;
    Ok(Inspection { mesh, report })
}

/// Inspects a mesh that is in memory; `path` is for messages.
pub fn report(mesh: &Mesh, path: &Path) -> Result<Report> {
    let Some(surface) = Surface::new(mesh) else {
        let message = format!(
            "{}: {} triangles, at most {MAX_PRIMITIVES} are possible",
            path.display(),
            mesh.triangles.len()
        );
        return Err(Error::input(Diagnostic::new(message).help("use a coarser mesh")));
    };
    let weld = Weld::of(mesh);
    let faces = Faces::of(mesh, &weld);
    let edges = Edges::of(mesh, &weld, &faces);
    let pieces = Pieces::of(mesh, &edges, &faces);
    let meetings = surface.meetings();
    let pairs = |found: &[Pair]| found.iter().map(|[a, b]| Spot::pair(*b, *a)).collect();
    let mut findings = vec![
        Finding::of(Kind::BoundaryLoop, edges.loops()),
        Finding::of(Kind::NonManifoldEdge, edges.non_manifold()),
        Finding::of(Kind::FlippedFace, edges.flipped()),
        Finding::of(Kind::OneSidedPiece, edges.one_sided()),
        Finding::of(Kind::InsideOutPiece, pieces.inside_out),
        Finding::of(Kind::RepeatedFace, faces.repeated),
        Finding::of(Kind::DoubledFace, faces.doubled),
        Finding::of(Kind::FaceWithoutArea, faces.without_area),
        Finding::of(Kind::Sliver, faces.slivers),
        Finding {
            count: meetings.crossing.count,
            ..Finding::of(Kind::CrossingFaces, pairs(&meetings.crossing.pairs))
        },
        Finding {
            count: meetings.overlapping.count,
            ..Finding::of(Kind::OverlappingFaces, pairs(&meetings.overlapping.pairs))
        },
        Finding {
            count: meetings.touching.count,
            ..Finding::of(Kind::TouchingFaces, pairs(&meetings.touching.pairs))
        },
        Finding {
            count: weld.repeated,
            ..Finding::of(Kind::RepeatedVertex, Vec::new())
        },
        Finding {
            count: weld.unused,
            ..Finding::of(Kind::UnusedVertex, Vec::new())
        },
    ];
    findings.retain(|finding| finding.count > 0);
    let extent = mesh.bounds().extent();
    Ok(Report {
        path: path.to_path_buf(),
        triangles: mesh.triangles.len() as u64,
        vertices: mesh.vertices.len() as u64,
        places: weld.places,
        size: [extent.x.max(0.0), extent.y.max(0.0), extent.z.max(0.0)],
        area: (0..mesh.triangles.len())
            .map(|t| 0.5 * doubled_area(mesh, t).norm())
            .fold(0.0, |sum, area| sum + area),
        closed: edges.is_closed(),
        volume: edges.is_closed().then_some(pieces.volume),
        pieces: pieces.count,
        findings,
    })
}

/// Twice the area vector of a triangle.
fn doubled_area(mesh: &Mesh, triangle: usize) -> Vec3 {
    let [a, b, c] = mesh.corners(triangle);
    (b - a).cross(&(c - a))
}

impl Finding {
    fn of(kind: Kind, mut places: Vec<Spot>) -> Self {
        places.sort_unstable();
        Self {
            kind,
            count: places.len() as u64,
            places,
        }
    }
}

impl Spot {
    fn face(triangle: u32) -> Self {
        Self {
            triangle,
            other: None,
        }
    }

    fn pair(triangle: u32, other: u32) -> Self {
        Self {
            triangle,
            other: Some(other),
        }
    }
}
