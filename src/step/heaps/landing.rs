//! One particle through the rest of a step: its flight, and when it lands its way to where it stays.

use crate::flight::Log;
use crate::flight::heap::{self, Flown};
use crate::geom::sweep_balls::TOUCH;
use crate::math::{Point3, Real, Vec3};
use crate::settle::{Ground, Looked, Memory, settle};
use crate::state::{Flyer, Particles, Status};

use super::super::flights::count_losses;
use super::pending::Pending;
use super::queue::Queued;

/// Depth from which a ball counts as lying in another [radii].
const DEEP: Real = 1e-9;
/// How often a particle is taken back out of one that lies on it.
const TRIES: usize = 64;

thread_local! {
    static MEMORY: std::cell::RefCell<Memory> = std::cell::RefCell::default();
}

/// What became of a particle, and what it depends on.
#[derive(Debug)]
pub(super) struct Landing {
    pub(super) p: Flyer,
    pub(super) foot: [f32; 3],
    pub(super) log: Log,
    pub(super) looked: Looked,
}

/// How often one particle may take off again from a heap within a step.
const FLIGHTS: usize = 64;

/// Simulates a particle from its state at the beginning of the step: one in the air until it lands and stays, one that
/// lies or rolls until it stays or takes off.
pub(super) fn land(
    ground: &Ground,
    particles: &Particles,
    pending: &Pending,
    queued: &Queued,
    span: [Real; 2],
    mut looked: Looked,
) -> Landing {
    let row = queued.row;
    let mut log = Log::default();
    let mut p = particles.flyer(row as usize);
    let mut foot = p.position;
    let start = p.position;
    if p.status != Status::Airborne {
        (p, foot, _) = roll(&ground.without(row), p, span[1] - span[0], &mut looked, &mut log);
    } else if clear(ground, &mut p, &mut log, &mut looked) {
        let mut flown = Flown::new(p, p.born.max(span[0]));
        if p.position == start {
            flown.first = pending.first_touch(queued.met, &p, ground.spheres.id);
        }
        (p, foot) = fly_and_roll(ground, flown, span[1], &mut looked, &mut log);
    } else {
        p.status = Status::Lost;
    }
    if !p.status.is_gone() {
        let lives = &ground.world.lives;
        lives.moved(&mut p, &start, span[1], &mut log.children);
    }
    if p.status == Status::Lost {
        log.tally.lost += 1;
    } else {
        count_losses(ground.world, &mut p, &mut log.tally);
    }
    Landing {
        p,
        foot: foot.coords.map(|x| x as f32).into(),
        log,
        looked,
    }
}

/// Flies, lands and rolls on, as often as it takes off again.
fn fly_and_roll(
    ground: &Ground,
    mut flown: Flown,
    end: Real,
    looked: &mut Looked,
    log: &mut Log,
) -> (Flyer, Point3) {
    let mut foot = flown.p.position;
    for _ in 0..FLIGHTS {
        flown = heap::fly(ground, flown, end, log, looked);
        if !flown.landed {
            break;
        }
        flown.landed = false;
        log.tally.landings += 1;
        let (landed, time) = (flown.time, end - flown.time);
        let left;
        (flown.p, foot, left) = roll(ground, flown.p, time, looked, log);
        flown.time = Real::max(landed, end - left);
        if flown.p.status != Status::Airborne {
            live_on(ground, &mut flown.p, landed, end, log);
            break;
        }
    }
    (flown.p, foot)
}

fn roll(ground: &Ground, p: Flyer, time: Real, looked: &mut Looked, log: &mut Log) -> (Flyer, Point3, Real) {
    let settled = MEMORY.with_borrow_mut(|memory| settle(ground, p, time, memory, looked, &mut log.tally));
    (settled.p, settled.foot, settled.left)
}

/// What age does from a moment [s] to another to one that flies no more; later steps look after it by themselves.
fn live_on(ground: &Ground, p: &mut Flyer, from: Real, to: Real, log: &mut Log) {
    let lives = &ground.world.lives;
    if !lives.has_any(p.material) {
        return;
    }
    let mut done = None;
    while !p.status.is_gone()
        && let Some(due) = lives.next_due(p, from, to, done.as_ref())
    {
        lives.act(p, &due, &mut log.children);
        done = Some(due);
    }
}

/// Takes a particle back on the way it came until it lies in no settled one; false when there is no such place. Those
/// may have come to lie there earlier in this very step.
fn clear(ground: &Ground, p: &mut Flyer, log: &mut Log, looked: &mut Looked) -> bool {
    let deep = DEEP * p.radius;
    let overlap = |at: &Point3| {
        let (depth, row) = ground.balls.deepest_overlap(&ground.spheres, at, p.radius)?;
        (depth > deep).then_some(row)
    };
    looked.add(p.position, Vec3::zeros(), p.radius);
    let Some(mut row) = overlap(&p.position) else {
        return true;
    };
    log.tally.taken_back += 1;
    let back = (-p.velocity).try_normalize(0.0).unwrap_or(ground.world.up);
    for way in [back, ground.world.up] {
        let (from, mut gone) = (p.position, 0.0);
        for _ in 0..TRIES {
            let i = row;
            let reach = (p.radius + ground.spheres.radius[i]) * (1.0 + TOUCH);
            let m = from + way * gone - ground.spheres.position[i];
            gone += leave(&m, &way, reach);
            let at = from + way * gone;
            looked.add(at, Vec3::zeros(), p.radius);
            match overlap(&at) {
                Some(next) => row = next,
                None if free_way(ground, p, &(way * gone)) => {
                    p.position = at;
                    return true;
                }
                None => break,
            }
        }
    }
    log.tally.buried += 1;
    false
}

/// How far along a unit vector a centre leaves a ball of this radius, from the place `m` within it.
fn leave(m: &Vec3, way: &Vec3, reach: Real) -> Real {
    let b = m.dot(way);
    let out = reach * reach - m.norm_squared();
    (b * b + out.max(0.0)).sqrt() - b
}

/// Whether the scenery leaves a way free.
fn free_way(ground: &Ground, p: &Flyer, along: &Vec3) -> bool {
    use crate::collide::{Collider, Sweep};
    ground
        .scenery()
        .first_touch(&Sweep {
            from: p.position,
            along: *along,
            radius: p.radius,
            span: [0.0; 2],
        })
        .is_none()
}
