//! Layers that flow, against closed forms: the speed of a Bingham film, where it stops, how far a puddle spreads; and
//! what every flow keeps: volume, bytes, and its side of the scenery.

mod support;

use partsim::collide::Collider;
use partsim::material::{SLIME, Substance};
use partsim::math::{Point3, Real, Vec3, ball_volume};
use partsim::scene::Scene;
use partsim::state::{NO_TRIANGLE, State, Status};
use support::{Run, closed_box, contact, floor, scene};

const R: Real = 0.01;
const G: Real = 9.81;

fn substance(yield_stress: Real) -> Substance {
    Substance {
        density: 1000.0,
        viscosity: 30.0,
        yield_stress,
        adhesion: 200.0,
        film: 0.0,
        ..SLIME.substance
    }
}

fn flowing(meshes: &[partsim::mesh::Mesh], substance: Substance, rate: Real) -> Scene {
    let mut s = scene(meshes, contact(0.0, 0.3));
    s.materials[0].substance = substance;
    s.materials[0].radius = partsim::material::RadiusLaw::Constant(R);
    s.flow = true;
    s.time.frame_rate = rate;
    s
}

/// A square of `n` by `n` particles a radius apart on a floor that leans by `degrees`: gravity leans instead.
fn incline(n: u32, degrees: Real, substance: Substance) -> Run {
    let meshes = vec![floor(10.0)];
    let mut s = flowing(&meshes, substance, 1000.0);
    let lean = degrees.to_radians();
    s.gravity = Vec3::new(G * libm::sin(lean), -G * libm::cos(lean), 0.0);
    let mut run = Run::new(&s, meshes);
    for i in 0..n {
        for j in 0..n {
            let at = Point3::new(Real::from(i) * R, R * 1.000_01, Real::from(j) * R);
            run.add(at, Vec3::new(0.0, -0.01, 0.0), R);
        }
    }
    run
}

fn median(mut numbers: Vec<Real>) -> Real {
    numbers.sort_by(Real::total_cmp);
    numbers[numbers.len() / 2]
}

/// Height of the layer of [`incline`]: its volume over its area.
fn height() -> Real {
    ball_volume(R) / (R * R)
}

/// Mean speed of a Bingham film, from its profile: it shears where the stress passes the yield stress.
fn bingham(height: Real, degrees: Real, s: &Substance) -> Real {
    let pull = s.density * G * libm::sin(degrees.to_radians());
    let sheared = (height - s.yield_stress / pull).max(0.0);
    let top = pull * sheared * sheared / (2.0 * s.viscosity);
    top * (1.0 - sheared / (3.0 * height))
}

#[test]
fn a_film_runs_down_an_incline_as_fast_as_the_bingham_law_says() {
    for degrees in [20.0, 40.0, 70.0] {
        for tau in [0.0, 20.0, 100.0] {
            let s = substance(tau);
            let mut run = incline(40, degrees, s);
            run.steps(4);
            let speed = median(run.state.particles.velocity.iter().map(|v| v.x).collect());
            let law = bingham(height(), degrees, &s);
            assert!(
                (speed / law - 1.0).abs() < 0.05,
                "{degrees} degrees, {tau} Pa: {speed} against {law}"
            );
        }
    }
}

#[test]
fn it_stands_where_its_weight_stays_below_the_yield_stress() {
    let stress = 1000.0 * G * libm::sin(40f64.to_radians()) * height();
    for (share, moves) in [(0.96, true), (1.03, false)] {
        let mut run = incline(40, 40.0, substance(share * stress));
        run.steps(4);
        let speed = median(run.state.particles.velocity.iter().map(|v| v.norm()).collect());
        assert_eq!(speed > 0.0, moves, "{share} of the stress: {speed}");
    }
}

fn volume(state: &State) -> Real {
    let p = &state.particles;
    let here = (p.radius.iter().zip(&p.status)).filter(|(_, status)| !status.is_gone());
    here.map(|(&r, _)| ball_volume(r)).sum()
}

#[test]
fn a_puddle_spreads_to_the_radius_at_which_its_yield_stress_holds_it() {
    for (tau, n) in [(20.0, 400), (60.0, 400)] {
        let meshes = vec![floor(10.0)];
        let mut run = Run::new(&flowing(&meshes, substance(tau), 96.0), meshes);
        for i in 0..n {
            // A sunflower: evenly over a disc much smaller than the puddle.
            let turn = 2.399_963_229_728_653 * Real::from(i);
            let out = 0.06 * (Real::from(i) / Real::from(n)).sqrt();
            let at = Point3::new(out * libm::cos(turn), R * 1.000_01, out * libm::sin(turn));
            run.add(at, Vec3::new(0.0, -0.01, 0.0), R);
        }
        let before = volume(&run.state);
        run.steps(96 * 20);
        let p = &run.state.particles;
        let mut out: Vec<Real> = p.position.iter().map(|x| x.x.hypot(x.z)).collect();
        out.sort_by(Real::total_cmp);
        let radius = out[out.len() * 98 / 100];
        let edge = (2.0 * tau / (1000.0 * G)).sqrt() * 8.0 * std::f64::consts::PI / 15.0;
        let law = libm::pow(before / edge, 0.4);
        assert!(
            (radius / law - 1.0).abs() < 0.15,
            "{tau} Pa: {radius} against {law}"
        );
        assert!((volume(&run.state) / before - 1.0).abs() < 1e-12);
    }
}

/// A box that stands on a floor with a board through it: slime runs over its edges, under the board, and drips.
fn ledge() -> Vec<partsim::mesh::Mesh> {
    let mut board = closed_box(Vec3::new(0.15, 0.01, 0.15));
    board.vertices.iter_mut().for_each(|v| v.y += 0.25);
    let mut block = closed_box(Vec3::new(0.1, 0.15, 0.1));
    block.vertices.iter_mut().for_each(|v| v.y += 0.4);
    vec![floor(3.0), board, block]
}

fn pour() -> Run {
    let meshes = ledge();
    let s = Substance {
        yield_stress: 2.0,
        viscosity: 3.0,
        adhesion: 30.0,
        film: 0.003,
        ..substance(0.0)
    };
    let mut run = Run::new(&flowing(&meshes, s, 96.0), meshes);
    for i in 0..800u32 {
        let turn = 2.4 * Real::from(i);
        let out = 0.07 * (Real::from(i % 100) / 100.0).sqrt();
        let at = Point3::new(
            out * libm::cos(turn),
            0.6 + 0.012 * Real::from(i / 20),
            out * libm::sin(turn),
        );
        run.add(at, Vec3::zeros(), R);
    }
    run
}

#[test]
fn a_pour_runs_round_edges_drips_and_leaves_strands_without_a_leak() {
    let mut run = pour();
    let before = volume(&run.state);
    run.steps(96 * 6);
    let (t, p) = (&run.state.tally, &run.state.particles);
    assert_eq!((t.escapes, t.not_finite, t.lost), (0, 0, 0));
    assert!(t.drops > 10, "{} drops", t.drops);
    assert!(
        t.joined > 3 && t.joined == t.died,
        "{} joined, {} died",
        t.joined,
        t.died
    );
    assert!(t.shed > 100, "{} pieces", t.shed);
    assert!(
        (volume(&run.state) / before - 1.0).abs() < 1e-12,
        "volume {}",
        volume(&run.state) / before - 1.0
    );
    let deepest = (p.position.iter().zip(&p.radius))
        .filter_map(|(x, &r)| run.world.collider.deepest_overlap(x, r).map(|o| o.depth / r))
        .fold(0.0, Real::max);
    assert!(deepest < 1e-9, "a ball cuts the scenery by {deepest} radii");
    let below = p.position.iter().filter(|x| x.y < 0.1).count();
    assert!(below > 20, "only {below} have reached the floor");
}

/// The beads of all threads, by place from above and height.
fn beads(state: &State) -> Vec<(Point3, Real)> {
    let p = &state.particles;
    let hangs = |i: &usize| p.status[*i] == Status::Stuck && p.triangle[*i] == NO_TRIANGLE;
    (0..p.len())
        .filter(hangs)
        .map(|i| (p.position[i], p.radius[i]))
        .collect()
}

#[test]
fn a_thread_has_no_gaps_and_ends_in_a_drop() {
    // A portion under a ceiling: it weighs more than the adhesion and hangs, long enough to see its thread.
    let mut ceiling = closed_box(Vec3::new(0.5, 0.01, 0.5));
    ceiling.vertices.iter_mut().for_each(|v| v.y += 1.0);
    let meshes = vec![floor(3.0), ceiling];
    let s = Substance {
        adhesion: 1.0,
        ..substance(0.0)
    };
    let mut run = Run::new(&flowing(&meshes, s, 96.0), meshes);
    run.add(
        Point3::new(0.1, 0.99 - R * 1.000_01, 0.0),
        Vec3::new(0.0, 0.1, 0.0),
        R,
    );
    while beads(&run.state).len() < 30 {
        run.steps(1);
        assert!(run.state.step < 5000, "only {} beads", beads(&run.state).len());
    }
    let beads = beads(&run.state);
    for pair in beads.windows(2) {
        let apart = (pair[0].0 - pair[1].0).norm();
        assert!(apart < pair[0].1 + pair[1].1, "a gap: {pair:?}");
        assert!(pair[1].1 <= pair[0].1, "it grows thicker: {pair:?}");
    }
    let p = &run.state.particles;
    let lowest = (0..p.len()).min_by(|&a, &b| p.position[a].y.total_cmp(&p.position[b].y));
    let end = p.radius[lowest.expect("a drop")];
    assert!(end > 3.0 * beads[29].1, "{end} at the end of {}", beads[29].1);
    assert!((volume(&run.state) / ball_volume(R) - 1.0).abs() < 1e-12);
}

#[test]
fn what_lands_at_a_slant_leaves_a_streak_as_long_as_its_speed_carries_it() {
    let meshes = vec![floor(3.0)];
    let s = Substance {
        viscosity: 6.0,
        film: 0.004,
        ..substance(200.0)
    };
    let mut run = Run::new(&flowing(&meshes, s, 96.0), meshes);
    let speed = 6.0;
    run.add(Point3::new(0.0, 2.0 * R, 0.0), Vec3::new(speed, -3.0, 0.0), R);
    run.steps(40);
    let p = &run.state.particles;
    let far = p.position.iter().map(|x| x.x).fold(0.0, Real::max);
    let law = speed * 1000.0 * R * R / (3.0 * 6.0);
    let landed = speed * R / 3.0;
    assert!(
        (far - landed - law).abs() < 0.1 * law,
        "{far} instead of {}",
        landed + law
    );
    let streak = p.position.iter().filter(|x| x.x > landed && x.x < far).count();
    assert!(streak >= 3, "{streak} pieces");
    assert!((volume(&run.state) / ball_volume(R) - 1.0).abs() < 1e-12);
}

#[test]
fn what_stands_keeps_its_bytes() {
    let mut run = incline(20, 10.0, substance(250.0));
    // A Bingham film nears its rest ever more slowly; what creeps less than is seen stands.
    let stands =
        |run: &Run| !run.state.particles.film.is_empty() && run.state.particles.film.iter().all(|f| f.still);
    let mut steps = 0;
    while !stands(&run) && steps < 20_000 {
        run.steps(100);
        steps += 100;
    }
    assert!(stands(&run), "some still move");
    let before = run.state.particles.clone();
    run.steps(50);
    assert_eq!(run.state.particles, before);
}

#[test]
fn threads_and_a_stop_on_the_way_change_nothing() {
    let in_pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let mut run = pour();
            run.steps(100);
            let half_way = run.state.clone();
            run.steps(100);
            (half_way, run.state)
        })
    };
    let (half_way, end) = in_pool(1);
    for threads in [2, 5] {
        assert!(
            in_pool(threads) == (half_way.clone(), end.clone()),
            "{threads} threads"
        );
    }
    let mut resumed = pour();
    resumed.state = half_way;
    resumed.steps(100);
    assert!(resumed.state == end, "a resumed run goes another way");
}

#[test]
fn surfaces_answer_by_name_or_kind() {
    use partsim::scene::Response;
    for (response, expected) in [(Response::Die, 0), (Response::Stick, 1)] {
        let meshes = vec![floor(1.0)];
        let mut s = flowing(&meshes, substance(0.0), 96.0);
        s.meshes[0].response = response;
        let mut run = Run::new(&s, meshes);
        run.add(Point3::new(0.0, 0.1, 0.0), Vec3::zeros(), R);
        run.steps(96);
        run.state.particles.remove_gone();
        let status = &run.state.particles.status;
        assert_eq!(status.len(), expected);
        assert!(status.iter().all(|s| *s == Status::Stuck), "{status:?}");
    }
}
