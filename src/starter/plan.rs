//! The numbers of a first scene, chosen by the size of the model.

use super::ground::{Square, has_ground};
use super::{Cover, NewOptions, rounded};
use crate::error::{Diagnostic, Error, Result};
use crate::math::{Aabb, Point3, Real, Vec3};
use crate::mesh::Mesh;
use crate::scene::UpAxis;

/// About how many particles cover a scene: a second of work, and fine enough for a picture of 1280 x 720.
const PARTICLES: Real = 140_000.0;
/// Distance of neighbours in the sheet of particles, in radii: close enough that no hole shows.
const SPACING: Real = 1.2;
/// How far the ground reaches beyond the model, in sizes of the model.
const MARGIN: Real = 0.3;
/// Gap between the model and the sheet of particles, in heights.
const GAP: Real = 0.1;
/// Sizes of models that are believed to be in metres [m].
const METRES: [Real; 2] = [0.05, 60.0];
/// Units that are tried for larger ones, with their metres.
const SMALLER: [(&str, Real); 2] = [("cm", 0.01), ("mm", 0.001)];
/// Units that a scene knows by name, with their metres.
const UNITS: [(&str, Real); 5] = [
    ("m", 1.0),
    ("cm", 0.01),
    ("mm", 0.001),
    ("in", 0.0254),
    ("ft", 0.3048),
];

/// What the text is made from. Lengths in metres, y up.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What covers the model.
    pub cover: Cover,
    /// As a scene writes it: `"mm"` in quotes, or a number.
    pub unit: String,
    /// Which axis of the file points up.
    pub up: UpAxis,
    /// Extent of the model.
    pub size: Vec3,
    /// Radius of the particles.
    pub radius: Real,
    /// A corner of the sheet of particles, and its sides along x and z.
    pub origin: Point3,
    /// See `origin`.
    pub sides: [Real; 2],
    /// Particles along both sides.
    pub count: [u64; 2],
    /// How fast they fall [m/s].
    pub speed: Real,
    /// The ground to lay.
    pub ground: Option<Square>,
    /// What the user should know.
    pub remarks: Vec<Diagnostic>,
}

impl Plan {
    /// Chooses everything for a model in its file's units.
    pub fn new(model: &Mesh, options: &NewOptions) -> Result<Self> {
        let mut remarks = model.report.warnings.clone();
        let (unit, metres) = unit(options, model, &mut remarks)?;
        let placed = place(model, options.up, metres);
        let bounds = placed.bounds();
        let size = bounds.extent();
        let wants_ground = options.ground.unwrap_or_else(|| !has_ground(&placed));
        let ground = wants_ground.then(|| square_under(&bounds));
        let around = match &ground {
            Some(square) => Aabb::around(&[
                square.center - Vec3::new(square.half, 0.0, square.half),
                square.center + Vec3::new(square.half, 0.0, square.half),
            ]),
            None => bounds,
        };
        let (width, depth) = (around.extent().x, around.extent().z);
        // A wall without thickness still gets a row of particles.
        let least = 1e-3 * bounds.diagonal();
        let radius = rounded(
            (width.max(least) * depth.max(least) / PARTICLES).sqrt() / SPACING,
            2,
        );
        // What would fall on the edge of the ground rolls into view of nobody, but hangs half in the air.
        let inset = if ground.is_some() { radius } else { 0.0 };
        let sides = [width, depth].map(|side| rounded((side - 2.0 * inset).max(radius), 6));
        let count = sides.map(|side| (side / (SPACING * radius)).round().max(1.0) as u64);
        let height = size.y.max(0.1 * bounds.diagonal());
        let top = bounds.max.y + GAP * height + 2.0 * radius;
        let origin = Point3::new(around.min.x + inset, top, around.min.z + inset);
        Ok(Self {
            cover: options.cover,
            unit,
            up: options.up,
            size,
            radius,
            origin,
            sides,
            count,
            // All have landed within the second that the scene takes.
            speed: rounded(3.0 * (top - bounds.min.y), 1).max(1.0),
            ground,
            remarks,
        })
    }

    /// The unit in words.
    pub fn unit_words(&self) -> String {
        in_words(&self.unit)
    }
}

/// A square below the model that shows all round it.
fn square_under(bounds: &Aabb) -> Square {
    let e = bounds.extent();
    let widest = e.x.max(e.z);
    let half = rounded(0.5 * widest + MARGIN * widest.max(e.y), 3);
    let middle = bounds.center();
    let scale = bounds.diagonal();
    // Places are rounded to a ten-thousandth of the model; the height is not, or the model would not stand on it.
    let near = |x: Real| {
        if x.abs() < 1e-4 * scale {
            0.0
        } else {
            rounded(x, 5)
        }
    };
    Square {
        center: Point3::new(near(middle.x), bounds.min.y, near(middle.z)),
        half,
    }
}

/// The model in the world [m].
fn place(model: &Mesh, up: UpAxis, metres: Real) -> Mesh {
    let mut placed = model.clone();
    for v in &mut placed.vertices {
        let turned = match up {
            UpAxis::Y => v.coords,
            UpAxis::Z => Vec3::new(v.x, v.z, -v.y),
        };
        *v = Point3::from(turned * metres);
    }
    placed
}

/// The unit as a scene writes it, and its metres.
fn unit(options: &NewOptions, model: &Mesh, remarks: &mut Vec<Diagnostic>) -> Result<(String, Real)> {
    if let Some(text) = &options.unit {
        return given_unit(text);
    }
    let e = model.bounds().extent();
    let largest = e.x.max(e.y).max(e.z);
    if (METRES[0]..=METRES[1]).contains(&largest) || largest == 0.0 {
        return Ok(("\"m\"".into(), 1.0));
    }
    let fits = SMALLER
        .iter()
        .find(|(_, metres)| largest > METRES[1] && largest * metres <= METRES[1]);
    let (unit, metres) = match fits {
        Some((name, metres)) => (format!("\"{name}\""), *metres),
        None => {
            let exponent = libm::floor(libm::log10(largest)) as i32;
            let metres: Real = format!("1e{}", -exponent).parse().unwrap_or(1.0);
            (format!("{metres:?}"), metres)
        }
    };
    remarks.push(
        Diagnostic::new(format!(
            "the model is {} units large: a unit is taken for {}",
            super::text::number(largest, 4),
            in_words(&unit)
        ))
        .help("say what it is with --unit m, cm, mm, in, ft or metres per unit"),
    );
    Ok((unit, metres))
}

fn in_words(unit: &str) -> String {
    match unit.strip_prefix('"') {
        Some(name) => format!("1 {}", name.trim_end_matches('"')),
        None => format!("{unit} m"),
    }
}

fn given_unit(text: &str) -> Result<(String, Real)> {
    if let Some((name, metres)) = UNITS.iter().find(|(name, _)| *name == text) {
        return Ok((format!("\"{name}\""), *metres));
    }
    match text.parse::<Real>() {
        Ok(metres) if metres.is_finite() && metres > 0.0 => Ok((format!("{metres:?}"), metres)),
        _ => Err(Error::Usage(format!(
            "--unit: expected m, cm, mm, in, ft or a number of metres > 0, found `{text}`"
        ))),
    }
}
