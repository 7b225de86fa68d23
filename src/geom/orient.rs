//! On which side of a line or plane a point lies: the exact sign, for any finite coordinates.
//!
//! A plain evaluation with an error bound decides almost always; the adaptive predicates of Shewchuk (1997, "Adaptive
//! Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", crate `robust`) decide the rest. Those are exact
//! while no product leaves the range of `f64`; beyond, coordinates are first scaled by a power of two, which loses nothing
//! unless some are 2^300 times smaller than others: these then count as 0.

use std::ops::Neg;

use robust::{Coord, Coord3D};

use super::ROUNDOFF;
use crate::math::{Point3, Real};

/// The sign of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i8)]
pub enum Sign {
    /// Below 0.
    Negative = -1,
    /// 0, or not a number.
    Zero = 0,
    /// Above 0.
    Positive = 1,
}

impl Sign {
    /// The sign of `x`.
    #[inline(always)]
    pub fn of(x: Real) -> Self {
        if x > 0.0 {
            Self::Positive
        } else if x < 0.0 {
            Self::Negative
        } else {
            Self::Zero
        }
    }

    /// Whether one is positive and the other negative.
    #[inline(always)]
    pub fn opposes(self, other: Self) -> bool {
        (self as i8) * (other as i8) < 0
    }

    /// Whether both are positive or both negative.
    #[inline(always)]
    pub fn agrees(self, other: Self) -> bool {
        (self as i8) * (other as i8) > 0
    }

    /// Whether it is [`Sign::Zero`].
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        self == Self::Zero
    }
}

impl Neg for Sign {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }
}

/// A number and how far it may be off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounded {
    /// The number.
    pub value: Real,
    /// Bound of its error, >= 0; not finite where nothing is known.
    pub error: Real,
}

impl Rounded {
    /// The sign, unless the error may change it.
    #[inline(always)]
    pub fn sign(&self) -> Option<Sign> {
        let clear = self.value.abs() > self.error;
        clear.then(|| Sign::of(self.value))
    }
}

/// Bound of the rounding of [`volume`] relative to the sum of its products' sizes, 7 roundings (Shewchuk 1997, figure 22), and one
/// for the bound's own.
const VOLUME_ERROR: Real = 8.0 * ROUNDOFF;
/// The same for [`area`]: 3 roundings (figure 21) and one.
const AREA_ERROR: Real = 4.0 * ROUNDOFF;
/// What underflow may add, for factors of size 1: far above 2^-1074 and far below anything that rounds otherwise.
const UNDERFLOW: Real = 1e-300;
/// Sizes between which the adaptive predicates are exact: three factors of 2^-300, each a whole multiple of 2^-353, multiply
/// to a multiple of 2^-1059.
const EXACT: [Real; 2] = [
    f64::from_bits((1023 - 300) << 52),
    f64::from_bits((1023 + 300) << 52),
];

/// The sign of det[a - d; b - d; c - d]: positive when the triangle `a`, `b`, `c` is counter-clockwise as seen from `d`'s far
/// side, that is, when `d` lies opposite to where its normal (b - a) x (c - a) points; zero when all four lie in a plane.
///
/// Exact for finite coordinates within the range that the module tells; zero when one is not finite.
#[inline]
pub fn orient3d(a: &Point3, b: &Point3, c: &Point3, d: &Point3) -> Sign {
    let volume = volume(a, b, c, d);
    match volume.sign() {
        Some(sign) => sign,
        None => Sign::of(adaptive_volume([a, b, c, d])),
    }
}

/// The sign of det[a - c; b - c]: positive when `a`, `b`, `c` turn counter-clockwise, zero when they lie on a line. Exact as
/// [`orient3d`] is.
#[inline]
pub fn orient2d(a: [Real; 2], b: [Real; 2], c: [Real; 2]) -> Sign {
    let area = area(a, b, c);
    match area.sign() {
        Some(sign) => sign,
        None => Sign::of(adaptive_area([a, b, c])),
    }
}

/// Six times the signed volume of a tetrahedron, the determinant of [`orient3d`].
#[inline(always)]
pub(super) fn volume(a: &Point3, b: &Point3, c: &Point3, d: &Point3) -> Rounded {
    let (a, b, c) = (a - d, b - d, c - d);
    let [bc, cb, ca, ac, ab, ba] = [b.x * c.y, c.x * b.y, c.x * a.y, a.x * c.y, a.x * b.y, b.x * a.y];
    let value = a.z * (bc - cb) + b.z * (ca - ac) + c.z * (ab - ba);
    let (az, bz, cz) = (a.z.abs(), b.z.abs(), c.z.abs());
    let size = (bc.abs() + cb.abs()) * az + (ca.abs() + ac.abs()) * bz + (ab.abs() + ba.abs()) * cz;
    Rounded {
        value,
        error: VOLUME_ERROR * size + UNDERFLOW * (1.0 + az + bz + cz),
    }
}

/// The determinant of [`orient3d`] to nearly full accuracy.
#[inline]
pub(super) fn accurate_volume(a: &Point3, b: &Point3, c: &Point3, d: &Point3) -> Real {
    let volume = volume(a, b, c, d);
    if volume.value.abs() > volume.error * 1e8 {
        volume.value
    } else {
        adaptive_volume([a, b, c, d])
    }
}

#[inline(always)]
fn area(a: [Real; 2], b: [Real; 2], c: [Real; 2]) -> Rounded {
    let (left, right) = ((a[0] - c[0]) * (b[1] - c[1]), (a[1] - c[1]) * (b[0] - c[0]));
    Rounded {
        value: left - right,
        error: AREA_ERROR * (left.abs() + right.abs()) + UNDERFLOW,
    }
}

#[cold]
#[inline(never)]
fn adaptive_volume(points: [&Point3; 4]) -> Real {
    // Square to an axis, as floors and walls are, there is nothing to compute.
    let last = points[3];
    if (0..3).any(|k| points[..3].iter().all(|p| p[k] == last[k])) {
        return 0.0;
    }
    let [a, b, c, d] = in_range(points.map(|p| [p.x, p.y, p.z])).map(|[x, y, z]| Coord3D { x, y, z });
    robust::orient3d(a, b, c, d)
}

#[cold]
#[inline(never)]
fn adaptive_area(points: [[Real; 2]; 3]) -> Real {
    let [a, b, c] = in_range(points).map(|[x, y]| Coord { x, y });
    robust::orient2d(a, b, c)
}

/// The points, scaled by a power of two if they leave the range of the adaptive predicates.
fn in_range<const N: usize, const M: usize>(points: [[Real; N]; M]) -> [[Real; N]; M] {
    let sizes = points.iter().flatten().map(|x| x.abs());
    let largest = sizes.clone().fold(0.0, Real::max);
    let smallest = sizes.filter(|x| *x > 0.0).fold(Real::INFINITY, Real::min);
    if (smallest >= EXACT[0] && largest <= EXACT[1]) || largest == 0.0 || !largest.is_finite() {
        return points;
    }
    let (_, exponent) = libm::frexp(largest);
    points.map(|p| {
        p.map(|x| {
            let scaled = libm::ldexp(x, -exponent);
            if scaled.abs() < EXACT[0] { 0.0 } else { scaled }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[Real; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn sign(points: [[Real; 3]; 4]) -> Sign {
        let [a, b, c, d] = points.map(Point3::from);
        orient3d(&a, &b, &c, &d)
    }

    #[test]
    fn the_side_of_the_normal_is_negative() {
        assert_eq!(sign(TETRAHEDRON), Sign::Negative);
        let [a, b, c, d] = TETRAHEDRON;
        assert_eq!(sign([b, a, c, d]), Sign::Positive);
        assert_eq!(sign([a, b, c, [0.3, 0.3, 0.0]]), Sign::Zero);
        assert_eq!(orient2d([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]), Sign::Positive);
    }

    #[test]
    fn signs_survive_any_scale() {
        for exponent in [-1060, -700, -400, -340, 0, 330, 400, 700, 1020] {
            let factor = libm::ldexp(1.0, exponent);
            let scaled = TETRAHEDRON.map(|p| p.map(|x| x * factor));
            assert_eq!(sign(scaled), Sign::Negative, "2^{exponent}");
            let [a, b, c, _] = scaled;
            // In the plane x + y + z = factor but for one unit in the last place.
            let third = [3.0 * factor / 8.0, 4.0 * factor / 8.0, factor / 8.0];
            let corners = [b, c, scaled[3]];
            assert_eq!(sign([corners[0], corners[1], corners[2], third]), Sign::Zero);
            if exponent > -1000 {
                let off = [third[0], third[1], third[2] * (1.0 + 2.0 * ROUNDOFF)];
                assert_eq!(
                    sign([corners[0], corners[1], corners[2], off]),
                    Sign::Negative,
                    "2^{exponent}"
                );
            }
            assert_eq!(orient2d([a[0], a[1]], [b[0], b[1]], [c[0], c[1]]), Sign::Positive);
        }
    }

    #[test]
    fn what_is_no_number_has_no_side() {
        let [a, b, c, _] = TETRAHEDRON;
        for x in [Real::NAN, Real::INFINITY] {
            assert_eq!(sign([a, b, c, [0.0, x, 1.0]]), Sign::Zero);
            assert_eq!(orient2d([0.0, 0.0], [1.0, 0.0], [x, 1.0]), Sign::Zero);
        }
    }
}
