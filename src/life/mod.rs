//! The life of particles: what age, touches and places make of them.
//!
//! Everything follows from a particle's own row (birth, key, place), so nothing is remembered between steps. This room
//! knows neither flights nor surfaces.

mod offspring;

use crate::emit::draw_radius;
use crate::force::share_of_region;
use crate::material::{Material, RadiusLaw};
use crate::math::{Point3, Real, Vec3};
use crate::rng::{Purpose, stream};
use crate::scene::{Event, Life, Region, Then, When};
use crate::state::{Birth, Flyer, Particles, Status};
use offspring::Brood;

/// The lives of all materials.
pub struct Lives {
    lives: Vec<Life>,
    /// Radii of each material's particles.
    radii: Vec<RadiusLaw>,
    seed: u64,
}

/// Something that is due to a particle because of its age.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// When [s].
    pub moment: Real,
    then: Then,
    /// Number of the event in its material; the end of a lifetime comes after all.
    number: usize,
}

impl Lives {
    /// The lives that a scene gives to its materials.
    pub fn new(lives: &[Life], materials: &[Material], seed: u64) -> Self {
        Self {
            lives: lives.to_vec(),
            radii: materials.iter().map(|m| m.radius).collect(),
            seed,
        }
    }

    /// Whether anything can happen to particles of a material.
    pub fn has_any(&self, material: u16) -> bool {
        let life = self.lives.get(usize::from(material));
        life.is_some_and(|l| l.lifetime.is_some() || !l.events.is_empty())
    }

    fn events(&self, material: u16) -> impl Iterator<Item = (usize, &Event)> {
        let life = self.lives.get(usize::from(material));
        life.into_iter().flat_map(|l| l.events.iter().enumerate())
    }

    /// What is due first by age, after one moment and not after another [s]; `after`: what was done at the first moment.
    pub fn next_due(&self, p: &Flyer, from: Real, to: Real, after: Option<&Due>) -> Option<Due> {
        let of_age = self.events(p.material).filter_map(|(number, event)| match event.when {
            When::Age(age) => Some(Due {
                moment: p.born + age,
                then: event.then,
                number,
            }),
            _ => None,
        });
        let done = after.map_or((from, usize::MAX), |d| (d.moment, d.number));
        let open = |d: &Due| (d.moment, d.number) > done && d.moment <= to;
        let all = of_age.chain(self.end_of_life(p)).filter(open);
        all.min_by(|a, b| a.moment.total_cmp(&b.moment).then(a.number.cmp(&b.number)))
    }

    fn end_of_life(&self, p: &Flyer) -> Option<Due> {
        let lifetime = self.lives.get(usize::from(p.material))?.lifetime?;
        let mut draws = stream(self.seed, Purpose::Life, p.key, 0);
        let span = lifetime.mean * (1.0 + lifetime.variation * draws.between(-1.0, 1.0));
        Some(Due {
            moment: p.born + span,
            then: Then::Kill,
            number: usize::MAX,
        })
    }

    /// Does what is due.
    pub fn act(&self, p: &mut Flyer, due: &Due, children: &mut Vec<Birth>) {
        self.happen(p, due.number, due.then, due.moment, children);
    }

    /// The first touch of a surface at a moment [s].
    pub fn touch(&self, p: &mut Flyer, time: Real, normal: &Vec3, children: &mut Vec<Birth>) {
        for (number, event) in self.events(p.material) {
            if event.when == When::Contact && !p.status.is_gone() {
                let was = std::mem::replace(&mut p.normal, *normal);
                self.happen(p, number, event.then, time, children);
                if !p.status.is_settled() {
                    p.normal = was;
                }
            }
        }
    }

    /// A way of a particle that ends at a moment [s]: it may have led out of a region.
    pub fn moved(&self, p: &mut Flyer, start: &Point3, time: Real, children: &mut Vec<Birth>) {
        for (number, event) in self.events(p.material) {
            if let When::Leaves(region) = &event.when
                && !p.status.is_gone()
                && is_in(region, start)
                && !is_in(region, &p.position)
            {
                self.happen(p, number, event.then, time, children);
            }
        }
    }

    fn happen(&self, p: &mut Flyer, event: usize, then: Then, time: Real, children: &mut Vec<Birth>) {
        let mut draws = stream(self.seed, Purpose::Life, p.key, 1 + event as u64);
        let brood = |material, speed| Brood {
            parent: &*p,
            event,
            material,
            speed,
            time,
        };
        match then {
            Then::Kill => p.status = Status::Died,
            Then::Split { count, speed } => {
                // Parts are smaller than any whole one, so that they do not split without end.
                let least = self.radii[usize::from(p.material)].min();
                if p.radius >= least * (1.0 - 1e-9) {
                    let radius = p.radius / libm::cbrt(Real::from(count));
                    let radii = std::iter::repeat_n(radius, count as usize);
                    brood(p.material, speed).add(radii, &mut draws, children);
                    p.status = Status::Died;
                }
            }
            Then::Emit {
                material,
                count,
                speed,
            } => {
                let law = &self.radii[material];
                // None larger than the parent, in whose ball they begin.
                let radii: Vec<Real> = (0..count)
                    .map(|_| draw_radius(law, &mut draws).min(p.radius))
                    .collect();
                brood(material as u16, speed).add(radii, &mut draws, children);
            }
        }
    }

    /// What age makes, in a span of time [s], of the particles that do not fly: marks the dead and returns their rows,
    /// in order. Flying ones are asked on their way.
    pub fn apply(&self, particles: &mut Particles, span: [Real; 2], children: &mut Vec<Birth>) -> Vec<usize> {
        let mut died = Vec::new();
        if self.lives.iter().all(|l| *l == Life::default()) {
            return died;
        }
        for row in 0..particles.len() {
            let status = particles.status[row];
            if status == Status::Airborne || status.is_gone() || !self.has_any(particles.material[row]) {
                continue;
            }
            let mut p = particles.flyer(row);
            let mut done = None;
            while let Some(due) = self.next_due(&p, span[0], span[1], done.as_ref()) {
                self.act(&mut p, &due, children);
                if p.status.is_gone() {
                    particles.status[row] = p.status;
                    died.push(row);
                    break;
                }
                done = Some(due);
            }
        }
        died
    }
}

fn is_in(region: &Region, place: &Point3) -> bool {
    share_of_region(region, place) > 0.0
}
