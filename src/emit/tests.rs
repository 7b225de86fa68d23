use super::*;
use crate::material::{self, Material};
use crate::math::Aabb;
use crate::mesh::Group;
use crate::scene::IfBlocked;

fn snow(radius: RadiusLaw) -> Vec<Material> {
    vec![Material {
        name: "snow".into(),
        radius,
        contact: material::SNOW.contact,
        substance: material::SNOW.substance,
        look: material::SNOW.look,
    }]
}

fn emitter(shape: Shape) -> Emitter {
    Emitter {
        name: "e".into(),
        material: 0,
        shape,
        count: 0,
        bursts: None,
        rate: 0.0.into(),
        start: 0.0,
        stop: Real::INFINITY,
        velocity: Vec3::new(0.0, -1.0, 0.0),
        spread_deg: 0.0,
        speed_variation: 0.0,
        motion: Vec3::zeros(),
        path: None,
        inherit_velocity: 0.0,
        apart: false,
        if_blocked: IfBlocked::Reject,
    }
}

fn at_origin() -> Shape {
    Shape::Point { at: Point3::origin() }
}

fn source(e: Emitter) -> Source {
    Source::build(0, &e, &snow(RadiusLaw::Constant(0.1)), &[], 1)
}

#[test]
fn t33_fractional_rates_give_the_floor_of_rate_times_time_whatever_the_step() {
    for rate in [0.5, 7.0, 59.94] {
        let s = source(Emitter {
            rate: rate.into(),
            ..emitter(at_origin())
        });
        for per_second in [24u64, 60, 1000] {
            let mut born = 0;
            for step in 1..=100 * per_second {
                let time = step as Real / per_second as Real;
                let due = s.due(time);
                assert!(due >= born);
                born = due;
                let exact = rate * time;
                assert!(
                    (due as Real) <= exact + 1e-9 && (due as Real) > exact - 1.0 - 1e-9,
                    "{rate} {time} {due}"
                );
            }
            assert_eq!(
                born,
                (rate * 100.0) as u64,
                "rate {rate} at {per_second} steps a second"
            );
        }
    }
}

#[test]
fn t32_births_of_a_fast_emitter_spread_along_its_path() {
    let s = source(Emitter {
        rate: 2000.0.into(),
        motion: Vec3::new(200.0, 0.0, 0.0),
        ..emitter(at_origin())
    });
    let xs: Vec<Real> = s.births(0, s.due(1.0)).iter().map(|b| b.position.x).collect();
    assert_eq!(xs.len(), 2000);
    let mean_gap = 200.0 / 2000.0;
    assert!(xs.windows(2).all(|w| w[1] - w[0] < 3.0 * mean_gap && w[1] > w[0]));
}

#[test]
fn a_burst_is_born_once_and_a_stopped_emitter_stays_silent() {
    let s = source(Emitter {
        count: 5,
        rate: 10.0.into(),
        start: 1.0,
        stop: 2.0,
        ..emitter(at_origin())
    });
    assert_eq!(
        [0.5, 1.0, 1.05, 1.1, 2.0, 50.0].map(|t| s.due(t)),
        [0, 0, 5, 6, 15, 15]
    );
    assert_eq!(s.birth(4).time, 1.0);
    assert_eq!(s.birth(5).time, 1.1);
}

/// Right triangles: one of half the unit square, 500 thin ones that share the other half.
fn one_big_and_many_thin() -> Mesh {
    let mut mesh = Mesh {
        vertices: vec![
            Point3::new(0.0, 0.0, 0.0),
            Point3::new(1.0, 0.0, 0.0),
            Point3::new(0.0, 0.0, -1.0),
        ],
        triangles: vec![[0, 1, 2]],
        groups: vec![Group {
            name: String::new(),
            surface: None,
        }],
        ..Mesh::default()
    };
    for i in 0..=500u32 {
        let s = Real::from(i) / 500.0;
        mesh.vertices.push(Point3::new(1.0 - s, 0.0, -s));
    }
    mesh.vertices.push(Point3::new(1.0, 0.0, -1.0));
    let far = mesh.vertices.len() as u32 - 1;
    for i in 0..500 {
        mesh.triangles.push([far, 4 + i, 3 + i]);
    }
    mesh.triangles.push([0, 0, 1]);
    mesh.group_of = vec![0; mesh.triangles.len()];
    mesh
}

#[test]
fn t34_density_on_a_mesh_follows_area() {
    let mesh = one_big_and_many_thin();
    let e = Emitter {
        count: 20_000,
        ..emitter(Shape::MeshSurface {
            mesh: 0,
            group: None,
            offset: 0.0,
        })
    };
    let s = Source::build(0, &e, &snow(RadiusLaw::Constant(0.01)), &[mesh], 1);
    let n = 20_000;
    let births = s.births(0, n);
    let big = births
        .iter()
        .filter(|b| b.position.x - b.position.z < 1.0)
        .count() as Real;
    let half = n as Real / 2.0;
    let chi2 = 2.0 * (big - half).powi(2) / half;
    assert!(
        chi2 < 10.83,
        "chi-square {chi2} of one degree of freedom, p < 0.001"
    );
    let mut bins = [0.0; 10];
    for b in births.iter().filter(|b| b.position.x - b.position.z > 1.0) {
        // Thin triangles fan out from the corner (1, -1): their number is the share of the far side.
        let (x, z) = (1.0 - b.position.x, 1.0 + b.position.z);
        bins[(10.0 * x / (x + z)) as usize] += 1.0;
    }
    let expected = bins.iter().sum::<Real>() / 10.0;
    let chi2: Real = bins.iter().map(|n| (n - expected).powi(2) / expected).sum();
    assert!(
        chi2 < 27.9,
        "chi-square {chi2} of nine degrees of freedom, p < 0.001"
    );
    assert!(
        births.iter().all(|b| (b.position.y - 0.01).abs() < 1e-15),
        "a radius above the surface"
    );
}

#[test]
fn t35_equal_emitters_differ_and_later_ones_change_nothing() {
    let bounds = Aabb {
        min: Point3::origin(),
        max: Point3::new(1.0, 1.0, 1.0),
    };
    let e = Emitter {
        count: 10,
        ..emitter(Shape::Box { bounds })
    };
    let build = |number| Source::build(number, &e, &snow(RadiusLaw::Constant(0.1)), &[], 1);
    let (first, second) = (build(0).births(0, 10), build(1).births(0, 10));
    assert!(first.iter().zip(&second).all(|(a, b)| a.position != b.position));
    assert_eq!(first, build(0).births(0, 10));
}

#[test]
fn directions_fill_the_cone_and_speeds_their_range() {
    let s = source(Emitter {
        spread_deg: 30.0,
        speed_variation: 0.2,
        velocity: Vec3::new(3.0, 0.0, 0.0),
        ..emitter(at_origin())
    });
    let births = s.births(0, 20_000);
    let cos30 = libm::cos(30f64.to_radians());
    let mut sum = 0.0;
    for b in &births {
        let (speed, cos) = (b.velocity.norm(), b.velocity.x / b.velocity.norm());
        assert!((2.4..=3.6).contains(&speed) && cos >= cos30 - 1e-12);
        sum += cos;
    }
    // Evenly over the cap: the cosine is even between cos 30 and 1.
    assert!((sum / 20_000.0 - (1.0 + cos30) / 2.0).abs() < 1e-3);
}

#[test]
fn a_grid_fills_each_cell_once_and_jitter_stays_inside() {
    let shape = Shape::Grid {
        origin: Point3::new(1.0, 2.0, 3.0),
        u: Vec3::new(4.0, 0.0, 0.0),
        v: Vec3::new(0.0, 0.0, 3.0),
        count: [4, 3],
        jitter: 1.0,
    };
    let s = source(Emitter {
        count: 12,
        ..emitter(shape)
    });
    for (i, b) in s.births(0, 12).iter().enumerate() {
        let cell = [(b.position.x - 1.0) as usize, (b.position.z - 3.0) as usize];
        assert_eq!(cell, [i % 4, i / 4]);
    }
}

#[test]
fn radii_follow_their_law() {
    for (law, mean) in [
        (RadiusLaw::Uniform { min: 0.1, max: 0.3 }, 0.2),
        (
            RadiusLaw::LogNormal {
                median: 0.2,
                spread: 0.25,
            },
            0.2 * libm::exp(0.5 * 0.25 * 0.25),
        ),
    ] {
        let s = Source::build(0, &emitter(at_origin()), &snow(law), &[], 9);
        let births = s.births(0, 20_000);
        assert!(
            births
                .iter()
                .all(|b| law.min() <= b.radius && b.radius <= law.max())
        );
        let got = births.iter().map(|b| b.radius).sum::<Real>() / 20_000.0;
        assert!((got / mean - 1.0).abs() < 0.01, "{got} {mean}");
    }
}
