//! A place and a turn: where a rigid mesh stands, and how fast each point of it moves.

use crate::math::{Matrix3, Point3, Real, Vec3};

/// A turn as a quaternion w + xi + yj + zk of length 1, up to rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// The part along the axis.
    pub vector: Vec3,
    /// The rest.
    pub scalar: Real,
}

impl Turn {
    /// None.
    pub const NONE: Self = Self {
        vector: Vec3::new(0.0, 0.0, 0.0),
        scalar: 1.0,
    };

    /// About a unit vector by an angle [radians].
    pub fn about(axis: &Vec3, angle: Real) -> Self {
        let half = 0.5 * angle;
        Self {
            vector: axis * libm::sin(half),
            scalar: libm::cos(half),
        }
    }

    /// About x, then y, then z [degrees].
    pub fn of_angles(deg: &Vec3) -> Self {
        let about = |axis: Vec3, deg: Real| Self::about(&axis, deg.to_radians());
        about(Vec3::z(), deg.z)
            .after(&about(Vec3::y(), deg.y))
            .after(&about(Vec3::x(), deg.x))
    }

    /// The turn that takes the axes to these three unit vectors, perpendicular and right-handed (Shepperd 1978).
    pub fn to_axes(axes: &[Vec3; 3]) -> Self {
        let m = |row: usize, column: usize| axes[column][row];
        let trace = m(0, 0) + m(1, 1) + m(2, 2);
        let largest = (0..3).fold(3, |best, k| {
            let value = |k: usize| if k == 3 { trace } else { m(k, k) };
            if value(k) > value(best) { k } else { best }
        });
        let raw = if largest == 3 {
            Self {
                vector: Vec3::new(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)),
                scalar: 1.0 + trace,
            }
        } else {
            let (i, j, k) = (largest, (largest + 1) % 3, (largest + 2) % 3);
            let mut vector = Vec3::zeros();
            vector[i] = 1.0 + m(i, i) - m(j, j) - m(k, k);
            vector[j] = m(i, j) + m(j, i);
            vector[k] = m(i, k) + m(k, i);
            Self {
                vector,
                scalar: m(k, j) - m(j, k),
            }
        };
        raw.unit()
    }

    /// This turn after another one.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self {
            vector: first.vector * self.scalar
                + self.vector * first.scalar
                + self.vector.cross(&first.vector),
            scalar: self.scalar * first.scalar - self.vector.dot(&first.vector),
        }
    }

    /// The turn back.
    #[must_use]
    pub fn back(&self) -> Self {
        Self {
            vector: -self.vector,
            scalar: self.scalar,
        }
    }

    fn norm_squared(&self) -> Real {
        self.vector.norm_squared() + self.scalar * self.scalar
    }

    /// The same with length 1; none for a quaternion without length.
    #[must_use]
    pub fn unit(&self) -> Self {
        let length = self.norm_squared().sqrt();
        if length > 0.0 && length.is_finite() {
            Self {
                vector: self.vector / length,
                scalar: self.scalar / length,
            }
        } else {
            Self::NONE
        }
    }

    /// The one of both quaternions of this turn that is nearer to another.
    #[must_use]
    pub fn near(&self, other: &Self) -> Self {
        let dot = self.vector.dot(&other.vector) + self.scalar * other.scalar;
        if dot < 0.0 {
            Self {
                vector: -self.vector,
                scalar: -self.scalar,
            }
        } else {
            *self
        }
    }

    /// The straight mean of two near quaternions, not of length 1.
    #[must_use]
    pub(super) fn toward(&self, to: &Self, share: Real) -> Self {
        Self {
            vector: self.vector + (to.vector - self.vector) * share,
            scalar: self.scalar + (to.scalar - self.scalar) * share,
        }
    }

    /// A bound of the angle to a near one [radians].
    pub fn angle_to(&self, other: &Self) -> Real {
        let other = other.near(self);
        let d = (self.vector - other.vector).norm_squared()
            + (self.scalar - other.scalar) * (self.scalar - other.scalar);
        // The chord is 2 sin(angle / 4): below a right angle the arc is at most 1.12 times as long.
        2.24 * d.sqrt()
    }

    /// As a matrix.
    fn matrix(&self) -> Matrix3 {
        let (v, w) = (&self.vector, self.scalar);
        let n = self.norm_squared();
        let s = if n > 0.0 { 2.0 / n } else { 0.0 };
        let (x, y, z) = (v * (s * v.x), v * (s * v.y), v * (s * v.z));
        let w = v * (s * w);
        Matrix3::new(
            1.0 - (y.y + z.z),
            x.y - w.z,
            x.z + w.y,
            x.y + w.z,
            1.0 - (x.x + z.z),
            y.z - w.x,
            x.z - w.y,
            y.z + w.x,
            1.0 - (x.x + y.y),
        )
    }
}

/// Where a frame stands in which something keeps its place: that of a rigid mesh, or of a triangle that changes its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// What it is turned about, in its own numbers.
    about: Point3,
    /// Where that is [m].
    center: Point3,
    axes: Matrix3,
    /// The way back from the world.
    back: Matrix3,
}

impl Pose {
    /// Of a rigid mesh whose place `about` is at `center`.
    pub fn new(about: Point3, center: Point3, turn: &Turn) -> Self {
        let axes = turn.matrix();
        Self {
            about,
            center,
            axes,
            back: axes.transpose(),
        }
    }

    /// Of a triangle: its own numbers are shares of two of its edges, and the height over it [m]. One without area keeps places
    /// by its first corner alone.
    pub fn of_triangle([a, b, c]: &[Point3; 3]) -> Self {
        let (u, v) = (b - a, c - a);
        let axes = u
            .cross(&v)
            .try_normalize(0.0)
            .map(|n| Matrix3::from_columns(&[u, v, n]));
        let both = axes.and_then(|axes| Some((axes, axes.try_inverse()?)));
        let (axes, back) = both.unwrap_or((Matrix3::identity(), Matrix3::identity()));
        Self {
            about: Point3::origin(),
            center: *a,
            axes,
            back,
        }
    }

    /// Where a place of the frame is [m].
    #[inline]
    pub fn to_world(&self, p: &Point3) -> Point3 {
        self.center + self.axes * (p - self.about)
    }

    /// The place of the frame that is here [m].
    #[inline]
    pub fn to_body(&self, p: &Point3) -> Point3 {
        self.about + self.back * (p - self.center)
    }

    /// A direction of the frame in the world.
    #[inline]
    pub fn turned(&self, v: &Vec3) -> Vec3 {
        self.axes * v
    }

    /// A direction of the world in the frame.
    #[inline]
    pub fn turned_back(&self, v: &Vec3) -> Vec3 {
        self.back * v
    }

    /// Where the place that it is turned about is [m].
    pub fn center(&self) -> Point3 {
        self.center
    }

    /// Where the axes of the frame point, and where its origin is: the columns of a matrix.
    pub fn columns(&self) -> ([Vec3; 3], Point3) {
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|a| self.axes * a);
        (axes, self.to_world(&Point3::origin()))
    }
}

/// A pose and how it changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instant {
    /// Where the frame is.
    pub pose: Pose,
    /// Velocity of what it turns about [m/s].
    velocity: Vec3,
    /// Change of the axes [1/s].
    change: Matrix3,
}

impl Instant {
    /// Of a rigid mesh: the velocity of what it turns about [m/s], and its angular velocity [radians/s].
    pub fn rigid(pose: Pose, velocity: Vec3, spin: &Vec3) -> Self {
        Self {
            change: spin.cross_matrix() * pose.axes,
            pose,
            velocity,
        }
    }

    /// Of a triangle whose corners move like this [m/s].
    pub fn of_triangle(corners: &[Point3; 3], moves: &[Vec3; 3]) -> Self {
        let [a, b, c] = corners;
        let (u, v, du, dv) = (b - a, c - a, moves[1] - moves[0], moves[2] - moves[0]);
        let area = u.cross(&v);
        let turns = du.cross(&v) + u.cross(&dv);
        let size = area.norm();
        // d (n / |n|) = (n' - n (n . n')) / |n|, of the unit vector n.
        let normal = if size > 0.0 {
            let n = area / size;
            (turns - n * n.dot(&turns)) / size
        } else {
            Vec3::zeros()
        };
        Self {
            pose: Pose::of_triangle(corners),
            velocity: moves[0],
            change: if size > 0.0 {
                Matrix3::from_columns(&[du, dv, normal])
            } else {
                Matrix3::zeros()
            },
        }
    }

    /// Velocity of the frame at a place of the world [m/s].
    #[inline]
    pub fn velocity_at(&self, p: &Point3) -> Vec3 {
        self.velocity + self.change * (self.pose.back * (p - self.pose.center))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_the_right_hand_and_come_back() {
        let turn = Turn::of_angles(&Vec3::new(20.0, -70.0, 130.0));
        let pose = Pose::new(Point3::new(1.0, 2.0, 3.0), Point3::new(-4.0, 5.0, 6.0), &turn);
        let p = Point3::new(0.3, -0.2, 7.0);
        assert!((pose.to_body(&pose.to_world(&p)) - p).norm() < 1e-14);
        assert_eq!(
            pose.to_world(&Point3::new(1.0, 2.0, 3.0)),
            Point3::new(-4.0, 5.0, 6.0)
        );
        let quarter = Pose::new(
            Point3::origin(),
            Point3::origin(),
            &Turn::of_angles(&Vec3::new(0.0, 90.0, 0.0)),
        );
        assert!((quarter.turned(&Vec3::x()) + Vec3::z()).norm() < 1e-15);
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|a| pose.turned(&a));
        let back = Turn::to_axes(&axes).near(&turn);
        assert!((back.vector - turn.vector).norm() < 1e-14);
    }

    #[test]
    fn half_turns_have_a_quaternion_too() {
        for deg in [
            Vec3::new(180.0, 0.0, 0.0),
            Vec3::new(0.0, 180.0, 0.0),
            Vec3::new(0.0, 0.0, 180.0),
        ] {
            let turn = Turn::of_angles(&deg);
            let pose = Pose::new(Point3::origin(), Point3::origin(), &turn);
            let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|a| pose.turned(&a));
            assert!(Turn::to_axes(&axes).angle_to(&turn) < 1e-12, "{deg:?}");
        }
    }

    #[test]
    fn places_over_a_triangle_move_with_it() {
        let corners = [[0.0, 0.0, 0.0], [2.0, 0.1, 0.0], [0.3, 0.2, 1.5]].map(Point3::from);
        let moves = [[1.0, 0.0, 0.3], [0.5, 2.0, 0.0], [0.0, -1.0, 1.0]].map(Vec3::from);
        let at = |t: Real| [0, 1, 2].map(|k| corners[k] + moves[k] * t);
        let p = Point3::new(0.4, 0.7, 0.2);
        let own = Pose::of_triangle(&corners).to_body(&p);
        assert!((Pose::of_triangle(&corners).to_world(&own) - p).norm() < 1e-15);
        let h = 1e-6;
        let place = |t: Real| Pose::of_triangle(&at(t)).to_world(&own);
        let slope = (place(h) - place(-h)) / (2.0 * h);
        let velocity = Instant::of_triangle(&corners, &moves).velocity_at(&p);
        assert!((slope - velocity).norm() < 1e-8, "{slope} {velocity}");
        let flat = Pose::of_triangle(&[corners[0]; 3]);
        assert_eq!(flat.to_world(&flat.to_body(&p)), p);
    }
}
