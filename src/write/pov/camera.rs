//! Where the picture is taken from: the scene's camera, or one that frames the scenery.
//!
//! Works in metres; knows nothing of POV-Ray's text.

use crate::math::{Aabb, Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::scene::{Camera, Output, Scene, Shape};

/// Turn of the automatic camera from the front (+z) towards +x [degrees].
const AZIMUTH: Real = 30.0;
/// Height of the automatic camera over the horizon [degrees]. Above 25, walls and eaves are lost.
const ELEVATION: Real = 14.0;
/// Horizontal field of view [degrees], about 65 mm on 35 mm film; above 40 houses look like toys.
const ANGLE: Real = 30.0;
/// Share of the picture that the whole scenery fills ...
const FILL: Real = 0.94;
/// ... and what stands up from the ground.
const FILL_TALL: Real = 0.95;
/// What stands up: triangles that reach above this share of the height.
const TALL: Real = 0.15;
/// Flat ground may bleed out of the picture this far ...
const BLEED: Real = 0.85;
/// ... and may push the camera back this far from what stands on it.
const FAR: Real = 1.6;
/// Triangles that are looked at; more add nothing to a frame.
const MOST_TRIANGLES: usize = 50_000;

/// What there is to see.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Vertices of the scenery, or corners of the emitters when there is none [m]; never empty.
    pub points: Vec<Point3>,
    /// Those of them that belong to what stands up from the ground; may be empty.
    pub standing: Vec<Point3>,
    /// Box around them, with some extent [m].
    pub bounds: Aabb,
}

impl Subject {
    /// The scenery; emitters when there is none; a metre round the origin when there are none either.
    pub fn new(scene: &Scene, meshes: &[Mesh]) -> Self {
        let mut bounds = meshes.iter().fold(Aabb::EMPTY, |b, m| b.union(&m.bounds()));
        if bounds.is_empty() {
            let boxes = scene.emitters.iter().filter_map(|e| extent(&e.shape));
            bounds = boxes.fold(Aabb::EMPTY, |b, e| b.union(&e));
        }
        if bounds.is_empty() {
            bounds = Aabb::EMPTY.grow(&Point3::origin());
        }
        let point_like = bounds.diagonal() < 1e-6;
        if point_like {
            bounds = bounds.inflated(0.5);
        }
        let triangles: usize = meshes.iter().map(|m| m.triangles.len()).sum();
        if triangles == 0 || point_like {
            let points = corners(&bounds);
            return Self {
                standing: points.clone(),
                points,
                bounds,
            };
        }
        let every = triangles / MOST_TRIANGLES + 1;
        let floor = bounds.min.y + TALL * bounds.extent().y;
        let (mut points, mut standing) = (Vec::new(), Vec::new());
        for mesh in meshes {
            for t in (0..mesh.triangles.len()).step_by(every) {
                let corners = mesh.corners(t);
                points.extend(corners);
                if corners.iter().any(|p| p.y > floor) {
                    standing.extend(corners);
                }
            }
        }
        Self {
            points,
            standing,
            bounds,
        }
    }
}

fn extent(shape: &Shape) -> Option<Aabb> {
    let around = |p: &Point3, r: Real| Aabb::EMPTY.grow(p).inflated(r);
    match shape {
        Shape::Point { at } => Some(around(at, 0.5)),
        Shape::Disc { center, radius, .. } | Shape::Sphere { center, radius } => {
            Some(around(center, *radius))
        }
        Shape::Box { bounds } => Some(*bounds),
        Shape::Grid { origin, u, v, .. } => {
            Some(Aabb::around(&[*origin, origin + u, origin + v, origin + u + v]))
        }
        Shape::Cone { center, radius, .. } => Some(around(center, radius.max(0.5))),
        Shape::MeshSurface { .. } | Shape::MeshVolume { .. } => None,
    }
}

fn corners(b: &Aabb) -> Vec<Point3> {
    let pick = |i: usize, axis: usize| {
        if i >> axis & 1 == 0 {
            b.min[axis]
        } else {
            b.max[axis]
        }
    };
    (0..8)
        .map(|i| Point3::new(pick(i, 0), pick(i, 1), pick(i, 2)))
        .collect()
}

/// Unit vector at an azimuth from +z towards +x and an elevation over the horizon [degrees].
pub fn direction(azimuth_deg: Real, elevation_deg: Real) -> Vec3 {
    let (az, el) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
    Vec3::new(
        libm::cos(el) * libm::sin(az),
        libm::sin(el),
        libm::cos(el) * libm::cos(az),
    )
}

/// The scene's camera, or the automatic one.
pub fn camera(scene: &Scene, subject: &Subject) -> Camera {
    match scene.camera {
        Some(camera) if camera.eye != camera.target => camera,
        _ => automatic(subject, &scene.output),
    }
}

/// Azimuth of the camera as seen from its target [degrees].
pub fn azimuth_deg(camera: &Camera) -> Real {
    let d = camera.eye - camera.target;
    if d.x == 0.0 && d.z == 0.0 {
        0.0
    } else {
        libm::atan2(d.x, d.z).to_degrees()
    }
}

/// Axes of the picture and the slopes of its edges.
struct Frustum {
    back: Vec3,
    right: Vec3,
    up: Vec3,
    slope: [Real; 2],
}

fn automatic(subject: &Subject, output: &Output) -> Camera {
    let back = direction(AZIMUTH, ELEVATION);
    let right = Vec3::y().cross(&back).normalize();
    let tx = libm::tan(0.5 * ANGLE.to_radians());
    let aspect = Real::from(output.width.max(1)) / Real::from(output.height.max(1));
    let frustum = Frustum {
        back,
        right,
        up: back.cross(&right),
        slope: [tx, tx / aspect],
    };
    let tall = &subject.standing[..];
    let (mut target, mut distance) = frustum.fit(&subject.points, subject.bounds.center(), FILL);
    if !tall.is_empty() {
        let (_, standing) = frustum.fit_at(tall, target, FILL_TALL);
        distance = (BLEED * distance).max(standing);
        let (middle, alone) = frustum.fit(tall, Aabb::around(tall).center(), FILL_TALL);
        if distance > FAR * alone {
            (target, distance) = (middle, FAR * alone);
        }
    }
    // A needle that points at the camera fits at any distance.
    let distance = distance.max(1e-3 * subject.bounds.diagonal());
    Camera {
        eye: target + back * distance,
        target,
        angle_deg: ANGLE,
    }
}

impl Frustum {
    /// Aim and distance at which `points` fill the share `fill` of the picture with equal margins.
    fn fit(&self, points: &[Point3], mut aim: Point3, fill: Real) -> (Point3, Real) {
        let mut distance = 0.0;
        for _ in 0..6 {
            let shift;
            (shift, distance) = self.fit_at(points, aim, fill);
            aim += shift;
        }
        (aim, distance.max(self.fit_at(points, aim, fill).1))
    }

    /// How far the aim should move to even the margins out, and the distance that holds all points.
    fn fit_at(&self, points: &[Point3], aim: Point3, fill: Real) -> (Vec3, Real) {
        let axes = [self.right, self.up];
        let mut distance: Real = 0.0;
        for p in points {
            let v = p - aim;
            for (axis, slope) in axes.iter().zip(self.slope) {
                distance = distance.max(v.dot(&self.back) + v.dot(axis).abs() / (slope * fill));
            }
        }
        let mut shift = Vec3::zeros();
        for (axis, slope) in axes.iter().zip(self.slope) {
            let (mut low, mut high) = (Real::INFINITY, Real::NEG_INFINITY);
            for p in points {
                let v = p - aim;
                let depth = (distance - v.dot(&self.back)).max(1e-9 * (1.0 + distance));
                let x = v.dot(axis) / (depth * slope);
                low = low.min(x);
                high = high.max(x);
            }
            shift += axis * (0.5 * (low + high) * distance * slope);
        }
        (shift, distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> Output {
        Output {
            scale: None,
            width: 1280,
            height: 720,
            particles: false,
            share: false,
        }
    }

    fn subject(points: Vec<Point3>) -> Subject {
        Subject {
            bounds: Aabb::around(&points),
            standing: points.clone(),
            points,
        }
    }

    /// Largest distance from the middle of the picture, 1 at its edge.
    fn largest(camera: &Camera, points: &[Point3]) -> Real {
        let back = (camera.eye - camera.target).normalize();
        let right = Vec3::y().cross(&back).normalize();
        let up = back.cross(&right);
        let tx = libm::tan(0.5 * camera.angle_deg.to_radians());
        points
            .iter()
            .map(|p| {
                let v = p - camera.eye;
                let depth = -v.dot(&back);
                (v.dot(&right).abs() / (depth * tx)).max(v.dot(&up).abs() / (depth * tx / 1280.0 * 720.0))
            })
            .fold(0.0, Real::max)
    }

    #[test]
    fn a_tower_is_framed_as_a_whole() {
        let b = Aabb {
            min: Point3::new(3.0, 0.0, -8.0),
            max: Point3::new(5.0, 12.0, -6.0),
        };
        let s = subject(corners(&b));
        let filled = largest(&automatic(&s, &output()), &s.points);
        assert!((0.8..=1.0).contains(&filled), "{filled}");
    }

    #[test]
    fn wide_ground_does_not_push_the_house_away() {
        let house = corners(&Aabb {
            min: Point3::new(-3.0, 0.0, -3.0),
            max: Point3::new(3.0, 5.0, 3.0),
        });
        let mut points = house.clone();
        points.extend(corners(&Aabb {
            min: Point3::new(-500.0, 0.0, -500.0),
            max: Point3::new(500.0, 0.0, 500.0),
        }));
        let subject = Subject {
            standing: house.clone(),
            ..subject(points)
        };
        let camera = automatic(&subject, &output());
        assert!((camera.eye - camera.target).norm() < 60.0);
        assert!(largest(&camera, &house) <= 1.0);
    }

    #[test]
    fn flat_and_single_things_give_a_finite_camera() {
        for points in [
            vec![Point3::new(1.0, 2.0, 3.0); 4],
            corners(&Aabb {
                min: Point3::origin(),
                max: Point3::new(9.0, 0.0, 9.0),
            }),
        ] {
            let camera = automatic(&subject(points), &output());
            assert!(
                camera
                    .eye
                    .iter()
                    .chain(camera.target.iter())
                    .all(|x| x.is_finite())
            );
        }
    }
}
