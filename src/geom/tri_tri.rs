//! Whether two triangles meet, by four methods behind one function, all with exact signs.
//!
//! Triangles are closed, so touching counts, and may be degenerate. All methods but brute force first ask on which side of the
//! one triangle's plane the other's corners lie; what lies in one plane, or on a line, they leave to `flat`. The methods are
//! those that Akenine-Moller, Haines & Hoffman compare ("Real-Time Rendering", section on triangle/triangle intersection).

mod brute_force;
mod contact;
mod devillers_guigue;
mod erit;
mod interval_overlap;
mod meeting;
#[cfg(test)]
mod tests;

pub use contact::{Contact, contact};
pub use meeting::{Meeting, meeting};

use super::flat::{View, ends, segments_meet, triangles_meet};
use super::orient::{Rounded, Sign, orient3d, volume};
use crate::geom::crossing::segment_meets;
use crate::math::Point3;

/// How it is decided whether two triangles meet. The answer is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Six segments against a triangle.
    BruteForce,
    /// Overlap of two intervals on the line of the planes (Moller 1997, "A Fast Triangle-Triangle Intersection Test"). Rounded
    /// interval ends are compared where their error bounds allow; elsewhere a sign decides.
    IntervalOverlap,
    /// The same overlap by signs of four corners (Devillers & Guigue 2002, "Faster Triangle-Triangle Intersection Tests").
    DevillersGuigue,
    /// The piece of one triangle in the plane of the other against that triangle (Held 1997, "ERIT: A Collection of Efficient
    /// and Reliable Intersection Tests").
    Erit,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::BruteForce,
        Self::IntervalOverlap,
        Self::DevillersGuigue,
        Self::Erit,
    ];
}

/// Whether two closed triangles have a point in common: exact for finite coordinates in the range of
/// [`orient3d`]. The quickest of the methods, by `benches/tri_tri.rs`.
#[inline]
pub fn tri_tri(a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    devillers_guigue::meet(a, b)
}

/// [`tri_tri`] by a method of choice.
pub fn tri_tri_by(method: Method, a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    match method {
        Method::BruteForce => brute_force::meet(a, b),
        Method::IntervalOverlap => interval_overlap::meet(a, b),
        Method::DevillersGuigue => devillers_guigue::meet(a, b),
        Method::Erit => erit::meet(a, b),
    }
}

/// On which side of the plane of `tri` the corners of `other` are, as [`orient3d`] tells; `None` when all are on the same.
#[inline(always)]
fn sides(tri: &[Point3; 3], other: &[Point3; 3]) -> Option<[Sign; 3]> {
    let [a, b, c] = tri;
    let first = orient3d(a, b, c, &other[0]);
    let second = orient3d(a, b, c, &other[1]);
    let third = orient3d(a, b, c, &other[2]);
    (!(first.agrees(second) && second.agrees(third))).then_some([first, second, third])
}

/// [`sides`] with the volumes that they are the signs of.
#[inline(always)]
fn volumes(tri: &[Point3; 3], other: &[Point3; 3]) -> Option<([Sign; 3], [Rounded; 3])> {
    let [a, b, c] = tri;
    let volumes = other.each_ref().map(|p| volume(a, b, c, p));
    let mut signs = [Sign::Zero; 3];
    for k in 0..3 {
        signs[k] = volumes[k].sign().unwrap_or_else(|| orient3d(a, b, c, &other[k]));
    }
    (!(signs[0].agrees(signs[1]) && signs[1].agrees(signs[2]))).then_some((signs, volumes))
}

/// A corner that is alone on its side of a plane, or in it, and whether the corners must change places for it to be above.
#[derive(Debug, Clone, Copy)]
struct Lone {
    corner: usize,
    turned: bool,
}

impl Lone {
    /// Of a triangle with these sides, not all the same. Above is where [`orient3d`] is negative. A corner in the plane
    /// is alone, and above, when the other two are below.
    #[inline(always)]
    fn of(sides: &[Sign; 3]) -> Self {
        let alone = |k: usize| {
            let others = [sides[(k + 1) % 3], sides[(k + 2) % 3]];
            !sides[k].is_zero() && others[0] != sides[k] && others[1] != sides[k]
        };
        match (0..3).find(|&k| alone(k)) {
            Some(corner) => Self {
                corner,
                turned: sides[corner] == Sign::Positive,
            },
            None => {
                let corner = (0..3).find(|&k| sides[k].is_zero()).unwrap_or(0);
                Self {
                    corner,
                    turned: sides[(corner + 1) % 3] == Sign::Negative,
                }
            }
        }
    }

    /// The corners from the lone one on, in the triangle's own direction or, when the other triangle's corners had to
    /// change places, against it.
    #[inline(always)]
    fn first<'a>(&self, tri: &'a [Point3; 3], reversed: bool) -> [&'a Point3; 3] {
        let (next, last) = (&tri[(self.corner + 1) % 3], &tri[(self.corner + 2) % 3]);
        let lone = &tri[self.corner];
        if reversed {
            [lone, last, next]
        } else {
            [lone, next, last]
        }
    }
}

/// Two triangles that cross each other's plane, each listed from its corner that is alone above the other's plane.
///
/// With D the direction normal(p) x normal(q), the line of both planes meets p from edge p0 p2 on to edge p0 p1, and q from
/// q0 q1 on to q0 q2. Which of two such ends comes first along D is a sign: orient3d(p0, pi, q0, qj) is positive when the
/// end on p0 pi comes after that on q0 qj (worked out for perpendicular planes, and the determinant changes sign nowhere else).
struct Crossed<'a> {
    p: [&'a Point3; 3],
    q: [&'a Point3; 3],
}

impl<'a> Crossed<'a> {
    /// `of_a` are the sides of the corners of `a` about the plane of `b`.
    #[inline(always)]
    fn new(a: &'a [Point3; 3], of_a: &[Sign; 3], b: &'a [Point3; 3], of_b: &[Sign; 3]) -> Self {
        let (lone_a, lone_b) = (Lone::of(of_a), Lone::of(of_b));
        Self {
            p: lone_a.first(a, lone_b.turned),
            q: lone_b.first(b, lone_a.turned),
        }
    }

    /// Whether the end of p on edge p0 `pi` comes before (negative) or after (positive) that of q on q0 `qj`.
    #[inline(always)]
    fn compare(&self, pi: usize, qj: usize) -> Sign {
        orient3d(self.p[0], self.p[pi], self.q[0], self.q[qj])
    }

    /// Whether the two pieces of the line meet.
    #[inline(always)]
    fn overlap(&self) -> bool {
        self.compare(1, 1) >= Sign::Zero && self.compare(2, 2) <= Sign::Zero
    }
}

/// Two triangles of which one lies in the other's plane, or one is degenerate.
#[cold]
fn flat_meet(a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    match (View::of(a), View::of(b)) {
        (Some(view), Some(_)) => triangles_meet(view, a, b),
        (None, Some(_)) => {
            let [p, q] = ends(a);
            segment_meets(&p, &q, b)
        }
        (Some(_), None) => {
            let [p, q] = ends(b);
            segment_meets(&p, &q, a)
        }
        (None, None) => {
            let ([p, q], [u, v]) = (ends(a), ends(b));
            segments_meet(&p, &q, &u, &v)
        }
    }
}
