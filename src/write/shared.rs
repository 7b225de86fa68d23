//! Pieces of frames that frames share: files named by the hash of what they hold, so that equal pieces are one file.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::Pieces;
use super::atomic::{Written, write_file};

/// Folder of these files in a run folder.
pub const FOLDER: &str = "shared";

/// Hexadecimal digits of a name: 128 bits of the hash.
const DIGITS: usize = 32;

/// The pieces of a run folder that is being written.
pub struct SharedPieces {
    dir: PathBuf,
    /// Names of pieces that are known to be whole.
    known: BTreeSet<String>,
    /// Bytes of the pieces that were not there before.
    pub bytes: u64,
}

impl SharedPieces {
    /// Of the run folder `dir`; makes their folder.
    ///
    /// # Errors
    /// Those of making it.
    pub fn open(dir: &Path) -> crate::error::Result<Self> {
        fs_err::create_dir_all(dir.join(FOLDER))?;
        super::atomic::remove_leftovers(&dir.join(FOLDER))?;
        Ok(Self {
            dir: dir.into(),
            known: BTreeSet::new(),
            bytes: 0,
        })
    }
}

impl Pieces for SharedPieces {
    fn keep(&mut self, text: &[u8]) -> io::Result<String> {
        let name = name_of(text);
        if !self.known.contains(&name) {
            let path = self.dir.join(&name);
            // A piece of an earlier run is believed only when every byte is there.
            let there = path.is_file() && fs_err::read(&path)? == text;
            if !there {
                write_file(&path, |out| out.write_all(text)).map_err(io::Error::other)?;
                self.bytes += text.len() as u64;
            }
            self.known.insert(name.clone());
        }
        Ok(name)
    }
}

/// Removes all pieces of a run folder.
///
/// # Errors
/// Those of removing them.
pub fn remove_all(dir: &Path) -> crate::error::Result<()> {
    let folder = dir.join(FOLDER);
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs_err::read_dir(&folder)? {
        let entry = entry?;
        let name = format!("#include \"{FOLDER}/{}\"", entry.file_name().to_string_lossy());
        if piece_of(&name).is_some() {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The name of a piece in its run folder: `shared/0123456789abcdef0123456789abcdef.inc`.
pub fn name_of(text: &[u8]) -> String {
    let hash = Written::of(text).blake3;
    format!("{FOLDER}/{}.inc", &hash[..DIGITS])
}

/// The pieces that a frame's text includes, in order, again where it names one again.
pub fn included(frame: &str) -> impl Iterator<Item = &str> {
    frame.lines().filter_map(piece_of)
}

/// The piece that a line includes.
pub fn piece_of(line: &str) -> Option<&str> {
    let name = line.strip_prefix("#include \"")?.strip_suffix('"')?;
    let digits = name
        .strip_prefix(FOLDER)?
        .strip_prefix('/')?
        .strip_suffix(".inc")?;
    let good = digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit());
    good.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pieces_are_written_once_and_damaged_ones_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut pieces = SharedPieces::open(dir.path()).unwrap();
        let name = pieces.keep(b"sphere\n").unwrap();
        assert_eq!(pieces.keep(b"sphere\n").unwrap(), name);
        assert_ne!(pieces.keep(b"spheres\n").unwrap(), name);
        assert_eq!(pieces.bytes, 15);
        let path = dir.path().join(&name);
        assert_eq!(fs_err::read(&path).unwrap(), b"sphere\n");
        assert_eq!(piece_of(&format!("#include \"{name}\"")), Some(&name[..]));
        write_file(&path, |out| out.write_all(b"spherx\n")).unwrap();
        let mut later = SharedPieces::open(dir.path()).unwrap();
        later.keep(b"sphere\n").unwrap();
        assert_eq!(fs_err::read(&path).unwrap(), b"sphere\n");
        assert_eq!(later.bytes, 7);
    }

    #[test]
    fn only_names_of_pieces_are_pieces() {
        for line in [
            "#include \"common.inc\"",
            "#include \"shared/../../x.inc\"",
            "#include \"shared/0123456789abcdef0123456789abcdeg.inc\"",
            " #include \"shared/0123456789abcdef0123456789abcdef.inc\"",
        ] {
            assert_eq!(piece_of(line), None, "{line}");
        }
    }
}
