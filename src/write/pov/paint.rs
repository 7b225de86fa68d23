//! Textures of the materials: what makes snow snow, slime slime, mud mud and oil oil.
//!
//! All patterns are in particle radii, so a picture looks the same whatever the radius. The fields that are
//! worth editing are written as plain POV-Ray.

use super::number::text;
use super::particles::Drawn;
use crate::material::LookFamily;
use crate::math::Real;

/// Linear RGB.
pub type Rgb = [Real; 3];

/// `rgb <r, g, b>` of a colour times `factor`.
pub fn rgb(c: Rgb, factor: Real) -> String {
    format!("rgb {}", super::number::vector(c.map(|x| x * factor)))
}

/// Declarations of one material: threshold, settled and flying.
pub fn declare(m: &Drawn) -> String {
    let stem = &m.stem;
    let (settled, flying) = match m.look.family {
        _ if m.look.transmit > 0.0 => (clear(m), None),
        LookFamily::Snow => (snow(m), Some(flake(m))),
        LookFamily::Slime => (slime(m), None),
        LookFamily::Mud => (mud(m), None),
        LookFamily::Oil => (oil(m), None),
    };
    let flying = flying.unwrap_or_else(|| format!("  {stem}_Settled\n"));
    format!(
        "// {}: {} radius {} units\n\
         #declare {stem}_Threshold = {}; // the strengths in the frames count on it\n\
         #declare {stem}_Settled = material{{\n{settled}}}\n\
         #declare {stem}_Flying = material{{\n{flying}}}\n",
        printable(&m.name),
        format!("{:?}", m.look.family).to_lowercase(),
        text(m.radius),
        text(m.look.threshold),
    )
}

/// A name that cannot end the comment it stands in.
pub fn printable(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Main colour of a material that lets light through, when the scene gives none.
fn clear_color(family: LookFamily) -> Rgb {
    match family {
        LookFamily::Snow => [0.80, 0.90, 1.0],
        LookFamily::Slime => [0.33, 0.90, 0.04],
        LookFamily::Mud => [0.26, 0.17, 0.10],
        LookFamily::Oil => [0.32, 0.20, 0.05],
    }
}

/// Snow. Brilliance below 1 softens the terminator, a stand-in for light inside the snow.
fn snow(m: &Drawn) -> String {
    let color = m.look.color.unwrap_or([0.94, 0.955, 0.98]);
    format!(
        "  texture{{\n    \
         pigment{{{}}}\n    \
         normal{{granite 0.02 scale {}}}\n    \
         finish{{ambient 0 diffuse 0.84 brilliance 0.85 specular 0.05 roughness 0.12}}\n  }}\n",
        rgb(color, 1.0),
        text(6.0 * m.radius),
    )
}

/// A flake in the air: without light of its own it is a dark speck against the sky.
fn flake(m: &Drawn) -> String {
    let color = m.look.color.unwrap_or([0.95, 0.97, 1.0]);
    format!(
        "  texture{{\n    pigment{{{}}}\n    finish{{ambient 0 emission 0.60 diffuse 0.35}}\n  }}\n",
        rgb(color, 1.0)
    )
}

/// Opaque slime: the angle of incidence gives strands a light rim and a deep middle.
fn slime(m: &Drawn) -> String {
    let [rim, body, deep] = match m.look.color {
        None => [[0.50, 0.74, 0.10], [0.34, 0.62, 0.04], [0.15, 0.46, 0.015]],
        Some(c) => [c.map(|x| 1.2 * x + 0.05), c, c.map(|x| 0.6 * x)],
    };
    format!(
        "  texture{{\n    \
         pigment{{aoi color_map{{[0 {}][0.22 {}][0.5 {}]}}}}\n    \
         finish{{ambient 0 emission 0.04 diffuse 0.72 specular 1.2 roughness 0.002 \
         reflection{{0.02, 0.6 fresnel on}} conserve_energy}}\n  }}\n  \
         interior{{ior 1.4}}\n",
        rgb(rim, 1.0),
        rgb(body, 1.0),
        rgb(deep, 1.0),
    )
}

/// Translucent material: thick parts turn deep, thin ones let the wall through. The emission stands for
/// light scattered inside; without it green over a red roof is brown.
fn clear(m: &Drawn) -> String {
    let c = m.look.color.unwrap_or(clear_color(m.look.family));
    format!(
        "  texture{{\n    \
         pigment{{rgbt <{}, {}, {}, {}>}}\n    \
         finish{{ambient 0 emission 0.10 diffuse 0.55 specular 1.3 roughness 0.002 \
         reflection{{0.02, 0.6 fresnel on}} conserve_energy}}\n  }}\n  \
         interior{{ior 1.35 fade_distance {} fade_power 1001 fade_color {}}}\n",
        text(c[0]),
        text(c[1]),
        text(c[2]),
        text(m.look.transmit),
        text(2.5 * m.radius),
        rgb([c[0] * 0.30, c[1] * 0.47, c[2] * 0.25], 1.0),
    )
}

/// Mud: wet and dry in patches of 32 radii.
fn mud(m: &Drawn) -> String {
    let r = m.radius;
    let own = |c: Rgb| match m.look.color {
        None => c,
        // The preset's middle tone is <.23, .15, .088>: other tones keep their proportion to it.
        Some(k) => [k[0] * c[0] / 0.23, k[1] * c[1] / 0.15, k[2] * c[2] / 0.088],
    };
    let dry = [[0.15, 0.092, 0.05], [0.23, 0.15, 0.088], [0.32, 0.225, 0.14]].map(|c| rgb(own(c), 1.0));
    let wet = [[0.055, 0.030, 0.014], [0.115, 0.067, 0.034]].map(|c| rgb(own(c), 1.0));
    format!(
        "  texture{{\n    bozo turbulence 0.5 octaves 3\n    texture_map{{\n      \
         [0.42\n        pigment{{granite color_map{{[0 {}][1 {}]}} scale {grain}}}\n        \
         normal{{granite 0.10 scale {bump}}}\n        \
         finish{{ambient 0 diffuse 0.72 specular 0.6 roughness 0.022 \
         reflection{{0.01, 0.35 fresnel on}} conserve_energy}}]\n      \
         [0.62\n        pigment{{granite color_map{{[0 {}][0.5 {}][1 {}]}} scale {grain}}}\n        \
         normal{{granite 0.22 scale {bump}}}\n        \
         finish{{ambient 0 diffuse 0.78 brilliance 0.8 specular 0.06 roughness 0.12}}]\n    }}\n    \
         scale {patch}\n  }}\n  interior{{ior 1.4}}\n",
        wet[0],
        wet[1],
        dry[0],
        dry[1],
        dry[2],
        // Inside the map everything is scaled by the patch once more.
        grain = text(14.0 / 32.0),
        bump = text(9.0 / 32.0),
        patch = text(32.0 * r),
    )
}

/// Oil: nearly black, a mirror at the rim.
fn oil(m: &Drawn) -> String {
    let color = m.look.color.unwrap_or([0.012, 0.009, 0.006]);
    format!(
        "  texture{{\n    \
         pigment{{aoi color_map{{[0 {}][0.5 {}]}}}}\n    \
         finish{{ambient 0 diffuse 0.55 specular 1.4 roughness 0.0012 \
         reflection{{0.03, 0.85 fresnel on}} conserve_energy}}\n  }}\n  \
         interior{{ior 1.47}}\n",
        rgb(color.map(|x| 2.5 * x), 1.0),
        rgb(color, 1.0),
    )
}
