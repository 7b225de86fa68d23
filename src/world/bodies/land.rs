//! What bodies meet: scenery that stands still, scenery that moves by keys, and for corners of an elastic body all other
//! bodies.

use crate::bodies::elastic::{Elastic, Met, Obstacle};
use crate::bodies::lattice::Lattice;
use crate::bodies::points::Touch;
use crate::bodies::step::{Body, Ground, Kind};
use crate::collide::mesh::StaticMesh;
use crate::collide::moving::{Blow, Mover, Movers, Seat, Way};
use crate::collide::{Collider, Near, Sweep};
use crate::geom::moving::weights;
use crate::math::{Point3, Real, Vec3};

/// Part of an obstacle that does not give way.
const FIXED: u32 = u32::MAX;

/// The scenery in one step, as rigid bodies meet it.
#[derive(Clone, Copy)]
pub(super) struct Land<'a> {
    /// What stands still.
    pub(super) still: &'a StaticMesh,
    /// What moves by keys.
    pub(super) keyed: &'a Movers,
    /// Start and end of the step [s].
    pub(super) span: [Real; 2],
}

impl Land<'_> {
    /// How far something that moves may come in the step, where it has the velocity that it has at a place [m].
    fn stride(&self, place: &Point3) -> Real {
        let of = |(number, mover): (u32, &Mover)| self.velocity(number, mover, place).norm();
        let fastest = (0..).zip(self.keyed.all()).map(of).fold(0.0, Real::max);
        fastest * (self.span[1] - self.span[0])
    }

    fn velocity(&self, number: u32, mover: &Mover, place: &Point3) -> Vec3 {
        let seat = Seat {
            mover: number,
            triangle: mover.triangles().start,
        };
        self.keyed.velocity_at(seat, place, self.span[0])
    }
}

impl Ground for Land<'_> {
    fn is_clear(&self, place: &Point3, reach: Real) -> bool {
        let still = self.still.deepest_overlap(place, reach).is_none();
        still
            && (self.keyed.is_empty()
                || self
                    .keyed
                    .close_to(place, reach + self.stride(place), self.span)
                    .is_empty())
    }

    fn near(&self, particle: u32, at: &Point3, reach: Real, touches: &mut Vec<Touch>) {
        let mut found: Vec<Near> = Vec::new();
        self.still.near(at, reach, &mut found);
        let touch = |n: &Near, velocity: Vec3| Touch {
            particle,
            at: *at,
            point: n.point,
            normal: n.normal,
            velocity,
        };
        touches.extend(found.iter().map(|n| touch(n, Vec3::zeros())));
        if self.keyed.is_empty() {
            return;
        }
        found.clear();
        self.keyed
            .add_near(at, reach + self.stride(at), self.span[0], &mut found);
        for n in &found {
            let seat = self.keyed.seat(n.triangle);
            let velocity = seat.map(|s| self.keyed.velocity_at(s, &n.point, self.span[0]));
            touches.push(touch(n, velocity.unwrap_or_else(Vec3::zeros)));
        }
    }

    fn stirs(&self, place: &Point3, reach: Real) -> bool {
        if self.keyed.is_empty() {
            return false;
        }
        let moves = |number: u32| match &self.keyed.all()[number as usize] {
            // What turns about the place itself has no velocity there.
            mover @ Mover::Body(_) => [Vec3::zeros(), Vec3::x(), Vec3::y()]
                .iter()
                .any(|off| self.velocity(number, mover, &(place + off)) != Vec3::zeros()),
            mover @ Mover::Cloth(_) => mover.even_until(self.span[0]).is_finite(),
        };
        self.keyed
            .close_to(place, reach + self.stride(place), self.span)
            .into_iter()
            .any(moves)
    }
}

/// Whose surface something else is, for corners of an elastic body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A rigid body, by its number.
    Rigid(u32),
    /// An elastic body, by its number.
    Soft(u32),
}

/// Whose a surface is, and the corners of its triangles.
pub(super) type Owned = (Owner, Vec<[u32; 3]>);

/// An elastic body that moves.
pub(super) struct Jelly<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) body: Elastic,
    pub(super) friction: Real,
}

/// Everything but one elastic body, as its corners meet it.
pub(super) struct Crowd<'a, 'b> {
    pub(super) land: Land<'b>,
    /// Surfaces of other bodies in this step, and whose they are.
    pub(super) others: Movers,
    pub(super) owners: Vec<Owned>,
    pub(super) rigid: &'b mut [Body],
    pub(super) kinds: &'b [Kind],
    /// All elastic bodies; the one that asks is not among those met.
    pub(super) soft: &'b mut [Jelly<'a>],
    /// Distance that corners keep [m].
    pub(super) radius: Real,
    pub(super) friction: Real,
}

impl Crowd<'_, '_> {
    /// Whose a triangle of another body is, and its corners.
    fn owner(&self, part: u32) -> Option<(Owner, [u32; 3])> {
        let seat = self.others.seat(part).filter(|_| part != FIXED)?;
        let first = self.others.all()[seat.mover as usize].triangles().start;
        let (owner, triangles) = &self.owners[seat.mover as usize];
        Some((*owner, triangles[(part - first) as usize]))
    }

    /// How a place of an elastic body moves with the corners of its triangle.
    fn shares(&self, soft: u32, corners: [u32; 3], place: &Point3) -> [(usize, Real); 3] {
        let at = &self.soft[soft as usize].body.at;
        let weights = weights(&corners.map(|c| at[c as usize]), place);
        [0, 1, 2].map(|k| (corners[k] as usize, weights[k]))
    }

    fn met(&self, blow: &Blow, span: [Real; 2], others: bool) -> Met {
        let mut met = Met {
            fraction: ((blow.time - span[0]) / (span[1] - span[0])).clamp(0.0, 1.0),
            place: blow.place,
            point: blow.point,
            normal: blow.normal,
            friction: self.friction,
            velocity: blow.surface,
            carries: blow.surface,
            depth: blow.depth.clamp(0.0, self.radius),
            part: FIXED,
        };
        if !others {
            return met;
        }
        met.part = blow.triangle;
        if let Some((owner, corners)) = self.owner(blow.triangle) {
            let other = match owner {
                Owner::Rigid(b) => {
                    let body = &self.rigid[b as usize];
                    let kind = &self.kinds[body.kind as usize];
                    met.velocity = body.motion.velocity_at(&kind.inertia, &blow.point);
                    kind.friction
                }
                Owner::Soft(j) => {
                    let soft = &self.soft[j as usize];
                    let shares = self.shares(j, corners, &blow.point);
                    met.velocity = shares.iter().map(|&(c, w)| soft.body.velocity[c] * w).sum();
                    soft.friction
                }
            };
            met.friction = (self.friction * other).sqrt();
        }
        met
    }
}

impl Obstacle for Crowd<'_, '_> {
    fn meet(&self, from: &Point3, along: &Vec3, span: [Real; 2]) -> Option<Met> {
        let sweep = Sweep {
            from: *from,
            along: *along,
            radius: self.radius,
            span: [0.0, 1.0],
        };
        let mut first = self.land.still.first_touch(&sweep).map(|hit| Met {
            fraction: hit.fraction,
            place: from + along * hit.fraction,
            point: hit.point,
            normal: hit.normal,
            friction: self.friction,
            velocity: Vec3::zeros(),
            carries: Vec3::zeros(),
            depth: 0.0,
            part: FIXED,
        });
        let time = span[1] - span[0];
        if time <= 0.0 {
            return first;
        }
        let way = Way {
            from: *from,
            along: *along,
            radius: self.radius,
            span,
            velocity: [along / time; 2],
        };
        for (movers, others) in [(self.land.keyed, false), (&self.others, true)] {
            if let Some(blow) = movers.first(&way, None) {
                let met = self.met(&blow, span, others);
                if first.is_none_or(|f| met.fraction < f.fraction) {
                    first = Some(met);
                }
            }
        }
        first
    }

    fn gives(&self, met: &Met, along: &Vec3) -> Real {
        match self.owner(met.part) {
            None => 0.0,
            Some((Owner::Rigid(b), _)) => {
                let body = &self.rigid[b as usize];
                body.motion
                    .gives(&self.kinds[body.kind as usize].inertia, &met.point, along)
            }
            Some((Owner::Soft(j), corners)) => {
                let mass = &self.soft[j as usize].lattice.mass;
                self.shares(j, corners, &met.point)
                    .iter()
                    .map(|&(c, w)| w * w / mass[c])
                    .sum()
            }
        }
    }

    fn push(&mut self, met: &Met, impulse: &Vec3) {
        match self.owner(met.part) {
            None => {}
            Some((Owner::Rigid(b), _)) => {
                let body = &mut self.rigid[b as usize];
                body.motion
                    .push(&self.kinds[body.kind as usize].inertia, &met.point, impulse);
                (body.quiet, body.asleep) = (0.0, false);
            }
            Some((Owner::Soft(j), corners)) => {
                let shares = self.shares(j, corners, &met.point);
                let soft = &mut self.soft[j as usize];
                for (c, w) in shares {
                    soft.body.velocity[c] += impulse * (w / soft.lattice.mass[c]);
                }
            }
        }
    }
}
