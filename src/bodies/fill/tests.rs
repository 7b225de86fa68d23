use super::*;
use crate::bodies::shapes::{Ball, Boxes, Turned};
use crate::math::Quaternion;

#[test]
fn a_cube_has_faces_edges_and_corners() {
    let fill = Fill::new(&Boxes::cuboid(1.0, 1.0, 1.0), &Grain::cubic(0.0625, 8.0)).expect("a fill");
    assert_eq!(fill.places.len(), 512);
    let count = |n: usize| fill.normals.iter().filter(|of| of.all().len() == n).count();
    assert_eq!([count(1), count(2), count(3)], [6 * 36, 12 * 6, 8]);
    assert!((fill.mass.mass - 8.0).abs() < 1e-12 && fill.mass.center.coords.norm() < 1e-12);
    // All touch their faces from inside already.
    let outermost = fill.surface().iter().map(|p| p.amax()).fold(0.0, Real::max);
    assert!((outermost - (0.5 - 0.0625)).abs() < 1e-12);
}

#[test]
fn what_lies_askew_to_its_faces_touches_them_all_the_same() {
    let turn = Quaternion::from_axis_angle(&nalgebra::Unit::new_normalize(Vec3::new(1.0, 2.0, 0.5)), 0.6);
    let fill = Fill::new(
        &Turned(Boxes::cuboid(1.0, 1.0, 1.0), turn),
        &Grain::cubic(0.03, 1.0),
    )
    .expect("a fill");
    for (place, normals) in fill.surface().iter().zip(&fill.normals) {
        let p = turn.inverse() * (place + fill.mass.center.coords);
        assert!(p.amax() <= 0.5 - 0.03 + 1e-9, "{p}");
        for normal in normals.all() {
            let n = turn.inverse() * normal;
            assert!((p.dot(&n) - (0.5 - 0.03)).abs() < 1e-9, "{p} {n}");
        }
    }
}

#[test]
fn a_ball_keeps_its_normals() {
    let fill = Fill::new(&Ball(1.0), &Grain::cubic(0.05, 1.0)).expect("a fill");
    for (place, normals) in fill.surface().iter().zip(&fill.normals) {
        assert_eq!(normals.all().len(), 1);
        assert!((place.norm() - 0.95).abs() < 1e-9 && (place.normalize() - normals.all()[0]).norm() < 1e-9);
    }
    let share = fill.mass.mass / (4.0 / 3.0 * std::f64::consts::PI);
    assert!((share - 1.0).abs() < 0.02, "{share}");
}

#[test]
fn what_cannot_be_filled_is_told() {
    assert_eq!(
        Fill::new(&Boxes::cuboid(1.0, 1.0, 1.0), &Grain::cubic(1e-4, 1.0)),
        Err(Unfilled::TooFine)
    );
    let apart = Boxes::of(&[[0.0, 0.0, 0.0, 0.1, 0.1, 0.1], [0.9, 0.9, 0.9, 1.0, 1.0, 1.0]]);
    assert_eq!(
        Fill::new(&apart, &Grain::cubic(0.5, 1.0)),
        Err(Unfilled::TooCoarse)
    );
}

/// Every other place of a lattice whose edge is sqrt 2 radii: neighbours touch, and there are 8 r^3 / (4 sqrt 2 r^3) = 1.41 as
/// many as in cubes.
#[test]
fn close_packing_holds_more_and_weighs_the_same() {
    for (solid, volume, within) in [
        (&Ball(1.0) as &dyn Solid, 4.0 / 3.0 * std::f64::consts::PI, 0.02),
        (&Boxes::cuboid(2.0, 1.5, 1.0), 3.0, 0.05),
    ] {
        let grain = Grain {
            packing: Packing::Close,
            ..Grain::cubic(0.04, 1.0)
        };
        let fill = Fill::new(solid, &grain).expect("a fill");
        assert!(
            (fill.mass.mass / volume - 1.0).abs() < within,
            "{}",
            fill.mass.mass / volume
        );
        let middles: Vec<Point3> = cells(solid, &grain)
            .expect("cells")
            .iter()
            .map(|c| c.middle)
            .collect();
        let least = |p: &Point3| {
            let others = middles.iter().filter(|q| *q != p).map(|q| (q - p).norm());
            others.fold(Real::INFINITY, Real::min)
        };
        assert!(middles.iter().step_by(37).all(|p| (least(p) - 0.08).abs() < 1e-9));
        // Inertia by mass of the solid shape.
        let exact = if volume == 3.0 {
            [3.25, 5.0, 6.25].map(|s| s / 12.0)
        } else {
            [0.4; 3]
        };
        for (k, exact) in exact.into_iter().enumerate() {
            let own = fill.mass.inertia[(k, k)] / fill.mass.mass;
            assert!((own / exact - 1.0).abs() < within, "{k}: {own} for {exact}");
        }
    }
}
