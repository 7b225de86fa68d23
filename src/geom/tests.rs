//! Properties of the sweeps that hold for every triangle, with bisection on the distance as the oracle.

use proptest::prelude::*;

use super::closest_point::closest_point;
use super::segment_triangle::segment_triangle;
use super::sweep_exact::{
    Entry, Moving, Pair, entries_of_four, initial_depth, starts_in_touch, sweep, sweep_before,
    touches_of_four,
};
use super::sweep_karabassi::sweep_karabassi;
use super::{Feature, Touch, is_degenerate, sorted_corners};
use crate::bvh::Lanes;
use crate::math::{Point3, Real, Vec3};

type Triangle = [Point3; 3];

/// Coordinates: anywhere in a cube, or on a coarse grid where exact ties and degenerate triangles are common.
fn coordinate() -> impl Strategy<Value = Real> {
    prop_oneof![-2.0..2.0_f64, (-4..=4_i32).prop_map(|i| Real::from(i) / 2.0)]
}

fn point() -> impl Strategy<Value = Point3> {
    [coordinate(), coordinate(), coordinate()].prop_map(Point3::from)
}

fn triangle() -> impl Strategy<Value = Triangle> {
    [point(), point(), point()]
}

fn lattice() -> impl Strategy<Value = Point3> {
    [-8..=8_i32, -8..=8, -8..=8].prop_map(|p| Point3::from(p.map(Real::from)))
}

fn distance_at(c: &Point3, d: &Vec3, tri: &Triangle, t: Real) -> Real {
    closest_point(&(c + d * t), tri).distance
}

/// Time of the smallest distance, by thirds: the distance is convex in t.
fn nearest(c: &Point3, d: &Vec3, tri: &Triangle) -> Real {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..120 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance_at(c, d, tri, a) <= distance_at(c, d, tri, b) {
            high = b
        } else {
            low = a
        }
    }
    0.5 * (low + high)
}

/// First t with distance <= r by bisection on the falling side, from a clear start.
fn first_touch(c: &Point3, d: &Vec3, r: Real, tri: &Triangle) -> Option<Real> {
    let (mut low, mut high) = (0.0, nearest(c, d, tri));
    if distance_at(c, d, tri, high) > r {
        return None;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if distance_at(c, d, tri, middle) > r {
            low = middle
        } else {
            high = middle
        }
    }
    Some(high)
}

/// All ways to list three corners.
fn orders([a, b, c]: Triangle) -> [Triangle; 6] {
    [[a, b, c], [b, c, a], [c, a, b], [c, b, a], [b, a, c], [a, c, b]]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn exact_agrees_with_bisection(c in point(), d in point(), r in 0.01..1.5_f64, tri in triangle()) {
        let d = d.coords;
        prop_assume!(starts_in_touch(&c, &d, r, 1e-6, &tri).is_none());
        let clearance = distance_at(&c, &d, &tri, nearest(&c, &d, &tri)) - r;
        prop_assume!(clearance.abs() > 1e-9);
        let (touch, expected) = (sweep(&c, &d, r, 0.0, &tri), first_touch(&c, &d, r, &tri));
        prop_assert_eq!(touch.is_some(), expected.is_some());
        if let (Some(touch), Some(expected)) = (touch, expected) {
            let depth = r - distance_at(&c, &d, &tri, touch.t);
            prop_assert!(depth.abs() < 1e-12, "stops {depth:e} deep");
            prop_assert!((touch.t - expected).abs() * d.norm() < 1e-6);
            prop_assert!(closest_point(&touch.point, &tri).distance < 1e-12);
            prop_assert!(((c + d * touch.t) - (touch.point + touch.normal * r)).norm() < 1e-12);
            prop_assert!(touch.normal.dot(&d) < 0.0);
        }
    }

    #[test]
    fn a_stopped_sphere_does_not_pass_on_its_next_step(
        c in point(), d in point(), r in 0.0..1.0_f64, tri in triangle(), far in 0.5..100.0_f64,
    ) {
        let d = d.coords;
        prop_assume!(starts_in_touch(&c, &d, r, 1e-6, &tri).is_none());
        if let Some(touch) = sweep(&c, &d, r, 1e-9, &tri) {
            // Grazes pass, rightly: rounding may put the stop beyond the closest approach.
            prop_assume!(touch.normal.dot(&d) < -1e-6 * d.norm());
            let again = sweep(&(c + d * touch.t), &(d * far), r, 1e-9, &tri);
            prop_assert!(again.is_some_and(|a| a.t * far * d.norm() < 1e-6), "{again:?}");
        }
    }

    #[test]
    fn order_of_corners_changes_no_bit(c in point(), d in point(), r in 0.0..1.0_f64, tri in triangle()) {
        let key = |t: &Triangle| {
            sweep(&c, &d.coords, r, 1e-9, t).map(|x| (x.t.to_bits(), x.point, x.depth.to_bits()))
        };
        let expected = key(&tri);
        for other in orders(tri) {
            prop_assert_eq!(key(&other), expected);
            prop_assert_eq!(closest_point(&c, &other).point, closest_point(&c, &tri).point);
        }
    }

    #[test]
    fn four_at_once_are_the_bits_of_each_alone_in_every_form(
        paths in [(point(), point()), (point(), point()), (point(), point()), (point(), point())],
        tris in [triangle(), triangle(), triangle(), triangle()],
        r in prop_oneof![0.0..1.5_f64, Just(0.5), Just(1e-13), Just(0.0)],
        t_max in prop_oneof![Just(1.0), 0.0..1.0_f64], scale in prop_oneof![Just(1.0), Just(1e-6), Just(1e7)],
    ) {
        let sorted = tris.map(|t| sorted_corners(&t).map(|i| t[usize::from(i)] * scale));
        let paths = paths.map(|(c, d)| (c * scale, d.coords * scale));
        let pair = |i: usize| Pair {
            moving: Moving { c: &paths[i].0, d: &paths[i].1, r: r * scale, skin: 0.0, size: 4.0 * scale },
            corners: sorted[i].each_ref(),
            t_max,
        };
        let pairs = [pair(0), pair(1), pair(2), pair(3)];
        let bits = |entry: &Option<Entry>| entry.map(|e| (e.t.to_bits(), format!("{e:?}")));
        for lanes in [Lanes::Portable, Lanes::detect()] {
            let four = entries_of_four(&pairs, lanes);
            for i in 0..4 {
                let alone = pairs[i].moving.entry(&sorted[i], t_max);
                prop_assert_eq!(bits(&four[i]), bits(&alone), "{:?} {}", lanes, i);
            }
            let Some(spare) = four.into_iter().flatten().next() else { continue };
            let entries = four.map(|entry| entry.unwrap_or(spare));
            let mut touches = [None; 4];
            touches_of_four(&pairs, &entries, lanes, |i, touch| touches[i] = touch);
            for i in 0..4 {
                if four[i].is_some() {
                    let alone = entries[i].touch(&pairs[i].moving, &sorted[i]);
                    let bits = |t: &Option<Touch>| t.map(|t| format!("{t:?}"));
                    prop_assert_eq!(bits(&touches[i]), bits(&alone), "{:?} {}", lanes, i);
                }
            }
        }
    }

    #[test]
    fn a_shared_edge_is_touched_at_the_same_bits(
        c in point(), d in point(), r in 0.01..1.0_f64, a in point(), b in point(), p in point(), q in point(),
    ) {
        let (one, two) = ([a, b, p], [q, b, a]);
        let (x, y) = (sweep(&c, &d.coords, r, 0.0, &one), sweep(&c, &d.coords, r, 0.0, &two));
        if let (Some(x), Some(y)) = (x, y)
            && (x.feature, y.feature) == (Feature::Edge(0), Feature::Edge(1))
        {
            prop_assert_eq!(x.t.to_bits(), y.t.to_bits());
            prop_assert_eq!(x.normal, y.normal);
        }
    }

    #[test]
    fn a_limit_keeps_equal_times_and_drops_later_ones(
        c in point(), d in point(), r in 0.0..1.0_f64, tri in triangle(),
    ) {
        let d = d.coords;
        if let Some(touch) = sweep(&c, &d, r, 1e-9, &tri) {
            prop_assert_eq!(sweep_before(&c, &d, r, 1e-9, &tri, touch.t), Some(touch));
            prop_assert_eq!(sweep_before(&c, &d, r, 1e-9, &tri, touch.t.next_down()), None);
        }
    }

    #[test]
    fn translation_of_small_integers_changes_no_time(
        c in lattice(), d in lattice(), r in 1..=4_i32, tri in [lattice(), lattice(), lattice()], e in 4..20_i32,
    ) {
        let shift = Vec3::new(Real::from(1 << e), -Real::from(1 << e), Real::from(1 << (e / 2)));
        let (d, r) = (d.coords, Real::from(r));
        let here = sweep(&c, &d, r, 1e-6, &tri).map(|x| (x.t.to_bits(), x.feature));
        let there = sweep(&(c + shift), &d, r, 1e-6, &tri.map(|p| p + shift)).map(|x| (x.t.to_bits(), x.feature));
        prop_assert_eq!(here, there);
    }

    #[test]
    fn the_1999_test_answers_as_the_exact_one_and_never_earlier(
        c in point(), d in point(), r in 0.01..1.5_f64, tri in triangle(),
    ) {
        let d = d.coords;
        prop_assume!(!is_degenerate(&tri) && starts_in_touch(&c, &d, r, 1e-6, &tri).is_none());
        prop_assume!((distance_at(&c, &d, &tri, nearest(&c, &d, &tri)) - r).abs() > 1e-9);
        let (paper, exact) = (sweep_karabassi(&c, &(c + d), r, &tri), sweep(&c, &d, r, 0.0, &tri));
        prop_assert_eq!(paper.is_some(), exact.is_some());
        if let (Some(paper), Some(exact)) = (paper, exact) {
            prop_assert!(paper.t >= exact.t - 1e-12, "{paper:?} before {exact:?}");
        }
    }

    #[test]
    fn a_line_through_a_shared_edge_meets_one_of_its_triangles(
        a in point(), b in point(), side in -1.0..1.0_f64, s in 0.0..1.0_f64, o in point(),
    ) {
        // Two halves of a plane through a, b, seen from a point off that plane.
        let across = (b - a).cross(&(o - a));
        prop_assume!(across.norm() > 1e-3);
        let on_edge = a + (b - a) * s;
        let w = across + (o - a) * side;
        let d = (on_edge - o) * 2.0;
        let hit = [[a, b, a + w], [b, a, a - w]].iter().any(|t| segment_triangle(&o, &d, t).is_some());
        prop_assert!(hit);
    }

    #[test]
    fn no_input_panics(bits in proptest::array::uniform16(any::<u64>())) {
        let x = bits.map(Real::from_bits);
        let p = |i: usize| Point3::new(x[i], x[i + 1], x[i + 2]);
        let (c, d, tri) = (p(0), p(3).coords, [p(6), p(9), p(12)]);
        for r in [x[15], 0.0, 1.0] {
            let _ = (sweep(&c, &d, r, 1e-9, &tri), sweep_karabassi(&c, &(c + d), r, &tri));
            let _ = (segment_triangle(&c, &d, &tri), initial_depth(&c, r, &tri));
        }
    }
}

#[test]
fn numbers_that_are_not_finite_stop_nothing() {
    let tri = [
        Point3::origin(),
        Point3::new(4.0, 0.0, 0.0),
        Point3::new(0.0, 4.0, 0.0),
    ];
    let (c, d) = (Point3::new(1.0, 1.0, 2.0), Vec3::new(0.0, 0.0, -4.0));
    assert!(sweep(&c, &d, 0.5, 0.0, &tri).is_some());
    for bad in [Real::NAN, Real::INFINITY] {
        for k in 0..3 {
            let (mut c2, mut d2, mut tri2) = (c, d, tri);
            c2[k] = bad;
            d2[k] = bad;
            tri2[k][k] = bad;
            assert_eq!(sweep(&c2, &d, 0.5, 0.0, &tri), None);
            assert_eq!(sweep(&c, &d2, 0.5, 0.0, &tri), None);
            assert_eq!(sweep(&c, &d, 0.5, 0.0, &tri2), None);
        }
        assert_eq!(sweep(&c, &d, bad, 0.0, &tri), None);
    }
}

/// The twelve triangles of a cube of half width 1, turned so that no coordinate is round.
fn turned_cube() -> Vec<Triangle> {
    let turn = nalgebra::Rotation3::from_scaled_axis(Vec3::new(0.3, 0.7, -0.2));
    let corner = |i: usize| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        turn * Point3::new(sign(1), sign(2), sign(4))
    };
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let halves = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]].map(|t| t.map(corner));
    sides.into_iter().flat_map(halves).collect()
}

/// How far `c` lies outside of the turned cube; negative inside.
fn outside_cube(c: &Point3) -> Real {
    let turn = nalgebra::Rotation3::from_scaled_axis(Vec3::new(0.3, 0.7, -0.2));
    (turn.inverse() * c).coords.abs().max() - 1.0
}

#[test]
fn nothing_leaves_a_closed_cube_by_pushing_sliding_or_bouncing() {
    let cube = turned_cube();
    for run in 0..400_u32 {
        let radius = [0.0, 0.02, 0.1][run as usize % 3];
        let length = [0.3, 0.9, 3.0, 10.0][run as usize % 4] * if radius > 0.0 { radius } else { 0.1 };
        let at = |k: u32| f64::from((run * 7919 + k * 104_729) % 1000) / 500.0 - 1.0;
        let mut c = Point3::new(at(1), at(2), at(3)) * 0.4;
        let mut d = Vec3::new(at(4), at(5), at(6) + 0.01).normalize() * length;
        for _ in 0..200 {
            let mut rest = d;
            for _ in 0..4 {
                let first = cube
                    .iter()
                    .filter_map(|tri| sweep(&c, &rest, radius, 1e-9, tri))
                    .reduce(|a, b| if b.t < a.t { b } else { a });
                let Some(touch) = first else {
                    c += rest;
                    break;
                };
                c += rest * touch.t;
                let normal = touch.normal * touch.normal.dot(&rest);
                match run / 12 % 3 {
                    0 => break,
                    1 => rest = (rest - normal) * (1.0 - touch.t),
                    _ => {
                        rest = (rest - normal * 2.0) * (1.0 - touch.t);
                        d -= touch.normal * (2.0 * touch.normal.dot(&d));
                    }
                }
            }
            assert!(outside_cube(&c) <= 0.0, "run {run} left by {}", outside_cube(&c));
        }
    }
}
