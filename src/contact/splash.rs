//! An impact that throws droplets: how many, how large, where and how fast.
//!
//! Mass is kept exactly as volumes, and momentum with what the surface takes; all droplets begin within the ball that
//! splashed, which was free.

use crate::math::{Real, Vec3, ball_radius, ball_volume, perpendiculars};
use crate::rng::Stream;

/// Share of the normal speed that droplets keep on average.
const REBOUND: Real = 0.25;
/// Share of the tangential velocity that droplets keep on average.
const GLIDE: Real = 0.7;
/// Droplets leave between this share of the mean normal speed ...
const SLOWEST: Real = 0.6;
/// ... and this one.
const FASTEST: Real = 1.4;
/// Speed outwards, in the mean normal speed: a crown opens by somewhat more than 45 degrees.
const CROWN: Real = 1.2;
/// The share of the volume that the slowest splash throws: less would be dust that nobody sees.
const LEAST: Real = 0.1;
/// The share that the fastest one throws.
const MOST: Real = 0.6;
/// How far droplets begin from the middle, as a share of the room there is: inside for certain.
const ROOM: Real = 0.98;

/// One droplet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Droplet {
    /// Centre, from the centre of what splashed [m].
    pub offset: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
}

/// What a splash makes of a particle.
#[derive(Debug, Clone, PartialEq)]
pub struct Splash {
    /// Radius of what stays [m]; it touches where the particle touched.
    pub stays: Real,
    /// Radius of each droplet [m].
    pub radius: Real,
    /// The droplets.
    pub droplets: Vec<Droplet>,
    /// What the surface takes, in mass of the particle times velocity [m/s]: before less after.
    pub impulse: Vec3,
}

/// The normal speed [m/s] above which a ball of this radius [m] splashes on a dry wall, by K = We^(1/2) Re^(1/4) = 57.7
/// (Mundo, Sommerfeld & Tropea 1995), for a density [kg/m3], viscosity [Pa s] and surface tension [N/m]:
/// with both numbers of the diameter, v^(5/4) = 57.7 / ((2 rho r / sigma)^(1/2) (2 rho r / mu)^(1/4)).
pub fn threshold(radius: Real, density: Real, viscosity: Real, surface_tension: Real) -> Real {
    let weber = 2.0 * density * radius / surface_tension;
    let reynolds = 2.0 * density * radius / viscosity;
    libm::pow(57.7 / (weber.sqrt() * reynolds.sqrt().sqrt()), 0.8)
}

/// Splashes a ball of this radius [m] and velocity [m/s] on a surface with the unit normal `normal` into `count` droplets.
/// `least` [m/s] is the normal speed at which a splash begins.
///
/// The share of the volume that is thrown grows with the energy beyond the threshold, 1 - (least / speed)^2, from 0.1
/// to 0.6. Droplets come in opposite pairs; then all get the same addition, so that their mean velocity is the one asked.
pub fn splash(
    radius: Real,
    velocity: &Vec3,
    normal: &Vec3,
    least: Real,
    count: u32,
    stream: &mut Stream,
) -> Splash {
    let approach = (-velocity.dot(normal)).max(0.0);
    let along = velocity + normal * approach;
    let ratio = least / approach.max(least);
    let thrown = LEAST + (MOST - LEAST) * (1.0 - ratio * ratio);
    let volume = ball_volume(radius);
    let size = ball_radius(thrown * volume / Real::from(count));
    let droplets_volume = Real::from(count) * ball_volume(size);
    let mean = normal * (REBOUND * approach) + along * GLIDE;
    let mut droplets = crown(normal, REBOUND * approach, radius - size, count, stream);
    let drift = droplets.iter().fold(Vec3::zeros(), |sum, d| sum + d.velocity) / Real::from(count);
    droplets.iter_mut().for_each(|d| d.velocity += mean - drift);
    let after = droplets.iter().fold(Vec3::zeros(), |sum, d| sum + d.velocity) / Real::from(count);
    Splash {
        stays: ball_radius(volume - droplets_volume),
        radius: size,
        droplets,
        impulse: velocity - after * (droplets_volume / volume),
    }
}

/// Droplets round the normal, in opposite pairs, each where it flies to.
fn crown(normal: &Vec3, speed: Real, room: Real, count: u32, stream: &mut Stream) -> Vec<Droplet> {
    let (u, w) = perpendiculars(normal);
    let mut out = Vec3::zeros();
    (0..count)
        .map(|i| {
            if i % 2 == 0 {
                let [x, y] = direction(stream);
                out = u * x + w * y;
            } else {
                out = -out;
            }
            let velocity = normal * (speed * stream.between(SLOWEST, FASTEST)) + out * (CROWN * speed);
            let place = (out + normal * stream.unit()).normalize();
            Droplet {
                offset: place * (ROOM * room),
                velocity,
            }
        })
        .collect()
}

/// A direction in the plane, by rejection: no sine.
fn direction(stream: &mut Stream) -> [Real; 2] {
    loop {
        let [x, y] = stream.in_disc();
        let length = (x * x + y * y).sqrt();
        if length > 1e-3 {
            return [x / length, y / length];
        }
    }
}
