//! Moving scenery: what it meets is pushed, what lies on it rides, and nothing gets through.

mod support;

use partsim::collide::Collider;
use partsim::collide::moving::Seat;
use partsim::keyed::Keyed;
use partsim::math::{Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::motion::Pose;
use partsim::scene::{Motion, Scene};
use partsim::state::Status;
use support::*;

fn keys(translate: &[(Real, Vec3)], rotate_deg: &[(Real, Vec3)]) -> Motion {
    let keyed = |keys: &[(Real, Vec3)]| Keyed::new(keys.to_vec(), false);
    Motion::Keys {
        translate: keyed(translate),
        rotate_deg: keyed(rotate_deg),
        scale: 1.0.into(),
        about: None,
    }
}

fn smooth(translate: &[(Real, Vec3)], rotate_deg: &[(Real, Vec3)]) -> Motion {
    let keyed = |keys: &[(Real, Vec3)]| Keyed::new(keys.to_vec(), true);
    Motion::Keys {
        translate: keyed(translate),
        rotate_deg: keyed(rotate_deg),
        scale: 1.0.into(),
        about: None,
    }
}

fn spin(axis: Vec3, deg_per_s: Real) -> Motion {
    Motion::Spin {
        axis,
        deg_per_s: deg_per_s.into(),
        about: None,
    }
}

/// A scene of one material whose meshes move like this.
fn moving(meshes: &[Mesh], motions: &[Option<Motion>], restitution: Real, friction: Real) -> Scene {
    let mut scene = scene(meshes, contact(restitution, friction));
    scene.time.frames = 1000;
    for (spec, motion) in scene.meshes.iter_mut().zip(motions) {
        spec.motion.clone_from(motion);
    }
    scene
}

/// Where a mover stands at a moment [s].
fn pose(run: &Run, mover: u32, time: Real) -> Pose {
    run.world.movers.pose(Seat { mover, triangle: 0 }, time).expect("it moves")
}

const R: Real = 0.1;

/// A lift that rises, stands and sinks: what has come to lie on it is where it is, after any number of steps.
#[test]
fn what_lies_on_a_lift_is_carried_exactly() {
    let stops = [(0.0, 0.0), (2.0, 2.0), (3.0, 2.0), (6.0, -1.0), (7.0, -1.0)];
    let way: Vec<(Real, Vec3)> = stops.iter().map(|&(t, y)| (t, Vec3::new(0.3 * y, y, 0.0))).collect();
    let lift = smooth(&way, &[]);
    let scene = moving(&[floor(3.0)], &[Some(lift)], 0.0, 0.6);
    let mut run = Run::new(&scene, vec![floor(3.0)]);
    run.add(Point3::new(0.2, R + 0.3, -0.1), Vec3::zeros(), R);
    let height = |t: Real| Keyed::new(stops.to_vec(), true).at(t);
    let mut place: Option<Vec3> = None;
    for step in 1..=7 * 24 {
        run.step();
        let now = f64::from(step) / 24.0;
        let p = run.state.particles.flyer(0);
        let y = height(now);
        assert!(p.position.y >= y + R * (1.0 - 1e-9), "below the lift at {now}: {}", p.position.y - y);
        let on = p.position.coords - Vec3::new(0.3 * y, y, 0.0);
        if p.status.is_settled() {
            let first = *place.get_or_insert(on);
            assert!((on - first).norm() < 1e-12, "it drifts at {now}: {}", (on - first).norm());
            assert!((on.y - R).abs() < 1e-9);
        }
    }
    assert!(place.is_some() && run.state.particles.status[0].is_settled());
    assert_eq!(run.state.tally.escapes, 0);
}

/// On a turntable friction holds up to omega^2 rho = mu g.
#[test]
fn a_turntable_keeps_what_friction_holds_and_throws_off_the_rest() {
    let (rho, mu) = (1.5, 0.5);
    let limit = (mu * 9.81 / rho as Real).sqrt();
    for (share, stays) in [(0.9, true), (1.1, false)] {
        let omega = share * limit;
        let table = floor(4.0);
        let scene = moving(&[table.clone()], &[Some(spin(Vec3::y(), omega.to_degrees()))], 0.0, mu);
        let mut run = Run::new(&scene, vec![table]);
        run.add(Point3::new(rho, R, 0.0), Vec3::new(0.0, 0.0, -omega * rho), R);
        run.steps(240);
        let p = run.state.particles.flyer(0);
        let from_axis = Vec3::new(p.position.x, 0.0, p.position.z).norm();
        if stays {
            assert!(p.status.is_settled(), "{p:?}");
            // While it comes to rest in the frame of the table it slips a little.
            assert!((from_axis - rho).abs() < 0.02 * rho, "{from_axis}");
            let angle = omega * 10.0;
            let along = Vec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
            let lag = 1.0 - p.position.coords.dot(&along) / from_axis;
            assert!(lag < 2e-3, "it does not turn with the table: {lag}");
        } else {
            assert!(from_axis > 4.0, "it is still on the table, at {from_axis}");
            assert!(p.position.y < 0.0);
        }
        assert_eq!(run.state.tally.escapes, 0);
    }
}

/// A plate that comes with u gives a ball at rest (1 + e) u.
#[test]
fn a_moving_plate_bounces_at_its_own_speed() {
    for e in [0.0, 0.5, 1.0] {
        let u = 3.0;
        let plate = floor(2.0);
        let way = keys(&[(0.0, Vec3::zeros()), (10.0, Vec3::new(0.0, 10.0 * u, 0.0))], &[]);
        let mut scene = moving(&[plate.clone()], &[Some(way)], e, 0.0);
        scene.gravity = Vec3::zeros();
        let mut run = Run::new(&scene, vec![plate]);
        run.add(Point3::new(0.1, 1.0 + R, 0.2), Vec3::zeros(), R);
        run.steps(24);
        let p = run.state.particles.flyer(0);
        let velocity = if p.status == Status::Airborne { p.velocity } else { Vec3::new(0.0, u, 0.0) };
        assert!((velocity - Vec3::new(0.0, (1.0 + e) * u, 0.0)).norm() < 1e-9, "{e}: {velocity}");
        // They meet after a third of a second.
        let expected = 1.0 + R + (1.0 + e) * u * (1.0 - 1.0 / u);
        assert!((p.position.y - expected).abs() < 1e-9, "{e}: {}", p.position.y);
    }
}

/// Momentum in the frame of the plate: what is thrown obliquely at a plate that moves bounces as from one at rest.
#[test]
fn a_bounce_is_the_same_in_every_even_frame() {
    let frame = Vec3::new(0.7, -0.4, 0.2);
    let fly = |frame: Vec3| {
        let plate = floor(20.0);
        let way = keys(&[(0.0, Vec3::zeros()), (10.0, frame * 10.0)], &[]);
        let scene = moving(&[plate.clone()], &[Some(way)], 0.6, 0.3);
        let mut run = Run::new(&scene, vec![plate]);
        run.add(Point3::new(0.1, 2.0, 0.2), Vec3::new(1.0, -2.0, 0.5) + frame, R);
        run.steps(30);
        let p = run.state.particles.flyer(0);
        assert!(run.state.tally.contacts > 0);
        (p.position - frame * (30.0 / 24.0), p.velocity - frame)
    };
    let (a, b) = (fly(Vec3::zeros()), fly(frame));
    assert!((a.0 - b.0).norm() < 1e-9, "{} {}", a.0, b.0);
    assert!((a.1 - b.1).norm() < 1e-9, "{} {}", a.1, b.1);
}

/// Snow stays on a bed that tilts up to its angle and falls off beyond.
#[test]
fn what_lies_on_a_bed_falls_off_when_it_tilts_past_its_angle() {
    for (deg, stays) in [(30.0, true), (45.0, false)] {
        let bed = floor(2.0);
        let tilt = smooth(&[], &[(1.0, Vec3::zeros()), (5.0, Vec3::new(0.0, 0.0, deg))]);
        let mut scene = moving(&[bed.clone()], &[Some(tilt)], 0.0, 0.3);
        scene.materials[0].contact = partsim::material::SNOW.contact;
        let mut run = Run::new(&scene, vec![bed]);
        for i in 0..20 {
            run.add(Point3::new(-1.0 + 0.1 * f64::from(i), 0.5, 0.0), Vec3::zeros(), 0.02);
        }
        run.steps(24 * 8);
        let lie = run.state.particles.status.iter().filter(|s| s.is_settled()).count();
        assert_eq!(lie == 20, stays, "{deg} degrees: {lie} lie");
        assert_eq!(run.state.tally.shaken > 0, !stays, "{deg} degrees");
        assert_eq!(run.state.tally.escapes, 0);
    }
}

/// Particle-steps of each leak test below; `PARTSIM_LEAK_STEPS` sets another number, for a long run.
const LEAK_STEPS: Real = 3e5;

fn leak_steps() -> usize {
    std::env::var("PARTSIM_LEAK_STEPS").map_or(LEAK_STEPS, |v| v.parse().expect("a number")) as usize
}

/// Two plates that close at 100 m/s in all, and part again, over and over, with particles of 100 m/s between.
#[test]
fn nothing_leaks_through_plates_that_close() {
    const SMALL: Real = 0.01;
    let (count, apart) = (2000, 12.0);
    let mut upper = floor(1e4);
    upper.vertices.iter_mut().for_each(|v| v.y = apart);
    let way = |sign: Real| {
        let pause = (0.5 * apart - 0.1) / 50.0;
        let stops: Vec<(Real, Vec3)> = (0..4000)
            .map(|i| (f64::from(i) * pause, Vec3::new(0.0, if i % 2 == 1 { sign * 50.0 * pause } else { 0.0 }, 0.0)))
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
        let velocity = Vec3::new(libm::cos(angle), libm::sin(1.7 * angle), libm::sin(angle)).normalize() * 100.0;
        let y = 1.0 + 10.0 * f64::from(i) / f64::from(count);
        run.add(Point3::new(0.01 * f64::from(i), y, 0.0), velocity, SMALL);
    }
    let steps = (leak_steps() / count as usize).max(10);
    for step in 1..=steps {
        run.step();
        let time = step as Real * run.world.step;
        let (low, high) = (run_height(&run, 0, time), run_height(&run, 1, time) + apart);
        for (row, p) in run.state.particles.position.iter().enumerate() {
            assert!(p.y > low && p.y < high, "step {step}, row {row}: {} is not in {low} .. {high}", p.y);
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

/// Flat blades through the axis y, from it to this radius [m] and this far up and down [m].
fn fan(blades: u32, radius: Real, half: Real) -> Mesh {
    let mut vertices = vec![Point3::new(0.0, -half, 0.0), Point3::new(0.0, half, 0.0)];
    let mut triangles = vec![];
    for i in 0..blades {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(blades);
        let (x, z) = (radius * libm::cos(angle), radius * libm::sin(angle));
        let first = vertices.len() as u32;
        vertices.extend([Point3::new(x, -half, z), Point3::new(x, half, z)]);
        triangles.extend([[0, first, first + 1], [0, first + 1, 1]]);
    }
    mesh(vertices, triangles)
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
#[test]
fn nothing_leaks_through_a_spinning_fan() {
    let (blades, half) = (5, 0.5);
    let meshes = [drum(24, 1.2, half), fan(blades, 3.0, 1.0)];
    let mut scene = moving(&meshes, &[None, Some(spin(Vec3::y(), 1500.0))], 0.7, 0.2);
    scene.gravity = Vec3::new(0.0, -2.0, 0.0);
    let mut run = Run::new(&scene, meshes.to_vec());
    for i in 0..1000 {
        let f = f64::from(i);
        let at = Point3::new(1.1 * libm::sin(f), 0.48 * libm::sin(1.3 * f), 1.1 * libm::sin(2.1 * f));
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
    for step in 1..=(leak_steps() / count).max(10) {
        run.step();
        let time = step as Real * run.world.step;
        for (row, p) in run.state.particles.position.iter().enumerate() {
            assert!(p.y.abs() < half && p.x.hypot(p.z) < 1.2, "step {step}, row {row} is out of the room: {p}");
            assert_eq!(sector(&run, row, time), before[row], "step {step}, row {row} is in another sector at {p}");
        }
    }
    assert_eq!((run.state.tally.escapes, run.state.tally.lost), (0, 0));
    assert!(run.state.tally.contacts > count as u64);
}

/// A closed box that tumbles with particles in it.
#[test]
fn nothing_leaks_out_of_a_tumbling_box() {
    let bag = inward(closed_box(Vec3::new(1.0, 0.6, 0.8)));
    let tumble = keys(
        &[(0.0, Vec3::zeros()), (1.0, Vec3::new(5.0, -3.0, 1.0)), (1.5, Vec3::zeros()), (1000.0, Vec3::zeros())],
        &[(0.0, Vec3::zeros()), (1000.0, Vec3::new(400_000.0, 170_000.0, 70_000.0))],
    );
    let mut scene = moving(&[bag.clone()], &[Some(tumble)], 0.5, 0.4);
    scene.pile = false;
    let mut run = Run::new(&scene, vec![bag]);
    for i in 0..500 {
        let f = f64::from(i);
        run.add(Point3::new(0.9 * libm::sin(f), 0.5 * libm::sin(1.3 * f), 0.7 * libm::sin(2.1 * f)), Vec3::zeros(), 0.01);
    }
    let count = run.state.particles.len();
    for step in 1..=(leak_steps() / count).max(10) {
        run.step();
        let pose = pose(&run, 0, step as Real * run.world.step);
        for (row, p) in run.state.particles.position.iter().enumerate() {
            let at = pose.to_body(p);
            assert!(at.x.abs() < 1.0 && at.y.abs() < 0.6 && at.z.abs() < 0.8, "step {step}, row {row}: {at}");
        }
    }
    assert_eq!((run.state.tally.escapes, run.state.tally.lost), (0, 0));
}

/// Writes a closed bag as an OBJ file: a cube of squares blown up to a ball whose shape changes with the time.
fn bag(path: &std::path::Path, time: Real) {
    let ball = bodies::ball(6, |d| 1.0 + 0.3 * libm::sin(3.0 * time + 2.0 * d.x) * d.y + 0.15 * libm::cos(5.0 * time + 3.0 * d.z));
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
#[test]
fn nothing_leaks_out_of_a_bag_that_changes_its_shape() {
    const SHAPES: usize = 40;
    let dir = tempfile::tempdir().expect("a folder");
    let files: Vec<_> = (0..SHAPES).map(|i| dir.path().join(format!("bag_{i:03}.obj"))).collect();
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
    let mut scene = moving(&[first.clone()], &[Some(motion)], 0.4, 0.3);
    scene.gravity = Vec3::new(0.0, -3.0, 0.0);
    let mut run = Run::new(&scene, vec![first.clone()]);
    for i in 0..100 {
        let f = f64::from(i);
        run.add(Point3::new(0.4 * libm::sin(f), 0.4 * libm::sin(1.3 * f), 0.4 * libm::sin(2.1 * f)), Vec3::zeros(), 0.02);
    }
    let count = run.state.particles.len();
    let steps = (leak_steps() / (3 * count)).clamp(10, 100_000);
    let Some(Some(partsim::motion::Moved::Corners(morph))) = run.world.moved.first().cloned() else {
        panic!("it changes its shape");
    };
    for step in 1..=steps {
        run.step();
        let corners = morph.at(step as Real * run.world.step);
        for (row, p) in run.state.particles.position.iter().enumerate() {
            assert!(is_inside(p, &corners, &first.triangles), "step {step}, row {row} is out of the bag at {p}");
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

/// A cart with a load in a bend over still ground, in a run with and without heaps: a busy scene for what must be the same.
fn busy(pile: bool) -> Run {
    let mut cart = closed_box(Vec3::new(0.6, 0.1, 0.4));
    cart.vertices.iter_mut().for_each(|v| v.y += 1.2);
    let mut blades = fan(3, 0.8, 0.2);
    blades.vertices.iter_mut().for_each(|v| *v += Vec3::new(4.0, 0.5, 0.0));
    let meshes = [floor(6.0), cart, blades];
    let ride = Motion::Keys {
        translate: Keyed::new(
            vec![(0.5, Vec3::zeros()), (1.5, Vec3::new(1.0, 0.0, 0.2)), (2.5, Vec3::new(1.5, 0.0, -1.0))],
            true,
        ),
        rotate_deg: Keyed::new(vec![(1.0, Vec3::zeros()), (2.5, Vec3::new(0.0, 70.0, 50.0))], true),
        scale: 1.0.into(),
        about: None,
    };
    let turn = Motion::Spin {
        axis: Vec3::y(),
        deg_per_s: 200.0.into(),
        about: Some(Point3::new(4.0, 0.0, 0.0)),
    };
    let motions = [None, Some(ride), Some(turn)];
    let mut scene = moving(&meshes, &motions, 0.1, 0.5);
    scene.materials[0].contact = partsim::material::SNOW.contact;
    scene.pile = pile;
    let mut run = Run::new(&scene, meshes.to_vec());
    for i in 0..400 {
        let f = f64::from(i);
        run.add(
            Point3::new(if i % 4 == 0 { 4.0 } else { 0.0 } + 0.9 * libm::sin(f), 1.6 + 0.004 * f, 0.6 * libm::sin(2.3 * f)),
            Vec3::new(0.0, -1.0, 0.0),
            0.03,
        );
    }
    run
}

#[test]
fn the_same_bits_for_any_number_of_threads_and_after_a_break() {
    for pile in [false, true] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut run = busy(pile);
                run.steps(70);
                run.state
            })
        };
        let one = run(1);
        assert!(one.tally.contacts > 400 && one.tally.escapes == 0, "{:?}", one.tally);
        assert!(partsim::step::riding(&one.particles) > 0 || one.tally.shaken > 0, "{:?}", one.tally);
        for threads in [2, 5] {
            assert_eq!(run(threads), one, "{threads} threads, pile {pile}");
        }
        let mut broken = busy(pile);
        for step in 0..70 {
            if step % 7 == 3 {
                let mut bytes = Vec::new();
                partsim::write::packed::write(&broken.state, &mut bytes).expect("in memory");
                broken.state = postcard::from_bytes(&bytes).expect("what was written");
                broken.forget();
            }
            broken.step();
        }
        assert_eq!(broken.state, one, "after breaks, pile {pile}");
    }
}

#[test]
fn a_pile_rides_with_what_it_lies_on() {
    let bed = floor(1.0);
    let way = smooth(&[(2.0, Vec3::zeros()), (5.0, Vec3::new(3.0, 0.5, 0.0))], &[(2.0, Vec3::zeros()), (5.0, Vec3::new(0.0, 90.0, 0.0))]);
    let mut scene = moving(&[bed.clone()], &[Some(way)], 0.0, 0.6);
    scene.pile = true;
    let mut run = Run::new(&scene, vec![bed]);
    for i in 0..60 {
        let f = f64::from(i);
        run.add(Point3::new(0.08 * libm::sin(f), 0.2 + 0.1 * f, 0.08 * libm::cos(1.7 * f)), Vec3::zeros(), 0.05);
    }
    run.steps(48);
    run.steps(48 * 2);
    let settled = |run: &Run| run.state.particles.status.iter().filter(|s| s.is_settled()).count();
    assert!(settled(&run) >= 58, "{} of 60 lie", settled(&run));
    let pose = pose(&run, 0, 6.0);
    let heights: Vec<Real> = run.state.particles.position.iter().map(|p| pose.to_body(p).y).collect();
    assert!(heights.iter().any(|&y| y > 0.1), "nobody lies on another: {heights:?}");
    for p in &run.state.particles.position {
        let at = pose.to_body(p);
        assert!(at.x.abs() < 1.0 && at.z.abs() < 1.0 && at.y > 0.0499, "left behind: {at}");
    }
    assert_eq!(run.state.tally.escapes, 0);
}

/// A plough that comes over ground pushes what lies there before it.
#[test]
fn what_lies_in_the_way_is_pushed_along() {
    let mut blade = floor(1.0);
    blade.vertices.iter_mut().for_each(|v| *v = Point3::new(-2.0, v.x, v.z));
    let way = keys(&[(1.0, Vec3::zeros()), (3.0, Vec3::new(3.0, 0.0, 0.0))], &[]);
    let meshes = [floor(5.0), blade];
    let mut scene = moving(&meshes, &[None, Some(way)], 0.0, 0.5);
    scene.materials[0].contact = partsim::material::SNOW.contact;
    let mut run = Run::new(&scene, meshes.to_vec());
    for i in 0..20 {
        run.add(Point3::new(-1.5 + 0.05 * f64::from(i), 0.3, -0.9 + 0.09 * f64::from(i)), Vec3::zeros(), 0.04);
    }
    run.steps(4 * 24);
    for p in &run.state.particles.position {
        assert!(p.x > 1.0 + 0.0399 && p.y > 0.0399 && p.y < 0.2, "it was run over: {p}");
    }
    assert!(run.state.tally.pushed > 0);
    assert_eq!((run.state.tally.escapes, run.state.tally.squeezed), (0, 0));
}

/// Between two plates that close to less than its diameter a particle is counted, and stays between them.
#[test]
fn what_is_squeezed_is_counted_and_stays_between() {
    let mut upper = floor(1.0);
    upper.vertices.iter_mut().for_each(|v| v.y = 1.0);
    let way = keys(&[(0.0, Vec3::zeros()), (2.0, Vec3::new(0.0, -0.95, 0.0)), (3.0, Vec3::zeros())], &[]);
    let meshes = [floor(1.0), upper];
    let mut scene = moving(&meshes, &[None, Some(way)], 0.3, 0.5);
    scene.materials[0].contact = partsim::material::SNOW.contact;
    let mut run = Run::new(&scene, meshes.to_vec());
    run.add(Point3::new(0.1, 0.5, 0.2), Vec3::zeros(), R);
    for step in 1..=24 * 4 {
        run.step();
        let p = run.state.particles.flyer(0);
        let time = f64::from(step) / 24.0;
        let plate = 1.0 + Keyed::new(vec![(0.0, 0.0), (2.0, -0.95), (3.0, 0.0)], false).at(time);
        assert!(p.position.y > 0.0 && p.position.y < plate, "{time}: {} below {plate}", p.position.y);
    }
    let tally = &run.state.tally;
    assert!(tally.squeezed > 0 && tally.escapes == 0 && tally.lost == 0, "{tally:?}");
}

fn inward(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    mesh
}
