//! The order of rows in memory changes nothing that a run writes.

mod support;

use partsim::frame::Frame;
use partsim::math::{Point3, Real, Vec3};
use support::heaps::{heap_scene, noise, tub};
use support::{Run, closed_box, contact, scene};

const COUNT: usize = 20_000;

/// The golden angle [radians]: multiples of it come near none before them.
const GOLDEN: Real = 2.399_963_229_728_653;

/// Frames after 4 and 8 steps of the particles `from .. to` of a cloud that falls on a box.
fn frames(from: usize, to: usize) -> (Vec<Frame>, bool) {
    let mesh = closed_box(Vec3::repeat(1.0));
    let meshes = vec![mesh];
    let mut run = Run::new(&scene(&meshes, contact(0.5, 0.3)), meshes);
    for i in from..to {
        let turn = i as Real * GOLDEN;
        let out = 1.1 + 0.9 * (i % 97) as Real / 97.0;
        let height = 1.05 + 0.4 * (i % 89) as Real / 89.0;
        let place = Point3::new(out * libm::cos(turn), height, out * libm::sin(turn));
        run.add(place, Vec3::new(-3.0, -2.0, (i % 5) as Real), 0.01);
    }
    let frames = [1, 2].map(|number| {
        run.steps(4);
        Frame::of(&run.state.particles, number, 0.0)
    });
    assert!(run.state.tally.contacts > 100, "the cloud touches the box");
    (frames.into(), run.state.particles.id.is_sorted())
}

#[test]
fn a_crowd_that_is_ordered_by_place_gives_the_frames_of_its_parts() {
    let (all, as_born) = frames(0, COUNT);
    assert!(!as_born, "so many scattered rows are ordered");
    let mut row = 0;
    for part in 0..2 {
        let (from, to) = (part * COUNT / 2, (part + 1) * COUNT / 2);
        let (parts, as_born) = frames(from, to);
        assert!(as_born, "so few rows are left alone");
        for (part, all) in parts.iter().zip(&all) {
            assert_eq!(
                all.id[from..to],
                part.id.iter().map(|id| id + from as u64).collect::<Vec<_>>()
            );
            assert_eq!(all.position[from..to], part.position);
            assert_eq!(all.radius[from..to], part.radius);
            assert_eq!(all.material[from..to], part.material);
            assert_eq!(all.normal[from..to], part.normal);
        }
        row += to - from;
    }
    assert_eq!(row, COUNT);
}

/// What lies after two steps, by birth number: layers of a lattice, every other one over the gaps of the others along x, dropped
/// in a tub, so that most touch two at once, and many at equal moments. `exchanges` rows change places with others before.
fn heaped(exchanges: u64) -> (Frame, Vec<[f32; 3]>) {
    let tub = tub(10.0, 60.0);
    let scene = heap_scene(std::slice::from_ref(&tub), 38.0, 2.0);
    let mut run = Run::new(&scene, vec![tub]);
    for i in 0..768_u32 {
        let at = |k: u32| 2.0625 * (Real::from(i >> (3 * k) & 7) - 3.5);
        let layer = i >> 6;
        let (x, height) = (1.03125 * Real::from(layer & 1), 30.0 + 2.5 * Real::from(layer));
        run.add(Point3::new(at(0) + x, height, at(1)), Vec3::zeros(), 1.0);
    }
    for n in 0..exchanges {
        let row = |n: u64| (768.0 * noise(n)) as u32;
        run.state.particles.swap(&[[row(2 * n), row(2 * n + 1)]]);
    }
    run.steps(2);
    let p = &run.state.particles;
    assert_eq!(exchanges == 0, p.id.is_sorted());
    assert!(p.status.iter().all(|s| s.is_settled()), "all lie still");
    let mut feet: Vec<(u64, [f32; 3])> = p.id.iter().copied().zip(p.foot.iter().copied()).collect();
    feet.sort_unstable_by_key(|foot| foot.0);
    (
        Frame::in_full(p, 1, 0.0),
        feet.into_iter().map(|foot| foot.1).collect(),
    )
}

#[test]
fn ties_in_a_heap_go_by_birth_and_not_by_row() {
    let as_born = heaped(0);
    assert_eq!(as_born.0.len(), 768);
    for exchanges in [1, 2000] {
        assert!(heaped(exchanges) == as_born, "{exchanges} exchanges");
    }
}
