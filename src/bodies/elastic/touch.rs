//! What corners of an elastic body cannot enter, and what a touch does to both.

use super::Elastic;
use crate::bodies::lattice::Lattice;
use crate::math::{Point3, Real, Vec3};

/// Where something is stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Met {
    /// Share of the way.
    pub fraction: Real,
    /// Where it is then [m].
    pub place: Point3,
    /// Touched place of the obstacle [m].
    pub point: Point3,
    /// Unit normal of the obstacle, towards it.
    pub normal: Vec3,
    /// Coulomb's coefficient.
    pub friction: Real,
    /// Velocity of the obstacle there [m/s].
    pub velocity: Vec3,
    /// The same by which it goes on its way in this step, whatever pushes it meanwhile [m/s].
    pub carries: Vec3,
    /// Overlap at the start of the way [m].
    pub depth: Real,
    /// Number of what of the obstacle was met, in its own counting.
    pub part: u32,
}

/// What corners of an elastic body cannot enter.
pub trait Obstacle {
    /// The first touch on a straight way within a span of time [s].
    fn meet(&self, from: &Point3, along: &Vec3, span: [Real; 2]) -> Option<Met>;

    /// How much velocity it gets by impulse where it was met, along a unit vector [1/kg]; 0 for what does not give way.
    fn gives(&self, _met: &Met, _along: &Vec3) -> Real {
        0.0
    }

    /// Takes an impulse [N s] where it was met.
    fn push(&mut self, _met: &Met, _impulse: &Vec3) {}
}

/// Nothing in the way.
#[derive(Debug, Clone, Copy)]
pub struct Free;

impl Obstacle for Free {
    fn meet(&self, _: &Point3, _: &Vec3, _: [Real; 2]) -> Option<Met> {
        None
    }
}

impl Elastic {
    /// Lets no corner of the surface through an obstacle on its way from where it was: it stops there, keeps no speed into
    /// it, and loses some along it by Coulomb's law. The obstacle gets what the corner loses.
    pub(super) fn hold_back(&mut self, lattice: &Lattice, span: [Real; 2], obstacle: &mut dyn Obstacle) {
        for &i in &lattice.outer {
            let i = i as usize;
            let from = self.memory.from[i];
            let Some(met) = obstacle.meet(&from, &(self.at[i] - from), span) else {
                continue;
            };
            self.stop(i, lattice.mass[i], &met, obstacle);
            // The rest of the way along the surface, in the same time; the surface takes it along, and out of what it is in.
            let time = (span[1] - span[0]) * (1.0 - met.fraction);
            let pace = self.velocity[i];
            let lags = (met.carries - pace).dot(&met.normal).max(0.0);
            let rest = (pace + met.normal * lags) * time;
            let place = met.place + met.normal * met.depth;
            self.at[i] = match obstacle.meet(&place, &rest, [span[1] - time, span[1]]) {
                None => place + rest,
                Some(next) => {
                    let carried = next.carries.dot(&next.normal).max(0.0) * time * (1.0 - next.fraction);
                    next.place + next.normal * carried
                }
            };
        }
    }

    /// Impulses between a corner of a mass [kg] and what it has met: without rebound, with friction.
    fn stop(&mut self, i: usize, mass: Real, met: &Met, obstacle: &mut dyn Obstacle) {
        let pace = self.velocity[i] - met.velocity;
        let into = -pace.dot(&met.normal).min(0.0);
        let push = into / (1.0 / mass + obstacle.gives(met, &met.normal));
        let along = pace - met.normal * pace.dot(&met.normal);
        let mut impulse = met.normal * push;
        if let Some(way) = along.try_normalize(0.0) {
            // What the surface gives in this step it also rubs by.
            let stops = along.norm() / (1.0 / mass + obstacle.gives(met, &way));
            impulse -= way * stops.min(met.friction * push);
        }
        self.velocity[i] += impulse / mass;
        obstacle.push(met, &-impulse);
    }
}
