//! `partsim grid`: makes a distance/normal grid of a mesh, and shows one.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::examples;
use crate::error::{Diagnostic, Error, Result};
use crate::grid::{self, Axis, Grid, draw_slice};
use crate::math::{Point3, Real};
use crate::mesh::load_mesh;
use crate::progress::{Progress, ProgressMode};
use crate::run::describe;
use crate::scene::{Compression, Construction, GridShape, Resolution};
use crate::write::atomic::write_file;

/// `partsim grid`
#[derive(Debug, Subcommand)]
pub enum GridCommand {
    /// Make a grid of a mesh; lengths are in the mesh's own unit
    #[command(after_help = examples::GRID_BUILD)]
    Build(BuildArgs),
    /// Tell what a grid holds, and draw a slice of it
    #[command(after_help = examples::GRID_SHOW)]
    Show(ShowArgs),
}

/// `partsim grid build`
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// The mesh: OBJ, PLY, STL or glTF
    pub mesh: PathBuf,
    /// The grid to write
    #[arg(short, long, value_name = "FILE.dng")]
    pub out: PathBuf,
    /// Cells along the longest side, the field around the mesh included [default: 60]
    #[arg(long, value_name = "N", conflicts_with = "cell", value_parser = clap::value_parser!(u32).range(16..=1024))]
    pub cells: Option<u32>,
    /// Edge of a cell, instead of a number of cells
    #[arg(long, value_name = "LENGTH", value_parser = parse_length)]
    pub cell: Option<Real>,
    /// How far the field reaches from the surface [default: six cells]
    #[arg(long, value_name = "LENGTH", value_parser = parse_length)]
    pub thickness: Option<Real>,
    /// Where normals come from: those of the triangles, or the gradient of a potential (thin shapes, single sheets)
    #[arg(long, value_name = "WAY", default_value = "normals", value_parser = construction_parser())]
    pub construction: Construction,
    /// Cells that one round of the blur reaches
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(2..=4))]
    pub blur: u32,
    /// Serve both sides of a closed mesh too
    #[arg(long)]
    pub both_sides: bool,
    /// Compress, with nodes of this many cells along an edge: 2, 4 or 8
    #[arg(long, value_name = "NODE", num_args = 0..=1, default_missing_value = "2", value_parser = node_parser())]
    pub compress: Option<u32>,
    /// Largest angle of a normal to that of its node [degrees]
    #[arg(long, value_name = "DEGREES", default_value = "10", requires = "compress", value_parser = parse_angle)]
    pub angle: Real,
    /// Largest difference of a distance to that of its node [cells]
    #[arg(long, value_name = "CELLS", default_value = "0.25", requires = "compress", value_parser = parse_length)]
    pub distance: Real,
}

/// `partsim grid show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The grid
    pub grid: PathBuf,
    /// Draw a slice into this file: an arrow a cell, darker the closer it is to the surface
    #[arg(short, long, value_name = "FILE.png")]
    pub out: Option<PathBuf>,
    /// Which axis the slice is perpendicular to
    #[arg(long, value_name = "AXIS", default_value = "z", value_parser = axis_parser())]
    pub axis: Axis,
    /// Where along this axis, as a share of the grid's length
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = parse_share)]
    pub at: Real,
}

/// Makes a grid and tells what it is.
pub fn make(args: &BuildArgs) -> Result<String> {
    let progress = Progress::new(ProgressMode::Auto);
    progress.stage("loading the mesh");
    let mesh = load_mesh(&args.mesh)?;
    mesh.report.warnings.iter().for_each(|w| progress.warn(w));
    let corners: Vec<[Point3; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
    let usual = GridShape::default();
    let shape = GridShape {
        resolution: match (args.cells, args.cell) {
            (_, Some(edge)) => Resolution::Edge(edge),
            (Some(count), None) => Resolution::Cells(count),
            (None, None) => usual.resolution,
        },
        thickness: args.thickness,
        construction: args.construction,
        blur: args.blur,
        both_sides: args.both_sides,
        compression: args.compress.map(|node| Compression {
            node,
            angle_deg: args.angle,
            distance: args.distance,
        }),
    };
    let grid = grid::build(&corners, &shape, &|what| progress.stage(what)).map_err(|fault| {
        let text = format!("{}: {fault}", args.mesh.display());
        Error::input(Diagnostic::new(text).help(fault.help()))
    })?;
    grid::save(&grid, &args.out)?;
    Ok(tell(&args.out, &grid))
}

/// Tells what a grid is, and draws its slice.
pub fn show(args: &ShowArgs) -> Result<String> {
    let grid = grid::load(&args.grid)?;
    if let Some(out) = &args.out {
        let picture = draw_slice(&grid, args.axis, args.at).png()?;
        write_file(out, |file| file.write_all(&picture))?;
    }
    Ok(tell(&args.grid, &grid))
}

fn tell(path: &std::path::Path, grid: &Grid) -> String {
    let gaps = &grid.report.gaps;
    let width = |x: Real| {
        if x.is_finite() {
            format!("{x:.4}")
        } else {
            "over 8 cells".to_owned()
        }
    };
    format!(
        "{}: {}\ncells of {:.5}, field {:.5} thick, in units of the mesh; {} triangles, {} open edges\n\
        thinnest wall {}, narrowest gap {}; {} cells where normals cancel\n",
        path.display(),
        describe(grid),
        grid.layout.cell,
        grid.thickness,
        grid.report.triangles,
        grid.report.open_edges,
        width(gaps.thinnest),
        width(gaps.narrowest.min(gaps.hole)),
        grid.report.ambiguous_cells
    )
}

fn construction_parser() -> impl TypedValueParser<Value = Construction> {
    PossibleValuesParser::new(["normals", "potential"]).map(|name| match name.as_str() {
        "potential" => Construction::Potential,
        _ => Construction::Normals,
    })
}

fn node_parser() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["2", "4", "8"]).map(|name| match name.as_str() {
        "4" => 4,
        "8" => 8,
        _ => 2,
    })
}

fn axis_parser() -> impl TypedValueParser<Value = Axis> {
    PossibleValuesParser::new(["x", "y", "z"]).map(|name| match name.as_str() {
        "x" => Axis::X,
        "y" => Axis::Y,
        _ => Axis::Z,
    })
}

fn parse_within(text: &str, low: Real, high: Real, expected: &str) -> std::result::Result<Real, String> {
    match text.parse::<Real>() {
        Ok(x) if x >= low && x <= high => Ok(x),
        _ => Err(format!("expected {expected}")),
    }
}

fn parse_length(text: &str) -> std::result::Result<Real, String> {
    parse_within(text, 1e-15, 1e15, "a number > 0")
}

fn parse_share(text: &str) -> std::result::Result<Real, String> {
    parse_within(text, 0.0, 1.0, "a number from 0 to 1")
}

fn parse_angle(text: &str) -> std::result::Result<Real, String> {
    parse_within(text, 0.0, 89.0, "an angle from 0 to 89")
}
