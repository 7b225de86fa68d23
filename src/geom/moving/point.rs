//! First moment at which a moving point lies in a moving triangle.
//!
//! The point is in the triangle's plane at the roots of a cubic (Provot 1997, "Collision and Self-Collision Handling in Cloth
//! Model Dedicated to Design Garments", section 3.1); at each root it is asked whether it lies within. The cubic is cut
//! where its slope changes sign, so that no pair of roots, however close, falls between two looks.

use super::{MovingTriangle, weights, zone};
use crate::geom::closest_point::closest_point;
use crate::geom::orient::{Sign, orient3d};
use crate::math::{Point3, Real, Vec3};

/// A point that lies in a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Fraction of the motion, 0 .. 1.
    pub t: Real,
    /// Weights of the corners.
    pub weights: [Real; 3],
    /// Whether the cubic only touches 0 there: the point may have come and gone on the same side.
    pub grazing: bool,
}

/// The first t in 0 .. 1 at which the point that moves from `from` to `to` lies in the closed moving triangle, if there is one.
///
/// On which side the point is at the start and at the end is exact, and a place within rounding of the triangle counts, so none
/// that goes through is missed; a turn within rounding of the plane counts as a touch. When all four stay in one plane, the first moment is that at which the point enters over an
/// edge. A triangle that never has area is not met.
pub fn point_meets_triangle(from: &Point3, to: &Point3, tri: &MovingTriangle) -> Option<Crossing> {
    let motion = Motion::new(from, to, tri);
    let moments = if motion.is_flat() {
        motion.entries()
    } else {
        let side = |p: &Point3, [a, b, c]: &[Point3; 3]| -orient3d(a, b, c, p);
        let ends = [side(from, &tri.from), side(to, &tri.to)];
        motion.height.roots(ends, motion.tolerance)
    };
    moments.into_iter().find_map(|root| motion.crossing(&root))
}

/// A root of the cubic, or another moment to look at.
#[derive(Debug, Clone, Copy)]
struct Root {
    t: Real,
    double: bool,
}

struct Motion<'a> {
    from: &'a Point3,
    along: Vec3,
    tri: &'a MovingTriangle,
    /// Six times the volume of the three corners and the point.
    height: Cubic,
    /// Twice the triangle's area vector.
    normal: [Vec3; 3],
    /// Bound of the rounding of `height`.
    tolerance: Real,
    size: Real,
}

impl<'a> Motion<'a> {
    fn new(from: &'a Point3, to: &Point3, tri: &'a MovingTriangle) -> Self {
        let along = to - from;
        let moved = tri.displacements();
        let edge = |k: usize| [tri.from[k] - tri.from[0], moved[k] - moved[0]];
        let ([u0, u1], [v0, v1]) = (edge(1), edge(2));
        let [w0, w1] = [from - tri.from[0], along - moved[0]];
        let normal = [u0.cross(&v0), u0.cross(&v1) + u1.cross(&v0), u1.cross(&v1)];
        let height = Cubic([
            normal[0].dot(&w0),
            normal[0].dot(&w1) + normal[1].dot(&w0),
            normal[1].dot(&w1) + normal[2].dot(&w0),
            normal[2].dot(&w1),
        ]);
        let [u, v, w] = [[u0, u1], [v0, v1], [w0, w1]].map(|[x, y]| x.norm() + y.norm());
        let size = tri.size().max(from.coords.amax()).max(to.coords.amax());
        Self {
            from,
            along,
            tri,
            height,
            normal,
            tolerance: 8.0 * zone(size) * (u * v + v * w + w * u),
            size,
        }
    }

    /// Whether the four stay in one plane, within rounding.
    fn is_flat(&self) -> bool {
        self.height.0.iter().all(|x| x.abs() <= self.tolerance)
    }

    /// In one plane: the start, and the moments at which the point is on the line of an edge.
    fn entries(&self) -> Vec<Root> {
        let at = |t: Real| self.normal[0] + (self.normal[1] + self.normal[2] * t) * t;
        let larger = |a: Vec3, b: Vec3| if b.norm_squared() > a.norm_squared() { b } else { a };
        let normal = [0.5, 1.0].map(at).into_iter().fold(at(0.0), larger);
        let moved = self.tri.displacements();
        let mut moments = vec![Root {
            t: 0.0,
            double: false,
        }];
        for k in 0..3 {
            let next = (k + 1) % 3;
            let [e0, e1] = [self.tri.from[next] - self.tri.from[k], moved[next] - moved[k]];
            let [m0, m1] = [self.from - self.tri.from[k], self.along - moved[k]];
            let side = Cubic([
                e0.cross(&m0).dot(&normal),
                (e0.cross(&m1) + e1.cross(&m0)).dot(&normal),
                e1.cross(&m1).dot(&normal),
                0.0,
            ]);
            let sizes = (e0.norm() + e1.norm() + m0.norm() + m1.norm()) * normal.norm();
            let tolerance = 8.0 * zone(self.size) * sizes;
            let end = |t: Real| {
                if side.at(t).abs() > tolerance {
                    Sign::of(side.at(t))
                } else {
                    Sign::Zero
                }
            };
            moments.extend(side.roots([end(0.0), end(1.0)], tolerance));
        }
        moments.sort_by(|a, b| a.t.total_cmp(&b.t));
        moments
    }

    /// Whether the point lies in the triangle at a moment, within rounding of the coordinates and of the plane.
    fn crossing(&self, root: &Root) -> Option<Crossing> {
        let corners = self.tri.at(root.t);
        let point = self.from + self.along * root.t;
        let [a, b, c] = &corners;
        let area = (b - a).cross(&(c - a)).norm();
        let plane = if area > 0.0 {
            2.0 * self.tolerance / area
        } else {
            0.0
        };
        let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
        let near = 16.0 * zone(self.size) + plane.min(1e-7 * longest);
        let closest = closest_point(&point, &corners);
        (closest.distance <= near).then(|| Crossing {
            t: root.t,
            weights: weights(&corners, &closest.point),
            grazing: root.double,
        })
    }
}

/// A polynomial of degree 3 at the most, lowest power first.
#[derive(Debug, Clone, Copy)]
struct Cubic([Real; 4]);

impl Cubic {
    fn at(&self, t: Real) -> Real {
        let [a, b, c, d] = self.0;
        a + (b + (c + d * t) * t) * t
    }

    /// Where the slope is 0, in 0 .. 1, in order.
    fn turns(&self) -> Vec<Real> {
        let [_, b, c, d] = self.0;
        // 3 d t^2 + 2 c t + b, without cancellation.
        let (a, half) = (3.0 * d, c);
        let square = half * half - a * b;
        if square < 0.0 {
            return Vec::new();
        }
        let q = -(half + if half < 0.0 { -square.sqrt() } else { square.sqrt() });
        let mut turns: Vec<Real> = [q / a, b / q]
            .into_iter()
            .filter(|t| *t > 0.0 && *t < 1.0)
            .collect();
        turns.sort_by(Real::total_cmp);
        turns
    }

    /// All moments in 0 .. 1, in order, at which it is 0 or turns within `tolerance` of 0. Its signs at 0 and 1 are given.
    fn roots(&self, ends: [Sign; 2], tolerance: Real) -> Vec<Root> {
        let mut cuts = vec![(0.0, ends[0])];
        cuts.extend(self.turns().into_iter().map(|t| (t, Sign::of(self.at(t)))));
        cuts.push((1.0, ends[1]));
        let mut roots = Vec::new();
        for (i, pair) in cuts.windows(2).enumerate() {
            let [(low, at_low), (high, at_high)] = [pair[0], pair[1]];
            let turns = i > 0;
            if at_low.is_zero() || (turns && self.at(low).abs() <= tolerance) {
                roots.push(Root {
                    t: low,
                    double: turns,
                });
            }
            if at_low.opposes(at_high) {
                roots.push(Root {
                    t: self.bisect(low, high, at_high),
                    double: false,
                });
            }
        }
        if ends[1].is_zero() {
            roots.push(Root {
                t: 1.0,
                double: false,
            });
        }
        roots
    }

    /// The root between two moments of opposite signs, between which it is monotone: Newton's steps, halved where they leave
    /// what is known to hold the root.
    fn bisect(&self, mut low: Real, mut high: Real, at_high: Sign) -> Real {
        let [_, b, c, d] = self.0;
        let rises = at_high == Sign::Positive;
        let mut t = 0.5 * (low + high);
        for _ in 0..100 {
            let value = self.at(t);
            if (value > 0.0) == rises {
                high = t;
            } else {
                low = t;
            }
            let newton = t - value / (b + (2.0 * c + 3.0 * d * t) * t);
            let next = if newton > low && newton < high {
                newton
            } else {
                0.5 * (low + high)
            };
            if next == t || high - low <= Real::EPSILON * high {
                return next;
            }
            t = next;
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn still(tri: [[Real; 3]; 3]) -> MovingTriangle {
        let from = tri.map(Point3::from);
        MovingTriangle { from, to: from }
    }

    fn meets(from: [Real; 3], to: [Real; 3], tri: &MovingTriangle) -> Option<Real> {
        point_meets_triangle(&Point3::from(from), &Point3::from(to), tri).map(|c| c.t)
    }

    const TRI: [[Real; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    #[test]
    fn a_point_in_the_plane_for_ever_enters_over_an_edge() {
        let tri = still(TRI);
        assert_eq!(meets([-1.0, 1.0, 0.0], [3.0, 1.0, 0.0], &tri), Some(0.25));
        assert_eq!(meets([-1.0, 1.0, 0.0], [-0.5, 1.0, 0.0], &tri), None);
        assert_eq!(meets([1.0, 1.0, 0.0], [9.0, 1.0, 0.0], &tri), Some(0.0));
        assert_eq!(meets([-1.0, 5.0, 0.0], [9.0, 5.0, 0.0], &tri), None);
        // The triangle comes to the point, shrinking in its plane.
        let mut moving = tri;
        moving.to = [[-4.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-4.0, 4.0, 0.0]].map(Point3::from);
        assert_eq!(meets([-1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], &moving), Some(0.25));
    }

    #[test]
    fn a_turning_triangle_is_met_twice_and_the_first_counts() {
        // A plate that swings through the point and back would need two roots; the point follows a line through its sweep.
        let mut tri = still(TRI);
        tri.to = [[0.0, 0.0, 0.0], [4.0, 0.0, 4.0], [0.0, 4.0, 4.0]].map(Point3::from);
        let t = meets([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], &tri).expect("the plate reaches it");
        assert!((t - 0.5).abs() < 1e-12);
        assert_eq!(meets([1.0, 1.0, -0.1], [1.0, 1.0, -0.1], &tri), None);
    }
}
