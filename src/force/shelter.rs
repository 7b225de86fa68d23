//! Lee: how much the scenery slows a wind, on a coarse grid made once a scene.
//!
//! After Winstral, Elder & Davis (2002): what counts is the steepest look upwind at the scenery, within a reach. They look
//! over a map of heights; here rays look at triangles, so what hangs overhead gives no shelter, and a fence with a gap
//! below it does. A shorter look downwind finds where the air is dammed up, less before what lets it through. It knows no eddies: behind a wall the air is
//! slow, it does not turn back.

use rayon::prelude::*;

use crate::collide::Collider;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::ShelterSpec;

/// Slope of the look upwind at which shelter is full: tan 30 degrees, two heights behind a wall. Ours: the speeds this
/// gives behind a fence (0.3 at 2 heights, 0.7 at 5, 0.85 at 10) are those of a dense one.
const FULL: Real = 0.577_350_269_189_625_8;
/// Slope of the look downwind at which the air stands as still as in full shelter: tan 60 degrees. Ours: at 1 height
/// before a wall it leaves 0.54 of the wind, at 3 heights 0.87, about what is measured before dense fences.
const DAMMED: Real = 1.732_050_807_568_877_2;
/// How far the look goes downwind, as a share of that upwind.
const DAM_REACH: Real = 0.5;
/// Slopes that a look begins with, so that gaps below what it seeks do not matter.
const LOOKS: u32 = 8;
/// Nodes of the grid, at most; the cells grow along the ground to keep it.
const NODES: Real = 150_000.0;
/// Cells over the height of the scenery when the scene does not say.
const LAYERS: Real = 8.0;
/// How far the look goes upwind when the scene does not say, in heights of the scenery.
const REACH: Real = 10.0;
/// Halvings between two of them: to half a percent of full shelter.
const HALVINGS: usize = 5;

/// Share of the wind that is left, at the nodes of a grid; all of it outside.
pub struct Shelter {
    /// First node.
    origin: Point3,
    /// Distances between nodes.
    cell: Vec3,
    nodes: [usize; 3],
    factors: Vec<Real>,
}

impl Shelter {
    /// Looks upwind from every node around the scenery; `None` where there is nothing to give shelter.
    pub fn new(spec: &ShelterSpec, wind: &Vec3, bounds: &Aabb, collider: &dyn Collider) -> Option<Self> {
        let level = Vec3::new(wind.x, 0.0, wind.z);
        let (speed, height) = (level.norm(), bounds.extent().y);
        if bounds.is_empty() || speed <= 0.0 || height <= 0.0 {
            return None;
        }
        let upwind = level / -speed * spec.reach.unwrap_or(REACH * height);
        let downwind = upwind * -DAM_REACH;
        let moved = |way: &Vec3| Aabb {
            min: bounds.min - way,
            max: bounds.max - way,
        };
        let area = bounds.union(&moved(&upwind)).union(&moved(&downwind));
        let cell = cells(spec, &area);
        let nodes = [0, 1, 2].map(|a| (area.extent()[a] / cell[a]).ceil().max(1.0) as usize + 1);
        let origin = area.min + Vec3::y() * (0.5 * cell.y);
        let factors = (0..nodes.iter().product::<usize>()).into_par_iter().map(|n| {
            let [i, j, k] = [n % nodes[0], n / nodes[0] % nodes[1], n / nodes[0] / nodes[1]];
            let at = origin + cell.component_mul(&Vec3::new(i as Real, j as Real, k as Real));
            let lee = steepest(&at, &upwind, FULL, collider) / FULL;
            let rise = steepest(&at, &downwind, DAMMED, collider);
            let solid = solidity(&at, &downwind, rise, collider);
            let dammed = rise / DAMMED * solid * solid;
            1.0 - spec.strength * lee.max(dammed)
        });
        Some(Self {
            origin,
            cell,
            nodes,
            factors: factors.collect(),
        })
    }

    /// Share of the wind at a place, straight between nodes.
    pub fn factor(&self, place: &Point3) -> Real {
        let at = (place - self.origin).component_div(&self.cell);
        let mut low = [0; 3];
        let mut part = Vec3::zeros();
        for a in 0..3 {
            let last = (self.nodes[a] - 1) as Real;
            // The lowest layer goes on down to the ground.
            let x = if a == 1 { at[a].max(0.0) } else { at[a] };
            if !(0.0..=last).contains(&x) {
                return 1.0;
            }
            low[a] = (x as usize).min(self.nodes[a] - 2);
            part[a] = x - low[a] as Real;
        }
        (0..8).fold(0.0, |sum, corner| {
            let mut share = 1.0;
            let mut node = 0;
            for a in (0..3).rev() {
                let up = corner >> a & 1;
                share *= if up == 1 { part[a] } else { 1.0 - part[a] };
                node = node * self.nodes[a] + low[a] + up;
            }
            sum + share * self.factors[node]
        })
    }
}

/// Sizes of a cell: as asked, larger along the ground where there would be too many.
fn cells(spec: &ShelterSpec, area: &Aabb) -> Vec3 {
    let extent = area.extent();
    let height = spec.cell.unwrap_or(extent.y / LAYERS).max(extent.y / 64.0);
    let count = |x: Real, size: Real| (x / size).ceil().max(1.0) + 1.0;
    let mut side = height;
    while count(extent.x, side) * count(extent.y, height) * count(extent.z, side) > NODES {
        side *= 1.25;
    }
    Vec3::new(side, height, side)
}

/// Whether a look along the level `way` that rises by this slope meets the scenery.
fn meets(at: &Point3, way: &Vec3, slope: Real, collider: &dyn Collider) -> bool {
    collider.crosses(at, &(at + way + Vec3::y() * (slope * way.norm())))
}

/// The steepest slope, 0 to `most`, at which a look along the level `way` meets the scenery.
fn steepest(at: &Point3, way: &Vec3, most: Real, collider: &dyn Collider) -> Real {
    let slope = |n: u32| most * Real::from(n) / Real::from(LOOKS);
    let Some(n) = (0..=LOOKS).rev().find(|&n| meets(at, way, slope(n), collider)) else {
        return 0.0;
    };
    if n == LOOKS {
        return most;
    }
    let (mut low, mut high) = (slope(n), slope(n + 1));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if meets(at, way, middle, collider) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Share of what stands below a slope that no air gets through: 1 for a wall, 1/2 for a fence with gaps as wide as its
/// boards.
fn solidity(at: &Point3, way: &Vec3, most: Real, collider: &dyn Collider) -> Real {
    if most == 0.0 {
        return 0.0;
    }
    let looks = (0..2 * LOOKS).map(|n| most * (Real::from(n) + 0.5) / Real::from(2 * LOOKS));
    let met = looks.filter(|&slope| meets(at, way, slope, collider)).count();
    met as Real / Real::from(2 * LOOKS)
}
