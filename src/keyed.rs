//! A value that may change over time: a few keys, and what lies between them.
//!
//! Knows neither what it is the value of nor who asks. Integrals over time are exact, so that what follows from them
//! (births of a rate, the way of a wind) does not depend on the step.

use std::ops::{Add, Mul, Sub};

use crate::math::{Real, Vec3};

/// Halvings that bring a moment between two keys to a rounding.
const HALVINGS: usize = 60;

/// A value over time: one key, or several with straight or smooth ways between them; constant outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyed<T> {
    /// Moment [s] and value, in order of time; at least one. Two at the same moment make a jump.
    keys: Vec<(Real, T)>,
    /// Whether the value leaves and reaches each key without a slope: 3 s^2 - 2 s^3 instead of s.
    smooth: bool,
    /// Integral from the first key up to each.
    sums: Vec<T>,
}

/// What can be keyed: values that add up and scale.
pub trait Value: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Real, Output = Self> {
    /// Nothing of it.
    const ZERO: Self;
}

impl Value for Real {
    const ZERO: Self = 0.0;
}

impl Value for Vec3 {
    const ZERO: Self = Vec3::new(0.0, 0.0, 0.0);
}

impl<T: Value> From<T> for Keyed<T> {
    fn from(value: T) -> Self {
        Self {
            keys: vec![(0.0, value)],
            smooth: false,
            sums: vec![T::ZERO],
        }
    }
}

impl<T: Value> Keyed<T> {
    /// From keys in order of time [s]; zero without any.
    pub fn new(keys: Vec<(Real, T)>, smooth: bool) -> Self {
        if keys.is_empty() {
            return T::ZERO.into();
        }
        let mut sums = Vec::with_capacity(keys.len());
        let mut sum = T::ZERO;
        for (i, key) in keys.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).map(|b| keys[b]) {
                // Both ways between two keys have the mean of the two.
                sum = sum + (before.1 + key.1) * (0.5 * (key.0 - before.0));
            }
            sums.push(sum);
        }
        Self { keys, smooth, sums }
    }

    /// The value, if it never changes.
    pub fn constant(&self) -> Option<T> {
        match self.keys.as_slice() {
            [(_, value)] => Some(*value),
            _ => None,
        }
    }

    /// The keys: moment [s] and value.
    pub fn keys(&self) -> &[(Real, T)] {
        &self.keys
    }

    /// The same keys with other values; `f` is linear, so that it holds between them too.
    #[must_use]
    pub fn map<U: Value>(&self, f: impl Fn(T) -> U) -> Keyed<U> {
        Keyed::new(self.keys.iter().map(|&(t, v)| (t, f(v))).collect(), self.smooth)
    }

    /// The value at a moment [s].
    pub fn at(&self, time: Real) -> T {
        let next = self.keys.partition_point(|k| k.0 <= time);
        match (next.checked_sub(1).map(|i| self.keys[i]), self.keys.get(next)) {
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * self.way((time - a.0) / (b.0 - a.0)),
            (Some(a), None) => a.1,
            (None, b) => b.map_or(T::ZERO, |b| b.1),
        }
    }

    /// The slope at a moment [1/s of the value].
    pub fn slope(&self, time: Real) -> T {
        let next = self.keys.partition_point(|k| k.0 <= time);
        match (next.checked_sub(1).map(|i| self.keys[i]), self.keys.get(next)) {
            (Some(a), Some(b)) => {
                let s = (time - a.0) / (b.0 - a.0);
                let rise = if self.smooth { 6.0 * s * (1.0 - s) } else { 1.0 };
                (b.1 - a.1) * (rise / (b.0 - a.0))
            }
            _ => T::ZERO,
        }
    }

    /// The integral between two moments [s].
    pub fn integral(&self, from: Real, to: Real) -> T {
        match self.constant() {
            Some(value) => value * (to - from),
            None => self.sum_to(to) - self.sum_to(from),
        }
    }

    /// Integral from the first key to a moment; before it, less than nothing.
    fn sum_to(&self, time: Real) -> T {
        let next = self.keys.partition_point(|k| k.0 <= time);
        let Some(i) = next.checked_sub(1) else {
            let first = self.keys[0];
            return first.1 * (time - first.0);
        };
        let a = self.keys[i];
        let spent = time - a.0;
        match self.keys.get(next) {
            Some(b) => {
                let s = spent / (b.0 - a.0);
                self.sums[i] + a.1 * spent + (b.1 - a.1) * (spent * self.mean_way(s))
            }
            None => self.sums[i] + a.1 * spent,
        }
    }

    /// Share of the way between two keys, by share of the time.
    fn way(&self, s: Real) -> Real {
        if self.smooth { s * s * (3.0 - 2.0 * s) } else { s }
    }

    /// Mean of `way` over the shares 0 .. s.
    fn mean_way(&self, s: Real) -> Real {
        if self.smooth {
            s * s * (1.0 - 0.5 * s)
        } else {
            0.5 * s
        }
    }
}

impl Keyed<Real> {
    /// The moment [s] at which the integral from `from` on reaches `amount` >= 0, for values >= 0; infinite when it
    /// never does.
    pub fn moment_of(&self, amount: Real, from: Real) -> Real {
        if let Some(value) = self.constant() {
            return from + amount / value;
        }
        let wanted = self.sum_to(from) + amount;
        let next = self.sums.partition_point(|s| *s < wanted);
        let moment = match (next.checked_sub(1), self.keys.get(next)) {
            (None, _) => self.keys[0].0 + wanted / self.keys[0].1,
            (Some(i), None) => self.keys[i].0 + (wanted - self.sums[i]) / self.keys[i].1,
            (Some(i), Some(b)) => self.moment_between(self.keys[i], *b, wanted - self.sums[i]),
        };
        if moment.is_nan() { from } else { moment.max(from) }
    }

    fn moment_between(&self, a: (Real, Real), b: (Real, Real), amount: Real) -> Real {
        let duration = b.0 - a.0;
        if !self.smooth {
            // a t + (b - a) t^2 / (2 T) = amount, solved without cancellation.
            let bend = (b.1 - a.1) / duration;
            let root = (a.1 * a.1 + 2.0 * bend * amount).max(0.0).sqrt();
            return a.0 + (2.0 * amount / (a.1 + root)).clamp(0.0, duration);
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let s: Real = 0.5 * (low + high);
            if s * duration * (a.1 + (b.1 - a.1) * self.mean_way(s)) < amount {
                low = s;
            } else {
                high = s;
            }
        }
        a.0 + duration * high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(smooth: bool) -> Keyed<Real> {
        Keyed::new(vec![(1.0, 0.0), (3.0, 10.0), (3.0, 4.0), (5.0, 0.0), (6.0, 2.0)], smooth)
    }

    #[test]
    fn values_meet_their_keys_and_jump_where_two_share_a_moment() {
        for smooth in [false, true] {
            let k = ramp(smooth);
            let at = [0.0, 1.0, 2.0, 3.0, 5.0, 9.0].map(|t| k.at(t));
            assert_eq!(at, [0.0, 0.0, 5.0, 4.0, 0.0, 2.0]);
        }
        assert_eq!((ramp(false).at(1.5), ramp(true).at(1.5)), (2.5, 1.5625));
    }

    #[test]
    fn integrals_are_those_of_many_small_steps() {
        for smooth in [false, true] {
            let k = ramp(smooth);
            let n = 400_000;
            let middle = |i| 10.0 * (Real::from(i) + 0.5) / Real::from(n);
            let sum: Real = (0..n).map(|i| k.at(middle(i))).sum::<Real>() * 10.0 / Real::from(n);
            assert!((k.integral(0.0, 10.0) - sum).abs() < 1e-8, "{smooth}");
            assert!((k.integral(0.0, 2.7) + k.integral(2.7, 10.0) - k.integral(0.0, 10.0)).abs() < 1e-12);
            let h = 1e-6;
            let slope = (k.at(2.3 + h) - k.at(2.3 - h)) / (2.0 * h);
            assert!((k.slope(2.3) - slope).abs() < 1e-6);
        }
        assert_eq!(Keyed::from(3.0).integral(-1.0, 1.0), 6.0);
        assert_eq!(Keyed::new(vec![(2.0, 1.0), (3.0, 2.0)], false).integral(0.0, 2.0), 2.0);
    }

    #[test]
    fn moments_invert_the_integral() {
        for smooth in [false, true] {
            let k = ramp(smooth);
            for i in 1..300 {
                let amount = Real::from(i) * 0.1;
                let t = k.moment_of(amount, 0.5);
                assert!((k.integral(0.5, t) - amount).abs() < 1e-12 * amount.max(1.0), "{amount} {t}");
            }
        }
        let dying = Keyed::new(vec![(0.0, 2.0), (1.0, 0.0)], false);
        assert_eq!(dying.moment_of(1.0, 0.0), 1.0);
        assert_eq!(dying.moment_of(1.5, 0.0), Real::INFINITY);
    }
}
