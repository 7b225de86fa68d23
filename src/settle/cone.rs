//! Which way a particle can go: the part of gravity that presses into none of its contacts.

use crate::math::{Real, Vec3};

/// A direction with no larger cosine into a contact counts as along it. Sweeps between balls use twice as much, so that
/// what is called free here is never stopped there.
const ALONG: Real = 0.5e-9;
/// Two unit normals whose cross product is shorter span no line [sine of the angle].
const PARALLEL: Real = 1e-12;

/// The projection of the unit vector `down` on the cone of directions v with v.n >= 0 for all unit normals, and its length,
/// which is the sine of the slope: 1 when nothing holds, 0 when it is held from all sides.
///
/// Candidates are `down` itself, `down` without its part along a normal that it presses into, and its part along each
/// crease; the first of the former or the longest of the latter that presses into none is the projection on a polyhedral
/// cone, without iteration. Among equals the first wins.
pub(super) fn project(down: &Vec3, normals: &[Vec3]) -> (Vec3, Real) {
    let free = |v: &Vec3, length: Real| normals.iter().all(|n| v.dot(n) >= -ALONG * length);
    if free(down, 1.0) {
        return (*down, 1.0);
    }
    let mut best = Vec3::zeros();
    let mut longest = 0.0;
    let mut consider = |v: Vec3| {
        let length = v.norm();
        if length > longest && free(&v, length) {
            longest = length;
            best = v;
        }
        longest
    };
    for n in normals.iter().filter(|n| down.dot(n) < 0.0) {
        // The nearest point of one half space, if it lies in all, is the nearest of all.
        let length = consider(down - n * down.dot(n));
        if length > 0.0 {
            return (best, length);
        }
    }
    for (i, n) in normals.iter().enumerate() {
        for m in &normals[i + 1..] {
            if let Some(crease) = n.cross(m).try_normalize(PARALLEL) {
                consider(crease * down.dot(&crease));
            }
        }
    }
    (best, longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(normals: &[[Real; 3]]) -> Vec3 {
        let normals: Vec<Vec3> = normals.iter().map(|n| Vec3::from(*n).normalize()).collect();
        let (slope, length) = project(&-Vec3::y(), &normals);
        assert_eq!(slope.norm(), length);
        slope
    }

    #[test]
    fn the_length_is_the_sine_of_the_slope() {
        assert_eq!(slope(&[]), -Vec3::y());
        assert_eq!(slope(&[[1.0, -0.1, 0.0]]), -Vec3::y());
        assert_eq!(slope(&[[0.0, 1.0, 0.0]]), Vec3::zeros());
        assert!((slope(&[[1.0, 1.0, 0.0]]) - Vec3::new(0.5, -0.5, 0.0)).norm() < 1e-15);
        // A valley that falls along z by 45 degrees.
        let valley = slope(&[[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]]);
        assert!((valley - Vec3::new(0.0, -0.5, 0.5)).norm() < 1e-15, "{valley}");
        // Three around it hold it.
        let pocket = slope(&[[1.0, 1.0, 0.0], [-1.0, 1.0, 1.0], [-1.0, 1.0, -1.0]]);
        assert!(pocket.norm() < 1e-15);
    }

    #[test]
    fn a_direction_along_a_contact_is_free() {
        assert_eq!(slope(&[[1.0, 1e-10, 0.0]]), -Vec3::y());
        assert_ne!(slope(&[[1.0, 1e-8, 0.0]]), -Vec3::y());
    }
}
