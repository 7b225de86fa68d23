//! Which balls of a heap form its shell: those that a probe rolling over the heap, from any side, comes close to.
//!
//! In a heap balls touch and do not overlap, so looking along directions finds gaps everywhere. A probe a little
//! smaller than a ball does not fit between balls that are packed; where it fits, the heap can be seen. Balls that
//! it stays 3.6 radii away from lie so deep that, drawn exact, they reach no visible surface: a shell about two
//! balls thick is wide and smooth in their place, and leaving them out changes no picture.

use crate::math::{Real, Vec3};

/// Radius of the probe in that of the ball that is asked about. A smaller one finds its way into heaps.
const PROBE: Real = 0.75;
/// Where the probe's centre is tried, in radii from the ball's centre: close by, where narrow pits are, and as far
/// as a ball must lie below the surface. An exact component reaches 2.5 radii, and the surface stands 1.2 to 1.5
/// over the outermost centres, where the probe's centre stands 1.75: at least 2.5 + 1.75 - 1.2, and some for what lies
/// between the places.
const TRIED: [Real; 2] = [2.1, 3.6];
/// Balls farther away than this, in radii, block no probe: the farthest place and the probe's own size ...
pub const REACH: Real = TRIED[1] + PROBE;
/// ... beside their own radius. The scenery behind a ball that rests on it: a round column from just above the
/// contact inwards, this far from the centre and this wide, in its radii; wide enough to close the floor of a layer.
const BEHIND: [Real; 2] = [0.9, 1.5];
/// Places at which the probe is tried.
const PLACES: usize = 52;

/// Another ball, as a probe sees it: whether it rests on the scenery, whose inside then lies behind it.
pub struct Neighbour {
    /// From the centre of the ball in question.
    pub to: Vec3,
    /// Its radius.
    pub radius: Real,
    /// Contact normal, if it rests on the scenery.
    pub ground: Option<Vec3>,
}

/// The places round a ball at which a probe is tried, in its radii.
pub struct Probes([Vec3; PLACES]);

impl Probes {
    /// In the 26 directions to the neighbours of a cube, at two distances.
    pub fn new(directions: &[Vec3; 26]) -> Self {
        let mut places = [Vec3::zeros(); PLACES];
        for (k, place) in places.iter_mut().enumerate() {
            *place = directions[k / 2] * TRIED[k % 2];
        }
        Self(places)
    }

    /// Whether a probe fits somewhere beside a ball of radius `r` with these neighbours; `own` is its own ground.
    pub fn any_fits(&self, r: Real, own: Option<Vec3>, around: &[Neighbour]) -> bool {
        let mut left: u64 = (1 << PLACES) - 1;
        if let Some(normal) = own {
            left = self.without(left, |place| is_behind(&(place * r), &normal, r));
        }
        for n in around {
            if left == 0 {
                return false;
            }
            let near = n.radius + PROBE * r;
            left = self.without(left, |place| {
                let from = place * r - n.to;
                let behind = |normal| is_behind(&from, &normal, n.radius);
                from.norm_squared() < near * near || n.ground.is_some_and(behind)
            });
        }
        left != 0
    }

    fn without(&self, places: u64, blocked: impl Fn(&Vec3) -> bool) -> u64 {
        let mut left = places;
        let mut todo = places;
        while todo != 0 {
            let k = todo.trailing_zeros();
            todo &= todo - 1;
            if blocked(&self.0[k as usize]) {
                left &= !(1 << k);
            }
        }
        left
    }
}

/// Whether a place `from` the centre of a ball of radius `r` lies in the scenery that the ball rests on.
fn is_behind(from: &Vec3, normal: &Vec3, r: Real) -> bool {
    let depth = -from.dot(normal);
    depth > BEHIND[0] * r && from.norm_squared() - depth * depth < (BEHIND[1] * r) * (BEHIND[1] * r)
}

#[cfg(test)]
mod tests {
    use super::super::buried::Directions;
    use super::*;

    /// Touching balls of radius 1 in the densest packing, those of them that `keep` wants.
    fn packed(keep: impl Fn(&Vec3) -> bool) -> Vec<Vec3> {
        let half = |i: i32| Real::from(i) * std::f64::consts::SQRT_2;
        (-6..=6)
            .flat_map(|x| (-6..=6).flat_map(move |y| (-6..=6).map(move |z| (x, y, z))))
            .filter(|(x, y, z)| (x + y + z) % 2 == 0)
            .map(|(x, y, z)| Vec3::new(half(x), half(y), half(z)))
            .filter(keep)
            .collect()
    }

    fn shows(balls: &[Vec3], ground: impl Fn(&Vec3) -> Option<Vec3>) -> bool {
        let around: Vec<Neighbour> = balls
            .iter()
            .filter(|p| p.norm() > 0.1 && p.norm() < REACH + 1.0)
            .map(|p| Neighbour {
                to: *p,
                radius: 1.0,
                ground: ground(p),
            })
            .collect();
        Probes::new(Directions::new().all()).any_fits(1.0, ground(&Vec3::zeros()), &around)
    }

    #[test]
    fn a_ball_deep_in_a_heap_is_hidden_and_one_at_any_side_shows() {
        assert!(!shows(&packed(|_| true), |_| None));
        for side in Directions::new().all() {
            assert!(shows(&packed(|p| p.dot(side) < 0.1), |_| None), "{side}: on top");
            assert!(!shows(&packed(|p| p.dot(side) < 5.0), |_| None), "{side}: deep");
        }
    }

    #[test]
    fn a_pit_shows_the_balls_at_its_wall() {
        let pit = |p: &Vec3| (p - Vec3::new(0.0, p.y, 2.9)).norm() > 2.8;
        assert!(shows(&packed(pit), |_| None));
    }

    #[test]
    fn the_scenery_hides_what_lies_on_it_from_below() {
        let layers = packed(|p| p.y > -0.1);
        assert!(shows(&layers, |_| None), "the lowest layer, nothing below it");
        assert!(
            !shows(&layers, |p| (p.y < 0.1).then_some(Vec3::y())),
            "the same on the ground"
        );
    }
}
