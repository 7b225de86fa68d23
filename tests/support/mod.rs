//! Scenes and meshes in memory, for tests of the physics.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod bodies;
pub mod fields;
pub mod heaps;
pub mod moving;

use partsim::material::{Contact, Look, Material, RadiusLaw, SLIME, Stick};
use partsim::math::{Aabb, Point3, Real, Vec3};
use partsim::mesh::{Group, Mesh};
use partsim::scene::*;
use partsim::state::{Birth, State};
use partsim::step::{Scratch, step};
use partsim::world::World;

pub const LOOK: Look = SLIME.look;

/// A mesh of one group.
pub fn mesh(vertices: Vec<Point3>, triangles: Vec<[u32; 3]>) -> Mesh {
    Mesh {
        group_of: vec![0; triangles.len()],
        groups: vec![Group {
            name: String::new(),
            surface: None,
        }],
        vertices,
        triangles,
        ..Mesh::default()
    }
}

/// A horizontal square of two triangles, facing up.
pub fn floor(half: Real) -> Mesh {
    let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
    mesh(
        corners.map(|(x, z)| Point3::new(x, 0.0, z)).to_vec(),
        vec![[0, 2, 1], [0, 3, 2]],
    )
}

/// A closed box with outward faces.
pub fn closed_box(half: Vec3) -> Mesh {
    let corner = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Point3::new(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z)
    };
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .collect();
    mesh((0..8).map(corner).collect(), triangles)
}

/// The answer of a material to touches.
pub fn contact(restitution: Real, friction: Real) -> Contact {
    Contact {
        restitution,
        friction,
        stick: Stick::Never,
    }
}

/// A scene without emitters: tests add particles themselves.
pub fn scene(meshes: &[Mesh], contact: Contact) -> Scene {
    let spec = |i: usize| MeshSpec {
        name: format!("mesh {i}"),
        file: "none.obj".into(),
        unit: 1.0,
        up: UpAxis::Y,
        scale: Vec3::repeat(1.0),
        rotate_deg: Vec3::zeros(),
        translate: Vec3::zeros(),
        collider: MeshCollider::Exact,
        response: Response::Material,
        groups: vec![],
        motion: None,
        carried_by: None,
    };
    Scene {
        path: "test.ron".into(),
        meshes: (0..meshes.len()).map(spec).collect(),
        materials: vec![Material {
            name: "m".into(),
            radius: RadiusLaw::Constant(0.1),
            contact,
            substance: partsim::material::SNOW.substance,
            look: LOOK,
        }],
        lives: vec![Life::default()],
        emitters: vec![],
        gravity: Vec3::new(0.0, -9.81, 0.0),
        forces: vec![],
        time: Time {
            frames: 1,
            frame_rate: 24.0,
            steps_per_frame: 1,
        },
        collision: Collision::Exact,
        ray_behind: 3.0,
        pile: false,
        flow: false,
        seed: 1,
        limits: Limits {
            contacts_per_step: 64,
            kill_box: Some(
                Aabb {
                    min: Point3::origin(),
                    max: Point3::origin(),
                }
                .inflated(1e7),
            ),
            particles: u64::MAX,
            audit: true,
        },
        camera: None,
        light: Light {
            backdrop: true,
            ..Light::default()
        },
        output: Output {
            scale: None,
            width: 320,
            height: 180,
            particles: false,
            share: false,
        },
    }
}

/// A world and its particles.
pub struct Run {
    pub world: World,
    pub state: State,
    scratch: Scratch,
}

impl Run {
    pub fn new(scene: &Scene, meshes: Vec<Mesh>) -> Self {
        let (world, _) = World::assemble(scene, meshes).expect("a good scene");
        Self {
            world,
            state: State::default(),
            scratch: Scratch::default(),
        }
    }

    /// The same with this many landings simulated at once.
    pub fn with_window(scene: &Scene, meshes: Vec<Mesh>, size: usize) -> Self {
        Self {
            scratch: Scratch::with_window(size),
            ..Self::new(scene, meshes)
        }
    }

    pub fn add(&mut self, position: Point3, velocity: Vec3, radius: Real) {
        let birth = Birth {
            position,
            velocity,
            radius,
            material: 0,
            time: 0.0,
            key: self.state.tally.born,
        };
        self.state.particles.push(self.state.tally.born, &birth);
        self.state.tally.born += 1;
    }

    /// Forgets all that carries no meaning between steps.
    pub fn forget(&mut self) {
        self.scratch = Scratch::default();
    }

    pub fn step(&mut self) {
        step(&self.world, &mut self.state, &mut self.scratch);
    }

    pub fn steps(&mut self, n: usize) {
        (0..n).for_each(|_| self.step());
    }
}
