//! Values that a scene may write in more than one way: a number or a name, a number or three.
//!
//! Each has its own visitor, because RON loses the message of an untagged enum.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor};

use crate::material::RadiusLaw;
use crate::units::{Fraction, Metre, MetrePerUnit, NonZero, Positive, Quantity, Triple};

/// A map from the user's names to values, in file order; names may repeat, which `check.rs` reports.
#[derive(Debug)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_map(NamedVisitor(PhantomData))
    }
}

struct NamedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map `{ \"name\": value }`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Named(entries))
    }
}

/// Builds the visitor methods that pass a number on to `Quantity`, however it is written.
macro_rules! numbers_as {
    ($quantity:ty, $make:expr) => {
        fn visit_f64<E: Error>(self, x: f64) -> Result<Self::Value, E> {
            <$quantity>::deserialize(IntoDeserializer::<E>::into_deserializer(x)).map($make)
        }

        fn visit_u64<E: Error>(self, x: u64) -> Result<Self::Value, E> {
            self.visit_f64(x as f64)
        }

        fn visit_i64<E: Error>(self, x: i64) -> Result<Self::Value, E> {
            self.visit_f64(x as f64)
        }
    };
}

/// `scale` of a mesh: one factor or three.
#[derive(Debug, Clone, Copy)]
pub struct Scale(pub Triple<NonZero>);

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(ScaleVisitor)
    }
}

struct ScaleVisitor;

impl<'de> Visitor<'de> for ScaleVisitor {
    type Value = Scale;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a factor other than 0, or three of them (x, y, z)")
    }

    numbers_as!(Quantity<NonZero>, |q| Scale(Triple::repeat(q)));

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Scale, A::Error> {
        Triple::from_seq(seq).map(Scale)
    }
}

/// `unit` of a mesh: a name or the number of metres in one unit of the file.
#[derive(Debug, Clone, Copy)]
pub struct MeshUnit(pub Quantity<Positive, MetrePerUnit>);

/// Names of units and their lengths [m].
const MESH_UNITS: [(&str, f64); 5] = [
    ("m", 1.0),
    ("cm", 0.01),
    ("mm", 0.001),
    ("in", 0.0254),
    ("ft", 0.3048),
];

impl<'de> Deserialize<'de> for MeshUnit {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(MeshUnitVisitor)
    }
}

struct MeshUnitVisitor;

impl Visitor<'_> for MeshUnitVisitor {
    type Value = MeshUnit;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"m\", \"cm\", \"mm\", \"in\", \"ft\" or a number > 0 [m per unit of the file]")
    }

    numbers_as!(Quantity<Positive, MetrePerUnit>, MeshUnit);

    fn visit_str<E: Error>(self, name: &str) -> Result<MeshUnit, E> {
        match MESH_UNITS.iter().find(|(known, _)| *known == name) {
            Some(&(_, metres)) => self.visit_f64(metres),
            None => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }
}

/// `radius` of a material: a number, `Uniform(min, max)` or `LogNormal(median, spread)`.
#[derive(Debug, Clone, Copy)]
pub struct Radius {
    /// What it means.
    pub law: RadiusLaw,
    /// The name that must stand before its brackets. RON drops it from a value that might have been a number,
    /// so the keys decide, and `check.rs` compares.
    pub name: Option<&'static str>,
}

/// The keys of both laws together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Radius")]
struct RadiusKeys {
    min: Option<Quantity<Positive, Metre>>,
    max: Option<Quantity<Positive, Metre>>,
    median: Option<Quantity<Positive, Metre>>,
    spread: Option<Quantity<Fraction>>,
}

impl<'de> Deserialize<'de> for Radius {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(RadiusVisitor)
    }
}

struct RadiusVisitor;

impl<'de> Visitor<'de> for RadiusVisitor {
    type Value = Radius;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number > 0 [m], Uniform(min: .., max: ..) or LogNormal(median: .., spread: ..)")
    }

    numbers_as!(Quantity<Positive, Metre>, |q| Radius { law: RadiusLaw::Constant(q.get()), name: None });

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Radius, A::Error> {
        let keys = RadiusKeys::deserialize(MapAccessDeserializer::new(map))?;
        match (keys.min, keys.max, keys.median, keys.spread) {
            (Some(min), Some(max), None, None) => {
                let law = RadiusLaw::Uniform {
                    min: min.get(),
                    max: max.get(),
                };
                Ok(Radius {
                    law,
                    name: Some("Uniform"),
                })
            }
            (None, None, Some(median), Some(spread)) => {
                let law = RadiusLaw::LogNormal {
                    median: median.get(),
                    spread: spread.get(),
                };
                Ok(Radius {
                    law,
                    name: Some("LogNormal"),
                })
            }
            _ => Err(A::Error::custom(
                "expected both keys of Uniform(min: .., max: ..) or of LogNormal(median: .., spread: ..)",
            )),
        }
    }
}
