//! Triangle meshes; OBJ and MTL files as people really write them, and PLY, STL and glTF through their crates.
//!
//! [`load_obj`] gives a [`Mesh`] in the file's own units; placing it in the world is `world`'s work. Who reads
//! what: `text` joins, strips and counts lines; `part` sorts them; the numbers of `v` and `vt` lines go through
//! the crate `tobj`, which alone says what a number is; `face` reads indices itself, because `tobj` keeps no
//! line numbers, cannot read a part of a file and would hold all faces in memory three times over; `stream`
//! reads parts at the same time and joins them in file order; `triangulate` and `assemble` make the mesh.

mod assemble;
mod face;
mod files;
mod gltf;
mod mtl;
mod numbers;
mod part;
mod ply;
mod read;
mod stl;
mod stream;
mod tally;
#[cfg(test)]
mod tests;
mod text;
mod triangulate;

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Diagnostic, Error, Result};
use crate::math::{Aabb, Point3, Real};
pub use read::{further_files, load_mesh, load_mesh_with_lines};
use stream::{Raw, Sizes};

/// The texture index of a corner without.
const NO_UV: u32 = u32::MAX;
/// The texture indices of a triangle without.
const NO_UVS: [u32; 3] = [NO_UV; 3];
/// No vertex is out of reach before the whole file has been read.
const NO_LIMIT: u64 = u64::MAX;

/// Reads an OBJ file and the MTL files that it names.
///
/// Geometry that makes no sense (a coordinate that is no finite number, an index to a vertex that is not there) is
/// an [`Error::Input`] with file, line and column. All that only concerns the look (MTL files, textures, texture
/// coordinates) becomes a warning in [`Mesh::report`]. A file without faces is not an error: the mesh then
/// [has no triangles](Mesh::is_empty) and a warning says "no faces in ..."; the caller knows whether that is fatal.
pub fn load_obj(path: &Path) -> Result<Mesh> {
    read_with(|| opened(path), path, Sizes::default())
}

fn opened(path: &Path) -> Result<fs_err::File> {
    fs_err::File::open(path).map_err(|why| Error::unreadable(path, &why))
}

/// [`load_obj`] for reports: [`Mesh::lines`] is filled in.
pub fn load_obj_with_lines(path: &Path) -> Result<Mesh> {
    read_with(|| opened(path), path, Sizes::with_lines())
}

/// [`read_obj`] for reports, likewise.
pub fn read_obj_with_lines(bytes: &[u8], path: &Path) -> Result<Mesh> {
    read_with(|| Ok(bytes), path, Sizes::with_lines())
}

/// Reads an OBJ file from memory, by the rules of [`load_obj`]. `path` is used in messages, and MTL files are
/// looked for in its folder; it need not exist.
pub fn read_obj(bytes: &[u8], path: &Path) -> Result<Mesh> {
    read_with(|| Ok(bytes), path, Sizes::default())
}

/// Reads what `open` opens; it is opened a second time to find the line of a missing vertex.
fn read_with<R: Read>(open: impl Fn() -> Result<R>, path: &Path, sizes: Sizes) -> Result<Mesh> {
    let raw = stream::read(&mut open()?, path, sizes, NO_LIMIT)?;
    let vertices = raw.vertices.len() as u64;
    if raw.triangles.iter().flatten().any(|v| u64::from(*v) >= vertices) {
        // Faces may stand above their vertices, so only now is it known which ones point nowhere.
        return Err(missing_vertex(open()?, path, sizes, vertices));
    }
    Ok(finish(raw, path))
}

fn missing_vertex(mut input: impl Read, path: &Path, sizes: Sizes, vertices: u64) -> Error {
    match stream::read(&mut input, path, sizes, vertices) {
        Err(error) => error,
        // Only if the file has changed meanwhile.
        Ok(_) => Error::input(Diagnostic::new(format!(
            "{}: f: there is a vertex index beyond the {vertices} vertices of the file",
            path.display()
        ))),
    }
}

fn finish(raw: Raw, path: &Path) -> Mesh {
    let materials = files::read_libraries(path, &raw.libraries);
    let undefined = files::undefined(&materials, raw.groups.iter().map(String::as_str));
    let mut mesh = assemble::assemble(raw, path, |name| materials.surface(name).cloned());
    mesh.report.warnings.extend(materials.warnings);
    mesh.report.warnings.extend(undefined);
    mesh
}

/// A triangle mesh in arrays. Indices are checked: every one is below the length it points into.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// `n`, corners' places, finite.
    pub vertices: Vec<Point3>,
    /// `m`, counter-clockwise from outside where the file says so.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates, u right and v up.
    pub uvs: Vec<[Real; 2]>,
    /// `m` or empty: indices into `uvs`; `u32::MAX` three times for a triangle without.
    pub uv_triangles: Vec<[u32; 3]>,
    /// `m`: index into `groups` of each triangle.
    pub group_of: Vec<u16>,
    /// `m` or empty: line of the file on which each triangle's face begins.
    pub lines: Vec<u32>,
    /// `usemtl` groups in order of first use; the default group is named "".
    pub groups: Vec<Group>,
    /// What was found while reading.
    pub report: MeshReport,
}

/// Triangles that share a `usemtl` name.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The name after `usemtl`; "" before the first.
    pub name: String,
    /// Its definition from the MTL files, if there is one.
    pub surface: Option<Surface>,
}

/// What an MTL file says of a surface. Colours are linear RGB, 0 .. 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Kd, 0.8 when not given.
    pub diffuse: [Real; 3],
    /// Ks.
    pub specular: [Real; 3],
    /// Ke; may exceed 1.
    pub emission: [Real; 3],
    /// Ns, 0 when not given.
    pub shininess: Real,
    /// d (or 1 - Tr): 1 opaque.
    pub opacity: Real,
    /// Ni, 1 when not given.
    pub ior: Real,
    /// map_Kd, as a path that can be opened from the working folder; `None` too when there is no such file.
    pub diffuse_map: Option<PathBuf>,
    /// map_Bump or bump, likewise.
    pub bump_map: Option<PathBuf>,
}

/// What was found while reading: counts for the report, texts for the user.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshReport {
    /// Faces in the file, before triangulation.
    pub faces: u64,
    /// `l` and `p` elements, and `f` with fewer than three corners; ignored.
    pub lines_and_points: u64,
    /// Triangles without area (kept: the exact sweep treats them as edges).
    pub degenerate: u64,
    /// Remarks, each with file and line where there is one.
    pub warnings: Vec<crate::error::Diagnostic>,
}

impl Mesh {
    /// Whether there is nothing to touch: no triangle at all.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Corners of triangle `t`.
    #[inline]
    pub fn corners(&self, t: usize) -> [Point3; 3] {
        self.triangles[t].map(|i| self.vertices[i as usize])
    }

    /// Some of its triangles as a mesh of their own, with no vertices but theirs; texture coordinates stay where they are.
    #[must_use]
    pub fn part(&self, triangles: std::ops::Range<usize>) -> Self {
        let mut number = vec![None; self.vertices.len()];
        let mut vertices = Vec::new();
        let own = |v: &u32| {
            *number[*v as usize].get_or_insert_with(|| {
                vertices.push(self.vertices[*v as usize]);
                vertices.len() as u32 - 1
            })
        };
        let flat: Vec<u32> = self.triangles[triangles.clone()]
            .iter()
            .flatten()
            .map(own)
            .collect();
        let of = |all: &[[u32; 3]]| all.get(triangles.clone()).map_or_else(Vec::new, <[_]>::to_vec);
        Self {
            vertices,
            triangles: flat.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
            uvs: self.uvs.clone(),
            uv_triangles: of(&self.uv_triangles),
            group_of: self
                .group_of
                .get(triangles.clone())
                .map_or_else(Vec::new, <[_]>::to_vec),
            lines: Vec::new(),
            groups: self.groups.clone(),
            report: MeshReport::default(),
        }
    }

    /// Box around all vertices that a triangle uses.
    pub fn bounds(&self) -> Aabb {
        self.triangles
            .iter()
            .flatten()
            .fold(Aabb::EMPTY, |b, &i| b.grow(&self.vertices[i as usize]))
    }
}
