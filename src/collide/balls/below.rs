//! A bound on how far a ball would fall, from a look at a few cells: where it is good enough, no sweep is needed.

use super::grid::END;
use super::{Balls, Level, Spheres};
use crate::math::{Aabb, Point3, Real, Vec3};

/// A ball counts as below a place when it is lower by at least this [radii]; sweeps pass those that are not.
const LOWER: Real = 0.01;
/// What touches by less across is left out [share of the squared distance]: at a graze rounding decides.
const GRAZE: Real = 1e-6;
/// Room for the rounding of the sweep that is not made [radii].
const ROOM: Real = 1e-6;
/// Coordinates beyond this many radii leave no such room.
const FARTHEST: Real = 1e7;
/// How deep the cells lie that are looked at first, one by one [largest radii of the level].
const FIRST: [Real; 3] = [1.0, 2.8, 4.6];
/// How deep and how wide the cells lie that are looked at if there is nothing [largest radii of the level].
const DEEP: Real = 6.0;
const WIDE: Real = 1.2;

/// A ball that stops a fall, at the latest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// No fall from the place, or from higher over it, gets deeper below the place than this [m], >= 0.
    pub deepest: Real,
    /// Row of the ball.
    pub row: usize,
}

impl Balls {
    /// Some ball in the way of a ball that falls past a place along the unit vector `down`: the one that stops it first
    /// of a few near by. Looks no further when it falls no deeper than `enough` [m]; `None` promises nothing.
    pub fn stop_below(
        &self,
        spheres: &Spheres,
        place: &Point3,
        down: &Vec3,
        radius: Real,
        enough: Real,
    ) -> Option<Stop> {
        if place.coords.amax() > FARTHEST * radius {
            return None;
        }
        let mut best: Option<Stop> = None;
        for level in self.levels.iter().filter(|l| !l.bounds.is_empty()) {
            let mut look = |head: u32| {
                let mut row = head;
                while row != END {
                    if let Some(stop) = stop(spheres, place, down, radius, row)
                        && best.is_none_or(|best| stop.deepest < best.deepest)
                    {
                        best = Some(stop);
                    }
                    row = self.next[row as usize];
                }
                best.is_some_and(|best| best.deepest <= enough)
            };
            let cell = |deep: Real| level.grid.head(&(place + down * (deep * level.radius)));
            if FIRST.iter().any(|deep| look(cell(*deep))) {
                break;
            }
            let (low, high) = column(level, place, down);
            level.grid.visit(&level.grid.cells(&low, &high), |head| {
                look(head);
            });
        }
        best
    }
}

/// The box in which balls are looked for.
fn column(level: &Level, place: &Point3, down: &Vec3) -> (Point3, Point3) {
    let ends = [place, &(place + down * (DEEP * level.radius))];
    let around = Aabb::around(ends).inflated(WIDE * level.radius);
    (around.min, around.max)
}

#[inline]
fn stop(spheres: &Spheres, place: &Point3, down: &Vec3, radius: Real, row: u32) -> Option<Stop> {
    let i = row as usize;
    let (m, reach) = (spheres.position[i] - place, radius + spheres.radius[i]);
    let lower = m.dot(down);
    let over = (1.0 - GRAZE) * reach * reach - (m.norm_squared() - lower * lower);
    if lower < LOWER * radius || over < 0.0 || row == spheres.except {
        return None;
    }
    let deepest = (lower - over.sqrt()).max(0.0) + ROOM * radius;
    Some(Stop { deepest, row: i })
}
