//! Scene to world: meshes loaded and placed, tree built, emitters and forces prepared. Everything slow happens here,
//! once, and everything that can be refused is refused here; afterwards the world is read-only.

mod bodies;
mod follow;
mod grids;
mod inside;
mod motion;
mod place;
mod scenery;
mod vain;

use std::path::Path;

use crate::bvh::MAX_PRIMITIVES;
use crate::collide::grid::Guarded;
use crate::collide::moving::Movers;
use crate::emit::Source;
use crate::error::{Diagnostic, Error, Result};
use crate::force::{Forces, Setting, moves_air_in_vain};
use crate::life::Lives;
use crate::material::{Contact, Material};
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::mesh::{Mesh, load_mesh};
use crate::motion::Moved;
use crate::scene::{Collision, MeshCollider, MeshSpec, Response, Scene, Shape};
use crate::shard::Shard;
use bodies::Casts;
pub use bodies::Fates;
pub use grids::Workshop;
use motion::{Motions, numbering};
use place::place;
pub use scenery::Scenery;

/// Everything that does not change during a run.
pub struct World {
    /// Placed meshes [m], one a mesh of the scene.
    pub meshes: Vec<Mesh>,
    /// What stands still and stops particles.
    pub collider: Guarded,
    /// What moves and stops particles.
    pub movers: Movers,
    /// What became of bodies; `None` in a scene without.
    pub fates: Option<Fates>,
    /// What each mesh does over time; `None` for those that stand still.
    pub moved: Vec<Option<Moved>>,
    /// Which sweep the collider runs.
    pub collision: Collision,
    /// Materials by number.
    pub materials: Vec<Material>,
    /// Emitters, in scene order.
    pub sources: Vec<Source>,
    /// What age, touches and places make of particles.
    pub lives: Lives,
    /// What acts between touches.
    pub forces: Forces,
    /// Size of gravity [m/s2].
    pub gravity: Real,
    /// Unit vector against gravity; zero without gravity.
    pub up: Vec3,
    /// Particles outside are lost.
    pub kill_box: Aabb,
    /// Touches one particle may have in one step.
    pub contacts_per_step: u32,
    /// Births beyond this many are refused.
    pub particle_limit: u64,
    /// Whether particles land on settled ones and heap up.
    pub pile: bool,
    /// Whether what has landed flows on.
    pub flow: bool,
    /// Seed of every random draw.
    pub seed: u64,
    /// Whether every flight is checked by a second test.
    pub audit: bool,
    /// Length of a step [s].
    pub step: Real,
    /// Which particles are simulated here; all are born.
    pub shard: Shard,
    /// Box around the scenery; empty without one.
    pub bounds: Aabb,
    responses: Vec<Response>,
    response_of: Vec<u32>,
}

impl World {
    /// Loads and prepares everything that `scene` names. The remarks are for the user; errors point into the scene.
    pub fn build(scene: &Scene) -> Result<(Self, Vec<Diagnostic>)> {
        Self::build_in(scene, &Workshop::QUIET)
    }

    /// The same, with a place to keep grids in.
    pub fn build_in(scene: &Scene, workshop: &Workshop<'_>) -> Result<(Self, Vec<Diagnostic>)> {
        let mut remarks = Vec::new();
        let mut meshes = Vec::with_capacity(scene.meshes.len());
        for spec in &scene.meshes {
            let mut mesh = load_mesh(&spec.file)?;
            remarks.append(&mut mesh.report.warnings);
            meshes.push(mesh);
        }
        let (world, more) = Self::assemble_in(scene, meshes, workshop)?;
        remarks.extend(more);
        Ok((world, remarks))
    }

    /// The same from meshes that are already in memory, one a mesh of the scene, in their files' units.
    pub fn assemble(scene: &Scene, meshes: Vec<Mesh>) -> Result<(Self, Vec<Diagnostic>)> {
        Self::assemble_in(scene, meshes, &Workshop::QUIET)
    }

    fn assemble_in(
        scene: &Scene,
        mut meshes: Vec<Mesh>,
        workshop: &Workshop<'_>,
    ) -> Result<(Self, Vec<Diagnostic>)> {
        let mut remarks = Vec::new();
        let has_grid = |spec: &MeshSpec| spec.collider != MeshCollider::Exact;
        let raw = meshes.iter().zip(&scene.meshes);
        let raw: Vec<Option<Mesh>> = raw
            .map(|(mesh, spec)| has_grid(spec).then(|| mesh.clone()))
            .collect();
        for (mesh, spec) in meshes.iter_mut().zip(&scene.meshes) {
            place(mesh, spec);
        }
        check_names(scene, &meshes)?;
        check_size(scene, &meshes)?;
        let casts = Casts::new(scene, &mut meshes)?;
        let order = numbering(scene);
        let (responses, response_of) = answers(scene, &meshes, &order);
        let motions = Motions::new(scene, &meshes, &casts, workshop.tell)?;
        let (vertices, triangles) = join(&meshes, scene);
        let (fields, moving_fields) = grids::fields(scene, &raw, &meshes, workshop, &mut remarks)?;
        drop(raw);
        let movers = motions.movers(&meshes, triangles.len() as u32, moving_fields);
        let bounds = meshes.iter().fold(Aabb::EMPTY, |b, m| b.union(&m.bounds()));
        let bounds = bounds.union(&movers.bounds());
        let collider =
            Guarded::new(vertices, &triangles, scene.collision, fields).with_rays_behind(scene.ray_behind);
        let degenerate = collider.mesh().degenerate();
        if degenerate > 0 && scene.collision == Collision::Karabassi {
            remarks.push(
                Diagnostic::new(format!(
                    "{degenerate} triangles without area cannot stop particles in karabassi mode"
                ))
                .help("use `collision: Exact`, which takes them as edges"),
            );
        }
        remarks.extend(vain::asked(scene));
        inside::check(scene, &meshes)?;
        let sources = scene.emitters.iter().enumerate();
        let sources = sources
            .map(|(i, e)| Source::build(i, e, &scene.materials, &meshes, scene.seed))
            .collect();
        if moves_air_in_vain(&scene.forces) {
            let text = "the air moves, but nothing feels it: no force of the scene is a drag";
            remarks.push(Diagnostic::new(text).help("add `QuadraticDrag(terminal_speed: 1)` to `forces`"));
        }
        let setting = Setting {
            seed: scene.seed,
            bounds,
            scenery: &collider,
        };
        let forces = Forces::build(scene.gravity, &scene.forces, &setting);
        let world = Self {
            collider,
            movers,
            fates: motions.bodies,
            moved: motions.into_moved(),
            collision: scene.collision,
            materials: scene.materials.clone(),
            sources,
            lives: Lives::new(&scene.lives, &scene.materials, scene.seed),
            forces,
            gravity: scene.gravity.norm(),
            up: (-scene.gravity).try_normalize(0.0).unwrap_or_else(Vec3::zeros),
            kill_box: scene
                .limits
                .kill_box
                .unwrap_or_else(|| default_kill_box(scene, &bounds)),
            contacts_per_step: scene.limits.contacts_per_step,
            particle_limit: scene.limits.particles,
            pile: scene.pile,
            flow: scene.flow,
            seed: scene.seed,
            audit: scene.limits.audit,
            step: scene.time.step(),
            shard: Shard::WHOLE,
            bounds,
            responses,
            response_of,
            meshes,
        };
        Ok((world, remarks))
    }

    /// The numbers that hold between a material and the surface of a triangle; `None`: the surface ends particles.
    pub fn contact(&self, material: u16, triangle: u32) -> Option<Contact> {
        crate::contact::between(
            &self.materials[usize::from(material)].contact,
            self.response(triangle),
        )
    }

    /// How the surface of a triangle answers to touches.
    pub fn response(&self, triangle: u32) -> &Response {
        &self.responses[self.response_of[triangle as usize] as usize]
    }

    /// Whether particles of a material flow on where they land.
    pub fn flows(&self, material: u16) -> bool {
        self.flow
            && self.collision == Collision::Exact
            && self.materials[usize::from(material)]
                .substance
                .viscosity
                .is_finite()
    }

    /// Whether particles of a material land on settled ones and heap up.
    pub fn piles(&self, material: u16) -> bool {
        self.pile && self.collision == Collision::Exact && !self.flows(material)
    }

    /// All scenery as it is at a moment [s].
    #[inline]
    pub fn at(&self, time: Real) -> Scenery<'_> {
        Scenery::new(&self.collider, &self.movers, time)
    }

    /// How many triangles the scenery has.
    pub fn triangles(&self) -> usize {
        self.response_of.len()
    }
}

/// `usemtl` names that the scene speaks of must exist, and surfaces that give births must have an area.
fn check_names(scene: &Scene, meshes: &[Mesh]) -> Result<()> {
    let mut wrong = Vec::new();
    for (m, (spec, mesh)) in scene.meshes.iter().zip(meshes).enumerate() {
        for (name, _) in &spec.groups {
            if !has_group(mesh, name) {
                let field = format!("meshes[{m}].groups");
                wrong.push(unknown_group(&scene.path, &field, name, &spec.name, mesh));
            }
        }
    }
    for (e, emitter) in scene.emitters.iter().enumerate() {
        let Shape::MeshSurface { mesh, ref group, .. } = emitter.shape else {
            continue;
        };
        let field = format!("emitters[{e}].shape");
        match group {
            Some(name) if !has_group(&meshes[mesh], name) => {
                wrong.push(unknown_group(
                    &scene.path,
                    &field,
                    name,
                    &scene.meshes[mesh].name,
                    &meshes[mesh],
                ));
            }
            _ if !has_area(&meshes[mesh], group.as_deref()) => {
                wrong.push(at_field(
                    &scene.path,
                    &field,
                    Diagnostic::new(format!(
                        "{field}: mesh \"{}\" has no area there to give births",
                        scene.meshes[mesh].name
                    )),
                ));
            }
            _ => {}
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Error::Input(wrong))
    }
}

fn has_group(mesh: &Mesh, name: &str) -> bool {
    mesh.groups.iter().any(|g| g.name == name)
}

fn has_area(mesh: &Mesh, group: Option<&str>) -> bool {
    (0..mesh.triangles.len()).any(|t| {
        let [a, b, c] = mesh.corners(t);
        group.is_none_or(|g| mesh.groups[usize::from(mesh.group_of[t])].name == g)
            && (b - a).cross(&(c - a)).norm() > 0.0
    })
}

fn unknown_group(scene: &Path, field: &str, name: &str, mesh_name: &str, mesh: &Mesh) -> Diagnostic {
    let known: Vec<String> = mesh.groups.iter().map(|g| format!("\"{}\"", g.name)).collect();
    let diagnostic = Diagnostic::new(format!(
        "{field}: mesh \"{mesh_name}\" has no usemtl group \"{name}\""
    ))
    .help(format!("it has {}", known.join(", ")));
    at_field(scene, field, diagnostic)
}

fn at_field(scene: &Path, field: &str, diagnostic: Diagnostic) -> Diagnostic {
    match crate::scene::locate_field(scene, field) {
        Some(place) => diagnostic.at(place),
        None => diagnostic,
    }
}

fn check_size(scene: &Scene, meshes: &[Mesh]) -> Result<()> {
    let triangles: usize = meshes.iter().map(|m| m.triangles.len()).sum();
    if triangles > MAX_PRIMITIVES {
        return Err(Error::input(
            Diagnostic::new(format!(
                "{triangles} triangles in all, at most {MAX_PRIMITIVES} are possible"
            ))
            .help("use coarser meshes"),
        ));
    }
    if triangles == 0 && !scene.meshes.is_empty() {
        let names: Vec<String> = scene
            .meshes
            .iter()
            .map(|m| m.file.display().to_string())
            .collect();
        return Err(Error::input(
            Diagnostic::new(format!("no faces in {}: nothing to cover", names.join(", ")))
                .help("export the model with its faces (`f` lines), or leave `meshes` empty"),
        ));
    }
    Ok(())
}

/// The different answers of all surfaces, and which one each triangle gives.
fn answers(scene: &Scene, meshes: &[Mesh], order: &[usize]) -> (Vec<Response>, Vec<u32>) {
    let mut responses = Vec::new();
    let mut response_of = Vec::with_capacity(meshes.iter().map(|m| m.triangles.len()).sum());
    for (spec, mesh) in order.iter().map(|&m| (&scene.meshes[m], &meshes[m])) {
        let first = responses.len() as u32;
        responses.extend(mesh.groups.iter().map(|g| {
            let own = spec.groups.iter().find(|(name, _)| *name == g.name);
            own.map_or(spec.response, |(_, response)| *response)
        }));
        response_of.extend(mesh.group_of.iter().map(|&g| first + u32::from(g)));
    }
    (responses, response_of)
}

/// All meshes that stand still as one: triangle numbers run through them in scene order.
fn join(meshes: &[Mesh], scene: &Scene) -> (Vec<Point3>, Vec<[u32; 3]>) {
    let still = || meshes.iter().zip(&scene.meshes).filter(|(_, spec)| !spec.moves());
    let mut vertices = Vec::with_capacity(still().map(|(m, _)| m.vertices.len()).sum());
    let mut triangles = Vec::with_capacity(still().map(|(m, _)| m.triangles.len()).sum());
    for (mesh, _) in still() {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(&mesh.vertices);
        triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| first + i)));
    }
    (vertices, triangles)
}

/// Ten diagonals around scenery and emitters: far enough that nothing visible is lost.
fn default_kill_box(scene: &Scene, scenery: &Aabb) -> Aabb {
    let around = scene
        .emitters
        .iter()
        .fold(*scenery, |b, e| b.union(&emitter_bounds(e)));
    let margin = 10.0 * around.diagonal().max(1.0);
    if around.is_empty() {
        Aabb::around(&[Point3::origin()]).inflated(margin)
    } else {
        around.inflated(margin)
    }
}

fn emitter_bounds(emitter: &crate::scene::Emitter) -> Aabb {
    let shape = match emitter.shape {
        Shape::Point { at } => Aabb { min: at, max: at },
        Shape::Disc { center, radius, .. } | Shape::Sphere { center, radius } => Aabb {
            min: center,
            max: center,
        }
        .inflated(radius),
        Shape::Box { bounds } => bounds,
        Shape::Grid { origin, u, v, .. } => Aabb::around(&[origin, origin + u, origin + v, origin + u + v]),
        Shape::Cone { center, radius, .. } => Aabb {
            min: center,
            max: center,
        }
        .inflated(radius),
        Shape::MeshSurface { .. } | Shape::MeshVolume { .. } => Aabb::EMPTY,
    };
    let mut moments: Vec<Real> = emitter.path.iter().flat_map(|p| p.keys()).map(|k| k.0).collect();
    if emitter.stop.is_finite() && (emitter.motion != Vec3::zeros() || !moments.is_empty()) {
        moments.push(emitter.stop);
    }
    if shape.is_empty() {
        return shape;
    }
    moments.iter().fold(shape, |around, &time| {
        let shift = emitter.shift(time);
        around.union(&Aabb {
            min: shape.min + shift,
            max: shape.max + shift,
        })
    })
}
