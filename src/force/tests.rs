use super::*;
use crate::collide::mesh::StaticMesh;
use crate::scene::{Collision, Falloff, Region, RegionShape, WindSpec};

/// Forces without gravity in empty space.
fn forces(specs: &[ForceSpec]) -> Forces {
    let nothing = StaticMesh::new(vec![], &[], Collision::Exact);
    let setting = Setting {
        seed: 5,
        bounds: Aabb::EMPTY,
        scenery: &nothing,
    };
    Forces::build(Vec3::zeros(), specs, &setting)
}

fn wind(x: Real) -> ForceSpec {
    let spec = WindSpec {
        velocity: Vec3::new(x, 0.0, 0.0).into(),
        gusts: None,
        profile: None,
        shelter: None,
    };
    ForceKind::Wind(spec).into()
}

fn drag(coefficient: Real) -> ForceSpec {
    let coefficient = coefficient.into();
    ForceKind::LinearDrag { coefficient }.into()
}

fn fall(push: &Push, v0: Vec3, dt: Real, steps: usize) -> Vec<Real> {
    let mut v = v0;
    (0..steps)
        .map(|_| {
            v = push.velocity_after(&v, dt);
            v.y
        })
        .collect()
}

#[test]
fn quadratic_drag_ends_at_its_terminal_speed_and_never_passes_it() {
    let push = Push {
        acceleration: Vec3::new(0.0, -9.81, 0.0),
        quadratic: 9.81 / 4.0,
        ..Push::default()
    };
    for dt in [1e-4, 0.01, 1.0, 1e3] {
        let n = ((20.0 / dt) as usize).max(40);
        let slow = fall(&push, Vec3::zeros(), dt, n);
        let fast = fall(&push, Vec3::new(0.0, -500.0, 0.0), dt, n);
        assert!((slow[n - 1] + 2.0).abs() < 1e-9, "dt {dt}: {}", slow[n - 1]);
        assert!((fast[n - 1] + 2.0).abs() < 1e-9, "dt {dt}: {}", fast[n - 1]);
        assert!(slow.iter().all(|v| *v >= -2.0 - 1e-12) && fast.iter().all(|v| *v <= -2.0 + 1e-12));
    }
}

#[test]
fn linear_drag_follows_its_exponential_to_first_order() {
    let push = Push {
        linear: 3.0,
        ..Push::default()
    };
    let error = |dt: Real| {
        (fall(&push, Vec3::new(0.0, 1.0, 0.0), dt, (1.0 / dt) as usize)
            .pop()
            .unwrap()
            - libm::exp(-3.0))
        .abs()
    };
    let (coarse, fine) = (error(1.0 / 64.0), error(1.0 / 128.0));
    assert!(
        coarse < 0.005 && (coarse / fine - 2.0).abs() < 0.1,
        "{coarse} {fine}"
    );
}

#[test]
fn wind_carries_what_it_drags() {
    let forces = forces(&[wind(4.0), drag(2.0)]);
    let push = forces.at(&Point3::origin(), 0.0, 0);
    let mut v = Vec3::zeros();
    for _ in 0..400 {
        v = push.velocity_after(&v, 0.1);
        assert!(v.x <= 4.0);
    }
    assert!((v.x - 4.0).abs() < 1e-9);
}

#[test]
fn without_drag_a_step_is_exact() {
    let push = Push {
        acceleration: Vec3::new(0.0, -10.0, 0.0),
        ..Push::default()
    };
    assert_eq!(
        push.velocity_after(&Vec3::new(1.0, 5.0, 0.0), 0.5),
        Vec3::new(1.0, 0.0, 0.0)
    );
}

#[test]
fn forces_that_never_change_are_added_up_once() {
    let all = forces(&[wind(4.0), drag(2.0)]);
    assert!(all.varying.is_empty());
    let moment = Keyed::new(vec![(0.0, 0.0), (2.0, 6.0)], false);
    let changing = forces(&[wind(4.0), ForceKind::LinearDrag { coefficient: moment }.into()]);
    assert_eq!(changing.varying.len(), 1);
    assert_eq!(changing.at(&Point3::origin(), 1.0, 0).linear, 3.0);
}

#[test]
fn a_vortex_turns_fastest_at_its_core_and_dies_away() {
    let all = forces(&[ForceKind::Vortex {
        center: Point3::new(1.0, 0.0, 0.0),
        axis: Vec3::y(),
        speed: 3.0.into(),
        rise: 0.5.into(),
        radius: 2.0,
    }
    .into()]);
    let air = |x, y, z| all.at(&Point3::new(x, y, z), 0.0, 0).air;
    // By the right hand about y: at +z of the axis the air goes to +x.
    assert!((air(1.0, 7.0, 2.0) - Vec3::new(3.0, 0.25, 0.0)).norm() < 1e-12);
    assert!((air(1.0, 0.0, 0.0) - Vec3::new(0.0, 0.5, 0.0)).norm() < 1e-12);
    for s in [0.25, 0.5, 2.0, 10.0] {
        let want = 2.0 * 3.0 * s / (1.0 + s * s);
        assert!((air(1.0 + 2.0 * s, 0.0, 0.0).z + want).abs() < 1e-12, "{s}");
    }
}

#[test]
fn an_attractor_follows_its_law_outside_and_a_spring_inside() {
    for (falloff, power) in [
        (Falloff::Linear, 1),
        (Falloff::Constant, 0),
        (Falloff::Inverse, -1),
        (Falloff::InverseSquare, -2),
    ] {
        let all = forces(&[ForceKind::Attractor {
            center: Point3::new(0.0, 1.0, 0.0),
            strength: 4.0.into(),
            radius: 0.5,
            falloff,
        }
        .into()]);
        let pull = |d: Real| all.at(&Point3::new(d, 1.0, 0.0), 0.0, 0).acceleration;
        for s in [1.0, 1.5, 3.0, 20.0] {
            let want = Vec3::new(-4.0 * Real::powi(s, power), 0.0, 0.0);
            assert!((pull(0.5 * s) - want).norm() < 1e-12, "{falloff:?} {s}");
        }
        assert!((pull(0.25).x + 2.0).abs() < 1e-12 && pull(0.0) == Vec3::zeros());
    }
}

#[test]
fn a_region_has_a_soft_edge_and_nothing_beyond_it() {
    let inside = |shape| {
        let region = Some(Region { shape, edge: 0.5 });
        let all = forces(&[ForceSpec { region, ..wind(8.0) }]);
        move |x| all.at(&Point3::new(x, 1.0, 1.0), 0.0, 0).air.x
    };
    let boxed = inside(RegionShape::Box {
        bounds: Aabb {
            min: Point3::origin(),
            max: Point3::new(2.0, 2.0, 2.0),
        },
    });
    let ball = inside(RegionShape::Sphere {
        center: Point3::new(1.0, 1.0, 1.0),
        radius: 1.0,
    });
    for at in [boxed, ball] {
        assert_eq!([-0.1, 0.0, 1.0, 2.0, 2.1].map(&at), [0.0, 0.0, 8.0, 0.0, 0.0]);
        assert!((at(0.25) - 4.0).abs() < 1e-12 && (at(1.75) - 4.0).abs() < 1e-12);
    }
}

#[test]
fn flutter_swings_each_particle_in_its_own_time_and_carries_none_away() {
    let all = forces(&[ForceKind::Flutter {
        amplitude: 0.02.into(),
        frequency: [1.0, 3.0],
    }
    .into()]);
    let n = 100_000;
    let dt = 1e-4;
    for key in [1, 2, 99] {
        let (mut way, mut farthest) = (Vec3::zeros(), 0.0f64);
        for i in 0..n {
            let air = all.at(&Point3::origin(), (Real::from(i) + 0.5) * dt, key).air;
            assert_eq!(air.y, 0.0);
            way += air * dt;
            farthest = farthest.max(way.x.abs()).max(way.z.abs());
        }
        assert!(farthest > 0.02 && farthest < 0.04 + 1e-6, "there and back: {farthest}");
    }
    let at = |key| all.at(&Point3::origin(), 0.7, key).air;
    assert!(at(1) != at(2) && at(1) == at(1));
}

#[test]
fn turbulence_has_the_speed_that_was_asked_for_and_moves_with_the_wind() {
    let eddies = ForceKind::Turbulence {
        speed: 0.3.into(),
        length: 0.5,
        drift: None,
    };
    let all = forces(&[wind(4.0), eddies.into()]);
    let n = 50_000;
    let mut sum = 0.0;
    for i in 0..n {
        let i = Real::from(i);
        let place = Point3::new(0.317 * i, 0.117 * (i % 331.0), 0.713 * (i % 97.0));
        sum += (all.at(&place, 0.0, 0).air - Vec3::new(4.0, 0.0, 0.0)).norm_squared();
    }
    let rms = (sum / Real::from(n)).sqrt();
    assert!((rms / 0.3 - 1.0).abs() < 0.02, "{rms}");
    let here = Point3::new(0.2, 0.3, 0.4);
    let later = all.at(&(here + Vec3::new(8.0, 0.0, 0.0)), 2.0, 0).air;
    assert!((later - all.at(&here, 0.0, 0).air).norm() < 1e-12);
}
