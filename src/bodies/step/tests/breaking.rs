//! Bodies that break: what is kept, and that the parts are bodies like any other.

use super::*;

/// A slab that breaks.
fn brittle_slab(bears: Real) -> Vec<Kind> {
    let grain = Grain::cubic(0.05, 1000.0);
    let cells = fill::cells(&Boxes::cuboid(1.6, 0.4, 1.2), &grain).expect("cells");
    let own = Fill::of_cells(&cells, &grain).expect("a fill");
    let mut draws = Draws(9);
    let brittle = Brittle::new(0, cells, grain, (10, bears), &mut || draws.within(0.0, 1.0));
    vec![Kind {
        brittle: Some(brittle),
        ..Kind::new(own, 0.2, 0.5).expect("a body")
    }]
}

/// Momentum, angular momentum about the origin, and mass.
fn sums(bodies: &Bodies, kinds: &[Kind]) -> (Vec3, Vec3, Real) {
    bodies
        .all
        .iter()
        .fold((Vec3::zeros(), Vec3::zeros(), 0.0), |(p, l, mass), b| {
            let m = kinds[b.kind as usize].inertia.mass;
            let own = b.motion.velocity * m;
            (
                p + own,
                l + b.motion.angular + b.motion.center.coords.cross(&own),
                mass + m,
            )
        })
}

/// In free space a crate hits a slab, which breaks: mass and both momenta are kept, and no energy comes up.
#[test]
fn breaking_keeps_mass_and_momenta_and_adds_no_energy() {
    let mut kinds = brittle_slab(150.0);
    kinds.push(crate_of(0.2, 0.5));
    let mut bodies = Bodies::default();
    bodies.all.push(body([0.0, 0.0, 0.0], yaw(15.0)));
    bodies.all[0].motion.angular = Vec3::new(20.0, 5.0, -10.0);
    bodies.all.push(Body {
        kind: 1,
        ..body([0.3, 1.2, 0.1], yaw(40.0))
    });
    bodies.all[1].motion.velocity = Vec3::new(0.0, -4.0, 0.0);
    let (p, l, mass) = sums(&bodies, &kinds);
    let mut last = energy(&bodies, &kinds, &Vec3::zeros());
    let first = last;
    let counts = run(
        &mut bodies,
        &mut kinds,
        &Nothing,
        Vec3::zeros(),
        2.0,
        |now, kinds| {
            let (q, k, m) = sums(now, kinds);
            assert!((q - p).norm() < 1e-11 * p.norm(), "momentum {}", (q - p).norm());
            // Depth is taken back by places alone, which shifts momenta a little.
            assert!(
                (k - l).norm() < 1e-3 * p.norm(),
                "angular momentum {}",
                (k - l).norm() / p.norm()
            );
            assert!((m - mass).abs() < 1e-11 * mass);
            let e = energy(now, kinds, &Vec3::zeros());
            assert!(e <= last + 1e-12 * first, "energy {last} to {e}");
            last = e;
        },
    );
    assert!(
        bodies.all.len() > 4 && counts.broken > 3,
        "{} bodies, {} links",
        bodies.all.len(),
        counts.broken
    );
}

/// What falls on a floor breaks into bodies that come to rest on it and in no other one; what bears more stays whole.
#[test]
fn a_slab_that_falls_breaks_and_its_parts_come_to_rest() {
    for (bears, breaks) in [(100.0, true), (1e6, false)] {
        let mut kinds = brittle_slab(bears);
        let mut bodies = Bodies::default();
        let tilted = Quaternion::from_axis_angle(&Vec3::z_axis(), 0.5);
        bodies.all.push(body([0.0, 2.0, 0.0], tilted));
        let mut last = energy(&bodies, &kinds, &GRAVITY);
        let first = last;
        run(&mut bodies, &mut kinds, &Floor, GRAVITY, 8.0, |now, kinds| {
            let e = energy(now, kinds, &GRAVITY);
            assert!(e <= last + 1e-12 * first, "energy {last} to {e}");
            last = e;
        });
        assert_eq!(bodies.all.len() > 3, breaks, "{} bodies", bodies.all.len());
        for b in &bodies.all {
            assert!(b.asleep, "{:?}", b.motion);
            let lowest = |p: &Vec3| b.motion.to_world(p).y - 0.05;
            let kind = &kinds[b.kind as usize];
            let lowest = kind
                .fill
                .places
                .iter()
                .map(lowest)
                .fold(Real::INFINITY, Real::min);
            assert!(lowest > -0.01, "{lowest}");
        }
    }
}

/// The parts of what turns and flies move on as they did in the whole: masses, momenta and energy are the same to rounding.
#[test]
fn parts_have_the_motion_of_the_whole() {
    let mut kinds = brittle_slab(100.0);
    let mut bodies = Bodies::default();
    let tilted = Quaternion::from_axis_angle(&Vec3::z_axis(), 0.5);
    bodies.all.push(body([3.0, 2.0, -1.0], tilted));
    bodies.all[0].motion.velocity = Vec3::new(3.0, -7.0, 1.0);
    bodies.all[0].motion.angular = Vec3::new(300.0, 500.0, -200.0);
    let (p, l, mass) = sums(&bodies, &kinds);
    let e = energy(&bodies, &kinds, &GRAVITY);
    let blow = |particle: u32| crate::bodies::brittle::Blow {
        particle,
        arm: kinds[0].fill.surface()[particle as usize],
        impulse: Vec3::new(0.0, 900.0, 0.0),
    };
    let (kind, blows) = (&kinds[0], [blow(0), blow(40), blow(90)]);
    let mut brittle = kind.brittle.clone().expect("it may break");
    assert!(brittle.bear(&kind.fill, &kind.inertia, &blows) > 0);
    let parts = brittle.parts();
    assert!(parts.len() > 1 && bodies.take_apart(0, parts, &mut kinds));
    let (q, k, m) = sums(&bodies, &kinds);
    assert!((q - p).norm() < 1e-12 * p.norm() && (k - l).norm() < 1e-12 * l.norm());
    assert!((m / mass - 1.0).abs() < 1e-12);
    assert!((energy(&bodies, &kinds, &GRAVITY) / e - 1.0).abs() < 1e-12);
}
