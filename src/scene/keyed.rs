//! How a scene writes a value that may change over time: plainly, as a list of (time, value), or with `smooth`.
//!
//! It has its own visitors, because RON loses the message of an untagged enum.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use crate::math::Real;
use crate::units::{Finite, Quantity, Rule, Second, Triple, Unit};

/// Moment [s] and value.
pub type Key<T> = (Quantity<Finite, Second>, T);

/// What a scene says of a value over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Written<T> {
    /// At least one, in order of time; a plain value stands at 0.
    pub keys: Vec<(Real, T)>,
    /// Whether the ways between them begin and end without a slope.
    pub smooth: bool,
}

/// A number over time.
pub type NumberOverTime<R, U> = Written<Quantity<R, U>>;
/// A vector over time.
pub type VectorOverTime<R, U> = Written<Triple<R, U>>;

impl<T> Written<T> {
    fn plain(value: T) -> Self {
        Self {
            keys: vec![(0.0, value)],
            smooth: false,
        }
    }

    fn in_order<E: Error>(keys: Vec<Key<T>>, smooth: bool) -> Result<Self, E> {
        if keys.is_empty() {
            return Err(E::custom("expected at least one (time, value), found none"));
        }
        let keys: Vec<(Real, T)> = keys.into_iter().map(|(t, v)| (t.get(), v)).collect();
        match keys.windows(2).find(|pair| pair[1].0 < pair[0].0) {
            Some(pair) => Err(E::custom(format!(
                "expected times in order [s], found {} after {}",
                pair[1].0, pair[0].0
            ))),
            None => Ok(Self { keys, smooth }),
        }
    }
}

/// `(keys: [...], smooth: true)`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Keys")]
struct Bracket<T> {
    keys: Vec<Key<T>>,
    smooth: Option<bool>,
}

/// The methods that both visitors share.
macro_rules! bracket {
    ($value:ty) => {
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            let bracket = Bracket::<$value>::deserialize(MapAccessDeserializer::new(map))?;
            Written::in_order(bracket.keys, bracket.smooth.unwrap_or(false))
        }
    };
}

struct NumberVisitor<R, U>(std::marker::PhantomData<(R, U)>);

impl<'de, R: Rule, U: Unit> Visitor<'de> for NumberVisitor<R, U> {
    type Value = NumberOverTime<R, U>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", R::EXPECTED)?;
        if !U::SYMBOL.is_empty() {
            write!(f, " [{}]", U::SYMBOL)?;
        }
        f.write_str(", or a list of (time, value)")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Self::Value, E> {
        Quantity::deserialize(IntoDeserializer::<E>::into_deserializer(x)).map(Written::plain)
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<Self::Value, E> {
        self.visit_f64(x as f64)
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<Self::Value, E> {
        self.visit_f64(x as f64)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut keys: Vec<Key<Quantity<R, U>>> = Vec::new();
        while let Some(key) = seq.next_element()? {
            keys.push(key);
        }
        Written::in_order(keys, false)
    }

    bracket!(Quantity<R, U>);
}

impl<'de, R: Rule, U: Unit> Deserialize<'de> for NumberOverTime<R, U> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(NumberVisitor(std::marker::PhantomData))
    }
}

/// The first element of a list: a coordinate of a plain vector, or a key.
enum First<R, U> {
    Coordinate(Quantity<R, U>),
    Key(Key<Triple<R, U>>),
}

struct FirstVisitor<R, U>(std::marker::PhantomData<(R, U)>);

impl<'de, R: Rule, U: Unit> Visitor<'de> for FirstVisitor<R, U> {
    type Value = First<R, U>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or (time, (x, y, z))")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Self::Value, E> {
        Quantity::deserialize(IntoDeserializer::<E>::into_deserializer(x)).map(First::Coordinate)
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<Self::Value, E> {
        self.visit_f64(x as f64)
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<Self::Value, E> {
        self.visit_f64(x as f64)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        const WANTED: &str = "(time, (x, y, z))";
        let time = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &WANTED))?;
        let value = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &WANTED))?;
        match seq.next_element::<IgnoredAny>()? {
            None => Ok(First::Key((time, value))),
            Some(_) => Err(A::Error::invalid_length(3, &WANTED)),
        }
    }
}

impl<'de, R: Rule, U: Unit> Deserialize<'de> for First<R, U> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(FirstVisitor(std::marker::PhantomData))
    }
}

struct VectorVisitor<R, U>(std::marker::PhantomData<(R, U)>);

impl<'de, R: Rule, U: Unit> Visitor<'de> for VectorVisitor<R, U> {
    type Value = VectorOverTime<R, U>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("three numbers (x, y, z)")?;
        if !U::SYMBOL.is_empty() {
            write!(f, " [{}]", U::SYMBOL)?;
        }
        f.write_str(", or a list of (time, (x, y, z))")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        const WANTED: &str = "three numbers (x, y, z)";
        match seq.next_element::<First<R, U>>()? {
            None => Err(A::Error::invalid_length(0, &WANTED)),
            Some(First::Coordinate(x)) => Triple::from_rest(x, seq).map(Written::plain),
            Some(First::Key(first)) => {
                let mut keys = vec![first];
                while let Some(key) = seq.next_element()? {
                    keys.push(key);
                }
                Written::in_order(keys, false)
            }
        }
    }

    bracket!(Triple<R, U>);
}

impl<'de, R: Rule, U: Unit> Deserialize<'de> for VectorOverTime<R, U> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(VectorVisitor(std::marker::PhantomData))
    }
}
