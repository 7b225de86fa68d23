//! Grids in files: a mark, the layout's number, a head, arrays as they lie in memory, and a BLAKE3 hash of all before.
//!
//! Nothing of a file is believed until the hash agrees, and then every number in it that points somewhere is checked.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::cells::{Blocks, Cell, Store, distance_of};
use super::layout::{BLOCK, IN_BLOCK, Layout, MOST_CELLS};
use super::tree::Tree;
use super::{Grid, Report, Sides};
use crate::error::{Error, Result};
use crate::math::{Aabb, Point3, Real};
use crate::scene::GridShape;
use crate::write::atomic::write_file;

/// First bytes of the file; the line ends and the end-of-text mark show a transfer that was not binary.
const MARK: &[u8; 16] = b"partsim grid \r\n\x1a";
/// Layout that this program writes and reads. Raised whenever the same mesh and shape give other cells.
const FORMAT: u32 = 1;
/// Length of the hash at the end.
const HASH: usize = 32;
/// Mark, layout's number and length of the head.
const START: usize = MARK.len() + 8;

/// What a grid was made of: hashes of the mesh alone, and of all that its bytes depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Of the triangles.
    pub mesh: [u8; 32],
    /// Of triangles, shape and program version.
    pub whole: [u8; 32],
}

impl Key {
    /// The key of what is made of these triangles.
    pub fn new(triangles: &[[Point3; 3]], shape: &GridShape) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut bytes = Vec::with_capacity(72 * 256);
        for part in triangles.chunks(256) {
            bytes.clear();
            for x in part.iter().flatten().flat_map(|p| p.iter()) {
                bytes.extend((x + 0.0).to_bits().to_le_bytes());
            }
            hasher.update(&bytes);
        }
        let mesh = *hasher.finalize().as_bytes();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&mesh);
        hasher.update(&FORMAT.to_le_bytes());
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        // Every number of the shape, in full.
        hasher.update(format!("{shape:?}").as_bytes());
        Self {
            mesh,
            whole: *hasher.finalize().as_bytes(),
        }
    }

    /// Name of the file in a folder of grids.
    pub fn file_name(&self) -> String {
        let digits: String = self.whole[..12].iter().map(|b| format!("{b:02x}")).collect();
        format!("{digits}.dng")
    }
}

/// Everything but the arrays.
#[derive(Serialize, Deserialize)]
struct Head {
    key: Key,
    shape: GridShape,
    layout: Layout,
    thickness: Real,
    sides: Sides,
    object: [Point3; 2],
    report: Report,
    arrays: Arrays,
}

/// Lengths of the arrays that follow, in order.
#[derive(Serialize, Deserialize)]
enum Arrays {
    Plain {
        top: u64,
        cells: u64,
    },
    Compressed {
        node: u32,
        excess: f32,
        top: u64,
        nodes: u64,
        planes: u64,
        cells: u64,
    },
}

/// Writes a grid, whole or not at all.
pub fn save(grid: &Grid, path: &Path) -> Result<()> {
    let bytes = encode(grid)?;
    write_file(path, |out| out.write_all(&bytes))?;
    Ok(())
}

fn encode(grid: &Grid) -> Result<Vec<u8>> {
    let arrays = match &grid.store {
        Store::Plain(b) => Arrays::Plain {
            top: b.top.len() as u64,
            cells: b.cells.len() as u64,
        },
        Store::Compressed(t) => Arrays::Compressed {
            node: t.node,
            excess: t.excess,
            top: t.top.len() as u64,
            nodes: t.nodes.len() as u64,
            planes: t.planes.len() as u64,
            cells: t.cells.len() as u64,
        },
    };
    let head = Head {
        key: grid.key,
        shape: grid.shape,
        layout: grid.layout,
        thickness: grid.thickness,
        sides: grid.sides,
        object: [grid.object.min, grid.object.max],
        report: grid.report,
        arrays,
    };
    let head = postcard::to_stdvec(&head).map_err(std::io::Error::other)?;
    let length = u32::try_from(head.len()).map_err(std::io::Error::other)?;
    let mut bytes = Vec::with_capacity(START + head.len() + grid.store.bytes() + HASH);
    bytes.extend(MARK);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(head);
    match &grid.store {
        Store::Plain(b) => {
            put_numbers(&b.top, &mut bytes);
            put_cells(&b.cells, &mut bytes);
        }
        Store::Compressed(t) => {
            put_numbers(&t.top, &mut bytes);
            put_numbers(&t.nodes, &mut bytes);
            put_cells(&t.planes, &mut bytes);
            put_cells(&t.cells, &mut bytes);
        }
    }
    let hash = blake3::hash(&bytes);
    bytes.write_all(hash.as_bytes())?;
    Ok(bytes)
}

fn put_numbers(numbers: &[u32], bytes: &mut Vec<u8>) {
    numbers.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
}

fn put_cells(cells: &[Cell], bytes: &mut Vec<u8>) {
    for cell in cells {
        let [x, y, z] = cell.n;
        [x, y, z, cell.l]
            .iter()
            .for_each(|f| bytes.extend(f.to_bits().to_le_bytes()));
    }
}

/// Reads a grid. A file that is cut off, damaged, foreign or of another layout is an error that says so.
pub fn load(path: &Path) -> Result<Grid> {
    let bytes = fs_err::read(path)?;
    decode(&bytes).map_err(|why| Error::damaged(format!("{}: {why}", path.display())))
}

fn decode(bytes: &[u8]) -> std::result::Result<Grid, String> {
    let again = "make it again with `partsim grid build`";
    if bytes.get(..MARK.len()) != Some(MARK.as_slice()) {
        return Err("not a partsim grid".into());
    }
    let number = |at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|b| b.try_into().ok())
            .map(u32::from_le_bytes)
    };
    let (Some(format), Some(length)) = (number(MARK.len()), number(MARK.len() + 4)) else {
        return Err(format!("the grid is cut off; {again}"));
    };
    if format != FORMAT {
        return Err(format!(
            "has layout {format}, this program knows {FORMAT}; {again}"
        ));
    }
    let body = bytes.len().checked_sub(HASH).filter(|n| *n >= START);
    let Some((body, hash)) = body.map(|n| bytes.split_at(n)) else {
        return Err(format!("the grid is cut off; {again}"));
    };
    if blake3::hash(body).as_bytes().as_slice() != hash {
        return Err(format!("the grid is cut off or damaged; {again}"));
    }
    parse(&body[START..], length as usize).map_err(|what| format!("the grid is damaged ({what}); {again}"))
}

/// Reads what has the right hash. Whatever it says, it takes no more memory than it is long.
fn parse(bytes: &[u8], length: usize) -> std::result::Result<Grid, &'static str> {
    let head = bytes.get(..length).ok_or("length of its head")?;
    let head: Head = postcard::from_bytes(head).map_err(|_| "its head")?;
    let mut rest = &bytes[length..];
    let store = match head.arrays {
        Arrays::Plain { top, cells } => Store::Plain(Blocks {
            top: numbers(&mut rest, top)?,
            cells: cells_of(&mut rest, cells)?,
        }),
        Arrays::Compressed {
            node,
            excess,
            top,
            nodes,
            planes,
            cells,
        } => Store::Compressed(Tree {
            node,
            excess,
            top: numbers(&mut rest, top)?,
            nodes: numbers(&mut rest, nodes)?,
            planes: cells_of(&mut rest, planes)?,
            cells: cells_of(&mut rest, cells)?,
        }),
    };
    if !rest.is_empty() {
        return Err("bytes are left over");
    }
    let grid = Grid {
        key: head.key,
        shape: head.shape,
        layout: head.layout,
        thickness: head.thickness,
        sides: head.sides,
        object: Aabb {
            min: head.object[0],
            max: head.object[1],
        },
        report: head.report,
        store,
    };
    match fault(&grid) {
        None => Ok(grid),
        Some(what) => Err(what),
    }
}

fn take<'a>(rest: &mut &'a [u8], count: u64, size: usize) -> std::result::Result<&'a [u8], &'static str> {
    let bytes = usize::try_from(count).ok().and_then(|n| n.checked_mul(size));
    let bytes = bytes.filter(|n| *n <= rest.len()).ok_or("length of an array")?;
    let (array, after) = rest.split_at(bytes);
    *rest = after;
    Ok(array)
}

fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk::<4>().map_or(0, |b| u32::from_le_bytes(*b))
}

fn numbers(rest: &mut &[u8], count: u64) -> std::result::Result<Vec<u32>, &'static str> {
    Ok(take(rest, count, 4)?.chunks_exact(4).map(word).collect())
}

fn cells_of(rest: &mut &[u8], count: u64) -> std::result::Result<Vec<Cell>, &'static str> {
    let cells: Vec<Cell> = take(rest, count, 16)?
        .chunks_exact(16)
        .map(|b| {
            let [x, y, z, l] = [0, 4, 8, 12].map(|i| f32::from_bits(word(&b[i..])));
            Cell { n: [x, y, z], l }
        })
        .collect();
    let sound = |c: &Cell| c.l.is_finite() && c.n.iter().all(|x| x.abs() <= 1.001);
    if cells.iter().all(sound) {
        Ok(cells)
    } else {
        Err("a cell")
    }
}

/// What is wrong with a grid that was read.
fn fault(grid: &Grid) -> Option<&'static str> {
    let layout = &grid.layout;
    let places = [layout.origin, grid.object.min, grid.object.max];
    let finite = places.iter().flat_map(|p| p.iter()).all(|x| x.is_finite());
    let sizes = [layout.cell, grid.thickness];
    if !finite || !sizes.iter().all(|s| *s > 0.0 && s.is_finite()) || grid.object.is_empty() {
        return Some("its size");
    }
    let possible = |n: u32| n > 0 && n <= 2 * MOST_CELLS && n as usize % BLOCK == 0;
    if !layout.cells.iter().all(|&n| possible(n)) {
        return Some("number of cells");
    }
    match &grid.store {
        Store::Compressed(tree) => tree.fault(layout),
        Store::Plain(blocks) => {
            let count: usize = layout.blocks().iter().product();
            let near = blocks.cells.len() / IN_BLOCK;
            let there = |e: &u32| match distance_of(*e) {
                Some(l) => l.is_finite(),
                None => (*e as usize) < near,
            };
            let whole = blocks.cells.len() % IN_BLOCK == 0 && blocks.top.len() == count;
            (!whole || !blocks.top.iter().all(there)).then_some("number of a block")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::scene::{Compression, Resolution};

    fn grid(compression: Option<Compression>) -> Grid {
        // A tetrahedron.
        let [a, b, c, d] = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
            .map(|p| Point3::from(Vec3::from(p.map(f64::from)) * 0.5));
        let triangles = [[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
        let shape = GridShape {
            resolution: Resolution::Cells(20),
            compression,
            ..GridShape::default()
        };
        super::super::build(&triangles, &shape, &|_| ()).expect("a good mesh")
    }

    fn both() -> [Grid; 2] {
        [grid(None), grid(Some(Compression::default()))]
    }

    #[test]
    fn a_grid_comes_back_with_every_bit() {
        let dir = tempfile::tempdir().expect("a folder");
        for grid in both() {
            let path = dir.path().join(grid.key.file_name());
            save(&grid, &path).expect("written");
            assert_eq!(load(&path).expect("read"), grid);
        }
    }

    #[test]
    fn what_is_cut_off_changed_foreign_or_older_is_refused_and_told() {
        for grid in both() {
            let good = encode(&grid).expect("bytes");
            assert!(decode(&good).is_ok());
            for i in (0..good.len()).step_by(211) {
                assert!(decode(&good[..i]).is_err(), "cut at {i}");
                let mut bad = good.clone();
                bad[i] ^= 0x20;
                assert!(decode(&bad).is_err(), "byte {i}");
            }
            let mut longer = good.clone();
            longer.push(0);
            assert!(decode(&longer).is_err());
            let mut older = good.clone();
            older[MARK.len()] = 0;
            assert!(
                decode(&older)
                    .unwrap_err()
                    .contains("has layout 0, this program knows 1")
            );
        }
        assert_eq!(decode(b"v 1 2 3\n").unwrap_err(), "not a partsim grid");
        assert_eq!(decode(b"").unwrap_err(), "not a partsim grid");
        let missing = load(Path::new("no such grid.dng")).unwrap_err().to_string();
        assert!(missing.contains("no such grid.dng"), "{missing}");
    }

    #[test]
    fn bytes_that_pass_the_hash_but_make_no_grid_are_refused_or_harmless() {
        for grid in both() {
            let good = encode(&grid).expect("bytes");
            let body = &good[START..good.len() - HASH];
            let length = good.len() - START - HASH - arrays_of(&grid);
            let step = body.len() / 4000 + 1;
            for i in (0..body.len()).step_by(step).chain(0..length) {
                for bit in [0x01, 0x80] {
                    let mut bad = body.to_vec();
                    bad[i] ^= bit;
                    // Whatever it says, looking must not fail.
                    if let Ok(grid) = parse(&bad, length) {
                        let p = grid.layout.center(grid.layout.cells.map(|n| n as usize / 2));
                        for how in [crate::scene::Lookup::Plane, crate::scene::Lookup::Trilinear] {
                            let _ = grid.look(&p, how);
                        }
                        let _ = grid.clearance(&p);
                    }
                }
                assert!(parse(&body[..i], length).is_err(), "cut at {i}");
            }
            assert!(parse(body, usize::MAX).is_err() && parse(body, length + 1).is_err());
        }
    }

    fn arrays_of(grid: &Grid) -> usize {
        grid.store.bytes()
    }

    #[test]
    fn the_key_knows_mesh_shape_and_nothing_else() {
        let triangle = [[
            Point3::origin(),
            Point3::new(1.0, 0.0, 0.0),
            Point3::new(0.0, 1.0, 0.0),
        ]];
        let mut other = triangle;
        other[0][1].x = 1.0 + f64::EPSILON;
        let shape = GridShape::default();
        let finer = GridShape {
            resolution: Resolution::Cells(61),
            ..shape
        };
        let key = Key::new(&triangle, &shape);
        assert_eq!(key, Key::new(&triangle, &shape));
        assert_ne!(key.mesh, Key::new(&other, &shape).mesh);
        assert_eq!(key.mesh, Key::new(&triangle, &finer).mesh);
        assert_ne!(key.whole, Key::new(&triangle, &finer).whole);
    }
}
