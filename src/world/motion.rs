//! Motions of a scene made ready: tracks of what moves as a whole, shapes of what does not, and the colliders of both.

use std::path::Path;
use std::sync::Arc;

use super::at_field;
use super::bodies::{Casts, Fates, Stage};
use super::follow::drive;
use super::place::place;
use crate::collide::grid::{Field, Guarded};
use crate::collide::moving::{Body, Cloth, Mover, Movers};
use crate::error::{Diagnostic, Error, Result};
use crate::keyed::Keyed;
use crate::math::{Point3, Real, Vec3};
use crate::mesh::{Mesh, load_mesh};
use crate::motion::{FASTEST_TURN, Morph, Moved, Pose, Rigid, Track, Turn};
use crate::scene::{Motion, Scene};

/// The largest turn between two shapes of a mesh that turns and grows at once [radians].
const SHAPE_TURN: Real = 0.02;
/// Corners of all shapes of one mesh at the most: about 2.4 GB.
pub(super) const MOST_CORNERS: usize = 100_000_000;

/// Motions of the meshes of a scene; `None` for those that stand still.
pub(super) struct Motions<'a> {
    scene: &'a Scene,
    made: Vec<Option<Moved>>,
    /// What became of bodies, if there are some.
    pub(super) bodies: Option<Fates>,
}

impl<'a> Motions<'a> {
    /// Of meshes that are placed, and the bodies that some of them are.
    pub(super) fn new(scene: &'a Scene, meshes: &[Mesh], casts: &Casts, tell: &dyn Fn(&str)) -> Result<Self> {
        let mut motions = Self {
            scene,
            made: vec![None; scene.meshes.len()],
            bodies: None,
        };
        // What rides on a body moves after it, and does nothing to it.
        for number in (0..scene.meshes.len()).filter(|&n| !rides_on_body(scene, n)) {
            motions.make(number, meshes)?;
        }
        if !casts.is_empty() {
            tell("moving bodies");
            let keyed = motions.movers(meshes, 0, Vec::new());
            let stage = Stage::new(scene, meshes, casts, &keyed);
            motions.bodies = Some(stage.simulate(&mut motions.made)?);
        }
        for number in 0..scene.meshes.len() {
            motions.make(number, meshes)?;
        }
        Ok(motions)
    }

    /// What each mesh does.
    pub(super) fn into_moved(self) -> Vec<Option<Moved>> {
        self.made
    }

    fn steps(&self) -> u64 {
        u64::from(self.scene.time.frames) * u64::from(self.scene.time.steps_per_frame)
    }

    /// Makes the motion of a mesh, and before it that of whom it rides on.
    fn make(&mut self, number: usize, meshes: &[Mesh]) -> Result<()> {
        let (spec, mesh) = (&self.scene.meshes[number], &meshes[number]);
        if self.made[number].is_some() || !spec.moves() {
            return Ok(());
        }
        let moved = match &spec.motion {
            Some(Motion::Sequence {
                files,
                frame_rate,
                start,
                repeat,
            }) => self.sequence(number, mesh, files, (*start, 1.0 / frame_rate, *repeat))?,
            Some(Motion::Keys {
                translate,
                rotate_deg,
                scale,
                about,
            }) if scale.constant() != Some(1.0) => {
                let about = about.unwrap_or_else(|| Point3::from(spec.translate));
                self.growing(number, mesh, (translate, rotate_deg, scale), about)?
            }
            _ => self.track(number, meshes)?,
        };
        self.made[number] = Some(moved);
        Ok(())
    }

    fn track(&mut self, number: usize, meshes: &[Mesh]) -> Result<Moved> {
        let spec = &self.scene.meshes[number];
        let mut carrier = None;
        if let Some(under) = spec.carried_by {
            self.make(under, meshes)?;
            if let Some(Moved::Whole(track)) = &self.made[under] {
                carrier = Some(Arc::clone(track));
            }
        }
        let (rigid, about) = self.rigid(number, meshes)?;
        let track = Track::new(rigid, about, carrier, self.scene.time.step(), self.steps())
            .map_err(|turn| self.too_fast(number, turn))?;
        Ok(Moved::Whole(Arc::new(track)))
    }

    /// How a mesh moves by itself as a whole, and what it turns about.
    fn rigid(&self, number: usize, meshes: &[Mesh]) -> Result<(Rigid, Point3)> {
        let spec = &self.scene.meshes[number];
        let own = |about: &Option<Point3>| about.unwrap_or_else(|| Point3::from(spec.translate));
        Ok(match &spec.motion {
            Some(Motion::Keys {
                translate,
                rotate_deg,
                about,
                ..
            }) => {
                let rigid = Rigid::Keys {
                    translate: translate.clone(),
                    rotate_deg: rotate_deg.clone(),
                };
                (rigid, own(about))
            }
            Some(Motion::Spin {
                axis,
                deg_per_s,
                about,
            }) => {
                let rigid = Rigid::Spin {
                    axis: *axis,
                    deg_per_s: deg_per_s.clone(),
                };
                (rigid, own(about))
            }
            Some(Motion::Follow(follow)) => {
                let steps = (self.scene.time.step(), self.steps());
                let keys = drive(follow, own(&None), &meshes[number], meshes, steps)
                    .map_err(|why| self.fault(number, "", &why.text, why.help))?;
                (Rigid::Baked(keys), own(&None))
            }
            _ => (Rigid::Still, own(&None)),
        })
    }

    /// Shapes from files, each placed like the first.
    fn sequence(
        &self,
        number: usize,
        mesh: &Mesh,
        files: &[std::path::PathBuf],
        (start, pause, repeat): (Real, Real, bool),
    ) -> Result<Moved> {
        let spec = &self.scene.meshes[number];
        self.check_room(number, mesh.vertices.len(), files.len())?;
        let mut shapes = Vec::with_capacity(files.len() + 1);
        for file in files {
            let mut shape = load_mesh(file)?;
            place(&mut shape, spec);
            self.check_topology(number, mesh, &shape, file)?;
            shapes.push(shape.vertices);
        }
        if repeat && let Some(first) = shapes.first().cloned() {
            shapes.push(first);
        }
        let moments = (0..shapes.len()).map(|i| start + i as Real * pause).collect();
        Ok(Moved::Corners(Arc::new(Morph::new(moments, shapes, repeat))))
    }

    fn check_topology(&self, number: usize, mesh: &Mesh, shape: &Mesh, file: &Path) -> Result<()> {
        let count = |m: &Mesh| {
            format!(
                "{} vertices and {} triangles",
                m.vertices.len(),
                m.triangles.len()
            )
        };
        let text =
            if mesh.vertices.len() != shape.vertices.len() || mesh.triangles.len() != shape.triangles.len() {
                format!(
                    "{} has {}, but {} has {}",
                    file.display(),
                    count(shape),
                    self.scene.meshes[number].file.display(),
                    count(mesh)
                )
            } else if let Some(t) = (mesh.triangles.iter().zip(&shape.triangles)).position(|(a, b)| a != b) {
                format!(
                    "triangle {} of {} joins vertices {:?}, but in {} {:?}, counted from 0",
                    t + 1,
                    file.display(),
                    shape.triangles[t],
                    self.scene.meshes[number].file.display(),
                    mesh.triangles[t]
                )
            } else {
                return Ok(());
            };
        let help = "export all files of a sequence from one model, without changes to its faces between them";
        Err(self.fault(
            number,
            ".files",
            &format!("the files of a sequence have the same faces: {text}"),
            help,
        ))
    }

    /// Shapes of a mesh that grows while it may turn and move.
    fn growing(
        &self,
        number: usize,
        mesh: &Mesh,
        (translate, rotate_deg, scale): (&Keyed<Vec3>, &Keyed<Vec3>, &Keyed<Real>),
        about: Point3,
    ) -> Result<Moved> {
        let turns = Rigid::Keys {
            translate: translate.clone(),
            rotate_deg: rotate_deg.clone(),
        };
        let step = self.scene.time.step();
        let per_step = ((turns.fastest_turn() * step / SHAPE_TURN).ceil()).max(1.0);
        let count = (self.steps() as Real * per_step).min(MOST_CORNERS as Real) as usize + 1;
        self.check_room(number, mesh.vertices.len(), count)?;
        let moments: Vec<Real> = (0..=count).map(|k| k as Real * step / per_step).collect();
        let shape = |&time: &Real| {
            let pose = Pose::new(
                about,
                about + translate.at(time),
                &Turn::of_angles(&rotate_deg.at(time)),
            );
            let grown = |p: &Point3| about + (p - about) * scale.at(time);
            mesh.vertices.iter().map(|p| pose.to_world(&grown(p))).collect()
        };
        let shapes = moments.iter().map(shape).collect();
        Ok(Moved::Corners(Arc::new(Morph::new(moments, shapes, false))))
    }

    fn check_room(&self, number: usize, corners: usize, shapes: usize) -> Result<()> {
        if corners.saturating_mul(shapes) <= MOST_CORNERS {
            return Ok(());
        }
        let text = format!(
            "{shapes} shapes of {corners} vertices, and at most {MOST_CORNERS} vertices in all can be kept"
        );
        Err(self.fault(number, "", &text, "use a coarser mesh, or fewer shapes"))
    }

    fn too_fast(&self, number: usize, turn: Real) -> Error {
        let text = format!(
            "it turns by {:.0} degrees in one step, and at most {:.0} can be followed",
            turn.to_degrees(),
            FASTEST_TURN.to_degrees()
        );
        let help = "raise `time: (steps_per_frame: ...)`, or let it turn more slowly";
        self.fault(number, "", &text, help)
    }

    fn fault(&self, number: usize, key: &str, text: &str, help: &str) -> Error {
        let field = format!("meshes[{number}].motion{key}");
        let diagnostic = Diagnostic::new(format!("{field}: {text}")).help(help);
        Error::input(at_field(&self.scene.path, &field, diagnostic))
    }

    /// The colliders of all that moves; the first triangle has this number. `fields`: of each mesh, if it has one.
    pub(super) fn movers(&self, meshes: &[Mesh], mut first: u32, mut fields: Vec<Option<Field>>) -> Movers {
        let mut all = Vec::new();
        for (number, (moved, mesh)) in self.made.iter().zip(meshes).enumerate() {
            let own = fields.get_mut(number).and_then(Option::take);
            match moved {
                None => continue,
                Some(Moved::Whole(track)) => all.push(Mover::Body(self.body(track, mesh, first, own))),
                Some(Moved::Pieces(pieces)) => {
                    for piece in pieces {
                        let part = mesh.part(piece.triangles.clone());
                        let start = first + piece.triangles.start as u32;
                        all.push(Mover::Body(self.body(&piece.track, &part, start, None)));
                    }
                }
                Some(Moved::Corners(morph)) => {
                    all.push(Mover::Cloth(Cloth::new(
                        Arc::clone(morph),
                        mesh.triangles.clone(),
                        first,
                    )));
                }
            }
            first += mesh.triangles.len() as u32;
        }
        Movers::new(all)
    }

    fn body(&self, track: &Arc<Track>, mesh: &Mesh, first: u32, field: Option<Field>) -> Body {
        let solid = Guarded::new(
            mesh.vertices.clone(),
            &mesh.triangles,
            self.scene.collision,
            field.into_iter().collect(),
        )
        .with_rays_behind(self.scene.ray_behind);
        let triangles = first..first + mesh.triangles.len() as u32;
        let step = self.scene.time.step();
        Body::new(
            Arc::clone(track),
            solid,
            triangles,
            mesh.bounds(),
            step,
            self.steps(),
        )
    }
}

/// Whether a mesh is a body, or is carried by one.
fn rides_on_body(scene: &Scene, number: usize) -> bool {
    let mut at = Some(number);
    let mut steps = scene.meshes.len();
    while let Some(n) = at.filter(|_| steps > 0) {
        if scene.meshes[n].motion.as_ref().is_some_and(Motion::is_body) {
            return true;
        }
        (at, steps) = (scene.meshes[n].carried_by, steps - 1);
    }
    false
}

/// Numbers of the scene's meshes in the order in which their triangles are numbered: first what stands still.
pub(super) fn numbering(scene: &Scene) -> Vec<usize> {
    let still = |m: &usize| !scene.meshes[*m].moves();
    let (still, moving): (Vec<usize>, Vec<usize>) = (0..scene.meshes.len()).partition(still);
    still.into_iter().chain(moving).collect()
}
