//! The compression of section 3.2: a node whose normals agree keeps one plane equation instead of its cells.
//!
//! Two levels with chosen divisions, nodes and their cells, and above them a table of regions of 8 x 8 x 8 cells, of
//! which those without a normal keep one distance.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cells::{Blocks, Cell, distance_of, far};
use super::layout::Layout;
use crate::math::{Real, Vec3};
use crate::scene::Compression;

/// Cells along the edge of a region.
const REGION: usize = 8;
/// Marks a node that keeps its cells.
const DENSE: u32 = 1 << 31;
/// Steps of the distances that nodes without normals share [cells].
const STEP: f32 = 0.5;

/// Compressed cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// Cells along the edge of a node: 2, 4 or 8.
    pub(super) node: u32,
    /// An entry a region: where its nodes begin, in regions, or a distance as in [`Blocks`].
    pub(super) top: Vec<u32>,
    /// Number of a plane, or of a dense node.
    pub(super) nodes: Vec<u32>,
    /// Plane equations with the foot in the middle of the node; without a normal, a distance that all its cells have.
    pub(super) planes: Vec<Cell>,
    /// Cells of dense nodes.
    pub(super) cells: Vec<Cell>,
    /// Largest excess of a distance over that of the plain grid.
    pub(super) excess: f32,
}

/// What compression costs, against the plain grid, over all cells of the field.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Largest difference of a distance.
    pub distance_max: Real,
    /// Mean difference of distances.
    pub distance_mean: Real,
    /// Largest angle between normals [degrees].
    pub angle_max_deg: Real,
    /// Mean angle [degrees].
    pub angle_mean_deg: Real,
    /// Bytes of the plain grid.
    pub plain_bytes: u64,
}

impl Tree {
    /// Compresses plain cells.
    pub(super) fn new(
        blocks: &Blocks,
        layout: &Layout,
        thickness: Real,
        how: &Compression,
    ) -> (Self, Bounds) {
        let fit = Fit {
            blocks,
            layout,
            thickness,
            node: how.node as usize,
            least_dot: libm::cos(how.angle_deg.to_radians()),
            tolerance: how.distance * layout.cell,
        };
        let regions = regions(layout);
        let found: Vec<Option<Vec<Node>>> = (0..regions.iter().product::<usize>())
            .into_par_iter()
            .map(|n| {
                let at = [
                    n % regions[0],
                    n / regions[0] % regions[1],
                    n / regions[0] / regions[1],
                ];
                fit.region(at.map(|i| i * REGION))
            })
            .collect();
        let mut tree = Self {
            node: how.node,
            ..Self::default()
        };
        let mut shared = BTreeMap::new();
        for (n, found) in found.into_iter().enumerate() {
            match found {
                Some(nodes) => {
                    tree.top.push((tree.nodes.len() / nodes.len()) as u32);
                    for node in nodes {
                        let entry = tree.entry(node, &mut shared, layout);
                        tree.nodes.push(entry);
                    }
                }
                None => {
                    let at = [
                        n % regions[0],
                        n / regions[0] % regions[1],
                        n / regions[0] / regions[1],
                    ];
                    tree.top
                        .push(far(fit.least_distance(at.map(|i| i * REGION), REGION)));
                }
            }
        }
        let bounds = tree.compare(blocks, layout, thickness);
        (tree, bounds)
    }

    fn entry(&mut self, node: Node, shared: &mut BTreeMap<u32, u32>, layout: &Layout) -> u32 {
        match node {
            Node::Cells(cells) => {
                let number = self.cells.len() / cells.len();
                self.cells.extend(cells);
                number as u32 | DENSE
            }
            Node::Plane(plane) => {
                self.planes.push(plane);
                self.planes.len() as u32 - 1
            }
            Node::Unset(l) => {
                let step = STEP * layout.cell as f32;
                let steps = (l / step) as u32;
                *shared.entry(steps).or_insert_with(|| {
                    self.planes.push(Cell::unset(steps as f32 * step * (1.0 - 1e-6)));
                    self.planes.len() as u32 - 1
                })
            }
        }
    }

    /// A cell that lies in the layout.
    #[inline]
    pub(super) fn cell(&self, layout: &Layout, at: [usize; 3]) -> Cell {
        let entry = self.top[region_number(layout, at)];
        if let Some(l) = distance_of(entry) {
            return Cell::unset(l);
        }
        // 1, 2 or 3: divisions by powers of two are shifts.
        let shift = self.node.trailing_zeros();
        let side = REGION >> shift;
        let [x, y, z] = at.map(|i| (i % REGION) >> shift);
        let node = self.nodes[entry as usize * side * side * side + (z * side + y) * side + x];
        let edge = 1_usize << shift;
        let [x, y, z] = at.map(|i| i & (edge - 1));
        if node & DENSE != 0 {
            let within = (((z << shift) + y) << shift) + x;
            return self.cells[((node & !DENSE) as usize) * edge * edge * edge + within];
        }
        let plane = self.planes[node as usize];
        let half = 0.5 * (edge as f32 - 1.0);
        let way = [x, y, z].map(|i| i as f32 - half);
        let rise = plane.n[0] * way[0] + plane.n[1] * way[1] + plane.n[2] * way[2];
        Cell {
            l: plane.l + rise * layout.cell as f32,
            ..plane
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.top[..])
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.planes[..])
            + size_of_val(&self.cells[..])
    }

    /// Compares with the plain cells, and keeps the largest excess of a distance.
    fn compare(&mut self, blocks: &Blocks, layout: &Layout, thickness: Real) -> Bounds {
        let [nx, ny, nz] = layout.cells.map(|n| n as usize);
        let layers: Vec<Sums> = (0..nz)
            .into_par_iter()
            .map(|z| {
                let mut sums = Sums::default();
                for at in (0..nx * ny).map(|i| [i % nx, i / nx, z]) {
                    sums.add(&blocks.cell(layout, at), &self.cell(layout, at), thickness);
                }
                sums
            })
            .collect();
        let sums = layers.iter().fold(Sums::default(), Sums::plus);
        let count = (sums.count as Real).max(1.0);
        // Rounded up, for the comparison itself rounds.
        self.excess = sums.excess * (1.0 + 1e-6);
        Bounds {
            distance_max: sums.distance_max,
            distance_mean: sums.distance / count,
            angle_max_deg: sums.angle_max.to_degrees(),
            angle_mean_deg: (sums.angle / count).to_degrees(),
            plain_bytes: blocks.bytes() as u64,
        }
    }

    /// What is wrong with a tree that was read from a file.
    pub(super) fn fault(&self, layout: &Layout) -> Option<&'static str> {
        if ![2, 4, 8].contains(&self.node) {
            return Some("size of nodes");
        }
        let per_region = (REGION / self.node as usize).pow(3);
        let per_node = (self.node as usize).pow(3);
        let regions: usize = regions(layout).iter().product();
        let whole = self.nodes.len() % per_region == 0 && self.cells.len() % per_node == 0;
        if self.top.len() != regions || !whole || !(self.excess >= 0.0 && self.excess.is_finite()) {
            return Some("number of nodes");
        }
        let region_there = |e: &u32| match distance_of(*e) {
            Some(l) => l.is_finite(),
            None => (*e as usize) < self.nodes.len() / per_region,
        };
        let node_there = |n: &u32| match n & DENSE {
            0 => (*n as usize) < self.planes.len(),
            _ => ((n & !DENSE) as usize) < self.cells.len() / per_node,
        };
        if !self.top.iter().all(region_there) || !self.nodes.iter().all(node_there) {
            return Some("number of a node");
        }
        None
    }
}

#[derive(Default, Clone, Copy)]
struct Sums {
    count: u64,
    distance: Real,
    distance_max: Real,
    angle: Real,
    angle_max: Real,
    excess: f32,
}

impl Sums {
    fn add(&mut self, plain: &Cell, found: &Cell, thickness: Real) {
        self.excess = self.excess.max(found.l.abs() - plain.l.abs());
        if !plain.is_set() || Real::from(plain.l.abs()) > thickness {
            return;
        }
        let [a, b] = [plain, found].map(|c| Vec3::from(c.n.map(Real::from)));
        let difference = Real::from((plain.l - found.l).abs());
        let angle = libm::atan2(a.cross(&b).norm(), a.dot(&b));
        self.count += 1;
        self.distance += difference;
        self.distance_max = self.distance_max.max(difference);
        self.angle += angle;
        self.angle_max = self.angle_max.max(angle);
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            distance: self.distance + other.distance,
            distance_max: self.distance_max.max(other.distance_max),
            angle: self.angle + other.angle,
            angle_max: self.angle_max.max(other.angle_max),
            excess: self.excess.max(other.excess),
        }
    }
}

fn regions(layout: &Layout) -> [usize; 3] {
    layout.cells.map(|n| (n as usize).div_ceil(REGION))
}

#[inline]
fn region_number(layout: &Layout, at: [usize; 3]) -> usize {
    let [nx, ny, _] = regions(layout);
    let [x, y, z] = at.map(|i| i / REGION);
    (z * ny + y) * nx + x
}

enum Node {
    Cells(Vec<Cell>),
    Plane(Cell),
    Unset(f32),
}

/// What nodes are made from, and when they keep a plane.
struct Fit<'a> {
    blocks: &'a Blocks,
    layout: &'a Layout,
    thickness: Real,
    node: usize,
    least_dot: Real,
    tolerance: Real,
}

impl Fit<'_> {
    /// The nodes of a region; `None` where no cell has a normal.
    fn region(&self, low: [usize; 3]) -> Option<Vec<Node>> {
        if !self.cells(low, REGION).any(|c| c.is_set()) {
            return None;
        }
        let side = REGION / self.node;
        let nodes = (0..side * side * side).map(|n| {
            let within = [n % side, n / side % side, n / side / side];
            self.node([0, 1, 2].map(|a| low[a] + within[a] * self.node))
        });
        Some(nodes.collect())
    }

    /// The cells of a box, in x, y, z order; those beyond the grid are unset and infinitely far.
    fn cells(&self, low: [usize; 3], edge: usize) -> impl Iterator<Item = Cell> {
        (0..edge * edge * edge).map(move |i| {
            let at = [
                low[0] + i % edge,
                low[1] + i / edge % edge,
                low[2] + i / edge / edge,
            ];
            let there = (0..3).all(|a| at[a] < self.layout.cells[a] as usize);
            if there {
                self.blocks.cell(self.layout, at)
            } else {
                Cell::unset(f32::INFINITY)
            }
        })
    }

    /// The least distance of the cells of a box.
    fn least_distance(&self, low: [usize; 3], edge: usize) -> f32 {
        let least = self
            .cells(low, edge)
            .map(|c| c.l.abs())
            .fold(f32::INFINITY, f32::min);
        if least.is_finite() { least } else { 0.0 }
    }

    fn node(&self, low: [usize; 3]) -> Node {
        let cells: Vec<Cell> = self.cells(low, self.node).collect();
        if !cells.iter().any(Cell::is_set) {
            return Node::Unset(self.least_distance(low, self.node));
        }
        match self.plane(&cells) {
            Some(plane) => Node::Plane(plane),
            None => {
                let there = |c: Cell| if c.l.is_finite() { c } else { Cell::unset(0.0) };
                Node::Cells(cells.into_iter().map(there).collect())
            }
        }
    }

    /// One plane for all cells, where it serves them within the tolerances. Cells without a normal take any, unless the
    /// plane would act where nothing should.
    fn plane(&self, cells: &[Cell]) -> Option<Cell> {
        let set = || cells.iter().enumerate().filter(|c| c.1.is_set());
        let normal = |c: &Cell| Vec3::from(c.n.map(Real::from));
        let n = set()
            .fold(Vec3::zeros(), |sum, (_, c)| sum + normal(c))
            .try_normalize(1e-6)?;
        if set().any(|(_, c)| normal(c).dot(&n) < self.least_dot) {
            return None;
        }
        let rises = |i: usize| n.dot(&self.way(i));
        let count = set().count() as Real;
        let l = set().map(|(i, c)| Real::from(c.l) - rises(i)).sum::<Real>() / count;
        let serves = cells
            .iter()
            .enumerate()
            .filter(|c| c.1.l.is_finite())
            .all(|(i, c)| {
                let (found, wanted) = (l + rises(i), Real::from(c.l));
                let close = (found - wanted).abs() <= self.tolerance;
                let idle = found > self.thickness + self.layout.cell;
                let too_far = found.abs() - wanted.abs() > self.tolerance;
                close || (!c.is_set() && idle && !too_far)
            });
        serves.then(|| Cell {
            n: [n.x as f32, n.y as f32, n.z as f32],
            l: l as f32,
        })
    }

    /// From the middle of a node to that of one of its cells.
    fn way(&self, i: usize) -> Vec3 {
        let half = 0.5 * (self.node as Real - 1.0);
        let at = [
            i % self.node,
            i / self.node % self.node,
            i / self.node / self.node,
        ];
        Vec3::from(at.map(|i| i as Real - half)) * self.layout.cell
    }
}
