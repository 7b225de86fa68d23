//! Makes a [`Mesh`] of what was read: cuts polygons, drops what points nowhere, names groups, counts defects.
//!
//! Knows nothing of text; every index it hands on is below the length that it points into.

use std::path::Path;

use rayon::prelude::*;

use super::part::Polygon;
use super::stream::Raw;
use super::triangulate::{Cut, Cutter, is_flat};
use super::{Group, Mesh, MeshReport, NO_UVS, Surface};
use crate::error::Diagnostic;
use crate::math::Point3;

/// A triangle that no polygon needs: deleted before the mesh is handed out.
const DELETED: [u32; 3] = [u32::MAX; 3];

/// The mesh; vertex indices in `raw` must have been checked.
pub(super) fn assemble(mut raw: Raw, path: &Path, surface: impl Fn(&str) -> Option<Surface>) -> Mesh {
    let mut warnings = Vec::new();
    let cuts = cut_polygons(&raw);
    warnings.extend(unclear(&cuts, path));
    apply(&mut raw, cuts);
    let lost = drop_lost_uvs(&mut raw);
    raw.tallies.lose_uvs(lost);
    let lines_and_points = raw.tallies.lines_and_points.count;
    warnings.extend(raw.tallies.into_warnings());
    if raw.triangles.is_empty() {
        let help = "nothing can touch this mesh: export it with its polygons";
        warnings.push(Diagnostic::new(format!("no faces in {}", path.display())).help(help));
    }
    let groups = raw.groups.into_iter().map(|name| Group {
        surface: surface(&name),
        name,
    });
    Mesh {
        groups: groups.collect(),
        report: MeshReport {
            faces: raw.faces,
            lines_and_points,
            degenerate: count_degenerate(&raw.triangles, &raw.vertices),
            warnings,
        },
        vertices: raw.vertices,
        triangles: raw.triangles,
        uvs: raw.uvs,
        uv_triangles: raw.uv_triangles,
        group_of: raw.group_of,
        lines: raw.lines,
    }
}

/// How to cut the polygons for which the fan in the list will not do, in file order.
fn cut_polygons(raw: &Raw) -> Vec<(Polygon, Cut)> {
    let cut = |(cutter, corners): &mut (Cutter, Vec<Point3>), polygon: &Polygon| {
        corners.clear();
        corners
            .extend((0..polygon.corners).map(|k| raw.vertices[corner(&raw.triangles, polygon, k) as usize]));
        match cutter.cut(corners) {
            Cut::Fan => None,
            other => Some((*polygon, other)),
        }
    };
    raw.polygons
        .par_iter()
        .map_init(|| (Cutter::new(), Vec::new()), cut)
        .flatten_iter()
        .collect()
}

/// Corner `k` of a polygon, from its fan.
fn corner(triangles: &[[u32; 3]], polygon: &Polygon, k: u32) -> u32 {
    let first = polygon.first as usize;
    match k {
        0 => triangles[first][0],
        1 => triangles[first][1],
        _ => triangles[first + k as usize - 2][2],
    }
}

fn unclear(cuts: &[(Polygon, Cut)], path: &Path) -> Option<Diagnostic> {
    let mut unclear = cuts
        .iter()
        .filter(|(_, cut)| *cut == Cut::Unclear)
        .map(|(polygon, _)| polygon.line);
    let line = unclear.next()?;
    let count = 1 + unclear.count();
    let message = format!(
        "f: {count} polygon(s) cross themselves or are far from flat, the first in {}:{line}; cut as fans",
        path.display()
    );
    Some(Diagnostic::new(message).help("triangulate the mesh where it was made"))
}

/// Writes the cuts over the fans.
fn apply(raw: &mut Raw, cuts: Vec<(Polygon, Cut)>) {
    let mut any_deleted = false;
    for (polygon, cut) in cuts {
        let Cut::Triangles(triangles) = cut else { continue };
        any_deleted |= triangles.len() < polygon.corners as usize - 2;
        overwrite(&mut raw.triangles, &polygon, &triangles);
        if !raw.uv_triangles.is_empty() {
            overwrite(&mut raw.uv_triangles, &polygon, &triangles);
        }
    }
    if any_deleted {
        let kept: Vec<bool> = raw.triangles.iter().map(|t| *t != DELETED).collect();
        keep(&mut raw.triangles, &kept);
        keep(&mut raw.uv_triangles, &kept);
        keep(&mut raw.group_of, &kept);
        keep(&mut raw.lines, &kept);
    }
}

fn overwrite(list: &mut [[u32; 3]], polygon: &Polygon, triangles: &[[u32; 3]]) {
    let corners: Vec<u32> = (0..polygon.corners).map(|k| corner(list, polygon, k)).collect();
    let first = polygon.first as usize;
    let slots = &mut list[first..first + corners.len() - 2];
    let cut = triangles.iter().map(|t| t.map(|k| corners[k as usize]));
    for (slot, triangle) in slots.iter_mut().zip(cut.chain(std::iter::repeat(DELETED))) {
        *slot = triangle;
    }
}

fn keep<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(false));
}

/// Marks triangles whose texture indices point nowhere; returns how many there were.
fn drop_lost_uvs(raw: &mut Raw) -> u64 {
    let length = raw.uvs.len();
    let mut lost = 0;
    for triangle in &mut raw.uv_triangles {
        if *triangle != NO_UVS && triangle.iter().any(|uv| *uv as usize >= length) {
            *triangle = NO_UVS;
            lost += 1;
        }
    }
    if length == 0 {
        raw.uv_triangles = Vec::new();
    }
    lost
}

fn count_degenerate(triangles: &[[u32; 3]], vertices: &[Point3]) -> u64 {
    let flat = |t: &&[u32; 3]| is_flat(t.map(|i| vertices[i as usize]));
    // A sum of whole numbers: the order in which threads add them does not matter.
    triangles.par_iter().filter(flat).count() as u64
}
