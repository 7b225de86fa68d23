//! Long ranges: cuts between a few bins on each axis (Wald 2007).

use rayon::prelude::*;

use super::{Bounds, Primitive, leaves};

/// Bins of the heuristic on each axis.
const BINS: usize = 16;
/// Bins of ranges from this length on are filled by several threads.
const PARALLEL: usize = 1 << 16;

/// A cut between two bins.
pub(super) struct Cut {
    pub axis: usize,
    pub bin: usize,
    cost: f32,
}

/// Which bin a middle falls into, on each axis.
pub(super) struct Bins {
    low: [f32; 4],
    scale: [f32; 4],
}

impl Bins {
    pub fn new(middles: &Bounds) -> Self {
        let scale = |axis: usize| {
            let extent = middles.max[axis] - middles.min[axis];
            let scale = BINS as f32 / extent;
            // An axis without extent has one bin.
            if axis < 3 && extent > 0.0 && scale.is_finite() {
                scale
            } else {
                0.0
            }
        };
        Self {
            low: middles.min,
            scale: std::array::from_fn(scale),
        }
    }

    /// The bin on one axis.
    #[inline(always)]
    pub fn on_axis(&self, middle: &[f32; 4], axis: usize) -> usize {
        let share = (middle[axis] - self.low[axis]) * self.scale[axis];
        (share as i32).clamp(0, BINS as i32 - 1) as usize
    }
}

/// What the bins hold.
pub(super) struct Filled {
    bounds: [[Bounds; BINS]; 3],
    counts: [[u32; BINS]; 3],
}

impl Filled {
    const EMPTY: Self = Self {
        bounds: [[Bounds::EMPTY; BINS]; 3],
        counts: [[0; BINS]; 3],
    };

    pub fn of(range: &[Primitive], bins: &Bins) -> Self {
        if range.len() < PARALLEL {
            return Self::of_serial(range, bins);
        }
        // Smallest, largest and number do not depend on the order of the pieces.
        let pieces = range.par_chunks(PARALLEL / 2);
        pieces
            .map(|piece| Self::of_serial(piece, bins))
            .reduce(|| Self::EMPTY, Self::plus)
    }

    fn of_serial(range: &[Primitive], bins: &Bins) -> Self {
        let mut filled = Self::EMPTY;
        for p in range {
            let middle = p.middle();
            for axis in 0..3 {
                let bin = bins.on_axis(&middle, axis);
                filled.bounds[axis][bin].grow(&p.min, &p.max);
                filled.counts[axis][bin] += 1;
            }
        }
        filled
    }

    fn plus(mut self, other: Self) -> Self {
        for axis in 0..3 {
            for bin in 0..BINS {
                let more = &other.bounds[axis][bin];
                self.bounds[axis][bin].grow(&more.min, &more.max);
                self.counts[axis][bin] += other.counts[axis][bin];
            }
        }
        self
    }

    /// The cheapest cut between bins; `None` where all middles fall into one bin on every axis.
    pub fn best_cut(&self, bins: &Bins) -> Option<Cut> {
        let mut best = None;
        for axis in (0..3).filter(|&axis| bins.scale[axis] > 0.0) {
            cheapest_on_axis(&self.bounds[axis], &self.counts[axis], axis, &mut best);
        }
        best
    }

    /// Boxes of both sides of a cut.
    pub fn sides(&self, cut: &Cut) -> [Bounds; 2] {
        let (low, high) = self.bounds[cut.axis].split_at(cut.bin);
        [low, high].map(|side| {
            let mut bounds = Bounds::EMPTY;
            side.iter().for_each(|b| bounds.grow(&b.min, &b.max));
            bounds
        })
    }
}

fn cheapest_on_axis(bins: &[Bounds; BINS], counts: &[u32; BINS], axis: usize, best: &mut Option<Cut>) {
    // Cost of everything right of each cut, then sweep from the left.
    let mut right = [(0.0f32, 0usize); BINS];
    let (mut bounds, mut count) = (Bounds::EMPTY, 0);
    for i in (1..BINS).rev() {
        bounds.grow(&bins[i].min, &bins[i].max);
        count += counts[i] as usize;
        right[i] = (bounds.half_area(), count);
    }
    let (mut bounds, mut count) = (Bounds::EMPTY, 0);
    for cut in 1..BINS {
        bounds.grow(&bins[cut - 1].min, &bins[cut - 1].max);
        count += counts[cut - 1] as usize;
        let (right_area, right_count) = right[cut];
        if count == 0 || right_count == 0 {
            continue;
        }
        let cost = bounds.half_area() * leaves(count) + right_area * leaves(right_count);
        if best.as_ref().is_none_or(|b| cost < b.cost) {
            *best = Some(Cut { axis, bin: cut, cost });
        }
    }
}

/// Moves those whose middles satisfy `first` to the front; gives their number, and the boxes around the middles of both.
pub(super) fn partition(range: &mut [Primitive], first: impl Fn(&[f32; 4]) -> bool) -> (usize, [Bounds; 2]) {
    let mut middles = [Bounds::EMPTY; 2];
    let (mut low, mut high) = (0, range.len());
    while low < high {
        let middle = range[low].middle();
        if first(&middle) {
            middles[0].grow(&middle, &middle);
            low += 1;
        } else {
            middles[1].grow(&middle, &middle);
            high -= 1;
            range.swap(low, high);
        }
    }
    (low, middles)
}
