//! Lee: how much the scenery slows a wind, on a coarse grid made once a scene. Drifts grow where the flow is slower.
//!
//! After Winstral, Elder & Davis (2002): what counts is the steepest look upwind at the scenery, within a reach. They look
//! over a map of heights; here rays look at triangles, so an eave or a bridge overhead gives no shelter. It knows no
//! eddies: behind a wall the air is slow, it does not turn back.

use rayon::prelude::*;

use crate::collide::Collider;
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::scene::ShelterSpec;

/// Slope of the look upwind at which shelter is full: tan 30 degrees, two heights behind a wall. Ours: the speeds this
/// gives behind a fence (0.3 at 2 heights, 0.7 at 5, 0.85 at 10) are those of a dense one.
const FULL: Real = 0.577_350_269_189_625_8;
/// Nodes of the grid, at most; the cells grow along the ground to keep it.
const NODES: Real = 150_000.0;
/// Cells over the height of the scenery when the scene does not say.
const LAYERS: Real = 8.0;
/// How far the look goes upwind when the scene does not say, in heights of the scenery.
const REACH: Real = 10.0;
/// Halvings of the slope: to half a percent of full shelter.
const HALVINGS: usize = 8;

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
        let lee = Aabb {
            min: bounds.min - upwind,
            max: bounds.max - upwind,
        };
        let area = bounds.union(&lee);
        let cell = cells(spec, &area);
        let nodes = [0, 1, 2].map(|a| (area.extent()[a] / cell[a]).ceil().max(1.0) as usize + 1);
        let origin = area.min + Vec3::y() * (0.5 * cell.y);
        let factors = (0..nodes.iter().product::<usize>()).into_par_iter().map(|n| {
            let [i, j, k] = [n % nodes[0], n / nodes[0] % nodes[1], n / nodes[0] / nodes[1]];
            let at = origin + cell.component_mul(&Vec3::new(i as Real, j as Real, k as Real));
            1.0 - spec.strength * shelter_at(&at, &upwind, collider)
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

/// 0 in the open to 1: the steepest look upwind that meets the scenery, if the level one does.
fn shelter_at(at: &Point3, upwind: &Vec3, collider: &dyn Collider) -> Real {
    let reach = upwind.norm();
    let meets = |slope: Real| collider.crosses(at, &(at + upwind + Vec3::y() * (slope * reach)));
    if !meets(0.0) {
        return 0.0;
    }
    if meets(FULL) {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, FULL);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if meets(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low / FULL
}
