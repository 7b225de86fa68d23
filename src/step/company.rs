//! Who is near at a birth that may not cut other particles: rows sorted into cells, looked up by place and moment.

use std::collections::BTreeMap;

use crate::math::{Aabb, Point3, Real, Vec3};
use crate::state::{Birth, Particles};

/// A particle on its straight way.
#[derive(Debug, Clone, Copy)]
struct Fellow {
    position: Point3,
    velocity: Vec3,
    radius: Real,
    /// When it is at its position [s].
    time: Real,
}

/// Particles near an emitter: those that were there, and those that are born on the way.
pub(super) struct Company {
    fellows: Vec<Fellow>,
    cells: BTreeMap<[i64; 3], Vec<u32>>,
    cell: Real,
    /// How far a fellow may be from its listed place to be cut by a birth: its radius and its way in the step.
    reach: Real,
    /// Length of the step [s].
    step: Real,
}

impl Company {
    /// Those who may come near births within a box, with these radii at most, in a span of time [s].
    pub(super) fn new(particles: &Particles, around: &Aabb, radius: Real, span: [Real; 2]) -> Self {
        let [time, step] = [span[0], span[1] - span[0]];
        let mut company = Self {
            fellows: Vec::new(),
            cells: BTreeMap::new(),
            cell: 2.0 * radius.max(Real::MIN_POSITIVE),
            reach: 0.0,
            step,
        };
        for row in 0..particles.len() {
            let (r, v) = (particles.radius[row], particles.velocity[row]);
            let near = around.inflated(radius + r + v.norm() * step);
            if near.contains(&particles.position[row]) && !particles.status[row].is_gone() {
                let position = particles.position[row];
                company.admit(Fellow {
                    position,
                    velocity: v,
                    radius: r,
                    time,
                });
            }
        }
        company
    }

    /// One more, from its birth on.
    pub(super) fn join(&mut self, b: &Birth) {
        self.admit(Fellow {
            position: b.position,
            velocity: b.velocity,
            radius: b.radius,
            time: b.time,
        });
    }

    fn admit(&mut self, f: Fellow) {
        self.reach = self.reach.max(f.radius + f.velocity.norm() * self.step);
        let cell = self.cell_of(&f.position);
        self.cells.entry(cell).or_default().push(self.fellows.len() as u32);
        self.fellows.push(f);
    }

    fn cell_of(&self, p: &Point3) -> [i64; 3] {
        [p.x, p.y, p.z].map(|x| (x / self.cell).floor() as i64)
    }

    /// Whether a birth's ball cuts somebody's at its moment; touching is not cutting.
    pub(super) fn cuts(&self, b: &Birth) -> bool {
        let reach = Vec3::repeat(b.radius + self.reach);
        let (low, high) = (self.cell_of(&(b.position - reach)), self.cell_of(&(b.position + reach)));
        // Fast fellows make the box large: then all cells that exist are fewer.
        let columns = (high[0].saturating_sub(low[0]).saturating_add(1) as u64)
            .saturating_mul(high[1].saturating_sub(low[1]).saturating_add(1) as u64);
        if columns > self.cells.len() as u64 {
            return self.fellows.iter().any(|f| cut(f, b));
        }
        (low[0]..=high[0]).any(|x| {
            (low[1]..=high[1]).any(|y| {
                let column = self.cells.range([x, y, low[2]]..=[x, y, high[2]]);
                column.flat_map(|(_, list)| list).any(|i| cut(&self.fellows[*i as usize], b))
            })
        })
    }
}

fn cut(f: &Fellow, b: &Birth) -> bool {
    let there = f.position + f.velocity * (b.time - f.time);
    let apart = (f.radius + b.radius) * (1.0 - 1e-9);
    (there - b.position).norm_squared() < apart * apart
}
