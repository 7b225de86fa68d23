//! `motion` of a mesh to plain data.

use std::path::{Path, PathBuf};

use super::{number, vector};
use crate::keyed::Keyed;
use crate::math::{Point3, Vec3};
use crate::scene::schema::{DrawFile, MotionFile, PackingFile};
use crate::scene::{Breaks, Draw, ElasticSpec, Follow, Motion, Packing, RigidSpec};

/// Of wood [kg/m3].
const BODY_DENSITY: f64 = 600.0;
const BODY_RESTITUTION: f64 = 0.2;
const BODY_FRICTION: f64 = 0.5;
const BODY_PIECES: u32 = 12;
/// Of a soft jelly [Pa], [kg/m3].
const JELLY_YOUNG: f64 = 2e4;
const JELLY_DENSITY: f64 = 1000.0;
const JELLY_DAMPING: f64 = 0.1;

pub fn motion(file: MotionFile, folder: &Path) -> Motion {
    match file {
        MotionFile::Keys {
            translate,
            rotate_deg,
            scale,
            about,
        } => Motion::Keys {
            translate: translate.map_or_else(|| Vec3::zeros().into(), vector),
            rotate_deg: rotate_deg.map_or_else(|| Vec3::zeros().into(), vector),
            scale: scale.map_or_else(|| Keyed::from(1.0), number),
            about: about.map(|p| Point3::from(p.get())),
        },
        MotionFile::Spin {
            axis,
            deg_per_s,
            about,
        } => Motion::Spin {
            axis: axis.get(),
            deg_per_s: number(deg_per_s),
            about: about.map(|p| Point3::from(p.get())),
        },
        MotionFile::Sequence {
            files,
            frame_rate,
            start,
            repeat,
        } => Motion::Sequence {
            files: files.iter().flat_map(|name| numbered(folder, name)).collect(),
            frame_rate: frame_rate.get(),
            start: start.map_or(0.0, |q| q.get()),
            repeat: repeat.unwrap_or(false),
        },
        MotionFile::Follow {
            path,
            wheels,
            over: _,
            forward,
            behind,
        } => Motion::Follow(Box::new(Follow {
            path: vector(path),
            wheels: wheels.iter().map(|p| Point3::from(p.get())).collect(),
            forward: forward.map_or_else(Vec3::x, |d| d.get()),
            over: Vec::new(),
            behind: behind.map(|q| q.get()),
        })),
        MotionFile::Rigid {
            fill,
            packing,
            density,
            velocity,
            spin_deg_per_s,
            restitution,
            friction,
            breaks,
            draw,
        } => Motion::Rigid(RigidSpec {
            fill: fill.get(),
            packing: match packing {
                None | Some(PackingFile::Cubic) => Packing::Cubic,
                Some(PackingFile::Close) => Packing::Close,
            },
            density: density.map_or(BODY_DENSITY, |q| q.get()),
            velocity: velocity.map_or_else(Vec3::zeros, |v| v.get().into()),
            spin_deg_per_s: spin_deg_per_s.map_or_else(Vec3::zeros, |v| v.get().into()),
            restitution: restitution.map_or(BODY_RESTITUTION, |q| q.get()),
            friction: friction.map_or(BODY_FRICTION, |q| q.get()),
            breaks: breaks.map(|b| Breaks {
                impulse: b.impulse.get(),
                pieces: b.pieces.map_or(BODY_PIECES, |n| n.get_u32()),
            }),
            draw: drawn(draw),
        }),
        MotionFile::Elastic {
            cell,
            young,
            density,
            damping,
            velocity,
            friction,
            yields,
            draw,
        } => Motion::Elastic(ElasticSpec {
            cell: cell.get(),
            young: young.map_or(JELLY_YOUNG, |q| q.get()),
            density: density.map_or(JELLY_DENSITY, |q| q.get()),
            damping: damping.map_or(JELLY_DAMPING, |q| q.get()),
            velocity: velocity.map_or_else(Vec3::zeros, |v| v.get().into()),
            friction: friction.map_or(BODY_FRICTION, |q| q.get()),
            yields: yields.map_or(f64::INFINITY, |q| q.get()),
            draw: drawn(draw),
        }),
    }
}

fn drawn(draw: Option<DrawFile>) -> Draw {
    match draw {
        None | Some(DrawFile::Mesh) => Draw::Mesh,
        Some(DrawFile::Blob) => Draw::Blob,
    }
}

/// The files that a name with `#` for each digit of a number stands for: those that are there, from 0 or 1 on without a
/// gap. A name without `#` stands for itself, and one that names no file is left for the check to refuse.
fn numbered(folder: &Path, name: &str) -> Vec<PathBuf> {
    let Some(first) = name.find('#') else {
        return vec![folder.join(name)];
    };
    let digits = name[first..].chars().take_while(|c| *c == '#').count();
    let file = |n: usize| {
        let number = format!("{n:0digits$}");
        folder.join(format!("{}{number}{}", &name[..first], &name[first + digits..]))
    };
    let start = usize::from(!file(0).is_file());
    let found: Vec<PathBuf> = (start..).map(file).take_while(|f| f.is_file()).collect();
    if found.is_empty() {
        vec![folder.join(name)]
    } else {
        found
    }
}
