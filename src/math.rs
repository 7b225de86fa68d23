//! The one place that picks the number type and the linear algebra: `f64` and nalgebra.
//!
//! Every other room says [`Real`], [`Vec3`] and [`Point3`] and never names nalgebra's own types.

/// The number that positions, lengths and times are kept in.
pub type Real = f64;
/// A displacement, velocity or direction.
pub type Vec3 = nalgebra::Vector3<Real>;
/// A place.
pub type Point3 = nalgebra::Point3<Real>;
/// A rotation matrix.
pub type Rotation3 = nalgebra::Rotation3<Real>;
/// A linear map of space.
pub type Matrix3 = nalgebra::Matrix3<Real>;

/// An orientation.
pub type Quaternion = nalgebra::UnitQuaternion<Real>;

/// Volume of a ball [m3]; radius [m].
pub fn ball_volume(radius: Real) -> Real {
    4.0 / 3.0 * std::f64::consts::PI * (radius * radius * radius)
}

/// Radius of a ball [m]; volume [m3].
pub fn ball_radius(volume: Real) -> Real {
    libm::cbrt(volume * (0.75 / std::f64::consts::PI))
}

/// An axis-aligned box, closed; empty while `min > max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Lower corner.
    pub min: Point3,
    /// Upper corner.
    pub max: Point3,
}

impl Aabb {
    /// The box that holds nothing: the neutral element of [`Aabb::grow`].
    pub const EMPTY: Self = Self {
        min: Point3::new(Real::INFINITY, Real::INFINITY, Real::INFINITY),
        max: Point3::new(Real::NEG_INFINITY, Real::NEG_INFINITY, Real::NEG_INFINITY),
    };

    /// The smallest box around `points`; [`Aabb::EMPTY`] for none.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Point3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| b.grow(p))
    }

    /// This box, large enough to hold `p` too.
    #[must_use]
    pub fn grow(self, p: &Point3) -> Self {
        Self {
            min: self.min.inf(p),
            max: self.max.sup(p),
        }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// This box with every face moved outward by `margin`.
    #[must_use]
    pub fn inflated(self, margin: Real) -> Self {
        let m = Vec3::repeat(margin);
        Self {
            min: self.min - m,
            max: self.max + m,
        }
    }

    /// Whether the box holds no point at all.
    #[expect(
        clippy::neg_cmp_op_on_partial_ord,
        reason = "corners that cannot be compared bound nothing either"
    )]
    pub fn is_empty(&self) -> bool {
        !(self.min <= self.max)
    }

    /// Whether `p` lies in the closed box.
    pub fn contains(&self, p: &Point3) -> bool {
        (0..3).all(|i| self.min[i] <= p[i] && p[i] <= self.max[i])
    }

    /// Edge lengths.
    pub fn extent(&self) -> Vec3 {
        self.max - self.min
    }

    /// Length of the space diagonal; 0 for an empty box.
    pub fn diagonal(&self) -> Real {
        if self.is_empty() {
            0.0
        } else {
            self.extent().norm()
        }
    }

    /// Middle of the box.
    pub fn center(&self) -> Point3 {
        nalgebra::center(&self.min, &self.max)
    }
}

/// Two unit vectors that make a right-handed frame with the unit vector `axis`.
pub fn perpendiculars(axis: &Vec3) -> (Vec3, Vec3) {
    let other = if axis.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let u = axis.cross(&other).normalize();
    (u, axis.cross(&u))
}
