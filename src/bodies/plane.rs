//! The plane between two bodies, from the particles by which they touch.
//!
//! After section 5 of Dingle (2004). A line through two centres is off by the bumpiness of the surface, up to 45 degrees
//! however small the particles, so candidates come from the faces that the particles touch first, and from products of
//! places only where these fail. A candidate must have all contact particles, and their neighbours whose own faces look
//! at it, on their own sides. Where no plane does (a corner in a corner), contacts that face the same way get one each.

use super::contacts::{Contact, Side};
use super::fill::Fill;
use crate::math::{Real, Vec3};

/// How a normal was found, the most trustworthy way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A face against a face, an edge or a corner, or two edges.
    Faces,
    /// Round surfaces: the mean of their normals.
    Curved,
    /// Three contacts in no line, or two edges seen as rows of particles.
    Products,
    /// A line of contacts: the line of centres, made square to it.
    Line,
    /// The mean line of centres.
    Centres,
}

/// A plane, and the contacts that it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Unit normal, from A to B.
    pub normal: Vec3,
    /// How it was found.
    pub tier: Tier,
    /// Numbers of its contacts, ascending.
    pub members: Vec<u32>,
}

/// What the particles may lack of a full separation, in radii: (2 - sqrt 2) of a flat face of a cubic packing, and what
/// moved particles add.
const TOLERANCE: Real = 0.9;
/// Cosine to the mean line of centres that a normal must have.
const FORWARD: Real = 0.3;
/// Sine below which two directions make no plane: 10 degrees.
const PARALLEL: Real = 0.17;
/// Cosine of the angle up to which normals of a round surface are taken together: 30 degrees.
const ROUND: Real = 0.866;
/// Cosine above which normals are the same.
const SAME: Real = 1.0 - 1e-9;
/// Cosine of the angle up to which contacts share a plane: 15 degrees.
const TOGETHER: Real = 0.966;
/// Cosine to the plane's normal from which on a neighbour's face looks at the plane.
const LOOKS: Real = 0.5;
/// Candidates of faces and of edges that are tried at the most.
const MOST: usize = 48;
/// Contacts in no line, when the third is farther from it [radii].
const OFF_LINE: Real = 0.5;

/// The particles around the contacts of one body, in the world, relative to a place near them.
struct Patch {
    /// Contact particles first.
    at: Vec<Vec3>,
    /// How many of them are contact particles.
    certain: usize,
    /// Normals of each, one list after the other, and where the lists end.
    normals: Vec<Vec3>,
    ends: Vec<usize>,
}

impl Patch {
    fn new(side: &Side, origin: &crate::math::Point3, mut touching: Vec<u32>) -> Self {
        touching.sort_unstable();
        touching.dedup();
        let fill: &Fill = side.fill;
        let mut near: Vec<u32> = touching.iter().flat_map(|&p| fill.around(p)).copied().collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|p| touching.binary_search(p).is_err());
        let certain = touching.len();
        let mut patch = Self {
            at: Vec::new(),
            certain,
            normals: Vec::new(),
            ends: vec![0],
        };
        for p in touching.into_iter().chain(near) {
            patch.at.push(side.place(p) - origin);
            let normals = fill.normals[p as usize];
            patch
                .normals
                .extend(normals.all().iter().map(|n| side.motion.turn * n));
            patch.ends.push(patch.normals.len());
        }
        patch
    }

    fn normals(&self, i: usize) -> &[Vec3] {
        &self.normals[self.ends[i]..self.ends[i + 1]]
    }

    /// Farthest extent along `n` of the contact particles, and of neighbours with a face that looks along it.
    fn extent(&self, n: &Vec3) -> Real {
        let mut far = Real::NEG_INFINITY;
        for (i, at) in self.at.iter().enumerate() {
            if i < self.certain || self.normals(i).iter().any(|own| own.dot(n) > LOOKS) {
                far = far.max(at.dot(n));
            }
        }
        far
    }

    /// Normals of the contact particles.
    fn faces(&self) -> impl Iterator<Item = &Vec3> {
        self.normals[..self.ends[self.certain]].iter()
    }

    /// Directions of the edges on which contact particles lie.
    fn edges(&self) -> Vec<Vec3> {
        let mut found: Vec<Vec3> = Vec::new();
        for i in 0..self.certain {
            let own = self.normals(i);
            for (k, a) in own.iter().enumerate() {
                for b in &own[k + 1..] {
                    let along = a.cross(b).normalize();
                    if found.len() < MOST && found.iter().all(|e| e.dot(&along).abs() < SAME) {
                        found.push(along);
                    }
                }
            }
        }
        found
    }

    /// The normal that all particles have that look much the same way as the contact particles, if there is one.
    fn flat(&self) -> Option<Vec3> {
        let first = *self.faces().next()?;
        let alike = |n: &&Vec3| n.dot(&first) > ROUND;
        self.normals
            .iter()
            .filter(alike)
            .all(|n| n.dot(&first) > SAME)
            .then_some(first)
    }
}

/// A way of finding a normal.
type Way<'a> = dyn Fn(&Pair<'a>) -> Option<Vec3>;

/// Two patches, and what a plane between them has to do.
struct Pair<'a> {
    a: Patch,
    b: Patch,
    contacts: Vec<&'a Contact>,
    /// Unit mean line of centres, from A to B.
    mean: Vec3,
    /// Least separation of the centres.
    least: Real,
    /// Radius of the smaller particles.
    radius: Real,
}

impl<'a> Pair<'a> {
    fn new(a: &Side, b: &Side, contacts: Vec<&'a Contact>) -> Option<Self> {
        let first = contacts.first()?;
        let origin = nalgebra::center(&first.at_a, &first.at_b);
        let radius = a.fill.radius.min(b.fill.radius);
        let mut sum = Vec3::zeros();
        let mut deepest: Real = 0.0;
        for c in &contacts {
            let weight = (0.5 * radius - c.gap).max(0.01 * radius);
            sum += (c.at_b - c.at_a).try_normalize(0.0).unwrap_or_else(Vec3::zeros) * weight;
            deepest = deepest.max(-c.gap);
        }
        Some(Self {
            a: Patch::new(a, &origin, contacts.iter().map(|c| c.a).collect()),
            b: Patch::new(b, &origin, contacts.iter().map(|c| c.b).collect()),
            mean: sum.try_normalize(0.0).unwrap_or_else(Vec3::y),
            least: a.fill.radius + b.fill.radius - TOLERANCE * radius - deepest,
            radius,
            contacts,
        })
    }

    /// How far the centres of B lie beyond those of A along `n`.
    fn separation(&self, n: &Vec3) -> Real {
        -self.b.extent(&-n) - self.a.extent(n)
    }

    /// The candidate with the largest separation that suffices.
    fn best(&self, candidates: impl IntoIterator<Item = Vec3>) -> Option<Vec3> {
        let mut best: Option<(Real, Vec3)> = None;
        for n in candidates {
            if n.dot(&self.mean) < FORWARD {
                continue;
            }
            let separation = self.separation(&n);
            if separation >= self.least && best.is_none_or(|(most, _)| separation > most) {
                best = Some((separation, n));
            }
        }
        best.map(|b| b.1)
    }

    fn by_faces(&self) -> Option<Vec3> {
        let mut all: Vec<Vec3> = Vec::new();
        for n in self.a.faces().copied().chain(self.b.faces().map(|n| -n)) {
            if all.len() < MOST && all.iter().all(|other| other.dot(&n) < SAME) {
                all.push(n);
            }
        }
        let (of_a, of_b) = (self.a.edges(), self.b.edges());
        for along in &of_a {
            for other in &of_b {
                all.extend(self.product(along, other));
            }
        }
        self.best(all)
    }

    /// The product of two directions, towards B.
    fn product(&self, a: &Vec3, b: &Vec3) -> Option<Vec3> {
        let n = a.cross(b);
        let length = n.norm();
        let n = n * (1.0 / length).copysign(n.dot(&self.mean));
        (length > PARALLEL).then_some(n)
    }

    /// Normals that turn little over a surface that is round on one side at least.
    fn by_round(&self) -> Option<Vec3> {
        let n = match (self.a.flat(), self.b.flat()) {
            (Some(_), Some(_)) => return None,
            (Some(flat), None) => flat,
            (None, Some(flat)) => -flat,
            (None, None) => {
                let sum = self.a.faces().sum::<Vec3>() - self.b.faces().sum::<Vec3>();
                sum.try_normalize(0.0)?
            }
        };
        let near = self.a.faces().all(|f| f.dot(&n) > ROUND) && self.b.faces().all(|f| -f.dot(&n) > ROUND);
        if near { self.best([n]) } else { None }
    }

    /// Planes through three of the contacts, or spanned by rows of contact particles.
    fn by_products(&self) -> Option<Vec3> {
        let middles: Vec<Vec3> = (self.contacts.iter())
            .map(|c| nalgebra::center(&c.at_a, &c.at_b).coords)
            .collect();
        let (a, b) = (&self.a.at[..self.a.certain], &self.b.at[..self.b.certain]);
        let mut all: Vec<Vec3> = [&middles[..], a, b]
            .iter()
            .filter_map(|p| self.spanned(p))
            .collect();
        if let (Some(along), Some(other)) = (longest(a), longest(b)) {
            all.extend(self.product(&along, &other));
        }
        self.best(all)
    }

    /// Normal of the plane of the widest triangle among points, towards B.
    fn spanned(&self, points: &[Vec3]) -> Option<Vec3> {
        let along = longest(points)?;
        let from = points.first()?;
        let off = |p: &Vec3| {
            let d = p - from;
            d - along * d.dot(&along)
        };
        let side = points
            .iter()
            .map(off)
            .reduce(|x, y| if y.norm() > x.norm() { y } else { x })?;
        if side.norm() <= OFF_LINE * self.radius {
            return None;
        }
        self.product(&along, &side.normalize())
    }

    /// The mean line of centres, made square to the line on which all contacts lie.
    fn by_line(&self) -> Option<Vec3> {
        let (a, b) = (&self.a.at[..self.a.certain], &self.b.at[..self.b.certain]);
        let lines = [longest(a), longest(b)];
        self.best(
            lines
                .into_iter()
                .flatten()
                .filter_map(|u| (self.mean - u * self.mean.dot(&u)).try_normalize(PARALLEL)),
        )
    }

    fn plane(&self) -> Option<(Vec3, Tier)> {
        let tiers: [(Tier, &Way<'a>); 5] = [
            (Tier::Curved, &Self::by_round),
            (Tier::Faces, &Self::by_faces),
            (Tier::Products, &Self::by_products),
            (Tier::Line, &Self::by_line),
            (Tier::Centres, &|pair| pair.best([pair.mean])),
        ];
        tiers
            .iter()
            .find_map(|(tier, find)| find(self).map(|n| (n, *tier)))
    }
}

/// Unit direction between two far apart of some points: the farthest from the first, and the farthest from that one.
fn longest(points: &[Vec3]) -> Option<Vec3> {
    let farthest = |from: &Vec3| {
        let square = |p: &Vec3| (p - from).norm_squared();
        points
            .iter()
            .reduce(|x, y| if square(y) > square(x) { y } else { x })
            .copied()
    };
    let one = farthest(points.first()?)?;
    (farthest(&one)? - one).try_normalize(0.0)
}

/// Planes between two bodies, each with its contacts. `contacts` are those of [`super::contacts::find`].
pub fn planes(a: &Side, b: &Side, contacts: &[Contact]) -> Vec<Group> {
    let Some(pair) = Pair::new(a, b, contacts.iter().collect()) else {
        return Vec::new();
    };
    if let Some((normal, tier)) = pair.plane() {
        let members = (0..contacts.len() as u32).collect();
        return vec![Group {
            normal,
            tier,
            members,
        }];
    }
    let mut groups: Vec<Group> = Vec::new();
    for (i, contact) in contacts.iter().enumerate() {
        let Some(alone) = Pair::new(a, b, vec![contact]) else {
            continue;
        };
        let (normal, tier) = match alone.by_faces() {
            Some(normal) => (normal, Tier::Faces),
            None => (alone.mean, Tier::Centres),
        };
        match groups.iter_mut().find(|g| g.normal.dot(&normal) > TOGETHER) {
            Some(group) => group.members.push(i as u32),
            None => groups.push(Group {
                normal,
                tier,
                members: vec![i as u32],
            }),
        }
    }
    groups
}

#[cfg(test)]
mod tests;
