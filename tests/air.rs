//! Wind, eddies and flutter against closed forms: what falls where behind walls and under eaves.

mod support;

use partsim::keyed::Keyed;
use partsim::math::{Aabb, Point3, Real, Vec3};
use partsim::mesh::Mesh;
use partsim::scene::*;
use partsim::state::Particles;
use support::*;

const FALL: Real = 1.0;
const RADIUS: Real = 0.02;

fn wind(x: Real) -> WindSpec {
    WindSpec {
        velocity: Vec3::new(x, 0.0, 0.0).into(),
        gusts: None,
        profile: None,
        shelter: None,
    }
}

fn eddies(speed: Real, length: Real) -> ForceSpec {
    let speed = speed.into();
    ForceKind::Turbulence {
        speed,
        length,
        drift: None,
    }
    .into()
}

fn flutter() -> ForceSpec {
    ForceKind::Flutter {
        amplitude: 0.03.into(),
        frequency: [1.0, 3.0],
    }
    .into()
}

/// Snow that falls at [`FALL`] through these forces and stays where it lands.
fn snow(meshes: &[Mesh], forces: Vec<ForceSpec>) -> Scene {
    let mut s = scene(meshes, partsim::material::SNOW.contact);
    let coefficient = (9.81 / (FALL * FALL)).into();
    s.forces = forces;
    s.forces.push(ForceKind::QuadraticDrag { coefficient }.into());
    s.time.frame_rate = 50.0;
    s
}

fn quad(corners: [[Real; 3]; 4]) -> Mesh {
    let vertices = corners.map(|[x, y, z]| Point3::new(x, y, z)).to_vec();
    mesh(vertices, vec![[0, 1, 2], [0, 2, 3]])
}

/// A wall across the x axis at x = 0.
fn wall(height: Real, half: Real) -> Mesh {
    quad([
        [0.0, 0.0, -half],
        [0.0, height, -half],
        [0.0, height, half],
        [0.0, 0.0, half],
    ])
}

/// A row of flakes along x at a height, falling and drifting from the start.
fn drop_row(run: &mut Run, y: Real, from: Real, to: Real, n: u32, velocity: Vec3) {
    for i in 0..n {
        let x = from + (to - from) * (Real::from(i) + 0.5) / Real::from(n);
        let z = 0.7 * libm::sin(Real::from(i));
        run.add(Point3::new(x, y, z), velocity, RADIUS);
    }
}

fn landed(p: &Particles) -> impl Iterator<Item = Point3> + '_ {
    let rows = p.status.iter().zip(&p.position);
    rows.filter(|(s, _)| s.is_settled()).map(|(_, at)| *at)
}

/// Against drag k v^2 a fall from rest has the speed v tanh(g t / v), v^2 = g / k: the terminal speed, exactly in the end.
#[test]
fn a_fall_against_quadratic_drag_keeps_to_its_law_and_ends_at_the_terminal_speed() {
    let terminal = 3.0;
    let after = |rate: Real, seconds: Real| {
        let mut s = snow(&[], vec![]);
        let coefficient = (9.81 / (terminal * terminal)).into();
        s.forces = vec![ForceKind::QuadraticDrag { coefficient }.into()];
        s.time.frame_rate = rate;
        let mut run = Run::new(&s, vec![]);
        run.add(Point3::origin(), Vec3::zeros(), RADIUS);
        run.steps((seconds * rate).round() as usize);
        -run.state.particles.velocity[0].y
    };
    for seconds in [0.1, 0.3, 1.0] {
        let law = terminal * libm::tanh(9.81 * seconds / terminal);
        let errors = [1000.0, 4000.0].map(|rate| (after(rate, seconds) - law).abs() / law);
        assert!(
            errors[0] < 2e-3 && errors[1] < 0.3 * errors[0] + 1e-9,
            "{seconds} s: {errors:?}"
        );
    }
    for rate in [10.0, 100.0] {
        let speed = after(rate, 20.0);
        assert!(
            (speed / terminal - 1.0).abs() < 1e-9,
            "{speed} at {rate} steps a second"
        );
    }
}

#[test]
fn behind_a_wall_a_uniform_wind_leaves_a_dry_strip_of_its_shadow() {
    let (height, speed) = (2.0, 5.0);
    let meshes = [floor(60.0), wall(height, 50.0)];
    let mut run = Run::new(
        &snow(&meshes, vec![ForceKind::Wind(wind(speed)).into()]),
        meshes.to_vec(),
    );
    drop_row(&mut run, 4.0, -40.0, 10.0, 20_000, Vec3::new(speed, -FALL, 0.0));
    run.steps(400);
    let on_floor: Vec<Real> = landed(&run.state.particles)
        .filter(|p| p.y < 1.5 * RADIUS)
        .map(|p| p.x)
        .collect();
    let nearest = on_floor
        .iter()
        .copied()
        .filter(|x| *x > 0.1)
        .fold(Real::INFINITY, Real::min);
    // The flake that just clears the wall's edge falls height - r on its way, and passes the edge at a distance r.
    let strip = (height - RADIUS) * speed / FALL;
    let over_the_edge = RADIUS * (1.0 + speed * speed / (FALL * FALL)).sqrt();
    assert!(
        (nearest - strip - over_the_edge).abs() < 0.05,
        "{nearest} for {strip}"
    );
    assert!(on_floor.iter().any(|x| *x < 0.0) && on_floor.len() > 5000);
}

/// Flakes that land on the floor under an eave 3 m up that reaches from x = 0 to x = 1.
fn under_the_eave(forces: Vec<ForceSpec>) -> usize {
    let eave = quad([
        [0.0, 3.0, -30.0],
        [0.0, 3.0, 30.0],
        [1.0, 3.0, 30.0],
        [1.0, 3.0, -30.0],
    ]);
    let meshes = [floor(40.0), eave];
    let mut run = Run::new(&snow(&meshes, forces), meshes.to_vec());
    drop_row(&mut run, 4.0, -4.0, 5.0, 20_000, Vec3::new(0.0, -FALL, 0.0));
    run.steps(600);
    let p = &run.state.particles;
    assert_eq!(landed(p).count(), p.len());
    landed(p)
        .filter(|p| p.y < 0.1 && (0.1..0.9).contains(&p.x))
        .count()
}

#[test]
fn under_an_eave_nothing_falls_in_still_air_and_eddies_bring_some() {
    assert_eq!(under_the_eave(vec![]), 0);
    assert_eq!(
        under_the_eave(vec![flutter()]),
        0,
        "a periodic motion gets no farther"
    );
    let with = under_the_eave(vec![flutter(), eddies(0.3, 1.0)]);
    assert!(with > 100, "{with}");
}

/// Root mean square of the way that eddies carry flakes along x while they fall [m].
fn spread(speed: Real, length: Real) -> Real {
    let meshes = [floor(200.0)];
    let mut run = Run::new(&snow(&meshes, vec![eddies(speed, length)]), meshes.to_vec());
    let (n, from, to) = (10_000, -100.0, 100.0);
    drop_row(&mut run, 3.0, from, to, n, Vec3::new(0.0, -FALL, 0.0));
    let start: Vec<Point3> = run.state.particles.position.clone();
    run.steps(200);
    let ways = run
        .state
        .particles
        .position
        .iter()
        .zip(&start)
        .map(|(a, b)| (a.x - b.x).powi(2));
    (ways.sum::<Real>() / Real::from(n)).sqrt()
}

#[test]
fn eddies_carry_flakes_by_the_rule_of_taylor() {
    // sigma sqrt(2 T t) with the speed along one axis and T = length / fall speed is the most: eddies turn, so that
    // they forget sooner.
    for (speed, length) in [(0.1, 1.0), (0.3, 1.0), (0.3, 0.3)] {
        let rule = speed / 3f64.sqrt() * (2.0 * length / FALL * 3.0 / FALL).sqrt();
        let got = spread(speed, length);
        assert!(
            (0.3..1.0).contains(&(got / rule)),
            "{speed} {length}: {got} for {rule}"
        );
    }
}

/// Flakes a metre that lie still close behind a fence 1 m high and in the open, in a wind that knows it or does not.
fn deposits(shelter: Option<ShelterSpec>) -> [Real; 2] {
    let meshes = [floor(40.0), wall(1.0, 12.0)];
    let air = WindSpec { shelter, ..wind(3.0) };
    let mut run = Run::new(&snow(&meshes, vec![ForceKind::Wind(air).into()]), meshes.to_vec());
    drop_row(&mut run, 2.0, -12.0, 16.0, 6000, Vec3::new(3.0, -FALL, 0.0));
    run.steps(250);
    let count = |from: Real, to: Real| {
        let there = landed(&run.state.particles).filter(|p| p.y < 0.1 && (from..to).contains(&p.x));
        there.count() as Real / (to - from)
    };
    [count(0.5, 2.5), count(12.0, 18.0)]
}

#[test]
fn behind_a_fence_the_wind_is_slower_and_snow_fills_the_dry_strip() {
    let spec = ShelterSpec {
        strength: 0.8,
        reach: None,
        cell: None,
    };
    let meshes = [floor(40.0), wall(1.0, 12.0)];
    let air = WindSpec {
        shelter: Some(spec),
        ..wind(4.0)
    };
    let run = Run::new(&snow(&meshes, vec![ForceKind::Wind(air).into()]), meshes.to_vec());
    let speed = |x, y| run.world.forces.at(&Point3::new(x, y, 0.0), 0.0, 0).air.x / 4.0;
    assert!(
        speed(1.5, 0.2) < 0.35 && speed(-3.0, 0.2) > 0.85,
        "{} {}",
        speed(1.5, 0.2),
        speed(-3.0, 0.2)
    );
    assert!(speed(4.0, 0.2) < speed(8.0, 0.2) && speed(8.0, 0.2) < 0.95);
    assert_eq!(
        [speed(3.0, 2.5), speed(14.0, 0.2)],
        [1.0, 1.0],
        "above it, and far behind"
    );
    // What sticks fills the strip that the fence would leave dry.
    assert_eq!(deposits(None)[0], 0.0);
    let [lee, open] = deposits(Some(spec));
    assert!(lee > 0.1 * open, "lee {lee}, open {open}");
}

/// Flakes a metre that lie around a snow fence of five boards, 1 m high and half open, in a wind of 8 m/s: from 4 m
/// before it to 12 m behind it, metre by metre.
fn drift(shelter: Option<ShelterSpec>) -> [u32; 16] {
    let board = |n: u32| {
        let (low, high) = (0.1 + 0.2 * Real::from(n), 0.2 + 0.2 * Real::from(n));
        quad([
            [0.0, low, -12.0],
            [0.0, high, -12.0],
            [0.0, high, 12.0],
            [0.0, low, 12.0],
        ])
    };
    let meshes: Vec<Mesh> = std::iter::once(floor(40.0)).chain((0..5).map(board)).collect();
    let air = WindSpec { shelter, ..wind(8.0) };
    let mut run = Run::new(&snow(&meshes, vec![ForceKind::Wind(air).into()]), meshes);
    drop_row(&mut run, 2.0, -36.0, 10.0, 10_000, Vec3::new(8.0, -FALL, 0.0));
    run.steps(600);
    let mut metres = [0; 16];
    for at in landed(&run.state.particles).filter(|p| p.y < 1.5 * RADIUS && (-4.0..12.0).contains(&p.x)) {
        metres[(at.x + 4.0) as usize] += 1;
    }
    metres
}

#[test]
fn a_snow_fence_gathers_in_its_lee_what_the_wind_carries_over_open_ground() {
    let spec = ShelterSpec {
        strength: 0.8,
        reach: None,
        cell: None,
    };
    // Without a lee the wind leaves nothing anywhere.
    assert_eq!(drift(None), [0; 16]);
    let metres = drift(Some(spec));
    let sum = |range: std::ops::Range<usize>| metres[range].iter().sum::<u32>();
    // The drift lies behind the fence, within five heights, where the air is slower than `drift_speed`.
    assert!(sum(4..9) > 2000, "{metres:?}");
    assert_eq!(sum(11..16), 0, "{metres:?}");
}

#[test]
fn a_wind_over_time_moves_what_has_no_inertia_by_its_integral() {
    let velocity = Keyed::new(
        vec![
            (0.0, Vec3::zeros()),
            (1.0, Vec3::new(6.0, 0.0, 0.0)),
            (2.0, Vec3::zeros()),
        ],
        false,
    );
    let mut s = scene(&[], contact(0.0, 0.0));
    s.gravity = Vec3::zeros();
    let air = WindSpec {
        velocity,
        ..wind(0.0)
    };
    let coefficient = 1e4.into();
    s.forces = vec![
        ForceKind::Wind(air).into(),
        ForceKind::LinearDrag { coefficient }.into(),
    ];
    s.time.frame_rate = 1000.0;
    let mut run = Run::new(&s, vec![]);
    run.add(Point3::origin(), Vec3::zeros(), RADIUS);
    run.steps(3000);
    let x = run.state.particles.position[0].x;
    assert!((x - 6.0).abs() < 0.01, "{x}");
}

#[test]
fn threads_do_not_change_a_byte_of_the_weather() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            let meshes = [floor(20.0), wall(1.0, 10.0)];
            let air = WindSpec {
                gusts: Some(Gusts {
                    intensity: 0.3,
                    length: 8.0,
                }),
                profile: Some(Profile {
                    law: ProfileLaw::Log { roughness: 0.01 },
                    height: 10.0,
                    ground: 0.0,
                }),
                shelter: Some(ShelterSpec {
                    strength: 0.8,
                    reach: None,
                    cell: None,
                }),
                ..wind(3.0)
            };
            let region = Some(Region {
                shape: RegionShape::Box {
                    bounds: Aabb {
                        min: Point3::new(-9.0, 0.0, -9.0),
                        max: Point3::new(9.0, 9.0, 9.0),
                    },
                },
                edge: 1.0,
            });
            let wind = ForceSpec {
                kind: ForceKind::Wind(air),
                region,
            };
            let mut run = Run::new(
                &snow(&meshes, vec![wind, eddies(0.4, 0.7), flutter()]),
                meshes.to_vec(),
            );
            drop_row(&mut run, 2.0, -8.0, 8.0, 3000, Vec3::new(1.0, -FALL, 0.0));
            run.steps(60);
            run.state
        })
    };
    let one = run(1);
    for threads in [2, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
