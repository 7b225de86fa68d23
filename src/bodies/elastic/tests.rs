use super::super::lattice::Stuff;
use super::super::shapes::Boxes;
use super::*;

const STUFF: Stuff = Stuff {
    young: 1e5,
    density: 1000.0,
    damping: 0.0,
    yields: Real::INFINITY,
};

/// A bar along y, `n` cubes long and `across` wide and deep, 1 m long, its middle at the origin.
fn bar(n: u32, across: u32, stuff: Stuff) -> Lattice {
    let edge = 1.0 / Real::from(n);
    let width = edge * Real::from(across);
    Lattice::new(&Boxes::cuboid(width, 1.0, width), edge, stuff).expect("a bar")
}

fn ends(lattice: &Lattice, y: Real) -> Vec<usize> {
    (0..lattice.rest.len())
        .filter(|&i| (lattice.rest[i].y - y).abs() < 1e-9)
        .collect()
}

fn mean_y(body: &Elastic, of: &[usize]) -> Real {
    of.iter().map(|&i| body.at[i].y).sum::<Real>() / of.len() as Real
}

#[test]
fn masses_and_springs_are_those_of_the_cubes() {
    let lattice = bar(4, 2, STUFF);
    assert_eq!((lattice.cubes.len(), lattice.rest.len()), (16, 45));
    let mass: Real = lattice.mass.iter().sum();
    assert!((mass - 1000.0 * 0.25).abs() < 1e-9);
    // Diagonals of faces: 2 in each of 5 layers of 4, and of twice 3 walls of 8.
    let of_length = |axes: Real| {
        lattice
            .springs
            .iter()
            .filter(|s| (s.rest / lattice.edge - axes.sqrt()).abs() < 1e-9)
            .count()
    };
    assert_eq!([1.0, 2.0, 3.0].map(of_length), [96, 136, 64]);
}

/// A hanging bar, free to shrink at the top, is longer by rho g L^2 / 2E, however fine.
#[test]
fn a_hanging_bar_stretches_by_youngs_modulus() {
    for n in [8, 16, 32, 64] {
        let lattice = bar(n, n / 4, STUFF);
        let mut body = Elastic::new(&lattice);
        // A strain of a thousandth in the mean.
        let gravity = Vec3::new(0.0, -2.0 * 1e-3 * STUFF.young / STUFF.density, 0.0);
        let (top, bottom) = (ends(&lattice, 0.5), ends(&lattice, -0.5));
        for &i in &top {
            body.held[i] |= 2;
        }
        // Two corners more keep it from swimming and turning.
        let (first, last) = (top[0], top[top.len() - 1]);
        body.held[first] |= 5;
        let apart = lattice.rest[last] - lattice.rest[first];
        let beside = top.iter().copied().find(|&i| {
            let d = lattice.rest[i] - lattice.rest[first];
            d.z == 0.0 && (d.x - apart.x).abs() < 1e-9
        });
        body.held[beside.expect("a corner")] |= 4;
        (0..2).for_each(|_| body.implicit(&lattice, &gravity, 1e3));
        let longer = -0.5 - mean_y(&body, &bottom);
        let error = longer / 1e-3 - 1.0;
        assert!(error.abs() < 0.002, "{n}: off by {error}");
    }
}

/// A pulse that starts at one end comes to the other after L / c.
#[test]
fn a_pulse_travels_with_the_speed_of_sound() {
    let (n, across) = (128, 4);
    let lattice = bar(n, across, STUFF);
    let mut body = Elastic::new(&lattice);
    let (c, sigma) = (STUFF.sound(), 10.0 * lattice.edge);
    // A pulse that runs upward: displacement u, velocity -c u'.
    let from = -0.2;
    for (i, at) in lattice.rest.iter().enumerate() {
        let s = (at.y - from) / sigma;
        let u = 1e-5 * libm::exp(-0.5 * s * s);
        body.at[i].y += u;
        body.velocity[i].y = c * u * s / sigma;
    }
    let layer = |body: &Elastic, y: Real| {
        let y = (y / lattice.edge).round() * lattice.edge;
        let corners = ends(&lattice, y);
        mean_y(body, &corners) - y
    };
    let dt = 0.5 * lattice.stable_step();
    let steps = (0.4 / c / dt).round() as u32;
    (0..steps).for_each(|_| body.explicit(&lattice, &Vec3::zeros(), dt));
    // Where the middle of the pulse is.
    let (mut sum, mut weight) = (0.0, 0.0);
    for k in -60..=60 {
        let y = f64::from(k) * lattice.edge;
        let u = layer(&body, y).max(0.0);
        let w = u * u;
        sum += w * y;
        weight += w;
    }
    let speed = (sum / weight - from) / (f64::from(steps) * dt);
    assert!((speed / c - 1.0).abs() < 0.02, "{} c", speed / c);
}

fn stirred(lattice: &Lattice) -> Elastic {
    let mut body = Elastic::new(lattice);
    for (i, v) in body.velocity.iter_mut().enumerate() {
        let k = i as Real;
        *v = Vec3::new(libm::sin(1.7 * k), libm::sin(2.9 * k), libm::sin(4.1 * k)) * 1e-4;
    }
    body
}

/// The bound is that of one cube, and sharp there.
#[test]
fn steps_below_the_bound_are_stable_and_above_it_are_not() {
    for (n, across, at_least) in [(1, 1, 1.01), (8, 2, 1.0)] {
        let lattice = bar(n, across, STUFF);
        let energy = |factor: Real| {
            let mut body = stirred(&lattice);
            let first = body.energy(&lattice, &Vec3::zeros());
            (0..3000).for_each(|_| body.explicit(&lattice, &Vec3::zeros(), factor * lattice.stable_step()));
            body.energy(&lattice, &Vec3::zeros()) / first
        };
        let below = energy(0.98);
        assert!(below < 100.0, "{n}: {below}");
        if n == 1 {
            let above = energy(at_least);
            assert!(above > 1e3 || above.is_nan(), "{n}: {above}");
        }
    }
}

/// A step a hundred times as long as the bound ends in the same shape, and never gains energy.
#[test]
fn implicit_steps_come_to_the_same_rest_and_never_gain_energy() {
    // Stiff enough not to buckle under its weight.
    let stuff = Stuff {
        damping: 0.1,
        young: 2e5,
        ..STUFF
    };
    let lattice = bar(8, 4, stuff);
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let start = |stretch: Real| {
        let mut body = Elastic::new(&lattice);
        for i in ends(&lattice, -0.5) {
            body.held[i] = 7;
        }
        for i in 0..body.at.len() {
            if body.held[i] == 0 {
                let up = lattice.rest[i].y + 0.5;
                body.at[i].y += stretch * up;
                body.at[i].x += 0.7 * stretch * up;
            }
        }
        body
    };
    let top = ends(&lattice, 0.5);
    let mut heights = Vec::new();
    // Let go from a wide stretch, cubes of the undamped body fold over, and stay so.
    for (factor, stretch) in [(0.5, 0.05), (10.0, 0.3), (100.0, 0.3)] {
        let mut body = start(stretch);
        let mut last = body.energy(&lattice, &gravity);
        let dt = factor * lattice.stable_step();
        let count = (60.0 / dt).min(40_000.0) as u32;
        for _ in 0..count {
            if factor < 1.0 {
                body.explicit(&lattice, &gravity, dt);
            } else {
                body.implicit(&lattice, &gravity, dt);
                let now = body.energy(&lattice, &gravity);
                assert!(now <= last + 1e-9 * last.abs(), "{factor}: {last} to {now}");
                last = now;
            }
        }
        heights.push(mean_y(&body, &top));
    }
    assert!(
        heights.iter().all(|h| (h - heights[0]).abs() < 1e-3),
        "{heights:?}"
    );
}

#[test]
fn long_times_are_cut_into_steps_or_taken_at_once() {
    let lattice = bar(4, 2, STUFF);
    let mut body = Elastic::new(&lattice);
    assert_eq!(
        body.advance(&lattice, &Vec3::zeros(), [0.0, 10.5 * lattice.step()], &mut Free),
        11
    );
    assert_eq!(
        body.advance(
            &lattice,
            &Vec3::zeros(),
            [0.0, 1000.0 * lattice.step()],
            &mut Free
        ),
        0
    );
    assert_eq!(body, Elastic::new(&lattice));
}

/// The floor y = 0.
struct Floor(Real);

impl Obstacle for Floor {
    fn meet(&self, from: &Point3, along: &Vec3, _: [Real; 2]) -> Option<Met> {
        let down = -along.y;
        (down > 0.0 && from.y - down < 0.0).then(|| {
            let fraction = (from.y / down).max(0.0);
            let place = Point3::new(from.x + along.x * fraction, 0.0, from.z + along.z * fraction);
            Met {
                fraction,
                place,
                point: place,
                normal: Vec3::y(),
                friction: self.0,
                velocity: Vec3::zeros(),
                carries: Vec3::zeros(),
                depth: 0.0,
                part: 0,
            }
        })
    }
}

/// A lump that is let fall comes to rest on the floor, no lower than its springs make it.
#[test]
fn a_lump_falls_bounces_and_rests() {
    let stuff = Stuff {
        damping: 0.2,
        ..STUFF
    };
    let lattice = Lattice::new(&Boxes::cuboid(0.5, 0.5, 0.5), 0.125, stuff).expect("a lump");
    let mut body = Elastic::new(&lattice);
    body.at.iter_mut().for_each(|p| p.y += 0.5);
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let first = body.energy(&lattice, &gravity);
    let mut lowest: Real = 1.0;
    for _ in 0..240 {
        body.advance(&lattice, &gravity, [0.0, 1.0 / 60.0], &mut Floor(0.5));
        assert!(body.energy(&lattice, &gravity) <= first * (1.0 + 1e-9));
        assert!(lattice.outer.iter().all(|&i| body.at[i as usize].y >= 0.0));
        lowest = lowest.min(body.at.iter().map(|p| p.y).fold(Real::INFINITY, Real::min));
    }
    let speed = body.velocity.iter().map(Vec3::norm).fold(0.0, Real::max);
    let top = body.at.iter().map(|p| p.y).fold(0.0, Real::max);
    assert!(speed < 0.1 && lowest == 0.0, "{speed} {lowest}");
    // rho g L^2 / 2E in the mean of the top; corners less, the base is held by friction.
    assert!((0.45..0.5).contains(&top), "{top}");
}

/// What hits the floor so fast that its springs alone would fold over comes back to its shape.
#[test]
fn what_is_squashed_does_not_stay_folded() {
    let stuff = Stuff {
        young: 2e4,
        damping: 0.2,
        ..STUFF
    };
    let lattice = Lattice::new(&Boxes::cuboid(0.6, 0.6, 0.6), 0.1, stuff).expect("a lump");
    let mut body = Elastic::new(&lattice).moving(Vec3::new(0.0, -5.0, 0.0));
    body.at.iter_mut().for_each(|p| p.y += 0.3);
    let volume = |body: &Elastic| -> Real {
        let of = |cube: &[u32; 8]| {
            let [a, b, c] = body.sides(cube);
            a.dot(&b.cross(&c))
        };
        lattice.cubes.iter().map(of).fold(Real::INFINITY, Real::min) / 1e-3
    };
    let mut least: Real = 1.0;
    for _ in 0..360 {
        body.advance(
            &lattice,
            &Vec3::new(0.0, -9.81, 0.0),
            [0.0, 1.0 / 60.0],
            &mut Floor(0.5),
        );
        least = least.min(volume(&body));
    }
    assert!(least < LEAST_VOLUME, "it was squashed: {least}");
    assert!(volume(&body) > 0.6, "{}", volume(&body));
}

/// However hard it hits, its numbers stay finite, and what was done for that is counted.
#[test]
fn what_is_crushed_does_not_explode() {
    let stuff = Stuff { young: 1e4, ..STUFF };
    let lattice = Lattice::new(&Boxes::cuboid(0.6, 0.6, 0.6), 0.1, stuff).expect("a lump");
    let mut body = Elastic::new(&lattice).moving(Vec3::new(5.0, -14.0, 0.0));
    body.at.iter_mut().for_each(|p| p.y += 0.3);
    for _ in 0..240 {
        body.advance(
            &lattice,
            &Vec3::new(0.0, -9.81, 0.0),
            [0.0, 1.0 / 60.0],
            &mut Floor(1.0),
        );
    }
    assert!(body.tamed > 0);
    assert!(
        body.at.iter().all(|p| p.coords.amax() < 1e3),
        "it is still somewhere"
    );
}

/// A lump that yields sags, keeps its volume and its new shape; one that does not comes back.
#[test]
fn what_yields_keeps_its_new_shape_and_its_volume() {
    let sag = |yields: Real| {
        let stuff = Stuff {
            damping: 0.3,
            young: 6e4,
            yields,
            ..STUFF
        };
        let lattice = Lattice::new(&Boxes::cuboid(0.4, 0.6, 0.4), 0.1, stuff).expect("a lump");
        let mut body = Elastic::new(&lattice);
        body.at.iter_mut().for_each(|p| p.y += 0.3);
        let mut last = body.energy(&lattice, &Vec3::new(0.0, -9.81, 0.0));
        let first = last;
        for _ in 0..180 {
            body.advance(
                &lattice,
                &Vec3::new(0.0, -9.81, 0.0),
                [0.0, 1.0 / 60.0],
                &mut Floor(1.0),
            );
            let now = body.energy(&lattice, &Vec3::new(0.0, -9.81, 0.0));
            assert!(now <= last + 2e-3 * first, "{yields}: {last} to {now}");
            last = now;
        }
        // Without its weight it goes as far back as it is still elastic.
        for _ in 0..120 {
            body.advance(&lattice, &Vec3::zeros(), [0.0, 1.0 / 60.0], &mut Floor(1.0));
        }
        let top = body.at.iter().map(|p| p.y).fold(0.0, Real::max);
        let bottom = body.at.iter().map(|p| p.y).fold(Real::INFINITY, Real::min);
        let volume: Real = lattice
            .cubes
            .iter()
            .map(|cube| {
                let [a, b, c] = body.sides(cube);
                a.dot(&b.cross(&c))
            })
            .sum();
        (top - bottom, volume / 0.096)
    };
    let (elastic, _) = sag(Real::INFINITY);
    let (soft, volume) = sag(0.03);
    assert!((elastic - 0.6).abs() < 0.005, "{elastic}");
    assert!(soft < 0.53, "{soft}");
    assert!((volume - 1.0).abs() < 0.05, "{volume}");
}

/// What gives way gets the impulse that the corners lose.
#[test]
fn an_obstacle_gets_what_corners_lose() {
    struct Raft {
        mass: Real,
        velocity: Vec3,
    }
    impl Obstacle for Raft {
        fn meet(&self, from: &Point3, along: &Vec3, span: [Real; 2]) -> Option<Met> {
            let met = Floor(0.5).meet(from, along, span)?;
            Some(Met {
                velocity: self.velocity,
                ..met
            })
        }

        fn gives(&self, _: &Met, _: &Vec3) -> Real {
            1.0 / self.mass
        }

        fn push(&mut self, _: &Met, impulse: &Vec3) {
            self.velocity += impulse / self.mass;
        }
    }
    let lattice = bar(4, 2, STUFF);
    let whole: Real = lattice.mass.iter().sum();
    let mut body = Elastic::new(&lattice).moving(Vec3::new(1.0, -2.0, 0.5));
    body.at.iter_mut().for_each(|p| p.y += 0.51);
    let mut raft = Raft {
        mass: 0.7 * whole,
        velocity: Vec3::zeros(),
    };
    let sum = |body: &Elastic, raft: &Raft| -> Vec3 {
        let own: Vec3 = lattice.mass.iter().zip(&body.velocity).map(|(m, v)| v * *m).sum();
        own + raft.velocity * raft.mass
    };
    let (first, size) = (sum(&body, &raft), 2.3 * whole);
    let energy = |body: &Elastic, raft: &Raft| {
        body.energy(&lattice, &Vec3::zeros()) + 0.5 * raft.mass * raft.velocity.norm_squared()
    };
    let before = energy(&body, &raft);
    for _ in 0..8 {
        body.advance(&lattice, &Vec3::zeros(), [0.0, 1.0 / 240.0], &mut raft);
        assert!((sum(&body, &raft) - first).norm() < 1e-12 * size);
    }
    assert!(raft.velocity.y < -0.5, "{}", raft.velocity);
    assert!(energy(&body, &raft) < before);
}

#[test]
fn the_surface_is_closed_and_looks_outward() {
    let lattice = bar(4, 2, STUFF);
    assert_eq!(lattice.surface.len(), 2 * (2 * 4 + 4 * 8));
    let volume: Real = (lattice.surface.iter())
        .map(|t| {
            let [a, b, c] = t.map(|i| lattice.rest[i as usize].coords);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum();
    assert!((volume - 0.25).abs() < 1e-12, "{volume}");
}
