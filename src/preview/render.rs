//! All pixels of a picture: tiles of rays in parallel, what is open smoothed, edges looked at more closely.
//!
//! Each pixel is computed from the scene and its own place alone, so threads do not show.

use rayon::prelude::*;

use super::paint::{Paint, Rgb, V3};
use super::trace::{Sample, Scratch, Seen, Tracer};
use crate::math::{Real, Vec3};

/// Side of a tile [pixels].
const TILE: u32 = 4;
/// Further rays through a pixel on an edge, as shifts [pixels].
const EDGE_RAYS: [[Real; 2]; 3] = [[-0.35, -0.25], [0.35, -0.1], [0.0, 0.35]];
/// Difference of depth, as a share, and cosine between normals that make an edge.
const EDGE: (Real, f32) = (0.05, -1.0);
/// The same for places whose views of the sky are alike.
const ALIKE: (Real, f32) = (0.03, 0.8);
/// Light of the sky that reaches a place which is all but covered.
const LEAST_OPEN: f32 = 0.25;

/// Traces and colours a picture of so many pixels; gives colours and what was seen, row by row.
pub fn render(tracer: &Tracer, width: u32, height: u32) -> (Vec<[u8; 4]>, Vec<Seen>) {
    let shot = Shot {
        tracer,
        width,
        height,
        aspect: Real::from(width) / Real::from(height),
        encoder: Encoder::new(),
    };
    let rows: Vec<Vec<Sample>> = (0..height.div_ceil(TILE))
        .into_par_iter()
        .map_init(Scratch::default, |scratch, row| shot.row_of_tiles(row, scratch))
        .collect();
    let samples: Vec<Sample> = rows.into_iter().flatten().collect();
    let colors = (0..height)
        .into_par_iter()
        .map_init(Scratch::default, |scratch, y| {
            (0..width)
                .map(|x| shot.pixel(&samples, x, y, scratch))
                .collect::<Vec<_>>()
        });
    let colors: Vec<Vec<[u8; 4]>> = colors.collect();
    let seen = samples.iter().map(|s| s.seen).collect();
    (colors.concat(), seen)
}

struct Shot<'a> {
    tracer: &'a Tracer<'a>,
    width: u32,
    height: u32,
    aspect: Real,
    encoder: Encoder,
}

impl Shot<'_> {
    /// The ray through a place in the picture [pixels]; pixel (0, 0) has its middle at (0.5, 0.5).
    fn ray(&self, x: Real, y: Real) -> Vec3 {
        let (x, y) = (x / Real::from(self.width), y / Real::from(self.height));
        self.tracer.view.camera.ray(x, y, self.aspect)
    }

    fn middle(&self, x: u32, y: u32) -> Vec3 {
        self.ray(Real::from(x) + 0.5, Real::from(y) + 0.5)
    }

    /// The samples of a row of tiles, pixel rows one after the other.
    fn row_of_tiles(&self, row: u32, scratch: &mut Scratch) -> Vec<Sample> {
        let rows = row * TILE..(row * TILE + TILE).min(self.height);
        let mut samples: Vec<Option<Sample>> = vec![None; rows.len() * self.width as usize];
        for left in (0..self.width).step_by(TILE as usize) {
            let columns = left..(left + TILE).min(self.width);
            self.tile(columns, rows.clone(), scratch, |x, y, sample| {
                samples[((y - rows.start) * self.width + x) as usize] = Some(sample);
            });
        }
        samples.into_iter().flatten().collect()
    }

    fn tile(
        &self,
        columns: std::ops::Range<u32>,
        rows: std::ops::Range<u32>,
        scratch: &mut Scratch,
        mut put: impl FnMut(u32, u32, Sample),
    ) {
        let pixels = || rows.clone().flat_map(|y| columns.clone().map(move |x| (x, y)));
        let rays: Vec<Vec3> = pixels().map(|(x, y)| self.middle(x, y)).collect();
        let behind = self.tracer.backdrops(&rays);
        let middle = |range: &std::ops::Range<u32>| 0.5 * (Real::from(range.start) + Real::from(range.end));
        let axis = self.ray(middle(&columns), middle(&rows));
        let far = behind.iter().map(|s| s.at).fold(0.0, Real::max);
        let widening = rays.iter().map(|ray| spread(ray, &axis)).fold(0.0, Real::max);
        self.tracer.gather(&axis, widening, far, &mut scratch.near);
        let each = rays.iter().zip(behind);
        let mut samples: Vec<Sample> = each
            .map(|(ray, behind)| self.tracer.first(&axis, ray, behind, scratch))
            .collect();
        self.tracer.light(&mut samples);
        for ((x, y), mut sample) in pixels().zip(samples) {
            sample.open = self.tracer.open(&sample, (x % TILE + TILE * (y % TILE)) as usize);
            put(x, y, sample);
        }
    }

    /// The colour of a pixel, from several rays where it lies on an edge.
    fn pixel(&self, samples: &[Sample], x: u32, y: u32, scratch: &mut Scratch) -> [u8; 4] {
        let own = &samples[(y * self.width + x) as usize];
        let open = self.smooth_open(samples, x, y);
        if !self.is_edge(samples, x, y) {
            return self.encoder.pixel(self.color(own, &self.middle(x, y), open));
        }
        let rays = EDGE_RAYS.map(|[dx, dy]| self.ray(Real::from(x) + 0.5 + dx, Real::from(y) + 0.5 + dy));
        let axis = self.middle(x, y);
        let behind = self.tracer.backdrops(&rays);
        let far = behind.iter().map(|s| s.at).fold(0.0, Real::max);
        let widening = rays.iter().map(|ray| spread(ray, &axis)).fold(0.0, Real::max);
        self.tracer.gather(&axis, widening, far, &mut scratch.near);
        let each = rays.iter().zip(behind);
        let mut further: Vec<Sample> = each
            .map(|(ray, behind)| self.tracer.first(&axis, ray, behind, scratch))
            .collect();
        self.tracer.light(&mut further);
        let mut sum = self.color(own, &axis, open).map(|c| c.clamp(0.0, 1.0));
        for (sample, ray) in further.iter().zip(&rays) {
            let open = if sample.seen == own.seen { open } else { 1.0 };
            for (sum, c) in sum.iter_mut().zip(self.color(sample, ray, open)) {
                *sum += c.clamp(0.0, 1.0);
            }
        }
        self.encoder
            .pixel(sum.map(|c| c / (1.0 + EDGE_RAYS.len() as f32)))
    }

    fn neighbours(&self, x: u32, y: u32, from: i64, to: i64) -> impl Iterator<Item = usize> {
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        let at = move |dx, dy| (i64::from(x) + dx, i64::from(y) + dy);
        (from..=to)
            .flat_map(move |dy| (from..=to).map(move |dx| at(dx, dy)))
            .filter(move |(x, y)| (0..width).contains(x) && (0..height).contains(y))
            .map(move |(x, y)| (y * width + x) as usize)
    }

    fn is_edge(&self, samples: &[Sample], x: u32, y: u32) -> bool {
        let own = &samples[(y * self.width + x) as usize];
        self.neighbours(x, y, -1, 1)
            .any(|i| !like(own, &samples[i], EDGE))
    }

    /// What is open at a pixel: the mean over places near by that are alike, which use the other directions.
    fn smooth_open(&self, samples: &[Sample], x: u32, y: u32) -> f32 {
        let own = &samples[(y * self.width + x) as usize];
        let (mut sum, mut n) = (0.0, 0.0);
        for other in self.neighbours(x, y, -1, 2).map(|i| &samples[i]) {
            if like(own, other, ALIKE) {
                sum += other.open;
                n += 1.0;
            }
        }
        if n > 0.0 { sum / n } else { own.open }
    }

    fn color(&self, sample: &Sample, ray: &Vec3, open: f32) -> Rgb {
        let view = self.tracer.view;
        let ray32 = ray.cast::<f32>();
        match sample.seen {
            Seen::Sky => view.sky(&ray32),
            Seen::Ground => {
                let Some(ground) = &view.ground else {
                    return [0.0; 3];
                };
                let (color, [emission, diffuse]) = ground.at(sample.place.x, sample.place.z);
                let light = self.light(sample, 1.0, open);
                [0, 1, 2].map(|k| color[k] * (emission + diffuse * light[k]))
            }
            Seen::Scenery(number) => {
                let Some(paint) = self.tracer.scenery.paint_at(number) else {
                    return [0.0; 3];
                };
                self.painted(paint, sample, &ray32, open)
            }
            Seen::Particles { material, flying } => {
                let Some(material) = view.materials.values().nth(usize::from(material)) else {
                    return [0.0; 3];
                };
                let paint = if flying {
                    &material.flying
                } else {
                    &material.settled
                };
                let front = self.painted(paint, sample, &ray32, open);
                if paint.transmit == 0.0 {
                    return front;
                }
                let mut behind = [self.tracer.backdrop(ray)];
                self.tracer.light(&mut behind);
                let through = self.color(&behind[0], ray, 1.0);
                let tint = paint.colors.first().map_or([1.0; 3], |c| c.1);
                [0, 1, 2].map(|k| {
                    let clear = paint.transmit * (0.4 + 0.6 * tint[k]);
                    front[k] * (1.0 - paint.transmit) + through[k] * clear
                })
            }
        }
    }

    /// Light that falls on a place, by lights and the cosine's exponent.
    fn light(&self, sample: &Sample, brilliance: f32, open: f32) -> Rgb {
        let mut sum = [0.0; 3];
        for (light, bit) in self.tracer.view.lights.iter().take(32).zip(0..) {
            if sample.lit >> bit & 1 == 0 {
                continue;
            }
            let to = (light.place - sample.place).normalize().cast::<f32>();
            let cosine = to.dot(&sample.normal).max(0.0);
            let soft = if light.shadows {
                1.0
            } else {
                LEAST_OPEN + (1.0 - LEAST_OPEN) * open
            };
            let factor = soft
                * if brilliance == 1.0 {
                    cosine
                } else {
                    libm::powf(cosine, brilliance)
                };
            for (sum, c) in sum.iter_mut().zip(light.color) {
                *sum += factor * c;
            }
        }
        sum
    }

    fn painted(&self, paint: &Paint, sample: &Sample, ray: &V3, open: f32) -> Rgb {
        let facing = (-ray.dot(&sample.normal)).clamp(0.0, 1.0);
        let base = paint.color(facing);
        let light = self.light(sample, paint.brilliance, open);
        let (away, away2) = (1.0 - facing, (1.0 - facing) * (1.0 - facing));
        let rim = away * away2 * away2;
        let [front, side] = paint.mirror;
        let mirror = front + (side - front) * rim;
        let mut out =
            [0, 1, 2].map(|k| base[k] * (paint.emission[k] + (1.0 - mirror) * paint.diffuse * light[k]));
        if paint.specular[0] > 0.0 {
            let highlight = self.highlight(paint, sample, ray);
            out = [0, 1, 2].map(|k| out[k] + highlight[k]);
        }
        if mirror > 0.0 {
            let mirrored = self.mirrored(&(ray + sample.normal * (2.0 * facing)));
            out = [0, 1, 2].map(|k| out[k] + mirror * open * mirrored[k]);
        }
        out
    }

    /// Highlights, by the vector between light and eye.
    fn highlight(&self, paint: &Paint, sample: &Sample, ray: &V3) -> Rgb {
        let [strength, exponent] = paint.specular;
        let mut sum = [0.0; 3];
        for (light, bit) in self.tracer.view.lights.iter().take(32).zip(0..) {
            if sample.lit >> bit & 1 == 0 {
                continue;
            }
            let to = (light.place - sample.place).normalize().cast::<f32>();
            let half = (to - ray).try_normalize(0.0).unwrap_or_else(V3::y);
            let cosine = half.dot(&sample.normal);
            // Most places lie outside of most highlights.
            if cosine < paint.dark_below {
                continue;
            }
            let factor = strength * libm::powf(cosine, exponent);
            for (sum, c) in sum.iter_mut().zip(light.color) {
                *sum += factor * c;
            }
        }
        sum
    }

    /// What is mirrored in a direction: sky, or ground as the sky lights it.
    fn mirrored(&self, direction: &V3) -> Rgb {
        let view = self.tracer.view;
        match &view.ground {
            Some(ground) if direction.y < 0.0 => {
                ground.stops.last().map_or([0.0; 3], |s| s.1.map(|c| 0.5 * c))
            }
            _ => view.sky(direction),
        }
    }
}

/// Tangent of the angle between two unit vectors.
fn spread(ray: &Vec3, axis: &Vec3) -> Real {
    ray.cross(axis).norm() / ray.dot(axis).max(Real::MIN_POSITIVE)
}

/// Whether two samples belong to one smooth surface, by depth and normal.
fn like(a: &Sample, b: &Sample, (depth, cosine): (Real, f32)) -> bool {
    let same_depth = a.at == b.at || (a.at - b.at).abs() <= depth * a.at.min(b.at);
    let seen = match (a.seen, b.seen) {
        // The sky and the horizon melt into each other.
        (Seen::Sky | Seen::Ground, Seen::Sky | Seen::Ground) => return true,
        (a, b) => a == b,
    };
    seen && same_depth && a.normal.dot(&b.normal) >= cosine
}

/// Linear light to sRGB (IEC 61966-2-1), by a table: the power takes longer than the rest of a pixel's colour.
struct Encoder(Vec<u8>);

/// Steps of the table: finer than an eighth of the finest step of the answer.
const STEPS: usize = 1 << 15;

impl Encoder {
    fn new() -> Self {
        let encode = |i: usize| {
            let c = i as f32 / STEPS as f32;
            let c = if c <= 0.003_130_8 {
                12.92 * c
            } else {
                1.055 * libm::powf(c, 1.0 / 2.4) - 0.055
            };
            (c * 255.0 + 0.5) as u8
        };
        Self((0..=STEPS).map(encode).collect())
    }

    fn pixel(&self, color: Rgb) -> [u8; 4] {
        let [r, g, b] = color.map(|c| self.0[(c.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as usize]);
        [r, g, b, 255]
    }
}
