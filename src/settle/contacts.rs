//! Who is around a rolling particle and what it touches. Neighbours are gathered once and serve until it has left them.

use super::ground::{Ground, On, Touch};
use super::looked::{Looked, from_segment};
use crate::collide::balls::{Packs, Seen};
use crate::collide::{Collider, Near, Sweep};
use crate::geom::ROUNDOFF;
use crate::geom::sweep_balls::{TOUCH, passes, sweep_balls};
use crate::math::{Point3, Real, Vec3};

/// How far from the place where neighbours are chosen they may be [radii], and how far from there a particle may be before
/// they are chosen anew: the rest is for its next two pieces.
const REACH: [Real; 2] = [1.0, 0.45];
/// Falls up to this length [radii] need no other balls than those that are known then.
const FALL: Real = 2.0 * REACH[0];
/// The same for the distance of the scenery, as long as that is too near to serve longer.
const CLEAR: [Real; 2] = [3.0, 0.99];
/// No nearer than this [radii] is what neither touches nor stops it on its next two pieces.
const CLOSE: Real = 0.51;
/// Room for rounding where something is left out because it is too far, as a share.
const ROOM: Real = 1e-6;
/// Normals of triangles that differ by less are one contact.
const SAME: Real = 1e-9;
/// A way with no larger cosine into a triangle goes along it.
const ALONG: Real = 1e-9;
/// Rounds over all triangles that are touched; a groove of two degrees needs them.
const LEANS: usize = 1024;

/// What a particle touches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub(super) normal: Vec3,
    pub(super) on: On,
}

impl Contact {
    /// Whether it is with a particle that rolls.
    pub(super) fn rolls(&self, ground: &Ground) -> bool {
        matches!(self.on, On::Ball(row) if ground.rolls(row))
    }
}

/// Neighbours and contacts; memory to be used again.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// The cells that were looked at, and all that lies in them.
    seen: Seen,
    known: Packs,
    /// A place, and how far the scenery is from there, at least [m].
    clear: Option<(Point3, Real)>,
    /// Where neighbours were chosen, and which those are. What the next two pieces may touch is close.
    chosen: Option<Point3>,
    /// Ends of the ways since then that have not been noted yet.
    way: Vec<Point3>,
    neighbours: Packs,
    /// Whether the scenery may be among them, and so near that the next two pieces may touch it.
    scenery: [bool; 2],
    near: Vec<Near>,
    /// Contacts in their order: triangles first, then balls, by identity.
    pub(super) contacts: Vec<Contact>,
    /// Their normals.
    pub(super) normals: Vec<Vec3>,
}

impl Around {
    /// Whether any contact is with a particle that rolls.
    pub(super) fn touches_rolling(&self, ground: &Ground) -> bool {
        self.contacts.iter().any(|c| c.rolls(ground))
    }

    /// Forgets whom it knows. What counted must have been noted.
    pub(super) fn clear(&mut self) {
        debug_assert!(self.way.is_empty());
        self.seen.clear();
        self.known.clear();
        self.clear = None;
        self.chosen = None;
        self.contacts.clear();
        self.normals.clear();
    }

    /// Finds what a ball touches: gaps of at most [`TOUCH`] radii.
    pub(super) fn look(&mut self, ground: &Ground, center: &Point3, radius: Real, looked: &mut Looked) {
        self.went(center);
        if !within(self.chosen.as_ref(), center, REACH[1] * radius) {
            self.note(radius, looked);
            self.went(center);
            self.choose(ground, center, radius);
        }
        self.contacts.clear();
        self.scenery[1] = self.scenery[0] && !self.is_clear(center, (1.0 + CLOSE) * radius);
        if self.scenery[1] {
            self.touch_scenery(ground, center, radius);
        }
        let lanes = ground.balls.lanes();
        self.neighbours
            .look(lanes, center, CLOSE * radius, TOUCH * radius);
        let first = self.contacts.len();
        for n in self.neighbours.touching() {
            self.contacts.push(Contact {
                normal: (center - n.place).try_normalize(0.0).unwrap_or(ground.world.up),
                on: On::Ball(n.row),
            });
        }
        let id = |c: &Contact| match c.on {
            On::Triangle(triangle) => u64::from(triangle),
            On::Ball(row) => ground.spheres.id[row as usize],
        };
        self.contacts[first..].sort_unstable_by_key(id);
        self.normals.clear();
        self.normals.extend(self.contacts.iter().map(|c| c.normal));
    }

    fn touch_scenery(&mut self, ground: &Ground, center: &Point3, radius: Real) {
        ground
            .scenery()
            .near(center, radius * (1.0 + TOUCH), &mut self.near);
        for near in &self.near {
            // The triangles of one plane are one contact.
            let same = |c: &Contact| (c.normal - near.normal).norm_squared() <= SAME * SAME;
            if !self.contacts.iter().any(same) {
                self.contacts.push(Contact {
                    normal: near.normal,
                    on: On::Triangle(near.triangle),
                });
            }
        }
    }

    /// Has come to a place, straight from the last one.
    pub(super) fn went(&mut self, place: &Point3) {
        self.way.push(*place);
    }

    /// Notes the way of a ball of this radius [m] up to here: of all neighbours only those can change it that touch it, and
    /// those that would if they came.
    pub(super) fn note(&mut self, radius: Real, looked: &mut Looked) {
        if let (Some(first), Some(last)) = (self.way.first(), self.way.last()) {
            let along = last - first;
            let beside = |place: &Point3| from_segment(first, &along, place);
            let beside = self.way.iter().map(beside).fold(0.0, Real::max);
            looked.add(*first, along, radius + beside.sqrt());
        }
        self.way.clear();
    }

    /// Chooses neighbours.
    fn choose(&mut self, ground: &Ground, center: &Point3, radius: Real) {
        let reach = (1.0 + REACH[0]) * radius;
        self.gather(ground, center, radius);
        self.chosen = Some(*center);
        self.neighbours.clear();
        let more = REACH[0] * radius;
        self.known.look(ground.balls.lanes(), center, more, more);
        self.known.close().for_each(|n| self.neighbours.push(n));
        let asked = self.clear.as_ref().map(|c| &c.0);
        if !self.is_clear(center, reach) && !within(asked, center, CLEAR[1] * radius) {
            let far = (1.0 + CLEAR[0]) * radius;
            ground.scenery().near(center, far, &mut self.near);
            let clear = self.near.iter().map(|n| n.distance).fold(far, Real::min);
            self.clear = Some((*center, clear));
        }
        self.scenery[0] = !self.is_clear(center, reach);
    }

    /// Gets to know all that is no farther than [`REACH`] from a place.
    fn gather(&mut self, ground: &Ground, center: &Point3, radius: Real) {
        let (balls, spheres) = (ground.balls, &ground.spheres);
        let around = (center, (1.0 + REACH[0]) * radius);
        balls.gather(spheres, around, radius, &mut self.seen, &mut self.known);
    }

    /// Whether it is known that nothing of the scenery is within a distance [m] of a place.
    pub(super) fn is_clear(&self, center: &Point3, reach: Real) -> bool {
        let known = self.clear.map_or(0.0, |(c, clear)| clear - (c - center).norm());
        reach * (1.0 + ROOM) < known
    }

    /// The free share of a short way among the neighbours; those that are too far to be met were left out by the last
    /// look. `falls` leaves out those that are not lower.
    pub(super) fn free_share(&self, ground: &Ground, sweep: &Sweep, falls: bool) -> Real {
        let mut share = 1.0;
        if self.scenery[1]
            && let Some(hit) = ground.scenery().first_touch(sweep)
        {
            share = hit.fraction;
        }
        let ahead = if falls {
            TOUCH * sweep.radius * sweep.along.norm()
        } else {
            0.0
        };
        self.neighbours
            .free_share(ground.balls.lanes(), sweep, ahead, share)
    }

    /// The first touch of a fall, which particles that are not lower do not stop.
    pub(super) fn first_below(&mut self, ground: &Ground, fall: &Sweep) -> Option<Touch> {
        let length = fall.along.norm();
        let ball = self
            .first_known(ground, fall, length)
            .or_else(|| ground.ball_below(fall));
        let way = ball.map_or(Real::INFINITY, |b| b.fraction * length);
        if self.is_clear(&fall.from, fall.radius + way) {
            return ball;
        }
        Ground::first_of(ball, ground.first_triangle(fall))
    }

    /// The first ball that stops a fall, if the fall is short.
    fn first_known(&mut self, ground: &Ground, fall: &Sweep, length: Real) -> Option<Touch> {
        let most = FALL * fall.radius;
        let middle = fall.from - ground.world.up * (0.5 * most);
        self.gather(ground, &middle, fall.radius);
        let ahead = TOUCH * fall.radius * length;
        let inverse = 1.0 / (length * length);
        let mut least = (u64::MAX, u64::MAX, u32::MAX);
        for n in self.known.iter() {
            let m = fall.from - n.place;
            let approach = m.dot(&fall.along);
            if -approach > ahead
                && !passes(&m, approach, inverse, n.reach)
                && let Some(t) = sweep_balls(&m, &fall.along, n.reach)
            {
                least = least.min((t.to_bits(), ground.spheres.id[n.row as usize], n.row));
            }
        }
        let fraction = Real::from_bits(least.0);
        let first = self.known.iter().find(|n| n.row == least.2)?;
        (fraction * length < most * (1.0 - ROOM)).then(|| {
            let out = fall.from + fall.along * fraction - first.place;
            Touch {
                fraction,
                normal: out.try_normalize(0.0).unwrap_or_else(Vec3::y),
                on: On::Ball(first.row),
                depth: 0.0,
            }
        })
    }

    /// `path` leaning away from those touching triangles along which it goes, so that rounding does not press it into
    /// them.
    pub(super) fn lean(&self, path: Vec3, center: &Point3, radius: Real) -> Vec3 {
        // Triangles come first.
        if !matches!(self.contacts.first(), Some(c) if matches!(c.on, On::Triangle(_))) {
            return path;
        }
        let length = path.norm();
        let least = (1e-12 + 16.0 * ROUNDOFF * center.coords.amax().max(radius) / radius) * length;
        let touching = self.contacts.iter().filter(|c| matches!(c.on, On::Triangle(_)));
        let leaning = touching.fold(path, |p, c| {
            let out = p.dot(&c.normal);
            if out < least && out >= -ALONG * length {
                p + c.normal * (least - out)
            } else {
                p
            }
        });
        self.lean_out_of_all(leaning, least, length)
    }

    /// What leans away from one side of a groove leans into the other, and triangles that count as one contact have not
    /// quite one normal: goes on until each is left, by projections in turn (Kaczmarz 1937).
    fn lean_out_of_all(&self, mut path: Vec3, least: Real, length: Real) -> Vec3 {
        for _ in 0..LEANS {
            let mut presses = false;
            for near in &self.near {
                let out = path.dot(&near.normal);
                if out < 0.5 * least && out >= -(ALONG + 2.0 * SAME) * length {
                    path += near.normal * (least - out);
                    presses = true;
                }
            }
            if !presses {
                break;
            }
        }
        path
    }
}

/// Whether a place is at most this far [m] from one that is known.
fn within(known: Option<&Point3>, place: &Point3, far: Real) -> bool {
    known.is_some_and(|c| (c - place).norm_squared() <= far * far)
}
