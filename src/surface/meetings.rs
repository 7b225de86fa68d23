//! Which triangles of a mesh meet beyond the corners that they share: exact, each pair once.

use rayon::prelude::*;

use super::Surface;
use crate::bvh::{NONE, WIDTH};
use crate::geom::tri_tri::{Meeting, meeting};
use crate::math::Aabb;

/// Two triangles that meet, the lower number first.
pub type Pair = [u32; 2];

/// Pairs remembered of what one leaf of the tree begins; more are only counted.
const REMEMBERED: usize = 256;

/// Pairs of triangles that meet, sorted; of very many only some are remembered, all are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meetings {
    /// Pairs that go through each other.
    pub crossing: Found,
    /// Pairs that cover a common part of one plane.
    pub overlapping: Found,
    /// Pairs that touch and do not go on behind each other.
    pub touching: Found,
}

/// Pairs of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// How many there are.
    pub count: u64,
    /// Those remembered, sorted.
    pub pairs: Vec<Pair>,
}

impl Found {
    fn add(&mut self, pair: Pair) {
        self.count += 1;
        if self.pairs.len() < REMEMBERED {
            self.pairs.push(pair);
        }
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.pairs.extend(other.pairs);
    }
}

impl Meetings {
    fn join(&mut self, other: Self) {
        self.crossing.join(other.crossing);
        self.overlapping.join(other.overlapping);
        self.touching.join(other.touching);
    }

    fn sort(&mut self) {
        for found in [&mut self.crossing, &mut self.overlapping, &mut self.touching] {
            found.pairs.sort_unstable();
        }
    }
}

impl Surface<'_> {
    /// All pairs that meet: leaf by leaf against what the tree holds in the leaf's box, so near-linear in the triangles as long
    /// as each is near few others. The answer depends on the mesh alone.
    pub fn meetings(&self) -> Meetings {
        let leaves: Vec<Meetings> = (0..self.tree.leaf_count())
            .into_par_iter()
            .map(|leaf| self.meetings_of(leaf))
            .collect();
        let mut all = Meetings::default();
        leaves.into_iter().for_each(|found| all.join(found));
        all.sort();
        all
    }

    /// Pairs whose first slot is in this leaf and whose second comes after it.
    fn meetings_of(&self, leaf: usize) -> Meetings {
        let order = self.tree.order();
        let first = leaf * WIDTH;
        let own = &order[first..first + WIDTH];
        let held = own.iter().take_while(|t| **t != NONE).count();
        let own = &own[..held];
        let around = own
            .iter()
            .fold(Aabb::EMPTY, |all, t| all.union(&self.boxes[*t as usize]));
        let mut found = Meetings::default();
        self.tree.within(&around, |slots| {
            if (slots.end as usize) <= first {
                return;
            }
            for slot in slots {
                let other = order[slot as usize];
                let region = &self.boxes[other as usize];
                let before = (slot as usize).saturating_sub(first).min(own.len());
                for &triangle in &own[..before] {
                    if touch(&self.boxes[triangle as usize], region) {
                        self.meet(triangle, other, &mut found);
                    }
                }
            }
        });
        found
    }

    fn meet(&self, one: u32, other: u32, found: &mut Meetings) {
        let pair = [one.min(other), one.max(other)];
        let [a, b] = pair.map(|t| self.mesh.corners(t as usize));
        match meeting(&a, &b) {
            Meeting::Apart => {}
            Meeting::Touching => found.touching.add(pair),
            Meeting::Crossing => found.crossing.add(pair),
            Meeting::Overlapping => found.overlapping.add(pair),
        }
    }
}

/// Whether two closed boxes have a point in common.
fn touch(a: &Aabb, b: &Aabb) -> bool {
    let mut touch = true;
    for k in 0..3 {
        touch &= a.min[k] <= b.max[k] && b.min[k] <= a.max[k];
    }
    touch
}
