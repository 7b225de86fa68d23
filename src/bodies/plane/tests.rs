use super::*;
use crate::bodies::contacts::{Index, MARGIN, find};
use crate::bodies::fill::{Grain, Solid};
use crate::bodies::motion::Motion;
use crate::bodies::shapes::{Ball, Boxes};
use crate::math::{Point3, Quaternion};

struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> Real {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }

    fn within(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    fn turn(&mut self) -> Quaternion {
        let q = nalgebra::Quaternion::new(
            self.within(-1.0, 1.0),
            self.within(-1.0, 1.0),
            self.within(-1.0, 1.0),
            self.within(-1.0, 1.0),
        );
        if q.norm() > 1.0 {
            self.turn()
        } else {
            Quaternion::new_normalize(q)
        }
    }
}

fn about(axis: Vec3, degrees: Real) -> Quaternion {
    Quaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis), degrees.to_radians())
}

/// Draws where two bodies are.
type Pose<'a> = dyn Fn(&mut Draws) -> (Motion, Motion) + 'a;

struct Body {
    fill: Fill,
    index: Index,
}

impl Body {
    fn new(solid: &dyn Solid, radius: Real) -> Self {
        let fill = Fill::new(solid, &Grain::cubic(radius, 1.0)).expect("a fill");
        Self {
            index: Index::new(&fill),
            fill,
        }
    }

    fn cube(n: u32) -> Self {
        Self::new(&Boxes::cuboid(1.0, 1.0, 1.0), 0.5 / Real::from(n))
    }

    fn side<'a>(&'a self, motion: &'a Motion) -> Side<'a> {
        Side {
            fill: &self.fill,
            index: &self.index,
            motion,
        }
    }
}

fn still(center: Vec3, turn: Quaternion) -> Motion {
    Motion {
        center: Point3::from(center),
        turn,
        velocity: Vec3::zeros(),
        angular: Vec3::zeros(),
    }
}

/// Middle of the particles that lie farthest up (side 1) or down (-1).
fn outermost(body: &Body, turn: Quaternion, side: Real) -> Vec3 {
    let points: Vec<Vec3> = body.fill.surface().iter().map(|p| turn * p).collect();
    let far = points
        .iter()
        .map(|p| side * p.y)
        .fold(Real::NEG_INFINITY, Real::max);
    let most: Vec<&Vec3> = points.iter().filter(|p| side * p.y > far - 1e-9).collect();
    most.iter().copied().sum::<Vec3>() / most.len() as Real
}

/// B above A, turned so: what of B is lowest is over what of A is highest, but for x and z, and the centres of the particles
/// are clear by a diameter.
fn above(a: &Body, b: &Body, turn_a: Quaternion, turn_b: Quaternion, x: Real, z: Real) -> (Motion, Motion) {
    let (top, bottom) = (outermost(a, turn_a, 1.0), outermost(b, turn_b, -1.0));
    let clear = Vec3::new(x, a.fill.radius + b.fill.radius, z);
    (still(Vec3::zeros(), turn_a), still(top - bottom + clear, turn_b))
}

fn planes_of(a: &Body, b: &Body, poses: &(Motion, Motion)) -> (Vec<Contact>, Vec<Group>) {
    let (a, b) = (a.side(&poses.0), b.side(&poses.1));
    let mut contacts = Vec::new();
    find(a, b, MARGIN * a.fill.radius, &mut contacts);
    let groups = planes(&a, &b, &contacts);
    (contacts, groups)
}

/// Share of poses whose one normal, up in all of them, is within `degrees`; and the share found by faces.
fn share_within(
    a: &Body,
    b: &Body,
    degrees: Real,
    count: usize,
    mut pose: impl FnMut(&mut Draws) -> (Motion, Motion),
) -> Real {
    let mut draws = Draws(3);
    let mut good = 0;
    for _ in 0..count {
        let (mut ma, mut mb) = pose(&mut draws);
        // Everything turned anyhow.
        let turn = draws.turn();
        for m in [&mut ma, &mut mb] {
            m.turn = turn * m.turn;
            m.center = turn * m.center;
        }
        let (contacts, groups) = planes_of(a, b, &(ma, mb));
        assert!(!contacts.is_empty());
        let up = turn * Vec3::y();
        let near = |g: &Group| libm::acos(g.normal.dot(&up).min(1.0)).to_degrees() < degrees;
        good += usize::from(groups.len() == 1 && near(&groups[0]));
    }
    good as Real / count as Real
}

#[test]
fn flat_faces_edges_and_corners_give_the_normal_of_the_shapes() {
    for n in [16, 32] {
        let (a, b) = (&Body::cube(n), &Body::cube(n));
        let face_face = |d: &mut Draws| {
            let yaw = about(Vec3::y(), d.within(0.0, 360.0));
            let (x, z) = (d.within(-0.6, 0.6), d.within(-0.6, 0.6));
            above(a, b, Quaternion::identity(), yaw, x, z)
        };
        let edge_face = |d: &mut Draws| {
            let turn = about(Vec3::y(), d.within(0.0, 360.0)) * about(Vec3::z(), d.within(15.0, 75.0));
            let (x, z) = (d.within(-0.3, 0.3), d.within(-0.3, 0.3));
            above(a, b, Quaternion::identity(), turn, x, z)
        };
        let corner_face = |d: &mut Draws| {
            let turn = loop {
                let turn = d.turn();
                let steepest = [Vec3::x(), Vec3::y(), Vec3::z()].map(|n| (turn * n).y.abs());
                if steepest.iter().all(|y| (0.2..0.9).contains(y)) {
                    break turn;
                }
            };
            let (x, z) = (d.within(-0.4, 0.4), d.within(-0.4, 0.4));
            above(a, b, Quaternion::identity(), turn, x, z)
        };
        let edge_edge = |d: &mut Draws| {
            let lower = about(Vec3::z(), d.within(25.0, 65.0));
            let upper = about(Vec3::y(), d.within(20.0, 160.0)) * about(Vec3::z(), d.within(25.0, 65.0));
            let (x, z) = (d.within(-0.1, 0.1), d.within(-0.1, 0.1));
            above(a, b, lower, upper, x, z)
        };
        let poses: [(&str, &Pose); 4] = [
            ("face-face", &face_face),
            ("edge-face", &edge_face),
            ("corner-face", &corner_face),
            ("edge-edge", &edge_edge),
        ];
        for (name, pose) in poses {
            let share = share_within(a, b, 0.5, 300, pose);
            assert!(share >= 0.99, "{name} of {n}: {share}");
        }
    }
}

#[test]
fn round_bodies_are_right_within_fifty_degrees_over_n() {
    for n in [8, 16, 32] {
        let ball = &Body::new(&Ball(0.5), 0.5 / Real::from(n));
        let cube = &Body::cube(n);
        let on_ball = |d: &mut Draws| (still(Vec3::zeros(), d.turn()), still(Vec3::y(), d.turn()));
        let share = share_within(ball, ball, 50.0 / Real::from(n), 300, on_ball);
        assert!(share >= 0.99, "ball on ball of {n}: {share}");
        let on_cube = |d: &mut Draws| {
            let (x, z) = (d.within(-0.4, 0.4), d.within(-0.4, 0.4));
            (
                still(Vec3::zeros(), Quaternion::identity()),
                still(Vec3::new(x, 1.0, z), d.turn()),
            )
        };
        let share = share_within(cube, ball, 50.0 / Real::from(n), 300, on_cube);
        assert!(share >= 0.99, "ball on cube of {n}: {share}");
    }
}

/// An L that stands in a U, at its wall: no single plane parts them, two do.
#[test]
fn a_concave_pair_gets_a_plane_for_each_face() {
    for n in [4, 8] {
        let r = 0.5 / Real::from(n);
        let u = Body::new(
            &Boxes::of(&[
                [-2.0, -1.0, -0.5, 2.0, 0.0, 0.5],
                [-2.0, 0.0, -0.5, -1.0, 2.0, 0.5],
                [1.0, 0.0, -0.5, 2.0, 2.0, 0.5],
            ]),
            r,
        );
        let l = Body::new(
            &Boxes::of(&[[-1.0, 0.0, -0.5, 0.5, 1.0, 0.5], [-1.0, 1.0, -0.5, 0.0, 2.0, 0.5]]),
            r,
        );
        let place = |body: &Body| still(body.fill.mass.center.coords, Quaternion::identity());
        let (contacts, groups) = planes_of(&u, &l, &(place(&u), place(&l)));
        let mut normals: Vec<[i64; 3]> = groups
            .iter()
            .map(|g| [g.normal.x, g.normal.y, g.normal.z].map(|x| (x * 1e9).round() as i64))
            .collect();
        normals.sort_unstable();
        assert_eq!(
            normals,
            [[0, 1_000_000_000, 0], [1_000_000_000, 0, 0]],
            "{n}: {} contacts",
            contacts.len()
        );
        assert!(groups.iter().all(|g| g.tier == Tier::Faces));
        assert_eq!(
            groups.iter().map(|g| g.members.len()).sum::<usize>(),
            contacts.len()
        );
    }
}

/// A tip of one, two in a row or three particles in an L that stands on a face, turned anyhow about it.
#[test]
fn tips_of_one_two_and_three_particles_stand_on_a_face() {
    let h = 1.0 / 16.0;
    let tips: [&[[Real; 4]]; 3] = [
        &[[0.0, 0.0, h, h]],
        &[[0.0, 0.0, 2.0 * h, h]],
        &[[0.0, 0.0, 2.0 * h, h], [0.0, h, h, 2.0 * h]],
    ];
    let cube = &Body::cube(16);
    for (tip, particles) in tips.into_iter().zip(1..) {
        let mut parts = vec![[-0.5, 0.0, -0.5, 0.5, 1.0, 0.5]];
        parts.extend(tip.iter().map(|[x, z, u, v]| [*x, -h, *z, *u, 0.0, *v]));
        let body = &Body::new(&Boxes::of(&parts), 0.5 * h);
        let lowest = body
            .fill
            .surface()
            .iter()
            .map(|p| p.y)
            .fold(Real::INFINITY, Real::min);
        let in_tip = body.fill.surface().iter().filter(|p| p.y < lowest + 1e-9).count();
        assert_eq!(in_tip, particles);
        let pose = |d: &mut Draws| {
            let yaw = about(Vec3::y(), d.within(0.0, 360.0));
            let (x, z) = (d.within(-0.4, 0.4), d.within(-0.4, 0.4));
            above(cube, body, Quaternion::identity(), yaw, x, z)
        };
        let share = share_within(cube, body, 0.5, 300, pose);
        assert!(share >= 0.99, "{particles}: {share}");
    }
}

/// Whatever way a plane was found, the contacts that it stands for lie on their own sides of it, as far as bumps let them.
#[test]
fn planes_part_the_particles() {
    let (a, b) = (&Body::cube(12), &Body::cube(12));
    let mut draws = Draws(8);
    let mut tiers = [0; 5];
    for _ in 0..300 {
        let poses = above(
            a,
            b,
            draws.turn(),
            draws.turn(),
            draws.within(-0.02, 0.02),
            draws.within(-0.02, 0.02),
        );
        let (contacts, groups) = planes_of(a, b, &poses);
        for group in &groups {
            tiers[group.tier as usize] += 1;
            let along = |p: &Point3| p.coords.dot(&group.normal);
            let of = |i: &u32| &contacts[*i as usize];
            let top = group
                .members
                .iter()
                .map(|i| along(&of(i).at_a))
                .fold(Real::NEG_INFINITY, Real::max);
            let bottom = group
                .members
                .iter()
                .map(|i| along(&of(i).at_b))
                .fold(Real::INFINITY, Real::min);
            let r = a.fill.radius;
            assert!(
                bottom - top >= (2.0 - TOLERANCE) * r,
                "{:?}: {}",
                group.tier,
                (bottom - top) / r
            );
        }
    }
    assert!(tiers[Tier::Faces as usize] > 200, "{tiers:?}");
}
