//! The scenes in which particles cover what others have covered, at a reduced count: nothing leaks, nothing lies in anything
//! else, what lies still keeps its bytes, and neither threads nor a stop on the way can be seen.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use partsim::collide::Collider;
use partsim::math::{Real, Vec3};
use partsim::scene::Scene;
use partsim::state::{State, Status};
use partsim::step::{Scratch, step};
use partsim::world::World;
use support::heaps::deepest_overlap;

/// A scene, by how much its counts shrink, and after how many frames it is looked at.
const SCENES: [(&str, u32, u32); 5] = [
    ("house_snow_storm", 20, 40),
    ("village_snow_deep", 100, 12),
    ("funnel_snow", 8, 40),
    ("wall_slime", 8, 36),
    ("cart_mud", 12, 36),
];

fn reduced(name: &str, by: u32) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    let mut scene = partsim::scene::load(&path.with_extension("ron")).expect("a shipped scene");
    for emitter in &mut scene.emitters {
        emitter.count = emitter.count.div_ceil(u64::from(by));
        emitter.rate = emitter.rate.map(|r| r / f64::from(by));
    }
    scene.limits.audit = true;
    scene
}

/// Takes a state through the steps of some frames.
fn go_on(world: &World, state: &mut State, steps: u32, mut each: impl FnMut(&State)) {
    let mut scratch = Scratch::default();
    for _ in 0..steps {
        step(world, state, &mut scratch);
        each(state);
    }
}

/// The steps of at most this many frames.
fn steps(scene: &Scene, frames: u32) -> u32 {
    scene.time.frames.min(frames) * scene.time.steps_per_frame
}

#[test]
fn no_covering_leaks_or_lies_in_another_or_in_the_scenery() {
    for (name, by, frames) in SCENES {
        let scene = reduced(name, by);
        let (world, _) = World::build(&scene).expect("a good scene");
        let mut state = State::default();
        go_on(&world, &mut state, steps(&scene, frames), |_| ());
        let (p, t) = (&state.particles, &state.tally);
        assert_eq!(
            (t.escapes, t.not_finite, t.buried, t.roll_limit),
            (0, 0, 0, 0),
            "{name}: {t:?}"
        );
        let lies = |i: &usize| p.status[*i].is_settled() || p.status[*i] == Status::Rolling;
        let lying: Vec<usize> = (0..p.len()).filter(lies).collect();
        if world.pile {
            let cut = deepest_overlap(p);
            assert!(cut < 1e-9, "{name}: {cut} radii in another");
        }
        let depth = |i: &usize| {
            let cut = world.collider.deepest_overlap(&p.position[*i], p.radius[*i]);
            cut.map_or(0.0, |o| o.depth / p.radius[*i])
        };
        let deepest = lying.iter().map(depth).fold(0.0, Real::max);
        assert!(deepest < 1e-9, "{name}: {deepest} radii in the scenery");
        assert!(lying.len() > 50, "{name}: {} lie", lying.len());
    }
}

#[test]
fn what_lies_still_keeps_its_bytes_unless_it_is_counted() {
    for (name, by, frames) in SCENES {
        let scene = reduced(name, by);
        let (world, _) = World::build(&scene).expect("a good scene");
        let mut state = State::default();
        let mut seen: BTreeMap<u64, (Vec3, Vec3)> = BTreeMap::new();
        let mut moved = 0;
        go_on(&world, &mut state, steps(&scene, frames), |state| {
            let p = &state.particles;
            let still = (0..p.len()).filter(|&i| matches!(p.status[i], Status::Rested | Status::Stuck));
            let now: BTreeMap<u64, (Vec3, Vec3)> = still
                .map(|i| (p.id[i], (p.position[i].coords, p.normal[i])))
                .collect();
            moved += seen.iter().filter(|(id, was)| now.get(id) != Some(was)).count() as u64;
            seen = now;
        });
        assert!(
            moved <= state.tally.moved_on,
            "{name}: {moved} moved, {} counted",
            state.tally.moved_on
        );
        assert!(seen.len() > 50, "{name}: {} lie still", seen.len());
    }
}

#[test]
fn neither_threads_nor_a_stop_on_the_way_are_seen_in_coverings() {
    for (name, by, frames) in SCENES {
        let scene = reduced(name, by);
        let (world, _) = World::build(&scene).expect("a good scene");
        let steps = steps(&scene, frames);
        let run = |threads: usize, stop: u32| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            pool.install(|| {
                let mut state = State::default();
                go_on(&world, &mut state, stop, |_| ());
                go_on(&world, &mut state, steps - stop, |_| ());
                state
            })
        };
        let expected = run(1, 0);
        for (threads, stop) in [(1, steps / 2), (2, steps / 3), (5, 2 * steps / 3)] {
            assert!(
                run(threads, stop) == expected,
                "{name} with {threads} threads, stopped after {stop}"
            );
        }
    }
}
