//! Grids round meshes that move: what particles do there, as trajectories.

mod support;

use partsim::math::{Point3, Real, Vec3};
use partsim::scene::{Motion, Responses};
use support::Run;
use support::bodies::{self, Draws, Triangles};
use support::fields::{RADIUS, STEP, flow, grid, impact, world_of};
use support::moving::{keys, pose, spin};

const SPEED: Real = 3.0;
const STEPS: usize = 150;

/// Along x with [`SPEED`], as long as a test takes.
fn along_x() -> Motion {
    let end = 2.0 * STEPS as Real * STEP;
    let rest = (0.0, Vec3::zeros());
    keys(&[rest, (end, Vec3::x() * SPEED * end)], &[rest])
}

/// A sphere of 0.5 m with a field of 0.2 m, and 200 particles before it with this velocity.
fn sphere_and_cloud(responses: Responses, motion: Option<Motion>, velocity: Vec3) -> Run {
    let mut run = world_of(
        &bodies::sphere(0.5, 3_000),
        grid(Some(0.2), responses),
        0.0,
        motion,
    );
    let mut draws = Draws(11);
    for _ in 0..200 {
        let p = draws.within(&Point3::new(0.9, -0.45, -0.45), &Point3::new(1.4, 0.45, 0.45));
        run.add(p, velocity, RADIUS);
    }
    run
}

#[test]
fn what_a_field_comes_upon_is_driven_away_before_it_is_touched() {
    let mut run = world_of(
        &bodies::sphere(0.5, 3_000),
        grid(Some(0.2), impact(0.5)),
        0.0,
        Some(along_x()),
    );
    run.add(Point3::new(1.0, 0.0, 0.0), Vec3::zeros(), RADIUS);
    run.steps(STEPS);
    // At rest before what comes with 3 m/s, with restitution 0.5: off with 4.5 m/s.
    let v = run.state.particles.velocity[0];
    assert!((v - Vec3::new(1.5 * SPEED, 0.0, 0.0)).norm() < 0.15, "{v:?}");
    assert_eq!(run.state.tally.contacts, 0);
}

/// Nothing but velocities relative to the object counts.
#[test]
fn a_field_that_comes_does_what_one_that_waits_does() {
    for responses in [impact(0.3), flow(12.0, 3.0)] {
        let mut waits = sphere_and_cloud(responses, None, Vec3::new(-SPEED, 0.0, 0.0));
        let mut comes = sphere_and_cloud(responses, Some(along_x()), Vec3::zeros());
        let mut turned = 0;
        for step in 1..=STEPS {
            waits.step();
            comes.step();
            let way = Vec3::x() * (SPEED * step as Real * STEP);
            let (a, b) = (&waits.state.particles, &comes.state.particles);
            for row in 0..a.len() {
                let off = (a.position[row] + way - b.position[row]).norm();
                assert!(off < 1e-6, "step {step}, row {row}: {off} m apart");
            }
        }
        for v in &waits.state.particles.velocity {
            turned += usize::from((v + Vec3::x() * SPEED).norm() > 0.1 * SPEED);
        }
        assert!(turned > 100, "{turned} of 200 met the field");
    }
}

/// The surface of what turns has the speed of the turn and the arm.
#[test]
fn a_blade_that_turns_strikes_with_the_speed_of_its_place() {
    let blade = bodies::block(Vec3::new(1.0, 0.1, 0.2), Point3::origin());
    let (degrees, arm) = (90.0, 0.7);
    let omega: Real = degrees * std::f64::consts::PI / 180.0;
    let mut run = world_of(
        &blade,
        grid(Some(0.15), impact(0.5)),
        0.0,
        Some(spin(Vec3::z(), degrees)),
    );
    // Above the blade's upper face, which reaches it when it has turned a little.
    run.add(Point3::new(arm, 0.6, 0.0), Vec3::zeros(), RADIUS);
    run.steps(STEPS);
    let v = run.state.particles.velocity[0];
    let reach = Vec3::new(arm, 0.6, 0.0).norm();
    let struck = 1.5 * omega * reach;
    assert!((v.norm() / struck - 1.0).abs() < 0.1, "{v:?}, not {struck} m/s");
    assert!(v.y > 0.0 && v.x < 0.0, "{v:?}");
}

#[test]
fn nothing_gets_into_a_body_that_tumbles_through_a_cloud() {
    let half = Vec3::new(0.5, 0.25, 0.1);
    let block: Triangles = bodies::block(half, Point3::origin());
    let turns = [(0.0, Vec3::zeros()), (10.0, Vec3::new(5000.0, 2300.0, 900.0))];
    let ways = [(0.0, Vec3::zeros()), (10.0, Vec3::new(20.0, 4.0, 0.0))];
    for responses in [impact(0.2), flow(40.0, 10.0), Responses::default()] {
        let motion = keys(&ways, &turns);
        let mut run = world_of(&block, grid(Some(0.1), responses), 0.0, Some(motion));
        let mut draws = Draws(5);
        while run.state.particles.len() < 400 {
            let p = draws.within(&Point3::new(-0.5, -0.8, -0.8), &Point3::new(2.5, 1.2, 0.8));
            if (0..3).any(|a| p[a].abs() > half[a] + 0.02) {
                run.add(p, draws.direction() * 2.0, RADIUS);
            }
        }
        for step in 1..=STEPS {
            run.step();
            let pose = pose(&run, 0, step as Real * STEP);
            for (row, p) in run.state.particles.position.iter().enumerate() {
                let at = pose.to_body(p);
                assert!(
                    (0..3).any(|a| at[a].abs() > half[a]),
                    "step {step}, row {row} is inside at {at}"
                );
            }
        }
        assert_eq!((run.state.tally.escapes, run.state.tally.lost), (0, 0));
    }
}
