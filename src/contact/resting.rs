//! The rest rule: which rebounds are none, what a held particle may still do, and when it lies still for good.
//!
//! Every threshold scales with gravity, step and radius, so a scene and its scaled copy behave alike.

use crate::math::{Real, Vec3};

/// A hop lower than this share of the radius is not seen.
const HOP: Real = 0.01;
/// A hop shorter than this share of a step is not resolved.
const HOP_TIME: Real = 0.1;
/// Sliding slower than this share of [`least_rebound`] is standing still.
const CREEP: Real = 1e-3;
/// What may be missing from balance, relative to the acceleration: rounding of normals and friction.
const BALANCE: Real = 1e-9;

/// The slowest rebound [m/s] that is one: its hop rises more than a hundredth of the radius (v^2 / 2g) and lasts more
/// than a tenth of a step (2v / g). `gravity` [m/s2], `radius` [m], `step` [s].
pub fn least_rebound(gravity: Real, radius: Real, step: Real) -> Real {
    (2.0 * gravity * HOP * radius)
        .sqrt()
        .max(0.5 * HOP_TIME * gravity * step)
}

/// Unit normals of the surfaces that hold a particle, at most three: more cannot be independent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Holds {
    normals: [Vec3; 3],
    count: usize,
}

impl Holds {
    /// Forgets all: the particle has moved on.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// One more surface; the oldest makes room.
    pub fn add(&mut self, normal: Vec3) {
        if self.count == 3 {
            self.normals.rotate_left(1);
            self.count = 2;
        }
        self.normals[self.count] = normal;
        self.count += 1;
    }

    /// The unit normals.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals[..self.count]
    }

    /// Turns them, as unit vectors.
    pub fn turn(&mut self, turned: impl Fn(&Vec3) -> Vec3) {
        self.normals[..self.count].iter_mut().for_each(|n| *n = turned(n));
    }

    /// The part of `v` that does not press into any holding surface: its projection on the cone v.n >= 0.
    ///
    /// Candidates are v itself, v without its part along each normal, and its part along each crease; the longest that
    /// presses into none is the projection. Exact for up to three normals.
    pub fn project(&self, v: &Vec3) -> Vec3 {
        let normals = self.normals();
        let slack = BALANCE * v.norm();
        let free = |w: &Vec3| normals.iter().all(|n| w.dot(n) >= -slack);
        if free(v) {
            return *v;
        }
        let mut best = Vec3::zeros();
        let mut consider = |w: Vec3| {
            if w.norm_squared() > best.norm_squared() && free(&w) {
                best = w;
            }
        };
        for (i, n) in normals.iter().enumerate() {
            consider(v - n * v.dot(n));
            for m in &normals[i + 1..] {
                if let Some(crease) = n.cross(m).try_normalize(1e-12) {
                    consider(crease * v.dot(&crease));
                }
            }
        }
        best
    }

    /// `path` leaning away from the holding surfaces by the share `lean` of its length, so that rounding does not press
    /// it back in.
    pub fn lean_out(&self, path: Vec3, lean: Real) -> Vec3 {
        let least = lean * path.norm();
        self.normals().iter().fold(path, |p, n| {
            let out = p.dot(n);
            if out < least { p + n * (least - out) } else { p }
        })
    }
}

/// A held particle's motion over some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slide {
    /// Velocity at the end [m/s].
    pub velocity: Vec3,
    /// How long it moves [s]; shorter than asked when friction stops it.
    pub duration: Real,
    /// Whether it stands still afterwards and nothing will set it in motion.
    pub rests: bool,
}

/// Slides a held particle for `dt` [s] under `acceleration` [m/s2] with this friction coefficient; slower than
/// a thousandth of `least_rebound` is standing still.
pub fn slide(
    holds: &Holds,
    velocity: &Vec3,
    acceleration: &Vec3,
    friction: Real,
    dt: Real,
    least_rebound: Real,
) -> Slide {
    let along = holds.project(acceleration);
    let grip = friction * (acceleration - along).norm();
    let velocity = holds.project(velocity);
    let speed = velocity.norm();
    let balanced = along.norm() <= grip + BALANCE * acceleration.norm();
    if balanced && speed <= CREEP * least_rebound {
        return Slide {
            velocity: Vec3::zeros(),
            duration: 0.0,
            rests: true,
        };
    }
    let wanted = velocity + along * dt;
    let loss = grip * dt;
    if wanted.norm() > loss {
        return Slide {
            velocity: wanted * (1.0 - loss / wanted.norm()),
            duration: dt,
            rests: false,
        };
    }
    // Friction wins within dt: against the motion it takes grip less what drives it.
    let drive = if speed > 0.0 {
        along.dot(&velocity) / speed
    } else {
        0.0
    };
    let duration = if grip > drive {
        (speed / (grip - drive)).min(dt)
    } else {
        dt
    };
    Slide {
        velocity: Vec3::zeros(),
        duration,
        rests: balanced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(normals: &[Vec3]) -> Holds {
        let mut h = Holds::default();
        for n in normals {
            h.add(n.normalize());
        }
        h
    }

    #[test]
    fn projections_on_plane_crease_and_corner() {
        let g = Vec3::new(0.0, -1.0, 0.0);
        assert_eq!(held(&[]).project(&g), g);
        assert_eq!(held(&[Vec3::y()]).project(&g), Vec3::zeros());
        let ramp = held(&[Vec3::new(1.0, 1.0, 0.0)]).project(&g);
        assert!((ramp - Vec3::new(0.5, -0.5, 0.0)).norm() < 1e-15);
        let valley = held(&[Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0)]);
        assert!(valley.project(&g).norm() < 1e-15);
        assert!((valley.project(&Vec3::new(0.0, -1.0, 2.0)) - Vec3::new(0.0, 0.0, 2.0)).norm() < 1e-15);
    }

    #[test]
    fn friction_holds_below_its_angle_and_lets_go_above() {
        for (degrees, rests) in [(34.0f64, true), (36.0, false)] {
            let a = degrees.to_radians();
            let h = held(&[Vec3::new(libm::sin(a), libm::cos(a), 0.0)]);
            let mu = libm::tan(35f64.to_radians());
            let s = slide(&h, &Vec3::zeros(), &Vec3::new(0.0, -9.81, 0.0), mu, 0.01, 0.05);
            assert_eq!(s.rests, rests, "{degrees} degrees");
        }
    }

    #[test]
    fn a_sliding_block_stops_after_its_braking_time() {
        let h = held(&[Vec3::y()]);
        let s = slide(
            &h,
            &Vec3::new(1.0, 0.0, 0.0),
            &Vec3::new(0.0, -10.0, 0.0),
            0.5,
            1.0,
            0.05,
        );
        assert!(s.rests && (s.duration - 0.2).abs() < 1e-15 && s.velocity == Vec3::zeros());
    }

    #[test]
    fn thresholds_scale_with_the_scene() {
        let base = least_rebound(9.81, 0.02, 0.01);
        for size in [0.01, 100.0] {
            assert!((least_rebound(9.81 * size, 0.02 * size, 0.01) / (base * size) - 1.0).abs() < 1e-12);
        }
    }
}
