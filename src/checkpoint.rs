//! The state of a run to bytes and back, so that a run that was cut off goes on as if nothing had happened.
//!
//! A file starts with a mark, its layout and what the state was computed from, and ends with a BLAKE3 hash of all
//! before; nothing of it is believed until the hash agrees. Floats keep all their bits.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use crate::error::{Error, Result};
use crate::state::State;
use crate::write::atomic::{Hashing, write_durable};
use crate::write::manifest::Manifest;
use crate::write::packed;

/// Name of the file in its run folder.
pub const FILE_NAME: &str = "checkpoint.bin";

/// First bytes of the file; the line ends and the end-of-text mark show a transfer that was not binary.
const MARK: &[u8; 16] = b"partsim state\r\n\x1a";
/// Layout that this program writes and reads.
const FORMAT: u32 = 2;
/// Length of the hash at the end.
const HASH: usize = 32;
/// Longest text of inputs that is believed: a scene of 10,000 meshes needs a tenth of it.
const LONGEST_INPUTS: u32 = 1 << 24;

/// A state and what it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Scene, meshes, settings and program that it was computed from and by; holds no frames.
    pub inputs: Manifest,
    /// The last frame that was simulated.
    pub frame: u32,
    /// The state after that frame.
    pub state: State,
}

/// Writes `DIR/checkpoint.bin`, whole or not at all.
pub fn write(dir: &Path, inputs: &Manifest, frame: u32, state: &State) -> Result<()> {
    let inputs = serde_json::to_vec(&inputs.without_frames()).map_err(io::Error::from)?;
    let length = u32::try_from(inputs.len()).map_err(io::Error::other)?;
    write_durable(&dir.join(FILE_NAME), |out| {
        let mut hashing = Hashing::new(&mut *out);
        hashing.write_all(MARK)?;
        for number in [FORMAT, frame, length] {
            hashing.write_all(&number.to_le_bytes())?;
        }
        hashing.write_all(&inputs)?;
        packed::write(state, &mut hashing)?;
        let hash = hashing.hasher.finalize();
        out.write_all(hash.as_bytes())
    })?;
    Ok(())
}

/// Reads `DIR/checkpoint.bin`; `None` when there is none. A damaged, foreign or newer file is an error that says so.
pub fn read(dir: &Path) -> Result<Option<Checkpoint>> {
    let path = dir.join(FILE_NAME);
    let file = match fs_err::File::open(&path) {
        Ok(file) => file,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why.into()),
    };
    drop(file);
    let refuse = |why: String| Error::damaged(format!("{}: {why}", path.display()));
    let length = whole_length(&path)?.ok_or_else(|| {
        refuse("the checkpoint is cut off or damaged; delete it, or run without --resume".into())
    })?;
    let file = fs_err::File::open(&path)?;
    parse(BufReader::new(file).take(length)).map(Some).map_err(refuse)
}

/// Length of the file without its hash, when the hash agrees.
fn whole_length(path: &Path) -> Result<Option<u64>> {
    let Some(length) = fs_err::metadata(path)?.len().checked_sub(HASH as u64) else {
        return Ok(None);
    };
    let mut file = BufReader::new(fs_err::File::open(path)?);
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut file.by_ref().take(length), &mut hasher)?;
    let mut hash = [0; HASH];
    file.read_exact(&mut hash)?;
    Ok((*hasher.finalize().as_bytes() == hash).then_some(length))
}

/// Reads everything before the hash. Never takes more memory than a few times what is there to read.
fn parse(mut from: impl Read) -> std::result::Result<Checkpoint, String> {
    let short = |why: io::Error| format!("the checkpoint ends too early ({why})");
    let mut mark = [0; MARK.len()];
    from.read_exact(&mut mark).map_err(short)?;
    if mark != *MARK {
        return Err("not a partsim checkpoint".into());
    }
    let mut number = || -> std::result::Result<u32, String> {
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes).map_err(short)?;
        Ok(u32::from_le_bytes(bytes))
    };
    let (format, frame, length) = (number()?, number()?, number()?);
    if format != FORMAT {
        return Err(format!(
            "has layout {format}, this program knows {FORMAT}; resume with the version that wrote it, or run without --resume"
        ));
    }
    if length > LONGEST_INPUTS {
        return Err("the checkpoint is damaged (its inputs are too long)".into());
    }
    let mut text = Vec::new();
    from.by_ref()
        .take(u64::from(length))
        .read_to_end(&mut text)
        .map_err(short)?;
    let inputs = serde_json::from_slice(&text)
        .map_err(|why| format!("the checkpoint's inputs are damaged ({why})"))?;
    // Room for one number: no field of a state is text or bytes.
    let (state, _) = postcard::from_io::<State, _>((from, &mut [0; 16]))
        .map_err(|why| format!("the checkpoint's state is damaged ({why})"))?;
    match state.fault() {
        None => Ok(Checkpoint { inputs, frame, state }),
        Some(fault) => Err(format!("the checkpoint's state is damaged ({fault})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point3, Vec3};
    use crate::state::{Birth, Status};
    use crate::write::manifest::{Input, Settings};

    fn inputs() -> Manifest {
        Manifest::new(
            Input::new("", Path::new("a.ron"), b"scene"),
            vec![Input::new("m", Path::new("m.obj"), b"mesh")],
            Settings {
                collision: "exact".into(),
                seed: 7,
                frames: 5,
                frame_rate: 24.0,
                steps_per_frame: 2,
            },
        )
    }

    fn state() -> State {
        let mut state = State::default();
        for id in 0..100_u32 {
            let x = 0.1 * f64::from(id);
            state.particles.push(
                u64::from(id),
                &Birth {
                    position: Point3::new(x, -x / 3.0, 1e-300),
                    velocity: Vec3::new(-0.0, f64::MIN_POSITIVE, x),
                    radius: 0.01,
                    material: 0,
                    time: x,
                    key: u64::MAX - u64::from(id),
                },
            );
        }
        state.particles.status[3] = Status::Rested;
        state.step = 12;
        state.emitted = vec![100];
        state.tally.born = 100;
        state.tally.deepest = 1.0 / 3.0;
        state
    }

    #[test]
    fn a_state_comes_back_with_every_bit() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &inputs(), 6, &state()).unwrap();
        let back = read(dir.path()).unwrap().unwrap();
        assert_eq!((back.frame, &back.inputs, &back.state), (6, &inputs(), &state()));
        assert!(
            back.state.particles.velocity[0].x.is_sign_negative(),
            "the sign of zero is lost"
        );
    }

    #[test]
    fn no_file_is_no_checkpoint() {
        assert_eq!(read(tempfile::tempdir().unwrap().path()).unwrap(), None);
    }

    #[test]
    fn a_changed_or_missing_byte_anywhere_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE_NAME);
        write(dir.path(), &inputs(), 6, &state()).unwrap();
        let good = fs_err::read(&path).unwrap();
        for i in (0..good.len()).step_by(97) {
            let mut bad = good.clone();
            bad[i] ^= 0x10;
            fs_err::write(&path, &bad).unwrap();
            assert!(read(dir.path()).is_err(), "byte {i}");
            fs_err::write(&path, &good[..i]).unwrap();
            assert!(read(dir.path()).is_err(), "cut at {i}");
        }
    }

    #[test]
    fn bytes_that_pass_the_hash_but_make_no_state_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &inputs(), 6, &state()).unwrap();
        let good = fs_err::read(dir.path().join(FILE_NAME)).unwrap();
        let body = &good[..good.len() - HASH];
        for i in (0..body.len()).step_by(13) {
            for bit in [0x01, 0x80] {
                let mut bad = body.to_vec();
                bad[i] ^= bit;
                // Whatever it says, it must not panic, hang or take all memory.
                let _ = parse(&bad[..]);
            }
            assert!(parse(&body[..i]).is_err(), "cut at {i}");
        }
        let mut one_short = state();
        one_short.particles.radius.pop();
        write(dir.path(), &inputs(), 6, &one_short).unwrap();
        let why = read(dir.path()).unwrap_err().to_string();
        assert!(why.contains("columns"), "{why}");
    }
}
