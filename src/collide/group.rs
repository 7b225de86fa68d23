//! First touches of neighbours, eight at a time: one walk through the tree, and exact tests four at once; and crossings of
//! segments that lie side by side.
//!
//! The answers are those of single ones, bit by bit: what differs is only the order of the tests, and the answer does
//! not depend on it.

use std::ops::Range;

use super::leaf::{Ball, Candidates, Heading, lanes_of, larger, moves, smaller};
use super::mesh::{StaticMesh, with_room};
use super::{Collider, Hit, Overlap, Sweep};
use crate::bvh::{NONE, Path, VisitGroup, WIDTH};
use crate::geom::sweep_exact::{Entry, Moving, Pair, entries_of_four, touches_of_four};
use crate::math::{Aabb, Point3, Real, Vec3};

/// Times the mean radius of a leaf: balls beyond are better off alone.
const LARGE: Real = 2.0;
/// How much larger than the boxes around single sweeps that around all may be.
const CLOSE: Real = 4.0;

impl StaticMesh {
    /// The exact first touches of up to [`WIDTH`] sweeps.
    pub(super) fn first_of_group(&self, sweeps: &[Sweep], hits: &mut [Option<Hit>]) {
        if !self.take_group(sweeps, hits) {
            for (sweep, hit) in sweeps.iter().zip(hits) {
                *hit = self.first_touch(sweep);
            }
        }
    }

    /// Answers all, or none where that would not be faster one by one.
    #[inline(always)]
    fn take_group(&self, sweeps: &[Sweep], hits: &mut [Option<Hit>]) -> bool {
        let count = sweeps.len().min(hits.len()).min(WIDTH);
        let sweeps = &sweeps[..count];
        let Some(first) = sweeps.first() else {
            return true;
        };
        let mut all_move = true;
        let mut parallel = true;
        for s in sweeps {
            all_move &= s.radius > 0.0 && moves(&s.from, &s.along, s.radius, self.size());
            parallel &= s.along == first.along;
        }
        // Large balls meet many boxes whose corners they miss, each of them others.
        if count < 2 || !all_move || first.radius > LARGE * self.leaf_radius() || !are_close(boxes(sweeps)) {
            return false;
        }
        let (one, each);
        let headings = if parallel {
            one = Heading::new(&first.along);
            std::slice::from_ref(&one)
        } else {
            each =
                std::array::from_fn::<_, WIDTH, _>(|lane| Heading::new(&sweeps[lane.min(count - 1)].along));
            &each
        };
        let mut search = Search {
            mesh: self,
            sweeps,
            headings,
            balls: [Ball::NONE; WIDTH],
            candidates: [const { Candidates::NONE }; WIDTH],
            first: [const {
                First {
                    key: (u64::MAX, NONE),
                    entry: None,
                }
            }; WIDTH],
        };
        for (lane, s) in sweeps.iter().enumerate() {
            search.balls[lane] = Ball::new(&s.from, &s.along, search.heading(lane), s.radius, self.size());
        }
        let mut paths = [Path {
            from: first.from,
            along: first.along,
            radius: search.balls[0].radius,
        }; WIDTH];
        for ((path, s), ball) in paths.iter_mut().zip(sweeps).zip(&search.balls) {
            path.from = s.from;
            path.along = s.along;
            path.radius = ball.radius;
        }
        self.tree().visit_group(&paths, count, &mut search);
        search.touch(&mut hits[..count]);
        true
    }
}

/// Boxes around the ways of sweeps.
#[inline(always)]
fn boxes(sweeps: &[Sweep]) -> impl ExactSizeIterator<Item = Aabb> {
    sweeps.iter().map(|s| {
        let (mut around, radius) = (Aabb::EMPTY, s.radius);
        for axis in 0..3 {
            let (from, to) = (s.from[axis], s.from[axis] + s.along[axis]);
            around.min[axis] = smaller(from, to) - radius;
            around.max[axis] = larger(from, to) + radius;
        }
        around
    })
}

/// Whether ways in these boxes are so near to each other that they meet mostly the same boxes of a tree.
#[inline(always)]
fn are_close(boxes: impl ExactSizeIterator<Item = Aabb>) -> bool {
    let count = boxes.len() as Real;
    let mut all = Aabb::EMPTY;
    let mut sides = 0.0;
    for one in boxes {
        for axis in 0..3 {
            sides += one.max[axis] - one.min[axis];
            all.min[axis] = smaller(all.min[axis], one.min[axis]);
            all.max[axis] = larger(all.max[axis], one.max[axis]);
        }
    }
    let extent = all.extent();
    (extent.x + extent.y + extent.z) * count <= CLOSE * sides
}

impl StaticMesh {
    /// How many of up to [`WIDTH`] segments cross.
    pub(super) fn crossings_of_group(&self, segments: &[[Point3; 2]]) -> u64 {
        let count = segments.len().min(WIDTH);
        let regions: [Aabb; WIDTH] = std::array::from_fn(|lane| match segments.get(lane) {
            Some(ends) => with_room(&Aabb::around(ends)),
            None => Aabb::EMPTY,
        });
        if count < 2 || !are_close(regions[..count].iter().copied()) {
            return segments
                .iter()
                .filter(|[from, to]| self.crosses(from, to))
                .count() as u64;
        }
        let paths: [Path; WIDTH] = std::array::from_fn(|lane| {
            let [from, to] = segments[lane.min(count - 1)];
            Path {
                from,
                along: to - from,
                radius: 0.0,
            }
        });
        let mut crossings = 0;
        let look = |lane: usize, slots| {
            let Path { from, along, .. } = &paths[lane];
            let crosses = self.leaf_crosses(slots, from, along, &regions[lane]);
            crossings += u64::from(crosses);
            crosses
        };
        self.tree()
            .visit_group(&paths, count, &mut EachPath { mesh: self, look });
        crossings
    }

    /// The deepest overlaps of up to [`WIDTH`] balls at rest.
    pub(super) fn overlaps_of_group(
        &self,
        centers: &[Point3],
        radii: &[Real],
        deepest: &mut [Option<Overlap>],
    ) {
        let count = centers.len().min(radii.len()).min(deepest.len());
        let boxes = centers.iter().zip(radii).take(count);
        let boxes = boxes.map(|(center, radius)| Aabb::around([center]).inflated(*radius));
        if count < 2 || !are_close(boxes) {
            for ((center, radius), deepest) in centers.iter().zip(radii).zip(deepest) {
                *deepest = self.deepest_overlap(center, *radius);
            }
            return;
        }
        let paths: [Path; WIDTH] = std::array::from_fn(|lane| Path {
            from: centers[lane.min(count - 1)],
            along: Vec3::zeros(),
            radius: radii[lane.min(count - 1)],
        });
        deepest.fill(None);
        let look = |lane: usize, slots| {
            let Path { from, radius, .. } = &paths[lane];
            self.leaf_overlap(slots, from, *radius, &mut deepest[lane]);
            false
        };
        self.tree()
            .visit_group(&paths, count, &mut EachPath { mesh: self, look });
    }
}

/// Asks each path of a group by itself about a leaf: `look` says whether its answer is known then.
struct EachPath<'a, F> {
    mesh: &'a StaticMesh,
    look: F,
}

impl<F: FnMut(usize, Range<u32>) -> bool> VisitGroup for EachPath<'_, F> {
    #[inline(always)]
    fn leaf(&mut self, slots: Range<u32>, paths: u32, best: &mut [Real; WIDTH]) {
        let mut rest = paths;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if (self.look)(lane, slots.clone()) {
                best[lane] = -1.0;
            }
        }
    }

    #[inline(always)]
    fn expect(&self, slots: Range<u32>) {
        self.mesh.expect(&slots);
    }
}

/// The best answer of one sweep so far: see the search of a single one.
struct First {
    key: (u64, u32),
    entry: Option<(Entry, usize)>,
}

struct Search<'a> {
    mesh: &'a StaticMesh,
    sweeps: &'a [Sweep],
    /// One for all that are parallel, or one each.
    headings: &'a [Heading],
    balls: [Ball; WIDTH],
    /// Those of the leaf that is looked at.
    candidates: [Candidates; WIDTH],
    first: [First; WIDTH],
}

impl<'a> Search<'a> {
    #[inline(always)]
    fn heading(&self, lane: usize) -> &'a Heading {
        &self.headings[lane.min(self.headings.len() - 1)]
    }

    #[inline(always)]
    fn moving(&self, lane: usize) -> Moving<'a> {
        let sweep = &self.sweeps[lane];
        Moving {
            c: &sweep.from,
            d: &sweep.along,
            r: sweep.radius,
            skin: 0.0,
            size: self.balls[lane].size,
        }
    }

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

    /// Where the first entries touch.
    #[inline(always)]
    fn touch(&self, hits: &mut [Option<Hit>]) {
        hits.fill(None);
        let mut entered = [(0, Entry::NONE, 0); WIDTH];
        let mut length = 0;
        for (lane, first) in self.first[..hits.len()].iter().enumerate() {
            if let Some((entry, slot)) = first.entry {
                entered[length] = (lane, entry, slot);
                length += 1;
            }
        }
        let lanes = self.mesh.tree().lanes();
        for four in entered[..length].chunks(4) {
            let at = [0, 1, 2, 3].map(|i| four[i.min(four.len() - 1)]);
            let pair = |i: usize| Pair {
                moving: self.moving(at[i].0),
                corners: self.mesh.corners_at(at[i].2),
                t_max: 1.0,
            };
            let pairs = [pair(0), pair(1), pair(2), pair(3)];
            let entries = [at[0].1, at[1].1, at[2].1, at[3].1];
            touches_of_four(&pairs, &entries, lanes, |i, touch| {
                let (lane, _, slot) = at[i];
                hits[lane] = touch.map(|touch| self.mesh.hit_at(&touch, slot));
            });
        }
    }

    /// Tests pairs of different sweeps.
    #[inline(always)]
    fn test(&mut self, pairs: &[(usize, usize)], best: &mut [Real; WIDTH]) {
        let mesh = self.mesh;
        match *pairs {
            [] => {}
            [(lane, slot)] => {
                let entry = self.moving(lane).entry(&mesh.corners(slot), best[lane]);
                self.offer(lane, slot, entry, best);
            }
            _ => {
                let entries = {
                    let pair = |i: usize| {
                        let (lane, slot) = pairs[i.min(pairs.len() - 1)];
                        Pair {
                            moving: self.moving(lane),
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
        self.mesh.expect_corners(&slots);
        let leaf = self.mesh.leaf(number);
        let lanes = self.mesh.tree().lanes();
        if let [heading] = self.headings {
            let balls = (&self.balls, &*best, paths);
            leaf.candidates_of_many(heading, balls, count, lanes, &mut self.candidates);
        } else {
            let mut rest = paths;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let (ball, into) = (&self.balls[lane], &mut self.candidates[lane]);
                leaf.candidates_into(&self.headings[lane], ball, best[lane], count, lanes, into);
            }
        }
        let (mut open, mut rest) = (0, paths);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            open |= u32::from(self.candidates[lane].any()) << lane;
        }
        while open != 0 {
            let mut pairs = [(0, 0); WIDTH];
            let (mut length, mut rest) = (0, open);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let heading = self.heading(lane);
                let candidates = &mut self.candidates[lane];
                match candidates.next(heading, &self.balls[lane], best[lane]) {
                    Some(triangle) => {
                        pairs[length] = (lane, slots.start as usize + triangle);
                        length += 1;
                        open &= !(u32::from(!candidates.any()) << lane);
                    }
                    None => open &= !(1 << lane),
                }
            }
            for four in pairs[..length].chunks(4) {
                self.test(four, best);
            }
        }
    }

    #[inline(always)]
    fn expect(&self, slots: Range<u32>) {
        self.mesh.expect(&slots);
    }
}
