//! Which settled particles become blob components, how wide and how strong: what makes a covering smooth.
//!
//! Works on one material at a time and knows neither text nor tiles. The steps: merge what coincides, drop
//! what is buried, thin (youngest first), widen components in company, normalise strengths, sink. All that asks for
//! neighbours goes from region to region.

mod buried;
mod merge;
mod shell;
mod strength;
mod surroundings;

use rayon::prelude::*;

pub use self::merge::{MERGE_AIRBORNE, merge};
use self::strength::normalise;
use self::surroundings::{Surroundings, look_round};
use crate::frame::Frame;
use crate::material::Look;
use crate::math::{Point3, Real, Vec3};
use crate::write::pov::grid::Levels;

/// Particles of one material, in output units, oldest first.
pub struct Balls<'a> {
    /// Where they are from.
    pub frame: &'a Frame,
    /// Their rows there, ascending.
    pub rows: Vec<u32>,
    /// Output units per metre.
    pub units: Real,
}

impl Balls<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, i: u32) -> usize {
        self.rows[i as usize] as usize
    }

    /// Birth number.
    pub fn id(&self, i: u32) -> u64 {
        self.frame.id[self.row(i)]
    }

    /// Centre.
    pub fn center(&self, i: u32) -> Point3 {
        self.frame.position[self.row(i)] * self.units
    }

    /// Radius, > 0.
    pub fn radius(&self, i: u32) -> Real {
        self.frame.radius[self.row(i)] * self.units
    }

    /// Unit contact normal.
    pub fn normal(&self, i: u32) -> Vec3 {
        self.frame.normal[self.row(i)]
    }

    /// The octaves of their radii.
    pub fn levels(&self) -> Levels {
        let numbers = (0..self.len() as u32).into_par_iter().with_min_len(1 << 14);
        let radii = numbers.map(|i| self.radius(i));
        let none = Levels::below(radii.clone().reduce(|| 0.0, Real::max));
        let add = |mut levels: Levels, r| {
            levels.add(r);
            levels
        };
        radii
            .fold(|| none.clone(), add)
            .reduce(|| none.clone(), |a, b| a.union(&b))
    }
}

/// One blob component: `strength (1 - (d / radius)^2)^2` within `radius` of `center`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// Birth number of its particle.
    pub id: u64,
    /// Centre after sinking.
    pub center: Point3,
    /// Radius of influence, larger than what is seen.
    pub radius: Real,
    /// Strength, 0 < S <= 1.
    pub strength: Real,
}

/// Components in birth order, and what was left out.
#[derive(Debug, Clone, Default)]
pub struct Covering {
    /// Ascending in `id`.
    pub components: Vec<Component>,
    /// Left out: a younger particle lies in the same place.
    pub merged: u64,
    /// Left out: hidden from every side.
    pub buried: u64,
    /// Left out: a younger particle close by stands for it.
    pub thinned: u64,
}

/// RB / r of a component alone: with strength 1 it shows exactly radius r.
pub fn lone_factor(threshold: Real) -> Real {
    1.0 / (1.0 - threshold.sqrt()).sqrt()
}

/// How the balls of a covering lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// All on the scenery, in one another's way or not.
    Layer,
    /// Portions of a liquid: on the scenery, on threads, in the air.
    Film,
    /// On the scenery and on each other, touching at the most.
    Heap,
}

/// What makes particles company.
#[derive(Debug, Clone, Copy)]
struct Company {
    /// Particles count within this many mean radii of a pair (twice as many radii for equal ones).
    range: Real,
    /// Company below which a component is drawn exact, and above which it is as wide as it gets.
    bounds: [Real; 2],
}

impl Packing {
    fn company(self) -> Company {
        match self {
            Self::Layer | Self::Heap => Company {
                range: 1.5,
                bounds: [0.15, 3.5],
            },
            // A row of pieces 2.4 radii apart, which a flow leaves, is a stripe and no string of beads.
            Self::Film => Company {
                range: 2.5,
                bounds: [0.2, 1.2],
            },
        }
    }
}

/// The components of a covering.
pub fn cover(balls: &Balls, look: &Look, packing: Packing) -> Covering {
    let found = look_round(balls, look, packing);
    let kept = thin(&found);
    Covering {
        merged: found.merged,
        buried: found.buried,
        thinned: balls.len() as u64 - found.merged - found.buried - kept.len() as u64,
        components: components(balls, &kept, found, look, packing.company()),
    }
}

/// Drops what is hidden, and what lies close to a younger one that is kept; gives the rest, ascending.
///
/// Youngest first, because the youngest lie on top: the other way round leaves the bottom layer and dents.
fn thin(found: &Surroundings) -> Vec<u32> {
    let mut is_kept = vec![false; found.len()];
    let mut kept = Vec::new();
    for i in (0..found.len() as u32).rev() {
        if found.is_exposed(i) && !found.any_stand_in(i, |j| is_kept[j as usize]) {
            is_kept[i as usize] = true;
            kept.push(i);
        }
    }
    kept.reverse();
    kept
}

impl Company {
    /// 0 for a particle alone .. 1 in a full covering.
    fn togetherness(&self, company: Real) -> Real {
        let [alone, full] = self.bounds;
        let x = ((company - alone) / (full - alone)).clamp(0.0, 1.0);
        x * x * (3.0 - 2.0 * x)
    }
}

fn components(
    balls: &Balls,
    kept: &[u32],
    found: Surroundings,
    look: &Look,
    company: Company,
) -> Vec<Component> {
    let lone = lone_factor(look.threshold);
    // A spread below the exact factor would shrink particles that have company.
    let wide = look.spread.max(lone);
    let each = kept.par_iter().with_min_len(1024);
    let (mut components, sinks): (Vec<Component>, Vec<Real>) = each
        .map(|&i| {
            let (together, r) = (company.togetherness(found.company(i)), balls.radius(i));
            let component = Component {
                id: balls.id(i),
                center: balls.center(i),
                radius: r * (lone + (wide - lone) * together),
                strength: 1.0,
            };
            // What lies on other particles has no surface to sink into.
            let sink = if found.is_grounded(i) {
                r * (look.sink + look.sink_alone * (1.0 - together))
            } else {
                0.0
            };
            (component, sink)
        })
        .unzip();
    drop(found);
    normalise(&mut components, |k| balls.radius(kept[k as usize]), wide);
    let sunk = components.par_iter_mut().zip(sinks).zip(kept).with_min_len(1024);
    sunk.for_each(|((component, sink), &i)| component.center -= balls.normal(i) * sink);
    components
}
