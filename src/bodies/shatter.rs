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
    /// All pieces; vertices of one are no vertices of another.
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
    let mut joiner = Joiner::new(mesh);
    for (number, seed) in (0..).zip(seeds) {
        for face in around(&whole, seed, seeds, size) {
            let middle = face
                .corners
                .iter()
                .fold(Vec3::zeros(), |sum, c| sum + c.at.coords);
            let middle = Point3::from(middle / face.corners.len() as Real);
            joiner.add(&face, piece(number, &middle));
        }
    }
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
mod tests {
    use super::*;
    use crate::math::Aabb;

    /// Corners of boxes, twelve triangles each, outward.
    fn boxes(all: &[Aabb]) -> Mesh {
        let mut mesh = Mesh::default();
        for b in all {
            let first = mesh.vertices.len() as u32;
            for k in 0..8 {
                let pick = |a: usize| if k >> a & 1 == 1 { b.max[a] } else { b.min[a] };
                mesh.vertices.push(Point3::new(pick(0), pick(1), pick(2)));
            }
            for [a, b, c, d] in [
                [0, 2, 3, 1],
                [4, 5, 7, 6],
                [0, 1, 5, 4],
                [2, 6, 7, 3],
                [0, 4, 6, 2],
                [1, 3, 7, 5],
            ] {
                mesh.triangles.push([a, b, c].map(|i: u32| i + first));
                mesh.triangles.push([a, c, d].map(|i: u32| i + first));
            }
        }
        mesh.group_of = vec![0; mesh.triangles.len()];
        mesh
    }

    fn aabb(min: [Real; 3], max: [Real; 3]) -> Aabb {
        Aabb {
            min: Point3::from(min),
            max: Point3::from(max),
        }
    }

    /// Volume and surface of the triangles of one piece, and the sum of their areas as vectors.
    fn measures(s: &Shattered, piece: Option<u32>) -> (Real, Real, Vec3) {
        let mut sums = (0.0, 0.0, Vec3::zeros());
        for (t, corners) in s.mesh.triangles.iter().enumerate() {
            if piece.is_some_and(|p| s.piece_of[corners[0] as usize] != p) {
                continue;
            }
            let [a, b, c] = s.mesh.corners(t);
            let area = (b - a).cross(&(c - a)) * 0.5;
            sums.0 += area.dot(&a.coords) / 3.0;
            sums.1 += area.norm();
            sums.2 += area;
        }
        sums
    }

    /// A hollow box (a hole in it is a second surface, turned inside out) is cut into cells that add up to it, each closed.
    #[test]
    fn pieces_are_closed_and_add_up() {
        let mut mesh = boxes(&[
            aabb([-1.0, -0.5, -1.0], [1.0, 0.5, 1.0]),
            aabb([-0.6, -0.3, -0.4], [0.2, 0.2, 0.5]),
        ]);
        mesh.triangles[12..].iter_mut().for_each(|t| t.swap(1, 2));
        let whole = 4.0 - 0.8 * 0.5 * 0.9;
        let mut state = 5_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as Real / (1_u64 << 53) as Real - 0.5
        };
        for count in [2, 5, 24] {
            let seeds: Vec<Point3> = (0..count)
                .map(|_| Point3::new(2.0 * draw(), draw(), 2.0 * draw()))
                .collect();
            let cut = shatter(&mesh, &seeds, |seed, _| seed);
            let (volume, ..) = measures(&cut, None);
            assert!((volume / whole - 1.0).abs() < 1e-9, "{count}: {volume}");
            for piece in 0..count {
                let (volume, area, sum) = measures(&cut, Some(piece));
                assert!(volume >= -1e-12, "{count}, {piece}: {volume}");
                assert!(
                    sum.norm() <= 1e-9 * area.max(1e-3),
                    "{count}, {piece} is open by {}",
                    sum.norm()
                );
            }
            // No vertex is farther from its seed than from another.
            for (p, &own) in cut.mesh.vertices.iter().zip(&cut.piece_of) {
                let from = |s: &Point3| (p - s).norm();
                let least = seeds.iter().map(from).fold(Real::INFINITY, Real::min);
                assert!(from(&seeds[own as usize]) <= least + 1e-9);
            }
        }
    }

    #[test]
    fn a_cut_through_a_convex_solid_is_one_face_and_others_are_strips() {
        let cube = boxes(&[aabb([-1.0; 3], [1.0; 3])]);
        let seeds = [Point3::new(-0.5, 0.1, 0.0), Point3::new(0.5, 0.0, 0.1)];
        let cut = shatter(&cube, &seeds, |seed, _| seed);
        // Each half: a whole side, two triangles; four cut ones, each in three to four; a bare face of eight corners.
        assert!(
            cut.mesh.triangles.len() < 2 * (2 + 4 * 4 + 6),
            "{}",
            cut.mesh.triangles.len()
        );
        let square = |r: Real| [[-r, -r], [r, -r], [r, r], [-r, r]].map(|[x, y]| Point3::new(x, y, 0.0));
        let edges = |corners: [Point3; 4]| (0..4).map(move |k| [corners[k], corners[(k + 1) % 4]]);
        let mut hole = square(0.5);
        hole.reverse();
        let ring: Vec<[Point3; 2]> = edges(square(1.0)).chain(edges(hole)).collect();
        assert_eq!(loops(&ring, &Vec3::z()), None);
        let area = |faces: &[Vec<Point3>]| -> Real {
            let of = |f: &Vec<Point3>| {
                let fan = (2..f.len()).map(|k| (f[k - 1] - f[0]).cross(&(f[k] - f[0])).z * 0.5);
                fan.sum::<Real>()
            };
            faces.iter().map(of).sum()
        };
        assert!((area(&strips(&ring, &Vec3::z(), 1e-9)) - 3.0).abs() < 1e-12);
        let outer: Vec<[Point3; 2]> = edges(square(1.0)).collect();
        let found = loops(&outer, &Vec3::z()).expect("a loop");
        assert!(found.len() == 1 && area(&found) == 4.0);
    }

    #[test]
    fn one_seed_leaves_a_mesh_as_it_is() {
        let mesh = boxes(&[aabb([0.0; 3], [1.0, 2.0, 3.0])]);
        let cut = shatter(&mesh, &[Point3::origin()], |_, _| 0);
        assert_eq!((cut.mesh.vertices.len(), cut.mesh.triangles.len()), (8, 12));
        assert_eq!(measures(&cut, None).0, 6.0);
    }
}
