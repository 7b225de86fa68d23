//! glTF 2.0, `.gltf` and `.glb`, by the crate `gltf`: every mesh of the scene in its place, a group a material.
//!
//! Which bytes a number stands in is computed here, because a file may say more than its buffers hold.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Gltf, Node, Primitive, Semantic};

use super::read::{bytes as read_bytes, fault, of_triangles};
use super::{Mesh, Surface};
use crate::error::{Diagnostic, Error, Result};
use crate::math::{Point3, Real};

/// Depth of nodes within nodes that is followed.
const DEEPEST: usize = 512;
/// Groups are numbered in u16.
const MOST_GROUPS: usize = u16::MAX as usize;
const HELP: &str = "export it again as glTF 2.0 without compression";

/// A matrix by columns, as in the file.
type Matrix = [[Real; 4]; 4];
/// A mistake, without the file's name.
type Found<T> = std::result::Result<T, String>;

const UNIT: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Mesh> {
    let wrong = |why: String| fault(path, bytes, None, &format!("glTF: {why}"), HELP);
    let Gltf { document, blob } = parse(bytes).map_err(wrong)?;
    let buffers = buffers(path, &document, blob)?;
    let mut model = Model::default();
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let roots: Vec<Node> = match &scene {
        Some(scene) => scene.nodes().collect(),
        None => document.nodes().filter(|n| !is_child(&document, n)).collect(),
    };
    for node in roots {
        model.node(&node, &UNIT, &buffers, 0).map_err(wrong)?;
    }
    let groups = model.groups.iter().map(|material| {
        let material = document.materials().find(|m| m.index() == *material);
        let name = material.as_ref().map(|m| name_of(m));
        (name.unwrap_or_default(), material.map(|m| surface(path, &m)))
    });
    let groups = groups.collect();
    let mut mesh = of_triangles(path, model.vertices, model.triangles, groups, model.group_of);
    mesh.report.lines_and_points = model.passed_over;
    if !model.uvs.is_empty() && model.uvs.len() == mesh.vertices.len() && mesh.groups.iter().any(has_map) {
        mesh.uvs = model.uvs;
        mesh.uv_triangles.clone_from(&mesh.triangles);
    }
    mesh.report.warnings.extend(missing_maps(path, &document));
    Ok(mesh)
}

fn has_map(group: &super::Group) -> bool {
    group.surface.as_ref().is_some_and(|s| s.diffuse_map.is_some())
}

fn is_child(document: &Document, node: &Node) -> bool {
    document
        .nodes()
        .any(|n| n.children().any(|child| child.index() == node.index()))
}

/// The document, validated; else what is wrong with it.
fn parse(bytes: &[u8]) -> std::result::Result<Gltf, String> {
    let raw = Gltf::from_slice_without_validation(bytes).map_err(|why| why.to_string())?;
    let root = raw.document.into_json();
    // The validation of the crate looks up an attribute's accessor before it knows that there is one.
    let mut named = (root.meshes.iter())
        .flat_map(|mesh| &mesh.primitives)
        .flat_map(|primitive| primitive.attributes.values());
    if let Some(lost) = named.find(|accessor| accessor.value() >= root.accessors.len()) {
        let (number, count) = (lost.value(), root.accessors.len());
        return Err(format!("an attribute names accessor {number}, there are {count}"));
    }
    let document = Document::from_json(root).map_err(|why| why.to_string())?;
    Ok(Gltf {
        document,
        blob: raw.blob,
    })
}

/// The files that a `.gltf` file's buffers stand in.
pub(super) fn buffer_files(path: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let Ok(Gltf { document, .. }) = parse(bytes) else {
        return Vec::new();
    };
    let files = document.buffers().filter_map(|b| match b.source() {
        Source::Uri(uri) if !uri.starts_with("data:") => Some(beside(path, uri)),
        _ => None,
    });
    files.collect()
}

/// A file that `path` names relative to itself, as a URI.
fn beside(path: &Path, uri: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(decoded(uri))
}

/// A URI with its `%20` and the like as the bytes that they stand for.
fn decoded(uri: &str) -> String {
    let mut out = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = code.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn buffers(path: &Path, document: &Document, mut blob: Option<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
    let one = |source: Source| match source {
        Source::Bin => Ok(blob.take().unwrap_or_default()),
        Source::Uri(uri) => match uri.strip_prefix("data:") {
            None => read_bytes(&beside(path, uri)).map_err(|why| match why {
                Error::Input(found) => {
                    let why = found.first().map_or("", |d| d.message.as_str());
                    fault(path, &[], None, &format!("glTF: a buffer: {why}"), HELP)
                }
                other => other,
            }),
            Some(data) => {
                let text = data.split_once(";base64,").map_or("", |(_, text)| text);
                let engine = base64::engine::general_purpose::STANDARD;
                engine.decode(text).map_err(|why| {
                    fault(
                        path,
                        &[],
                        None,
                        &format!("glTF: a buffer is not base64 ({why})"),
                        HELP,
                    )
                })
            }
        },
    };
    document.buffers().map(|b| b.source()).map(one).collect()
}

/// What is read so far.
#[derive(Default)]
struct Model {
    vertices: Vec<Point3>,
    uvs: Vec<[Real; 2]>,
    triangles: Vec<[u32; 3]>,
    group_of: Vec<u16>,
    /// Numbers of the materials in order of first use; `None`: without.
    groups: Vec<Option<usize>>,
    /// Lines and points.
    passed_over: u64,
    /// Numbers of the nodes that have been placed.
    nodes: BTreeSet<usize>,
}

impl Model {
    fn node(&mut self, node: &Node, outer: &Matrix, buffers: &[Vec<u8>], depth: usize) -> Found<()> {
        // A node has one place; one that had more could have more than can be counted.
        if depth > DEEPEST || !self.nodes.insert(node.index()) {
            return Err(format!("node {} lies in two places, or too deep", node.index()));
        }
        let own = node.transform().matrix().map(|column| column.map(Real::from));
        let matrix = product(outer, &own);
        for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
            let named = |why| format!("node {}, mesh part {}: {why}", node.index(), primitive.index());
            self.primitive(&primitive, &matrix, buffers).map_err(named)?;
        }
        for child in node.children() {
            self.node(&child, &matrix, buffers, depth + 1)?;
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Primitive, matrix: &Matrix, buffers: &[Vec<u8>]) -> Found<()> {
        let Some(positions) = primitive.get(&Semantic::Positions) else {
            return Ok(());
        };
        let places = floats(&positions, Dimensions::Vec3, buffers)?;
        let count = places.len() / 3;
        let indices = match primitive.indices() {
            Some(indices) => wholes(&indices, buffers)?,
            None => (0..count as u32).collect(),
        };
        if let Some(i) = indices.iter().find(|&&i| i as usize >= count) {
            return Err(format!(
                "an index names vertex {i}, there are {count}, numbered from 0"
            ));
        }
        let first =
            u32::try_from(self.vertices.len() + count).map_err(|_| "too many vertices")? - count as u32;
        let (triples, _) = places.as_chunks::<3>();
        for place in triples {
            if !place.iter().all(|x| x.is_finite()) {
                return Err(format!("expected finite coordinates, found {place:?}"));
            }
            self.vertices.push(placed(matrix, place));
        }
        let uvs = primitive.get(&Semantic::TexCoords(0));
        let uvs = uvs.and_then(|a| floats(&a, Dimensions::Vec2, buffers).ok());
        let uvs = uvs
            .filter(|uvs| uvs.len() == 2 * count)
            .unwrap_or_else(|| vec![0.0; 2 * count]);
        // Pictures hang from their upper edge here, and stand on their lower one elsewhere.
        self.uvs
            .extend(uvs.as_chunks::<2>().0.iter().map(|[u, v]| [*u, 1.0 - v]));
        let group = self.group(primitive.material().index())?;
        let mirrored = determinant(matrix) < 0.0;
        for mut triangle in self.shapes(primitive.mode(), &indices) {
            if mirrored {
                triangle.swap(1, 2);
            }
            self.triangles.push(triangle.map(|i| first + i));
            self.group_of.push(group);
        }
        Ok(())
    }

    fn shapes(&mut self, mode: Mode, indices: &[u32]) -> Vec<[u32; 3]> {
        match mode {
            Mode::Triangles => indices.as_chunks::<3>().0.to_vec(),
            // Every second triangle of a strip is listed the other way round.
            Mode::TriangleStrip => (indices.windows(3).enumerate())
                .map(|(i, w)| {
                    if i % 2 == 0 {
                        [w[0], w[1], w[2]]
                    } else {
                        [w[0], w[2], w[1]]
                    }
                })
                .collect(),
            Mode::TriangleFan => match indices {
                [hub, rim @ ..] => rim.windows(2).map(|w| [*hub, w[0], w[1]]).collect(),
                [] => Vec::new(),
            },
            _ => {
                self.passed_over += indices.len() as u64;
                Vec::new()
            }
        }
    }

    fn group(&mut self, material: Option<usize>) -> Found<u16> {
        if let Some(at) = self.groups.iter().position(|g| *g == material) {
            return u16::try_from(at).map_err(|why| why.to_string());
        }
        if self.groups.len() >= MOST_GROUPS {
            return Err(format!("more than {MOST_GROUPS} materials"));
        }
        self.groups.push(material);
        Ok((self.groups.len() - 1) as u16)
    }
}

/// The bytes of each item of an accessor, all of which are there.
fn items<'a>(accessor: &Accessor, buffers: &'a [Vec<u8>]) -> Found<impl Iterator<Item = &'a [u8]>> {
    if accessor.sparse().is_some() {
        return Err("sparse accessors are not read".into());
    }
    let view = accessor.view().ok_or("an accessor without a buffer view")?;
    let buffer = buffers.get(view.buffer().index()).ok_or("a buffer is missing")?;
    let (size, count) = (accessor.size(), accessor.count());
    let stride = view.stride().unwrap_or(size).max(1);
    let end = |from: usize, length: usize| from.checked_add(length);
    let needed = count
        .checked_sub(1)
        .map_or(Some(0), |n| n.checked_mul(stride)?.checked_add(size));
    let part = end(view.offset(), view.length()).and_then(|to| buffer.get(view.offset()..to));
    let part = part.and_then(|part| part.get(accessor.offset()..end(accessor.offset(), needed?)?));
    let part = part.ok_or_else(|| format!("accessor {} reaches beyond its buffer", accessor.index()))?;
    Ok((0..count).filter_map(move |i| part.get(i * stride..i * stride + size)))
}

/// The numbers of an accessor of 32-bit floats.
fn floats(accessor: &Accessor, dimensions: Dimensions, buffers: &[Vec<u8>]) -> Found<Vec<Real>> {
    if (accessor.data_type(), accessor.dimensions()) != (DataType::F32, dimensions) {
        return Err(format!("accessor {}: expected 32-bit floats", accessor.index()));
    }
    let items = items(accessor, buffers)?;
    let number = |bytes: &[u8; 4]| Real::from(f32::from_le_bytes(*bytes));
    Ok(items
        .flat_map(|item| item.as_chunks::<4>().0.iter().map(number))
        .collect())
}

/// The numbers of an accessor of indices.
fn wholes(accessor: &Accessor, buffers: &[Vec<u8>]) -> Found<Vec<u32>> {
    let kind = accessor.data_type();
    let scalar = accessor.dimensions() == Dimensions::Scalar;
    if !scalar || !matches!(kind, DataType::U8 | DataType::U16 | DataType::U32) {
        return Err(format!("accessor {}: expected whole numbers", accessor.index()));
    }
    let number = |item: &[u8]| match *item {
        [a] => u32::from(a),
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => u32::MAX,
    };
    Ok(items(accessor, buffers)?.map(number).collect())
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    b.map(|column| [0, 1, 2, 3].map(|row| (0..4).map(|k| a[k][row] * column[k]).sum()))
}

fn placed(m: &Matrix, [x, y, z]: &[Real; 3]) -> Point3 {
    Point3::from([0, 1, 2].map(|row| m[0][row] * x + m[1][row] * y + m[2][row] * z + m[3][row]))
}

fn determinant(m: &Matrix) -> Real {
    let [a, b, c] = [0, 1, 2].map(|k| crate::math::Vec3::new(m[k][0], m[k][1], m[k][2]));
    a.cross(&b).dot(&c)
}

fn name_of(material: &gltf::Material) -> String {
    let number = material.index().map_or(0, |i| i + 1);
    material
        .name()
        .map_or_else(|| format!("material {number}"), str::to_string)
}

/// The file of a material's main picture.
fn map_of(path: &Path, material: &gltf::Material) -> Option<PathBuf> {
    let texture = material.pbr_metallic_roughness().base_color_texture()?.texture();
    match texture.source().source() {
        gltf::image::Source::Uri { uri, .. } if !uri.starts_with("data:") => Some(beside(path, uri)),
        _ => None,
    }
}

/// A material in the words of MTL: what is rough is dull.
fn surface(path: &Path, material: &gltf::Material) -> Surface {
    let pbr = material.pbr_metallic_roughness();
    let [r, g, b, alpha] = pbr.base_color_factor().map(Real::from);
    let rough = Real::from(pbr.roughness_factor()).clamp(0.05, 1.0);
    let clear = material.alpha_mode() == gltf::material::AlphaMode::Blend;
    let strength = 0.04 + 0.5 * Real::from(pbr.metallic_factor()) * (1.0 - rough);
    Surface {
        diffuse: [r, g, b],
        specular: [strength; 3],
        emission: material.emissive_factor().map(Real::from),
        shininess: (2.0 / (rough * rough * rough * rough) - 2.0).clamp(1.0, 1000.0),
        opacity: if clear { alpha } else { 1.0 },
        ior: 1.0,
        diffuse_map: map_of(path, material).filter(|file| file.is_file()),
        bump_map: None,
    }
}

fn missing_maps(path: &Path, document: &Document) -> Vec<Diagnostic> {
    let files = document
        .materials()
        .filter_map(|m| map_of(path, &m))
        .filter(|file| !file.is_file());
    let remark = |file: PathBuf| {
        Diagnostic::new(format!("no such texture: {}", file.display()))
            .help("the surface is shown without it; put the file there")
    };
    files.take(16).map(remark).collect()
}
