//! Counts of what was passed over while reading, with the place where each kind was met first.
//!
//! A kind becomes one warning however often it occurs, so a broken file cannot flood the report.

use crate::error::{Diagnostic, Place};

/// How often something was met, and where first.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// How often.
    pub count: u64,
    first: Option<Place>,
}

impl Tally {
    /// One more; `place` is asked for only if it is the first.
    pub fn add(&mut self, place: impl FnOnce() -> Place) {
        self.add_many(1, place);
    }

    /// `count` more, likewise.
    pub fn add_many(&mut self, count: u64, place: impl FnOnce() -> Place) {
        if self.first.is_none() && count > 0 {
            self.first = Some(place());
        }
        self.count += count;
    }

    /// Adds what a later part of the file met.
    pub fn merge(&mut self, later: Self) {
        self.count += later.count;
        if self.first.is_none() {
            self.first = later.first;
        }
    }

    /// The warning, if there is anything to warn of.
    pub fn warning(self, message: impl FnOnce(u64) -> String, help: &str) -> Option<Diagnostic> {
        if self.count == 0 {
            return None;
        }
        let warning = Diagnostic::new(message(self.count)).help(help);
        Some(match self.first {
            Some(place) => warning.at(place),
            None => warning,
        })
    }
}

/// Everything that reading passes over.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    /// `l` and `p` elements, and `f` with fewer than three corners.
    pub lines_and_points: Tally,
    /// `vt` lines without usable numbers.
    pub bad_uvs: Tally,
    /// Triangles whose texture indices point nowhere.
    pub lost_uvs: Tally,
    /// Faces whose texture indices point below their own line: lost only if nothing follows there.
    pub early_uvs: Tally,
    /// Lines whose keyword is unknown, or belongs to curved surfaces, which are not read.
    pub keywords: Tally,
}

impl Tallies {
    /// Adds what a later part of the file met.
    pub fn merge(&mut self, later: Self) {
        self.lines_and_points.merge(later.lines_and_points);
        self.bad_uvs.merge(later.bad_uvs);
        self.lost_uvs.merge(later.lost_uvs);
        self.early_uvs.merge(later.early_uvs);
        self.keywords.merge(later.keywords);
    }

    /// Counts `triangles` whose texture indices turned out to point nowhere after all.
    pub fn lose_uvs(&mut self, triangles: u64) {
        if triangles > 0 {
            let first = std::mem::take(&mut self.early_uvs).first;
            self.lost_uvs.merge(Tally {
                count: triangles,
                first,
            });
        }
    }

    /// One warning for each kind that occurred.
    pub fn into_warnings(self) -> impl Iterator<Item = Diagnostic> {
        [
            self.keywords.warning(
                |n| format!("{n} line(s) ignored whose keyword is not read"),
                "only polygons are read: have the exporter write surfaces as `v` and `f`",
            ),
            self.lines_and_points.warning(
                |n| format!("{n} line and point element(s) ignored: they have no area to touch"),
                "harmless unless they were meant as surfaces",
            ),
            self.bad_uvs.warning(
                |n| format!("vt: {n} line(s) without usable numbers, read as 0 0"),
                "only textures are affected",
            ),
            self.lost_uvs.warning(
                |n| format!("f: texture coordinates of {n} triangle(s) ignored: the file does not have them"),
                "only textures are affected",
            ),
        ]
        .into_iter()
        .flatten()
    }
}
