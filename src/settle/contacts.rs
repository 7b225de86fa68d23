//! Who is around a rolling particle and what it touches. Neighbours are gathered once and serve until it has left them.

use super::ground::{Ground, On, Touch};
use super::looked::Looked;
use crate::collide::{Collider, Near, Sweep};
use crate::geom::ROUNDOFF;
use crate::geom::sweep_balls::{TOUCH, sweep_balls};
use crate::math::{Point3, Real, Vec3};

/// How far from the place of gathering neighbours are known [radii].
const REACH: Real = 1.0;
/// How far from there the particle may be before they are gathered anew [radii]; the rest is for its next two pieces.
const ROAM: Real = 0.45;
/// Normals of triangles that differ by less are one contact.
const SAME: Real = 1e-9;

/// One settled particle near by.
#[derive(Debug, Clone, Copy)]
struct Neighbour {
    center: Point3,
    reach: Real,
    row: u32,
}

/// What a particle touches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub(super) normal: Vec3,
    pub(super) on: On,
}

impl Contact {
    /// Whether it is with a particle that rolls.
    pub(super) fn rolls(&self, ground: &Ground) -> bool {
        matches!(self.on, On::Ball(row) if ground.rolls(row))
    }
}

/// Neighbours and contacts; memory to be used again.
#[derive(Debug, Default)]
pub(super) struct Around {
    center: Option<Point3>,
    neighbours: Vec<Neighbour>,
    scenery: bool,
    near: Vec<Near>,
    /// Contacts in their order: triangles first, then balls, by number.
    pub(super) contacts: Vec<Contact>,
    /// Their normals.
    pub(super) normals: Vec<Vec3>,
}

impl Around {
    /// Whether any contact is with a particle that rolls.
    pub(super) fn touches_rolling(&self, ground: &Ground) -> bool {
        self.contacts.iter().any(|c| c.rolls(ground))
    }

    /// Forgets whom it knows.
    pub(super) fn clear(&mut self) {
        self.center = None;
        self.contacts.clear();
        self.normals.clear();
    }

    /// Finds what a ball touches: gaps of at most [`TOUCH`] radii.
    pub(super) fn look(&mut self, ground: &Ground, center: &Point3, radius: Real, looked: &mut Looked) {
        let known = self
            .center
            .is_some_and(|c| (c - center).norm_squared() <= (ROAM * radius) * (ROAM * radius));
        if !known {
            self.gather(ground, center, radius, looked);
        }
        self.contacts.clear();
        if self.scenery {
            ground
                .scenery()
                .near(center, radius * (1.0 + TOUCH), &mut self.near);
            for near in &self.near {
                // The triangles of one plane are one contact.
                let same = |c: &Contact| (c.normal - near.normal).norm_squared() <= SAME * SAME;
                if !self.contacts.iter().any(same) {
                    self.contacts.push(Contact {
                        normal: near.normal,
                        on: On::Triangle(near.triangle),
                    });
                }
            }
        }
        for n in &self.neighbours {
            let out = center - n.center;
            let zone = n.reach + TOUCH * radius;
            if out.norm_squared() <= zone * zone {
                self.contacts.push(Contact {
                    normal: out.try_normalize(0.0).unwrap_or(ground.world.up),
                    on: On::Ball(n.row),
                });
            }
        }
        self.normals.clear();
        self.normals.extend(self.contacts.iter().map(|c| c.normal));
    }

    fn gather(&mut self, ground: &Ground, center: &Point3, radius: Real, looked: &mut Looked) {
        let reach = (1.0 + REACH) * radius;
        self.center = Some(*center);
        looked.add(*center, Vec3::zeros(), reach);
        self.neighbours.clear();
        ground.balls.around(&ground.spheres, center, reach, |row| {
            let i = row as usize;
            self.neighbours.push(Neighbour {
                center: ground.spheres.position[i],
                reach: radius + ground.spheres.radius[i],
                row,
            });
        });
        self.neighbours.sort_unstable_by_key(|n| n.row);
        ground.scenery().near(center, reach, &mut self.near);
        self.scenery = !self.near.is_empty();
    }

    /// The first touch on a short way among the neighbours. `falls` leaves out those that are not lower.
    pub(super) fn first_touch(&self, ground: &Ground, sweep: &Sweep, falls: bool) -> Option<Touch> {
        let mut first = None;
        let mut least = (u64::MAX, On::Ball(u32::MAX));
        if self.scenery
            && let Some(hit) = ground.scenery().first_touch(sweep)
        {
            least = (hit.fraction.to_bits(), On::Triangle(hit.triangle));
            first = Some(Touch {
                fraction: hit.fraction,
                normal: hit.normal,
                on: least.1,
                depth: hit.depth,
            });
        }
        let ahead = if falls {
            TOUCH * sweep.radius * sweep.along.norm()
        } else {
            Real::NEG_INFINITY
        };
        for n in &self.neighbours {
            let m = sweep.from - n.center;
            if -m.dot(&sweep.along) <= ahead {
                continue;
            }
            if let Some(t) = sweep_balls(&m, &sweep.along, n.reach)
                && (t.to_bits(), On::Ball(n.row)) < least
            {
                least = (t.to_bits(), On::Ball(n.row));
                first = Some(Touch {
                    fraction: t,
                    normal: (m + sweep.along * t)
                        .try_normalize(0.0)
                        .unwrap_or(ground.world.up),
                    on: least.1,
                    depth: 0.0,
                });
            }
        }
        first
    }

    /// `path` leaning away from those touching triangles along which it goes, so that rounding does not press it into
    /// them.
    pub(super) fn lean(&self, path: Vec3, center: &Point3, radius: Real) -> Vec3 {
        let length = path.norm();
        let least = (1e-12 + 16.0 * ROUNDOFF * center.coords.amax().max(radius) / radius) * length;
        let touching = self.contacts.iter().filter(|c| matches!(c.on, On::Triangle(_)));
        touching.fold(path, |p, c| {
            let out = p.dot(&c.normal);
            if out < least && out >= -1e-9 * length {
                p + c.normal * (least - out)
            } else {
                p
            }
        })
    }
}
