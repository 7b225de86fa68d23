//! All scenery at one moment: what stands still, and what moves as if it stood where it is then.

use crate::collide::grid::Guarded;
use crate::collide::moving::{Mover, Movers};
use crate::collide::{Collider, Hit, Near, Overlap, Sweep};
use crate::math::{Point3, Real};

/// The scenery at a moment.
#[derive(Clone, Copy)]
pub struct Scenery<'a> {
    still: &'a Guarded,
    movers: &'a Movers,
    time: Real,
}

impl<'a> Scenery<'a> {
    pub(super) fn new(still: &'a Guarded, movers: &'a Movers, time: Real) -> Self {
        Self { still, movers, time }
    }

    /// The lesser of an answer of what stands still and those of what moves, by (fraction as bits, triangle).
    fn first(&self, still: Option<Hit>, sweep: &Sweep) -> Option<Hit> {
        let mut first = still;
        for hit in self
            .movers
            .all()
            .iter()
            .filter_map(|m| m.first_at(sweep, self.time))
        {
            let sooner = |f: &Hit| hit.fraction.to_bits() < f.fraction.to_bits();
            if first.as_ref().is_none_or(sooner) {
                first = Some(hit);
            }
        }
        first
    }
}

impl Collider for Scenery<'_> {
    fn first_touch(&self, sweep: &Sweep) -> Option<Hit> {
        let still = self.still.first_touch(sweep);
        if self.movers.is_empty() {
            return still;
        }
        self.first(still, sweep)
    }

    fn first_contact(&self, sweep: &Sweep) -> Option<Hit> {
        let still = self.still.first_contact(sweep);
        self.first(still, sweep)
    }

    fn crosses(&self, from: &Point3, to: &Point3) -> bool {
        let crosses = |mover: &Mover| mover.crosses_at(from, to, self.time);
        self.still.crosses(from, to) || self.movers.all().iter().any(crosses)
    }

    fn deepest_overlap(&self, center: &Point3, radius: Real) -> Option<Overlap> {
        let still = self.still.deepest_overlap(center, radius);
        if self.movers.is_empty() {
            return still;
        }
        let moving = self.movers.deepest_overlap(center, radius, self.time);
        match (still, moving) {
            (Some(a), Some(b)) if b.depth > a.depth => Some(b),
            (still, moving) => still.or(moving),
        }
    }

    fn deepest_overlaps(&self, centers: &[Point3], radii: &[Real], deepest: &mut [Option<Overlap>]) {
        if self.movers.is_empty() {
            return self.still.deepest_overlaps(centers, radii, deepest);
        }
        for ((center, radius), deepest) in centers.iter().zip(radii).zip(deepest) {
            *deepest = self.deepest_overlap(center, *radius);
        }
    }

    fn near(&self, center: &Point3, reach: Real, found: &mut Vec<Near>) {
        self.still.near(center, reach, found);
        self.movers.add_near(center, reach, self.time, found);
    }
}
