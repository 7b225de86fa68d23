//! Making a grid (section 3.1): exact distances near the surface, normals by either construction, then compression.
//!
//! Work is cut into blocks that are pure functions of the mesh, so threads change no byte; its cost grows with the
//! surface, because what is farther than the field is settled sixteen cells at a time.

use rayon::prelude::*;

use super::blur::{Near, Values};
use super::cells::{Blocks, Cell, Store, far, towards_zero};
use super::layout::{BLOCK, IN_BLOCK, Layout, Plan, cells_of};
use super::raster::{self, Passing};
use super::surface::{Nearest, Surface};
use super::tree::Tree;
use super::{Fault, Grid, Key, Report, Sides, gaps, normals, potential};
use crate::math::{Point3, Real, Vec3};
use crate::scene::{Construction, GridShape};

/// Blocks along the edge of a region that is looked at as a whole first.
const REGION: usize = 4;
/// Vectors shorter than this are none: what the blur left of nothing.
const NOTHING: Real = 1e-12;
/// Cells without a normal of their own get the direction to the closest point up to here [cells].
const RIDGE: Real = 1.0;

/// Makes a grid of a mesh's triangles, whose corners are finite. `tell` is called with what comes next.
///
/// # Errors
/// [`Fault`] when mesh and shape do not go together.
pub fn build(triangles: &[[Point3; 3]], shape: &GridShape, tell: &dyn Fn(&str)) -> Result<Grid, Fault> {
    if triangles.is_empty() {
        return Err(Fault::NoTriangles);
    }
    let key = Key::new(triangles, shape);
    tell("grid: sorting triangles");
    let surface = Surface::new(triangles, shape.both_sides);
    let plan = Plan::new(surface.bounds(), shape)?;
    tell("grid: distances");
    let shell = Shell::new(&surface, &plan);
    tell("grid: normals");
    let passing = raster::rasterise(&surface, &plan.layout, &shell.at, &shell.distances);
    let mut report = Report {
        triangles: triangles.len() as u64,
        open_edges: surface.open_edges().len() as u64,
        inside_out: surface.is_inside_out(),
        surface_cells: (passing.iter().flatten())
            .map(|b| b.iter().filter(|p| p.hit).count() as u64)
            .sum(),
        gaps: gaps::find(&surface, &plan.layout, &shell.at, &passing),
        ..Report::default()
    };
    let vectors = shell.vectors(&surface, &plan, shape, &passing, &mut report);
    let blocks = shell.into_blocks(&plan, surface.sides(), &vectors, &mut report);
    let store = match &shape.compression {
        None => Store::Plain(blocks),
        Some(compression) => {
            tell("grid: compressing");
            let (tree, bounds) = Tree::new(&blocks, &plan.layout, plan.thickness, compression);
            report.bounds = Some(bounds);
            Store::Compressed(tree)
        }
    };
    Ok(Grid {
        key,
        shape: *shape,
        layout: plan.layout,
        thickness: plan.thickness,
        sides: surface.sides(),
        object: *surface.bounds(),
        report,
        store,
    })
}

/// The blocks that the field may reach, with exact distances.
struct Shell {
    /// The grid's table.
    top: Vec<u32>,
    /// Whether each block's middle lies behind the surface.
    behind: Vec<bool>,
    /// Places of the near blocks, in the order of their numbers.
    at: Vec<[usize; 3]>,
    distances: Vec<Values<f32>>,
    /// Directions away from the surface.
    outward: Vec<Values<[f32; 3]>>,
}

/// A block, and its cells when it is near.
struct Found {
    number: usize,
    behind: bool,
    /// Distance that it has at least.
    clear: f32,
    cells: Option<Box<(Values<f32>, Values<[f32; 3]>)>>,
}

impl Shell {
    fn new(surface: &Surface, plan: &Plan) -> Self {
        let layout = &plan.layout;
        let blocks = layout.blocks();
        let regions = blocks.map(|n| n.div_ceil(REGION));
        let found: Vec<Vec<Found>> = (0..regions.iter().product::<usize>())
            .into_par_iter()
            .map(|n| {
                let at = [
                    n % regions[0],
                    n / regions[0] % regions[1],
                    n / regions[0] / regions[1],
                ];
                region(surface, plan, at.map(|i| i * REGION))
            })
            .collect();
        let mut found: Vec<Found> = found.into_iter().flatten().collect();
        found.par_sort_unstable_by_key(|f| f.number);
        let mut shell = Self {
            top: Vec::with_capacity(found.len()),
            behind: Vec::with_capacity(found.len()),
            at: Vec::new(),
            distances: Vec::new(),
            outward: Vec::new(),
        };
        for block in found {
            shell.behind.push(block.behind);
            match block.cells {
                None => shell.top.push(far(block.clear)),
                Some(cells) => {
                    shell.top.push(shell.at.len() as u32);
                    shell.at.push(layout.block_at(block.number));
                    shell.distances.push(cells.0);
                    shell.outward.push(cells.1);
                }
            }
        }
        shell
    }

    /// Normals of any length; zero where there is none.
    fn vectors(
        &self,
        surface: &Surface,
        plan: &Plan,
        shape: &GridShape,
        passing: &[Option<Box<Values<Passing>>>],
        report: &mut Report,
    ) -> Vec<Values<Vec3>> {
        let near = Near {
            layout: &plan.layout,
            top: &self.top,
            at: &self.at,
        };
        match shape.construction {
            Construction::Normals => {
                let blurred = normals::blur(near, passing, shape.blur, plan.rounds);
                report.ambiguous_cells = blurred.ambiguous;
                blurred.vectors
            }
            Construction::Potential => {
                let hollow = surface.is_inside_out();
                let behind = |block| self.is_behind(&plan.layout, block).unwrap_or(hollow);
                potential::gradient(
                    near,
                    surface.sides(),
                    &self.distances,
                    passing,
                    &behind,
                    shape.blur,
                    plan.rounds,
                )
            }
        }
    }

    /// Whether a block lies behind the surface; `None` outside the grid.
    fn is_behind(&self, layout: &Layout, block: [isize; 3]) -> Option<bool> {
        let blocks = layout.blocks();
        (0..3)
            .all(|a| block[a] >= 0 && (block[a] as usize) < blocks[a])
            .then(|| self.behind[layout.block_number(block.map(|i| i as usize))])
    }

    /// The cells, each with its normal.
    fn into_blocks(self, plan: &Plan, sides: Sides, vectors: &[Values<Vec3>], report: &mut Report) -> Blocks {
        let finish = Finish { plan, sides };
        let blocks = self.distances.par_iter().zip(&self.outward).zip(vectors);
        let cells: Vec<(Values<Cell>, [u64; 2])> = blocks
            .map(|((distances, outward), vectors)| {
                let mut counts = [0; 2];
                let cells = std::array::from_fn(|i| {
                    let (cell, own) = finish.cell(distances[i], outward[i], &vectors[i]);
                    if Real::from(distances[i].abs()) <= plan.thickness {
                        counts[usize::from(!own)] += 1;
                    }
                    cell
                });
                (cells, counts)
            })
            .collect();
        for (_, [set, unset]) in &cells {
            report.set_cells += set;
            report.unset_cells += unset;
        }
        Blocks {
            top: self.top,
            cells: cells.into_iter().flat_map(|c| c.0).collect(),
        }
    }
}

struct Finish<'a> {
    plan: &'a Plan,
    sides: Sides,
}

impl Finish<'_> {
    /// A cell from its parts, and whether it has a normal of its own.
    fn cell(&self, l: f32, outward: [f32; 3], vector: &Vec3) -> (Cell, bool) {
        let size = self.plan.layout.cell;
        let distance = Real::from(l.abs());
        let outward = Vec3::from(outward.map(Real::from));
        let own = vector.norm() > NOTHING;
        let mut n = Vec3::zeros();
        // Beyond, no place of the field has the cell among the eight around it.
        if distance <= self.plan.thickness + 1.75 * size {
            if own {
                n = vector.normalize();
            } else if distance <= RIDGE * size {
                n = outward;
            }
        }
        if self.sides == Sides::Both && n.dot(&outward) < 0.0 {
            n = -n;
        }
        let n = [n.x as f32, n.y as f32, n.z as f32];
        (Cell { n, l }, own)
    }
}

/// The blocks of a region, whose lowest is `low`.
fn region(surface: &Surface, plan: &Plan, low: [usize; 3]) -> Vec<Found> {
    let layout = &plan.layout;
    let blocks = layout.blocks();
    let middle = layout.middle(low.map(|i| i * BLOCK), REGION * BLOCK);
    let nearest = surface.nearest(&middle, Real::INFINITY, None);
    let l = nearest.as_ref().map_or(Real::INFINITY, |n| surface.signed(n));
    let mut found = Vec::new();
    for n in 0..REGION * REGION * REGION {
        let within = [n % REGION, n / REGION % REGION, n / REGION / REGION];
        let at = [0, 1, 2].map(|a| low[a] + within[a]);
        if (0..3).any(|a| at[a] >= blocks[a]) {
            continue;
        }
        let way = (layout.middle(at.map(|i| i * BLOCK), BLOCK) - middle).norm();
        let at_least = l.abs() - way;
        found.push(if at_least > reach(plan) {
            Found::far(layout.block_number(at), l < 0.0, at_least, layout)
        } else {
            block(surface, plan, at, l.abs() + way, nearest.as_ref())
        });
    }
    found
}

/// Blocks whose middle is farther from the surface hold no cell that the field needs.
fn reach(plan: &Plan) -> Real {
    let to_cell = 0.5 * (BLOCK - 1) as Real * 3.0_f64.sqrt();
    plan.thickness + (to_cell + 1.75) * plan.layout.cell
}

impl Found {
    /// A block whose middle is farther than this from the surface.
    fn far(number: usize, behind: bool, middle: Real, layout: &Layout) -> Self {
        let half_diagonal = 0.5 * BLOCK as Real * 3.0_f64.sqrt() * layout.cell;
        Self {
            number,
            behind,
            clear: towards_zero(middle - half_diagonal),
            cells: None,
        }
    }
}

/// A block that may be near; its middle is no farther than `within` from the surface.
fn block(surface: &Surface, plan: &Plan, at: [usize; 3], within: Real, hint: Option<&Nearest>) -> Found {
    let layout = &plan.layout;
    let number = layout.block_number(at);
    let middle = layout.middle(at.map(|i| i * BLOCK), BLOCK);
    let Some(nearest) = surface.nearest(&middle, within, hint) else {
        // Not reached: the bound is one.
        return Found::far(number, false, 0.0, layout);
    };
    let l = surface.signed(&nearest);
    if l.abs() > reach(plan) {
        return Found::far(number, l < 0.0, l.abs(), layout);
    }
    let mut distances = [0.0; IN_BLOCK];
    let mut outward = [[0.0; 3]; IN_BLOCK];
    let mut hint = nearest;
    for (i, cell) in cells_of(at).enumerate() {
        let center = layout.center(cell);
        let within = l.abs() + (center - middle).norm();
        if let Some(nearest) = surface.nearest(&center, within, Some(&hint)) {
            distances[i] = towards_zero(surface.signed(&nearest));
            let out = surface.outward(&nearest);
            outward[i] = [out.x as f32, out.y as f32, out.z as f32];
            hint = nearest;
        }
    }
    Found {
        number,
        behind: l < 0.0,
        clear: 0.0,
        cells: Some(Box::new((distances, outward))),
    }
}
