//! `emitters` to plain data.

use super::{number, point, vector};
use crate::keyed::Keyed;
use crate::math::{Aabb, Real, Vec3};
use crate::scene::schema::{BurstsFile, EmitterFile, IfBlockedFile, PathFile, ShapeFile};
use crate::scene::{Bursts, Emitter, IfBlocked, Shape};

/// The emitter at `index` of the file, its names resolved to indices before.
pub fn emitter(file: EmitterFile, index: usize, material: usize, mesh: usize) -> Emitter {
    let one_a_cell = match &file.shape {
        ShapeFile::Grid { count, .. } if file.count.is_none() && file.rate.is_none() => {
            count.0.get() * count.1.get()
        }
        _ => 0,
    };
    // A disabled emitter keeps its place in the list: the draws of the others depend on their index.
    let enabled = file.enabled.unwrap_or(true);
    let start = file.start.map_or(0.0, |q| q.get());
    Emitter {
        name: file.name.unwrap_or_else(|| format!("emitter {}", index + 1)),
        material,
        shape: shape(file.shape, mesh),
        count: if enabled {
            file.count.map_or(one_a_cell, |c| c.get())
        } else {
            0
        },
        bursts: file.bursts.map(bursts),
        rate: file.rate.filter(|_| enabled).map_or_else(|| 0.0.into(), number),
        start,
        stop: file.stop.map_or(Real::INFINITY, |q| q.get()),
        velocity: file.velocity.map_or(Vec3::zeros(), |t| t.vec()),
        spread_deg: file.spread_deg.map_or(0.0, |q| q.get()),
        speed_variation: file.speed_variation.map_or(0.0, |q| q.get()),
        motion: file.motion.map_or(Vec3::zeros(), |t| t.vec()),
        path: file.path.map(|p| path(p, start)),
        inherit_velocity: file.inherit_velocity.map_or(0.0, |q| q.get()),
        if_blocked: match file.if_blocked {
            None | Some(IfBlockedFile::Reject) => IfBlocked::Reject,
            Some(IfBlockedFile::PushOut) => IfBlocked::PushOut,
            Some(IfBlockedFile::Delay) => IfBlocked::Delay,
        },
        apart: file.apart.unwrap_or(false),
    }
}

fn bursts(file: BurstsFile) -> Bursts {
    Bursts {
        every: file.every.get(),
        repeats: file.repeats.map_or(u64::MAX, |c| c.get()),
    }
}

/// The way of an emitter; at a speed it begins at `start` [s].
fn path(file: PathFile, start: Real) -> Keyed<Vec3> {
    match file {
        PathFile::Timed { points } => vector(points),
        PathFile::AtSpeed { points, speed } => {
            let mut time = start;
            let mut keys: Vec<(Real, Vec3)> = Vec::with_capacity(points.len());
            for point in points.iter().map(|p| p.vec()) {
                time += keys.last().map_or(0.0, |last| (point - last.1).norm() / speed.get());
                keys.push((time, point));
            }
            Keyed::new(keys, false)
        }
    }
}

fn shape(file: ShapeFile, mesh: usize) -> Shape {
    match file {
        ShapeFile::Point { at } => Shape::Point { at: point(at) },
        ShapeFile::Disc {
            center,
            normal,
            radius,
        } => Shape::Disc {
            center: point(center),
            normal: normal.get(),
            radius: radius.get(),
        },
        ShapeFile::Box { min, max } => Shape::Box {
            bounds: Aabb {
                min: point(min),
                max: point(max),
            },
        },
        ShapeFile::Sphere { center, radius } => Shape::Sphere {
            center: point(center),
            radius: radius.get(),
        },
        ShapeFile::Grid {
            origin,
            u,
            v,
            count,
            jitter,
        } => Shape::Grid {
            origin: point(origin),
            u: u.vec(),
            v: v.vec(),
            count: [count.0.get_u32(), count.1.get_u32()],
            jitter: jitter.map_or(0.0, |q| q.get()),
        },
        ShapeFile::MeshSurface { group, offset, .. } => Shape::MeshSurface {
            mesh,
            group,
            offset: offset.map_or(0.0, |q| q.get()),
        },
        ShapeFile::MeshVolume { .. } => Shape::MeshVolume { mesh },
        ShapeFile::Cone {
            center,
            direction,
            radius,
            angle_deg,
            speed,
        } => Shape::Cone {
            center: point(center),
            direction: direction.get(),
            radius: radius.map_or(0.0, |q| q.get()),
            angle_deg: angle_deg.map_or(0.0, |q| q.get()),
            speed: speed.get(),
        },
    }
}
