//! A mesh that moves as a whole: its triangles stand still in its own frame, behind the tree and the exact sweep that all
//! still scenery has.

use std::ops::Range;
use std::sync::Arc;

use super::{Blow, Carried, Way};
use crate::collide::grid::Guarded;
use crate::collide::{Collider, Hit, Near, Overlap, Sweep};
use crate::geom::parabola::time_along;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::motion::{Instant, Track};

/// How far an arc of a tenth of a radian rises over its chord, as a share of its radius, and a little more.
const ARC: Real = 0.0013;
/// What a box is widened by for rounding, as a share of its largest coordinate.
const ROOM: Real = 1e-12;
/// Steps whose boxes are worked out in advance at the most.
const KEPT: u64 = 1 << 16;

/// A rigid mesh and its way.
pub struct Body {
    track: Arc<Track>,
    solid: Guarded,
    triangles: Range<u32>,
    /// Box around it in its own frame [m].
    bounds: Aabb,
    step: Real,
    /// Box around it through each step [m].
    boxes: Vec<Aabb>,
}

impl Body {
    /// Of a mesh in its own frame, which is the world at rest. `first`: number of its first triangle in the world; `bounds`:
    /// box around it [m]; `step` [s], and how many steps are asked for.
    pub fn new(
        track: Arc<Track>,
        solid: Guarded,
        triangles: Range<u32>,
        bounds: Aabb,
        step: Real,
        steps: u64,
    ) -> Self {
        let mut body = Self {
            track,
            solid,
            triangles,
            bounds,
            step,
            boxes: Vec::new(),
        };
        let span = |i: u64| [i as Real * step, (i + 1) as Real * step];
        body.boxes = (0..steps.min(KEPT)).map(|i| body.swept(span(i))).collect();
        body
    }

    /// Its way.
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// Numbers of its triangles in the world.
    pub fn triangles(&self) -> Range<u32> {
        self.triangles.clone()
    }

    /// Its triangles in its own frame, numbered from 0.
    pub fn solid(&self) -> &Guarded {
        &self.solid
    }

    /// Box around it at a moment [s].
    pub fn bounds_at(&self, time: Real) -> Aabb {
        let pose = self.track.pose(time);
        let corner = |k: usize| {
            let pick = |axis: usize| {
                if k >> axis & 1 == 1 {
                    self.bounds.max[axis]
                } else {
                    self.bounds.min[axis]
                }
            };
            pose.to_world(&Point3::new(pick(0), pick(1), pick(2)))
        };
        (0..8).fold(Aabb::EMPTY, |b, k| b.grow(&corner(k)))
    }

    /// Box around all places that it comes to in the steps that were asked for [m].
    pub(super) fn bounds_of_all(&self) -> Aabb {
        (self.boxes.iter()).fold(Aabb::EMPTY, |all, b| all.union(b))
    }

    /// Box around all places that it comes to in a span of time [s].
    fn swept(&self, [start, end]: [Real; 2]) -> Aabb {
        if self.bounds.is_empty() {
            return Aabb::EMPTY;
        }
        let mut all = self.bounds_at(start).union(&self.bounds_at(end));
        let mut time = self.track.even_until(start);
        while time < end {
            all = all.union(&self.bounds_at(time));
            time = self.track.even_until(time);
        }
        let size = all.min.coords.amax().max(all.max.coords.amax());
        let center = self.track.pose(start).center();
        let reach = all.extent().norm() + (all.center() - center).norm();
        all.inflated(ARC * reach + ROOM * size)
    }

    /// Whether it may come into a region in a span of time [s].
    pub(super) fn may_meet(&self, region: &Aabb, span: [Real; 2]) -> bool {
        let first = (span[0] / self.step) as usize;
        // One step more where rounding may put the end of a span into the next.
        let last = (span[1] / self.step) as usize;
        let kept = self.boxes.get(first..=last);
        let meets = |b: &Aabb| (0..3).all(|i| b.min[i] <= region.max[i] && b.max[i] >= region.min[i]);
        match kept {
            Some(boxes) => boxes.iter().any(meets),
            None => meets(&self.swept(span)),
        }
    }

    /// See [`Track::even_until`].
    pub(super) fn even_until(&self, time: Real) -> Real {
        self.track.even_until(time)
    }

    /// How far the first piece of a way, of a duration [s] in even motion, bends away from the straight one in this frame [m].
    pub(super) fn bend(&self, way: &Way, duration: Real) -> Real {
        let [start, end] = way.span;
        let share = if end > start {
            duration / (end - start)
        } else {
            0.0
        };
        let velocity = way.velocity[0] + (way.velocity[1] - way.velocity[0]) * share;
        let along = (way.velocity[0] + velocity) * (0.5 * duration);
        let piece = Way {
            along,
            span: [start, start + duration],
            velocity: [way.velocity[0], velocity],
            ..*way
        };
        let seen = Seen::new(&self.track, &piece);
        (seen.velocity[1] - seen.velocity[0]).norm() * duration / 8.0
    }

    /// See [`super::Movers::free_share`].
    pub(super) fn free_share(&self, way: &Way, step: Real) -> Real {
        if self.solid.fields().is_empty() {
            return Real::INFINITY;
        }
        let seen = Seen::new(&self.track, way);
        let rest = way.span[1] - way.span[0];
        let free = (self.solid).free_way(&seen.from, &seen.along, way.radius, rest, step);
        let length = seen.along.norm();
        if free == Real::INFINITY || free >= length {
            // In its reach, or the field would not be asked what it makes of the velocity.
            return if free == Real::INFINITY { free } else { 1.0 };
        }
        free / length
    }

    /// See [`super::Movers::respond`].
    pub(super) fn respond(
        &self,
        p: &Point3,
        velocity: &Vec3,
        radius: Real,
        span: [Real; 2],
        step: Real,
    ) -> Option<Vec3> {
        if self.solid.fields().is_empty() {
            return None;
        }
        let [now, _] = self.track.instants(span);
        let surface = now.velocity_at(p);
        let own = now.pose.turned_back(&(velocity - surface));
        let felt = (self.solid).respond(&now.pose.to_body(p), &own, radius, span[1] - span[0], step)?;
        Some(now.pose.turned(&felt) + surface)
    }

    pub(super) fn first(&self, way: &Way, number: u32, known: Option<&Carried>) -> Option<Blow> {
        let mut seen = Seen::new(&self.track, way);
        if let Some(known) = known {
            (seen.from, seen.along) = (known.from, known.along);
        }
        let hit = self.solid.first_touch(&Sweep {
            from: seen.from,
            along: seen.along,
            radius: way.radius,
            span: way.span,
        })?;
        Some(self.blow(way, &seen, &hit, number))
    }

    fn blow(&self, way: &Way, seen: &Seen, hit: &Hit, number: u32) -> Blow {
        let [start, end] = way.span;
        let spent = time_along(
            &seen.along,
            &seen.velocity[0],
            &seen.velocity[1],
            end - start,
            hit.fraction,
        );
        let time = (start + spent).clamp(start, end);
        let [at, _] = self.track.instants([time, end]);
        let place = seen.from + seen.along * hit.fraction;
        let point = at.pose.to_world(&hit.point);
        Blow {
            time,
            place: at.pose.to_world(&place),
            point,
            normal: at.pose.turned(&hit.normal),
            feature: hit.feature,
            triangle: self.triangles.start + hit.triangle,
            depth: hit.depth,
            status: hit.status,
            mover: number,
            surface: at.velocity_at(&point),
        }
    }

    /// The first touch of a sweep as if it stood where it is at a moment [s].
    pub(super) fn first_at(&self, sweep: &Sweep, time: Real) -> Option<Hit> {
        let pose = self.track.pose(time);
        let hit = self.solid.first_touch(&Sweep {
            from: pose.to_body(&sweep.from),
            along: pose.turned_back(&sweep.along),
            ..*sweep
        })?;
        Some(Hit {
            point: pose.to_world(&hit.point),
            normal: pose.turned(&hit.normal),
            triangle: self.triangles.start + hit.triangle,
            ..hit
        })
    }

    /// Whether a segment meets it as it stands at a moment [s].
    pub(super) fn crosses_at(&self, from: &Point3, to: &Point3, time: Real) -> bool {
        let pose = self.track.pose(time);
        self.solid.crosses(&pose.to_body(from), &pose.to_body(to))
    }

    pub(super) fn crosses(&self, from: &Point3, to: &Point3, span: [Real; 2], short: Real) -> bool {
        let [a, b] = self.track.instants(span);
        let (from, to) = (a.pose.to_body(from), b.pose.to_body(to));
        let way = to - from;
        let length = way.norm();
        length > short && self.solid.crosses(&from, &(from + way * (1.0 - short / length)))
    }

    pub(super) fn deepest_overlap(&self, center: &Point3, radius: Real, time: Real) -> Option<Overlap> {
        let pose = self.track.pose(time);
        let found = self.solid.deepest_overlap(&pose.to_body(center), radius)?;
        Some(Overlap {
            normal: pose.turned(&found.normal),
            triangle: self.triangles.start + found.triangle,
            ..found
        })
    }

    pub(super) fn add_near(&self, center: &Point3, reach: Real, time: Real, found: &mut Vec<Near>) {
        let pose = self.track.pose(time);
        let mut own = Vec::new();
        self.solid.near(&pose.to_body(center), reach, &mut own);
        found.extend(own.iter().map(|n| Near {
            distance: n.distance,
            point: pose.to_world(&n.point),
            normal: pose.turned(&n.normal),
            triangle: self.triangles.start + n.triangle,
        }));
    }
}

/// A way as it is seen from a body.
struct Seen {
    from: Point3,
    along: Vec3,
    /// Velocities at the start and the end, each in the frame of its moment [m/s].
    velocity: [Vec3; 2],
}

impl Seen {
    fn new(track: &Track, way: &Way) -> Self {
        let [a, b] = track.instants(way.span);
        let to = way.from + way.along;
        let from = a.pose.to_body(&way.from);
        let relative = |at: &Instant, p: &Point3, v: &Vec3| at.pose.turned_back(&(v - at.velocity_at(p)));
        Self {
            along: b.pose.to_body(&to) - from,
            from,
            velocity: [
                relative(&a, &way.from, &way.velocity[0]),
                relative(&b, &to, &way.velocity[1]),
            ],
        }
    }
}
