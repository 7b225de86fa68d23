//! Meshes that give births from their inside: whether they have one, and if not, why.

use super::at_field;
use crate::emit::mesh_volume::{MeshVolume, NoInside};
use crate::error::{Diagnostic, Error, Result};
use crate::mesh::Mesh;
use crate::scene::{Scene, Shape};

/// Meshes whose inside gives births must have one.
pub(super) fn check(scene: &Scene, meshes: &[Mesh]) -> Result<()> {
    let mut wrong = Vec::new();
    for (e, emitter) in scene.emitters.iter().enumerate() {
        let Shape::MeshVolume { mesh } = emitter.shape else {
            continue;
        };
        let (field, name) = (format!("emitters[{e}].shape"), &scene.meshes[mesh].name);
        let (text, help) = match MeshVolume::new(&meshes[mesh]) {
            Ok(_) => continue,
            Err(NoInside::Open([a, b])) => (
                format!(
                    "mesh \"{name}\" has no inside: it is open at the edge from ({}, {}, {}) to ({}, {}, {}) m",
                    a.x, a.y, a.z, b.x, b.y, b.z
                ),
                "close it in your modeller, or use `MeshSurface`, `Box` or `Sphere`",
            ),
            Err(NoInside::Thin) => (
                format!("mesh \"{name}\" fills less than a ten-thousandth of its box"),
                "use `MeshSurface`, or turn the mesh so that its box is tight",
            ),
        };
        let diagnostic = Diagnostic::new(format!("{field}: {text}")).help(help);
        wrong.push(at_field(&scene.path, &format!("{field}.mesh"), diagnostic));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Error::Input(wrong))
    }
}
