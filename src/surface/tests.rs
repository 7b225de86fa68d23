use super::*;
use crate::geom::tri_tri::{Meeting, meeting};

/// xorshift64*, -1 .. 1.
fn draws(seed: u64) -> impl FnMut() -> Real {
    let mut state = seed;
    move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as Real / (1u64 << 52) as Real - 1.0
    }
}

/// An octahedron of radius 1 whose sides are cut into four, `times` over.
fn ball(times: usize) -> Mesh {
    let corners = [
        [1, 0, 0],
        [-1, 0, 0],
        [0, 1, 0],
        [0, -1, 0],
        [0, 0, 1],
        [0, 0, -1],
    ];
    let mut mesh = Mesh {
        vertices: corners.map(|c| Point3::from(c.map(f64::from))).to_vec(),
        triangles: vec![
            [0, 2, 4],
            [2, 1, 4],
            [1, 3, 4],
            [3, 0, 4],
            [2, 0, 5],
            [1, 2, 5],
            [3, 1, 5],
            [0, 3, 5],
        ],
        ..Mesh::default()
    };
    for _ in 0..times {
        let old = std::mem::take(&mut mesh.triangles);
        for t in old {
            let corners = t.map(|i| mesh.vertices[i as usize]);
            let first = mesh.vertices.len() as u32;
            for k in 0..3 {
                // From the lower end, so that both triangles of an edge make the same place.
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let middle = (a.coords + b.coords) * 0.5;
                mesh.vertices.push(Point3::from(middle.normalize()));
            }
            let [a, b, c] = [first, first + 1, first + 2];
            mesh.triangles
                .extend([[t[0], a, c], [t[1], b, a], [t[2], c, b], [a, b, c]]);
        }
    }
    mesh
}

fn soup(n: usize, size: Real) -> Mesh {
    let mut draw = draws(7);
    let mut mesh = Mesh::default();
    for t in 0..n as u32 {
        let at = [draw(), draw(), draw()];
        for _ in 0..3 {
            mesh.vertices.push(Point3::from(at.map(|x| x + size * draw())));
        }
        mesh.triangles.push([3 * t, 3 * t + 1, 3 * t + 2]);
    }
    mesh
}

#[test]
fn the_closest_point_is_that_of_all_triangles() {
    let mesh = soup(700, 0.1);
    let surface = Surface::new(&mesh).expect("small");
    let mut draw = draws(3);
    for i in 0..300 {
        let scale = if i % 3 == 0 { 1e6 } else { 1.5 };
        let p = Point3::new(scale * draw(), draw(), draw());
        let all = (0..mesh.triangles.len()).map(|t| closest_point(&p, &mesh.corners(t)));
        let least = all.map(|c| c.distance).fold(Real::INFINITY, Real::min);
        let (_, found) = surface.closest(&p).expect("there are triangles");
        assert_eq!(found.distance, least);
    }
    assert!(surface.closest(&Point3::new(Real::NAN, 0.0, 0.0)).is_none());
    let empty = Mesh::default();
    assert!(
        Surface::new(&empty)
            .expect("small")
            .closest(&Point3::origin())
            .is_none()
    );
}

#[test]
fn points_of_a_ball_are_inside_on_every_line_of_sight() {
    let mesh = ball(3);
    let surface = Surface::new(&mesh).expect("small");
    let inside = Inside::new(&surface);
    assert!(inside.is_closed());
    let mut draw = draws(5);
    // Level with vertices and edges: the rays along x go through them.
    let level = mesh.vertices.iter().map(|v| [v.y, v.z]);
    let anywhere: Vec<[Real; 2]> = (0..500).map(|_| [draw(), draw()]).collect();
    for [y, z] in level.chain(anywhere) {
        let p = Point3::new(0.9 * draw(), y, z);
        let expected = inside.winding(&p);
        let (nearest, _) = surface.closest(&p).map(|(t, c)| (c.distance, t)).expect("there");
        if nearest > 1e-9 {
            let location = if expected > 0.5 {
                Location::Inside
            } else {
                Location::Outside
            };
            assert!((expected - expected.round()).abs() < 1e-9);
            assert_eq!(inside.locate(&p), Some(location), "{p} {expected}");
        }
    }
    assert_eq!(inside.locate(&mesh.vertices[30]), Some(Location::OnSurface));
    assert_eq!(
        inside.locate(&Point3::new(3.0, 0.0, 0.0)),
        Some(Location::Outside)
    );
}

#[test]
fn an_open_mesh_has_no_inside_but_a_winding_number() {
    let mut mesh = ball(2);
    mesh.triangles.pop();
    let surface = Surface::new(&mesh).expect("small");
    let inside = Inside::new(&surface);
    assert_eq!(inside.locate(&Point3::origin()), None);
    assert!(inside.winding(&Point3::origin()) > 0.9);
    assert!(inside.winding(&Point3::new(0.0, 0.0, -5.0)).abs() < 0.1);
}

#[test]
fn meetings_are_those_of_all_pairs() {
    let mesh = soup(400, 0.3);
    let found = Surface::new(&mesh).expect("small").meetings();
    let mut expected = Vec::new();
    for i in 0..400 {
        for j in i + 1..400 {
            if meeting(&mesh.corners(i), &mesh.corners(j)) == Meeting::Crossing {
                expected.push([i as u32, j as u32]);
            }
        }
    }
    assert!(expected.len() > 100);
    assert_eq!(found.crossing.pairs, expected);
    assert_eq!(found.crossing.count, expected.len() as u64);
    assert_eq!(
        Surface::new(&ball(4)).expect("small").meetings(),
        Meetings::default()
    );
}
