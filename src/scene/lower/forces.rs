//! `forces` to plain data.

use super::point;
use crate::keyed::{Keyed, Value};
use crate::math::{Aabb, Real, Vec3};
use crate::scene::keyed::{NumberOverTime, VectorOverTime, Written};
use crate::scene::schema::{FalloffFile, ForceFile, GustsFile, ProfileFile, RegionFile, ShelterFile};
use crate::scene::*;
use crate::units::{Rule, Unit};

/// Height at which weather stations measure wind [m].
const PROFILE_HEIGHT: Real = 10.0;
/// Exponent of the power law over open land.
const PROFILE_EXPONENT: Real = 1.0 / 7.0;
/// Share of the wind that full shelter takes away.
const SHELTER: Real = 0.8;

fn keyed<T, V: Value>(written: Written<T>, get: impl Fn(T) -> V) -> Keyed<V> {
    Keyed::new(
        written.keys.into_iter().map(|(t, v)| (t, get(v))).collect(),
        written.smooth,
    )
}

pub fn number<R: Rule, U: Unit>(written: NumberOverTime<R, U>) -> Keyed<Real> {
    keyed(written, |q| q.get())
}

pub fn vector<R: Rule, U: Unit>(written: VectorOverTime<R, U>) -> Keyed<Vec3> {
    keyed(written, |t| t.vec())
}

/// The force; `terminal_speed` becomes a coefficient by way of `gravity` [m/s2].
pub fn force(file: ForceFile, gravity: Real) -> ForceSpec {
    let region = file.region().map(self::region);
    let kind = match file {
        ForceFile::Wind {
            velocity,
            gusts,
            profile,
            shelter,
            ..
        } => ForceKind::Wind(WindSpec {
            velocity: vector(velocity),
            gusts: gusts.map(self::gusts),
            profile: profile.map(self::profile),
            shelter: shelter.map(self::shelter),
        }),
        ForceFile::Turbulence {
            speed,
            length,
            drift,
            ..
        } => ForceKind::Turbulence {
            speed: number(speed),
            length: length.get(),
            drift: drift.map(vector),
        },
        ForceFile::Flutter {
            amplitude, frequency, ..
        } => ForceKind::Flutter {
            amplitude: number(amplitude),
            frequency: [frequency.0.get(), frequency.1.get()],
        },
        ForceFile::Vortex {
            center,
            axis,
            speed,
            rise,
            radius,
            ..
        } => ForceKind::Vortex {
            center: point(center),
            axis: axis.get(),
            speed: number(speed),
            rise: rise.map_or_else(|| 0.0.into(), number),
            radius: radius.get(),
        },
        ForceFile::Attractor {
            center,
            strength,
            radius,
            falloff,
            ..
        } => ForceKind::Attractor {
            center: point(center),
            strength: number(strength),
            radius: radius.get(),
            falloff: self::falloff(falloff),
        },
        ForceFile::LinearDrag { coefficient, .. } => ForceKind::LinearDrag {
            coefficient: number(coefficient),
        },
        ForceFile::QuadraticDrag {
            coefficient,
            terminal_speed,
            ..
        } => {
            let by_speed = || terminal_speed.map_or(0.0, |v| gravity / (v.get() * v.get()));
            ForceKind::QuadraticDrag {
                coefficient: coefficient.map_or_else(|| by_speed().into(), number),
            }
        }
    };
    ForceSpec { kind, region }
}

fn gusts(file: GustsFile) -> Gusts {
    Gusts {
        intensity: file.intensity.get(),
        length: file.length.get(),
    }
}

pub fn profile(file: ProfileFile) -> Profile {
    let (law, height, ground) = match file {
        ProfileFile::Log {
            roughness,
            height,
            ground,
        } => {
            let roughness = roughness.get();
            (ProfileLaw::Log { roughness }, height, ground)
        }
        ProfileFile::Power {
            exponent,
            height,
            ground,
        } => {
            let exponent = exponent.map_or(PROFILE_EXPONENT, |q| q.get());
            (ProfileLaw::Power { exponent }, height, ground)
        }
    };
    Profile {
        law,
        height: height.map_or(PROFILE_HEIGHT, |q| q.get()),
        ground: ground.map_or(0.0, |q| q.get()),
    }
}

fn shelter(file: ShelterFile) -> ShelterSpec {
    ShelterSpec {
        strength: file.strength.map_or(SHELTER, |q| q.get()),
        reach: file.reach.map(|q| q.get()),
        cell: file.cell.map(|q| q.get()),
    }
}

fn falloff(file: Option<FalloffFile>) -> Falloff {
    match file {
        None | Some(FalloffFile::InverseSquare) => Falloff::InverseSquare,
        Some(FalloffFile::Inverse) => Falloff::Inverse,
        Some(FalloffFile::Constant) => Falloff::Constant,
        Some(FalloffFile::Linear) => Falloff::Linear,
    }
}

pub fn region(file: &RegionFile) -> Region {
    let (shape, edge) = match *file {
        RegionFile::Box { min, max, edge } => {
            let bounds = Aabb {
                min: point(min),
                max: point(max),
            };
            (RegionShape::Box { bounds }, edge)
        }
        RegionFile::Sphere { center, radius, edge } => {
            let (center, radius) = (point(center), radius.get());
            (RegionShape::Sphere { center, radius }, edge)
        }
    };
    Region {
        shape,
        edge: edge.map_or(0.0, |q| q.get()),
    }
}
