//! A closed surface around what lies of each material, by the crate `splashsurf_lib` (marching cubes over a density of
//! overlapping particles, after Löschner, Böttcher, Rhys Jeske & Bender 2023).
//!
//! Without its SIMD, which rounds differently from one processor to the next.

use std::path::Path;

use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::{Parameters, reconstruct_surface};

use super::{Exported, Format, Rows, obj, plain_name, ply};
use crate::error::{Error, Result};
use crate::write::atomic::write_file;

/// Reach of a particle's density, in radii.
const REACH: f64 = 4.0;
/// Edge of the cubes, in radii.
const CUBE: f64 = 0.75;
/// Share of the density of a full packing at which the surface lies. A covering is a layer or two, and not packed.
const LEVEL: f64 = 0.5;

/// Triangles around a covering.
pub(super) struct Surface {
    /// Corners [m].
    pub vertices: Vec<[f64; 3]>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Writes `surface_FRAME_MATERIAL` for every material that lies somewhere.
pub(super) fn export(rows: &Rows, format: Format, out: &Path, done: &mut Exported) -> Result<()> {
    let frame = &rows.points.frame;
    done.left_out += (0..rows.len()).filter(|&i| !rows.lies(i)).count() as u64;
    for (name, number) in rows.points.materials.iter().zip(0_u16..) {
        let members: Vec<usize> = (0..rows.len())
            .filter(|&i| frame.material[i] == number && rows.lies(i))
            .collect();
        if members.is_empty() {
            continue;
        }
        let surface = around(rows, &members).map_err(|why| {
            Error::damaged(format!(
                "the surface of `{name}` in frame {}: {why}",
                frame.number
            ))
        })?;
        let file = out.join(file_name(rows, number, format));
        write_file(&file, |to| match format {
            Format::Obj => obj::write_surface(&surface, name, to),
            _ => ply::write_surface(&surface, name, to),
        })?;
        done.files.push(file);
    }
    Ok(())
}

/// `surface_000001_snow.ply`, with the material's number where two names would make one.
fn file_name(rows: &Rows, number: u16, format: Format) -> String {
    let names = &rows.points.materials;
    let plain = plain_name(&names[usize::from(number)]);
    let alike = names
        .iter()
        .filter(|other| plain_name(other).eq_ignore_ascii_case(&plain))
        .count();
    let more = if alike > 1 {
        format!("_{number}")
    } else {
        String::new()
    };
    format!(
        "surface_{:06}_{plain}{more}.{}",
        rows.points.frame.number,
        format.ending()
    )
}

fn around(rows: &Rows, members: &[usize]) -> std::result::Result<Surface, String> {
    let frame = &rows.points.frame;
    let places: Vec<Vector3<f64>> = members
        .iter()
        .map(|&i| {
            let p = &frame.position[i];
            Vector3::new(p.x, p.y, p.z)
        })
        .collect();
    let radius = members.iter().map(|&i| frame.radius[i]).sum::<f64>() / members.len() as f64;
    let mut parameters = Parameters::new_relative(radius, REACH, CUBE);
    parameters.iso_surface_threshold = LEVEL;
    parameters.enable_simd = false;
    let found = reconstruct_surface::<i64, f64>(&places, &parameters).map_err(|why| why.to_string())?;
    let mesh = &found.mesh;
    let corner = |i: usize| u32::try_from(i).map_err(|_| "it has too many corners".to_string());
    Ok(Surface {
        vertices: mesh.vertices.iter().map(|v| [v.x, v.y, v.z]).collect(),
        triangles: mesh
            .triangles
            .iter()
            .map(|&[a, b, c]| Ok([corner(a)?, corner(b)?, corner(c)?]))
            .collect::<std::result::Result<_, String>>()?,
    })
}
