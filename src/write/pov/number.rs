//! Numbers as POV-Ray text: fixed point, rounded to an absolute step, without `-0` and without exponents.
//!
//! An absolute step keeps resting particles byte-identical from frame to frame, and lets the digits be
//! made from one integer, several times faster than the general formatter.

use crate::math::Real;

/// Decimals beyond which nothing is gained: f64 holds about 16 digits.
const MOST_DECIMALS: u32 = 12;
/// Above this many steps an f64 no longer counts every integer.
const MOST_STEPS: Real = 9.0e15;
/// Room for the digits of a number: 16 before or after the point, and one more.
const DIGITS: usize = 24;
/// "00" to "99", so that two digits cost one division.
const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// A power of ten that numbers are rounded to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    decimals: u32,
    per_unit: Real,
}

impl Step {
    /// Rounding to `decimals` digits after the point, at most 12.
    pub fn of_decimals(decimals: u32) -> Self {
        let decimals = decimals.min(MOST_DECIMALS);
        Self {
            decimals,
            per_unit: (10u64.pow(decimals)) as Real,
        }
    }

    /// The largest power of ten that is not above `length`, and not above 1.
    pub fn at_most(length: Real) -> Self {
        let mut step = Self::of_decimals(0);
        while step.decimals < MOST_DECIMALS && 1.0 / step.per_unit > length {
            step = Self::of_decimals(step.decimals + 1);
        }
        step
    }

    /// A step that is finer by `digits` decimals.
    #[must_use]
    pub fn finer(self, digits: u32) -> Self {
        Self::of_decimals(self.decimals + digits)
    }

    /// Whether `value` is finite and small enough to be written exactly to the step.
    pub fn can_write(self, value: Real) -> bool {
        (value * self.per_unit).abs() < MOST_STEPS
    }

    /// Appends `value`; the caller has checked [`Step::can_write`] (else 0 is written, never a bad token).
    #[inline]
    pub fn push(self, value: Real, out: &mut Vec<u8>) {
        let steps = if self.can_write(value) {
            nearest(value * self.per_unit)
        } else {
            0
        };
        // Copies of a fixed length cost no calls; what they copy too much is not used.
        let mut digits = [b'0'; 2 * DIGITS];
        let used = fill(steps.unsigned_abs(), &mut digits[..DIGITS]);
        let decimals = self.decimals as usize;
        let (start, point) = (DIGITS - used.max(decimals + 1), DIGITS - decimals);
        let mut text = [b'-'; 2 * DIGITS + 2];
        let mut at = usize::from(steps < 0);
        text[at..at + DIGITS].copy_from_slice(&digits[start..start + DIGITS]);
        at += point - start;
        let zeros = digits[point..DIGITS]
            .iter()
            .rev()
            .take_while(|d| **d == b'0')
            .count();
        if zeros < decimals {
            text[at] = b'.';
            text[at + 1..at + 1 + DIGITS].copy_from_slice(&digits[point..point + DIGITS]);
            at += 1 + decimals - zeros;
        }
        out.extend_from_slice(&text[..at]);
    }
}

/// `x` rounded to a whole number, halves away from zero; without a call of the library on processors of the oldest kind.
#[inline]
fn nearest(x: Real) -> i64 {
    let toward_zero = x as i64;
    let rest = x - toward_zero as Real;
    toward_zero + i64::from(rest >= 0.5) - i64::from(rest <= -0.5)
}

/// Appends an integer in decimal.
#[inline]
pub fn push_integer(value: u64, out: &mut Vec<u8>) {
    let mut buffer = [b'0'; 20];
    let used = fill(value, &mut buffer);
    out.extend_from_slice(&buffer[buffer.len() - used.max(1)..]);
}

/// Writes `value` right-aligned over zeros; gives the number of digits used.
#[inline]
fn fill(mut value: u64, digits: &mut [u8]) -> usize {
    let mut at = digits.len();
    while value >= 10 && at >= 2 {
        let pair = (value % 100) as usize * 2;
        value /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if value > 0 && at > 0 {
        at -= 1;
        digits[at] = b'0' + value as u8;
    }
    digits.len() - at
}

/// `value` for hand-made text, to about six digits: `0.35`, `-12.5`, `1200`; 0 when it is not finite.
pub fn text(value: Real) -> String {
    let mut step = Step::of_decimals(5);
    let size = value.abs();
    if size > 0.0 && size < 0.01 {
        step = Step::at_most(size * 1e-4);
    }
    let mut out = Vec::new();
    step.push(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// A vector for hand-made text: `<1, 2.5, 0>`.
pub fn vector(v: [Real; 3]) -> String {
    format!("<{}, {}, {}>", text(v[0]), text(v[1]), text(v[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(decimals: u32, value: Real) -> String {
        let mut out = Vec::new();
        Step::of_decimals(decimals).push(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_short_and_exact_to_the_step() {
        let cases = [
            (3, 0.0, "0"),
            (3, -0.0, "0"),
            (3, -0.0004, "0"),
            (3, -0.0006, "-0.001"),
            (3, 12.0, "12"),
            (3, 1.5, "1.5"),
            (4, 0.0105, "0.0105"),
            (4, -100.0305, "-100.0305"),
            (5, 99999.99999, "99999.99999"),
            (5, 0.999_999, "1"),
            (0, 1234.4, "1234"),
            (12, 0.000_000_000_001, "0.000000000001"),
        ];
        for (decimals, value, text) in cases {
            assert_eq!(written(decimals, value), text);
        }
    }

    #[test]
    fn what_is_written_reads_back_within_half_a_step() {
        let mut x = 1u64;
        for i in 0..100_000 {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = (x >> 11) as Real / (1u64 << 53) as Real * 2000.0 - 1000.0;
            let decimals = i % 8;
            let back: Real = written(decimals, value).parse().unwrap();
            let half = 0.5 / Step::of_decimals(decimals).per_unit;
            assert!(
                (back - value).abs() <= half * 1.000_001 + 1e-12,
                "{value} {decimals} {back}"
            );
        }
    }

    #[test]
    fn rounding_is_that_of_the_library() {
        let halves = (-2000..2000).map(|i| Real::from(i) * 0.25);
        let near = [0.5, 1.5, 4.5e15, 8.9e15]
            .into_iter()
            .flat_map(|x: Real| [x.next_down(), x, x.next_up()]);
        for x in halves.chain(near.clone()).chain(near.map(|x| -x)) {
            assert_eq!(nearest(x), x.round() as i64, "{x}");
        }
    }

    #[test]
    fn what_povray_cannot_read_is_refused() {
        let step = Step::of_decimals(3);
        for bad in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY, 1e13, -1e300] {
            assert!(!step.can_write(bad));
            assert_eq!(written(3, bad), "0");
        }
        assert!(step.can_write(-8.9e12));
    }

    #[test]
    fn steps_are_powers_of_ten_not_above_the_length() {
        assert_eq!(Step::at_most(0.02), Step::of_decimals(2));
        assert_eq!(Step::at_most(0.009), Step::of_decimals(3));
        assert_eq!(Step::at_most(50.0), Step::of_decimals(0));
        assert_eq!(Step::at_most(0.0), Step::of_decimals(12));
    }

    #[test]
    fn hand_made_text_keeps_small_numbers() {
        assert_eq!(text(0.000_123_456), "0.00012346");
        assert_eq!(vector([1.0, -0.5, 1e6]), "<1, -0.5, 1000000>");
    }
}
