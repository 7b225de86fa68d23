//! What the neighbours of a ball mean to it: company, cover, and younger ones that may stand for it.

use rayon::prelude::*;

use super::buried::{BURY_RANGE, BURY_RATIO, Blocker, Directions, blocker};
use super::{Balls, COMPANY};
use crate::material::Look;
use crate::math::Real;
use crate::write::pov::grid::Neighbours;

/// Particles count as company within this many mean radii of a pair (3 radii for equal ones).
const COMPANY_RANGE: Real = 1.5;
/// A particle stands for another one only if it is at least this large in comparison.
const THIN_RATIO: Real = 0.7;
/// Seats that one task looks at.
const TASK: usize = 512;

/// What is known of every ball in question.
pub struct Surroundings {
    /// Seat of each ball; those not in question have none.
    seat: Vec<u32>,
    tasks: Vec<Task>,
}

/// What is known of the balls on [`TASK`] seats.
#[derive(Default)]
struct Task {
    /// 0 alone .. about 4 in a full layer, no more than [`COMPANY`] asks for.
    company: Vec<Real>,
    exposed: Vec<bool>,
    /// Younger balls close by and large enough, and where the list of each ball ends.
    stand_ins: Vec<u32>,
    ends: Vec<u32>,
}

impl Surroundings {
    fn find(&self, ball: u32) -> (&Task, usize) {
        let seat = self.seat[ball as usize] as usize;
        (&self.tasks[seat / TASK], seat % TASK)
    }

    /// 0 alone .. about 4 in a full layer.
    pub fn company(&self, ball: u32) -> Real {
        let (task, i) = self.find(ball);
        task.company[i]
    }

    /// Whether a ball can be seen from somewhere.
    pub fn is_exposed(&self, ball: u32) -> bool {
        let (task, i) = self.find(ball);
        task.exposed[i]
    }

    /// Whether `f` holds for a younger ball that may stand for this one.
    pub fn any_stand_in(&self, ball: u32, f: impl Fn(u32) -> bool) -> bool {
        let (task, i) = self.find(ball);
        let from = if i == 0 { 0 } else { task.ends[i - 1] as usize };
        task.stand_ins[from..task.ends[i] as usize].iter().any(|&j| f(j))
    }
}

/// Looks round every ball in `members`.
pub fn look_round(balls: &Balls, members: &[u32], look: &Look) -> Surroundings {
    let range = COMPANY_RANGE.max(0.5 * look.thinning);
    let view = View {
        balls,
        look,
        range,
        grid: &Neighbours::new(&balls.center, &balls.radius, members, 2.0 * range),
        directions: Directions::new(),
    };
    let seated = view.grid.balls();
    let tasks = seated.par_chunks(TASK).enumerate();
    let tasks = tasks.map(|(task, chunk)| view.task(task * TASK, chunk)).collect();
    let mut seat = vec![u32::MAX; balls.id.len()];
    for (s, &ball) in seated.iter().enumerate() {
        seat[ball as usize] = s as u32;
    }
    Surroundings { seat, tasks }
}

struct View<'a> {
    balls: &'a Balls,
    look: &'a Look,
    range: Real,
    grid: &'a Neighbours,
    directions: Directions,
}

impl View<'_> {
    fn task(&self, first: usize, chunk: &[u32]) -> Task {
        let mut task = Task::default();
        let mut blockers = Vec::new();
        for seat in first..first + chunk.len() {
            self.ball(seat, &mut task, &mut blockers);
        }
        task
    }

    /// Appends what is to be known of the ball on a seat.
    fn ball(&self, seat: usize, task: &mut Task, blockers: &mut Vec<Blocker>) {
        let seated = self.grid.balls();
        let i = seated[seat];
        let (p, r) = (self.grid.center(seat), self.grid.radius(seat));
        let (per_r, spacing) = (1.0 / r, self.look.thinning);
        let may_bury = self.look.transmit == 0.0;
        let mut company = 0.0;
        blockers.clear();
        let range = |largest: Real| self.range * (r + largest);
        self.grid.visit(&p, range, |other_seat, to, d2| {
            let (j, other) = (seated[other_seat], self.grid.radius(other_seat));
            if other_seat == seat {
                return;
            }
            let ratio = other * per_r;
            let reach = COMPANY_RANGE * (r + other);
            if company < COMPANY[1] && d2 < reach * reach {
                let w = 1.0 - d2 / (reach * reach);
                // A droplet is little company for a lump: it counts by its share of the lump's area.
                company += w * w * (ratio * ratio).min(1.0);
            }
            let hiding = BURY_RANGE * (r + other);
            if may_bury && ratio >= BURY_RATIO && d2 < hiding * hiding {
                blockers.push(blocker(to, d2));
            }
            let near = spacing * r.min(other);
            if j > i && d2 < near * near && other >= THIN_RATIO * r {
                task.stand_ins.push(j);
            }
        });
        let normal = self.balls.normal[i as usize];
        task.company.push(company);
        task.exposed
            .push(!may_bury || self.directions.any_free(&normal, blockers));
        task.ends.push(task.stand_ins.len() as u32);
    }
}
