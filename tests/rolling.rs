//! Rolling takes the time that it takes, and whoever rolls is in nobody's way. Lengths in radii.

mod support;

use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::state::Status;
use support::heaps::*;
use support::*;

const FRAMES: Real = 24.0;

/// A plane that falls by an angle [degrees] along x.
fn ramp(degrees: Real) -> Mesh {
    let a = degrees.to_radians();
    let mut ramp = floor(200.0);
    for v in &mut ramp.vertices {
        *v = Point3::new(v.x * libm::cos(a), -v.x * libm::sin(a), v.z);
    }
    ramp
}

/// A run at 24 steps a second, on something with little friction.
fn in_time(ground: Mesh, repose_deg: Real) -> Run {
    let mut scene = heap_scene(std::slice::from_ref(&ground), repose_deg, 0.0);
    scene.time.frame_rate = FRAMES;
    scene.materials[0].contact.friction = 0.05;
    Run::new(&scene, vec![ground])
}

#[test]
fn a_ball_rolls_down_a_ramp_as_five_sevenths_of_gravity_take_it() {
    let mut run = in_time(ramp(30.0), 38.0);
    let start = Point3::new(-100.0, 100.0 / libm::sqrt(3.0) + 1.5, 0.0);
    run.add(start, Vec3::zeros(), 1.0);
    let mut landed = None;
    for step in 1..=48 {
        run.step();
        let p = &run.state.particles;
        if p.status[0] == Status::Rolling {
            let speed = p.velocity[0].norm();
            let (from, began, first) = *landed.get_or_insert((p.position[0], step, speed));
            let time = Real::from(step - began) / FRAMES;
            let way = (p.position[0] - from).norm();
            let pull = 5.0 / 7.0 * 9.81 * 0.5;
            let law = first * time + 0.5 * pull * time * time;
            // A step ends with a whole piece, a quarter of a radius long.
            let over = 0.26 * Real::from(step - began);
            assert!(
                way > law - 0.26 && way < law + over + 1e-6,
                "step {step}: {way} against {law}"
            );
            let gained = (first * first + 2.0 * pull * way).sqrt();
            assert!(
                (speed - gained).abs() < 0.01,
                "step {step}: {speed} against {gained}"
            );
            // The first eight radii take no time, but bring their speed.
            assert!(first > libm::sqrt(2.0 * pull * 8.0), "{first}");
        }
    }
    assert!(landed.is_some_and(|l| l.1 < 30), "{landed:?}");
    assert_eq!(
        run.state.particles.status[0],
        Status::Rolling,
        "the ramp is longer"
    );
}

/// A groove with this opening [degrees] that falls by 30 degrees along x, each side in two triangles a hair out of plane.
fn groove(opening: Real) -> Mesh {
    let (half, fall) = ((0.5 * opening).to_radians(), 30f64.to_radians());
    let (long, wide) = (150.0, 60.0);
    let turned = |x: Real, y: Real, z: Real| {
        Point3::new(
            x * libm::cos(fall) + y * libm::sin(fall),
            y * libm::cos(fall) - x * libm::sin(fall),
            z,
        )
    };
    let (up, out) = (wide * libm::cos(half), wide * libm::sin(half));
    let corners = [
        turned(-long, 0.0, 0.0),
        turned(long, 0.0, 0.0),
        turned(-long, up, out),
        turned(long, up + 1e-8, out),
        turned(-long, up, -out),
        turned(long, up, -out),
    ];
    mesh(corners.to_vec(), vec![[0, 1, 3], [0, 3, 2], [0, 5, 1], [0, 4, 5]])
}

#[test]
fn a_ball_rolls_down_a_groove_however_narrow() {
    for opening in [5.0, 10.0, 20.0, 40.0, 50.0, 60.0, 90.0, 140.0] {
        let mut run = in_time(groove(opening), 38.0);
        let deep = 1.0 / libm::sin((0.5 * opening).to_radians());
        let high = deep / libm::cos(30f64.to_radians());
        for n in 0..5 {
            let x = -60.0 + 7.3 * Real::from(n);
            let over = Point3::new(x, -x * libm::tan(30f64.to_radians()) + high + 0.5, 0.0);
            run.add(over, Vec3::zeros(), 1.0);
        }
        run.steps(2 * FRAMES as usize);
        let p = &run.state.particles;
        assert_eq!(run.state.tally.roll_limit, 0, "{opening} degrees");
        for n in 0..5 {
            let x = -60.0 + 7.3 * n as Real;
            assert!(
                p.position[n].x > x + 4.0,
                "{opening} degrees: {:?} at {}",
                p.status[n],
                p.position[n]
            );
        }
    }
}

#[test]
fn what_presses_it_against_a_wall_does_not_hold_a_ball_up() {
    let corners = [(0.0, -200.0), (200.0, -200.0), (200.0, 200.0), (0.0, 200.0)];
    let wall = mesh(
        corners.map(|(y, z)| Point3::new(0.0, y, z)).to_vec(),
        vec![[0, 1, 2], [0, 2, 3]],
    );
    let meshes = [floor(200.0), wall];
    let mut scene = heap_scene(&meshes, 38.0, 0.0);
    scene.time.frame_rate = FRAMES;
    let acceleration = Vec3::new(30.0, 0.0, 0.0).into();
    scene.forces = vec![partsim::scene::ForceKind::Acceleration { acceleration }.into()];
    let mut run = Run::new(&scene, meshes.to_vec());
    run.add(Point3::new(-1.5, 100.0, 0.0), Vec3::zeros(), 1.0);
    run.steps(10 * FRAMES as usize);
    let p = &run.state.particles;
    assert!(p.status[0].is_settled(), "{:?} at {}", p.status[0], p.position[0]);
    assert!((p.position[0].y - 1.0).abs() < 1e-6, "{}", p.position[0]);
}

/// A heap poured over two seconds.
fn pour(window: Option<usize>, mut each: impl FnMut(&mut Run)) -> Run {
    let ground = floor(200.0);
    let mut scene = heap_scene(std::slice::from_ref(&ground), 30.0, 0.0);
    scene.time.frame_rate = FRAMES;
    let mut run = match window {
        Some(size) => Run::with_window(&scene, vec![ground], size),
        None => Run::new(&scene, vec![ground]),
    };
    for step in 0..400 {
        if step < 50 {
            for i in 0..8 {
                let at = |k: u64| 2.0 * noise(16 * step + 2 * i + k) - 1.0;
                run.add(
                    Point3::new(at(0), 40.0 + 3.0 * i as Real, at(1)),
                    Vec3::new(0.0, -20.0, 0.0),
                    1.0,
                );
                *run.state.particles.born.last_mut().unwrap() = step as Real / FRAMES;
            }
        }
        run.step();
        each(&mut run);
    }
    run
}

#[test]
fn nobody_who_rolls_jumps_or_lies_in_another() {
    let mut last: std::collections::BTreeMap<u64, Point3> = std::collections::BTreeMap::new();
    let (mut rolled, mut farthest): (usize, Real) = (0, 0.0);
    let run = pour(None, |run| {
        let p = &run.state.particles;
        assert!(deepest_overlap(p) < 1e-9, "{}", deepest_overlap(p));
        let rows = (0..p.len()).filter(|&i| p.status[i] != Status::Airborne);
        let now: std::collections::BTreeMap<u64, Point3> = rows.map(|i| (p.id[i], p.position[i])).collect();
        for (id, place) in &now {
            if let Some(was) = last.get(id) {
                farthest = farthest.max((place - was).norm());
            }
        }
        last = now;
        rolled += p.status.iter().filter(|s| **s == Status::Rolling).count();
    });
    let t = &run.state.tally;
    assert_eq!(
        (settled(&run.state.particles).len(), t.moved_on, t.lost),
        (400, 0, 0),
        "{t:?}"
    );
    assert!(rolled > 200, "{rolled} seen rolling");
    // A move to a lower place is eight radii wide, and falls and rolls of eight take no time.
    assert!(farthest < 16.0 + 20.0 / FRAMES, "{farthest} in a frame");
}

#[test]
fn neither_window_nor_threads_nor_a_new_start_are_seen_in_rolling() {
    let expected = pour(Some(1), |_| ()).state;
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let state = pool.install(|| pour(None, |_| ())).state;
        assert!(state == expected, "{threads} threads");
    }
    assert!(pour(None, Run::forget).state == expected, "an index built anew");
}

#[test]
fn what_lies_on_one_that_rolls_waits_and_settles_when_it_has_gone() {
    let mut run = in_time(ramp(30.0), 38.0);
    let start = Point3::new(-100.0, 100.0 / libm::sqrt(3.0) + 1.5, 0.0);
    run.add(start, Vec3::zeros(), 1.0);
    while run.state.particles.status[0] != Status::Rolling {
        run.step();
    }
    // Straight above it, so that it lands on it before that has rolled on.
    let on = run.state.particles.position[0] + Vec3::y() * 2.1;
    run.add(on, Vec3::new(0.0, -30.0, 0.0), 1.0);
    for _ in 0..30 {
        run.step();
        let p = &run.state.particles;
        assert!(deepest_overlap(p) < 1e-9);
        assert!(!p.status[1].is_settled(), "nothing holds it on a ramp");
    }
    assert_eq!(run.state.tally.moved_on, 0);
}
