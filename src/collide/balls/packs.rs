//! Balls side by side, four a pack: which of them touch a moving ball, and which stops a short way of it.
//!
//! Tests of four at once leave out what certainly is not met; what remains gets the exact sweep of two balls, rounded as for
//! one, so that no answer depends on lanes or on the order of the balls.

use crate::bvh::{Four, Lanes, PlainFour, dot};
use crate::collide::Sweep;
use crate::geom::sweep_balls::sweep_four_balls;
use crate::math::{Point3, Real};

/// Balls in a pack.
const WIDTH: usize = 4;
/// A ball whose centre stays farther from a way than the root of this many reaches is not met, whatever rounding does.
const BESIDE: Real = 1.0 + 1e-6;

/// Four balls; lanes without one are infinitely far away.
#[derive(Debug, Clone)]
#[repr(align(32))]
struct Pack {
    place: [[Real; WIDTH]; 3],
    /// Sum of the radii of the ball and of the one that moves [m].
    reach: [Real; WIDTH],
    row: [u32; WIDTH],
    /// Those that the last look found close, and of them those that touch, one bit each.
    close: u32,
    touching: u32,
}

const EMPTY: Pack = Pack {
    place: [[Real::INFINITY; WIDTH]; 3],
    reach: [0.0; WIDTH],
    row: [u32::MAX; WIDTH],
    close: 0,
    touching: 0,
};

/// Balls around one that moves.
#[derive(Debug, Default)]
pub struct Packs {
    packs: Vec<Pack>,
    len: usize,
}

/// One of the balls.
#[derive(Debug, Clone, Copy)]
pub struct Packed {
    /// Centre [m].
    pub place: Point3,
    /// Sum of its radius and that of the one that moves [m].
    pub reach: Real,
    /// Its row.
    pub row: u32,
}

impl Packs {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.packs.clear();
        self.len = 0;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One more.
    #[inline]
    pub fn push(&mut self, ball: Packed) {
        let lane = self.len % WIDTH;
        if lane == 0 {
            self.packs.push(EMPTY);
        }
        if let Some(pack) = self.packs.last_mut() {
            for k in 0..3 {
                pack.place[k][lane] = ball.place[k];
            }
            pack.reach[lane] = ball.reach;
            pack.row[lane] = ball.row;
        }
        self.len += 1;
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Packed> + '_ {
        let balls = self
            .packs
            .iter()
            .flat_map(|p| (0..WIDTH).map(|lane| p.ball(lane)));
        balls.take(self.len)
    }

    /// Finds those whose surface is no farther than `far` [m] from that of a ball at `center`, and of them those no farther
    /// than `zone` [m].
    #[inline]
    pub fn look(&mut self, lanes: Lanes, center: &Point3, far: Real, zone: Real) {
        match lanes {
            Lanes::Portable => look::<PlainFour>(&mut self.packs, center, far, zone),
            // SAFETY: such lanes are only detected on a processor that has them.
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx2 => unsafe { look_avx2(&mut self.packs, center, far, zone) },
        }
    }

    /// Those that the last look found in its zone.
    #[inline]
    pub fn touching(&self) -> impl Iterator<Item = Packed> + '_ {
        self.packs.iter().flat_map(|p| p.of(p.touching))
    }

    /// Those that the last look found close.
    #[inline]
    pub fn close(&self) -> impl Iterator<Item = Packed> + '_ {
        self.packs.iter().flat_map(|p| p.of(p.close))
    }

    /// The share of a way that balls leave free, if it is less than `share`; those that the last look did not find close must
    /// be too far to be met. Balls count only if their centre lies ahead by more than `ahead`, a length times that of the
    /// way [m2], >= 0.
    #[inline]
    pub fn free_share(&self, lanes: Lanes, sweep: &Sweep, ahead: Real, share: Real) -> Real {
        match lanes {
            Lanes::Portable => free_share::<PlainFour>(&self.packs, sweep, ahead, share),
            // SAFETY: such lanes are only detected on a processor that has them.
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx2 => unsafe { free_share_avx2(&self.packs, sweep, ahead, share) },
        }
    }
}

impl Pack {
    #[inline(always)]
    fn ball(&self, lane: usize) -> Packed {
        Packed {
            place: Point3::new(self.place[0][lane], self.place[1][lane], self.place[2][lane]),
            reach: self.reach[lane],
            row: self.row[lane],
        }
    }

    /// Those of a mask.
    #[inline(always)]
    fn of(&self, mut mask: u32) -> impl Iterator<Item = Packed> + '_ {
        std::iter::from_fn(move || {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask.wrapping_sub(1);
            (lane < WIDTH).then(|| self.ball(lane))
        })
    }

    /// From the centres to a place.
    #[inline(always)]
    fn to<F: Four>(&self, place: &Point3) -> [F; 3] {
        std::array::from_fn(|k| F::splat(place[k]).sub(F::new(self.place[k])))
    }
}

#[inline(always)]
fn look<F: Four>(packs: &mut [Pack], center: &Point3, far: Real, zone: Real) {
    for pack in packs {
        let m = pack.to::<F>(center);
        let distance2 = dot(m, m);
        let reach = F::new(pack.reach);
        let within = |more: Real| {
            let far = reach.add(F::splat(more));
            distance2.le(far.mul(far)).bits()
        };
        pack.close = within(far);
        pack.touching = if pack.close == 0 { 0 } else { within(zone) };
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn look_avx2(packs: &mut [Pack], center: &Point3, far: Real, zone: Real) {
    look::<crate::bvh::Avx2Four>(packs, center, far, zone);
}

#[inline(always)]
fn free_share<F: Four>(packs: &[Pack], sweep: &Sweep, ahead: Real, share: Real) -> Real {
    let along: [F; 3] = std::array::from_fn(|k| F::splat(sweep.along[k]));
    let length2 = F::splat(sweep.along.norm_squared());
    let (ahead, mut least) = (F::splat(ahead), F::splat(share));
    for pack in packs.iter().filter(|p| p.close != 0) {
        let (m, reach) = (pack.to::<F>(&sweep.from), F::new(pack.reach));
        let (mm, approach) = (dot(m, m), dot(m, along));
        // The squared distance at the end, or where that lies beyond the closest approach, no more than that there: for
        // the part of the way up to it is then less than the whole.
        let end = approach.add(length2).min(F::splat(0.0));
        let nearest = mm.add(approach).add(end);
        let met = nearest.le(reach.mul(reach).mul(F::splat(BESIDE)));
        let met = met.and(ahead.lt(approach.neg()));
        if met.bits() & pack.close != 0 {
            let t = sweep_four_balls(m, along, reach, [mm, approach, length2]);
            least = met.select(least.min(t), least);
        }
    }
    let mut shares = [share; WIDTH];
    least.store(&mut shares);
    shares.into_iter().fold(share, Real::min)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn free_share_avx2(packs: &[Pack], sweep: &Sweep, ahead: Real, share: Real) -> Real {
    free_share::<crate::bvh::Avx2Four>(packs, sweep, ahead, share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::sweep_balls::sweep_balls;
    use crate::math::Vec3;
    use crate::rng::{Purpose, stream};

    /// Balls around the origin, and ways of a ball of radius 1 that touches some of them, level with others.
    #[test]
    fn packs_answer_as_single_balls_do() {
        let mut draws = stream(7, Purpose::Birth, 0, 0);
        let (mut met, mut touched, mut empty, mut along) = (0, 0, 0, 0);
        for n in 0..4000 {
            let center = Point3::from(draws.in_ball());
            let balls: Vec<Packed> = (0..n % 14)
                .map(|row| {
                    let radius = [1.0, 0.3, 2.0][row as usize % 3];
                    let out = draws.in_ball();
                    let out = out.try_normalize(1e-9).unwrap_or_else(Vec3::y);
                    let reach = 1.0 + radius;
                    let gap = if row % 2 == 0 {
                        0.0
                    } else {
                        draws.between(0.0, 1.2)
                    };
                    Packed {
                        place: center - out * (reach + gap),
                        reach,
                        row,
                    }
                })
                .collect();
            let mut packs = Packs::default();
            balls.iter().for_each(|b| packs.push(*b));
            assert_eq!(packs.len(), balls.len());
            let mut way = draws.in_ball() * 0.5;
            if let Some(first) = balls.first().filter(|_| n % 3 == 0) {
                // Along it: how the product with its normal rounds does not matter.
                let out = (center - first.place).normalize();
                way -= out * way.dot(&out);
            }
            let ahead = if n % 2 == 0 { 0.0 } else { 1e-7 * way.norm() };
            let sweep = Sweep {
                from: center,
                along: way,
                radius: 1.0,
                span: [0.0; 2],
            };
            let (far, zone) = (0.51, 1e-7);
            let within = |b: &&Packed, more: Real| {
                let far = b.reach + more;
                (center - b.place).norm_squared() <= far * far
            };
            let free = |b: &Packed| {
                let m = center - b.place;
                (-m.dot(&way) > ahead)
                    .then(|| sweep_balls(&m, &way, b.reach))
                    .flatten()
            };
            let expected = balls.iter().filter_map(free).fold(1.0, Real::min);
            for lanes in [Lanes::detect(), Lanes::Portable] {
                packs.look(lanes, &center, far, zone);
                let rows =
                    |found: &mut dyn Iterator<Item = Packed>| found.map(|b| b.row).collect::<Vec<u32>>();
                let one_by_one = |more: Real| rows(&mut balls.iter().filter(|b| within(b, more)).copied());
                assert_eq!(rows(&mut packs.close()), one_by_one(far));
                assert_eq!(rows(&mut packs.touching()), one_by_one(zone));
                touched += packs.touching().count();
                let share = packs.free_share(lanes, &sweep, ahead, 1.0);
                assert_eq!(share.to_bits(), expected.to_bits(), "{n}");
            }
            met += i32::from(expected < 1.0);
            let goes_along = |b: &Packed| {
                let approach = (center - b.place).dot(&way);
                approach < 0.0 && approach > -1e-12 && free(b).is_none()
            };
            along += i32::from(balls.first().is_some_and(goes_along));
            empty += i32::from(packs.is_empty());
        }
        assert!(
            met > 1000 && touched > 1000 && empty > 100 && along > 100,
            "{met} {touched} {empty} {along}"
        );
    }
}
