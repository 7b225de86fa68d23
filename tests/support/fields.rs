//! Worlds of one body with a grid round it.

use partsim::math::{Real, Vec3};
use partsim::mesh::Mesh;
use partsim::scene::*;

use super::bodies::Triangles;
use super::{Run, contact, mesh, scene};

pub const STEP: Real = 1.0 / 120.0;
pub const RADIUS: Real = 0.002;

pub fn mesh_of(triangles: &Triangles) -> Mesh {
    let vertices = triangles.iter().flatten().copied().collect();
    let numbers = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    mesh(vertices, numbers.collect())
}

pub fn grid(thickness: Option<Real>, responses: Responses) -> GridSpec {
    GridSpec {
        shape: GridShape {
            thickness,
            ..GridShape::default()
        },
        file: None,
        lookup: Lookup::Plane,
        responses,
    }
}

/// A world of one body with this grid, in steps of [`STEP`]. Exact touches answer as a scene file would have it.
pub fn world(triangles: &Triangles, spec: GridSpec, gravity: Real) -> Run {
    world_of(triangles, spec, gravity, None)
}

/// The same of a body that may move.
pub fn world_of(triangles: &Triangles, spec: GridSpec, gravity: Real, motion: Option<Motion>) -> Run {
    let meshes = vec![mesh_of(triangles)];
    let mut s = scene(&meshes, contact(0.5, 0.0));
    s.time.frames = 1000;
    s.meshes[0].motion = motion;
    s.time.frame_rate = 1.0 / STEP;
    s.gravity = Vec3::new(0.0, -gravity, 0.0);
    s.materials[0].radius = partsim::material::RadiusLaw::Constant(RADIUS);
    s.meshes[0].response = Response::Bounce {
        restitution: spec.responses.impact.map_or(1.0, |i| i.beta),
        friction: 0.0,
    };
    s.meshes[0].collider = MeshCollider::Grid(Box::new(spec));
    Run::new(&s, meshes)
}

pub fn impact(beta: Real) -> Responses {
    Responses {
        impact: Some(Impact { beta, l_min: 0.0 }),
        ..Responses::default()
    }
}

pub fn flow(rho_in: Real, rho_out: Real) -> Responses {
    Responses {
        flow: Some(SurfaceFlow {
            rho_in,
            rho_out,
            distance: None,
        }),
        ..Responses::default()
    }
}
