//! Heaps: slopes, packing, gaps, ledges, and that neither threads nor windows can be seen in them. Lengths in radii.

#![allow(clippy::print_stdout, reason = "--nocapture shows what was measured")]

mod support;

use partsim::material::RadiusLaw;
use partsim::math::{Aabb, Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::scene::{Emitter, IfBlocked, Shape};
use partsim::state::Particles;
use support::heaps::*;
use support::*;

/// Slope [degrees] of a cone about the y axis: a line through the tops of its columns between 15 and 80 % of its height.
fn cone_angle(p: &Particles) -> Real {
    let mut tops = std::collections::BTreeMap::new();
    for i in settled(p) {
        let c = p.position[i];
        let column = ((c.x / 2.0).floor() as i64, (c.z / 2.0).floor() as i64);
        let top = tops.entry(column).or_insert(c);
        if c.y > top.y {
            *top = c;
        }
    }
    let highest = tops.values().map(|c| c.y).fold(0.0, Real::max);
    let points: Vec<[Real; 2]> = tops
        .values()
        .filter(|c| c.y > 0.15 * highest && c.y < 0.8 * highest)
        .map(|c| [c.x.hypot(c.z), c.y])
        .collect();
    let n = points.len() as Real;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<Real>() / n;
    let (x, y) = (mean(0), mean(1));
    let xy: Real = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let xx: Real = points.iter().map(|p| (p[0] - x) * (p[0] - x)).sum();
    (-xy / xx).atan().to_degrees()
}

fn pour(count: u64, repose_deg: Real, cohesion: Real, spread: Real) -> Run {
    let ground = floor(500.0);
    let mut run = Run::new(
        &heap_scene(std::slice::from_ref(&ground), repose_deg, cohesion),
        vec![ground],
    );
    for i in 0..count {
        let at = Point3::new(0.1 * noise(2 * i) - 0.05, 200.0, 0.1 * noise(2 * i + 1) - 0.05);
        run.add(at, Vec3::zeros(), 1.0 + spread * (2.0 * noise(i + 77) - 1.0));
    }
    run.step();
    run
}

fn check_cone(count: u64, repose_deg: Real, cohesion: Real, spread: Real) {
    let run = pour(count, repose_deg, cohesion, spread);
    let p = &run.state.particles;
    assert_eq!(settled(p).len() as u64, count, "{:?}", run.state.tally);
    assert_eq!(run.state.tally.roll_limit, 0);
    assert!(deepest_overlap(p) < 1e-9, "{}", deepest_overlap(p));
    let angle = cone_angle(p);
    println!("asked {repose_deg}, spread {spread}, cohesion {cohesion}: {angle:.2}");
    assert!(
        (angle - repose_deg).abs() < 2.0,
        "asked {repose_deg}, got {angle}"
    );
}

#[test]
fn a_poured_cone_has_its_angle_of_repose() {
    check_cone(20_000, 38.0, 0.0, 0.0);
}

#[test]
#[ignore = "a minute: cargo test --release --test pile -- --ignored"]
fn cones_of_all_angles_and_sizes() {
    for repose in [20.0, 30.0, 38.0, 45.0] {
        check_cone(20_000, repose, 0.0, 0.0);
        check_cone(20_000, repose, 0.0, 0.3);
    }
}

#[test]
fn cohesion_does_not_change_the_angle_of_repose() {
    check_cone(20_000, 38.0, 8.0, 0.0);
}

fn fill_tub(count: u64, window: Option<usize>) -> Run {
    let tub = tub(20.0, 80.0);
    let scene = heap_scene(std::slice::from_ref(&tub), 38.0, 0.0);
    let mut run = match window {
        Some(size) => Run::with_window(&scene, vec![tub], size),
        None => Run::new(&scene, vec![tub]),
    };
    for i in 0..count {
        let at = |k: u64| 38.0 * noise(3 * i + k) - 19.0;
        run.add(
            Point3::new(at(0), 90.0 + 40.0 * noise(3 * i + 2), at(1)),
            Vec3::zeros(),
            1.0,
        );
    }
    run.step();
    run
}

#[test]
fn t26_ten_thousand_in_a_cup_pack_like_spheres_and_none_escapes() {
    let run = fill_tub(10_000, None);
    let p = &run.state.particles;
    assert_eq!(
        (settled(p).len(), run.state.tally.lost),
        (10_000, 0),
        "{:?}",
        run.state.tally
    );
    assert_eq!((run.state.tally.escapes, run.state.tally.roll_limit), (0, 0));
    for c in &p.position {
        assert!(
            c.x.abs() < 19.0 + 1e-9 && c.z.abs() < 19.0 + 1e-9 && c.y > 1.0 - 1e-9,
            "{c}"
        );
    }
    assert!(deepest_overlap(p) < 1e-9);
    // A block in the middle, by the shares of balls in thin slices across it.
    let (half, low, high) = (10.0, 6.0, 18.0);
    let inside = |q: &Point3| q.x.abs() < half && q.z.abs() < half && q.y > low && q.y < high;
    let (mut full, mut all) = (0, 0);
    for n in 0..60_000 {
        let at = |k: u64| noise(5 * n + k + 999);
        let q = Point3::new(
            half * (2.0 * at(0) - 1.0),
            low + (high - low) * at(1),
            half * (2.0 * at(2) - 1.0),
        );
        all += 1;
        full += i32::from(p.position.iter().any(|c| (c - q).norm_squared() < 1.0));
    }
    let fraction = Real::from(full) / Real::from(all);
    let contacts: Vec<usize> = (0..p.len())
        .filter(|&i| inside(&p.position[i]))
        .map(|i| {
            let touches = |c: &&Point3| (*c - p.position[i]).norm_squared() < 4.0 * (1.0 + 1e-6);
            p.position.iter().filter(touches).count() - 1
        })
        .collect();
    let mean = contacts.iter().sum::<usize>() as Real / contacts.len() as Real;
    println!("volume fraction {fraction:.4}, contacts {mean:.3}");
    assert!((0.57..0.60).contains(&fraction), "{fraction}");
    assert!((5.9..6.1).contains(&mean), "{mean}");
}

#[test]
fn windows_and_threads_leave_no_trace() {
    let expected = fill_tub(3_000, Some(1)).state;
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        for window in [Some(16), Some(256), None] {
            let state = pool.install(|| fill_tub(3_000, window)).state;
            assert!(state == expected, "window {window:?}, {threads} threads");
        }
    }
}

#[test]
fn what_has_settled_stays_byte_for_byte_while_more_falls() {
    let tub = tub(10.0, 60.0);
    let mut scene = heap_scene(std::slice::from_ref(&tub), 38.0, 0.0);
    scene.time.frame_rate = 10.0;
    let mut run = Run::new(&scene, vec![tub]);
    let mut seen = std::collections::BTreeMap::new();
    for step in 0..60 {
        for i in 0..40 {
            let n = 40 * step + i;
            let at = |k: u64| 18.0 * noise(2 * n + k) - 9.0;
            run.add(Point3::new(at(0), 65.0, at(1)), Vec3::new(0.3, -30.0, 0.1), 1.0);
        }
        run.step();
        let p = &run.state.particles;
        for i in settled(p) {
            let bits = p.position[i].coords.map(Real::to_bits);
            assert_eq!(*seen.entry(p.id[i]).or_insert(bits), bits, "step {step}");
        }
        assert!(deepest_overlap(p) < 1e-9, "step {step}: {}", deepest_overlap(p));
    }
    assert!(seen.len() > 1500, "{:?}", run.state.tally);
}

/// Two horizontal plates with a gap along z between them.
fn plates(gap: Real) -> Mesh {
    let (near, far) = (0.5 * gap, 60.0);
    let quad = |a: Real, b: Real| [(a, -60.0), (b, -60.0), (b, 60.0), (a, 60.0)];
    let corners = quad(near, far).into_iter().chain(quad(-far, -near));
    mesh(
        corners.map(|(x, z)| Point3::new(x, 0.0, z)).collect(),
        vec![[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]],
    )
}

fn pour_over_gap(gap: Real) -> Run {
    let plates = plates(gap);
    let mut run = Run::new(
        &heap_scene(std::slice::from_ref(&plates), 38.0, 0.0),
        vec![plates],
    );
    for i in 0..200 {
        let at = Point3::new(2.0 * noise(2 * i) - 1.0, 50.0, 20.0 * noise(2 * i + 1));
        run.add(at, Vec3::zeros(), 1.0);
    }
    run.step();
    run
}

#[test]
fn a_gap_smaller_than_a_particle_lets_none_through() {
    let run = pour_over_gap(1.8);
    assert_eq!((run.state.tally.lost, run.state.tally.escapes), (0, 0));
    assert!(
        pour_over_gap(8.0).state.tally.lost > 100,
        "a wide gap must let them pass"
    );
}

/// How many of so many stay on a plate 80 long that is tilted by an angle [degrees] and has a friction angle of 35.
fn on_roof(degrees: Real, count: u64) -> usize {
    let a = degrees.to_radians();
    let mut roof = floor(40.0);
    for v in &mut roof.vertices {
        *v = Point3::new(v.x * libm::cos(a), -v.x * libm::sin(a), v.z);
    }
    let mut scene = heap_scene(std::slice::from_ref(&roof), 38.0, 0.0);
    scene.materials[0].contact.friction = libm::tan(35f64.to_radians());
    let mut run = Run::new(&scene, vec![roof]);
    for i in 0..count {
        let at = |k: u64| 60.0 * noise(2 * i + k) - 30.0;
        let high = 60.0 + 0.01 * i as Real;
        run.add(Point3::new(at(0) * libm::cos(a), high, at(1)), Vec3::zeros(), 1.0);
    }
    run.steps(3);
    settled(&run.state.particles).len()
}

#[test]
fn a_roof_holds_below_its_friction_angle_and_not_above() {
    let (below, above) = (on_roof(34.5, 200), on_roof(35.5, 200));
    assert_eq!((below, above), (200, 0));
    // A layer that covers all of the plate: what comes first carries what comes later, or slides off with it.
    let (below, above) = (on_roof(34.0, 1500), on_roof(36.0, 1500));
    println!("of a layer of 1500 stay {below} at 34 degrees, {above} at 36");
    assert!(below > 1450 && above == 0, "{below} {above}");
}

#[test]
fn t30_births_in_a_growing_heap_are_refused_moved_out_or_wait() {
    for policy in [IfBlocked::Reject, IfBlocked::PushOut, IfBlocked::Delay] {
        let ground = floor(100.0);
        let mut s = heap_scene(std::slice::from_ref(&ground), 30.0, 0.0);
        s.time.frame_rate = 10.0;
        s.materials[0].radius = RadiusLaw::Constant(1.0);
        s.emitters.push(Emitter {
            name: "nozzle".into(),
            material: 0,
            shape: Shape::Box {
                bounds: Aabb {
                    min: Point3::new(-0.5, 5.0, -0.5),
                    max: Point3::new(0.5, 6.0, 0.5),
                },
            },
            count: 0,
            bursts: None,
            rate: 20.0.into(),
            start: 0.0,
            stop: 15.0,
            velocity: Vec3::zeros(),
            spread_deg: 0.0,
            speed_variation: 0.0,
            motion: Vec3::zeros(),
            path: None,
            inherit_velocity: 0.0,
            apart: true,
            if_blocked: policy,
        });
        let mut run = Run::new(&s, vec![ground]);
        for _ in 0..200 {
            run.step();
            let p = &run.state.particles;
            assert!(deepest_overlap(p) < 1e-9, "{policy:?}: {}", deepest_overlap(p));
            let fastest = p.velocity.iter().map(|v| v.norm()).fold(0.0, Real::max);
            // From as high as any is born: four, and where the heap pushes it to.
            assert!(fastest < libm::sqrt(2.0 * 9.81 * 20.0), "{policy:?}: {fastest}");
        }
        let t = run.state.tally;
        println!("{policy:?}: {t:?}");
        assert_eq!(
            t.wanted,
            t.born + t.blocked + t.crowded + t.waited_out,
            "{policy:?}"
        );
        assert_eq!(settled(&run.state.particles).len() as u64, t.born - t.lost);
        assert!(t.born > 20 && t.lost == t.buried, "{policy:?}: {t:?}");
        match policy {
            IfBlocked::Reject => assert!(t.blocked > 20),
            IfBlocked::PushOut => assert!(t.pushed_out > 20),
            IfBlocked::Delay => assert!(t.waited_out > 0 || t.born == 300),
        }
    }
}
