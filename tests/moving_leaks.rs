//! No leaks among meshes that move: plates that close, a fan, a box that tumbles and a bag that changes its shape.
//!
//! Sides are told from places alone, by nothing that a run uses.

mod support;

use partsim::collide::Collider;
use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::scene::Motion;
use support::moving::{fan, keys, moving, pose, spin};
use support::*;

// Ten million particle-steps in all, more of them where they are cheap.

#[test]
fn nothing_leaks_through_plates_that_close() {
    plates(6_100_000);
}

#[test]
fn nothing_leaks_through_a_spinning_fan() {
    spinning_fan(1_500_000);
}

#[test]
fn nothing_leaks_out_of_a_tumbling_box() {
    tumbling_box(500_000);
}

/// A thousand steps.
#[test]
fn nothing_leaks_out_of_a_bag_that_changes_its_shape() {
    changing_bag(2_000_000);
}

/// Two plates that close at 100 m/s in all, and part again, over and over, with particles of 100 m/s between.
fn plates(particle_steps: usize) {
    const SMALL: Real = 0.01;
    let (count, apart) = (2000, 12.0);
    let mut upper = floor(1e4);
    upper.vertices.iter_mut().for_each(|v| v.y = apart);
    let way = |sign: Real| {
        let pause = (0.5 * apart - 0.1) / 50.0;
        let stops: Vec<(Real, Vec3)> = (0..4000)
            .map(|i| {
                (
                    f64::from(i) * pause,
                    Vec3::new(0.0, if i % 2 == 1 { sign * 50.0 * pause } else { 0.0 }, 0.0),
                )
            })
            .collect();
        keys(&stops, &[])
    };
    let meshes = [floor(1e4), upper];
    let mut scene = moving(&meshes, &[Some(way(1.0)), Some(way(-1.0))], 1.0, 0.0);
    scene.gravity = Vec3::zeros();
    scene.limits.contacts_per_step = 10_000;
    let mut run = Run::new(&scene, meshes.to_vec());
    for i in 0..count {
        let angle = f64::from(i) * 2.4;
        let velocity =
            Vec3::new(libm::cos(angle), libm::sin(1.7 * angle), libm::sin(angle)).normalize() * 100.0;
        let y = 1.0 + 10.0 * f64::from(i) / f64::from(count);
        run.add(Point3::new(0.01 * f64::from(i), y, 0.0), velocity, SMALL);
    }
    let steps = (particle_steps / count as usize).max(10);
    for step in 1..=steps {
        run.step();
        let time = step as Real * run.world.step;
        let (low, high) = (run_height(&run, 0, time), run_height(&run, 1, time) + apart);
        for (row, p) in run.state.particles.position.iter().enumerate() {
            assert!(
                p.y > low && p.y < high,
                "step {step}, row {row}: {} is not in {low} .. {high}",
                p.y
            );
        }
        // Bounces heat them up: what is too fast for the table of touches is slowed down.
        for v in &mut run.state.particles.velocity {
            *v *= 100.0 / v.norm();
        }
    }
    assert_eq!((run.state.tally.escapes, run.state.tally.lost), (0, 0));
}

fn run_height(run: &Run, mover: u32, time: Real) -> Real {
    pose(run, mover, time).to_world(&Point3::origin()).y
}

/// A closed round room, seen from inside.
fn drum(sides: u32, radius: Real, half: Real) -> Mesh {
    let mut vertices = vec![Point3::new(0.0, -half, 0.0), Point3::new(0.0, half, 0.0)];
    let mut triangles = vec![];
    for i in 0..sides {
        let angle = std::f64::consts::TAU * (f64::from(i) + 0.3) / f64::from(sides);
        let (x, z) = (radius * libm::cos(angle), radius * libm::sin(angle));
        vertices.extend([Point3::new(x, -half, z), Point3::new(x, half, z)]);
        let at = |i: u32, k: u32| 2 + 2 * (i % sides) + k;
        let (a, b) = (i, i + 1);
        triangles.extend([
            [at(a, 0), at(b, 0), at(b, 1)],
            [at(a, 0), at(b, 1), at(a, 1)],
            [0, at(b, 0), at(a, 0)],
            [1, at(a, 1), at(b, 1)],
        ]);
    }
    mesh(vertices, triangles)
}

/// A fan of thin blades that reach beyond the walls of a round room: no particle ever comes from one sector to another.
fn spinning_fan(particle_steps: usize) {
    let (blades, half) = (5, 0.5);
    let meshes = [drum(24, 1.2, half), fan(blades, 3.0, 1.0)];
    let mut scene = moving(&meshes, &[None, Some(spin(Vec3::y(), 1500.0))], 0.7, 0.2);
    scene.gravity = Vec3::new(0.0, -2.0, 0.0);
    let mut run = Run::new(&scene, meshes.to_vec());
    for i in 0..1000 {
        let f = f64::from(i);
        let at = Point3::new(
            1.1 * libm::sin(f),
            0.48 * libm::sin(1.3 * f),
            1.1 * libm::sin(2.1 * f),
        );
        if run.world.at(0.0).deepest_overlap(&at, 0.011).is_none() && at.x.hypot(at.z) < 1.1 {
            run.add(at, Vec3::new(libm::cos(f), libm::cos(3.0 * f), 0.1) * 5.0, 0.01);
        }
    }
    let sector = |run: &Run, row: usize, time: Real| {
        let at = pose(run, 0, time).to_body(&run.state.particles.position[row]);
        let angle = libm::atan2(at.z, at.x).rem_euclid(std::f64::consts::TAU);
        (angle * f64::from(blades) / std::f64::consts::TAU) as u32
    };
    let count = run.state.particles.len();
    let before: Vec<u32> = (0..count).map(|row| sector(&run, row, 0.0)).collect();
    for step in 1..=(particle_steps / count).max(10) {
        run.step();
        let time = step as Real * run.world.step;
        for (row, p) in run.state.particles.position.iter().enumerate() {
            assert!(
                p.y.abs() < half && p.x.hypot(p.z) < 1.2,
                "step {step}, row {row} is out of the room: {p}"
            );
            assert_eq!(
                sector(&run, row, time),
                before[row],
                "step {step}, row {row} is in another sector at {p}"
            );
        }
    }
    assert_eq!((run.state.tally.escapes, run.state.tally.lost), (0, 0));
    assert!(run.state.tally.contacts > count as u64);
}

/// A closed box that tumbles with particles in it.
fn tumbling_box(particle_steps: usize) {
    let bag = inward(closed_box(Vec3::new(1.0, 0.6, 0.8)));
    let tumble = keys(
        &[
            (0.0, Vec3::zeros()),
            (1.0, Vec3::new(5.0, -3.0, 1.0)),
            (1.5, Vec3::zeros()),
            (1000.0, Vec3::zeros()),
        ],
        &[
            (0.0, Vec3::zeros()),
            (1000.0, Vec3::new(400_000.0, 170_000.0, 70_000.0)),
        ],
    );
    let mut scene = moving(std::slice::from_ref(&bag), &[Some(tumble)], 0.5, 0.4);
    scene.pile = false;
    let mut run = Run::new(&scene, vec![bag]);
    for i in 0..500 {
        let f = f64::from(i);
        run.add(
            Point3::new(
                0.9 * libm::sin(f),
                0.5 * libm::sin(1.3 * f),
                0.7 * libm::sin(2.1 * f),
            ),
            Vec3::zeros(),
            0.01,
        );
    }
    let count = run.state.particles.len();
    for step in 1..=(particle_steps / count).max(10) {
        run.step();
        let pose = pose(&run, 0, step as Real * run.world.step);
        for (row, p) in run.state.particles.position.iter().enumerate() {
            let at = pose.to_body(p);
            assert!(
                at.x.abs() < 1.0 && at.y.abs() < 0.6 && at.z.abs() < 0.8,
                "step {step}, row {row}: {at}"
            );
        }
    }
    assert_eq!((run.state.tally.escapes, run.state.tally.lost), (0, 0));
}

/// Writes a closed bag as an OBJ file: a cube of squares blown up to a ball whose shape changes with the time.
fn bag(path: &std::path::Path, time: Real) {
    let ball = bodies::ball(6, |d| {
        1.0 + 0.3 * libm::sin(3.0 * time + 2.0 * d.x) * d.y + 0.15 * libm::cos(5.0 * time + 3.0 * d.z)
    });
    let shift = Vec3::new(0.4 * libm::sin(2.0 * time), 0.3 * libm::sin(3.1 * time), 0.0);
    let mut text = String::new();
    for p in ball.iter().flatten() {
        let p = p + shift;
        text += &format!("v {} {} {}\n", p.x, p.y, p.z);
    }
    for t in 0..ball.len() {
        text += &format!("f {} {} {}\n", 3 * t + 1, 3 * t + 3, 3 * t + 2);
    }
    fs_err::write(path, text).expect("a temporary file");
}

/// A closed bag that changes its shape, for a thousand steps: what is in it stays in it.
fn changing_bag(particle_steps: usize) {
    const SHAPES: usize = 40;
    let dir = tempfile::tempdir().expect("a folder");
    let files: Vec<_> = (0..SHAPES)
        .map(|i| dir.path().join(format!("bag_{i:03}.obj")))
        .collect();
    let period = std::f64::consts::TAU;
    for (i, file) in files.iter().enumerate() {
        bag(file, period * i as Real / SHAPES as Real);
    }
    let first = partsim::mesh::load_mesh(&files[0]).expect("a bag");
    let motion = Motion::Sequence {
        files,
        frame_rate: 12.0,
        start: 0.0,
        repeat: true,
    };
    let mut scene = moving(std::slice::from_ref(&first), &[Some(motion)], 0.4, 0.3);
    scene.gravity = Vec3::new(0.0, -3.0, 0.0);
    let mut run = Run::new(&scene, vec![first.clone()]);
    for i in 0..2000 {
        let f = f64::from(i);
        run.add(
            Point3::new(
                0.4 * libm::sin(f),
                0.4 * libm::sin(1.3 * f),
                0.4 * libm::sin(2.1 * f),
            ),
            Vec3::zeros(),
            0.02,
        );
    }
    let count = run.state.particles.len();
    let steps = (particle_steps / count).max(10);
    let Some(Some(partsim::motion::Moved::Corners(morph))) = run.world.moved.first().cloned() else {
        panic!("it changes its shape");
    };
    for step in 1..=steps {
        run.step();
        // What is out stays out: to look at every fifth step is enough.
        if step % 5 != 0 {
            continue;
        }
        let corners = morph.at(step as Real * run.world.step);
        for (row, p) in run.state.particles.position.iter().enumerate() {
            assert!(
                is_inside(p, &corners, &first.triangles),
                "step {step}, row {row} is out of the bag at {p}"
            );
        }
    }
    assert_eq!((run.state.tally.escapes, run.state.tally.lost), (0, 0));
    assert!(run.state.tally.contacts > count as u64);
}

/// By the solid angle of all triangles (Van Oosterom & Strackee 1983): one full turn inside, none outside.
fn is_inside(p: &Point3, corners: &[Point3], triangles: &[[u32; 3]]) -> bool {
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| corners[i as usize] - p);
        let (x, y, z) = (a.norm(), b.norm(), c.norm());
        let below = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
        2.0 * libm::atan2(a.dot(&b.cross(&c)), below)
    };
    let sum: Real = triangles.iter().map(angle).sum();
    sum.abs() > std::f64::consts::TAU
}

fn inward(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    mesh
}
