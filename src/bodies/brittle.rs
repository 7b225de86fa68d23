//! What holds a body together that may break: pieces of its fill, and the links between them.
//!
//! Pieces are the cells nearest to each of some seeds, as far as they hang together (Voronoi cells, as
//! Raghavachary 2002, Fracture generation on polygonal meshes using Voronoi polygons). An impulse spreads through the links as through a net of springs; those break that would have to pass
//! on more than they can by their area, so a finer fill is as strong. What still hangs together then is a body again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::fill::{Cell, Face, Fill, Grain};
use super::motion::Inertia;
use crate::math::{Point3, Real, Vec3};
use crate::sets::Sets;

/// Places that are tried for each seed; the farthest from the others is taken (Mitchell 1991), so that pieces are of a size.
const TRIES: usize = 6;
/// Shares of a cell's radius by which a seed is off its middle, so that no cell lies between two.
const OFF: Real = 0.8;

/// What joins two pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Their numbers, the lower first.
    pub pieces: [u32; 2],
    /// Area of the faces that cells of both share [m2].
    pub area: Real,
}

/// What is the same for all parts of a body.
#[derive(Debug, Clone, PartialEq)]
struct Origin {
    grain: Grain,
    /// Impulse by area that a link bears [N s/m2].
    bears: Real,
    seeds: Vec<Point3>,
    /// Seed of each piece.
    seed_of: Vec<u32>,
    /// Pieces that were linked in the whole.
    neighbours: Vec<[u32; 2]>,
}

/// A body, or a part of one, that may break.
#[derive(Debug, Clone, PartialEq)]
pub struct Brittle {
    /// Number of the body that it was part of at first.
    pub body: u32,
    origin: Arc<Origin>,
    cells: Vec<Cell>,
    /// Piece of each cell.
    piece: Vec<u32>,
    /// Numbers of its pieces, ascending.
    pieces: Vec<u32>,
    links: Vec<Link>,
}

/// A part that a body has fallen into.
pub struct Part {
    /// Its particles, with normals at what has become surface.
    pub fill: Fill,
    /// What holds it together.
    pub brittle: Brittle,
}

/// An impulse on a body, in its own axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blow {
    /// Particle at the surface that it acts on.
    pub particle: u32,
    /// From the centre of mass [m].
    pub arm: Vec3,
    /// Impulse [N s].
    pub impulse: Vec3,
}

impl Brittle {
    /// A whole body of about `count` pieces, whose links bear so much impulse by area [N s/m2]. `draw` gives numbers 0 .. 1.
    pub fn new(
        body: u32,
        cells: Vec<Cell>,
        grain: Grain,
        (count, bears): (u32, Real),
        draw: &mut dyn FnMut() -> Real,
    ) -> Self {
        let seeds = seeds(&cells, &grain, count, draw);
        let owner: Vec<u32> = cells.iter().map(|c| nearest(&seeds, &c.middle).0).collect();
        let pairs = pairs(&cells, &grain);
        let mut sets = Sets::new(cells.len());
        for &[a, b] in pairs
            .iter()
            .filter(|p| owner[p[0] as usize] == owner[p[1] as usize])
        {
            sets.join(a, b);
        }
        let mut piece = vec![0; cells.len()];
        let mut seed_of = Vec::new();
        for (number, members) in (0..).zip(sets.all()) {
            seed_of.push(owner[members[0] as usize]);
            members.iter().for_each(|&c| piece[c as usize] = number);
        }
        // Areas as vectors: the steps of a staircase add up to the plane that it stands for.
        let mut areas: BTreeMap<[u32; 2], Vec3> = BTreeMap::new();
        for pair in &pairs {
            let [a, b] = pair.map(|c| piece[c as usize]);
            if a != b {
                let [from, to] = pair.map(|c| cells[c as usize].middle);
                let along = (to - from) * (grain.face() / (to - from).norm());
                *areas.entry([a.min(b), a.max(b)]).or_default() += if a < b { along } else { -along };
            }
        }
        let link = |(&pieces, area): (&[u32; 2], &Vec3)| Link {
            pieces,
            area: area.norm().max(grain.face()),
        };
        Self {
            body,
            cells,
            piece,
            links: areas.iter().map(link).collect(),
            pieces: (0..seed_of.len() as u32).collect(),
            origin: Arc::new(Origin {
                grain,
                bears,
                seeds,
                seed_of,
                neighbours: areas.into_keys().collect(),
            }),
        }
    }

    /// Numbers of its pieces, ascending.
    pub fn pieces(&self) -> &[u32] {
        &self.pieces
    }

    /// Links that hold.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Places around which pieces lie; a place belongs to a piece of the nearest.
    pub fn seeds(&self) -> &[Point3] {
        &self.origin.seeds
    }

    /// Middles of its pieces [m], where the whole was at first.
    pub fn middles(&self) -> Vec<Point3> {
        let mut sums = vec![(Vec3::zeros(), 0.0); self.pieces.len()];
        for (cell, piece) in self.cells.iter().zip(&self.piece) {
            let (sum, count) = &mut sums[self.pieces.partition_point(|p| p < piece)];
            *sum += cell.middle.coords;
            *count += 1.0;
        }
        sums.into_iter()
            .map(|(sum, count)| Point3::from(sum / count))
            .collect()
    }

    /// The piece of a cell, by its number in the fill.
    pub fn piece_of_cell(&self, cell: u32) -> u32 {
        self.piece[cell as usize]
    }

    /// The piece of the cell nearest to a place, among those around one of the seeds.
    pub fn piece_at(&self, seed: u32, place: &Point3) -> Option<u32> {
        let of_seed = |p: &u32| self.origin.seed_of[*p as usize] == seed;
        let mut pieces = self.pieces.iter().copied().filter(of_seed);
        if let (Some(only), None) = (pieces.next(), pieces.next()) {
            return Some(only);
        }
        let own = |c: &usize| of_seed(&self.piece[*c]);
        let square = |c: &usize| (self.cells[*c].middle - place).norm_squared();
        let cells = (0..self.cells.len()).filter(own);
        let nearest = cells.min_by(|a, b| square(a).total_cmp(&square(b)))?;
        Some(self.piece[nearest])
    }

    /// Breaks the links that blows in one step are too much for, and gives how many. `fill` and `inertia` are the body's.
    pub fn bear(&mut self, fill: &Fill, inertia: &Inertia, blows: &[Blow]) -> usize {
        let mut broken = 0;
        // What one link no longer bears, the others have to, until it has come apart.
        while !self.links.is_empty() && self.is_whole() {
            let loads = self.loads(fill, inertia, blows);
            let mut load = loads.iter().zip(&self.links);
            let bears = self.origin.bears;
            if load.all(|(load, link)| *load <= bears * link.area) {
                break;
            }
            let before = self.links.len();
            let mut load = loads.iter();
            self.links
                .retain(|link| load.next().is_none_or(|load| *load <= bears * link.area));
            broken += before - self.links.len();
        }
        broken
    }

    fn is_whole(&self) -> bool {
        self.groups().len() == 1
    }

    /// Sets of pieces that links join, in the order of their lowest numbers.
    fn groups(&self) -> Vec<Vec<u32>> {
        let pieces = self.pieces();
        let mut sets = Sets::new(pieces.len());
        let local = |p: u32| pieces.partition_point(|&other| other < p) as u32;
        for link in &self.links {
            sets.join(local(link.pieces[0]), local(link.pieces[1]));
        }
        let names = |set: Vec<u32>| set.into_iter().map(|i| pieces[i as usize]).collect();
        sets.all().into_iter().map(names).collect()
    }

    /// Impulse that each link passes on [N s], so that the body stays rigid.
    ///
    /// A piece needs its mass times its change of velocity, has what hits it, and gets the rest through its links. Among the
    /// ways of passing it on the one is taken that a net of springs has, as stiff as their areas.
    fn loads(&self, fill: &Fill, inertia: &Inertia, blows: &[Blow]) -> Vec<Real> {
        let pieces = self.pieces();
        let local = |p: u32| pieces.partition_point(|&other| other < p);
        let each = fill.mass.mass / self.cells.len() as Real;
        let (mut mass, mut first) = (vec![0.0; pieces.len()], vec![Vec3::zeros(); pieces.len()]);
        for (cell, &piece) in self.cells.iter().zip(&self.piece) {
            mass[local(piece)] += each;
            first[local(piece)] += (cell.middle - fill.mass.center) * each;
        }
        let push: Vec3 = blows.iter().map(|b| b.impulse).sum();
        let twist: Vec3 = blows.iter().map(|b| b.arm.cross(&b.impulse)).sum();
        let (change, spin) = (push / inertia.mass, inertia.inverse * twist);
        let mut lacks: Vec<Vec3> = mass
            .iter()
            .zip(&first)
            .map(|(m, d)| change * *m + spin.cross(d))
            .collect();
        for blow in blows {
            lacks[local(self.piece_of_cell(fill.cells[blow.particle as usize]))] -= blow.impulse;
        }
        let ends: Vec<[usize; 2]> = self.links.iter().map(|l| l.pieces.map(local)).collect();
        let weights: Vec<Real> = self.links.iter().map(|l| l.area).collect();
        let level = levels(&ends, &weights, &lacks);
        let passes =
            |(ends, weight): (&[usize; 2], &Real)| ((level[ends[0]] - level[ends[1]]) * *weight).norm();
        ends.iter().zip(&weights).map(passes).collect()
    }

    /// The parts into which it has fallen; none while it is whole.
    pub fn parts(&self) -> Vec<Part> {
        let groups = self.groups();
        if groups.len() < 2 {
            return Vec::new();
        }
        groups.iter().filter_map(|group| self.part(group)).collect()
    }

    fn part(&self, group: &[u32]) -> Option<Part> {
        let own = |p: &u32| group.binary_search(p).is_ok();
        let (cells, piece): (Vec<Cell>, Vec<u32>) = (self.cells.iter().zip(&self.piece))
            .filter(|(_, piece)| own(piece))
            .map(|(cell, &piece)| (cell.clone(), piece))
            .unzip();
        let cuts = self.origin.cuts(group);
        let seeds: BTreeSet<u32> = group.iter().map(|&p| self.origin.seed_of[p as usize]).collect();
        let bared: Vec<Cell> = cells
            .iter()
            .map(|cell| self.origin.bared(cell, &cuts, &seeds))
            .collect();
        Some(Part {
            fill: Fill::of_cells(&bared, &self.origin.grain)?,
            brittle: Self {
                body: self.body,
                origin: Arc::clone(&self.origin),
                cells,
                piece,
                pieces: group.to_vec(),
                links: self.links.iter().filter(|l| own(&l.pieces[0])).copied().collect(),
            },
        })
    }
}

impl Origin {
    /// Pairs of seeds, one of a group of pieces and one beyond, between which it was cut.
    fn cuts(&self, group: &[u32]) -> Vec<[u32; 2]> {
        let own = |p: &u32| group.binary_search(p).is_ok();
        let cut = |&[a, b]: &[u32; 2]| match (own(&a), own(&b)) {
            (true, false) => Some([a, b]),
            (false, true) => Some([b, a]),
            _ => None,
        };
        let seeds = self.neighbours.iter().filter_map(cut);
        let all: BTreeSet<[u32; 2]> = seeds.map(|pair| pair.map(|p| self.seed_of[p as usize])).collect();
        all.into_iter().filter(|[a, b]| a != b).collect()
    }

    /// A cell with the faces that it has in a part: those of the whole that are there, and those of the cuts.
    fn bared(&self, cell: &Cell, cuts: &[[u32; 2]], seeds: &BTreeSet<u32>) -> Cell {
        let stays = |face: &&Face| seeds.contains(&nearest(&self.seeds, &face.point).0);
        let mut faces: Vec<Face> = cell.faces.iter().filter(stays).copied().collect();
        for cut in cuts {
            let [own, other] = cut.map(|s| self.seeds[s as usize]);
            let Some(normal) = (other - own).try_normalize(0.0) else {
                continue;
            };
            let distance = (nalgebra::center(&own, &other) - cell.middle).dot(&normal);
            if distance.abs() > self.grain.reach() {
                continue;
            }
            let point = cell.middle + normal * distance;
            // Elsewhere on that plane a third piece lies between the two.
            let least = nearest(&self.seeds, &point).1;
            if (point - own).norm() <= least + 1e-6 * self.grain.radius {
                faces.push(Face {
                    distance: distance.abs(),
                    point,
                    normal,
                });
            }
        }
        faces.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        Cell {
            faces,
            ..cell.clone()
        }
    }
}

/// Number and distance of the nearest of some points; among equals the first.
fn nearest(points: &[Point3], place: &Point3) -> (u32, Real) {
    let squares = (0..).zip(points.iter().map(|p| (p - place).norm_squared()));
    let least = squares.reduce(|a, b| if b.1 < a.1 { b } else { a });
    least.map_or((0, Real::INFINITY), |(number, square)| (number, square.sqrt()))
}

/// Pairs of cells that share a face.
fn pairs(cells: &[Cell], grain: &Grain) -> Vec<[u32; 2]> {
    let by_place: BTreeMap<[i32; 3], u32> = cells.iter().map(|c| c.at).zip(0..).collect();
    let beside = |(number, cell): (u32, &Cell)| {
        let at = cell.at;
        let other = |step: &[i32; 3]| by_place.get(&[at[0] + step[0], at[1] + step[1], at[2] + step[2]]);
        let found: Vec<[u32; 2]> = grain
            .steps()
            .iter()
            .filter_map(other)
            .map(|&o| [number, o])
            .collect();
        found
    };
    (0..).zip(cells).flat_map(beside).collect()
}

/// Cells far from each other, and places near their middles.
fn seeds(cells: &[Cell], grain: &Grain, count: u32, draw: &mut dyn FnMut() -> Real) -> Vec<Point3> {
    let mut chosen: Vec<usize> = Vec::new();
    let last = cells.len().saturating_sub(1);
    for _ in 0..count {
        let mut best = (-1.0, 0);
        for _ in 0..TRIES {
            let candidate = ((draw() * cells.len() as Real) as usize).min(last);
            let from = |&c: &usize| (cells[c].middle - cells[candidate].middle).norm_squared();
            let alone = chosen.iter().map(from).fold(Real::INFINITY, Real::min);
            if alone > best.0 {
                best = (alone, candidate);
            }
        }
        if best.0 > 0.0 && !cells.is_empty() {
            chosen.push(best.1);
        }
    }
    let mut off = || (draw() - 0.5) * OFF * grain.radius;
    chosen
        .into_iter()
        .map(|c| cells[c].middle + Vec3::new(off(), off(), off()))
        .collect()
}

/// Levels of the ends of conductors at which each end takes up what it lacks; that of the first end is zero. Elimination
/// in order: sums depend on nothing else.
fn levels(ends: &[[usize; 2]], weights: &[Real], lacks: &[Vec3]) -> Vec<Vec3> {
    let n = lacks.len();
    let mut rows = vec![vec![0.0; n]; n];
    for (&[a, b], w) in ends.iter().zip(weights) {
        rows[a][a] += w;
        rows[b][b] += w;
        rows[a][b] -= w;
        rows[b][a] -= w;
    }
    // What flows into an end is the sum of weight times the other's level less its own.
    let mut right: Vec<Vec3> = lacks.iter().map(|l| -l).collect();
    for k in 1..n {
        let pivot = rows[k][k];
        if pivot <= 0.0 {
            continue;
        }
        let (done, rest) = rows.split_at_mut(k + 1);
        let (from, known) = (&done[k], right[k]);
        for (i, row) in (k + 1..).zip(rest) {
            let share = row[k] / pivot;
            if share != 0.0 {
                (k..n).for_each(|j| row[j] -= from[j] * share);
                right[i] -= known * share;
            }
        }
    }
    let mut level = vec![Vec3::zeros(); n];
    for k in (1..n).rev() {
        let others = (k + 1..n).fold(right[k], |sum, j| sum - level[j] * rows[k][j]);
        if rows[k][k] > 0.0 {
            level[k] = others / rows[k][k];
        }
    }
    level
}

#[cfg(test)]
mod tests;
