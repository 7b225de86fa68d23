//! Whether a model brings its own ground, and a square to lay under one that does not.
//!
//! Looks at the model from above, on a coarse grid.

use std::fmt::Write;

use crate::math::{Aabb, Point3, Real};
use crate::mesh::Mesh;

/// Cells along each side of the view from above.
const CELLS: usize = 48;
/// What is lower than this share of the height may be ground ...
const LOW: Real = 0.1;
/// ... and what reaches above this share stands on it.
const TALL: Real = 0.15;
/// Share of the cells that a ground fills, at least.
const GROUND: Real = 0.9;
/// Share of the cells that may be filled by what stands on it: a block fills all, and its bottom is no ground.
const STANDING: Real = 0.75;
/// A surface whose view from above has this share of its box, at most and at least, covers it once: a terrain.
const ONCE: [Real; 2] = [0.9, 1.1];

/// Whether a placed mesh is, or holds, what it stands on.
pub fn has_ground(mesh: &Mesh) -> bool {
    let bounds = mesh.bounds();
    let (height, footprint) = (bounds.extent().y, bounds.extent().x * bounds.extent().z);
    if footprint <= 0.0 {
        return false;
    }
    let [mut low, mut tall] = [View::new(&bounds), View::new(&bounds)];
    let mut seen = 0.0;
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t);
        seen += area_from_above(&corners);
        let top = corners.iter().fold(Real::NEG_INFINITY, |top, p| top.max(p.y));
        if top > bounds.min.y + TALL * height {
            tall.fill(&corners);
        } else if top <= bounds.min.y + LOW * height {
            low.fill(&corners);
        }
    }
    let covers_once = (ONCE[0]..=ONCE[1]).contains(&(seen / footprint));
    covers_once || (low.share() >= GROUND && tall.share() <= STANDING)
}

fn area_from_above([a, b, c]: &[Point3; 3]) -> Real {
    0.5 * ((b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z)).abs()
}

/// Which cells of a box's footprint are filled.
struct View {
    min: [Real; 2],
    cell: [Real; 2],
    filled: Vec<bool>,
}

impl View {
    fn new(bounds: &Aabb) -> Self {
        let e = bounds.extent();
        Self {
            min: [bounds.min.x, bounds.min.z],
            cell: [e.x, e.z].map(|side| side / CELLS as Real),
            filled: vec![false; CELLS * CELLS],
        }
    }

    /// Fills the cells whose middles lie below a triangle.
    fn fill(&mut self, corners: &[Point3; 3]) {
        let flat = corners.map(|p| {
            [
                (p.x - self.min[0]) / self.cell[0],
                (p.z - self.min[1]) / self.cell[1],
            ]
        });
        let span = |axis: usize| {
            let low = flat.iter().fold(Real::INFINITY, |m, p| m.min(p[axis]));
            let high = flat.iter().fold(Real::NEG_INFINITY, |m, p| m.max(p[axis]));
            // A cast takes what is negative or no number to 0.
            (low as usize).min(CELLS - 1)..=(high as usize).min(CELLS - 1)
        };
        for z in span(1) {
            for x in span(0) {
                let middle = [x as Real + 0.5, z as Real + 0.5];
                self.filled[z * CELLS + x] |= holds(&flat, middle);
            }
        }
    }

    fn share(&self) -> Real {
        self.filled.iter().filter(|f| **f).count() as Real / self.filled.len() as Real
    }
}

/// Whether a point is in a triangle of any orientation.
fn holds([a, b, c]: &[[Real; 2]; 3], p: [Real; 2]) -> bool {
    let side = |u: &[Real; 2], v: &[Real; 2]| (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
    let [x, y, z] = [side(a, b), side(b, c), side(c, a)];
    (x >= 0.0 && y >= 0.0 && z >= 0.0) || (x <= 0.0 && y <= 0.0 && z <= 0.0)
}

/// A level square [m].
#[derive(Debug, Clone, PartialEq)]
pub struct Square {
    /// Middle.
    pub center: Point3,
    /// Half a side.
    pub half: Real,
}

impl Square {
    /// The text of an OBJ file that holds it, facing up.
    pub fn obj(&self) -> String {
        let mut text = String::from("# The ground under a model: a level square, in metres, y up.\n");
        for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)] {
            let (x, z) = (self.center.x + x * self.half, self.center.z + z * self.half);
            let _ = writeln!(text, "v {x} {} {z}", self.center.y);
        }
        text.push_str("usemtl ground\nf 1 2 3 4\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::read_obj;
    use std::path::Path;

    fn mesh(obj: &str) -> Mesh {
        read_obj(obj.as_bytes(), Path::new("test.obj")).expect("a good mesh")
    }

    const BLOCK: &str = "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv -1 2 -1\nv 1 2 -1\nv 1 2 1\nv -1 2 1\n\
        f 1 2 3 4\nf 8 7 6 5\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n";

    #[test]
    fn a_block_has_no_ground_and_a_block_on_a_floor_has_one() {
        assert!(!has_ground(&mesh(BLOCK)));
        let floor = Square {
            center: Point3::origin(),
            half: 4.0,
        };
        let with_floor = format!("{BLOCK}v -4 0 -4\nv -4 0 4\nv 4 0 4\nv 4 0 -4\nf 9 10 11 12\n");
        assert!(has_ground(&mesh(&with_floor)));
        assert!(has_ground(&mesh(&floor.obj())));
    }

    #[test]
    fn a_terrain_is_its_own_ground() {
        let mut text = String::new();
        for i in 0..100 {
            let (x, z) = (i % 10, i / 10);
            let _ = writeln!(text, "v {x} {} {z}", (x * z) % 5);
        }
        for i in (0..89).filter(|i| i % 10 < 9) {
            let _ = writeln!(text, "f {} {} {} {}", i + 1, i + 11, i + 12, i + 2);
        }
        assert!(has_ground(&mesh(&text)));
    }

    #[test]
    fn a_wall_without_thickness_has_no_ground_and_no_footprint() {
        assert!(!has_ground(&mesh(
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
        )));
    }

    #[test]
    fn the_square_faces_up() {
        let square = mesh(
            &Square {
                center: Point3::new(3.0, 1.0, 2.0),
                half: 2.0,
            }
            .obj(),
        );
        for t in 0..square.triangles.len() {
            let [a, b, c] = square.corners(t);
            assert!((b - a).cross(&(c - a)).y > 0.0 && a.y == 1.0);
        }
        assert_eq!(square.bounds().extent().x, 4.0);
    }
}
