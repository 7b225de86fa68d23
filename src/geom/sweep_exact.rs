//! First touch of a sphere that moves along a straight line with a triangle that stands still.
//!
//! Exact in that it solves for the entry into the triangle grown by the radius, face, edges and corners. The
//! distance to a triangle is a convex function of time along a straight path, and that settles every case
//! in which the sphere starts in touch.

mod four;

pub use four::{Pair, entries_of_four};

use super::canonical::{Corners, ENDS, Face, larger, smaller, sorted_corners};
use super::closest_point::{Closest, closest_on, closest_point};
use super::{Feature, ROUNDOFF, Touch, segment_triangle};
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
            Entry { t: known.t, part: Part::Known }
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
        Query { c: self.c, d: self.d, r: self.r, t_max }
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
            query.touched(&entry, corners)
        } else {
            query.pierce(larger(self.skin, SHORT * zone), ZONE * zone, corners)
        }
    }
}

impl Entry {
    /// Place and normal of the touch of the same sphere and triangle.
    #[inline]
    pub fn touch(&self, moving: &Moving, tri: &[Point3; 3]) -> Option<Touch> {
        let corners = Corners::of_sorted(tri);
        let query = moving.query(1.0);
        if self.part == Part::Known {
            moving.known(&query, &corners)
        } else {
            query.touched(self, &corners)
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

/// A sphere on its way, and the last moment of interest.
///
/// That moment only ever rejects whole triangles, with room for rounding: were it to choose between parts of one, the
/// last bit of an answer would depend on the other triangles that were tried before.
struct Query<'a> {
    c: &'a Point3,
    d: &'a Vec3,
    r: Real,
    t_max: Real,
}

impl Query<'_> {
    /// Whether the sphere, grown to radius `r`, stays clear of the plane until `t_max`.
    ///
    /// With h = n . (c - v) and n.d its change: |h| - closing * t_max > r |n|, squared to spare the root.
    #[inline]
    fn misses_plane(&self, r: Real, tri: &Corners, face: &Face) -> bool {
        let m = self.c - tri.v[0];
        let (h, change) = (face.n.dot(&m), face.n.dot(self.d));
        let closing = if h > 0.0 { -change } else { change };
        let gap = h.abs() - self.rounding(tri) - larger(closing, 0.0) * smaller(self.t_max, 1.0);
        gap > 0.0 && gap * gap > r * r * face.nn * (1.0 + SLACK)
    }

    /// Bound of the rounding of h, the distance to the plane times |n|: it comes from n and grows with the
    /// square of the edges and the distance.
    #[inline]
    fn rounding(&self, tri: &Corners) -> Real {
        let size = (self.c - tri.v[0]).abs().sum() + self.d.abs().sum();
        16.0 * ROUNDOFF * tri.longest2 * size
    }

    /// Whether the triangle is certainly farther than `reach` from the start.
    #[inline(always)]
    fn is_apart(&self, reach: Real, tri: &Corners) -> bool {
        let mut apart = false;
        for k in 0..3 {
            let (x, y, z) = (
                tri.v[0][k] - self.c[k],
                tri.v[1][k] - self.c[k],
                tri.v[2][k] - self.c[k],
            );
            apart |= smaller(x, smaller(y, z)) > reach * (1.0 + SLACK);
            apart |= larger(x, larger(y, z)) < -reach * (1.0 + SLACK);
        }
        if let Some(face) = &tri.face {
            let h = face.n.dot(&(self.c - tri.v[0]));
            apart |= h * h > reach * reach * face.nn * (1.0 + SLACK);
        }
        apart
    }

    /// The closest point to the start, if it is at most `reach` away.
    fn start_within(&self, reach: Real, tri: &Corners) -> Option<Closest> {
        if self.is_apart(reach, tri) {
            return None;
        }
        let closest = closest_on(self.c, tri);
        (closest.distance <= reach).then_some(closest)
    }

    /// In touch at the start. By convexity the distance only ever falls if it falls now, so this is the
    /// whole answer: stopped at once, or never by this triangle.
    fn blocked_at_start(&self, start: &Closest, on_triangle: Real, tri: &Corners) -> Option<Touch> {
        if self.d.norm_squared() == 0.0 {
            return None;
        }
        let normal = if start.distance > on_triangle {
            let approaching = match (&tri.face, start.feature) {
                // The offset is h n / |n|^2; its sign against d is that of h (n . d), with less rounding.
                (Some(face), Feature::Face) => face.n.dot(&start.offset) * face.n.dot(self.d) < 0.0,
                _ => start.offset.dot(self.d) < 0.0,
            };
            if !approaching {
                return None;
            }
            start.offset / start.distance
        } else {
            // The centre lies on the triangle: its side is lost, so any way off the plane is refused.
            self.against_motion(tri)?
        };
        Some(Touch {
            t: 0.0,
            point: start.point,
            normal,
            feature: start.feature,
            depth: larger(self.r - start.distance, 0.0),
        })
    }

    /// The face normal turned against the motion, or the motion reversed where there is no face; `None` for
    /// a motion within the plane.
    fn against_motion(&self, tri: &Corners) -> Option<Vec3> {
        let Some(face) = &tri.face else {
            return (-self.d).try_normalize(0.0);
        };
        let change = face.n.dot(self.d);
        let side = if change > 0.0 { -1.0 } else { 1.0 };
        (change != 0.0).then(|| face.n * (side / face.nn.sqrt()))
    }

    /// Entry into the triangle grown by `r` > 0, from a start outside.
    #[inline(always)]
    fn enter(&self, tri: &Corners) -> Option<Entry> {
        let mut edges = [true; 3];
        if let Some(face) = &tri.face {
            let length = face.nn.sqrt();
            let h = face.n.dot(&(self.c - tri.v[0]));
            let side = if h > 0.0 { 1.0 } else { -1.0 };
            let closing = -side * face.n.dot(self.d);
            let gap = larger(h.abs() - self.r * length, 0.0);
            // Outside the slab and not closing is rejected before, up to rounding: then t is not a number
            // below 1 and the edges decide.
            let t = if gap > 0.0 { gap / closing } else { 0.0 };
            let from = if (0.0..=1.0).contains(&t) { t } else { 0.0 };
            let inward = tri.inward(face);
            let here = self.weights(from, tri, &inward);
            if closing > 0.0 && t <= 1.0 && here.iter().all(|w| *w >= 0.0) {
                return Some(Entry { t, part: Part::Face });
            }
            // The centre is beyond an edge when it touches that edge, and weights are linear in time: an
            // edge that it is inside of now and at the end cannot be first.
            // For the same reason one that it stays more than r beyond rules out the whole triangle.
            let last = self.weights(1.0, tri, &inward);
            let rounding = self.rounding(tri) * tri.longest2.sqrt();
            for k in 0..3 {
                let beyond = -larger(here[k], last[k]) - rounding;
                if beyond > 0.0
                    && beyond * beyond > self.r * self.r * inward[k].norm_squared() * (1.0 + SLACK)
                {
                    return None;
                }
                edges[k] = smaller(here[k], last[k]) <= SLACK * face.nn;
            }
        }
        let mut corners = [false; 3];
        let mut best = First { t: 1.0, part: None };
        for k in (0..3).filter(|&k| edges[k]) {
            self.enter_edge(k, tri, &mut corners, &mut best);
        }
        if corners != [false; 3] {
            let dd = self.d.norm_squared();
            for k in (0..3).filter(|&k| corners[k]) {
                self.enter_corner(k, dd, tri, &mut best);
            }
        }
        best.part.map(|part| Entry { t: best.t, part })
    }

    /// For each ordered edge, how far inside of it the centre's foot on the plane is at `t`, times the area
    /// (see [`Corners::inward`]).
    #[inline]
    fn weights(&self, t: Real, tri: &Corners, inward: &[Vec3; 3]) -> [Real; 3] {
        let low = self.c - tri.v[0] + self.d * t;
        let mid = self.c - tri.v[1] + self.d * t;
        [inward[0].dot(&low), inward[1].dot(&mid), inward[2].dot(&low)]
    }

    /// Entry into the cylinder around edge `k`. An entry beyond an end of the edge asks for that corner's
    /// sphere instead: the rounded edge is convex, so nothing else of it can be first.
    ///
    /// Everything is crossed with the edge e, which removes the components along it: with M = m x e and
    /// D = d x e the squared distance to the line is |M + t D|^2 / e.e. The closest approach comes first;
    /// the schoolbook discriminant loses all digits when the start is 1e4 radii away.
    #[inline]
    fn enter_edge(&self, k: usize, tri: &Corners, corners: &mut [bool; 3], best: &mut First) {
        let [lower, upper] = ENDS[k];
        let e = tri.e[k];
        let m = self.c - tri.v[lower];
        let (across, drift) = (m.cross(&e), self.d.cross(&e));
        let (ee, aa) = (e.norm_squared(), drift.norm_squared());
        let (bb, mm) = (across.dot(&drift), across.norm_squared());
        let limit = self.r * self.r * ee;
        if mm > limit && aa > 0.0 {
            // Leaving the line, or passing it at more than r: neither the edge nor its ends.
            if bb >= 0.0 || (mm - limit * (1.0 + SLACK)) * aa - bb * bb > SLACK * (mm * aa) {
                return;
            }
            let nearest = -bb / aa;
            let miss = across + drift * nearest;
            let square = limit - miss.norm_squared();
            if square < 0.0 {
                return;
            }
            let t = nearest - (square / aa).sqrt();
            if t > best.t {
                return;
            }
            let along = (m + self.d * t).dot(&e);
            if along < 0.0 {
                corners[lower] = true;
            } else if along > ee {
                corners[upper] = true;
            } else {
                best.offer(larger(t, 0.0), Part::Edge(k as u8));
            }
        } else if mm <= limit || aa == 0.0 {
            // Inside the endless cylinder from the start, or moving along it.
            let end = if m.dot(&e) <= 0.5 * ee { lower } else { upper };
            corners[end] = true;
        }
    }

    /// Entry into the sphere around corner `k`, closest approach first.
    #[inline]
    fn enter_corner(&self, k: usize, dd: Real, tri: &Corners, best: &mut First) {
        let m = self.c - tri.v[k];
        let b = m.dot(self.d);
        if b >= 0.0 {
            return;
        }
        let nearest = -b / dd;
        let square = self.r * self.r - (m + self.d * nearest).norm_squared();
        if square < 0.0 {
            return;
        }
        best.offer(larger(nearest - (square / dd).sqrt(), 0.0), Part::Corner(k as u8));
    }

    /// The point and normal of an entry.
    #[inline]
    fn touched(&self, entry: &Entry, tri: &Corners) -> Option<Touch> {
        let t = entry.t;
        let (foot, feature) = match entry.part {
            Part::Face => {
                let face = tri.face.as_ref()?;
                let h = face.n.dot(&(self.c - tri.v[0]));
                let side = if h > 0.0 { 1.0 } else { -1.0 };
                let normal = face.n * (side / face.nn.sqrt());
                return Some(self.touch(t, normal * self.r, normal, Feature::Face));
            }
            Part::Corner(k) => {
                let k = usize::from(k);
                (self.c - tri.v[k] + self.d * t, tri.vertex(k))
            }
            Part::Edge(k) => {
                let k = usize::from(k);
                let e = tri.e[k];
                let x = self.c - tri.v[ENDS[k][0]] + self.d * t;
                (x - e * (x.dot(&e) / e.norm_squared()), tri.edge(k))
            }
            Part::Known => return None,
        };
        let normal = foot.try_normalize(0.0)?;
        Some(self.touch(t, foot, normal, feature))
    }

    /// A touch at `t`, `offset` being the vector from the touched point to the centre.
    #[inline]
    fn touch(&self, t: Real, offset: Vec3, normal: Vec3, feature: Feature) -> Touch {
        Touch {
            t,
            point: self.c + self.d * t - offset,
            normal,
            feature,
            depth: 0.0,
        }
    }

    /// A point against the face alone. Which side of each edge the line passes is decided so that both
    /// triangles of the edge agree, and the point stops `short` of the plane to keep its side.
    fn pierce(&self, short: Real, room: Real, tri: &Corners) -> Option<Touch> {
        let crossing = segment_triangle::line_crossing(self.c, self.d, &tri.v)?;
        if !(0.0..=1.0).contains(&crossing) {
            return None;
        }
        let point = self.c + self.d * crossing;
        // A triangle smaller than the rounding of the coordinates is seen with no side at all and would stop any line.
        let [a, b, c] = &tri.v;
        let beside = |k: usize| {
            point[k] < smaller(a[k], smaller(b[k], c[k])) - room
                || point[k] > larger(a[k], larger(b[k], c[k])) + room
        };
        if (0..3).any(beside) {
            return None;
        }
        let speed = self.d.norm();
        let normal = match &tri.face {
            Some(face) => {
                let n = face.n / face.nn.sqrt();
                if n.dot(self.d) > 0.0 { -n } else { n }
            }
            // A sliver's own normal is noise, but the line does cross it.
            None => -self.d / speed,
        };
        let closing = -normal.dot(self.d);
        let t = larger(crossing - short / closing, 0.0);
        Some(Touch {
            t,
            point,
            normal,
            feature: Feature::Face,
            depth: 0.0,
        })
    }
}

/// The earliest entry found so far.
struct First {
    t: Real,
    part: Option<Part>,
}

impl First {
    /// Keeps the earlier of two entries, the first of equal ones.
    #[inline]
    fn offer(&mut self, t: Real, part: Part) {
        if t < self.t || (t == self.t && self.part.is_none()) {
            *self = Self { t, part: Some(part) };
        }
    }
}
