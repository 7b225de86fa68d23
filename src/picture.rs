//! Pictures of eight bits a channel, and PNG files of them.
//!
//! Knows nothing of what a picture shows.

use std::io::{self, BufReader, Write};
use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};

use crate::error::{Error, Result};

/// Deflate packs no more than this many bytes into one, so a shorter file cannot hold its picture.
const LARGEST_RATIO: u64 = 1032;
/// Bytes of a file beside its pixels that the bound of [`Picture::read_png`] allows for.
const ALLOWANCE: u64 = 64;

/// A picture, row by row from the top, each pixel as red, green, blue and opacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height` pixels, sRGB, 255 opaque.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Reads a PNG file of any kind; sixteen bits a channel become eight. A damaged or cut off file is an error that
    /// names it.
    pub fn read_png(path: &Path) -> Result<Self> {
        let bytes = fs_err::metadata(path)?.len();
        let file = fs_err::File::open(path)?;
        let refuse = |why: String| Error::damaged(format!("{}: {why}", path.display()));
        let mut decoder = Decoder::new(BufReader::new(file));
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let mut reader = decoder
            .read_info()
            .map_err(|why| refuse(format!("not a PNG picture ({why})")))?;
        let size = reader
            .output_buffer_size()
            .filter(|&size| size as u64 <= bytes.saturating_add(ALLOWANCE).saturating_mul(8 * LARGEST_RATIO));
        let Some(size) = size else {
            return Err(refuse("the picture is cut off or damaged".into()));
        };
        let mut buffer = vec![0; size];
        let frame = reader
            .next_frame(&mut buffer)
            .map_err(|why| refuse(format!("the picture is cut off or damaged ({why})")))?;
        buffer.truncate(frame.buffer_size());
        Ok(Self {
            width: frame.width,
            height: frame.height,
            pixels: in_four_channels(&buffer, frame.color_type),
        })
    }

    /// Writes a PNG file to `out`; without opacity when every pixel is opaque.
    ///
    /// # Errors
    /// Those of `out`, and a picture without pixels.
    pub fn print_png(&self, out: &mut dyn Write) -> io::Result<()> {
        let opaque = self.pixels.iter().all(|p| p[3] == 255);
        let mut encoder = Encoder::new(out, self.width, self.height);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_color(if opaque { ColorType::Rgb } else { ColorType::Rgba });
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        let channels = if opaque { 3 } else { 4 };
        let bytes: Vec<u8> = self.pixels.iter().flat_map(|p| &p[..channels]).copied().collect();
        writer.write_image_data(&bytes).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)
    }
}

fn in_four_channels(bytes: &[u8], kind: ColorType) -> Vec<[u8; 4]> {
    let pixels = bytes.chunks_exact(kind.samples());
    let pixel = |p: &[u8]| match *p {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [r, g, b] => [r, g, b, 255],
        [r, g, b, alpha] => [r, g, b, alpha],
        _ => [0; 4],
    };
    pixels.map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(alpha: u8) -> Picture {
        Picture {
            width: 5,
            height: 3,
            pixels: (0..15).map(|i| [i * 10, 255 - i, i, alpha]).collect(),
        }
    }

    fn file_of(picture: &Picture) -> Vec<u8> {
        let mut bytes = Vec::new();
        picture.print_png(&mut bytes).unwrap();
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Picture> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        crate::write::atomic::write_file(&path, |out| out.write_all(bytes)).unwrap();
        Picture::read_png(&path)
    }

    #[test]
    fn a_picture_comes_back() {
        for alpha in [255, 100] {
            assert_eq!(read(&file_of(&sample(alpha))).unwrap(), sample(alpha));
        }
    }

    #[test]
    fn damaged_files_are_refused_with_their_name() {
        let good = file_of(&sample(255));
        for cut in [0, 7, 20, 40, good.len() / 2] {
            let why = read(&good[..cut]).unwrap_err().to_string();
            assert!(why.contains("a.png"), "{why}");
        }
        // A header that promises far more pixels than the file can hold.
        let mut huge = good.clone();
        huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        assert!(read(&huge).is_err());
    }
}
