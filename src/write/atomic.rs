//! Whole files or none: everything is written under a temporary name in the same folder, then renamed.
//!
//! Knows bytes and paths, never what they mean. A killed program leaves at worst a temporary file, which
//! [`remove_leftovers`] clears. A power cut may lose the bytes of what was written last, which the manifest's hashes
//! show; what others rely on is written by [`write_durable`].

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// First part of every temporary name; no finished file starts with it.
const PREFIX: &str = ".partsim-tmp-";

/// Bytes between two calls of the system; larger ones gain nothing measurable.
const BUFFER: usize = 1 << 18;

/// What a finished file holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Length of the file.
    pub bytes: u64,
    /// BLAKE3 hash of the file, 64 lower-case hexadecimal digits.
    pub blake3: String,
}

impl Written {
    /// Length and hash of bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len() as u64,
            blake3: blake3::hash(bytes).to_hex().to_string(),
        }
    }
}

/// Writes a file by `fill` and gives it its name only when it is complete. An existing file is replaced in one
/// instant. On any error (also one from `fill`) nothing stands under `path` that was not there before, and the
/// message names `path`.
pub fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Written> {
    write_and_rename(path, fill, false).map_err(|why| told(path, &why))
}

/// The same, and it outlives a power cut from the moment this returns. Costs a disk some milliseconds.
pub fn write_durable(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Written> {
    let written = write_and_rename(path, fill, true).map_err(|why| told(path, &why))?;
    // Else the name itself may be lost. Not every system can do that, and then there is nothing to be done.
    if let Ok(folder) = fs_err::File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
    Ok(written)
}

/// Sees to it that a file that was written before outlives a power cut.
pub fn sync_file(path: &Path) -> Result<()> {
    let file = fs_err::OpenOptions::new().write(true).open(path)?;
    Ok(file.sync_data()?)
}

fn told(path: &Path, why: &io::Error) -> Error {
    Error::File(io::Error::new(
        why.kind(),
        format!("cannot write {}: {why}", path.display()),
    ))
}

fn write_and_rename(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    durable: bool,
) -> io::Result<Written> {
    let mut file = temporary_beside(path)?;
    let mut hashing = Hashing::new(file.as_file_mut());
    let mut out = BufWriter::with_capacity(BUFFER, &mut hashing);
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    let written = Written {
        bytes: hashing.bytes,
        blake3: hashing.hasher.finalize().to_hex().to_string(),
    };
    if durable {
        file.as_file().sync_data()?;
    }
    file.persist(path).map_err(|e| e.error)?;
    Ok(written)
}

fn temporary_beside(path: &Path) -> io::Result<NamedTempFile<File>> {
    let dir = folder_of(path);
    // Opened here rather than by tempfile, which would hide the file from other users (mode 0600) and put the
    // temporary path, which means nothing to the user, into its errors.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    tempfile::Builder::new().prefix(PREFIX).make_in(dir, open)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Removes the temporary files of killed runs in `dir` and says how many. Nobody else may be writing there.
pub fn remove_leftovers(dir: &Path) -> Result<usize> {
    let mut removed = 0;
    for entry in fs_err::read_dir(dir)? {
        let entry = entry?;
        let ours = entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes());
        if ours && entry.file_type()?.is_file() {
            fs_err::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Passes bytes on and takes their length and hash.
pub(crate) struct Hashing<W> {
    inner: W,
    pub(crate) hasher: blake3::Hasher,
    bytes: u64,
}

impl<W> Hashing<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self {
            inner,
            hasher: blake3::Hasher::new(),
            bytes: 0,
        }
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let taken = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..taken]);
        self.bytes += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs_err::read_dir(dir).expect("readable folder");
        let mut names: Vec<String> = entries
            .map(|e| e.expect("entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn length_and_hash_are_those_of_the_file() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("a.pov");
        let text = "sphere{<0,0,0>,1}//1\n".repeat(100_000);
        let written = write_file(&path, |out| out.write_all(text.as_bytes())).expect("written");
        assert_eq!(fs_err::read_to_string(&path).expect("read"), text);
        assert_eq!(written, Written::of(text.as_bytes()));
        assert_eq!(names(dir.path()), ["a.pov"]);
    }

    #[test]
    fn a_failure_keeps_the_old_file_and_names_it() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("frame_000007.pov");
        write_file(&path, |out| out.write_all(b"old")).expect("written");
        let failed = write_file(&path, |out| {
            out.write_all(&vec![b'x'; 2 * BUFFER])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        let error = failed.expect_err("fill failed");
        assert!(
            error.to_string().contains("frame_000007.pov: no storage space"),
            "{error}"
        );
        assert_eq!(error.exit_code(), 3);
        assert_eq!(fs_err::read(&path).expect("read"), b"old");
        assert_eq!(names(dir.path()), ["frame_000007.pov"]);
    }

    #[test]
    fn a_missing_folder_is_told_with_the_final_name_only() {
        let error = write_file(Path::new("no such folder/x.pov"), |_| Ok(())).expect_err("no folder");
        let message = error.to_string();
        assert!(
            message.starts_with("cannot write no such folder/x.pov: "),
            "{message}"
        );
        assert!(!message.contains(PREFIX), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_an_ordinary_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("temporary folder");
        write_file(&dir.path().join("a"), |_| Ok(())).expect("written");
        fs_err::File::create(dir.path().join("b")).expect("created");
        let mode = |name| {
            fs_err::metadata(dir.path().join(name))
                .expect("metadata")
                .permissions()
                .mode()
        };
        assert_eq!(mode("a"), mode("b"));
    }

    #[test]
    fn only_leftovers_are_removed() {
        let dir = tempfile::tempdir().expect("temporary folder");
        for name in [
            ".partsim-tmp-a1",
            ".partsim-tmp-b2",
            "frame_000001.pov",
            ".hidden",
        ] {
            fs_err::File::create(dir.path().join(name)).expect("created");
        }
        assert_eq!(remove_leftovers(dir.path()).expect("removed"), 2);
        assert_eq!(names(dir.path()), [".hidden", "frame_000001.pov"]);
    }
}
