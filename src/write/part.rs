//! A shard's particles of one picture to bytes and back, with every bit and with all counts.
//!
//! The bytes are trusted only behind the hash in the shard's manifest; what they say is checked all the same.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::frame::{Detail, Frame};
use crate::math::{Point3, Real, Vec3};
use crate::shard::Shard;
use crate::state::Tally;
use crate::write::{FrameStats, packed};

/// First bytes of the file, and its layout.
const MARK: &[u8; 16] = b"partsim part 2\r\n";

#[derive(Serialize)]
struct Columns<'a> {
    number: u32,
    time: Real,
    tally: Tally,
    id: &'a [u64],
    position: &'a [Point3],
    radius: &'a [Real],
    material: &'a [u16],
    normal: &'a [Vec3],
    detail: &'a Option<Detail>,
}

/// The same with columns of its own.
#[derive(Deserialize)]
struct Owned {
    number: u32,
    time: Real,
    tally: Tally,
    id: Vec<u64>,
    position: Vec<Point3>,
    radius: Vec<Real>,
    material: Vec<u16>,
    normal: Vec<Vec3>,
    detail: Option<Detail>,
}

/// Writes a frame and what has happened up to it.
pub fn write(frame: &Frame, tally: &Tally, out: &mut dyn Write) -> io::Result<FrameStats> {
    let columns = Columns {
        number: frame.number,
        time: frame.time,
        tally: *tally,
        id: &frame.id,
        position: &frame.position,
        radius: &frame.radius,
        material: &frame.material,
        normal: &frame.normal,
        detail: &frame.detail,
    };
    out.write_all(MARK)?;
    packed::write(&columns, out)?;
    let settled = (0..frame.len()).filter(|&i| frame.is_settled(i)).count() as u64;
    let particles = frame.len() as u64;
    Ok(FrameStats {
        particles,
        settled,
        airborne: particles - settled,
        ..FrameStats::default()
    })
}

/// Reads what [`write`] has written for this shard, of a scene with so many materials; an error says what is wrong.
pub fn read(bytes: &[u8], shard: Shard, materials: usize) -> Result<(Frame, Tally), String> {
    let body = bytes
        .strip_prefix(MARK)
        .ok_or("not a part of a frame by this version of partsim")?;
    let c: Owned = postcard::from_bytes(body).map_err(|why| format!("damaged ({why})"))?;
    let lengths = [c.position.len(), c.radius.len(), c.material.len(), c.normal.len()];
    let detail = c
        .detail
        .as_ref()
        .map(|d| [d.velocity.len(), d.age.len(), d.status.len(), d.triangle.len()]);
    if lengths
        .iter()
        .chain(detail.iter().flatten())
        .any(|&n| n != c.id.len())
    {
        return Err("damaged (its columns differ in length)".into());
    }
    if !c.id.is_sorted_by(|a, b| a < b) || !c.id.iter().all(|&id| id < c.tally.born && shard.owns(id)) {
        return Err("damaged (it holds particles that are not its own)".into());
    }
    if c.material.iter().any(|&m| usize::from(m) >= materials) {
        return Err("damaged (it names materials that the scene has not)".into());
    }
    let frame = Frame {
        number: c.number,
        time: c.time,
        id: c.id,
        position: c.position,
        radius: c.radius,
        material: c.material,
        normal: c.normal,
        detail: c.detail,
    };
    Ok((frame, c.tally))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Status;

    fn frame() -> Frame {
        Frame {
            number: 3,
            time: 0.125,
            id: vec![1, 4, 7],
            position: vec![Point3::new(1.0, -0.0, 1e-300); 3],
            radius: vec![0.1, 1.0 / 3.0, 2.0],
            material: vec![0, 1, 0],
            normal: vec![Vec3::zeros(), Vec3::y(), Vec3::zeros()],
            detail: Some(Detail {
                velocity: vec![Vec3::x(); 3],
                age: vec![0.1; 3],
                status: vec![Status::Airborne, Status::Stuck, Status::Airborne],
                triangle: vec![0, 1, u32::MAX],
            }),
        }
    }

    fn bytes(frame: &Frame) -> Vec<u8> {
        let tally = Tally {
            born: 8,
            ..Tally::default()
        };
        let mut bytes = Vec::new();
        let stats = write(frame, &tally, &mut bytes).expect("written");
        assert_eq!((stats.particles, stats.settled, stats.airborne), (3, 1, 2));
        bytes
    }

    #[test]
    fn a_part_comes_back_with_every_bit() {
        let shard = Shard::new(2, 3).expect("a shard");
        let (back, tally) = read(&bytes(&frame()), shard, 2).expect("read");
        assert_eq!((back, tally.born), (frame(), 8));
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let shard = Shard::new(2, 3).expect("a shard");
        let good = bytes(&frame());
        assert!(
            read(&good, Shard::new(1, 3).expect("a shard"), 2).is_err(),
            "another's particles"
        );
        assert!(read(&good, shard, 1).is_err(), "a material that is not there");
        for n in 0..good.len() {
            assert!(read(&good[..n], shard, 2).is_err(), "cut at {n}");
        }
        let mut short = frame();
        short.radius.pop();
        assert!(
            read(&bytes(&short), shard, 2).is_err(),
            "columns of different length"
        );
        let mut twice = frame();
        twice.id[1] = 1;
        assert!(read(&bytes(&twice), shard, 2).is_err(), "a particle twice");
    }
}
