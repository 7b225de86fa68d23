use super::*;
use crate::math::Aabb;

/// Corners of boxes, twelve triangles each, outward.
fn boxes(all: &[Aabb]) -> Mesh {
    let mut mesh = Mesh::default();
    for b in all {
        let first = mesh.vertices.len() as u32;
        for k in 0..8 {
            let pick = |a: usize| if k >> a & 1 == 1 { b.max[a] } else { b.min[a] };
            mesh.vertices.push(Point3::new(pick(0), pick(1), pick(2)));
        }
        for [a, b, c, d] in [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ] {
            mesh.triangles.push([a, b, c].map(|i: u32| i + first));
            mesh.triangles.push([a, c, d].map(|i: u32| i + first));
        }
    }
    mesh.group_of = vec![0; mesh.triangles.len()];
    mesh
}

fn aabb(min: [Real; 3], max: [Real; 3]) -> Aabb {
    Aabb {
        min: Point3::from(min),
        max: Point3::from(max),
    }
}

/// Volume and surface of the triangles of one piece, and the sum of their areas as vectors.
fn measures(s: &Shattered, piece: Option<u32>) -> (Real, Real, Vec3) {
    let mut sums = (0.0, 0.0, Vec3::zeros());
    for (t, corners) in s.mesh.triangles.iter().enumerate() {
        if piece.is_some_and(|p| s.piece_of[corners[0] as usize] != p) {
            continue;
        }
        let [a, b, c] = s.mesh.corners(t);
        let area = (b - a).cross(&(c - a)) * 0.5;
        sums.0 += area.dot(&a.coords) / 3.0;
        sums.1 += area.norm();
        sums.2 += area;
    }
    sums
}

/// A hollow box (a hole in it is a second surface, turned inside out) is cut into cells that add up to it, each closed.
#[test]
fn pieces_are_closed_and_add_up() {
    let mut mesh = boxes(&[
        aabb([-1.0, -0.5, -1.0], [1.0, 0.5, 1.0]),
        aabb([-0.6, -0.3, -0.4], [0.2, 0.2, 0.5]),
    ]);
    mesh.triangles[12..].iter_mut().for_each(|t| t.swap(1, 2));
    let whole = 4.0 - 0.8 * 0.5 * 0.9;
    let mut state = 5_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as Real / (1_u64 << 53) as Real - 0.5
    };
    for count in [2, 5, 24] {
        let seeds: Vec<Point3> = (0..count)
            .map(|_| Point3::new(2.0 * draw(), draw(), 2.0 * draw()))
            .collect();
        let cut = shatter(&mesh, &seeds, |seed, _| seed);
        let (volume, ..) = measures(&cut, None);
        assert!((volume / whole - 1.0).abs() < 1e-9, "{count}: {volume}");
        for piece in 0..count {
            let (volume, area, sum) = measures(&cut, Some(piece));
            assert!(volume >= -1e-12, "{count}, {piece}: {volume}");
            assert!(
                sum.norm() <= 1e-9 * area.max(1e-3),
                "{count}, {piece} is open by {}",
                sum.norm()
            );
        }
        // No vertex is farther from its seed than from another.
        for (p, &own) in cut.mesh.vertices.iter().zip(&cut.piece_of) {
            let from = |s: &Point3| (p - s).norm();
            let least = seeds.iter().map(from).fold(Real::INFINITY, Real::min);
            assert!(from(&seeds[own as usize]) <= least + 1e-9);
        }
    }
}

#[test]
fn a_cut_through_a_convex_solid_is_one_face_and_others_are_strips() {
    let cube = boxes(&[aabb([-1.0; 3], [1.0; 3])]);
    let seeds = [Point3::new(-0.5, 0.1, 0.0), Point3::new(0.5, 0.0, 0.1)];
    let cut = shatter(&cube, &seeds, |seed, _| seed);
    // Each half: a whole side, two triangles; four cut ones, each in three to four; a bare face of eight corners.
    assert!(
        cut.mesh.triangles.len() < 2 * (2 + 4 * 4 + 6),
        "{}",
        cut.mesh.triangles.len()
    );
    let square = |r: Real| [[-r, -r], [r, -r], [r, r], [-r, r]].map(|[x, y]| Point3::new(x, y, 0.0));
    let edges = |corners: [Point3; 4]| (0..4).map(move |k| [corners[k], corners[(k + 1) % 4]]);
    let mut hole = square(0.5);
    hole.reverse();
    let ring: Vec<[Point3; 2]> = edges(square(1.0)).chain(edges(hole)).collect();
    assert_eq!(loops(&ring, &Vec3::z()), None);
    let area = |faces: &[Vec<Point3>]| -> Real {
        let of = |f: &Vec<Point3>| {
            let fan = (2..f.len()).map(|k| (f[k - 1] - f[0]).cross(&(f[k] - f[0])).z * 0.5);
            fan.sum::<Real>()
        };
        faces.iter().map(of).sum()
    };
    assert!((area(&strips(&ring, &Vec3::z(), 1e-9)) - 3.0).abs() < 1e-12);
    let outer: Vec<[Point3; 2]> = edges(square(1.0)).collect();
    let found = loops(&outer, &Vec3::z()).expect("a loop");
    assert!(found.len() == 1 && area(&found) == 4.0);
}

#[test]
fn one_seed_leaves_a_mesh_as_it_is() {
    let mesh = boxes(&[aabb([0.0; 3], [1.0, 2.0, 3.0])]);
    let cut = shatter(&mesh, &[Point3::origin()], |_, _| 0);
    assert_eq!((cut.mesh.vertices.len(), cut.mesh.triangles.len()), (8, 12));
    assert_eq!(measures(&cut, None).0, 6.0);
}
