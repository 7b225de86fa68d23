//! What moves again when its hold has gone, and that nothing else does. Lengths in radii.

mod support;

use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::scene::{Life, Lifetime, Scene};
use partsim::state::Particles;
use support::heaps::*;
use support::*;

/// A scene of frames in which everything has time: particles of material 1 end after a time [s].
fn mortal_scene(meshes: &[Mesh], repose_deg: Real, lifetime: Real) -> Scene {
    let mut scene = heap_scene(meshes, repose_deg, 0.0);
    scene.time.frame_rate = 1.0;
    let mut mortal = scene.materials[0].clone();
    mortal.name = "mortal".into();
    scene.materials.push(mortal);
    scene.lives = vec![
        Life::default(),
        Life {
            lifetime: Some(Lifetime {
                mean: lifetime,
                variation: 0.0,
            }),
            events: vec![],
        },
    ];
    scene
}

/// A bed in a tub at rest, those of some rows about to end in the next step.
fn bed_with_mortals(count: u64, window: Option<usize>, mortal: impl Fn(u64) -> bool) -> Run {
    let tub = tub(12.0, 60.0);
    let scene = mortal_scene(std::slice::from_ref(&tub), 38.0, 40.5);
    let mut run = match window {
        Some(size) => Run::with_window(&scene, vec![tub], size),
        None => Run::new(&scene, vec![tub]),
    };
    for i in 0..count {
        let at = |k: u64| 22.0 * noise(3 * i + k) - 11.0;
        run.add(
            Point3::new(at(0), 70.0 + 30.0 * noise(3 * i + 2), at(1)),
            Vec3::zeros(),
            1.0,
        );
        if mortal(i) {
            *run.state.particles.material.last_mut().unwrap() = 1;
        }
    }
    run.steps(40);
    assert_eq!(settled(&run.state.particles).len() as u64, count);
    assert_eq!(run.state.tally.moved_on, 0, "nothing has gone yet");
    run
}

/// Place and what else there is of each particle, by birth number.
fn by_id(p: &Particles) -> std::collections::BTreeMap<u64, (Point3, Vec3, partsim::state::Status)> {
    let row = |i: usize| (p.id[i], (p.position[i], p.normal[i], p.status[i]));
    (0..p.len()).map(row).collect()
}

/// Whether two balls of radius 1 touch.
fn touch(a: &Point3, b: &Point3) -> bool {
    (a - b).norm() < 2.0 * (1.0 + 1e-6)
}

/// Sine of the slope under a ball in a tub: the longest way down that leads into nothing it touches, of all that press
/// against one or along two of them, from all pairs.
fn slope_under(p: &Particles, i: usize, half: Real) -> Real {
    let c = p.position[i];
    let walls = [
        (c.y, Vec3::y()),
        (half - c.x, -Vec3::x()),
        (half + c.x, Vec3::x()),
        (half - c.z, -Vec3::z()),
        (half + c.z, Vec3::z()),
    ];
    let walls = walls.into_iter().filter(|w| w.0 < 1.0 + 1e-6).map(|w| w.1);
    let others = (0..p.len()).filter(|&k| k != i && touch(&c, &p.position[k]));
    let normals: Vec<Vec3> = walls
        .chain(others.map(|k| (c - p.position[k]).normalize()))
        .collect();
    let down = -Vec3::y();
    let mut ways = vec![down];
    for n in &normals {
        ways.push(down - n * down.dot(n));
        for m in &normals {
            let line = n.cross(m);
            if line.norm() > 1e-6 {
                ways.push(line * (down.dot(&line) / line.norm_squared()));
            }
        }
    }
    let open = |v: &&Vec3| normals.iter().all(|n| v.dot(n) > -1e-7);
    ways.iter().filter(open).map(Vec3::norm).fold(0.0, Real::max)
}

#[test]
fn a_column_comes_down_when_its_foot_goes_and_nothing_else_moves() {
    let ground = floor(100.0);
    // The steepest there is: four on top of each other stand.
    let scene = mortal_scene(std::slice::from_ref(&ground), 55.0, 30.5);
    let mut run = Run::new(&scene, vec![ground]);
    for tower in 0..3 {
        for i in 0..4 {
            let at = Point3::new(20.0 * Real::from(tower), 20.0 + 4.0 * Real::from(i), 0.0);
            run.add(at, Vec3::zeros(), 1.0);
        }
    }
    run.state.particles.material[4] = 1;
    run.steps(30);
    let before = by_id(&run.state.particles);
    assert!(before.values().all(|p| p.2.is_settled()), "{before:?}");
    assert!((before[&7].0.y - 7.0).abs() < 1e-6, "{before:?}");
    run.steps(10);
    let after = by_id(&run.state.particles);
    assert_eq!(run.state.tally.died, 1);
    for (id, was) in &before {
        match id {
            4 => assert!(!after.contains_key(id)),
            5..8 => {
                assert!(after[id].2.is_settled());
                assert!(
                    (was.0.y - after[id].0.y - 2.0).abs() < 1e-6,
                    "{id}: {:?}",
                    after[id]
                );
            }
            _ => assert_eq!(was, &after[id], "{id} moved though nothing of it went"),
        }
    }
    assert_eq!(run.state.tally.moved_on, 3, "{:?}", run.state.tally);
    assert!(deepest_overlap(&run.state.particles) < 1e-9);
}

#[test]
fn a_bed_gives_way_above_what_went_and_lies_on_elsewhere() {
    let mut run = bed_with_mortals(1500, None, |i| (100..120).contains(&i));
    let before = by_id(&run.state.particles);
    run.step();
    let p = &run.state.particles;
    assert_eq!((p.len(), run.state.tally.died), (1480, 20));
    assert!(p.status.iter().all(|s| s.is_settled()), "a second is enough");
    assert!(deepest_overlap(p) < 1e-9, "{}", deepest_overlap(p));
    let after = by_id(p);
    let moved: Vec<&u64> = after.keys().filter(|id| before[id] != after[id]).collect();
    // Each of them touched one that ended, or one that moved.
    let went: Vec<Point3> = before
        .iter()
        .filter(|(id, _)| !after.contains_key(id) || moved.contains(id))
        .map(|(_, was)| was.0)
        .collect();
    for id in &moved {
        let place = before[id].0;
        let others = went.iter().filter(|q| **q != place);
        assert!(
            others.into_iter().any(|q| touch(q, &place)),
            "{id} moved by itself"
        );
        assert!(after[id].0.y < place.y, "{id} moved up");
    }
    assert!((20..1300).contains(&moved.len()), "{} moved", moved.len());
    assert!(run.state.tally.moved_on >= moved.len() as u64);
    for i in 0..p.len() {
        let slope = slope_under(p, i, 12.0);
        assert!(slope < 1e-5, "{} hangs on a slope of {slope}", p.id[i]);
    }
    run.steps(3);
    assert_eq!(by_id(&run.state.particles), after, "it lies still again");
}

#[test]
fn what_gives_way_does_so_as_one_after_the_other_for_any_threads() {
    let fall = |window, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut run = bed_with_mortals(800, window, |i| i % 9 == 0 && i < 400);
            run.steps(2);
            run.state
        })
    };
    let expected = fall(Some(1), 1);
    assert!(expected.tally.moved_on > 100, "{:?}", expected.tally);
    for (window, threads) in [(Some(64), 1), (None, 1), (None, 2), (None, 5)] {
        assert!(
            fall(window, threads) == expected,
            "window {window:?}, {threads} threads"
        );
    }
}

#[test]
fn an_index_built_anew_in_every_step_gives_the_same() {
    let mut run = bed_with_mortals(600, None, |i| i % 7 == 0);
    let mut other = bed_with_mortals(600, None, |i| i % 7 == 0);
    for _ in 0..3 {
        run.step();
        other.forget();
        other.step();
        assert!(run.state == other.state);
    }
}
