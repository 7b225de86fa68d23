//! Those near the balls of a cell, collected once for all of them.

use std::ops::Range;

use super::Neighbours;
use crate::math::Real;

/// All that may be near the balls of a cell, in columns; their length is a multiple of four, and what fills them up is
/// infinitely far away.
#[derive(Default)]
pub struct Around {
    /// Numbers of the balls; 0 for none.
    pub ball: Vec<u32>,
    /// Seats of the balls; 0 for none.
    pub seat: Vec<u32>,
    /// x, y and z of their centres.
    pub center: [Vec<Real>; 3],
    /// Their radii; 0 for none.
    pub radius: Vec<Real>,
    /// Which of these is the ball on the first seat of the cell; those on its other seats follow.
    pub first: usize,
}

impl Around {
    pub(super) fn clear(&mut self) {
        self.ball.clear();
        self.seat.clear();
        self.center.iter_mut().for_each(Vec::clear);
        self.radius.clear();
    }

    pub(super) fn add(&mut self, grid: &Neighbours, seats: Range<usize>) {
        self.ball.extend_from_slice(&grid.balls[seats.clone()]);
        self.seat.extend(seats.start as u32..seats.end as u32);
        for (axis, center) in self.center.iter_mut().enumerate() {
            center.extend(grid.center[seats.clone()].iter().map(|p| p[axis]));
        }
        self.radius.extend_from_slice(&grid.radius[seats]);
    }

    pub(super) fn pad(&mut self) {
        let length = self.radius.len().next_multiple_of(4);
        self.ball.resize(length, 0);
        self.seat.resize(length, 0);
        for center in &mut self.center {
            center.resize(length, Real::INFINITY);
        }
        self.radius.resize(length, 0.0);
    }
}
