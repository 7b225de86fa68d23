//! From the file's keys to plain scene data: every default is here, every unit becomes SI.
//!
//! It cannot fail: what could be wrong is refused by the types before, or by `check.rs` around it.

mod colliders;
mod emitters;
mod forces;
mod lives;
mod motion;

use std::path::{Path, PathBuf};

use super::schema::*;
use super::values::Named;
use super::*;
use crate::keyed::Keyed;
use crate::material::{Contact, Look, Material, Preset, Stick, Substance};
use crate::units::{Finite, Triple, Unit};
pub use emitters::emitter;
pub use forces::{force, number, profile, region, vector};
pub use lives::life;
pub use motion::motion;

/// Frames a second when the scene does not say [1/s].
const FRAME_RATE: Real = 24.0;
/// Horizontal field of view of a camera that does not say [degrees].
const ANGLE_DEG: Real = 50.0;
/// Free fall on Earth [m/s2].
const GRAVITY: Real = 9.81;
/// Picture size that the automatic camera is framed for [pixels].
const PICTURE: (u32, u32) = (800, 600);
/// Touches of one particle in one step. Bounces in a corner need few; more means that it rattles in a gap.
const CONTACTS_PER_STEP: u32 = 32;
/// How far behind a particle rays begin [radii]: farther than one step of a slow surface, nearer than most walls are thick.
pub const RAY_BEHIND: Real = 3.0;
/// Births of a run: about 1 GB of state.
const PARTICLES: u64 = 10_000_000;

fn point<U: Unit>(t: Triple<Finite, U>) -> Point3 {
    Point3::from(t.get())
}

/// Names of meshes in `motion` and `carried_by` are resolved afterwards, when all are known.
pub fn mesh(file: MeshFile, folder: &Path) -> MeshSpec {
    let path = PathBuf::from(&file.file);
    let collider = colliders::collider(file.collider, folder);
    MeshSpec {
        name: file.name.unwrap_or_else(|| stem(&path)),
        file: folder.join(path),
        unit: file.unit.map_or(1.0, |u| u.0.get()),
        up: match file.up {
            None | Some(UpFile::Y) => UpAxis::Y,
            Some(UpFile::Z) => UpAxis::Z,
        },
        scale: file.scale.map_or(Vec3::repeat(1.0), |s| s.0.vec()),
        rotate_deg: file.rotate_deg.map_or(Vec3::zeros(), |t| t.vec()),
        translate: file.translate.map_or(Vec3::zeros(), |t| t.vec()),
        response: file
            .response
            .map_or_else(|| colliders::answer(&collider), response),
        groups: groups(file.groups),
        motion: file.motion.map(|m| motion(m, folder)),
        carried_by: None,
        collider,
    }
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}

fn groups(named: Option<Named<ResponseFile>>) -> Vec<(String, Response)> {
    named.map_or_else(Vec::new, |n| {
        n.0.into_iter().map(|(name, r)| (name, response(r))).collect()
    })
}

fn response(file: ResponseFile) -> Response {
    match file {
        ResponseFile::Material => Response::Material,
        ResponseFile::Stick => Response::Stick,
        ResponseFile::Slide { friction } => Response::Slide {
            friction: friction.get(),
        },
        ResponseFile::Bounce {
            restitution,
            friction,
        } => Response::Bounce {
            restitution: restitution.get(),
            friction: friction.get(),
        },
        ResponseFile::Die => Response::Die,
    }
}

pub fn material(name: String, preset: Preset, keys: MaterialKeys) -> Material {
    Material {
        name,
        radius: keys.radius.law,
        contact: Contact {
            restitution: keys.restitution.map_or(preset.contact.restitution, |q| q.get()),
            friction: keys.friction.map_or(preset.contact.friction, |q| q.get()),
            stick: keys.stick.map_or(preset.contact.stick, stick),
        },
        substance: substance(&keys, preset.substance),
        look: keys.look.map_or(preset.look, |l| look(l, preset.look)),
    }
}

fn substance(keys: &MaterialKeys, preset: Substance) -> Substance {
    Substance {
        density: keys.density.map_or(preset.density, |q| q.get()),
        adhesion: keys.adhesion.map_or(preset.adhesion, |q| q.get()),
        yield_stress: keys.yield_stress.map_or(preset.yield_stress, |q| q.get()),
        viscosity: keys.viscosity.map_or(preset.viscosity, |q| q.get()),
        trouton_ratio: keys.trouton_ratio.map_or(preset.trouton_ratio, |q| q.get()),
        repose_deg: keys.repose_deg.map_or(preset.repose_deg, |q| q.get()),
        cohesion: keys.cohesion.map_or(preset.cohesion, |q| q.get()),
        drift_speed: keys.drift_speed.map_or(preset.drift_speed, |q| q.get()),
        splash_speed: keys.splash_speed.map_or(preset.splash_speed, |q| q.get()),
        splash_count: keys.splash_count.map_or(preset.splash_count, |n| n.get_u32()),
        film: keys.film.map_or(preset.film, |q| q.get()),
    }
}

fn stick(file: StickFile) -> Stick {
    match file {
        StickFile::Always => Stick::Always,
        StickFile::Below(speed) => Stick::Below(speed.get()),
        StickFile::Never => Stick::Never,
    }
}

fn look(file: LookFile, preset: Look) -> Look {
    Look {
        family: preset.family,
        threshold: file.threshold.map_or(preset.threshold, |q| q.get()),
        spread: file.spread.map_or(preset.spread, |q| q.get()),
        thinning: file.thinning.map_or(preset.thinning, |q| q.get()),
        sink: file.sink.map_or(preset.sink, |q| q.get()),
        sink_alone: file.sink_alone.map_or(preset.sink_alone, |q| q.get()),
        transmit: file.transmit.map_or(preset.transmit, |q| q.get()),
        color: file.color.map(|c| c.get()).or(preset.color),
    }
}

/// Gravity at the start, by which terminal speeds, heaps and rest are reckoned.
pub fn gravity(file: &SceneFile) -> Vec3 {
    gravity_over_time(file).at(0.0)
}

/// What gravity becomes beyond what it is at the start, as a force; `None` when it stays.
pub fn change_of_gravity(file: &SceneFile) -> Option<ForceSpec> {
    let gravity = gravity_over_time(file);
    let start = gravity.at(0.0);
    let acceleration = gravity.map(|g| g - start);
    (acceleration.constant().is_none()).then(|| ForceKind::Acceleration { acceleration }.into())
}

fn gravity_over_time(file: &SceneFile) -> Keyed<Vec3> {
    file.gravity
        .clone()
        .map_or_else(|| Vec3::new(0.0, -GRAVITY, 0.0).into(), vector)
}

pub fn time(file: TimeFile) -> Time {
    Time {
        frames: file.frames.get_u32(),
        frame_rate: file.frame_rate.map_or(FRAME_RATE, |q| q.get()),
        steps_per_frame: file.steps_per_frame.map_or(1, |c| c.get_u32()),
    }
}

pub fn collision(file: Option<CollisionFile>) -> Collision {
    match file {
        None | Some(CollisionFile::Exact) => Collision::Exact,
        Some(CollisionFile::Karabassi) => Collision::Karabassi,
        Some(CollisionFile::Ray) => Collision::Ray,
    }
}

pub fn limits(file: Option<LimitsFile>) -> Limits {
    let file = file.unwrap_or(LimitsFile {
        contacts_per_step: None,
        kill_box: None,
        particles: None,
        audit: None,
    });
    Limits {
        contacts_per_step: file.contacts_per_step.map_or(CONTACTS_PER_STEP, |c| c.get_u32()),
        kill_box: file.kill_box.map(|(min, max)| Aabb {
            min: point(min),
            max: point(max),
        }),
        particles: file.particles.map_or(PARTICLES, |c| c.get()),
        audit: file.audit.unwrap_or(true),
    }
}

pub fn camera(file: CameraFile) -> Camera {
    Camera {
        eye: point(file.eye),
        target: point(file.target),
        angle_deg: file.angle_deg.map_or(ANGLE_DEG, |q| q.get()),
    }
}

pub fn light(file: Option<LightFile>) -> Light {
    let file = file.unwrap_or_default();
    Light {
        sun_azimuth_deg: file.sun_azimuth_deg.map(|q| q.get()),
        sun_elevation_deg: file.sun_elevation_deg.map(|q| q.get()),
        sun: file.sun.map(|q| q.get()),
        sky: file.sky.map(|q| q.get()),
        soft: file.soft.unwrap_or(false),
        backdrop: file.backdrop.unwrap_or(true),
    }
}

pub fn output(file: Option<OutputFile>) -> Output {
    let file = file.unwrap_or_default();
    let pixels =
        |count: Option<crate::units::Count<16, 65_535>>, default| count.map_or(default, |c| c.get_u32());
    Output {
        scale: file.scale.map(|q| q.get()),
        width: pixels(file.width, PICTURE.0),
        height: pixels(file.height, PICTURE.1),
        particles: file.particles.unwrap_or(false),
        share: file.share.unwrap_or(false),
    }
}
