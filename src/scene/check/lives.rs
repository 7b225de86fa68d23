//! Rules of lifetimes and events.

use super::{Rules, indices};
use crate::scene::schema::{MaterialKeys, WhenFile};
use crate::scene::{Life, Then, lower};

impl Rules<'_> {
    /// The life of the material `name`; `names` are those of all, sorted.
    pub(super) fn life(&mut self, name: &str, keys: &MaterialKeys, names: &[String]) -> Life {
        let field = format!("materials[{name:?}]");
        if keys.lifetime.is_none() && keys.lifetime_variation.is_some() {
            let help = "add `lifetime`, in seconds".to_owned();
            self.fault(
                &format!("{field}.lifetime_variation"),
                "expected a `lifetime` that varies, found none",
                help,
            );
        }
        for (i, event) in keys.events.iter().flatten().enumerate() {
            if let WhenFile::Leaves(region) = &event.when {
                self.region(&format!("{field}.events[{i}].when"), region);
            }
        }
        let known = indices(names.iter().map(String::as_str));
        lower::life(keys, |i, other| {
            self.resolve(&format!("{field}.events[{i}].then.material"), other, &known, "material")
        })
    }

    /// What a material gives off may not come back to it: a single particle would then fill any limit.
    pub(super) fn endless_emission(&mut self, names: &[String], lives: &[Life]) {
        let given = |m: usize| {
            let events = lives.get(m).into_iter().flat_map(|l| &l.events);
            events.filter_map(|e| match e.then {
                Then::Emit { material, .. } => Some(material),
                _ => None,
            })
        };
        for (start, name) in names.iter().enumerate() {
            let mut reached = vec![false; names.len()];
            let mut waiting: Vec<usize> = given(start).collect();
            while let Some(m) = waiting.pop() {
                if !std::mem::replace(&mut reached[m], true) {
                    waiting.extend(given(m));
                }
            }
            if reached[start] {
                let message = "expected particles that do not come from themselves, found a circle of `Emit`";
                let help = "let it emit another material, without such an event".to_owned();
                self.fault(&format!("materials[{name:?}].events"), message, help);
            }
        }
    }
}
