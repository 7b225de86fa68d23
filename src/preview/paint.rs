//! What a surface looks like: colour, highlights, mirror; and how light makes a colour of it.
//!
//! A short form of POV-Ray's own model, so that a preview and the picture are alike; patterns become their mean.

use super::text::{after, block, colors, leading_number, number};

/// Linear RGB.
pub type Rgb = [f32; 3];
/// Unit vectors and places in a picture's own frame.
pub type V3 = nalgebra::Vector3<f32>;

/// A surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Paint {
    /// Colours by the angle of view: 0 from the side, 1 from the front; one colour: the same from everywhere.
    pub colors: Vec<(f32, Rgb)>,
    /// Share of light that is thrown back in all directions.
    pub diffuse: f32,
    /// Exponent of the cosine of the light's angle.
    pub brilliance: f32,
    /// Light of its own, as a factor of the colour.
    pub emission: Rgb,
    /// Strength and exponent of highlights.
    pub specular: [f32; 2],
    /// Cosine below which they are too weak to be seen.
    pub dark_below: f32,
    /// Share of what is mirrored from the front and from the side.
    pub mirror: [f32; 2],
    /// Share of light that goes through.
    pub transmit: f32,
}

/// Share of a highlight that is not seen.
const UNSEEN: f32 = 2e-3;
/// Grey of what the text gives no colour: it shows a picture, which a preview does not load.
const GREY: Rgb = [0.5, 0.48, 0.45];

impl Paint {
    /// Reads the text of a `texture` or `material`.
    pub fn parse(text: &str) -> Self {
        let found: Vec<(Rgb, f32)> = match block(text, "texture_map") {
            Some(_) => colors(text).collect(),
            None => block(text, "pigment").map_or_else(Vec::new, |(pigment, _)| colors(pigment).collect()),
        };
        let by_angle = after(text, "aoi").is_some();
        let last = found.len().saturating_sub(1).max(1) as f32;
        let colors = if found.is_empty() {
            vec![(0.0, GREY)]
        } else if by_angle {
            let each = found.iter().enumerate();
            each.map(|(i, (color, _))| (i as f32 / last, *color)).collect()
        } else {
            vec![(0.0, mean(&found))]
        };
        let or = |word: &str, default: f32| number(text, word).map_or(default, |x| x as f32);
        let specular = or("specular", 0.0);
        // A mirror of patches is half a mirror.
        let patches =
            text.matches("reflection").count() as f32 / text.matches("finish").count().max(1) as f32;
        let exponent = 1.0 / or("roughness", 0.05).clamp(5e-4, 1.0);
        let mirror = block(text, "reflection").map_or([0.0; 2], |(range, _)| two(range).map(|x| patches * x));
        Self {
            colors,
            diffuse: or("diffuse", 0.6).clamp(0.0, 2.0),
            brilliance: or("brilliance", 1.0).clamp(0.1, 10.0),
            emission: emission(text),
            specular: [patches.max(0.3) * specular.clamp(0.0, 4.0), exponent],
            dark_below: libm::powf(UNSEEN, 1.0 / exponent),
            mirror,
            transmit: found
                .first()
                .map_or(0.0, |c| c.1)
                .max(or("transmit", 0.0))
                .clamp(0.0, 1.0),
        }
    }

    /// The colour from an angle of view, by its cosine.
    pub fn color(&self, cosine: f32) -> Rgb {
        // POV-Ray's pattern grows with the angle itself.
        let at = 1.0 - libm::acosf(cosine.clamp(0.0, 1.0)) / std::f32::consts::FRAC_PI_2;
        blend(&self.colors, at)
    }
}

fn mean(found: &[(Rgb, f32)]) -> Rgb {
    let n = found.len() as f32;
    [0, 1, 2].map(|k| found.iter().map(|c| c.0[k]).sum::<f32>() / n)
}

fn two(range: &str) -> [f32; 2] {
    let first = leading_number(range).map(|(x, rest)| (x as f32, rest));
    let Some((low, rest)) = first else { return [0.0; 2] };
    let high = rest.trim_start().strip_prefix(',').and_then(leading_number);
    [low, high.map_or(low, |(x, _)| x as f32)]
}

fn emission(text: &str) -> Rgb {
    let Some(rest) = after(text, "emission") else {
        return [0.0; 3];
    };
    match leading_number(rest) {
        Some((x, _)) => [x as f32; 3],
        None => colors(rest).next().map_or([0.0; 3], |c| c.0),
    }
}

/// The colour at a place between stops, which are in order; constant beyond the first and the last.
pub fn blend(stops: &[(f32, Rgb)], at: f32) -> Rgb {
    let next = stops.iter().position(|s| s.0 >= at);
    match (next, stops.last()) {
        (_, None) => GREY,
        (None, Some(last)) => last.1,
        (Some(0), Some(_)) => stops[0].1,
        (Some(i), Some(_)) => {
            let (low, high) = (stops[i - 1], stops[i]);
            let share = (at - low.0) / (high.0 - low.0).max(1e-6);
            [0, 1, 2].map(|k| low.1[k] + share * (high.1[k] - low.1[k]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_s_own_textures_are_read() {
        let snow = Paint::parse(
            "texture{ pigment{rgb <0.94, 0.955, 0.98>} normal{granite 0.02 scale 1.2} \
             finish{ambient 0 diffuse 0.84 brilliance 0.85 specular 0.05 roughness 0.12} }",
        );
        assert_eq!(snow.colors, [(0.0, [0.94, 0.955, 0.98])]);
        assert_eq!((snow.diffuse, snow.brilliance, snow.transmit), (0.84, 0.85, 0.0));
        assert_eq!(snow.mirror, [0.0; 2]);
        let slime = Paint::parse(
            "texture{ pigment{aoi color_map{[0 rgb <1,0,0>][0.22 rgb <0,1,0>][0.5 rgb <0,0,1>]}} \
             finish{emission 0.04 diffuse 0.72 specular 1.2 roughness 0.002 reflection{0.02, 0.6 fresnel on}} }",
        );
        for (cosine, expected) in [(0.0, [1.0, 0.0, 0.0]), (1.0, [0.0, 0.0, 1.0])] {
            let found = slime.color(cosine);
            assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-5), "{found:?}");
        }
        assert_eq!(slime.mirror, [0.02, 0.6]);
        let clear = Paint::parse("texture{pigment{rgbt <0.1, 0.2, 0.3, 0.5>}}");
        assert_eq!((clear.transmit, clear.colors[0].1), (0.5, [0.1, 0.2, 0.3]));
        let glowing = Paint::parse("texture{pigment{rgb <1,1,1>} finish{diffuse 0 emission rgb <2,1,0>}}");
        assert_eq!(glowing.emission, [2.0, 1.0, 0.0]);
        let pictured = Paint::parse("texture{uv_mapping pigment{image_map{png \"a.png\"}}}");
        assert_eq!(pictured.colors, [(0.0, GREY)]);
    }
}
