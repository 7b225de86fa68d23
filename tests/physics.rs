//! Closed forms: falls, bounces, slides and rests, with the public cases they come from in their names.

mod support;

use partsim::material::Stick;
use partsim::math::{Point3, Real, Vec3};
use partsim::scene::{Collision, Response, Scene, Time};
use partsim::state::Status;
use support::*;

fn with_step(scene: Scene, per_second: Real) -> Scene {
    Scene {
        time: Time {
            frames: 1,
            frame_rate: per_second,
            steps_per_frame: 1,
        },
        ..scene
    }
}

#[test]
fn a_free_fall_is_exact_at_any_step() {
    for rate in [1.0, 24.0, 1000.0] {
        let mut run = Run::new(&with_step(scene(&[], contact(0.0, 0.0)), rate), vec![]);
        run.add(Point3::new(0.0, 100.0, 0.0), Vec3::new(1.0, 2.0, 0.0), 0.1);
        run.steps(rate as usize);
        let p = run.state.particles.position[0];
        assert!(
            (p - Point3::new(1.0, 100.0 + 2.0 - 0.5 * 9.81, 0.0)).norm() < 1e-9,
            "{p}"
        );
    }
}

#[test]
fn t20_a_bounce_on_a_flat_box_near_its_diagonal_is_vertical() {
    let mesh = closed_box(Vec3::new(2.5, 0.5, 2.5));
    let mut run = Run::new(
        &with_step(scene(std::slice::from_ref(&mesh), contact(1.0, 0.5)), 60.0),
        vec![mesh],
    );
    run.add(Point3::new(-2.0, 9.0, 0.0), Vec3::zeros(), 3.0);
    for _ in 0..600 {
        run.step();
        let v = run.state.particles.velocity[0];
        assert!(v.x.abs() < 1e-9 && v.z.abs() < 1e-9, "{v}");
    }
    assert!(run.state.tally.contacts > 3);
}

#[test]
fn t21_a_ramp_in_pieces_slides_like_one_triangle() {
    let ramp = |cuts: usize| {
        // Rows of triangles over a plane that falls 10 degrees along x, the inner corners shifted about.
        let a = 10f64.to_radians();
        let (dx, dy) = (libm::cos(a), -libm::sin(a));
        let n = cuts + 1;
        let jitter = |i: usize, j: usize, k: usize| {
            let inner = i > 0 && i < cuts && j > 0 && j < cuts;
            if inner {
                0.3 * libm::sin((i * 37 + j * 101 + k * 13) as Real)
            } else {
                0.0
            }
        };
        let size = 40.0 / cuts as Real;
        let mut vertices = vec![];
        for j in 0..n {
            for i in 0..n {
                let s = (i as Real + jitter(i, j, 0)) * size;
                let z = (j as Real + jitter(i, j, 1)) * size - 20.0;
                vertices.push(Point3::new(s * dx, s * dy, z));
            }
        }
        let at = |i: usize, j: usize| (j * n + i) as u32;
        let mut triangles = vec![];
        for j in 0..cuts {
            for i in 0..cuts {
                triangles.push([at(i, j), at(i + 1, j + 1), at(i + 1, j)]);
                triangles.push([at(i, j), at(i, j + 1), at(i + 1, j + 1)]);
            }
        }
        mesh(vertices, triangles)
    };
    let slide = |cuts| {
        let m = ramp(cuts);
        let mut run = Run::new(
            &with_step(scene(std::slice::from_ref(&m), contact(0.0, 0.05)), 100.0),
            vec![m],
        );
        for i in 0..1000 {
            let z = -10.0 + 20.0 * f64::from(i) / 1000.0;
            run.add(
                Point3::new(2.0, 0.5, z),
                Vec3::new(0.0, 0.0, 0.2 * libm::sin(f64::from(i))),
                0.1,
            );
        }
        run.steps(400);
        run.state.particles.position
    };
    let (one, many) = (slide(1), slide(8));
    let worst = one
        .iter()
        .zip(&many)
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, Real::max);
    assert!(worst < 1e-6, "paths differ by {worst}");
    assert!(one[0].x > 10.0, "they slid: {}", one[0]);
}

#[test]
fn t23_frictionless_balls_leave_the_edges_of_a_cube() {
    let cube = closed_box(Vec3::repeat(0.5));
    let mut ground = floor(50.0);
    ground.vertices.iter_mut().for_each(|v| v.y = -0.5);
    let meshes = [cube, ground];
    let mut run = Run::new(
        &with_step(scene(&meshes, contact(0.0, 0.0)), 240.0),
        meshes.to_vec(),
    );
    for i in 0..40 {
        let along = -0.4 + 0.02 * f64::from(i);
        for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let edge = 0.5 - 1e-3;
            let p = Point3::new(x * edge + z * along, 0.51, z * edge + x * along);
            run.add(p, Vec3::new(x, 0.0, z) * 0.05, 0.01);
        }
    }
    run.steps(480);
    for p in &run.state.particles.position {
        assert!(p.y < -0.48, "still up at {p}");
    }
}

#[test]
fn t27_bounces_end_and_the_ball_then_lies_still() {
    let m = floor(10.0);
    let mut run = Run::new(
        &with_step(scene(std::slice::from_ref(&m), contact(0.5, 0.3)), 100.0),
        vec![m],
    );
    run.add(Point3::new(0.1, 1.0, 0.2), Vec3::new(0.3, 0.0, 0.0), 0.05);
    run.steps(500);
    assert_eq!(run.state.particles.velocity[0], Vec3::zeros());
    assert_eq!(run.state.particles.status[0], Status::Rested);
    let rest = run.state.particles.clone();
    run.steps(100);
    assert_eq!(run.state.particles, rest);
    assert!((rest.position[0].y - 0.05).abs() < 1e-9);
}

#[test]
fn t28_scaled_scenes_bounce_equally_often() {
    let bounces = |size: Real| {
        let mut m = floor(10.0);
        m.vertices.iter_mut().for_each(|v| *v *= size);
        let mut s = with_step(scene(std::slice::from_ref(&m), contact(0.8, 0.3)), 100.0);
        s.gravity *= size;
        let mut run = Run::new(&s, vec![m]);
        run.add(Point3::new(0.1, 1.0, 0.2) * size, Vec3::zeros(), 0.05 * size);
        run.steps(1000);
        assert_eq!(run.state.particles.status[0], Status::Rested);
        run.state.tally.contacts
    };
    let n = bounces(1.0);
    assert!(n > 5);
    assert_eq!([bounces(0.01), bounces(100.0)], [n, n]);
}

#[test]
fn t29_a_perfect_bounce_neither_gains_nor_loses_height() {
    let m = floor(10.0);
    let mut run = Run::new(
        &with_step(scene(std::slice::from_ref(&m), contact(1.0, 0.0)), 97.0),
        vec![m],
    );
    run.add(Point3::new(0.0, 1.0, 0.0), Vec3::zeros(), 0.05);
    let energy = |run: &Run| {
        run.state.particles.position[0].y + run.state.particles.velocity[0].norm_squared() / (2.0 * 9.81)
    };
    let mut top: Real = 0.0;
    while run.state.tally.contacts < 1000 {
        run.step();
        top = top.max(energy(&run));
    }
    assert!(top <= 1.0 + 1e-6, "rose to {top}");
    assert!((energy(&run) - 1.0).abs() < 1e-6, "height left {}", energy(&run));
}

#[test]
fn a_bounce_series_keeps_to_the_powers_of_e() {
    let m = floor(10.0);
    let mut run = Run::new(
        &with_step(scene(std::slice::from_ref(&m), contact(0.7, 0.0)), 1000.0),
        vec![m],
    );
    run.add(Point3::new(0.0, 1.05, 0.0), Vec3::zeros(), 0.05);
    let mut tops = vec![];
    let (mut high, mut seen) = (0.0, 0);
    for _ in 0..4000 {
        run.step();
        let (p, v) = (
            run.state.particles.position[0].y - 0.05,
            run.state.particles.velocity[0].y,
        );
        if run.state.tally.contacts > seen && run.state.tally.contacts <= 6 {
            seen = run.state.tally.contacts;
            tops.push(high);
            high = 0.0;
        }
        high = Real::max(high, p + v * v / (2.0 * 9.81));
    }
    for (n, top) in tops.iter().enumerate() {
        assert!(
            (top / libm::pow(0.49, n as Real) - 1.0).abs() < 1e-6,
            "bounce {n}: {top}"
        );
    }
    assert_eq!(tops.len(), 6);
}

#[test]
fn a_block_holds_below_its_friction_angle_and_slides_above() {
    for (degrees, slides) in [(34.0f64, false), (36.0, true)] {
        let a = degrees.to_radians();
        let mut m = floor(50.0);
        for v in &mut m.vertices {
            *v = Point3::new(v.x * libm::cos(a), -v.x * libm::sin(a), v.z);
        }
        let mu = libm::tan(35f64.to_radians());
        let mut run = Run::new(
            &with_step(scene(std::slice::from_ref(&m), contact(0.0, mu)), 100.0),
            vec![m],
        );
        run.add(Point3::new(0.0, 0.2, 0.0), Vec3::zeros(), 0.1);
        run.steps(300);
        let moved = run.state.particles.position[0].x > 0.05;
        assert_eq!(
            moved, slides,
            "{degrees} degrees: {}",
            run.state.particles.position[0]
        );
        if slides {
            // From rest at the foot of the fall: s = (g / 2) (sin a - mu cos a) t^2 along the slope.
            let g = 9.81 * (libm::sin(a) - mu * libm::cos(a));
            let s = run.state.particles.position[0].x / libm::cos(a);
            assert!((s / (0.5 * g * 9.0) - 1.0).abs() < 0.01, "{s}");
        }
    }
}

#[test]
fn t31_balls_that_start_touching_do_what_their_velocity_says() {
    for e in [0.0, 1.0] {
        for y in [0.1, 0.0] {
            for (v, name) in [(-1.0, "in"), (0.0, "along"), (1.0, "out")] {
                let m = floor(10.0);
                let mut s = with_step(scene(std::slice::from_ref(&m), contact(e, 0.0)), 100.0);
                s.gravity = Vec3::zeros();
                let mut run = Run::new(&s, vec![m]);
                let velocity = if v == 0.0 {
                    Vec3::new(1.0, 0.0, 0.0)
                } else {
                    Vec3::new(0.0, v, 0.0)
                };
                run.add(Point3::new(0.2, y, 0.1), velocity, 0.1);
                run.steps(50);
                let p = run.state.particles.position[0];
                assert!(p.y >= y - 1e-12, "{name} from {y}, e {e}: leaked to {p}");
                if y > 0.0 {
                    match (v as i32, e as i32) {
                        (-1, 0) => assert!((p.y - y).abs() < 1e-12),
                        (0, _) => assert!((p.x - 0.7).abs() < 1e-12 && (p.y - y).abs() < 1e-9),
                        _ => assert!((p.y - 0.6).abs() < 1e-9, "{name} from {y}, e {e}: {p}"),
                    }
                }
            }
        }
    }
}

#[test]
fn responses_by_surface_stick_die_slide_and_bounce() {
    for (response, status) in [
        (Response::Stick, Some(Status::Stuck)),
        (Response::Die, None),
        (Response::Slide { friction: 1.0 }, Some(Status::Rested)),
        (
            Response::Bounce {
                restitution: 0.9,
                friction: 0.0,
            },
            Some(Status::Airborne),
        ),
    ] {
        let m = floor(100.0);
        let mut s = with_step(scene(std::slice::from_ref(&m), contact(0.0, 0.5)), 100.0);
        s.meshes[0].response = response;
        let mut run = Run::new(&s, vec![m]);
        run.add(Point3::new(0.0, 1.0, 0.0), Vec3::new(2.0, 0.0, 0.0), 0.1);
        run.steps(200);
        run.state.particles.remove_gone();
        assert_eq!(
            run.state.particles.status.first().copied(),
            status,
            "{response:?}"
        );
        assert_eq!(run.state.tally.died, u64::from(status.is_none()));
    }
}

#[test]
fn slow_lumps_stick_and_fast_ones_go_on() {
    let m = floor(100.0);
    let mut c = contact(0.2, 0.3);
    c.stick = Stick::Below(4.0);
    let mut s = with_step(scene(std::slice::from_ref(&m), c), 100.0);
    s.gravity = Vec3::zeros();
    let mut run = Run::new(&s, vec![m]);
    run.add(Point3::new(0.0, 0.5, 0.0), Vec3::new(0.0, -3.0, 0.0), 0.1);
    run.add(Point3::new(9.0, 0.5, 0.0), Vec3::new(0.0, -30.0, 0.0), 0.1);
    run.steps(30);
    assert_eq!(run.state.particles.status, [Status::Stuck, Status::Airborne]);
    assert!((run.state.particles.velocity[1].y - 6.0).abs() < 1e-12);
}

#[test]
fn what_leaves_the_kill_box_is_counted_as_lost() {
    let mut s = with_step(scene(&[], contact(0.0, 0.0)), 10.0);
    s.limits.kill_box = Some(partsim::math::Aabb {
        min: Point3::new(-1.0, -1.0, -1.0),
        max: Point3::new(1.0, 9.0, 1.0),
    });
    let mut run = Run::new(&s, vec![]);
    run.add(Point3::new(0.0, 0.0, 0.0), Vec3::zeros(), 0.1);
    run.steps(20);
    assert_eq!(
        (run.state.tally.lost, run.state.particles.status[0]),
        (1, Status::Lost)
    );
}

#[test]
fn the_mode_of_1999_freezes_what_it_stops_and_a_ray_ignores_volume() {
    for (mode, y) in [
        (Collision::Karabassi, 0.0),
        (Collision::Ray, 0.0),
        (Collision::Exact, 0.25),
    ] {
        let m = floor(10.0);
        let mut s = with_step(scene(std::slice::from_ref(&m), contact(0.0, 0.5)), 4.0);
        s.collision = mode;
        let mut run = Run::new(&s, vec![m]);
        run.add(Point3::new(0.3, 1.0, 0.2), Vec3::new(0.0, -20.0, 0.0), 0.25);
        run.steps(8);
        let p = run.state.particles.position[0];
        assert!((p.y - y).abs() < 1e-8, "{mode:?}: {p}");
        assert!(run.state.particles.status[0].is_settled(), "{mode:?}");
    }
}
