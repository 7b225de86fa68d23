//! Ranges of cells: what lies in one and not in another.

/// A range of cells, both ends inside.
#[derive(Debug, Clone, Copy)]
pub struct Cells {
    pub(super) low: [i32; 3],
    pub(super) high: [i32; 3],
}

impl Cells {
    /// Without those of a range that was seen before, where the rest is a range: that is so if along the other two axes
    /// nothing is new.
    pub fn beyond(&self, seen: &Self, axis: usize) -> Self {
        let mut new = *self;
        let within = |k: usize| k == axis || seen.low[k] <= self.low[k] && self.high[k] <= seen.high[k];
        if (0..3).all(within) {
            if seen.low[axis] <= self.low[axis] {
                new.low[axis] = self.low[axis].max(seen.high[axis] + 1);
            } else if self.high[axis] <= seen.high[axis] {
                new.high[axis] = self.high[axis].min(seen.low[axis] - 1);
            }
        }
        new
    }

    /// The smallest range that holds both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Whether all of a range lie in this.
    pub fn holds(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.low[k] && other.high[k] <= self.high[k])
    }

    /// How many they are.
    pub fn count(&self) -> i64 {
        let length = |k: usize| i64::from((self.high[k] - self.low[k] + 1).max(0));
        length(0).saturating_mul(length(1)).saturating_mul(length(2))
    }

    /// Those that are not in a range that lies within this: in slabs, some of which may be empty.
    pub fn around(&self, inner: &Self) -> [Self; 6] {
        let mut rest = *self;
        let mut slabs = [*self; 6];
        for k in 0..3 {
            slabs[2 * k] = rest;
            slabs[2 * k].high[k] = inner.low[k] - 1;
            slabs[2 * k + 1] = rest;
            slabs[2 * k + 1].low[k] = inner.high[k] + 1;
            (rest.low[k], rest.high[k]) = (inner.low[k], inner.high[k]);
        }
        slabs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_a_range_and_the_range_are_all() {
        let range = |low: i32, high: i32| Cells {
            low: [low, 0, 0],
            high: [high, 3, 3],
        };
        let inside = |c: &Cells, x: i32| c.low[0] <= x && x <= c.high[0];
        for (a, b) in [(0, 4), (-3, 2), (2, 9), (-2, -1), (5, 6), (-5, 9), (1, 2)] {
            let (new, seen) = (range(a, b), range(0, 4));
            let beyond = new.beyond(&seen, 0);
            for x in -9..12 {
                let either = inside(&beyond, x) || inside(&seen, x);
                assert_eq!(either && inside(&new, x), inside(&new, x), "{a} {b} {x}");
                assert!(!inside(&beyond, x) || inside(&new, x));
            }
            let mut wider = new;
            wider.high[1] = 4;
            assert_eq!(wider.beyond(&seen, 0).low, wider.low);
        }
        assert_eq!(range(2, 9).beyond(&range(0, 4), 0).low[0], 5);
        assert_eq!(range(-3, 2).beyond(&range(0, 4), 0).high[0], -1);
    }

    #[test]
    fn slabs_around_a_range_hold_the_rest_once() {
        let range = |low: [i32; 3], high: [i32; 3]| Cells { low, high };
        let inside = |c: &Cells, p: [i32; 3]| (0..3).all(|k| c.low[k] <= p[k] && p[k] <= c.high[k]);
        let inner = range([0, 1, -2], [2, 2, -1]);
        for other in [
            range([0, 1, -2], [2, 2, -1]),
            range([-1, 1, -2], [1, 4, -2]),
            range([-3, -3, -3], [4, 4, 4]),
            range([2, 2, -1], [5, 5, 5]),
        ] {
            let all = inner.union(&other);
            assert!(all.holds(&inner) && all.holds(&other));
            let mut cells = 0;
            for n in 0..12_i32.pow(3) {
                let p = [n % 12 - 6, n / 12 % 12 - 6, n / 144 - 6];
                let slabs = all.around(&inner).iter().filter(|s| inside(s, p)).count();
                let expected = inside(&all, p) && !inside(&inner, p);
                assert_eq!(slabs, usize::from(expected), "{p:?}");
                cells += i64::from(inside(&all, p));
            }
            assert_eq!(cells, all.count());
        }
    }
}
