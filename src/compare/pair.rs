//! Two frames of the same number against each other.
//!
//! Spheres are matched by birth number; copies of one particle in their file order. What is found is added to the
//! report, and nothing is read from files here.

use super::Tolerance;
use super::frame_text::{FrameText, Sphere, Value, shortened};
use super::report::{Difference, Place, Report};

/// A sphere and where it stands among the spheres of its file.
type Placed<'a> = (usize, Sphere<'a>);

/// Adds what differs between two frames to `report`; `frame` names them there.
pub(super) fn compare(frame: &str, a: &FrameText, b: &FrameText, tolerance: Tolerance, report: &mut Report) {
    let matched = match_spheres(frame, &by_id(&a.spheres), &by_id(&b.spheres), report);
    // Without the same lines between them, spheres cannot stand in the same blocks.
    let same_blocks = a.structure.len() == b.structure.len();
    for &(at_a, at_b) in &matched {
        let (a, b) = (&a.spheres[at_a], &b.spheres[at_b]);
        compare_pair(frame, a, b, same_blocks, tolerance, report);
    }
    compare_order(frame, matched, &a.spheres, report);
    if report.structure.is_none() {
        report.structure = structure_difference(frame, &a.structure, &b.structure, tolerance);
    }
}

/// Spheres by birth number, originals before copies, then in file order.
fn by_id<'a>(spheres: &[Sphere<'a>]) -> Vec<Placed<'a>> {
    let mut placed: Vec<Placed<'a>> = spheres.iter().copied().enumerate().collect();
    placed.sort_unstable_by_key(|&(at, s)| (s.id, s.copy, at));
    placed
}

/// Merges the two sorted lists; returns where the spheres of every matched pair stand in A and in B.
fn match_spheres(frame: &str, a: &[Placed], b: &[Placed], report: &mut Report) -> Vec<(usize, usize)> {
    let place = |s: &Sphere| Place::new(frame, s.id, s.copy);
    let mut matched = Vec::with_capacity(a.len().min(b.len()));
    let (mut i, mut j) = (0, 0);
    loop {
        match (a.get(i), b.get(j)) {
            (Some((at_a, sa)), Some((at_b, sb))) if (sa.id, sa.copy) == (sb.id, sb.copy) => {
                matched.push((*at_a, *at_b));
                (i, j) = (i + 1, j + 1);
            }
            (Some((_, sa)), sb) if sb.is_none_or(|(_, sb)| (sa.id, sa.copy) < (sb.id, sb.copy)) => {
                report.only_a.add(|| place(sa));
                i += 1;
            }
            (_, Some((_, sb))) => {
                report.only_b.add(|| place(sb));
                j += 1;
            }
            _ => return matched,
        }
    }
}

fn compare_pair(
    frame: &str,
    a: &Sphere,
    b: &Sphere,
    same_blocks: bool,
    tolerance: Tolerance,
    report: &mut Report,
) {
    let place = || Place::new(frame, a.id, a.copy);
    let mut differs = false;
    if a.strength.is_some() != b.strength.is_some() {
        let kind = |s: &Sphere| {
            if s.strength.is_some() {
                "in a blob"
            } else {
                "in the air"
            }
            .to_string()
        };
        report.note_first(|| Difference::new(place(), "drawn", kind(a), kind(b), None));
        differs = true;
    }
    if same_blocks && a.block != b.block {
        let block = |s: &Sphere| format!("after {} other lines", s.block);
        report.note_first(|| Difference::new(place(), "stands", block(a), block(b), None));
        differs = true;
    }
    for ((what, a), (_, b)) in a.values().zip(b.values()) {
        let (size, equal) = match (a, b) {
            (Value::Number(a), Value::Number(b)) => (Some((a - b).abs()), tolerance.allows(a, b)),
            _ => (None, a == b),
        };
        let difference = || Difference::new(place(), what, a.to_string(), b.to_string(), size);
        report.note_largest(size.unwrap_or(0.0), difference);
        if !equal {
            report.note_first(difference);
            differs = true;
        }
    }
    report.differing += u64::from(differs);
}

/// Counts the spheres that stand behind a later one of A when B is read from its start.
fn compare_order(frame: &str, mut matched: Vec<(usize, usize)>, spheres: &[Sphere], report: &mut Report) {
    matched.sort_unstable();
    let mut furthest = 0;
    for (at_a, at_b) in matched {
        if at_b < furthest {
            report
                .reordered
                .add(|| Place::new(frame, spheres[at_a].id, spheres[at_a].copy));
        }
        furthest = furthest.max(at_b);
    }
}

/// The first other line that differs.
fn structure_difference(
    frame: &str,
    a: &[(usize, &str)],
    b: &[(usize, &str)],
    tolerance: Tolerance,
) -> Option<String> {
    let first = (0..a.len().max(b.len())).find(|&i| match (a.get(i), b.get(i)) {
        (Some((_, a)), Some((_, b))) => !same_line(a, b, tolerance),
        _ => true,
    })?;
    let show = |lines: &[(usize, &str)]| match lines.get(first) {
        Some((number, line)) => format!("line {number} `{}`", shortened(line)),
        None => "nothing".into(),
    };
    Some(format!("{frame}: {} / {}", show(a), show(b)))
}

/// Whether two lines agree word for word, numbers within the tolerance.
fn same_line(a: &str, b: &str, tolerance: Tolerance) -> bool {
    if a == b {
        return true;
    }
    let number = |word: &str| word.parse().ok().filter(|n: &f64| n.is_finite());
    let (mut words_a, mut words_b) = (words(a), words(b));
    loop {
        match (words_a.next(), words_b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => match (number(a), number(b)) {
                (Some(a), Some(b)) if tolerance.allows(a, b) => {}
                _ => return false,
            },
            _ => return false,
        }
    }
}

/// Runs of the characters that numbers and names are made of, and the runs between them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    let mut rest = line;
    std::iter::from_fn(move || {
        let kind = in_word(rest.chars().next()?);
        let end = rest.find(|c| in_word(c) != kind).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        rest = tail;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_other_lines_follow_the_tolerance() {
        let tolerance = Tolerance { abs: 1e-6, rel: 0.0 };
        let line = "#declare R = 0.061;";
        assert!(same_line(line, "#declare R = 0.0610000001;", tolerance));
        assert!(!same_line(line, "#declare R = 0.062;", tolerance));
        assert!(!same_line(line, "#declare S = 0.061;", tolerance));
        assert!(!same_line(line, "#declare R = 0.061; }", tolerance));
        assert!(!same_line(
            line,
            "#declare R = 0.0610000001;",
            Tolerance::default()
        ));
    }
}
