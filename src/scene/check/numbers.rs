//! Rules between numbers: order, sense and size of what the scene asks for.
//!
//! It knows no names and no files; those are resolved in the file above.

use super::Rules;
use crate::math::Real;
use crate::scene::locate::parse_path;
use crate::scene::Scene;
use crate::scene::schema::{CameraFile, LimitsFile};

/// The longest way that a particle may go in one step, in its radii. A picture a second at 20 m/s with radii
/// of 2 cm, as in Karabassi, Papaioannou & Theoharis 1999, is 1,500; beyond a million the step or the radius is a slip.
const RADII_PER_STEP: Real = 1e6;

impl Rules<'_> {
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

    /// All births of the run against the limit.
    pub(super) fn emission(&mut self, scene: &Scene) {
        let end = Real::from(scene.time.frames) / scene.time.frame_rate;
        let births: Real = (scene.emitters.iter().map(|e| e.due(end) as Real)).sum();
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
