//! Numbers that refuse to be wrong: each type states its rule and its unit, and checks both while it is read.
//!
//! This room knows no scene and no file; a bad number becomes "expected ..., found ..." of whoever reads it.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, SeqAccess, Unexpected, Visitor};

use crate::math::{Real, Vec3};

/// Largest size of any number in a scene: squares and products of a few such numbers stay finite.
pub const LARGEST: Real = 1e15;
/// Smallest size of a number that must not vanish, for the same reason.
pub const SMALLEST: Real = 1e-15;

/// Which numbers a [`Quantity`] accepts.
pub trait Rule {
    /// Completes "expected ...".
    const EXPECTED: &'static str;
    /// Whether `inf` obeys as well.
    const MAY_BE_INFINITE: bool = false;
    /// Whether a finite number obeys.
    fn holds(x: Real) -> bool;
}

/// What a [`Quantity`] is measured in.
pub trait Unit {
    /// As printed in brackets; empty for a pure number.
    const SYMBOL: &'static str;
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident, $expected:literal, |$x:ident| $holds:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum $name {}
        impl Rule for $name {
            const EXPECTED: &'static str = $expected;
            fn holds($x: Real) -> bool { $holds }
        }
    )*};
}

macro_rules! units {
    ($($(#[$doc:meta])* $name:ident, $symbol:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum $name {}
        impl Unit for $name {
            const SYMBOL: &'static str = $symbol;
        }
    )*};
}

rules! {
    /// Any finite number.
    Finite, "a number", |_x| true;
    /// Above 0.
    Positive, "a number > 0", |x| x >= SMALLEST;
    /// 0 or above.
    NonNegative, "a number >= 0", |x| x >= 0.0;
    /// Anything but 0.
    NonZero, "a number other than 0", |x| x.abs() >= SMALLEST;
    /// 0 to 1, both included.
    Fraction, "a number from 0 to 1", |x| (0.0..=1.0).contains(&x);
    /// 0 to 1, 1 excluded.
    BelowOne, "a number from 0 to below 1", |x| (0.0..1.0).contains(&x);
    /// 0 to 1, both excluded.
    Inside, "a number above 0 and below 1", |x| (SMALLEST..1.0).contains(&x);
    /// 0 to 180, both included.
    HalfTurn, "an angle from 0 to 180", |x| (0.0..=180.0).contains(&x);
    /// 0 to 90, 90 excluded.
    Opening, "an angle from 0 to below 90", |x| (0.0..90.0).contains(&x);
    /// An angle at which loose material can stand.
    Repose, "an angle from 10 to 55", |x| (10.0..=55.0).contains(&x);
    /// -90 to 90, both included.
    Elevation, "an angle from -90 to 90", |x| (-90.0..=90.0).contains(&x);
    /// A field of view that a flat picture can have.
    ViewAngle, "an angle from 1 to 170", |x| (1.0..=170.0).contains(&x);
}

/// Above 0, or infinite: what never happens has an infinite threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PositiveOrInf {}
impl Rule for PositiveOrInf {
    const EXPECTED: &'static str = "a number > 0, or inf";
    const MAY_BE_INFINITE: bool = true;
    fn holds(x: Real) -> bool {
        x >= SMALLEST
    }
}

units! {
    /// A pure number.
    Pure, "";
    /// Metres.
    Metre, "m";
    /// Seconds.
    Second, "s";
    /// Metres a second.
    MetrePerSecond, "m/s";
    /// Metres a second, a second.
    MetrePerSecond2, "m/s2";
    /// Particles a second.
    ParticlePerSecond, "particles/s";
    /// Frames a second.
    FramePerSecond, "frames/s";
    /// Of a deceleration proportional to speed.
    PerSecond, "1/s";
    /// Of a stiffness per mass.
    PerSecond2, "1/s2";
    /// Edges of a grid's cell.
    Cells, "cells";
    /// Of a frequency.
    Hertz, "1/s";
    /// Of a deceleration proportional to the square of speed.
    PerMetre, "1/m";
    /// Kilograms in a cubic metre.
    KilogramPerMetre3, "kg/m3";
    /// Pascals: newtons on a square metre.
    Pascal, "Pa";
    /// Pascal seconds, of viscosity.
    PascalSecond, "Pa s";
    /// Degrees.
    Degree, "degrees";
    /// Degrees a second.
    DegreePerSecond, "degrees/s";
    /// Particle radii.
    Radii, "radii";
    /// Metres in one unit of a mesh file.
    MetrePerUnit, "m per unit of the file";
    /// POV-Ray units in one metre.
    UnitPerMetre, "POV-Ray units per m";
}

/// A finite number that obeys rule `R`, in unit `U`; written as an integer or with a fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity<R, U = Pure> {
    value: Real,
    kind: PhantomData<(R, U)>,
}

impl<R: Rule, U: Unit> Quantity<R, U> {
    /// The number, in the unit.
    pub fn get(self) -> Real {
        self.value
    }

    /// Checks a number; the error completes "expected ...".
    pub fn new(x: Real) -> Result<Self, String> {
        if R::MAY_BE_INFINITE && x == Real::INFINITY {
            return Ok(Self {
                value: x,
                kind: PhantomData,
            });
        }
        let size_ok = x.is_finite() && x.abs() <= LARGEST;
        if size_ok && R::holds(x) {
            // Minus zero would print as "-0" and sort before zero.
            let value = x + 0.0;
            return Ok(Self {
                value,
                kind: PhantomData,
            });
        }
        Err(if !x.is_finite() {
            with_unit("a finite number", U::SYMBOL)
        } else if !size_ok {
            with_unit("a number of at most 1e15 in size", U::SYMBOL)
        } else if x != 0.0 && x.abs() < SMALLEST && R::holds(x.signum() * SMALLEST) {
            with_unit("a number of at least 1e-15 in size", U::SYMBOL)
        } else {
            with_unit(R::EXPECTED, U::SYMBOL)
        })
    }
}

fn with_unit(expected: &str, symbol: &str) -> String {
    if symbol.is_empty() {
        expected.to_owned()
    } else {
        format!("{expected} [{symbol}]")
    }
}

struct QuantityVisitor<R, U>(PhantomData<(R, U)>);

impl<'de, R: Rule, U: Unit> Visitor<'de> for QuantityVisitor<R, U> {
    type Value = Quantity<R, U>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_unit(R::EXPECTED, U::SYMBOL))
    }

    fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Self::Value, E> {
        Quantity::new(x).map_err(|expected| E::invalid_value(Unexpected::Float(x), &expected.as_str()))
    }

    fn visit_u64<E: serde::de::Error>(self, x: u64) -> Result<Self::Value, E> {
        self.visit_f64(x as f64)
    }

    fn visit_i64<E: serde::de::Error>(self, x: i64) -> Result<Self::Value, E> {
        self.visit_f64(x as f64)
    }
}

impl<'de, R: Rule, U: Unit> Deserialize<'de> for Quantity<R, U> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(QuantityVisitor(PhantomData))
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Count<MIN, MAX> {
    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// The number; `MAX` must fit, which the type's user chooses.
    pub fn get_u32(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

struct CountVisitor<const MIN: u64, const MAX: u64>;

impl<'de, const MIN: u64, const MAX: u64> Visitor<'de> for CountVisitor<MIN, MAX> {
    type Value = Count<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if MAX == u64::MAX {
            write!(f, "a whole number >= {MIN}")
        } else {
            write!(f, "a whole number from {MIN} to {MAX}")
        }
    }

    fn visit_u64<E: serde::de::Error>(self, x: u64) -> Result<Self::Value, E> {
        if (MIN..=MAX).contains(&x) {
            Ok(Count(x))
        } else {
            Err(E::invalid_value(Unexpected::Unsigned(x), &self))
        }
    }

    fn visit_i64<E: serde::de::Error>(self, x: i64) -> Result<Self::Value, E> {
        match u64::try_from(x) {
            Ok(x) => self.visit_u64(x),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(x), &self)),
        }
    }

    fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Self::Value, E> {
        // Up to 2^53 every whole f64 is exactly the number that was written.
        if x.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&x) {
            self.visit_u64(x as u64)
        } else {
            Err(E::invalid_value(Unexpected::Float(x), &self))
        }
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Count<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(CountVisitor)
    }
}

/// Three quantities, written `(x, y, z)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triple<R, U = Pure> {
    value: [Real; 3],
    kind: PhantomData<(R, U)>,
}

impl<R: Rule, U: Unit> Triple<R, U> {
    /// The three numbers, in the unit.
    pub fn get(self) -> [Real; 3] {
        self.value
    }

    /// The three numbers as a vector.
    pub fn vec(self) -> Vec3 {
        Vec3::from(self.value)
    }

    /// Three times the same number.
    pub fn repeat(x: Quantity<R, U>) -> Self {
        Self {
            value: [x.get(); 3],
            kind: PhantomData,
        }
    }

    /// The first number, and the others from the rest of a list; for visitors that had to read it first.
    pub fn from_rest<'de, A: SeqAccess<'de>>(first: Quantity<R, U>, mut seq: A) -> Result<Self, A::Error> {
        let mut value = [first.get(), 0.0, 0.0];
        let mut found = 1;
        for slot in &mut value[1..] {
            let element: Option<Quantity<R, U>> = seq.next_element()?;
            *slot = element
                .ok_or_else(|| A::Error::invalid_length(found, &"three numbers (x, y, z)"))?
                .get();
            found += 1;
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {
            found += 1;
        }
        if found > 3 {
            return Err(A::Error::invalid_length(found, &"three numbers (x, y, z)"));
        }
        Ok(Self {
            value,
            kind: PhantomData,
        })
    }

    /// Reads the elements of a list; for visitors that accept a triple among other things.
    pub fn from_seq<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let first = seq.next_element()?;
        let first = first.ok_or_else(|| A::Error::invalid_length(0, &"three numbers (x, y, z)"))?;
        Self::from_rest(first, seq)
    }
}

struct TripleVisitor<R, U>(PhantomData<(R, U)>);

impl<'de, R: Rule, U: Unit> Visitor<'de> for TripleVisitor<R, U> {
    type Value = Triple<R, U>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_unit("three numbers (x, y, z)", U::SYMBOL))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Triple::from_seq(seq)
    }
}

impl<'de, R: Rule, U: Unit> Deserialize<'de> for Triple<R, U> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(TripleVisitor(PhantomData))
    }
}

/// A direction, of length 1 however long it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitVec(Vec3);

impl UnitVec {
    /// The direction, of length 1.
    pub fn get(self) -> Vec3 {
        self.0
    }

    /// The direction of `v`; `None` for the zero vector and for components that are not finite.
    pub fn new(v: Vec3) -> Option<Self> {
        let largest = v.amax();
        // Dividing first keeps the squares of very short and very long vectors in range.
        (largest > 0.0 && v.iter().all(|x| x.is_finite())).then(|| {
            let scaled = v / largest;
            Self(scaled / scaled.norm())
        })
    }
}

impl<'de> Deserialize<'de> for UnitVec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let v = Triple::<Finite>::deserialize(d)?.vec();
        Self::new(v).ok_or_else(|| {
            D::Error::invalid_value(
                Unexpected::Other("a vector of length 0"),
                &"a direction (x, y, z) whose length is not 0",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_accepts_its_limits_and_nothing_beyond() {
        assert!(Quantity::<Fraction>::new(0.0).is_ok() && Quantity::<Fraction>::new(1.0).is_ok());
        assert_eq!(
            Quantity::<Fraction>::new(1.1).unwrap_err(),
            "a number from 0 to 1"
        );
        assert_eq!(
            Quantity::<Positive, Metre>::new(0.0).unwrap_err(),
            "a number > 0 [m]"
        );
        assert_eq!(
            Quantity::<Positive, Metre>::new(-1e-20).unwrap_err(),
            "a number > 0 [m]"
        );
        assert!(Quantity::<Inside>::new(1.0).is_err() && Quantity::<BelowOne>::new(1.0).is_err());
    }

    #[test]
    fn numbers_that_would_overflow_later_say_why_they_are_refused() {
        let refusal = |x| Quantity::<Positive, Metre>::new(x).unwrap_err();
        assert_eq!(refusal(Real::NAN), "a finite number [m]");
        assert_eq!(refusal(Real::INFINITY), "a finite number [m]");
        assert_eq!(refusal(1e300), "a number of at most 1e15 in size [m]");
        assert_eq!(refusal(1e-300), "a number of at least 1e-15 in size [m]");
    }

    #[test]
    fn only_what_may_be_infinite_is() {
        assert_eq!(
            Quantity::<PositiveOrInf>::new(Real::INFINITY).map(Quantity::get),
            Ok(Real::INFINITY)
        );
        assert!(Quantity::<PositiveOrInf>::new(-Real::INFINITY).is_err());
        assert!(Quantity::<Positive>::new(Real::INFINITY).is_err());
    }

    #[test]
    fn minus_zero_becomes_zero() {
        let x = Quantity::<Finite>::new(-0.0).unwrap().get();
        assert!(x.is_sign_positive());
    }

    #[test]
    fn directions_of_any_length_become_unit_vectors() {
        for scale in [1e-300, 1.0, 1e15] {
            let v = UnitVec::new(Vec3::new(3.0, 0.0, -4.0) * scale).unwrap().get();
            assert!((v - Vec3::new(0.6, 0.0, -0.8)).norm() < 1e-15);
        }
        assert_eq!(UnitVec::new(Vec3::zeros()), None);
        assert_eq!(UnitVec::new(Vec3::new(Real::NAN, 1.0, 0.0)), None);
    }
}
