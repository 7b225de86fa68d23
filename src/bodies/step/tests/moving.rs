//! Thin things, things that move, and closely packed ones.

use super::*;

/// A sheet without thickness at height y, moving at a velocity; both sides stop.
struct Sheet {
    height: Real,
    velocity: Vec3,
}

impl Ground for Sheet {
    fn is_clear(&self, place: &Point3, reach: Real) -> bool {
        (place.y - self.height).abs() > reach
    }

    fn near(&self, particle: u32, at: &Point3, reach: Real, touches: &mut Vec<Touch>) {
        let above = at.y - self.height;
        if above.abs() < reach {
            touches.push(Touch {
                particle,
                at: *at,
                point: Point3::new(at.x, self.height, at.z),
                normal: Vec3::y() * 1.0_f64.copysign(above),
                velocity: self.velocity,
            });
        }
    }

    fn stirs(&self, place: &Point3, reach: Real) -> bool {
        self.velocity != Vec3::zeros() && !self.is_clear(place, reach)
    }
}

/// A plate one particle thick.
fn plate() -> Kind {
    kind(&Boxes::cuboid(1.0, 0.1, 1.0), 0.05, 0.3, 0.4)
}

/// Plates thrown at a sheet and at each other, however fast, stay on their sides.
#[test]
fn nothing_gets_through_thin_things_at_speed() {
    let sheet = Sheet {
        height: 0.0,
        velocity: Vec3::zeros(),
    };
    let mut draws = Draws(21);
    for speed in [10.0, 60.0, 300.0] {
        for _ in 0..12 {
            let mut kinds = vec![plate()];
            let axis = Vec3::new(
                draws.within(-1.0, 1.0),
                draws.within(-1.0, 1.0),
                draws.within(-1.0, 1.0),
            );
            let turn = |angle: Real| Quaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle);
            let mut bodies = Bodies::default();
            bodies
                .all
                .push(body([0.0, 2.5, 0.0], turn(draws.within(0.0, 3.0))));
            bodies.all[0].motion.velocity = Vec3::new(0.2 * speed, -speed, 0.0);
            bodies.all[0].motion.angular =
                Vec3::new(draws.within(-90.0, 90.0), 30.0, draws.within(-90.0, 90.0));
            run(&mut bodies, &mut kinds, &sheet, GRAVITY, 0.5, |now, kinds| {
                let lowest = |p: &Vec3| now.all[0].motion.to_world(p).y;
                let lowest = kinds[0]
                    .fill
                    .places
                    .iter()
                    .map(lowest)
                    .fold(Real::INFINITY, Real::min);
                assert!(lowest > 0.0, "{speed} m/s: {lowest}");
            });
            // Head on, faces askew.
            let mut bodies = Bodies::default();
            bodies.all.push(body([0.0, 0.0, 0.0], turn(0.2)));
            bodies.all.push(body([0.1, 3.0, -0.1], turn(-0.3)));
            bodies.all[1].motion.velocity = Vec3::new(0.0, -speed, 0.0);
            let mut steps = 0;
            run(
                &mut bodies,
                &mut kinds,
                &Nothing,
                Vec3::zeros(),
                6.0 / speed,
                |now, _| {
                    steps += 1;
                    let apart = now.all[1].motion.center - now.all[0].motion.center;
                    assert!(apart.y > 0.0, "{speed} m/s: through after {steps} steps");
                },
            );
            assert!(bodies.all[0].motion.velocity.y < -0.3 * speed);
        }
    }
}

/// A floor that rises carries a crate as fast as itself, a belt takes it along by friction, and neither lets it sleep.
#[test]
fn scenery_that_moves_carries_and_rubs() {
    let mut kinds = vec![crate_of(0.0, 0.5)];
    let mut bodies = Bodies::default();
    bodies.all.push(body([0.0, 0.5, 0.0], yaw(10.0)));
    let mut counts = Counts::default();
    for k in 0..240 {
        let lift = Sheet {
            height: Real::from(k) / 240.0,
            velocity: Vec3::y(),
        };
        bodies.step(&mut kinds, &lift, GRAVITY, 1.0 / 240.0, &mut counts);
    }
    let m = &bodies.all[0].motion;
    assert!(
        (m.velocity - Vec3::y()).norm() < 1e-3 && (m.center.y - 1.5).abs() < 2e-3,
        "{m:?}"
    );
    assert!(!bodies.all[0].asleep);
    let belt = Sheet {
        height: 0.0,
        velocity: Vec3::new(2.0, 0.0, 0.0),
    };
    let mut bodies = Bodies::default();
    bodies.all.push(body([0.0, 0.5, 0.0], yaw(10.0)));
    run(&mut bodies, &mut kinds, &belt, GRAVITY, 1.0, |_, _| ());
    // Friction takes v / (mu g) to bring it to the belt's speed, over half of the way that the belt goes meanwhile.
    let catching = 2.0 / (0.5 * 9.81);
    let way = 2.0 * 1.0 - 0.5 * 2.0 * catching;
    let m = &bodies.all[0].motion;
    assert!(
        (m.velocity.x - 2.0).abs() < 1e-3 && (m.center.x - way).abs() < 0.02,
        "{m:?} for {way}"
    );
    assert!(!bodies.all[0].asleep);
}

/// Closely packed crates stack and sleep as well.
#[test]
fn a_stack_of_closely_packed_crates_stands() {
    let grain = Grain {
        packing: fill::Packing::Close,
        ..Grain::cubic(1.0 / 12.0, 1000.0)
    };
    let fill = Fill::new(&Boxes::cuboid(1.0, 1.0, 1.0), &grain).expect("a fill");
    let mut kinds = vec![Kind::new(fill, 0.0, 0.5).expect("a body")];
    let mut bodies = Bodies::default();
    (0..5).for_each(|i| {
        bodies
            .all
            .push(body([0.0, 0.5 + Real::from(i), 0.0], yaw(7.0 * Real::from(i))))
    });
    let start = bodies.clone();
    run(&mut bodies, &mut kinds, &Floor, GRAVITY, 5.0, |_, _| ());
    for (now, then) in bodies.all.iter().zip(&start.all) {
        let moved = now.motion.center - then.motion.center;
        assert!(now.asleep && moved.norm() < 0.02, "{moved}");
    }
}
