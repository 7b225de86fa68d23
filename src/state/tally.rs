//! Counts of what has happened.

use serde::{Deserialize, Serialize};

use crate::math::Real;

/// What has happened since the start: every particle is in exactly one of the last five counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Births wanted by the emitters so far: those that happened and those refused.
    pub wanted: u64,
    /// Births that happened, children included.
    pub born: u64,
    /// Births from splashes and events, wanted or not.
    pub children: u64,
    /// Births refused because their ball cut the scenery.
    pub blocked: u64,
    /// Births refused because their ball cut another particle.
    pub crowded: u64,
    /// Births refused because their place was not free in time.
    pub waited_out: u64,
    /// Births refused because `limits.particles` was reached.
    pub over_limit: u64,
    /// Births that were moved out of the scenery.
    pub pushed_out: u64,
    /// Ended by a surface, an event or its age.
    pub died: u64,
    /// Left the kill box.
    pub lost: u64,
    /// Touches.
    pub contacts: u64,
    /// Particle-steps cut short because `limits.contacts_per_step` was reached.
    pub contact_limit: u64,
    /// Deepest overlap of a ball with a triangle that was seen at the start of a flight, in radii.
    pub deepest: Real,
    /// Flights whose centre crossed a triangle by more than a millionth of the radius; 0 in exact mode, always.
    pub escapes: u64,
    /// Flights that went on where the ball does not fit: by more than a diameter in other modes than the exact one, and in all
    /// of them between surfaces that close to less than a diameter.
    pub squeezed: u64,
    /// Particles that were crushed between surfaces that closed on them: they count as died.
    pub crushed: u64,
    /// Times that something settled was let go by a surface that tilted, turned or braked too much for it.
    pub shaken: u64,
    /// Times that something that moves came upon what lay still.
    pub pushed: u64,
    /// Touches from which the wind carried a particle on.
    pub drifts: u64,
    /// Touches that splashed.
    pub splashes: u64,
    /// Drops that let go of an underside.
    pub drops: u64,
    /// Drops that became part of one that they touched: they count as died.
    pub joined: u64,
    /// Pieces that flows left behind: trails on surfaces, strands in the air.
    pub shed: u64,
    /// Particle-steps in which a film was too fast for the step and was slowed down.
    pub film_limit: u64,
    /// Landings of what then rolled to its place on a heap or on the scenery.
    pub landings: u64,
    /// Times that a particle went on to a lower place because the slope was too steep to stay.
    pub hops: u64,
    /// Particles that stay beyond their support by cohesion.
    pub ledges: u64,
    /// Particles that stopped rolling because the limit of rounds or hops was reached: always 0 unless the program is wrong.
    pub roll_limit: u64,
    /// Times that a settled particle moved on because what held it had gone.
    pub moved_on: u64,
    /// Particles that were taken back on their way because others had come to lie on it within the same step.
    pub taken_back: u64,
    /// Particles that had no place because others had come to lie on it; they count as lost.
    pub buried: u64,
    /// Numbers that were not finite: always 0 unless the program is wrong; such particles count as lost.
    pub not_finite: u64,
}

impl Tally {
    /// The sum of two; `deepest` is the larger.
    #[must_use]
    pub fn plus(self, o: Self) -> Self {
        Self {
            wanted: self.wanted + o.wanted,
            born: self.born + o.born,
            children: self.children + o.children,
            blocked: self.blocked + o.blocked,
            crowded: self.crowded + o.crowded,
            waited_out: self.waited_out + o.waited_out,
            over_limit: self.over_limit + o.over_limit,
            pushed_out: self.pushed_out + o.pushed_out,
            died: self.died + o.died,
            lost: self.lost + o.lost,
            contacts: self.contacts + o.contacts,
            contact_limit: self.contact_limit + o.contact_limit,
            deepest: self.deepest.max(o.deepest),
            escapes: self.escapes + o.escapes,
            squeezed: self.squeezed + o.squeezed,
            crushed: self.crushed + o.crushed,
            shaken: self.shaken + o.shaken,
            pushed: self.pushed + o.pushed,
            drifts: self.drifts + o.drifts,
            splashes: self.splashes + o.splashes,
            drops: self.drops + o.drops,
            joined: self.joined + o.joined,
            shed: self.shed + o.shed,
            film_limit: self.film_limit + o.film_limit,
            landings: self.landings + o.landings,
            hops: self.hops + o.hops,
            ledges: self.ledges + o.ledges,
            roll_limit: self.roll_limit + o.roll_limit,
            moved_on: self.moved_on + o.moved_on,
            taken_back: self.taken_back + o.taken_back,
            buried: self.buried + o.buried,
            not_finite: self.not_finite + o.not_finite,
        }
    }
}
