//! The centre as a ray that begins behind it, so that a particle already under a surface is found and put back.
//!
//! A particle is under the nearest face behind it when that face looks the other way: it came in there. What a face is
//! the outside of, its winding says.

use super::mesh::StaticMesh;
use super::{Hit, HitStatus, Sweep};
use crate::math::Real;

/// A way that meets a face at a smaller sine than this leads along it, not under it.
const ALONG: Real = 1e-3;

impl StaticMesh {
    /// The same collider whose rays begin so many radii behind; 0: where the particle is.
    #[must_use]
    pub fn with_rays_behind(mut self, radii: Real) -> Self {
        self.rays_behind = radii;
        self
    }

    /// The first face on a ray. The fraction is below 0 where the particle is under a face behind it, and is to go back.
    pub(super) fn first_ray(&self, sweep: &Sweep) -> Option<Hit> {
        self.face_behind(sweep)
            .or_else(|| self.first_exact(sweep, 0.0, self.ray_skin))
    }

    fn face_behind(&self, sweep: &Sweep) -> Option<Hit> {
        let reach = self.rays_behind * sweep.radius;
        let length = sweep.along.norm();
        if !(reach > 0.0 && length > 0.0) {
            return None;
        }
        let ahead = sweep.along / length;
        let back = Sweep {
            along: -ahead * reach,
            ..*sweep
        };
        let (hit, slot) = self.first_at_slot(&back, 0.0, self.ray_skin)?;
        let outward = self.face_normal(slot);
        let sine = -outward.dot(&ahead);
        if sine <= ALONG {
            return None;
        }
        // Out of the face by as much as a ray stops before it.
        let depth = (hit.point - sweep.from).norm();
        Some(Hit {
            fraction: -(depth + self.ray_skin / sine) / length,
            normal: outward,
            depth,
            status: HitStatus::StartedInside,
            ..hit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point3, Vec3};
    use crate::scene::Collision;

    /// A floor at height 0 whose outside is above.
    fn floor() -> StaticMesh {
        let corners = [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0]].map(Point3::from);
        StaticMesh::new(corners.to_vec(), &[[0, 2, 1]], Collision::Ray).with_rays_behind(3.0)
    }

    fn first(y: Real, along: [Real; 3]) -> Option<Hit> {
        floor().first_ray(&Sweep {
            from: Point3::new(0.0, y, 0.0),
            along: Vec3::from(along),
            radius: 0.1,
            span: [0.0, 1.0],
        })
    }

    #[test]
    fn what_is_under_a_face_is_put_back_over_it() {
        let hit = first(-0.2, [0.0, -0.5, 0.0]).expect("it is under the floor");
        let y = -0.2 - 0.5 * hit.fraction;
        assert!(y > 0.0 && y < 1e-8, "{y}");
        assert!((hit.depth - 0.2).abs() < 1e-12 && hit.normal == Vec3::y());
    }

    #[test]
    fn what_leaves_passes_by_or_is_too_deep_is_left_alone() {
        assert_eq!(first(-0.2, [0.0, 0.1, 0.0]), None, "it comes up by itself");
        assert_eq!(first(-0.4, [0.0, -0.5, 0.0]), None, "three radii are looked at");
        assert_eq!(first(-0.2, [0.5, 0.0, 0.0]), None);
        assert_eq!(
            first(0.2, [0.0, 0.5, 0.0]),
            None,
            "it has left the floor on the right side"
        );
        assert!(first(0.2, [0.0, -0.5, 0.0]).is_some_and(|hit| hit.fraction > 0.39));
    }
}
