//! Bodies as triangles: round, bumpy, sharp, thin and open ones.
#![allow(dead_code, reason = "each test binary uses its own part")]

use partsim::math::{Point3, Real, Vec3};

pub type Triangles = Vec<[Point3; 3]>;

/// Places are rounded to parts of this.
const GRAIN: Real = (1_u64 << 40) as Real;

/// A cube of `6 * 2 * n * n` triangles, blown up so that the point in direction `d` lies at `d * radius(d)`.
pub fn ball(n: usize, radius: impl Fn(&Vec3) -> Real) -> Triangles {
    let mut triangles = Vec::new();
    for face in 0..6 {
        let corner = |i: usize, j: usize| {
            let [u, v] = [i, j].map(|k| 2.0 * k as Real / n as Real - 1.0);
            let (axis, side) = (face / 2, if face % 2 == 0 { 1.0 } else { -1.0 });
            let mut d = Vec3::zeros();
            d[axis] = side;
            d[(axis + 1) % 3] = u * side;
            d[(axis + 2) % 3] = v;
            // Evens out the sizes of the triangles.
            let d = d.map(|x| libm::tan(x * std::f64::consts::FRAC_PI_4)).normalize();
            // Corners of two faces of the cube are the same to the bit.
            Point3::from((d * radius(&d)).map(|x| (x * GRAIN).round() / GRAIN))
        };
        for i in 0..n {
            for j in 0..n {
                let [a, b, c, d] =
                    [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| corner(i, j));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    triangles
}

/// A sphere of about this many triangles.
pub fn sphere(radius: Real, triangles: usize) -> Triangles {
    let n = ((triangles as Real / 12.0).sqrt().round() as usize).max(1);
    ball(n, |_| radius)
}

/// A closed smooth body of 12,288 triangles, of radius about 1.
pub fn bumpy() -> Triangles {
    ball(32, |d| {
        1.0 + 0.12 * libm::sin(4.0 * d.x) * libm::cos(5.0 * d.y + 1.0)
            + 0.06 * libm::sin(7.0 * d.z + 2.0 * d.x)
    })
}

/// The convex hull's sides of eight corners numbered by bits: x, y, z.
fn hexahedron(corner: impl Fn(usize) -> Point3) -> Triangles {
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let quads = quads.map(|q| q.map(&corner));
    quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
        .collect()
}

/// A closed box with outward faces.
pub fn block(half: Vec3, center: Point3) -> Triangles {
    hexahedron(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        center + half.component_mul(&Vec3::new(sign(0), sign(1), sign(2)))
    })
}

/// The same turned inside out: a room.
pub fn room(half: Vec3) -> Triangles {
    let mut triangles = block(half, Point3::origin());
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
    triangles
}

/// A wedge whose edge lies on the z axis, open towards +x, 1 long, 1 wide, with this angle [degrees].
pub fn wedge(degrees: Real) -> Triangles {
    let h = libm::tan(0.5 * degrees.to_radians());
    let [a, b, c] = [(0.0, 0.0), (1.0, -h), (1.0, h)].map(|(x, y)| [-0.5, 0.5].map(|z| Point3::new(x, y, z)));
    let mut triangles = vec![[a[1], b[1], c[1]], [a[0], c[0], b[0]]];
    for [p, q] in [[a, b], [b, c], [c, a]] {
        triangles.extend([[p[0], q[0], q[1]], [p[0], q[1], p[1]]]);
    }
    triangles
}

/// A square sheet in the plane y = 0, with `n` by `n` squares.
pub fn sheet(half: Real, n: usize) -> Triangles {
    let corner = |i: usize, j: usize| {
        let [x, z] = [i, j].map(|k| half * (2.0 * k as Real / n as Real - 1.0));
        Point3::new(x, 0.0, z)
    };
    let squares = (0..n * n).map(|k| (k % n, k / n));
    squares
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)].map(|(i, j)| corner(i, j));
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// A closed cylinder about the z axis.
pub fn shaft(radius: Real, half: Real, n: usize) -> Triangles {
    let rim = |i: usize, z: Real| {
        let a = std::f64::consts::TAU * (i % n) as Real / n as Real;
        Point3::new(radius * libm::cos(a), radius * libm::sin(a), z)
    };
    let ends = [Point3::new(0.0, 0.0, -half), Point3::new(0.0, 0.0, half)];
    (0..n)
        .flat_map(|i| {
            let [a, b] = [rim(i, -half), rim(i + 1, -half)];
            let [c, d] = [rim(i + 1, half), rim(i, half)];
            [[a, b, c], [a, c, d], [ends[0], b, a], [ends[1], d, c]]
        })
        .collect()
}

/// xorshift64*: the same numbers on every machine.
pub struct Draws(pub u64);

impl Draws {
    /// Uniform in 0 .. 1.
    pub fn unit(&mut self) -> Real {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as Real / (1_u64 << 53) as Real
    }

    /// Uniform in a box.
    pub fn within(&mut self, low: &Point3, high: &Point3) -> Point3 {
        let e = high - low;
        low + e.component_mul(&Vec3::new(self.unit(), self.unit(), self.unit()))
    }

    /// A unit vector, evenly.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - Vec3::repeat(1.0);
            let n = v.norm();
            if n > 0.1 && n < 1.0 {
                return v / n;
            }
        }
    }
}
