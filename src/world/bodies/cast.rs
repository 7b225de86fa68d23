//! Meshes made bodies: filled, cut into the pieces that may come apart, and told why where that is not possible.

use super::super::at_field;
use super::super::motion::MOST_CORNERS;
use crate::bodies::brittle::Brittle;
use crate::bodies::fill::{Fill, Grain, MOST_CELLS, Packing, Unfilled, cells};
use crate::bodies::lattice::{Lattice, Stuff};
use crate::bodies::shatter::shatter;
use crate::bodies::solid::MeshSolid;
use crate::bodies::step::Kind;
use crate::error::{Diagnostic, Error, Result};
use crate::math::{Point3, Real};
use crate::mesh::Mesh;
use crate::rng::{Purpose, stream};
use crate::scene::{self, Draw, ElasticSpec, Motion, RigidSpec, Scene};
use crate::surface::Surface;

/// A rigid body ready to move.
pub(in crate::world) struct Rigid {
    /// Number of its mesh in the scene.
    pub(super) number: usize,
    /// What it is made of.
    pub(super) kind: Kind,
    /// Piece of each vertex of its mesh, where it may break.
    pub(super) piece_of: Vec<u32>,
}

/// An elastic body at rest.
pub(in crate::world) struct Soft {
    /// Number of its mesh in the scene.
    pub(super) number: usize,
    /// What it is made of.
    pub(super) lattice: Lattice,
    /// Cubes that are shown as balls, if it is shown so: their places stand behind the mesh's own vertices.
    pub(super) balls: Vec<[u32; 8]>,
    /// Numbers of its mesh's vertices before these.
    pub(super) vertices: usize,
}

/// All bodies of a scene as they are at the start.
#[derive(Default)]
pub(in crate::world) struct Casts {
    pub(super) rigid: Vec<Rigid>,
    pub(super) soft: Vec<Soft>,
}

impl Casts {
    /// Fills the meshes that are bodies. A mesh that may break is cut into pieces, and one that is shown as balls gets their
    /// places as vertices that no triangle has, behind all others.
    pub(in crate::world) fn new(scene: &Scene, meshes: &mut [Mesh]) -> Result<Self> {
        let mut casts = Self::default();
        for (number, mesh) in meshes.iter_mut().enumerate() {
            let mold = Mold { scene, number };
            match &scene.meshes[number].motion {
                Some(Motion::Rigid(spec)) => {
                    let first = casts.rigid.len() as u32;
                    casts.rigid.push(mold.rigid(mesh, spec, first)?);
                }
                Some(Motion::Elastic(spec)) => casts.soft.push(mold.soft(mesh, spec)?),
                _ => {}
            }
        }
        Ok(casts)
    }

    /// Whether there are none.
    pub(in crate::world) fn is_empty(&self) -> bool {
        self.rigid.is_empty() && self.soft.is_empty()
    }
}

/// Where one mesh becomes a body.
struct Mold<'a> {
    scene: &'a Scene,
    number: usize,
}

impl Mold<'_> {
    fn rigid(&self, mesh: &mut Mesh, spec: &RigidSpec, body: u32) -> Result<Rigid> {
        let grain = Grain {
            packing: match spec.packing {
                scene::Packing::Cubic => Packing::Cubic,
                scene::Packing::Close => Packing::Close,
            },
            radius: spec.fill,
            density: spec.density,
        };
        let cells = self.filled(mesh, "fill", |solid| cells(solid, &grain))?;
        let fill =
            Fill::of_cells(&cells, &grain).ok_or_else(|| self.unfilled("fill", Unfilled::TooCoarse))?;
        let balls: Vec<Point3> = fill.surface().iter().map(|p| fill.mass.center + p).collect();
        let of_balls = fill.cells.clone();
        let Some(mut kind) = Kind::new(fill, spec.restitution, spec.friction) else {
            return Err(fault(
                self.scene,
                self.number,
                ".fill",
                "expected a body that can turn about every axis, found none",
                "use a finer `fill`",
            ));
        };
        let mut piece_of = Vec::new();
        if let Some(breaks) = spec.breaks {
            let mut draws = stream(self.scene.seed, Purpose::Break, self.number as u64, 0);
            let how = (breaks.pieces, breaks.impulse);
            let brittle = Brittle::new(body, cells, grain, how, &mut || draws.unit());
            let cut = shatter(mesh, brittle.seeds(), |seed, place| {
                brittle.piece_at(seed, place).unwrap_or(0)
            });
            *mesh = cut.mesh;
            piece_of = cut.piece_of;
            let mut loose: Vec<(u32, Point3)> = Vec::new();
            if spec.draw == Draw::Blob {
                loose = of_balls
                    .iter()
                    .map(|&cell| brittle.piece_of_cell(cell))
                    .zip(balls)
                    .collect();
                loose.sort_by_key(|(piece, _)| *piece);
                piece_of.extend(loose.iter().map(|(piece, _)| *piece));
            }
            mesh.vertices.extend(loose.iter().map(|(_, place)| *place));
            kind.brittle = Some(brittle);
        } else if spec.draw == Draw::Blob {
            drop_unused(mesh);
            mesh.vertices.extend(balls);
        }
        Ok(Rigid {
            number: self.number,
            kind,
            piece_of,
        })
    }

    fn soft(&self, mesh: &mut Mesh, spec: &ElasticSpec) -> Result<Soft> {
        let stuff = Stuff {
            young: spec.young,
            density: spec.density,
            damping: spec.damping,
            yields: spec.yields,
        };
        let lattice = self.filled(mesh, "cell", |solid| Lattice::new(solid, spec.cell, stuff))?;
        let mut balls = Vec::new();
        if spec.draw == Draw::Blob {
            drop_unused(mesh);
            let shown = |cube: &&[u32; 8]| cube.iter().any(|c| lattice.outer.binary_search(c).is_ok());
            balls = lattice.cubes.iter().filter(shown).copied().collect();
        }
        let vertices = mesh.vertices.len();
        mesh.vertices
            .extend(balls.iter().map(|cube| middle(cube, &lattice.rest)));
        let shapes = self.scene.time.steps() as usize + 1;
        check_room(self.scene, self.number, mesh, shapes)?;
        Ok(Soft {
            number: self.number,
            lattice,
            balls,
            vertices,
        })
    }

    /// Fills a mesh, or says why that is not possible.
    fn filled<T>(
        &self,
        mesh: &Mesh,
        key: &str,
        fill: impl FnOnce(&MeshSolid) -> std::result::Result<T, Unfilled>,
    ) -> Result<T> {
        let file = self.scene.meshes[self.number].file.display();
        let surface = Surface::new(mesh);
        let Some(solid) = surface.as_ref().and_then(|s| MeshSolid::new(mesh, s)) else {
            let text = format!("expected a closed mesh, found edges without a neighbour in {file}");
            let help = format!("`partsim mesh {file}` tells where; only what has an inside can be filled");
            return Err(fault(self.scene, self.number, "", &text, &help));
        };
        fill(&solid).map_err(|why| self.unfilled(key, why))
    }

    fn unfilled(&self, key: &str, why: Unfilled) -> Error {
        let (text, help) = match why {
            Unfilled::TooCoarse => (
                "nothing of it fits into the mesh".to_owned(),
                "make it smaller: a tenth of the mesh is a good start",
            ),
            Unfilled::TooFine => (
                format!("that makes more than {MOST_CELLS:e} particles"),
                "make it larger: a tenth of the mesh is a good start",
            ),
        };
        fault(self.scene, self.number, &format!(".{key}"), &text, help)
    }
}

/// Middle of a cube by its corners.
pub(super) fn middle(cube: &[u32; 8], at: &[Point3]) -> Point3 {
    Point3::from(
        cube.iter()
            .map(|&c| at[c as usize].coords)
            .sum::<crate::math::Vec3>()
            / 8.0,
    )
}

/// Drops vertices that no triangle has: those behind the last one in use are places of balls.
fn drop_unused(mesh: &mut Mesh) {
    let mut number = vec![None; mesh.vertices.len()];
    let mut kept = Vec::new();
    for corner in mesh.triangles.iter_mut().flatten() {
        let old = *corner as usize;
        *corner = *number[old].get_or_insert_with(|| {
            kept.push(mesh.vertices[old]);
            kept.len() as u32 - 1
        });
    }
    mesh.vertices = kept;
}

/// Whether so many shapes of a mesh can be kept.
pub(super) fn check_room(scene: &Scene, number: usize, mesh: &Mesh, shapes: usize) -> Result<()> {
    if mesh.vertices.len().saturating_mul(shapes) <= MOST_CORNERS {
        return Ok(());
    }
    let text = format!(
        "{shapes} shapes of {} vertices, and at most {MOST_CORNERS} vertices in all can be kept",
        mesh.vertices.len()
    );
    Err(fault(
        scene,
        number,
        "",
        &text,
        "use a coarser mesh, or fewer steps",
    ))
}

/// An error at a key of the motion of a mesh.
pub(super) fn fault(scene: &Scene, number: usize, key: &str, text: &str, help: &str) -> Error {
    let field = format!("meshes[{number}].motion{key}");
    let diagnostic = Diagnostic::new(format!("{field}: {text}")).help(help);
    Error::input(at_field(&scene.path, &field, diagnostic))
}

/// The largest edge of a step [s] at which bodies that touch elastic ones still feel them in time.
pub(super) fn longest_step(soft: &[Soft], most: Real, crowd: bool) -> Real {
    let windows = soft
        .iter()
        .map(|s| (WINDOW * s.lattice.step()).max(most / MOST_WINDOWS));
    if crowd {
        windows.fold(most, Real::min)
    } else {
        most
    }
}

/// Steps of an elastic body after which the others move on.
const WINDOW: Real = 16.0;
/// Into how many parts the longest step is cut for that at the most.
const MOST_WINDOWS: Real = 8.0;
