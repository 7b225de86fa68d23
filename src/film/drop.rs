//! Letting go: when a layer that hangs from an underside is too heavy for what holds it.

use super::sense::Sense;
use crate::material::Substance;
use crate::math::{Real, Vec3};

/// Undersides look down by at least this cosine; on steeper ones a layer runs rather than drips.
const UNDERSIDE: Real = 0.2;

/// Whether the particle at the lowest place of a layer lets go: the weight of the layer over an area, against the
/// adhesion that holds this area.
pub(super) fn lets_go(substance: &Substance, sense: &Sense, acceleration: &Vec3, normal: &Vec3) -> bool {
    let out = acceleration.dot(normal);
    sense.lowest
        && out > UNDERSIDE * acceleration.norm()
        && substance.density * out * sense.height > substance.adhesion
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::SLIME;

    #[test]
    fn a_sheet_hangs_as_long_as_its_weight_is_below_the_adhesion() {
        let s = Substance {
            density: 1000.0,
            adhesion: 98.1,
            ..SLIME.substance
        };
        let g = Vec3::new(0.0, -9.81, 0.0);
        let sheet = |height| Sense {
            height,
            gradient: Vec3::zeros(),
            laid: 0.0,
            lowest: true,
        };
        assert!(!lets_go(&s, &sheet(0.0099), &g, &-Vec3::y()));
        assert!(lets_go(&s, &sheet(0.0101), &g, &-Vec3::y()));
        assert!(!lets_go(&s, &sheet(1.0), &g, &Vec3::y()), "it lies on a floor");
        assert!(!lets_go(&s, &sheet(1.0), &g, &Vec3::x()), "it runs down a wall");
        let second = Sense {
            lowest: false,
            ..sheet(1.0)
        };
        assert!(!lets_go(&s, &second, &g, &-Vec3::y()));
    }
}
