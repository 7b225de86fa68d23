//! When and where births happen, through whole steps, with the public cases they come from in their names.

mod support;

use partsim::keyed::Keyed;
use partsim::math::{Aabb, Point3, Real, Vec3};
use partsim::scene::*;
use support::*;

fn emitter(shape: Shape) -> Emitter {
    Emitter {
        name: "e".into(),
        material: 0,
        shape,
        count: 0,
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
        if_blocked: IfBlocked::Reject,
        apart: false,
    }
}

fn at_origin() -> Shape {
    Shape::Point { at: Point3::origin() }
}

/// A run of one emitter without gravity, at this many steps a second.
fn run(emitter: Emitter, per_second: Real) -> Run {
    let mut s = scene(&[], contact(0.0, 0.5));
    s.gravity = Vec3::zeros();
    s.time.frame_rate = per_second;
    s.emitters = vec![emitter];
    Run::new(&s, vec![])
}

#[test]
fn t33_a_rate_over_time_gives_the_floor_of_its_integral_whatever_the_step() {
    for smooth in [false, true] {
        let rate = Keyed::new(vec![(0.5, 0.0), (1.5, 80.0), (1.5, 10.0), (3.0, 59.94)], smooth);
        for per_second in [24.0, 60.0, 1000.0] {
            let mut run = run(
                Emitter {
                    rate: rate.clone(),
                    ..emitter(at_origin())
                },
                per_second,
            );
            for step in 1..=(4.0 * per_second) as u64 {
                run.step();
                let exact = rate.integral(0.0, step as Real / per_second);
                let born = run.state.tally.born as Real;
                assert!(
                    born <= exact + 1e-9 && born > exact - 1.0 - 1e-9,
                    "{step}: {born} {exact}"
                );
            }
            for (n, born) in run.state.particles.born.iter().enumerate() {
                let due = rate.integral(0.0, *born);
                assert!((due - (n + 1) as Real).abs() < 1e-9, "birth {n} at {born}: {due}");
            }
        }
    }
}

#[test]
fn t32_births_follow_a_path_within_the_step() {
    let path = Keyed::new(
        vec![(0.0, Vec3::zeros()), (1.0, Vec3::new(200.0, 0.0, 0.0))],
        false,
    );
    let fast = Emitter {
        rate: 2000.0.into(),
        path: Some(path),
        ..emitter(at_origin())
    };
    let mut standing = run(fast.clone(), 60.0);
    standing.steps(60);
    let xs: Vec<Real> = standing.state.particles.position.iter().map(|p| p.x).collect();
    assert_eq!(xs.len(), 2000);
    assert!(
        xs.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] < 3.0 * 0.1),
        "no stripes"
    );
    let mut carried = run(
        Emitter {
            inherit_velocity: 0.5,
            ..fast
        },
        60.0,
    );
    carried.steps(60);
    let p = &carried.state.particles;
    assert!(p.velocity[..1999].iter().all(|v| (v.x - 100.0).abs() < 1e-9));
    for (at, born) in p.position.iter().zip(&p.born).take(1999) {
        assert!((at.x - (200.0 * born + 100.0 * (1.0 - born))).abs() < 1e-6);
    }
}

#[test]
fn bursts_come_when_they_are_due_and_as_often_as_asked() {
    let bursts = |repeats, stop| Emitter {
        count: 5,
        bursts: Some(Bursts { every: 0.1, repeats }),
        start: 0.25,
        stop,
        ..emitter(at_origin())
    };
    for per_second in [10.0, 24.0, 1000.0] {
        let mut four = run(bursts(4, Real::INFINITY), per_second);
        four.steps(2 * per_second as usize);
        assert_eq!(four.state.tally.born, 20);
        for (n, born) in four.state.particles.born.iter().enumerate() {
            assert!((born - (0.25 + 0.1 * (n / 5) as Real)).abs() < 1e-12);
        }
        let mut stopped = run(bursts(u64::MAX, 0.5), per_second);
        stopped.steps(2 * per_second as usize);
        assert_eq!(stopped.state.tally.born, 15, "at 0.25, 0.35 and 0.45");
    }
}

#[test]
fn a_nozzle_throws_within_its_cone_and_fast_enough() {
    let nozzle = |radius, angle_deg| {
        let shape = Shape::Cone {
            center: Point3::new(1.0, 2.0, 3.0),
            direction: Vec3::y(),
            radius,
            angle_deg,
            speed: 4.0,
        };
        let mut run = run(
            Emitter {
                count: 5000,
                ..emitter(shape)
            },
            1e6,
        );
        run.step();
        run.state.particles
    };
    for (radius, angle) in [(0.5, 30.0f64), (0.0, 30.0), (0.5, 0.0)] {
        let p = nozzle(radius, angle);
        let mut widest: Real = 0.0;
        for (at, v) in p.position.iter().zip(&p.velocity) {
            assert!((v.norm() - 4.0).abs() < 1e-9);
            let tangent = Vec3::new(v.x, 0.0, v.z).norm() / v.y;
            widest = widest.max(tangent);
            let aside = Vec3::new(at.x - 1.0, 0.0, at.z - 3.0);
            assert!(aside.norm() <= radius + 1e-5);
            let ray = libm::tan(angle.to_radians()) * aside.norm() / Real::max(radius, 1e-9);
            assert!(
                radius == 0.0 || (tangent - ray).abs() < 1e-4,
                "all rays come from one place"
            );
        }
        let opening = libm::tan(angle.to_radians());
        assert!(widest <= opening + 1e-9 && widest >= 0.99 * opening);
    }
}

#[test]
fn births_kept_apart_cut_nobody_and_the_others_are_counted() {
    let crowd = |if_blocked| Emitter {
        count: 3000,
        apart: true,
        if_blocked,
        ..emitter(Shape::Box {
            bounds: Aabb {
                min: Point3::origin(),
                max: Point3::new(1.5, 1.5, 1.5),
            },
        })
    };
    let mut rejecting = run(crowd(IfBlocked::Reject), 50.0);
    rejecting.step();
    let (t, p) = (rejecting.state.tally, &rejecting.state.particles);
    assert_eq!(t.born + t.crowded, 3000);
    assert!(t.born > 100 && t.crowded > 1000, "{t:?}");
    for i in 0..p.len() {
        for j in 0..i {
            assert!(
                (p.position[i] - p.position[j]).norm() >= 0.2 * (1.0 - 1e-9),
                "{i} {j}"
            );
        }
    }
    let mut waiting = run(crowd(IfBlocked::Delay), 50.0);
    waiting.step();
    assert_eq!(
        waiting.state.tally.wanted, waiting.state.tally.born,
        "those behind still wait"
    );
    waiting.steps(60);
    let t = waiting.state.tally;
    assert_eq!((t.born + t.waited_out, t.wanted), (3000, 3000));
    assert!(t.waited_out > 1000);
}

#[test]
fn a_nozzle_that_waits_gives_one_ball_after_the_other() {
    let mut run = run(
        Emitter {
            rate: 1000.0.into(),
            velocity: Vec3::new(2.0, 0.0, 0.0),
            apart: true,
            if_blocked: IfBlocked::Delay,
            ..emitter(at_origin())
        },
        1000.0,
    );
    run.steps(900);
    let p = &run.state.particles;
    // Balls of radius 0.1 at 2 m/s leave room for the next after 0.1 s, to the step.
    assert!((8..=10).contains(&p.len()), "{}", p.len());
    for pair in p.position.windows(2) {
        assert!((pair[0].x - pair[1].x) >= 0.2 - 1e-9 && (pair[0].x - pair[1].x) < 0.2 + 0.005);
    }
}

#[test]
fn t35_an_emitter_more_changes_no_birth_of_the_others() {
    let cloud = || Emitter {
        rate: 500.0.into(),
        ..emitter(Shape::Sphere {
            center: Point3::origin(),
            radius: 1.0,
        })
    };
    let mut s = scene(&[], contact(0.0, 0.5));
    s.gravity = Vec3::zeros();
    s.emitters = vec![cloud(), cloud()];
    let mut two = Run::new(&s, vec![]);
    two.steps(24);
    s.emitters.pop();
    let mut one = Run::new(&s, vec![]);
    one.steps(24);
    let known: Vec<u64> = one.state.particles.key.clone();
    let places = |run: &Run| {
        let p = &run.state.particles;
        let rows = p.key.iter().zip(&p.position).filter(|(k, _)| known.contains(k));
        rows.map(|(_, at)| *at).collect::<Vec<_>>()
    };
    assert_eq!(places(&two), places(&one));
    assert_eq!(
        (one.state.particles.len(), two.state.particles.len()),
        (500, 1000)
    );
}
