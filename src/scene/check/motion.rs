//! Rules of what moves: names of meshes, files that are there, no circles, and what cannot go together.

use super::{Rules, indices};
use crate::scene::schema::{MeshFile, MotionFile};
use crate::scene::{Collision, MeshCollider, MeshSpec, Motion, Scene, Shape};

/// Names of meshes that stand in `motion` and `carried_by`, a mesh an entry.
pub(super) struct Named(Vec<(Vec<String>, Option<String>)>);

impl Named {
    pub(super) fn of(meshes: &[MeshFile]) -> Self {
        let names = |mesh: &MeshFile| {
            let over = match &mesh.motion {
                Some(MotionFile::Follow { over, .. }) => over.clone(),
                _ => Vec::new(),
            };
            (over, mesh.carried_by.clone())
        };
        Self(meshes.iter().map(names).collect())
    }
}

impl Rules<'_> {
    /// Resolves the names of meshes in motions, and checks each motion by itself.
    pub(super) fn motions(&mut self, meshes: &mut [MeshSpec], named: &Named) {
        let names: Vec<String> = meshes.iter().map(|m| m.name.clone()).collect();
        let known = indices(names.iter().map(String::as_str));
        for (i, (over, carried_by)) in named.0.iter().enumerate() {
            let field = format!("meshes[{i}]");
            if let Some(Motion::Follow(follow)) = &mut meshes[i].motion {
                let resolve = |(k, name): (usize, &String)| {
                    self.resolve(&format!("{field}.motion.over[{k}]"), name, &known, "mesh")
                };
                follow.over = over.iter().enumerate().map(resolve).collect();
            }
            meshes[i].carried_by = (carried_by.as_ref())
                .map(|name| self.resolve(&format!("{field}.carried_by"), name, &known, "mesh"));
        }
        for i in 0..meshes.len() {
            self.motion(&format!("meshes[{i}]"), i, meshes);
        }
    }

    fn motion(&mut self, field: &str, own: usize, meshes: &[MeshSpec]) {
        let mut above = meshes[own].carried_by;
        for _ in 0..meshes.len() {
            let Some(carrier) = above else { break };
            if carrier == own {
                let help = "leave `carried_by` out of one of them".to_owned();
                let message = "expected a mesh that does not ride on this one, found a circle";
                self.fault(&format!("{field}.carried_by"), message, help);
                break;
            }
            above = meshes[carrier].carried_by;
        }
        if meshes[own].carried_by.is_some() && changes_shape(&meshes[own]) {
            let message = "expected a mesh that keeps its shape, found one that changes it";
            let help =
                "what changes its shape cannot be carried: put the carrier's way into its own files or keys"
                    .to_owned();
            self.fault(&format!("{field}.carried_by"), message, help);
        }
        if let Some(carrier) = meshes[own].carried_by
            && changes_shape(&meshes[carrier])
        {
            let message = format!(
                "expected a mesh that keeps its shape, found \"{}\", which changes it",
                meshes[carrier].name
            );
            let help = "only what moves as a whole can carry another mesh".to_owned();
            self.fault(&format!("{field}.carried_by"), &message, help);
        }
        match &meshes[own].motion {
            Some(Motion::Sequence { files, .. }) => {
                if files.len() < 2 {
                    let message = format!("expected at least two files, found {}", files.len());
                    let help = "name each, or write `#` for each digit of their numbers: \"flag_###.obj\""
                        .to_owned();
                    self.fault(&format!("{field}.motion.files"), &message, help);
                }
                for file in files {
                    self.mesh_file(&format!("{field}.motion.files"), file);
                }
            }
            Some(Motion::Follow(follow)) => self.follow(field, follow, own, meshes),
            _ => {}
        }
    }

    fn follow(&mut self, field: &str, follow: &crate::scene::Follow, own: usize, meshes: &[MeshSpec]) {
        if follow.wheels.len() < 3 {
            let message = format!("expected at least three wheels, found {}", follow.wheels.len());
            let help = "height and tilt need three points that are not in one line".to_owned();
            self.fault(&format!("{field}.motion.wheels"), &message, help);
        }
        if follow.path.keys().len() < 2 {
            let message = "expected at least two (time, place), found one".to_owned();
            self.fault(&format!("{field}.motion.path"), &message, None);
        }
        if follow.over.is_empty() {
            let message = "expected the name of at least one mesh to drive over, found none";
            self.fault(&format!("{field}.motion.over"), message, None);
        }
        for (k, &ground) in follow.over.iter().enumerate() {
            if ground == own || meshes[ground].moves() {
                let message = format!(
                    "expected a mesh that stands still, found \"{}\"",
                    meshes[ground].name
                );
                self.fault(&format!("{field}.motion.over[{k}]"), &message, None);
            }
        }
    }

    /// Motion beside other parts of the scene.
    pub(super) fn moving(&mut self, scene: &Scene) {
        for (i, mesh) in scene.meshes.iter().enumerate().filter(|(_, m)| m.moves()) {
            let field = format!("meshes[{i}]");
            if mesh.carried_by.is_some() && mesh.motion.as_ref().is_some_and(Motion::is_body) {
                let message = "expected a body to move by itself, found one that is carried";
                let help = "leave `carried_by` out: give the body the carrier's `velocity`".to_owned();
                self.fault(&format!("{field}.carried_by"), message, help);
            }
            if scene.collision == Collision::Karabassi {
                let message =
                    "expected meshes that stand still beside `collision: Karabassi`, found one that moves";
                let help = "use `collision: Exact`: the test of 1999 knows no triangles that move".to_owned();
                self.fault(&format!("{field}.motion"), message, help);
            }
            if mesh.collider != MeshCollider::Exact && changes_shape(mesh) {
                let message = "expected a motion without shear or change of size for a grid, found one that changes the shape";
                let help = "use `collider: Exact`: distances and normals of a grid hold for one shape only"
                    .to_owned();
                self.fault(&format!("{field}.collider"), message, help);
            }
        }
        for (e, emitter) in scene.emitters.iter().enumerate() {
            if let Shape::MeshSurface { mesh, .. } | Shape::MeshVolume { mesh } = emitter.shape
                && let Some(mesh) = scene.meshes.get(mesh).filter(|m| m.moves())
            {
                let message = format!(
                    "expected a mesh that stands still, found \"{}\", which moves",
                    mesh.name
                );
                let help = "use a `Box` or `Grid` with a `path` along the mesh's own".to_owned();
                self.fault(&format!("emitters[{e}].shape.mesh"), &message, help);
            }
        }
    }
}

/// Whether a mesh does more than move as a whole.
fn changes_shape(mesh: &MeshSpec) -> bool {
    match &mesh.motion {
        Some(Motion::Sequence { .. } | Motion::Elastic(_)) => true,
        Some(Motion::Rigid(rigid)) => rigid.breaks.is_some(),
        Some(Motion::Keys { scale, .. }) => scale.constant() != Some(1.0),
        _ => false,
    }
}
