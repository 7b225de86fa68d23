//! How many POV-Ray units a metre becomes, and how finely numbers are rounded.
//!
//! POV-Ray ignores hits nearer than 0.01 units to where a ray starts, so small components lose their shadows
//! and refraction; a power of ten keeps the numbers readable beside those of the scene file.

use super::blob::lone_factor;
use super::number::Step;
use crate::error::Diagnostic;
use crate::math::{Aabb, Real};
use crate::scene::Scene;

/// Least component radius that opaque material renders well with [units].
const LEAST_OPAQUE: Real = 0.1;
/// Least component radius that translucent material renders well with [units].
const LEAST_CLEAR: Real = 0.2;
/// Component radius aimed at for a material's typical particles, alone [units].
const AIM: Real = 0.4;
/// POV-Ray sees nothing farther than 1e7 units; the sun stands 20 diagonals away.
const LARGEST_SCENE: Real = 4.0e5;
/// Powers of ten that are tried.
const EXPONENTS: std::ops::RangeInclusive<i32> = -9..=9;

/// Units and rounding, the same for mesh, camera and particles of all frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// POV-Ray units per metre.
    pub units: Real,
    /// Rounding of places: at most a ten-thousandth of the smallest radius.
    pub place: Step,
    /// Rounding of component radii.
    pub radius: Step,
    /// Rounding of strengths.
    pub strength: Step,
}

/// The scene's own scale, or the smallest power of ten at which every material renders well.
pub fn choose(scene: &Scene, bounds: &Aabb, remarks: &mut Vec<Diagnostic>) -> Scale {
    let units = scene.output.scale.unwrap_or_else(|| fitting(scene));
    let too_small = scene.materials.iter().find(|m| {
        let least = if m.look.transmit > 0.0 {
            LEAST_CLEAR
        } else {
            LEAST_OPAQUE
        };
        m.radius.min() * lone_factor(m.look.threshold) * units < 0.999 * least
    });
    if let Some(m) = too_small {
        remarks.push(
            Diagnostic::new(format!(
                "output.scale: particles of \"{}\" are {:.2e} POV-Ray units in radius; POV-Ray loses shadows \
                 and refraction of things this small",
                m.name,
                m.radius.min() * units
            ))
            .help("leave `output.scale` out, and it is chosen to suit the radii"),
        );
    }
    if bounds.diagonal() * units > LARGEST_SCENE {
        remarks.push(
            Diagnostic::new(format!(
                "output.scale: the scenery is {:.1e} POV-Ray units across; POV-Ray sees no farther than 1e7",
                bounds.diagonal() * units
            ))
            .help("use larger particles, a smaller `output.scale`, or less scenery"),
        );
    }
    let smallest = scene
        .materials
        .iter()
        .map(|m| m.radius.min() * units)
        .fold(Real::INFINITY, Real::min);
    let place = Step::at_most(1e-4 * smallest.min(10.0));
    Scale {
        units,
        place,
        radius: place.finer(1),
        strength: Step::of_decimals(5),
    }
}

fn fitting(scene: &Scene) -> Real {
    let good = |units: Real| {
        scene.materials.iter().all(|m| {
            let factor = lone_factor(m.look.threshold) * units;
            let least = if m.look.transmit > 0.0 {
                LEAST_CLEAR
            } else {
                LEAST_OPAQUE
            };
            m.radius.min() * factor >= least && m.radius.typical() * factor >= AIM
        })
    };
    if scene.materials.is_empty() {
        return 1.0;
    }
    EXPONENTS.map(|e| 10f64.powi(e)).find(|&u| good(u)).unwrap_or(1e9)
}
