//! Nothing gets into a body with a grid round it, and grids go with all else.

#![allow(clippy::print_stderr, reason = "what was measured, for `--nocapture`")]

mod support;

use partsim::collide::{Collider, Sweep};
use partsim::grid::Surface;
use partsim::material::Stick;
use partsim::math::{Point3, Real, Vec3};
use partsim::scene::*;
use partsim::state::Status;
use support::bodies::{self, Draws, Triangles};
use support::fields::{RADIUS, STEP, flow, grid, impact, mesh_of, world};
use support::{Run, contact, scene};

/// Bodies, and whether a particle may be said to be inside.
fn hard_bodies() -> Vec<(&'static str, Triangles)> {
    vec![
        ("sphere", bodies::sphere(1.0, 3_000)),
        ("bumpy", bodies::bumpy()),
        ("wedge", bodies::wedge(10.0)),
        ("room", bodies::room(Vec3::new(1.0, 0.8, 0.9))),
        (
            "slab",
            bodies::block(Vec3::new(1.0, 0.006, 1.0), Point3::origin()),
        ),
        ("sheet", bodies::sheet(1.0, 6)),
        ("two slabs", {
            let mut two = bodies::block(Vec3::new(1.0, 0.2, 1.0), Point3::new(0.0, 0.25, 0.0));
            two.extend(bodies::block(
                Vec3::new(1.0, 0.2, 1.0),
                Point3::new(0.0, -0.25, 0.0),
            ));
            two
        }),
    ]
}

/// Throws particles at a body again and again, at `share` of its field's thickness a step.
fn throw_at(name: &str, triangles: &Triangles, spec: &GridSpec, share: Real) {
    let mut run = world(triangles, spec.clone(), 0.0);
    let surface = Surface::new(triangles, false);
    let field = &run.world.collider.fields()[0];
    let (thickness, object) = (field.thickness(), *field.object());
    let speed = share * thickness / STEP;
    let mut draws = Draws(31);
    let indoors = name == "room";
    let free = |draws: &mut Draws| loop {
        let margin = Vec3::repeat(if indoors { -2.0 * RADIUS } else { 2.0 * thickness });
        let p = draws.within(&(object.min - margin), &(object.max + margin));
        let nearest = surface.nearest(&p, 99.0, None).expect("a surface");
        if surface.signed(&nearest) > 2.0 * RADIUS {
            return p;
        }
    };
    for _ in 0..60 {
        let p = free(&mut draws);
        run.add(p, Vec3::zeros(), RADIUS);
    }
    for step in 0..40 {
        if step % 8 == 0 {
            for i in 0..run.state.particles.len() {
                let target = draws.within(&object.min, &object.max);
                let way = target - run.state.particles.position[i];
                run.state.particles.velocity[i] = way.normalize() * (speed * (0.5 + 0.5 * draws.unit()));
            }
        }
        run.step();
        assert_eq!(run.state.tally.escapes, 0, "{name} at {share}: {spec:?}");
        for p in &run.state.particles.position {
            let nearest = surface.nearest(p, Real::INFINITY, None).expect("a surface");
            let l = surface.signed(&nearest);
            assert!(
                l > RADIUS * (1.0 - 1e-6),
                "{name} at {share}, step {step}: {p} is at {l}: {spec:?}"
            );
        }
    }
    assert!(
        run.state
            .particles
            .position
            .iter()
            .all(|p| p.coords.norm().is_finite())
    );
}

#[test]
fn nothing_gets_into_any_body_at_up_to_three_thicknesses_a_step() {
    let all = Responses {
        spring: Some(Spring { k: 400.0 }),
        drag: Some(SurfaceDrag {
            delta: 1.0,
            theta: None,
        }),
        ..flow(12.0, 6.0)
    };
    for (name, triangles) in hard_bodies() {
        for share in [0.1, 0.6, 3.0] {
            for responses in [
                impact(0.0),
                impact(0.7),
                flow(12.0, 30.0),
                all,
                flow(-20.0, -20.0),
            ] {
                let mut spec = grid(None, responses);
                spec.shape.resolution = Resolution::Cells(40);
                throw_at(name, &triangles, &spec, share);
            }
        }
    }
}

#[test]
fn nothing_gets_in_however_the_grid_is_made_and_read() {
    for (name, triangles) in hard_bodies() {
        for lookup in [Lookup::Nearest, Lookup::Trilinear] {
            for construction in [Construction::Normals, Construction::Potential] {
                for compression in [None, Some(Compression::default())] {
                    let mut spec = grid(None, impact(0.3));
                    spec.lookup = lookup;
                    spec.shape = GridShape {
                        resolution: Resolution::Cells(32),
                        construction,
                        compression,
                        ..spec.shape
                    };
                    throw_at(name, &triangles, &spec, 1.0);
                }
            }
        }
    }
}

#[test]
fn a_field_changes_no_answer_of_the_triangles() {
    for (name, triangles) in hard_bodies() {
        for turn in [0.0, 33.0] {
            let mut meshes = vec![mesh_of(&triangles), support::floor(4.0)];
            meshes[1].vertices.iter_mut().for_each(|v| v.y = -1.5);
            let mut s = scene(&meshes, contact(0.5, 0.0));
            s.meshes[0].collider = MeshCollider::Grid(Box::new(grid(None, impact(0.5))));
            s.meshes[0].rotate_deg = Vec3::new(turn, 2.0 * turn, -turn);
            s.meshes[0].scale = Vec3::repeat(1.0 + 0.01 * turn);
            s.meshes[0].translate = Vec3::new(0.3, 0.1, -0.2);
            let run = Run::new(&s, meshes);
            let collider = &run.world.collider;
            let mut draws = Draws(77);
            let sweeps: Vec<Sweep> = (0..20_000)
                .map(|_| Sweep {
                    from: draws.within(&Point3::new(-1.8, -1.8, -1.8), &Point3::new(1.8, 1.8, 1.8)),
                    along: draws.direction() * (0.3 * draws.unit() * draws.unit()),
                    radius: 0.01 * draws.unit(),
                    span: [0.0, 1.0],
                })
                .collect();
            let mut hits = vec![None; sweeps.len()];
            collider.first_touches(&sweeps, &mut hits);
            let mut vouched = 0;
            for (sweep, hit) in sweeps.iter().zip(&hits) {
                let exact = collider.mesh().first_touch(sweep);
                assert_eq!(*hit, exact, "{name}: {sweep:?}");
                assert_eq!(collider.first_touch(sweep), exact, "{name}: {sweep:?}");
                vouched += usize::from(collider.vouches(sweep));
            }
            let touched = hits.iter().flatten().count();
            eprintln!("{name}: vouched for {vouched}, {touched} touches");
            assert!(vouched > 12_000 && touched > 100, "{name}: {vouched} {touched}");
        }
    }
}

/// Grids beside heaps, films, lives and sticking surfaces: everything goes on, and nothing leaks.
#[test]
fn fields_go_with_heaps_films_and_what_sticks() {
    let ball = bodies::sphere(0.4, 3_000);
    for (pile, film) in [(true, false), (false, true), (false, false)] {
        let mut meshes = vec![mesh_of(&ball), support::floor(2.0)];
        meshes[1].vertices.iter_mut().for_each(|v| v.y = -0.8);
        let mut s = scene(&meshes, contact(0.1, 0.4));
        s.materials[0].contact.stick = if pile { Stick::Always } else { Stick::Never };
        if film {
            s.materials[0].substance = partsim::material::OIL.substance;
        }
        (s.pile, s.flow) = (pile, film);
        s.time.frame_rate = 60.0;
        s.materials[0].radius = partsim::material::RadiusLaw::Constant(0.02);
        s.lives[0].lifetime = (!pile && !film).then_some(Lifetime {
            mean: 1.0,
            variation: 0.2,
        });
        s.meshes[0].collider = MeshCollider::Grid(Box::new(grid(
            Some(0.25),
            Responses {
                impact: pile.then_some(Impact {
                    beta: 0.2,
                    l_min: 0.0,
                }),
                ..flow(20.0, 4.0)
            },
        )));
        let mut run = Run::new(&s, meshes);
        let mut draws = Draws(8);
        for _ in 0..200 {
            let p = draws.within(&Point3::new(-0.5, 0.8, -0.5), &Point3::new(0.5, 1.4, 0.5));
            run.add(p, Vec3::new(0.0, -1.0, 0.0), 0.02);
        }
        run.steps(90);
        assert_eq!(run.state.tally.escapes, 0, "pile {pile}, film {film}");
        let p = &run.state.particles;
        let on_floor = p.position.iter().filter(|p| p.y < -0.7).count();
        if pile {
            assert!(on_floor > 150, "{on_floor} on the floor");
            assert!(p.status.iter().filter(|s| s.is_settled()).count() > 150);
        }
        if film {
            assert!(p.status.contains(&Status::Flowing));
        }
    }
}
