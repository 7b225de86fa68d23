//! All bodies moved through the whole run, step by step, and their ways kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Fates;
use super::cast::{Casts, fault, longest_step, middle};
use super::land::{Crowd, Jelly, Land, Owned, Owner};
use crate::bodies::elastic::Elastic;
use crate::bodies::motion::Motion as Pace;
use crate::bodies::skin::Skin;
use crate::bodies::step::{Bodies, Body, Counts, Kind};
use crate::collide::mesh::StaticMesh;
use crate::collide::moving::{Cloth, Mover, Movers};
use crate::error::{Error, Result};
use crate::math::{Aabb, Point3, Quaternion, Real, Vec3};
use crate::mesh::Mesh;
use crate::motion::{FASTEST_TURN, Morph, Moved, Piece, Rigid, Track, Turn};
use crate::scene::{Collision, ElasticSpec, Motion, RigidSpec, Scene};

/// The longest step of rigid bodies, and of elastic ones beside others [s].
const LONGEST: Real = 1.0 / 240.0;
/// Distance that corners of elastic bodies keep from what they meet [edges of a cube].
const SKIN: Real = 0.05;

/// A scene whose bodies move.
pub(in crate::world) struct Stage<'a> {
    scene: &'a Scene,
    meshes: &'a [Mesh],
    casts: &'a Casts,
    still: StaticMesh,
    keyed: &'a Movers,
}

/// Poses of a body or a piece at moments [s].
type Keys = Vec<(Real, Point3, Turn)>;

/// Everything that moves.
struct Play<'a> {
    bodies: Bodies,
    kinds: Vec<Kind>,
    soft: Vec<Jelly<'a>>,
    skins: Vec<Skin>,
    counts: Counts,
}

impl<'a> Stage<'a> {
    /// Of placed meshes, the bodies that some of them are, and what moves by keys.
    pub(in crate::world) fn new(
        scene: &'a Scene,
        meshes: &'a [Mesh],
        casts: &'a Casts,
        keyed: &'a Movers,
    ) -> Self {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (mesh, _) in meshes.iter().zip(&scene.meshes).filter(|(_, spec)| !spec.moves()) {
            let first = vertices.len() as u32;
            vertices.extend_from_slice(&mesh.vertices);
            triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| i + first)));
        }
        Self {
            scene,
            meshes,
            casts,
            still: StaticMesh::new(vertices, &triangles, Collision::Exact),
            keyed,
        }
    }

    /// Moves all bodies through the whole run; `made` gets their motions.
    pub(in crate::world) fn simulate(&self, made: &mut [Option<Moved>]) -> Result<Fates> {
        let steps = self.scene.time.steps();
        let mut play = self.play();
        let step = self.scene.time.step();
        let crowd = !self.casts.rigid.is_empty() || self.casts.soft.len() > 1;
        let parts = (step / longest_step(&self.casts.soft, LONGEST, crowd))
            .ceil()
            .max(1.0);
        let parts = if crowd { parts } else { 1.0 };
        let abouts: Vec<Vec<Point3>> = self.casts.rigid.iter().map(abouts).collect();
        let mut ways: Vec<Vec<Keys>> = abouts.iter().map(|a| vec![Keys::new(); a.len()]).collect();
        let mut shapes: Vec<Vec<Vec<Point3>>> = vec![Vec::new(); self.casts.soft.len()];
        for k in 0..=steps {
            let time = k as Real * step;
            keep_rigid(&play, time, &abouts, &mut ways);
            self.keep_soft(&play, &mut shapes);
            for part in 0..if k < steps { parts as u32 } else { 0 } {
                let at = |n: u32| time + step * (Real::from(n) / parts);
                self.advance(&mut play, [at(part), at(part + 1)]);
            }
        }
        self.hand_on(ways, shapes, made)?;
        let of_soft = play.soft.iter().map(|s| s.body.tamed);
        Ok(Fates {
            rigid: self.casts.rigid.len() as u64,
            parts: play.bodies.all.len() as u64,
            broken: play.counts.broken,
            asleep: play.bodies.all.iter().filter(|b| b.asleep).count() as u64,
            elastic: self.casts.soft.len() as u64,
            tiers: play.counts.tiers,
            damped: play.counts.damped,
            tamed: of_soft.sum(),
        })
    }

    fn rigid_spec(&self, number: usize) -> Option<&RigidSpec> {
        match &self.scene.meshes[number].motion {
            Some(Motion::Rigid(spec)) => Some(spec),
            _ => None,
        }
    }

    fn elastic_spec(&self, number: usize) -> Option<&ElasticSpec> {
        match &self.scene.meshes[number].motion {
            Some(Motion::Elastic(spec)) => Some(spec),
            _ => None,
        }
    }

    fn play(&self) -> Play<'a> {
        let mut bodies = Bodies::default();
        let mut kinds = Vec::new();
        for cast in &self.casts.rigid {
            let Some(spec) = self.rigid_spec(cast.number) else {
                continue;
            };
            let spin = spec.spin_deg_per_s.map(Real::to_radians);
            bodies.all.push(Body {
                kind: kinds.len() as u32,
                motion: Pace {
                    center: cast.kind.fill.mass.center,
                    turn: Quaternion::identity(),
                    velocity: spec.velocity,
                    angular: cast.kind.inertia.tensor * spin,
                },
                quiet: 0.0,
                asleep: false,
            });
            kinds.push(cast.kind.clone());
        }
        let casts = self.casts;
        let jelly = |cast: &'a super::cast::Soft| {
            let spec = self.elastic_spec(cast.number);
            Jelly {
                lattice: &cast.lattice,
                body: Elastic::new(&cast.lattice).moving(spec.map_or_else(Vec3::zeros, |s| s.velocity)),
                friction: spec.map_or(0.0, |s| s.friction),
            }
        };
        let skin = |cast: &super::cast::Soft| {
            Skin::new(&cast.lattice, &self.meshes[cast.number].vertices[..cast.vertices])
        };
        Play {
            bodies,
            kinds,
            soft: casts.soft.iter().map(jelly).collect(),
            skins: casts.soft.iter().map(skin).collect(),
            counts: Counts::default(),
        }
    }

    /// Notes where elastic bodies are.
    fn keep_soft(&self, play: &Play, shapes: &mut [Vec<Vec<Point3>>]) {
        for (number, all) in shapes.iter_mut().enumerate() {
            let (cast, body) = (&self.casts.soft[number], &play.soft[number].body);
            let mut shape = play.skins[number].places(&cast.lattice, body);
            shape.extend(cast.balls.iter().map(|cube| middle(cube, &body.at)));
            all.push(shape);
        }
    }

    /// Where the vertices of the mesh of a rigid body are, all of its parts together.
    fn vertices(&self, play: &Play, number: usize) -> Vec<Point3> {
        let cast = &self.casts.rigid[number];
        let places = &self.meshes[cast.number].vertices;
        let moved = |body: &Body, p: &Point3| {
            let center = play.kinds[body.kind as usize].fill.mass.center;
            body.motion.to_world(&(p - center))
        };
        if cast.kind.brittle.is_none() {
            return places
                .iter()
                .map(|p| moved(&play.bodies.all[number], p))
                .collect();
        }
        let body_of = body_of_pieces(play, number);
        let body = |piece: u32| &play.bodies.all[body_of.get(piece as usize).copied().unwrap_or(number)];
        places
            .iter()
            .zip(&cast.piece_of)
            .map(|(p, &piece)| moved(body(piece), p))
            .collect()
    }

    /// Triangles of the mesh of a rigid body by the bodies that its pieces belong to.
    fn parts(&self, play: &Play, number: usize) -> Vec<(u32, Vec<[u32; 3]>)> {
        let cast = &self.casts.rigid[number];
        let triangles = &self.meshes[cast.number].triangles;
        if cast.kind.brittle.is_none() {
            return vec![(number as u32, triangles.clone())];
        }
        let body_of = body_of_pieces(play, number);
        let mut parts: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        for triangle in triangles {
            let piece = cast.piece_of[triangle[0] as usize] as usize;
            let body = body_of.get(piece).copied().unwrap_or(number) as u32;
            parts.entry(body).or_default().push(*triangle);
        }
        parts.into_iter().collect()
    }

    fn advance(&self, play: &mut Play<'a>, span: [Real; 2]) {
        let land = Land {
            still: &self.still,
            keyed: self.keyed,
            span,
        };
        let gravity = self.scene.gravity;
        let shapes = |play: &Play| -> Vec<Vec<Point3>> {
            if play.soft.is_empty() {
                return Vec::new();
            }
            (0..self.casts.rigid.len())
                .map(|n| self.vertices(play, n))
                .collect()
        };
        let before = shapes(play);
        let time = span[1] - span[0];
        play.bodies
            .step(&mut play.kinds, &land, gravity, time, &mut play.counts);
        let after = shapes(play);
        let rigid: Vec<[Vec<Point3>; 2]> = before.into_iter().zip(after).map(|(a, b)| [a, b]).collect();
        // Where elastic bodies are expected to go; those that have been moved say where they went.
        let mut soft: Vec<[Vec<Point3>; 2]> = (play.soft.iter())
            .map(|s| {
                let ahead = s.body.at.iter().zip(&s.body.velocity).map(|(p, v)| p + v * time);
                [s.body.at.clone(), ahead.collect()]
            })
            .collect();
        for number in 0..play.soft.len() {
            let lattice = play.soft[number].lattice;
            let (others, owners) = self.surfaces(play, number, &rigid, &soft, span);
            let mut body = std::mem::take(&mut play.soft[number].body);
            let mut crowd = Crowd {
                land,
                others,
                owners,
                friction: play.soft[number].friction,
                rigid: &mut play.bodies.all,
                kinds: &play.kinds,
                soft: &mut play.soft,
                radius: SKIN * lattice.edge,
            };
            body.advance(lattice, &gravity, span, &mut crowd);
            soft[number][1].clone_from(&body.at);
            play.soft[number].body = body;
        }
    }

    /// Surfaces of all bodies but one elastic one that come near it, and whose they are.
    fn surfaces(
        &self,
        play: &Play,
        own: usize,
        rigid: &[[Vec<Point3>; 2]],
        soft: &[[Vec<Point3>; 2]],
        span: [Real; 2],
    ) -> (Movers, Vec<Owned>) {
        let margin = play.soft[own].lattice.edge;
        let region = Aabb::around(soft[own].iter().flatten()).inflated(margin);
        let is_near = |shapes: &[Vec<Point3>; 2]| {
            let other = Aabb::around(shapes.iter().flatten());
            (0..3).all(|k| other.min[k] <= region.max[k] && region.min[k] <= other.max[k])
        };
        let mut owners: Vec<Owned> = Vec::new();
        let mut morphs = Vec::new();
        for (number, shapes) in rigid.iter().enumerate().filter(|(_, shapes)| is_near(shapes)) {
            let morph = Arc::new(Morph::new(span.to_vec(), shapes.to_vec(), false));
            for (body, triangles) in self.parts(play, number) {
                morphs.push(Arc::clone(&morph));
                owners.push((Owner::Rigid(body), triangles));
            }
        }
        for (number, shapes) in soft.iter().enumerate().filter(|(number, _)| *number != own) {
            if is_near(shapes) {
                morphs.push(Arc::new(Morph::new(span.to_vec(), shapes.to_vec(), false)));
                owners.push((
                    Owner::Soft(number as u32),
                    play.soft[number].lattice.surface.clone(),
                ));
            }
        }
        let mut first = 0;
        let cloth = |(morph, (_, triangles)): (Arc<Morph>, &Owned)| {
            let cloth = Cloth::new(morph, triangles.clone(), first);
            first += triangles.len() as u32;
            Mover::Cloth(cloth)
        };
        let movers = morphs.into_iter().zip(&owners).map(cloth).collect();
        (Movers::new(movers), owners)
    }

    /// The ways as motions of the meshes.
    fn hand_on(
        &self,
        ways: Vec<Vec<Keys>>,
        shapes: Vec<Vec<Vec<Point3>>>,
        made: &mut [Option<Moved>],
    ) -> Result<()> {
        let (step, steps) = (self.scene.time.step(), self.scene.time.steps());
        let morph = |shapes: Vec<Vec<Point3>>| {
            let moments = (0..shapes.len()).map(|k| k as Real * step).collect();
            Moved::Corners(Arc::new(Morph::new(moments, shapes, false)))
        };
        for (cast, way) in self.casts.rigid.iter().zip(ways) {
            let mut tracks = Vec::new();
            for (keys, about) in way.into_iter().zip(abouts(cast)) {
                let track = Track::new(Rigid::Baked(keys), about, None, step, steps);
                tracks.push(Arc::new(track.map_err(|turn| self.too_fast(cast.number, turn))?));
            }
            made[cast.number] = match &cast.kind.brittle {
                None => tracks.pop().map(Moved::Whole),
                Some(_) => Some(Moved::Pieces(self.pieces(cast, tracks))),
            };
        }
        for (cast, shapes) in self.casts.soft.iter().zip(shapes) {
            made[cast.number] = Some(morph(shapes));
        }
        Ok(())
    }

    /// Pieces of a mesh, which stand one after the other in it, with their ways.
    fn pieces(&self, cast: &super::cast::Rigid, tracks: Vec<Arc<Track>>) -> Vec<Piece> {
        let mesh = &self.meshes[cast.number];
        let used = mesh
            .triangles
            .iter()
            .flatten()
            .max()
            .map_or(0, |last| *last as usize + 1);
        let of_triangle = |t: &[u32; 3]| cast.piece_of[t[0] as usize];
        let piece = |(number, track): (u32, Arc<Track>)| {
            let first = |p: u32| mesh.triangles.partition_point(|t| of_triangle(t) < p);
            let loose = |p: u32| used + cast.piece_of[used..].partition_point(|&own| own < p);
            Piece {
                track,
                triangles: first(number)..first(number + 1),
                loose: loose(number)..loose(number + 1),
            }
        };
        (0..).zip(tracks).map(piece).collect()
    }

    fn too_fast(&self, number: usize, turn: Real) -> Error {
        let text = format!(
            "it turns by {:.0} degrees in one step, and at most {:.0} can be followed",
            turn.to_degrees(),
            FASTEST_TURN.to_degrees()
        );
        let help = "raise `time: (steps_per_frame: ...)`, or let it turn more slowly";
        fault(self.scene, number, "", &text, help)
    }
}

/// Body of each piece of what was one rigid body at first.
fn body_of_pieces(play: &Play, number: usize) -> Vec<usize> {
    let mut body_of: Vec<usize> = Vec::new();
    for (b, body) in play.bodies.all.iter().enumerate() {
        let brittle = play.kinds[body.kind as usize].brittle.as_ref();
        let own = brittle.filter(|brittle| brittle.body == number as u32);
        for piece in own.map_or(&[][..], |brittle| brittle.pieces()) {
            let piece = *piece as usize;
            body_of.resize(body_of.len().max(piece + 1), number);
            body_of[piece] = b;
        }
    }
    body_of
}

/// What a rigid body is followed by: its centre, or the middles of its pieces, where it was at first.
fn abouts(cast: &super::cast::Rigid) -> Vec<Point3> {
    match &cast.kind.brittle {
        None => vec![cast.kind.fill.mass.center],
        Some(brittle) => brittle.middles(),
    }
}

/// Notes where rigid bodies and their pieces are.
fn keep_rigid(play: &Play, time: Real, abouts: &[Vec<Point3>], ways: &mut [Vec<Keys>]) {
    for (number, (pieces, abouts)) in ways.iter_mut().zip(abouts).enumerate() {
        let body_of = body_of_pieces(play, number);
        for (piece, (keys, about)) in pieces.iter_mut().zip(abouts).enumerate() {
            let body = &play.bodies.all[body_of.get(piece).copied().unwrap_or(number)];
            let center = play.kinds[body.kind as usize].fill.mass.center;
            let turn = Turn {
                vector: body.motion.turn.vector().into_owned(),
                scalar: body.motion.turn.scalar(),
            };
            keys.push((time, body.motion.to_world(&(about - center)), turn));
        }
    }
}
