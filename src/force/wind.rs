//! Air that moves: steady or over time, in gusts, slower near the ground and behind the scenery. Acts through drag alone.

use super::drift::Drift;
use super::noise::{Noise, VALUE_RMS};
use super::shelter::Shelter;
use super::{Force, Push, Subject};
use crate::keyed::Keyed;
use crate::math::{Point3, Real, Vec3};
use crate::scene::{Gusts, Profile, ProfileLaw};

/// A wind.
pub struct Wind {
    /// Velocity of the open air at the profile's height [m/s].
    pub velocity: Keyed<Vec3>,
    /// How it swells and dies down.
    pub gusts: Option<Gusting>,
    /// How it grows with height.
    pub profile: Option<Profile>,
    /// Where the scenery holds it off.
    pub shelter: Option<Shelter>,
}

/// Gusts of a wind: they are part of the air and move with it (the frozen turbulence of Taylor 1938).
pub struct Gusting {
    spec: Gusts,
    noise: Noise,
    drift: Drift,
}

impl Gusting {
    /// Gusts that move with a velocity [m/s].
    pub fn new(spec: Gusts, noise: Noise, velocity: &Keyed<Vec3>) -> Self {
        Self {
            spec,
            noise,
            drift: Drift(vec![velocity.clone()]),
        }
    }

    /// Factor of the wind: 1 in the mean, with the intensity as its standard deviation.
    fn factor(&self, place: &Point3, time: Real) -> Real {
        let at = self.drift.origin_of(place, time) / self.spec.length;
        1.0 + self.spec.intensity / VALUE_RMS * self.noise.value(&at)
    }
}

impl Force for Wind {
    fn add(&self, on: &Subject, push: &mut Push) {
        let mut air = self.velocity.at(on.time);
        if let Some(profile) = &self.profile {
            air *= growth(profile, on.place.y);
        }
        if let Some(gusts) = &self.gusts {
            air *= gusts.factor(&on.place, on.time);
        }
        if let Some(shelter) = &self.shelter {
            air *= shelter.factor(&on.place);
        }
        push.air += air;
    }

    fn is_steady(&self) -> bool {
        self.velocity.constant().is_some()
            && self.gusts.is_none()
            && self.profile.is_none()
            && self.shelter.is_none()
    }
}

/// Speed at height `y` [m] as a share of that at the reference height: ln(z / z0) / ln(h / z0), or (z / h)^p; none at and
/// below the roughness or the ground.
fn growth(profile: &Profile, y: Real) -> Real {
    let z = y - profile.ground;
    match profile.law {
        ProfileLaw::Log { roughness } if z > roughness => {
            libm::log(z / roughness) / libm::log(profile.height / roughness)
        }
        ProfileLaw::Power { exponent } if z > 0.0 => libm::pow(z / profile.height, exponent),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn air(wind: &Wind, place: Point3, time: Real) -> Vec3 {
        let mut push = Push::default();
        let on = Subject {
            place,
            time,
            key: 0,
        };
        wind.add(&on, &mut push);
        push.air
    }

    fn steady(x: Real) -> Wind {
        Wind {
            velocity: Vec3::new(x, 0.0, 0.0).into(),
            gusts: None,
            profile: None,
            shelter: None,
        }
    }

    #[test]
    fn profiles_follow_their_laws() {
        let law = |law| Wind {
            profile: Some(Profile {
                law,
                height: 10.0,
                ground: 1.0,
            }),
            ..steady(8.0)
        };
        let at = |wind: &Wind, y| air(wind, Point3::new(0.0, y, 0.0), 0.0).x;
        let log = law(ProfileLaw::Log { roughness: 0.1 });
        assert_eq!(at(&log, 11.0), 8.0);
        assert!((at(&log, 2.0) - 4.0).abs() < 1e-12, "half the decades, half the speed");
        assert_eq!([at(&log, 1.09), at(&log, 0.0), at(&log, -5.0)], [0.0; 3]);
        let power = law(ProfileLaw::Power { exponent: 0.5 });
        assert!((at(&power, 3.5) - 4.0).abs() < 1e-12);
        assert_eq!(at(&power, 1.0), 0.0);
    }

    #[test]
    fn gusts_have_their_intensity_and_move_with_the_wind() {
        let velocity: Keyed<Vec3> = Vec3::new(5.0, 0.0, 0.0).into();
        let spec = Gusts {
            intensity: 0.25,
            length: 12.0,
        };
        let wind = Wind {
            gusts: Some(Gusting::new(spec, Noise::new(4, 0), &velocity)),
            ..steady(5.0)
        };
        let (mut sum, mut squares, n) = (0.0, 0.0, 40_000);
        for i in 0..n {
            let place = Point3::new(1.7 * Real::from(i), 0.37 * Real::from(i % 977), 0.93 * Real::from(i % 89));
            let u = air(&wind, place, 0.0).x / 5.0;
            sum += u;
            squares += u * u;
        }
        let mean = sum / Real::from(n);
        let deviation = (squares / Real::from(n) - mean * mean).sqrt();
        assert!((mean - 1.0).abs() < 0.02 && (deviation / 0.25 - 1.0).abs() < 0.05, "{mean} {deviation}");
        let (p, t) = (Point3::new(1.0, 2.0, 3.0), 3.0);
        let later = air(&wind, p + Vec3::new(5.0 * t, 0.0, 0.0), t);
        assert!((air(&wind, p, 0.0) - later).norm() < 1e-12);
    }
}
