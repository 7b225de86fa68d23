//! Where a ray first meets the surface of a blob: the place at which the sum of all components reaches the threshold.
//!
//! A handful of rays that lie close share one list of components; each ray keeps those that it passes through and
//! walks along in steps that are short against them.

use super::covering::Ball;
use super::paint::V3;
use crate::math::{Point3, Real, Vec3};

/// Numbers that are added side by side.
const LANES: usize = 8;
/// Steps far from the surface and near to it, in radii of the smallest component.
const STEPS: [f32; 2] = [0.3, 0.1];
/// Components smaller than this beside the others must not be stepped over.
const SMALL: f32 = 0.5;
/// Halvings of the last step.
const HALVINGS: usize = 6;

/// The balls that a tile of rays may meet, in a frame of its own near to them.
#[derive(Debug, Default)]
pub struct Near {
    list: Vec<(f32, Ball)>,
    center: Vec<V3>,
    /// Where the frame begins along the axis [POV-Ray units].
    start: Real,
}

impl Near {
    /// Fills in the list by `find`, sorted by material and beginning.
    pub fn fill(&mut self, eye: &Point3, axis: &Vec3, find: impl FnOnce(&mut Vec<(f32, Ball)>)) {
        find(&mut self.list);
        self.list.sort_unstable_by(|(a, p), (b, q)| {
            let places = || p.center.coords.iter().zip(q.center.coords.iter());
            (p.material, a)
                .partial_cmp(&(q.material, b))
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| {
                    places()
                        .map(|(x, y)| x.total_cmp(y))
                        .find(|o| o.is_ne())
                        .unwrap_or(std::cmp::Ordering::Equal)
                })
        });
        let start = self
            .list
            .iter()
            .map(|(begin, _)| *begin)
            .fold(f32::INFINITY, f32::min);
        self.start = if start.is_finite() { Real::from(start) } else { 0.0 };
        let origin = eye + axis * self.start;
        self.center.clear();
        self.center.extend(
            self.list
                .iter()
                .map(|(_, ball)| (ball.center - origin).cast::<f32>()),
        );
    }

    /// Whether there is nothing to meet.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// What a ray meets of the particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Distance from the eye [POV-Ray units].
    pub at: Real,
    /// Unit normal, outward.
    pub normal: V3,
    /// Number of the material.
    pub material: u16,
    /// Whether it is a sphere in the air.
    pub flying: bool,
}

/// Components on one ray, as columns; lengths are multiples of [`LANES`].
///
/// Along a ray the distance to a centre is quadratic: 1 - d^2 / R^2 = height - (t - middle)^2 per_square.
#[derive(Debug, Default)]
pub struct Passed {
    middle: Vec<f32>,
    per_square: Vec<f32>,
    height: Vec<f32>,
    strength: Vec<f32>,
    begin: Vec<f32>,
    radius: Vec<f32>,
    of: Vec<u32>,
}

impl Passed {
    fn clear(&mut self) {
        let columns = [
            &mut self.middle,
            &mut self.per_square,
            &mut self.height,
            &mut self.strength,
            &mut self.begin,
            &mut self.radius,
        ];
        columns.into_iter().for_each(Vec::clear);
        self.of.clear();
    }

    fn push(&mut self, numbers: [f32; 6], of: u32) {
        let [middle, per_square, height, strength, begin, radius] = numbers;
        self.middle.push(middle);
        self.per_square.push(per_square);
        self.height.push(height);
        self.strength.push(strength);
        self.begin.push(begin);
        self.radius.push(radius);
        self.of.push(of);
    }

    /// Adds what counts for nothing until the length suits the lanes.
    fn pad(&mut self) {
        while !self.of.len().is_multiple_of(LANES) {
            self.push([0.0, 0.0, 0.0, 0.0, f32::INFINITY, f32::INFINITY], 0);
        }
    }

    /// The field at a place of the ray.
    fn field(&self, t: f32) -> f32 {
        let mut sums = [0.0_f32; LANES];
        let columns = self
            .middle
            .chunks_exact(LANES)
            .zip(self.per_square.chunks_exact(LANES));
        let others = self
            .height
            .chunks_exact(LANES)
            .zip(self.strength.chunks_exact(LANES));
        for ((middle, per_square), (height, strength)) in columns.zip(others) {
            for lane in 0..LANES {
                let off = t - middle[lane];
                let x = (height[lane] - off * off * per_square[lane]).max(0.0);
                sums[lane] += strength[lane] * (x * x);
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }

    /// The smallest radius of those that hold a place, and where the next begins: any, and one smaller than `than`.
    fn around(&self, t: f32, than: f32) -> (f32, f32, f32) {
        let (mut least, mut next, mut small) = (f32::INFINITY, f32::INFINITY, f32::INFINITY);
        for i in 0..self.of.len() {
            let begin = self.begin[i];
            if begin > t {
                next = next.min(begin);
                if self.radius[i] < SMALL * than {
                    small = small.min(begin);
                }
            } else if 2.0 * self.middle[i] - begin > t {
                least = least.min(self.radius[i]);
            }
        }
        (least, next, small)
    }

    /// The first place before `far` at which the field reaches `threshold`.
    fn first(&self, far: f32, threshold: f32) -> Option<f32> {
        let fold = |start: f32, pick: fn(f32, f32) -> f32| {
            self.radius
                .iter()
                .filter(|r| r.is_finite())
                .copied()
                .fold(start, pick)
        };
        let (smallest, largest) = (fold(f32::INFINITY, f32::min), fold(0.0, f32::max));
        let alike = smallest > SMALL * largest;
        let mut t = self.begin.iter().copied().fold(f32::INFINITY, f32::min).max(0.0);
        let mut before = t;
        let mut than = largest;
        // A step is no shorter than this part of the way, so the walk ends.
        let least_step = 1e-4 * (far - t).abs() + f32::MIN_POSITIVE;
        while t < far {
            let field = self.field(t);
            if field >= threshold {
                return Some(self.halve(before, t, threshold));
            }
            before = t;
            let near = (field / threshold).min(1.0);
            let share = STEPS[0] + (STEPS[1] - STEPS[0]) * near;
            if alike && field > 0.0 {
                t += (share * smallest).max(least_step);
                continue;
            }
            let (least, next, small) = self.around(t, than);
            than = if least.is_finite() { least } else { largest };
            let step = if least.is_finite() {
                t + share * least
            } else {
                // Nothing is here: go on to where something begins.
                next + STEPS[1] * smallest
            };
            t = step.min(small + STEPS[1] * smallest).max(t + least_step);
        }
        None
    }

    fn halve(&self, mut outside: f32, mut inside: f32, threshold: f32) -> f32 {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            if self.field(middle) >= threshold {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    }
}

impl Near {
    /// The first surface on a ray of the tile before `far` [POV-Ray units].
    pub fn first(
        &self,
        axis: &Vec3,
        ray: &Vec3,
        far: Real,
        threshold: impl Fn(u16) -> f32,
        passed: &mut Passed,
    ) -> Option<Surface> {
        // In the tile's frame the ray starts here, and its places are distances less the frame's.
        let from = ((ray - axis) * self.start).cast::<f32>();
        let d = ray.cast::<f32>();
        let mut far = ((far - self.start) as f32).min(f32::MAX);
        let mut found: Option<Surface> = None;
        let mut at = 0;
        for same in self.list.chunk_by(|a, b| a.1.material == b.1.material) {
            let material = same[0].1.material;
            passed.clear();
            for (i, (_, ball)) in (at..).zip(same) {
                let to = self.center[i] - from;
                let middle = to.dot(&d);
                let aside = (to - d * middle).norm_squared();
                let radius = ball.radius as f32;
                let left = radius * radius - aside;
                if left <= 0.0 {
                    continue;
                }
                let begin = middle - left.sqrt();
                if ball.strength == 0.0 {
                    if begin > 0.0 && begin < far {
                        far = begin;
                        let normal = (d * begin - to) / radius;
                        found = Some(self.surface(begin, normal, material, true));
                    }
                } else if begin < far {
                    let per_square = 1.0 / (radius * radius);
                    passed.push(
                        [
                            middle,
                            per_square,
                            left * per_square,
                            ball.strength,
                            begin,
                            radius,
                        ],
                        i as u32,
                    );
                }
            }
            at += same.len();
            passed.pad();
            if let Some(t) = passed.first(far, threshold(material)) {
                far = t;
                let normal = self.slope(passed, &(from + d * t));
                found = Some(self.surface(t, normal, material, false));
            }
        }
        found
    }

    fn surface(&self, t: f32, normal: V3, material: u16, flying: bool) -> Surface {
        Surface {
            at: self.start + Real::from(t),
            normal,
            material,
            flying,
        }
    }

    /// Unit vector down the field at a place of the tile's frame.
    fn slope(&self, passed: &Passed, place: &V3) -> V3 {
        let mut down = V3::zeros();
        for (lane, &i) in passed.of.iter().enumerate() {
            let per_square = passed.per_square[lane];
            let out = place - self.center[i as usize];
            let x = 1.0 - out.norm_squared() * per_square;
            if x > 0.0 {
                down += out * (passed.strength[lane] * x * per_square);
            }
        }
        down.try_normalize(0.0).unwrap_or_else(V3::y)
    }
}
