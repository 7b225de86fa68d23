//! The kinds of faults: their names, and what the collider makes of each.

/// A kind of fault or, where [`Kind::is_fault`] says no, a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Edges with one face, in a ring; rings that touch count as one.
    BoundaryLoop,
    /// An edge with more than two faces.
    NonManifoldEdge,
    /// A face whose front points the other way than those of most faces that edges join to it.
    FlippedFace,
    /// A piece whose faces cannot all have their fronts on one side, like a Moebius strip.
    OneSidedPiece,
    /// A closed piece with its fronts inward that does not lie within another piece's box.
    InsideOutPiece,
    /// A face with the corners of an earlier one, in the same direction.
    RepeatedFace,
    /// A face with the corners of an earlier one, in the other direction.
    DoubledFace,
    /// A face that is a segment or a point: its height is below a ten-millionth of its longest edge.
    FaceWithoutArea,
    /// A face whose height is below a thousandth of its longest edge.
    Sliver,
    /// Two faces that go through each other.
    CrossingFaces,
    /// Two faces that cover a common part of one plane.
    OverlappingFaces,
    /// Two faces that touch elsewhere than at corners and edges that they share.
    TouchingFaces,
    /// A vertex at the place of an earlier one.
    RepeatedVertex,
    /// A vertex that no face uses.
    UnusedVertex,
}

impl Kind {
    /// All kinds, in the order of a report.
    pub const ALL: [Self; 14] = [
        Self::BoundaryLoop,
        Self::NonManifoldEdge,
        Self::FlippedFace,
        Self::OneSidedPiece,
        Self::InsideOutPiece,
        Self::RepeatedFace,
        Self::DoubledFace,
        Self::FaceWithoutArea,
        Self::Sliver,
        Self::CrossingFaces,
        Self::OverlappingFaces,
        Self::TouchingFaces,
        Self::RepeatedVertex,
        Self::UnusedVertex,
    ];

    /// Whether it counts under `--strict`.
    pub fn is_fault(self) -> bool {
        !matches!(
            self,
            Self::TouchingFaces | Self::RepeatedVertex | Self::UnusedVertex
        )
    }

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        self.words().0
    }

    /// Its name for people, in the plural.
    pub fn name(self) -> &'static str {
        self.words().1
    }

    /// What the collider makes of it.
    pub fn effect(self) -> &'static str {
        self.words().2
    }

    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::BoundaryLoop => (
                "boundary_loop",
                "boundary loops",
                "faces stop particles on both sides, but there is no inside: `MeshVolume` cannot give births in it",
            ),
            Self::NonManifoldEdge => (
                "non_manifold_edge",
                "edges of more than two faces",
                "each face stops particles; harmless",
            ),
            Self::FlippedFace => (
                "flipped_face",
                "flipped faces",
                "faces stop particles on both sides, so nothing falls through; `MeshVolume` cannot give births",
            ),
            Self::OneSidedPiece => (
                "one_sided_piece",
                "pieces without a front",
                "faces stop particles on both sides; `MeshVolume` cannot give births in it",
            ),
            Self::InsideOutPiece => (
                "inside_out_piece",
                "pieces inside out",
                "faces stop particles on both sides; births on it start on the inner side",
            ),
            Self::RepeatedFace => (
                "repeated_face",
                "repeated faces",
                "the earlier face answers; births on it come twice as densely",
            ),
            Self::DoubledFace => (
                "doubled_face",
                "doubled faces, back to back",
                "the earlier face answers from both sides; births on it come twice as densely",
            ),
            Self::FaceWithoutArea => (
                "face_without_area",
                "faces without area",
                "taken as their edges in exact mode; karabassi mode does not see them",
            ),
            Self::Sliver => ("sliver", "slivers", "swept exactly; their normals are less sharp"),
            Self::CrossingFaces => (
                "crossing_faces",
                "faces that go through each other",
                "particles stop at whichever comes first; what lies within is unreachable",
            ),
            Self::OverlappingFaces => (
                "overlapping_faces",
                "faces that overlap in one plane",
                "the face of the lower number answers; the picture may flicker",
            ),
            Self::TouchingFaces => (
                "touching_faces",
                "faces that touch without sharing corners",
                "nothing slips between them; harmless",
            ),
            Self::RepeatedVertex => (
                "repeated_vertex",
                "repeated vertices",
                "vertices at one place count as one; harmless",
            ),
            Self::UnusedVertex => ("unused_vertex", "unused vertices", "ignored"),
        }
    }
}
