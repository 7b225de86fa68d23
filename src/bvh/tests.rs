use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::math::{Real, Vec3};

/// Boxes of many sizes; on a grid when `snap`, so that ties and shared sides are common.
fn boxes(snap: bool, offset: Real) -> impl Strategy<Value = Vec<Aabb>> {
    let coordinate = -10.0..10.0f64;
    let one = (
        prop::array::uniform3(coordinate),
        prop::array::uniform3(0.0..2.0f64),
    );
    prop::collection::vec(one, 0..200).prop_map(move |list| {
        let round = |x: Real| if snap { x.round() } else { x };
        let place = |p: [Real; 3]| Point3::from(p.map(|x| round(x) + offset));
        list.into_iter()
            .map(|(low, size)| Aabb {
                min: place(low),
                max: place(std::array::from_fn(|i| low[i] + size[i])),
            })
            .collect()
    })
}

fn path(offset: Real) -> impl Strategy<Value = Path> {
    (
        prop::array::uniform3(-12.0..12.0f64),
        prop::array::uniform3(-20.0..20.0f64),
        0.0..1.5f64,
        0..8u8,
    )
        .prop_map(move |(from, along, radius, kind)| {
            let mut along = Vec3::from(along);
            for axis in 0..3 {
                if kind >> axis & 1 == 1 {
                    along[axis] = 0.0;
                }
            }
            Path {
                from: Point3::from(from.map(|x| x + offset)),
                along,
                radius,
            }
        })
}

/// First fraction at which the moving point is in the grown box, by clipping in `f64`.
fn entry(path: &Path, b: &Aabb) -> Option<Real> {
    let (mut near, mut far) = (0.0f64, 1.0f64);
    for axis in 0..3 {
        let (low, high) = (b.min[axis] - path.radius, b.max[axis] + path.radius);
        let (p, d) = (path.from[axis], path.along[axis]);
        if d == 0.0 {
            if p < low || p > high {
                return None;
            }
        } else {
            let (t0, t1) = ((low - p) / d, (high - p) / d);
            near = near.max(t0.min(t1));
            far = far.min(t0.max(t1));
        }
    }
    (near <= far).then_some(near)
}

fn found(tree: &Bvh, path: &Path, best: Real) -> BTreeSet<u32> {
    let mut all = BTreeSet::new();
    tree.walk(path, best, |range, best| {
        all.extend(&tree.order()[range.start as usize..range.end as usize]);
        best
    });
    all
}

proptest! {
    #[test]
    fn every_box_that_is_entered_in_time_is_handed_out(
        (offset, boxes, path) in prop_oneof![Just(0.0), Just(1e3), Just(-1e6)]
            .prop_flat_map(|o| (Just(o), prop_oneof![boxes(false, o), boxes(true, o)], path(o))),
        best in 0.0..1.0f64,
    ) {
        let mut tree = Bvh::build(&boxes);
        prop_assert_eq!(tree.validate(&boxes), Ok(()));
        let _ = offset;
        for lanes in [tree.lanes, Lanes::Portable] {
            tree.lanes = lanes;
            let got = found(&tree, &path, best);
            for (i, b) in boxes.iter().enumerate() {
                if entry(&path, b).is_some_and(|t| t <= best) {
                    prop_assert!(got.contains(&(i as u32)), "box {} is missing with {:?}", i, lanes);
                }
            }
        }
    }

    #[test]
    fn narrowing_the_bound_keeps_the_first_box(boxes in boxes(false, 0.0), path in path(0.0)) {
        let tree = Bvh::build(&boxes);
        let mut first: Option<(Real, u32)> = None;
        tree.walk(&path, 1.0, |range, mut best| {
            for &p in &tree.order()[range.start as usize..range.end as usize] {
                if let Some(t) = entry(&path, &boxes[p as usize]).filter(|t| *t <= best)
                    && first.is_none_or(|f| (t, p) < f)
                {
                    first = Some((t, p));
                    best = t;
                }
            }
            best
        });
        let brute = boxes.iter().enumerate().filter_map(|(i, b)| Some((entry(&path, b)?, i as u32)));
        let brute = brute.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        prop_assert_eq!(first, brute);
    }
}

#[test]
fn coincident_boxes_still_split_into_leaves() {
    let same = vec![
        Aabb {
            min: Point3::origin(),
            max: Point3::new(1.0, 1.0, 1.0)
        };
        1000
    ];
    let tree = Bvh::build(&same);
    assert_eq!(tree.validate(&same), Ok(()));
}

#[test]
fn a_culled_tree_visits_few_of_many() {
    let boxes: Vec<Aabb> = (0..40_000)
        .map(|i| {
            let p = Point3::new(f64::from(i % 200), f64::from(i / 200), 0.0);
            Aabb {
                min: p,
                max: p + Vec3::repeat(0.5),
            }
        })
        .collect();
    let tree = Bvh::build(&boxes);
    assert_eq!(tree.validate(&boxes), Ok(()));
    let path = Path {
        from: Point3::new(50.0, 50.0, 10.0),
        along: Vec3::new(0.0, 0.0, -20.0),
        radius: 0.2,
    };
    let n = found(&tree, &path, 1.0).len();
    assert!((1..100).contains(&n), "{n} of 40,000 boxes handed out");
    assert!(
        tree.bytes() < 40_000 * 20,
        "{} bytes a box",
        tree.bytes() / 40_000
    );
}

#[test]
fn the_tree_does_not_depend_on_the_number_of_threads() {
    let boxes: Vec<Aabb> = (0..150_000u32)
        .map(|i| {
            let h = i.wrapping_mul(2_654_435_761);
            let p = Point3::new(
                f64::from(h % 1000),
                f64::from(h / 1000 % 1000),
                f64::from(h >> 20),
            );
            Aabb {
                min: p,
                max: p + Vec3::repeat(2.0),
            }
        })
        .collect();
    let build = |n| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap()
            .install(|| Bvh::build(&boxes))
    };
    let (one, three) = (build(1), build(3));
    assert_eq!(one.order, three.order);
    assert_eq!(format!("{:?}", one.nodes), format!("{:?}", three.nodes));
}
