//! What can go wrong, told so that the reader can mend it, and the exit code of each kind.
//!
//! The library returns [`Error`] and prints nothing; the binary renders it.

mod render;

use std::path::{Path, PathBuf};

pub use render::Severity;

/// A place in a text file. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user would type it.
    pub path: PathBuf,
    /// Physical line.
    pub line: usize,
    /// First column of the marked text.
    pub column: usize,
    /// How many characters are marked, at least 1.
    pub width: usize,
    /// The text of that line (shortened when very long; `column` then refers to the shortened text).
    pub excerpt: String,
}

/// One mistake or remark: where, which field, what was expected and found, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// `emitters[1].rate: expected a number > 0 [particles/s], found -3`.
    pub message: String,
    /// Where it stands, if it stands anywhere.
    pub place: Option<Place>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic that has no place in a file yet.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
            help: None,
        }
    }

    /// The same, with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}

/// Everything that a command can fail with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scene or one of its meshes is wrong: at least one diagnostic.
    #[error("{}", .0.first().map_or("bad input", |d| d.message.as_str()))]
    Input(Vec<Diagnostic>),
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written; the text names it.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The user asked to stop; the run folder is valid.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

impl Error {
    /// One mistake in the input.
    pub fn input(diagnostic: Diagnostic) -> Self {
        Self::Input(vec![diagnostic])
    }

    /// A file that is missing or unreadable although the input names it.
    pub fn unreadable(path: &Path, why: &std::io::Error) -> Self {
        Self::input(Diagnostic::new(format!("cannot read {}: {why}", path.display())))
    }

    /// A file of a run folder that does not hold what it should; `message` names it.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::File(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            message.into(),
        ))
    }

    /// The process exit code of this error, as documented in the README.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 1,
            Self::Usage(_) => 2,
            Self::File(_) => 3,
            Self::Interrupted(_) => 130,
        }
    }
}

/// Shorthand of the whole library.
pub type Result<T> = std::result::Result<T, Error>;
