//! Where a grid stands and how it moves: turned, displaced and scaled evenly, for anything else would bend its normals.

use crate::math::{Point3, Real, Vec3};

/// How far axes may be from perpendicular and equally long, as a share.
const RIGID: Real = 1e-6;

/// The way from a grid's own frame to the world, and its motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the axes of the grid's frame point: unit vectors, perpendicular, right-handed.
    axes: [Vec3; 3],
    /// Where its origin is [m].
    place: Point3,
    /// Metres in one unit of the grid.
    scale: Real,
    /// Velocity of the origin [m/s].
    pub velocity: Vec3,
    /// Angular velocity about the origin [radians/s].
    pub spin: Vec3,
    /// Rate of growth from the origin, s' / s [1/s].
    pub growth: Real,
}

/// Why a transformation cannot carry a grid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NotRigid {
    /// Its axes are not equally long.
    #[error(
        "it scales by {0:.6}, {1:.6} and {2:.6} along its axes: distances and normals stay right only where all three are the same"
    )]
    Uneven(Real, Real, Real),
    /// Its axes are not perpendicular.
    #[error("it shears: the normals of the grid would no longer be perpendicular to the surface")]
    Sheared,
    /// It turns the inside out.
    #[error("it mirrors: a grid can be turned, but not reflected")]
    Mirrored,
    /// It has no size, or numbers that are not finite.
    #[error("it has no size")]
    Flat,
}

impl Pose {
    /// Neither turned nor moved.
    pub const IDENTITY: Self = Self {
        axes: [
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(0.0, 1.0, 0.0),
            Vec3::new(0.0, 0.0, 1.0),
        ],
        place: Point3::new(0.0, 0.0, 0.0),
        scale: 1.0,
        velocity: Vec3::new(0.0, 0.0, 0.0),
        spin: Vec3::new(0.0, 0.0, 0.0),
        growth: 0.0,
    };

    /// At rest, from where the axes' unit steps and the origin of the grid's frame go [m].
    ///
    /// # Errors
    /// [`NotRigid`] when that is more than a turn, a displacement and an even scale.
    pub fn new(steps: [Vec3; 3], place: Point3) -> Result<Self, NotRigid> {
        let lengths = steps.map(|s| s.norm());
        let scale = (lengths[0] + lengths[1] + lengths[2]) / 3.0;
        if !(scale > 0.0 && scale.is_finite() && place.iter().all(|x| x.is_finite())) {
            return Err(NotRigid::Flat);
        }
        if lengths.iter().any(|l| (l - scale).abs() > RIGID * scale) {
            return Err(NotRigid::Uneven(lengths[0], lengths[1], lengths[2]));
        }
        let axes = steps.map(|s| s / scale);
        let skew = |a: usize, b: usize| axes[a].dot(&axes[b]).abs() > RIGID;
        if skew(0, 1) || skew(1, 2) || skew(2, 0) {
            return Err(NotRigid::Sheared);
        }
        if axes[0].cross(&axes[1]).dot(&axes[2]) < 0.0 {
            return Err(NotRigid::Mirrored);
        }
        let axes = upright(axes);
        Ok(Self {
            axes,
            place,
            scale,
            ..Self::IDENTITY
        })
    }

    /// Metres in one unit of the grid.
    #[inline]
    pub fn scale(&self) -> Real {
        self.scale
    }

    /// A place of the world in the grid's frame.
    #[inline]
    pub fn to_grid(&self, p: &Point3) -> Point3 {
        let d = p - self.place;
        Point3::from(Vec3::from(self.axes.map(|a| a.dot(&d))) / self.scale)
    }

    /// A place of the grid's frame in the world.
    pub fn to_world(&self, p: &Point3) -> Point3 {
        self.place + self.turn(&p.coords) * self.scale
    }

    /// A direction of the grid's frame in the world.
    #[inline]
    pub fn turn(&self, v: &Vec3) -> Vec3 {
        self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z
    }

    /// Velocity of the object at a place of the world [m/s].
    #[inline]
    pub fn velocity_at(&self, p: &Point3) -> Vec3 {
        let out = p - self.place;
        self.velocity + self.spin.cross(&out) + out * self.growth
    }

    /// Largest speed of the object within this distance of its origin [m/s].
    pub fn top_speed(&self, reach: Real) -> Real {
        self.velocity.norm() + (self.spin.norm() + self.growth.abs()) * reach
    }

    /// The pose after `dt` [s] of its motion: turned by its spin about its axis, displaced and grown.
    #[must_use]
    pub fn after(&self, dt: Real) -> Self {
        let angle = self.spin.norm() * dt;
        let axes = match self.spin.try_normalize(0.0) {
            None => self.axes,
            Some(axis) => {
                let (sin, cos) = (libm::sin(angle), libm::cos(angle));
                // Rodrigues' rotation.
                self.axes
                    .map(|a| a * cos + axis.cross(&a) * sin + axis * (axis.dot(&a) * (1.0 - cos)))
            }
        };
        Self {
            axes,
            place: self.place + self.velocity * dt,
            scale: self.scale * libm::exp(self.growth * dt),
            ..*self
        }
    }
}

/// The same axes, perpendicular to the last bit or so: distances in the grid's frame must be those of the world.
fn upright([x, y, _]: [Vec3; 3]) -> [Vec3; 3] {
    let x = x.normalize();
    let y = (y - x * x.dot(&y)).normalize();
    [x, y, x.cross(&y)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_turns_displacements_and_even_scales_carry_a_grid() {
        let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()];
        let at = Point3::new(1.0, 2.0, 3.0);
        assert!(Pose::new([x * 2.0, y * 2.0, z * 2.0], at).is_ok());
        assert!(Pose::new([y, -x, z], at).is_ok());
        assert!(matches!(
            Pose::new([x * 2.0, y, z], at),
            Err(NotRigid::Uneven(..))
        ));
        let sheared = (x + y * 0.01).normalize();
        assert_eq!(Pose::new([sheared, y, z], at), Err(NotRigid::Sheared));
        assert_eq!(Pose::new([-x, y, z], at), Err(NotRigid::Mirrored));
        assert_eq!(Pose::new([x * 0.0, y * 0.0, z * 0.0], at), Err(NotRigid::Flat));
        assert_eq!(Pose::new([x * Real::NAN, y, z], at), Err(NotRigid::Flat));
    }

    #[test]
    fn there_and_back_is_nowhere_and_motion_is_the_change_of_pose() {
        let turn = libm::sqrt(0.5);
        let axes = [Vec3::new(turn, turn, 0.0), Vec3::new(-turn, turn, 0.0), Vec3::z()];
        let mut pose = Pose::new(axes.map(|a| a * 3.0), Point3::new(1.0, -2.0, 0.5)).expect("rigid");
        pose.velocity = Vec3::new(0.1, 0.2, 0.3);
        pose.spin = Vec3::new(0.0, 2.0, 1.0);
        pose.growth = 0.4;
        let p = Point3::new(0.3, 0.7, -0.2);
        assert!((pose.to_grid(&pose.to_world(&p)) - p).norm() < 1e-14);
        let dt = 1e-6;
        let moved = (pose.after(dt).to_world(&p) - pose.after(-dt).to_world(&p)) / (2.0 * dt);
        let said = pose.velocity_at(&pose.to_world(&p));
        assert!((moved - said).norm() < 1e-6, "{moved:?} {said:?}");
        assert!(said.norm() <= pose.top_speed((pose.to_world(&p) - pose.place).norm()));
    }
}
