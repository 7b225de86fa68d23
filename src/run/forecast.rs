//! What a run would do: meshes, sizes, thresholds, particles, memory and disk, without simulating.

use std::fmt;
use std::path::PathBuf;

use super::report::bytes;
use crate::contact::resting::least_rebound;
use crate::error::Diagnostic;
use crate::inspect::Inspection;
use crate::math::Real;
use crate::scene::Scene;
use crate::world::World;

/// Bytes of one component in a frame file, on average.
const BYTES_A_COMPONENT: u64 = 48;
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
        let lines = vec![
            sizes(scene, world, &mut remarks),
            thresholds(scene, world),
            amounts(scene, world),
        ];
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
    let disk = (1..=scene.time.frames).fold(0u64, |sum, n| {
        sum.saturating_add(at(n).saturating_mul(BYTES_A_COMPONENT))
    });
    let memory = total
        .saturating_mul(BYTES_A_PARTICLE)
        .saturating_add(world.triangles() as u64 * BYTES_A_TRIANGLE);
    format!(
        "run        {} frames of {} steps of {:.4} s, up to {total} particles; at most about {} on disk and {} of memory",
        scene.time.frames,
        scene.time.steps_per_frame,
        world.step,
        bytes(disk),
        bytes(memory)
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
