//! What `diff` found, and its text.
//!
//! Collects; it neither reads nor compares.

use std::fmt;

use crate::frame_range::FrameRange;
use crate::math::Real;

/// What differs between two frames or two run folders, A and B.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Pairs of frames that were compared.
    pub compared: u64,
    /// Pairs that are the same byte for byte.
    pub identical: u64,
    /// In what the manifests differ; tells why frames differ, and is no difference by itself.
    pub settings: Vec<String>,
    /// Frames that B lacks.
    pub frames_only_a: FrameRange,
    /// Frames that A lacks.
    pub frames_only_b: FrameRange,
    /// First number beyond the tolerance, by frame and birth number.
    pub first: Option<Difference>,
    /// Largest difference of any number, also within the tolerance.
    pub largest: Option<Difference>,
    /// Spheres that differ beyond the tolerance.
    pub differing: u64,
    /// Spheres that B lacks.
    pub only_a: Tally,
    /// Spheres that A lacks.
    pub only_b: Tally,
    /// Spheres that both have, in another order.
    pub reordered: Tally,
    /// First line besides spheres that differs beyond the tolerance.
    pub structure: Option<String>,
    largest_size: Real,
}

/// A sphere of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// File name of the frame.
    pub frame: String,
    /// Birth number of the particle.
    pub particle: u64,
    /// Whether it is a copy that a neighbouring tile needs.
    pub copy: bool,
}

/// One number that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where.
    pub place: Place,
    /// `x`, `y`, `z`, `radius`, `strength`; `drawn`: in a blob or in the air; `stands`: in which block.
    pub what: &'static str,
    /// What A says.
    pub a: String,
    /// What B says.
    pub b: String,
    /// Absolute difference; `None` when they are not both numbers.
    pub size: Option<Real>,
}

/// How many, and the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// The first one.
    pub first: Option<Place>,
}

impl Report {
    /// Whether A and B are the same within the tolerance.
    pub fn same(&self) -> bool {
        self.frames_only_a.is_empty()
            && self.frames_only_b.is_empty()
            && self.first.is_none()
            && [&self.only_a, &self.only_b, &self.reordered]
                .iter()
                .all(|t| t.count == 0)
            && self.structure.is_none()
    }

    pub(super) fn note_first(&mut self, difference: impl FnOnce() -> Difference) {
        if self.first.is_none() {
            self.first = Some(difference());
        }
    }

    pub(super) fn note_largest(&mut self, size: Real, difference: impl FnOnce() -> Difference) {
        if size > self.largest_size {
            self.largest_size = size;
            self.largest = Some(difference());
        }
    }
}

impl Place {
    pub(super) fn new(frame: &str, particle: u64, copy: bool) -> Self {
        Self {
            frame: frame.into(),
            particle,
            copy,
        }
    }
}

impl Difference {
    pub(super) fn new(place: Place, what: &'static str, a: String, b: String, size: Option<Real>) -> Self {
        Self {
            place,
            what,
            a,
            b,
            size,
        }
    }
}

impl Tally {
    pub(super) fn add(&mut self, place: impl FnOnce() -> Place) {
        if self.count == 0 {
            self.first = Some(place());
        }
        self.count += 1;
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let copy = if self.copy { " (copy)" } else { "" };
        write!(f, "{} particle {}{copy}", self.frame, self.particle)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {} / {}", self.place, self.what, self.a, self.b)?;
        match self.size {
            Some(size) => write!(f, " (by {size:.3e})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.same() {
            true if self.identical == self.compared => "same",
            true => "same within the tolerance",
            false => "different",
        };
        let frames = if self.compared == 1 { "frame" } else { "frames" };
        writeln!(
            f,
            "{verdict}: {} of {} {frames} identical byte for byte",
            self.identical, self.compared
        )?;
        for remark in &self.settings {
            writeln!(f, "manifest: {remark}")?;
        }
        for (side, frames) in [("A", &self.frames_only_a), ("B", &self.frames_only_b)] {
            if !frames.is_empty() {
                writeln!(f, "frames only in {side}: {frames}")?;
            }
        }
        if let Some(first) = &self.first {
            writeln!(f, "first difference: {first}")?;
        }
        if let Some(largest) = &self.largest {
            writeln!(f, "largest difference: {largest}")?;
        }
        if self.differing > 0 {
            writeln!(f, "spheres that differ: {}", self.differing)?;
        }
        let tallies = [
            ("only in A", &self.only_a),
            ("only in B", &self.only_b),
            ("in another order", &self.reordered),
        ];
        for (what, tally) in tallies {
            if let Some(first) = &tally.first {
                writeln!(f, "spheres {what}: {}, first {first}", tally.count)?;
            }
        }
        if let Some(structure) = &self.structure {
            writeln!(f, "other lines differ: {structure}")?;
        }
        Ok(())
    }
}
