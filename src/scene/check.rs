//! Rules between fields: names resolve, files exist, limits are in order, the scene emits something.
//!
//! All mistakes are collected and reported together; a scene that passes needs no further checking.

use super::locate::{Source, Step, parse_path};
use super::mistake::{at_field, nearest};
use super::schema::*;
use super::*;
use crate::error::{Diagnostic, Error, Result};
use crate::material::RadiusLaw;

/// The longest way that a particle may go in one step, in its radii. A picture a second at 20 m/s with radii
/// of 2 cm, as in Karabassi, Papaioannou & Theoharis 1999, is 1,500; beyond a million the step or the radius is a slip.
const RADII_PER_STEP: Real = 1e6;

/// Frames carry a particle's material in 16 bits.
const MATERIALS: usize = u16::MAX as usize;

/// Applies all rules and fills in all defaults.
pub fn check(file: SceneFile, source: &Source<'_>) -> Result<Scene> {
    let mut rules = Rules {
        source,
        faults: Vec::new(),
    };
    rules.camera(file.camera.as_ref());
    rules.limits(file.limits.as_ref());
    rules.forces(&file);
    let scene = rules.scene(file);
    rules.emission(&scene);
    rules.step(&scene);
    if rules.faults.is_empty() {
        Ok(scene)
    } else {
        Err(Error::Input(rules.faults))
    }
}

struct Rules<'a> {
    source: &'a Source<'a>,
    faults: Vec<Diagnostic>,
}

impl Rules<'_> {
    /// Notes a mistake at a field; when the field is not written, at the nearest bracket around it.
    fn fault(&mut self, field: &str, message: &str, help: impl Into<Option<String>>) {
        let steps = parse_path(field).unwrap_or_default();
        let range = place_near(self.source, &steps);
        self.faults
            .push(at_field(self.source, &steps, message, range, help.into()));
    }

    fn scene(&mut self, mut file: SceneFile) -> Scene {
        let folder = self
            .source
            .path
            .parent()
            .unwrap_or_else(|| std::path::Path::new(""));
        let meshes = file.meshes.take().unwrap_or_default();
        let meshes: Vec<MeshSpec> = meshes.into_iter().map(|m| lower::mesh(m, folder)).collect();
        self.meshes(&meshes);
        let materials = self.materials(file.materials.take());
        let emitters = self.emitters(file.emitters.take().unwrap_or_default(), &materials, &meshes);
        let gravity = lower::gravity(&file);
        let forces = file.forces.unwrap_or_default();
        Scene {
            path: self.source.path.to_path_buf(),
            meshes,
            materials,
            emitters,
            gravity,
            forces: forces
                .into_iter()
                .map(|f| lower::force(f, gravity.norm()))
                .collect(),
            time: lower::time(file.time),
            collision: lower::collision(file.collision),
            seed: file.seed.map_or(0, |s| s.get()),
            limits: lower::limits(file.limits),
            camera: file.camera.map(lower::camera),
            light: lower::light(file.light),
            output: lower::output(file.output),
        }
    }

    fn meshes(&mut self, meshes: &[MeshSpec]) {
        for (i, mesh) in meshes.iter().enumerate() {
            let field = format!("meshes[{i}]");
            if let Some(first) = meshes[..i].iter().position(|m| m.name == mesh.name) {
                let message = format!("the name {:?} is taken by meshes[{first}]", mesh.name);
                self.fault(
                    &format!("{field}.name"),
                    &message,
                    "give each mesh its own `name`".to_owned(),
                );
            }
            self.mesh_file(&format!("{field}.file"), &mesh.file);
            let names: Vec<&str> = mesh.groups.iter().map(|(name, _)| name.as_str()).collect();
            self.repeated(&format!("{field}.groups"), &names);
        }
    }

    fn mesh_file(&mut self, field: &str, file: &std::path::Path) {
        let shown = file.display();
        match fs_err::metadata(file) {
            Ok(found) if found.is_file() => {}
            Ok(_) => self.fault(
                field,
                &format!("expected an OBJ file, found that {shown} is none"),
                None,
            ),
            Err(_) => {
                let help = "paths are relative to the folder of the scene file".to_owned();
                self.fault(
                    field,
                    &format!("expected an OBJ file, found nothing at {shown}"),
                    help,
                );
            }
        }
    }

    /// The same name twice in a map of the user's names.
    fn repeated(&mut self, field: &str, names: &[&str]) {
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                let help = "rename or remove one of them".to_owned();
                self.fault(&format!("{field}[{name:?}]"), "the name stands twice", help);
            }
        }
    }

    fn materials(&mut self, file: Option<values::Named<MaterialFile>>) -> Vec<Material> {
        let entries = file.map_or_else(Vec::new, |named| named.0);
        let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        self.repeated("materials", &names);
        if entries.is_empty() {
            let help = "add one, such as `materials: { \"snow\": Snow(radius: 0.02) }`".to_owned();
            self.fault("materials", "expected at least one material, found none", help);
        }
        if entries.len() > MATERIALS {
            self.fault(
                "materials",
                &format!("expected at most {MATERIALS} materials, found {}", entries.len()),
                None,
            );
        }
        let mut materials = Vec::with_capacity(entries.len());
        for (name, entry) in entries {
            let field = format!("materials[{name:?}].radius");
            let (preset, keys) = entry.split();
            self.radius(&field, &keys.radius);
            materials.push(lower::material(name, preset, keys));
        }
        materials.sort_by(|a, b| a.name.cmp(&b.name));
        materials
    }

    fn radius(&mut self, field: &str, radius: &values::Radius) {
        let written = parse_path(field).and_then(|steps| self.source.name_at(&steps));
        if let Some(name) = radius.name
            && written != Some(name)
        {
            let found = written.unwrap_or("no name before the brackets");
            self.fault(field, &format!("expected {name}(...), found {found}"), None);
        }
        match radius.law {
            RadiusLaw::Uniform { min, max } if min > max => {
                let help = "swap `min` and `max`".to_owned();
                self.fault(
                    field,
                    &format!("expected min <= max [m], found min {min} and max {max}"),
                    help,
                );
            }
            _ => {}
        }
    }

    fn emitters(
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
        let material_names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
        let mesh_names: Vec<&str> = meshes.iter().map(|m| m.name.as_str()).collect();
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
                ShapeFile::MeshSurface { mesh, .. } => {
                    self.resolve(&format!("{field}.shape.mesh"), mesh, &mesh_names, "mesh")
                }
                _ => 0,
            };
            let emitter = lower::emitter(file, i, material, mesh);
            if let Some(first) = emitters.iter().position(|e| e.name == emitter.name) {
                let message = format!("the name {:?} is taken by emitters[{first}]", emitter.name);
                self.fault(
                    &format!("{field}.name"),
                    &message,
                    "give each emitter its own `name`".to_owned(),
                );
            }
            emitters.push(emitter);
        }
        emitters
    }

    /// The index of a name; 0 after noting that there is none.
    fn resolve(&mut self, field: &str, name: &str, known: &[&str], what: &str) -> usize {
        if let Some(index) = known.iter().position(|k| *k == name) {
            return index;
        }
        if known.is_empty() && what == "material" {
            return 0; // noted already: the scene needs at least one
        }
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None if known.is_empty() => format!("the scene has no {what} yet"),
            None => format!("the scene has: {}", known.join(", ")),
        };
        self.fault(
            field,
            &format!("expected the name of a {what}, found {name:?}"),
            help,
        );
        0
    }

    fn emitter(&mut self, field: &str, file: &EmitterFile) {
        let start = file.start.map_or(0.0, |q| q.get());
        if let Some(stop) = file.stop.map(|q| q.get())
            && stop <= start
        {
            let message = format!("expected a time after `start` ({start} s), found {stop}");
            self.fault(&format!("{field}.stop"), &message, None);
        }
        let counted = file.count.is_some_and(|c| c.get() > 0) || file.rate.is_some_and(|q| q.get() > 0.0);
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
        self.shape(&format!("{field}.shape"), &file.shape);
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

    fn corners(&mut self, field: &str, min: [Real; 3], max: [Real; 3]) {
        for (axis, (lo, hi)) in ["x", "y", "z"].into_iter().zip(min.into_iter().zip(max)) {
            if lo > hi {
                let message = format!("expected the lower corner first, found {axis} from {lo} to {hi} [m]");
                self.fault(field, &message, "swap the two numbers".to_owned());
            }
        }
    }

    fn camera(&mut self, camera: Option<&CameraFile>) {
        if camera.is_some_and(|c| c.eye.get() == c.target.get()) {
            let message = "expected a place other than the camera's eye, found the same";
            self.fault("camera.target", message, None);
        }
    }

    fn limits(&mut self, limits: Option<&LimitsFile>) {
        if let Some((min, max)) = limits.and_then(|l| l.kill_box) {
            self.corners("limits.kill_box", min.get(), max.get());
        }
    }

    fn forces(&mut self, file: &SceneFile) {
        let gravity = lower::gravity(file).norm();
        for (i, force) in file.forces.iter().flatten().enumerate() {
            let ForceFile::QuadraticDrag {
                coefficient,
                terminal_speed,
            } = force
            else {
                continue;
            };
            let field = format!("forces[{i}]");
            match (coefficient, terminal_speed) {
                (None, None) => self.fault(
                    &field,
                    "expected `coefficient` or `terminal_speed`, found neither",
                    None,
                ),
                (Some(_), Some(_)) => {
                    let help = "keep one: the other follows from gravity".to_owned();
                    self.fault(
                        &field,
                        "expected `coefficient` or `terminal_speed`, found both",
                        help,
                    );
                }
                (None, Some(_)) if gravity <= 0.0 => {
                    let help = "give the `coefficient` [1/m] instead".to_owned();
                    let message = "expected gravity for a terminal speed, found none";
                    self.fault(&format!("{field}.terminal_speed"), message, help);
                }
                _ => {}
            }
        }
    }

    /// All births of the run against the limit.
    fn emission(&mut self, scene: &Scene) {
        let births: Real = scene.emitters.iter().map(|e| births_of(e, &scene.time)).sum();
        let limit = scene.limits.particles;
        if births > limit as Real {
            let message = format!("expected at most {limit} particles, found emitters that emit {births:.0}");
            let help = "lower `count` or `rate`, or raise `limits: (particles: ...)`".to_owned();
            let written = parse_path("limits.particles")
                .and_then(|steps| self.source.value(&steps))
                .is_some();
            self.fault(
                if written { "limits.particles" } else { "emitters" },
                &message,
                help,
            );
        }
    }

    /// The way of a particle in its first step against its radius.
    fn step(&mut self, scene: &Scene) {
        let dt = scene.time.step();
        let fall = scene.gravity.norm() * dt;
        for (i, emitter) in scene.emitters.iter().enumerate() {
            let Some(material) = scene.materials.get(emitter.material) else {
                continue;
            };
            let speed = emitter.velocity.norm() * (1.0 + emitter.speed_variation) + fall;
            let radii = speed * dt / material.radius.typical();
            if radii > RADII_PER_STEP {
                let message = format!(
                    "expected a step of less than 1e6 particle radii, found {radii:.1e} ({speed:.3} m/s for {dt:.4} s, \
                     material {:?})",
                    material.name
                );
                let help =
                    "raise `time: (steps_per_frame: ...)`, or check the unit of velocity and radius [m/s, m]";
                self.fault(&format!("emitters[{i}].velocity"), &message, help.to_owned());
            }
        }
    }
}

/// How many particles an emitter is asked for until the last picture; a fraction counts as none.
fn births_of(emitter: &Emitter, time: &Time) -> Real {
    let end = Real::from(time.frames) / time.frame_rate;
    let seconds = (emitter.stop.min(end) - emitter.start).max(0.0);
    emitter.count as Real + (emitter.rate * seconds).floor()
}

fn place_near(source: &Source<'_>, steps: &[Step]) -> std::ops::Range<usize> {
    (0..=steps.len())
        .rev()
        .find_map(|n| source.value(&steps[..n]))
        .unwrap_or(0..0)
}
