//! A drive over other meshes on named wheel points, found once, before anything is simulated.
//!
//! A ray goes straight down from behind each wheel. Where the ground lies above the wheel its distance is negative, and the
//! mesh is pulled out. Height and tilt follow the plane that fits all wheels best, raised until none is in the ground.

use crate::collide::mesh::StaticMesh;
use crate::collide::{Collider, Sweep};
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::motion::{Pose, Turn};
use crate::scene::{Collision, Follow};

/// How often the wheels are looked at anew after the mesh has tilted.
const LOOKS: usize = 4;

/// Why a drive is not possible.
pub(super) struct NoWay {
    pub(super) text: String,
    pub(super) help: &'static str,
}

/// The poses of a mesh that drives: for each step a moment [s], the place of `about`, and a turn. `steps`: length [s] and number.
pub(super) fn drive(
    follow: &Follow,
    about: Point3,
    own: &Mesh,
    meshes: &[Mesh],
    (step, steps): (Real, u64),
) -> Result<Vec<(Real, Point3, Turn)>, NoWay> {
    let flat = |v: Vec3| Vec3::new(v.x, 0.0, v.z).try_normalize(1e-9);
    let Some(forward) = flat(follow.forward) else {
        return Err(NoWay {
            text: "its `forward` points straight up or down".into(),
            help: "name the direction in which it drives, such as (1, 0, 0)",
        });
    };
    let ground = Ground::new(follow, meshes);
    let curve = Curve::through(follow.path.keys());
    let height = own.bounds().extent().y.max(1e-3);
    let mut drive = Drive {
        follow,
        about,
        forward,
        ground: &ground,
        behind: follow.behind.unwrap_or(height),
        rise: None,
    };
    let first = curve.keys.windows(2).find_map(|k| flat(k[1].1 - k[0].1));
    let mut heading = first.unwrap_or(forward);
    let mut keys = Vec::new();
    for k in 0..=steps {
        let time = k as Real * step;
        let (place, velocity) = curve.at(time);
        heading = flat(velocity).unwrap_or(heading);
        let (center, turn) = drive.stand(&place, &heading, time)?;
        keys.push((time, center, turn));
    }
    Ok(keys)
}

/// A smooth curve through keys: cubic between two of them, with the slope of the chord from the one before to the one after at
/// each (Catmull & Rom 1974, for uneven times), and at rest at both ends.
struct Curve {
    /// Moment [s], place [m] and velocity [m/s].
    keys: Vec<(Real, Vec3, Vec3)>,
}

impl Curve {
    fn through(keys: &[(Real, Vec3)]) -> Self {
        let slope = |i: usize| {
            let (before, after) = (i.checked_sub(1).and_then(|i| keys.get(i)), keys.get(i + 1));
            match (before, after) {
                (Some(a), Some(b)) if b.0 > a.0 => (b.1 - a.1) / (b.0 - a.0),
                _ => Vec3::zeros(),
            }
        };
        Self {
            keys: keys
                .iter()
                .enumerate()
                .map(|(i, k)| (k.0, k.1, slope(i)))
                .collect(),
        }
    }

    /// Place [m] and velocity [m/s] at a moment [s].
    fn at(&self, time: Real) -> (Vec3, Vec3) {
        let next = self.keys.partition_point(|k| k.0 <= time);
        match (next.checked_sub(1).map(|i| &self.keys[i]), self.keys.get(next)) {
            (Some(a), Some(b)) => {
                let pause = b.0 - a.0;
                let s = (time - a.0) / pause;
                let (p, q, u, v) = (a.1, b.1, a.2 * pause, b.2 * pause);
                let (bend, end) = (u + v - (q - p) * 2.0, (q - p) * 3.0 - u * 2.0 - v);
                let place = p + (u + (end + bend * s) * s) * s;
                (place, (u + (end * 2.0 + bend * (3.0 * s)) * s) / pause)
            }
            (Some(k), None) | (None, Some(k)) => (k.1, Vec3::zeros()),
            (None, None) => (Vec3::zeros(), Vec3::zeros()),
        }
    }
}

/// The meshes that are driven over.
struct Ground {
    solid: StaticMesh,
    bounds: Aabb,
}

impl Ground {
    fn new(follow: &Follow, meshes: &[Mesh]) -> Self {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for mesh in follow.over.iter().filter_map(|&m| meshes.get(m)) {
            let first = vertices.len() as u32;
            vertices.extend_from_slice(&mesh.vertices);
            triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| first + i)));
        }
        Self {
            bounds: Aabb::around(&vertices),
            solid: StaticMesh::new(vertices, &triangles, Collision::Ray),
        }
    }

    /// Height of the ground below a place [m].
    fn below(&self, from: &Point3) -> Option<Real> {
        let depth = from.y - self.bounds.min.y;
        let along = Vec3::new(0.0, -(depth + 1.0), 0.0);
        let hit = self.solid.first_touch(&Sweep {
            from: *from,
            along,
            radius: 0.0,
            span: [0.0; 2],
        })?;
        Some(from.y + along.y * hit.fraction)
    }
}

struct Drive<'a> {
    follow: &'a Follow,
    about: Point3,
    forward: Vec3,
    ground: &'a Ground,
    /// How far above a wheel its ray begins [m].
    behind: Real,
    /// Height of `about` over the path when it was last asked for [m].
    rise: Option<Real>,
}

impl Drive<'_> {
    /// Where the mesh stands at a place of the path.
    fn stand(&mut self, path: &Vec3, heading: &Vec3, time: Real) -> Result<(Point3, Turn), NoWay> {
        let mut center = Point3::from(path + Vec3::y() * self.rise.unwrap_or(0.0));
        let mut turn = self.turn(heading, &Vec3::y());
        for _ in 0..LOOKS {
            let pose = Pose::new(self.about, center, &turn);
            let wheels: Vec<Point3> = self.follow.wheels.iter().map(|w| pose.to_world(w)).collect();
            let feet = wheels
                .iter()
                .enumerate()
                .map(|(i, w)| self.foot(i, w, time))
                .collect::<Result<Vec<Point3>, NoWay>>()?;
            if let Some(up) = plane(&feet) {
                turn = self.turn(heading, &up);
            }
            // As deep as the mean, then up until no wheel is in the ground.
            let pose = Pose::new(self.about, center, &turn);
            let gaps: Vec<Real> = (self.follow.wheels.iter().zip(&feet))
                .map(|(w, foot)| pose.to_world(w).y - foot.y)
                .collect();
            center.y -= gaps.iter().copied().fold(Real::INFINITY, Real::min);
        }
        self.rise = Some(center.y - path.y);
        Ok((center, turn))
    }

    /// The ground under a wheel.
    fn foot(&self, number: usize, wheel: &Point3, time: Real) -> Result<Point3, NoWay> {
        let from = wheel + Vec3::y() * self.behind;
        match self.ground.below(&from) {
            Some(y) => Ok(Point3::new(wheel.x, y, wheel.z)),
            None => Err(NoWay {
                text: format!(
                    "at {time:.3} s there is no ground under wheel {} at ({:.3}, {:.3}, {:.3}) m, looked for from {:.3} m above it",
                    number + 1,
                    wheel.x,
                    wheel.y,
                    wheel.z,
                    self.behind
                ),
                help: "keep `path` over the meshes of `over`, at about the height of the ground, or raise `behind`",
            }),
        }
    }

    /// The turn that takes the mesh's own forward to a heading, and its up to `up`.
    fn turn(&self, heading: &Vec3, up: &Vec3) -> Turn {
        let frame = |forward: &Vec3, up: &Vec3| {
            // Seen from above it still points where it did.
            let along = (forward - Vec3::y() * (forward.dot(up) / up.y))
                .try_normalize(1e-9)
                .unwrap_or(*forward);
            [along, *up, along.cross(up)]
        };
        let to = Turn::to_axes(&frame(heading, up));
        let from = Turn::to_axes(&frame(&self.forward, &Vec3::y()));
        to.after(&from.back())
    }
}

/// Unit normal, upward, of the plane y = a + b x + c z that fits points best; `None` where they lie in one line.
fn plane(points: &[Point3]) -> Option<Vec3> {
    let n = points.len() as Real;
    let mean = points.iter().fold(Vec3::zeros(), |sum, p| sum + p.coords) / n;
    let (mut xx, mut xz, mut zz, mut xy, mut zy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let d = p.coords - mean;
        xx += d.x * d.x;
        xz += d.x * d.z;
        zz += d.z * d.z;
        xy += d.x * d.y;
        zy += d.z * d.y;
    }
    let det = xx * zz - xz * xz;
    if det <= 1e-9 * (xx + zz) * (xx + zz) || det.is_nan() {
        return None;
    }
    let (b, c) = ((xy * zz - zy * xz) / det, (zy * xx - xy * xz) / det);
    Vec3::new(-b, 1.0, -c).try_normalize(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyed::Keyed;

    fn slope() -> Mesh {
        // Rises along x by 1 in 2.
        let corner = |x: Real, z: Real| Point3::new(x, 0.5 * x, z);
        Mesh {
            vertices: vec![
                corner(-50.0, -50.0),
                corner(50.0, -50.0),
                corner(50.0, 50.0),
                corner(-50.0, 50.0),
            ],
            triangles: vec![[0, 2, 1], [0, 3, 2]],
            group_of: vec![0; 2],
            ..Mesh::default()
        }
    }

    fn follow(path: Vec<(Real, Vec3)>) -> Follow {
        Follow {
            path: Keyed::new(path, false),
            wheels: vec![
                Point3::new(1.0, 0.0, 0.5),
                Point3::new(1.0, 0.0, -0.5),
                Point3::new(-1.0, 0.0, 0.5),
                Point3::new(-1.0, 0.0, -0.5),
            ],
            forward: Vec3::x(),
            over: vec![0],
            behind: Some(30.0),
        }
    }

    #[test]
    fn wheels_stand_on_a_slope_whichever_way_it_drives() {
        for to in [
            Vec3::new(10.0, 0.0, 0.0),
            Vec3::new(-10.0, 0.0, 0.0),
            Vec3::new(3.0, 0.0, 7.0),
        ] {
            let follow = follow(vec![(0.0, Vec3::zeros()), (1.0, to)]);
            let meshes = [slope()];
            let keys = drive(&follow, Point3::origin(), &meshes[0], &meshes, (0.25, 4)).map_err(|w| w.text);
            for (time, center, turn) in keys.expect("there is ground everywhere") {
                let pose = Pose::new(Point3::origin(), center, &turn);
                for wheel in &follow.wheels {
                    let at = pose.to_world(wheel);
                    assert!((at.y - 0.5 * at.x).abs() < 1e-6, "{time}: {at}");
                }
                let ahead = pose.turned(&Vec3::x());
                assert!(
                    ahead.cross(&to).y.abs() < 1e-9 && ahead.dot(&to) > 0.0,
                    "{ahead} {to}"
                );
            }
        }
    }

    #[test]
    fn a_path_that_leaves_the_ground_is_refused_with_the_moment() {
        let follow = follow(vec![(0.0, Vec3::zeros()), (1.0, Vec3::new(0.0, 0.0, 100.0))]);
        let meshes = [slope()];
        let why = drive(&follow, Point3::origin(), &meshes[0], &meshes, (0.25, 4))
            .err()
            .map(|w| w.text);
        assert!(why.is_some_and(|w| w.starts_with("at 0.500 s there is no ground under wheel")));
    }
}
