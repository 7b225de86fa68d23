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
    let (up, far) = (world.up, FAR * p.radius);
    if stand.depth <= least * far {
        return Seen::Gentle;
    }
    let mut sweep = |from: Point3, along: Vec3, falls: bool| {
        let sweep = Sweep {
            from,
            along,
            radius: p.radius,
            span: [0.0; 2],
        };
        let hit = if falls {
            ground.first_below(&sweep)
        } else {
            ground.first_around(&sweep)
        };
        let went = along * hit.map_or(1.0, |h| h.fraction);
        looked.add(from, went, p.radius);
        hit.map(|h| h.fraction)
    };
    let rise = around.lean(up * p.radius, &p.position, p.radius);
    let top = p.position + rise * sweep(p.position, rise, false).unwrap_or(1.0);
    let height = (top - p.position).dot(&up);
    let mut places = [top; 8];
    let mut drops = [-WALL * p.radius; 8];
    for ((place, drop), direction) in places
        .iter_mut()
        .zip(&mut drops)
        .zip(directions(world.seed, p, &up))
    {
        let along = direction * far;
        if sweep(top, along, false).is_some() {
            continue;
        }
        *place = top + along;
        let fall = height + stand.depth;
        *drop = match sweep(*place, -up * fall, true) {
            Some(share) => fall * share - height,
            None => stand.depth,
        };
    }
    let mut steepest = (least, None);
    for k in 0..8 {
        let mean = 0.25 * (drops[(k + 7) % 8] + 2.0 * drops[k] + drops[(k + 1) % 8]);
        if drops[k] > 0.0 && mean / far > steepest.0 {
            steepest = (mean / far, Some(places[k]));
        }
    }
    steepest.1.map_or(Seen::Gentle, Seen::Over)
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
