//! The ray along +x against a triangle, for parity: quick, and rounded where no seam is.
//!
//! [`super::crossing`] decides any ray by exact signs, for more time.

use crate::math::Point3;

/// Whether the ray along +x from `p` meets a triangle. The sides are told by signs that both triangles of an edge compute
/// from the same numbers in the same order, so that a ray through an edge meets exactly one of them.
pub fn ray_meets(corners: &[Point3; 3], p: &Point3) -> bool {
    let side = |a: &Point3, b: &Point3| {
        let turned = (a.y, a.z) > (b.y, b.z);
        let (low, high) = if turned { (b, a) } else { (a, b) };
        let area = (high.y - low.y) * (p.z - low.z) - (high.z - low.z) * (p.y - low.y);
        (area >= 0.0) != turned
    };
    let [a, b, c] = corners;
    let left = side(a, b);
    if left != side(b, c) || left != side(c, a) {
        return false;
    }
    let normal = (b - a).cross(&(c - a));
    // The plane's x at (y, z) of the place, without a division.
    let behind = (p - a).dot(&normal);
    if normal.x > 0.0 {
        behind < 0.0
    } else {
        behind > 0.0
    }
}
