use proptest::prelude::*;

use super::*;
use crate::collide::mesh::StaticMesh;
use crate::collide::{Collider, Hit, Sweep};
use crate::geom::closest_point::closest_point;
use crate::geom::sorted_corners;
use crate::geom::sweep_exact::{sweep, sweep_culled};
use crate::scene::Collision;

type Triangle = [Point3; 3];

/// Both forms, where this processor has both.
fn forms() -> Vec<Lanes> {
    let mut forms = vec![Lanes::Portable, Lanes::detect()];
    forms.dedup();
    forms
}

/// Coordinates: anywhere in a cube, or on a coarse grid, where ties and triangles without area are common.
fn coordinate() -> impl Strategy<Value = Real> {
    prop_oneof![-2.0..2.0_f64, (-2..=2_i32).prop_map(Real::from)]
}

fn vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(coordinate()).prop_map(Vec3::from)
}

/// 10^-k with k up to `most`, often 1.
fn small(most: i32) -> impl Strategy<Value = Real> {
    prop_oneof![Just(1.0), (0..=most).prop_map(|k| libm::exp10(-Real::from(k)))]
}

/// A triangle: of any shape, thin (the third corner near the first edge), tiny, or both.
fn triangle() -> impl Strategy<Value = Triangle> {
    (vector(), vector(), vector(), small(12), small(12), 0.0..1.0f64).prop_map(
        |(corner, along, away, thin, tiny, share)| {
            let third = along * share + away * thin;
            [corner, corner + along * tiny, corner + third * tiny].map(Point3::from)
        },
    )
}

/// A leaf's triangles, a ball, and where all of it is.
#[derive(Debug, Clone)]
struct Case {
    triangles: Vec<Triangle>,
    from: Point3,
    along: Vec3,
    radius: Real,
}

fn case() -> impl Strategy<Value = Case> {
    let aim = (vector(), vector(), 0.0..1.0f64, small(9));
    let radius = prop_oneof![
        Just(0.0),
        0.0..2.0f64,
        small(9),
        (0..=9).prop_map(|k| libm::exp10(Real::from(k)))
    ];
    let path = prop_oneof![
        Just(0.0),
        Just(1.0),
        small(12),
        (0..=9).prop_map(|k| libm::exp10(Real::from(k)))
    ];
    let size = prop_oneof![Just(1.0), (-12..=12_i32).prop_map(|k| libm::exp10(Real::from(k)))];
    let offset = prop_oneof![Just(0.0), (0..=9_i32).prop_map(|k| libm::exp10(Real::from(k)))];
    let list = prop::collection::vec(triangle(), 1..=8);
    (list, aim, radius, path, size, (vector(), offset)).prop_map(
        |(triangles, (to, away, ahead, off), radius, path, size, (place, offset))| {
            // Most paths pass the first triangle at about the radius, where the answer is in doubt.
            let [a, b, c] = triangles[0];
            let foot = a + (b - a) * (to.x.abs() / 4.0) + (c - a) * (to.y.abs() / 4.0);
            let along = away * path;
            let across = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or(Vec3::x());
            let from = foot - along * ahead + across * radius * (1.0 + off * to.z) + to * off;
            let place = |p: Point3| Point3::from((p.coords + place * offset) * size);
            Case {
                triangles: triangles.into_iter().map(|t| t.map(place)).collect(),
                from: place(from),
                along: along * size,
                radius: radius * size,
            }
        },
    )
}

fn sorted(triangle: &Triangle) -> Triangle {
    sorted_corners(triangle).map(|i| triangle[usize::from(i)])
}

fn largest(triangles: &[Triangle]) -> Real {
    triangles
        .iter()
        .flatten()
        .map(|p| p.coords.amax())
        .fold(0.0, Real::max)
}

/// The lanes that the filter keeps with an answer at `best` known.
fn kept(case: &Case, best: Real, form: Lanes) -> Vec<usize> {
    let leaf = Leaf::new(case.triangles.iter().copied());
    let size = super::larger(largest(&case.triangles), case.from.coords.amax());
    if !moves(&case.from, &case.along, case.radius, size) {
        return Vec::new();
    }
    let heading = Heading::new(&case.along);
    let ball = Ball::new(&case.from, &case.along, &heading, case.radius, size);
    let mut candidates = leaf.candidates(&heading, &ball, best, case.triangles.len(), form);
    let mut many = [Candidates::NONE; 3];
    leaf.candidates_of_many(
        &heading,
        (&[ball; 3], &[best; 3], 0b101),
        case.triangles.len(),
        form,
        &mut many,
    );
    let lanes = |c: &mut Candidates| std::iter::from_fn(|| c.next(&heading, &ball, best)).collect::<Vec<_>>();
    let kept = lanes(&mut candidates);
    assert_eq!(
        many.each_mut().map(lanes),
        [kept.clone(), Vec::new(), kept.clone()]
    );
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(*CASES))]

    #[test]
    fn nothing_that_the_exact_test_stops_at_is_dropped(case in case()) {
        for form in forms() {
            let all = kept(&case, 1.0, form);
            for (lane, triangle) in case.triangles.iter().enumerate() {
                let Some(touch) = sweep(&case.from, &case.along, case.radius, 0.0, triangle) else { continue };
                prop_assert!(all.contains(&lane), "{form:?} drops lane {lane}, touched at {}", touch.t);
                if case.radius > 0.0 {
                    let in_time = kept(&case, touch.t, form);
                    prop_assert!(in_time.contains(&lane), "{form:?} drops lane {lane} with best {}", touch.t);
                }
            }
        }
    }

    #[test]
    fn nothing_within_reach_of_a_ball_that_stands_still_is_dropped(case in case(), off in 0.0..1.1f64) {
        let leaf = Leaf::new(case.triangles.iter().copied());
        let (size, count) = (largest(&case.triangles), case.triangles.len());
        for triangle in &case.triangles {
            // At the very distance, where the answer is in doubt, and at another.
            let distance = closest_point(&case.from, triangle).distance;
            for reach in [distance, case.radius, distance * off] {
                for form in forms() {
                    let kept = leaf.within(&case.from, reach, size, count, form);
                    for (lane, triangle) in case.triangles.iter().enumerate() {
                        let near = closest_point(&case.from, triangle).distance <= reach;
                        prop_assert!(!near || kept & (1 << lane) != 0, "{:?} drops lane {}", form, lane);
                    }
                }
            }
        }
    }

    #[test]
    fn a_segment_is_asked_about_each_triangle_that_it_crosses(case in case()) {
        let leaf = Leaf::new(case.triangles.iter().copied());
        let region = Aabb::around([&case.from, &(case.from + case.along)]);
        for form in forms() {
            let kept = leaf.meets(&region, case.triangles.len(), form);
            for (lane, triangle) in case.triangles.iter().enumerate() {
                let other = Aabb::around(triangle);
                let apart = |i: usize| region.max[i] < other.min[i] || other.max[i] < region.min[i];
                let meet = !(0..3).any(apart);
                prop_assert!(!meet || kept & (1 << lane) != 0, "{:?} drops lane {}", form, lane);
            }
        }
    }

    #[test]
    fn the_tree_answers_as_all_triangles_do_in_every_form(
        case in case(), more in prop::collection::vec(triangle(), 0..60),
    ) {
        let mut triangles = case.triangles.clone();
        triangles.extend(more);
        let vertices: Vec<Point3> = triangles.iter().flatten().copied().collect();
        let corners: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let path = Sweep { from: case.from, along: case.along, radius: case.radius, span: [0.0, 1.0] };
        // The zone of touch is the same for all triangles of a mesh.
        let numbers = [case.radius, case.from.coords.amax(), case.along.amax(), largest(&triangles)];
        let size = numbers.into_iter().fold(0.0, Real::max);
        let brute = triangles.iter().zip(0u32..).filter_map(|(t, i)| {
            let touch = sweep_culled(&case.from, &case.along, case.radius, 0.0, size, &sorted(t), 1.0)?;
            Some((touch.t.to_bits(), i, touch.point))
        });
        let brute = brute.min_by_key(|x| (x.0, x.1));
        let mut mesh = StaticMesh::new(vertices, &corners, Collision::Exact);
        for form in forms() {
            mesh.set_lanes(form);
            let key = |h: Hit| (h.fraction.to_bits(), h.triangle, h.point);
            prop_assert_eq!(mesh.first_touch(&path).map(key), brute, "{:?}", form);
        }
    }

    #[test]
    fn neighbours_are_answered_as_each_alone_in_every_form(
        case in case(), more in prop::collection::vec(triangle(), 0..60),
        off in prop::collection::vec(vector(), 2..=9), near in small(6), turn in prop_oneof![Just(0.0), small(3)],
    ) {
        let mut triangles = case.triangles.clone();
        triangles.extend(more);
        let vertices: Vec<Point3> = triangles.iter().flatten().copied().collect();
        let corners: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let length = case.along.norm();
        let sweeps: Vec<Sweep> = off.iter().map(|off| Sweep {
            from: case.from + off * (near * case.radius),
            along: case.along + off * (turn * length),
            radius: case.radius,
            span: [0.0, 1.0],
        }).collect();
        let mut mesh = StaticMesh::new(vertices, &corners, Collision::Exact);
        for form in forms() {
            mesh.set_lanes(form);
            let mut hits = vec![None; sweeps.len()];
            mesh.first_touches(&sweeps, &mut hits);
            for (sweep, hit) in sweeps.iter().zip(&hits) {
                prop_assert_eq!(*hit, mesh.first_touch(sweep), "{:?}", form);
            }
            let segments: Vec<[Point3; 2]> = sweeps.iter().map(|s| [s.from, s.from + s.along]).collect();
            let alone = segments.iter().filter(|[from, to]| mesh.crosses(from, to)).count();
            prop_assert_eq!(mesh.crossings(&segments), alone as u64, "{:?}", form);
            let centers: Vec<Point3> = segments.iter().flatten().copied().collect();
            let radii = vec![case.radius; centers.len()];
            let mut overlaps = vec![None; centers.len()];
            mesh.deepest_overlaps(&centers, &radii, &mut overlaps);
            for (center, overlap) in centers.iter().zip(&overlaps) {
                prop_assert_eq!(*overlap, mesh.deepest_overlap(center, case.radius), "{:?}", form);
            }
        }
    }
}

/// More cases on demand: `PARTSIM_FILTER_CASES=1000000 cargo test leaf`.
static CASES: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
    let wanted = std::env::var("PARTSIM_FILTER_CASES").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(4000)
});

#[test]
fn the_filter_keeps_little() {
    // Eight triangles in a row, and a small ball that falls on one of them.
    let at = |x: f64, z: f64| Point3::new(x, 0.0, z);
    let triangles: Vec<Triangle> = (0..8)
        .map(f64::from)
        .map(|x| [at(x, 0.0), at(x + 0.9, 0.0), at(x, 0.9)])
        .collect();
    for form in forms() {
        for i in 0..8 {
            let case = Case {
                triangles: triangles.clone(),
                from: Point3::new(f64::from(i) + 0.3, 5.0, 0.3),
                along: Vec3::new(0.0, -10.0, 0.0),
                radius: 0.1,
            };
            assert_eq!(kept(&case, 1.0, form), [i as usize], "{form:?}");
            assert_eq!(kept(&case, 0.4, form), [0; 0], "{form:?}: too late");
            let leaf = Leaf::new(triangles.iter().copied());
            let near =
                |height: f64| leaf.within(&(at(case.from.x, 0.3) + Vec3::y() * height), 0.1, 8.0, 8, form);
            assert_eq!((near(0.099), near(0.101)), (1 << i, 0), "{form:?}: still");
        }
    }
}

#[test]
fn a_leaf_is_as_large_as_promised() {
    assert_eq!(size_of::<Leaf>(), 320);
}

#[test]
fn a_speck_in_a_huge_leaf_is_not_lost() {
    // In units of the leaf the squares of the second triangle's edges underflow.
    let far = Point3::new(1.7e11, -3.6e10, 1e15);
    let specks = [0.0, -2.7e-6, -1.3e-7].map(|z| Point3::new(0.0, 0.0, z));
    let vertices = vec![
        far,
        far + Vec3::new(-200.0, 26.0, 65.0),
        far + Vec3::new(-165.0, 21.0, 54.0),
        specks[0],
        specks[1],
        specks[2],
    ];
    let mut mesh = StaticMesh::new(vertices, &[[0, 1, 2], [3, 4, 5]], Collision::Exact);
    let path = Sweep {
        from: Point3::new(-1.456e16, -9.388e16, -6.69e15),
        along: Vec3::new(-2.074e10, 1.172e10, -1.0936e11),
        radius: 1e17,
        span: [0.0, 1.0],
    };
    for form in forms() {
        mesh.set_lanes(form);
        let hit = mesh.first_touch(&path).map(|h| (h.fraction, h.triangle));
        assert_eq!(hit, Some((0.0, 1)), "{form:?}");
    }
}
