use super::*;
use crate::math::Real;

/// xorshift64*.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn unit(&mut self) -> Real {
        self.next() as Real / (1u64 << 53) as Real
    }

    /// A whole number from 0 to n - 1.
    fn below(&mut self, n: u64) -> usize {
        (self.next() % n) as usize
    }

    fn point(&mut self, size: Real) -> Point3 {
        Point3::from([(); 3].map(|()| (2.0 * self.unit() - 1.0) * size))
    }

    /// On a coarse grid, where touching, coplanar and degenerate triangles are common.
    fn lattice(&mut self, n: u64) -> Point3 {
        Point3::from([(); 3].map(|()| self.below(n) as Real))
    }

    fn pair(&mut self) -> [[Point3; 3]; 2] {
        let three = |draw: &mut dyn FnMut() -> Point3| [draw(), draw(), draw()];
        match self.below(6) {
            0 => [(); 2].map(|()| three(&mut || self.point(1.0))),
            1 => [(); 2].map(|()| three(&mut || self.lattice(4))),
            2 => [(); 2].map(|()| three(&mut || self.lattice(2))),
            3 => self.coplanar(),
            4 => self.touching(),
            _ => {
                let a = three(&mut || self.point(1.0));
                let near = a.map(|p| p + (self.point(1e-15)).coords);
                let shift = self.below(3);
                [a, [near[shift], near[(shift + 1) % 3], self.point(1.0)]]
            }
        }
    }

    /// In one plane through lattice points, exactly.
    fn coplanar(&mut self) -> [[Point3; 3]; 2] {
        let (o, u, v) = (self.lattice(9), self.lattice(9), self.lattice(9));
        let mut corner = || {
            let (i, j) = (self.below(5) as Real - 2.0, self.below(5) as Real - 2.0);
            o + u.coords * i + v.coords * j
        };
        [(); 2].map(|()| [corner(), corner(), corner()])
    }

    /// A corner of the second on the first, up to rounding.
    fn touching(&mut self) -> [[Point3; 3]; 2] {
        let a = [(); 3].map(|()| self.point(1.0));
        let (s, t) = (self.unit(), self.unit());
        let (s, t) = match self.below(3) {
            0 => (s, 0.0),
            1 => (s, t * (1.0 - s)),
            _ => (1.0, 0.0),
        };
        let on = a[0] + (a[1] - a[0]) * s + (a[2] - a[0]) * t;
        [a, [on, self.point(1.0), self.point(1.0)]]
    }
}

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// Every method, for all orders of corners and both orders of triangles, says what brute force says; and so do
/// contact and, for triangles that share nothing, meeting.
fn agree(pairs: usize, seed: u64) {
    let mut draws = Draws(seed);
    let mut met = [0; 2];
    for number in 0..pairs {
        let [a, b] = draws.pair();
        let truth = tri_tri_by(Method::BruteForce, &a, &b);
        met[usize::from(truth)] += 1;
        for order in ORDERS {
            let (s, t) = (order.map(|i| a[i]), ORDERS[number % 6].map(|i| b[i]));
            for method in Method::ALL {
                assert_eq!(tri_tri_by(method, &s, &t), truth, "{method:?} {s:?} {t:?}");
                assert_eq!(tri_tri_by(method, &t, &s), truth, "{method:?} {t:?} {s:?}");
            }
        }
        let kind = std::mem::discriminant(&contact(&a, &b));
        assert_eq!(
            kind != std::mem::discriminant(&Contact::None),
            truth,
            "{a:?} {b:?}"
        );
        let proper = View::of(&a).is_some() && View::of(&b).is_some();
        if proper {
            assert_eq!(std::mem::discriminant(&contact(&b, &a)), kind, "{a:?} {b:?}");
        }
        if proper && !a.iter().any(|p| b.contains(p)) {
            let meeting = meeting(&a, &b);
            assert_eq!(meeting != Meeting::Apart, truth, "{meeting:?} {a:?} {b:?}");
            let area = kind == std::mem::discriminant(&Contact::Area);
            assert_eq!(meeting == Meeting::Overlapping, area, "{a:?} {b:?}");
        }
    }
    assert!(met[0] > pairs / 5 && met[1] > pairs / 5, "{met:?}");
}

#[test]
fn the_methods_agree_in_all_orders() {
    agree(20_000, 1);
}

#[test]
#[ignore = "minutes without optimisation: cargo test --release -- --ignored"]
fn the_methods_agree_on_a_million_pairs() {
    agree(1_000_000, 2);
}

#[test]
fn meetings_are_told_apart() {
    let tri = |corners: [[i32; 3]; 3]| corners.map(|c| Point3::from(c.map(Real::from)));
    let floor = tri([[0, 0, 0], [4, 0, 0], [0, 4, 0]]);
    let expected = [
        (Meeting::Crossing, tri([[1, 1, -1], [1, 1, 1], [9, 9, 0]])),
        (Meeting::Touching, tri([[1, 1, 0], [1, 2, 0], [1, 1, 5]])),
        (Meeting::Touching, tri([[1, 1, 0], [1, 2, 3], [1, 1, 5]])),
        (Meeting::Apart, tri([[1, 1, 1], [1, 2, 3], [1, 1, 5]])),
        (Meeting::Overlapping, tri([[1, 1, 0], [9, 9, 0], [9, 8, 0]])),
        (Meeting::Touching, tri([[1, 0, 0], [3, 0, 0], [2, -3, 0]])),
        // A shared corner.
        (Meeting::Apart, tri([[0, 0, 0], [-1, 0, 3], [0, -1, 3]])),
        (Meeting::Crossing, tri([[0, 0, 0], [1, 1, 3], [1, 1, -3]])),
        (Meeting::Touching, tri([[0, 0, 0], [1, 1, 3], [1, 1, 0]])),
        (Meeting::Apart, tri([[0, 0, 0], [-1, -1, 0], [-2, -1, 0]])),
        (Meeting::Overlapping, tri([[0, 0, 0], [1, 1, 0], [1, 2, 0]])),
        // A shared edge.
        (Meeting::Apart, tri([[0, 0, 0], [4, 0, 0], [0, 0, 4]])),
        (Meeting::Apart, tri([[0, 0, 0], [4, 0, 0], [0, -4, 0]])),
        (Meeting::Overlapping, tri([[0, 0, 0], [4, 0, 0], [1, 9, 0]])),
        // All corners.
        (Meeting::Apart, tri([[0, 0, 0], [4, 0, 0], [0, 4, 0]])),
    ];
    for (kind, other) in expected {
        for order in ORDERS {
            let other = order.map(|i| other[i]);
            assert_eq!(meeting(&floor, &other), kind, "{other:?}");
            assert_eq!(meeting(&other, &floor), kind, "{other:?}");
        }
    }
}
