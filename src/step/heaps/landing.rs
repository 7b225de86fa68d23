//! One particle through the rest of a step: its flight, and when it lands its way to where it stays.

use crate::flight::{Log, heap};
use crate::geom::sweep_balls::TOUCH;
use crate::math::{Point3, Real, Vec3};
use crate::settle::{Ground, Looked, Memory, settle};
use crate::state::{Flyer, Particles, Status};

use super::super::flights::count_losses;

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

/// Simulates a particle from its state at the beginning of the step.
pub(super) fn land(ground: &Ground, particles: &Particles, row: u32, span: [Real; 2]) -> Landing {
    let mut log = Log::default();
    let mut looked = Looked::default();
    let mut p = particles.flyer(row as usize);
    let mut foot = p.position;
    if clear(ground, &mut p, &mut log, &mut looked) {
        let start = p.born.max(span[0]);
        let flown = heap::fly(ground, p, start, span[1], &mut log, &mut looked);
        p = flown.p;
        if flown.landed {
            let settled = MEMORY.with_borrow_mut(|memory| {
                settle(ground, p, memory, &mut looked, &mut log.tally)
            });
            p = settled.p;
            foot = settled.foot;
        }
    } else {
        p.status = Status::Lost;
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
            let i = row as usize;
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
        .world
        .collider
        .first_touch(&Sweep {
            from: p.position,
            along: *along,
            radius: p.radius,
            span: [0.0; 2],
        })
        .is_none()
}
