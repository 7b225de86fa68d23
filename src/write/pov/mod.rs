//! POV-Ray 3.7 frames: blobs of what lies, spheres of what flies, and the two include files they need.
//!
//! Coordinates are those of the simulation times the output scale; the camera, not the numbers, sees to it
//! that the picture is not mirrored.

mod balls;
mod blob;
mod camera;
mod clusters;
mod grid;
mod look;
mod number;
mod paint;
mod particles;
mod pieces;
mod regions;
mod scale;
mod scenery;
mod stream;
mod tiles;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::error::Diagnostic;
use crate::frame::Frame;
use crate::mesh::Mesh;
use crate::motion::Moved;
use crate::scene::{Camera, Scene};
use crate::write::{FrameStats, FrameWriter, Pieces};

/// Writes frames and their include files for POV-Ray 3.7.
pub struct PovWriter<'a> {
    scene: &'a Scene,
    meshes: &'a [Mesh],
    moved: &'a [Option<Moved>],
    scale: scale::Scale,
    materials: Vec<particles::Drawn>,
    textures: Vec<(PathBuf, String)>,
    remarks: Vec<Diagnostic>,
}

impl<'a> PovWriter<'a> {
    /// `meshes` are placed, in metres, one for each of `scene.meshes` in the same order.
    pub fn new(scene: &'a Scene, meshes: &'a [Mesh]) -> Self {
        let mut remarks = Vec::new();
        let bounds = camera::Subject::new(scene, meshes).bounds;
        let scale = scale::choose(scene, &bounds, &mut remarks);
        Self {
            scene,
            meshes,
            moved: &[],
            scale,
            materials: particles::drawn(scene, &scale),
            textures: scenery::textures(meshes, &mut remarks),
            remarks,
        }
    }

    /// The same with what each mesh does over time: what moves then stands in the frames.
    #[must_use]
    pub fn moving(mut self, moved: &'a [Option<Moved>]) -> Self {
        self.moved = moved;
        self
    }

    fn scenery(&self) -> scenery::Scenery<'_> {
        scenery::Scenery {
            scene: self.scene,
            meshes: self.meshes,
            moved: self.moved,
            scale: &self.scale,
            textures: &self.textures,
        }
    }

    /// POV-Ray units per metre.
    pub fn units_per_metre(&self) -> f64 {
        self.scale.units
    }

    /// What the user should know about the pictures: scales that POV-Ray cannot render well, lost textures.
    pub fn remarks(&self) -> &[Diagnostic] {
        &self.remarks
    }

    /// Picture files that must stand in the run folder: where from, and where to (`textures/brick.png`).
    pub fn textures(&self) -> &[(PathBuf, String)] {
        &self.textures
    }

    /// Where the picture is taken from: the scene's camera, or one that frames the scenery [m].
    pub fn camera(&self) -> Camera {
        camera::camera(self.scene, &camera::Subject::new(self.scene, self.meshes))
    }

    /// Text of `common.inc`: camera, light, sky and materials, made to be edited.
    pub fn common_inc(&self) -> String {
        let subject = camera::Subject::new(self.scene, self.meshes);
        look::common(self.scene, &subject, &self.scale, &self.materials)
    }

    /// Writes a frame whose blobs include pieces that other frames share.
    ///
    /// # Errors
    /// Those of `out` and of `pieces`.
    pub fn write_sharing(
        &self,
        frame: &Frame,
        out: &mut dyn Write,
        pieces: &mut dyn Pieces,
    ) -> io::Result<FrameStats> {
        let moved = self.scenery().moved_text(frame.time)?;
        particles::write(frame, (&self.materials, &moved), &self.scale, out, Some(pieces))
    }

    /// Writes `mesh.inc`: the scenery. Legal POV-Ray even without any mesh.
    ///
    /// # Errors
    /// Only those of `out`.
    pub fn mesh_inc(&self, out: &mut dyn Write) -> io::Result<()> {
        self.scenery().write(out)
    }
}

impl FrameWriter for PovWriter<'_> {
    fn extension(&self) -> &'static str {
        "pov"
    }

    fn write(&self, frame: &Frame, out: &mut dyn Write) -> io::Result<FrameStats> {
        let moved = self.scenery().moved_text(frame.time)?;
        particles::write(frame, (&self.materials, &moved), &self.scale, out, None)
    }
}
