//! Where the weight of a particle stands: on the scenery where it touches it, else between the feet of its supports.

use super::contacts::Contact;
use super::ground::{Ground, On};
use crate::math::{Point3, Real, Vec3};

/// Contacts among which every three are tried; a ball in a pocket of others has three, seldom four.
const MANY: usize = 8;
/// Passes of the descent over the contacts.
const PASSES: usize = 40;
/// Three unit normals with a smaller volume between them, or two with a smaller squared sine, do not tell their shares well.
const FLAT: Real = 1e-6;
/// No more of a unit force than this presses into a contact along which it goes.
const PRESSES: Real = 1e-9;

/// What carries a particle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    /// Mean foot of its supports, weighted by the load they carry [m].
    pub(super) foot: Point3,
    /// Horizontal distance of the centre from it [m].
    pub(super) eccentricity: Real,
    /// Height of the centre over it [m], >= 0.
    pub(super) depth: Real,
    /// Unit normal of what carries it.
    pub(super) normal: Vec3,
}

/// Load shares w >= 0 that minimise |sum of w n - up|. They are known at once where three contacts carry it between them,
/// or where two or one do as well as all: the mean over all such. For many contacts, by coordinate descent in their order.
fn loads(up: &Vec3, contacts: &[Contact], shares: &mut Vec<Real>) {
    shares.clear();
    shares.resize(contacts.len(), 0.0);
    if contacts.len() <= MANY && (on_three(up, contacts, shares) || on_two(up, contacts, shares)) {
        return;
    }
    let mut missing = *up;
    for _ in 0..PASSES {
        let mut moved = 0.0;
        for (share, c) in shares.iter_mut().zip(contacts) {
            let new = Real::max(0.0, *share + c.normal.dot(&missing));
            // Most that carry nothing never will.
            if new != *share {
                missing -= c.normal * (new - *share);
                moved += (new - *share).abs();
                *share = new;
            }
        }
        if moved == 0.0 {
            break;
        }
    }
}

/// The mean of the shares of all three contacts that carry a load between them; false if there are none.
fn on_three(up: &Vec3, contacts: &[Contact], shares: &mut [Real]) -> bool {
    let mut found = 0.0;
    for (i, a) in contacts.iter().enumerate() {
        for (j, b) in contacts.iter().enumerate().skip(i + 1) {
            for (k, c) in contacts.iter().enumerate().skip(j + 1) {
                if let Some(three) = tripod(up, [&a.normal, &b.normal, &c.normal]) {
                    found += 1.0;
                    for (at, share) in [i, j, k].into_iter().zip(three) {
                        shares[at] += share;
                    }
                }
            }
        }
    }
    divide(shares, found)
}

/// The shares of three unit normals whose sum is `up`, if none is negative and the normals are far enough from one plane.
fn tripod(up: &Vec3, [a, b, c]: [&Vec3; 3]) -> Option<[Real; 3]> {
    let (across_a, across_b, across_c) = (b.cross(c), c.cross(a), a.cross(b));
    let volume = a.dot(&across_a);
    let shares = [across_a, across_b, across_c].map(|across| up.dot(&across) / volume);
    (volume.abs() > FLAT && shares.iter().all(|w| *w >= 0.0)).then_some(shares)
}

/// The same for two contacts, or one, that carry as much of it as can be: what is missing presses into none.
fn on_two(up: &Vec3, contacts: &[Contact], shares: &mut [Real]) -> bool {
    let carries = |missing: &Vec3| contacts.iter().all(|c| c.normal.dot(missing) <= PRESSES);
    let mut found = 0.0;
    for (i, a) in contacts.iter().enumerate() {
        let on_a = up.dot(&a.normal);
        if on_a >= 0.0 && carries(&(up - a.normal * on_a)) {
            found += 1.0;
            shares[i] += on_a;
        }
        for (j, b) in contacts.iter().enumerate().skip(i + 1) {
            let (on_b, cosine) = (up.dot(&b.normal), a.normal.dot(&b.normal));
            let sine2 = 1.0 - cosine * cosine;
            let [wa, wb] = [on_a - cosine * on_b, on_b - cosine * on_a].map(|w| w / sine2);
            if sine2 > FLAT && wa > 0.0 && wb > 0.0 && carries(&(up - a.normal * wa - b.normal * wb)) {
                found += 1.0;
                shares[i] += wa;
                shares[j] += wb;
            }
        }
    }
    divide(shares, found)
}

/// Divides sums by how many they are of; false if they are of none.
fn divide(sums: &mut [Real], found: Real) -> bool {
    if found > 0.0 {
        sums.iter_mut().for_each(|sum| *sum /= found);
    }
    found > 0.0
}

/// What carries a ball at a place.
pub(super) fn stand(
    ground: &Ground,
    center: &Point3,
    radius: Real,
    contacts: &[Contact],
    shares: &mut Vec<Real>,
) -> Stand {
    let up = ground.world.up;
    loads(&up, contacts, shares);
    let (mut weight, mut sum, mut lift) = (0.0, Vec3::zeros(), Vec3::zeros());
    for (share, c) in shares.iter().zip(contacts) {
        let carried = share * c.normal.dot(&up);
        if carried > 0.0 {
            let foot = match c.on {
                On::Triangle(_) => center - c.normal * radius,
                On::Ball(row) => ground.foot(row),
            };
            weight += carried;
            sum += (foot - center) * carried;
        }
        lift += c.normal * *share;
    }
    let to_foot = if weight > 0.0 { sum / weight } else { -up * radius };
    let below = -to_foot.dot(&up);
    Stand {
        foot: center + to_foot,
        eccentricity: (to_foot + up * below).norm(),
        depth: below.max(0.0),
        normal: lift.try_normalize(1e-12).unwrap_or(up),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    fn shares(normals: &[Vec3]) -> Vec<Real> {
        let contact = |normal: &Vec3| Contact {
            normal: *normal,
            on: On::Triangle(0),
        };
        let contacts: Vec<Contact> = normals.iter().map(contact).collect();
        let mut shares = Vec::new();
        loads(&Vec3::y(), &contacts, &mut shares);
        shares
    }

    /// Three legs at equal angles carry a third each, whatever their slope: w = 1 / (3 cos).
    #[test]
    fn an_even_tripod_carries_a_third_on_each_leg() {
        for cosine in [0.1_f64, 0.5, 0.9, 0.999] {
            let sine = (1.0 - cosine * cosine).sqrt();
            let leg = |c: Real, s: Real| Vec3::new(sine * c, cosine, sine * s);
            let half = 0.75_f64.sqrt();
            let w = shares(&[leg(1.0, 0.0), leg(-0.5, half), leg(-0.5, -half)]);
            let most = w
                .iter()
                .map(|w| (w * 3.0 * cosine - 1.0).abs())
                .fold(0.0, Real::max);
            assert!(w.len() == 3 && most < 1e-12, "{cosine}: {w:?}");
        }
    }

    /// Four legs of a square table carry a quarter each: no order of the contacts is seen in it.
    #[test]
    fn a_table_stands_on_all_its_legs() {
        let legs = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        for w in shares(&legs.map(|[x, z]| Vec3::new(0.6 * x, 0.8, 0.6 * z))) {
            assert!((w * 4.0 * 0.8 - 1.0).abs() < 1e-12, "{w}");
        }
    }

    /// The conditions of Karush, Kuhn and Tucker: nothing that is missing can still be carried, and whoever carries is
    /// needed exactly as much. Normals as of balls of one size: 60 degrees apart, or more.
    #[test]
    fn shares_are_the_least_squares_of_what_can_carry() {
        let mut rng = stream(4, Purpose::Probe, 0, 0);
        let (mut carried_whole, mut carried_in_part) = (0, 0);
        for n in 0..4000 {
            let mut normals: Vec<Vec3> = Vec::new();
            for _ in 0..1 + n % 6 {
                let normal = rng.in_ball().normalize();
                if normals.iter().all(|other| other.dot(&normal) <= 0.5) {
                    normals.push(normal);
                }
            }
            let w = shares(&normals);
            let carried: Vec3 = normals.iter().zip(&w).map(|(n, w)| n * *w).sum();
            let missing = Vec3::y() - carried;
            for (n, w) in normals.iter().zip(&w) {
                let more = n.dot(&missing);
                assert!(
                    *w >= 0.0 && more < 1e-9 && (more * w).abs() < 1e-9,
                    "{normals:?} {w} {more}"
                );
            }
            let whole = missing.norm() < 1e-9;
            carried_whole += usize::from(whole);
            carried_in_part += usize::from(!whole);
        }
        assert!(
            carried_whole > 300 && carried_in_part > 1000,
            "{carried_whole} {carried_in_part}"
        );
    }
}
