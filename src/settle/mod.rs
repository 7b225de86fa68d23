//! What stays, and why: a particle that has landed rolls down until it is held and the slope around it is gentle.
//!
//! Particles roll one at a time over others that lie still, as far as the time of a step takes them. The path is a polyline: along the projected gravity by a
//! quarter of a radius with the exact sweep, then straight down to touch again (after Visscher & Bolsterli 1972, whose
//! arcs need spheres only; sweeps know triangles too).

mod cone;
mod contacts;
mod foot;
mod ground;
mod looked;
mod pace;
mod probe;

pub use ground::{Ground, On, Touch};
pub use looked::{Capsule, Change, Looked};

use crate::collide::Sweep;
use crate::math::{Point3, Real, Vec3};
use crate::scene::Response;
use crate::state::{Flyer, ON_PARTICLE, Status, Tally};
use contacts::Around;
use foot::{Stand, stand};
use pace::{Pace, Way};
use probe::{Seen, probe, touches_particle};

/// Length of a piece [radii]; between 0.05 and 0.5 the heaps are the same.
const PIECE: Real = 0.25;
/// Pieces and falls of one particle; measured are some twenty a landing.
const ROUNDS: usize = 40_000;
/// How often one particle may go on to a lower place.
const HOPS: u64 = 200;
/// A slope with a smaller sine is a pocket.
const POCKET: Real = 1e-6;
/// Sine of 75 degrees: on a steeper slope a particle is about to fall, and cohesion holds it if it can.
const STEEP: Real = 0.965_925_826_289_068_3;
/// Cohesion holds a particle back from falls deeper than this only [radii], and than its own length: on a slope it rolls
/// on as dry grains do, and what would rest on lower ground before it reaches so far out needs no ledge.
const DEEP: Real = 4.0;
/// A fall longer than this is flown, from so far down on [radii].
const FLOWN: Real = 16.0;
/// A surface carries by friction only where its normal rises by more than this.
const CARRIES: Real = 0.05;

/// How much steeper than its angle of repose the ground around a particle may be that lies there already [degrees].
/// Experiments find 1 to 3 between where an avalanche starts and where it stops (Bagnold 1966; Jaeger, Liu & Nagel 1989).
const MARGIN: Real = 3.0;

/// Memory that is used again and carries no meaning.
#[derive(Debug, Default)]
pub struct Memory {
    around: Around,
    shares: Vec<Real>,
    ways: Vec<Way>,
}

/// Where a particle has come to.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    /// The particle: settled, gone, rolling when the time is up, in the air when it falls for longer than that.
    pub p: Flyer,
    /// Time that is left [s].
    pub left: Real,
    /// Where its weight stands on the scenery [m].
    pub foot: Point3,
}

/// Why a particle goes no further, or that it does.
enum Verdict {
    Stays(Status, Stand),
    /// Along a slope, with the sine of it.
    Rolls(Vec3, Real),
    Falls,
    Over(Point3),
    /// What rolls helps to hold it.
    Waits,
    Ends,
}

struct Walk<'a> {
    ground: &'a Ground<'a>,
    p: Flyer,
    pace: Pace,
    /// Whether it lay here before.
    lay: bool,
    /// Where cohesion would hold it, if it falls deep beyond.
    ledge: Option<Point3>,
    hops: u64,
    memory: &'a mut Memory,
    looked: &'a mut Looked,
    tally: &'a mut Tally,
}

/// Lets a particle that touches something roll to where it stays, for a time [s] at the most. One that has landed starts
/// from rest; one that lay there already stays unless what held it has gone; one that rolls goes on.
pub fn settle(
    ground: &Ground,
    p: Flyer,
    time: Real,
    memory: &mut Memory,
    looked: &mut Looked,
    tally: &mut Tally,
) -> Settled {
    memory.around.clear();
    let ways = std::mem::take(&mut memory.ways);
    let mut walk = Walk {
        ground,
        p,
        pace: Pace::new(start(&p), p.radius, ground.world.gravity, time, ways),
        lay: p.status.is_settled(),
        ledge: None,
        hops: 0,
        memory,
        looked,
        tally,
    };
    let settled = walk.go();
    walk.note();
    walk.memory.ways = walk.pace.into_ways();
    settled
}

/// Velocity with which a particle begins to roll.
fn start(p: &Flyer) -> Vec3 {
    if p.status == Status::Rolling {
        p.velocity
    } else {
        Vec3::zeros()
    }
}

/// What comes of a fall.
enum Fall {
    /// It is on something else, or on the way to it.
    Lands,
    /// It is too long to be made here.
    Flies,
    /// Cohesion holds it where it was.
    Hangs(Point3),
}

impl Walk<'_> {
    /// Goes on until it stays, leaves or has no more time.
    fn go(&mut self) -> Settled {
        for _ in 0..ROUNDS {
            match self.verdict() {
                Verdict::Stays(status, stand) => return self.stay(status, &stand),
                Verdict::Ends => return self.gone(Status::Died),
                Verdict::Waits => {
                    self.pace.stop();
                    return self.rolling();
                }
                _ if self.pace.is_over() => return self.rolling(),
                Verdict::Rolls(way, slope) => self.piece(&(way / slope)),
                Verdict::Over(place) => self.hop(place),
                Verdict::Falls => match self.fall() {
                    Fall::Lands => {}
                    Fall::Flies => return self.gone(Status::Airborne),
                    Fall::Hangs(ledge) => return self.hang(ledge),
                },
            }
            self.lay = false;
        }
        self.tally.roll_limit += 1;
        let stand = self.stand();
        self.stay(Status::Rested, &stand)
    }

    fn stand(&mut self) -> Stand {
        stand(
            self.ground,
            &self.p.position,
            self.p.radius,
            &self.memory.around.contacts,
            &mut self.memory.shares,
        )
    }

    fn verdict(&mut self) -> Verdict {
        let world = self.ground.world;
        self.memory
            .around
            .look(self.ground, &self.p.position, self.p.radius, self.looked);
        let around = &self.memory.around;
        for c in &around.contacts {
            if let On::Triangle(t) = c.on {
                self.p.triangle = t;
                match world.response(t) {
                    Response::Die => return Verdict::Ends,
                    Response::Stick => return Verdict::Stays(Status::Stuck, self.stand()),
                    Response::Material if self.clings() => {
                        return Verdict::Stays(Status::Stuck, self.stand());
                    }
                    _ => {}
                }
            }
        }
        let down = -world.up;
        if down == Vec3::zeros() {
            return Verdict::Stays(Status::Rested, self.stand());
        }
        let (v, slope) = cone::project(&down, &around.normals);
        if v == down {
            return Verdict::Falls;
        }
        if !(slope < POCKET || self.rubs(slope)) {
            self.note_ledge(slope);
            return Verdict::Rolls(v, slope);
        }
        if self.leans_on_rolling() {
            return Verdict::Waits;
        }
        let stand = self.stand();
        let margin = if self.lay { MARGIN } else { 0.0 };
        match probe(
            self.ground,
            &self.p,
            &stand,
            margin,
            &self.memory.around,
            self.looked,
        ) {
            Seen::Over(place) if self.hops < HOPS => return Verdict::Over(place),
            Seen::Over(_) => self.tally.roll_limit += 1,
            Seen::Gentle => {}
        }
        Verdict::Stays(Status::Rested, stand)
    }

    /// How far it may hang out [m].
    fn cohesion(&self) -> Real {
        self.ground.world.materials[usize::from(self.p.material)]
            .substance
            .cohesion
    }

    /// Remembers the first place on the brink where cohesion can hold the particle: on another one that lies still, and
    /// not too far from where the weight stands.
    fn note_ledge(&mut self, slope: Real) {
        let cohesion = self.cohesion();
        if slope < STEEP {
            self.ledge = None;
        } else if self.ledge.is_none()
            && cohesion > 0.0
            && touches_particle(&self.memory.around)
            && !self.memory.around.touches_rolling(self.ground)
            && self.stand().eccentricity < cohesion
        {
            self.ledge = Some(self.p.position);
        }
    }

    /// Whether those that lie still do not hold it by themselves: what rolls holds nothing.
    fn leans_on_rolling(&mut self) -> bool {
        let ground = self.ground;
        let around = &mut self.memory.around;
        if !around.touches_rolling(ground) {
            return false;
        }
        let lying = around.contacts.iter().filter(|c| !c.rolls(ground));
        around.normals.clear();
        around.normals.extend(lying.map(|c| c.normal));
        let (_, slope) = cone::project(&-ground.world.up, &around.normals);
        !(slope < POCKET || self.rubs(slope))
    }

    /// Whether adhesion holds a single particle to the scenery: its weight over its section is 4/3 rho g r.
    fn clings(&self) -> bool {
        let world = self.ground.world;
        let substance = &world.materials[usize::from(self.p.material)].substance;
        substance.adhesion >= 4.0 / 3.0 * substance.density * world.gravity * self.p.radius
            && substance.adhesion > 0.0
    }

    /// Whether a surface of the scenery holds the particle by friction on a slope with this sine.
    fn rubs(&self, slope: Real) -> bool {
        let world = self.ground.world;
        self.memory.around.contacts.iter().any(|c| match c.on {
            On::Triangle(t) if c.normal.dot(&world.up) > CARRIES => {
                let friction = world.contact(self.p.material, t).map_or(0.0, |c| c.friction);
                // sin of the friction angle from its tangent.
                slope * slope * (1.0 + friction * friction) <= friction * friction
            }
            _ => false,
        })
    }

    /// Goes along the slope and down to touch again.
    fn piece(&mut self, way: &Vec3) {
        let (length, from, up) = (PIECE * self.p.radius, self.p.position, self.ground.world.up);
        self.short(way * length, false);
        self.short(-up * length, true);
        let went = self.p.position - from;
        self.pace.roll(&went, -went.dot(&up));
    }

    /// Goes on over a lower place, which is free up to there.
    fn hop(&mut self, place: Point3) {
        self.hops += 1;
        let went = place - self.p.position;
        self.pace.roll(&went, -went.dot(&self.ground.world.up));
        self.p.position = place;
        self.ledge = None;
        self.note();
        self.memory.around.clear();
    }

    /// Notes that the way up to here counts.
    fn note(&mut self) {
        self.memory.around.note(self.p.radius, self.looked);
    }

    /// A short sweep among the neighbours.
    fn short(&mut self, path: Vec3, falls: bool) {
        let around = &self.memory.around;
        let along = around.lean(path, &self.p.position, self.p.radius);
        let sweep = self.sweep(along);
        self.p.position += along * around.free_share(self.ground, &sweep, falls);
        self.memory.around.went(&self.p.position);
    }

    fn sweep(&self, along: Vec3) -> Sweep {
        Sweep {
            from: self.p.position,
            along,
            radius: self.p.radius,
            span: [0.0; 2],
        }
    }

    /// Falls straight down towards what is next.
    fn fall(&mut self) -> Fall {
        let world = self.ground.world;
        let down = -world.up;
        let to_floor = (0..3)
            .map(|i| {
                let far = if down[i] < 0.0 {
                    world.kill_box.min[i]
                } else {
                    world.kill_box.max[i]
                };
                (far - self.p.position[i]) * down[i]
            })
            .sum::<Real>();
        let path = down * (to_floor + 2.0 * self.p.radius).max(0.0);
        let along = self.memory.around.lean(path, &self.p.position, self.p.radius);
        let sweep = self.sweep(along);
        let touch = self.memory.around.first_below(self.ground, &sweep);
        let share = touch.map_or(1.0, |t| t.fraction);
        self.looked.add(self.p.position, along * share, self.p.radius);
        let length = along.norm();
        let height = length * share;
        if let Some(ledge) = self.ledge
            && height > Real::max(DEEP * self.p.radius, self.cohesion())
        {
            return Fall::Hangs(ledge);
        }
        self.ledge = None;
        let own = (FLOWN * self.p.radius).min(length);
        if touch.is_none() || height > own {
            // A wind that presses it against what it leaves would hold it there for ever.
            if length > 0.0 {
                self.p.position += along * (self.pace.fall(&down, own) / length);
            }
            return Fall::Flies;
        }
        let fallen = self.pace.fall(&down, height);
        self.p.position += if fallen < height {
            along * (fallen / length)
        } else {
            along * share
        };
        Fall::Lands
    }

    /// Goes back to where cohesion holds it.
    fn hang(&mut self, ledge: Point3) -> Settled {
        self.p.position = ledge;
        self.note();
        self.memory.around.clear();
        self.memory
            .around
            .look(self.ground, &ledge, self.p.radius, self.looked);
        self.tally.ledges += 1;
        let stand = self.stand();
        self.stay(Status::Rested, &stand)
    }

    fn stay(&mut self, status: Status, stand: &Stand) -> Settled {
        self.tally.hops += self.hops;
        self.p.status = status;
        self.p.velocity = Vec3::zeros();
        self.p.normal = stand.normal;
        let on_scenery = self
            .memory
            .around
            .contacts
            .iter()
            .any(|c| matches!(c.on, On::Triangle(_)));
        if !on_scenery {
            self.p.triangle = ON_PARTICLE;
        }
        Settled {
            p: self.p,
            left: self.pace.left(),
            foot: stand.foot,
        }
    }

    /// Stops on its way, because the time is up or another is in front of it.
    fn rolling(&mut self) -> Settled {
        let stand = self.stand();
        self.tally.hops += self.hops;
        self.p.status = Status::Rolling;
        self.p.velocity = self.pace.velocity();
        self.p.normal = stand.normal;
        Settled {
            p: self.p,
            left: 0.0,
            foot: stand.foot,
        }
    }

    /// Leaves the heap.
    fn gone(&mut self, status: Status) -> Settled {
        self.tally.hops += self.hops;
        self.p.status = status;
        self.p.velocity = Vec3::zeros();
        self.p.normal = Vec3::zeros();
        Settled {
            foot: self.p.position,
            left: self.pace.left(),
            p: self.p,
        }
    }
}
