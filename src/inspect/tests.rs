//! Every fault is planted in a small file and found on its line; clean files show none.

use super::*;
use crate::mesh::read_obj;

/// A cube of side 2 about the origin, one quad a line: vertices on lines 1 to 8, faces on lines 9 to 14.
const CUBE: &str = "\
v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
";

fn inspected(text: &str) -> Inspection {
    let path = Path::new("m.obj");
    let sizes = crate::mesh::read_obj_with_lines(text.as_bytes(), path).expect("readable");
    let report = report(&sizes, path).expect("small");
    Inspection { mesh: sizes, report }
}

/// Kinds found with the lines told of, those of the second face behind the first's.
fn found(text: &str) -> Vec<(Kind, Vec<u32>)> {
    let all = inspected(text);
    let line = |t: u32| all.mesh.lines[t as usize];
    let lines = |f: &Finding| {
        let each = f
            .places
            .iter()
            .flat_map(|s| std::iter::once(s.triangle).chain(s.other));
        let mut lines: Vec<u32> = each.map(line).collect();
        lines.dedup();
        lines
    };
    all.report.findings.iter().map(|f| (f.kind, lines(f))).collect()
}

fn planted(text: &str) -> Vec<(Kind, Vec<u32>)> {
    found(&format!("{CUBE}{text}"))
}

#[test]
fn clean_files_show_nothing() {
    assert_eq!(found(CUBE), []);
    let report = inspected(CUBE).report;
    assert_eq!((report.triangles, report.pieces, report.closed), (12, 1, true));
    assert_eq!(
        (report.volume, report.area, report.size),
        (Some(8.0), 24.0, [2.0; 3])
    );
    // A second one beside it, and a hollow within, fronts inward.
    let other = "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 9 11 10\nf 9 10 12\nf 10 11 12\nf 11 9 12\n";
    assert_eq!(planted(other), []);
    let hollow = "v 0 0 0\nv .5 0 0\nv 0 .5 0\nv 0 0 .5\nf 9 10 11\nf 9 12 10\nf 10 12 11\nf 11 12 9\n";
    assert_eq!(planted(hollow), []);
    assert_eq!(inspected(&format!("{CUBE}{hollow}")).report.pieces, 2);
}

#[test]
fn a_hole_is_a_loop_at_its_first_neighbour() {
    let open = CUBE.replace("f 5 6 7 8\n", "");
    assert_eq!(found(&open), [(Kind::BoundaryLoop, vec![10])]);
    assert_eq!(inspected(&open).report.volume, None);
    let both = open.replace("f 1 4 3 2\n", "");
    let [(Kind::BoundaryLoop, lines)] = &found(&both)[..] else {
        panic!("two loops")
    };
    assert_eq!(inspected(&both).report.findings[0].count, 2, "{lines:?}");
}

#[test]
fn a_fin_is_an_edge_of_three_faces() {
    let fin = "v 0 -3 0\nf 1 2 9\n";
    assert_eq!(
        planted(fin),
        [
            (Kind::BoundaryLoop, vec![16]),
            (Kind::NonManifoldEdge, vec![16, 9])
        ]
    );
}

#[test]
fn a_flipped_face_is_named_not_its_neighbours() {
    let flipped = CUBE.replace("f 2 3 7 6", "f 6 7 3 2");
    assert_eq!(found(&flipped), [(Kind::FlippedFace, vec![12])]);
    let turned: String = CUBE
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            Some(corners) => {
                let mut corners: Vec<&str> = corners.split(' ').collect();
                corners.reverse();
                format!("f {}\n", corners.join(" "))
            }
            None => format!("{line}\n"),
        })
        .collect();
    assert_eq!(found(&turned), [(Kind::InsideOutPiece, vec![9])]);
    assert_eq!(inspected(&turned).report.volume, Some(-8.0));
}

#[test]
fn a_moebius_strip_has_no_front() {
    let mut text = String::new();
    for k in 0..9 {
        let turn = f64::from(k) * std::f64::consts::TAU / 9.0;
        for side in [-0.3, 0.3] {
            let r = 1.0 + side * libm::cos(turn / 2.0);
            let z = side * libm::sin(turn / 2.0);
            text.push_str(&format!(
                "v {} {} {z}\n",
                r * libm::cos(turn),
                r * libm::sin(turn)
            ));
        }
    }
    for k in 0..8 {
        text.push_str(&format!(
            "f {} {} {} {}\n",
            2 * k + 1,
            2 * k + 2,
            2 * k + 4,
            2 * k + 3
        ));
    }
    text.push_str("f 17 18 1 2\n");
    assert_eq!(
        found(&text),
        [(Kind::BoundaryLoop, vec![19]), (Kind::OneSidedPiece, vec![19])]
    );
}

#[test]
fn faces_listed_twice_are_told_from_doubled_ones() {
    assert_eq!(
        planted("f 2 3 7 6\n"),
        [(Kind::RepeatedFace, vec![15, 12, 15, 12])]
    );
    assert_eq!(planted("f 3 2 7\n"), [(Kind::DoubledFace, vec![15, 12])]);
    // Cut along the other diagonal it is other faces, which overlap.
    let kinds: Vec<Kind> = planted("f 3 7 6 2\n").into_iter().map(|f| f.0).collect();
    assert_eq!(kinds, [Kind::NonManifoldEdge, Kind::OverlappingFaces]);
    // By place, whatever the numbers.
    let copy = "v 1 -1 -1\nv 1 1 -1\nv 1 1 1\nf 9 10 11\n";
    let kinds: Vec<Kind> = planted(copy).into_iter().map(|f| f.0).collect();
    assert_eq!(kinds, [Kind::RepeatedFace, Kind::RepeatedVertex]);
}

#[test]
fn faces_without_area_and_slivers_are_told_apart() {
    // Apart from the cube, closed by their own backs so that nothing else is told.
    let flat = "v 5 0 0\nv 6 0 0\nv 7 0 0\nf 9 10 11\n";
    let kinds = planted(flat);
    assert_eq!(kinds[1], (Kind::FaceWithoutArea, vec![18]));
    let sliver = "v 5 0 0\nv 6 0 0\nv 5.5 0.0005 0\nf 9 10 11\n";
    assert_eq!(planted(sliver)[1], (Kind::Sliver, vec![18]));
    let sound = "v 5 0 0\nv 6 0 0\nv 5.5 0.002 0\nf 9 10 11\n";
    assert_eq!(planted(sound), [(Kind::BoundaryLoop, vec![18])]);
    let collapsed = "f 2 2 3\n";
    assert_eq!(planted(collapsed), [(Kind::FaceWithoutArea, vec![15])]);
}

#[test]
fn faces_that_go_through_each_other_are_pairs() {
    let blade = "v 0 0 0\nv 0.5 0 0\nv 0.2 0.1 3\nf 9 10 11\n";
    let found = planted(blade);
    assert_eq!(found[0], (Kind::BoundaryLoop, vec![18]));
    assert_eq!(found[1], (Kind::CrossingFaces, vec![18, 10]));
    assert_eq!(found.len(), 2);
    let lid = "v -0.5 -0.4 1\nv 0.5 -0.4 1\nv 0.1 0.9 1\nf 9 10 11\n";
    let kinds: Vec<Kind> = planted(lid).into_iter().map(|f| f.0).collect();
    assert_eq!(kinds, [Kind::BoundaryLoop, Kind::OverlappingFaces]);
    let standing = "v -0.5 -0.4 1\nv 0.5 -0.3 1\nv 0.1 0.4 2\nf 9 10 11\n";
    let kinds: Vec<Kind> = planted(standing).into_iter().map(|f| f.0).collect();
    assert_eq!(kinds, [Kind::BoundaryLoop, Kind::TouchingFaces]);
}

#[test]
fn vertices_without_use_are_remarks() {
    let found = inspected(&format!("{CUBE}v 9 9 9\n"));
    assert_eq!(found.report.findings.len(), 1);
    assert_eq!(found.report.finding(Kind::UnusedVertex).map(|f| f.count), Some(1));
    assert_eq!(found.report.faults(), 0);
}

#[test]
fn nothing_is_inspected_too() {
    let report = inspected("v 0 0 0\n").report;
    assert_eq!((report.triangles, report.closed, report.pieces), (0, false, 0));
    let none = read_obj(b"", Path::new("m.obj")).expect("readable");
    assert_eq!(
        super::report(&none, Path::new("m.obj")).expect("small").findings,
        []
    );
}

#[test]
fn the_text_names_file_line_and_effect() {
    let all = inspected(&CUBE.replace("f 2 3 7 6", "f 6 7 3 2"));
    let text = all.to_string();
    assert!(text.contains("2  flipped faces: m.obj:12, m.obj:12\n"), "{text}");
    assert!(
        text.contains("stop particles on both sides") && text.ends_with("2 faults\n"),
        "{text}"
    );
    let json = all.json();
    assert_eq!(json["findings"][0]["kind"], "flipped_face");
    assert_eq!(json["findings"][0]["places"][1]["line"], 12);
    assert_eq!((&json["faults"], &json["closed"]), (&2.into(), &true.into()));
    let mut painted = Vec::new();
    paint(&all, &mut painted).expect("written");
    let painted = String::from_utf8(painted).expect("text");
    assert_eq!(painted.matches("triangle {").count(), 2);
    assert_eq!(painted.matches('{').count(), painted.matches('}').count());
}
