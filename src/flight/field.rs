//! A flight within reach of fields: in pieces, none of which is longer than the fields allow, each moved by the velocity
//! that they make.

use super::{Leg, moving};
use crate::force::Push;
use crate::math::Real;
use crate::state::Flyer;
use crate::world::World;

/// The first piece of the way `leg` that a particle would take under `push`.
///
/// The order within a piece is: forces, then springs, drag and flow, then impacts on the velocity that moves it, then the
/// move by that velocity (symplectic Euler). Where no field reaches, the piece is one of free fall.
pub(super) fn lead(world: &World, p: &Flyer, push: &Push, leg: Leg, time: Real) -> Leg {
    let (rest, way) = (leg.duration, leg.along.norm());
    let free = (world.collider).free_way(&p.position, &leg.along, p.radius, rest, world.step);
    let mut share = if free < way {
        free / way
    } else if free == Real::INFINITY {
        free
    } else {
        1.0
    };
    if world.movers.have_fields() {
        // What stands still has a way too, seen from what moves.
        let of_movers = (world.movers).free_share(&moving::way(&leg, &leg.sweep(p, time)), world.step);
        share = share.min(of_movers);
    }
    if share == Real::INFINITY {
        return leg;
    }
    let goes_on = share < 1.0;
    let dt = if goes_on { rest * share } else { rest };
    let mut piece = if goes_on {
        Leg::under(push, &p.velocity, dt)
    } else {
        leg
    };
    piece.goes_on = goes_on || leg.goes_on;
    let mut felt = (world.collider).respond(&p.position, &piece.velocity, p.radius, dt, world.step);
    if world.movers.have_fields() {
        let before = felt.unwrap_or(piece.velocity);
        let of_movers = (world.movers).respond(&p.position, &before, p.radius, [time, time + dt], world.step);
        felt = of_movers.or(felt);
    }
    if let Some(velocity) = felt {
        piece.start = velocity;
        piece.velocity = velocity;
        piece.along = velocity * dt;
    }
    piece
}
