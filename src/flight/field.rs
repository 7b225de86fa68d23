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
    let mut free = (world.collider).free_way(&p.position, &leg.along, p.radius, rest, world.step);
    if world.movers.have_fields() {
        let share = (world.movers).free_share(&moving::way(&leg, &leg.sweep(p, time)), world.step);
        free = free.min(share * way);
    }
    if free == Real::INFINITY {
        return leg;
    }
    let goes_on = free < way;
    let dt = if goes_on { rest * (free / way) } else { rest };
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
