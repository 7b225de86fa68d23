//! Values in postcard's layout, straight to a file.

use std::io::{self, Write};

use serde::Serialize;

/// Writes a value. An error is that of `out`, so that a full disk is called by its name: postcard itself would only say
/// that its buffer is full.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut noting = Noting { out, error: None };
    match postcard::to_io(value, &mut noting) {
        Ok(_) => Ok(()),
        Err(why) => Err(noting.error.unwrap_or_else(|| io::Error::other(why))),
    }
}

/// Passes bytes on and keeps the first error.
struct Noting<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl Noting<'_> {
    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|why| {
            let same = io::Error::from(why.kind());
            self.error.get_or_insert(why);
            same
        })
    }
}

impl Write for Noting<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let done = self.out.write(buffer);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.note(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_called_by_its_name() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::new(io::ErrorKind::StorageFull, "the disk is full"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let why = write(&vec![1.0; 9], &mut Full).expect_err("full");
        assert_eq!(
            (why.kind(), why.to_string()),
            (io::ErrorKind::StorageFull, "the disk is full".into())
        );
        let mut bytes = Vec::new();
        write(&(7_u32, "a"), &mut bytes).expect("written");
        assert_eq!(postcard::from_bytes::<(u32, &str)>(&bytes), Ok((7, "a")));
    }
}
