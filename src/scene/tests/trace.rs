//! The keys that the schema asks for, found by letting it read from a deserializer that answers anything.
//!
//! Wherever there is a choice (a variant, a kind of number) every answer is tried in a run of its own, so no
//! list of keys is kept by hand.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, Visitor};

use crate::scene::schema::SceneFile;

/// Answers to "give me anything": a fraction, a whole number, a list of three, a bracket with an unknown key, a small
/// number, a text.
const ANSWERS: usize = 6;

/// All keys, as `emitters[].shape.Grid.jitter`, and all names of variants.
#[derive(Default)]
pub struct Schema {
    pub keys: BTreeSet<String>,
    pub names: BTreeSet<String>,
}

type Choices = BTreeMap<String, usize>;

#[derive(Default)]
struct Log {
    schema: Schema,
    /// What to answer at each path of this run; 0 when not said.
    choices: Choices,
    /// How many answers there are at each path that was met.
    met: BTreeMap<String, usize>,
    /// Where the last answer was given.
    last: String,
}

/// Traces the schema until every answer has been given at every path.
pub fn schema() -> Schema {
    let log = RefCell::new(Log::default());
    let mut tried: BTreeSet<(String, usize)> = BTreeSet::new();
    let mut waiting: Vec<(Choices, Option<String>)> = vec![(Choices::new(), None)];
    while let Some((choices, fixed)) = waiting.pop() {
        let Some(choices) = run(&log, choices, fixed.as_deref()) else {
            continue;
        };
        let met = std::mem::take(&mut log.borrow_mut().met);
        for (path, answers) in met {
            for answer in 0..answers {
                if tried.insert((path.clone(), answer)) {
                    let mut next = choices.clone();
                    next.insert(path.clone(), answer);
                    waiting.push((next, Some(path.clone())));
                }
            }
        }
    }
    log.into_inner().schema
}

/// Reads the schema once, learning on the way which answers pass; `None` when the answer at `fixed` does not.
fn run(log: &RefCell<Log>, mut choices: Choices, fixed: Option<&str>) -> Option<Choices> {
    loop {
        log.borrow_mut().choices.clone_from(&choices);
        let tracer = Tracer {
            path: String::new(),
            log,
        };
        if SceneFile::deserialize(tracer).is_ok() {
            return Some(choices);
        }
        let last = log.borrow().last.clone();
        let answer = choices.entry(last.clone()).or_insert(0);
        *answer += 1;
        if Some(last.as_str()) == fixed || *answer >= ANSWERS {
            assert!(fixed.is_some(), "no answer satisfies the schema at {last}");
            return None;
        }
    }
}

#[derive(Debug)]
struct Refused {
    /// The keys that would have been known.
    known: Option<&'static [&'static str]>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self { known: None }
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self { known: Some(known) }
    }
}

struct Tracer<'a> {
    path: String,
    log: &'a RefCell<Log>,
}

impl<'a> Tracer<'a> {
    fn inner(&self, more: &str) -> Tracer<'a> {
        let path = if self.path.is_empty() {
            more.trim_start_matches('.').to_owned()
        } else {
            format!("{}{more}", self.path)
        };
        Tracer { path, log: self.log }
    }

    fn note_keys(&self, keys: &[&str]) {
        for key in keys {
            let path = self.inner(&format!(".{key}")).path;
            self.log.borrow_mut().schema.keys.insert(path);
        }
    }

    fn choose(&self, answers: usize) -> usize {
        let mut log = self.log.borrow_mut();
        log.met.insert(self.path.clone(), answers);
        log.last.clone_from(&self.path);
        log.choices.get(&self.path).copied().unwrap_or(0)
    }
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.choose(ANSWERS) {
            0 => visitor.visit_f64(0.5),
            1 => visitor.visit_u64(30),
            2 => visitor.visit_seq(Items {
                tracer: self,
                left: 3,
            }),
            3 => {
                let unknown = Fields {
                    tracer: self.inner(""),
                    keys: ["\u{1}"].iter(),
                    now: "",
                };
                visitor
                    .visit_map(unknown)
                    .inspect_err(|refused| self.note_keys(refused.known.unwrap_or(&[])))
            }
            4 => visitor.visit_u64(2),
            _ => visitor.visit_str("m"),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_bool(true)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_str("x")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_str("x")
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_seq(Items {
            tracer: self,
            left: 1,
        })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_seq(Items {
            tracer: self,
            left: len,
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_map(Entry {
            tracer: self,
            left: 1,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.note_keys(keys);
        visitor.visit_map(Fields {
            tracer: self,
            keys: keys.iter(),
            now: "",
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.log
            .borrow_mut()
            .schema
            .names
            .extend(names.iter().map(|&n| n.to_owned()));
        let name = names[self.choose(names.len())];
        visitor.visit_enum(Variant {
            tracer: self.inner(&format!(".{name}")),
            name,
        })
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char bytes byte_buf unit unit_struct newtype_struct tuple_struct
        identifier ignored_any
    }
}

struct Items<'a> {
    tracer: Tracer<'a>,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(self.tracer.inner("[]")).map(Some)
    }
}

/// One entry under a name of the user's.
struct Entry<'a> {
    tracer: Tracer<'a>,
    left: usize,
}

impl<'de> de::MapAccess<'de> for Entry<'_> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(StrDeserializer::<Refused>::new("x")).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        seed.deserialize(self.tracer.inner("{}"))
    }
}

/// Every key of a struct.
struct Fields<'a> {
    tracer: Tracer<'a>,
    keys: std::slice::Iter<'a, &'static str>,
    now: &'static str,
}

impl<'de> de::MapAccess<'de> for Fields<'_> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        let Some(key) = self.keys.next() else {
            return Ok(None);
        };
        self.now = key;
        seed.deserialize(StrDeserializer::<Refused>::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        seed.deserialize(self.tracer.inner(&format!(".{}", self.now)))
    }
}

struct Variant<'a> {
    tracer: Tracer<'a>,
    name: &'static str,
}

impl<'de> de::EnumAccess<'de> for Variant<'_> {
    type Error = Refused;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Refused> {
        let name = seed.deserialize(StrDeserializer::<Refused>::new(self.name))?;
        Ok((name, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self.tracer)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Refused> {
        self.tracer.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.tracer.note_keys(keys);
        visitor.visit_map(Fields {
            tracer: self.tracer,
            keys: keys.iter(),
            now: "",
        })
    }
}
