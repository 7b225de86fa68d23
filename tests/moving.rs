//! Moving scenery: what it meets is pushed, what lies on it rides, and the same comes of it whatever the threads do.

mod support;

use partsim::keyed::Keyed;
use partsim::math::{Point3, Real, Vec3};
use partsim::scene::Motion;
use partsim::state::Status;
use support::moving::{fan, keys, moving, pose, smooth, spin};
use support::*;

const R: Real = 0.1;

/// A lift that rises, stands and sinks: what has come to lie on it is where it is, after any number of steps.
#[test]
fn what_lies_on_a_lift_is_carried_exactly() {
    let stops = [(0.0, 0.0), (2.0, 2.0), (3.0, 2.0), (6.0, -1.0), (7.0, -1.0)];
    let way: Vec<(Real, Vec3)> = stops
        .iter()
        .map(|&(t, y)| (t, Vec3::new(0.3 * y, y, 0.0)))
        .collect();
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
        assert!(
            p.position.y >= y + R * (1.0 - 1e-9),
            "below the lift at {now}: {}",
            p.position.y - y
        );
        let on = p.position.coords - Vec3::new(0.3 * y, y, 0.0);
        if p.status.is_settled() {
            let first = *place.get_or_insert(on);
            assert!(
                (on - first).norm() < 1e-12,
                "it drifts at {now}: {}",
                (on - first).norm()
            );
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
        let scene = moving(
            std::slice::from_ref(&table),
            &[Some(spin(Vec3::y(), omega.to_degrees()))],
            0.0,
            mu,
        );
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
        let way = keys(
            &[(0.0, Vec3::zeros()), (10.0, Vec3::new(0.0, 10.0 * u, 0.0))],
            &[],
        );
        let mut scene = moving(std::slice::from_ref(&plate), &[Some(way)], e, 0.0);
        scene.gravity = Vec3::zeros();
        let mut run = Run::new(&scene, vec![plate]);
        run.add(Point3::new(0.1, 1.0 + R, 0.2), Vec3::zeros(), R);
        run.steps(24);
        let p = run.state.particles.flyer(0);
        let velocity = if p.status == Status::Airborne {
            p.velocity
        } else {
            Vec3::new(0.0, u, 0.0)
        };
        assert!(
            (velocity - Vec3::new(0.0, (1.0 + e) * u, 0.0)).norm() < 1e-9,
            "{e}: {velocity}"
        );
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
        let scene = moving(std::slice::from_ref(&plate), &[Some(way)], 0.6, 0.3);
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
        let mut scene = moving(std::slice::from_ref(&bed), &[Some(tilt)], 0.0, 0.3);
        scene.materials[0].contact = partsim::material::SNOW.contact;
        let mut run = Run::new(&scene, vec![bed]);
        for i in 0..20 {
            run.add(
                Point3::new(-1.0 + 0.1 * f64::from(i), 0.5, 0.0),
                Vec3::zeros(),
                0.02,
            );
        }
        run.steps(24 * 8);
        let lie = run
            .state
            .particles
            .status
            .iter()
            .filter(|s| s.is_settled())
            .count();
        assert_eq!(lie == 20, stays, "{deg} degrees: {lie} lie");
        assert_eq!(run.state.tally.shaken > 0, !stays, "{deg} degrees");
        assert_eq!(run.state.tally.escapes, 0);
    }
}

/// A cart with a load in a bend over still ground, in a run with and without heaps: a busy scene for what must be the same.
fn busy(pile: bool) -> Run {
    let mut cart = closed_box(Vec3::new(0.6, 0.1, 0.4));
    cart.vertices.iter_mut().for_each(|v| v.y += 1.2);
    let mut blades = fan(3, 0.8, 0.2);
    blades
        .vertices
        .iter_mut()
        .for_each(|v| *v += Vec3::new(4.0, 0.5, 0.0));
    let meshes = [floor(6.0), cart, blades];
    let ride = Motion::Keys {
        translate: Keyed::new(
            vec![
                (0.5, Vec3::zeros()),
                (1.5, Vec3::new(1.0, 0.0, 0.2)),
                (2.5, Vec3::new(1.5, 0.0, -1.0)),
            ],
            true,
        ),
        rotate_deg: Keyed::new(
            vec![(1.0, Vec3::zeros()), (2.5, Vec3::new(0.0, 70.0, 50.0))],
            true,
        ),
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
            Point3::new(
                if i % 4 == 0 { 4.0 } else { 0.0 } + 0.9 * libm::sin(f),
                1.6 + 0.004 * f,
                0.6 * libm::sin(2.3 * f),
            ),
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
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads");
            pool.install(|| {
                let mut run = busy(pile);
                run.steps(70);
                run.state
            })
        };
        let one = run(1);
        assert!(
            one.tally.contacts > 400 && one.tally.escapes == 0,
            "{:?}",
            one.tally
        );
        assert!(
            partsim::step::riding(&one.particles) > 0 || one.tally.shaken > 0,
            "{:?}",
            one.tally
        );
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
    let way = smooth(
        &[(2.0, Vec3::zeros()), (5.0, Vec3::new(3.0, 0.5, 0.0))],
        &[(2.0, Vec3::zeros()), (5.0, Vec3::new(0.0, 90.0, 0.0))],
    );
    let mut scene = moving(std::slice::from_ref(&bed), &[Some(way)], 0.0, 0.6);
    scene.pile = true;
    let mut run = Run::new(&scene, vec![bed]);
    for i in 0..60 {
        let f = f64::from(i);
        run.add(
            Point3::new(0.08 * libm::sin(f), 0.2 + 0.1 * f, 0.08 * libm::cos(1.7 * f)),
            Vec3::zeros(),
            0.05,
        );
    }
    run.steps(48);
    run.steps(48 * 2);
    let settled = |run: &Run| {
        run.state
            .particles
            .status
            .iter()
            .filter(|s| s.is_settled())
            .count()
    };
    assert!(settled(&run) >= 58, "{} of 60 lie", settled(&run));
    let pose = pose(&run, 0, 6.0);
    let heights: Vec<Real> = run
        .state
        .particles
        .position
        .iter()
        .map(|p| pose.to_body(p).y)
        .collect();
    assert!(
        heights.iter().any(|&y| y > 0.1),
        "nobody lies on another: {heights:?}"
    );
    for p in &run.state.particles.position {
        let at = pose.to_body(p);
        assert!(
            at.x.abs() < 1.0 && at.z.abs() < 1.0 && at.y > 0.0499,
            "left behind: {at}"
        );
    }
    assert_eq!(run.state.tally.escapes, 0);
}

/// A plough that comes over ground pushes what lies there before it.
#[test]
fn what_lies_in_the_way_is_pushed_along() {
    let mut blade = floor(1.0);
    blade
        .vertices
        .iter_mut()
        .for_each(|v| *v = Point3::new(-2.0, v.x, v.z));
    let way = keys(&[(1.0, Vec3::zeros()), (3.0, Vec3::new(3.0, 0.0, 0.0))], &[]);
    let meshes = [floor(5.0), blade];
    let mut scene = moving(&meshes, &[None, Some(way)], 0.0, 0.5);
    scene.materials[0].contact = partsim::material::SNOW.contact;
    let mut run = Run::new(&scene, meshes.to_vec());
    for i in 0..20 {
        run.add(
            Point3::new(-1.5 + 0.05 * f64::from(i), 0.3, -0.9 + 0.09 * f64::from(i)),
            Vec3::zeros(),
            0.04,
        );
    }
    run.steps(4 * 24);
    for p in &run.state.particles.position {
        assert!(
            p.x > 1.0 + 0.0399 && p.y > 0.0399 && p.y < 0.2,
            "it was run over: {p}"
        );
    }
    assert!(run.state.tally.pushed > 0);
    assert_eq!((run.state.tally.escapes, run.state.tally.squeezed), (0, 0));
}

/// Between two plates that close to less than its diameter a particle is counted, and stays between them.
#[test]
fn what_is_squeezed_is_counted_and_stays_between() {
    let mut upper = floor(1.0);
    upper.vertices.iter_mut().for_each(|v| v.y = 1.0);
    let way = keys(
        &[
            (0.0, Vec3::zeros()),
            (2.0, Vec3::new(0.0, -0.95, 0.0)),
            (3.0, Vec3::zeros()),
        ],
        &[],
    );
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
        assert!(
            p.position.y > 0.0 && p.position.y < plate,
            "{time}: {} below {plate}",
            p.position.y
        );
    }
    let tally = &run.state.tally;
    assert!(
        tally.squeezed > 0 && tally.escapes == 0 && tally.lost == 0,
        "{tally:?}"
    );
}

/// Plates that close entirely leave no room for anything: what lay between ends, counted, and nothing comes through.
#[test]
fn what_has_no_room_at_all_is_crushed_and_counted() {
    for pile in [false, true] {
        let mut upper = floor(1.0);
        upper.vertices.iter_mut().for_each(|v| v.y = 1.0);
        let way = keys(
            &[
                (0.0, Vec3::zeros()),
                (2.0, Vec3::new(0.0, -1.0, 0.0)),
                (3.0, Vec3::zeros()),
            ],
            &[],
        );
        let meshes = [floor(1.0), upper];
        let mut scene = moving(&meshes, &[None, Some(way)], 0.3, 0.5);
        scene.materials[0].contact = partsim::material::SNOW.contact;
        scene.pile = pile;
        let mut run = Run::new(&scene, meshes.to_vec());
        for i in 0..20 {
            let x = 0.08 * f64::from(i) - 0.8;
            run.add(Point3::new(x, 0.2, 0.3 * x), Vec3::zeros(), 0.3 * R);
        }
        run.steps(24 * 4);
        let tally = &run.state.tally;
        assert_eq!((tally.crushed, tally.died), (20, 20), "{tally:?}");
        assert!(run.state.particles.status.iter().all(|s| s.is_gone()));
        assert_eq!((tally.escapes, tally.lost), (0, 0));
    }
}

/// In the ridge of a steep tent that comes down into the ground no two faces look at each other straight, and yet there is no
/// room: nothing is carried through the ground.
#[test]
fn what_is_caught_in_a_corner_is_crushed_and_not_carried_through() {
    for pile in [false, true] {
        // Slopes of 60 degrees.
        let corners = [[-1.0, 0.0], [0.0, 1.732], [1.0, 0.0]];
        let at = |k: usize, z: Real| Point3::new(corners[k][0], corners[k][1], z);
        let vertices = vec![
            at(0, -2.0),
            at(1, -2.0),
            at(2, -2.0),
            at(0, 2.0),
            at(1, 2.0),
            at(2, 2.0),
        ];
        let tent = mesh(vertices, vec![[0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2]]);
        let way = keys(&[(0.0, Vec3::zeros()), (2.0, Vec3::new(0.0, -2.5, 0.0))], &[]);
        let meshes = [floor(3.0), tent];
        let mut scene = moving(&meshes, &[None, Some(way)], 0.3, 0.5);
        scene.materials[0].contact = partsim::material::SNOW.contact;
        scene.pile = pile;
        let mut run = Run::new(&scene, meshes.to_vec());
        for i in 0..21 {
            let z = 0.1 * f64::from(i) - 1.0;
            run.add(Point3::new(0.3 * z, 0.1, z), Vec3::zeros(), 0.3 * R);
        }
        for _ in 0..24 * 3 {
            run.step();
            let p = &run.state.particles;
            let under = |row: &usize| !p.status[*row].is_gone() && p.position[*row].y < 0.0;
            assert_eq!(
                (0..p.len()).find(under),
                None,
                "it was carried through the ground"
            );
        }
        let tally = &run.state.tally;
        assert!(tally.crushed >= 15 && tally.crushed == tally.died, "{tally:?}");
        assert_eq!((tally.escapes, tally.lost), (0, 0));
    }
}
