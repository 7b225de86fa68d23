//! What stays, and why: a particle that has landed rolls down until it is held and the slope around it is gentle.
//!
//! Particles roll one at a time over others that lie still. The path is a polyline: along the projected gravity by a
//! quarter of a radius with the exact sweep, then straight down to touch again (after Visscher & Bolsterli 1972, whose
//! arcs need spheres only; sweeps know triangles too).

mod cone;
mod contacts;
mod foot;
mod ground;
mod looked;
mod probe;

pub use ground::{Ground, On, Touch};
pub use looked::{Capsule, Looked};

use crate::collide::Sweep;
use crate::math::{Point3, Real, Vec3};
use crate::scene::Response;
use crate::state::{Flyer, NO_TRIANGLE, Status, Tally};
use contacts::Around;
use foot::{Stand, stand};
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
/// A surface carries by friction only where its normal rises by more than this.
const CARRIES: Real = 0.05;

/// Memory that is used again and carries no meaning.
#[derive(Debug, Default)]
pub struct Memory {
    around: Around,
    shares: Vec<Real>,
}

/// Where a particle has come to.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    /// The particle, settled or gone.
    pub p: Flyer,
    /// Where its weight stands on the scenery [m].
    pub foot: Point3,
}

/// Why a particle goes no further, or that it does.
enum Verdict {
    Stays(Status, Stand),
    Rolls(Vec3),
    Falls,
    Over(Point3),
    Ends,
}

struct Walk<'a> {
    ground: &'a Ground<'a>,
    p: Flyer,
    hops: u64,
    memory: &'a mut Memory,
    looked: &'a mut Looked,
    tally: &'a mut Tally,
}

/// Lets a particle that touches something roll to where it stays.
pub fn settle(
    ground: &Ground,
    mut p: Flyer,
    memory: &mut Memory,
    looked: &mut Looked,
    tally: &mut Tally,
) -> Settled {
    p.velocity = Vec3::zeros();
    memory.around.clear();
    tally.landings += 1;
    let mut walk = Walk {
        ground,
        p,
        hops: 0,
        memory,
        looked,
        tally,
    };
    for _ in 0..ROUNDS {
        match walk.verdict() {
            Verdict::Stays(status, stand) => return walk.stay(status, &stand),
            Verdict::Rolls(slope) => walk.piece(&slope),
            Verdict::Falls => {
                if !walk.fall() {
                    return walk.gone(Status::Lost);
                }
            }
            Verdict::Over(place) => {
                walk.hops += 1;
                walk.p.position = place;
                walk.memory.around.clear();
                if !walk.fall() {
                    return walk.gone(Status::Lost);
                }
            }
            Verdict::Ends => return walk.gone(Status::Died),
        }
    }
    walk.tally.roll_limit += 1;
    let stand = walk.stand();
    walk.stay(Status::Rested, &stand)
}

impl Walk<'_> {
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
        let v = cone::project(&down, &around.normals);
        if v == down {
            return Verdict::Falls;
        }
        let slope = v.norm();
        let held = slope < POCKET || self.rubs(slope);
        // Cohesion holds what is about to fall, and on a long slope no better than a pocket would.
        let may_hang = !held && slope >= STEEP && touches_particle(&self.memory.around);
        if held || may_hang {
            let stand = self.stand();
            let cohesion = world.materials[usize::from(self.p.material)].substance.cohesion;
            if may_hang && stand.eccentricity >= cohesion {
                return Verdict::Rolls(v);
            }
            match probe(self.ground, &self.p, &stand, &self.memory.around, self.looked) {
                Seen::Over(place) if self.hops < HOPS => return Verdict::Over(place),
                Seen::Over(_) => self.tally.roll_limit += 1,
                Seen::Gentle => {}
            }
            self.tally.ledges += u64::from(may_hang);
            return Verdict::Stays(Status::Rested, stand);
        }
        Verdict::Rolls(v)
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
    fn piece(&mut self, slope: &Vec3) {
        let length = PIECE * self.p.radius;
        if let Some(way) = slope.try_normalize(0.0) {
            self.short(way * length, false);
        }
        self.short(-self.ground.world.up * length, true);
    }

    /// A short sweep among the neighbours.
    fn short(&mut self, path: Vec3, falls: bool) {
        let around = &self.memory.around;
        let along = around.lean(path, &self.p.position, self.p.radius);
        let sweep = self.sweep(along);
        let touch = around.first_touch(self.ground, &sweep, falls);
        self.p.position += along * touch.map_or(1.0, |t| t.fraction);
    }

    fn sweep(&self, along: Vec3) -> Sweep {
        Sweep {
            from: self.p.position,
            along,
            radius: self.p.radius,
            span: [0.0; 2],
        }
    }

    /// Falls straight down to what is next; false when there is nothing.
    fn fall(&mut self) -> bool {
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
        let touch = self.ground.first_below(&sweep);
        let went = along * touch.map_or(1.0, |t| t.fraction);
        self.looked.add(self.p.position, went, self.p.radius);
        self.p.position += went;
        touch.is_some() && world.kill_box.contains(&self.p.position)
    }

    fn stay(mut self, status: Status, stand: &Stand) -> Settled {
        self.tally.hops += self.hops;
        self.p.status = status;
        self.p.normal = stand.normal;
        let on_scenery = self
            .memory
            .around
            .contacts
            .iter()
            .any(|c| matches!(c.on, On::Triangle(_)));
        if !on_scenery {
            self.p.triangle = NO_TRIANGLE;
        }
        Settled {
            p: self.p,
            foot: stand.foot,
        }
    }

    fn gone(mut self, status: Status) -> Settled {
        self.tally.hops += self.hops;
        self.p.status = status;
        Settled {
            foot: self.p.position,
            p: self.p,
        }
    }
}
