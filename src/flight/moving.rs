//! Flights among scenery that moves: what stops a leg first, how a touch answers in the frame of its surface, and legs of
//! what a moving surface holds.

use super::{Grip, Leg, free_leg, ride};
use crate::collide::moving::{Blow, Carried, Seat, Way};
use crate::collide::{Collider, Hit, Near, Sweep};
use crate::contact::resting;
use crate::geom::ROUNDOFF;
use crate::material::{Contact, Stick};
use crate::math::{Point3, Real, Vec3};
use crate::state::{Flyer, Status, Tally};
use crate::world::World;

/// Share of the radius with which the way to a touch is looked at again: it bends by less than the rest.
const AGAIN: Real = 0.75;
/// Pieces of a leg in one step at the most: far more than any scene needs.
pub(super) const MOST_PIECES: u32 = 100_000;
/// By how much, as a share of its radius, still surfaces may turn aside one that is carried along them: rounding.
const RUBBED: Real = 1e-9;
/// The share of its radius for which a particle needs room between surfaces that close, or it is crushed.
const LEAST_ROOM: Real = 0.1;
/// The share of its radius down to which one goes on that has room, but touches too often.
const SMALLEST: Real = 1e-7;
/// Cosine below which two surfaces face each other with a particle between them.
const OPPOSITE: Real = -0.7;
/// What is cut by more than this share of its radius is squeezed.
const CUT: Real = 0.01;

/// What stops a leg.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    pub(super) hit: Hit,
    /// Where and when, where it does not follow from the share of the leg.
    pub(super) at: Option<(Point3, Real)>,
    /// Who moves there, and the velocity of its surface [m/s].
    pub(super) mover: Option<(Seat, Vec3)>,
}

impl Stop {
    /// By something that stands still.
    pub(super) fn still(hit: Hit) -> Self {
        Self {
            hit,
            at: None,
            mover: None,
        }
    }

    fn moving(blow: &Blow, span: [Real; 2]) -> Self {
        let duration = span[1] - span[0];
        let seat = Seat {
            mover: blow.mover,
            triangle: blow.triangle,
        };
        Self {
            hit: Hit {
                fraction: if duration > 0.0 {
                    (blow.time - span[0]) / duration
                } else {
                    0.0
                },
                point: blow.point,
                normal: blow.normal,
                feature: blow.feature,
                triangle: blow.triangle,
                depth: blow.depth,
                status: blow.status,
            },
            at: Some((blow.place, blow.time)),
            mover: Some((seat, blow.surface)),
        }
    }

    /// Velocity of the surface [m/s].
    pub(super) fn surface(&self) -> Vec3 {
        self.mover.map_or(Vec3::zeros(), |m| m.1)
    }
}

/// A leg as a question to what moves.
pub(super) fn way(leg: &Leg, sweep: &Sweep) -> Way {
    Way {
        from: sweep.from,
        along: sweep.along,
        radius: sweep.radius,
        span: sweep.span,
        velocity: if leg.even {
            [leg.along / leg.duration; 2]
        } else {
            [leg.start, leg.velocity]
        },
    }
}

/// The first of what stands still and what moves in the way of a leg.
pub(super) fn first_stop(
    world: &World,
    leg: &Leg,
    sweep: &Sweep,
    still: Option<Hit>,
    own: Option<&Carried>,
) -> Option<Stop> {
    let blow = world.movers.first(&way(leg, sweep), own);
    if let Some(hit) = still {
        let time = sweep.span[0] + super::time_to(leg, &leg.start, hit.fraction);
        if blow.is_none_or(|blow| time <= blow.time) {
            let meanwhile = before_return(world, leg, sweep, hit.fraction, time);
            return Some(meanwhile.unwrap_or(Stop::still(hit)));
        }
    }
    let blow = blow?;
    // The way to the touch is not quite that of the leg.
    let along = blow.place - sweep.from;
    let again = Sweep {
        along,
        radius: AGAIN * sweep.radius,
        ..*sweep
    };
    match world.collider.first_touch(&again) {
        Some(hit) if hit.fraction < 1.0 => Some(Stop {
            at: Some((
                sweep.from + along * hit.fraction,
                sweep.span[0] + (blow.time - sweep.span[0]) * hit.fraction,
            )),
            ..Stop::still(hit)
        }),
        _ => Some(Stop::moving(&blow, sweep.span)),
    }
}

/// What moves and comes upon a particle that first goes against its leg, and meets something that stands still when it has
/// returned, at a moment [s]: the straight way shows it there all the time.
fn before_return(world: &World, leg: &Leg, sweep: &Sweep, fraction: Real, time: Real) -> Option<Stop> {
    let [start, _] = sweep.span;
    if leg.even || leg.start.dot(&sweep.along) >= 0.0 || time <= start {
        return None;
    }
    let along = sweep.along * fraction;
    let waits = Way {
        from: sweep.from,
        along,
        radius: sweep.radius,
        span: [start, time],
        velocity: [along / (time - start); 2],
    };
    let blow = world.movers.first(&waits, None)?;
    Some(Stop::moving(&blow, sweep.span))
}

/// How much of a leg may be taken at once.
pub(super) fn longest(world: &World, p: &Flyer, leg: &Leg, time: Real) -> Option<Real> {
    let longest = world.movers.longest(&way(leg, &leg.sweep(p, time)))?;
    (longest < leg.duration).then_some(longest)
}

/// Counts a crossing of what moves on the first part of a way.
pub(super) fn audit(world: &World, sweep: &Sweep, fraction: Real, tally: &mut Tally) {
    let to = sweep.from + sweep.along * fraction;
    let short = super::audit::CROSSING * sweep.radius;
    tally.escapes += u64::from(world.movers.crosses(&sweep.from, &to, sweep.span, short));
}

/// The answer of a surface to a particle that something that moves pushes: nothing holds it. One without room slips.
pub(super) fn answer_to_pushed(contact: Contact, grip: &Grip, by_still: bool) -> Contact {
    if grip.full.is_some() {
        return Contact {
            restitution: 0.0,
            friction: 0.0,
            stick: Stick::Never,
        };
    }
    let pushed = is_pushed(grip, by_still);
    Contact {
        stick: if pushed { Stick::Never } else { contact.stick },
        ..contact
    }
}

/// The answer of a moving surface that would let go at once of what sticks to it: that slides.
#[inline]
pub(super) fn answer_of_steep(
    world: &World,
    p: &Flyer,
    contact: Contact,
    stop: &Stop,
    time: Real,
) -> Contact {
    let Some((seat, _)) = stop.mover else {
        return contact;
    };
    let holds = contact.stick == Stick::Never || ride::is_held(world, p, seat, &stop.hit.normal, time);
    Contact {
        stick: if holds { contact.stick } else { Stick::Never },
        ..contact
    }
}

/// Whether a touch of something that stands still, or moves, does not end a flight, because something pushes the particle.
pub(super) fn is_pushed(grip: &Grip, by_still: bool) -> bool {
    grip.loose || grip.base.is_some() && by_still
}

impl Grip {
    /// Takes note of a surface that holds without a rebound.
    pub(super) fn hold(&mut self, normal: Vec3, friction: Real, mover: Option<(Seat, Vec3)>) {
        match mover {
            Some((seat, _)) => {
                if self.base.is_some_and(|base| base.mover != seat.mover) {
                    self.let_go();
                }
                self.base = Some(seat);
            }
            None => self.walls.add(normal),
        }
        self.holds.add(normal);
        self.friction = friction;
    }

    /// Turns the normals of what moves as that has turned in a span of time [s].
    #[inline]
    pub(super) fn turn_on(&mut self, world: &World, span: [Real; 2]) {
        let Some(seat) = self.base else { return };
        if let [Some(from), Some(to)] = span.map(|time| world.movers.pose(seat, time)) {
            let walls = self.walls;
            self.holds.turn(|n| {
                if walls.normals().contains(n) {
                    return *n;
                }
                let turned = to.turned(&from.turned_back(n));
                turned.try_normalize(0.0).unwrap_or(*n)
            });
        }
    }

    /// The particle has moved on.
    pub(super) fn let_go(&mut self) {
        self.holds.clear();
        self.walls.clear();
        self.base = None;
        self.carried = None;
    }
}

/// The leg of a particle that may be held, among what moves.
pub(super) fn next_leg(world: &World, p: &Flyer, grip: &mut Grip, time: Real, end: Real) -> Leg {
    grip.carried = None;
    let dt = end - time;
    if grip.holds.normals().is_empty() || dt <= 0.0 {
        return free_leg(world, p, time, end);
    }
    let probe = Leg {
        along: p.velocity * dt,
        start: p.velocity,
        velocity: p.velocity,
        duration: dt,
        rests: false,
        goes_on: false,
        even: false,
    };
    let dt = longest(world, p, &probe, time).unwrap_or(dt);
    let push = world.forces.at(&p.position, time, p.key);
    let acceleration = (push.velocity_after(&p.velocity, dt) - p.velocity) / dt;
    let leg = slide_along(world, p, grip, &acceleration, [time, time + dt])
        .unwrap_or_else(|| slide_on_still(p, grip, &acceleration, dt));
    Leg {
        goes_on: !leg.rests && time + leg.duration < end,
        ..leg
    }
}

/// The leg of a particle that a moving surface holds, in the frame of that; `None` where none does.
fn slide_along(
    world: &World,
    p: &Flyer,
    grip: &mut Grip,
    acceleration: &Vec3,
    [time, end]: [Real; 2],
) -> Option<Leg> {
    let seat = grip.base?;
    let dt = end - time;
    let [a, b] = world.movers.instants(seat, [time, end])?;
    let from = a.pose.to_body(&p.position);
    let carried = b.pose.to_world(&from);
    let surface = [a.velocity_at(&p.position), b.velocity_at(&carried)];
    let own = p.velocity - surface[0];
    let felt = acceleration - (surface[1] - surface[0]) / dt;
    let slide = resting::slide(&grip.holds, &own, &felt, grip.friction, dt, grip.least_rebound);
    let clings = slide.rests && grip.loose;
    let duration = if clings { dt } else { slide.duration };
    let way = if clings {
        Vec3::zeros()
    } else {
        grip.holds
            .lean_out((own + slide.velocity) * (0.5 * slide.duration), lean(p))
    };
    let along = a.pose.turned_back(&way);
    // The end of the slide may come before that of the even motion.
    let b = if duration < dt {
        world.movers.instants(seat, [time, time + duration])?[1]
    } else {
        b
    };
    let to = b.pose.to_world(&(from + along));
    let way = to - p.position;
    let kept_out = grip.walls.lean_out(way, lean(p));
    // Where something that stands still is in its way, what pushes it must be asked as all others are.
    let is_free = (kept_out - way).norm() <= RUBBED * p.radius;
    grip.carried = is_free.then_some(Carried {
        mover: seat.mover,
        from,
        along,
    });
    Some(Leg {
        along: kept_out,
        start: p.velocity,
        velocity: b.velocity_at(&to) + b.pose.turned(&a.pose.turned_back(&slide.velocity)),
        duration,
        rests: slide.rests && !clings,
        goes_on: false,
        even: !is_free && duration > 0.0,
    })
}

fn slide_on_still(p: &Flyer, grip: &Grip, acceleration: &Vec3, dt: Real) -> Leg {
    let slide = resting::slide(
        &grip.holds,
        &p.velocity,
        acceleration,
        grip.friction,
        dt,
        grip.least_rebound,
    );
    if slide.rests && grip.loose {
        return Leg {
            along: Vec3::zeros(),
            start: Vec3::zeros(),
            velocity: Vec3::zeros(),
            duration: dt,
            rests: false,
            goes_on: false,
            even: false,
        };
    }
    let along = (p.velocity + slide.velocity) * (0.5 * slide.duration);
    Leg {
        along: grip.holds.lean_out(along, lean(p)),
        start: p.velocity,
        velocity: slide.velocity,
        duration: slide.duration,
        rests: slide.rests,
        goes_on: false,
        even: false,
    }
}

/// See the legs of what is held by still scenery.
fn lean(p: &Flyer) -> Real {
    1e-12 + 64.0 * ROUNDOFF * p.position.coords.amax().max(p.radius) / p.radius
}

/// A particle has come to lie within a step: carries it through the rest of it, or lets it wait there. False when that cannot
/// be: then it is in the air again, and nothing holds it until the step is over.
pub(super) fn keep(world: &World, p: &mut Flyer, grip: &mut Grip, span: [Real; 2]) -> bool {
    let normal = p.normal;
    let seat = world.movers.seat(p.triangle);
    let kept = match seat {
        Some(seat) if p.status != Status::Flowing && !ride::is_held(world, p, seat, &normal, span[0]) => None,
        Some(seat) => ride::carried(world, p, seat, span),
        None => ride::stays(world, p, span).then_some(p.position),
    };
    if let Some(place) = kept {
        p.position = place;
        if let Some(seat) = seat
            && let [Some(from), Some(to)] = span.map(|time| world.movers.pose(seat, time))
        {
            let turned = to.turned(&from.turned_back(&normal));
            p.normal = turned.try_normalize(0.0).unwrap_or(normal);
        }
        return true;
    }
    let surface = seat.map(|seat| (seat, world.movers.velocity_at(seat, &p.position, span[0])));
    p.status = Status::Airborne;
    p.velocity = surface.map_or(Vec3::zeros(), |s| s.1);
    p.normal = Vec3::zeros();
    grip.loose = true;
    let friction = ride::contact(world, p).map_or(0.0, |c| c.friction);
    grip.hold(normal, friction, surface);
    false
}

/// What becomes of a particle that touches more often than `limits.contacts_per_step` allows, from one moment [s] on to the end
/// of its step; false when that ends there.
///
/// Among surfaces of which some move it goes on with half of its radius, for there may be no room for more. One
/// between surfaces that leave none for a tenth of it is crushed, and one that would be carried through another.
pub(super) fn goes_on_smaller(
    world: &World,
    p: &mut Flyer,
    grip: &mut Grip,
    [time, end]: [Real; 2],
    tally: &mut Tally,
) -> bool {
    if world.movers.is_empty() {
        tally.contact_limit += 1;
        return false;
    }
    let full = *grip.full.get_or_insert(p.radius);
    let base = grip.base;
    p.radius *= 0.5;
    grip.let_go();
    grip.loose = true;
    if p.radius > full * LEAST_ROOM {
        return true;
    }
    if is_between(world, p, time) {
        return crushed(p, tally);
    }
    if p.radius > full * SMALLEST {
        return true;
    }
    // It goes on with what it lay on, if nothing is in the way.
    let from = p.position;
    if let Some(seat) = base
        && let [Some(then), Some(last)] = [time, end].map(|t| world.movers.pose(seat, t))
    {
        p.position = last.to_world(&then.to_body(&from));
    }
    let moved = world.movers.crosses(&from, &p.position, [time, end], 0.0);
    if moved || world.collider.crosses(&from, &p.position) {
        return crushed(p, tally);
    }
    false
}

/// Ends a particle that has no room; false, for it goes no further.
pub(super) fn crushed(p: &mut Flyer, tally: &mut Tally) -> bool {
    p.status = Status::Died;
    tally.crushed += 1;
    false
}

/// Whether surfaces on opposite sides of a particle are as near as twice its radius at a moment [s].
fn is_between(world: &World, p: &Flyer, time: Real) -> bool {
    let mut near = Vec::new();
    world.at(time).near(&p.position, 2.0 * p.radius, &mut near);
    let faces = |a: &Near| near.iter().any(|b| a.normal.dot(&b.normal) < OPPOSITE);
    near.iter().any(faces)
}

/// Gives a particle its radius back at the end of a step [s], and counts it if it has no room for it.
pub(super) fn regrow(world: &World, p: &mut Flyer, grip: &Grip, end: Real, tally: &mut Tally) {
    let Some(full) = grip.full else { return };
    p.radius = full;
    if p.status.is_gone() {
        return;
    }
    let cut = world.at(end).deepest_overlap(&p.position, full);
    if cut.is_some_and(|o| o.depth > CUT * full) {
        tally.squeezed += 1;
    } else {
        tally.contact_limit += 1;
    }
}
