//! Scenes with meshes that move, in memory.

use partsim::collide::moving::Seat;
use partsim::keyed::Keyed;
use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::motion::Pose;
use partsim::scene::{Motion, Scene};

use super::{Run, contact, mesh, scene};

/// By straight ways between keys.
pub fn keys(translate: &[(Real, Vec3)], rotate_deg: &[(Real, Vec3)]) -> Motion {
    let keyed = |keys: &[(Real, Vec3)]| Keyed::new(keys.to_vec(), false);
    Motion::Keys {
        translate: keyed(translate),
        rotate_deg: keyed(rotate_deg),
        scale: 1.0.into(),
        about: None,
    }
}

/// By smooth ways between keys.
pub fn smooth(translate: &[(Real, Vec3)], rotate_deg: &[(Real, Vec3)]) -> Motion {
    let keyed = |keys: &[(Real, Vec3)]| Keyed::new(keys.to_vec(), true);
    Motion::Keys {
        translate: keyed(translate),
        rotate_deg: keyed(rotate_deg),
        scale: 1.0.into(),
        about: None,
    }
}

/// About an axis through the origin [degrees/s].
pub fn spin(axis: Vec3, deg_per_s: Real) -> Motion {
    Motion::Spin {
        axis,
        deg_per_s: deg_per_s.into(),
        about: None,
    }
}

/// A scene of one material whose meshes move like this.
pub fn moving(meshes: &[Mesh], motions: &[Option<Motion>], restitution: Real, friction: Real) -> Scene {
    let mut scene = scene(meshes, contact(restitution, friction));
    scene.time.frames = 1000;
    for (spec, motion) in scene.meshes.iter_mut().zip(motions) {
        spec.motion.clone_from(motion);
    }
    scene
}

/// Where a mover stands at a moment [s].
pub fn pose(run: &Run, mover: u32, time: Real) -> Pose {
    run.world
        .movers
        .pose(Seat { mover, triangle: 0 }, time)
        .expect("it moves")
}

/// Flat blades through the axis y, from it to this radius [m] and this far up and down [m].
pub fn fan(blades: u32, radius: Real, half: Real) -> Mesh {
    let mut vertices = vec![Point3::new(0.0, -half, 0.0), Point3::new(0.0, half, 0.0)];
    let mut triangles = vec![];
    for i in 0..blades {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(blades);
        let (x, z) = (radius * libm::cos(angle), radius * libm::sin(angle));
        let first = vertices.len() as u32;
        vertices.extend([Point3::new(x, -half, z), Point3::new(x, half, z)]);
        triangles.extend([[0, first, first + 1], [0, first + 1, 1]]);
    }
    mesh(vertices, triangles)
}
