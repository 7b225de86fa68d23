//! Rules of single forces that need two keys.

use super::Rules;
use crate::math::{Real, Vec3};
use crate::scene::schema::{ForceFile, ProfileFile, RegionFile, SceneFile};
use crate::scene::{ProfileLaw, lower};

impl Rules<'_> {
    pub(super) fn forces(&mut self, file: &SceneFile) {
        let gravity = lower::gravity(file).norm();
        for (i, force) in file.forces.iter().flatten().enumerate() {
            let field = format!("forces[{i}]");
            if let Some(region) = force.region() {
                self.region(&format!("{field}.region"), region);
            }
            match force {
                ForceFile::Wind {
                    velocity,
                    profile,
                    shelter,
                    ..
                } => {
                    if let Some(profile) = profile {
                        self.profile(&format!("{field}.profile"), profile);
                    }
                    let velocities: Vec<Vec3> = velocity.keys.iter().map(|k| k.1.vec()).collect();
                    if shelter.is_some() && turns(&velocities) {
                        let help = "shelter is worked out for one direction: use one `Wind` for each";
                        let message = "expected a wind that keeps its direction, found one that turns";
                        self.fault(&format!("{field}.shelter"), message, help.to_owned());
                    }
                }
                ForceFile::Flutter { frequency, .. } if frequency.0.get() > frequency.1.get() => {
                    let (low, high) = (frequency.0.get(), frequency.1.get());
                    let message = format!("expected the lower number first [1/s], found {low} and {high}");
                    self.fault(&format!("{field}.frequency"), &message, "swap the two".to_owned());
                }
                ForceFile::QuadraticDrag {
                    coefficient,
                    terminal_speed,
                    ..
                } => self.quadratic_drag(&field, coefficient.is_some(), terminal_speed.is_some(), gravity),
                _ => {}
            }
        }
    }

    pub(super) fn region(&mut self, field: &str, region: &RegionFile) {
        if let RegionFile::Box { min, max, .. } = region {
            self.corners(field, min.get(), max.get());
        }
    }

    fn profile(&mut self, field: &str, file: &ProfileFile) {
        let profile = lower::profile(*file);
        if let ProfileLaw::Log { roughness } = profile.law
            && roughness >= profile.height
        {
            let message = format!(
                "expected a roughness below the height of {} m, found {roughness}",
                profile.height
            );
            let help = "about a tenth of the height of grass or crops: 0.0002 for water, 0.03 for a meadow, 1 for a town";
            self.fault(&format!("{field}.roughness"), &message, help.to_owned());
        }
    }

    fn quadratic_drag(&mut self, field: &str, coefficient: bool, terminal_speed: bool, gravity: Real) {
        match (coefficient, terminal_speed) {
            (false, false) => self.fault(
                field,
                "expected `coefficient` or `terminal_speed`, found neither",
                None,
            ),
            (true, true) => {
                let help = "keep one: the other follows from gravity".to_owned();
                self.fault(
                    field,
                    "expected `coefficient` or `terminal_speed`, found both",
                    help,
                );
            }
            (false, true) if gravity <= 0.0 => {
                let help = "give the `coefficient` [1/m] instead".to_owned();
                let message = "expected gravity for a terminal speed, found none";
                self.fault(&format!("{field}.terminal_speed"), message, help);
            }
            _ => {}
        }
    }
}

/// Whether velocities along the ground point in different directions.
fn turns(velocities: &[Vec3]) -> bool {
    let level: Vec<Vec3> = velocities.iter().map(|v| Vec3::new(v.x, 0.0, v.z)).collect();
    let longest = level.iter().fold(Vec3::zeros(), |a, b| {
        if b.norm_squared() > a.norm_squared() { *b } else { a }
    });
    let off = |v: &Vec3| v.cross(&longest).norm() > 1e-9 * longest.norm_squared() || v.dot(&longest) < 0.0;
    level.iter().any(off)
}
