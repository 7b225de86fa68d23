//! Entry of a sphere that starts clear into the triangle grown by its radius.

use super::{Entry, Part, SLACK};
use crate::geom::canonical::{Corners, ENDS, Face, larger, smaller};
use crate::geom::{Feature, ROUNDOFF, Touch};
use crate::math::{Point3, Real, Vec3};

/// A sphere on its way, and the last moment of interest.
///
/// That moment only ever rejects whole triangles, with room for rounding: were it to choose between parts of one, the
/// last bit of an answer would depend on the other triangles that were tried before.
pub(super) struct Query<'a> {
    pub c: &'a Point3,
    pub d: &'a Vec3,
    pub r: Real,
    pub t_max: Real,
}

impl Query<'_> {
    /// Whether the sphere, grown to radius `r`, stays clear of the plane until `t_max`.
    ///
    /// With h = n . (c - v) and n.d its change: |h| - closing * t_max > r |n|, squared to spare the root.
    #[inline]
    pub(super) fn misses_plane(&self, r: Real, tri: &Corners, face: &Face) -> bool {
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
    pub(super) fn is_apart(&self, reach: Real, tri: &Corners) -> bool {
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

    /// Entry into the triangle grown by `r` > 0, from a start outside.
    #[inline(always)]
    pub(super) fn enter(&self, tri: &Corners) -> Option<Entry> {
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

    /// The point and normal of an entry into a triangle by its corners, computed as [`Corners`] does.
    #[inline]
    pub(super) fn touched(&self, entry: &Entry, v: &[Point3; 3]) -> Option<Touch> {
        let t = entry.t;
        let (foot, feature) = match entry.part {
            Part::Face => {
                let n = (v[1] - v[0]).cross(&(v[2] - v[0]));
                let h = n.dot(&(self.c - v[0]));
                let side = if h > 0.0 { 1.0 } else { -1.0 };
                let normal = n * (side / n.norm_squared().sqrt());
                return Some(self.touch(t, normal * self.r, normal, Feature::Face));
            }
            Part::Corner(k) => {
                let m = self.c - v[usize::from(k)];
                (m + self.d * t, Feature::Vertex(k))
            }
            Part::Edge(k) => {
                let [lower, upper] = ENDS[usize::from(k)];
                let e = v[upper] - v[lower];
                let x = self.c - v[lower] + self.d * t;
                (x - e * (x.dot(&e) / e.norm_squared()), Feature::Edge(k))
            }
            Part::Known => return None,
        };
        let normal = foot.try_normalize(0.0)?;
        Some(self.touch(t, foot, normal, feature))
    }

    /// A touch at `t`, `offset` being the vector from the touched point to the centre.
    #[inline]
    pub(super) fn touch(&self, t: Real, offset: Vec3, normal: Vec3, feature: Feature) -> Touch {
        Touch {
            t,
            point: self.c + self.d * t - offset,
            normal,
            feature,
            depth: 0.0,
        }
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
