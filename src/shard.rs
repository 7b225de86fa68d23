//! A share of a run's particles, for runs in which particles do not touch each other.
//!
//! Every shard gives all births, so that each knows the birth numbers, and simulates its own. Knows nothing of why a
//! run can be shared out or not.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Most shards of a run.
const MOST: u32 = 100_000;

/// One of several equal shares: every `of`-th particle by birth number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// The only share: everything.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Share `number` of `of`, counted from 1; `None` for one that does not exist, or of more than 100,000.
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (1..=of.min(MOST))
            .contains(&number)
            .then_some(Self { number, of })
            .filter(|_| of <= MOST)
    }

    /// Its number, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are in all.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether a particle is in this share.
    pub fn owns(self, id: u64) -> bool {
        id % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        numbers
            .and_then(|(number, of)| Self::new(number, of))
            .ok_or_else(|| {
                format!("expected a shard such as 3/8, from 1/8 to 8/8 and of at most {MOST}, found `{text}`")
            })
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_particle_is_in_exactly_one_share() {
        for of in [1, 2, 3, 8, 1000] {
            for id in [0, 1, 7, 8, 12345, u64::MAX] {
                let owners = (1..=of).filter(|&n| Shard::new(n, of).expect("a shard").owns(id));
                assert_eq!(owners.count(), 1, "{id} of {of}");
            }
        }
        assert!(Shard::WHOLE.owns(5));
    }

    #[test]
    fn shards_are_written_and_read_alike() {
        let shard: Shard = "3/8".parse().expect("a shard");
        assert_eq!(
            (shard.number(), shard.of(), shard.to_string()),
            (3, 8, "3/8".into())
        );
        for wrong in ["", "3", "0/8", "9/8", "3/0", "-1/8", "3/8/2", "1/200000", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
