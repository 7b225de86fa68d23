//! Places and normals of four touches at once: the operations of the scalar answer, one by one.

use super::four::{Pair, Vector, each, side_by_side, vector};
use super::{Entry, Part};
use crate::bvh::{Four, Lanes, PlainFour, ahead, cross, dot, minus};
use crate::geom::canonical::ENDS;
use crate::geom::{Feature, Touch};
use crate::math::{Point3, Real, Vec3};

/// Hands out [`Entry::touch`] of each of four pairs and their entries.
#[inline(always)]
pub fn touches_of_four(
    pairs: &[Pair; 4],
    entries: &[Entry; 4],
    lanes: Lanes,
    mut found: impl FnMut(usize, Option<Touch>),
) {
    let mut answers = Answers::default();
    match lanes {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Lanes::Avx2` exists only where the processor has AVX2.
        Lanes::Avx2 => unsafe { touch_avx2(pairs, entries, &mut answers) },
        Lanes::Portable => touch::<PlainFour>(pairs, entries, &mut answers),
    }
    for (i, (pair, entry)) in pairs.iter().zip(entries).enumerate() {
        let feature = match entry.part {
            Part::Face => Feature::Face,
            Part::Edge(k) => Feature::Edge(k),
            Part::Corner(k) => Feature::Vertex(k),
            Part::Known => {
                found(i, entry.touch(&pair.moving, &pair.corners.map(|p| *p)));
                continue;
            }
        };
        let of = |v: &[[Real; 4]; 3]| Vec3::new(v[0][i], v[1][i], v[2][i]);
        let touch = Touch {
            t: entry.t,
            point: Point3::from(of(&answers.point)),
            normal: of(&answers.normal),
            feature,
            depth: 0.0,
        };
        // A length that is no number has no direction either.
        let has_normal = entry.part == Part::Face || answers.length[i] > 0.0;
        found(i, has_normal.then_some(touch));
    }
}

#[derive(Default)]
struct Answers {
    point: [[Real; 4]; 3],
    normal: [[Real; 4]; 3],
    /// Of what is made a unit normal at edges and corners.
    length: [Real; 4],
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn touch_avx2(pairs: &[Pair; 4], entries: &[Entry; 4], answers: &mut Answers) {
    touch::<crate::bvh::Avx2Four>(pairs, entries, answers);
}

/// The corner from which a part is seen, and the ends of the two edges that span it.
#[inline(always)]
fn spanned(part: Part) -> [usize; 3] {
    match part {
        Part::Face | Part::Known => [0, 1, 2],
        Part::Edge(k) => {
            let [lower, upper] = ENDS[usize::from(k)];
            [lower, upper, upper]
        }
        Part::Corner(k) => [usize::from(k); 3],
    }
}

/// 0 for a face, 1 for an edge, 2 for a corner.
#[inline(always)]
fn number(part: Part) -> Real {
    match part {
        Part::Face | Part::Known => 0.0,
        Part::Edge(_) => 1.0,
        Part::Corner(_) => 2.0,
    }
}

#[inline(always)]
fn touch<F: Four>(pairs: &[Pair; 4], entries: &[Entry; 4], answers: &mut Answers) {
    let mut corners = [[Vec3::zeros(); 4]; 3];
    let mut part = [0.0; 4];
    for (i, entry) in entries.iter().enumerate() {
        let [first, second, third] = spanned(entry.part);
        corners[0][i] = pairs[i].corners[first].coords;
        corners[1][i] = pairs[i].corners[second].coords;
        corners[2][i] = pairs[i].corners[third].coords;
        part[i] = number(entry.part);
    }
    let v = side_by_side::<F>(corners[0]);
    let c = vector::<F>(pairs, |p| p.moving.c.coords);
    let d = vector::<F>(pairs, |p| *p.moving.d);
    let t = F::new([entries[0].t, entries[1].t, entries[2].t, entries[3].t]);
    let part = F::new(part);
    let on_face = part.eq(F::splat(0.0));
    let (m, e) = (minus(c, v), minus(side_by_side(corners[1]), v));
    let mut normal = [F::splat(0.0); 3];
    let (mut offset, mut length) = (normal, normal[0]);
    if on_face.bits() != 0 {
        let n = cross(e, minus(side_by_side(corners[2]), v));
        let side = F::splat(0.0).lt(dot(n, m)).select(F::splat(1.0), F::splat(-1.0));
        let unit = side.div(dot(n, n).sqrt());
        let r = each(pairs, |p| p.moving.r);
        for k in 0..3 {
            normal[k] = n[k].mul(unit);
            offset[k] = normal[k].mul(r);
        }
    }
    if on_face.bits() != 0b1111 {
        let x = ahead(m, d, t);
        let share = dot(x, e).div(dot(e, e));
        let on_edge = part.eq(F::splat(1.0));
        let mut foot: Vector<F> = x;
        for k in 0..3 {
            foot[k] = on_edge.select(x[k].sub(e[k].mul(share)), x[k]);
        }
        length = dot(foot, foot).sqrt();
        for k in 0..3 {
            normal[k] = on_face.select(normal[k], foot[k].div(length));
            offset[k] = on_face.select(offset[k], foot[k]);
        }
    }
    let place = minus(ahead(c, d, t), offset);
    for k in 0..3 {
        place[k].store(&mut answers.point[k]);
        normal[k].store(&mut answers.normal[k]);
    }
    length.store(&mut answers.length);
}
