//! Grids of a scene's meshes: read from files, taken from the folder where earlier runs left them, or made.

use std::ops::Range;
use std::path::PathBuf;

use super::place::rotate;
use super::{at_field, emitter_bounds};
use crate::collide::grid::Field;
use crate::error::{Diagnostic, Error, Result};
use crate::grid::{self, Grid, Key, NotRigid, Pose, Sides, THIN};
use crate::math::{Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::scene::{Construction, GridShape, GridSpec, MeshCollider, MeshSpec, Scene, UpAxis};

/// Where grids come from, and who is told.
pub struct Workshop<'a> {
    /// Folder in which grids are kept for the next run; `None`: they are made every time.
    pub folder: Option<PathBuf>,
    /// Called with what comes next.
    pub tell: &'a dyn Fn(&str),
}

impl Workshop<'_> {
    /// Makes all and says nothing.
    pub const QUIET: Workshop<'static> = Workshop {
        folder: None,
        tell: &|_| (),
    };
}

/// The fields of all meshes that stand still, and of each mesh that moves, if it has one. `raw` are the meshes in their own
/// units, `placed` the same in the world.
pub(super) fn fields(
    scene: &Scene,
    raw: &[Option<Mesh>],
    placed: &[Mesh],
    workshop: &Workshop<'_>,
    remarks: &mut Vec<Diagnostic>,
) -> Result<(Vec<Field>, Vec<Option<Field>>)> {
    let (mut fields, mut moving) = (Vec::new(), Vec::new());
    moving.resize_with(scene.meshes.len(), || None);
    let mut first = 0;
    for (number, (spec, placed)) in scene.meshes.iter().zip(placed).enumerate() {
        let count = placed.triangles.len() as u32;
        let triangles = if spec.moves() {
            0..count
        } else {
            first..first + count
        };
        first += if spec.moves() { 0 } else { count };
        let MeshCollider::Grid(asked) = &spec.collider else {
            continue;
        };
        let work = Work {
            scene,
            field: format!("meshes[{number}].collider"),
            spec,
            asked,
            workshop,
        };
        let field = match (pose(spec), &raw[number]) {
            (Ok(pose), Some(raw)) => work.field(raw, pose, triangles, remarks)?,
            (Err(why), _) if asked.file.is_some() => return Err(work.not_rigid(&why)),
            _ => work.field(placed, Pose::IDENTITY, triangles, remarks)?,
        };
        work.check(&field, remarks)?;
        if spec.moves() {
            moving[number] = Some(field);
        } else {
            fields.push(field);
        }
    }
    Ok((fields, moving))
}

/// The way of a mesh from its own frame to the world.
fn pose(spec: &MeshSpec) -> std::result::Result<Pose, NotRigid> {
    let turn = spec.rotate_deg.map(Real::to_radians);
    let factor = spec.scale * spec.unit;
    let step = |v: Vec3| {
        let up = match spec.up {
            UpAxis::Y => v,
            UpAxis::Z => Vec3::new(v.x, v.z, -v.y),
        };
        rotate(&up.component_mul(&factor), &turn)
    };
    Pose::new(
        [step(Vec3::x()), step(Vec3::y()), step(Vec3::z())],
        Point3::from(spec.translate),
    )
}

struct Work<'a> {
    scene: &'a Scene,
    /// Path of the key.
    field: String,
    spec: &'a MeshSpec,
    asked: &'a GridSpec,
    workshop: &'a Workshop<'a>,
}

impl Work<'_> {
    fn field(
        &self,
        mesh: &Mesh,
        pose: Pose,
        triangles: Range<u32>,
        remarks: &mut Vec<Diagnostic>,
    ) -> Result<Field> {
        let corners: Vec<[Point3; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
        let grid = match &self.asked.file {
            Some(file) => {
                let grid = grid::load(file)?;
                if grid.key.mesh != Key::new(&corners, &grid.shape).mesh {
                    let text = format!("the grid in {} was made of another mesh", file.display());
                    let help = "make it again with `partsim grid build`, or leave `file` out";
                    return Err(self.error("file", text, help));
                }
                grid
            }
            None => {
                let shape = self.asked.shape.scaled(1.0 / pose.scale());
                self.kept_or_made(&corners, &shape, remarks)?
            }
        };
        Ok(Field::new(
            grid,
            pose,
            self.asked.lookup,
            self.asked.responses,
            triangles,
        ))
    }

    /// From the folder, if it is there and sound; else made, and kept there.
    fn kept_or_made(
        &self,
        corners: &[[Point3; 3]],
        shape: &GridShape,
        remarks: &mut Vec<Diagnostic>,
    ) -> Result<Grid> {
        let key = Key::new(corners, shape);
        let path = self.workshop.folder.as_ref().map(|f| f.join(key.file_name()));
        if let Some(path) = path.as_ref().filter(|p| p.exists()) {
            match grid::load(path) {
                Ok(grid) if grid.key == key => return Ok(grid),
                Ok(_) => {}
                Err(why) => remarks.push(Diagnostic::new(why.to_string()).help("it is made again now")),
            }
        }
        let made = grid::build(corners, shape, self.workshop.tell)
            .map_err(|fault| self.error("", fault.to_string(), fault.help()))?;
        if let (Some(path), Some(folder)) = (&path, &self.workshop.folder) {
            fs_err::create_dir_all(folder)?;
            grid::save(&made, path)?;
        }
        Ok(made)
    }

    /// Whether the field fits the particles, and what the user should know of it.
    fn check(&self, field: &Field, remarks: &mut Vec<Diagnostic>) -> Result<()> {
        let radius = (self.scene.materials.iter())
            .map(|m| m.radius.max())
            .fold(0.0, Real::max);
        let thickness = field.thickness();
        let least = field.threshold(radius, 0.0);
        if field.responses.impact.is_some() && least >= thickness {
            let text = format!(
                "the field is {thickness:.4} m thick, and particles of radius {radius} m turn back at {least:.4} m at the least"
            );
            return Err(self.error("", text, "raise `thickness`, or `cells`"));
        }
        for (key, length) in [
            ("drag.theta", field.responses.drag.and_then(|d| d.theta)),
            ("flow.distance", field.responses.flow.and_then(|f| f.distance)),
        ] {
            if let Some(length) = length.filter(|l| *l > thickness * (1.0 + 1e-9)) {
                let text = format!("{length} m is more than the field's thickness of {thickness:.4} m");
                return Err(self.error(key, text, "raise `thickness`"));
            }
        }
        self.speak_of_sides(field, remarks);
        self.speak_of_gaps(field, radius, remarks);
        let step = self.scene.time.step();
        let safe = field.safe_speed(radius, step);
        let speed = self.top_speed(field);
        if field.responses.impact.is_some() && speed > safe {
            let text = format!(
                "{}: particles may be as fast as {speed:.2} m/s, but the field turns them back in time only up to {safe:.2} m/s",
                self.name()
            );
            let help = "faster ones are turned back by the triangles; raise `thickness` or `time: (steps_per_frame: ...)` to \
                let the field do it";
            remarks.push(Diagnostic::new(text).help(help));
        }
        Ok(())
    }

    /// The largest speed of a particle that falls from its birth to the foot of the object [m/s].
    fn top_speed(&self, field: &Field) -> Real {
        let gravity = self.scene.gravity.norm();
        let at_foot = self.scene.emitters.iter().map(|e| {
            let height = (emitter_bounds(e).max.y - field.object().min.y).max(0.0);
            let birth = e.velocity.norm() * (1.0 + e.speed_variation);
            (birth * birth + 2.0 * gravity * height).sqrt()
        });
        at_foot.fold(0.0, Real::max)
    }

    fn name(&self) -> String {
        format!("grid of mesh \"{}\"", self.spec.name)
    }

    fn speak_of_sides(&self, field: &Field, remarks: &mut Vec<Diagnostic>) {
        let (report, name) = (&field.grid.report, self.name());
        if field.grid.sides == Sides::Both && !field.grid.shape.both_sides {
            let why = if report.open_edges > 0 {
                format!("the mesh is open at {} edges", report.open_edges)
            } else {
                "parts of the mesh cross or overlap".to_owned()
            };
            let text = format!("{name}: {why}, so it has no inside, and the field serves both sides");
            remarks.push(
                Diagnostic::new(text)
                    .help("close the mesh, without parts that cross, for a field that pushes out"),
            );
        }
        if report.inside_out {
            let text =
                format!("{name}: its faces point inward, so the field serves the space inside, as in a room");
            remarks.push(Diagnostic::new(text).help("turn the faces round in your modeller if it is a body"));
        }
    }

    fn speak_of_gaps(&self, field: &Field, radius: Real, remarks: &mut Vec<Diagnostic>) {
        let (report, name) = (&field.grid.report, self.name());
        let scale = field.pose.scale();
        let by_normals = field.grid.shape.construction == Construction::Normals;
        if by_normals && field.grid.sides == Sides::One && report.gaps.thin_cells > 0 {
            let text = format!(
                "{name}: walls are as thin as {:.4} m, less than {THIN} cells of {:.4} m; normals of their two faces mix ({} cells)",
                report.gaps.thinnest * scale,
                field.cell(),
                report.ambiguous_cells
            );
            remarks.push(Diagnostic::new(text).help("use `construction: Potential`, or more `cells`"));
        }
        // Turned back from both sides, nothing gets through a narrower gap.
        let closed = 2.0 * field.threshold(radius, 0.0);
        let closed = closed.max(2.0 * field.cell());
        let narrowest = report.gaps.narrowest.min(report.gaps.hole) * scale;
        if field.responses.impact.is_some() && narrowest < closed {
            let text = format!(
                "{name}: gaps and holes as narrow as {narrowest:.4} m are closed to particles of radius {radius} m, which need {closed:.4} m"
            );
            let help = "use more `cells`, or `collider: Exact` where particles should get through";
            remarks.push(Diagnostic::new(text).help(help));
        }
    }

    fn not_rigid(&self, why: &NotRigid) -> Error {
        let text = format!("the mesh's transformation cannot carry a grid: {why}");
        self.error(
            "file",
            text,
            "leave `file` out, so that the grid is made of the placed mesh",
        )
    }

    fn error(&self, key: &str, text: String, help: &str) -> Error {
        let field = if key.is_empty() {
            self.field.clone()
        } else {
            format!("{}.{key}", self.field)
        };
        let diagnostic = Diagnostic::new(format!("{field}: {text}")).help(help);
        Error::input(at_field(&self.scene.path, &field, diagnostic))
    }
}
