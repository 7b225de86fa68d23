//! The index against looking at every ball.

use super::*;
use crate::collide::Sweep;
use crate::geom::sweep_balls::sweep_balls;
use crate::math::Vec3;
use crate::rng::{Purpose, stream};

fn columns<'a>(position: &'a [Point3], radius: &'a [Real], id: &'a [u64]) -> Spheres<'a> {
    Spheres {
        position,
        radius,
        id,
        except: ALL,
    }
}

struct Heap {
    position: Vec<Point3>,
    radius: Vec<Real>,
    id: Vec<u64>,
    balls: Balls,
}

impl Heap {
    fn new(count: u64, radii: [Real; 2], flat: Real) -> Self {
        let mut draws = stream(5, Purpose::Birth, 0, count);
        let mut heap = Self {
            position: Vec::new(),
            radius: Vec::new(),
            // The last row is the first.
            id: (0..count).rev().collect(),
            balls: Balls::new(radii[0], radii[1]),
        };
        for row in 0..count as usize {
            let p = draws.in_ball() * 4.0;
            heap.position.push(Point3::new(p.x, p.y * flat, p.z));
            heap.radius.push(draws.between(radii[0], radii[1]));
            let spheres = columns(&heap.position, &heap.radius, &heap.id);
            heap.balls.insert(row, &spheres);
        }
        heap
    }

    fn spheres(&self) -> Spheres<'_> {
        columns(&self.position, &self.radius, &self.id)
    }

    fn brute(&self, sweep: &Sweep, below: Real) -> Option<(Real, usize)> {
        let rows = (0..self.position.len()).filter(|&i| self.balls.contains(i) && self.position[i].y < below);
        rows.filter_map(|i| {
            let m = sweep.from - self.position[i];
            Some((sweep_balls(&m, &sweep.along, sweep.radius + self.radius[i])?, i))
        })
        .min_by_key(|(t, i)| (t.to_bits(), self.id[*i]))
    }
}

#[test]
fn sweeps_find_what_looking_at_every_ball_finds() {
    for (radii, flat) in [
        ([0.1, 0.1], 1.0),
        ([0.05, 0.14], 0.1),
        ([0.01, 0.3], 1.0),
        ([0.001, 0.1], 0.2),
    ] {
        let mut heap = Heap::new(700, radii, flat);
        for row in (0..700).step_by(7) {
            let Heap {
                position,
                radius,
                id,
                balls,
            } = &mut heap;
            balls.remove(row, &columns(position, radius, id));
        }
        assert_eq!(heap.balls.len(), 600);
        let mut draws = stream(6, Purpose::Birth, 0, 0);
        let mut hits = 0;
        for n in 0..3000 {
            let scale = [0.01, 0.5, 3.0, 30.0, 1e4][n % 5];
            let sweep = Sweep {
                from: Point3::from(draws.in_ball() * 6.0 + Vec3::y() * if n % 3 == 0 { 40.0 } else { 0.0 }),
                along: if n % 2 == 0 {
                    draws.in_ball() * scale
                } else {
                    -Vec3::y() * scale
                },
                radius: draws.between(0.001, 0.3),
                span: [0.0, 1.0],
            };
            let found = heap.balls.first_touch(&heap.spheres(), &sweep);
            hits += usize::from(found.is_some());
            assert_eq!(
                found.map(|h| (h.fraction, h.row)),
                heap.brute(&sweep, Real::INFINITY)
            );
            if n % 2 == 1 {
                let below = heap.balls.first_below(&heap.spheres(), &sweep);
                let limit = sweep.from.y - 1e-7 * sweep.radius;
                assert_eq!(below.map(|h| (h.fraction, h.row)), heap.brute(&sweep, limit));
            }
        }
        assert!(hits > 100, "{hits} hits");
    }
}

#[test]
fn neighbours_are_those_within_reach() {
    let heap = Heap::new(500, [0.02, 0.3], 1.0);
    let mut draws = stream(7, Purpose::Birth, 0, 0);
    for _ in 0..300 {
        let (center, reach) = (Point3::from(draws.in_ball() * 4.0), draws.between(0.0, 1.0));
        let mut found = Vec::new();
        heap.balls
            .around(&heap.spheres(), &center, reach, |row| found.push(row as usize));
        found.sort_unstable();
        let near = |i: &usize| (heap.position[*i] - center).norm() <= reach + heap.radius[*i];
        assert_eq!(found, (0..500).filter(near).collect::<Vec<_>>());
        let depth = |i: usize| reach + heap.radius[i] - (heap.position[i] - center).norm();
        let deepest = (0..500).map(depth).fold(0.0, Real::max);
        let found = heap.balls.deepest_overlap(&heap.spheres(), &center, reach);
        assert_eq!(found.map_or(0.0, |f| f.0), deepest);
    }
}

#[test]
fn radii_beyond_what_was_announced_are_taken_too() {
    let mut balls = Balls::new(0.1, 0.1);
    let (position, radius) = (
        vec![Point3::origin(), Point3::new(9.0, 0.0, 0.0)],
        vec![5.0, 1e-9],
    );
    let spheres = columns(&position, &radius, &[0, 1]);
    balls.insert(0, &spheres);
    balls.insert(1, &spheres);
    let sweep = Sweep {
        from: Point3::new(0.0, 20.0, 0.0),
        along: Vec3::new(0.0, -40.0, 0.0),
        radius: 1.0,
        span: [0.0, 1.0],
    };
    assert_eq!(balls.first_touch(&spheres, &sweep).unwrap().fraction, 14.0 / 40.0);
    balls.remove(0, &spheres);
    assert_eq!(balls.first_touch(&spheres, &sweep), None);
    assert_eq!(balls.len(), 1);
}

#[test]
fn ties_go_by_identity_and_not_by_row() {
    let position = [Point3::new(1.0, 0.0, 0.0), Point3::new(-1.0, 0.0, 0.0)];
    let fall = Sweep {
        from: Point3::new(0.0, 10.0, 0.0),
        along: Vec3::new(0.0, -20.0, 0.0),
        radius: 1.0,
        span: [0.0, 1.0],
    };
    for (id, first) in [([4, 9], 0), ([9, 4], 1)] {
        for order in [[0, 1], [1, 0]] {
            let spheres = columns(&position, &[1.0; 2], &id);
            let mut balls = Balls::new(1.0, 1.0);
            order.iter().for_each(|&row| balls.insert(row, &spheres));
            let touch = balls.first_touch(&spheres, &fall).unwrap();
            assert_eq!(touch.row, first);
            assert_eq!(balls.first_below(&spheres, &fall).unwrap().row, first);
            let overlap = balls.deepest_overlap(&spheres, &Point3::origin(), 1.0);
            assert_eq!(overlap.unwrap().1, first);
            let known = |id: u64| (touch.fraction.to_bits(), id);
            assert_eq!(balls.first_before(&spheres, &fall, known(4)), None);
            assert_eq!(balls.first_before(&spheres, &fall, known(5)).unwrap().row, first);
        }
    }
}

#[test]
fn a_hidden_row_is_seen_by_no_query() {
    let heap = Heap::new(300, [0.3, 0.3], 1.0);
    let mut draws = stream(8, Purpose::Birth, 0, 0);
    let mut hidden = 0;
    for _ in 0..200 {
        let sweep = Sweep {
            from: Point3::from(draws.in_ball() * 6.0),
            along: draws.in_ball() * 6.0,
            radius: 0.2,
            span: [0.0, 1.0],
        };
        let Some(hit) = heap.balls.first_touch(&heap.spheres(), &sweep) else {
            continue;
        };
        hidden += 1;
        let spheres = Spheres {
            except: hit.row as u32,
            ..heap.spheres()
        };
        let without = |i: &usize| *i != hit.row;
        let (from, along) = (sweep.from, sweep.along);
        let next = (0..300).filter(without).filter_map(|i| {
            let t = sweep_balls(&(from - heap.position[i]), &along, sweep.radius + heap.radius[i])?;
            Some((t.to_bits(), heap.id[i], i))
        });
        let found = heap.balls.first_touch(&spheres, &sweep);
        assert_eq!(
            found.map(|h| (h.fraction.to_bits(), heap.id[h.row], h.row)),
            next.min()
        );
        let place = from + along * hit.fraction;
        heap.balls
            .around(&spheres, &place, 1.0, |row| assert_ne!(row as usize, hit.row));
        let all = |row: u32| row as usize == hit.row;
        assert!(heap.balls.any_along(&heap.spheres(), &from, &along, 0.21, all));
        assert!(!heap.balls.any_along(&spheres, &from, &along, 0.21, all));
    }
    assert!(hidden > 50, "{hidden}");
}

#[test]
fn no_fall_gets_deeper_than_the_stop_that_was_found() {
    for (radii, flat) in [([0.3, 0.3], 0.3), ([0.05, 0.4], 0.3)] {
        let heap = Heap::new(1500, radii, flat);
        let mut draws = stream(9, Purpose::Birth, 0, 0);
        let (mut found, mut tight) = (0, 0);
        for n in 0..3000 {
            let down = [-Vec3::y(), draws.in_ball().normalize()][n % 2];
            let places: [Point3; 3] = std::array::from_fn(|_| Point3::from(draws.in_ball() * 4.0));
            let radius = draws.between(radii[0], radii[1]);
            let bound = Fall {
                down,
                radius,
                enough: draws.between(0.0, 3.0),
            };
            let spheres = heap.spheres();
            let stops = heap.balls.stops_below(&spheres, &places, &bound);
            let alone = places.map(|place| heap.balls.stops_below(&spheres, &[place], &bound)[0]);
            assert_eq!(stops, alone, "beside others");
            let (place, Some(stop)) = (places[n % 3], stops[n % 3]) else {
                continue;
            };
            found += 1;
            let height = draws.between(0.0, radius);
            let fall = Sweep {
                from: place - down * height,
                along: down * (height + stop.deepest),
                radius,
                span: [0.0, 1.0],
            };
            let hit = heap
                .balls
                .first_below(&spheres, &fall)
                .expect("something stops it");
            assert!(hit.fraction < 1.0);
            tight += i32::from((height + stop.deepest) * (1.0 - hit.fraction) < 1e-5);
            // And with nothing but that ball there, too.
            let m = fall.from - heap.position[stop.row];
            let alone = sweep_balls(&m, &fall.along, radius + heap.radius[stop.row]);
            assert!(alone.is_some_and(|t| t < 1.0));
        }
        assert!(
            found > 1000 && tight > 300,
            "{found} found, {tight} as near as can be"
        );
    }
}

#[test]
fn gathering_on_the_way_misses_none_and_names_none_twice() {
    for radii in [[0.3, 0.3], [0.05, 0.4]] {
        let heap = Heap::new(1500, radii, 0.3);
        let mut draws = stream(10, Purpose::Birth, 0, 0);
        let (mut seen, mut found) = (Seen::default(), Packs::default());
        let mut place = Point3::origin();
        let mut begun = 0;
        for n in 0..2000 {
            place += draws.in_ball() * if n % 50 == 0 { 3.0 } else { 0.2 };
            if place.coords.norm() > 5.0 {
                place = Point3::origin();
            }
            let (reach, before) = (draws.between(0.1, 0.5), found.len());
            heap.balls
                .gather(&heap.spheres(), (&place, reach), 0.1, &mut seen, &mut found);
            begun += i32::from(found.len() < before);
            let mut rows: Vec<u32> = found.iter().map(|b| b.row).collect();
            rows.sort_unstable();
            assert!(rows.is_sorted_by(|a, b| a < b), "one is named twice");
            heap.balls.around(&heap.spheres(), &place, reach, |row| {
                assert!(rows.binary_search(&row).is_ok(), "{row} is missing");
            });
        }
        assert!(begun > 10, "it began anew {begun} times");
    }
}
