//! Rules of `collider` that need two keys.

use super::Rules;
use crate::math::Real;
use crate::scene::schema::{ColliderFile, MeshFile};
use crate::scene::{MeshCollider, MeshSpec, Scene};

/// Largest k dt^2 of a spring: beyond, a step no longer gives back the speed that came in.
const STIFFEST: Real = 0.25;

impl Rules<'_> {
    /// What can be told before defaults are filled in.
    pub(super) fn collider_keys(&mut self, meshes: &[MeshFile]) {
        for (i, mesh) in meshes.iter().enumerate() {
            let field = format!("meshes[{i}].collider");
            let Some(ColliderFile::Grid {
                cells,
                cell,
                thickness,
                construction,
                blur,
                both_sides,
                compression,
                file,
                ..
            }) = &mesh.collider
            else {
                continue;
            };
            if cells.is_some() && cell.is_some() {
                let help = "remove one of the two".to_owned();
                let message = "expected either `cells` or `cell`, found both";
                self.fault(&format!("{field}.cell"), message, help);
            }
            let shape = [
                ("cells", cells.is_some()),
                ("cell", cell.is_some()),
                ("thickness", thickness.is_some()),
                ("construction", construction.is_some()),
                ("blur", blur.is_some()),
                ("both_sides", both_sides.is_some()),
                ("compression", compression.is_some()),
            ];
            for (key, _) in shape.iter().filter(|k| file.is_some() && k.1) {
                let message = "expected no shape beside a `file`, which has its own";
                let help = "remove the key, or `file`".to_owned();
                self.fault(&format!("{field}.{key}"), message, help);
            }
            if let Some(node) = compression.and_then(|c| c.node)
                && !node.get().is_power_of_two()
            {
                let message = format!("expected 2, 4 or 8 cells, found {}", node.get());
                self.fault(&format!("{field}.compression.node"), &message, None);
            }
        }
    }

    pub(super) fn grid_files(&mut self, meshes: &[MeshSpec]) {
        for (i, mesh) in meshes.iter().enumerate() {
            if let MeshCollider::Grid(grid) = &mesh.collider
                && let Some(file) = &grid.file
                && !fs_err::metadata(file).is_ok_and(|f| f.is_file())
            {
                let message = format!("expected a grid, found nothing at {}", file.display());
                let help = "make one with `partsim grid build MESH -o FILE.dng`; paths are relative to the folder of the \
                    scene file";
                self.fault(&format!("meshes[{i}].collider.file"), &message, help.to_owned());
            }
        }
    }

    /// Lengths against the field's thickness, stiffness against the step.
    pub(super) fn responses(&mut self, scene: &Scene) {
        let step = scene.time.step();
        for (i, mesh) in scene.meshes.iter().enumerate() {
            let MeshCollider::Grid(grid) = &mesh.collider else {
                continue;
            };
            let field = format!("meshes[{i}].collider");
            let lengths = [
                ("drag.theta", grid.responses.drag.and_then(|d| d.theta)),
                ("flow.distance", grid.responses.flow.and_then(|f| f.distance)),
                ("impact.l_min", grid.responses.impact.map(|i| i.l_min)),
            ];
            for (key, length) in lengths {
                if let (Some(length), Some(thickness)) = (length, grid.shape.thickness)
                    && length > thickness
                {
                    let message =
                        format!("expected at most the field's thickness of {thickness} m, found {length} m");
                    let help = "raise `thickness`".to_owned();
                    self.fault(&format!("{field}.{key}"), &message, help);
                }
            }
            if let Some(spring) = grid.responses.spring
                && spring.k * step * step > STIFFEST
            {
                let most = STIFFEST / (step * step);
                let message = format!(
                    "expected at most {most:.4} 1/s2 with steps of {step:.5} s, found {}",
                    spring.k
                );
                let help =
                    "raise `time: (steps_per_frame: ...)`, or use a softer and thicker field".to_owned();
                self.fault(&format!("{field}.spring.k"), &message, help);
            }
        }
    }
}
