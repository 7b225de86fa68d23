//! Balls that lie still, found by place: the first touch of a moving ball, and who lies near.
//!
//! The index holds row numbers only; places and radii stay in the columns of their owner and must not change while
//! a row is in the index. No answer depends on the order in which rows came, nor on their numbers: ties are broken by identity.

mod below;
mod cells;
mod gather;
mod grid;
mod packs;
mod sweep;

pub use below::{Fall, Stop};
pub use gather::Seen;
pub use packs::{Packed, Packs};
pub use sweep::BallHit;

use crate::bvh::Lanes;
use crate::math::{Aabb, Point3, Real};
use grid::{END, Grid};

/// A row that is not in the index.
const OUT: u32 = u32::MAX - 1;
/// Radii within this ratio share one grid; beyond it each factor of two has its own.
const ONE_GRID: Real = 3.0;
/// Grids for ever smaller radii; what is smaller still shares the last.
const LEVELS: usize = 16;

/// Columns of balls.
#[derive(Debug, Clone, Copy)]
pub struct Spheres<'a> {
    /// Centres [m].
    pub position: &'a [Point3],
    /// Radii [m].
    pub radius: &'a [Real],
    /// Whose they are, each one's own: of two that are equal in all else the lower comes first.
    pub id: &'a [u64],
    /// A row that queries do not see, for a ball that moves while it is in the index; [`ALL`] hides none.
    pub except: u32,
}

/// No row is hidden.
pub const ALL: u32 = u32::MAX;

/// Balls of similar size.
#[derive(Debug)]
struct Level {
    /// No radius is larger [m].
    radius: Real,
    /// Whether none is smaller: their column need not be read then.
    alike: bool,
    grid: Grid,
    /// Around all centres that were ever put in.
    bounds: Aabb,
}

/// The index.
#[derive(Debug)]
pub struct Balls {
    /// Largest radius first.
    levels: Vec<Level>,
    /// For each row the next in its cell.
    next: Vec<u32>,
    count: usize,
    lanes: Lanes,
}

impl Balls {
    /// An empty index for radii [m] between two bounds. Others are taken too, at some cost in speed.
    pub fn new(smallest: Real, largest: Real) -> Self {
        let mut levels = vec![Level::new(largest)];
        if largest > ONE_GRID * smallest {
            let mut radius = 0.5 * largest;
            while radius > smallest && levels.len() < LEVELS {
                levels.push(Level::new(radius));
                radius *= 0.5;
            }
        }
        Self {
            levels,
            next: Vec::new(),
            count: 0,
            lanes: Lanes::detect(),
        }
    }

    /// How many balls it holds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The largest radius that it was made for or holds [m].
    pub fn largest(&self) -> Real {
        self.levels[0].radius
    }

    /// The form in which [`Packs`] are best asked.
    pub(crate) fn lanes(&self) -> Lanes {
        self.lanes
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.next.capacity() * size_of::<u32>() + self.levels.iter().map(|l| l.grid.bytes()).sum::<usize>()
    }

    /// Forgets all balls.
    pub fn clear(&mut self) {
        self.next.clear();
        self.count = 0;
        for level in &mut self.levels {
            level.grid.clear();
            level.alike = true;
            level.bounds = Aabb::EMPTY;
        }
    }

    /// Whether a row is in.
    pub fn contains(&self, row: usize) -> bool {
        self.next.get(row).is_some_and(|next| *next != OUT)
    }

    /// Puts a row in, which is not in yet.
    pub fn insert(&mut self, row: usize, spheres: &Spheres) {
        if self.contains(row) {
            return;
        }
        if self.next.len() <= row {
            self.next.resize(row + 1, OUT);
        }
        let (place, radius) = (&spheres.position[row], spheres.radius[row]);
        let level = self.level_for(radius);
        let level = &mut self.levels[level];
        self.next[row] = level.grid.push(place, row as u32);
        level.alike &= radius == level.radius;
        level.bounds = level.bounds.grow(place);
        self.count += 1;
    }

    /// Takes a row out, which has not moved since it was put in.
    pub fn remove(&mut self, row: usize, spheres: &Spheres) {
        if !self.contains(row) {
            return;
        }
        let level = self.level_for(spheres.radius[row]);
        let next = self.next[row];
        if let Some(head) = self.levels[level].grid.head_mut(&spheres.position[row]) {
            if *head == row as u32 {
                *head = next;
            } else {
                let mut at = *head;
                while at != END && self.next[at as usize] != row as u32 {
                    at = self.next[at as usize];
                }
                if at != END {
                    self.next[at as usize] = next;
                }
            }
        }
        self.next[row] = OUT;
        self.count -= 1;
    }

    /// Follows rows that move up because the `gone` ones before them are taken away; none of those may be in.
    pub fn renumber(&mut self, gone: impl Fn(usize) -> bool) {
        let mut kept = 0;
        let number: Vec<u32> = (0..self.next.len())
            .map(|row| {
                let at = kept;
                kept += u32::from(!gone(row));
                at
            })
            .collect();
        let follow = |row: &mut u32| {
            if let Some(new) = number.get(*row as usize) {
                *row = *new;
            }
        };
        self.levels
            .iter_mut()
            .flat_map(|l| l.grid.heads_mut())
            .for_each(&follow);
        self.next.iter_mut().for_each(&follow);
        let mut row = 0;
        self.next.retain(|_| {
            row += 1;
            !gone(row - 1)
        });
    }

    /// Calls `each` with every row whose ball is within `reach` [m] of a place: at most that far from its surface.
    pub fn around(&self, spheres: &Spheres, center: &Point3, reach: Real, mut each: impl FnMut(u32)) {
        for level in &self.levels {
            let far = reach + level.radius;
            if far < 0.0 || !level.bounds.inflated(far).contains(center) {
                continue;
            }
            let region = Aabb {
                min: *center,
                max: *center,
            }
            .inflated(far);
            let cells = level.grid.cells(&region.min, &region.max);
            level.grid.visit(&cells, |head| {
                let mut row = head;
                while row != END {
                    let i = row as usize;
                    let far = reach + level.radius_of(spheres, row);
                    let near = far >= 0.0 && (spheres.position[i] - center).norm_squared() <= far * far;
                    if near && row != spheres.except {
                        each(row);
                    }
                    row = self.next[i];
                }
            });
        }
    }

    /// The ball that overlaps a ball deepest, and the depth [m]; among equals that of the lowest identity.
    pub fn deepest_overlap(&self, spheres: &Spheres, center: &Point3, radius: Real) -> Option<(Real, usize)> {
        let mut deepest: Option<(Real, usize)> = None;
        self.around(spheres, center, radius, |row| {
            let i = row as usize;
            let depth = radius + spheres.radius[i] - (spheres.position[i] - center).norm();
            let first = |other: usize| spheres.id[i] < spheres.id[other];
            let deeper = deepest.is_none_or(|(d, other)| depth > d || depth == d && first(other));
            if depth > 0.0 && deeper {
                deepest = Some((depth, i));
            }
        });
        deepest
    }

    /// The number of the level that holds this radius; a larger one is made for radii beyond all.
    fn level_for(&mut self, radius: Real) -> usize {
        while radius > self.levels[0].radius && radius.is_finite() {
            let larger = self.levels[0].radius * 2.0;
            self.levels.insert(0, Level::new(larger));
        }
        let fits = self.levels.iter().rposition(|l| radius <= l.radius);
        fits.unwrap_or(0)
    }
}

impl Level {
    fn new(radius: Real) -> Self {
        Self {
            radius,
            alike: true,
            grid: Grid::new(2.0 * radius),
            bounds: Aabb::EMPTY,
        }
    }

    /// Radius of the ball of a row [m].
    #[inline]
    fn radius_of(&self, spheres: &Spheres, row: u32) -> Real {
        if self.alike {
            self.radius
        } else {
            spheres.radius[row as usize]
        }
    }
}

#[cfg(test)]
mod tests;
