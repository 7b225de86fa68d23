//! The particles of a frame as POV-Ray gets them, blob components and spheres, behind two trees.
//!
//! The first tree holds what a ray may see, as wide as components reach; the second what throws shadows, as wide as
//! they are solid.

use std::collections::BTreeMap;

use super::view::Material;
use crate::bvh::{Bvh, NONE, Path};
use crate::compare::{FrameText, Sphere, Value};
use crate::math::{Aabb, Point3, Real, Vec3};

/// A component of a blob, or a sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre [POV-Ray units].
    pub center: Point3,
    /// Radius, for a component that of its influence.
    pub radius: Real,
    /// Strength of a component; 0: a sphere.
    pub strength: f32,
    /// Number of its material, in the order of the view's names.
    pub material: u16,
}

/// The particles of a frame.
#[derive(Debug)]
pub struct Covering {
    balls: Vec<Ball>,
    reach: Bvh,
    /// Places and radii of what throws shadows.
    solids: Vec<(Point3, Real)>,
    solid: Bvh,
    /// Box around all; empty without particles.
    pub bounds: Aabb,
}

/// What is solid of a component that the field of its neighbours carries, as a share of one alone: less than the
/// covering is thick, so that it does not shade itself.
const SOLID_IN_COMPANY: Real = 0.5;

impl Covering {
    /// Takes the spheres of a frame; `Err` says what is wrong with it.
    pub fn new(frame: &FrameText, materials: &BTreeMap<String, Material>) -> Result<Self, String> {
        let mut balls = Vec::with_capacity(frame.spheres.len());
        let (mut solids, mut owner) = (Vec::new(), None);
        for sphere in frame.spheres.iter().filter(|s| !s.copy) {
            let found = match owner {
                Some((block, found)) if block == sphere.block => found,
                _ => owner_of(frame, sphere.block, materials)?,
            };
            owner = Some((sphere.block, found));
            let ball = ball(sphere, found.material).ok_or("a sphere has a name for a number")?;
            if found.shadows {
                solids.push((ball.center, solid_radius(&ball, found.threshold)));
            }
            balls.push(ball);
        }
        let boxes: Vec<Aabb> = balls.iter().map(|b| around(&b.center, b.radius)).collect();
        let solid_boxes: Vec<Aabb> = solids.iter().map(|(p, r)| around(p, *r)).collect();
        Ok(Self {
            reach: Bvh::build(&boxes),
            solid: Bvh::build(&solid_boxes),
            bounds: boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b)),
            balls,
            solids,
        })
    }

    /// Balls that a cone of rays may meet before `far`: those within reach of its axis plus what it has widened by
    /// then, each with the place along the axis where it begins.
    pub fn in_cone(
        &self,
        eye: &Point3,
        axis: &Vec3,
        widening: Real,
        far: Real,
        found: &mut Vec<(f32, Ball)>,
    ) {
        found.clear();
        let path = Path {
            from: *eye,
            along: axis * far,
            radius: far * widening,
        };
        self.reach.walk(&path, 1.0, |slots, best| {
            for slot in slots {
                let number = self.reach.order()[slot as usize];
                if number == NONE {
                    continue;
                }
                let ball = self.balls[number as usize];
                let to = ball.center - eye;
                let along = to.dot(axis);
                let wide = ball.radius + (along + ball.radius).max(0.0) * widening;
                let aside = (to - axis * along).norm_squared();
                if aside < wide * wide && along + ball.radius > 0.0 && along - wide < far {
                    found.push(((along - wide).max(0.0) as f32, ball));
                }
            }
            best
        });
    }

    /// The share of a way at which it first enters something solid; `None`: it is free, or starts inside.
    pub fn first_solid(&self, from: &Point3, along: &Vec3) -> Option<Real> {
        let mut first: Option<Real> = None;
        let path = Path {
            from: *from,
            along: *along,
            radius: 0.0,
        };
        let length2 = along.norm_squared();
        self.solid.walk(&path, 1.0, |slots, mut best| {
            for slot in slots {
                let number = self.solid.order()[slot as usize];
                if number == NONE {
                    continue;
                }
                let (center, radius) = &self.solids[number as usize];
                let to = center - from;
                let middle = to.dot(along) / length2;
                let left = radius * radius - (to - along * middle).norm_squared();
                if middle <= 0.0 || left <= 0.0 {
                    continue;
                }
                let at = middle - (left / length2).sqrt();
                if (0.0..=best).contains(&at) {
                    first = Some(at);
                    best = at;
                }
            }
            best
        });
        first
    }
}

/// What the lines around a sphere say of it.
#[derive(Debug, Clone, Copy)]
struct Owner {
    material: u16,
    threshold: f32,
    shadows: bool,
}

/// The `material{STEM_Settled}` or `material{STEM_Flying}` that closes the block of a sphere.
fn owner_of(
    frame: &FrameText,
    block: usize,
    materials: &BTreeMap<String, Material>,
) -> Result<Owner, String> {
    let lines = frame.structure.get(block..).unwrap_or_default();
    let line = lines
        .iter()
        .find_map(|(_, line)| line.trim().strip_prefix("material{"));
    let line = line.ok_or("a sphere stands in no blob or union with a material")?;
    let name = line.split('}').next().unwrap_or(line);
    let stem = name.rsplit_once('_').map_or(name, |(stem, _)| stem);
    let found = materials.iter().zip(0..).find(|((known, _), _)| *known == stem);
    let ((_, material), number) = found.ok_or_else(|| format!("common.inc declares no material `{stem}`"))?;
    Ok(Owner {
        material: number,
        threshold: material.threshold,
        shadows: !line.contains("no_shadow"),
    })
}

fn ball(sphere: &Sphere, material: u16) -> Option<Ball> {
    let number = |value: Value| match value {
        Value::Number(number) => Some(number),
        Value::Name(_) => None,
    };
    let [x, y, z] = sphere.center;
    Some(Ball {
        center: Point3::new(number(x)?, number(y)?, number(z)?),
        radius: number(sphere.radius)?,
        strength: match sphere.strength {
            Some(strength) => number(strength)? as f32,
            None => 0.0,
        },
        material,
    })
}

fn around(center: &Point3, radius: Real) -> Aabb {
    Aabb {
        min: *center,
        max: *center,
    }
    .inflated(radius)
}

fn solid_radius(ball: &Ball, threshold: f32) -> Real {
    let share = |t: f32| Real::from((1.0 - t.sqrt()).max(0.0).sqrt());
    match ball.strength {
        0.0 => ball.radius,
        s if s > threshold => ball.radius * share(threshold / s).max(SOLID_IN_COMPANY * share(threshold)),
        _ => ball.radius * SOLID_IN_COMPANY * share(threshold),
    }
}
