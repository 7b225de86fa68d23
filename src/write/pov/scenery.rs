//! Text of `mesh.inc`: each mesh as a `mesh2` with one texture for each of its surface groups; and in a frame where those
//! are that move.
//!
//! `mesh2`, never `mesh`: POV-Ray reads a million triangles of the first in 3 s and of the second in 94 s.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::balls;
use super::look::comment;
use super::number::{Step, push_integer, text};
use super::paint::rgb;
use super::particles::identifier;
use super::scale::Scale;
use super::stream::write_parts;
use crate::error::Diagnostic;
use crate::math::{Point3, Real};
use crate::mesh::{Group, Mesh, Surface};
use crate::motion::{Moved, Track};
use crate::scene::Scene;

/// Grey of a surface that no MTL file describes.
const GREY: [Real; 3] = [0.55, 0.54, 0.52];
/// Rounding of texture coordinates: a sixteenth of a texel of a 4096 map.
const UV_DECIMALS: u32 = 5;
/// Specular strength and shininess above which a surface mirrors: glass, metal, varnish.
const MIRROR: [Real; 2] = [0.6, 200.0];

/// Picture files of all meshes that POV-Ray can read: where from, and their place in the run folder.
pub fn textures(meshes: &[Mesh], remarks: &mut Vec<Diagnostic>) -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    let mut lost: BTreeSet<&Path> = BTreeSet::new();
    let surfaces = meshes
        .iter()
        .flat_map(|m| &m.groups)
        .filter_map(|g| g.surface.as_ref());
    for path in surfaces.flat_map(|s| [&s.diffuse_map, &s.bump_map]).flatten() {
        if found.iter().any(|(p, _)| p == path) || !lost.insert(path) {
            continue;
        }
        if kind(path).is_none() {
            remarks.push(
                Diagnostic::new(format!(
                    "texture {}: POV-Ray cannot read this kind of picture",
                    path.display()
                ))
                .help("convert it to png, or the plain colour is used"),
            );
        } else if !path.is_file() {
            remarks.push(
                Diagnostic::new(format!("texture {}: no such file", path.display()))
                    .help("mend its path in the MTL file, or the plain colour is used"),
            );
        } else {
            let name = file_name(path, &found);
            found.push((path.clone(), name));
        }
    }
    found
}

/// POV-Ray's word for a picture format.
fn kind(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "png" => "png",
        "jpg" | "jpeg" => "jpeg",
        "tga" => "tga",
        "tif" | "tiff" => "tiff",
        "gif" => "gif",
        "ppm" => "ppm",
        "pgm" => "pgm",
        "exr" => "exr",
        "hdr" => "hdr",
        "bmp" => "sys",
        _ => return None,
    })
}

/// A name in `textures/` that no other file has, in letters that any system can take.
fn file_name(path: &Path, taken: &[(PathBuf, String)]) -> String {
    let stem = path
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem: String = stem
        .chars()
        .take(60)
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    let ending = path
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let free = |name: &String| taken.iter().all(|(_, n)| !n.eq_ignore_ascii_case(name));
    let first = format!("textures/{stem}.{ending}");
    std::iter::once(first)
        .chain((2..).map(|k| format!("textures/{stem}_{k}.{ending}")))
        .find(free)
        .unwrap_or_default()
}

/// All meshes, and what they need to be written.
pub struct Scenery<'a> {
    pub scene: &'a Scene,
    pub meshes: &'a [Mesh],
    /// What each mesh does over time; those beyond its end stand still.
    pub moved: &'a [Option<Moved>],
    pub scale: &'a Scale,
    pub textures: &'a [(PathBuf, String)],
}

/// Decimals of the axes of what has turned: far below a pixel.
const AXIS_DECIMALS: u32 = 9;

impl Scenery<'_> {
    /// Writes the file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "// The scenery, in units of common.inc: {} per metre. Written once.\n#version 3.7;",
            text(self.scale.units)
        )?;
        if self
            .scene
            .meshes
            .iter()
            .any(|spec| balls::radius(Some(spec)).is_some())
        {
            write!(out, "{}", balls::declaration())?;
        }
        for (i, mesh) in self
            .meshes
            .iter()
            .enumerate()
            .filter(|(_, m)| !m.triangles.is_empty())
        {
            let (name, stem) = self.names(i);
            let moved = self.moved.get(i).and_then(Option::as_ref);
            writeln!(out)?;
            if matches!(moved, Some(Moved::Corners(_))) {
                writeln!(
                    out,
                    "{}// It changes its shape: it stands in the frames.",
                    comment(name)
                )?;
                continue;
            }
            if let Some(Moved::Pieces(pieces)) = moved {
                writeln!(
                    out,
                    "{}// It moves in pieces: the frames say where they are.",
                    comment(name)
                )?;
                for (k, piece) in pieces.iter().enumerate().filter(|(_, p)| !p.triangles.is_empty()) {
                    writeln!(out, "#declare {stem}_{} =", k + 1)?;
                    let mut part = mesh.part(piece.triangles.clone());
                    part.vertices.extend(&mesh.vertices[piece.loose.clone()]);
                    self.shape(i, &part, &part.vertices, out)?;
                }
                continue;
            }
            writeln!(out, "{}#declare {stem} =", comment(name))?;
            self.shape(i, mesh, &mesh.vertices, out)?;
            match moved {
                None => writeln!(out, "object{{{stem}}}")?,
                Some(_) => writeln!(out, "// It moves: the frames say where it is.")?,
            }
        }
        Ok(())
    }

    /// What of a frame's text shows the meshes that move, at a moment [s].
    pub fn moved_text(&self, time: Real) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        for (i, (mesh, moved)) in self.meshes.iter().zip(self.moved).enumerate() {
            if mesh.triangles.is_empty() {
                continue;
            }
            match moved {
                None => {}
                Some(Moved::Whole(track)) => self.placed(&self.names(i).1, track, time, &mut out)?,
                Some(Moved::Pieces(pieces)) => {
                    for (k, piece) in pieces.iter().enumerate().filter(|(_, p)| !p.triangles.is_empty()) {
                        let name = format!("{}_{}", self.names(i).1, k + 1);
                        self.placed(&name, &piece.track, time, &mut out)?;
                    }
                }
                Some(Moved::Corners(morph)) => self.shape(i, mesh, &morph.at(time), &mut out)?,
            }
        }
        Ok(out)
    }

    /// What is declared under a name, where its track says.
    fn placed(&self, name: &str, track: &Track, time: Real, out: &mut Vec<u8>) -> io::Result<()> {
        let (axes, origin) = track.pose(time).columns();
        write!(out, "object{{{name} matrix<")?;
        let step = Step::of_decimals(AXIS_DECIMALS);
        for x in axes.iter().flat_map(|a| a.iter()) {
            step.push(*x, out);
            out.push(b',');
        }
        for (k, x) in origin.iter().enumerate() {
            self.scale.place.push(x * self.scale.units, out);
            out.extend_from_slice(if k < 2 { b"," } else { b">}\n" });
        }
        Ok(())
    }

    /// The name of a mesh in the scene, and in POV-Ray.
    fn names(&self, i: usize) -> (&str, String) {
        let name = self.scene.meshes.get(i).map_or("mesh", |m| m.name.as_str());
        // The number keeps two meshes of one name apart.
        (name, format!("Mesh_{}_{}", i + 1, identifier(name)))
    }

    /// Writes a mesh, or the blob that a body is shown as, with these places for its vertices [m].
    fn shape(&self, i: usize, mesh: &Mesh, vertices: &[Point3], out: &mut dyn Write) -> io::Result<()> {
        let mesh2 = self.mesh2(mesh);
        match balls::radius(self.scene.meshes.get(i)) {
            Some(radius) => balls::write(mesh, vertices, radius, self.scale, &mesh2.first_texture(), out),
            None => mesh2.write(vertices, out),
        }
    }

    fn mesh2<'m>(&'m self, mesh: &'m Mesh) -> Mesh2<'m> {
        Mesh2 {
            mesh,
            scale: self.scale,
            textures: self.textures,
        }
    }
}

struct Mesh2<'a> {
    mesh: &'a Mesh,
    scale: &'a Scale,
    textures: &'a [(PathBuf, String)],
}

/// Items of a list whose text is made at once.
const ITEMS: usize = 1 << 12;

impl Mesh2<'_> {
    /// Writes the mesh with these places for its corners [m].
    fn write(&self, vertices: &[Point3], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "mesh2{{")?;
        self.vertices(vertices, out)?;
        if self.has_uvs() {
            self.uvs(out)?;
        }
        self.texture_list(out)?;
        self.faces(out)?;
        if self.has_uvs() {
            self.uv_faces(out)?;
        }
        writeln!(out, "}}")
    }

    fn has_uvs(&self) -> bool {
        self.mesh.uv_triangles.len() == self.mesh.triangles.len()
            && self
                .mesh
                .groups
                .iter()
                .any(|g| self.map_of(g).is_some() || self.bump_of(g).is_some())
    }

    fn vertices(&self, vertices: &[Point3], out: &mut dyn Write) -> io::Result<()> {
        list(out, "vertex_vectors", vertices.len(), |i, text| {
            let p = &vertices[i];
            text.push(b'<');
            for k in 0..3 {
                if k > 0 {
                    text.push(b',');
                }
                self.scale.place.push(p[k] * self.scale.units, text);
            }
            text.push(b'>');
        })
    }

    fn uvs(&self, out: &mut dyn Write) -> io::Result<()> {
        let step = Step::of_decimals(UV_DECIMALS);
        let uvs = &self.mesh.uvs;
        // One more than there are, for the triangles that have none.
        list(out, "uv_vectors", uvs.len() + 1, |i, text| {
            let [u, v] = uvs.get(i).copied().unwrap_or_default();
            text.push(b'<');
            step.push(u, text);
            text.push(b',');
            step.push(v, text);
            text.push(b'>');
        })
    }

    fn faces(&self, out: &mut dyn Write) -> io::Result<()> {
        let last = self.mesh.groups.len().saturating_sub(1);
        let Mesh {
            triangles, group_of, ..
        } = self.mesh;
        list(out, "face_indices", triangles.len(), |i, text| {
            let group = group_of.get(i).map_or(0, |&group| group as usize);
            push_indices(&triangles[i], text);
            text.push(b',');
            push_integer(group.min(last) as u64, text);
        })
    }

    fn uv_faces(&self, out: &mut dyn Write) -> io::Result<()> {
        let none = self.mesh.uvs.len() as u32;
        let triangles = &self.mesh.uv_triangles;
        list(out, "uv_indices", triangles.len(), |i, text| {
            push_indices(&triangles[i].map(|corner| corner.min(none)), text);
        })
    }

    fn texture_list(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "texture_list{{{},", self.mesh.groups.len().max(1))?;
        for group in &self.mesh.groups {
            write!(out, "{}{}", comment(&group.name), self.texture(group))?;
        }
        if self.mesh.groups.is_empty() {
            write!(out, "{}", plain())?;
        }
        writeln!(out, "}}")
    }

    /// Texture of the first group.
    fn first_texture(&self) -> String {
        self.mesh
            .groups
            .first()
            .map_or_else(plain, |group| self.texture(group))
    }

    fn copied(&self, path: Option<&PathBuf>) -> Option<(&'static str, &str)> {
        let path = path?;
        let (_, name) = self.textures.iter().find(|(p, _)| p == path)?;
        Some((kind(path)?, name))
    }

    fn map_of(&self, group: &Group) -> Option<(&'static str, &str)> {
        self.copied(group.surface.as_ref()?.diffuse_map.as_ref())
    }

    fn bump_of(&self, group: &Group) -> Option<(&'static str, &str)> {
        self.copied(group.surface.as_ref()?.bump_map.as_ref())
    }

    fn texture(&self, group: &Group) -> String {
        let Some(s) = &group.surface else {
            return plain();
        };
        let with_uv = self.mesh.uv_triangles.len() == self.mesh.triangles.len();
        let (map, bump) = (
            self.map_of(group).filter(|_| with_uv),
            self.bump_of(group).filter(|_| with_uv),
        );
        let clear = 1.0 - s.opacity.clamp(0.0, 1.0);
        let pigment = match map {
            Some((kind, name)) => {
                let transmit = if clear > 0.0 {
                    format!(" transmit all {}", text(clear))
                } else {
                    String::new()
                };
                format!("pigment{{image_map{{{kind} \"{name}\"{transmit} interpolate 2}}}}")
            }
            None if clear > 0.0 => format!("pigment{{{} transmit {}}}", rgb(base(s), 1.0), text(clear)),
            None => format!("pigment{{{}}}", rgb(base(s), 1.0)),
        };
        let normal = bump.map_or_else(String::new, |(kind, name)| {
            format!(" normal{{bump_map{{{kind} \"{name}\" interpolate 2}}}}")
        });
        let mapping = if map.is_some() || bump.is_some() {
            "uv_mapping "
        } else {
            ""
        };
        format!(
            "texture{{{mapping}{pigment}{normal} {}}}\n",
            finish(s, map.is_some())
        )
    }
}

fn plain() -> String {
    format!(
        "texture{{pigment{{{}}} finish{{diffuse 0.85 specular 0.04 roughness 0.08}}}}\n",
        rgb(GREY, 1.0)
    )
}

/// Pigment of a surface. POV-Ray multiplies emission by it, so what shines must not be quite black.
fn base(s: &Surface) -> [Real; 3] {
    if s.emission.iter().any(|&e| e > 0.0) {
        s.diffuse.map(|c| c.max(1e-3))
    } else {
        s.diffuse
    }
}

/// Highlights and reflection of an MTL surface. POV-Ray's fresnel would need an interior, which bends light in
/// panes that are single sheets; `falloff` needs none.
fn finish(s: &Surface, mapped: bool) -> String {
    let strongest = s.specular.iter().copied().fold(0.0, Real::max).min(1.0);
    let glossy = s.opacity < 0.99 || (strongest >= MIRROR[0] && s.shininess >= MIRROR[1]);
    let glow = if s.emission.iter().any(|&e| e > 0.0) {
        let under = if mapped { [1.0; 3] } else { base(s) };
        format!(
            " emission {}",
            rgb([0, 1, 2].map(|k| s.emission[k] / under[k]), 1.0)
        )
    } else {
        String::new()
    };
    if glossy {
        return format!(
            "finish{{diffuse 0.5 specular {} roughness 0.01 reflection{{0.03, 0.5 falloff 3}}{glow}}}",
            text(strongest.max(0.7))
        );
    }
    let (specular, roughness) = if s.shininess > 0.0 && strongest > 0.0 {
        (strongest, (1.0 / s.shininess).clamp(0.0005, 0.3))
    } else {
        (0.04, 0.08)
    };
    format!(
        "finish{{diffuse 0.85 specular {} roughness {}{glow}}}",
        text(specular),
        text(roughness)
    )
}

fn push_indices(t: &[u32; 3], text: &mut Vec<u8>) {
    text.push(b'<');
    for (k, &i) in t.iter().enumerate() {
        if k > 0 {
            text.push(b',');
        }
        push_integer(u64::from(i), text);
    }
    text.push(b'>');
}

/// `name{count,item,item,...}`, a line each.
fn list(
    out: &mut dyn Write,
    name: &str,
    count: usize,
    push: impl Fn(usize, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    write!(out, "{name}{{{count}")?;
    write_parts(out, count.div_ceil(ITEMS), |part| {
        let mut text = Vec::new();
        for i in part * ITEMS..count.min((part + 1) * ITEMS) {
            text.extend_from_slice(b",\n");
            push(i, &mut text);
        }
        text
    })?;
    out.write_all(b"}\n")
}
