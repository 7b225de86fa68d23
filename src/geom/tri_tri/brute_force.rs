//! Six segments against a triangle: no plane is shared, nothing is rejected early.

use crate::geom::crossing::segment_meets;
use crate::math::Point3;

pub(super) fn meet(a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    let edges = [[0, 1], [1, 2], [2, 0]];
    let meets = |s: &[Point3; 3], t: &[Point3; 3]| edges.iter().any(|&[i, j]| segment_meets(&s[i], &s[j], t));
    meets(a, b) || meets(b, a)
}
