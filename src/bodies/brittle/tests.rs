use super::*;
use crate::bodies::fill::{Packing, Solid, cells};
use crate::bodies::shapes::Boxes;

fn draws(mut state: u64) -> impl FnMut() -> Real {
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as Real / (1_u64 << 53) as Real
    }
}

fn brittle(solid: &dyn Solid, grain: Grain, count: u32, bears: Real) -> (Brittle, Fill) {
    let cells = cells(solid, &grain).expect("cells");
    let fill = Fill::of_cells(&cells, &grain).expect("a fill");
    (Brittle::new(0, cells, grain, (count, bears), &mut draws(3)), fill)
}

/// A body cut through by hand at its links: all at once.
fn shattered(mut body: Brittle) -> Vec<Part> {
    body.links.clear();
    body.parts()
}

#[test]
fn parts_weigh_what_the_whole_weighs_and_touch_where_they_were_cut() {
    for packing in [Packing::Cubic, Packing::Close] {
        let grain = Grain {
            packing,
            ..Grain::cubic(0.05, 700.0)
        };
        let (body, whole) = brittle(&Boxes::cuboid(1.2, 0.8, 1.0), grain, 9, 1.0);
        let seeds = body.seeds().to_vec();
        let parts = shattered(body);
        assert!(parts.len() >= 7, "{} parts", parts.len());
        let mass: Real = parts.iter().map(|p| p.fill.mass.mass).sum();
        assert!((mass / whole.mass.mass - 1.0).abs() < 1e-12);
        // Inertia of all about the centre of the whole.
        let mut inertia = crate::math::Matrix3::zeros();
        let mut first = Vec3::zeros();
        for part in &parts {
            let m = &part.fill.mass;
            let d = m.center - whole.mass.center;
            first += d * m.mass;
            inertia += m.inertia
                + (crate::math::Matrix3::identity() * d.norm_squared() - d * d.transpose()) * m.mass;
        }
        assert!(
            first.norm() < 1e-12 * mass && (inertia - whole.mass.inertia).norm() < 1e-10 * inertia.norm()
        );
        for part in &parts {
            let own = seeds[part.brittle.origin.seed_of[part.brittle.pieces()[0] as usize] as usize];
            let (mut cut, mut off) = (0, 0);
            for (place, normals) in part.fill.surface().iter().zip(&part.fill.normals) {
                let place = part.fill.mass.center + place;
                for other in seeds.iter().filter(|s| **s != own) {
                    let n = (other - own).normalize();
                    let room = (nalgebra::center(&own, other) - place).dot(&n);
                    let faces = normals.all().iter().any(|m| m.dot(&n) > 1.0 - 1e-9);
                    cut += usize::from(faces);
                    off += usize::from(faces && (room - grain.radius).abs() > 0.02 * grain.radius);
                }
            }
            // What has that normal touches that face from inside; in a tip that is narrower than a particle it cannot.
            assert!(cut > 10 && off * 20 <= cut, "{off} of {cut} do not touch");
        }
    }
}

/// A bar hit at one end: what the middle has to pass on is half of what its own half does not get.
#[test]
fn a_link_breaks_above_its_impulse_by_area_however_fine_the_fill() {
    for radius in [0.05, 0.025] {
        let grain = Grain::cubic(radius, 1000.0);
        let solid = Boxes::cuboid(2.0, 0.4, 0.4);
        let (_, fill) = brittle(&solid, grain, 1, 1.0);
        let inertia = Inertia::new(fill.mass.mass, fill.mass.inertia).expect("a body");
        let particle = (0..fill.surface().len() as u32)
            .find(|&p| fill.surface()[p as usize].x > 0.9)
            .expect("a particle at the end");
        let blow = Blow {
            particle,
            arm: Vec3::new(1.0, 0.0, 0.0),
            impulse: Vec3::new(-80.0, 0.0, 0.0),
        };
        // Two halves: the far one gets half of the impulse through 0.16 m2 between them.
        let halves = |bears: Real| {
            let cells = cells(&solid, &grain).expect("cells");
            let mut turn = 0;
            let last = cells.len() - 1;
            // The first and the last cell, and no offset.
            let mut draw = || {
                turn += 1;
                match turn {
                    1..=6 => 0.0,
                    7..=12 => (last as Real + 0.5) / (last + 1) as Real,
                    _ => 0.5,
                }
            };
            Brittle::new(0, cells, grain, (2, bears), &mut draw)
        };
        let load = halves(1.0).loads(&fill, &inertia, &[blow]);
        assert_eq!(load.len(), 1);
        assert!((load[0] - 40.0).abs() < 4.0, "{radius}: {load:?}");
        let area = halves(1.0).links[0].area;
        assert!((area - 0.16).abs() < 0.02, "{area}");
        for (bears, broken) in [(0.8, 1), (1.2, 0)] {
            let mut body = halves(bears * load[0] / area);
            assert_eq!(body.bear(&fill, &inertia, &[blow]), broken);
            assert_eq!(body.parts().len(), 2 * broken);
        }
    }
}

#[test]
fn what_each_piece_lacks_goes_through_the_links_alone() {
    let lacks = [3.0, -1.0, 0.5, -2.5].map(|x| Vec3::new(x, -x, 2.0 * x));
    let ends = [[0, 1], [1, 2], [2, 3], [0, 3], [0, 2]];
    let weights = [1.0, 2.0, 0.5, 1.5, 3.0];
    let level = levels(&ends, &weights, &lacks);
    for (i, lack) in lacks.iter().enumerate() {
        let flow = |(&[a, b], w): (&[usize; 2], &Real)| match (a == i, b == i) {
            (true, _) => (level[b] - level[a]) * *w,
            (_, true) => (level[a] - level[b]) * *w,
            _ => Vec3::zeros(),
        };
        let gets: Vec3 = ends.iter().zip(&weights).map(flow).sum();
        assert!((gets - lack).norm() < 1e-12, "{i}: {gets}");
    }
}
