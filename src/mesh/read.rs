//! A mesh file by the ending of its name: PLY, STL and glTF through their crates, all else as OBJ.

use std::path::{Path, PathBuf};

use super::{Group, Mesh, MeshReport, Surface, gltf, load_obj, load_obj_with_lines, ply, stl, text};
use crate::error::{Diagnostic, Error, Place, Result};
use crate::math::Point3;

/// Reads a mesh file: `.ply`, `.stl`, `.gltf` and `.glb` by their formats, any other as OBJ.
///
/// Geometry that makes no sense is an [`Error::Input`] that names the file and, where there are lines, the line. The
/// same mesh gives the same triangles in the same order, whatever the format, as far as its numbers go: STL and glTF
/// hold 32 bits of each.
pub fn load_mesh(path: &Path) -> Result<Mesh> {
    by_format(path, load_obj)
}

/// [`load_mesh`] for reports: [`Mesh::lines`] is filled in where the format has lines, which is OBJ.
pub fn load_mesh_with_lines(path: &Path) -> Result<Mesh> {
    by_format(path, load_obj_with_lines)
}

fn by_format(path: &Path, read_as_obj: impl FnOnce(&Path) -> Result<Mesh>) -> Result<Mesh> {
    match ending(path).as_str() {
        "ply" => ply::read(path, &bytes(path)?),
        "stl" => stl::read(path, &bytes(path)?),
        "gltf" | "glb" => gltf::read(path, &bytes(path)?),
        _ => read_as_obj(path),
    }
}

/// Further files that hold a part of the geometry of a mesh file, as far as they can be told.
pub fn further_files(path: &Path) -> Vec<PathBuf> {
    match ending(path).as_str() {
        "gltf" => fs_err::read(path).map_or_else(|_| Vec::new(), |bytes| gltf::buffer_files(path, &bytes)),
        _ => Vec::new(),
    }
}

fn ending(path: &Path) -> String {
    path.extension().map_or_else(String::new, |ending| {
        ending.to_string_lossy().to_ascii_lowercase()
    })
}

pub(super) fn bytes(path: &Path) -> Result<Vec<u8>> {
    fs_err::read(path).map_err(|why| Error::unreadable(path, &why))
}

/// A mistake in a file, at a line where it has lines.
pub(super) fn fault(path: &Path, bytes: &[u8], line: Option<usize>, message: &str, help: &str) -> Error {
    let message = format!("{}: {message}", path.display());
    let diagnostic = Diagnostic::new(message).help(help);
    let text = line.and_then(|line| bytes.split(|&b| b == b'\n').nth(line.checked_sub(1)?));
    Error::input(match (line, text) {
        (Some(line), Some(text)) => {
            let excerpt = text::shown(text.trim_ascii_end());
            diagnostic.at(Place {
                path: path.into(),
                line,
                column: 1,
                width: excerpt.chars().count().max(1),
                excerpt,
            })
        }
        _ => diagnostic,
    })
}

/// A mesh of triangles alone, its defects counted; indices must have been checked.
pub(super) fn of_triangles(
    path: &Path,
    vertices: Vec<Point3>,
    triangles: Vec<[u32; 3]>,
    groups: Vec<(String, Option<Surface>)>,
    group_of: Vec<u16>,
) -> Mesh {
    let corners = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
    let degenerate = triangles
        .iter()
        .filter(|t| super::triangulate::is_flat(corners(t)))
        .count();
    let mut warnings = Vec::new();
    if triangles.is_empty() {
        let help = "nothing can touch this mesh: export it with its polygons";
        warnings.push(Diagnostic::new(format!("no faces in {}", path.display())).help(help));
    }
    Mesh {
        report: MeshReport {
            faces: triangles.len() as u64,
            lines_and_points: 0,
            degenerate: degenerate as u64,
            warnings,
        },
        groups: groups
            .into_iter()
            .map(|(name, surface)| Group { name, surface })
            .collect(),
        vertices,
        triangles,
        group_of,
        ..Mesh::default()
    }
}
