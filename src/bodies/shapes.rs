//! Shapes for tests: boxes, unions of boxes that do not overlap, balls.

use super::fill::{Face, Solid};
use crate::math::{Aabb, Point3, Real, Vec3};

/// Boxes whose union is the shape; faces that two of them share are none.
pub struct Boxes(pub Vec<Aabb>);

impl Boxes {
    pub fn cuboid(x: Real, y: Real, z: Real) -> Self {
        let half = Vec3::new(x, y, z) * 0.5;
        Self(vec![Aabb {
            min: Point3::from(-half),
            max: Point3::from(half),
        }])
    }

    pub fn of(parts: &[[Real; 6]]) -> Self {
        let part = |p: &[Real; 6]| Aabb {
            min: Point3::new(p[0], p[1], p[2]),
            max: Point3::new(p[3], p[4], p[5]),
        };
        Self(parts.iter().map(part).collect())
    }
}

impl Solid for Boxes {
    fn bounds(&self) -> Aabb {
        self.0.iter().fold(Aabb::EMPTY, |all, b| all.union(b))
    }

    fn holds(&self, place: &Point3) -> bool {
        self.0.iter().any(|b| b.contains(place))
    }

    fn faces(&self, place: &Point3, reach: Real, found: &mut dyn FnMut(Face)) {
        for b in &self.0 {
            for axis in 0..3 {
                for side in [-1.0, 1.0] {
                    let mut normal = Vec3::zeros();
                    normal[axis] = side;
                    let mut point = place.sup(&b.min).inf(&b.max);
                    point[axis] = if side < 0.0 { b.min[axis] } else { b.max[axis] };
                    let distance = (point - place).norm();
                    // The face is covered where another box goes on.
                    let covered = self.holds(&(point + normal * 1e-6));
                    if distance <= reach && !covered {
                        found(Face {
                            distance,
                            point,
                            normal,
                        });
                    }
                }
            }
        }
    }
}

/// A ball around the origin.
pub struct Ball(pub Real);

impl Solid for Ball {
    fn bounds(&self) -> Aabb {
        Aabb {
            min: Point3::from(Vec3::repeat(-self.0)),
            max: Point3::from(Vec3::repeat(self.0)),
        }
    }

    fn holds(&self, place: &Point3) -> bool {
        place.coords.norm() <= self.0
    }

    fn faces(&self, place: &Point3, reach: Real, found: &mut dyn FnMut(Face)) {
        let distance = self.0 - place.coords.norm();
        if distance.abs() <= reach {
            let normal = place.coords.try_normalize(0.0).unwrap_or_else(Vec3::x);
            found(Face {
                distance,
                point: Point3::from(normal * self.0),
                normal,
            });
        }
    }
}

/// A shape turned about the origin.
pub struct Turned<S>(pub S, pub crate::math::Quaternion);

impl<S: Solid> Solid for Turned<S> {
    fn bounds(&self) -> Aabb {
        let b = self.0.bounds();
        let corners: [Point3; 8] = std::array::from_fn(|k| {
            let pick = |a: usize| if k >> a & 1 == 1 { b.max[a] } else { b.min[a] };
            self.1 * Point3::new(pick(0), pick(1), pick(2))
        });
        Aabb::around(&corners)
    }

    fn holds(&self, place: &Point3) -> bool {
        self.0.holds(&(self.1.inverse() * place))
    }

    fn faces(&self, place: &Point3, reach: Real, found: &mut dyn FnMut(Face)) {
        self.0.faces(&(self.1.inverse() * place), reach, &mut |f| {
            found(Face {
                point: self.1 * f.point,
                normal: self.1 * f.normal,
                ..f
            });
        });
    }
}
