//! The rarer halves of the sweep: a sphere that starts in touch, and a point, which has no sphere.

use super::Query;
use crate::geom::canonical::{Corners, larger, smaller};
use crate::geom::closest_point::{Closest, closest_on};
use crate::geom::{Feature, Touch, segment_triangle};
use crate::math::{Real, Vec3};

impl Query<'_> {
    /// The closest point to the start, if it is at most `reach` away.
    pub(super) fn start_within(&self, reach: Real, tri: &Corners) -> Option<Closest> {
        if self.is_apart(reach, tri) {
            return None;
        }
        let closest = closest_on(self.c, tri);
        (closest.distance <= reach).then_some(closest)
    }

    /// In touch at the start. By convexity the distance only ever falls if it falls now, so this is the
    /// whole answer: stopped at once, or never by this triangle.
    pub(super) fn blocked_at_start(
        &self,
        start: &Closest,
        on_triangle: Real,
        tri: &Corners,
    ) -> Option<Touch> {
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

    /// A point against the face alone. Which side of each edge the line passes is decided so that both
    /// triangles of the edge agree, and the point stops `short` of the plane to keep its side.
    pub(super) fn pierce(&self, short: Real, room: Real, tri: &Corners) -> Option<Touch> {
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
