//! What flows: layers of slime, mud and oil on the scenery, the drops and strands that hang from them, and what they
//! leave behind.
//!
//! Particles are portions of a layer. They do not collide with each other; a portion moves by the height and slope of the
//! layer around it. A step looks at all of them as they stand, moves each for itself, and writes all back in their order,
//! so the result does not depend on threads.

mod drop;
mod glide;
mod join;
pub mod law;
mod neighbours;
mod sense;
mod strand;
mod trail;
mod walk;

use rayon::prelude::*;

use crate::collide::Near;
use crate::math::{Real, Vec3, ball_radius, ball_volume};
use crate::rng::identity;
use crate::state::{Birth, Film, Flyer, NO_TRIANGLE, Particles, State, Status, Tally};
use crate::world::{Scenery, World};
use neighbours::{Kind, Member, Neighbours, Stirred};
use sense::{Sense, sense};
use trail::Trail;
use walk::{Feet, walk};

/// Portions that one task moves.
const CHUNK: usize = 64;
/// Parts of a step at most. Thicker layers would need more to stay even; they are slowed down instead, and counted.
const SUBSTEPS: usize = 8;
/// The longest way in a part of a step, in radii: a portion must not pass its neighbours unseen.
const FARTHEST: Real = 2.0;
/// A way shorter than this in a part of a step, in radii, is none.
const CREEP: Real = 1e-5;
/// Pieces that one portion may leave in a part of a step: as many as it walks.
const MOST_SHED: u64 = 32;

/// Memory that is used again in every step and carries no meaning between them.
#[derive(Debug, Default)]
pub struct Memory {
    members: Vec<Member>,
    neighbours: Neighbours,
    stirred: Stirred,
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Walked {
    /// On the surface.
    Stays,
    /// The surface ended or froze it.
    Ends,
    /// In the air, going this way.
    Leaves(Vec3),
}

/// A piece that is left behind.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shed {
    position: crate::math::Point3,
    radius: Real,
    normal: Vec3,
    triangle: u32,
}

/// A portion that moves in this part of the step, with what it feels.
struct Portion {
    row: u32,
    acceleration: Vec3,
    /// `None` for one that hangs.
    sense: Option<Sense>,
}

/// What became of a portion.
struct Moved {
    p: Flyer,
    film: Film,
    sheds: Vec<Shed>,
}

/// Takes the volume of a ball from a particle.
fn give_up(p: &mut Flyer, radius: Real) {
    p.radius = ball_radius(ball_volume(p.radius) - ball_volume(radius));
}

/// Lets everything that flows flow through a step that begins at the moment `start` [s].
pub fn advance(world: &World, state: &mut State, memory: &mut Memory, start: Real) {
    let particles = &mut state.particles;
    if !(0..world.materials.len()).any(|m| world.flows(m as u16)) {
        return;
    }
    particles.film.resize(particles.status.len(), Film::default());
    let mut parts = 1;
    let mut part = 0;
    while part < parts {
        look(world, &state.particles, memory);
        let portions = portions(world, &state.particles, memory, start);
        if part == 0 {
            parts = parts_of_step(world, &state.particles, &portions);
        }
        let dt = world.step / parts as Real;
        let room = world.particle_limit.saturating_sub(state.tally.born);
        let may_shed = room >= MOST_SHED.saturating_mul(portions.len() as u64);
        let scenery = world.at(start + world.step);
        let stage = Stage {
            world,
            scenery,
            particles: &state.particles,
            neighbours: &memory.neighbours,
            dt,
            may_shed,
        };
        let moved: Vec<(Vec<Moved>, Tally)> = portions.par_chunks(CHUNK).map(|c| stage.chunk(c)).collect();
        let rows = portions.iter().map(|p| p.row as usize);
        let mut rows = rows.into_iter();
        for (chunk, tally) in moved {
            state.tally = state.tally.plus(tally);
            for moved in chunk {
                if let Some(row) = rows.next() {
                    write_back(state, memory, row, moved, start);
                }
            }
        }
        join::join(world, &scenery, &mut state.particles, &mut state.tally);
        part += 1;
    }
}

/// How far the volume of a particle is spread [m].
fn reach(world: &World, material: u16, radius: Real) -> Real {
    law::REACH * radius.max(world.materials[usize::from(material)].radius.typical())
}

/// Finds who takes part, where, and around whom something moves.
fn look(world: &World, particles: &Particles, memory: &mut Memory) {
    let member = |i: usize| {
        let (status, film) = (particles.status[i], particles.film[i]);
        let kind = match status {
            Status::Flowing if film.strand > 0.0 => Kind::Hanging,
            Status::Flowing => Kind::Mobile,
            _ if !status.is_settled() => return None,
            _ if particles.triangle[i] == NO_TRIANGLE => Kind::Thread,
            _ => Kind::Laid,
        };
        world.flows(particles.material[i]).then(|| Member {
            at: particles.position[i],
            normal: particles.normal[i],
            volume: ball_volume(particles.radius[i]),
            reach: reach(world, particles.material[i], particles.radius[i]),
            row: i as u32,
            kind,
        })
    };
    memory.members.clear();
    memory
        .members
        .par_extend((0..particles.len()).into_par_iter().filter_map(member));
    let reaches = memory.members.iter().map(|m| m.reach);
    let (least, most) = reaches.fold((Real::INFINITY, 0.0), |(a, b): (Real, Real), r| {
        (a.min(r), b.max(r))
    });
    memory.neighbours.fill(&memory.members, least);
    memory.stirred.clear(most.max(Real::MIN_POSITIVE));
    for m in &memory.members {
        if m.kind.moves() && !particles.film[m.row as usize].still {
            memory.stirred.mark(&m.at);
        }
    }
}

/// Who may move: whoever moved in the last part of a step, and all around them. Others need not even look.
fn portions(world: &World, particles: &Particles, memory: &Memory, time: Real) -> Vec<Portion> {
    let one = |m: &Member| {
        if !m.kind.moves() || particles.film[m.row as usize].still && !memory.stirred.holds(&m.at) {
            return None;
        }
        let acceleration = world.forces.at(&m.at, time, 0).acceleration;
        let down = acceleration.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        Some(Portion {
            row: m.row,
            acceleration,
            sense: (m.kind == Kind::Mobile).then(|| sense(&memory.neighbours, m, &down)),
        })
    };
    memory.members.par_iter().filter_map(one).collect()
}

/// Into how many parts a step must be cut: a layer levels out like heat, explicitly only while a part is shorter than
/// R^2 / 4 D.
fn parts_of_step(world: &World, particles: &Particles, portions: &[Portion]) -> usize {
    let longest = portions.par_iter().filter_map(|p| {
        let material = particles.material[p.row as usize];
        let limit = longest_part(world, material, particles.radius[p.row as usize], p)?;
        Some(world.step / limit)
    });
    let parts = longest.reduce(|| 1.0, Real::max);
    (parts.ceil() as usize).clamp(1, SUBSTEPS)
}

/// The longest part of a step [s] through which a portion's surroundings stay even.
fn longest_part(world: &World, material: u16, radius: Real, portion: &Portion) -> Option<Real> {
    let sense = portion.sense?;
    let substance = &world.materials[usize::from(material)].substance;
    let reach = reach(world, material, radius);
    let spreading = law::spreading(substance, sense.height, portion.acceleration.norm());
    Some(reach * reach / (4.0 * spreading))
}

/// What all portions of a part of a step see.
struct Stage<'a> {
    world: &'a World,
    /// What the layers flow over, at the end of the step.
    scenery: Scenery<'a>,
    particles: &'a Particles,
    neighbours: &'a Neighbours,
    dt: Real,
    may_shed: bool,
}

impl Stage<'_> {
    fn chunk(&self, portions: &[Portion]) -> (Vec<Moved>, Tally) {
        let mut tally = Tally::default();
        let mut feet = Feet::default();
        let moved = portions
            .iter()
            .map(|p| self.one(p, &mut feet, &mut tally))
            .collect();
        (moved, tally)
    }

    fn one(&self, portion: &Portion, feet: &mut Feet, tally: &mut Tally) -> Moved {
        let row = portion.row as usize;
        let mut moved = Moved {
            p: self.particles.flyer(row),
            film: self.particles.film[row],
            sheds: Vec::new(),
        };
        moved.film.still = false;
        match &portion.sense {
            Some(sense) => self.flow(portion, sense, &mut moved, feet, tally),
            None => strand::hang(self, &mut moved, &portion.acceleration, tally),
        }
        self.count_losses(&mut moved.p, tally);
        moved
    }

    /// A portion on a surface: it lets go, stands, or runs.
    fn flow(&self, portion: &Portion, sense: &Sense, moved: &mut Moved, feet: &mut Feet, tally: &mut Tally) {
        let Moved { p, film, .. } = moved;
        let material = &self.world.materials[usize::from(p.material)];
        let (substance, a) = (&material.substance, &portion.acceleration);
        let along = (a - p.normal * a.dot(&p.normal)).norm();
        if drop::lets_go(substance, sense, a, &p.normal) {
            tally.drops += 1;
            let gravity = a.norm();
            let longest = strand::longest(material, p.radius, gravity);
            strand::begin(p, film, &(a / gravity), longest);
            return;
        }
        if !std::mem::replace(&mut film.caught, true) && glide::glide(self, sense, a, moved, feet, tally) {
            return;
        }
        let Moved { p, film, sheds } = moved;
        let drive = law::drive(a, &p.normal, &sense.gradient);
        let way = self.way(portion, sense, p, drive.norm(), tally);
        if way <= CREEP * p.radius {
            p.velocity = Vec3::zeros();
            film.still = true;
            return;
        }
        let pull = a + sense.gradient * a.dot(&p.normal);
        let trail = Trail::new(material, sense.laid, along).filter(|_| self.may_shed);
        let from = p.position;
        let leave = |p: &mut Flyer, way: Real| {
            if let Some(trail) = &trail {
                sheds.extend(trail.leave(p, film, way));
            }
        };
        let walked = walk(self, p, &pull, way, feet, tally, leave);
        p.velocity = match walked {
            Walked::Stays => (p.position - from) / self.dt,
            Walked::Ends => Vec3::zeros(),
            Walked::Leaves(along) => {
                p.status = Status::Airborne;
                p.normal = Vec3::zeros();
                *film = Film::default();
                along * (way / self.dt)
            }
        };
    }

    /// The way [m] in this part of the step.
    fn way(&self, portion: &Portion, sense: &Sense, p: &Flyer, drive: Real, tally: &mut Tally) -> Real {
        let substance = &self.world.materials[usize::from(p.material)].substance;
        let speed = law::speed(substance, sense.height, drive);
        let even =
            longest_part(self.world, p.material, p.radius, portion).map_or(1.0, |limit| limit / self.dt);
        let way = speed * self.dt * even.min(1.0);
        tally.film_limit += u64::from(speed > 0.0 && (even < 1.0 || way > FARTHEST * p.radius));
        way.min(FARTHEST * p.radius)
    }

    fn count_losses(&self, p: &mut Flyer, tally: &mut Tally) {
        let finite = p.position.iter().chain(p.velocity.iter()).all(|x| x.is_finite());
        tally.not_finite += u64::from(!finite);
        if p.status == Status::Died {
            tally.died += 1;
        } else if !finite || !self.world.kill_box.contains(&p.position) {
            p.status = Status::Lost;
            tally.lost += 1;
        }
    }
}

/// Writes a portion back and gives birth to what it left behind.
fn write_back(state: &mut State, memory: &Memory, row: usize, mut moved: Moved, time: Real) {
    let particles = &mut state.particles;
    if moved.p.status != Status::Flowing {
        // It is no longer there to be looked at, so those around are told now.
        let at = particles.position[row];
        memory.neighbours.around(&at, |m| {
            if let Some(film) = particles.film.get_mut(m.row as usize) {
                film.still = false;
            }
        });
    }
    for shed in &moved.sheds {
        let birth = Birth {
            position: shed.position,
            velocity: Vec3::zeros(),
            radius: shed.radius,
            material: moved.p.material,
            time,
            key: identity(moved.p.key, 1),
        };
        moved.p.key = identity(moved.p.key, 0);
        particles.push_settled(
            state.tally.born,
            &birth,
            Status::Stuck,
            shed.normal,
            shed.triangle,
        );
        particles.film.push(Film::default());
        state.tally.wanted += 1;
        state.tally.born += 1;
        state.tally.children += 1;
        state.tally.shed += 1;
    }
    particles.set_flyer(row, &moved.p);
    particles.film[row] = moved.film;
}
