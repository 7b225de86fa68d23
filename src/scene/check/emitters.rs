//! Rules of single emitters.

use super::{Rules, indices};
use crate::material::Material;
use crate::scene::schema::{EmitterFile, PathFile, ShapeFile};
use crate::scene::{Emitter, MeshSpec, lower};

/// Shortest time between bursts that never end [s].
const LEAST_PAUSE: f64 = 1e-6;

impl Rules<'_> {
    pub(super) fn emitters(
        &mut self,
        files: Vec<EmitterFile>,
        materials: &[Material],
        meshes: &[MeshSpec],
    ) -> Vec<Emitter> {
        if files.is_empty() {
            let help =
                "add one, such as `emitters: [(material: \"snow\", shape: Point(at: (0, 2, 0)), rate: 100)]`";
            self.fault(
                "emitters",
                "expected at least one emitter, found none",
                help.to_owned(),
            );
        }
        let material_names = indices(materials.iter().map(|m| m.name.as_str()));
        let mesh_names = indices(meshes.iter().map(|m| m.name.as_str()));
        let mut emitters: Vec<Emitter> = Vec::with_capacity(files.len());
        for (i, file) in files.into_iter().enumerate() {
            let field = format!("emitters[{i}]");
            self.emitter(&field, &file);
            let material = self.resolve(
                &format!("{field}.material"),
                &file.material,
                &material_names,
                "material",
            );
            let mesh = match &file.shape {
                ShapeFile::MeshSurface { mesh, .. } | ShapeFile::MeshVolume { mesh } => {
                    self.resolve(&format!("{field}.shape.mesh"), mesh, &mesh_names, "mesh")
                }
                _ => 0,
            };
            emitters.push(lower::emitter(file, i, material, mesh));
        }
        self.taken(
            "emitters",
            &emitters.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(),
        );
        emitters
    }

    fn emitter(&mut self, field: &str, file: &EmitterFile) {
        let start = file.start.map_or(0.0, |q| q.get());
        if let Some(stop) = file.stop.map(|q| q.get())
            && stop <= start
        {
            let message = format!("expected a time after `start` ({start} s), found {stop}");
            self.fault(&format!("{field}.stop"), &message, None);
        }
        let counted = file.count.is_some_and(|c| c.get() > 0) || file.rate.as_ref().is_some_and(|r| r.keys.iter().any(|k| k.1.get() > 0.0));
        let whole_grid =
            matches!(file.shape, ShapeFile::Grid { .. }) && file.count.is_none() && file.rate.is_none();
        if file.enabled != Some(false) && !counted && !whole_grid {
            let help = "give it `count: 1000` (at once) or `rate: 100` (a second), or set `enabled: false`";
            self.fault(
                field,
                "expected a `count` or `rate` > 0, found neither: it emits nothing",
                help.to_owned(),
            );
        }
        self.bursts(field, file);
        self.path(field, file);
        self.shape(&format!("{field}.shape"), &file.shape);
    }

    fn bursts(&mut self, field: &str, file: &EmitterFile) {
        let Some(bursts) = &file.bursts else { return };
        if file.rate.is_some() {
            let help = "use two emitters, one with `rate`, one with `count` and `bursts`".to_owned();
            self.fault(&format!("{field}.bursts"), "expected no `rate` beside bursts, found one", help);
        }
        if bursts.repeats.is_none() && file.stop.is_none() && bursts.every.get() < LEAST_PAUSE {
            let message = format!("expected at least {LEAST_PAUSE} s between bursts without end, found {}", bursts.every.get());
            self.fault(&format!("{field}.bursts.every"), &message, "use `rate` instead, or `repeats`".to_owned());
        }
    }

    fn path(&mut self, field: &str, file: &EmitterFile) {
        if let Some(PathFile::AtSpeed { points, .. }) = &file.path
            && points.len() < 2
        {
            let message = format!("expected at least two places [m], found {}", points.len());
            self.fault(&format!("{field}.path.points"), &message, None);
        }
    }

    fn shape(&mut self, field: &str, shape: &ShapeFile) {
        match shape {
            ShapeFile::Box { min, max } => self.corners(field, min.get(), max.get()),
            ShapeFile::Grid { u, v, .. } if u.vec().cross(&v.vec()).norm() <= 0.0 => {
                let help =
                    "for a row of particles use a second side of any length and `count: (n, 1)`".to_owned();
                self.fault(
                    field,
                    "expected sides u and v that span an area, found parallel ones",
                    help,
                );
            }
            _ => {}
        }
    }
}
