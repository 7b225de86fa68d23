//! What `common.inc` says: camera, lights, sky, ground and materials, in POV-Ray units.
//!
//! The camera must be there; what else cannot be read is left out of the picture and remarked on.

use std::collections::BTreeMap;

use super::paint::{Paint, Rgb, V3, blend};
use super::text::{
    after, block, blocks, colors, leading_number, leading_vector, number, vector, without_comments,
};
use crate::error::Diagnostic;
use crate::math::{Point3, Real, Vec3};

/// What the picture needs besides scenery and particles.
#[derive(Debug, Clone)]
pub struct View {
    /// Where the picture is taken from.
    pub camera: Camera,
    /// Lights, the sun among them.
    pub lights: Vec<Light>,
    /// Colours of the sky by the height of a direction, 0 the horizon, 1 the zenith.
    pub sky: Vec<(f32, Rgb)>,
    /// The plane behind the scenery.
    pub ground: Option<Ground>,
    /// Materials by the stems of their identifiers.
    pub materials: BTreeMap<String, Material>,
    /// What could not be taken over.
    pub remarks: Vec<Diagnostic>,
}

/// A pinhole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// The eye.
    pub eye: Point3,
    /// Unit vectors into the picture, to its right and to its top.
    pub axes: [Vec3; 3],
    /// Tangent of half the horizontal field of view.
    pub slope: Real,
}

/// A light at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// Where it stands.
    pub place: Point3,
    /// Strength.
    pub color: Rgb,
    /// Whether things throw shadows in it.
    pub shadows: bool,
}

/// A level plane that becomes haze with distance.
#[derive(Debug, Clone, PartialEq)]
pub struct Ground {
    /// Height.
    pub y: Real,
    /// The middle of its pattern.
    pub center: [Real; 2],
    /// Distance at which it is all haze.
    pub reach: Real,
    /// Stops of colour, light of its own and diffuse share, 0 far .. 1 near.
    pub stops: Vec<(f32, Rgb, [f32; 2])>,
}

/// How particles of a material look.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The blob threshold.
    pub threshold: f32,
    /// Those that lie.
    pub settled: Paint,
    /// Those that fly.
    pub flying: Paint,
}

impl View {
    /// Reads the text of `common.inc`; `Err` says what is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = without_comments(text);
        let mut remarks = Vec::new();
        let camera = camera(&text, &mut remarks)?;
        let lights: Vec<Light> = blocks(&text, "light_source").filter_map(light).collect();
        if lights.is_empty() {
            remarks.push(Diagnostic::new(
                "common.inc: no `light_source{<x, y, z> rgb <r, g, b>}` was found",
            ));
        }
        Ok(Self {
            camera,
            lights,
            sky: block(&text, "sky_sphere").map_or_else(Vec::new, |(sky, _)| sky_stops(sky)),
            ground: block(&text, "plane").and_then(|(plane, _)| ground(plane)),
            materials: materials(&text),
            remarks,
        })
    }

    /// The colour of the sky in a direction.
    pub fn sky(&self, direction: &V3) -> Rgb {
        if self.sky.is_empty() {
            return [0.0; 3];
        }
        blend(&self.sky, direction.y.abs())
    }
}

/// Words of the program's own camera.
const CAMERA_WORDS: [&str; 9] = [
    "location",
    "right",
    "x",
    "y",
    "image_width",
    "image_height",
    "up",
    "angle",
    "look_at",
];

fn camera(text: &str, remarks: &mut Vec<Diagnostic>) -> Result<Camera, String> {
    let form = "expected `camera{location <x, y, z> ... angle A look_at <x, y, z>}` as the program writes it; delete \
                common.inc and run again to get it back";
    let (inner, _) = block(text, "camera").ok_or_else(|| format!("no camera was found: {form}"))?;
    let unknown = inner
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .find(|w| {
            w.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && !CAMERA_WORDS.contains(w)
                && !is_exponent(w)
        });
    if let Some(word) = unknown {
        remarks.push(
            Diagnostic::new(format!(
                "common.inc: the camera's `{word}` is not known to the preview"
            ))
            .help("the picture may be framed otherwise than by POV-Ray"),
        );
    }
    let eye = vector(inner, "location").map(Point3::from);
    let target = vector(inner, "look_at").map(Point3::from);
    let (Some(eye), Some(target), Some(angle)) = (eye, target, number(inner, "angle")) else {
        return Err(format!("the camera cannot be read: {form}"));
    };
    let into = (target - eye)
        .try_normalize(0.0)
        .ok_or_else(|| format!("the camera looks at its own place: {form}"))?;
    if !(0.0..180.0).contains(&angle) || angle == 0.0 {
        return Err(format!("the camera's angle is {angle}: {form}"));
    }
    let right = into.cross(&Vec3::y()).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    Ok(Camera {
        eye,
        axes: [into, right, right.cross(&into)],
        slope: libm::tan(0.5 * angle.to_radians()),
    })
}

/// What splitting leaves of `1e5` or `2.5e-3`.
fn is_exponent(word: &str) -> bool {
    word.strip_prefix(['e', 'E'])
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
}

impl Camera {
    /// The unit vector from the eye through a place in the picture, from (0, 0) at its upper left to (1, 1).
    pub fn ray(&self, x: Real, y: Real, aspect: Real) -> Vec3 {
        let [into, right, up] = &self.axes;
        let across = (2.0 * x - 1.0) * self.slope;
        let rise = (1.0 - 2.0 * y) * self.slope / aspect;
        (into + right * across + up * rise).normalize()
    }
}

fn light(inner: &str) -> Option<Light> {
    let (place, rest) = leading_vector(inner)?;
    Some(Light {
        place: Point3::from(<[Real; 3]>::try_from(place).ok()?),
        color: colors(rest).next()?.0,
        shadows: after(rest, "shadowless").is_none(),
    })
}

/// The stops `[height rgb <..>]`; those of other patterns are passed over.
fn sky_stops(sky: &str) -> Vec<(f32, Rgb)> {
    let mut stops: Vec<(f32, Rgb)> = Vec::new();
    for entry in sky.split('[').skip(1) {
        let Some((at, rest)) = leading_number(entry) else {
            continue;
        };
        let plain = rest.trim_start().starts_with("rgb");
        let in_order = stops.last().is_none_or(|last| last.0 <= at as f32);
        if let (true, true, Some((color, _))) = (plain, in_order, colors(rest).next()) {
            stops.push((at as f32, color));
        }
    }
    stops
}

fn ground(plane: &str) -> Option<Ground> {
    let rest = after(plane, "y")?.trim_start().strip_prefix(',')?;
    let (y, rest) = leading_number(rest)?;
    let (map, placed) = block(rest, "texture_map")?;
    let stops: Vec<_> = map
        .split('[')
        .skip(1)
        .filter_map(|entry| {
            let (at, rest) = leading_number(entry)?;
            let paint = Paint::parse(rest);
            Some((
                at as f32,
                paint.colors.first()?.1,
                [paint.emission[0], paint.diffuse],
            ))
        })
        .collect();
    let [x, _, z] = vector(placed, "translate")?;
    let reach = number(placed, "scale").filter(|&s| s > 0.0)?;
    (!stops.is_empty()).then_some(Ground {
        y,
        center: [x, z],
        reach,
        stops,
    })
}

impl Ground {
    /// Colour, light of its own and diffuse share at a place.
    pub fn at(&self, x: Real, z: Real) -> (Rgb, [f32; 2]) {
        let (x, z) = (x - self.center[0], z - self.center[1]);
        let far = (x * x + z * z).sqrt() / self.reach;
        let at = (1.0 - far).max(0.0) as f32;
        let color: Vec<(f32, Rgb)> = self.stops.iter().map(|s| (s.0, s.1)).collect();
        let shares: Vec<(f32, Rgb)> = self.stops.iter().map(|s| (s.0, [s.2[0], s.2[1], 0.0])).collect();
        let [emission, diffuse, _] = blend(&shares, at);
        (blend(&color, at), [emission, diffuse])
    }
}

/// Every `#declare STEM_Threshold = T;` with its two materials.
fn materials(text: &str) -> BTreeMap<String, Material> {
    let mut found = BTreeMap::new();
    for declared in text.split("#declare").skip(1) {
        let Some((name, value)) = declared.split_once('=') else {
            continue;
        };
        let Some(stem) = name.trim().strip_suffix("_Threshold") else {
            continue;
        };
        let Some((threshold, _)) = leading_number(value).filter(|(t, _)| (0.0..1.0).contains(t)) else {
            continue;
        };
        let paint = |name: String| {
            let (inner, _) = block(after(text, &name)?, "material")?;
            // One that refers to another one holds no texture of its own.
            block(inner, "texture").map(|_| Paint::parse(inner))
        };
        let Some(settled) = paint(format!("{stem}_Settled")) else {
            continue;
        };
        let flying = paint(format!("{stem}_Flying")).unwrap_or_else(|| settled.clone());
        let material = Material {
            threshold: threshold as f32,
            settled,
            flying,
        };
        found.insert(stem.to_string(), material);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAMERA: &str = "camera{\n location <0, 1e1, 20>\n right -x*image_width/image_height\n up y\n angle 90\n \
                          look_at <0, 10, 0>\n}\n";

    #[test]
    fn the_camera_looks_along_its_axes_and_is_not_mirrored() {
        let view = View::parse(CAMERA).unwrap();
        let [into, right, up] = view.camera.axes;
        assert_eq!([into, right, up], [-Vec3::z(), Vec3::x(), Vec3::y()]);
        let corner = view.camera.ray(1.0, 0.0, 2.0);
        assert!((corner - Vec3::new(1.0, 0.5, -1.0).normalize()).norm() < 1e-12);
    }

    #[test]
    fn a_camera_that_cannot_be_read_is_an_error_and_a_changed_one_a_remark() {
        for (from, to) in [
            ("location", "place"),
            ("angle 90", "angle 190"),
            ("camera", "kamera"),
            ("20>", "20"),
        ] {
            let why = View::parse(&CAMERA.replace(from, to)).unwrap_err();
            assert!(why.contains("expected `camera{"), "{why}");
        }
        let turned = View::parse(&CAMERA.replace("up y", "up y rotate 30*y")).unwrap();
        assert!(
            turned.remarks.iter().any(|r| r.message.contains("rotate")),
            "{:?}",
            turned.remarks
        );
    }
}
