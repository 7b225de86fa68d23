//! A bound on how far a ball would fall, from a look at a few cells: where it is good enough, no sweep is needed.

use super::cells::Cells;
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

/// A fall of which a bound is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Fall {
    /// Unit vector along which it goes.
    pub down: Vec3,
    /// Radius of what falls [m].
    pub radius: Real,
    /// A fall no deeper than this is known well enough [m].
    pub enough: Real,
}

/// A place past which something falls, and what stops it there.
#[derive(Clone, Copy)]
struct Column {
    place: Point3,
    best: Option<Stop>,
    /// Whether no more need be looked at.
    done: bool,
}

impl Balls {
    /// For each of several places some ball in the way of one that falls past it: the one that stops it first of a few
    /// near by, and no more are looked at than are enough. `None` promises nothing.
    ///
    /// The places are far from each other; they are looked at side by side, so that memory is not waited for at each in
    /// turn.
    pub fn stops_below<const N: usize>(
        &self,
        spheres: &Spheres,
        places: &[Point3; N],
        fall: &Fall,
    ) -> [Option<Stop>; N] {
        let mut columns = places.map(|place| Column {
            place,
            best: None,
            done: place.coords.amax() > FARTHEST * fall.radius,
        });
        for level in self.levels.iter().filter(|l| !l.bounds.is_empty()) {
            for deep in FIRST {
                let cell = |c: &Column| level.grid.head(&(c.place + fall.down * (deep * level.radius)));
                let heads = columns.map(|c| if c.done { END } else { cell(&c) });
                let centers = heads.map(|row| spheres.position.get(row as usize).copied());
                for ((column, row), center) in columns.iter_mut().zip(heads).zip(centers) {
                    let Some(center) = center else { continue };
                    column.meet(level, spheres, fall, &center, row);
                    self.chain(level, column, spheres, fall, self.next[row as usize]);
                }
            }
            for column in columns.iter_mut().filter(|c| !c.done) {
                let cells = column.cells(level, &fall.down);
                level
                    .grid
                    .visit(&cells, |head| self.chain(level, column, spheres, fall, head));
            }
        }
        columns.map(|c| c.best)
    }

    /// Looks at a row and those that follow it in its cell, and whether that is enough.
    #[inline]
    fn chain(&self, level: &Level, column: &mut Column, spheres: &Spheres, fall: &Fall, head: u32) {
        let mut row = head;
        while row != END {
            column.meet(level, spheres, fall, &spheres.position[row as usize], row);
            row = self.next[row as usize];
        }
        column.done = column.best.is_some_and(|best| best.deepest <= fall.enough);
    }
}

impl Column {
    /// The cells in which balls are looked for if there is nothing right below.
    fn cells(&self, level: &Level, down: &Vec3) -> Cells {
        let ends = [&self.place, &(self.place + down * (DEEP * level.radius))];
        let around = Aabb::around(ends).inflated(WIDE * level.radius);
        level.grid.cells(&around.min, &around.max)
    }

    /// Looks at the ball of a row.
    #[inline]
    fn meet(&mut self, level: &Level, spheres: &Spheres, fall: &Fall, center: &Point3, row: u32) {
        let i = row as usize;
        let (m, reach) = (center - self.place, fall.radius + level.radius_of(spheres, row));
        let lower = m.dot(&fall.down);
        let over = (1.0 - GRAZE) * reach * reach - (m.norm_squared() - lower * lower);
        if lower < LOWER * fall.radius || over < 0.0 || row == spheres.except {
            return;
        }
        let deepest = (lower - over.sqrt()).max(0.0) + ROOM * fall.radius;
        if self.best.is_none_or(|best| deepest < best.deepest) {
            self.best = Some(Stop { deepest, row: i });
        }
    }
}
