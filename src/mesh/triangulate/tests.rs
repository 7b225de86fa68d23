use proptest::prelude::*;

use super::{Cut, Cutter, fan, newell};
use crate::math::{Point3, Real, Rotation3, Vec3};

/// The triangles of a polygon that must have a clear cut.
fn triangles(corners: &[Point3]) -> Vec<[u32; 3]> {
    match Cutter::new().cut(corners) {
        Cut::Fan => fan(corners.len(), 0).collect(),
        Cut::Triangles(triangles) => triangles,
        Cut::Unclear => panic!("no clear cut of {corners:?}"),
    }
}

fn flat(points: &[[Real; 2]]) -> Vec<Point3> {
    points.iter().map(|[x, y]| Point3::new(*x, *y, 0.0)).collect()
}

/// Areas add up, and every triangle faces the polygon's way.
fn assert_covers(corners: &[Point3], triangles: &[[u32; 3]]) {
    let whole = newell(corners);
    let normal = whole.normalize();
    let areas = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|i| corners[i as usize]);
        (b - a).cross(&(c - a))
    });
    let mut sum = 0.0;
    for area in areas {
        assert!(
            area.dot(&normal) >= -1e-12 * whole.norm(),
            "turned round: {area:?}"
        );
        sum += area.norm();
    }
    assert!(
        (sum / whole.norm() - 1.0).abs() <= 1e-9,
        "{sum} of {}",
        whole.norm()
    );
}

#[test]
fn a_convex_polygon_stays_a_fan() {
    let square = flat(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    assert_eq!(Cutter::new().cut(&square), Cut::Fan);
}

#[test]
fn an_arrow_head_is_cut_at_its_notch() {
    let corners = flat(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5], [0.0, 2.0]]);
    let triangles = triangles(&corners);
    assert_eq!(triangles.len(), 3);
    assert_covers(&corners, &triangles);
}

#[test]
fn a_comb_needs_ears_and_gets_them_either_way_round() {
    // No corner of a comb sees all others.
    let mut points = vec![[0.0, 0.0], [5.0, 0.0]];
    for tooth in (0..5).rev() {
        let x = Real::from(tooth);
        points.extend([[x + 0.9, 3.0], [x + 0.6, 3.0], [x + 0.5, 1.0]]);
    }
    let corners = flat(&points);
    assert_covers(&corners, &triangles(&corners));
    let reversed: Vec<Point3> = corners.into_iter().rev().collect();
    assert_covers(&reversed, &triangles(&reversed));
}

#[test]
fn a_wall_with_a_window_bridged_in_keeps_the_window_open() {
    let corners = flat(&[
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, 4.0],
        [0.0, 4.0],
        [0.0, 0.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [3.0, 3.0],
        [3.0, 1.0],
        [1.0, 1.0],
    ]);
    let triangles = triangles(&corners);
    assert_covers(&corners, &triangles);
    let inside = |t: &[u32; 3]| {
        let center: Vec3 = t.iter().map(|i| corners[*i as usize].coords / 3.0).sum();
        (1.0..3.0).contains(&center.x) && (1.0..3.0).contains(&center.y)
    };
    assert!(!triangles.iter().any(inside));
}

#[test]
fn a_bow_tie_has_no_clear_cut() {
    let corners = flat(&[[0.0, 0.0], [3.0, 1.0], [3.0, 0.0], [0.0, 1.5]]);
    assert_eq!(Cutter::new().cut(&corners), Cut::Unclear);
}

#[test]
fn a_five_pointed_star_drawn_in_one_go_has_no_clear_cut() {
    // Ear clipping finds three triangles, but not the star's area.
    let point = |k: i32| {
        let angle = std::f64::consts::TAU * Real::from(2 * k) / 5.0;
        [libm::cos(angle), libm::sin(angle)]
    };
    let corners = flat(&[0, 1, 2, 3, 4].map(point));
    assert_eq!(Cutter::new().cut(&corners), Cut::Unclear);
}

#[test]
fn a_corner_that_stands_out_of_the_plane_is_never_left_out() {
    // Seen from above, the last corner lies on the edge beside it.
    let mut corners = flat(&[[-5.0, 5.0], [-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [0.0, 5.0]]);
    corners[4].z = 5.0;
    let used = match Cutter::new().cut(&corners) {
        Cut::Triangles(triangles) => triangles.into_iter().flatten().collect(),
        _ => vec![4],
    };
    assert!(used.contains(&4));
}

#[test]
fn a_polygon_on_one_line_is_flat_but_clear() {
    let corners = flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]);
    assert_eq!(Cutter::new().cut(&corners), Cut::Fan);
}

#[test]
fn a_large_tangle_ends_soon() {
    // Far below a second; a quadratic number of crossings must not become a cubic number of steps.
    let mut seed = 1_u32;
    let mut draw = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Real::from(seed >> 8)
    };
    let corners: Vec<Point3> = (0..40_000).map(|_| Point3::new(draw(), draw(), 0.0)).collect();
    let start = std::time::Instant::now();
    assert_eq!(Cutter::new().cut(&corners), Cut::Unclear);
    assert_eq!(Cutter::new().cut(&corners[..super::EAR_CORNERS]), Cut::Unclear);
    assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
}

proptest! {
    /// Star-shaped round the origin, concave more often than not, anywhere and any way up.
    #[test]
    fn areas_of_star_shaped_polygons_add_up(
        radii in prop::collection::vec(0.1_f64..1.0, 4..60),
        turn in prop::array::uniform3(-3.0_f64..3.0),
        shift in prop::array::uniform3(-10.0_f64..10.0),
        size in -6_i32..6,
    ) {
        let rotation = Rotation3::from_euler_angles(turn[0], turn[1], turn[2]);
        let count = radii.len() as Real;
        let corners: Vec<Point3> = radii
            .iter()
            .enumerate()
            .map(|(i, r)| {
                let angle = std::f64::consts::TAU * i as Real / count;
                let p = Vec3::new(r * libm::cos(angle), r * libm::sin(angle), 0.0) * 10.0_f64.powi(size);
                Point3::from(rotation * p + Vec3::from(shift) * 10.0_f64.powi(size))
            })
            .collect();
        let triangles = triangles(&corners);
        prop_assert_eq!(triangles.len(), corners.len() - 2);
        assert_covers(&corners, &triangles);
    }

    #[test]
    fn nothing_makes_it_panic(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![
            (-3_i32..3).prop_map(Real::from),
            prop_oneof![Just(1e75), Just(-1e75), Just(1e-300), Just(0.0)],
        ]), 4..40),
    ) {
        let corners: Vec<Point3> = points.into_iter().map(Point3::from).collect();
        if let Cut::Triangles(triangles) = Cutter::new().cut(&corners) {
            prop_assert!(triangles.len() <= corners.len() - 2);
            prop_assert!(triangles.iter().flatten().all(|i| (*i as usize) < corners.len()));
        }
    }
}
