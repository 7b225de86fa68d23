//! A picture of a slice (the paper's Figure 1): an arrow a cell along its normal, darker the closer it is to the surface.

use super::Grid;
use super::cells::Cell;
use crate::math::{Real, Vec3};

/// Which axis a slice is perpendicular to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Shows y to the right and z up.
    X,
    /// Shows x to the right and z down.
    Y,
    /// Shows x to the right and y up.
    Z,
}

/// A picture, 8 bits a channel, red green blue, rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Three bytes a pixel.
    pub pixels: Vec<u8>,
}

/// Longest side of a picture [pixels], as far as cells of four pixels allow.
const LONGEST: u32 = 1440;
/// Edge of a cell [pixels]: an arrow needs a few.
const EDGE: [u32; 2] = [5, 28];

/// Draws the slice through the grid at a share (0 .. 1) of its length along `axis`.
///
/// White is outside the field; blue shades lie before the surface and orange ones behind it, the darker the closer.
pub fn draw_slice(grid: &Grid, axis: Axis, share: Real) -> Picture {
    let view = View::new(grid, axis, share);
    let [columns, rows] = view.size();
    let edge = (LONGEST / columns.max(rows)).clamp(EDGE[0], EDGE[1]);
    let (width, height) = (columns * edge, rows * edge);
    let mut pixels = Vec::with_capacity(3 * (width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let cell = view.cell(x / edge, y / edge);
            let at = [x % edge, y % edge].map(|i| (Real::from(i) + 0.5) / Real::from(edge) - 0.5);
            pixels.extend(view.color(&cell, at, 1.0 / Real::from(edge)));
        }
    }
    Picture {
        width,
        height,
        pixels,
    }
}

struct View<'a> {
    grid: &'a Grid,
    axis: usize,
    layer: usize,
    /// Axis to the right, axis up, and whether up is turned down.
    right: usize,
    up: usize,
    flipped: bool,
}

impl<'a> View<'a> {
    fn new(grid: &'a Grid, axis: Axis, share: Real) -> Self {
        let (axis, right, up, flipped) = match axis {
            Axis::X => (0, 1, 2, false),
            Axis::Y => (1, 0, 2, true),
            Axis::Z => (2, 0, 1, false),
        };
        let layers = grid.layout.cells[axis];
        let layer = (share.clamp(0.0, 1.0) * Real::from(layers)) as usize;
        Self {
            grid,
            axis,
            layer: layer.min(layers as usize - 1),
            right,
            up,
            flipped,
        }
    }

    fn size(&self) -> [u32; 2] {
        [
            self.grid.layout.cells[self.right],
            self.grid.layout.cells[self.up],
        ]
    }

    fn cell(&self, column: u32, row: u32) -> Cell {
        let mut at = [0; 3];
        at[self.axis] = self.layer;
        at[self.right] = column as usize;
        let row = row as usize;
        at[self.up] = if self.flipped {
            row
        } else {
            self.grid.layout.cells[self.up] as usize - 1 - row
        };
        self.grid.store.cell(&self.grid.layout, at)
    }

    /// Colour of a pixel at a place in its cell (-0.5 .. 0.5, down).
    fn color(&self, cell: &Cell, [x, y]: [Real; 2], pixel: Real) -> [u8; 3] {
        let nearness = 1.0 - Real::from(cell.l.abs()) / self.grid.thickness;
        if !cell.is_set() || nearness <= 0.0 {
            return [255; 3];
        }
        // From a pale to a deep shade.
        let (pale, deep) = if cell.l < 0.0 {
            ([255.0, 236.0, 214.0], [150.0, 76.0, 10.0])
        } else {
            ([236.0, 242.0, 250.0], [38.0, 66.0, 112.0])
        };
        let ground: [Real; 3] = std::array::from_fn(|i| pale[i] + (deep[i] - pale[i]) * nearness);
        let ink = if nearness > 0.45 { 255.0 } else { 0.0 };
        let cover = self.arrow(cell, x, y, pixel);
        ground.map(|g| (g + (ink - g) * cover).round().clamp(0.0, 255.0) as u8)
    }

    /// How much of a pixel the arrow covers: a wedge from its thick foot to its tip.
    fn arrow(&self, cell: &Cell, x: Real, y: Real, pixel: Real) -> Real {
        let n = Vec3::from(cell.n.map(Real::from));
        let down = if self.flipped { n[self.up] } else { -n[self.up] };
        let direction = [n[self.right], down];
        let length = (direction[0] * direction[0] + direction[1] * direction[1]).sqrt();
        let half = 0.42 * length;
        if half < 1e-6 {
            return if x * x + y * y < 0.01 { 1.0 } else { 0.0 };
        }
        let [u, v] = direction.map(|d| d / length);
        let (along, across) = (x * u + y * v, (y * u - x * v).abs());
        let width = 0.16 * (half - along) / (2.0 * half);
        let inside = (width - across).min(half - along).min(along + half);
        (inside / pixel + 0.5).clamp(0.0, 1.0)
    }
}

impl Picture {
    /// The picture as a PNG file.
    pub fn png(&self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
        writer
            .write_image_data(&self.pixels)
            .map_err(std::io::Error::other)?;
        writer.finish().map_err(std::io::Error::other)?;
        Ok(bytes)
    }
}
