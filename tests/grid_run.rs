//! Particles near grids: the figures of Ilmonen, Takala & Laitinen 2006 as trajectories.

#![allow(clippy::print_stderr, reason = "what was measured, for `--nocapture`")]

mod support;

use partsim::math::{Point3, Real, Vec3};
use partsim::scene::*;
use support::bodies::{self, Draws};
use support::fields::{RADIUS, STEP, flow, grid, impact, mesh_of, world};
use support::{Run, contact, scene};

fn mean(values: impl IntoIterator<Item = Real>) -> Real {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
    sum / count
}

/// What a stream on the top of a sphere of 0.5 m does: largest height of a particle after it has turned, speed and angle
/// from the top where it leaves the field for good, as means.
fn on_a_sphere(responses: Responses) -> [Real; 3] {
    let mut run = world(&bodies::sphere(0.5, 12_000), grid(None, responses), 9.81);
    let thickness = run.world.collider.fields()[0].thickness();
    let mut draws = Draws(5);
    for _ in 0..60 {
        let [x, z] = [0, 1].map(|_| 0.12 * draws.unit() - 0.06);
        run.add(Point3::new(x, 0.75, z), Vec3::new(0.0, -2.0, 0.0), RADIUS);
    }
    let n = run.state.particles.len();
    let (mut turned, mut height) = (vec![false; n], vec![0.0_f64; n]);
    let mut left: Vec<Option<[Real; 2]>> = vec![None; n];
    for _ in 0..300 {
        run.step();
        for i in 0..n {
            let (p, v) = (run.state.particles.position[i], run.state.particles.velocity[i]);
            turned[i] |= v.y > -0.5 || p.coords.norm() < 0.5 + 0.3 * thickness;
            if turned[i] {
                height[i] = height[i].max(p.y - 0.5);
            }
            if turned[i] && p.coords.norm() > 0.5 + thickness && v.dot(&p.coords) > 0.0 {
                let angle = libm::acos(p.y / p.coords.norm()).to_degrees();
                left[i].get_or_insert([v.norm(), angle]);
            } else if p.coords.norm() < 0.5 + thickness {
                left[i] = None;
            }
        }
    }
    assert_eq!(run.state.tally.escapes, 0);
    let left: Vec<[Real; 2]> = left.into_iter().flatten().collect();
    assert!(left.len() > n / 2, "{} of {n} have left", left.len());
    [
        mean(height),
        mean(left.iter().map(|l| l[0])),
        mean(left.iter().map(|l| l[1])),
    ]
}

/// Figure 3: bouncy, slippery, and with drag.
#[test]
fn particles_bounce_slip_and_are_slowed_on_a_sphere() {
    let bouncy = on_a_sphere(impact(0.7));
    let slippery = on_a_sphere(impact(0.0));
    let slowed = on_a_sphere(Responses {
        drag: Some(SurfaceDrag {
            delta: 2.0,
            theta: None,
        }),
        ..impact(0.0)
    });
    eprintln!("figure 3: {bouncy:?} {slippery:?} {slowed:?}");
    assert!(
        bouncy[0] > 0.2 && slippery[0] < 0.15,
        "heights {} {}",
        bouncy[0],
        slippery[0]
    );
    assert!(
        slippery[2] > bouncy[2] + 10.0,
        "angles {} {}",
        slippery[2],
        bouncy[2]
    );
    assert!(
        slowed[1] < 0.9 * slippery[1],
        "speeds {} {}",
        slippery[1],
        slowed[1]
    );
    assert!(slowed[2] > slippery[2], "angles {} {}", slippery[2], slowed[2]);
}

/// Figure 4: fast particles turn as soon as they enter the field, slow ones near the surface.
#[test]
fn slow_particles_turn_nearer_than_fast_ones() {
    let mut nearest = Vec::new();
    for speed in [0.3, 1.0, 3.0, 6.0] {
        let mut run = world(&bodies::sphere(0.5, 12_000), grid(None, impact(0.7)), 0.0);
        run.add(Point3::new(0.01, 0.7, 0.02), Vec3::new(0.0, -speed, 0.0), RADIUS);
        let mut least = 1.0_f64;
        for _ in 0..200 {
            run.step();
            least = least.min(run.state.particles.position[0].coords.norm() - 0.5);
        }
        assert!((run.state.particles.velocity[0].norm() - 0.7 * speed).abs() < 0.02 * speed);
        assert_eq!(run.state.tally.contacts, 0, "turned by the field alone");
        nearest.push(least);
    }
    assert!(
        nearest.is_sorted_by(|a, b| a < b) && nearest[0] < 0.03,
        "{nearest:?}"
    );
}

/// Figure 6: particles flow round a sphere and leave along a tangent.
#[test]
fn particles_leave_a_sphere_along_a_tangent() {
    let thickness = 0.22;
    for from_above in [false, true] {
        let mut run = world(
            &bodies::sphere(0.5, 12_000),
            grid(Some(thickness), flow(22.0, 0.0)),
            0.0,
        );
        let mut draws = Draws(9);
        for _ in 0..200 {
            let [a, b] = [0, 1].map(|_| 0.8 * draws.unit() - 0.4);
            let (p, v) = if from_above {
                (Point3::new(a, 1.2, b), Vec3::new(0.0, -2.0, 0.0))
            } else {
                (Point3::new(1.2, a, b), Vec3::new(-2.0, 0.0, 0.0))
            };
            run.add(p, v, RADIUS);
        }
        run.steps(200);
        for (p, v) in run
            .state
            .particles
            .position
            .iter()
            .zip(&run.state.particles.velocity)
        {
            let parameter = p.coords.cross(v).norm() / v.norm();
            assert!((v.norm() - 2.0).abs() < 1e-9, "the speed is kept: {}", v.norm());
            assert!(
                p.coords.norm() > 0.5 + thickness && v.dot(&p.coords) > 0.0,
                "{p} has not left"
            );
            assert!(
                (0.499..=0.5 + thickness + 1e-3).contains(&parameter),
                "{p} {v:?}: {parameter}"
            );
        }
    }
}

/// Way inside the field [radii] and turn about the axis [degrees] of a stream on a shaft of 0.5 m, as means.
fn round_a_shaft(responses: Responses) -> [Real; 2] {
    let shaft = bodies::shaft(0.5, 1.5, 96);
    let mut run = world(&shaft, grid(Some(0.3), responses), 0.0);
    let mut draws = Draws(4);
    for _ in 0..60 {
        let [y, z] = [0.9 * draws.unit() - 0.45, 0.4 * draws.unit() - 0.2];
        run.add(Point3::new(1.0, y, z), Vec3::new(-2.0, 0.0, 0.0), RADIUS);
    }
    let n = run.state.particles.len();
    let (mut inside, mut turn) = (0.0, 0.0);
    for _ in 0..360 {
        let before = run.state.particles.position.clone();
        run.step();
        for (a, b) in before.iter().zip(&run.state.particles.position) {
            if libm::hypot(b.x, b.y) < 0.8 {
                inside += (b - a).norm();
                turn += libm::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y).abs();
            }
        }
    }
    assert_eq!(run.state.tally.escapes, 0);
    [inside / 0.5 / n as Real, turn.to_degrees() / n as Real]
}

/// Figure 7: a stronger outgoing strength holds particles on the shaft longer, a negative one throws them off.
#[test]
fn a_stronger_outgoing_strength_holds_longer_and_a_negative_one_throws_off() {
    let found = [-6.0, -3.0, 0.0, 3.0, 6.0].map(|rho_out| round_a_shaft(flow(12.0, rho_out)));
    eprintln!("figure 7, rho_in 12: {found:.2?}");
    assert!(found.is_sorted_by(|a, b| a[0] < b[0] && a[1] < b[1]), "{found:?}");
    assert!(found[4][0] > 2.0 * found[2][0], "held: {found:?}");
    // So weak an incoming strength lets all of them come to the wall, along which an impact turns them.
    let weak = [-3.0, 0.0, 6.0].map(|rho_out| {
        round_a_shaft(Responses {
            impact: impact(0.0).impact,
            ..flow(3.0, rho_out)
        })
    });
    eprintln!("figure 7, rho_in 3: {weak:.2?}");
    assert!(
        weak[0][0] < weak[1][0] && weak[2][0] > 3.0 * weak[1][0],
        "{weak:?}"
    );
}

#[test]
fn a_spring_gives_particles_back_their_speed() {
    let spring = Responses {
        spring: Some(Spring { k: 400.0 }),
        ..Responses::default()
    };
    let mut run = world(&bodies::sphere(0.5, 12_000), grid(Some(0.2), spring), 0.0);
    run.add(Point3::new(0.0, 0.9, 0.0), Vec3::new(0.0, -2.0, 0.0), RADIUS);
    run.steps(120);
    let (p, v) = (run.state.particles.position[0], run.state.particles.velocity[0]);
    assert!(p.y > 0.7 && (v.y - 2.0).abs() < 0.06, "{p} {v:?}");
    assert_eq!(run.state.tally.contacts, 0);
}

#[test]
fn threads_change_nothing() {
    let states = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            let mut run = world(&bodies::bumpy(), grid(None, flow(12.0, 6.0)), 9.81);
            let mut draws = Draws(3);
            for _ in 0..1500 {
                let p = draws.within(&Point3::new(-1.0, 1.3, -1.0), &Point3::new(1.0, 2.0, 1.0));
                run.add(p, Vec3::new(0.3, -3.0, 0.0), RADIUS);
            }
            run.steps(60);
            run.state
        })
    });
    assert!(states[0] == states[1] && states[0] == states[2]);
}

/// A grid that moves: velocities count relative to it.
#[test]
fn responses_are_those_of_the_moving_object() {
    let mut run = world(&bodies::sphere(0.5, 3_000), grid(None, impact(0.5)), 0.0);
    run.step();
    let still = &run.world.collider.fields()[0];
    let grid = still.grid.clone();
    let mut pose = still.pose;
    pose.velocity = Vec3::new(3.0, 0.0, 0.0);
    let moving = partsim::collide::grid::Field::new(grid, pose, still.lookup, still.responses, 0..1);
    let p = Point3::new(0.52, 0.0, 0.0);
    // At rest before a sphere that comes with 3 m/s, with restitution 0.5: away with 4.5 m/s.
    let v = moving
        .respond(&p, &Vec3::zeros(), RADIUS, STEP, STEP)
        .expect("in the field");
    assert!((v - Vec3::new(4.5, 0.0, 0.0)).norm() < 0.05, "{v:?}");
    // As fast as the sphere: nothing happens.
    let v = moving
        .respond(&p, &Vec3::new(3.0, 0.0, 0.0), RADIUS, STEP, STEP)
        .expect("in the field");
    assert!((v - Vec3::new(3.0, 0.0, 0.0)).norm() < 1e-9, "{v:?}");
    assert_eq!(
        still.respond(&p, &Vec3::zeros(), RADIUS, STEP, STEP),
        Some(Vec3::zeros())
    );
}

#[test]
fn a_turned_and_scaled_grid_reads_as_the_mesh_stands() {
    let triangles = bodies::block(Vec3::new(0.5, 0.3, 0.2), Point3::origin());
    let meshes = vec![mesh_of(&triangles)];
    let mut s = scene(&meshes, contact(0.5, 0.0));
    s.meshes[0].rotate_deg = Vec3::new(0.0, 0.0, 90.0);
    s.meshes[0].scale = Vec3::repeat(2.0);
    s.meshes[0].translate = Vec3::new(5.0, 0.0, 0.0);
    s.meshes[0].collider = MeshCollider::Grid(Box::new(grid(Some(0.4), impact(0.5))));
    let run = Run::new(&s, meshes.clone());
    let field = &run.world.collider.fields()[0];
    assert!((field.thickness() - 0.4).abs() < 1e-12 && (field.grid.thickness - 0.2).abs() < 1e-12);
    // x goes to y: the long side stands up, 2 m in all.
    let (l, n) = field.look(&Point3::new(5.0, 1.1, 0.0)).expect("in the field");
    assert!(
        (l - 0.1).abs() < field.error() && (n - Vec3::y()).norm() < 1e-3,
        "{l} {n:?}"
    );
    // An uneven scale is baked into the mesh that the grid is made of.
    s.meshes[0].scale = Vec3::new(2.0, 2.0, 1.0);
    let run = Run::new(&s, meshes);
    let field = &run.world.collider.fields()[0];
    assert_eq!(field.pose, partsim::grid::Pose::IDENTITY);
    let (l, _) = field.look(&Point3::new(5.0, 0.0, 0.3)).expect("in the field");
    assert!((l - 0.1).abs() < field.error(), "{l}");
}
