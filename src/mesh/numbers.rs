//! Places and texture coordinates: the `v` and `vt` lines of one part of a file, read by `tobj` in one go.
//!
//! `tobj` decides what a number is and what a fourth one does (`v x y z w` is divided by w). What it refuses
//! comes back as `None`, and the caller looks for the culprit word by word.

use std::fmt::Write as _;

use crate::math::{Point3, Real};

/// Largest coordinate [units of the file]: beyond it, fourth powers of lengths would overflow f64.
pub(super) const MAX_COORDINATE: Real = 1e75;

/// The `v` and `vt` lines of one part, reduced to what `tobj` should see.
#[derive(Default)]
pub(super) struct Numbers {
    text: Vec<u8>,
    /// How many `v` lines there are.
    pub vertices: usize,
    /// How many `vt` lines there are.
    pub uvs: usize,
}

/// What the lines hold.
#[derive(Default)]
pub(super) struct Values {
    /// Places of the `v` lines.
    pub vertices: Vec<Point3>,
    /// Coordinates of the `vt` lines.
    pub uvs: Vec<[Real; 2]>,
}

impl Numbers {
    /// Adds a `v` line of these three or four words.
    pub fn push_vertex<'a>(&mut self, words: impl IntoIterator<Item = &'a [u8]>) {
        self.vertices += 1;
        self.push(b"v", words);
    }

    /// Adds a `vt` line of these two words.
    pub fn push_uv<'a>(&mut self, words: impl IntoIterator<Item = &'a [u8]>) {
        self.uvs += 1;
        self.push(b"vt", words);
    }

    fn push<'a>(&mut self, keyword: &[u8], words: impl IntoIterator<Item = &'a [u8]>) {
        self.text.extend_from_slice(keyword);
        for word in words {
            self.text.push(b' ');
            self.text.extend_from_slice(word);
        }
        self.text.push(b'\n');
    }

    /// Has `tobj` read the lines. `None` when it refuses one, or when a value is not finite or too large.
    pub fn read(mut self) -> Option<Values> {
        if self.vertices == 0 && self.uvs == 0 {
            return Some(Values::default());
        }
        // Blanks outside ASCII would split words for tobj that are one word for us.
        if !self.text.is_ascii() {
            return None;
        }
        let (vertices, uvs) = (self.vertices, self.uvs);
        self.close();
        let options = tobj::LoadOptions::default();
        let no_materials = |_: &std::path::Path| Err(tobj::LoadError::GenericFailure);
        let (models, _) = tobj::load_obj_buf(&mut self.text.as_slice(), &options, no_materials).ok()?;
        let mesh = &models.first()?.mesh;
        let values = Values {
            vertices: mesh.positions.as_chunks::<3>().0[..]
                .iter()
                .map(|p| Point3::from(*p))
                .take(vertices)
                .collect(),
            uvs: mesh.texcoords.as_chunks::<2>().0.to_vec(),
        };
        let fits = values.vertices.len() == vertices && values.uvs.len() == uvs && values.usable();
        fits.then_some(values)
    }

    /// Ends the text with one face that uses every line once, in order: `tobj` keeps nothing that no face uses.
    fn close(&mut self) {
        if self.vertices == 0 {
            self.text.extend_from_slice(b"v 0 0 0\n");
        }
        let mut face = String::from("f");
        for corner in 1..=self.vertices.max(self.uvs).max(3) {
            let vertex = corner.min(self.vertices).max(1);
            // Writing to a String cannot fail.
            let _ = if self.uvs == 0 {
                write!(face, " {vertex}")
            } else {
                write!(face, " {vertex}/{}", corner.min(self.uvs))
            };
        }
        self.text.extend_from_slice(face.as_bytes());
    }
}

impl Values {
    fn usable(&self) -> bool {
        let places = self.vertices.iter().flat_map(|p| p.coords.iter());
        let coordinates = self.uvs.iter().flatten();
        places.chain(coordinates).all(|x| fits(*x))
    }
}

/// Whether a coordinate can be worked with; false for NaN.
pub(super) fn fits(x: Real) -> bool {
    x.abs() <= MAX_COORDINATE
}

/// What one word says, by the same rule as `tobj`'s.
pub(super) fn number(word: &[u8]) -> Option<Real> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
