//! What yields: lengths at rest that follow the strain.

use super::Elastic;
use crate::bodies::lattice::Lattice;
use crate::math::Real;

/// Lengths at rest of what has yielded stay within these shares of the first ones: the stable step holds as long.
const FARTHEST: [Real; 2] = [0.6, 1.7];

impl Elastic {
    /// Changes lengths at rest where strain, less that of the volume around, is more than the stuff bears. What flows keeps
    /// its volume, and no spring is strained more by that.
    pub(super) fn give_in(&mut self, lattice: &Lattice) {
        let bears = lattice.stuff.yields;
        if !bears.is_finite() {
            return;
        }
        let mut swell = std::mem::take(&mut self.memory.swell);
        self.swell(lattice, &mut swell);
        for ((spring, rest), swell) in lattice.springs.iter().zip(&mut self.rest).zip(&swell) {
            let length = (self.at[spring.ends[1] as usize] - self.at[spring.ends[0] as usize]).norm();
            let strain = length / *rest - 1.0;
            let sheared = strain - swell;
            let excess = (sheared.abs() - bears).min(strain.abs());
            if excess > 0.0 && sheared * strain > 0.0 {
                let wanted = *rest * (1.0 + excess.copysign(strain));
                *rest = wanted.clamp(spring.rest * FARTHEST[0], spring.rest * FARTHEST[1]);
            }
        }
        self.memory.swell = swell;
    }

    /// Mean strain of each spring by the change of volume of the cubes that it lies in.
    fn swell(&self, lattice: &Lattice, swell: &mut Vec<Real>) {
        swell.clear();
        swell.resize(lattice.springs.len(), 0.0);
        let whole = lattice.edge * lattice.edge * lattice.edge;
        for (cube, springs) in lattice.cubes.iter().zip(&lattice.springs_in) {
            let [a, b, c] = self.sides(cube);
            let own = libm::cbrt((a.dot(&b.cross(&c)) / whole).max(0.0)) - 1.0;
            springs.iter().for_each(|&s| swell[s as usize] += own);
        }
        for (swell, spring) in swell.iter_mut().zip(&lattice.springs) {
            *swell /= Real::from(spring.cubes);
        }
    }
}
