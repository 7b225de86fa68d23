//! The overlap of two intervals on the planes' common line, computed and compared along its largest axis.
//!
//! An end of an interval is a rounded number with a bound of its error. Ends that are nearer than their bounds are told
//! apart by the sign that the exact methods use.

use super::{Crossed, Lone, flat_meet, volumes};
use crate::geom::ROUNDOFF;
use crate::geom::orient::{Rounded, Sign};
use crate::math::{Point3, Real};

pub(super) fn meet(a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    let Some((of_b, heights_b)) = volumes(a, b) else {
        return false;
    };
    if of_b == [Sign::Zero; 3] {
        return flat_meet(a, b);
    }
    let Some((of_a, heights_a)) = volumes(b, a) else {
        return false;
    };
    if of_a == [Sign::Zero; 3] {
        return flat_meet(a, b);
    }
    let crossed = Crossed::new(a, &of_a, b, &of_b);
    let normals = [crossed.p, crossed.q].map(|[u, v, w]| (v - u).cross(&(w - u)));
    let line = normals[0].cross(&normals[1]);
    let axis = line.iamax();
    let (lone_a, lone_b) = (Lone::of(&of_a), Lone::of(&of_b));
    let p = Ends {
        corners: crossed.p,
        heights: lone_a.heights(&heights_a, lone_b.turned),
        axis,
    };
    let q = Ends {
        corners: crossed.q,
        heights: lone_b.heights(&heights_b, lone_a.turned),
        axis,
    };
    // Which way the line runs along the axis is itself a sign that may be lost.
    let direction = Sign::of(line[axis]);
    let sure = line.amax() > 1e-9 * normals[0].amax() * normals[1].amax();
    let compare = |pi: usize, qj: usize| {
        let (x, y) = (p.end(pi), q.end(qj));
        let apart = Rounded {
            value: x.value - y.value,
            error: x.error + y.error,
        };
        match apart.sign() {
            Some(sign) if sure && direction == Sign::Positive => sign,
            Some(sign) if sure && direction == Sign::Negative => -sign,
            _ => crossed.compare(pi, qj),
        }
    };
    compare(1, 1) >= Sign::Zero && compare(2, 2) <= Sign::Zero
}

impl Lone {
    /// Heights in the order of [`Lone::first`].
    fn heights(&self, heights: &[Rounded; 3], reversed: bool) -> [Rounded; 3] {
        let (next, last) = (heights[(self.corner + 1) % 3], heights[(self.corner + 2) % 3]);
        let lone = heights[self.corner];
        if reversed {
            [lone, last, next]
        } else {
            [lone, next, last]
        }
    }
}

/// Where the edges of a triangle from its lone corner meet the other's plane, along one axis.
struct Ends<'a> {
    corners: [&'a Point3; 3],
    heights: [Rounded; 3],
    axis: usize,
}

impl Ends<'_> {
    /// On the edge from the lone corner to corner `k`. Heights of opposite signs: their errors move the point by no more than
    /// their share of the difference.
    fn end(&self, k: usize) -> Rounded {
        let (from, to) = (self.corners[0][self.axis], self.corners[k][self.axis]);
        let (top, bottom) = (self.heights[0], self.heights[k]);
        let (difference, error) = (top.value - bottom.value, top.error + bottom.error);
        let along = (to - from) * (top.value / difference);
        let share = 2.0 * error / (difference.abs() - error);
        let known = difference.abs() > 2.0 * error;
        Rounded {
            value: from + along,
            error: if known {
                (to - from).abs() * share + 8.0 * ROUNDOFF * (from.abs() + to.abs())
            } else {
                Real::INFINITY
            },
        }
    }
}
