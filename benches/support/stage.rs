//! Particles in the air over a bumpy ball, ready to be stepped.

use std::path::Path;

use partsim::math::{Aabb, Point3, Vec3};
use partsim::mesh::{Group, Mesh};
use partsim::state::{Birth, State, Status};
use partsim::step::{Scratch, step};
use partsim::world::World;

use super::Stream;
use super::sets::{self, Soup};

/// Everything that particles bounce off: lengths in metres, steps of 1/240 s.
const SCENE: &str = r#"(
    meshes: [(file: "house.obj")],
    materials: { "grains": Snow(radius: 0.01, stick: Never, restitution: 0.6, friction: 0.2) },
    emitters: [(material: "grains", shape: Point(at: (0, 0, 0)), rate: 1, enabled: false)],
    time: (frames: 1, frame_rate: 240),
    limits: (kill_box: ((-1e3, -1e3, -1e3), (1e3, 1e3, 1e3)), audit: AUDIT),
)"#;

/// In which order particles come to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the dice fall.
    Scattered,
    /// Along a Morton curve.
    ByPlace,
}

/// Where they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Crowd {
    /// In a box around the ball.
    Around,
    /// A few radii above its surface.
    Close,
}

/// A world, its particles, and the memory of their steps.
pub struct Stage {
    pub world: World,
    pub state: State,
    scratch: Scratch,
}

/// The world of a ball of about `2.5 * 8 * cuts^2` triangles.
pub fn world(cuts: u32, audit: bool) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/bench.ron");
    let text = SCENE.replace("AUDIT", if audit { "true" } else { "false" });
    let scene = partsim::scene::parse(&text, &path).expect("a good scene");
    let Soup { vertices, triangles } = sets::bumpy_ball(cuts);
    let mesh = Mesh {
        group_of: vec![0; triangles.len()],
        groups: vec![Group {
            name: String::new(),
            surface: None,
        }],
        vertices,
        triangles,
        ..Mesh::default()
    };
    World::assemble(&scene, vec![mesh]).expect("a good world").0
}

impl Stage {
    /// `count` particles of this radius [m] in a box around the ball, none of which touches it.
    pub fn new(world: World, count: usize, radius: f64, crowd: Crowd, order: Order) -> Self {
        let mut stream = Stream(count as u64 + 5);
        let mut places = Vec::with_capacity(count);
        while places.len() < count {
            let p = Point3::from(stream.cube(1.4));
            match crowd {
                Crowd::Around if p.coords.norm() > 1.12 + radius => places.push(p),
                Crowd::Close if p.coords.norm() > 0.1 => {
                    let out = p.coords.normalize();
                    let off = radius * (1.5 + 2.5 * stream.unit());
                    places.push(sets::bumped(out) + out * off);
                }
                _ => {}
            }
        }
        if order == Order::ByPlace {
            let bounds = Aabb::around(&places);
            places.sort_by_cached_key(|p| super::morton(p, &bounds));
        }
        let mut state = State::default();
        for (number, position) in (0..).zip(places) {
            let birth = Birth {
                position,
                velocity: Vec3::new(0.0, -2.0, 0.0) + Vec3::from(stream.cube(1.0)),
                radius,
                material: 0,
                time: 0.0,
                key: number,
            };
            state.particles.push(number, &birth);
        }
        state.tally.born = count as u64;
        Self {
            world,
            state,
            scratch: Scratch::default(),
        }
    }

    /// Particles in the air.
    pub fn flying(&self) -> usize {
        let statuses = &self.state.particles.status;
        statuses.iter().filter(|s| **s == Status::Airborne).count()
    }

    pub fn step(&mut self) {
        step(&self.world, &mut self.state, &mut self.scratch);
    }
}
