//! Polygons to triangles: the same area, the same orientation, no new vertices.
//!
//! Most polygons are star-shaped from a corner and become a fan round it, looked for without flattening. The
//! rest goes to ear clipping (crate `earcut`) in the best-fit plane, whose normal is Newell's (Sutherland,
//! Sproull & Schumacker 1974: the vector sum of the fan's cross products).

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
    /// No cut has the polygon's area, as it crosses itself or is too large: the fan must do.
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
        self.flatten(corners, normal)?;
        let none: [u32; 0] = [];
        self.earcut
            .earcut(self.flat.iter().copied(), &none, &mut self.indices);
        let signed = |t: [u32; 3]| area(t.map(|i| self.flat[i as usize]));
        let whole: Real = fan(corners.len(), 0).map(signed).sum();
        let mut covered = 0.0;
        let mut triangles = Vec::with_capacity(corners.len() - 2);
        for t in self.indices.as_chunks::<3>().0 {
            let area = signed(*t);
            covered += area.abs();
            triangles.push(if area < 0.0 { [t[0], t[2], t[1]] } else { *t });
        }
        let fits = (covered - whole).abs() <= AREA_ERROR * whole && triangles.len() <= corners.len() - 2;
        (whole > 0.0 && fits).then_some(triangles)
    }

    /// Drops the axis along which the normal is longest: an affine image of the best-fit plane that needs no
    /// rounding, counter-clockwise like the polygon.
    fn flatten(&mut self, corners: &[Point3], normal: &Vec3) -> Option<()> {
        let axis = normal.iamax();
        if !(normal[axis].abs() > 0.0 && normal[axis].is_finite()) {
            return None;
        }
        let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            std::mem::swap(&mut u, &mut v);
        }
        let origin = corners[0];
        self.flat.clear();
        self.flat.extend(corners.iter().map(|p| {
            let d = p - origin;
            [d[u], d[v]]
        }));
        Some(())
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
