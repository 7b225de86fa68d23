//! What a run would do: meshes, sizes, thresholds, particles, memory and disk, without simulating.

use std::fmt;
use std::path::PathBuf;

use super::report::bytes;
use crate::collide::grid::Field;
use crate::contact::resting::least_rebound;
use crate::error::Diagnostic;
use crate::grid::{Grid, Sides};
use crate::inspect::Inspection;
use crate::math::Real;
use crate::scene::{MeshCollider, MeshSpec, Scene};
use crate::world::World;

/// Bytes of one particle in a frame file at the most: a line, and its share of copies.
const BYTES_A_COMPONENT: u64 = 70;
/// Bytes of one particle in a file of exact particles.
const BYTES_A_PARTICLE_OF_A_FILE: u64 = crate::write::points::BYTES_A_PARTICLE;
/// Components of a piece that frames share, and bytes of a line that names it, on average.
const COMPONENTS_A_PIECE: u64 = 400;
const BYTES_A_NAME: u64 = 55;
/// Bytes of memory a particle takes while it is simulated and written.
const BYTES_A_PARTICLE: u64 = 600;
/// Bytes of memory a triangle takes: mesh, tree and collider.
const BYTES_A_TRIANGLE: u64 = 130;
/// Scenes larger than this many radii are probably in another unit than they seem.
const MANY_RADII: Real = 30_000.0;
/// Seconds of fall across the scene outside of which its unit is probably wrong.
const FALL: [Real; 2] = [0.03, 10.0];

/// What a run would do; its text is the forecast.
#[derive(Debug, Clone)]
pub struct Forecast {
    /// What the user should know.
    pub remarks: Vec<Diagnostic>,
    /// Faults of the meshes.
    pub faults: u64,
    scene: PathBuf,
    meshes: Vec<String>,
    lines: Vec<String>,
}

impl Forecast {
    /// Looks at a scene and its world.
    pub fn new(scene: &Scene, world: &World, mut remarks: Vec<Diagnostic>) -> Self {
        let meshes = scene.meshes.iter().zip(&world.meshes).map(|(spec, mesh)| {
            let e = mesh.bounds().extent();
            let r = &mesh.report;
            format!(
                "{}: {} triangles from {} faces, {} vertices, {} groups, {:.3} x {:.3} x {:.3} m, {} without area, {} lines and points ignored",
                spec.name,
                mesh.triangles.len(),
                r.faces,
                mesh.vertices.len(),
                mesh.groups.len(),
                e.x.max(0.0),
                e.y.max(0.0),
                e.z.max(0.0),
                r.degenerate,
                r.lines_and_points
            )
        });
        let meshes = meshes.collect();
        let mut lines = vec![sizes(scene, world, &mut remarks), thresholds(scene, world)];
        lines.extend(grids(scene, world));
        lines.push(amounts(scene, world));
        Self {
            remarks,
            faults: 0,
            scene: scene.path.clone(),
            meshes,
            lines,
        }
    }

    /// Adds what was found about mesh `number` of the scene.
    pub fn add_findings(&mut self, number: usize, found: &Inspection) {
        self.faults += found.report.faults();
        if let Some(mesh) = self.meshes.get_mut(number) {
            for finding in found.findings() {
                mesh.push('\n');
                mesh.push_str(&finding);
            }
        }
    }
}

/// Scene size, time to fall across it, size in radii; each with a warning outside sane ranges.
fn sizes(scene: &Scene, world: &World, remarks: &mut Vec<Diagnostic>) -> String {
    let height = world.bounds.extent().y.max(0.0);
    let diagonal = world.bounds.diagonal();
    let radius = scene
        .materials
        .iter()
        .map(|m| m.radius.typical())
        .fold(Real::INFINITY, Real::min);
    let fall = if world.gravity > 0.0 {
        (2.0 * height / world.gravity).sqrt()
    } else {
        0.0
    };
    let advice = "if the model is in millimetres or inches, say so: `unit: \"mm\"` at the mesh";
    if diagonal > MANY_RADII * radius {
        let times = diagonal / radius;
        let text = format!(
            "the scenery is {times:.0} times as large as the smallest material's radius, {diagonal:.1} m"
        );
        remarks.push(Diagnostic::new(text).help(advice));
    }
    if height > 0.0 && world.gravity > 0.0 && !(FALL[0]..=FALL[1]).contains(&fall) {
        let text = format!("falling across the scenery's {height:.3} m takes {fall:.3} s");
        remarks.push(Diagnostic::new(text).help(advice));
    }
    format!(
        "scenery    {} triangles, diagonal {diagonal:.3} m = {:.0} radii; falling its height takes {fall:.2} s",
        world.triangles(),
        diagonal / radius
    )
}

/// The numbers by which bounces end.
fn thresholds(scene: &Scene, world: &World) -> String {
    let each = scene.materials.iter().map(|m| {
        let v = least_rebound(world.gravity, m.radius.typical(), world.step);
        format!("{} {v:.4} m/s", m.name)
    });
    format!(
        "rest rule  rebounds slower than this are none: {}",
        each.collect::<Vec<_>>().join(", ")
    )
}

/// Sizes of the grids, and the speeds that they are safe for.
fn grids(scene: &Scene, world: &World) -> Vec<String> {
    let radius = (scene.materials.iter())
        .map(|m| m.radius.max())
        .fold(0.0, Real::max);
    let specs = scene.meshes.iter().filter(|m| m.collider != MeshCollider::Exact);
    let line = |(spec, field): (&MeshSpec, &Field)| {
        let safe = field.safe_speed(radius, world.step).max(0.0);
        format!(
            "grid       {}: {}; cells of {:.4} m, field {:.4} m thick, safe up to {safe:.2} m/s",
            spec.name,
            describe(&field.grid),
            field.cell(),
            field.thickness()
        )
    };
    specs.zip(world.collider.fields()).map(line).collect()
}

/// What a grid is, in words, without lengths.
pub fn describe(grid: &Grid) -> String {
    let [x, y, z] = grid.layout.cells;
    let [held, dense] = grid.bytes();
    let r = &grid.report;
    let sides = match (grid.sides, r.inside_out) {
        (Sides::Both, _) => "both sides served",
        (Sides::One, true) => "signed, inside out",
        (Sides::One, false) => "signed",
    };
    let kept = match &r.bounds {
        None => bytes(held),
        Some(b) => format!(
            "{} compressed, {} plain (distance off by {:.3} cells at most, {:.3} in the mean, normals by {:.1} and {:.1} degrees)",
            bytes(held),
            bytes(b.plain_bytes),
            b.distance_max / grid.layout.cell,
            b.distance_mean / grid.layout.cell,
            b.angle_max_deg,
            b.angle_mean_deg
        ),
    };
    format!(
        "{x} x {y} x {z} cells ({} as an array), {kept}; {sides}; {} cells on the surface, {} in the field, {} of it without a normal",
        bytes(dense),
        r.surface_cells,
        r.set_cells + r.unset_cells,
        r.unset_cells
    )
}

/// Births, frames, disk and memory.
fn amounts(scene: &Scene, world: &World) -> String {
    let at = |frame: u32| {
        let time = Real::from(frame) / scene.time.frame_rate;
        let due = world
            .sources
            .iter()
            .fold(0u64, |sum, s| sum.saturating_add(s.due(time)));
        due.min(world.particle_limit)
    };
    let total = at(scene.time.frames);
    let disk = disk(scene, world, at);
    let memory = total
        .saturating_mul(BYTES_A_PARTICLE)
        .saturating_add(world.triangles() as u64 * BYTES_A_TRIANGLE);
    format!(
        "run        {} frames of {} steps of {:.4} s, up to {total} particles; {disk} on disk and at most about {} of memory",
        scene.time.frames,
        scene.time.steps_per_frame,
        world.step,
        bytes(memory)
    )
}

/// Bytes of all frames, when so many particles are born up to a frame.
fn disk(scene: &Scene, world: &World, born: impl Fn(u32) -> u64) -> String {
    let sum =
        |of: &dyn Fn(u32) -> u64| (1..=scene.time.frames).fold(0u64, |sum, n| sum.saturating_add(of(n)));
    let exact = if scene.output.particles {
        BYTES_A_PARTICLE_OF_A_FILE
    } else {
        0
    };
    let exact = sum(&|n| born(n).saturating_mul(exact));
    let whole = sum(&|n| born(n).saturating_mul(BYTES_A_COMPONENT)).saturating_add(exact);
    if !scene.output.share {
        return format!("at most about {}", bytes(whole));
    }
    // Every component once, and the names of all pieces in every frame.
    let names = sum(&|n| born(n) / COMPONENTS_A_PIECE * BYTES_A_NAME);
    let once = born(scene.time.frames)
        .saturating_mul(BYTES_A_COMPONENT)
        .saturating_add(names);
    // A birth changes a piece at the most when it lands, and is written in each frame until then.
    let height = world.bounds.extent().y.max(0.0);
    let fall = (2.0 * height / world.gravity.max(Real::MIN_POSITIVE)).sqrt() * scene.time.frame_rate;
    let fall = fall.min(Real::from(scene.time.frames)) as u32;
    let changed = sum(&|n| {
        let landing = born(n).saturating_sub(born(n.saturating_sub(1)));
        let flying = born(n).saturating_sub(born(n.saturating_sub(fall)));
        landing
            .saturating_mul(COMPONENTS_A_PIECE)
            .saturating_add(flying)
            .min(born(n))
    });
    let most = changed
        .saturating_mul(BYTES_A_COMPONENT)
        .saturating_add(names)
        .saturating_add(once);
    format!(
        "about {} to {}",
        bytes(once.saturating_add(exact).min(whole)),
        bytes(most.saturating_add(exact).min(whole))
    )
}

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: good", self.scene.display())?;
        for mesh in &self.meshes {
            writeln!(f, "mesh       {mesh}")?;
        }
        writeln!(f, "{}", self.lines.join("\n"))
    }
}
