//! A commented first scene for a model: what `partsim new` writes.
//!
//! Chooses numbers by the model's size and writes text that the scene room reads back; simulates nothing.

mod ground;
mod plan;
mod text;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{Diagnostic, Error, Result};
use crate::math::{Real, Vec3};
use crate::mesh::{self, Mesh};
use crate::scene::{self, UpAxis};
use crate::world::World;
use crate::write::atomic::write_file;
use crate::write::pov::PovWriter;
use plan::Plan;

/// What covers the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cover {
    /// A sheet of flakes that stay where they land.
    #[default]
    Snow,
    /// The same of slime.
    Slime,
    /// The same of mud.
    Mud,
}

impl Cover {
    /// Preset and name of the material.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Snow => ["Snow", "snow"],
            Self::Slime => ["Slime", "slime"],
            Self::Mud => ["Mud", "mud"],
        }
    }
}

/// What the command line says about a new scene; `None` leaves it to the program.
#[derive(Debug, Clone, PartialEq)]
pub struct NewOptions {
    /// The model: OBJ, PLY, STL or glTF.
    pub mesh: PathBuf,
    /// The scene; `None`: the model's name in the working folder.
    pub out: Option<PathBuf>,
    /// Which axis of the file points up.
    pub up: UpAxis,
    /// What the file's numbers mean, as a scene says it: `m`, `mm`, or metres per unit.
    pub unit: Option<String>,
    /// What covers the model.
    pub cover: Cover,
    /// Whether a ground is laid under the model; `None`: if it has none of its own.
    pub ground: Option<bool>,
}

/// What was written; its text tells the user what comes next.
#[derive(Debug, Clone)]
pub struct Starter {
    /// The scene.
    pub scene: PathBuf,
    /// The ground, if one was laid.
    pub ground: Option<PathBuf>,
    /// What the user should know of the model.
    pub remarks: Vec<Diagnostic>,
    plan: Plan,
    size: Vec3,
}

/// Writes a scene for a model, and an OBJ file with a ground where the model has none. Neither may exist before.
pub fn new_scene(options: &NewOptions) -> Result<Starter> {
    let path = scene_path(options)?;
    let ground_path = ground_path(&path);
    refuse_to_overwrite(&path)?;
    let model = mesh::load_mesh(&options.mesh)?;
    if model.is_empty() {
        return Err(nothing_to_cover(options, &model));
    }
    let plan = Plan::new(&model, options)?;
    let names = text::Names {
        model: stem(&options.mesh)?,
        file: file_beside(&path, &options.mesh)?,
        scene: printable(&path),
        run: format!("runs/{}", stem(&path)?),
        ground: utf8(ground_path.file_name().map(Path::new).unwrap_or(&ground_path))?.into(),
    };
    if plan.ground.is_some() {
        refuse_to_overwrite(&ground_path)?;
    }
    let size = plan.size;
    let files = Files {
        scene: &path,
        ground: &ground_path,
    };
    files
        .write(&plan, &names, model)
        .inspect_err(|_| files.remove())?;
    Ok(Starter {
        ground: plan.ground.is_some().then_some(ground_path.clone()),
        remarks: plan.remarks.clone(),
        scene: path,
        plan,
        size,
    })
}

/// The files that are written.
struct Files<'a> {
    scene: &'a Path,
    ground: &'a Path,
}

impl Files<'_> {
    fn write(&self, plan: &Plan, names: &text::Names, model: Mesh) -> Result<()> {
        let mut meshes = vec![model];
        if let Some(square) = &plan.ground {
            let text = square.obj();
            write_file(self.ground, |out| out.write_all(text.as_bytes()))?;
            meshes.push(mesh::read_obj(text.as_bytes(), self.ground)?);
        }
        // Framed by the same rule that frames a scene without a camera.
        let scene = scene::parse(&text::scene(plan, names, None), self.scene)?;
        let (world, _) = World::assemble(&scene, meshes)?;
        let camera = PovWriter::new(&scene, &world.meshes).camera();
        let text = text::scene(plan, names, Some(&camera));
        write_file(self.scene, |out| out.write_all(text.as_bytes()))?;
        Ok(())
    }

    /// Takes back what a failed attempt has written; neither file was there before.
    fn remove(&self) {
        for path in [self.scene, self.ground] {
            let _ = fs_err::remove_file(path);
        }
    }
}

fn scene_path(options: &NewOptions) -> Result<PathBuf> {
    let path = match &options.out {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}.ron", stem(&options.mesh)?)),
    };
    if path.extension().is_none_or(|e| e != "ron") {
        let text = format!(
            "--out {}: expected the name of a scene, which ends in .ron",
            path.display()
        );
        return Err(Error::Usage(text));
    }
    Ok(path)
}

fn ground_path(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or_default().to_string_lossy();
    scene.with_file_name(format!("{name}_ground.obj"))
}

fn refuse_to_overwrite(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(Error::Usage(format!(
            "{} exists and is not overwritten: give another name with --out, or delete it",
            path.display()
        )));
    }
    Ok(())
}

fn nothing_to_cover(options: &NewOptions, model: &Mesh) -> Error {
    let mut remarks = vec![
        Diagnostic::new(format!(
            "no faces in {}: nothing to cover",
            options.mesh.display()
        ))
        .help("export the model with its faces (`f` lines)"),
    ];
    remarks.extend(model.report.warnings.iter().cloned());
    Error::Input(remarks)
}

fn utf8(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        Error::Usage(format!(
            "{}: a scene can name only files whose names are UTF-8; rename it",
            path.display()
        ))
    })
}

fn stem(path: &Path) -> Result<String> {
    Ok(utf8(Path::new(path.file_stem().unwrap_or(path.as_os_str())))?.to_owned())
}

/// A path as one line of a comment can hold it.
fn printable(path: &Path) -> String {
    let text = path.display().to_string();
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// How the scene names a file: from its own folder.
fn file_beside(scene: &Path, file: &Path) -> Result<String> {
    let parent = match scene.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let (from, to) = (fs_err::canonicalize(parent)?, fs_err::canonicalize(file)?);
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(shared).map(|_| Path::new(".."));
    let down = to.components().skip(shared).map(|c| Path::new(c.as_os_str()));
    let path: PathBuf = up.chain(down).collect();
    // On systems with drives there may be no way from one to the other.
    utf8(if shared == 0 { &to } else { &path }).map(str::to_owned)
}

impl fmt::Display for Starter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = &self.plan;
        write!(f, "wrote      {}", self.scene.display())?;
        match &self.ground {
            Some(ground) => writeln!(f, " and {}", ground.display())?,
            None => writeln!(f)?,
        }
        let [x, y, z] = [self.size.x, self.size.y, self.size.z].map(|s| text::number(s, 3));
        writeln!(
            f,
            "model      {x} x {y} x {z} m, if a unit of its file is {}",
            plan.unit_words()
        )?;
        let (count, radius) = (plan.count[0] * plan.count[1], text::number(plan.radius, 3));
        writeln!(f, "covering   {count} particles of {radius} m radius")?;
        let run = self.scene.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(f, "next       partsim run {}", self.scene.display())?;
        writeln!(f, "           ./render.sh runs/{run}")
    }
}

/// A number that people would write [same unit]: `digits` significant digits, no exponent.
fn rounded(value: Real, digits: i32) -> Real {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let places = digits - 1 - libm::floor(libm::log10(value.abs())) as i32;
    let factor = libm::exp10(Real::from(places.abs()));
    if places >= 0 {
        (value * factor).round() / factor
    } else {
        (value / factor).round() * factor
    }
}
