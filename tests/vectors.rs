//! Every row of the geometry vectors, checked in full: exact answers against the tests of `geom`.
//!
//! The rows come from `tests/vectors`, or from the folder that `PARTSIM_VECTORS` names.

use std::path::PathBuf;

use partsim::geom::closest_point::closest_point;
use partsim::geom::crossing::{ray_meets, segment_crossing, segment_meets};
use partsim::geom::moving::MovingTriangle;
use partsim::geom::moving::point::point_meets_triangle;
use partsim::geom::moving::sphere::{MovingSphere, first_contact};
use partsim::geom::orient::orient3d;
use partsim::geom::segment_triangle::segment_triangle;
use partsim::geom::sweep_exact::{initial_depth, starts_in_touch, sweep, sweep_before};
use partsim::geom::sweep_karabassi::{Stop, sweep_karabassi};
use partsim::geom::tri_tri::{Contact, Method, contact, tri_tri, tri_tri_by};
use partsim::geom::{Feature, Touch};
use partsim::math::{Point3, Real, Vec3};
use serde_json::Value;

/// Checks all rows of one file; a row's `Err` says what is wrong with it.
fn check(file: &str, row: impl Fn(&Value) -> Result<(), String>) {
    let folder = std::env::var_os("PARTSIM_VECTORS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors")),
        PathBuf::from,
    );
    let text = fs_err::read_to_string(folder.join(file)).expect("the vectors are there");
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).expect("a row is JSON");
        rows += 1;
        if let Err(why) = row(&value) {
            wrong.push(format!("{} ({}): {why}", value["id"], value["kind"]));
        }
    }
    assert!(rows > 0, "{file} has no rows");
    assert!(
        wrong.is_empty(),
        "{file}: {} of {rows} rows fail\n{}",
        wrong.len(),
        wrong[..wrong.len().min(30)].join("\n")
    );
}

fn need(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

fn number(v: &Value) -> Real {
    v.as_f64()
        .unwrap_or_else(|| panic!("expected a number, found {v}"))
}

fn triple(v: &Value) -> [Real; 3] {
    [number(&v[0]), number(&v[1]), number(&v[2])]
}

fn point(v: &Value) -> Point3 {
    Point3::from(triple(v))
}

fn vector(v: &Value) -> Vec3 {
    Vec3::from(triple(v))
}

fn triangle(v: &Value) -> [Point3; 3] {
    [point(&v[0]), point(&v[1]), point(&v[2])]
}

fn name(feature: Feature) -> String {
    match feature {
        Feature::Face => "face".into(),
        Feature::Edge(i) => format!("edge{i}"),
        Feature::Vertex(i) => format!("vertex{i}"),
    }
}

fn list(v: &Value) -> &Vec<Value> {
    v.as_array()
        .unwrap_or_else(|| panic!("expected a list, found {v}"))
}

fn accepts(v: &Value, answer: &str) -> bool {
    list(v).iter().any(|x| x == answer)
}

fn allows(v: &Value, answer: bool) -> bool {
    list(v).iter().any(|x| x == answer)
}

fn faces(row: &Value) -> Vec<[Point3; 3]> {
    let at = |i: &Value| point(&row["verts"][usize::try_from(i.as_u64().unwrap()).unwrap()]);
    list(&row["faces"])
        .iter()
        .map(|f| [at(&f[0]), at(&f[1]), at(&f[2])])
        .collect()
}

#[test]
fn vectors_parse_check() {
    check("parse_check.jsonl", |row| {
        let bits = format!("{:016x}", number(&row["x"]).to_bits());
        need(row["bits"] == bits.as_str(), || format!("read {bits}"))
    });
}

#[test]
fn vectors_swept_sphere() {
    check("swept_sphere.jsonl", |row| {
        let (c, d, r) = (point(&row["c"]), vector(&row["d"]), number(&row["r"]));
        let tri = triangle(&row["tri"]);
        let touch = sweep(&c, &d, r, 0.0, &tri);
        let status = match (starts_in_touch(&c, &d, r, 0.0, &tri), &touch) {
            (Some(_), _) => "initial",
            (None, Some(_)) => "hit",
            (None, None) => "miss",
        };
        need(accepts(&row["status_ok"], status), || {
            format!("status {status}: {touch:?}")
        })?;
        if let Some(block) = row["block"].as_bool() {
            need(block == touch.is_some(), || {
                format!("block should be {block}: {touch:?}")
            })?;
        }
        if row["status"] == "initial" && list(&row["status_ok"]).len() == 1 {
            let depth = initial_depth(&c, r, &tri);
            let expected = r - number(&row["dist0"]);
            need((depth - expected).abs() <= number(&row["eps"]), || {
                format!("depth {depth}, expected {expected}")
            })?;
        }
        let Some(touch) = touch else { return Ok(()) };
        let within = number(&row["t_lo"]) <= touch.t && touch.t <= number(&row["t_hi"]);
        need(within && (0.0..=1.0).contains(&touch.t), || {
            format!("t {}", touch.t)
        })?;
        let before = sweep_before(&c, &d, r, 0.0, &tri, touch.t);
        need(before == Some(touch), || {
            format!("changed by its own t as the limit: {before:?}")
        })?;
        if row["status"] == "hit" && list(&row["status_ok"]).len() == 1 {
            check_contact(row, &touch)?;
        }
        Ok(())
    });
}

/// Feature, point and normal of a clear hit.
fn check_contact(row: &Value, touch: &Touch) -> Result<(), String> {
    need(accepts(&row["feature_ok"], &name(touch.feature)), || {
        format!("feature {}", name(touch.feature))
    })?;
    let off = (touch.point - point(&row["point"])).norm();
    need(off <= number(&row["tol_point"]), || {
        format!("point off by {off:e}")
    })?;
    need((touch.normal.norm() - 1.0).abs() < 1e-14, || {
        "normal is not unit".into()
    })?;
    if !row["normal"].is_null() {
        let off = (touch.normal - vector(&row["normal"])).norm();
        need(off <= number(&row["tol_normal"]), || {
            format!("normal off by {off:e}")
        })?;
    }
    Ok(())
}

#[test]
fn vectors_mesh_sweep_exact() {
    check("mesh_sweep.jsonl", |row| {
        let (c, d, r) = (point(&row["c"]), vector(&row["d"]), number(&row["r"]));
        let mut best: Option<(Real, usize, Touch)> = None;
        for (i, tri) in faces(row).iter().enumerate() {
            let limit = best.map_or(1.0, |b| b.0);
            if let Some(touch) = sweep_before(&c, &d, r, 0.0, tri, limit)
                && best.is_none_or(|b| touch.t < b.0)
            {
                best = Some((touch.t, i, touch));
            }
        }
        need(row["hit"] == best.is_some(), || format!("hit {best:?}"))?;
        let Some((t, face, touch)) = best else {
            return Ok(());
        };
        let off = (t - number(&row["t"])).abs();
        need(off <= number(&row["tol_t"]), || format!("t off by {off:e}"))?;
        need(list(&row["near"]).iter().any(|f| *f == face), || {
            format!("face {face}")
        })?;
        if row["tied"] == row["near"] {
            need(row["canonical"] == face, || {
                format!("face {face} is not the canonical one")
            })?;
            // Seams are met within rounding, so both names must fit the place, not each other.
            let tri = &faces(row)[face];
            for feature in [&row["feature"], &Value::from(name(touch.feature))] {
                let off = distance_to(&touch.point, tri, feature.as_str().unwrap());
                // Without a tolerance two places are touched at once and the names are exact.
                let tolerance = row["tol_point"].as_f64().unwrap_or(1e-13);
                need(off <= tolerance, || format!("{off:e} off {feature}"))?;
            }
        }
        if !row["point"].is_null() {
            let off = (touch.point - point(&row["point"])).norm();
            need(off <= number(&row["tol_point"]), || {
                format!("point off by {off:e}")
            })?;
        }
        if !row["normal"].is_null() {
            let off = (touch.normal - vector(&row["normal"])).norm();
            need(off <= number(&row["tol_point"]) / r + 1e-13, || {
                format!("normal off by {off:e}")
            })?;
        }
        Ok(())
    });
}

/// Distance of a point to a named part of a triangle.
fn distance_to(p: &Point3, tri: &[Point3; 3], feature: &str) -> Real {
    let last = feature.chars().last().and_then(|c| c.to_digit(10));
    let (a, b) = match last {
        Some(i) => (tri[i as usize], tri[(i as usize + 1) % 3]),
        None => return closest_point(p, tri).distance,
    };
    let b = if feature.starts_with("vertex") { a } else { b };
    closest_point(p, &[a, b, a]).distance
}

#[test]
fn vectors_mesh_sweep_karabassi() {
    check("mesh_sweep.jsonl", |row| {
        if row["paper_stable"] != true {
            return Ok(());
        }
        let (c1, r) = (point(&row["c"]), number(&row["r"]));
        let c2 = c1 + vector(&row["d"]);
        let mut best: Option<Stop> = None;
        for tri in &faces(row) {
            if let Some(stop) = sweep_karabassi(&c1, &c2, r, tri)
                && best.is_none_or(|b| stop.t < b.t)
            {
                best = Some(stop);
            }
        }
        need(row["paper_hit"] == best.is_some(), || format!("hit {best:?}"))?;
        let Some(stop) = best else { return Ok(()) };
        let off = (stop.t - number(&row["paper_t"])).abs();
        need(off <= 1e-9, || format!("t off by {off:e}"))?;
        let branch = format!("{:?}", stop.branch);
        need(accepts(&row["paper_branches"], &branch), || {
            format!("branch {branch}")
        })
    });
}

#[test]
fn vectors_paper_capsule() {
    check("paper_capsule.jsonl", |row| {
        let (c1, c2, r) = (point(&row["c1"]), point(&row["c2"]), number(&row["r"]));
        let tri = triangle(&row["tri"]);
        let stop = sweep_karabassi(&c1, &c2, r, &tri);
        let branch = stop.map(|s| format!("{:?}", s.branch));
        need(row["branch"].as_str() == branch.as_deref(), || {
            format!("branch {branch:?}")
        })?;
        let starts = starts_in_touch(&c1, &(c2 - c1), r, 0.0, &tri).is_some();
        need(row["initial"] == starts, || format!("initial {starts}"))?;
        let Some(stop) = stop else { return Ok(()) };
        let off = (stop.t - number(&row["t"])).abs();
        need(off <= number(&row["tol_t"]), || format!("t off by {off:e}"))?;
        let (closest, normal) = (closest_point(&(c1 + (c2 - c1) * stop.t), &tri), stop.normal);
        need(stop.point == closest.point, || format!("point {}", stop.point))?;
        need((normal.norm() - 1.0).abs() < 1e-14, || {
            "normal is not unit".into()
        })?;
        need(normal.dot(&(c2 - c1)) <= 0.0, || {
            format!("normal {normal} is not against the motion")
        })?;
        if let (false, Some(exact)) = (starts, row["exact_t"].as_f64()) {
            let t = sweep(&c1, &(c2 - c1), r, 0.0, &tri).map(|touch| touch.t);
            need(t.is_some_and(|t| (t - exact).abs() <= 1e-9), || {
                format!("exact {t:?}")
            })?;
            need(stop.t >= exact - 1e-9, || {
                format!("t {} is before the exact {exact}", stop.t)
            })?;
        }
        Ok(())
    });
}

#[test]
fn vectors_watertight_sweep_without_radius() {
    check("watertight.jsonl", |row| {
        let (o, d) = (point(&row["o"]), vector(&row["d"]));
        first_of(row, |tri| sweep(&o, &d, 0.0, 0.0, tri).map(|touch| touch.t))
    });
}

#[test]
fn vectors_watertight_segment() {
    check("watertight.jsonl", |row| {
        let (o, d) = (point(&row["o"]), vector(&row["d"]));
        first_of(row, |tri| segment_triangle(&o, &d, tri))
    });
}

/// The earliest answer over all faces of a closed surface.
fn first_of(row: &Value, test: impl Fn(&[Point3; 3]) -> Option<Real>) -> Result<(), String> {
    let first = faces(row).iter().filter_map(test).reduce(Real::min);
    need(row["must_hit"] == first.is_some(), || format!("first {first:?}"))?;
    let Some(t) = first else { return Ok(()) };
    let off = (t - number(&row["t"])).abs();
    need(off <= number(&row["tol_t"]), || format!("t off by {off:e}"))
}

#[test]
fn vectors_closest_point() {
    check("closest_point.jsonl", |row| {
        let closest = closest_point(&point(&row["p"]), &triangle(&row["tri"]));
        let feature = name(closest.feature);
        need(accepts(&row["feature_ok"], &feature), || {
            format!("feature {feature}")
        })?;
        let off = (closest.distance - number(&row["dist"])).abs();
        need(off <= number(&row["tol_dist"]), || {
            format!("distance off by {off:e}")
        })?;
        let off = (closest.point - point(&row["point"])).norm();
        need(off <= number(&row["tol_point"]), || {
            format!("point off by {off:e}")
        })
    });
}

#[test]
fn vectors_segment_triangle() {
    check("segment_triangle.jsonl", |row| {
        let t = segment_triangle(&point(&row["o"]), &vector(&row["d"]), &triangle(&row["tri"]));
        need(allows(&row["accept"], t.is_some()), || {
            format!("{t:?}, expected {} {}", row["accept"], row["t"])
        })?;
        if let (Some(t), true) = (t, row["hit"] == true) {
            let off = (t - number(&row["t"])).abs();
            need(off <= number(&row["tol_t"]), || format!("t off by {off:e}"))?;
        }
        Ok(())
    });
}

#[test]
fn vectors_orient3d() {
    check("orient3d.jsonl", |row| {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|k| point(&row[k]));
        let sign = orient3d(&a, &b, &c, &d) as i64;
        need(row["sign"] == sign, || format!("sign {sign}"))
    });
}

/// Whether `o + d` is a double on every axis, so that the segment between two points is the row's.
fn ends_exactly(o: &Point3, d: &Vec3) -> bool {
    let q = o + d;
    (0..3).all(|k| {
        // Knuth's sum of two numbers: what rounding lost.
        let back = q[k] - o[k];
        (o[k] - (q[k] - back)) + (d[k] - back) == 0.0
    })
}

#[test]
fn vectors_segment_by_signs() {
    check("segment_triangle.jsonl", |row| {
        let (o, d, tri) = (point(&row["o"]), vector(&row["d"]), triangle(&row["tri"]));
        let q = o + d;
        let meets = segment_meets(&o, &q, &tri);
        if ends_exactly(&o, &d) {
            need(row["hit"] == meets, || format!("{meets}"))?;
        }
        need(allows(&row["accept"], meets), || format!("{meets}"))?;
        need(meets == segment_meets(&q, &o, &tri), || "not backwards".into())?;
        let t = segment_crossing(&o, &q, &tri);
        need(t.is_some() == meets, || format!("{t:?}"))?;
        if let (Some(t), true) = (t, row["hit"] == true) {
            let off = (t - number(&row["t"])).abs();
            need(off <= number(&row["tol_t"]), || format!("t off by {off:e}"))?;
        }
        Ok(())
    });
}

#[test]
fn vectors_watertight_by_signs() {
    check("watertight.jsonl", |row| {
        let (o, d) = (point(&row["o"]), vector(&row["d"]));
        let q = o + d;
        first_of(row, |tri| segment_crossing(&o, &q, tri))?;
        let near = o + d * 1e-3;
        let met = faces(row).iter().any(|tri| ray_meets(&o, &near, tri));
        need(met, || "a ray gets out".into())
    });
}

#[test]
fn vectors_tri_tri() {
    check("tri_tri.jsonl", |row| {
        let (a, b) = (triangle(&row["a"]), triangle(&row["b"]));
        for method in Method::ALL {
            let meet = tri_tri_by(method, &a, &b);
            need(row["intersects"] == meet, || format!("{method:?} {meet}"))?;
        }
        need(row["intersects"] == tri_tri(&a, &b), || "the default".into())?;
        let contact = contact(&a, &b);
        let (dim, mut ends) = match contact {
            Contact::None => (-1, vec![]),
            Contact::Point(p) => (0, vec![p]),
            Contact::Segment(ends) => (1, ends.to_vec()),
            Contact::Area => (2, vec![]),
        };
        need(row["dim"] == dim, || format!("{contact:?}"))?;
        let Some(tolerance) = row["tol_points"].as_f64() else {
            return Ok(());
        };
        ends.sort_by(|p, q| {
            p.coords
                .as_slice()
                .partial_cmp(q.coords.as_slice())
                .expect("finite")
        });
        let expected: Vec<Point3> = list(&row["points"]).iter().map(point).collect();
        let off = |order: &[Point3]| {
            let offs = expected.iter().zip(order).map(|(p, q)| (p - q).norm());
            offs.fold(0.0, Real::max)
        };
        let mut least = off(&ends);
        ends.reverse();
        least = least.min(off(&ends));
        need(least <= tolerance, || format!("ends off by {least:e}"))
    });
}

fn moving_triangle(row: &Value) -> MovingTriangle {
    MovingTriangle {
        from: triangle(&row["tri0"]),
        to: triangle(&row["tri1"]),
    }
}

#[test]
fn vectors_ccd_point_triangle() {
    check("ccd_point_triangle.jsonl", |row| {
        let (from, to) = (point(&row["p0"]), point(&row["p1"]));
        let found = point_meets_triangle(&from, &to, &moving_triangle(row));
        need(allows(&row["accept"], found.is_some()), || {
            format!("{found:?}, expected {} {}", row["accept"], row["t"])
        })?;
        let Some(found) = found else { return Ok(()) };
        if list(&row["accept"]).len() == 1 {
            let off = (found.t - number(&row["t"])).abs();
            need(off <= number(&row["tol_t"]), || format!("t off by {off:e}"))?;
            let bary = triple(&row["bary"]);
            let off = (0..3)
                .map(|k| (found.weights[k] - bary[k]).abs())
                .fold(0.0, Real::max);
            return need(off <= 1e-7, || format!("weights off by {off:e}"));
        }
        let tolerance = row["tol_t"].as_f64().unwrap_or(0.0).max(1e-6);
        let near = |t: &Value| (found.t - number(t)).abs() <= tolerance;
        need(list(&row["t_any"]).iter().any(near), || {
            format!("t {}, expected one of {}", found.t, row["t_any"])
        })
    });
}

#[test]
fn vectors_moving_sphere_triangle() {
    check("moving_sphere_triangle.jsonl", |row| {
        let sphere = MovingSphere {
            from: point(&row["c0"]),
            to: point(&row["c1"]),
            radius: number(&row["r"]),
        };
        let found = first_contact(&sphere, &moving_triangle(row), 0.0, 1.0);
        need(allows(&row["accept"], found.is_some()), || format!("{found:?}"))?;
        let Some(found) = found else { return Ok(()) };
        if row["initial"] == true {
            return need(found.t == 0.0, || format!("t {}", found.t));
        }
        let off = found.t - number(&row["t"]);
        need(off.abs() <= number(&row["tol_t"]), || format!("t off by {off:e}"))?;
        need(accepts(&row["feature_ok"], &name(found.feature)), || {
            format!("feature {}", name(found.feature))
        })?;
        let off = (found.point - point(&row["point"])).norm();
        need(off <= number(&row["tol_point"]), || {
            format!("point off by {off:e}")
        })?;
        let off = (found.normal - vector(&row["normal"])).norm();
        let tolerance = 2.0 * number(&row["tol_point"]) / sphere.radius + 1e-12;
        need(off <= tolerance, || format!("normal off by {off:e}"))
    });
}
