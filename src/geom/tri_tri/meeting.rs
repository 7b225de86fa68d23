//! How two triangles of a mesh meet beyond the corners that they share.

use super::{Contact, Crossed, contact, sides};
use crate::geom::flat::View;
use crate::geom::orient::{Sign, orient3d};
use crate::math::Point3;

/// How two triangles meet. Corners at the same place are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// Not beyond what they share.
    Apart,
    /// They touch, and neither goes on behind the other.
    Touching,
    /// Each goes through the other's plane where the other is.
    Crossing,
    /// They lie in one plane and cover a common part of it.
    Overlapping,
}

/// How two triangles meet beyond the corners that they share, exactly. Degenerate triangles, and those with the same three
/// corners, are [`Meeting::Apart`]: they are faults of another kind.
pub fn meeting(a: &[Point3; 3], b: &[Point3; 3]) -> Meeting {
    let shared = |p: &Point3| b.contains(p);
    match a.iter().filter(|p| shared(p)).count() {
        0 => unshared(a, b),
        1 => at_a_corner(a, b),
        2 => at_an_edge(a, b),
        _ => Meeting::Apart,
    }
}

fn has_no_area(a: &[Point3; 3], b: &[Point3; 3]) -> bool {
    View::of(a).is_none() || View::of(b).is_none()
}

fn unshared(a: &[Point3; 3], b: &[Point3; 3]) -> Meeting {
    let Some(of_b) = sides(a, b) else {
        return Meeting::Apart;
    };
    let Some(of_a) = sides(b, a) else {
        return Meeting::Apart;
    };
    if of_a == [Sign::Zero; 3] || of_b == [Sign::Zero; 3] {
        return flat(a, b);
    }
    match Crossed::new(a, &of_a, b, &of_b).contact() {
        Contact::None => Meeting::Apart,
        Contact::Segment(_) if goes_through(&of_a) && goes_through(&of_b) => Meeting::Crossing,
        _ => Meeting::Touching,
    }
}

/// One corner in common: the other two of each must lie on both sides of, or in, the other's plane to meet elsewhere.
fn at_a_corner(a: &[Point3; 3], b: &[Point3; 3]) -> Meeting {
    let Some(of_b) = sides_at_corner(a, b) else {
        return Meeting::Apart;
    };
    let Some(of_a) = sides_at_corner(b, a) else {
        return Meeting::Apart;
    };
    if of_a == [Sign::Zero; 3] || of_b == [Sign::Zero; 3] {
        return match flat(a, b) {
            // The shared corner itself.
            Meeting::Touching if matches!(contact(a, b), Contact::Point(_)) => Meeting::Apart,
            other => other,
        };
    }
    match Crossed::new(a, &of_a, b, &of_b).contact() {
        Contact::Segment(_) if goes_through(&of_a) && goes_through(&of_b) => Meeting::Crossing,
        Contact::Segment(_) => Meeting::Touching,
        _ => Meeting::Apart,
    }
}

/// Sides of the corners of `other` about the plane of `tri`, of which one, at the shared corner, is zero without being asked;
/// `None` when the other two are on one side.
fn sides_at_corner(tri: &[Point3; 3], other: &[Point3; 3]) -> Option<[Sign; 3]> {
    let [a, b, c] = tri;
    let side = |p: &Point3| {
        if tri.contains(p) {
            Sign::Zero
        } else {
            orient3d(a, b, c, p)
        }
    };
    let sides = other.each_ref().map(side);
    let same = |s: Sign| sides.iter().filter(|x| **x == s).count() == 2;
    (!same(Sign::Positive) && !same(Sign::Negative)).then_some(sides)
}

/// An edge in common: they meet beyond it only when folded flat onto each other.
fn at_an_edge(a: &[Point3; 3], b: &[Point3; 3]) -> Meeting {
    let own = |s: &[Point3; 3], t: &[Point3; 3]| s.iter().find(|p| !t.contains(p)).copied();
    let (Some(p), Some(q)) = (own(a, b), own(b, a)) else {
        return Meeting::Apart;
    };
    if !orient3d(&a[0], &a[1], &a[2], &q).is_zero() || has_no_area(a, b) {
        return Meeting::Apart;
    }
    let Some(view) = View::of(a) else {
        return Meeting::Apart;
    };
    let edge: Vec<&Point3> = a.iter().filter(|v| b.contains(v)).collect();
    let folded = match edge[..] {
        [u, v] => view.side(u, v, &p).agrees(view.side(u, v, &q)),
        _ => false,
    };
    if folded {
        Meeting::Overlapping
    } else {
        Meeting::Apart
    }
}

#[cold]
fn flat(a: &[Point3; 3], b: &[Point3; 3]) -> Meeting {
    if has_no_area(a, b) {
        return Meeting::Apart;
    }
    match contact(a, b) {
        Contact::None => Meeting::Apart,
        Contact::Area => Meeting::Overlapping,
        _ => Meeting::Touching,
    }
}

/// Whether there are corners strictly on both sides.
fn goes_through(sides: &[Sign; 3]) -> bool {
    sides.contains(&Sign::Positive) && sides.contains(&Sign::Negative)
}
