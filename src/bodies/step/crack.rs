//! Bodies that fall apart in a step: it is tried, links that would have to bear too much break, and it is done again from its
//! start with the parts, so that only what was hit is stopped by what it hit.

use super::super::brittle::{Blow, Part};
use super::super::motion::Motion;
use super::super::points::SCENERY;
use super::{Bodies, Body, Counts, Ground, Kind};
use crate::math::{Real, Vec3};

/// Times that parts may break again in one step.
const AGAIN: usize = 4;

/// Whether it has links left.
pub(super) fn may_break(kind: &Kind) -> bool {
    kind.brittle.as_ref().is_some_and(|b| !b.links().is_empty())
}

impl Bodies {
    pub(super) fn step_and_break(
        &mut self,
        kinds: &mut Vec<Kind>,
        ground: &dyn Ground,
        gravity: Vec3,
        dt: Real,
        counts: &mut Counts,
    ) {
        for _ in 0..AGAIN {
            let mut before = self.clone();
            let counted = *counts;
            self.advance(kinds, ground, gravity, dt, counts);
            let fallen = before.crack(self, kinds, counts);
            if !fallen {
                return;
            }
            let broken = counts.broken;
            *counts = Counts { broken, ..counted };
            *self = before;
        }
        self.advance(kinds, ground, gravity, dt, counts);
    }

    /// Breaks links by the impulses that the step to `after` took, and takes apart what they no longer hold together.
    fn crack(&mut self, after: &Self, kinds: &mut Vec<Kind>, counts: &mut Counts) -> bool {
        let mut fallen = false;
        for number in 0..self.all.len() {
            let body = self.all[number];
            let kind = &mut kinds[body.kind as usize];
            if !may_break(kind) {
                continue;
            }
            let blows = after.blows(number as u32, &body.motion);
            let Some(brittle) = kind.brittle.as_mut().filter(|_| !blows.is_empty()) else {
                continue;
            };
            let broken = brittle.bear(&kind.fill, &kind.inertia, &blows);
            counts.broken += broken as u64;
            let parts = if broken > 0 { brittle.parts() } else { Vec::new() };
            if !parts.is_empty() {
                fallen |= self.take_apart(number, parts, kinds);
            }
        }
        fallen
    }

    /// Impulses on a body in the last step, as it saw them from where it was at its start.
    fn blows(&self, number: u32, motion: &Motion) -> Vec<Blow> {
        let back = motion.turn.inverse();
        let mut blows = Vec::new();
        for point in &self.points {
            for (k, sign) in [(0, -1.0), (1, 1.0)] {
                if point.bodies[k] == number && point.particles[k] != SCENERY {
                    blows.push(Blow {
                        particle: point.particles[k],
                        arm: motion.to_body(&point.place),
                        impulse: back * ((point.normal * point.push + point.drag) * sign),
                    });
                }
            }
        }
        blows
    }

    /// Puts parts in the place of a body, each with the velocity and spin that it had as part of it: both momenta and the
    /// energy are kept. Nothing is done where one of them could not be moved.
    pub(super) fn take_apart(&mut self, number: usize, parts: Vec<Part>, kinds: &mut Vec<Kind>) -> bool {
        let whole = self.all[number];
        let old = &kinds[whole.kind as usize];
        let spin = whole.motion.spin(&old.inertia);
        let center = old.fill.mass.center;
        let made: Option<Vec<(Kind, Motion)>> = parts
            .into_iter()
            .map(|part| {
                let place = part.fill.mass.center - center;
                let kind = Kind {
                    brittle: Some(part.brittle),
                    ..Kind::new(part.fill, old.restitution, old.friction)?
                };
                let away = whole.motion.turn * place;
                let motion = Motion {
                    center: whole.motion.center + away,
                    velocity: whole.motion.velocity + spin.cross(&away),
                    angular: angular(&kind, &whole.motion, &spin),
                    ..whole.motion
                };
                Some((kind, motion))
            })
            .collect();
        let Some(made) = made else { return false };
        for (k, (kind, motion)) in made.into_iter().enumerate() {
            let number_of_kind = if k == 0 { whole.kind } else { kinds.len() as u32 };
            let body = Body {
                kind: number_of_kind,
                motion,
                quiet: 0.0,
                asleep: false,
            };
            if k == 0 {
                kinds[whole.kind as usize] = kind;
                self.all[number] = body;
            } else {
                kinds.push(kind);
                self.all.push(body);
            }
        }
        // Their particles have other numbers.
        self.points.retain(|p| !p.bodies.contains(&(number as u32)));
        true
    }
}

/// Angular momentum of a part that turns like the whole [kg m2/s].
fn angular(kind: &Kind, whole: &Motion, spin: &Vec3) -> Vec3 {
    whole.turn * (kind.inertia.tensor * (whole.turn.inverse() * spin))
}
