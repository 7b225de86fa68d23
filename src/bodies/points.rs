//! Contact points: the few places through which two bodies, or a body and the scenery, push each other.
//!
//! One plane a group, and on it four outermost contacts and the deepest: a single point carries no torque, and more than
//! these slow the solver down without holding better.

use super::contacts::{Contact, Side, find};
use super::plane::{Group, Tier, planes};
use crate::math::{Point3, Real, Vec3, perpendiculars};

/// Stands for the scenery as a partner.
pub const SCENERY: u32 = u32::MAX;
/// Cosine of the angle up to which contacts with the scenery share a plane: 15 degrees.
const TOGETHER: Real = 0.966;
/// Cosine from which on a point of the step before is the same one.
const AGAIN: Real = 0.9;
/// By how much a contact must be deeper than the outermost ones to count [radii].
const DEEPER: Real = 0.01;
/// The four directions, as shares of two axes in the plane, in which the outermost contacts are looked for. They are along
/// no edge of a cube, so that its four corners are found.
const OUTWARD: [[Real; 2]; 4] = [[1.0, 0.6], [-1.0, -0.6], [-0.6, 1.0], [0.6, -1.0]];

/// A contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Numbers of the bodies, the lower one first; or of a body and [`SCENERY`].
    pub bodies: [u32; 2],
    /// The particles; of the scenery, [`SCENERY`].
    pub particles: [u32; 2],
    /// Where both push [m].
    pub place: Point3,
    /// Unit normal, from the first body to the second.
    pub normal: Vec3,
    /// How far they are into each other [m]; negative: how far apart.
    pub depth: Real,
    /// Impulse along the normal and across it in the last step [kg m/s].
    pub push: Real,
    /// See `push`.
    pub drag: Vec3,
    /// Velocity of the scenery there [m/s]; zero between bodies.
    pub surface: Vec3,
}

/// A particle near the scenery.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// The particle.
    pub particle: u32,
    /// Its centre [m].
    pub at: Point3,
    /// The closest point of the scenery [m].
    pub point: Point3,
    /// Unit normal from there towards the particle.
    pub normal: Vec3,
    /// Velocity of the scenery there [m/s].
    pub velocity: Vec3,
}

/// How normals were found, by [`Tier`].
pub type Tiers = [u64; 5];

/// Adds the points between two bodies.
pub fn between(
    numbers: [u32; 2],
    a: Side,
    b: Side,
    margin: Real,
    found: &mut Vec<Contact>,
    points: &mut Vec<Point>,
    tiers: &mut Tiers,
) {
    find(a, b, margin, found);
    for Group {
        normal,
        tier,
        members,
    } in planes(&a, &b, found)
    {
        tiers[tier as usize] += members.len() as u64;
        let (ra, rb) = (a.fill.radius, b.fill.radius);
        let all: Vec<Point> = (members.iter().map(|&i| &found[i as usize]))
            .map(|c| Point {
                bodies: numbers,
                particles: [c.a, c.b],
                place: c.at_a + (c.at_b - c.at_a) * (ra / (ra + rb)),
                normal,
                depth: ra + rb - (c.at_b - c.at_a).dot(&normal),
                push: 0.0,
                drag: Vec3::zeros(),
                surface: Vec3::zeros(),
            })
            .collect();
        few(&all, ra.min(rb), points);
    }
}

/// Adds the points between a body and the scenery. `touches` must be in the order of particles.
pub fn on_scenery(number: u32, radius: Real, touches: &[Touch], points: &mut Vec<Point>) {
    let mut groups: Vec<(Vec3, Vec<Point>)> = Vec::new();
    for touch in touches {
        let known = groups.iter().position(|(n, _)| n.dot(&touch.normal) > TOGETHER);
        let group = known.unwrap_or_else(|| {
            groups.push((touch.normal, Vec::new()));
            groups.len() - 1
        });
        let (normal, members) = &mut groups[group];
        let depth = radius - (touch.at - touch.point).dot(normal);
        let point = Point {
            bodies: [number, SCENERY],
            particles: [touch.particle, SCENERY],
            place: touch.at - *normal * (radius - 0.5 * depth),
            normal: -*normal,
            depth,
            push: 0.0,
            drag: Vec3::zeros(),
            surface: touch.velocity,
        };
        // Several triangles of one plane.
        match members
            .last_mut()
            .filter(|last| last.particles == point.particles)
        {
            Some(last) => {
                if point.depth > last.depth {
                    *last = point;
                }
            }
            None => members.push(point),
        }
    }
    for (_, members) in groups {
        few(&members, radius, points);
    }
}

/// Of points in one plane the outermost, and the deepest if it is deeper than these.
fn few(all: &[Point], radius: Real, points: &mut Vec<Point>) {
    let Some(first) = all.first() else { return };
    let (u, v) = perpendiculars(&first.normal);
    let best = |value: &dyn Fn(&Point) -> Real| {
        (0..all.len()).reduce(|x, y| if value(&all[y]) > value(&all[x]) { y } else { x })
    };
    let along = |[x, y]: [Real; 2]| {
        let direction = u * x + v * y;
        best(&move |p: &Point| (p.place - first.place).dot(&direction))
    };
    let mut chosen: Vec<usize> = OUTWARD.into_iter().filter_map(along).collect();
    // One that is as deep as the others would be another one in each step, and start without its impulse.
    let deepest = chosen
        .iter()
        .map(|&i| all[i].depth)
        .fold(Real::NEG_INFINITY, Real::max);
    chosen.extend(best(&|p: &Point| p.depth).filter(|&i| all[i].depth > deepest + DEEPER * radius));
    chosen.sort_unstable();
    chosen.dedup();
    points.extend(chosen.into_iter().map(|i| all[i]));
}

/// Gives points the impulses that the same ones had in the step before. Both must be in order of bodies and particles.
pub fn remember(before: &[Point], points: &mut [Point]) {
    let key = |p: &Point| (p.bodies, p.particles);
    for point in points {
        let first = before.partition_point(|p| key(p) < key(point));
        let same = before[first..].iter().take_while(|p| key(p) == key(point));
        if let Some(old) = same.filter(|p| p.normal.dot(&point.normal) > AGAIN).last() {
            point.push = old.push;
            point.drag = old.drag - point.normal * old.drag.dot(&point.normal);
        }
    }
}

/// Names of the tiers, for reports.
pub const TIERS: [(Tier, &str); 5] = [
    (Tier::Faces, "faces"),
    (Tier::Curved, "round"),
    (Tier::Products, "products"),
    (Tier::Line, "lines"),
    (Tier::Centres, "centres"),
];
