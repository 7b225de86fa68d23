//! Where a mesh stands: from the units and axes of its file to the world.

use rayon::prelude::*;

use crate::math::{Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::scene::{MeshSpec, UpAxis};

/// File units and axes to the world: up axis, unit and scale, rotation about x, y, z, displacement.
pub(super) fn place(mesh: &mut Mesh, spec: &MeshSpec) {
    let turn = spec.rotate_deg.map(Real::to_radians);
    let factor = spec.scale * spec.unit;
    mesh.vertices.par_iter_mut().for_each(|v| {
        let p = match spec.up {
            UpAxis::Y => v.coords,
            UpAxis::Z => Vec3::new(v.x, v.z, -v.y),
        };
        let p = rotate(&p.component_mul(&factor), &turn);
        *v = Point3::from(p + spec.translate);
    });
    if factor.x * factor.y * factor.z < 0.0 {
        // A mirrored mesh turns inside out; swapping two corners turns it back.
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        mesh.uv_triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
}

/// Rotation about x, then y, then z [radians]. Sine and cosine come from `libm`: std's differ between platforms.
pub(super) fn rotate(v: &Vec3, turn: &Vec3) -> Vec3 {
    let about = |v: Vec3, axis: usize| {
        if turn[axis] == 0.0 {
            return v;
        }
        let (sin, cos) = (libm::sin(turn[axis]), libm::cos(turn[axis]));
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut w = v;
        w[a] = cos * v[a] - sin * v[b];
        w[b] = sin * v[a] + cos * v[b];
        w
    };
    about(about(about(*v, 0), 1), 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{MeshCollider, Response};

    #[test]
    fn z_up_turns_into_y_up_and_rotations_follow_the_right_hand() {
        let spec = MeshSpec {
            name: "m".into(),
            file: "m.obj".into(),
            unit: 0.001,
            up: UpAxis::Z,
            scale: Vec3::repeat(2.0),
            rotate_deg: Vec3::new(0.0, 90.0, 0.0),
            translate: Vec3::new(0.0, 0.0, 5.0),
            collider: MeshCollider::Exact,
            response: Response::Material,
            groups: vec![],
            motion: None,
            carried_by: None,
        };
        let mut mesh = Mesh {
            vertices: vec![Point3::new(1000.0, 2000.0, 3000.0)],
            ..Mesh::default()
        };
        place(&mut mesh, &spec);
        // (1, 2, 3) m, z up -> (1, 3, -2) y up -> doubled (2, 6, -4) -> 90 degrees about y (-4, 6, -2).
        assert!((mesh.vertices[0] - Point3::new(-4.0, 6.0, 3.0)).norm() < 1e-12);
    }

    #[test]
    fn a_mirrored_mesh_keeps_its_outside() {
        let mut mesh = Mesh {
            vertices: vec![
                Point3::origin(),
                Point3::new(1.0, 0.0, 0.0),
                Point3::new(0.0, 1.0, 0.0),
            ],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        };
        let spec = MeshSpec {
            name: "m".into(),
            file: "m.obj".into(),
            unit: 1.0,
            up: UpAxis::Y,
            scale: Vec3::new(-1.0, 1.0, 1.0),
            rotate_deg: Vec3::zeros(),
            translate: Vec3::zeros(),
            collider: MeshCollider::Exact,
            response: Response::Material,
            groups: vec![],
            motion: None,
            carried_by: None,
        };
        place(&mut mesh, &spec);
        let [a, b, c] = mesh.corners(0);
        assert!((b - a).cross(&(c - a)).z > 0.0);
    }
}
