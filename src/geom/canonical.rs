//! A triangle with its corners in lexicographic order, so that every answer about it, and about an edge or
//! corner that it shares, has the same bits however the corners are listed.
//!
//! Knows the map back to the caller's numbering and nothing of spheres.

use super::Feature;
use crate::math::{Point3, Real, Vec3};

/// Below this ratio of |cross product| to (longest edge)^2 the normal is noise and only edges and corners
/// count. A larger value drops slivers that still have a usable face.
pub(super) const DEGENERATE: Real = 1e-7;

/// Whether `tri` has no usable face: it is (nearly) a segment or a point, or is not finite.
#[inline]
pub fn is_degenerate(tri: &[Point3; 3]) -> bool {
    Corners::of(tri).face.is_none()
}

/// Corners in lexicographic order, with what the tests share. Edge 0 runs from corner 0 to 1, edge 1 from 1
/// to 2, edge 2 from 0 to 2: always upwards.
pub(super) struct Corners {
    /// The ordered corners.
    pub v: [Point3; 3],
    /// The caller's number of each.
    index: [u8; 3],
    /// The ordered edges, from the lower to the upper corner.
    pub e: [Vec3; 3],
    /// Square of the longest edge.
    pub longest2: Real,
    /// The plane, unless the triangle is degenerate.
    pub face: Option<Face>,
}

/// The plane of a triangle that has one.
pub(super) struct Face {
    /// `e[0] x e[2]`: perpendicular to the plane, as long as twice the area.
    pub n: Vec3,
    /// Square of its length.
    pub nn: Real,
}

/// The lower and the upper ordered corner of each ordered edge.
pub(super) const ENDS: [[usize; 2]; 3] = [[0, 1], [1, 2], [0, 2]];

/// The numbers of the corners in lexicographic order.
#[inline]
pub fn sorted_corners(tri: &[Point3; 3]) -> [u8; 3] {
    let [a, b, c] = tri;
    let (ba, ca, cb) = (is_less(b, a), is_less(c, a), is_less(c, b));
    // Selected without branches: the order of the corners in a mesh is unpredictable.
    let low = if ba { 1 + u8::from(cb) } else { 2 * u8::from(ca) };
    let high = if ba { 2 * u8::from(!ca) } else { 1 + u8::from(!cb) };
    // Only corners that are not numbers give low = high.
    [low, 3_u8.wrapping_sub(low + high).min(2), high]
}

impl Feature {
    /// This part of a triangle whose corners have been listed in the order `index` of the one that is meant.
    #[inline]
    pub fn renumbered(self, index: [u8; 3]) -> Self {
        match self {
            Self::Face => Self::Face,
            Self::Vertex(k) => Self::Vertex(index[usize::from(k) % 3]),
            Self::Edge(k) => {
                // The edge opposite corner 0 is edge 1, and so on round.
                let opposite = (usize::from(k) + 2) % 3;
                Self::Edge((index[opposite] + 1) % 3)
            }
        }
    }
}

impl Corners {
    #[inline]
    pub fn of(tri: &[Point3; 3]) -> Self {
        let index = sorted_corners(tri);
        Self {
            index,
            ..Self::of_sorted(&index.map(|i| tri[usize::from(i)]))
        }
    }

    /// Of corners that are in order already.
    #[inline]
    pub fn of_sorted(v: &[Point3; 3]) -> Self {
        let v = *v;
        let e = [v[1] - v[0], v[2] - v[1], v[2] - v[0]];
        let longest2 = larger(
            e[0].norm_squared(),
            larger(e[1].norm_squared(), e[2].norm_squared()),
        );
        let n = e[0].cross(&e[2]);
        let nn = n.norm_squared();
        let usable = nn > (DEGENERATE * DEGENERATE) * (longest2 * longest2) && nn < Real::INFINITY;
        let face = usable.then_some(Face { n, nn });
        Self {
            v,
            index: [0, 1, 2],
            e,
            longest2,
            face,
        }
    }

    /// For each edge a vector in the plane of `face`, perpendicular to the edge and pointing inward; scaled so
    /// that its product with `x - start of edge` is `nn` times the barycentric weight of the opposite corner.
    #[inline]
    pub fn inward(&self, face: &Face) -> [Vec3; 3] {
        let n = &face.n;
        [n.cross(&self.e[0]), n.cross(&self.e[1]), self.e[2].cross(n)]
    }

    /// The caller's name of ordered corner `k`.
    #[inline]
    pub fn vertex(&self, k: usize) -> Feature {
        Feature::Vertex(self.index[k])
    }

    /// The caller's name of ordered edge `k`.
    #[inline]
    pub fn edge(&self, k: usize) -> Feature {
        // The edge opposite corner 0 is edge 1, and so on round.
        let opposite = [2, 0, 1][k];
        Feature::Edge((self.index[opposite] + 1) % 3)
    }
}

/// Lexicographic order of coordinates.
#[inline]
fn is_less(a: &Point3, b: &Point3) -> bool {
    (a.x < b.x) | ((a.x == b.x) & ((a.y < b.y) | ((a.y == b.y) & (a.z < b.z))))
}

/// The larger of two numbers in one instruction; the second if either is not a number.
#[inline(always)]
pub(super) fn larger(a: Real, b: Real) -> Real {
    if a > b { a } else { b }
}

/// The smaller of two numbers in one instruction; the second if either is not a number.
#[inline(always)]
pub(super) fn smaller(a: Real, b: Real) -> Real {
    if a < b { a } else { b }
}
