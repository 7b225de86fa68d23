//! What decides the slope of a heap: a look at places a few radii away, before a particle stays.
//!
//! A form in three dimensions of the height samples of Fearing (2000), "Computer modelling of fallen snow": it needs no
//! height field and works under roofs. Local rules alone give heaps of 56 degrees whatever the friction.

use super::contacts::Around;
use super::foot::Stand;
use super::ground::{Ground, On};
use super::looked::Looked;
use crate::collide::Sweep;
use crate::collide::balls::Fall;
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
    let repose_deg = ground.world.materials[usize::from(p.material)]
        .substance
        .repose_deg;
    let least = least_slope(repose_deg + margin);
    let far = FAR * p.radius;
    if stand.depth <= least * far {
        return Seen::Gentle;
    }
    let mut look = Look::new(ground, p, stand, around, looked);
    look.bound(least * far);
    look.steepest(least, far)
}

impl<'a> Look<'a> {
    /// Nothing is known yet but how deep it can fall.
    fn new(
        ground: &'a Ground,
        p: &'a Flyer,
        stand: &'a Stand,
        around: &'a Around,
        looked: &'a mut Looked,
    ) -> Self {
        Self {
            ground,
            p,
            stand,
            around,
            looked,
            star: directions(ground.world.seed, p, &ground.world.up),
            drops: [stand.depth * (1.0 + ROOM) + ROOM * p.radius; 8],
            exact: [false; 8],
            top: None,
        }
    }

    /// Bounds falls by what lies next below; up to `enough` [m] they decide alone.
    fn bound(&mut self, enough: Real) {
        let p = self.p;
        let places = self
            .star
            .map(|direction| p.position + direction * (FAR * p.radius));
        let fall = Fall {
            down: -self.ground.world.up,
            radius: p.radius,
            enough,
        };
        let (balls, spheres) = (self.ground.balls, &self.ground.spheres);
        let stops = balls.stops_below(spheres, &places, &fall);
        for (drop, stop) in self.drops.iter_mut().zip(stops) {
            if let Some(stop) = stop
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::balls::{ALL, Balls, Spheres};
    use crate::settle::Change;
    use crate::state::{Birth, Particles};
    use crate::world::World;

    const SCENE: &str = r#"(
        materials: { "m": Snow(radius: 1) },
        pile: true,
        emitters: [(material: "m", shape: Point(at: (0, 0, 0)), rate: 1, enabled: false)],
        time: (frames: 1),
        limits: (kill_box: ((-1e3, -1e3, -1e3), (1e3, 1e3, 1e3))),
    )"#;

    /// A rough ground of balls that rises along x, one that looks, and one more that may come.
    struct Rough {
        particles: Particles,
        balls: Balls,
    }

    impl Rough {
        fn new(number: u64, slope: Real) -> Self {
            let mut rough = Self {
                particles: Particles::default(),
                balls: Balls::new(1.0, 1.0),
            };
            let mut draws = stream(3, Purpose::Birth, 0, number);
            for _ in 0..900 {
                let (x, z) = (draws.between(-14.0, 14.0), draws.between(-14.0, 14.0));
                let y = slope * x - draws.between(0.0, 6.0);
                let row = rough.push(Point3::new(x, y, z), draws.bits());
                rough.balls.insert(row, &spheres(&rough.particles));
            }
            rough.push(Point3::new(0.0, 3.0, 0.0), draws.bits());
            rough
        }

        fn push(&mut self, position: Point3, key: u64) -> usize {
            let id = self.particles.len() as u64;
            let birth = Birth {
                position,
                velocity: Vec3::zeros(),
                radius: 1.0,
                material: 0,
                time: 0.0,
                key,
            };
            self.particles.push(id, &birth);
            id as usize
        }

        /// What the last one sees, with bounds or by sweeps alone.
        fn see(&self, world: &World, bounded: bool, looked: &mut Looked) -> Seen {
            let ground = Ground {
                world,
                time: 0.0,
                balls: &self.balls,
                spheres: spheres(&self.particles),
                feet: &[],
                status: &self.particles.status,
            };
            let p = self.particles.flyer(900);
            let stand = Stand {
                foot: p.position - 40.0 * Vec3::y(),
                eccentricity: 0.0,
                depth: 40.0,
                normal: Vec3::y(),
            };
            let around = Around::default();
            let least = least_slope(38.0);
            let mut look = Look::new(&ground, &p, &stand, &around, looked);
            if bounded {
                look.bound(least * FAR);
            } else {
                (0..8).for_each(|k| look.sweep(k));
            }
            look.steepest(least, FAR)
        }
    }

    fn spheres(particles: &Particles) -> Spheres<'_> {
        Spheres {
            position: &particles.position,
            radius: &particles.radius,
            id: &particles.id,
            except: ALL,
        }
    }

    #[test]
    fn bounds_see_what_sweeps_see_and_as_long_as_they_say() {
        let scene = crate::scene::parse(SCENE, std::path::Path::new("test.ron")).expect("a good scene");
        let (world, _) = World::assemble(&scene, vec![]).expect("a good world");
        let mut draws = stream(4, Purpose::Birth, 0, 0);
        let (mut over, mut unswept, mut welcome, mut gone) = (0, 0, 0, 0);
        for number in 0..400 {
            let mut rough = Rough::new(number, draws.between(0.0, 0.8));
            let (mut looked, mut all) = (Looked::default(), Looked::default());
            let seen = rough.see(&world, true, &mut looked);
            assert_eq!(seen, rough.see(&world, false, &mut all), "{number}");
            over += i32::from(seen != Seen::Gentle);
            unswept += i32::from(looked.capsules().is_empty());
            // One comes where it does not count, one goes that nothing was made of.
            let center = Point3::from(draws.in_ball() * 10.0);
            let row = draws.bits() as usize % 900;
            let place = rough.particles.position[row];
            if !looked.meets(&place, 1.0, Change::Goes) {
                gone += 1;
                rough.balls.remove(row, &spheres(&rough.particles));
                assert_eq!(seen, rough.see(&world, true, &mut Looked::default()), "{number}");
                rough.balls.insert(row, &spheres(&rough.particles));
            }
            if !looked.meets(&center, 1.0, Change::Comes) {
                welcome += i32::from(all.meets(&center, 1.0, Change::Comes));
                let row = rough.push(center, 0);
                rough.balls.insert(row, &spheres(&rough.particles));
                assert_eq!(seen, rough.see(&world, true, &mut Looked::default()), "{number}");
            }
        }
        let counts = [over, unswept, welcome, gone];
        assert!(counts.iter().all(|n| *n > 30), "{counts:?}");
    }
}
