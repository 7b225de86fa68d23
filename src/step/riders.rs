//! What lies while scenery moves: it rides on what it lies on, is let go where that no longer holds it, and is pushed by what
//! comes upon it.
//!
//! Places are kept in the frame of what carries them, so that no rounding adds up, however long the ride. What a step does to
//! one row depends on no other row, except on whom a particle lies.

use rayon::prelude::*;

use crate::collide::balls::Balls;
use crate::collide::moving::Seat;
use crate::flight::ride::{carried, is_held, stays};
use crate::geom::sweep_balls::TOUCH;
use crate::math::{Real, Vec3};
use crate::state::{Flyer, NO_TRIANGLE, ON_PARTICLE, Particles, Ride, State, Status};
use crate::world::World;

/// Rows that one task looks at.
const CHUNK: usize = 256;

/// What a step does to one that lies.
enum Fate {
    Stays,
    /// It is carried to another place.
    Rides(Flyer),
    /// Nothing holds it any more.
    Shaken(Flyer),
    /// Something comes upon it.
    Pushed(Flyer),
}

/// Moves all that lies through a span of time [s]; returns the rows of those that lie no more, with where they lay.
pub(super) fn carry(world: &World, state: &mut State, balls: Option<&Balls>, span: [Real; 2]) -> Vec<usize> {
    if world.movers.is_empty() {
        return Vec::new();
    }
    find_carriers(world, &mut state.particles, balls, span[0]);
    let particles = &state.particles;
    let fates: Vec<(usize, Fate)> = (0..particles.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .filter(|&row| lies(particles.status[row]))
        .map(|row| (row, fate(world, particles, row, span)))
        .filter(|(_, fate)| !matches!(fate, Fate::Stays))
        .collect();
    let mut woken = Vec::new();
    for (row, fate) in fates {
        let p = match fate {
            Fate::Stays => continue,
            Fate::Rides(p) => {
                state.particles.set_flyer(row, &p);
                continue;
            }
            Fate::Shaken(p) => {
                state.tally.shaken += 1;
                p
            }
            Fate::Pushed(p) => {
                state.tally.pushed += 1;
                p
            }
        };
        state.particles.set_flyer(row, &p);
        state.particles.ride[row] = Ride::default();
        woken.push(row);
    }
    woken
}

/// How many ride on something that moves.
pub fn riding(particles: &Particles) -> u64 {
    let rides = particles.ride.iter().zip(&particles.status);
    let on_mover = |r: &Ride| r.mover != Ride::STANDING && r.mover != Ride::UNKNOWN;
    rides.filter(|(r, s)| on_mover(r) && lies(**s)).count() as u64
}

fn lies(status: Status) -> bool {
    status.is_settled() || matches!(status, Status::Rolling | Status::Flowing)
}

/// Finds out on whom those lie who have come to lie or moved since the last look.
fn find_carriers(world: &World, p: &mut Particles, balls: Option<&Balls>, time: Real) {
    p.ride.resize(p.len(), Ride::default());
    let known = |row: usize| {
        let ride = &p.ride[row];
        match ride.mover {
            Ride::UNKNOWN => false,
            Ride::STANDING => ride.place == p.position[row],
            _ => (world.movers.pose(seat(ride), time))
                .is_some_and(|pose| pose.to_world(&ride.place) == p.position[row]),
        }
    };
    let mut new: Vec<(u64, usize)> = (0..p.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .filter(|&row| lies(p.status[row]) && !known(row))
        .map(|row| {
            (
                super::heaps::ascending(p.position[row].coords.dot(&world.up)),
                row,
            )
        })
        .collect();
    // From below, so that on whom one lies is known before it.
    new.par_sort_unstable();
    for (_, row) in new {
        let on = match p.triangle[row] {
            NO_TRIANGLE => None,
            ON_PARTICLE => balls.and_then(|balls| under(world, p, balls, row)),
            triangle => world.movers.seat(triangle),
        };
        let frame = on.and_then(|seat| Some((seat, world.movers.pose(seat, time)?)));
        p.ride[row] = match frame {
            Some((seat, pose)) => {
                let place = pose.to_body(&p.position[row]);
                // What the frame makes of the place is what the next look compares with.
                p.position[row] = pose.to_world(&place);
                Ride {
                    mover: seat.mover,
                    triangle: seat.triangle,
                    place,
                    normal: pose.turned_back(&p.normal[row]),
                }
            }
            None => Ride {
                mover: Ride::STANDING,
                triangle: NO_TRIANGLE,
                place: p.position[row],
                normal: p.normal[row],
            },
        };
    }
}

fn seat(ride: &Ride) -> Seat {
    Seat {
        mover: ride.mover,
        triangle: ride.triangle,
    }
}

/// Who carries the one that holds a particle up best.
fn under(world: &World, p: &Particles, balls: &Balls, row: usize) -> Option<Seat> {
    let (center, radius) = (p.position[row], p.radius[row]);
    let spheres = crate::collide::balls::Spheres {
        position: &p.position,
        radius: &p.radius,
        id: &p.id,
        except: row as u32,
    };
    let reach = radius + 4.0 * TOUCH * (radius + balls.largest());
    let mut best = (0.0, u64::MAX, None);
    balls.around(&spheres, &center, reach, |other| {
        let ride = &p.ride[other as usize];
        let rise = (center - p.position[other as usize])
            .try_normalize(0.0)
            .map_or(0.0, |n| n.dot(&world.up));
        if ride.mover != Ride::UNKNOWN && (rise > best.0 || rise == best.0 && p.id[other as usize] < best.1) {
            best = (
                rise,
                p.id[other as usize],
                (ride.mover != Ride::STANDING).then(|| seat(ride)),
            );
        }
    });
    best.2
}

fn fate(world: &World, particles: &Particles, row: usize, span: [Real; 2]) -> Fate {
    let mut p = particles.flyer(row);
    let ride = &particles.ride[row];
    let seat = seat(ride);
    let Some(pose) = world.movers.pose(seat, span[1]) else {
        if stays(world, &p, span) {
            return Fate::Stays;
        }
        wake(&mut p, Vec3::zeros());
        return Fate::Pushed(p);
    };
    let held = p.status == Status::Flowing || is_held(world, &p, seat, &p.normal, span[0]);
    if held && carried(world, &p, seat, span).is_some() {
        p.position = pose.to_world(&ride.place);
        let normal = pose.turned(&ride.normal);
        p.normal = normal.try_normalize(0.0).unwrap_or(normal);
        return Fate::Rides(p);
    }
    let velocity = world
        .movers
        .velocity_before(seat, &p.position, span[0], world.step);
    wake(&mut p, velocity);
    if held { Fate::Pushed(p) } else { Fate::Shaken(p) }
}

fn wake(p: &mut Flyer, velocity: Vec3) {
    p.status = Status::Airborne;
    p.velocity = velocity;
    p.normal = Vec3::zeros();
}
