//! What every collider promises, asked of every kind. A new kind adds a line to [`kinds`].

use super::mesh::StaticMesh;
use super::*;
use crate::scene::Collision;

/// A square sheet of two triangles in the plane y = 0, |x|, |z| <= 2.
fn sheet() -> (Vec<Point3>, Vec<[u32; 3]>) {
    let corners = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)];
    (
        corners.iter().map(|&(x, z)| Point3::new(x, 0.0, z)).collect(),
        vec![[0, 2, 1], [0, 3, 2]],
    )
}

/// Every kind, and the radius with which it takes balls (a ray has none).
fn kinds() -> Vec<(&'static str, Box<dyn Collider>, Real)> {
    let (vertices, triangles) = sheet();
    let mesh = |mode| StaticMesh::new(vertices.clone(), &triangles, mode);
    vec![
        ("exact", Box::new(mesh(Collision::Exact)), 1.0),
        ("ray", Box::new(mesh(Collision::Ray)), 0.0),
    ]
}

fn sweep(from: [Real; 3], along: [Real; 3], radius: Real) -> Sweep {
    Sweep {
        from: Point3::from(from),
        along: Vec3::from(along),
        radius,
        span: [0.0, 1.0],
    }
}

#[test]
fn first_touch_is_where_the_closed_form_says() {
    for (name, collider, volume) in kinds() {
        let s = sweep([0.3, 3.0, 0.1], [0.0, -4.0, 0.0], 0.5);
        let hit = collider.first_touch(&s).expect(name);
        assert!(
            (hit.fraction - (3.0 - 0.5 * volume) / 4.0).abs() < 1e-9,
            "{name}: {hit:?}"
        );
        assert!(
            (hit.point - Point3::new(0.3, 0.0, 0.1)).norm() < 1e-9,
            "{name}: {hit:?}"
        );
        assert!(
            (hit.normal - Vec3::y()).norm() < 1e-12 && hit.status == HitStatus::Clean,
            "{name}: {hit:?}"
        );
    }
}

#[test]
fn both_sides_of_a_sheet_stop() {
    for (name, collider, _) in kinds() {
        let hit = collider
            .first_touch(&sweep([0.3, -3.0, 0.1], [0.0, 4.0, 0.0], 0.5))
            .expect(name);
        assert!((hit.normal + Vec3::y()).norm() < 1e-12, "{name}: {hit:?}");
    }
}

#[test]
fn nothing_stops_what_leaves_or_slides_along() {
    for (name, collider, volume) in kinds() {
        // A centre that lies exactly on a triangle has no side to leave to.
        let y = (0.5 * volume).max(1e-6);
        assert_eq!(
            collider.first_touch(&sweep([0.3, y, 0.1], [0.0, 2.0, 0.0], 0.5)),
            None,
            "{name} leaving"
        );
        if volume > 0.0 {
            assert_eq!(
                collider.first_touch(&sweep([0.3, y, 0.1], [1.0, 0.0, 0.0], 0.5)),
                None,
                "{name} along"
            );
        }
        assert_eq!(
            collider.first_touch(&sweep([0.3, 3.0, 0.1], [0.0, 0.0, 0.0], 0.5)),
            None,
            "{name} still"
        );
    }
}

#[test]
fn a_ball_that_starts_inside_is_stopped_only_when_it_moves_in() {
    for (name, collider, volume) in kinds().into_iter().filter(|k| k.2 > 0.0) {
        let inward = collider
            .first_touch(&sweep([0.3, 0.3 * volume, 0.1], [0.0, -1.0, 0.0], 0.5))
            .expect(name);
        assert_eq!(
            (inward.fraction, inward.status),
            (0.0, HitStatus::StartedInside),
            "{name}"
        );
        assert!((inward.depth - 0.2).abs() < 1e-12, "{name}: {inward:?}");
        assert_eq!(
            collider.first_touch(&sweep([0.3, 0.3, 0.1], [0.0, 1.0, 0.0], 0.5)),
            None,
            "{name}"
        );
    }
}

#[test]
fn no_speed_tunnels() {
    for (name, collider, _) in kinds() {
        for exponent in 0..12 {
            let length = libm::exp10(f64::from(exponent));
            let s = sweep([0.0, 2.0, 0.0], [0.1, -length - 2.0, 0.07], 0.01);
            assert!(collider.first_touch(&s).is_some(), "{name} at {length}");
        }
    }
}

#[test]
fn overlap_is_the_deepest_and_its_normal_leads_out() {
    for (name, collider, _) in kinds() {
        let o = collider
            .deepest_overlap(&Point3::new(0.5, 0.2, 0.0), 0.5)
            .expect(name);
        assert!(
            (o.depth - 0.3).abs() < 1e-12 && (o.normal - Vec3::y()).norm() < 1e-12,
            "{name}: {o:?}"
        );
        assert_eq!(
            collider.deepest_overlap(&Point3::new(0.5, 0.6, 0.0), 0.5),
            None,
            "{name}"
        );
    }
}

#[test]
fn segments_cross_the_sheet_or_do_not() {
    for (name, collider, _) in kinds() {
        assert!(
            collider.crosses(&Point3::new(0.0, 1.0, 0.0), &Point3::new(0.0, -1.0, 0.0)),
            "{name}"
        );
        assert!(
            !collider.crosses(&Point3::new(0.0, 1.0, 0.0), &Point3::new(0.0, 0.1, 0.0)),
            "{name}"
        );
        assert!(
            !collider.crosses(&Point3::new(3.0, 1.0, 0.0), &Point3::new(3.0, -1.0, 0.0)),
            "{name}"
        );
    }
}

#[test]
fn the_lowest_triangle_wins_a_tie_in_any_order() {
    let (vertices, triangles) = sheet();
    let s = sweep([0.0, 3.0, 0.0], [0.0, -4.0, 0.0], 0.5);
    for order in [triangles.clone(), triangles.into_iter().rev().collect()] {
        let hit = StaticMesh::new(vertices.clone(), &order, Collision::Exact).first_touch(&s);
        assert_eq!(hit.map(|h| h.triangle), Some(0));
    }
}

#[test]
fn near_finds_what_is_within_reach_and_nothing_else() {
    for (name, collider, _) in kinds() {
        let mut found = Vec::new();
        let place = Point3::new(0.3, 0.25, 0.1);
        collider.near(&place, 0.2, &mut found);
        assert!(found.is_empty(), "{name}: {found:?}");
        collider.near(&place, 0.3, &mut found);
        let numbers: Vec<u32> = found.iter().map(|n| n.triangle).collect();
        assert_eq!(numbers, [0, 1], "{name}: {found:?}");
        assert!(
            found
                .iter()
                .any(|n| (n.distance - 0.25).abs() < 1e-12 && (n.normal - Vec3::y()).norm() < 1e-12),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn many_at_once_are_answered_as_each_alone() {
    for (name, collider, _) in kinds() {
        // Rows of neighbours, some that miss, lie still, or are no numbers.
        let mut sweeps: Vec<Sweep> = (0..61)
            .map(|i| f64::from(i) * 0.07)
            .map(|x| sweep([x - 2.1, 3.0, 0.1], [0.0, -4.0 + 0.1 * x, 0.0], 0.25))
            .collect();
        sweeps[20].along = Vec3::zeros();
        sweeps[37].radius = Real::NAN;
        sweeps[50].from.y = 0.1;
        let mut hits = vec![None; sweeps.len()];
        collider.first_touches(&sweeps, &mut hits);
        for (sweep, hit) in sweeps.iter().zip(&hits) {
            assert_eq!(*hit, collider.first_touch(sweep), "{name}: {sweep:?}");
        }
        assert!(hits.iter().flatten().count() > 50, "{name}");
        let mut few = [hits[0]; 3];
        collider.first_touches(&sweeps[..2], &mut few);
        assert_eq!(few[2], hits[0], "{name}: not asked for");
        collider.first_touches(&[], &mut few);
    }
}
