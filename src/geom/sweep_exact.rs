//! First touch of a sphere that moves along a straight line with a triangle that stands still.
//!
//! Exact in that it solves for the entry into the triangle grown by the radius, face, edges and corners. The
//! distance to a triangle is a convex function of time along a straight path, and that settles every case
//! in which the sphere starts in touch.

mod enter;
mod four;
mod start;
mod touches;

use enter::Query;
pub use four::{Pair, entries_of_four};
pub use touches::touches_of_four;

use super::canonical::{Corners, larger, smaller, sorted_corners};
use super::closest_point::{Closest, closest_point};
use super::{ROUNDOFF, Touch};
use crate::math::{Point3, Real, Vec3};

/// Times [`ROUNDOFF`] times the largest coordinate: how near counts as touching when the caller's skin is
/// smaller. Below about 4 a sphere that was stopped passes on its next step, by rounding.
const ZONE: Real = 16.0;
/// The same for "the centre lies on the triangle", where no side can be told any more.
const ON_TRIANGLE: Real = 2.0;
/// The same for how far a point stops short of a face when the skin is smaller: a side that rounding the
/// new centre cannot lose.
const SHORT: Real = 8.0;
/// A radius below this, or below this times the largest coordinate, may be lost in the offset from a touched point to
/// the centre: only then a touch may turn out to have no normal.
const SMALL: [Real; 2] = [1e-100, 1e-12];
/// Relative slack of the early rejections, far above their rounding and far below anything visible.
const SLACK: Real = 1e-12;

/// Whether and where `tri` stops a sphere of radius `r` >= 0 whose centre moves from `c` to `c + d`.
///
/// A sphere within `skin` (a length >= 0, raised to the rounding of the coordinates) of the triangle at the
/// start is in touch: it is stopped at t = 0 if it approaches and not at all otherwise. A sphere that does
/// not move is never stopped. With `r` = 0 only the face stops the point, a skin short of the plane.
/// Numbers that are not finite give `None`.
#[inline]
pub fn sweep(c: &Point3, d: &Vec3, r: Real, skin: Real, tri: &[Point3; 3]) -> Option<Touch> {
    sweep_before(c, d, r, skin, tri, 1.0)
}

/// [`sweep`] for a caller who needs answers with t <= `t_max` only: the best of other triangles so far.
/// An answer equal to `t_max` is kept, so that ties can go to the lower triangle.
#[inline]
pub fn sweep_before(
    c: &Point3,
    d: &Vec3,
    r: Real,
    skin: Real,
    tri: &[Point3; 3],
    t_max: Real,
) -> Option<Touch> {
    let sum = tri
        .iter()
        .fold(r + c.coords.sum() + d.sum(), |s, p| s + p.coords.sum());
    if !sum.is_finite() {
        return None;
    }
    let corners = tri.iter().fold(0.0, |size, p| larger(extent(&p.coords), size));
    let size = larger(corners, larger(extent(&c.coords), larger(extent(d), r)));
    let reach = larger(skin, ZONE * ROUNDOFF * size);
    if misses_box(c, d, r + reach, tri) {
        return None;
    }
    let index = sorted_corners(tri);
    let sorted = index.map(|i| tri[usize::from(i)]);
    let touch = sweep_culled(c, d, r, skin, size, &sorted, t_max)?;
    Some(Touch {
        feature: touch.feature.renumbered(index),
        ..touch
    })
}

/// [`sweep_before`] for callers who have culled by better means than boxes, list the corners in the order of
/// [`sorted_corners`], to which the feature then refers, and know that all numbers are finite
/// and none larger than `size`: the zone of touch is that of `size`.
#[inline]
pub fn sweep_culled(
    c: &Point3,
    d: &Vec3,
    r: Real,
    skin: Real,
    size: Real,
    tri: &[Point3; 3],
    t_max: Real,
) -> Option<Touch> {
    let moving = Moving { c, d, r, skin, size };
    moving.entry(tri, t_max)?.touch(&moving, tri)
}

/// A sphere that moves from `c` by `d`, with the numbers of [`sweep_culled`].
#[derive(Debug, Clone, Copy)]
pub struct Moving<'a> {
    /// Centre at t = 0.
    pub c: &'a Point3,
    /// Displacement up to t = 1.
    pub d: &'a Vec3,
    /// Radius, >= 0.
    pub r: Real,
    /// How near counts as touching at the start, >= 0.
    pub skin: Real,
    /// Largest number of sphere, displacement and all triangles.
    pub size: Real,
}

/// When a triangle stops a sphere, and what of it: all that is needed to compare triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Fraction of the sweep, 0 .. 1.
    pub t: Real,
    part: Part,
}

/// What is touched, in ordered numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Face,
    Edge(u8),
    Corner(u8),
    /// At the start, or by a point: the touch is known as soon as the time is.
    Known,
}

impl Moving<'_> {
    /// The answer of [`sweep_culled`] but for place and normal.
    #[inline(always)]
    pub fn entry(&self, tri: &[Point3; 3], t_max: Real) -> Option<Entry> {
        let corners = Corners::of_sorted(tri);
        let query = self.query(t_max);
        let reach = self.r + self.reach();
        if let Some(face) = &corners.face
            && query.misses_plane(reach, &corners, face)
        {
            return None;
        }
        let entry = if self.is_small() || !query.is_apart(reach, &corners) {
            let known = self.known(&query, &corners)?;
            Entry {
                t: known.t,
                part: Part::Known,
            }
        } else {
            query.enter(&corners)?
        };
        (entry.t <= t_max).then_some(entry)
    }

    #[inline(always)]
    fn is_small(&self) -> bool {
        self.r <= larger(SMALL[0], SMALL[1] * self.size)
    }

    #[inline(always)]
    fn query(&self, t_max: Real) -> Query<'_> {
        Query {
            c: self.c,
            d: self.d,
            r: self.r,
            t_max,
        }
    }

    /// How near beyond the radius is in touch at the start.
    #[inline(always)]
    fn reach(&self) -> Real {
        larger(self.skin, ZONE * ROUNDOFF * self.size)
    }

    /// The whole answer, whatever it is.
    #[cold]
    fn known(&self, query: &Query, corners: &Corners) -> Option<Touch> {
        let zone = ROUNDOFF * self.size;
        if let Some(start) = query.start_within(self.r + self.reach(), corners) {
            query.blocked_at_start(&start, ON_TRIANGLE * zone, corners)
        } else if self.r > 0.0 {
            let entry = query.enter(corners)?;
            query.touched(&entry, &corners.v)
        } else {
            query.pierce(larger(self.skin, SHORT * zone), ZONE * zone, corners)
        }
    }
}

impl Entry {
    /// In place of one that is not there.
    pub const NONE: Self = Self {
        t: 0.0,
        part: Part::Known,
    };

    /// Place and normal of the touch of the same sphere and triangle.
    #[inline]
    pub fn touch(&self, moving: &Moving, tri: &[Point3; 3]) -> Option<Touch> {
        let query = moving.query(1.0);
        if self.part == Part::Known {
            moving.known(&query, &Corners::of_sorted(tri))
        } else {
            query.touched(self, tri)
        }
    }
}

/// How deep a sphere of radius `r` at `c` overlaps the triangle, >= 0; 0 when it is clear or just touches.
pub fn initial_depth(c: &Point3, r: Real, tri: &[Point3; 3]) -> Real {
    larger(r - closest_point(c, tri).distance, 0.0)
}

/// Whether [`sweep`] would take the sphere as in touch at the start, and then the closest point.
pub fn starts_in_touch(c: &Point3, d: &Vec3, r: Real, skin: Real, tri: &[Point3; 3]) -> Option<Closest> {
    let closest = closest_point(c, tri);
    let reach = larger(skin, ZONE * zone(c, d, r, tri));
    (closest.distance <= r + reach).then_some(closest)
}

/// Largest absolute coordinate.
#[inline]
fn extent(v: &Vec3) -> Real {
    larger(v.x.abs(), larger(v.y.abs(), v.z.abs()))
}

/// [`ROUNDOFF`] times the largest absolute coordinate of the query or the triangle, or the radius.
#[inline]
fn zone(c: &Point3, d: &Vec3, r: Real, tri: &[Point3; 3]) -> Real {
    let corners = tri.iter().fold(0.0, |size, p| larger(extent(&p.coords), size));
    ROUNDOFF * larger(corners, larger(extent(&c.coords), larger(extent(d), r)))
}

/// Whether the box around the triangle lies wholly to one side of the box around the sweep.
#[inline]
pub(super) fn misses_box(c: &Point3, d: &Vec3, r: Real, tri: &[Point3; 3]) -> bool {
    let mut apart = false;
    for k in 0..3 {
        let (x, y, z) = (tri[0][k] - c[k], tri[1][k] - c[k], tri[2][k] - c[k]);
        let grown = r + SLACK * (r + d[k].abs());
        apart |= smaller(x, smaller(y, z)) > larger(d[k], 0.0) + grown;
        apart |= larger(x, larger(y, z)) < smaller(d[k], 0.0) - grown;
    }
    apart
}
