//! Ledges and bridges of what carries itself over a length. Lengths in radii.

#![allow(clippy::print_stdout, reason = "--nocapture shows what was measured")]

mod support;

use partsim::collide::Collider;
use partsim::math::{Point3, Real, Vec3};
use support::heaps::*;
use support::*;

/// How far snow that carries itself by `cohesion` hangs out beyond the faces of a wall 16 wide, and how high its cap is.
fn overhang(cohesion: Real, count: u64) -> [Real; 2] {
    let wall = closed_box(Vec3::new(8.0, 40.0, 12.0));
    let scene = heap_scene(std::slice::from_ref(&wall), 45.0, cohesion);
    let mut run = Run::new(&scene, vec![wall]);
    for i in 0..count {
        let at = |k: u64, half: Real| half * (2.0 * noise(3 * i + k) - 1.0);
        let place = Point3::new(at(0, 22.0), 150.0 + 0.01 * i as Real, at(1, 12.0));
        run.add(place, Vec3::zeros(), 1.0);
    }
    run.step();
    let p = &run.state.particles;
    assert!(deepest_overlap(p) < 1e-9, "{}", deepest_overlap(p));
    assert_eq!((run.state.tally.escapes, run.state.tally.roll_limit), (0, 0));
    let caps = settled(p).into_iter().filter(|&i| p.position[i].z.abs() < 12.0);
    let [mut out, mut top]: [Real; 2] = [0.0; 2];
    for i in caps {
        out = out.max(p.position[i].x.abs() + 1.0 - 8.0);
        top = top.max(p.position[i].y + 1.0 - 40.0);
    }
    [out, top]
}

#[test]
fn a_ledge_hangs_out_as_far_as_its_cohesion_carries_it() {
    let found = [0.0, 4.0, 8.0, 12.0].map(|cohesion| (cohesion, overhang(cohesion, 6000)));
    println!("cohesion, [beyond the face, height of the cap]: {found:.2?}");
    for (cohesion, [out, _]) in found {
        if cohesion > 0.0 {
            assert!(
                (cohesion..cohesion + 1.0 + 1e-6).contains(&out),
                "{cohesion}: {out}"
            );
        } else {
            assert!(out < 2.0, "a dry one lies on the edge at most: {out}");
        }
    }
}

/// Of snow over a slot between two slabs in a tub, the shares that fall through: of the first tenth and of the last.
fn through_slot(gap: Real, cohesion: Real, count: u64) -> [Real; 2] {
    let (half, long, high) = (0.5 * gap + 20.0, 10.0, 200.0);
    let (near, deep) = (0.5 * gap, -8.0);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let mut quad = |corners: [[Real; 3]; 4]| {
        let first = vertices.len() as u32;
        vertices.extend(corners.map(Point3::from));
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    for side in [-1.0, 1.0] {
        let (x, far) = (side * near, side * half);
        quad([
            [x, 0.0, -long],
            [x, 0.0, long],
            [far, 0.0, long],
            [far, 0.0, -long],
        ]);
        quad([[x, deep, -long], [x, deep, long], [x, 0.0, long], [x, 0.0, -long]]);
        quad([
            [far, 0.0, -long],
            [far, 0.0, long],
            [far, high, long],
            [far, high, -long],
        ]);
        let z = side * long;
        quad([
            [-half, deep, z],
            [half, deep, z],
            [half, high, z],
            [-half, high, z],
        ]);
    }
    let slabs = mesh(vertices, triangles);
    let scene = heap_scene(std::slice::from_ref(&slabs), 45.0, cohesion);
    let mut run = Run::new(&scene, vec![slabs]);
    for i in 0..count {
        let at = |k: u64, half: Real| half * (2.0 * noise(3 * i + k) - 1.0);
        let place = Point3::new(at(0, half - 1.1), 120.0 + 0.02 * i as Real, at(1, long - 1.1));
        run.add(place, Vec3::zeros(), 1.0);
    }
    run.step();
    let (p, t) = (&run.state.particles, &run.state.tally);
    assert!(deepest_overlap(p) < 1e-9, "{}", deepest_overlap(p));
    assert_eq!((t.escapes, t.roll_limit, t.buried), (0, 0, 0));
    let deepest = settled(p)
        .into_iter()
        .filter_map(|i| run.world.collider.deepest_overlap(&p.position[i], 1.0))
        .map(|o| o.depth)
        .fold(0.0, Real::max);
    assert!(deepest < 1e-9, "{deepest} in the scenery");
    let tenth = count / 10;
    let lost = |from: u64| {
        let there = p.id.iter().filter(|id| (from..from + tenth).contains(id)).count() as u64;
        (tenth - there) as Real / tenth as Real
    };
    [lost(0), lost(count - tenth)]
}

#[test]
fn cohesion_closes_a_slot_of_its_own_width_and_none_three_times_as_wide() {
    let found = [4.0, 8.0].map(|c| (c, through_slot(c, c, 3000), through_slot(3.0 * c, c, 3000)));
    let dry = through_slot(4.0, 0.0, 2000);
    println!("cohesion, through [first, last tenth] of one and three: {found:.3?}; dry {dry:.3?}");
    for (cohesion, one, three) in found {
        assert!(one[0] > 0.0 && one[1] == 0.0, "{one:?} through {cohesion}");
        assert!(three[1] > 0.2, "{three:?} through three times {cohesion}");
    }
    assert!(dry[1] > 0.5, "{dry:?}");
}
