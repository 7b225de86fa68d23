//! `lifetime` and `events` of a material to plain data.

use super::region;
use crate::scene::schema::{MaterialKeys, ThenFile, WhenFile};
use crate::scene::{Event, Life, Lifetime, Then, When};

/// The life that a material's keys describe; `resolve` gives the number of a material by the index of its event and its
/// name.
pub fn life(keys: &MaterialKeys, mut resolve: impl FnMut(usize, &str) -> usize) -> Life {
    let lifetime = keys.lifetime.map(|mean| Lifetime {
        mean: mean.get(),
        variation: keys.lifetime_variation.map_or(0.0, |q| q.get()),
    });
    let events = keys.events.iter().flatten().enumerate().map(|(i, event)| Event {
        when: when(&event.when),
        then: then(&event.then, |name| resolve(i, name)),
    });
    Life {
        lifetime,
        events: events.collect(),
    }
}

fn when(file: &WhenFile) -> When {
    match file {
        WhenFile::Age(age) => When::Age(age.get()),
        WhenFile::Contact => When::Contact,
        WhenFile::Leaves(place) => When::Leaves(region(place)),
    }
}

fn then(file: &ThenFile, resolve: impl FnOnce(&str) -> usize) -> Then {
    match file {
        ThenFile::Kill => Then::Kill,
        ThenFile::Split { count, speed } => Then::Split {
            count: count.get_u32(),
            speed: speed.map_or(0.0, |q| q.get()),
        },
        ThenFile::Emit {
            material,
            count,
            speed,
        } => Then::Emit {
            material: resolve(material),
            count: count.get_u32(),
            speed: speed.map_or(0.0, |q| q.get()),
        },
    }
}
