//! The overlap of the two pieces of the planes' common line, decided by the signs of two tetrahedra.

use super::{Crossed, flat_meet, sides};
use crate::geom::orient::Sign;
use crate::math::Point3;

#[inline]
pub(super) fn meet(a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    let Some(of_b) = sides(a, b) else { return false };
    if of_b == [Sign::Zero; 3] {
        return flat_meet(a, b);
    }
    let Some(of_a) = sides(b, a) else { return false };
    if of_a == [Sign::Zero; 3] {
        return flat_meet(a, b);
    }
    Crossed::new(a, &of_a, b, &of_b).overlap()
}
