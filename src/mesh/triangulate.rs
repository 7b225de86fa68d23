//! Polygons to triangles: the same area, the same orientation, no new vertices.
//!
//! Most polygons are star-shaped from a corner and become a fan round it, looked for without flattening. The
//! rest goes to ear clipping (crate `earcut`) in the best-fit plane, whose normal is Newell's (Sutherland,
//! Sproull & Schumacker 1974: the vector sum of the fan's cross products).

#[cfg(test)]
mod tests;

use earcut::Earcut;

use crate::math::{Point3, Real, Vec3};

/// Corners up to which other fans than the first are tried; beyond, ear clipping is quicker.
const FAN_CORNERS: usize = 16;
/// Corners up to which ears are clipped. Clipping a polygon that crosses itself takes up to cubic time.
const EAR_CORNERS: usize = 1 << 14;
/// How far triangle areas may miss the polygon's, relative to it.
const AREA_ERROR: Real = 1e-9;
/// Height over length below which a triangle counts as having no area.
const FLAT: Real = 1e-7;

/// How a polygon was cut.
#[derive(Debug, PartialEq)]
pub(super) enum Cut {
    /// The fan round the first corner will do.
    Fan,
    /// These triangles, in numbers of corners.
    Triangles(Vec<[u32; 3]>),
    /// No cut has the polygon's area, as it crosses itself, is far from flat or too large: the fan must do.
    Unclear,
}

/// Reusable memory of ear clipping.
pub(super) struct Cutter {
    earcut: Earcut<Real>,
    flat: Vec<[Real; 2]>,
    indices: Vec<u32>,
}

impl Cutter {
    /// Empty memory.
    pub fn new() -> Self {
        Self {
            earcut: Earcut::new(),
            flat: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// Cuts the polygon with these corners.
    pub fn cut(&mut self, corners: &[Point3]) -> Cut {
        let normal = newell(corners);
        if is_fan(corners, 0, &normal) {
            return Cut::Fan;
        }
        if corners.len() <= FAN_CORNERS
            && let Some(apex) = (1..corners.len()).find(|apex| is_fan(corners, *apex, &normal))
        {
            return Cut::Triangles(fan(corners.len(), apex).collect());
        }
        if corners.len() <= EAR_CORNERS
            && let Some(triangles) = self.clip(corners, &normal)
        {
            return Cut::Triangles(triangles);
        }
        if fan(corners.len(), 0).all(|t| is_flat(t.map(|i| corners[i as usize]))) {
            return Cut::Fan;
        }
        Cut::Unclear
    }

    /// Ear clipping; `None` if the areas do not add up.
    fn clip(&mut self, corners: &[Point3], normal: &Vec3) -> Option<Vec<[u32; 3]>> {
        let height = self.flatten(corners, normal)?;
        let none: [u32; 0] = [];
        self.earcut
            .earcut(self.flat.iter().copied(), &none, &mut self.indices);
        let doubled = |t: [u32; 3]| area(t.map(|i| self.flat[i as usize]));
        let whole: Real = fan(corners.len(), 0).map(doubled).sum();
        let triangles = self.indices.as_chunks::<3>().0.to_vec();
        let covered: Real = triangles.iter().map(|t| doubled(*t).abs()).sum();
        // Ear clipping leaves out corners on straight edges. Seen from above that may be a corner that stands
        // out of the plane, and leaving it out would tear a hole.
        let complete = triangles.len() + 2 == corners.len()
            || (triangles.len() + 2 < corners.len() && height <= AREA_ERROR);
        let fits = whole > 0.0 && (covered - whole).abs() <= AREA_ERROR * whole;
        (complete && fits).then_some(triangles)
    }

    /// Projects the corners along `normal` (of any length), counter-clockwise like the polygon. Returns their
    /// largest distance from the plane through the first, relative to their spread in it.
    fn flatten(&mut self, corners: &[Point3], normal: &Vec3) -> Option<Real> {
        let n = normal
            .try_normalize(0.0)
            .filter(|n| n.iter().all(|x| x.is_finite()))?;
        // Exact for a polygon that lies square to an axis.
        let mut axis = Vec3::zeros();
        axis[n.iamin()] = 1.0;
        let u = (axis - n * n.dot(&axis)).normalize();
        let v = n.cross(&u);
        let (mut height, mut spread) = (0.0_f64, 0.0_f64);
        self.flat.clear();
        for p in corners {
            let d = p - corners[0];
            let flat = [d.dot(&u), d.dot(&v)];
            height = height.max(d.dot(&n).abs());
            spread = spread.max(flat[0].abs()).max(flat[1].abs());
            self.flat.push(flat);
        }
        Some(height / spread).filter(|h| h.is_finite())
    }
}

/// Twice the polygon's area vector.
fn newell(corners: &[Point3]) -> Vec3 {
    let origin = corners[0];
    corners[1..]
        .windows(2)
        .map(|pair| (pair[0] - origin).cross(&(pair[1] - origin)))
        .sum()
}

/// The triangles of the fan round corner `apex` of `n`.
fn fan(n: usize, apex: usize) -> impl Iterator<Item = [u32; 3]> {
    // Corners are numbered in u32 throughout.
    let corner = move |k: usize| ((apex + k) % n) as u32;
    (1..n - 1).map(move |k| [corner(0), corner(k), corner(k + 1)])
}

/// Whether every triangle of the fan round `apex` faces along `normal` and has area.
fn is_fan(corners: &[Point3], apex: usize, normal: &Vec3) -> bool {
    fan(corners.len(), apex).all(|t| {
        let [a, b, c] = t.map(|i| corners[i as usize]);
        (b - a).cross(&(c - a)).dot(normal) > 0.0 && !is_flat([a, b, c])
    })
}

/// Whether a triangle has no area: its height is below 1e-7 of its longest edge, or it is a point.
pub(super) fn is_flat([a, b, c]: [Point3; 3]) -> bool {
    let edges = [b - a, c - b, a - c].map(|e| e.norm_squared());
    let longest = edges[0].max(edges[1]).max(edges[2]);
    (b - a).cross(&(c - a)).norm() <= FLAT * longest
}

/// Twice the signed area.
fn area([a, b, c]: [[Real; 2]; 3]) -> Real {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
