//! Bodies of a scene: moved once, before anything else is simulated, and from then on a motion like any other.
//!
//! They meet what stands still and each other, not particles, which weigh little beside them. So where they are is a function
//! of time, and no part of the state: particles that land on them ride along, are pushed and fall off as on all that moves.

use std::sync::Arc;

use super::at_field;
use super::motion::MOST_CORNERS;
use crate::bodies::contacts::Index;
use crate::bodies::elastic::{Elastic, Met, Obstacle};
use crate::bodies::fill::{Fill, MOST_CELLS, Unfilled};
use crate::bodies::lattice::{Lattice, Stuff};
use crate::bodies::motion::{Inertia, Motion as Pace};
use crate::bodies::points::{TIERS, Tiers, Touch};
use crate::bodies::skin::Skin;
use crate::bodies::solid::MeshSolid;
use crate::bodies::step::{Bodies, Body, Counts, Ground, Kind};
use crate::collide::mesh::StaticMesh;
use crate::collide::{Collider, Near, Sweep};
use crate::error::{Diagnostic, Error, Result};
use crate::math::{Point3, Quaternion, Real, Vec3};
use crate::mesh::Mesh;
use crate::motion::{FASTEST_TURN, Morph, Moved, Rigid, Track, Turn};
use crate::scene::{Collision, ElasticSpec, Motion, RigidSpec, Scene};
use crate::surface::Surface;

/// The longest step of rigid bodies [s].
const LONGEST: Real = 1.0 / 240.0;
/// Distance that corners of elastic bodies keep from the scenery [edges of a cube].
const SKIN: Real = 0.05;

/// What became of bodies, for the report.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fates {
    /// Rigid bodies.
    pub rigid: u64,
    /// Those that lie still at the end.
    pub asleep: u64,
    /// Elastic bodies.
    pub elastic: u64,
    /// Contacts of rigid bodies by the way in which their normals were found, a step each.
    pub tiers: Tiers,
    /// Times that energy did not allow full restitution.
    pub damped: u64,
    /// Times that a corner of an elastic body was slowed down because it outran sound.
    pub tamed: u64,
}

impl std::fmt::Display for Fates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} rigid ({} asleep at the end), {} elastic",
            self.rigid, self.asleep, self.elastic
        )?;
        if self.rigid > 1 {
            let named: Vec<String> = TIERS
                .iter()
                .map(|&(tier, name)| format!("{} by {name}", self.tiers[tier as usize]))
                .collect();
            write!(
                f,
                "; contacts {}; {} rebounds held back",
                named.join(", "),
                self.damped
            )?;
        }
        if self.tamed > 0 {
            write!(
                f,
                "; {} times a corner outran sound and was slowed down: make it stiffer, or let it fall from less high",
                self.tamed
            )?;
        }
        Ok(())
    }
}

/// The scenery that stands still, as bodies meet it.
struct Still {
    mesh: StaticMesh,
}

impl Ground for Still {
    fn is_clear(&self, place: &Point3, reach: Real) -> bool {
        self.mesh.deepest_overlap(place, reach).is_none()
    }

    fn near(&self, particle: u32, at: &Point3, reach: Real, touches: &mut Vec<Touch>) {
        let mut found: Vec<Near> = Vec::new();
        self.mesh.near(at, reach, &mut found);
        let touch = |n: Near| Touch {
            particle,
            at: *at,
            point: n.point,
            normal: n.normal,
        };
        touches.extend(found.into_iter().map(touch));
    }
}

/// The same for corners of an elastic body.
struct Bank<'a> {
    still: &'a Still,
    radius: Real,
    friction: Real,
}

impl Obstacle for Bank<'_> {
    fn meet(&self, from: &Point3, along: &Vec3) -> Option<Met> {
        let sweep = Sweep {
            from: *from,
            along: *along,
            radius: self.radius,
            span: [0.0, 1.0],
        };
        let hit = self.still.mesh.first_touch(&sweep)?;
        Some(Met {
            fraction: hit.fraction,
            place: from + along * hit.fraction,
            normal: hit.normal,
            friction: self.friction,
        })
    }
}

/// Moves all bodies of a scene through the whole run; `made` gets their motions.
pub(super) fn simulate(scene: &Scene, meshes: &[Mesh], made: &mut [Option<Moved>]) -> Result<Fates> {
    let still = still(scene, meshes);
    let stage = Stage {
        scene,
        meshes,
        still: &still,
    };
    let mut fates = Fates::default();
    stage.rigid(made, &mut fates)?;
    for (number, spec) in scene.meshes.iter().enumerate() {
        if let Some(Motion::Elastic(elastic)) = &spec.motion {
            let (moved, tamed) = stage.elastic(number, elastic)?;
            made[number] = Some(moved);
            fates.elastic += 1;
            fates.tamed += tamed;
        }
    }
    Ok(fates)
}

fn still(scene: &Scene, meshes: &[Mesh]) -> Still {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (mesh, _) in meshes.iter().zip(&scene.meshes).filter(|(_, spec)| !spec.moves()) {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(&mesh.vertices);
        triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| i + first)));
    }
    Still {
        mesh: StaticMesh::new(vertices, &triangles, Collision::Exact),
    }
}

struct Stage<'a> {
    scene: &'a Scene,
    meshes: &'a [Mesh],
    still: &'a Still,
}

impl Stage<'_> {
    fn steps(&self) -> u64 {
        u64::from(self.scene.time.frames) * u64::from(self.scene.time.steps_per_frame)
    }

    /// All rigid bodies, together.
    fn rigid(&self, made: &mut [Option<Moved>], fates: &mut Fates) -> Result<()> {
        let (mut numbers, mut kinds, mut bodies) = (Vec::new(), Vec::new(), Bodies::default());
        for (number, spec) in self.scene.meshes.iter().enumerate() {
            if let Some(Motion::Rigid(rigid)) = &spec.motion {
                let (kind, pace) = self.body(number, rigid)?;
                bodies.all.push(Body {
                    kind: kinds.len() as u32,
                    motion: pace,
                    quiet: 0.0,
                    asleep: false,
                });
                kinds.push(kind);
                numbers.push(number);
            }
        }
        let step = self.scene.time.step();
        let parts = (step / LONGEST).ceil().max(1.0);
        let mut counts = Counts::default();
        let start: Vec<Point3> = bodies.all.iter().map(|b| b.motion.center).collect();
        let mut keys: Vec<Vec<(Real, Point3, Turn)>> = vec![Vec::new(); numbers.len()];
        for k in 0..=self.steps() {
            for (keys, body) in keys.iter_mut().zip(&bodies.all) {
                let turn = Turn {
                    vector: body.motion.turn.vector().into_owned(),
                    scalar: body.motion.turn.scalar(),
                };
                keys.push((k as Real * step, body.motion.center, turn));
            }
            for _ in 0..if k < self.steps() { parts as u32 } else { 0 } {
                bodies.step(&kinds, self.still, self.scene.gravity, step / parts, &mut counts);
            }
        }
        for ((&number, keys), about) in numbers.iter().zip(keys).zip(start) {
            let track = Track::new(Rigid::Baked(keys), about, None, step, self.steps());
            made[number] = Some(Moved::Whole(Arc::new(
                track.map_err(|turn| self.too_fast(number, turn))?,
            )));
        }
        fates.rigid = numbers.len() as u64;
        fates.asleep = bodies.all.iter().filter(|b| b.asleep).count() as u64;
        fates.tiers = counts.tiers;
        fates.damped = counts.damped;
        Ok(())
    }

    fn body(&self, number: usize, spec: &RigidSpec) -> Result<(Kind, Pace)> {
        let fill = self.filled(number, "fill", |solid| Fill::new(solid, spec.fill, spec.density))?;
        let Some(inertia) = Inertia::new(fill.mass.mass, fill.mass.inertia) else {
            return Err(self.fault(
                number,
                ".fill",
                "expected a body that can turn about every axis, found none",
                "use a finer `fill`",
            ));
        };
        let spin = spec.spin_deg_per_s.map(Real::to_radians);
        let pace = Pace {
            center: fill.mass.center,
            turn: Quaternion::identity(),
            velocity: spec.velocity,
            angular: inertia.tensor * spin,
        };
        let kind = Kind {
            index: Index::new(&fill),
            fill,
            inertia,
            restitution: spec.restitution,
            friction: spec.friction,
        };
        Ok((kind, pace))
    }

    fn elastic(&self, number: usize, spec: &ElasticSpec) -> Result<(Moved, u64)> {
        let mesh = &self.meshes[number];
        let stuff = Stuff {
            young: spec.young,
            density: spec.density,
            damping: spec.damping,
        };
        let lattice = self.filled(number, "cell", |solid| Lattice::new(solid, spec.cell, stuff))?;
        let shapes = self.steps() as usize + 1;
        if mesh.vertices.len().saturating_mul(shapes) > MOST_CORNERS {
            let text = format!(
                "{shapes} shapes of {} vertices, and at most {MOST_CORNERS} vertices in all can be kept",
                mesh.vertices.len()
            );
            return Err(self.fault(number, "", &text, "use a coarser mesh, or fewer steps"));
        }
        let skin = Skin::new(&lattice, &mesh.vertices);
        let mut body = Elastic::new(&lattice).moving(spec.velocity);
        let bank = Bank {
            still: self.still,
            radius: SKIN * spec.cell,
            friction: spec.friction,
        };
        let step = self.scene.time.step();
        let mut all = vec![skin.places(&lattice, &body)];
        for _ in 1..shapes {
            body.advance(&lattice, &self.scene.gravity, step, &bank);
            all.push(skin.places(&lattice, &body));
        }
        let moments = (0..shapes).map(|k| k as Real * step).collect();
        let morph = Morph::new(moments, all, false);
        Ok((Moved::Corners(Arc::new(morph)), body.tamed))
    }

    /// Fills a mesh, or says why that is not possible.
    fn filled<T>(
        &self,
        number: usize,
        key: &str,
        fill: impl FnOnce(&MeshSolid) -> std::result::Result<T, Unfilled>,
    ) -> Result<T> {
        let mesh = &self.meshes[number];
        let file = self.scene.meshes[number].file.display();
        let surface = Surface::new(mesh);
        let Some(solid) = surface.as_ref().and_then(|s| MeshSolid::new(mesh, s)) else {
            let text = format!("expected a closed mesh, found edges without a neighbour in {file}");
            return Err(self.fault(
                number,
                "",
                &text,
                &format!("`partsim mesh {file}` tells where; only what has an inside can be filled"),
            ));
        };
        fill(&solid).map_err(|why| {
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
            self.fault(number, &format!(".{key}"), &text, help)
        })
    }

    fn too_fast(&self, number: usize, turn: Real) -> Error {
        let text = format!(
            "it turns by {:.0} degrees in one step, and at most {:.0} can be followed",
            turn.to_degrees(),
            FASTEST_TURN.to_degrees()
        );
        self.fault(
            number,
            "",
            &text,
            "raise `time: (steps_per_frame: ...)`, or let it turn more slowly",
        )
    }

    fn fault(&self, number: usize, key: &str, text: &str, help: &str) -> Error {
        let field = format!("meshes[{number}].motion{key}");
        let diagnostic = Diagnostic::new(format!("{field}: {text}")).help(help);
        Error::input(at_field(&self.scene.path, &field, diagnostic))
    }
}
