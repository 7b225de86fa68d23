//! Particles that come from a particle: within its ball, so that they cut nothing that it did not cut.

use crate::math::{Real, Vec3};
use crate::rng::{Stream, identity};
use crate::state::{Birth, Flyer};

/// Keeps the keys of these apart from those of other children.
const KIND: u64 = 0x6c69_6665;

/// What an event makes of a particle.
pub struct Brood<'a> {
    /// From whom it comes.
    pub parent: &'a Flyer,
    /// Number of the event in the parent's material.
    pub event: usize,
    /// Of what it is.
    pub material: u16,
    /// How fast it flies off [m/s].
    pub speed: Real,
    /// When [s].
    pub time: Real,
}

impl Brood<'_> {
    /// Adds births with these radii [m].
    pub fn add(&self, radii: impl IntoIterator<Item = Real>, draws: &mut Stream, children: &mut Vec<Birth>) {
        let parent = self.parent;
        let key = identity(parent.key ^ KIND, self.event as u64);
        let first = children.len();
        let mut mean = Vec3::zeros();
        for (i, radius) in radii.into_iter().enumerate() {
            let way = direction(&parent.normal, draws);
            mean += way;
            children.push(Birth {
                position: parent.position + way * (parent.radius - radius).max(0.0),
                velocity: way,
                radius,
                material: self.material,
                time: self.time,
                key: identity(key, i as u64),
            });
        }
        let born = &mut children[first..];
        mean /= born.len().max(1) as Real;
        // In free space the parts together keep the momentum; from a surface they fly off.
        let share = if parent.normal == Vec3::zeros() { 1.0 } else { 0.0 };
        for child in born {
            child.velocity = parent.velocity + (child.velocity - mean * share) * self.speed;
        }
    }
}

/// An even direction; away from the surface for a particle that touches one.
fn direction(normal: &Vec3, draws: &mut Stream) -> Vec3 {
    loop {
        let v = draws.in_ball();
        let length = v.norm();
        if length > 1e-3 {
            let way = v / length;
            return way - normal * (2.0 * way.dot(normal).min(0.0));
        }
    }
}
