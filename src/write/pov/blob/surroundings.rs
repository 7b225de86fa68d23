//! What the neighbours of a ball mean to it: company, cover, and younger ones that may stand for it.

use std::ops::Range;

use rayon::prelude::*;

use super::buried::{BURY_RANGE, BURY_RATIO, Blocker, Directions, blocker, blocks};
use super::shell::{Neighbour, Probes, REACH};
use super::{Balls, Company, Packing};
use crate::material::Look;
use crate::math::Real;
use crate::write::pov::grid::Neighbours;

/// In a heap balls touch; those that do to within this share of their distance are supports ...
const TOUCH: Real = 1e-3;
/// ... if they lie this far below along the contact normal, as a cosine.
const SUPPORT: Real = 0.3;
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
#[derive(Default, Clone)]
struct Task {
    /// 0 alone .. about 4 in a full layer, no more than is asked for.
    company: Vec<Real>,
    exposed: Vec<bool>,
    /// Whether the scenery, not other balls, carries it.
    grounded: Vec<bool>,
    /// Younger balls close by and large enough, and where the list of each ball ends.
    stand_ins: Vec<u32>,
    ends: Vec<u32>,
}

impl Task {
    fn clear(&mut self) {
        self.company.clear();
        self.exposed.clear();
        self.grounded.clear();
        self.stand_ins.clear();
        self.ends.clear();
    }
}

/// Memory of one thread that has grown before: what is kept of a task is a copy of just the size.
#[derive(Default)]
struct Room {
    task: Task,
    blockers: Vec<Blocker>,
    around: Vec<Neighbour>,
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

    /// Whether a ball lies on the scenery rather than on other balls.
    pub fn is_grounded(&self, ball: u32) -> bool {
        let (task, i) = self.find(ball);
        task.grounded[i]
    }

    /// Whether `f` holds for a younger ball that may stand for this one.
    pub fn any_stand_in(&self, ball: u32, f: impl Fn(u32) -> bool) -> bool {
        let (task, i) = self.find(ball);
        let from = if i == 0 { 0 } else { task.ends[i - 1] as usize };
        task.stand_ins[from..task.ends[i] as usize].iter().any(|&j| f(j))
    }
}

/// Looks round every ball in `members`.
pub fn look_round(balls: &Balls, members: &[u32], look: &Look, packing: Packing) -> Surroundings {
    let company = packing.company();
    let range = company.range.max(0.5 * look.thinning);
    let grid = &Neighbours::new(&balls.center, &balls.radius, members, 2.0 * range);
    let directions = Directions::new();
    let view = View {
        balls,
        look,
        company,
        range,
        grid,
        heap: (packing == Packing::Heap).then(|| Heap {
            probes: Probes::new(directions.all()),
            grounded: grounded(balls, grid),
        }),
        directions,
    };
    let seated = view.grid.balls();
    let tasks = seated.par_chunks(TASK).enumerate();
    let tasks = tasks.map_init(Room::default, |room, (task, chunk)| {
        view.look(room, task * TASK..task * TASK + chunk.len());
        room.task.clone()
    });
    let tasks = tasks.collect();
    let mut seat = vec![u32::MAX; balls.id.len()];
    for (s, &ball) in seated.iter().enumerate() {
        seat[ball as usize] = s as u32;
    }
    Surroundings { seat, tasks }
}

/// Which balls on their seats lie on no other ball.
fn grounded(balls: &Balls, grid: &Neighbours) -> Vec<bool> {
    let seats = (0..grid.balls().len()).into_par_iter().with_min_len(TASK);
    seats
        .map(|seat| {
            let (p, r) = (grid.center(seat), grid.radius(seat));
            let normal = balls.normal[grid.balls()[seat] as usize];
            let mut carried = false;
            let touching = |radius: Real| (r + radius) * (1.0 + TOUCH);
            grid.visit(&p, touching, |other, to, d2| {
                let touch = touching(grid.radius(other));
                let under = to.dot(&normal) < 0.0 && to.dot(&normal).powi(2) > SUPPORT * SUPPORT * d2;
                carried |= other != seat && d2 < touch * touch && under;
            });
            !carried
        })
        .collect()
}

/// What is needed to find the shell of a heap.
struct Heap {
    probes: Probes,
    grounded: Vec<bool>,
}

struct View<'a> {
    balls: &'a Balls,
    look: &'a Look,
    company: Company,
    range: Real,
    grid: &'a Neighbours,
    directions: Directions,
    heap: Option<Heap>,
}

impl View<'_> {
    /// Looks round these seats; what is found replaces what was in the room.
    fn look(&self, room: &mut Room, seats: Range<usize>) {
        let Room {
            task,
            blockers,
            around,
        } = room;
        task.clear();
        for seat in seats {
            let in_sight = self.ball(seat, task, blockers);
            let exposed = match &self.heap {
                Some(heap) if self.look.transmit == 0.0 => self.shows(heap, seat, around),
                _ => in_sight,
            };
            task.exposed.push(exposed);
            task.grounded
                .push(self.heap.as_ref().is_none_or(|heap| heap.grounded[seat]));
        }
    }

    /// Whether the ball on a seat belongs to the shell of a heap.
    fn shows(&self, heap: &Heap, seat: usize, around: &mut Vec<Neighbour>) -> bool {
        let (p, r) = (self.grid.center(seat), self.grid.radius(seat));
        let ground = |seat: usize| {
            let normal = || self.balls.normal[self.grid.balls()[seat] as usize];
            heap.grounded[seat].then(normal)
        };
        around.clear();
        self.grid.visit(
            &p,
            |largest| REACH * r + largest,
            |other, to, _| {
                if other != seat {
                    around.push(Neighbour {
                        to,
                        radius: self.grid.radius(other),
                        ground: ground(other),
                    });
                }
            },
        );
        heap.probes.any_fits(r, ground(seat), around)
    }

    /// Appends what is to be known of the ball on a seat, and says whether it is in sight past its neighbours.
    fn ball(&self, seat: usize, task: &mut Task, blockers: &mut Vec<Blocker>) -> bool {
        let seated = self.grid.balls();
        let i = seated[seat];
        let (p, r) = (self.grid.center(seat), self.grid.radius(seat));
        let (per_r, spacing) = (1.0 / r, self.look.thinning);
        let may_bury = self.look.transmit == 0.0 && self.heap.is_none();
        let normal = self.balls.normal[i as usize];
        let out = self.directions.along(&normal);
        let (mut company, mut hidden) = (0.0, false);
        let range = |largest: Real| self.range * (r + largest);
        // Sums and flags without branches, for which of them a neighbour counts in is beyond all prediction.
        self.grid.visit(&p, range, |other_seat, to, d2| {
            let (j, other) = (seated[other_seat], self.grid.radius(other_seat));
            if other_seat == seat {
                return;
            }
            let ratio = other * per_r;
            let reach = self.company.range * (r + other);
            let w = (1.0 - d2 / (reach * reach)).max(0.0);
            // A droplet is little company for a lump: it counts by its share of the lump's area.
            let more = w * w * (ratio * ratio).min(1.0);
            company += if company < self.company.bounds[1] {
                more
            } else {
                0.0
            };
            hidden |= may_hide(r + other, ratio, d2) & blocks(out, &blocker(to, d2));
            let near = spacing * r.min(other);
            if (j > i) & (d2 < near * near) & (other >= THIN_RATIO * r) {
                task.stand_ins.push(j);
            }
        });
        task.company.push(company);
        task.ends.push(task.stand_ins.len() as u32);
        if !may_bury || !hidden {
            return true;
        }
        blockers.clear();
        self.grid.visit(&p, range, |other_seat, to, d2| {
            let other = self.grid.radius(other_seat);
            if other_seat != seat && may_hide(r + other, other * per_r, d2) {
                blockers.push(blocker(to, d2));
            }
        });
        self.directions.any_free(&normal, blockers)
    }
}

/// Whether a ball is near and large enough to hide another: the sum of their radii, how large it is in comparison, and the
/// square of their distance.
#[inline]
fn may_hide(radii: Real, ratio: Real, d2: Real) -> bool {
    let hiding = BURY_RANGE * radii;
    (ratio >= BURY_RATIO) & (d2 < hiding * hiding)
}
