//! The first touch of one sweep: by the exact test or that of 1999, the least answer of all triangles it may touch.

use std::ops::Range;

use super::leaf::{Ball, Heading, lanes_of, moves};
use super::mesh::StaticMesh;
use super::{Hit, HitStatus, Sweep};
use crate::bvh::{Lanes, NONE, Path, Visit};
use crate::geom::sweep_exact::{Entry, Moving};
use crate::geom::sweep_karabassi::{Stop, sweep_karabassi};
use crate::geom::{Feature, Touch};
use crate::math::{Point3, Real};

impl StaticMesh {
    /// The least answer by (fraction as bits, triangle), and its slot.
    #[inline(always)]
    fn least<T: Test>(
        &self,
        sweep: &Sweep,
        heading: Heading,
        ball: Ball,
        test: T,
    ) -> Option<(T::Answer, usize)> {
        let path = Path {
            from: sweep.from,
            along: sweep.along,
            radius: ball.radius,
        };
        let mut search = Search {
            mesh: self,
            heading,
            ball,
            lanes: self.tree().lanes(),
            test,
            key: (u64::MAX, NONE),
            first: None,
        };
        self.tree().visit(&path, 1.0, &mut search);
        search.first
    }

    /// `None` for what touches nothing whatever is there.
    #[inline(always)]
    fn prepare(&self, sweep: &Sweep, radius: Real) -> Option<(Heading, Ball)> {
        if !moves(&sweep.from, &sweep.along, radius, self.size()) {
            return None;
        }
        let heading = Heading::new(&sweep.along);
        let ball = Ball::new(&sweep.from, &sweep.along, &heading, radius, self.size());
        Some((heading, ball))
    }

    pub(super) fn first_exact(&self, sweep: &Sweep, radius: Real, skin: Real) -> Option<Hit> {
        self.first_at_slot(sweep, radius, skin).map(|found| found.0)
    }

    /// The same and the slot of its triangle.
    pub(super) fn first_at_slot(&self, sweep: &Sweep, radius: Real, skin: Real) -> Option<(Hit, usize)> {
        let (heading, ball) = self.prepare(sweep, radius + skin)?;
        let moving = Moving {
            c: &sweep.from,
            d: &sweep.along,
            r: radius,
            skin,
            size: ball.size,
        };
        let (entry, slot) = self.least(sweep, heading, ball, Exact { moving })?;
        Some((self.hit(&moving, &entry, slot)?, slot))
    }

    /// The whole of the first touch.
    #[inline(always)]
    pub(super) fn hit(&self, moving: &Moving, entry: &Entry, slot: usize) -> Option<Hit> {
        let touch = entry.touch(moving, &self.corners(slot))?;
        Some(self.hit_at(&touch, slot))
    }

    /// A touch of a triangle with its corners in lexicographic order, told by the numbers of the caller.
    #[inline(always)]
    pub(super) fn hit_at(&self, touch: &Touch, slot: usize) -> Hit {
        Hit {
            fraction: touch.t,
            point: touch.point,
            normal: touch.normal,
            feature: touch.feature.renumbered(self.listed(slot)),
            triangle: self.tree().order()[slot],
            depth: touch.depth,
            status: if touch.t == 0.0 {
                HitStatus::StartedInside
            } else {
                HitStatus::Clean
            },
        }
    }

    pub(super) fn first_karabassi(&self, sweep: &Sweep) -> Option<Hit> {
        let test = Karabassi {
            sweep,
            to: sweep.from + sweep.along,
        };
        let (heading, ball) = self.prepare(sweep, sweep.radius)?;
        let (stop, slot) = self.least(sweep, heading, ball, test)?;
        Some(Hit {
            fraction: stop.t,
            point: stop.point,
            normal: stop.normal,
            feature: Feature::Face,
            triangle: self.tree().order()[slot],
            depth: 0.0,
            status: HitStatus::Clean,
        })
    }
}

/// A test of one triangle.
trait Test {
    type Answer;
    /// Whether an answer rules out triangles that the ball reaches later.
    fn prunes(&self) -> bool;
    /// The answer for corners in lexicographic order, and its fraction, >= 0, which may equal but not pass `best`.
    fn answer(&self, corners: &[Point3; 3], best: Real) -> Option<(Real, Self::Answer)>;
}

struct Exact<'a> {
    moving: Moving<'a>,
}

impl Test for Exact<'_> {
    type Answer = Entry;

    /// A point stops a skin before the plane, which on a grazing path is far before it touches: no order to prune by.
    #[inline(always)]
    fn prunes(&self) -> bool {
        self.moving.r > 0.0
    }

    #[inline(always)]
    fn answer(&self, corners: &[Point3; 3], best: Real) -> Option<(Real, Entry)> {
        self.moving.entry(corners, best).map(|entry| (entry.t, entry))
    }
}

struct Karabassi<'a> {
    sweep: &'a Sweep,
    to: Point3,
}

impl Test for Karabassi<'_> {
    type Answer = Stop;

    #[inline(always)]
    fn prunes(&self) -> bool {
        true
    }

    #[inline(always)]
    fn answer(&self, corners: &[Point3; 3], _: Real) -> Option<(Real, Stop)> {
        sweep_karabassi(&self.sweep.from, &self.to, self.sweep.radius, corners).map(|stop| (stop.t, stop))
    }
}

/// The search for the least answer by (fraction as bits, triangle): a total order, so the walk's order does not
/// matter. Fractions are never negative, hence their bits order like their values.
struct Search<'a, T: Test> {
    mesh: &'a StaticMesh,
    heading: Heading,
    ball: Ball,
    lanes: Lanes,
    test: T,
    key: (u64, u32),
    first: Option<(T::Answer, usize)>,
}

impl<T: Test> Visit for Search<'_, T> {
    #[inline(always)]
    fn leaf(&mut self, slots: Range<u32>, mut best: Real) -> Real {
        let (leaf, count) = lanes_of(&slots);
        self.mesh.expect_corners(&slots);
        let leaf = self.mesh.leaf(leaf);
        let mut candidates = leaf.candidates(&self.heading, &self.ball, best, count, self.lanes);
        while let Some(lane) = candidates.next(&self.heading, &self.ball, best) {
            let slot = slots.start as usize + lane;
            let Some((t, answer)) = self.test.answer(&self.mesh.corners(slot), best) else {
                continue;
            };
            let key = (t.to_bits(), self.mesh.tree().order()[slot]);
            if key < self.key {
                self.key = key;
                self.first = Some((answer, slot));
                if self.test.prunes() {
                    best = t;
                }
            }
        }
        best
    }

    #[inline(always)]
    fn expect(&self, slots: Range<u32>) {
        self.mesh.expect(&slots);
    }
}
