//! Heaps: a scene of one long step, balls in a tub, and what is asked of them without the program's own index.

use partsim::material::Stick;
use partsim::math::{Aabb, Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::scene::{Scene, Time};
use partsim::state::{Particles, Status};

use super::{closed_box, contact, mesh, scene};

/// A scene of one long step in which particles pile up.
pub fn heap_scene(meshes: &[Mesh], repose_deg: Real, cohesion: Real) -> Scene {
    let mut s = scene(meshes, contact(0.0, 0.7));
    s.pile = true;
    s.limits.kill_box = Some(
        Aabb {
            min: Point3::origin(),
            max: Point3::origin(),
        }
        .inflated(1000.0),
    );
    s.time = Time {
        frames: 1,
        frame_rate: 0.02,
        steps_per_frame: 1,
    };
    let m = &mut s.materials[0];
    m.contact.stick = Stick::Always;
    m.substance.repose_deg = repose_deg;
    m.substance.cohesion = cohesion;
    s
}

/// Numbers between 0 and 1 that look random.
pub fn noise(n: u64) -> Real {
    let mut x = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995;
    for shift in [30, 27, 31] {
        x = (x ^ (x >> shift)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (x >> 11) as Real / (1u64 << 53) as Real
}

/// Rows of those that lie still.
pub fn settled(p: &Particles) -> Vec<usize> {
    (0..p.len()).filter(|&i| p.status[i].is_settled()).collect()
}

/// The deepest overlap of any two balls that lie or roll, in the radius of the smaller, by sorting along x: nothing of the program's index.
pub fn deepest_overlap(p: &Particles) -> Real {
    let lies = |i: &usize| p.status[*i].is_settled() || p.status[*i] == Status::Rolling;
    let mut order: Vec<usize> = (0..p.len()).filter(lies).collect();
    order.sort_by(|&a, &b| p.position[a].x.total_cmp(&p.position[b].x));
    let widest = p.radius.iter().copied().fold(0.0, Real::max);
    let mut deepest = 0.0;
    for (n, &a) in order.iter().enumerate() {
        for &b in &order[n + 1..] {
            if p.position[b].x - p.position[a].x > p.radius[a] + widest {
                break;
            }
            let gap = (p.position[a] - p.position[b]).norm() - p.radius[a] - p.radius[b];
            deepest = Real::max(deepest, -gap / p.radius[a].min(p.radius[b]));
        }
    }
    deepest
}

/// A box without a lid, open above: four walls and a floor.
pub fn tub(half: Real, height: Real) -> Mesh {
    let mut tub = closed_box(Vec3::new(half, 0.5 * height, half));
    for v in &mut tub.vertices {
        v.y += 0.5 * height;
    }
    // The lid is the pair of triangles whose corners all lie at the top.
    let vertices = tub.vertices.clone();
    let triangles: Vec<[u32; 3]> = tub
        .triangles
        .iter()
        .copied()
        .filter(|t| t.iter().any(|&i| vertices[i as usize].y < 0.5 * height))
        .collect();
    mesh(vertices, triangles)
}
