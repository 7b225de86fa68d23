//! How far a particle rolls in the time that is left of a step.
//!
//! A sphere that rolls down from rest gains v^2 = 10/7 g h (5/7 of a free fall, the rest turns it); what it has across a
//! new direction is lost, as in a touch without rebound.

use crate::math::{Real, Vec3};

/// How far it gets at once from where it lay or landed [radii], as far as a move to a lower place goes at once: in the
/// rain of a covering nobody sees such a jump, and nearly all landings need no more.
const FREE: Real = 8.0;
/// Share of the fall that moves a rolling sphere, times two.
const ROLLS: Real = 10.0 / 7.0;

/// Nobody rolls slower than sqrt(g d), the scale of all speeds on a bed of grains of this diameter (GDR MiDi 2004): in
/// a pocket that is all but level it would take for ever [times sqrt(g r)].
const LEAST: Real = core::f64::consts::SQRT_2;

/// A straight way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// To its end [m], and how far that is.
    along: Vec3,
    length: Real,
    /// How much lower it ends [m].
    drop: Real,
}

/// Speed, and what is left of time.
#[derive(Debug)]
pub(super) struct Pace {
    /// Velocity before the ways that take no time: most particles lie still before anybody asks for it.
    velocity: Vec3,
    ways: Vec<Way>,
    gravity: Real,
    /// Slowest that counts [m/s].
    least: Real,
    /// Way that takes no time [m].
    free: Real,
    /// Time [s]; negative when a piece took longer.
    left: Real,
}

impl Pace {
    /// For a particle of this velocity [m/s] and radius [m] and a time [s]; `ways` is memory.
    pub(super) fn new(velocity: Vec3, radius: Real, gravity: Real, left: Real, mut ways: Vec<Way>) -> Self {
        ways.clear();
        let rests = velocity == Vec3::zeros();
        Self {
            velocity,
            ways,
            gravity,
            least: LEAST * (gravity * radius).sqrt(),
            free: if rests { FREE * radius } else { 0.0 },
            left,
        }
    }

    /// The memory for another one.
    pub(super) fn into_ways(self) -> Vec<Way> {
        self.ways
    }

    /// Velocity after the last piece [m/s].
    pub(super) fn velocity(&mut self) -> Vec3 {
        self.catch_up();
        self.velocity
    }

    /// Comes to a stop.
    pub(super) fn stop(&mut self) {
        self.ways.clear();
        self.velocity = Vec3::zeros();
    }

    /// Time that is left [s].
    pub(super) fn left(&self) -> Real {
        self.left.max(0.0)
    }

    /// Whether it can go no farther in this step.
    pub(super) fn is_over(&self) -> bool {
        self.free <= 0.0 && self.left <= 0.0
    }

    /// Rolls along a straight way on which it comes lower by `drop` [m].
    pub(super) fn roll(&mut self, way: &Vec3, drop: Real) {
        let (along, length) = (*way, way.norm());
        if length <= 0.0 {
            return;
        }
        let way = Way { along, length, drop };
        let slow = (length - self.free.max(0.0)).max(0.0);
        self.free -= length;
        if slow > 0.0 {
            // Only what goes beyond the free way takes time.
            self.catch_up();
            let speed = self.turn(&way);
            self.left -= slow / speed.max(self.least);
        } else {
            self.ways.push(way);
        }
    }

    /// Makes up for the ways that took no time.
    fn catch_up(&mut self) {
        for n in 0..self.ways.len() {
            let way = self.ways[n];
            self.turn(&way);
        }
        self.ways.clear();
    }

    /// Takes the velocity along a way to its end; returns the mean speed on it [m/s].
    fn turn(&mut self, way: &Way) -> Real {
        let before = (self.velocity.dot(&way.along) / way.length).max(0.0);
        let after = (before * before + ROLLS * self.gravity * way.drop)
            .max(0.0)
            .sqrt();
        self.velocity = way.along * (after / way.length);
        0.5 * (before + after)
    }

    /// Falls along `down` by `height` [m], or as far of it as there is time for; returns how far.
    pub(super) fn fall(&mut self, down: &Vec3, height: Real) -> Real {
        self.catch_up();
        let before = self.velocity.dot(down).max(0.0);
        let speed = |fallen: Real| (before * before + 2.0 * self.gravity * fallen).sqrt();
        let free = self.free.clamp(0.0, height);
        let (first, last) = (speed(free), speed(height));
        let time = (last - first) / self.gravity;
        self.free -= height;
        if time <= self.left.max(0.0) || height <= free {
            self.velocity = down * last;
            self.left -= if height > free { time } else { 0.0 };
            return height;
        }
        let left = self.left.max(0.0);
        self.velocity = down * (first + self.gravity * left);
        self.left = 0.0;
        height.min(free + (first + 0.5 * self.gravity * left) * left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From rest down a slope with this sine: way after a time, by pieces.
    fn rolled(sine: Real, time: Real) -> Real {
        let piece = 1e-3;
        let way = Vec3::new((1.0 - sine * sine).sqrt(), -sine, 0.0) * piece;
        let mut pace = Pace::new(Vec3::zeros(), 0.0, 9.81, time, vec![]);
        let mut pieces = 0.0;
        while !pace.is_over() {
            pace.roll(&way, sine * piece);
            pieces += 1.0;
        }
        pieces * piece
    }

    #[test]
    fn a_sphere_rolls_as_far_as_five_sevenths_of_the_pull_take_it() {
        for (sine, time) in [(0.5, 1.0), (0.9, 0.3), (0.1, 2.0)] {
            let law = 0.5 * (5.0 / 7.0 * 9.81 * sine) * time * time;
            let way = rolled(sine, time);
            assert!((way - law).abs() < 2e-3, "{way} against {law}");
        }
    }

    #[test]
    fn a_fall_takes_the_time_of_a_fall_or_stops_on_the_way() {
        let (down, g) = (-Vec3::y(), 9.81);
        let mut pace = Pace::new(Vec3::zeros(), 0.01, g, 1.5, vec![]);
        assert_eq!(pace.fall(&down, 0.03), 0.03);
        assert_eq!(pace.left(), 1.5, "the free way takes no time");
        let mut pace = Pace::new(Vec3::zeros(), 0.0, g, 1.5, vec![]);
        assert_eq!(pace.fall(&down, 0.5 * g), 0.5 * g);
        assert!((pace.left() - 0.5).abs() < 1e-12, "{}", pace.left());
        let part = pace.fall(&down, 100.0);
        assert!((part - (g * 0.5 + 0.5 * g * 0.25)).abs() < 1e-12, "{part}");
        assert!((pace.velocity() - down * (1.5 * g)).norm() < 1e-12 && pace.is_over());
    }

    #[test]
    fn a_level_way_takes_its_time_and_not_for_ever() {
        let mut pace = Pace::new(Vec3::new(0.0, 1e-300, 0.0), 1.0, 9.0, 10.0, vec![]);
        pace.roll(&Vec3::new(0.3, 0.0, 0.0), -1e-12);
        let slowest = (2.0 * 9.0 * 1.0_f64).sqrt();
        assert!(
            (pace.left() - (10.0 - 0.3 / slowest)).abs() < 1e-9,
            "{}",
            pace.left()
        );
    }

    #[test]
    fn a_turn_costs_what_goes_across_it() {
        let mut pace = Pace::new(Vec3::new(3.0, 0.0, 0.0), 1.0, 0.0, 10.0, vec![]);
        pace.roll(&Vec3::new(0.3, 0.4, 0.0), 0.0);
        assert!((pace.velocity() - Vec3::new(1.08, 1.44, 0.0)).norm() < 1e-12);
        pace.roll(&Vec3::new(-1.0, 0.0, 0.0), 0.0);
        assert_eq!(pace.velocity(), Vec3::zeros());
    }
}
