//! First touches of neighbours, eight at a time: one walk through the tree, and exact tests four at once.
//!
//! The answers are those of single sweeps, bit by bit: what differs is only the order of the tests, and the answer does
//! not depend on it.

use std::ops::Range;

use super::leaf::{Ball, Candidates, lanes_of};
use super::mesh::StaticMesh;
use super::{Collider, Hit, Sweep};
use crate::bvh::{Group, NONE, Path, VisitGroup, WIDTH};
use crate::geom::sweep_exact::{Entry, Moving, Pair, entries_of_four};
use crate::math::Real;

impl StaticMesh {
    /// The exact first touches of up to [`WIDTH`] sweeps.
    pub(super) fn first_of_group(&self, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
        let Some(last) = sweeps.len().min(WIDTH).checked_sub(1) else {
            return;
        };
        let sweep = |lane: usize| &sweeps[lane.min(last)];
        let mut moving = 0;
        let balls: [Ball; WIDTH] = std::array::from_fn(|lane| {
            let s = sweep(lane);
            let ball = Ball::new(&s.from, &s.along, s.radius, self.size());
            moving |= u32::from(lane <= last && ball.is_some() && s.radius > 0.0) << lane;
            ball.unwrap_or(Ball::STILL)
        });
        let path = |lane: usize| Path {
            from: sweep(lane).from,
            along: sweep(lane).along,
            radius: balls[lane].radius,
        };
        let group = if moving == (2 << last) - 1 { self.tree().group(path, last + 1) } else { None };
        let Some(group) = group else {
            for (sweep, hit) in sweeps.iter().zip(hits) {
                *hit = self.first_touch(sweep);
            }
            return;
        };
        let mut search = Search {
            mesh: self,
            moving: std::array::from_fn(|lane| {
                let s = sweep(lane);
                Moving {
                    c: &s.from,
                    d: &s.along,
                    r: s.radius,
                    skin: 0.0,
                    size: balls[lane].size,
                }
            }),
            balls: &balls,
            first: [const { First { key: (u64::MAX, NONE), entry: None } }; WIDTH],
        };
        self.tree().visit_group(&group, &mut search);
        for ((first, moving), hit) in search.first.iter().zip(&search.moving).zip(hits) {
            *hit = first.entry.and_then(|(entry, slot)| self.hit(moving, &entry, slot));
        }
    }
}

/// The best answer of one sweep so far: see the search of a single one.
struct First {
    key: (u64, u32),
    entry: Option<(Entry, usize)>,
}

struct Search<'a> {
    mesh: &'a StaticMesh,
    moving: [Moving<'a>; WIDTH],
    balls: &'a [Ball; WIDTH],
    first: [First; WIDTH],
}

impl Search<'_> {
    #[inline(always)]
    fn offer(&mut self, lane: usize, slot: usize, entry: Option<Entry>, best: &mut [Real; WIDTH]) {
        let Some(entry) = entry else { return };
        let key = (entry.t.to_bits(), self.mesh.tree().order()[slot]);
        let first = &mut self.first[lane];
        if key < first.key {
            *first = First {
                key,
                entry: Some((entry, slot)),
            };
            best[lane] = entry.t;
        }
    }

    /// Tests pairs of different sweeps.
    #[inline(always)]
    fn test(&mut self, pairs: &[(usize, usize)], best: &mut [Real; WIDTH]) {
        let mesh = self.mesh;
        match *pairs {
            [] => {}
            [(lane, slot)] => {
                let entry = self.moving[lane].entry(&mesh.corners(slot), best[lane]);
                self.offer(lane, slot, entry, best);
            }
            _ => {
                let entries = {
                    let pair = |i: usize| {
                        let (lane, slot) = pairs[i.min(pairs.len() - 1)];
                        Pair {
                            moving: &self.moving[lane],
                            corners: mesh.corners_at(slot),
                            t_max: best[lane],
                        }
                    };
                    entries_of_four(&[pair(0), pair(1), pair(2), pair(3)], mesh.tree().lanes())
                };
                for (&(lane, slot), entry) in pairs.iter().zip(entries) {
                    self.offer(lane, slot, entry, best);
                }
            }
        }
    }
}

impl VisitGroup for Search<'_> {
    #[inline(always)]
    fn leaf(&mut self, slots: Range<u32>, paths: u32, best: &mut [Real; WIDTH]) {
        let (number, count) = lanes_of(&slots);
        let leaf = self.mesh.leaf(number);
        let lanes = self.mesh.tree().lanes();
        let mut candidates = [const { Candidates::NONE }; WIDTH];
        let (mut open, mut rest) = (0, paths);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            leaf.candidates_into(&self.balls[lane], best[lane], count, lanes, &mut candidates[lane]);
            open |= u32::from(candidates[lane].any()) << lane;
        }
        while open != 0 {
            let mut pairs = [(0, 0); WIDTH];
            let (mut length, mut rest) = (0, open);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                match candidates[lane].next(&self.balls[lane], best[lane]) {
                    Some(triangle) => {
                        pairs[length] = (lane, slots.start as usize + triangle);
                        length += 1;
                        open &= !(u32::from(!candidates[lane].any()) << lane);
                    }
                    None => open &= !(1 << lane),
                }
            }
            for four in pairs[..length].chunks(4) {
                self.test(four, best);
            }
        }
    }
}
