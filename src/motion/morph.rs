//! A mesh that changes its shape: its corners at given moments, and straight ways between them.

use crate::math::{Point3, Real, Vec3};

/// Corners at moments that follow each other.
#[derive(Debug, Clone)]
pub struct Morph {
    /// Moments [s], in order; at least one.
    moments: Vec<Real>,
    /// Corners at each [m].
    shapes: Vec<Vec<Point3>>,
    /// Whether the first moment follows the last, which shows the same shape.
    repeats: bool,
}

/// A stretch of time in which all corners go straight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Numbers of the shapes at its start and end.
    pub shapes: [usize; 2],
    /// Its start and end [s]; the first and the last have no end on one side.
    pub span: [Real; 2],
}

impl Morph {
    /// From moments in order [s] and as many shapes, all of the same number of corners.
    pub fn new(moments: Vec<Real>, shapes: Vec<Vec<Point3>>, repeats: bool) -> Self {
        Self {
            repeats: repeats && moments.len() > 1,
            moments,
            shapes,
        }
    }

    /// How many stretches differ from each other, those outside its moments included.
    pub fn stretches(&self) -> usize {
        self.moments.len() + 1
    }

    /// Corners of a shape [m].
    pub fn shape(&self, number: usize) -> &[Point3] {
        self.shapes.get(number).map_or(&[], Vec::as_slice)
    }

    /// The stretch at a moment [s] and its number.
    pub fn stretch(&self, time: Real) -> (usize, Stretch) {
        let (first, last) = (self.moments[0], self.moments[self.moments.len() - 1]);
        let mut round = 0.0;
        if self.repeats && time >= last {
            round = ((time - first) / (last - first)).floor() * (last - first);
        }
        let local = time - round;
        let next = self.moments.partition_point(|m| *m <= local);
        let end = |i: Option<usize>| i.and_then(|i| self.moments.get(i)).map(|m| m + round);
        let before = next.checked_sub(1);
        let stretch = Stretch {
            shapes: [before.unwrap_or(0), next.min(self.moments.len() - 1)],
            span: [
                end(before).unwrap_or(Real::NEG_INFINITY),
                end(Some(next)).unwrap_or(Real::INFINITY),
            ],
        };
        (next, stretch)
    }

    /// Corners at a moment [s].
    pub fn at(&self, time: Real) -> Vec<Point3> {
        let (_, stretch) = self.stretch(time);
        let [from, to] = stretch.shapes.map(|s| self.shape(s));
        let share = stretch.share(time);
        from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect()
    }
}

impl Stretch {
    /// Share of its way at a moment [s] in it.
    pub fn share(&self, time: Real) -> Real {
        let [start, end] = self.span;
        if self.shapes[0] == self.shapes[1] {
            return 0.0;
        }
        ((time - start) / (end - start)).clamp(0.0, 1.0)
    }

    /// Time from one shape to the next [s]; infinite where nothing moves.
    pub fn duration(&self) -> Real {
        self.span[1] - self.span[0]
    }
}

impl Stretch {
    /// Velocity of what goes from `a` to `b` [m/s].
    pub fn velocity(&self, a: &Point3, b: &Point3) -> Vec3 {
        let duration = self.duration();
        if duration.is_finite() && self.shapes[0] != self.shapes[1] {
            (b - a) / duration
        } else {
            Vec3::zeros()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(x: Real) -> Vec<Point3> {
        vec![Point3::new(x, 0.0, 0.0)]
    }

    #[test]
    fn corners_go_straight_and_rest_outside() {
        let morph = Morph::new(
            vec![1.0, 2.0, 4.0],
            vec![points(0.0), points(3.0), points(-1.0)],
            false,
        );
        let x = |t: Real| morph.at(t)[0].x;
        assert_eq!(
            [0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0].map(x),
            [0.0, 0.0, 1.5, 3.0, 1.0, -1.0, -1.0]
        );
        let (_, stretch) = morph.stretch(3.0);
        assert_eq!((stretch.shapes, stretch.span), ([1, 2], [2.0, 4.0]));
        assert_eq!(stretch.velocity(&morph.shape(1)[0], &morph.shape(2)[0]).x, -2.0);
    }

    #[test]
    fn a_round_begins_again() {
        let morph = Morph::new(
            vec![1.0, 2.0, 3.0],
            vec![points(0.0), points(3.0), points(0.0)],
            true,
        );
        for t in [1.25, 1.75, 2.5] {
            let x = morph.at(t)[0].x;
            assert!(
                (morph.at(t + 2.0)[0].x - x).abs() < 1e-12 && (morph.at(t + 200.0)[0].x - x).abs() < 1e-9
            );
        }
    }
}
