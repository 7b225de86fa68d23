//! Cuts an opaque covering into blobs that are small compared with their components, without a seam.
//!
//! POV-Ray solves for a ray's whole way through a blob at once and loses small components in large blobs.
//! A tile holds every component that reaches into its box. Strengths are positive, so outside its box a
//! tile's field is at most the full one: its surface lies inside the true surface there, and inside its box
//! the two are equal.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::blob::Component;
use super::grid::floor;
use crate::math::{Aabb, Point3, Real, Vec3};

/// Components of one blob; POV-Ray 3.7 refuses a million, and memory grows with the largest blob.
pub const MOST_COMPONENTS: usize = 200_000;
/// Tile edge in component radii; the diagonal of 87 stays below 100, where errors are still invisible.
pub const EDGE: Real = 50.0;
/// A component reaches into few tiles: they are at least this many of its radii long.
const EDGE_OF_WIDEST: Real = 0.5;
/// Components whose tiles one task finds.
const TASK: usize = 1 << 15;
/// Halvings of an overfull tile.
const MOST_HALVINGS: u32 = 24;

/// Where the tiles' borders lie, in edges: not at round numbers, where people put floors and walls, for a sheet
/// along a border is written twice.
const SHIFT: Real = 0.37;

/// Components of one blob, as indices, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tile {
    /// Index and whether it is a copy: its own tile is another one.
    pub members: Vec<(u32, bool)>,
}

impl Tile {
    /// Members that are no copies.
    pub fn own(&self) -> usize {
        self.members.iter().filter(|m| !m.1).count()
    }
}

/// Tiles of about `edge` units, in the order of their places. Every component is in exactly one as its own.
pub fn tile(components: &[Component], edge: Real) -> Vec<Tile> {
    let widest = components.iter().map(|c| c.radius).fold(0.0, Real::max);
    let edge = edge.max(EDGE_OF_WIDEST * widest);
    let parts = components.par_chunks(TASK).enumerate();
    let parts = parts.map(|(task, part)| {
        let mut places: BTreeMap<[i64; 3], Tile> = BTreeMap::new();
        for (i, c) in part.iter().enumerate() {
            let number = (task * TASK + i) as u32;
            let member = |at, copy| places.entry(at).or_default().members.push((number, copy));
            places_of(c, edge, member);
        }
        places
    });
    let mut places: BTreeMap<[i64; 3], Tile> = BTreeMap::new();
    for (at, tile) in parts.collect::<Vec<_>>().into_iter().flatten() {
        places.entry(at).or_default().members.extend(tile.members);
    }
    let mut tiles = Vec::new();
    for (at, tile) in places {
        if needed(&tile, components, edge) {
            split(tile, bounds_of(at, edge), components, MOST_HALVINGS, &mut tiles);
        }
    }
    tiles
}

/// Which tile holds a place.
pub fn home(p: &Point3, edge: Real) -> [i64; 3] {
    [0, 1, 2].map(|k| floor(p[k] / edge - SHIFT))
}

/// Box of a tile.
fn bounds_of(home: [i64; 3], edge: Real) -> Aabb {
    let corner = Point3::from(home.map(|k| (k as Real + SHIFT) * edge));
    Aabb {
        min: corner,
        max: corner + Vec3::repeat(edge),
    }
}

/// Tells in which tiles a component is, and in which as a copy.
fn places_of(c: &Component, edge: Real, mut member: impl FnMut([i64; 3], bool)) {
    let reach = Vec3::repeat(c.radius);
    let own = home(&c.center, edge);
    let (low, high) = (home(&(c.center - reach), edge), home(&(c.center + reach), edge));
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                let copy = [x, y, z] != own;
                if !copy || reaches(c, &bounds_of([x, y, z], edge)) {
                    member([x, y, z], copy);
                }
            }
        }
    }
}

fn reaches(c: &Component, bounds: &Aabb) -> bool {
    let nearest = c.center.sup(&bounds.min).inf(&bounds.max);
    // A little more than the radius, for what rounding the numbers may add.
    (c.center - nearest).norm() <= c.radius * 1.001
}

/// A tile without components of its own is needed only where copies from different tiles meet.
fn needed(tile: &Tile, components: &[Component], edge: Real) -> bool {
    let from = |m: &(u32, bool)| home(&components[m.0 as usize].center, edge);
    let mut members = tile.members.iter();
    members.clone().any(|m| !m.1)
        || members
            .next()
            .is_some_and(|first| members.any(|m| from(m) != from(first)))
}

/// Halves a tile along its longest side until each part is small enough.
fn split(tile: Tile, bounds: Aabb, components: &[Component], halvings: u32, out: &mut Vec<Tile>) {
    if tile.members.len() <= MOST_COMPONENTS || halvings == 0 {
        out.push(tile);
        return;
    }
    let axis = bounds.extent().imax();
    let middle = 0.5 * (bounds.min[axis] + bounds.max[axis]);
    let (mut low, mut high) = (bounds, bounds);
    low.max[axis] = middle;
    high.min[axis] = middle;
    for (part, upper) in [(low, false), (high, true)] {
        let members: Vec<(u32, bool)> = tile
            .members
            .iter()
            .filter_map(|&(i, copy)| {
                let c = &components[i as usize];
                let own = !copy && (c.center[axis] >= middle) == upper;
                (own || reaches(c, &part)).then_some((i, !own))
            })
            .collect();
        if !members.is_empty() {
            split(Tile { members }, part, components, halvings - 1, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(n: usize, spacing: Real, radius: Real) -> Vec<Component> {
        (0..n * n)
            .map(|i| Component {
                id: i as u64,
                center: Point3::new(
                    (i % n) as Real * spacing,
                    ((i * 7) % 5) as Real * 0.1,
                    (i / n) as Real * spacing,
                ),
                radius,
                strength: 1.0,
            })
            .collect()
    }

    fn field(components: &[Component], members: impl Iterator<Item = u32>, p: &Point3) -> Real {
        members
            .map(|i| {
                let c = &components[i as usize];
                let x = 1.0 - (c.center - p).norm_squared() / (c.radius * c.radius);
                if x > 0.0 { c.strength * x * x } else { 0.0 }
            })
            .sum()
    }

    #[test]
    fn every_component_has_one_tile_of_its_own() {
        let components = sheet(60, 0.7, 1.3);
        let tiles = tile(&components, 9.0);
        let mut own: Vec<u32> = tiles
            .iter()
            .flat_map(|t| t.members.iter().filter(|m| !m.1).map(|m| m.0))
            .collect();
        own.sort_unstable();
        assert_eq!(own, (0..components.len() as u32).collect::<Vec<_>>());
        assert!(tiles.len() > 16);
        assert!(tiles.iter().all(|t| t.members.is_sorted()));
    }

    #[test]
    fn the_largest_field_of_all_tiles_is_the_full_field() {
        let components = sheet(40, 0.9, 2.0);
        let tiles = tile(&components, 7.0);
        for k in 0..4000 {
            let p = Point3::new(
                (k % 63) as Real * 0.57,
                (k % 11) as Real * 0.2 - 1.0,
                (k / 63) as Real * 0.57,
            );
            let full = field(&components, 0..components.len() as u32, &p);
            let largest = tiles
                .iter()
                .map(|t| field(&components, t.members.iter().map(|m| m.0), &p))
                .fold(0.0, Real::max);
            assert!((full - largest).abs() < 1e-12, "{p}: {full} {largest}");
        }
    }

    #[test]
    fn a_crowded_tile_is_halved_until_it_fits() {
        let components = sheet(700, 0.05, 0.2);
        let tiles = tile(&components, 100.0);
        assert!(tiles.iter().all(|t| t.members.len() <= MOST_COMPONENTS));
        assert_eq!(tiles.iter().map(Tile::own).sum::<usize>(), components.len());
        let p = Point3::new(17.5, 0.1, 17.5);
        let full = field(&components, 0..components.len() as u32, &p);
        let largest = tiles
            .iter()
            .map(|t| field(&components, t.members.iter().map(|m| m.0), &p))
            .fold(0.0, Real::max);
        assert!((full - largest).abs() < 1e-9);
    }
}
