//! What the neighbours of a ball mean to it: company, cover, and younger ones that may stand for it.

use super::buried::{BURY_COSINE, BURY_RANGE, BURY_RATIO, Blocker, Directions, blocker};
use super::merge::{MERGE_SETTLED, merge};
use super::shell::{Neighbour, Probes, REACH};
use super::{Balls, Company, Packing};
#[cfg(target_arch = "x86_64")]
use crate::bvh::Avx2Four;
use crate::bvh::{Four, Lanes, PlainFour};
use crate::material::Look;
use crate::math::{Point3, Real, Vec3};
use crate::write::pov::grid::{Around, Levels, Neighbours};
use crate::write::pov::regions::{Region, Regions};

/// In a heap balls touch; those that do to within this share of their distance are supports ...
const TOUCH: Real = 1e-3;
/// ... if they lie this far below along the contact normal, as a cosine.
const SUPPORT: Real = 0.3;
/// A particle stands for another one only if it is at least this large in comparison.
const THIN_RATIO: Real = 0.7;
/// Edge of the regions that are looked at one by one, in the margin that each needs.
const EDGE: Real = 20.0;

/// What is known of every ball.
pub struct Surroundings {
    /// Left out: a younger ball lies in the same place.
    pub merged: u64,
    /// Left out: hidden from every side.
    pub buried: u64,
    company: Vec<Real>,
    flags: Vec<u8>,
    /// Where the list of each ball begins and ends.
    lists: Vec<[u32; 2]>,
    stand_ins: Vec<u32>,
}

/// The ball is in nobody's way and seen from somewhere.
const EXPOSED: u8 = 1;
/// The scenery, not other balls, carries it.
const GROUNDED: u8 = 2;

impl Surroundings {
    /// How many balls there are.
    pub fn len(&self) -> usize {
        self.flags.len()
    }

    /// 0 alone .. about 4 in a full layer, no more than is asked for.
    pub fn company(&self, ball: u32) -> Real {
        self.company[ball as usize]
    }

    /// Whether a ball can be seen from somewhere.
    pub fn is_exposed(&self, ball: u32) -> bool {
        self.flags[ball as usize] & EXPOSED != 0
    }

    /// Whether a ball lies on the scenery rather than on other balls.
    pub fn is_grounded(&self, ball: u32) -> bool {
        self.flags[ball as usize] & GROUNDED != 0
    }

    /// Whether `f` holds for a younger ball that may stand for this one.
    pub fn any_stand_in(&self, ball: u32, f: impl Fn(u32) -> bool) -> bool {
        let [from, to] = self.lists[ball as usize];
        self.stand_ins[from as usize..to as usize].iter().any(|&j| f(j))
    }

    /// Takes over what is known of a region.
    fn add(&mut self, seen: &Seen) {
        let mut from = self.stand_ins.len() as u32;
        self.stand_ins.extend(&seen.stand_ins);
        self.merged += seen.merged;
        for about in &seen.about {
            let ball = about.ball as usize;
            let to = from + about.stand_ins;
            self.buried += u64::from(about.flags & EXPOSED == 0);
            self.company[ball] = about.company;
            self.flags[ball] = about.flags;
            self.lists[ball] = [from, to];
            from = to;
        }
    }
}

/// What is known of the balls of a region.
#[derive(Default)]
struct Seen {
    merged: u64,
    about: Vec<About>,
    /// Younger balls close by and large enough, ball by ball.
    stand_ins: Vec<u32>,
}

/// What is known of one.
struct About {
    ball: u32,
    stand_ins: u32,
    company: Real,
    flags: u8,
}

/// Memory of one thread that has grown before.
#[derive(Default)]
struct Room {
    center: Vec<Point3>,
    radius: Vec<Real>,
    normal: Vec<Vec3>,
    grid: Neighbours,
    around: Around,
    blockers: Vec<Blocker>,
    neighbours: Vec<Neighbour>,
}

/// Looks round every ball.
pub fn look_round(balls: &Balls, look: &Look, packing: Packing) -> Surroundings {
    let levels = balls.levels();
    let company = packing.company();
    let range = company.range.max(0.5 * look.thinning);
    // So far away are those that count, and those that carry or merge them.
    let (sight, beyond) = match packing {
        Packing::Heap => ((REACH + 1.0).max(2.0 * range), 2.0 * (1.0 + TOUCH)),
        Packing::Layer | Packing::Film => (2.0 * range, 0.0),
    };
    let margin = (sight + beyond + MERGE_SETTLED) * levels.top();
    let directions = Directions::new();
    let view = View {
        balls,
        look,
        company,
        range,
        levels,
        shell: (packing == Packing::Heap).then(|| Probes::new(directions.all())),
        directions,
    };
    let mut found = Surroundings {
        merged: 0,
        buried: 0,
        company: vec![0.0; balls.len()],
        flags: vec![0; balls.len()],
        lists: vec![[0; 2]; balls.len()],
        stand_ins: Vec::new(),
    };
    let center = |i: usize| balls.center(i as u32);
    Regions::new(balls.len(), center, margin, EDGE * margin).work(
        |room: &mut Room, region| view.look(room, region),
        |seen| found.add(&seen),
    );
    found
}

/// What decides about all balls.
struct View<'a> {
    balls: &'a Balls<'a>,
    look: &'a Look,
    company: Company,
    range: Real,
    levels: Levels,
    directions: Directions,
    /// Probes that tell the shell of a heap, where they lie so.
    shell: Option<Probes>,
}

impl View<'_> {
    /// Looks at a region.
    fn look(&self, room: &mut Room, region: Region<'_>) -> Seen {
        room.center.clear();
        room.radius.clear();
        room.normal.clear();
        for (i, _) in region.balls() {
            room.center.push(self.balls.center(i));
            room.radius.push(self.balls.radius(i));
            room.normal.push(self.balls.normal(i));
        }
        let distinct = merge(&room.center, &room.radius, MERGE_SETTLED, &self.levels);
        room.grid
            .fill(&room.center, &room.radius, &distinct, 2.0 * self.range);
        let own = region.balls().filter(|(_, own)| *own).count();
        let here = Here {
            view: self,
            region,
            grid: &room.grid,
            normal: &room.normal,
            heap: self.shell.as_ref().map(|probes| Heap {
                probes,
                grounded: grounded(&room.normal, &room.grid),
            }),
        };
        let mut seen = Seen::default();
        for seats in room.grid.cells() {
            let is_own = |seat: &usize| region.ball(room.grid.balls()[*seat]).1;
            if seats.clone().any(|seat| is_own(&seat)) {
                let range = |here: Real, there: Real| self.range * (here + there);
                room.grid.gather(seats.clone(), range, &mut room.around);
                for (k, seat) in seats.enumerate().filter(|(_, seat)| is_own(seat)) {
                    let one = room.around.first + k;
                    let near = here.near(&room.around, one, &mut seen.stand_ins, &mut room.blockers);
                    seen.about.push(here.about(seat, near, &mut room.neighbours));
                }
            }
        }
        seen.merged = (own - seen.about.len()) as u64;
        seen
    }
}

/// Which balls on their seats lie on no other ball.
fn grounded(normal: &[Vec3], grid: &Neighbours) -> Vec<bool> {
    let seats = grid.balls().iter().enumerate();
    let is_grounded = |(seat, &i): (usize, &u32)| {
        let (p, r) = (grid.center(seat), grid.radius(seat));
        let normal = normal[i as usize];
        let mut carried = false;
        let touching = |radius: Real| (r + radius) * (1.0 + TOUCH);
        grid.visit(&p, touching, |other, to, d2| {
            let touch = touching(grid.radius(other));
            let under = to.dot(&normal) < 0.0 && to.dot(&normal).powi(2) > SUPPORT * SUPPORT * d2;
            carried |= other != seat && d2 < touch * touch && under;
        });
        !carried
    };
    seats.map(is_grounded).collect()
}

/// A region that is looked at.
struct Here<'a> {
    view: &'a View<'a>,
    region: Region<'a>,
    grid: &'a Neighbours,
    /// Contact normals of the balls of the region.
    normal: &'a [Vec3],
    /// `None`: all lie on the scenery.
    heap: Option<Heap<'a>>,
}

/// What is needed to find the shell of a heap.
struct Heap<'a> {
    probes: &'a Probes,
    /// Which balls on their seats lie on the scenery.
    grounded: Vec<bool>,
}

/// What those near a ball are to it.
struct Near {
    company: Real,
    /// Whether the ball is in sight past them.
    in_sight: bool,
    /// How many may stand for it.
    stand_ins: u32,
}

impl Here<'_> {
    /// The ball on a seat.
    fn number(&self, seat: usize) -> u32 {
        self.region.ball(self.grid.balls()[seat]).0
    }

    /// What the ball on a seat rests on, if it rests on the scenery.
    fn ground(&self, heap: &Heap, seat: usize) -> Option<Vec3> {
        heap.grounded[seat].then(|| self.normal[self.grid.balls()[seat] as usize])
    }

    /// What is to be known of the ball on a seat.
    fn about(&self, seat: usize, near: Near, neighbours: &mut Vec<Neighbour>) -> About {
        let mut flags = 0;
        if self.heap.as_ref().is_none_or(|heap| heap.grounded[seat]) {
            flags |= GROUNDED;
        }
        let exposed = match &self.heap {
            Some(heap) if self.view.look.transmit == 0.0 => self.shows(heap, seat, neighbours),
            _ => near.in_sight,
        };
        if exposed {
            flags |= EXPOSED;
        }
        About {
            ball: self.number(seat),
            stand_ins: near.stand_ins,
            company: near.company,
            flags,
        }
    }

    /// Whether the ball on a seat belongs to the shell of a heap.
    fn shows(&self, heap: &Heap, seat: usize, neighbours: &mut Vec<Neighbour>) -> bool {
        let (p, r) = (self.grid.center(seat), self.grid.radius(seat));
        neighbours.clear();
        self.grid.visit(
            &p,
            |largest| REACH * r + largest,
            |other, to, d2| {
                let radius = self.grid.radius(other);
                let reach = REACH * r + radius;
                if other != seat && d2 < reach * reach {
                    neighbours.push(Neighbour {
                        to,
                        radius,
                        ground: self.ground(heap, other),
                    });
                }
            },
        );
        heap.probes.any_fits(r, self.ground(heap, seat), neighbours)
    }

    /// Looks at those around one of them; who may stand for it is appended.
    fn near(
        &self,
        around: &Around,
        one: usize,
        stand_ins: &mut Vec<u32>,
        blockers: &mut Vec<Blocker>,
    ) -> Near {
        let view = self.view;
        let normal = &self.normal[around.ball[one] as usize];
        let out = view.directions.along(normal);
        let before = stand_ins.len();
        let stands = |k: usize| stand_ins.push(self.region.ball(around.ball[k]).0);
        let (company, hidden) = match self.grid.lanes() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2.
            Lanes::Avx2 => unsafe { view.meet_avx2(around, one, out, stands) },
            Lanes::Portable => view.meet::<PlainFour>(around, one, out, stands),
        };
        let may_bury = view.look.transmit == 0.0 && view.shell.is_none();
        Near {
            company,
            in_sight: !may_bury || !hidden || view.is_in_sight(around, one, normal, blockers),
            stand_ins: (stand_ins.len() - before) as u32,
        }
    }
}

impl View<'_> {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn meet_avx2(
        &self,
        around: &Around,
        one: usize,
        out: &Vec3,
        stands: impl FnMut(usize),
    ) -> (Real, bool) {
        self.meet::<Avx2Four>(around, one, out, stands)
    }

    /// The company of one of those around, and whether another hides it in the direction `out`; tells who may stand for it.
    #[inline(always)]
    fn meet<F: Four>(
        &self,
        around: &Around,
        one: usize,
        out: &Vec3,
        mut stands: impl FnMut(usize),
    ) -> (Real, bool) {
        let p = around.center.each_ref().map(|center| F::splat(center[one]));
        let out: [F; 3] = [F::splat(out.x), F::splat(out.y), F::splat(out.z)];
        let (zero, unit) = (F::splat(0.0), F::splat(1.0));
        let r = around.radius[one];
        let (own, per_r) = (F::splat(r), F::splat(1.0 / r));
        let number = F::splat(Real::from(around.ball[one]));
        let (mut company, mut hidden) = (zero, zero);
        let [x, y, z] = around.center.each_ref().map(|center| center.as_chunks::<4>().0);
        let (radii, balls) = (around.radius.as_chunks::<4>().0, around.ball.as_chunks::<4>().0);
        for (k, radius) in radii.iter().enumerate() {
            let to = [
                F::new(x[k]).sub(p[0]),
                F::new(y[k]).sub(p[1]),
                F::new(z[k]).sub(p[2]),
            ];
            let d2 = to[0].mul(to[0]).add(to[1].mul(to[1])).add(to[2].mul(to[2]));
            let (radius, ball) = (F::new(*radius), F::new(balls[k].map(Real::from)));
            let (radii, ratio) = (own.add(radius), radius.mul(per_r));
            let reach = F::splat(self.company.range).mul(radii);
            let w = unit.sub(d2.div(reach.mul(reach))).max(zero);
            // A droplet is little company for a lump: it counts by its share of the lump's area.
            let more = w.mul(w).mul(ratio.mul(ratio).min(unit));
            let itself = ball.eq(number);
            company = company.add(more.without(itself));
            let hiding = F::splat(BURY_RANGE).mul(radii);
            let hides = F::splat(BURY_RATIO).le(ratio).and(d2.lt(hiding.mul(hiding)));
            let along = out[0].mul(to[0]).add(out[1].mul(to[1])).add(out[2].mul(to[2]));
            let least2 = F::splat(BURY_COSINE * BURY_COSINE).mul(d2);
            let blocks = zero.lt(along).and(least2.lt(along.mul(along)));
            hidden = hidden.or(hides.and(blocks).without(itself));
            let near = F::splat(self.look.thinning).mul(own.min(radius));
            let close = number.lt(ball).and(d2.lt(near.mul(near)));
            let mut able = close.and(F::splat(THIN_RATIO).mul(own).le(radius)).bits();
            while able != 0 {
                stands(4 * k + able.trailing_zeros() as usize);
                able &= able - 1;
            }
        }
        let mut sums = [0.0; 4];
        company.store(&mut sums);
        let company = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        (company.min(self.company.bounds[1]), hidden.bits() != 0)
    }

    /// Whether one of those around, on a surface with this normal, can be seen past the others.
    fn is_in_sight(&self, around: &Around, one: usize, normal: &Vec3, blockers: &mut Vec<Blocker>) -> bool {
        let place = |k: usize| Vec3::from(around.center.each_ref().map(|center| center[k]));
        let (p, r) = (place(one), around.radius[one]);
        let others = (0..around.radius.len()).filter(|&k| k != one);
        blockers.clear();
        blockers.extend(others.filter_map(|k| {
            let (to, radius) = (place(k) - p, around.radius[k]);
            let d2 = to.norm_squared();
            may_hide(r + radius, radius / r, d2).then(|| blocker(to, d2))
        }));
        self.directions.any_free(normal, blockers)
    }
}

/// Whether a ball is near and large enough to hide another: the sum of their radii, how large it is in comparison, and the
/// square of their distance.
fn may_hide(radii: Real, ratio: Real, d2: Real) -> bool {
    let hiding = BURY_RANGE * radii;
    (ratio >= BURY_RATIO) & (d2 < hiding * hiding)
}
