//! The exact particles of a frame as a compact file, for `export` and for programs of one's own.
//!
//! All numbers are little-endian. In order: the mark `partsim point\r\n\x1a` (16 bytes); layout 1 (`u32`); frame number
//! (`u32`); time [s] (`f64`); number of particles n (`u64`); number of materials (`u16`), then of each the length of its
//! name in bytes (`u16`) and the name (UTF-8). Then the columns, n items each: birth number (`u64`), centre [m]
//! (3 `f64`), velocity [m/s] (3 `f32`), radius [m] (`f64`), age [s] (`f64`), material (`u16`, into the names), state
//! (`u8`: 0 airborne, 1 rolling, 2 flowing, 3 stuck, 4 rested, 5 stopped), triangle that was touched last (`u32`, through
//! all meshes in scene order; 4294967295: none yet), unit contact normal (3 `f32`; zero in the air). At the end the
//! BLAKE3 hash of all before (32 bytes).

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::atomic::Hashing;
use crate::error::{Error, Result};
use crate::frame::{Detail, Frame};
use crate::math::{Point3, Real, Vec3};
use crate::state::Status;

/// Folder of these files in a run folder.
pub const FOLDER: &str = "particles";

const MARK: &[u8; 16] = b"partsim point\r\n\x1a";
const FORMAT: u32 = 1;
const HASH: usize = 32;
/// Bytes of one particle.
pub const BYTES_A_PARTICLE: u64 = 8 + 24 + 12 + 8 + 8 + 2 + 1 + 4 + 12;

/// What a particle may be doing when a frame is taken, in the order of their numbers in the file.
const STATES: [(Status, &str); 6] = [
    (Status::Airborne, "airborne"),
    (Status::Rolling, "rolling"),
    (Status::Flowing, "flowing"),
    (Status::Stuck, "stuck"),
    (Status::Rested, "rested"),
    (Status::Stopped, "stopped"),
];

/// Number of a state in the file, and its name.
pub fn state(status: Status) -> (u8, &'static str) {
    let found = STATES.iter().zip(0..).find(|((s, _), _)| *s == status);
    found.map_or((0, STATES[0].1), |((_, name), number)| (number, name))
}

/// The particles of a frame, with every column, and what their materials are called.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// The particles; `detail` is there.
    pub frame: Frame,
    /// Names of the materials.
    pub materials: Vec<String>,
}

/// Where the file of a frame stands in a run folder.
pub fn file_name(number: u32) -> PathBuf {
    Path::new(FOLDER).join(format!("frame_{number:06}.bin"))
}

/// Writes the file.
///
/// # Errors
/// Those of `out`, and a frame without detail or with more names than a `u16` counts.
pub fn write(frame: &Frame, materials: &[&str], out: &mut dyn Write) -> io::Result<()> {
    let Some(detail) = &frame.detail else {
        return Err(io::Error::other("the frame was taken without its detail"));
    };
    let mut to = Hashing::new(&mut *out);
    let short = |n: usize| u16::try_from(n).map_err(io::Error::other);
    to.write_all(MARK)?;
    to.write_all(&FORMAT.to_le_bytes())?;
    to.write_all(&frame.number.to_le_bytes())?;
    to.write_all(&frame.time.to_le_bytes())?;
    to.write_all(&(frame.len() as u64).to_le_bytes())?;
    to.write_all(&short(materials.len())?.to_le_bytes())?;
    for name in materials {
        to.write_all(&short(name.len())?.to_le_bytes())?;
        to.write_all(name.as_bytes())?;
    }
    column(&mut to, &frame.id, |x| x.to_le_bytes())?;
    column(&mut to, &frame.position, |p| three(&p.coords))?;
    column(&mut to, &detail.velocity, short_three)?;
    column(&mut to, &frame.radius, |x| x.to_le_bytes())?;
    column(&mut to, &detail.age, |x| x.to_le_bytes())?;
    column(&mut to, &frame.material, |x| x.to_le_bytes())?;
    column(&mut to, &detail.status, |s| [state(*s).0])?;
    column(&mut to, &detail.triangle, |x| x.to_le_bytes())?;
    column(&mut to, &frame.normal, short_three)?;
    let hash = to.hasher.finalize();
    out.write_all(hash.as_bytes())
}

fn column<T, const N: usize>(
    to: &mut dyn Write,
    items: &[T],
    bytes: impl Fn(&T) -> [u8; N],
) -> io::Result<()> {
    for part in items.chunks(1 << 12) {
        let text: Vec<u8> = part.iter().flat_map(&bytes).collect();
        to.write_all(&text)?;
    }
    Ok(())
}

fn three(v: &Vec3) -> [u8; 24] {
    let mut bytes = [0; 24];
    for (bytes, x) in bytes.chunks_exact_mut(8).zip(v.iter()) {
        bytes.copy_from_slice(&x.to_le_bytes());
    }
    bytes
}

fn short_three(v: &Vec3) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (bytes, x) in bytes.chunks_exact_mut(4).zip(v.iter()) {
        bytes.copy_from_slice(&(*x as f32).to_le_bytes());
    }
    bytes
}

/// Reads a file. One that is cut off, damaged, foreign or newer is an error that says so.
pub fn read(path: &Path) -> Result<Points> {
    let bytes = fs_err::read(path)?;
    parse(&bytes).map_err(|why| Error::damaged(format!("{}: {why}", path.display())))
}

fn parse(bytes: &[u8]) -> std::result::Result<Points, String> {
    let body = match bytes.split_last_chunk::<HASH>() {
        _ if !bytes.starts_with(MARK) => return Err("not a file of partsim's particles".into()),
        Some((body, hash)) if blake3::hash(body).as_bytes() == hash => body,
        _ => {
            return Err(
                "the file is cut off or damaged; `partsim verify` tells which frames to run again".into(),
            );
        }
    };
    let mut from = Reader(&body[MARK.len()..]);
    let format = from.u32()?;
    if format != FORMAT {
        return Err(format!("has layout {format}, this program knows {FORMAT}"));
    }
    let (number, time, count) = (from.u32()?, from.f64()?, from.u64()?);
    let names = from.u16()?;
    let materials = (0..names)
        .map(|_| from.name())
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let n = usize::try_from(count).ok();
    let fits = |&n: &usize| (n as u64).checked_mul(BYTES_A_PARTICLE) == Some(from.0.len() as u64);
    let Some(n) = n.filter(fits) else {
        return Err(format!("says {count} particles and does not hold that many"));
    };
    let frame = Frame {
        number,
        time,
        id: from.column(n, u64::from_le_bytes)?,
        position: from.triples(n)?.into_iter().map(Point3::from).collect(),
        detail: None,
        ..Frame::default()
    };
    let velocity = from.short_triples(n)?;
    let radius = from.column(n, f64::from_le_bytes)?;
    let age = from.column(n, f64::from_le_bytes)?;
    let material: Vec<u16> = from.column(n, u16::from_le_bytes)?;
    let status = from.column(n, |[state]: [u8; 1]| STATES.get(usize::from(state)).map(|s| s.0))?;
    let status: Option<Vec<Status>> = status.into_iter().collect();
    let triangle = from.column(n, u32::from_le_bytes)?;
    let normal = from.short_triples(n)?;
    if material.iter().any(|&m| usize::from(m) >= materials.len()) {
        return Err("a particle's material has no name".into());
    }
    Ok(Points {
        frame: Frame {
            radius,
            material,
            normal,
            detail: Some(Detail {
                velocity,
                age,
                status: status.ok_or("a particle's state is not known")?,
                triangle,
            }),
            ..frame
        },
        materials,
    })
}

/// What is left of the bytes.
struct Reader<'a>(&'a [u8]);

type Read<T> = std::result::Result<T, String>;

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or("the file ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or("the file ends too early")?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u16(&mut self) -> Read<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Read<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Read<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Read<f64> {
        self.array().map(f64::from_le_bytes)
    }

    fn name(&mut self) -> Read<String> {
        let length = usize::from(self.u16()?);
        let bytes = self.take(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| "a material's name is no text".into())
    }

    fn column<T, const N: usize>(&mut self, n: usize, item: impl Fn([u8; N]) -> T) -> Read<Vec<T>> {
        let bytes = self.take(n.saturating_mul(N))?;
        let (items, _) = bytes.as_chunks::<N>();
        Ok(items.iter().map(|bytes| item(*bytes)).collect())
    }

    fn triples(&mut self, n: usize) -> Read<Vec<[Real; 3]>> {
        let flat = self.column(n.saturating_mul(3), f64::from_le_bytes)?;
        Ok(flat.as_chunks::<3>().0.to_vec())
    }

    fn short_triples(&mut self, n: usize) -> Read<Vec<Vec3>> {
        let flat = self.column(n.saturating_mul(3), f32::from_le_bytes)?;
        let (triples, _) = flat.as_chunks::<3>();
        Ok(triples.iter().map(|t| Vec3::from(t.map(Real::from))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Birth, NO_TRIANGLE, Particles};

    fn frame() -> Frame {
        let mut particles = Particles::default();
        for id in 0..50_u32 {
            let x = Real::from(id);
            let birth = Birth {
                position: Point3::new(x / 3.0, -x, 1e-300),
                velocity: Vec3::new(0.5, -x, 0.0),
                radius: 0.01 + x / 7.0,
                material: (id % 2) as u16,
                time: x / 100.0,
                key: 0,
            };
            match id % 3 {
                0 => particles.push(u64::from(id), &birth),
                _ => particles.push_settled(u64::from(id), &birth, Status::Rested, Vec3::y(), id),
            }
        }
        Frame::in_full(&particles, 7, 1.5)
    }

    fn bytes(frame: &Frame) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(frame, &["snow", "mud ü"], &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn every_column_comes_back() {
        let found = parse(&bytes(&frame())).unwrap();
        assert_eq!(found.materials, ["snow", "mud ü"]);
        assert_eq!(found.frame, frame());
        let detail = found.frame.detail.unwrap();
        assert_eq!((detail.triangle[0], detail.triangle[1]), (NO_TRIANGLE, 1));
        assert_eq!(detail.age[10], 1.5 - 0.1);
        assert_eq!(
            bytes(&frame()).len() as u64,
            40 + 2 + 6 + 8 + 50 * BYTES_A_PARTICLE + 32
        );
    }

    #[test]
    fn whatever_is_changed_or_cut_is_refused() {
        let good = bytes(&frame());
        for i in (0..good.len()).step_by(61) {
            let mut bad = good.clone();
            bad[i] ^= 0x20;
            assert!(parse(&bad).is_err(), "byte {i}");
            assert!(parse(&good[..i]).is_err(), "cut at {i}");
        }
        // With a hash that agrees, whatever it says, it must not panic or take all memory.
        for i in 16..good.len() - HASH {
            let mut body = good[..good.len() - HASH].to_vec();
            body[i] ^= 0x81;
            let hash = blake3::hash(&body);
            body.extend_from_slice(hash.as_bytes());
            let _ = parse(&body);
        }
    }
}
