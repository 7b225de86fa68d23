//! The parts of eight triangles, planes, edges and corners, and when a ball enters them; `filter` says why it may be early
//! but never late.

use super::filter::{Kept, Local, Turned, Vector, cross, dot, minus, same, seen};
use crate::bvh::Eight;

/// Edges of which less than this root is seen have squares that underflow: their strips are wider by as much.
const FAINT2: f32 = 1e-24;

/// k in units of q g.
pub(super) const FACE_STEP: f32 = 0.25;
/// Thin is what has |normal| below this times (longest edge)^2.
pub(super) const THIN: f32 = 1.0 / 256.0;
/// Nor is a plane trusted for edges below this root, in units of the leaf: it would underflow.
pub(super) const TINY2: f32 = 1e-12;
/// A line is parallel to an edge when the sine of their angle is below this root: it then moves by less than 32 u Z.
const PARALLEL2: f32 = 1.0 / 1_099_511_627_776.0;

/// An edge of each triangle.
#[derive(Clone, Copy)]
struct Edge<E: Eight> {
    e: Vector<E>,
    /// Square of its length, and of what is seen of it along the path.
    ee: E,
    seen2: E,
}

impl<E: Eight> Edge<E> {
    #[inline(always)]
    fn new(e: Vector<E>) -> Self {
        let seen2 = e[0].mul_add(e[0], e[1].mul(e[1]));
        Self {
            e,
            ee: e[2].mul_add(e[2], seen2),
            seen2,
        }
    }
}

/// What the parts of eight triangles share, whatever the ball.
pub(super) struct Shapes<E: Eight> {
    /// From the first corner to the second and to the third, and from the second to the third.
    edges: [Edge<E>; 3],
    /// Seen along the path, how far beside an edge the third corner is, times the seen length.
    third: [E; 3],
    n: Vector<E>,
    nn: E,
    length: E,
    longest: E,
    longest2: E,
    thin: E,
    /// In the plane: times the foot's place, weights of the second and third corner times |n|^2.
    inward: [Vector<E>; 2],
}

/// The ball at the origin, and all that it has in common with eight triangles.
struct Seen<E: Eight> {
    /// Corners.
    p: [Vector<E>; 3],
    /// How far beside each edge's line the path passes, with sign, times the seen length.
    beside: [E; 3],
    radius: E,
    step: E,
    end: E,
}

/// What planes alone tell.
struct FaceEntry<E: Eight> {
    /// When the slab about the plane is entered.
    t: E,
    /// Not known to miss.
    alive: E,
    /// Touched in the face, at `t`.
    inside: E,
}

impl<E: Eight> Shapes<E> {
    #[inline(always)]
    pub fn new(turned: &Turned<E>) -> Self {
        let (e1, e2) = (turned.e1, turned.e2);
        let e3 = minus(e2, e1);
        let edges = [Edge::new(e1), Edge::new(e2), Edge::new(e3)];
        let longest2 = edges[0].ee.max(edges[1].ee).max(edges[2].ee);
        let n = cross(e1, e2);
        let nn = dot(n, n);
        let length = nn.sqrt();
        let flat = length.le(E::splat(THIN).mul(longest2));
        Self {
            edges,
            third: [n[2], E::splat(0.0).sub(n[2]), seen(e1, e3)],
            n,
            nn,
            length,
            longest: longest2.sqrt(),
            longest2,
            thin: flat.or(longest2.le(E::splat(TINY2))),
            inward: [cross(e2, n), cross(n, e1)],
        }
    }

    #[inline(always)]
    pub fn filter(&self, turned: &Turned<E>, ball: &Local, kept: &mut Kept) {
        let from = same(&ball.from);
        let [a, b, c] = turned.corners;
        let p = [minus(a, from), minus(b, from), minus(c, from)];
        let [e1, e2, e3] = self.edges;
        let ball = Seen {
            p,
            beside: [seen(p[0], e1.e), seen(p[0], e2.e), seen(p[1], e3.e)],
            radius: E::splat(ball.radius),
            step: E::splat(ball.step),
            end: E::splat(ball.end),
        };
        let close = self.seen_close(&ball);
        let face = self.face(&ball);
        kept.mask &= close.and(face.alive).bits();
        let mut first = face.t;
        if kept.mask & !face.inside.bits() != 0 {
            first = self.borders(&ball, &face);
            kept.mask &= first.le(ball.end).bits();
        }
        first.store(&mut kept.near);
    }

    /// Whether the endless path passes near: seen along it, no line of an edge parts it from the triangle.
    #[inline(always)]
    fn seen_close(&self, ball: &Seen<E>) -> E {
        let zero = E::splat(0.0);
        let reach = ball.radius.add(ball.step);
        let square = reach.mul(reach);
        let room = square.mul(E::splat(FAINT2));
        let mut close = zero.le(zero);
        for k in 0..3 {
            let (third, beside) = (self.third[k], ball.beside[k]);
            let outside = third
                .min(zero)
                .sub(beside)
                .max(beside.sub(third.max(zero)))
                .max(zero);
            close = close.and(outside.mul(outside).le(square.mul_add(self.edges[k].seen2, room)));
        }
        close
    }

    /// Entry into the slabs about the planes: nothing of a triangle is touched outside of its slab.
    #[inline(always)]
    fn face(&self, ball: &Seen<E>) -> FaceEntry<E> {
        let zero = E::splat(0.0);
        let p = ball.p[0];
        // Radii times |normal|: k needs no division then.
        let k = E::splat(FACE_STEP).mul(ball.step).mul(self.longest2);
        let radius = ball.radius.add(ball.step).mul_add(self.length, k);
        let (ahead, change) = (dot(self.n, p), self.n[2]);
        // Towards the plane, whichever side the start is on.
        let closing = zero.le(ahead).select(change, zero.sub(change));
        let gap = ahead.abs().sub(radius);
        let within = gap.le(zero);
        let t = within.select(zero, gap.div(closing));
        let entered = within.or(zero.le(t).and(t.le(ball.end)));
        // Weights of the foot times |n|^2, with room for their rounding.
        let room = ball.step.mul(self.longest).mul(self.longest2);
        let [second, third] = self.inward;
        let u = t.mul(second[2]).sub(dot(second, p));
        let v = t.mul(third[2]).sub(dot(third, p));
        let inside = zero.sub(room).le(u.min(v).min(self.nn.sub(u).sub(v)));
        FaceEntry {
            t,
            alive: self.thin.or(entered),
            inside: self.thin.select(zero, inside),
        }
    }

    /// The earliest entry into faces, edges and corners; infinite for none.
    #[inline(always)]
    fn borders(&self, ball: &Seen<E>, face: &FaceEntry<E>) -> E {
        let k = E::splat(FACE_STEP)
            .mul(ball.step)
            .mul(self.longest2)
            .div(self.length);
        let height = self.length.div(self.longest.max(E::splat(1e-18)));
        let three = ball.step.add(ball.step).add(ball.step);
        let radius = ball.radius.add(three).add(self.thin.select(height, k.add(k)));
        let square = radius.mul(radius);
        let [p, q, s] = ball.p;
        let mut first = self.edge_entry(0, p, ball, square);
        first = first.min(self.edge_entry(1, p, ball, square));
        first = first.min(self.edge_entry(2, q, ball, square));
        let radius = radius.add(ball.step).add(ball.step);
        let square = radius.mul(radius);
        first = first.min(corner_entry(p, square));
        first = first.min(corner_entry(q, square));
        first = first.min(corner_entry(s, square));
        let in_slab = self.thin.select(E::splat(0.0), face.t);
        face.inside.select(face.t, first.max(in_slab))
    }

    /// Entry into the cylinder about edge `k` from `p` on, where the foot is on the edge then; infinite for none.
    #[inline(always)]
    fn edge_entry(&self, k: usize, p: Vector<E>, ball: &Seen<E>, square: E) -> E {
        let (zero, far) = (E::splat(0.0), E::splat(f32::INFINITY));
        let Edge { e, ee, seen2 } = self.edges[k];
        let beside = ball.beside[k];
        let parallel = seen2.le(E::splat(PARALLEL2).mul(ee));
        let inverse = E::splat(1.0).div(seen2);
        let left = beside.neg_mul_add(beside, square.mul(seen2));
        let seen_along = p[0].mul_add(e[0], p[1].mul(e[1]));
        let nearest = seen_along.mul(inverse).neg_mul_add(e[2], p[2]);
        let half = left.mul(ee).sqrt().mul(inverse);
        let crossing = zero.le(left).and(zero.le(nearest.add(half)));
        let t = parallel.select(zero, nearest.sub(half).max(zero));
        let within = p[0].mul_add(p[0], p[1].mul(p[1])).le(square);
        let entered = parallel.select(within, crossing);
        let along = t.sub(p[2]).mul_add(e[2], zero.sub(seen_along));
        let on_edge = zero.le(along).and(along.le(ee));
        entered.and(on_edge).select(t, far)
    }
}

/// Entry into the ball of radius^2 `square` about a corner; infinite for none.
#[inline(always)]
fn corner_entry<E: Eight>(p: Vector<E>, square: E) -> E {
    let (zero, far) = (E::splat(0.0), E::splat(f32::INFINITY));
    let left = p[1].neg_mul_add(p[1], p[0].neg_mul_add(p[0], square));
    let half = left.sqrt();
    let entered = zero.le(left).and(zero.le(p[2].add(half)));
    entered.select(p[2].sub(half).max(zero), far)
}
