use super::*;
use crate::bodies::fill::{self, Grain};
use crate::bodies::shapes::{Ball, Boxes};
use crate::math::{Point3, Quaternion};

mod breaking;
mod moving;

const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// The half space below y = 0.
struct Floor;

impl Ground for Floor {
    fn is_clear(&self, place: &Point3, reach: Real) -> bool {
        place.y > reach
    }

    fn near(&self, particle: u32, at: &Point3, reach: Real, touches: &mut Vec<Touch>) {
        if at.y < reach {
            touches.push(Touch {
                particle,
                at: *at,
                point: Point3::new(at.x, 0.0, at.z),
                normal: Vec3::y(),
                velocity: Vec3::zeros(),
            });
        }
    }
}

/// No scenery.
struct Nothing;

impl Ground for Nothing {
    fn is_clear(&self, _: &Point3, _: Real) -> bool {
        true
    }

    fn near(&self, _: u32, _: &Point3, _: Real, _: &mut Vec<Touch>) {}
}

fn kind(solid: &dyn fill::Solid, radius: Real, restitution: Real, friction: Real) -> Kind {
    let fill = Fill::new(solid, &Grain::cubic(radius, 1000.0)).expect("a fill");
    Kind::new(fill, restitution, friction).expect("a body")
}

fn crate_of(restitution: Real, friction: Real) -> Kind {
    kind(&Boxes::cuboid(1.0, 1.0, 1.0), 1.0 / 12.0, restitution, friction)
}

fn body(center: [Real; 3], turn: Quaternion) -> Body {
    let motion = Motion {
        center: Point3::from(center),
        turn,
        velocity: Vec3::zeros(),
        angular: Vec3::zeros(),
    };
    Body {
        kind: 0,
        motion,
        quiet: 0.0,
        asleep: false,
    }
}

fn yaw(degrees: Real) -> Quaternion {
    Quaternion::from_axis_angle(&Vec3::y_axis(), degrees.to_radians())
}

struct Draws(u64);

impl Draws {
    fn within(&mut self, low: Real, high: Real) -> Real {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as Real / (1u64 << 53) as Real)
    }
}

/// Kinetic and potential energy.
fn energy(bodies: &Bodies, kinds: &[Kind], gravity: &Vec3) -> Real {
    let of = |b: &Body| {
        let inertia = &kinds[b.kind as usize].inertia;
        b.motion.kinetic_energy(inertia) - inertia.mass * gravity.dot(&b.motion.center.coords)
    };
    bodies.all.iter().map(of).sum()
}

fn run(
    bodies: &mut Bodies,
    kinds: &mut Vec<Kind>,
    ground: &dyn Ground,
    gravity: Vec3,
    seconds: Real,
    mut each: impl FnMut(&Bodies, &[Kind]),
) -> Counts {
    let mut counts = Counts::default();
    for _ in 0..(seconds * 240.0) as usize {
        bodies.step(kinds, ground, gravity, 1.0 / 240.0, &mut counts);
        each(bodies, kinds);
    }
    counts
}

#[test]
fn a_stack_of_ten_crates_stands_and_sleeps() {
    let mut kinds = vec![crate_of(0.0, 0.5)];
    for jitter in [0.0, 0.15] {
        let mut draws = Draws(5);
        let mut bodies = Bodies::default();
        for i in 0..10 {
            let [x, z] = [0, 1].map(|_| draws.within(-jitter, jitter));
            let turn = yaw(draws.within(-jitter, jitter).to_degrees());
            bodies.all.push(body([x, 0.5 + Real::from(i), z], turn));
        }
        let start = bodies.clone();
        let mut slept = None;
        let mut step = 0;
        let mut still: Option<Bodies> = None;
        run(&mut bodies, &mut kinds, &Floor, GRAVITY, 8.0, |now, _| {
            step += 1;
            if now.all.iter().all(|b| b.asleep) {
                slept.get_or_insert(step);
                assert!(
                    *still.get_or_insert_with(|| now.clone()) == *now,
                    "a sleeping body moved"
                );
            }
        });
        let slept = slept.map_or(f64::INFINITY, |s| f64::from(s) / 240.0);
        assert!(slept <= 5.0, "jitter {jitter}: asleep after {slept} s");
        for (now, then) in bodies.all.iter().zip(&start.all) {
            let moved = now.motion.center - then.motion.center;
            let drift = (moved.x * moved.x + moved.z * moved.z).sqrt() / slept.max(1.0);
            assert!(drift < 1e-3, "jitter {jitter}: drift {drift} edges a second");
            assert!(
                -moved.y < 0.05 / 12.0,
                "jitter {jitter}: sank by {} r",
                -moved.y * 12.0
            );
        }
    }
}

#[test]
fn no_step_adds_energy() {
    for (restitution, friction) in [(1.0, 0.0), (1.0, 0.5), (0.9, 0.3), (0.5, 0.8), (0.0, 0.5)] {
        let mut kinds = vec![crate_of(restitution, friction)];
        let mut draws = Draws(11);
        let mut bodies = Bodies::default();
        for i in 0..12 {
            let at = [
                draws.within(-0.8, 0.8),
                1.2 + 1.8 * Real::from(i),
                draws.within(-0.8, 0.8),
            ];
            let axis = Vec3::new(draws.within(-1.0, 1.0), draws.within(-1.0, 1.0), 0.3);
            let turn =
                Quaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis), draws.within(0.0, 3.0));
            let mut new = body(at, turn);
            new.motion.velocity = Vec3::new(draws.within(-1.0, 1.0), -2.0, draws.within(-1.0, 1.0));
            new.motion.angular = Vec3::new(draws.within(-100.0, 100.0), draws.within(-100.0, 100.0), 50.0);
            bodies.all.push(new);
        }
        let first = energy(&bodies, &kinds, &GRAVITY);
        let mut last = first;
        let mut worst: Real = 0.0;
        run(&mut bodies, &mut kinds, &Floor, GRAVITY, 6.0, |now, kinds| {
            let e = energy(now, kinds, &GRAVITY);
            worst = worst.max((e - last) / first);
            last = e;
        });
        assert!(
            worst <= 1e-12,
            "e {restitution}, friction {friction}: gains {worst}"
        );
        let lowest = bodies
            .all
            .iter()
            .map(|b| b.motion.center.y)
            .fold(Real::INFINITY, Real::min);
        assert!(lowest > 0.4, "e {restitution}: a crate sank to {lowest}");
    }
}

#[test]
fn two_in_free_space_keep_both_momenta() {
    let mut kinds = vec![crate_of(0.8, 0.4), kind(&Ball(0.4), 0.05, 0.8, 0.4)];
    let mut bodies = Bodies::default();
    bodies.all.push(body([-1.5, 0.1, 0.0], yaw(20.0)));
    bodies.all.push(Body {
        kind: 1,
        ..body([1.5, 0.0, 0.2], yaw(0.0))
    });
    bodies.all[0].motion.velocity = Vec3::new(2.0, 0.1, 0.0);
    bodies.all[1].motion.velocity = Vec3::new(-1.0, 0.0, 0.0);
    let momenta = |now: &Bodies, kinds: &[Kind]| {
        let mut sums = [Vec3::zeros(); 2];
        for b in &now.all {
            let p = b.motion.velocity * kinds[b.kind as usize].inertia.mass;
            sums[0] += p;
            sums[1] += b.motion.angular + b.motion.center.coords.cross(&p);
        }
        sums
    };
    let start = momenta(&bodies, &kinds);
    let scale = start[0].norm();
    let before = bodies.clone();
    run(
        &mut bodies,
        &mut kinds,
        &Nothing,
        Vec3::zeros(),
        3.0,
        |now, kinds| {
            let [p, l] = momenta(now, kinds);
            assert!((p - start[0]).norm() < 1e-12 * scale);
            assert!(
                (l - start[1]).norm() < 1e-9 * scale,
                "{}",
                (l - start[1]).norm() / scale
            );
        },
    );
    assert!(
        (bodies.all[0].motion.velocity - before.all[0].motion.velocity).norm() > 0.3,
        "they met"
    );
}

/// With friction 0.5 a crate stands on a slope of 26 degrees and slides on one of 27.5: here gravity is tilted instead.
#[test]
fn friction_holds_up_to_its_angle() {
    for (degrees, holds) in [(25.5_f64, true), (27.5, false)] {
        let mut kinds = vec![crate_of(0.0, 0.5)];
        let mut bodies = Bodies::default();
        bodies.all.push(body([0.0, 0.5, 0.0], yaw(0.0)));
        let (sin, cos) = libm::sincos(degrees.to_radians());
        run(
            &mut bodies,
            &mut kinds,
            &Floor,
            Vec3::new(9.81 * sin, -9.81 * cos, 0.0),
            2.0,
            |_, _| (),
        );
        let x = bodies.all[0].motion.center.x;
        if holds {
            assert!(x < 1e-3, "{x}");
        } else {
            let expected = 0.5 * 9.81 * (sin - 0.5 * cos) * 4.0;
            assert!((x / expected - 1.0).abs() < 0.02, "{x} for {expected}");
        }
    }
}

#[test]
fn a_ball_that_bounces_comes_back_by_its_restitution() {
    let mut kinds = vec![kind(&Ball(0.5), 0.05, 0.7, 0.0)];
    let mut bodies = Bodies::default();
    bodies.all.push(body([0.0, 2.5, 0.0], yaw(0.0)));
    let mut heights = Vec::new();
    let (mut up, mut highest) = (false, 0.0);
    run(&mut bodies, &mut kinds, &Floor, GRAVITY, 2.5, |now, _| {
        let m = &now.all[0].motion;
        if up && m.velocity.y <= 0.0 {
            heights.push(highest - 0.5);
        }
        up = m.velocity.y > 0.0;
        highest = m.center.y;
    });
    assert!(heights.len() >= 2, "{heights:?}");
    // Once the velocity comes back as 0.7 of itself, the height as 0.49; energy may take a little more.
    assert!((heights[0] / 2.0 - 0.49).abs() < 0.02, "{heights:?}");
    assert!((heights[1] / heights[0] - 0.49).abs() < 0.03, "{heights:?}");
}
