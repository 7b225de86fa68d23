//! A mesh that changes its shape: every triangle's corners go straight through each stretch of time.
//!
//! A tree holds the boxes of all that a triangle sweeps in a stretch; it is made when the stretch is first asked for, and
//! is a function of the stretch alone. A ball that touches a triangle already is not stopped unless it comes nearer on its
//! way; beyond, it is followed with as much of its radius as it has room for.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Blow, Carried, Way};
use crate::bvh::{Bvh, NONE, Path};
use crate::collide::{Hit, HitStatus, Near, Overlap, Sweep};
use crate::geom::closest_point::closest_point;
use crate::geom::moving::point::point_meets_triangle;
use crate::geom::moving::sphere::{MovingSphere, first_contact};
use crate::geom::moving::{MovingTriangle, weights};
use crate::geom::parabola::time_along;
use crate::geom::segment_triangle::segment_triangle;
use crate::geom::sorted_corners;
use crate::geom::sweep_exact::sweep_before;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::motion::{Instant, Morph, Stretch};

/// A gap of this many radii that does not close at once is kept: much nearer, to look from moment to moment takes many looks.
const GAP: Real = 1e-3;
/// What does not come nearer by this many radii on a way does not come nearer.
const CLOSES: Real = 1e-4;

/// A mesh that changes its shape.
pub struct Cloth {
    morph: Arc<Morph>,
    /// Corners of each triangle.
    corners: Vec<[u32; 3]>,
    triangles: Range<u32>,
    swept: Vec<OnceLock<Swept>>,
}

/// What the triangles sweep in one stretch.
struct Swept {
    tree: Bvh,
    bounds: Aabb,
}

impl Cloth {
    /// Of triangles by their corners' numbers; `first`: number of the first in the world.
    pub fn new(morph: Arc<Morph>, corners: Vec<[u32; 3]>, first: u32) -> Self {
        let mut swept = Vec::new();
        swept.resize_with(morph.stretches(), OnceLock::new);
        Self {
            triangles: first..first + corners.len() as u32,
            corners,
            morph,
            swept,
        }
    }

    /// Numbers of its triangles in the world.
    pub(super) fn triangles(&self) -> Range<u32> {
        self.triangles.clone()
    }

    pub(super) fn bounds_of_all(&self) -> Aabb {
        let shapes = (0..self.morph.stretches()).map(|s| Aabb::around(self.morph.shape(s)));
        shapes.fold(Aabb::EMPTY, |all, b| all.union(&b))
    }

    pub(super) fn even_until(&self, time: Real) -> Real {
        let (_, stretch) = self.morph.stretch(time);
        let end = stretch.span[1];
        // At a moment itself rounding may show the one before.
        if end <= time * (1.0 + 1e-12) {
            self.morph
                .stretch(end + 1e-9 * stretch.duration().min(1.0))
                .1
                .span[1]
        } else {
            end
        }
    }

    /// The stretch that a span of time lies in: its middle is on no border.
    fn stretch(&self, span: [Real; 2]) -> (&Swept, Stretch) {
        let (number, stretch) = self.morph.stretch(0.5 * (span[0] + span[1]));
        let swept = self.swept[number].get_or_init(|| {
            let [a, b] = stretch.shapes.map(|s| self.morph.shape(s));
            let boxes: Vec<Aabb> = self
                .corners
                .iter()
                .map(|t| Aabb::around(t.iter().flat_map(|&i| [&a[i as usize], &b[i as usize]])))
                .collect();
            Swept {
                tree: Bvh::build(&boxes),
                bounds: boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b)),
            }
        });
        (swept, stretch)
    }

    /// Corners of a triangle, numbered from 0, at a moment [s] of a stretch.
    fn at(&self, number: u32, stretch: &Stretch, time: Real) -> [Point3; 3] {
        let [from, to] = stretch.shapes.map(|s| self.morph.shape(s));
        let share = stretch.share(time);
        self.corners[number as usize].map(|i| {
            let (a, b) = (from[i as usize], to[i as usize]);
            a + (b - a) * share
        })
    }

    fn moving(&self, number: u32, stretch: &Stretch, span: [Real; 2]) -> MovingTriangle {
        let [from, to] = span.map(|time| self.at(number, stretch, time));
        MovingTriangle { from, to }
    }

    /// The frame of a triangle at a moment [s] of an even motion.
    pub(super) fn instant(&self, triangle: u32, span: [Real; 2], time: Real) -> Option<Instant> {
        let number = triangle.checked_sub(self.triangles.start)?;
        let ends = self.corners.get(number as usize)?;
        let (_, stretch) = self.stretch(span);
        let [from, to] = stretch.shapes.map(|s| self.morph.shape(s));
        let moves = ends.map(|i| stretch.velocity(&from[i as usize], &to[i as usize]));
        Some(Instant::of_triangle(&self.at(number, &stretch, time), &moves))
    }

    pub(super) fn may_meet(&self, region: &Aabb, span: [Real; 2]) -> bool {
        let mut time = span[0];
        loop {
            let next = self.even_until(time).min(span[1]);
            let bounds = &self.stretch([time, next]).0.bounds;
            if (0..3).all(|i| bounds.min[i] <= region.max[i] && bounds.max[i] >= region.min[i]) {
                return true;
            }
            if next >= span[1] {
                return false;
            }
            time = next;
        }
    }

    /// Ways through even motion are as straight here as in the world; only what changes speed bends against the surface.
    pub(super) fn bend(&self, way: &Way, duration: Real) -> Real {
        let [start, end] = way.span;
        let share = if end > start {
            duration / (end - start)
        } else {
            0.0
        };
        (way.velocity[1] - way.velocity[0]).norm() * share * duration / 8.0
    }

    /// Calls `each` with every triangle, numbered from 0, whose sweep a ball may meet.
    fn visit(&self, swept: &Swept, from: &Point3, along: &Vec3, radius: Real, mut each: impl FnMut(u32)) {
        let path = Path {
            from: *from,
            along: *along,
            radius,
        };
        swept.tree.walk(&path, 1.0, |slots, best| {
            for slot in slots {
                let number = swept.tree.order()[slot as usize];
                if number != NONE {
                    each(number);
                }
            }
            best
        });
    }

    pub(super) fn first(&self, way: &Way, mover: u32, _: Option<&Carried>) -> Option<Blow> {
        let (swept, stretch) = self.stretch(way.span);
        let mut first: Option<(Real, u32, Met)> = None;
        self.visit(swept, &way.from, &way.along, way.radius, |number| {
            let tri = self.moving(number, &stretch, way.span);
            let latest = first.as_ref().map_or(1.0, |f| f.0);
            if let Some(met) = meet(way, &tri, latest) {
                let key = (met.time, number);
                if first.as_ref().is_none_or(|f| key < (f.0, f.1)) {
                    first = Some((met.time, number, met));
                }
            }
        });
        let (_, number, met) = first?;
        let [start, end] = way.span;
        let time = start + (end - start) * met.time;
        Some(Blow {
            time,
            place: met.place,
            point: met.point,
            normal: met.normal,
            feature: met.feature,
            triangle: self.triangles.start + number,
            depth: met.depth,
            status: if met.depth > 0.0 {
                HitStatus::StartedInside
            } else {
                HitStatus::Clean
            },
            mover,
            surface: met.surface / (end - start).max(Real::MIN_POSITIVE),
        })
    }

    pub(super) fn crosses(&self, from: &Point3, to: &Point3, span: [Real; 2], short: Real) -> bool {
        let (swept, stretch) = self.stretch(span);
        let mut crossed = false;
        self.visit(swept, from, &(to - from), 0.0, |number| {
            if crossed {
                return;
            }
            let tri = self.moving(number, &stretch, span);
            crossed = point_meets_triangle(from, to, &tri).is_some_and(|c| !c.grazing)
                && !ends_on(&tri, from, to, short);
        });
        crossed
    }

    /// The first touch of a sweep as if it stood where it is at a moment [s].
    pub(super) fn first_at(&self, sweep: &Sweep, time: Real) -> Option<Hit> {
        let (swept, stretch) = self.stretch([time; 2]);
        let mut first: Option<Hit> = None;
        self.visit(swept, &sweep.from, &sweep.along, sweep.radius, |number| {
            let corners = self.at(number, &stretch, time);
            let latest = first.as_ref().map_or(1.0, |f| f.fraction);
            let Some(touch) = sweep_before(&sweep.from, &sweep.along, sweep.radius, 0.0, &corners, latest)
            else {
                return;
            };
            let triangle = self.triangles.start + number;
            let key = (touch.t.to_bits(), triangle);
            if first
                .as_ref()
                .is_none_or(|f| key < (f.fraction.to_bits(), f.triangle))
            {
                first = Some(Hit {
                    fraction: touch.t,
                    point: touch.point,
                    normal: touch.normal,
                    feature: touch.feature,
                    triangle,
                    depth: touch.depth,
                    status: if touch.t == 0.0 {
                        HitStatus::StartedInside
                    } else {
                        HitStatus::Clean
                    },
                });
            }
        });
        first
    }

    pub(super) fn crosses_at(&self, from: &Point3, to: &Point3, time: Real) -> bool {
        let (swept, stretch) = self.stretch([time; 2]);
        let along = to - from;
        let mut crossed = false;
        self.visit(swept, from, &along, 0.0, |number| {
            let corners = self.at(number, &stretch, time);
            let sorted = sorted_corners(&corners).map(|i| corners[usize::from(i)]);
            crossed |= segment_triangle(from, &along, &sorted).is_some();
        });
        crossed
    }

    pub(super) fn deepest_overlap(&self, center: &Point3, radius: Real, time: Real) -> Option<Overlap> {
        let mut found = Vec::new();
        self.add_near(center, radius, time, &mut found);
        let deeper = |a: &Near, b: &Near| {
            a.distance
                .total_cmp(&b.distance)
                .then(a.triangle.cmp(&b.triangle))
        };
        let near = found.into_iter().min_by(deeper)?;
        let depth = radius - near.distance;
        (depth > 0.0).then_some(Overlap {
            depth,
            normal: near.normal,
            triangle: near.triangle,
        })
    }

    pub(super) fn add_near(&self, center: &Point3, reach: Real, time: Real, found: &mut Vec<Near>) {
        let (swept, stretch) = self.stretch([time; 2]);
        let first = found.len();
        self.visit(swept, center, &Vec3::zeros(), reach, |number| {
            let corners = self.at(number, &stretch, time);
            let closest = closest_point(center, &corners);
            if closest.distance <= reach {
                let [a, b, c] = &corners;
                let face = || (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::y);
                found.push(Near {
                    distance: closest.distance,
                    point: closest.point,
                    normal: (center - closest.point).try_normalize(0.0).unwrap_or_else(face),
                    triangle: self.triangles.start + number,
                });
            }
        });
        found[first..].sort_unstable_by_key(|n| n.triangle);
    }
}

/// Whether a way begins or ends within `short` [m] of a triangle.
fn ends_on(tri: &MovingTriangle, from: &Point3, to: &Point3, short: Real) -> bool {
    closest_point(from, &tri.from).distance <= short || closest_point(to, &tri.to).distance <= short
}

/// A ball that meets a triangle.
struct Met {
    /// Share of the time.
    time: Real,
    place: Point3,
    point: Point3,
    normal: Vec3,
    feature: crate::geom::Feature,
    depth: Real,
    /// Displacement of the surface there through the whole time [m].
    surface: Vec3,
}

/// When a ball meets a moving triangle on its way, not after a share of the time.
fn meet(way: &Way, tri: &MovingTriangle, latest: Real) -> Option<Met> {
    let to = way.from + way.along;
    let closest = closest_point(&way.from, &tri.from);
    let depth = way.radius - closest.distance;
    let mut radius = way.radius;
    if depth > -GAP * way.radius {
        let surface = tri.displacement_at(0.0, &closest.point);
        let relative = way.along - surface;
        let normal = closest
            .offset
            .try_normalize(1e-12 * way.radius)
            .or_else(|| (-relative).try_normalize(0.0))?;
        if depth >= -CLOSES * way.radius && -normal.dot(&relative) > CLOSES * way.radius {
            return Some(met_at_start(
                way,
                tri,
                &closest.point,
                normal,
                surface,
                (depth.max(0.0), closest.feature),
            ));
        }
        if -normal.dot(&relative) <= CLOSES * way.radius {
            radius = closest.distance.min(way.radius) - GAP * closest.distance.min(way.radius);
        }
    }
    let sphere = MovingSphere {
        from: way.from,
        to,
        radius,
    };
    let contact = first_contact(&sphere, tri, 0.0, latest)?;
    Some(Met {
        time: contact.t,
        place: way.from + way.along * contact.t,
        point: contact.point,
        normal: contact.normal,
        feature: contact.feature,
        depth: 0.0,
        surface: tri.displacement_at(contact.t, &contact.point),
    })
}

/// A ball that touches at the start and comes nearer on the whole. If it leaves at first, it comes back: see the legs of a
/// flight.
fn met_at_start(
    way: &Way,
    tri: &MovingTriangle,
    point: &Point3,
    normal: Vec3,
    surface: Vec3,
    (depth, feature): (Real, crate::geom::Feature),
) -> Met {
    let duration = (way.span[1] - way.span[0]).max(Real::MIN_POSITIVE);
    let moves = surface / duration;
    let [start, end] = way.velocity.map(|v| v - moves);
    let spent = time_along(&(way.along - surface), &start, &end, duration, 0.0);
    let share = spent / duration;
    let weights = weights(&tri.from, point);
    let now = tri.at(share);
    let there =
        Point3::from(now[0].coords * weights[0] + now[1].coords * weights[1] + now[2].coords * weights[2]);
    Met {
        time: share,
        place: there + (way.from - point),
        point: there,
        normal,
        feature,
        depth,
        surface,
    }
}
