//! What a ray of the camera meets first, and what of the sky and the lights that place can see.
//!
//! Knows no colours.

use super::covering::Covering;
use super::field::{Near, Passed};
use super::paint::V3;
use super::scenery::{Met, Scenery};
use super::view::View;
use crate::math::{Aabb, Point3, Real, Vec3, perpendiculars};

/// Length of the rays that look for what is near, as a share of the scene's diagonal.
const CONTACT: Real = 0.04;
/// How far such rays start from their surface, as a share of the scene's diagonal.
const SKIN: Real = 1e-6;
/// Rays a pixel that look for what is near, and different sets of them.
const OPEN_RAYS: usize = 2;
const OPEN_SETS: usize = 16;

/// What a pixel shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The sky.
    Sky,
    /// The plane behind the scenery.
    Ground,
    /// A surface of the scenery, by its number.
    Scenery(u32),
    /// Particles of a material, by its number among the names, that lie or fly.
    Particles {
        /// The material.
        material: u16,
        /// Whether they are spheres in the air.
        flying: bool,
    },
}

/// What a ray meets.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// What it is.
    pub seen: Seen,
    /// Distance from the eye; infinite for the sky.
    pub at: Real,
    /// The place; the eye for the sky.
    pub place: Point3,
    /// Unit normal towards the eye.
    pub normal: V3,
    /// Lights that reach it, a bit each.
    pub lit: u32,
    /// Share of the sky that nothing near hides.
    pub open: f32,
}

/// A scene that rays can be sent into.
pub struct Tracer<'a> {
    pub view: &'a View,
    pub scenery: &'a Scenery,
    pub covering: &'a Covering,
    thresholds: Vec<f32>,
    diagonal: Real,
    /// Beyond this distance from the eye there is no triangle, and no particle.
    reach: [Real; 2],
    open_sets: Vec<[V3; OPEN_RAYS]>,
}

/// Memory for one thread.
#[derive(Default)]
pub struct Scratch {
    pub near: Near,
    pub passed: Passed,
}

impl<'a> Tracer<'a> {
    pub fn new(view: &'a View, scenery: &'a Scenery, covering: &'a Covering) -> Self {
        let eye = &view.camera.eye;
        let whole = scenery.bounds.union(&covering.bounds);
        Self {
            view,
            scenery,
            covering,
            thresholds: view.materials.values().map(|m| m.threshold).collect(),
            diagonal: whole.diagonal().max(Real::MIN_POSITIVE),
            reach: [&scenery.bounds, &covering.bounds].map(|b| farthest(eye, b)),
            open_sets: (0..OPEN_SETS).map(open_set).collect(),
        }
    }

    /// The nearest of scenery and ground on a ray from the eye.
    pub fn backdrop(&self, ray: &Vec3) -> Sample {
        let met = self.scenery.first(&self.view.camera.eye, &(ray * self.reach[0]));
        self.behind(ray, met)
    }

    /// The same for rays that lie side by side.
    pub fn backdrops(&self, rays: &[Vec3]) -> Vec<Sample> {
        let eye = self.view.camera.eye;
        let met = self
            .scenery
            .first_of_each(rays.iter().map(|ray| (eye, ray * self.reach[0])));
        rays.iter()
            .zip(met)
            .map(|(ray, met)| self.behind(ray, met))
            .collect()
    }

    fn behind(&self, ray: &Vec3, met: Option<Met>) -> Sample {
        let eye = &self.view.camera.eye;
        let mut sample = Sample {
            seen: Seen::Sky,
            at: Real::INFINITY,
            place: *eye,
            normal: -ray.cast::<f32>(),
            lit: 0,
            open: 1.0,
        };
        if let Some(ground) = &self.view.ground {
            let at = (ground.y - eye.y) / ray.y;
            if at > 0.0 && at.is_finite() {
                sample = Sample {
                    seen: Seen::Ground,
                    at,
                    place: eye + ray * at,
                    normal: if ray.y < 0.0 { V3::y() } else { -V3::y() },
                    ..sample
                };
            }
        }
        let reach = self.reach[0];
        if let Some(met) = met.filter(|m| m.at * reach < sample.at) {
            sample = Sample {
                seen: Seen::Scenery(self.scenery.paint(met.triangle)),
                at: met.at * reach,
                place: eye + ray * (met.at * reach),
                normal: self.scenery.normal(met.triangle, ray).cast(),
                ..sample
            };
        }
        sample
    }

    /// Makes the list of particles that the rays of a cone may meet before `far`.
    pub fn gather(&self, axis: &Vec3, widening: Real, far: Real, near: &mut Near) {
        let eye = &self.view.camera.eye;
        let far = far.min(self.reach[1]);
        near.fill(eye, axis, |list| {
            self.covering.in_cone(eye, axis, widening, far, list)
        });
    }

    /// The first of everything on a ray of the cone whose list was made.
    pub fn first(&self, axis: &Vec3, ray: &Vec3, behind: Sample, scratch: &mut Scratch) -> Sample {
        let Scratch { near, passed } = scratch;
        if near.is_empty() {
            return behind;
        }
        let threshold = |material: u16| self.thresholds[usize::from(material)];
        let far = behind.at.min(self.reach[1]);
        let Some(surface) = near.first(axis, ray, far, threshold, passed) else {
            return behind;
        };
        Sample {
            seen: Seen::Particles {
                material: surface.material,
                flying: surface.flying,
            },
            at: surface.at,
            place: self.view.camera.eye + ray * surface.at,
            normal: surface.normal,
            ..behind
        }
    }

    /// A place just off a surface, from which rays may start.
    fn off(&self, sample: &Sample) -> Point3 {
        sample.place + sample.normal.cast::<Real>() * (SKIN * self.diagonal)
    }

    /// Finds which lights reach places that lie side by side.
    pub fn light(&self, samples: &mut [Sample]) {
        // Beyond the scene nothing is in the way.
        let within = 2.0 * self.diagonal + self.reach[0].max(self.reach[1]);
        for (light, bit) in self.view.lights.iter().take(32).zip(0..) {
            let mut lit: Vec<(usize, Point3, Vec3)> = Vec::with_capacity(samples.len());
            for (i, sample) in samples.iter().enumerate().filter(|(_, s)| s.seen != Seen::Sky) {
                let to = light.place - sample.place;
                if to.dot(&sample.normal.cast()) > 0.0 {
                    lit.push((i, self.off(sample), to * (within / to.norm()).min(1.0)));
                }
            }
            if light.shadows {
                let met = self
                    .scenery
                    .first_of_each(lit.iter().map(|(_, from, along)| (*from, *along)));
                let mut met = met.iter();
                lit.retain(|(_, from, along)| {
                    met.next().is_some_and(Option::is_none)
                        && self.covering.first_solid(from, along).is_none()
                });
            }
            for (i, _, _) in lit {
                samples[i].lit |= 1 << bit;
            }
        }
    }

    /// The share of the sky over a place that nothing near hides, by a few of all directions; `set` picks them.
    pub fn open(&self, sample: &Sample, set: usize) -> f32 {
        if sample.seen == Seen::Sky {
            return 1.0;
        }
        let normal = sample.normal.cast::<Real>();
        let (u, v) = perpendiculars(&normal);
        let from = self.off(sample);
        let length = CONTACT * self.diagonal;
        let hidden: f32 = self.open_sets[set % OPEN_SETS]
            .iter()
            .map(|d| {
                let [x, y, z] = [d.x, d.y, d.z].map(Real::from);
                let along = (u * x + v * y + normal * z) * length;
                let scenery = self.scenery.first(&from, &along).map_or(1.0, |m| m.at);
                let covering = self.covering.first_solid(&from, &along).unwrap_or(1.0);
                1.0 - scenery.min(covering) as f32
            })
            .sum();
        1.0 - hidden / OPEN_RAYS as f32
    }
}

/// Distance from a place beyond which nothing of a box lies; 0 for an empty box.
fn farthest(from: &Point3, bounds: &Aabb) -> Real {
    if bounds.is_empty() {
        return 0.0;
    }
    let corner = (bounds.min - from).abs().sup(&(bounds.max - from).abs());
    1.01 * corner.norm()
}

/// Directions over a surface, the more the nearer to its normal z (by their cosine), a ring apart from each other.
fn open_set(set: usize) -> [V3; OPEN_RAYS] {
    let mut rays = [V3::z(); OPEN_RAYS];
    for (k, ray) in rays.iter_mut().enumerate() {
        let number = (k * OPEN_SETS + (set * 7) % OPEN_SETS) as f32;
        let total = (OPEN_RAYS * OPEN_SETS) as f32;
        let square = (number + 0.5) / total;
        // Turned by the golden angle from one to the next.
        let turn = 2.399_963_2 * (number + 13.0 * set as f32);
        let (sin, cos) = libm::sincosf(turn);
        let radius = square.sqrt();
        *ray = V3::new(radius * cos, radius * sin, (1.0 - square).sqrt());
    }
    rays
}
