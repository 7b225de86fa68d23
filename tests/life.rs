//! What age, touches and places make of particles.

mod support;

use partsim::math::{Aabb, Point3, Real, Vec3};
use partsim::scene::*;
use partsim::state::{Particles, State, Status};
use support::*;

const RADIUS: Real = 0.1;

fn living(life: Life) -> Scene {
    let mut s = scene(&[floor(50.0)], partsim::material::SNOW.contact);
    s.lives = vec![life];
    s.time.frame_rate = 50.0;
    s
}

fn event(when: When, then: Then) -> Life {
    Life {
        lifetime: None,
        events: vec![Event { when, then }],
    }
}

fn one_flake(life: Life, height: Real) -> Run {
    let mut run = Run::new(&living(life), vec![floor(50.0)]);
    run.add(Point3::new(0.0, height, 0.0), Vec3::new(0.5, 0.0, 0.0), RADIUS);
    run
}

fn volume(p: &Particles) -> Real {
    let alive = p.status.iter().zip(&p.radius).filter(|(s, _)| !s.is_gone());
    alive.map(|(_, r)| r * r * r).sum()
}

#[test]
fn lifetimes_end_particles_in_the_air_and_settled_ones() {
    let life = Life {
        lifetime: Some(Lifetime {
            mean: 1.0,
            variation: 0.2,
        }),
        events: vec![],
    };
    let mut run = Run::new(&living(life), vec![floor(50.0)]);
    let n = 4000u32;
    for i in 0..n {
        let height = if i % 2 == 0 { 0.2 } else { 40.0 };
        run.add(
            Point3::new(0.01 * Real::from(i) - 20.0, height, 0.0),
            Vec3::zeros(),
            RADIUS,
        );
    }
    let mut left = vec![];
    for _ in 0..70 {
        run.step();
        run.state.particles.remove_gone();
        left.push(run.state.particles.len() as Real / Real::from(n));
    }
    assert_eq!(
        (left[38], left[69]),
        (1.0, 0.0),
        "none before 0.8 s, all by 1.2 s"
    );
    assert!((left[49] - 0.5).abs() < 0.03, "half by 1 s: {}", left[49]);
    assert_eq!(run.state.tally.died, u64::from(n));
}

#[test]
fn a_split_keeps_volume_and_momentum() {
    let split = Then::Split { count: 7, speed: 2.0 };
    let mut run = one_flake(event(When::Age(0.501), split), 30.0);
    let before = volume(&run.state.particles);
    run.steps(26);
    let p = &run.state.particles;
    assert_eq!(p.len(), 8);
    assert_eq!(p.status[0], Status::Died);
    assert!((volume(p) / before - 1.0).abs() < 1e-12);
    assert!(p.born[1..].iter().all(|b| *b == 0.501));
    let mean = p.velocity[1..].iter().sum::<Vec3>() / 7.0;
    // All fall freely, so their mean falls as the whole one would.
    assert!((mean - Vec3::new(0.5, -9.81 * 0.52, 0.0)).norm() < 1e-9, "{mean}");
    let middle = p.position[1..].iter().map(|q| q.coords).sum::<Vec3>() / 7.0;
    assert!(
        (middle.y - (30.0 - 0.5 * 9.81 * 0.52 * 0.52)).abs() < RADIUS,
        "{middle}"
    );
    run.steps(25);
    assert_eq!(run.state.particles.len(), 8, "parts are too small to split again");
    assert_eq!((run.state.tally.died, run.state.tally.children), (1, 7));
}

#[test]
fn a_touch_splits_once_and_parts_cut_nothing() {
    let split = Then::Split { count: 4, speed: 1.0 };
    let mut run = one_flake(event(When::Contact, split), 1.0);
    let before = volume(&run.state.particles);
    run.steps(200);
    let p = &run.state.particles;
    assert_eq!((p.len(), run.state.tally.children), (5, 4));
    assert!((volume(p) / before - 1.0).abs() < 1e-12);
    for row in 1..5 {
        assert!(p.status[row].is_settled());
        assert!(p.position[row].y >= p.radius[row] * (1.0 - 1e-9));
    }
}

#[test]
fn an_emitting_touch_gives_off_others_and_goes_on() {
    let mut s = living(Life::default());
    s.materials.push(s.materials[0].clone());
    s.materials[1].name = "n".into();
    s.materials[1].radius = partsim::material::RadiusLaw::Constant(0.02);
    s.lives = vec![
        event(
            When::Contact,
            Then::Emit {
                material: 1,
                count: 3,
                speed: 1.0,
            },
        ),
        Life::default(),
    ];
    let mut run = Run::new(&s, vec![floor(50.0)]);
    run.add(Point3::new(0.0, 0.5, 0.0), Vec3::zeros(), RADIUS);
    run.steps(100);
    let p = &run.state.particles;
    assert_eq!(p.material, [0, 1, 1, 1]);
    assert_eq!(p.radius, [RADIUS, 0.02, 0.02, 0.02]);
    assert!(p.status.iter().all(|s| s.is_settled()), "{:?}", p.status);
}

#[test]
fn leaving_a_region_ends_a_particle() {
    let region = Region {
        shape: RegionShape::Box {
            bounds: Aabb {
                min: Point3::new(-1.0, -1.0, -1.0),
                max: Point3::new(1.0, 60.0, 1.0),
            },
        },
        edge: 0.0,
    };
    let mut run = one_flake(event(When::Leaves(region), Then::Kill), 30.0);
    run.steps(99);
    assert_eq!(run.state.particles.status[0], Status::Airborne);
    run.steps(3);
    assert_eq!(run.state.tally.died, 1, "at x = 1 after 2 s");
}

#[test]
fn events_of_the_settled_happen_at_their_moment() {
    let mut run = one_flake(event(When::Age(2.0), Then::Kill), 0.2);
    run.steps(99);
    assert!(run.state.particles.status[0].is_settled());
    run.step();
    assert_eq!(run.state.particles.status[0], Status::Died);
    assert_eq!(run.state.tally.died, 1);
    let split = Then::Split { count: 3, speed: 0.5 };
    let mut run = one_flake(event(When::Age(2.0), split), 0.2);
    run.steps(160);
    let p = &run.state.particles;
    assert_eq!(p.len(), 4);
    assert!(
        p.position[1..]
            .iter()
            .zip(&p.radius[1..])
            .all(|(q, r)| q.y >= r * (1.0 - 1e-9))
    );
}

#[test]
fn threads_do_not_change_a_byte_of_a_life() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            let life = Life {
                lifetime: Some(Lifetime {
                    mean: 1.0,
                    variation: 0.5,
                }),
                events: vec![
                    Event {
                        when: When::Contact,
                        then: Then::Split { count: 3, speed: 1.0 },
                    },
                    Event {
                        when: When::Age(0.3),
                        then: Then::Split { count: 2, speed: 2.0 },
                    },
                ],
            };
            let mut run = Run::new(&living(life), vec![floor(50.0)]);
            for i in 0..3000 {
                let i = Real::from(i);
                run.add(Point3::new(0.01 * i, 0.2 + 0.001 * i, 0.0), Vec3::zeros(), RADIUS);
            }
            run.steps(40);
            run.state
        })
    };
    let one = run(1);
    assert!(one.tally.children > 3000 && one.tally.died > 3000);
    for threads in [2, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

/// The same lives where particles pile up.
fn heaping(life: Life) -> Scene {
    let mut s = living(life);
    s.pile = true;
    s
}

#[test]
fn what_piles_up_lives_in_the_air_as_everything_else_does() {
    let region = Region {
        shape: RegionShape::Box {
            bounds: Aabb {
                min: Point3::new(-1.0, -1.0, -1.0),
                max: Point3::new(1.0, 60.0, 1.0),
            },
        },
        edge: 0.0,
    };
    let split = Then::Split { count: 5, speed: 0.5 };
    let lives = [
        event(When::Age(0.501), Then::Kill),
        event(When::Age(0.501), split),
        event(When::Leaves(region), Then::Kill),
        event(When::Leaves(region), split),
        Life {
            lifetime: Some(Lifetime {
                mean: 0.7,
                variation: 0.5,
            }),
            events: vec![],
        },
    ];
    for life in lives {
        let fly = |scene: &Scene| {
            let mut run = Run::new(scene, vec![floor(50.0)]);
            for i in 0..20 {
                let place = Point3::new(0.9 - 0.1 * Real::from(i), 30.0, 0.3 * Real::from(i) - 1.0);
                run.add(place, Vec3::new(0.5, 0.0, 0.0), RADIUS);
            }
            run.steps(60);
            run.state.particles.remove_gone();
            run.state
        };
        let (free, heaped) = (fly(&living(life.clone())), fly(&heaping(life.clone())));
        assert!(free.tally.died > 0, "{life:?}");
        assert_eq!(free.tally.died, heaped.tally.died, "{life:?}");
        let rows = |s: &State| {
            let p = &s.particles;
            let row = |i: usize| (p.id[i], p.key[i], p.position[i], p.velocity[i]);
            (0..p.len()).map(row).collect::<Vec<_>>()
        };
        assert_eq!(rows(&free), rows(&heaped), "{life:?}");
    }
}

#[test]
fn the_first_touch_of_scenery_or_heap_is_an_event_and_no_later_one_is() {
    let mut s = heaping(event(When::Contact, Then::Kill));
    s.materials.push(s.materials[0].clone());
    s.materials[1].name = "n".into();
    s.materials[1].radius = partsim::material::RadiusLaw::Constant(0.02);
    let give = Then::Emit {
        material: 1,
        count: 2,
        speed: 0.0,
    };
    s.lives = vec![event(When::Contact, give), Life::default()];
    s.materials[0].contact = partsim::material::Contact {
        restitution: 0.5,
        friction: 0.3,
        stick: partsim::material::Stick::Never,
    };
    let mut run = Run::new(&s, vec![floor(50.0)]);
    run.add(Point3::new(0.0, 1.0, 0.0), Vec3::zeros(), RADIUS);
    run.add(Point3::new(0.0, 3.0, 0.0), Vec3::zeros(), RADIUS);
    run.steps(200);
    let p = &run.state.particles;
    assert_eq!(run.state.tally.children, 4, "each bounces several times");
    assert!(run.state.tally.contacts > 6);
    assert!(p.status.iter().all(|s| s.is_settled()), "{:?}", p.status);
    let mut run = Run::new(&heaping(event(When::Contact, Then::Kill)), vec![floor(50.0)]);
    run.add(Point3::new(0.0, 0.5, 0.0), Vec3::zeros(), RADIUS);
    run.steps(30);
    assert_eq!((run.state.tally.died, run.state.particles.len()), (1, 0));
}

#[test]
fn a_heap_dies_from_below_and_comes_down_the_same_for_any_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            let life = Life {
                lifetime: Some(Lifetime {
                    mean: 2.0,
                    variation: 0.4,
                }),
                events: vec![Event {
                    when: When::Age(1.8),
                    then: Then::Split { count: 2, speed: 0.3 },
                }],
            };
            let mut run = Run::new(&heaping(life), vec![floor(50.0)]);
            for i in 0..400 {
                let place = Point3::new(
                    0.23 * Real::from(i % 5),
                    0.3 + 0.21 * Real::from(i / 25),
                    0.22 * Real::from(i / 5 % 5),
                );
                run.add(place, Vec3::zeros(), RADIUS);
            }
            run.steps(110);
            run.state
        })
    };
    let one = run(1);
    assert!(one.tally.moved_on > 20 && one.tally.died > 300, "{:?}", one.tally);
    for threads in [2, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
