//! Triangle meshes, and OBJ and MTL files as people really write them.
//!
//! [`load_obj`] gives a [`Mesh`] in the file's own units; placing it in the world is `world`'s work.

use std::path::PathBuf;

use crate::math::{Aabb, Point3, Real};

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
    /// Kd.
    pub diffuse: [Real; 3],
    /// Ks.
    pub specular: [Real; 3],
    /// Ke.
    pub emission: [Real; 3],
    /// Ns, 0 when not given.
    pub shininess: Real,
    /// d (or 1 - Tr): 1 opaque.
    pub opacity: Real,
    /// Ni, 1 when not given.
    pub ior: Real,
    /// map_Kd, as a path that can be opened from the working folder.
    pub diffuse_map: Option<PathBuf>,
    /// map_Bump or bump, likewise.
    pub bump_map: Option<PathBuf>,
}

/// What was found while reading: counts for the report, texts for the user.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshReport {
    /// Faces in the file, before triangulation.
    pub faces: u64,
    /// `l` and `p` elements, ignored.
    pub lines_and_points: u64,
    /// Triangles without area (kept: the exact sweep treats them as edges).
    pub degenerate: u64,
    /// Remarks, each with file and line where there is one.
    pub warnings: Vec<crate::error::Diagnostic>,
}

impl Mesh {
    /// Corners of triangle `t`.
    #[inline]
    pub fn corners(&self, t: usize) -> [Point3; 3] {
        self.triangles[t].map(|i| self.vertices[i as usize])
    }

    /// Box around all vertices that a triangle uses.
    pub fn bounds(&self) -> Aabb {
        self.triangles
            .iter()
            .flatten()
            .fold(Aabb::EMPTY, |b, &i| b.grow(&self.vertices[i as usize]))
    }
}
