//! Short ranges: every cut along every axis is tried, so that leaves become full.

use super::{Bounds, ORDINARY, Primitive, RANK_BITS, SORTED, leaves};

/// Tries every cut of a short range in order of the middles, on each axis, and returns the length of the first part.
pub(super) fn split_sorted(range: &mut [Primitive], middles: &Bounds) -> usize {
    if !range[0].is_ranked() {
        rank(range, middles);
    }
    let n = range.len();
    let mut best = (f32::INFINITY, 0, n / 2);
    for axis in 0..3 {
        let order = order_along(range, axis);
        let mut right = [0.0f32; SORTED];
        let mut bounds = Bounds::EMPTY;
        for i in (1..n).rev() {
            let p = &range[usize::from(order[i])];
            bounds.grow(&p.min, &p.max);
            right[i] = bounds.half_area() * leaves(n - i);
        }
        let mut bounds = Bounds::EMPTY;
        for i in 1..n {
            let p = &range[usize::from(order[i - 1])];
            bounds.grow(&p.min, &p.max);
            let cost = bounds.half_area() * leaves(i) + right[i];
            if cost < best.0 {
                best = (cost, axis, i);
            }
        }
    }
    let order = order_along(range, best.1);
    let mut sorted = [range[0]; SORTED];
    for (to, &from) in sorted.iter_mut().zip(&order[..n]) {
        *to = range[usize::from(from)];
    }
    range.copy_from_slice(&sorted[..n]);
    best.2
}

/// Gives each primitive its rank along each axis; all later cuts of the range know its order by these.
fn rank(range: &mut [Primitive], middles: &Bounds) {
    let mut ranks = [ORDINARY; SORTED];
    for axis in 0..3 {
        // As whole numbers across the range, which leave room for the place in it.
        let most = (u32::MAX >> RANK_BITS) as f32 * 0.999_999;
        let scale = most / (middles.max[axis] - middles.min[axis]);
        let scale = if scale.is_finite() { scale } else { 0.0 };
        let mut keys = [0u32; SORTED];
        for (i, (key, p)) in keys.iter_mut().zip(&*range).enumerate() {
            let along = ((p.middle()[axis] - middles.min[axis]) * scale) as u32;
            *key = along << RANK_BITS | i as u32;
        }
        let keys = &mut keys[..range.len()];
        keys.sort_unstable();
        for (place, key) in keys.iter().enumerate() {
            ranks[*key as usize % SORTED] |= (place as u32) << (RANK_BITS * axis as u32);
        }
    }
    for (p, rank) in range.iter_mut().zip(ranks) {
        p.max[3] = f32::from_bits(rank);
    }
}

/// Places in a ranked range in order along an axis.
#[inline(always)]
fn order_along(range: &[Primitive], axis: u32) -> [u8; SORTED] {
    let mut at = [0u8; SORTED];
    let mut taken = 0u64;
    for (i, p) in range.iter().enumerate() {
        let rank = p.rank(axis);
        at[rank] = i as u8;
        taken |= 1 << rank;
    }
    let mut order = [0u8; SORTED];
    for to in &mut order[..range.len()] {
        *to = at[taken.trailing_zeros() as usize % SORTED];
        taken &= taken.wrapping_sub(1);
    }
    order
}
