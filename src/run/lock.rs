//! One run at a time in a folder: a file in it that is locked while a run lasts, and gone afterwards.
//!
//! The lock is the system's, so a run that was killed holds none, whatever it has left behind.

use std::fs::{OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Name of the file.
const FILE_NAME: &str = ".partsim-lock";
/// How often a file that was taken away while it was being locked is looked for again.
const TRIES: usize = 100;

/// A folder that is ours until this is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// `None` where the file system knows no locks: then nothing keeps others out.
    file: Option<std::fs::File>,
}

impl Lock {
    /// Takes a folder, which must exist; an error says who has it.
    pub fn take(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE_NAME);
        for _ in 0..TRIES {
            let mut file = open(&path).map_err(|why| told(&path, &why))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken(dir, &mut file)),
                Err(TryLockError::Error(why)) if knows_no_locks(&why) => {
                    return Ok(Self { path, file: None });
                }
                Err(TryLockError::Error(why)) => return Err(told(&path, &why)),
            }
            // Whoever had it before may have removed it in between: then it is locked, but nobody can find it.
            if is_there(&path, &file) {
                let who = format!("process {} on {}\n", std::process::id(), host());
                // Only for the message to others.
                let _ = file.set_len(0).and_then(|()| file.write_all(who.as_bytes()));
                return Ok(Self {
                    path,
                    file: Some(file),
                });
            }
        }
        Err(Error::File(io::Error::other(format!(
            "cannot lock {}",
            path.display()
        ))))
    }

    /// The same, if the folder exists.
    pub fn take_existing(dir: &Path) -> Result<Option<Self>> {
        dir.is_dir().then(|| Self::take(dir)).transpose()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still locked, so that nobody's file is taken away but ours.
        let _ = fs_err::remove_file(&self.path);
        self.file = None;
    }
}

fn open(path: &Path) -> io::Result<std::fs::File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

fn told(path: &Path, why: &io::Error) -> Error {
    Error::File(io::Error::new(
        why.kind(),
        format!("cannot lock {}: {why}", path.display()),
    ))
}

fn taken(dir: &Path, file: &mut std::fs::File) -> Error {
    let mut who = String::new();
    let read = file
        .rewind()
        .and_then(|()| file.take(200).read_to_string(&mut who));
    let who = match read {
        Ok(1..) => format!(" ({})", who.trim()),
        _ => String::new(),
    };
    Error::File(io::Error::new(
        io::ErrorKind::ResourceBusy,
        format!(
            "another run is writing to {}{who}: wait for it, or give another --out",
            dir.display()
        ),
    ))
}

fn knows_no_locks(why: &io::Error) -> bool {
    why.kind() == io::ErrorKind::Unsupported
}

fn host() -> String {
    let name = fs_err::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() {
        "this machine".into()
    } else {
        name.into()
    }
}

/// Whether the file that is open is the one that others find.
#[cfg(unix)]
fn is_there(path: &Path, file: &std::fs::File) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs_err::metadata(path), file.metadata()) {
        (Ok(found), Ok(ours)) => (found.dev(), found.ino()) == (ours.dev(), ours.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_there(path: &Path, _: &std::fs::File) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_folder_is_taken_once_and_free_again_afterwards() {
        let dir = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(dir.path()).expect("free");
        let why = Lock::take(dir.path()).expect_err("taken");
        assert_eq!(why.exit_code(), 3);
        let said = why.to_string();
        assert!(
            said.contains("another run is writing to") && said.contains("process"),
            "{said}"
        );
        drop(lock);
        assert_eq!(fs_err::read_dir(dir.path()).expect("a folder").count(), 0);
        // What a killed run has left is in nobody's way.
        fs_err::write(dir.path().join(FILE_NAME), "process 1 on elsewhere").expect("a file");
        drop(Lock::take(dir.path()).expect("free"));
    }

    #[test]
    fn never_two_at_a_time() {
        let dir = tempfile::tempdir().expect("a folder");
        let inside = AtomicU32::new(0);
        let take_often = || {
            let mut taken = 0;
            while taken < 25 {
                let Ok(lock) = Lock::take(dir.path()) else {
                    std::thread::yield_now();
                    continue;
                };
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at a time");
                taken += 1;
                std::thread::yield_now();
                inside.fetch_sub(1, Ordering::SeqCst);
                drop(lock);
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(take_often))));
    }
}
