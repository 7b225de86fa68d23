//! Balls against odd scenery: slivers, triangles without area, mouths, sheets, births inside solids.

mod support;

use partsim::collide::mesh::StaticMesh;
use partsim::collide::{Collider, Sweep};
use partsim::geom::sweep_exact::sweep;
use partsim::math::{Aabb, Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::rng::{Purpose, stream};
use partsim::scene::{Collision, Emitter, IfBlocked, Shape, Time};
use partsim::state::Status;
use support::*;

/// First moment at which a moving point comes within `r` of a triangle, by bisection on the convex distance.
fn by_bisection(c: &Point3, d: &Vec3, r: Real, tri: &[Point3; 3]) -> Option<Real> {
    use partsim::geom::closest_point::closest_point;
    let distance = |t: Real| closest_point(&(c + d * t), tri).distance;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance(a) < distance(b) {
            high = b
        } else {
            low = a
        }
    }
    let nearest = 0.5 * (low + high);
    if distance(nearest) > r {
        return None;
    }
    let (mut free, mut touching) = (0.0, nearest);
    for _ in 0..200 {
        let middle = 0.5 * (free + touching);
        if distance(middle) > r {
            free = middle
        } else {
            touching = middle
        }
    }
    Some(touching)
}

#[test]
fn t17_grazing_sweeps_never_miss_an_edge_or_corner() {
    let tri = [
        Point3::new(0.0, 0.0, 0.0),
        Point3::new(4.0, 0.3, 0.0),
        Point3::new(1.0, 3.0, 0.5),
    ];
    let (mut hits, mut misses) = (0, 0);
    for i in 0..100_000 {
        let mut draws = stream(17, Purpose::Birth, 0, i);
        let edge = (i % 3) as usize;
        let target = tri[edge] + (tri[(edge + 1) % 3] - tri[edge]) * draws.between(-0.1, 1.1);
        let r = 0.3;
        // Aim so that the path passes the edge at about the radius.
        let side = draws.in_ball().normalize() * r * draws.between(0.98, 1.02);
        let mut d = draws.in_ball().normalize();
        d -= side * (d.dot(&side) / side.norm_squared());
        let d = d.normalize() * draws.between(1.0, 8.0);
        let c = target + side - d * draws.between(0.2, 0.8);
        let wanted = by_bisection(&c, &d, r, &tri);
        let got = sweep(&c, &d, r, 0.0, &tri);
        match (wanted, got) {
            (Some(t), Some(touch)) => {
                // A graze meets the surface at a flat angle: its moment is known to the root of the rounding.
                assert!((touch.t - t).abs() < 2e-6, "{i}: {} instead of {t}", touch.t);
                hits += 1;
            }
            (None, None) => misses += 1,
            (Some(t), None) => {
                let distance = partsim::geom::closest_point::closest_point(&(c + d * t), &tri).distance;
                let moving_out = t < 1e-12;
                assert!(moving_out || r - distance < 1e-12, "{i}: missed at {t}");
            }
            (None, Some(touch)) => {
                let p = c + d * touch.t;
                let distance = partsim::geom::closest_point::closest_point(&p, &tri).distance;
                assert!(distance < r + 1e-12, "{i}: false hit at distance {distance}");
            }
        }
    }
    assert!(hits > 10_000 && misses > 10_000, "{hits} hits, {misses} misses");
}

#[test]
fn t18_a_sliver_is_hit_at_its_distance_and_not_beyond() {
    let tri = [
        Point3::new(0.0, 0.0, 0.0),
        Point3::new(0.0, 0.0, 2.0),
        Point3::new(0.0, 0.0004, 5.0),
    ];
    let pass = |x: Real| {
        sweep(
            &Point3::new(x, -3.0, 1.5),
            &Vec3::new(0.0, 6.0, 0.0),
            0.2,
            0.0,
            &tri,
        )
    };
    assert!(pass(0.3).is_none());
    let touch = pass(0.1).expect("it passes at half the radius");
    let exact = (3.0 - (0.2f64 * 0.2 - 0.1 * 0.1).sqrt()) / 6.0;
    assert!((touch.t - exact).abs() < 1e-4, "{} instead of {exact}", touch.t);
}

#[test]
fn t19_triangles_without_area_are_points_and_segments() {
    let mut m = floor(5.0);
    let first = m.vertices.len() as u32;
    let line = [
        Point3::new(2.0, 1.0, -1.0),
        Point3::new(2.0, 1.0, 0.0),
        Point3::new(2.0, 1.0, 1.0),
    ];
    m.vertices.push(Point3::new(0.0, 1.0, 0.0));
    m.vertices.extend(line);
    m.triangles
        .extend([[first; 3], [first + 1, first + 2, first + 3]]);
    m.group_of = vec![0; m.triangles.len()];
    let mut s = scene(std::slice::from_ref(&m), contact(0.0, 0.5));
    s.meshes[0].response = partsim::scene::Response::Stick;
    let mut run = Run::new(&s, vec![m]);
    for (x, z) in [(0.0, 0.0), (2.0, 0.3), (4.0, 0.0)] {
        run.add(Point3::new(x, 3.0, z), Vec3::new(0.0, -100.0, 0.0), 0.25);
    }
    run.steps(3);
    let heights: Vec<Real> = run.state.particles.position.iter().map(|p| p.y).collect();
    for (got, wanted) in heights.iter().zip([1.25, 1.25, 0.25]) {
        assert!((got - wanted).abs() < 1e-12, "{heights:?}");
    }
    assert_eq!(run.state.particles.status, [Status::Stuck; 3]);
    assert_eq!(run.world.collider.mesh().degenerate(), 2);
}

/// A box of side 2 whose lid has a square hole of side `a`.
fn with_mouth(a: Real) -> Mesh {
    let mut m = closed_box(Vec3::repeat(1.0));
    // The lid is the quad [2, 6, 7, 3]; a frame of four quads takes its place.
    m.triangles
        .retain(|t| !t.iter().all(|&i| m.vertices[i as usize].y > 0.0));
    let h = 0.5 * a;
    let first = m.vertices.len() as u32;
    for half in [1.0, h] {
        for (x, z) in [(-half, -half), (half, -half), (half, half), (-half, half)] {
            m.vertices.push(Point3::new(x, 1.0, z));
        }
    }
    for i in 0..4 {
        let (a, b) = (first + i, first + (i + 1) % 4);
        m.triangles.extend([[a, a + 4, b], [b, a + 4, b + 4]]);
    }
    m.group_of = vec![0; m.triangles.len()];
    m
}

#[test]
fn t24_a_mouth_takes_what_is_smaller_and_holds_what_is_bigger() {
    let a = 0.6;
    for (share, enters) in [(0.49, true), (0.51, false)] {
        let m = with_mouth(a);
        let s = scene(std::slice::from_ref(&m), contact(0.0, 0.5));
        let mut run = Run::new(&s, vec![m]);
        run.add(Point3::new(0.0, 3.0, 0.0), Vec3::zeros(), share * a);
        run.steps(240);
        let p = run.state.particles.position[0];
        assert_eq!(p.y < 0.0, enters, "r = {share} a: {p}");
        if enters {
            assert!((p.y - (-1.0 + share * a)).abs() < 1e-9, "{p}");
        } else {
            // On the rim: the centre stands sqrt(r^2 - (a/2)^2) above the lid.
            let up = ((share * a).powi(2) - 0.25 * a * a).sqrt();
            assert!((p.y - (1.0 + up)).abs() < 1e-9, "{p}");
        }
    }
}

#[test]
fn t25_a_single_sheet_bounces_from_both_sides() {
    let m = floor(5.0);
    let mut s = scene(std::slice::from_ref(&m), contact(0.8, 0.0));
    s.gravity = Vec3::zeros();
    let mut run = Run::new(&s, vec![m]);
    run.add(Point3::new(0.0, 1.0, 0.0), Vec3::new(0.0, -10.0, 0.0), 0.1);
    run.add(Point3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 10.0, 0.0), 0.1);
    run.steps(12);
    let p = &run.state.particles;
    assert!(
        p.position[0].y > 0.1 && p.position[1].y < -0.1,
        "{:?}",
        p.position
    );
    assert_eq!(
        [p.velocity[0].y, p.velocity[1].y].map(|v| (v * 1e9).round() / 1e9),
        [8.0, -8.0]
    );
}

fn births(m: &Mesh, if_blocked: IfBlocked, shape: Shape) -> Run {
    let mut s = scene(std::slice::from_ref(m), contact(0.0, 0.5));
    s.emitters.push(Emitter {
        name: "e".into(),
        material: 0,
        shape,
        count: 2000,
        bursts: None,
        rate: 0.0.into(),
        start: 0.0,
        stop: Real::INFINITY,
        velocity: Vec3::zeros(),
        spread_deg: 0.0,
        speed_variation: 0.0,
        motion: Vec3::zeros(),
        path: None,
        inherit_velocity: 0.0,
        apart: false,
        if_blocked,
    });
    s.gravity = Vec3::zeros();
    Run::new(&s, vec![m.clone()])
}

#[test]
fn t30_births_in_the_scenery_are_refused_or_moved_out_and_counted() {
    let cube = closed_box(Vec3::repeat(1.0));
    let half_inside = Aabb {
        min: Point3::new(0.0, -0.5, -0.5),
        max: Point3::new(2.0, 0.5, 0.5),
    };
    for policy in [IfBlocked::Reject, IfBlocked::PushOut] {
        let mut run = births(&cube, policy, Shape::Box { bounds: half_inside });
        run.step();
        let t = run.state.tally;
        assert_eq!(t.wanted, 2000);
        assert_eq!(
            t.born + t.blocked,
            2000,
            "{policy:?}: every birth is accounted for"
        );
        match policy {
            IfBlocked::Reject => assert!(t.blocked > 100 && t.pushed_out == 0, "{t:?}"),
            IfBlocked::PushOut | IfBlocked::Delay => assert!(t.blocked == 0 && t.pushed_out > 100, "{t:?}"),
        }
        for p in &run.state.particles.position {
            let depth = run
                .world
                .collider
                .deepest_overlap(p, 0.1)
                .map_or(0.0, |o| o.depth);
            assert!(depth <= 1e-8, "{policy:?}: {depth} deep at {p}");
        }
        run.steps(5);
        assert!(
            run.state.particles.velocity.iter().all(|v| *v == Vec3::zeros()),
            "nothing is shot away"
        );
    }
}

#[test]
fn births_beyond_the_limit_are_refused_before_they_are_drawn() {
    let cube = closed_box(Vec3::repeat(1.0));
    let mut run = births(
        &cube,
        IfBlocked::Reject,
        Shape::Point {
            at: Point3::new(0.0, 9.0, 0.0),
        },
    );
    run.world.particle_limit = 10;
    run.step();
    assert_eq!((run.state.tally.born, run.state.tally.over_limit), (10, 1990));
}

#[test]
fn t36_and_t39_states_do_not_depend_on_threads_and_keep_birth_order() {
    let state = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            let cube = closed_box(Vec3::repeat(1.0));
            let above = Aabb {
                min: Point3::new(-2.0, 1.5, -2.0),
                max: Point3::new(2.0, 3.0, 2.0),
            };
            let mut s = scene(std::slice::from_ref(&cube), contact(0.6, 0.2));
            s.time = Time {
                frames: 1,
                frame_rate: 60.0,
                steps_per_frame: 1,
            };
            s.limits.kill_box = Some(Aabb {
                min: Point3::new(-9.0, -3.0, -9.0),
                max: Point3::new(9.0, 9.0, 9.0),
            });
            let run = births(&cube, IfBlocked::PushOut, Shape::Box { bounds: above });
            s.emitters = vec![Emitter {
                rate: 3000.0.into(),
                velocity: Vec3::new(0.0, -3.0, 0.0),
                spread_deg: 40.0,
                ..run.world.sources[0].emitter().clone()
            }];
            let mut run = Run::new(&s, vec![cube]);
            for n in 0..60 {
                run.step();
                if n % 7 == 0 {
                    run.state.particles.remove_gone();
                }
            }
            run.state
        })
    };
    let one = state(1);
    assert!(
        one.particles.id.is_sorted() && one.tally.lost > 0 && one.particles.len() > 2000,
        "{:?}",
        one.tally
    );
    for threads in [2, 3, 5, 8] {
        assert_eq!(state(threads), one, "{threads} threads");
    }
}

#[test]
fn all_modes_answer_through_the_tree_as_without_it() {
    let m = closed_box(Vec3::repeat(1.0));
    let tri = |t: usize| m.corners(t);
    let world = StaticMesh::new(m.vertices.clone(), &m.triangles, Collision::Karabassi);
    for i in 0..2000 {
        let mut draws = stream(5, Purpose::Birth, 0, i);
        let from = Point3::from(draws.in_ball() * 4.0);
        let along = draws.in_ball() * 6.0;
        let radius = draws.between(0.01, 0.5);
        let stop =
            |t| partsim::geom::sweep_karabassi::sweep_karabassi(&from, &(from + along), radius, &tri(t));
        let brute = (0..m.triangles.len())
            .filter_map(|t| Some((stop(t)?.t.to_bits(), t as u32)))
            .min();
        let hit = world.first_touch(&Sweep {
            from,
            along,
            radius,
            span: [0.0, 1.0],
        });
        assert_eq!(hit.map(|h| (h.fraction.to_bits(), h.triangle)), brute, "{i}");
    }
}
