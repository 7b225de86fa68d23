//! Query sets: read from a folder of binary files, or made here in the same kinds.

use std::path::Path;

use partsim::collide::Sweep;
use partsim::math::{Point3, Vec3};

use super::Stream;

/// A mesh.
pub struct Soup {
    pub vertices: Vec<Point3>,
    pub triangles: Vec<[u32; 3]>,
}

/// Sweeps to be answered against one mesh.
pub struct Set {
    pub name: &'static str,
    pub soup: Soup,
    pub sweeps: Vec<Sweep>,
    /// Whether the sweeps come in no order, so that sorting them by place pays.
    pub scattered: bool,
}

/// Name, mesh, and whether the sweeps are scattered.
pub const SETS: [(&str, &str, bool); 7] = [
    ("snowfall", "house", false),
    ("slime", "wires", false),
    ("step100k", "ball100k", true),
    ("step1m", "ball1m", true),
    ("big100k", "ball100k", true),
    ("big1m", "ball1m", true),
    ("overlap", "ball100k", true),
];

/// A set from files: little-endian `u32` counts, then `f32` and `u32` numbers.
pub fn read(folder: &Path, (name, mesh, scattered): (&'static str, &str, bool)) -> Set {
    let bytes = fs_err::read(folder.join(format!("{mesh}.mesh"))).expect("a readable mesh");
    let count = |at: usize| word(&bytes, at) as usize;
    let (vertices, triangles) = (count(0), count(1));
    let number = |bytes: &[u8], at: usize| f64::from(f32::from_bits(word(bytes, at)));
    let soup = Soup {
        vertices: (0..vertices)
            .map(|i| Point3::from(std::array::from_fn(|a| number(&bytes, 2 + 3 * i + a))))
            .collect(),
        triangles: (0..triangles)
            .map(|i| std::array::from_fn(|k| word(&bytes, 2 + 3 * (vertices + i) + k)))
            .collect(),
    };
    let bytes = fs_err::read(folder.join(format!("{name}.query"))).expect("readable queries");
    let sweeps = (0..word(&bytes, 0) as usize)
        .map(|i| {
            let at = |k: usize| number(&bytes, 1 + 7 * i + k);
            sweep([at(0), at(1), at(2)], [at(3), at(4), at(5)], at(6))
        })
        .collect();
    Set {
        name,
        soup,
        sweeps,
        scattered,
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = &bytes[4 * at..4 * at + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn sweep(from: [f64; 3], along: [f64; 3], radius: f64) -> Sweep {
    Sweep {
        from: Point3::from(from),
        along: Vec3::from(along),
        radius,
        span: [0.0, 1.0],
    }
}

/// A set of the same kind as the one of that name, made here.
pub fn make((name, _, scattered): (&'static str, &str, bool)) -> Set {
    let (soup, sweeps) = match name {
        "snowfall" => rain("house", [480, 320], 12.0, 12.5),
        "slime" => rain("grid", [404, 300], 1.0, 2.0),
        "step100k" => near_ball(71, 100_000, 0.01, [1.0, 3.8], 4.0),
        "step1m" => near_ball(224, 100_000, 0.0032, [1.0, 3.8], 4.0),
        "big100k" => near_ball(71, 20_000, 0.17, [1.0, 1.6], 1.5),
        "big1m" => near_ball(224, 20_000, 0.054, [1.0, 1.6], 1.5),
        _ => near_ball(71, 20_000, 0.01, [0.0, 0.99], 4.0),
    };
    Set {
        name,
        soup,
        sweeps,
        scattered,
    }
}

/// Flakes of 3 cm that fall on one of the program's own models from a grid above it.
fn rain(model: &str, flakes: [u32; 2], height: f64, fall: f64) -> (Soup, Vec<Sweep>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/{model}.obj"));
    let mesh = partsim::mesh::load_obj(&path).expect("a model that comes with the program");
    let bounds = mesh.bounds();
    let size = bounds.extent();
    let place = |i: u32, n: u32| (f64::from(i) + 0.5) / f64::from(n);
    let sweeps = (0..flakes[0] * flakes[1])
        .map(|i| {
            let x = bounds.min.x + size.x * place(i % flakes[0], flakes[0]);
            let z = bounds.min.z + size.z * place(i / flakes[0], flakes[1]);
            sweep([x, height, z], [0.0, -fall, 0.0], 0.03)
        })
        .collect();
    let soup = Soup {
        vertices: mesh.vertices,
        triangles: mesh.triangles,
    };
    (soup, sweeps)
}

/// Balls that start beside a bumpy ball, `off` radii from its surface, and move `travel` radii anywhere.
fn near_ball(cuts: u32, count: usize, radius: f64, off: [f64; 2], travel: f64) -> (Soup, Vec<Sweep>) {
    let soup = bumpy_ball(cuts);
    let mut stream = Stream(u64::from(cuts) + count as u64);
    let sweeps = (0..count)
        .map(|_| {
            let t = soup.triangles[(stream.unit() * soup.triangles.len() as f64) as usize];
            let [a, b, c] = t.map(|i| soup.vertices[i as usize]);
            let normal = (b - a).cross(&(c - a)).normalize();
            let (s, t) = (stream.unit() * 0.5, stream.unit() * 0.5);
            let away = radius * (off[0] + (off[1] - off[0]) * stream.unit());
            let from = a + (b - a) * s + (c - a) * t + normal * away;
            let along = Vec3::from(stream.cube(1.0)).normalize() * (travel * radius);
            sweep(from.into(), along.into(), radius)
        })
        .collect();
    (soup, sweeps)
}

/// An octahedron whose faces are cut into `cuts`^2 * 2.5 triangles and blown up, with bumps of several sizes.
pub fn bumpy_ball(cuts: u32) -> Soup {
    // Eight faces instead of twenty: cut finer by the root of 2.5.
    let n = (f64::from(cuts) * 2.5f64.sqrt()).round() as u32;
    let mut soup = Soup {
        vertices: Vec::new(),
        triangles: Vec::new(),
    };
    for face in 0..8u32 {
        let sign = |bit: u32| if face >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let first = soup.vertices.len() as u32;
        // Row i of the face holds n - i + 1 points.
        let row = |i: u32| first + i * (n + 1) - i * i.saturating_sub(1) / 2;
        for i in 0..=n {
            for j in 0..=n - i {
                let [x, y] = [f64::from(i), f64::from(j)].map(|k| k / f64::from(n));
                let p = Vec3::new(sign(0) * x, sign(1) * y, sign(2) * (1.0 - x - y));
                soup.vertices.push(bumped(p.normalize()));
            }
        }
        let outward = sign(0) * sign(1) * sign(2) > 0.0;
        for i in 0..n {
            for j in 0..n - i {
                let (a, b, c) = (row(i) + j, row(i + 1) + j, row(i) + j + 1);
                let mut add = |a, b, c| soup.triangles.push(if outward { [a, b, c] } else { [a, c, b] });
                add(a, b, c);
                if i + j + 1 < n {
                    add(b, row(i + 1) + j + 1, c);
                }
            }
        }
    }
    soup
}

pub fn bumped(p: Vec3) -> Point3 {
    let mut height = 1.0;
    let (mut depth, mut pitch) = (0.06, 3.0);
    for k in 0..5 {
        let phase = 1.7 * f64::from(k);
        let wave = libm::sin(p.x * pitch + phase) * libm::sin(p.y * pitch * 1.1 + 2.0 * phase);
        height += depth * wave * libm::cos(p.z * pitch * 0.9 + 0.5 * phase);
        depth *= 0.5;
        pitch *= 2.1;
    }
    Point3::from(p * height)
}
