//! Groups of components that touch, each kept whole in one blob: what translucent coverings need.
//!
//! Copies would show inside clear material, so nothing is cut. Small clusters near one another share a blob,
//! which changes nothing because their fields do not meet.

use std::collections::BTreeMap;

use super::blob::Component;
use super::grid::Neighbours;
use super::tiles::{MOST_COMPONENTS, Tile, home, tile};
use crate::math::{Aabb, Point3, Real};
use crate::sets::Sets;

/// From this many component radii across POV-Ray begins to miss hits.
const WIDE: Real = 200.0;
/// POV-Ray 3.7 refuses a blob with more components.
const REFUSED: usize = 999_999;

/// Blobs of a translucent covering.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    /// In the order of their oldest particles.
    pub blobs: Vec<Tile>,
    /// Clusters in which POV-Ray may show holes or seams.
    pub wide: u64,
}

/// Connected components; those smaller than `edge` units share a blob with others of the same tile.
pub fn cluster(components: &[Component], edge: Real) -> Clusters {
    let mut found = Clusters::default();
    let mut shared: BTreeMap<[i64; 3], Vec<Vec<u32>>> = BTreeMap::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for members in connected(components) {
        let bounds = members
            .iter()
            .fold(Aabb::EMPTY, |b, &i| b.grow(&components[i as usize].center));
        let widest = members
            .iter()
            .map(|&i| components[i as usize].radius)
            .fold(0.0, Real::max);
        let across = bounds.diagonal() + 2.0 * widest;
        found.wide += u64::from(across > WIDE * widest || members.len() > REFUSED);
        if members.len() > REFUSED {
            found.blobs.extend(cut(components, &members, edge));
        } else if across > 0.25 * edge {
            groups.push(members);
        } else {
            let home = home(&components[members[0] as usize].center, edge);
            pack(shared.entry(home).or_default(), members);
        }
    }
    for mut members in shared.into_values().flatten() {
        members.sort_unstable();
        groups.push(members);
    }
    groups.sort_unstable_by_key(|g| g[0]);
    found.blobs.extend(groups.into_iter().map(|g| Tile {
        members: g.into_iter().map(|i| (i, false)).collect(),
    }));
    found
}

/// Adds a whole cluster to the last blob if that has room, else to a new one.
fn pack(blobs: &mut Vec<Vec<u32>>, members: Vec<u32>) {
    match blobs.last_mut() {
        Some(last) if last.len() + members.len() <= MOST_COMPONENTS => last.extend(members),
        _ => blobs.push(members),
    }
}

/// A cluster that POV-Ray refuses whole: tiles, whose seams show, are better than no picture.
fn cut(components: &[Component], members: &[u32], edge: Real) -> Vec<Tile> {
    let part: Vec<Component> = members.iter().map(|&i| components[i as usize]).collect();
    let mut tiles = tile(&part, edge);
    for m in tiles.iter_mut().flat_map(|t| &mut t.members) {
        m.0 = members[m.0 as usize];
    }
    tiles
}

/// Sets of components whose balls overlap, each ascending, in the order of their first members.
fn connected(components: &[Component]) -> Vec<Vec<u32>> {
    let points: Vec<Point3> = components.iter().map(|c| c.center).collect();
    let radii: Vec<Real> = components.iter().map(|c| c.radius).collect();
    let numbers: Vec<u32> = (0..components.len() as u32).collect();
    let grid = Neighbours::new(&points, &radii, &numbers, 2.0);
    let mut sets = Sets::new(components.len());
    for &i in grid.balls() {
        let (p, r) = (points[i as usize], radii[i as usize]);
        grid.visit(
            &p,
            |largest| r + largest,
            |seat, _, d2| {
                let j = grid.balls()[seat];
                let reach = r + radii[j as usize];
                if d2 < reach * reach {
                    sets.join(i, j);
                }
            },
        );
    }
    sets.all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(places: &[(Real, Real)]) -> Vec<Component> {
        places
            .iter()
            .enumerate()
            .map(|(i, &(x, radius))| Component {
                id: i as u64,
                center: Point3::new(x, 0.0, 0.0),
                radius,
                strength: 1.0,
            })
            .collect()
    }

    #[test]
    fn overlapping_balls_belong_together_whatever_their_order() {
        let components = at(&[
            (0.0, 1.0),
            (10.0, 1.0),
            (1.9, 1.0),
            (11.5, 1.0),
            (3.0, 0.2),
            (20.0, 1.0),
        ]);
        assert_eq!(connected(&components), [vec![0, 2, 4], vec![1, 3], vec![5]]);
    }

    #[test]
    fn small_clusters_share_a_blob_and_large_ones_do_not() {
        let mut places: Vec<(Real, Real)> = (0..100).map(|i| (Real::from(i) * 1.5, 1.0)).collect();
        places.extend([(500.0, 1.0), (505.0, 1.0), (900.0, 1.0)]);
        let found = cluster(&at(&places), 50.0);
        let sizes: Vec<usize> = found.blobs.iter().map(|b| b.members.len()).collect();
        assert_eq!(sizes, [100, 2, 1]);
        assert_eq!(found.wide, 0);
    }

    #[test]
    fn a_cluster_too_wide_for_povray_is_counted() {
        let places: Vec<(Real, Real)> = (0..300).map(|i| (Real::from(i), 1.0)).collect();
        assert_eq!(cluster(&at(&places), 50.0).wide, 1);
    }
}
