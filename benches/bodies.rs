//! Rigid bodies: crates of 512 particles that fall on each other and on a floor, as rows of Markdown, one thread.

#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]
#![allow(missing_docs)]

mod support;

use partsim::bodies::fill::{Face, Fill, Grain, Solid};
use partsim::bodies::motion::Motion;
use partsim::bodies::points::Touch;
use partsim::bodies::step::{Bodies, Body, Counts, Ground, Kind};
use partsim::math::{Aabb, Point3, Quaternion, Real, Vec3};
use support::{Stream, cpu_seconds};

/// Particles along an edge of a crate of 1 m.
const ALONG: Real = 8.0;
/// Crates on each other at the start.
const LAYERS: usize = 5;
/// Steps that are timed, once the crates have met.
const STEPS: usize = 120;

/// A cube of 1 m.
struct Cube;

impl Solid for Cube {
    fn bounds(&self) -> Aabb {
        Aabb::around(&[Point3::from(Vec3::repeat(-0.5)), Point3::from(Vec3::repeat(0.5))])
    }

    fn holds(&self, place: &Point3) -> bool {
        place.coords.amax() <= 0.5
    }

    fn faces(&self, place: &Point3, reach: Real, found: &mut dyn FnMut(Face)) {
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let (mut normal, mut point) = (Vec3::zeros(), *place);
                normal[axis] = side;
                point[axis] = 0.5 * side;
                let distance = (point - place).norm();
                if distance <= reach {
                    found(Face {
                        distance,
                        point,
                        normal,
                    });
                }
            }
        }
    }
}

/// The half space below y = 0.
struct Floor;

impl Ground for Floor {
    fn is_clear(&self, place: &Point3, reach: Real) -> bool {
        place.y > reach
    }

    fn near(&self, particle: u32, at: &Point3, reach: Real, touches: &mut Vec<Touch>) {
        if at.y < reach {
            let point = Point3::new(at.x, 0.0, at.z);
            touches.push(Touch {
                particle,
                at: *at,
                point,
                normal: Vec3::y(),
                velocity: Vec3::zeros(),
            });
        }
    }
}

fn main() {
    let fill = Fill::new(&Cube, &Grain::cubic(0.5 / ALONG, 500.0)).expect("a fill");
    let particles = fill.places.len();
    let mut kinds = vec![Kind::new(fill, 0.1, 0.5).expect("a body")];
    println!(
        "| bodies | CPU ms a step | us a body and step | contacts a step | contacts/s | particle-steps/s |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for count in [10, 100, 1000] {
        let mut bodies = heap(count);
        let mut counts = Counts::default();
        let mut step = |bodies: &mut Bodies| {
            bodies.step(
                &mut kinds,
                &Floor,
                Vec3::new(0.0, -9.81, 0.0),
                1.0 / 240.0,
                &mut counts,
            );
            counts.tiers.iter().sum::<u64>()
        };
        let before = (0..60).map(|_| step(&mut bodies)).last().unwrap_or(0);
        let cpu = cpu_seconds();
        let after = (0..STEPS).map(|_| step(&mut bodies)).last().unwrap_or(0);
        let seconds = cpu_seconds() - cpu;
        let contacts = (after - before) as f64;
        println!(
            "| {count} | {:.2} | {:.0} | {:.0} | {:.2e} | {:.2e} |",
            1e3 * seconds / STEPS as f64,
            1e6 * seconds / (STEPS * count) as f64,
            contacts / STEPS as f64,
            contacts / seconds,
            (particles * count * STEPS) as f64 / seconds
        );
    }
}

/// Crates in columns that stand apart, each a little askew.
fn heap(count: usize) -> Bodies {
    let mut stream = Stream(7);
    let mut bodies = Bodies::default();
    let columns = count.div_ceil(LAYERS);
    let across = (columns as f64).sqrt().ceil() as usize;
    for n in 0..count {
        let (column, layer) = (n / LAYERS, n % LAYERS);
        let [dx, dy, _] = stream.cube(0.1);
        let place = |i: usize| 1.8 * i as Real;
        bodies.all.push(Body {
            kind: 0,
            motion: Motion {
                center: Point3::new(
                    place(column % across) + dx,
                    0.52 + 1.05 * layer as Real,
                    place(column / across) + dy,
                ),
                turn: Quaternion::from_axis_angle(&Vec3::y_axis(), 0.3 * stream.unit()),
                velocity: Vec3::zeros(),
                angular: Vec3::zeros(),
            },
            quiet: 0.0,
            asleep: false,
        });
    }
    bodies
}
