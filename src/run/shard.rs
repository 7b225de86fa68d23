//! Which runs can be shared out, and what a run or one of its shards writes.

use crate::error::{Error, Result};
use crate::scene::{Scene, Then};
use crate::shard::Shard;
use crate::write::pov::PovWriter;

/// Why the particles of a scene cannot be simulated apart from each other; empty when they can.
pub fn obstacles(scene: &Scene) -> Vec<String> {
    let mut found = Vec::new();
    if scene.pile {
        found.push(
            "`pile: true`: particles land on each other, so where one comes to lie depends on all before it"
                .into(),
        );
    }
    if scene.flow {
        found.push(
            "`flow: true`: layers flow by the thickness of what lies around, and splashes give births among the others"
                .into(),
        );
    }
    for emitter in scene.emitters.iter().filter(|e| e.apart) {
        found.push(format!(
            "emitter \"{}\" has `apart: true`: whether a birth happens depends on who is near",
            emitter.name
        ));
    }
    for (material, life) in scene.materials.iter().zip(&scene.lives) {
        if life.events.iter().any(|e| !matches!(e.then, Then::Kill)) {
            found.push(format!(
                "material \"{}\" splits or gives off others: the birth numbers of these depend on all particles",
                material.name
            ));
        }
    }
    found
}

/// Refuses to share out what cannot be.
pub fn refuse_dependent(scene: &Scene) -> Result<()> {
    let found = obstacles(scene);
    if found.is_empty() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "{} cannot be shared out among several jobs, because its particles depend on each other:\n  {}\nsimulate it in one job; rendering can still be shared out",
        scene.path.display(),
        found.join("\n  ")
    )))
}

/// What a run writes: pictures, or the parts that a merge makes them from.
pub enum Product<'a> {
    /// Frames for POV-Ray.
    Pictures(Box<PovWriter<'a>>),
    /// A shard's particles.
    Parts,
}

impl<'a> Product<'a> {
    /// What a run of this shard writes.
    pub fn of(shard: Option<Shard>, writer: impl FnOnce() -> PovWriter<'a>) -> Self {
        match shard {
            Some(_) => Self::Parts,
            None => Self::Pictures(Box::new(writer())),
        }
    }

    /// The writer of what pictures share.
    pub fn pictures(&self) -> Option<&PovWriter<'a>> {
        match self {
            Self::Pictures(writer) => Some(writer),
            Self::Parts => None,
        }
    }
}
