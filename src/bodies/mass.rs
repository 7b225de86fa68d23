//! Mass, centre and inertia of a body that is made of equal cells.

use crate::math::{Matrix3, Point3, Real, Vec3};

/// How the mass of a body lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mass {
    /// Mass, > 0 [kg].
    pub mass: Real,
    /// Centre of mass, in the frame of the places [m].
    pub center: Point3,
    /// Inertia about the centre [kg m2].
    pub inertia: Matrix3,
}

impl Mass {
    /// Of one cell of mass `each` [kg] around each place; `None` without places.
    ///
    /// Each cell brings its own inertia, of which `gyration` [m2] is the part by its mass: h^2 / 6 for a cube. Without it a
    /// body of n cubes along an edge is too light to turn by 1/n^2.
    pub fn new(places: &[Point3], each: Real, gyration: Real) -> Option<Self> {
        if places.is_empty() {
            return None;
        }
        let count = places.len() as Real;
        let sum = places.iter().fold(Vec3::zeros(), |sum, p| sum + p.coords);
        let center = Point3::from(sum / count);
        let mut inertia = Matrix3::identity() * (count * each * gyration);
        for place in places {
            let d = place - center;
            inertia += (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * each;
        }
        Some(Self {
            mass: count * each,
            center,
            inertia,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A brick of n cubes a unit of length has the inertia of the solid one, exactly, however coarse.
    #[test]
    fn a_brick_is_as_heavy_to_turn_as_the_solid_one() {
        for n in [1, 2, 6] {
            let edge = 1.0 / Real::from(n);
            let (a, b, c) = (1, 2, 3);
            let mut places = Vec::new();
            for x in 0..a * n {
                for y in 0..b * n {
                    for z in 0..c * n {
                        let at = |i: i32| (Real::from(i) + 0.5) * edge;
                        places.push(Point3::new(at(x) + 5.0, at(y), at(z)));
                    }
                }
            }
            let mass = Mass::new(&places, 2.0 * edge * edge * edge, edge * edge / 6.0).expect("cubes");
            let [a, b, c] = [a, b, c].map(Real::from);
            let expected = [b * b + c * c, a * a + c * c, a * a + b * b].map(|s| 12.0 * s / 12.0);
            assert!((mass.mass - 12.0).abs() < 1e-12);
            assert!((mass.center - Point3::new(5.5, 1.0, 1.5)).norm() < 1e-12);
            for (i, diagonal) in expected.into_iter().enumerate() {
                for j in 0..3 {
                    let value = if i == j { diagonal } else { 0.0 };
                    assert!(
                        (mass.inertia[(i, j)] - value).abs() < 1e-11,
                        "{n}: {}",
                        mass.inertia
                    );
                }
            }
        }
    }
}
