//! STL, as text or binary, by the crate `stl_io`. STL repeats the corners of every triangle; equal ones become one.

use std::io::Cursor;
use std::path::Path;

use super::Mesh;
use super::read::{fault, of_triangles};
use crate::error::Result;
use crate::math::{Point3, Real};

const HELP: &str = "export it again; text and binary STL are read";

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Mesh> {
    let found = stl_io::read_stl(&mut Cursor::new(bytes))
        .map_err(|why| fault(path, bytes, None, &format!("not a whole STL file ({why})"), HELP))?;
    let place = |v: &stl_io::Vertex| Point3::from(v.0.map(Real::from));
    let vertices: Vec<Point3> = found.vertices.iter().map(place).collect();
    let index = |i: usize| u32::try_from(i).ok().filter(|_| i < vertices.len());
    let triangles: Option<Vec<[u32; 3]>> = found
        .faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.vertices;
            Some([index(a)?, index(b)?, index(c)?])
        })
        .collect();
    let triangles = triangles.ok_or_else(|| fault(path, bytes, None, "a corner is missing", HELP))?;
    let bad = triangles.iter().position(|t| {
        t.iter()
            .any(|&i| !vertices[i as usize].iter().all(|x| x.is_finite()))
    });
    if let Some(bad) = bad {
        let message = format!("triangle {}: expected finite coordinates", bad + 1);
        return Err(fault(
            path,
            bytes,
            None,
            &message,
            "mend the model where it was made",
        ));
    }
    let group_of = vec![0; triangles.len()];
    Ok(of_triangles(
        path,
        vertices,
        triangles,
        vec![(String::new(), None)],
        group_of,
    ))
}
