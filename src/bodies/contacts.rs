//! Pairs of particles of two bodies that touch, or nearly do.

use super::fill::Fill;
use super::motion::Motion;
use crate::math::{Aabb, Point3, Real, Vec3};

/// Two particles count as touching up to this gap, in radii of the smaller. Over the hollow between four particles of a
/// flat face one that touches the face is (sqrt 6 - 2) radii away.
pub const MARGIN: Real = 0.45;

/// A pair of particles at the surfaces of bodies A and B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Particle of A.
    pub a: u32,
    /// Particle of B.
    pub b: u32,
    /// Centre of A's particle in the world [m].
    pub at_a: Point3,
    /// Centre of B's [m].
    pub at_b: Point3,
    /// Distance of the centres less both radii [m].
    pub gap: Real,
}

/// Particles at a surface, found by place: cells of the lattice of a box, each with a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    low: Vec3,
    per_cell: Real,
    counts: [usize; 3],
    starts: Vec<u32>,
    particles: Vec<u32>,
}

impl Index {
    /// Of the particles at the surface of a body.
    pub fn new(fill: &Fill) -> Self {
        let edge = (2.0 + MARGIN) * fill.radius;
        let points: Vec<Point3> = fill.surface().iter().map(|p| Point3::from(*p)).collect();
        let bounds = Aabb::around(&points);
        let extent = bounds.extent();
        let counts = [0, 1, 2].map(|k| (extent[k] / edge) as usize + 1);
        let mut index = Self {
            low: bounds.min.coords,
            per_cell: 1.0 / edge,
            counts,
            starts: vec![0; counts.iter().product::<usize>() + 1],
            particles: vec![0; points.len()],
        };
        let cells: Vec<usize> = fill
            .surface()
            .iter()
            .map(|p| index.number(index.cell(p)))
            .collect();
        for &cell in &cells {
            index.starts[cell + 1] += 1;
        }
        for cell in 1..index.starts.len() {
            index.starts[cell] += index.starts[cell - 1];
        }
        let mut next = index.starts.clone();
        for (particle, &cell) in cells.iter().enumerate() {
            index.particles[next[cell] as usize] = particle as u32;
            next[cell] += 1;
        }
        index
    }

    fn cell(&self, place: &Vec3) -> [usize; 3] {
        [0, 1, 2].map(|k| {
            let at = (place[k] - self.low[k]) * self.per_cell;
            // Casts of floats saturate: what lies below comes to 0.
            (at as usize).min(self.counts[k] - 1)
        })
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Calls `found` for the particles in the cells that a cube of half edge `reach` around a place of the body meets.
    fn around(&self, place: &Vec3, reach: Real, mut found: impl FnMut(u32)) {
        let r = Vec3::repeat(reach);
        let (low, high) = (self.cell(&(place - r)), self.cell(&(place + r)));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let [from, to] = [low[0], high[0]].map(|x| self.number([x, y, z]));
                let [from, to] = [self.starts[from], self.starts[to + 1]].map(|s| s as usize);
                self.particles[from..to].iter().for_each(|&p| found(p));
            }
        }
    }
}

/// A body as a partner of contacts.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its particles.
    pub fill: &'a Fill,
    /// The index of those at its surface.
    pub index: &'a Index,
    /// Where it is.
    pub motion: &'a Motion,
}

impl Side<'_> {
    /// Centre of a particle in the world [m].
    pub fn place(&self, particle: u32) -> Point3 {
        self.motion.to_world(&self.fill.places[particle as usize])
    }

    /// Largest gap that counts as a contact with a particle of this radius [m].
    pub fn margin(&self, other: Real) -> Real {
        MARGIN * self.fill.radius.min(other)
    }
}

/// Contacts of two bodies up to a gap of `margin` [m], by A's particle, then by B's.
pub fn find(a: Side, b: Side, margin: Real, contacts: &mut Vec<Contact>) {
    contacts.clear();
    let reach = a.fill.radius + b.fill.radius + margin;
    let near = (a.motion.center - b.motion.center).norm();
    if near > a.fill.reach + b.fill.reach + margin {
        return;
    }
    for (particle, place) in b.fill.surface().iter().enumerate() {
        let at_b = b.motion.to_world(place);
        // Most of B is far from A.
        if (at_b - a.motion.center).norm() > a.fill.reach + b.fill.radius + margin {
            continue;
        }
        let seen = a.motion.to_body(&at_b);
        a.index.around(&seen, reach, |other| {
            let square = (a.fill.places[other as usize] - seen).norm_squared();
            if square < reach * reach {
                contacts.push(Contact {
                    a: other,
                    b: particle as u32,
                    at_a: a.place(other),
                    at_b,
                    gap: square.sqrt() - a.fill.radius - b.fill.radius,
                });
            }
        });
    }
    contacts.sort_unstable_by_key(|c| (c.a, c.b));
}
