//! `collider` of a mesh to plain data.

use std::path::Path;

use crate::scene::schema::*;
use crate::scene::{
    Compression, Construction, GridShape, GridSpec, Impact, Lookup, MeshCollider, Resolution, Response,
    Responses, Spring, SurfaceDrag, SurfaceFlow,
};

pub fn collider(file: Option<ColliderFile>, folder: &Path) -> MeshCollider {
    let Some(ColliderFile::Grid {
        cells,
        cell,
        thickness,
        construction,
        blur,
        both_sides,
        compression,
        file,
        lookup,
        spring,
        impact,
        drag,
        flow,
    }) = file
    else {
        return MeshCollider::Exact;
    };
    let usual = GridShape::default();
    let resolution = match (cells, cell) {
        (_, Some(edge)) => Resolution::Edge(edge.get()),
        (Some(count), None) => Resolution::Cells(count.get_u32()),
        (None, None) => usual.resolution,
    };
    MeshCollider::Grid(Box::new(GridSpec {
        shape: GridShape {
            resolution,
            thickness: thickness.map(|t| t.get()),
            construction: match construction {
                None | Some(ConstructionFile::Normals) => Construction::Normals,
                Some(ConstructionFile::Potential) => Construction::Potential,
            },
            blur: blur.map_or(usual.blur, |b| b.get_u32()),
            both_sides: both_sides.unwrap_or(false),
            compression: compression.map(packing),
        },
        file: file.map(|name| folder.join(name)),
        lookup: match lookup {
            None | Some(LookupFile::Plane) => Lookup::Plane,
            Some(LookupFile::Nearest) => Lookup::Nearest,
            Some(LookupFile::Trilinear) => Lookup::Trilinear,
        },
        responses: Responses {
            spring: spring.map(|s| Spring { k: s.k.get() }),
            impact: impact.map(|i| Impact {
                beta: i.beta.get(),
                l_min: i.l_min.map_or(0.0, |l| l.get()),
            }),
            drag: drag.map(|d| SurfaceDrag {
                delta: d.delta.get(),
                theta: d.theta.map(|t| t.get()),
            }),
            flow: flow.map(|f| SurfaceFlow {
                rho_in: f.rho_in.get(),
                rho_out: f.rho_out.map_or(0.0, |r| r.get()),
                distance: f.distance.map(|d| d.get()),
            }),
        },
    }))
}

fn packing(file: CompressionFile) -> Compression {
    let usual = Compression::default();
    Compression {
        node: file.node.map_or(usual.node, |n| n.get_u32()),
        angle_deg: file.angle_deg.map_or(usual.angle_deg, |a| a.get()),
        distance: file.distance.map_or(usual.distance, |d| d.get()),
    }
}

/// What a mesh answers to touches that does not say: with `impact` what that would do, so that a particle that the field
/// could not turn back in time is turned back by the surface all the same.
pub fn answer(collider: &MeshCollider) -> Response {
    match collider {
        MeshCollider::Grid(grid) => match grid.responses.impact {
            Some(impact) => Response::Bounce {
                restitution: impact.beta,
                friction: 0.0,
            },
            None => Response::Material,
        },
        MeshCollider::Exact => Response::Material,
    }
}
