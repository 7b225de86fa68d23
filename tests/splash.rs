//! Splashes keep what they must: mass exactly, momentum with what the surface takes, and never more energy.

mod support;

use partsim::contact::splash::{splash, threshold};
use partsim::material::MUD;
use partsim::math::{Point3, Real, Vec3, ball_volume};
use partsim::rng::{Purpose, stream};
use support::{Run, contact, floor, scene};

#[test]
fn mass_and_momentum_of_a_hundred_thousand_impacts() {
    let mut draws = stream(1, Purpose::Birth, 0, 0);
    for n in 0..100_000u64 {
        let normal = draws.in_ball().normalize();
        let mut velocity = draws.in_ball() * draws.between(2.0, 20.0);
        if velocity.dot(&normal) > 0.0 {
            velocity = -velocity;
        }
        let (radius, count) = (draws.between(0.001, 0.05), 2 + (n % 15) as u32);
        let s = splash(
            radius,
            &velocity,
            &normal,
            1.15,
            count,
            &mut stream(2, Purpose::Splash, n, 0),
        );
        assert_eq!(s.droplets.len(), count as usize);
        let (whole, drop) = (ball_volume(radius), ball_volume(s.radius));
        let mass = ball_volume(s.stays) + Real::from(count) * drop;
        assert!((mass / whole - 1.0).abs() < 1e-14, "mass {}", mass / whole - 1.0);
        let thrown = s.droplets.iter().fold(Vec3::zeros(), |sum, d| sum + d.velocity) * (drop / whole);
        let missing = (velocity - thrown - s.impulse).norm() / velocity.norm();
        assert!(missing < 1e-12, "momentum {missing}");
        let energy: Real = s
            .droplets
            .iter()
            .map(|d| d.velocity.norm_squared() * drop / whole)
            .sum();
        assert!(energy <= velocity.norm_squared(), "energy {energy}");
        for d in &s.droplets {
            assert!(
                d.velocity.dot(&normal) > -1e-12 * velocity.norm(),
                "towards the surface"
            );
            assert!(
                d.offset.norm() + s.radius <= radius,
                "outside the ball that splashed"
            );
        }
    }
}

#[test]
fn the_threshold_is_where_the_number_of_mundo_is_57_7() {
    let (r, rho, mu, sigma) = (0.01, 1500.0, 1.0, 0.07);
    let v = threshold(r, rho, mu, sigma);
    let weber = rho * v * v * 2.0 * r / sigma;
    let reynolds = rho * v * 2.0 * r / mu;
    assert!((weber.sqrt() * reynolds.sqrt().sqrt() - 57.7).abs() < 1e-9);
    assert!((v - 1.15).abs() < 0.05, "{v}");
}

fn thrown(speed: Real) -> Run {
    thrown_under(speed, 9.81)
}

fn thrown_under(speed: Real, gravity: Real) -> Run {
    let meshes = vec![floor(50.0)];
    let mut s = scene(&meshes, contact(0.0, 0.5));
    s.materials[0].substance = MUD.substance;
    s.materials[0].radius = partsim::material::RadiusLaw::Constant(0.02);
    s.flow = true;
    s.gravity = Vec3::new(0.0, -gravity, 0.0);
    s.time.frame_rate = 96.0;
    let mut run = Run::new(&s, meshes);
    for i in 0..40u32 {
        let x = Real::from(i) * 0.5 - 10.0;
        run.add(
            Point3::new(x, 0.5, 0.0),
            Vec3::new(0.3 * speed, -speed, 0.0),
            0.02,
        );
    }
    run
}

#[test]
fn fast_mud_splashes_slow_mud_does_not_and_it_ends() {
    let mut slow = thrown_under(0.1, 0.2);
    slow.steps(300);
    assert_eq!((slow.state.tally.splashes, slow.state.particles.len()), (0, 40));
    let mut fast = thrown(8.0);
    let before = 40.0 * ball_volume(0.02);
    fast.steps(300);
    let (t, p) = (&fast.state.tally, &fast.state.particles);
    assert!(t.splashes >= 40, "{} splashes", t.splashes);
    assert_eq!(t.born, p.len() as u64);
    assert!(
        p.status
            .iter()
            .all(|s| s.is_settled() || *s == partsim::state::Status::Flowing),
        "some still fly"
    );
    let after: Real = p.radius.iter().map(|&r| ball_volume(r)).sum();
    assert!(
        (after / before - 1.0).abs() < 1e-12,
        "volume {}",
        after / before - 1.0
    );
    assert_eq!((t.escapes, t.lost, t.not_finite), (0, 0, 0));
}

#[test]
fn threads_change_no_droplet() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let mut run = thrown(8.0);
            run.steps(60);
            run.state
        })
    };
    let one = run(1);
    assert!(one.tally.splashes > 0 && run(2) == one && run(5) == one);
}
