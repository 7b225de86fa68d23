//! What a particle of a layer feels of its neighbours: height, slope, what was laid before, whether one hangs lower.

use super::join::may_be_one;
use super::law;
use super::neighbours::{Kind, Member, Neighbours};
use crate::math::{Real, Vec3, ball_radius};

/// The layer around one particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sense {
    /// Height [m].
    pub height: Real,
    /// Its gradient along the surface.
    pub gradient: Vec3,
    /// Height of what was laid and stays [m].
    pub laid: Real,
    /// Whether nothing that could let go, or is about to, hangs lower.
    pub lowest: bool,
}

/// Differences of height below this share of the reach are none: under a flat ceiling one must be the first.
const LEVEL: Real = 1e-3;

/// Looks round from a member; `down` is the unit vector of gravity.
///
/// Neighbours count by their distance in the plane of contact, and only from the same side of a wall.
pub fn sense(neighbours: &Neighbours, own: &Member, down: &Vec3) -> Sense {
    let mut sense = Sense {
        height: 0.0,
        gradient: Vec3::zeros(),
        laid: 0.0,
        lowest: true,
    };
    neighbours.around(&own.at, |other| {
        let apart = own.at - other.at;
        let out = apart.dot(&own.normal);
        let reach2 = other.reach * other.reach;
        if out * out >= reach2 || own.normal.dot(&other.normal) <= 0.0 {
            return;
        }
        let along = apart - own.normal * out;
        let q2 = along.norm_squared() / reach2;
        if q2 >= 1.0 {
            return;
        }
        sense.lowest &= !hangs_lower(own, other, down);
        if other.kind == Kind::Hanging {
            return;
        }
        let height = law::height(other.volume, other.reach, q2);
        sense.height += height;
        if !other.kind.moves() {
            sense.laid += height;
        }
        let q = q2.sqrt();
        if q > 1e-9 {
            sense.gradient -= along * (law::slope(other.volume, other.reach, q) / (q * other.reach));
        }
    });
    sense
}

fn hangs_lower(own: &Member, other: &Member, down: &Vec3) -> bool {
    match other.kind {
        Kind::Laid | Kind::Thread => false,
        // One that touches it becomes part of it.
        Kind::Hanging => {
            let (a, b) = (ball_radius(own.volume), ball_radius(other.volume));
            let touch = (other.at - own.at).norm_squared() < (a + b) * (a + b);
            !(touch && may_be_one(a, b, own.reach / law::REACH))
        }
        Kind::Mobile => {
            let lower = (other.at - own.at).dot(down);
            let level = LEVEL * own.reach;
            lower > level || lower >= -level && other.row < own.row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point3, ball_volume};

    fn layer(normal: Vec3) -> Vec<Member> {
        let place = |i: u32, j: u32| Point3::new(Real::from(i) * 0.01, 0.01, Real::from(j) * 0.01);
        (0..20 * 20)
            .map(|k| Member {
                at: place(k % 20, k / 20),
                normal,
                volume: ball_volume(0.01),
                reach: 0.035,
                row: k,
                kind: Kind::Mobile,
            })
            .collect()
    }

    #[test]
    fn an_even_layer_is_as_high_as_its_volume_over_its_area_and_level() {
        let all = layer(Vec3::y());
        let mut grid = Neighbours::default();
        grid.fill(&all, 0.035);
        let s = sense(&grid, &all[10 * 20 + 10], &-Vec3::y());
        assert!(
            (s.height / (ball_volume(0.01) / 1e-4) - 1.0).abs() < 0.01,
            "{s:?}"
        );
        assert!(s.gradient.norm() < 0.01, "{s:?}");
        assert_eq!(s.laid, 0.0);
        let edge = sense(&grid, &all[10 * 20], &-Vec3::y());
        assert!(edge.gradient.x > 0.3, "it falls towards its edge: {edge:?}");
    }

    #[test]
    fn the_other_side_of_a_thin_wall_does_not_count() {
        let mut all = layer(Vec3::y());
        for m in layer(-Vec3::y()) {
            all.push(Member {
                at: m.at - Vec3::y() * 0.02,
                row: m.row + 400,
                ..m
            });
        }
        let mut grid = Neighbours::default();
        grid.fill(&all, 0.035);
        let s = sense(&grid, &all[10 * 20 + 10], &-Vec3::y());
        assert!(
            (s.height / (ball_volume(0.01) / 1e-4) - 1.0).abs() < 0.01,
            "{s:?}"
        );
    }

    #[test]
    fn under_a_level_ceiling_one_is_the_lowest_of_its_surroundings() {
        let all = layer(-Vec3::y());
        let mut grid = Neighbours::default();
        grid.fill(&all, 0.035);
        let lowest = |m: &&Member| sense(&grid, m, &-Vec3::y()).lowest;
        let found: Vec<u32> = all.iter().filter(lowest).map(|m| m.row).collect();
        assert_eq!(found, [0]);
    }
}
