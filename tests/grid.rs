//! Grids against exact distances and sides: what a cell holds, what a look-up gives, what may be believed.

#![allow(clippy::print_stderr, reason = "what was measured, for `--nocapture`")]

#[path = "support/bodies.rs"]
mod bodies;

use bodies::{Draws, Triangles};
use partsim::geom::closest_point::closest_point;
use partsim::grid::{Fault, Grid, Sides, Store, Surface, build};
use partsim::math::{Point3, Real, Vec3};
use partsim::scene::{Compression, Construction, GridShape, Lookup, Resolution};

fn shape(cells: u32, construction: Construction) -> GridShape {
    GridShape {
        resolution: Resolution::Cells(cells),
        construction,
        ..GridShape::default()
    }
}

fn made(triangles: &Triangles, shape: &GridShape) -> Grid {
    build(triangles, shape, &|_| ()).expect("a good mesh")
}

/// Exact distance and direction to the surface, by looking at every triangle.
fn brute_force(triangles: &Triangles, p: &Point3) -> (Real, Vec3) {
    let closest = triangles
        .iter()
        .map(|t| closest_point(p, t))
        .min_by(|a, b| a.distance.total_cmp(&b.distance))
        .expect("triangles");
    (closest.distance, closest.offset)
}

/// Random places of the field, with their exact distance (signed) and the direction away from the surface.
fn places(grid: &Grid, surface: &Surface, count: usize, range: [Real; 2]) -> Vec<(Point3, Real, Vec3)> {
    let mut draws = Draws(7);
    let low = grid.object.min - Vec3::repeat(grid.thickness);
    let high = grid.object.max + Vec3::repeat(grid.thickness);
    let mut found = Vec::new();
    while found.len() < count {
        let p = draws.within(&low, &high);
        let nearest = surface.nearest(&p, Real::INFINITY, None).expect("a surface");
        let l = surface.signed(&nearest);
        if (range[0]..=range[1]).contains(&l) {
            found.push((p, l, surface.outward(&nearest)));
        }
    }
    found
}

fn percentile(values: &mut [Real], share: Real) -> Real {
    values.sort_by(Real::total_cmp);
    values[((values.len() - 1) as Real * share) as usize]
}

#[test]
fn cells_hold_the_exact_distance_and_side() {
    let body = bodies::bumpy();
    let grid = made(&body, &shape(40, Construction::Normals));
    assert_eq!(grid.sides, Sides::One);
    let surface = Surface::new(&body, false);
    let mut draws = Draws(1);
    let mut near = 0;
    for _ in 0..600 {
        let at = grid.layout.cells.map(|n| (draws.unit() * Real::from(n)) as usize);
        let (cell, place) = (grid.store.cell(&grid.layout, at), grid.layout.center(at));
        let (exact, _) = brute_force(&body, &place);
        let found = Real::from(cell.l).abs();
        if cell.is_set() {
            near += 1;
            let inside = place.coords.norm() < 0.5
                || surface.signed(&surface.nearest(&place, 9.0, None).unwrap()) < 0.0;
            assert!(
                exact - found < 1e-6 && found <= exact,
                "{place}: {found} for {exact}"
            );
            assert_eq!(cell.l < 0.0, inside, "{place}");
        } else {
            assert!(found <= exact, "{place}: {found} is no lower bound of {exact}");
        }
    }
    assert!(near > 100, "only {near} cells near the surface");
}

#[test]
fn the_exact_side_is_right_round_a_sharp_tip_and_a_look_up_half_a_diagonal_away() {
    let wedge = bodies::wedge(10.0);
    let surface = Surface::new(&wedge, false);
    assert_eq!(surface.sides(), Sides::One);
    let grid = made(&wedge, &shape(60, Construction::Normals));
    let half_diagonal = 0.75_f64.sqrt() * grid.layout.cell;
    let tangent = libm::tan(5.0_f64.to_radians());
    let mut draws = Draws(3);
    let mut looked_up = 0;
    for _ in 0..100_000 {
        let p = draws.within(&Point3::new(-0.2, -0.15, -0.6), &Point3::new(0.3, 0.15, 0.6));
        let inside = p.y.abs() < p.x * tangent && p.x < 1.0 && p.z.abs() < 0.5;
        let nearest = surface.nearest(&p, Real::INFINITY, None).expect("a surface");
        let l = surface.signed(&nearest);
        assert_eq!(l < 0.0, inside, "{p} at {l}");
        // The plane form may be wrong by a whole diagonal.
        for (how, diagonals) in [(Lookup::Nearest, 1.0), (Lookup::Plane, 2.0)] {
            if l.abs() > diagonals * half_diagonal
                && let Some(sample) = grid.look(&p, how)
            {
                looked_up += 1;
                assert_eq!(sample.distance < 0.0, inside, "{how:?} {p} at {l}: {sample:?}");
            }
        }
    }
    assert!(looked_up > 10_000, "{looked_up}");
}

#[test]
fn distances_are_within_half_a_diagonal() {
    for body in [
        bodies::bumpy(),
        bodies::block(Vec3::new(1.0, 0.7, 0.4), Point3::origin()),
    ] {
        for construction in [Construction::Normals, Construction::Potential] {
            let grid = made(&body, &shape(60, construction));
            let surface = Surface::new(&body, false);
            let h = grid.layout.cell;
            let mut served = 0;
            let mut plane = 0.0_f64;
            for (p, l, _) in places(&grid, &surface, 20_000, [-grid.thickness, grid.thickness]) {
                for how in [Lookup::Nearest, Lookup::Trilinear] {
                    if let Some(sample) = grid.look(&p, how) {
                        served += 1;
                        let wrong = (sample.distance - l).abs() / h;
                        assert!(wrong <= 0.75_f64.sqrt() + 1e-4, "{how:?} at {p}: {wrong} cells");
                    }
                }
                if let Some(sample) = grid.look(&p, Lookup::Plane) {
                    plane = plane.max((sample.distance - l).abs() / h);
                }
            }
            assert!(
                served > 20_000,
                "{served} of 40,000 look-ups in the field answered"
            );
            assert!(plane <= 1.74, "plane: {plane} cells");
            eprintln!(
                "{construction:?}: served {served}, plane {plane:.3} cells, {:?}",
                grid.report
            );
        }
    }
}

/// Angles [degrees] between normals looked up and exact directions, from the surface to one cell before it.
fn angles(body: &Triangles, construction: Construction) -> (Real, Real) {
    let grid = made(body, &shape(60, construction));
    let surface = Surface::new(body, false);
    let mut angles: Vec<Real> = places(&grid, &surface, 5_000, [0.0, grid.layout.cell])
        .iter()
        .map(|(p, _, out)| {
            let n = grid.look(p, Lookup::Plane).expect("in the field").normal;
            libm::atan2(n.cross(out).norm(), n.dot(out)).to_degrees()
        })
        .collect();
    (percentile(&mut angles, 0.5), percentile(&mut angles, 0.99))
}

#[test]
fn normals_are_those_of_the_surface() {
    // Radii of curvature from 14 to 30 cells at 46 cells across.
    let egg = || bodies::ball(48, |d| 1.0 / (d.x * d.x + (d.y * d.y + d.z * d.z) / 0.64).sqrt());
    for (name, body) in [("sphere", bodies::sphere(1.0, 20_000)), ("egg", egg())] {
        let (median, most) = angles(&body, Construction::Normals);
        eprintln!("{name}: normals {median:.2} {most:.2}");
        assert!(
            most <= 5.0,
            "{name}: {median} in the median, {most} degrees at the 99th percentile"
        );
        let (median, most) = angles(&body, Construction::Potential);
        eprintln!("{name}: potential {median:.2} {most:.2}");
        assert!(
            median <= 5.0 && most <= 10.0,
            "{name}, potential: {median}, {most} degrees"
        );
    }
}

#[test]
fn what_may_be_believed_never_exceeds_the_distance() {
    let compressed = GridShape {
        compression: Some(Compression::default()),
        ..shape(40, Construction::Normals)
    };
    for body in [bodies::bumpy(), bodies::wedge(10.0), bodies::sheet(1.0, 4)] {
        let surface = Surface::new(&body, false);
        for shape in [shape(40, Construction::Normals), compressed] {
            let grid = made(&body, &shape);
            let e = Vec3::repeat(2.0 * grid.thickness);
            let mut draws = Draws(11);
            let mut gap: Vec<Real> = Vec::new();
            for _ in 0..20_000 {
                let p = draws.within(&(grid.object.min - e), &(grid.object.max + e));
                let exact = surface
                    .nearest(&p, Real::INFINITY, None)
                    .expect("a surface")
                    .closest
                    .distance;
                let (glance, best) = (grid.clearance_at_a_glance(&p), grid.clearance(&p));
                assert!(
                    glance <= exact && best <= exact,
                    "{p}: {glance} and {best} for {exact}"
                );
                assert!(glance <= best.max(0.0) + 1e-9, "{p}");
                if exact < grid.thickness {
                    gap.push((exact - best) / grid.layout.cell);
                }
            }
            let median = percentile(&mut gap, 0.5);
            eprintln!(
                "clearance below the distance: median {median:.2} cells, {:.2} at most",
                percentile(&mut gap, 1.0)
            );
            assert!(median < 0.5, "{median} cells");
        }
    }
}

#[test]
fn threads_change_no_byte() {
    let bytes = |threads: usize, shape: &GridShape| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.dng");
        pool.install(|| partsim::grid::save(&made(&bodies::bumpy(), shape), &path).expect("written"));
        fs_err::read(path).expect("read")
    };
    for construction in [Construction::Normals, Construction::Potential] {
        for compression in [None, Some(Compression::default())] {
            let shape = GridShape {
                compression,
                ..shape(32, construction)
            };
            let one = bytes(1, &shape);
            assert!(one == bytes(2, &shape) && one == bytes(5, &shape), "{shape:?}");
        }
    }
}

#[test]
fn compression_keeps_what_it_promises() {
    let plain = shape(60, Construction::Normals);
    let body = bodies::bumpy();
    let fine = made(&body, &plain);
    for (node, least) in [(2, 5.5), (4, 1.5), (8, 1.0)] {
        let shape = GridShape {
            compression: Some(Compression {
                node,
                ..Compression::default()
            }),
            ..plain
        };
        let grid = made(&body, &shape);
        let bounds = grid.report.bounds.expect("compressed");
        let [found, dense] = grid.bytes();
        eprintln!(
            "node {node}: {found} bytes of {dense} ({:.2}), plain blocks {}; {bounds:?}",
            dense as Real / found as Real,
            fine.bytes()[0]
        );
        assert!(
            dense as Real / found as Real >= least,
            "node {node}: {found} of {dense}"
        );
        let h = grid.layout.cell;
        assert!(
            bounds.distance_max <= 0.2501 * h && bounds.angle_max_deg <= 10.01,
            "{bounds:?}"
        );
        let mut draws = Draws(5);
        for _ in 0..20_000 {
            let at = grid.layout.cells.map(|n| (draws.unit() * Real::from(n)) as usize);
            let (a, b) = (
                fine.store.cell(&fine.layout, at),
                grid.store.cell(&grid.layout, at),
            );
            if a.is_set() && Real::from(a.l.abs()) <= grid.thickness {
                assert!(
                    Real::from((a.l - b.l).abs()) <= bounds.distance_max,
                    "{at:?}: {a:?} {b:?}"
                );
            }
        }
    }
}

#[test]
fn an_open_sheet_is_served_on_both_sides() {
    for construction in [Construction::Normals, Construction::Potential] {
        let body = bodies::sheet(1.0, 8);
        let grid = made(&body, &shape(40, construction));
        assert_eq!((grid.sides, grid.report.open_edges), (Sides::Both, 32));
        assert!((grid.report.gaps.hole - 2.0).abs() < 1e-9);
        let mut draws = Draws(2);
        for _ in 0..20_000 {
            // Near its border the field bends round.
            let t = 0.9 * grid.thickness;
            let p = draws.within(&Point3::new(-0.7, -t, -0.7), &Point3::new(0.7, t, 0.7));
            if p.y.abs() < 0.1 * grid.layout.cell {
                // So close to the sheet a slight bend of the field decides on the side; the triangles guard it.
                continue;
            }
            for how in [Lookup::Plane, Lookup::Nearest, Lookup::Trilinear] {
                let sample = grid.look(&p, how).expect("in the field");
                assert!(
                    sample.distance >= 0.0 && sample.normal.y * p.y >= 0.0,
                    "{how:?} {p}: {sample:?}"
                );
            }
        }
    }
}

#[test]
fn a_closed_sheet_two_cells_thick_is_right_on_both_sides() {
    let h = 2.0 / 40.0;
    let shape = GridShape {
        resolution: Resolution::Edge(h),
        ..GridShape::default()
    };
    for (thickness, most) in [(2.0, 0), (0.5, 6_000)] {
        let body = bodies::block(Vec3::new(1.0, 0.5 * thickness * h, 1.0), Point3::origin());
        for construction in [Construction::Normals, Construction::Potential] {
            let grid = made(
                &body,
                &GridShape {
                    construction,
                    ..shape
                },
            );
            assert_eq!(grid.sides, Sides::One);
            assert_eq!(
                grid.report.gaps.thinnest < 2.0 * h - 1e-9,
                thickness < 2.0,
                "{:?}",
                grid.report
            );
            let mut draws = Draws(2);
            let mut wrong = 0;
            for _ in 0..20_000 {
                let y = h * (0.5 * thickness + 2.0 * draws.unit());
                let side = if draws.unit() < 0.5 { 1.0 } else { -1.0 };
                let p = draws.within(
                    &Point3::new(-0.8, y * side, -0.8),
                    &Point3::new(0.8, y * side, 0.8),
                );
                wrong += usize::from(
                    grid.look(&p, Lookup::Plane)
                        .is_none_or(|s| s.normal.y * side < 0.5),
                );
            }
            eprintln!(
                "slab of {thickness} cells, {construction:?}: {wrong} of 20000 wrong; ambiguous {}",
                grid.report.ambiguous_cells
            );
            assert!(wrong <= most, "{thickness} {construction:?}: {wrong} of 20,000");
        }
    }
}

#[test]
fn a_room_is_served_inside() {
    let grid = made(
        &bodies::room(Vec3::new(1.0, 0.8, 0.9)),
        &shape(48, Construction::Normals),
    );
    assert!(grid.report.inside_out && grid.sides == Sides::One);
    let sample = grid
        .look(&Point3::new(0.95, 0.0, 0.0), Lookup::Plane)
        .expect("in the field");
    assert!(sample.distance > 0.0 && sample.normal.x < -0.99, "{sample:?}");
    let sample = grid
        .look(&Point3::new(1.05, 0.0, 0.0), Lookup::Plane)
        .expect("in the field");
    assert!(sample.distance < 0.0 && sample.normal.x < -0.99, "{sample:?}");
}

#[test]
fn overlapping_parts_are_told_and_served_on_both_sides() {
    let mut body = bodies::block(Vec3::repeat(0.5), Point3::origin());
    body.extend(bodies::block(Vec3::repeat(0.5), Point3::new(0.4, 0.3, 0.2)));
    let grid = made(&body, &shape(40, Construction::Normals));
    assert_eq!((grid.sides, grid.report.open_edges), (Sides::Both, 0));
}

#[test]
fn close_extrusions_are_measured_and_the_gap_told() {
    let mut body = bodies::block(Vec3::new(0.1, 0.5, 0.5), Point3::new(-0.25, 0.0, 0.0));
    body.extend(bodies::block(
        Vec3::new(0.1, 0.5, 0.5),
        Point3::new(0.25, 0.0, 0.0),
    ));
    let grid = made(&body, &shape(60, Construction::Normals));
    assert!((grid.report.gaps.narrowest - 0.3).abs() < 1e-9 || 0.3 > 8.0 * grid.layout.cell);
    let wide = made(&body, &shape(32, Construction::Normals));
    assert!(
        (wide.report.gaps.narrowest - 0.3).abs() < 1e-9,
        "{:?}",
        wide.report.gaps
    );
    assert!(
        (wide.report.gaps.thinnest - 0.2).abs() < 1e-9,
        "{:?}",
        wide.report.gaps
    );
}

#[test]
fn sharp_edges_are_thin_walls_but_no_gaps() {
    let corners = [
        Point3::origin(),
        Point3::new(1.0, 0.0, 0.0),
        Point3::new(0.0, 1.0, 0.0),
        Point3::new(0.0, 0.0, 1.0),
    ];
    let body = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
        .map(|t| t.map(|i: usize| corners[i]))
        .to_vec();
    let gaps = made(&body, &shape(32, Construction::Normals)).report.gaps;
    assert!(gaps.narrowest.is_infinite() && gaps.thin_cells > 0, "{gaps:?}");
}

#[test]
fn meshes_and_shapes_that_make_no_grid_are_refused() {
    let fault =
        |triangles: &Triangles, shape: GridShape| build(triangles, &shape, &|_| ()).expect_err("no grid");
    assert_eq!(fault(&vec![], GridShape::default()), Fault::NoTriangles);
    let body = bodies::block(Vec3::repeat(0.5), Point3::origin());
    assert_eq!(fault(&body, shape(14, Construction::Normals)), Fault::TooFewCells);
    let with = |thickness, edge| GridShape {
        thickness: Some(thickness),
        resolution: Resolution::Edge(edge),
        ..GridShape::default()
    };
    assert!(matches!(fault(&body, with(0.1, 0.1)), Fault::TooThin { .. }));
    assert!(matches!(fault(&body, with(10.0, 0.1)), Fault::TooThick { .. }));
    assert!(matches!(
        fault(&body, with(0.01, 0.0005)),
        Fault::TooManyCells { .. }
    ));
    let point = vec![[Point3::origin(); 3]];
    assert_eq!(fault(&point, GridShape::default()), Fault::TooFewCells);
    assert!(matches!(made(&point, &with(0.1, 0.02)).store, Store::Plain(_)));
}
