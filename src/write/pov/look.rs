//! Text of `common.inc`: camera, light, sky, backdrop and the materials' textures.
//!
//! One sun with shadows and five shadowless lights that stand for the sky and the light thrown back by the
//! ground: a stand-in for radiosity that does not flicker in a film.

use std::fmt::Write;

use super::camera::{Subject, azimuth_deg, camera, direction};
use super::number::{text, vector};
use super::paint::{Rgb, declare, printable, rgb};
use super::particles::Drawn;
use super::scale::Scale;
use crate::material::LookFamily;
use crate::math::{Point3, Real, Vec3};
use crate::scene::{Camera, Scene};

/// Light and sky of one family of looks.
struct Mood {
    /// Sun's azimuth from the camera's, and its elevation [degrees].
    sun_azimuth_deg: Real,
    sun_elevation_deg: Real,
    sun_color: Rgb,
    sun: Real,
    sky_color: Rgb,
    sky: Real,
    /// What the ground throws back.
    albedo: Rgb,
    ground: Rgb,
    haze: Rgb,
    sky_top: Rgb,
    /// Brightness of panels in the sky that glossy things mirror; 0: none.
    panel: Real,
}

const SNOW: Mood = Mood {
    sun_azimuth_deg: 80.0,
    sun_elevation_deg: 26.0,
    sun_color: [1.0, 0.83, 0.62],
    sun: 1.12,
    sky_color: [0.30, 0.53, 1.0],
    sky: 0.58,
    albedo: [0.80, 0.82, 0.86],
    ground: [0.84, 0.87, 0.92],
    haze: [0.72, 0.82, 0.93],
    sky_top: [0.20, 0.38, 0.72],
    panel: 0.0,
};

const SLIME: Mood = Mood {
    sun_azimuth_deg: 60.0,
    sun_elevation_deg: 38.0,
    sun_color: [1.0, 0.83, 0.62],
    sun: 1.1,
    sky_color: [0.55, 0.70, 0.95],
    sky: 0.62,
    albedo: [0.25, 0.22, 0.18],
    ground: [0.34, 0.32, 0.29],
    haze: [0.80, 0.83, 0.84],
    sky_top: [0.36, 0.48, 0.66],
    panel: 1.5,
};

const MUD: Mood = Mood {
    sun_azimuth_deg: 78.0,
    sun_elevation_deg: 34.0,
    sun_color: [1.0, 0.86, 0.68],
    sun: 1.15,
    sky_color: [0.60, 0.70, 0.88],
    sky: 0.62,
    albedo: [0.28, 0.24, 0.20],
    ground: [0.36, 0.35, 0.33],
    haze: [0.80, 0.82, 0.83],
    sky_top: [0.40, 0.48, 0.60],
    panel: 1.2,
};

const OIL: Mood = Mood { panel: 2.0, ..SLIME };

fn mood(family: LookFamily) -> &'static Mood {
    match family {
        LookFamily::Snow => &SNOW,
        LookFamily::Slime => &SLIME,
        LookFamily::Mud => &MUD,
        LookFamily::Oil => &OIL,
    }
}

/// The look that sets the light: that of the first emitter's material, else of the first material.
fn leading(scene: &Scene) -> LookFamily {
    let used = scene
        .emitters
        .first()
        .and_then(|e| scene.materials.get(e.material));
    used.or(scene.materials.first())
        .map_or(LookFamily::Snow, |m| m.look.family)
}

/// The whole text.
pub fn common(scene: &Scene, subject: &Subject, scale: &Scale, materials: &[Drawn]) -> String {
    let view = camera(scene, subject);
    let mood = mood(leading(scene));
    let clear = materials.iter().any(|m| m.look.transmit > 0.0);
    let mut out = format!(
        "// Camera, light, sky and materials of every frame. Made to be edited.\n\
         // {} POV-Ray units are one metre. Axes are the scene's: right-handed, y up. POV-Ray's own are\n\
         // left-handed; the minus sign in the camera's `right` keeps the picture from being mirrored.\n\
         #version 3.7;\n\
         global_settings{{assumed_gamma 1 max_trace_level {}}}\n\
         #default{{finish{{ambient 0}}}}\n\n",
        text(scale.units),
        if clear { 8 } else { 5 },
    );
    push_camera(&view, scale, &mut out);
    let stage = Stage::new(scene, subject, scale, &view, mood);
    stage.push_lights(scene.light.soft, &mut out);
    push_sky(mood, &mut out);
    if scene.light.backdrop {
        stage.push_backdrop(&mut out);
    }
    for m in materials {
        out.push('\n');
        out.push_str(&declare(m));
    }
    out
}

fn push_camera(view: &Camera, scale: &Scale, out: &mut String) {
    let at = |p: &Point3| vector((p * scale.units).coords.into());
    let _ = write!(
        out,
        "camera{{\n  location {}\n  right -x*image_width/image_height\n  up y\n  angle {}\n  look_at {}\n}}\n\n",
        at(&view.eye),
        text(view.angle_deg),
        at(&view.target)
    );
}

/// Sizes and directions that lights and backdrop share, in output units.
struct Stage<'a> {
    mood: &'a Mood,
    center: Point3,
    bottom: Real,
    diagonal: Real,
    to_sun: Vec3,
    sun: Rgb,
    sky: Rgb,
    bounce: Rgb,
}

/// Distance of the lights, in diagonals of the scenery.
const LIGHT_DISTANCE: Real = 20.0;

impl<'a> Stage<'a> {
    fn new(scene: &Scene, subject: &Subject, scale: &Scale, view: &Camera, mood: &'a Mood) -> Self {
        let light = &scene.light;
        let elevation = light.sun_elevation_deg.unwrap_or(mood.sun_elevation_deg);
        // Positive azimuths lie to the left of the camera: clockwise seen from above.
        let azimuth = azimuth_deg(view) - light.sun_azimuth_deg.unwrap_or(mood.sun_azimuth_deg);
        let to_sun = direction(azimuth, elevation);
        let sun = mood.sun_color.map(|c| c * light.sun.unwrap_or(mood.sun));
        let sky = mood.sky_color.map(|c| c * light.sky.unwrap_or(mood.sky));
        let bounce = [0, 1, 2].map(|k| mood.albedo[k] * (sun[k] * to_sun.y.max(0.0) + sky[k]) * 0.30);
        Self {
            mood,
            center: subject.bounds.center() * scale.units,
            bottom: subject.bounds.min.y * scale.units,
            diagonal: subject.bounds.diagonal() * scale.units,
            to_sun,
            sun,
            sky,
            bounce,
        }
    }

    fn push_lights(&self, soft: bool, out: &mut String) {
        let level = Vec3::new(self.to_sun.x, 0.0, self.to_sun.z);
        let level = level.try_normalize(1e-9).unwrap_or(Vec3::z());
        let side = Vec3::y().cross(&level);
        let distance = LIGHT_DISTANCE * self.diagonal;
        let place = |d: Vec3| vector((self.center + d.normalize() * distance).coords.into());
        let _ = write!(
            out,
            "// The sun.\nlight_source{{\n  {}\n  {}\n{}}}\n",
            place(self.to_sun),
            rgb(self.sun, 1.0),
            if soft { self.area(distance) } else { String::new() },
        );
        let _ = writeln!(
            out,
            "// The sky from above, from opposite the sun and from both sides; the ground from below."
        );
        let back = -level + 0.35 * Vec3::y();
        for (direction, color, factor) in [
            (Vec3::y(), self.sky, 0.55),
            (back, self.sky, 0.30),
            (side + 0.35 * Vec3::y(), self.sky, 0.22),
            (-side + 0.35 * Vec3::y(), self.sky, 0.22),
            (-Vec3::y(), self.bounce, 1.0),
        ] {
            let _ = writeln!(
                out,
                "light_source{{{} {} shadowless}}",
                place(direction),
                rgb(color, factor)
            );
        }
        out.push('\n');
    }

    /// A sun of about 1.7 degrees; real ones have half a degree, but skies are hazy.
    fn area(&self, distance: Real) -> String {
        let across = self
            .to_sun
            .cross(&Vec3::y())
            .try_normalize(1e-9)
            .unwrap_or(Vec3::x());
        let along = self.to_sun.cross(&across);
        let edge = |v: Vec3| vector((v * (0.03 * distance)).into());
        format!(
            "  // `jitter` hides the steps of the penumbra in a still; in a film it shimmers, so leave it out there.\n  \
             area_light {}, {}, 3, 3 adaptive 0 jitter circular\n",
            edge(across),
            edge(along)
        )
    }

    /// Ground that melts into the horizon without fog.
    fn push_backdrop(&self, out: &mut String) {
        let m = self.mood;
        let mix = [0, 1, 2].map(|k| 0.6 * m.haze[k] + 0.4 * m.ground[k]);
        // A hair below the scenery: two faces in one place would flicker.
        let below = self.bottom - (5e-4 * self.diagonal).max(0.02);
        let _ = write!(
            out,
            "\n// Ground that melts into the horizon.\n\
             plane{{y, {}\n  texture{{\n    cylindrical\n    texture_map{{\n      \
             [0 pigment{{{haze}}} finish{{emission 1 diffuse 0}}]\n      \
             [0.58 pigment{{{}}} finish{{emission 0.62 diffuse 0.28}}]\n      \
             [0.84 pigment{{{}}} finish{{emission 0 diffuse 0.8}}]\n    }}\n    \
             scale {} translate {}\n  }}\n}}\n",
            text(below),
            rgb(mix, 1.0),
            rgb(m.ground, 1.0),
            text(2.6 * self.diagonal),
            vector([self.center.x, 0.0, self.center.z]),
            haze = rgb(m.haze, 1.0),
        );
    }
}

fn push_sky(m: &Mood, out: &mut String) {
    let low = [0, 1, 2].map(|k| 0.6 * m.sky_top[k] + 0.4 * m.haze[k]);
    let [haze, low, top] = [rgb(m.haze, 1.0), rgb(low, 1.0), rgb(m.sky_top, 1.0)];
    let zenith = rgb(m.sky_top, 0.7);
    if m.panel == 0.0 {
        let _ = write!(
            out,
            "sky_sphere{{\n  pigment{{gradient y color_map{{[0 {haze}][0.02 {haze}][0.14 {low}][0.5 {top}][1 {zenith}]}}}}\n}}\n"
        );
        return;
    }
    let _ = write!(
        out,
        "// The panels high up are for glossy things to mirror; no ordinary view shows them.\n\
         sky_sphere{{\n  pigment{{\n    gradient y\n    pigment_map{{\n      \
         [0 {haze}]\n      [0.02 {haze}]\n      [0.14 {low}]\n      [0.47 {top}]\n      \
         [0.47 radial color_map{{[0.5 {}][0.5 {}]}} frequency 5 rotate y*20]\n      \
         [0.80 radial color_map{{[0.5 {}][0.5 {}]}} frequency 5 rotate y*20]\n      \
         [0.80 {top}]\n      [1 {zenith}]\n    }}\n  }}\n}}\n",
        rgb(m.haze, m.panel),
        rgb(m.sky_top, 0.5),
        rgb(m.haze, m.panel),
        rgb(m.sky_top, 0.5),
    );
}

/// First line of a material's or mesh's text: its name, harmless in a comment.
pub fn comment(name: &str) -> String {
    format!("// {}\n", printable(name))
}
