//! Balls by the boxes of space that they lie in, each box with what matters to those in it: they are worked on box by
//! box, so what is looked at together lies together, and what is remembered of neighbours does not grow with the frame.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::math::{Aabb, Point3, Real};

/// Most boxes, empty ones too: this many a ball, or this many where there are few balls.
const MOST: [Real; 2] = [0.25, 4096.0];
/// Balls that one task looks at.
const TASK: usize = 1 << 14;
/// Boxes that are worked on before their results are taken.
const AT_ONCE: usize = 64;

/// Balls in boxes, those of a box in their order.
pub struct Regions {
    /// Number of the ball, and whether it only lies near the box.
    members: Vec<u64>,
    /// Where each box begins, and one more.
    starts: Vec<usize>,
}

/// What lies in a box or near it.
#[derive(Clone, Copy)]
pub struct Region<'a> {
    members: &'a [u64],
}

impl Regions {
    /// Sorts balls `0 .. count` into boxes of about `edge`; what lies within `margin` of a box belongs to it too. Both
    /// are > 0, and all places finite.
    pub fn new(count: usize, place: impl Fn(usize) -> Point3 + Sync, margin: Real, edge: Real) -> Self {
        let bounds = (0..count)
            .into_par_iter()
            .with_min_len(TASK)
            .fold(|| Aabb::EMPTY, |bounds, i| bounds.grow(&place(i)))
            .reduce(|| Aabb::EMPTY, |a, b| a.union(&b));
        let boxes = Boxes::new(&bounds, edge, MOST[1].max(MOST[0] * count as Real));
        let margin = margin * (1.0 + 1e-6) + 8.0 * Real::EPSILON * largest(&bounds);
        // By counting: how many there are in each box, then where they are.
        let mut starts = vec![0; boxes.len() + 1];
        for i in 0..count {
            boxes.around(&place(i), margin, |number, _| starts[number + 1] += 1);
        }
        for number in 0..boxes.len() {
            starts[number + 1] += starts[number];
        }
        let mut members = vec![0; starts[boxes.len()]];
        let mut next = starts.clone();
        for i in 0..count {
            boxes.around(&place(i), margin, |number, own| {
                members[next[number]] = (i as u64) << 1 | u64::from(!own);
                next[number] += 1;
            });
        }
        starts.dedup();
        Self { members, starts }
    }

    /// Works on all boxes that hold a ball, in parallel, and hands over the results in the order of the boxes. A room is
    /// memory that keeps its size from box to box.
    pub fn work<Room: Default + Send, T: Send>(
        &self,
        work: impl Fn(&mut Room, Region<'_>) -> T + Sync,
        mut take: impl FnMut(T) + Send,
    ) {
        let boxes: Vec<Region<'_>> = (self.starts.windows(2))
            .map(|bounds| Region {
                members: &self.members[bounds[0]..bounds[1]],
            })
            .filter(|region| region.balls().any(|(_, own)| own))
            .collect();
        // As many as there are threads, each used for box after box.
        let rooms = Mutex::new(Vec::new());
        let one = |region: &Region<'_>| {
            let mut room = lock(&rooms).pop().unwrap_or_default();
            let result = work(&mut room, *region);
            lock(&rooms).push(room);
            result
        };
        let some = |boxes: &[Region<'_>]| boxes.par_iter().with_max_len(1).map(one).collect();
        // Results are taken while the next are made.
        let mut results: Vec<T> = Vec::new();
        for boxes in boxes.chunks(AT_ONCE) {
            let ready = std::mem::take(&mut results);
            (results, ()) = rayon::join(|| some(boxes), || ready.into_iter().for_each(&mut take));
        }
        results.into_iter().for_each(take);
    }
}

impl<'a> Region<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The balls in their order, and whether each lies in the box itself; each ball does so in one box.
    pub fn balls(&self) -> impl Iterator<Item = (u32, bool)> + use<'a> {
        self.members.iter().map(|m| ((m >> 1) as u32, m & 1 == 0))
    }

    /// Ball `i` of these, and whether it lies in the box itself.
    pub fn ball(&self, i: u32) -> (u32, bool) {
        let m = self.members[i as usize];
        ((m >> 1) as u32, m & 1 == 0)
    }
}

/// What a panic elsewhere leaves in a list of rooms is as good as any.
fn lock<T>(rooms: &Mutex<T>) -> MutexGuard<'_, T> {
    rooms.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Largest coordinate.
fn largest(bounds: &Aabb) -> Real {
    if bounds.is_empty() {
        return 0.0;
    }
    bounds.min.coords.amax().max(bounds.max.coords.amax())
}

/// A grid of boxes around everything.
struct Boxes {
    low: Point3,
    per_unit: Real,
    counts: [i64; 3],
}

impl Boxes {
    fn new(bounds: &Aabb, mut edge: Real, most: Real) -> Self {
        let (low, extent) = if bounds.is_empty() {
            (Point3::origin(), [0.0; 3])
        } else {
            (bounds.min, bounds.extent().into())
        };
        let counts = |edge: Real| extent.map(|side: Real| (side / edge).floor() + 1.0);
        while counts(edge).iter().product::<Real>() > most {
            edge *= 2.0;
        }
        Self {
            low,
            per_unit: 1.0 / edge,
            counts: counts(edge).map(|n| n as i64),
        }
    }

    fn len(&self) -> usize {
        self.counts.iter().product::<i64>() as usize
    }

    /// Calls `f` with the numbers of all boxes that a place lies in or within `margin` of, and whether it lies in it.
    #[inline]
    fn around(&self, p: &Point3, margin: Real, mut f: impl FnMut(usize, bool)) {
        let (from, margin) = ((p - self.low) * self.per_unit, margin * self.per_unit);
        // Casts saturate, and what is below the first box is in it.
        let at = |axis: usize, off: Real| ((from[axis] + off) as i64).clamp(0, self.counts[axis] - 1);
        let number = |x: i64, y: i64, z: i64| ((z * self.counts[1] + y) * self.counts[0] + x) as usize;
        let own = number(at(0, 0.0), at(1, 0.0), at(2, 0.0));
        for z in at(2, -margin)..=at(2, margin) {
            for y in at(1, -margin)..=at(1, margin) {
                for x in at(0, -margin)..=at(0, margin) {
                    let number = number(x, y, z);
                    f(number, number == own);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    fn scattered(count: usize, size: Real) -> Vec<Point3> {
        let mut draws = stream(7, Purpose::Probe, 0, 0);
        let mut draw = || draws.unit();
        (0..count)
            .map(|_| Point3::new(draw() * size, draw() * size - 3.0, draw() * draw() * size))
            .collect()
    }

    #[test]
    fn every_ball_is_in_one_box_with_all_that_is_near_it() {
        let points = scattered(1500, 30.0);
        let regions = Regions::new(points.len(), |i| points[i], 1.5, 4.0);
        let mut seen = vec![0; points.len()];
        let mut boxes = 0;
        regions.work(
            |(), region| {
                let members: Vec<u32> = region.balls().map(|m| m.0).collect();
                assert!(members.is_sorted());
                let own: Vec<u32> = region.balls().filter(|m| m.1).map(|m| m.0).collect();
                for &i in &own {
                    let near = |j: &u32| (points[*j as usize] - points[i as usize]).norm() < 1.5;
                    let all = (0..points.len() as u32).filter(near);
                    assert!(all.into_iter().all(|j| members.binary_search(&j).is_ok()));
                }
                own
            },
            |own| {
                boxes += 1;
                own.iter().for_each(|&i| seen[i as usize] += 1);
            },
        );
        assert!(seen.iter().all(|&n| n == 1) && boxes > 100, "{boxes}");
    }

    #[test]
    fn balls_far_apart_share_boxes_rather_than_fail() {
        let points = [0.0, 1e12, 3e12].map(|x| Point3::new(x, -x, 0.5 * x));
        let regions = Regions::new(points.len(), |i| points[i], 0.1, 1.0);
        let mut seen = 0;
        regions.work(|(), region| region.balls().filter(|m| m.1).count(), |n| seen += n);
        assert_eq!(seen, 3);
        Regions::new(0, |_| Point3::origin(), 0.1, 1.0).work(|(), region| region.len(), |_| unreachable!());
    }
}
