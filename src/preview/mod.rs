//! A picture of a frame without POV-Ray: scenery and particles traced through the program's own trees.
//!
//! Reads the POV-Ray text of a run folder, so it shows what POV-Ray will be given: its camera, its lights, its blobs.
//! Knows nothing of scenes and simulations.

mod covering;
mod field;
mod paint;
mod render;
mod scenery;
mod text;
mod trace;
mod view;

use std::path::{Path, PathBuf};

use crate::compare::FrameText;
use crate::error::{Diagnostic, Error, Result};
use crate::picture::Picture;
use covering::Covering;
use scenery::Scenery;
pub use trace::Seen;
use trace::Tracer;
use view::View;

/// What the previews of all frames of a run share.
pub struct Stage {
    view: View,
    scenery: Scenery,
}

/// A preview.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// The picture.
    pub picture: Picture,
    /// What the middle of each pixel shows, row by row.
    pub seen: Vec<Seen>,
}

impl Stage {
    /// Reads `common.inc` and `mesh.inc` of a run folder.
    pub fn read(dir: &Path) -> Result<Self> {
        let common = fs_err::read_to_string(dir.join("common.inc"))?;
        let mesh = fs_err::read_to_string(dir.join("mesh.inc"))?;
        Self::parse(&common, &mesh, dir)
    }

    /// The same from their texts; `dir` is for messages.
    pub fn parse(common: &str, mesh: &str, dir: &Path) -> Result<Self> {
        let at = |name: &str, why: String| Error::damaged(format!("{}: {why}", dir.join(name).display()));
        Ok(Self {
            view: View::parse(common).map_err(|why| at("common.inc", why))?,
            scenery: Scenery::parse(mesh).map_err(|why| at("mesh.inc", why))?,
        })
    }

    /// What of `common.inc` the previews do not show.
    pub fn remarks(&self) -> &[Diagnostic] {
        &self.view.remarks
    }

    /// The preview of a frame, given as its text; `path` is for messages.
    ///
    /// # Errors
    /// A text that is no whole frame, or names materials that `common.inc` does not declare.
    pub fn shoot(&self, path: &Path, frame: &[u8], size: Size) -> Result<Shot> {
        let text = FrameText::parse(path, frame)?;
        let covering = Covering::new(&text, &self.view.materials)
            .map_err(|why| Error::damaged(format!("{}: {why}", path.display())))?;
        let moved = self
            .scenery
            .in_frame(&String::from_utf8_lossy(frame))
            .map_err(|why| Error::damaged(format!("{}: {why}", path.display())))?;
        let tracer = Tracer::new(&self.view, moved.as_ref().unwrap_or(&self.scenery), &covering);
        let (pixels, seen) = render::render(&tracer, size.width, size.height);
        let Size { width, height } = size;
        Ok(Shot {
            picture: Picture {
                width,
                height,
                pixels,
            },
            seen,
        })
    }
}

/// Size of a picture [pixels], each 1 .. [`Size::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// The largest width and height.
    pub const MOST: u32 = 16_384;
}

impl Default for Size {
    fn default() -> Self {
        Self {
            width: 640,
            height: 360,
        }
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|n| (1..=Self::MOST).contains(n));
        let (width, height) = text.split_once('x').unwrap_or((text, ""));
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(Self { width, height }),
            _ => Err(format!(
                "expected WIDTHxHEIGHT in pixels, each 1 to {}, such as 640x360",
                Self::MOST
            )),
        }
    }
}

/// Where the preview of a frame stands in its run folder.
pub fn file_name(dir: &Path, number: u32) -> PathBuf {
    dir.join("preview").join(format!("frame_{number:06}.png"))
}
