//! Rules between numbers: order, sense and size of what the scene asks for.
//!
//! It knows no names and no files; those are resolved in the file above.

use super::Rules;
use crate::math::Real;
use crate::scene::locate::parse_path;
use crate::scene::schema::{CameraFile, EmitterFile, ForceFile, LimitsFile, SceneFile, ShapeFile};
use crate::scene::{Emitter, Scene, Time, lower};

/// The longest way that a particle may go in one step, in its radii. A picture a second at 20 m/s with radii
/// of 2 cm, as in Karabassi, Papaioannou & Theoharis 1999, is 1,500; beyond a million the step or the radius is a slip.
const RADII_PER_STEP: Real = 1e6;

impl Rules<'_> {
    pub(super) fn emitter(&mut self, field: &str, file: &EmitterFile) {
        let start = file.start.map_or(0.0, |q| q.get());
        if let Some(stop) = file.stop.map(|q| q.get())
            && stop <= start
        {
            let message = format!("expected a time after `start` ({start} s), found {stop}");
            self.fault(&format!("{field}.stop"), &message, None);
        }
        let counted = file.count.is_some_and(|c| c.get() > 0) || file.rate.is_some_and(|q| q.get() > 0.0);
        let whole_grid =
            matches!(file.shape, ShapeFile::Grid { .. }) && file.count.is_none() && file.rate.is_none();
        if file.enabled != Some(false) && !counted && !whole_grid {
            let help = "give it `count: 1000` (at once) or `rate: 100` (a second), or set `enabled: false`";
            self.fault(
                field,
                "expected a `count` or `rate` > 0, found neither: it emits nothing",
                help.to_owned(),
            );
        }
        self.shape(&format!("{field}.shape"), &file.shape);
    }

    pub(super) fn shape(&mut self, field: &str, shape: &ShapeFile) {
        match shape {
            ShapeFile::Box { min, max } => self.corners(field, min.get(), max.get()),
            ShapeFile::Grid { u, v, .. } if u.vec().cross(&v.vec()).norm() <= 0.0 => {
                let help =
                    "for a row of particles use a second side of any length and `count: (n, 1)`".to_owned();
                self.fault(
                    field,
                    "expected sides u and v that span an area, found parallel ones",
                    help,
                );
            }
            _ => {}
        }
    }

    pub(super) fn corners(&mut self, field: &str, min: [Real; 3], max: [Real; 3]) {
        for (axis, (lo, hi)) in ["x", "y", "z"].into_iter().zip(min.into_iter().zip(max)) {
            if lo > hi {
                let message = format!("expected the lower corner first, found {axis} from {lo} to {hi} [m]");
                self.fault(field, &message, "swap the two numbers".to_owned());
            }
        }
    }

    pub(super) fn camera(&mut self, camera: Option<&CameraFile>) {
        if camera.is_some_and(|c| c.eye.get() == c.target.get()) {
            let message = "expected a place other than the camera's eye, found the same";
            self.fault("camera.target", message, None);
        }
    }

    pub(super) fn limits(&mut self, limits: Option<&LimitsFile>) {
        if let Some((min, max)) = limits.and_then(|l| l.kill_box) {
            self.corners("limits.kill_box", min.get(), max.get());
        }
    }

    pub(super) fn forces(&mut self, file: &SceneFile) {
        let gravity = lower::gravity(file).norm();
        for (i, force) in file.forces.iter().flatten().enumerate() {
            let ForceFile::QuadraticDrag {
                coefficient,
                terminal_speed,
            } = force
            else {
                continue;
            };
            let field = format!("forces[{i}]");
            match (coefficient, terminal_speed) {
                (None, None) => self.fault(
                    &field,
                    "expected `coefficient` or `terminal_speed`, found neither",
                    None,
                ),
                (Some(_), Some(_)) => {
                    let help = "keep one: the other follows from gravity".to_owned();
                    self.fault(
                        &field,
                        "expected `coefficient` or `terminal_speed`, found both",
                        help,
                    );
                }
                (None, Some(_)) if gravity <= 0.0 => {
                    let help = "give the `coefficient` [1/m] instead".to_owned();
                    let message = "expected gravity for a terminal speed, found none";
                    self.fault(&format!("{field}.terminal_speed"), message, help);
                }
                _ => {}
            }
        }
    }

    /// All births of the run against the limit.
    pub(super) fn emission(&mut self, scene: &Scene) {
        let births: Real = scene.emitters.iter().map(|e| births_of(e, &scene.time)).sum();
        let limit = scene.limits.particles;
        if births > limit as Real {
            let message = format!("expected at most {limit} particles, found emitters that emit {births:.0}");
            let help = "lower `count` or `rate`, or raise `limits: (particles: ...)`".to_owned();
            let written = parse_path("limits.particles")
                .and_then(|steps| self.source.value(&steps))
                .is_some();
            self.fault(
                if written { "limits.particles" } else { "emitters" },
                &message,
                help,
            );
        }
    }

    /// The way of a particle in its first step against its radius.
    pub(super) fn step(&mut self, scene: &Scene) {
        let dt = scene.time.step();
        let fall = scene.gravity.norm() * dt;
        for (i, emitter) in scene.emitters.iter().enumerate() {
            let Some(material) = scene.materials.get(emitter.material) else {
                continue;
            };
            let speed = emitter.velocity.norm() * (1.0 + emitter.speed_variation) + fall;
            let radii = speed * dt / material.radius.typical();
            if radii > RADII_PER_STEP {
                let message = format!(
                    "expected a step of less than 1e6 particle radii, found {radii:.1e} ({speed:.3} m/s for {dt:.4} s, \
                     material {:?})",
                    material.name
                );
                let help =
                    "raise `time: (steps_per_frame: ...)`, or check the unit of velocity and radius [m/s, m]";
                self.fault(&format!("emitters[{i}].velocity"), &message, help.to_owned());
            }
        }
    }
}

/// How many particles an emitter is asked for until the last picture; a fraction counts as none.
fn births_of(emitter: &Emitter, time: &Time) -> Real {
    let end = Real::from(time.frames) / time.frame_rate;
    let seconds = (emitter.stop.min(end) - emitter.start).max(0.0);
    emitter.count as Real + (emitter.rate * seconds).floor()
}
