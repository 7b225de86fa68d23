//! Rules between fields: names resolve, files exist, limits are in order, the scene emits something.
//!
//! All mistakes are collected and reported together; a scene that passes needs no further checking.

mod colliders;
mod emitters;
mod forces;
mod lives;
mod motion;
mod numbers;

use std::collections::BTreeMap;

use super::locate::{Source, Step, parse_path};
use super::mistake::{at_field, nearest};
use super::schema::*;
use super::*;
use crate::error::{Diagnostic, Error, Result};
use crate::material::RadiusLaw;

/// Far below the 16 bits in which frames carry a material: each material is looked up in the text.
const MATERIALS: usize = 1_000;

/// Mistakes that are placed in the text and shown; further ones are counted.
const FAULTS: usize = 50;

/// Applies all rules and fills in all defaults.
pub fn check(file: SceneFile, source: &Source<'_>) -> Result<Scene> {
    let mut rules = Rules {
        source,
        faults: Vec::new(),
        more: 0,
    };
    rules.camera(file.camera.as_ref());
    rules.limits(file.limits.as_ref());
    rules.forces(&file);
    let scene = rules.scene(file);
    rules.emission(&scene);
    rules.step(&scene);
    rules.responses(&scene);
    rules.moving(&scene);
    match rules.all_faults() {
        faults if faults.is_empty() => Ok(scene),
        faults => Err(Error::Input(faults)),
    }
}

struct Rules<'a> {
    source: &'a Source<'a>,
    faults: Vec<Diagnostic>,
    /// How many mistakes were found beyond those in `faults`.
    more: usize,
}

impl Rules<'_> {
    /// Notes a mistake at a field; when the field is not written, at the nearest bracket around it.
    fn fault(&mut self, field: &str, message: &str, help: impl Into<Option<String>>) {
        if self.faults.len() >= FAULTS {
            self.more += 1;
            return;
        }
        let steps = parse_path(field).unwrap_or_default();
        let range = place_near(self.source, &steps);
        self.faults
            .push(at_field(self.source, &steps, message, range, help.into()));
    }

    fn all_faults(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            self.faults.push(Diagnostic::new(format!(
                "{} more mistakes are not shown",
                self.more
            )));
        }
        self.faults
    }

    fn scene(&mut self, mut file: SceneFile) -> Scene {
        let folder = self
            .source
            .path
            .parent()
            .unwrap_or_else(|| std::path::Path::new(""));
        let meshes = file.meshes.take().unwrap_or_default();
        self.collider_keys(&meshes);
        let named = motion::Named::of(&meshes);
        let mut meshes: Vec<MeshSpec> = meshes.into_iter().map(|m| lower::mesh(m, folder)).collect();
        self.motions(&mut meshes, &named);
        self.meshes(&meshes);
        self.grid_files(&meshes);
        let (materials, lives) = self.materials(file.materials.take());
        let emitters = self.emitters(file.emitters.take().unwrap_or_default(), &materials, &meshes);
        let gravity = lower::gravity(&file);
        let change = lower::change_of_gravity(&file);
        let forces = file.forces.unwrap_or_default().into_iter();
        let forces = forces.map(|f| lower::force(f, gravity.norm()));
        Scene {
            path: self.source.path.to_path_buf(),
            meshes,
            materials,
            lives,
            emitters,
            gravity,
            forces: forces.chain(change).collect(),
            time: lower::time(file.time),
            collision: lower::collision(file.collision),
            ray_behind: file.ray_behind.map_or(lower::RAY_BEHIND, |q| q.get()),
            pile: file.pile.unwrap_or(false),
            flow: file.flow.unwrap_or(false),
            seed: file.seed.map_or(0, |s| s.get()),
            limits: lower::limits(file.limits),
            camera: file.camera.map(lower::camera),
            light: lower::light(file.light),
            output: lower::output(file.output),
        }
    }

    fn meshes(&mut self, meshes: &[MeshSpec]) {
        self.taken(
            "meshes",
            &meshes.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
        );
        for (i, mesh) in meshes.iter().enumerate() {
            let field = format!("meshes[{i}]");
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
        for (i, _) in repeats(names) {
            let help = "rename or remove one of them".to_owned();
            self.fault(&format!("{field}[{:?}]", names[i]), "the name stands twice", help);
        }
    }

    /// The same name twice in a list of things that have one.
    fn taken(&mut self, list: &str, names: &[&str]) {
        for (i, first) in repeats(names) {
            let message = format!("the name {:?} is taken by {list}[{first}]", names[i]);
            self.fault(
                &format!("{list}[{i}].name"),
                &message,
                "give each its own `name`".to_owned(),
            );
        }
    }

    /// Materials sorted by name, and the life of each.
    fn materials(&mut self, file: Option<values::Named<MaterialFile>>) -> (Vec<Material>, Vec<Life>) {
        let entries = file.map_or_else(Vec::new, |named| named.0);
        let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        self.repeated("materials", &names);
        if entries.is_empty() {
            let help = "add one, such as `materials: { \"snow\": Snow(radius: 0.02) }`".to_owned();
            self.fault("materials", "expected at least one material, found none", help);
        }
        if entries.len() > MATERIALS {
            let message = format!("expected at most {MATERIALS} materials, found {}", entries.len());
            self.fault("materials", &message, None);
            return Default::default();
        }
        let mut split: Vec<_> = entries.into_iter().map(|(name, e)| (name, e.split())).collect();
        split.sort_by(|a, b| a.0.cmp(&b.0));
        let names: Vec<String> = split.iter().map(|(name, _)| name.clone()).collect();
        let mut materials = Vec::with_capacity(split.len());
        let mut lives = Vec::with_capacity(split.len());
        for (name, (preset, keys)) in split {
            self.radius(&format!("materials[{name:?}].radius"), &keys.radius);
            lives.push(self.life(&name, &keys, &names));
            materials.push(lower::material(name, preset, keys));
        }
        self.endless_emission(&names, &lives);
        (materials, lives)
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

    /// The index of a name; 0 after noting that there is none.
    fn resolve(&mut self, field: &str, name: &str, known: &BTreeMap<&str, usize>, what: &str) -> usize {
        if let Some(&index) = known.get(name) {
            return index;
        }
        if known.is_empty() && what == "material" || self.faults.len() >= FAULTS {
            self.more += usize::from(!known.is_empty()); // without any material, that is noted already
            return 0;
        }
        let help = match nearest(name, known.keys().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None if known.is_empty() => format!("the scene has no {what} yet"),
            None => {
                let names: Vec<&str> = known.keys().take(20).copied().collect();
                format!("the scene has: {}", names.join(", "))
            }
        };
        self.fault(
            field,
            &format!("expected the name of a {what}, found {name:?}"),
            help,
        );
        0
    }
}

/// Each name's first index.
fn indices<'n>(names: impl Iterator<Item = &'n str>) -> BTreeMap<&'n str, usize> {
    let mut indices = BTreeMap::new();
    for (i, name) in names.enumerate() {
        indices.entry(name).or_insert(i);
    }
    indices
}

/// Where a name stands again, and where it stood first.
fn repeats(names: &[&str]) -> Vec<(usize, usize)> {
    let first = indices(names.iter().copied());
    let with_first = names
        .iter()
        .enumerate()
        .map(|(i, name)| (i, first.get(name).copied().unwrap_or(i)));
    with_first.filter(|(i, first)| i != first).collect()
}

fn place_near(source: &Source<'_>, steps: &[Step]) -> std::ops::Range<usize> {
    (0..=steps.len())
        .rev()
        .find_map(|n| source.value(&steps[..n]))
        .unwrap_or(0..0)
}
