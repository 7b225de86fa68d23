//! The piece that one triangle cuts out of the other's plane, against the other triangle.
//!
//! Held computes that piece; here its ends stay the two edges that they lie on, and each side of it is a sign.

use super::{Lone, flat_meet, sides};
use crate::geom::orient::{Sign, orient3d};
use crate::math::Point3;

pub(super) fn meet(a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    let Some(of_b) = sides(a, b) else { return false };
    if of_b == [Sign::Zero; 3] {
        return flat_meet(a, b);
    }
    let lone = Lone::of(&of_b);
    let [top, left, right] = lone.first(b, false);
    // From above, the end on an edge down from `top` is inside of the edge u, v when this sign is not negative.
    let beyond = |end: &Point3, u: &Point3, v: &Point3| {
        let side = orient3d(top, end, u, v);
        (if lone.turned { -side } else { side }) == Sign::Negative
    };
    let parts = |u: &Point3, v: &Point3| beyond(left, u, v) && beyond(right, u, v);
    let [u, v, w] = a;
    if parts(u, v) || parts(v, w) || parts(w, u) {
        return false;
    }
    // The last line that can part the piece from the triangle is its own, where the planes meet.
    match sides(b, a) {
        None => false,
        Some([Sign::Zero, Sign::Zero, Sign::Zero]) => flat_meet(a, b),
        Some(_) => true,
    }
}
