//! What became of bodies, for the report.

use std::fmt;

use crate::bodies::points::{TIERS, Tiers};

/// What became of bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fates {
    /// Rigid bodies at the start.
    pub rigid: u64,
    /// Rigid bodies at the end: more where some broke.
    pub parts: u64,
    /// Links that broke.
    pub broken: u64,
    /// Those that lie still at the end.
    pub asleep: u64,
    /// Elastic bodies.
    pub elastic: u64,
    /// Contacts of rigid bodies by the way in which their normals were found, a step each.
    pub tiers: Tiers,
    /// Times that energy did not allow full restitution.
    pub damped: u64,
    /// Times that a corner of an elastic body was slowed down because it outran sound.
    pub tamed: u64,
}

impl fmt::Display for Fates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rigid", self.rigid)?;
        if self.broken > 0 {
            write!(f, " ({} links broke, which left {})", self.broken, self.parts)?;
        }
        write!(
            f,
            " ({} asleep at the end), {} elastic",
            self.asleep, self.elastic
        )?;
        if self.parts > 1 {
            let named: Vec<String> = TIERS
                .iter()
                .map(|&(tier, name)| format!("{} by {name}", self.tiers[tier as usize]))
                .collect();
            write!(
                f,
                "; contacts {}; {} rebounds held back",
                named.join(", "),
                self.damped
            )?;
        }
        if self.tamed > 0 {
            write!(
                f,
                "; {} times a corner outran sound and was slowed down: make it stiffer, or let it fall from less high",
                self.tamed
            )?;
        }
        Ok(())
    }
}
