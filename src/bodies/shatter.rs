//! A closed mesh cut into the pieces of a body that may break: each closed, with flat faces where it was cut.
//!
//! Pieces are convex cells around seeds, so faces are clipped by one plane after the other (Sutherland & Hodgman 1974). What
//! a plane lays bare is bounded by the edges that it cut. Where these are convex loops, each is a face; otherwise what lies
//! between them is filled strip by strip, inside by parity, which takes holes and open loops as they are.

use std::collections::BTreeMap;

use crate::math::{Point3, Real, Vec3, perpendiculars};
use crate::mesh::Mesh;

/// Strips narrower than this are left out [sizes of the mesh].
const NARROW: Real = 1e-9;
/// Turns of a loop to the right that rounding may make of straight ones [square of the longest side].
const STRAIGHT: Real = 1e-9;
/// Texture corner of a triangle without.
const NO_UV: u32 = u32::MAX;

/// A mesh in pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct Shattered {
    /// All pieces one after the other; vertices of one are no vertices of another.
    pub mesh: Mesh,
    /// Piece of each vertex.
    pub piece_of: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Corner {
    at: Point3,
    uv: [Real; 2],
}

/// A convex face.
#[derive(Debug, Clone, PartialEq)]
struct Face {
    corners: Vec<Corner>,
    group: u16,
    has_uv: bool,
}

/// What has `normal` . x <= `distance` is kept.
struct Plane {
    normal: Vec3,
    distance: Real,
}

impl Plane {
    /// Between two points, towards the second. The same numbers with the opposite sign from the second to the first.
    fn between(a: &Point3, b: &Point3) -> Self {
        let normal = b - a;
        Self {
            distance: 0.5 * (b.coords.norm_squared() - a.coords.norm_squared()),
            normal,
        }
    }

    fn beyond(&self, p: &Point3) -> Real {
        self.normal.dot(&p.coords) - self.distance
    }
}

/// Cuts a mesh into the cells around seeds; `piece` names the piece that a face around a seed belongs to, by a place on it.
pub fn shatter(mesh: &Mesh, seeds: &[Point3], piece: impl Fn(u32, &Point3) -> u32) -> Shattered {
    let whole = faces(mesh);
    let size = mesh.bounds().diagonal();
    let mut by_piece: Vec<(u32, Face)> = Vec::new();
    for (number, seed) in (0..).zip(seeds) {
        for face in around(&whole, seed, seeds, size) {
            let middle = face
                .corners
                .iter()
                .fold(Vec3::zeros(), |sum, c| sum + c.at.coords);
            let middle = Point3::from(middle / face.corners.len() as Real);
            by_piece.push((piece(number, &middle), face));
        }
    }
    by_piece.sort_by_key(|(piece, _)| *piece);
    let mut joiner = Joiner::new(mesh);
    by_piece.iter().for_each(|(piece, face)| joiner.add(face, *piece));
    joiner.done()
}

fn faces(mesh: &Mesh) -> Vec<Face> {
    let face = |t: usize| {
        let uvs = mesh
            .uv_triangles
            .get(t)
            .filter(|uvs| uvs.iter().all(|&i| i != NO_UV));
        let uv = |k: usize| {
            uvs.and_then(|uvs| mesh.uvs.get(uvs[k] as usize))
                .copied()
                .unwrap_or_default()
        };
        let corners = mesh.corners(t).into_iter().enumerate();
        Face {
            corners: corners.map(|(k, at)| Corner { at, uv: uv(k) }).collect(),
            group: mesh.group_of.get(t).copied().unwrap_or(0),
            has_uv: uvs.is_some(),
        }
    };
    (0..mesh.triangles.len()).map(face).collect()
}

/// What of a surface lies nearest to one seed, and the faces where it was cut.
fn around(whole: &[Face], seed: &Point3, seeds: &[Point3], size: Real) -> Vec<Face> {
    let mut others: Vec<&Point3> = seeds.iter().filter(|s| *s != seed).collect();
    others.sort_by(|a, b| (*a - seed).norm_squared().total_cmp(&(*b - seed).norm_squared()));
    let mut kept = whole.to_vec();
    for other in others {
        let plane = Plane::between(seed, other);
        let cut = kept
            .iter()
            .flat_map(|f| &f.corners)
            .any(|c| plane.beyond(&c.at) > 0.0);
        if cut {
            kept = clip(&kept, &plane, size);
        }
    }
    kept
}

fn clip(faces: &[Face], plane: &Plane, size: Real) -> Vec<Face> {
    let (mut kept, mut rim) = (Vec::new(), Vec::new());
    for face in faces {
        let mut corners: Vec<Corner> = Vec::new();
        let (mut leaves, mut comes) = (None, None);
        for (k, a) in face.corners.iter().enumerate() {
            let b = &face.corners[(k + 1) % face.corners.len()];
            let [from, to] = [a, b].map(|c| plane.beyond(&c.at));
            if from <= 0.0 {
                corners.push(*a);
            }
            if (from <= 0.0) != (to <= 0.0) {
                let crossing = crossing([a, b], [from, to]);
                let end = if from <= 0.0 { &mut leaves } else { &mut comes };
                *end = Some(crossing.at);
                corners.push(crossing);
            }
        }
        // As what is laid bare has it on its left.
        if let (Some(leaves), Some(comes)) = (leaves, comes) {
            rim.push([comes, leaves]);
        }
        if corners.len() >= 3 {
            kept.push(Face {
                corners,
                ..face.clone()
            });
        }
    }
    let group = faces.first().map_or(0, |f| f.group);
    let bare = loops(&rim, &plane.normal).unwrap_or_else(|| strips(&rim, &plane.normal, NARROW * size));
    kept.extend(bare.into_iter().map(|corners| {
        Face {
            corners: corners
                .into_iter()
                .map(|at| Corner { at, uv: [0.0; 2] })
                .collect(),
            group,
            has_uv: false,
        }
    }));
    kept
}

/// Where an edge meets a plane; the same for both faces at the edge.
fn crossing(ends: [&Corner; 2], beyond: [Real; 2]) -> Corner {
    let order = |k: usize| ends[k].at.iter().map(|x| x.to_bits());
    let k = usize::from(order(1).lt(order(0)));
    let ([a, b], [from, to]) = ([ends[k], ends[1 - k]], [beyond[k], beyond[1 - k]]);
    let share = from / (from - to);
    let along = |k: usize| a.uv[k] + (b.uv[k] - a.uv[k]) * share;
    Corner {
        at: a.at + (b.at - a.at) * share,
        uv: [along(0), along(1)],
    }
}

/// Places as keys. Zero has two signs.
fn key(p: &Point3) -> [u64; 3] {
    [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
}

/// The convex loops that edges make around what lies on their left as seen against the normal; `None` if they make others.
fn loops(rim: &[[Point3; 2]], normal: &Vec3) -> Option<Vec<Vec<Point3>>> {
    let mut next: BTreeMap<[u64; 3], Point3> = BTreeMap::new();
    for [from, to] in rim.iter().filter(|[from, to]| key(from) != key(to)) {
        if next.insert(key(from), *to).is_some() {
            return None;
        }
    }
    let mut loops = Vec::new();
    while let Some((first, _)) = next.first_key_value() {
        let first = *first;
        let mut corners = Vec::new();
        let mut at = first;
        while let Some(to) = next.remove(&at) {
            corners.push(to);
            at = key(&to);
        }
        if at != first || !is_convex(&corners, normal) {
            return None;
        }
        loops.push(corners);
    }
    Some(loops)
}

/// Whether a loop turns left at all of its corners, and once in all.
fn is_convex(corners: &[Point3], normal: &Vec3) -> bool {
    let n = corners.len();
    let side = |k: usize| corners[(k + 1) % n] - corners[k % n];
    let size = (0..n).map(|k| side(k).norm()).fold(0.0, Real::max);
    let turns = |k: usize| side(k).cross(&side(k + 1)).dot(normal) >= -STRAIGHT * size * size * normal.norm();
    // A loop that goes round more than once has a corner behind a later side.
    let from = |k: usize| corners[k] - corners[0];
    let opens = |k: usize| from(k).cross(&from(k + 1)).dot(normal) >= -STRAIGHT * size * size * normal.norm();
    n >= 3 && (0..n).all(turns) && (1..n - 1).all(opens)
}

/// What lies between the edges that a plane has cut, as convex faces that look along its normal.
fn strips(rim: &[[Point3; 2]], normal: &Vec3, narrow: Real) -> Vec<Vec<Point3>> {
    let (u, v) = perpendiculars(&normal.normalize());
    let across = |p: &Point3| p.coords.dot(&u);
    let mut ends: Vec<Real> = rim.iter().flatten().map(across).collect();
    ends.sort_by(Real::total_cmp);
    // Ends that are the same but for rounding.
    ends.dedup_by(|b, a| *b - *a <= narrow);
    let mut faces = Vec::new();
    for pair in ends.windows(2) {
        let (left, right) = (pair[0], pair[1]);
        let middle = 0.5 * (left + right);
        let spans = |edge: &&[Point3; 2]| {
            let [a, b] = edge.map(|p| across(&p));
            a.min(b) < middle && a.max(b) > middle
        };
        let at = |edge: &[Point3; 2], place: Real| {
            let [a, b] = edge.map(|p| across(&p));
            edge[0] + (edge[1] - edge[0]) * ((place - a) / (b - a)).clamp(0.0, 1.0)
        };
        let mut edges: Vec<&[Point3; 2]> = rim.iter().filter(spans).collect();
        let height = |edge: &[Point3; 2]| at(edge, middle).coords.dot(&v);
        edges.sort_by(|a, b| height(a).total_cmp(&height(b)));
        for pair in edges.chunks_exact(2) {
            let (low, high) = (pair[0], pair[1]);
            // u, v and the normal are a right-handed frame.
            faces.push(vec![
                at(low, left),
                at(low, right),
                at(high, right),
                at(high, left),
            ]);
        }
    }
    faces
}

/// Faces joined to a mesh, corners of the same place in the same piece to one vertex.
struct Joiner {
    mesh: Mesh,
    piece_of: Vec<u32>,
    with_uvs: bool,
    known: BTreeMap<(u32, [u64; 3]), u32>,
    known_uvs: BTreeMap<[u64; 2], u32>,
}

impl Joiner {
    fn new(source: &Mesh) -> Self {
        Self {
            with_uvs: !source.uv_triangles.is_empty(),
            mesh: Mesh {
                groups: source.groups.clone(),
                report: source.report.clone(),
                ..Mesh::default()
            },
            piece_of: Vec::new(),
            known: BTreeMap::new(),
            known_uvs: BTreeMap::new(),
        }
    }

    fn vertex(&mut self, at: &Point3, piece: u32) -> u32 {
        let next = self.mesh.vertices.len() as u32;
        let number = *self.known.entry((piece, key(at))).or_insert(next);
        if number == next {
            self.mesh.vertices.push(*at);
            self.piece_of.push(piece);
        }
        number
    }

    fn uv(&mut self, uv: [Real; 2]) -> u32 {
        let next = self.mesh.uvs.len() as u32;
        let number = *self.known_uvs.entry(uv.map(Real::to_bits)).or_insert(next);
        if number == next {
            self.mesh.uvs.push(uv);
        }
        number
    }

    fn add(&mut self, face: &Face, piece: u32) {
        let vertices: Vec<u32> = face.corners.iter().map(|c| self.vertex(&c.at, piece)).collect();
        for k in 2..vertices.len() {
            let seats = [0, k - 1, k];
            let triangle = seats.map(|s| vertices[s]);
            let [a, b, c] = triangle;
            if a == b || b == c || c == a {
                continue;
            }
            self.mesh.triangles.push(triangle);
            self.mesh.group_of.push(face.group);
            if self.with_uvs {
                let uvs = if face.has_uv {
                    seats.map(|s| self.uv(face.corners[s].uv))
                } else {
                    [NO_UV; 3]
                };
                self.mesh.uv_triangles.push(uvs);
            }
        }
    }

    fn done(self) -> Shattered {
        Shattered {
            mesh: self.mesh,
            piece_of: self.piece_of,
        }
    }
}

#[cfg(test)]
mod tests;
