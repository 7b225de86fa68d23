//! What `mesh.inc` says, as triangles behind a tree, and what a ray meets among them.

use super::paint::Paint;
use super::text::{block, blocks, leading_number, leading_vector, without_comments};
use crate::collide::mesh::StaticMesh;
use crate::collide::{Collider, Hit, Sweep};
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::Collision;

/// The scenery, in POV-Ray units.
pub struct Scenery {
    parts: Parts,
    /// What is shown only where a frame says, by its name.
    moving: Vec<(String, Parts)>,
    /// Box around it; empty without scenery.
    pub bounds: Aabb,
    /// The triangles behind the tree of the simulation.
    solid: StaticMesh,
    /// Radius of a ray: rays proper cannot be told where to stop looking.
    thickness: Real,
}

/// Triangles and their surfaces.
#[derive(Clone, Default)]
struct Parts {
    corners: Vec<[Point3; 3]>,
    paint_of: Vec<u32>,
    /// Surfaces, those of all meshes one after the other.
    paints: Vec<Paint>,
}

impl Parts {
    /// Adds a `mesh2`, given as what stands in its braces.
    fn add(&mut self, mesh: &str) -> Result<(), String> {
        let part = |name: &str| {
            let found = block(mesh, name).map(|(inner, _)| inner);
            found.ok_or_else(|| format!("a mesh2 has no {name}"))
        };
        let vertices: Vec<Point3> = rows(part("vertex_vectors")?)
            .map(|row| Some(Point3::from(three(row)?)))
            .collect::<Option<_>>()
            .ok_or("a vertex is not `<x,y,z>`")?;
        let first = self.paints.len() as u32;
        self.paints
            .extend(blocks(part("texture_list")?, "texture").map(Paint::parse));
        for row in rows(part("face_indices")?) {
            let (triangle, paint) = face(row, &vertices).ok_or("a face is not `<a,b,c>,texture`")?;
            self.corners.push(triangle);
            self.paint_of
                .push((first + paint).min((self.paints.len() as u32).saturating_sub(1)));
        }
        Ok(())
    }

    /// Adds the balls of a blob that a body is shown as, each as a little mesh.
    fn add_balls(&mut self, blob: &str) {
        let paint = self.paints.len() as u32;
        let balls = blob
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Body_Ball("));
        for ball in balls {
            let radius = ball.split_once(">,").and_then(|(_, rest)| leading_number(rest));
            let (Some([x, y, z]), Some((radius, _))) = (three(ball), radius) else {
                continue;
            };
            for triangle in sphere(&Point3::new(x, y, z), radius * SHOWN) {
                self.corners.push(triangle);
                self.paint_of.push(paint);
            }
        }
        self.paints
            .extend(blocks(blob, "texture").map(Paint::parse).take(1));
    }

    /// Adds others whose places are moved.
    fn join(&mut self, other: &Self, place: impl Fn(&Point3) -> Point3) {
        let first = self.paints.len() as u32;
        self.paints.extend(other.paints.iter().cloned());
        self.corners
            .extend(other.corners.iter().map(|t| t.each_ref().map(&place)));
        self.paint_of.extend(other.paint_of.iter().map(|p| first + p));
    }
}

/// Thickness of a ray, as a share of the largest coordinate: far below a pixel, far above rounding.
const THICKNESS: Real = 1e-9;

/// Share of the radius of influence that a ball of a body is shown with, among others.
const SHOWN: Real = 0.75;
/// Golden ratio: corners of an icosahedron are its rectangles.
const GOLDEN: Real = 1.618_033_988_749_895;

/// A ball as eighty triangles.
fn sphere(center: &Point3, radius: Real) -> Vec<[Point3; 3]> {
    let mut corners = Vec::new();
    for (a, b) in [(1.0, GOLDEN), (1.0, -GOLDEN), (-1.0, GOLDEN), (-1.0, -GOLDEN)] {
        corners.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)]);
    }
    let near = |i: usize, j: usize| (corners[i] - corners[j]).norm() < 2.1;
    let out = |v: Vec3| center + v.normalize() * radius;
    let mut triangles = Vec::new();
    for i in 0..12 {
        for j in (i + 1..12).filter(|&j| near(i, j)) {
            for k in (j + 1..12).filter(|&k| near(i, k) && near(j, k)) {
                let [a, b, c] = [corners[i], corners[j], corners[k]];
                let [ab, bc, ca] = [a + b, b + c, c + a];
                for triangle in [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]] {
                    triangles.push(triangle.map(out));
                }
            }
        }
    }
    triangles
}

/// The first triangle on a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Met {
    /// Share of the ray.
    pub at: Real,
    /// Its triangle.
    pub triangle: u32,
}

impl From<Hit> for Met {
    fn from(hit: Hit) -> Self {
        Self {
            at: hit.fraction,
            triangle: hit.triangle,
        }
    }
}

impl Scenery {
    /// Reads the text of `mesh.inc`; `Err` says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = without_comments(text);
        let (mut still, mut moving) = (Parts::default(), Vec::new());
        // What stands before the first declaration has no name.
        for (i, piece) in text.split("#declare ").enumerate() {
            let name = piece
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()
                .unwrap_or("");
            let shown = i == 0 || text.contains(&format!("object{{{name}}}"));
            for blob in blocks(piece, "blob") {
                let mut parts = Parts::default();
                parts.add_balls(blob);
                moving.push((name.to_owned(), parts));
            }
            for mesh in blocks(piece, "mesh2") {
                if shown {
                    still.add(mesh)?;
                } else {
                    let mut parts = Parts::default();
                    parts.add(mesh)?;
                    moving.push((name.to_owned(), parts));
                }
            }
        }
        Ok(Self {
            moving,
            ..Self::of(still)
        })
    }

    /// The scenery of a frame, given as its text, if something of it moves.
    pub fn in_frame(&self, frame: &str) -> Result<Option<Self>, String> {
        let mut parts = self.parts.clone();
        let still = parts.corners.len();
        for (name, moving) in &self.moving {
            for at in frame.match_indices(&format!("object{{{name} matrix")) {
                let (numbers, _) = leading_vector(&frame[at.0 + "object{ matrix".len() + name.len()..])
                    .filter(|(numbers, _)| numbers.len() == 12)
                    .ok_or_else(|| format!("{name} has no matrix of 12 numbers"))?;
                parts.join(moving, |p| {
                    let row = |k: usize| Vec3::new(numbers[k], numbers[k + 1], numbers[k + 2]);
                    Point3::from(row(0) * p.x + row(3) * p.y + row(6) * p.z + row(9))
                });
            }
        }
        for mesh in blocks(frame, "mesh2") {
            parts.add(mesh)?;
        }
        for blob in blocks(frame, "blob").filter(|blob| blob.contains("Body_Ball(")) {
            parts.add_balls(blob);
        }
        Ok((parts.corners.len() > still).then(|| Self::of(parts)))
    }

    fn of(mut parts: Parts) -> Self {
        if parts.paints.is_empty() {
            parts.paints.push(Paint::parse(""));
        }
        let flat: Vec<Point3> = parts.corners.iter().flatten().copied().collect();
        let triangles: Vec<[u32; 3]> = (0..parts.corners.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect();
        let size = flat.iter().map(|p| p.coords.amax()).fold(1.0, Real::max);
        Self {
            bounds: Aabb::around(&flat),
            solid: StaticMesh::new(flat, &triangles, Collision::Exact),
            thickness: THICKNESS * size,
            parts,
            moving: Vec::new(),
        }
    }

    /// The first triangle on the way from a place.
    pub fn first(&self, from: &Point3, along: &Vec3) -> Option<Met> {
        self.solid.first_touch(&self.sweep(from, along)).map(Met::from)
    }

    /// The same for ways that lie side by side, which takes less time.
    pub fn first_of_each(&self, ways: impl Iterator<Item = (Point3, Vec3)>) -> Vec<Option<Met>> {
        let sweeps: Vec<Sweep> = ways.map(|(from, along)| self.sweep(&from, &along)).collect();
        let mut hits = vec![None; sweeps.len()];
        self.solid.first_touches(&sweeps, &mut hits);
        hits.into_iter().map(|hit| hit.map(Met::from)).collect()
    }

    fn sweep(&self, from: &Point3, along: &Vec3) -> Sweep {
        Sweep {
            from: *from,
            along: *along,
            radius: self.thickness,
            span: [0.0, 1.0],
        }
    }

    /// Unit normal of a triangle, on the side that a ray comes from.
    pub fn normal(&self, triangle: u32, along: &Vec3) -> Vec3 {
        let [a, b, c] = &self.parts.corners[triangle as usize];
        let n = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::y);
        if n.dot(along) > 0.0 { -n } else { n }
    }

    /// A surface by its number.
    pub fn paint_at(&self, number: u32) -> Option<&Paint> {
        self.parts.paints.get(number as usize)
    }

    /// The surface of a triangle, by its number.
    pub fn paint(&self, triangle: u32) -> u32 {
        self.parts.paint_of[triangle as usize]
    }
}

/// The items of a list behind its count, a line each.
fn rows(list: &str) -> impl Iterator<Item = &str> {
    list.lines().skip(1).map(str::trim).filter(|row| !row.is_empty())
}

/// Three numbers in angle brackets.
fn three(row: &str) -> Option<[Real; 3]> {
    let (inner, _) = row.strip_prefix('<')?.split_once('>')?;
    let mut numbers = inner
        .split(',')
        .map(|n| n.parse::<Real>().ok().filter(|x| x.is_finite()));
    let three = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(three)
}

fn face(row: &str, vertices: &[Point3]) -> Option<([Point3; 3], u32)> {
    let [a, b, c] = three(row)?;
    let corner = |index: Real| vertices.get(index as usize).copied();
    let (_, rest) = row.split_once('>')?;
    let paint = match rest.trim_start().strip_prefix(',') {
        Some(text) => leading_number(text).map_or(0.0, |n| n.0),
        None => 0.0,
    };
    Some(([corner(a)?, corner(b)?, corner(c)?], paint as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "mesh2{\nvertex_vectors{4,\n<0,0,0>,\n<1,0,0>,\n<0,1,0>,\n<0,0,5>}\n\
        texture_list{2,\n// a\ntexture{pigment{rgb <1,0,0>}}\n// b\ntexture{pigment{rgb <0,1,0>}}\n}\n\
        face_indices{2,\n<0,1,2>,1,\n<3,1,2>,0}\n}\n";

    #[test]
    fn rays_meet_the_nearest_triangle_and_its_paint() {
        let scenery = Scenery::parse(TWO).unwrap();
        let met = scenery
            .first(&Point3::new(0.2, 0.2, 9.0), &Vec3::new(0.0, 0.0, -10.0))
            .unwrap();
        assert_eq!((met.triangle, scenery.paint(met.triangle)), (1, 0));
        assert!((met.at - 0.6).abs() < 1e-8, "{met:?}");
        let up = Vec3::new(0.0, 0.0, 1.0);
        let met = scenery.first(&Point3::new(0.2, 0.2, -0.5), &up).unwrap();
        assert_eq!((met.triangle, scenery.paint(met.triangle)), (0, 1));
        assert!(scenery.normal(0, &up).z < 0.0);
        assert_eq!(scenery.first(&Point3::new(2.2, 0.2, -0.5), &up), None);
    }

    #[test]
    fn text_that_is_not_a_mesh_is_refused_and_none_is_no_scenery() {
        assert!(
            Scenery::parse("// nothing\n#version 3.7;\n")
                .unwrap()
                .bounds
                .is_empty()
        );
        for (from, to) in [
            ("<0,1,2>", "<0,1,9>"),
            ("<0,0,0>", "<0,0>"),
            ("face_indices", "faces"),
        ] {
            assert!(Scenery::parse(&TWO.replace(from, to)).is_err(), "{to}");
        }
    }
}
