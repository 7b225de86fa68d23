//! What decides the slope of a heap: a look at places a few radii away, before a particle stays.
//!
//! A form in three dimensions of the height samples of Fearing (2000), "Computer modelling of fallen snow": it needs no
//! height field and works under roofs. Local rules alone give heaps of 56 degrees whatever the friction.

use super::contacts::Around;
use super::foot::Stand;
use super::ground::{Ground, On};
use super::looked::Looked;
use crate::collide::Sweep;
use crate::math::{Point3, Real, Vec3};
use crate::rng::{Purpose, stream};
use crate::state::Flyer;

/// How far it looks [radii]. The law of [`least_slope`] belongs to this distance and eight directions.
const FAR: Real = 8.0;
/// Where it cannot look it sees this height over its centre [radii].
const WALL: Real = 0.5;
/// Room for rounding in a bound of a fall [radii], and as a share.
const ROOM: Real = 1e-6;
/// Tangent of half of 45 degrees.
const EIGHTH: Real = 0.414_213_562_373_095_03;
/// Half of the square root of 2.
const DIAGONAL: Real = 0.707_106_781_186_547_5;
/// Eight directions, 45 degrees apart.
const STAR: [[Real; 2]; 8] = [
    [1.0, 0.0],
    [DIAGONAL, DIAGONAL],
    [0.0, 1.0],
    [-DIAGONAL, DIAGONAL],
    [-1.0, 0.0],
    [-DIAGONAL, -DIAGONAL],
    [0.0, -1.0],
    [DIAGONAL, -DIAGONAL],
];

/// What a particle sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Seen {
    /// Nothing steeper than its material holds.
    Gentle,
    /// It goes on from this place over a lower one.
    Over(Point3),
}

/// The slope [tangent] above which a particle does not stay, for an angle of repose given as its tangent.
///
/// Landing places are tops and resting places pockets, and the star takes the steepest of eight: measured heaps are
/// steeper by 2 r / L than what is asked here, and a straight line mends the rest between 10 and 55 degrees.
fn least_slope(repose_deg: Real) -> Real {
    0.873 * libm::tan(repose_deg.to_radians()) - 0.180
}

/// Two horizontal unit vectors.
fn horizontal(up: &Vec3) -> [Vec3; 2] {
    let other = if up.x.abs() < 0.6 { Vec3::x() } else { Vec3::z() };
    let east = (other - up * other.dot(up)).try_normalize(0.0).unwrap_or(other);
    [east, up.cross(&east)]
}

/// A look around from one place. Falls in the eight directions of the star are known exactly or by a bound; a bound is
/// no less than what comes when more settles around, as long as the ball stays from which it follows.
struct Look<'a> {
    ground: &'a Ground<'a>,
    p: &'a Flyer,
    stand: &'a Stand,
    around: &'a Around,
    looked: &'a mut Looked,
    star: [Vec3; 8],
    /// How much lower it would land [m], or a bound.
    drops: [Real; 8],
    exact: [bool; 8],
    /// From where it looks, and the height of it over the centre [m].
    top: Option<(Point3, Real)>,
}

/// Looks around a place where the particle `p` could stay, by an angle of repose that is steeper by `margin` [degrees].
pub(super) fn probe(
    ground: &Ground,
    p: &Flyer,
    stand: &Stand,
    margin: Real,
    around: &Around,
    looked: &mut Looked,
) -> Seen {
    let world = ground.world;
    let repose_deg = world.materials[usize::from(p.material)].substance.repose_deg;
    let least = least_slope(repose_deg + margin);
    let far = FAR * p.radius;
    if stand.depth <= least * far {
        return Seen::Gentle;
    }
    let mut look = Look {
        ground,
        p,
        stand,
        around,
        looked,
        star: directions(world.seed, p, &world.up),
        drops: [stand.depth * (1.0 + ROOM) + ROOM * p.radius; 8],
        exact: [false; 8],
        top: None,
    };
    look.bound(least * far);
    look.steepest(least, far)
}

impl Look<'_> {
    /// Bounds falls by what lies next below; up to `enough` [m] they decide alone.
    fn bound(&mut self, enough: Real) {
        let (p, down) = (self.p, -self.ground.world.up);
        for (drop, direction) in self.drops.iter_mut().zip(&self.star) {
            let place = p.position + direction * (FAR * p.radius);
            let (balls, spheres) = (self.ground.balls, &self.ground.spheres);
            if let Some(stop) = balls.stop_below(spheres, &place, &down, p.radius, enough)
                && stop.deepest < *drop
            {
                *drop = stop.deepest;
                self.looked
                    .add_filled(spheres.position[stop.row], Vec3::zeros(), 0.0);
            }
        }
    }

    /// The mean of a fall and those beside it. Each enters with no less than it would if the way there were blocked.
    fn mean(&self, k: usize) -> Real {
        let drop = |k: usize| Real::max(self.drops[k % 8], -WALL * self.p.radius);
        weighted([drop(k + 7), drop(k), drop(k + 1)])
    }

    /// The steepest direction of those steeper than `least`; only what may be among them is swept.
    fn steepest(&mut self, least: Real, far: Real) -> Seen {
        let mut steepest = (least, None);
        for k in 0..8 {
            if self.drops[k] <= 0.0 || self.mean(k) / far <= least {
                continue;
            }
            for k in [k + 7, k, k + 1] {
                self.sweep(k % 8);
            }
            let mean = weighted([7, 0, 1].map(|n| self.drops[(k + n) % 8]));
            if self.drops[k] > 0.0 && mean / far > steepest.0 {
                steepest = (mean / far, Some(k));
            }
        }
        match (steepest.1, self.top) {
            (Some(k), Some((top, _))) => Seen::Over(top + self.star[k] * far),
            _ => Seen::Gentle,
        }
    }

    /// Finds the exact fall in a direction: up to over all that touches it, sideways, and down.
    fn sweep(&mut self, k: usize) {
        if self.exact[k] {
            return;
        }
        self.exact[k] = true;
        let (up, r) = (self.ground.world.up, self.p.radius);
        let (top, height) = self.rise();
        let along = self.star[k] * (FAR * r);
        self.drops[k] = -WALL * r;
        if self.go(top, along, false).is_none() {
            let fall = height + self.stand.depth;
            self.drops[k] = match self.go(top + along, -up * fall, true) {
                Some(share) => fall * share - height,
                None => self.stand.depth,
            };
        }
    }

    fn rise(&mut self) -> (Point3, Real) {
        if let Some(top) = self.top {
            return top;
        }
        let (up, p) = (self.ground.world.up, self.p);
        let rise = self.around.lean(up * p.radius, &p.position, p.radius);
        let top = p.position + rise * self.go(p.position, rise, false).unwrap_or(1.0);
        let height = (top - p.position).dot(&up);
        *self.top.insert((top, height))
    }

    /// The free share of a way that is not.
    fn go(&mut self, from: Point3, along: Vec3, falls: bool) -> Option<Real> {
        let sweep = Sweep {
            from,
            along,
            radius: self.p.radius,
            span: [0.0; 2],
        };
        let hit = if falls {
            self.ground.first_below(&sweep)
        } else {
            self.ground.first_around(&sweep)
        };
        let went = along * hit.map_or(1.0, |h| h.fraction);
        self.looked.add(from, went, self.p.radius);
        hit.map(|h| h.fraction)
    }
}

fn weighted([before, here, after]: [Real; 3]) -> Real {
    0.25 * (before + 2.0 * here + after)
}

/// The star, turned by an angle below 45 degrees that follows from the particle and its height: the same place gets the
/// same star. The rational form of sine and cosine needs neither.
fn directions(seed: u64, p: &Flyer, up: &Vec3) -> [Vec3; 8] {
    let [east, north] = horizontal(up);
    let height = p.position.coords.dot(up);
    let q = EIGHTH * stream(seed, Purpose::Probe, p.key, height.to_bits()).unit();
    let (c, s) = ((1.0 - q * q) / (1.0 + q * q), 2.0 * q / (1.0 + q * q));
    STAR.map(|[x, y]| east * (c * x - s * y) + north * (s * x + c * y))
}

/// Whether any contact is with a settled particle.
pub(super) fn touches_particle(around: &Around) -> bool {
    around.contacts.iter().any(|c| matches!(c.on, On::Ball(_)))
}
